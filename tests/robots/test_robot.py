"""Robots of every level in every game: legal, the same for the same view and seed, quick where forced."""

import pickle
from collections import Counter
from random import Random
from types import SimpleNamespace

import pytest

from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY
from cardtable.games import GAMES, KEYS
from cardtable.games.king.rules.actions import CLAIM, OFFERS
from cardtable.robots.kit.robot import decide, make_generator, make_robot
from cardtable.robots.kit.rollouts import RandomRobot
from tests.robots.positions import ROBOTS, positions, positions_for

every_robot = pytest.mark.parametrize(("level", "key"), ROBOTS)


class Word(Action, frozen=True):
    """An action of one word."""

    kind: str
    rest: str = ""

    @property
    def notation(self):
        return self.rest


class Nobody:
    """A robot that must not be asked."""

    def choose(self, view, rng, stop):
        raise AssertionError("asked for a forced move")


@every_robot
def test_a_robot_does_what_is_legal(level, key):
    robot = make_robot(level, key)
    for view, seed, decisions in positions_for(level, key):
        assert decide(robot, view, seed, decisions) in view.legal


@pytest.mark.promise("For maintainers", "The same view and seed give the same choice, in every process.")
@every_robot
def test_the_same_view_and_seed_give_the_same_choice(level, key):
    for view, seed, decisions in positions_for(level, key):
        copied = pickle.loads(pickle.dumps(view))
        assert copied == view
        first, second = (decide(make_robot(level, key), seen, seed, decisions) for seen in (view, copied))
        assert str(first) == str(second)


@pytest.mark.parametrize("key", GAMES)
def test_a_forced_move_is_made_without_asking(key):
    view, seed, decisions = positions(key)[0]
    only = SimpleNamespace(seat=view.seat, legal=view.legal[:1])
    assert decide(Nobody(), only, seed, decisions) == view.legal[0]


def test_a_robot_that_does_not_exist_is_refused_in_one_line():
    with pytest.raises(ValueError, match="no level is called 'clever'; the levels are random, novice, steady"):
        make_robot("clever", "rikiki")
    with pytest.raises(ValueError, match=f"no game is called 'snap'; the games are {', '.join(KEYS)}"):
        make_robot("steady", "snap")


def test_every_decision_has_numbers_of_its_own():
    drawn = [make_generator(*of).random() for of in ((7, 0, 0), (7, 0, 1), (7, 1, 0), (8, 0, 0))]
    assert len(set(drawn)) == 4
    assert make_generator(7, 0, 0).random() == drawn[0]


def drawn_kinds(legal, times=2000):
    rng, view = Random(5), SimpleNamespace(legal=legal)
    choices = [RandomRobot().choose(view, rng, lambda: False) for _ in range(times)]
    return Counter(str(choice).split()[0] for choice in choices), set(choices)


def test_the_random_robot_draws_the_kind_first_so_that_cards_do_not_crowd_out_a_word():
    kinds, choices = drawn_kinds((*PLAY[:9], Word("done")))
    assert 900 < kinds["done"] < 1100
    assert choices == {*PLAY[:9], Word("done")}


def test_the_random_robot_seldom_ends_a_round_early():
    kinds, _ = drawn_kinds((*PLAY[:9], CLAIM, OFFERS[3]))
    assert 10 < kinds["claim"] < 80
    assert 10 < kinds["offer"] < 80
