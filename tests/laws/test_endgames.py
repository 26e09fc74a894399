"""Near the end of a round no level above novice plays what is certainly worse, and steady takes a certain way out."""

import pytest

from cardtable.robots.kit import endgame
from cardtable.robots.kit.robot import make_robot
from tests.budgets import get_trials
from tests.laws import endgames


@pytest.mark.promise("For maintainers", "Near the end of a round no robot above novice plays what is certainly worse.")
@pytest.mark.parametrize("level", ["steady", "expert"])
@pytest.mark.parametrize("key", endgames.TRICK_GAMES)
def test_no_play_is_certainly_worse(key, level):
    verdicts = endgames.examine(key, make_robot(level, key), get_trials("endgames"))
    assert not verdicts["worse"]
    assert verdicts["fine"]


def test_referee_finds_certain_losses():
    """A robot that plays its highest card throws points away."""

    class Highest:
        def choose(self, view, rng, stop):
            return view.legal[-1]

    assert endgames.examine("rifki", Highest(), 200)["worse"]


def test_referee_and_check_have_the_same_limits():
    assert (endgames.MAX_DEALS, endgames.MAX_LINES) == (endgame.MAX_DEALS, endgame.MAX_LINES)
