"""Near the end of a round no level above novice plays what is certainly worse; certain ways out are taken."""

from random import Random

import pytest

from cardtable.robots.kit import endgame
from cardtable.robots.kit.robot import decide, make_robot
from tests.budgets import get_trials
from tests.laws import endgames
from tests.laws.sessions import CASES_BY_GAME, get_share

MAX_CARDS = 8
"""Largest hand for which all ways out are tried."""


@pytest.mark.parametrize("level", ["steady", "expert"])
@pytest.mark.parametrize("key", endgames.TRICK_GAMES)
def test_no_play_is_certainly_worse(key, level):
    verdicts = endgames.examine(key, make_robot(level, key), get_trials("endgames"))
    assert not verdicts["worse"]
    assert verdicts["fine"]


LEVELS_THAT_GO_OUT = {"bridge": ["steady"], "rummy": ["steady", "expert"]}
"""Levels that never wait with a certain way out; the expert of Bridge does if others are likely to draw meanwhile."""


@pytest.mark.parametrize(
    ("case", "level"),
    [(case, level) for key, levels in LEVELS_THAT_GO_OUT.items() for level in levels for case in CASES_BY_GAME[key]],
    ids=str,
)
def test_certain_way_out_is_taken(case, level):
    """A robot goes out if its cards allow it before another seat has a turn, whatever is hidden."""
    robot = make_robot(level, case.game.about.key)
    for seed in range(get_share(get_trials("ways out"), case)):
        for view, number in endgames.iter_views(case, seed):
            world = case.game.imagine(view, Random(seed))
            if view.hand.bit_count() <= MAX_CARDS and endgames.can_go_out(world, view.seat):
                after = endgames.follow(world, decide(robot, view, seed, number))
                assert endgames.is_way_out(world, after, view.seat)


def test_referee_finds_certain_losses():
    """A robot that plays its highest card throws points away."""

    class Highest:
        def choose(self, view, rng, stop):
            return view.legal[-1]

    assert endgames.examine("rifki", Highest(), 200)["worse"]


def test_referee_and_check_have_the_same_limits():
    assert (endgames.MAX_DEALS, endgames.MAX_LINES) == (endgame.MAX_DEALS, endgame.MAX_LINES)
