"""Robots of every level in every game: legality, reproducibility, forced moves."""

import pickle
from collections import Counter
from random import Random
from types import SimpleNamespace

import pytest

from cardtable.engine.tricks import PLAY
from cardtable.games import GAMES, KEYS
from cardtable.games.king.rules.actions import CLAIM, OFFERS
from cardtable.robots.kit.robot import RandomRobot, decide, make_generator, make_robot
from tests.robots.positions import ROBOTS, collect_positions, select_positions


class UncallableRobot:
    """Robot that fails if it is asked to choose."""

    def choose(self, view, rng, stop):
        raise AssertionError("asked for a forced move")


@pytest.mark.parametrize(("level", "key"), ROBOTS)
def test_choice_is_legal_and_reproducible(level, key):
    for view, seed, decisions in select_positions(level, key):
        copied = pickle.loads(pickle.dumps(view))
        assert copied == view
        first, second = (decide(make_robot(level, key), seen, seed, decisions) for seen in (view, copied))
        assert first in view.legal
        assert str(first) == str(second)


@pytest.mark.parametrize("key", GAMES)
def test_forced_move_does_not_call_robot(key):
    view, seed, decisions = collect_positions(key)[0]
    only = SimpleNamespace(seat=view.seat, legal=view.legal[:1])
    assert decide(UncallableRobot(), only, seed, decisions) == view.legal[0]


def test_rejects_unknown_level_and_game():
    with pytest.raises(ValueError, match="no level is called 'clever'; the levels are random, novice, steady"):
        make_robot("clever", "rikiki")
    with pytest.raises(ValueError, match=f"no game is called 'snap'; the games are {', '.join(KEYS)}"):
        make_robot("steady", "snap")


def test_random_generator_differs_by_decision():
    drawn = [make_generator(*of).random() for of in ((7, 0, 0), (7, 0, 1), (7, 1, 0), (8, 0, 0))]
    assert len(set(drawn)) == 4
    assert make_generator(7, 0, 0).random() == drawn[0]


def draw_kinds(legal, times=2000):
    rng, view = Random(5), SimpleNamespace(legal=legal)
    choices = [RandomRobot().choose(view, rng, lambda: False) for _ in range(times)]
    return Counter(str(choice).split()[0] for choice in choices), set(choices)


def test_random_robot_rarely_claims_or_offers():
    kinds, _ = draw_kinds((*PLAY[:9], CLAIM, OFFERS[3]))
    assert 10 < kinds["claim"] < 80
    assert 10 < kinds["offer"] < 80
