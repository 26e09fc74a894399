"""King's expert: rounds played on as the rules have them, what is worth a look, and what is in no doubt."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from cardtable.games.king import CONTRACTS, KingState, Options
from cardtable.robots.experts.king import GUIDE
from cardtable.robots.experts.king_rounds import play_on
from cardtable.robots.policies.king import steady
from cardtable.robots.robot import make
from tests.games.test_king import contract
from tests.robots.positions import positions


def expert(game):
    """What an expert does now."""
    return str(make("expert", "king").choose(game.view(), Random(1), lambda: False))


def looked_at(game):
    """What is worth a look, without the kind of action."""
    return [str(action).partition(" ")[2] for action in GUIDE.candidates(game.view())]


def rounds(named, number, **options):
    """States in rounds of a contract played by steady robots, each some plays after the deal."""
    rng = Random(named.text)
    for _ in range(number):
        state = KingState(Options(offers="off", **options))
        state.apply(state.lot(rng))
        state.contract = named
        for _ in range(rng.randrange(30)):
            if state.playing:
                steady_plays(state, rng)
        if state.playing:
            yield state


def steady_plays(state, rng):
    """The seat to act plays a card."""
    view = state.view(state.turn)
    legal = tuple([action for action in view.legal if str(action).startswith("play")])
    state.apply(legal[0] if len(legal) == 1 else steady(replace(view, legal=legal), rng))


@pytest.mark.parametrize("drop", ["under-ace", "void-only"])
@pytest.mark.parametrize("named", CONTRACTS, ids=str)
def test_rounds_are_played_on_as_steady_robots_play_them(named, drop):
    same = []
    for state in rounds(named, 12, king_drop=drop):
        points = list(play_on(state.copy()))
        while state.playing:
            steady_plays(state, Random(1))
        same.append(points == list(state.points))
    assert sum(same) >= len(same) - 1, "rounding may tell cards apart that are worth the same"
    assert len(same) > 5


POSITIVE = ["clubs", "diamonds", "hearts", "spades", "no-trump", "miser"]


@pytest.mark.parametrize("named", CONTRACTS, ids=str)
def test_what_all_collect_together_is_in_the_rules(named):
    for state in rounds(named, 10):
        assert sum(play_on(state)) == (108 if named.text in POSITIVE else named.total)


def test_all_that_is_looked_at_is_legal():
    kinds = Counter()
    for view, _, _ in positions("king"):
        found = GUIDE.candidates(view)
        assert found
        assert set(found) <= set(view.legal)
        assert len(set(found)) == len(found)
        kinds[str(found[0]).partition(" ")[0]] += 1
    assert set(kinds) >= {"contract", "play", "take"}


@pytest.mark.parametrize(
    ("text", "hand", "worth_a_look"),
    [
        ("no-tricks", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D"),
        ("no-queens", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D QC"),
        ("neg-jar", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D KC"),
        ("miser", "6C 7C 8C JC QC KC AC 6D 8D", "6C JC 6D 8D"),
    ],
)
def test_of_cards_that_come_to_the_same_one_is_looked_at(text, hand, worth_a_look):
    assert sorted(looked_at(contract(text, hand))) == sorted(worth_a_look.split())


def test_cards_on_both_sides_of_one_that_lies_in_the_trick_are_not_the_same():
    game = contract("no-tricks", "8C", "7C 9C TC").do("play 8C")
    assert looked_at(game)[:2] == ["7C", "9C"]
