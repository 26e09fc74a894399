"""Near the end of a round no level above novice plays what is certainly worse; certain ways out are taken."""

from random import Random

import pytest
from msgspec.structs import replace

from cardtable.records.puzzles import create_puzzle
from cardtable.robots.hints import advise
from cardtable.robots.kit import endgame
from cardtable.robots.kit.robot import decide, load_search_spec, make_robot, no_time_limit
from tests.budgets import get_trials
from tests.games.rikiki import test_rules as rikiki
from tests.games.ten_down import test_rules as ten_down
from tests.laws import endgames
from tests.laws.sessions import CASES_BY_GAME, get_share
from tests.records.review_journals import review_decision
from tests.robots.positions import choose_expert_action


def ruff_in_rikiki():
    """Hearts are trump; the bid is 2, and the hand 3H AH, behind 8C QC."""
    game = rikiki.start_session(after=1).deal("3C 2D", "8C 2S", "QC 3S", "3H AH", then="2H", number=2)
    return game.do("bid 0, bid 0, bid 2, bid 1, play 8C, play QC")


def ruff_in_ten_down():
    """Spades are trump; the bid is 2, and the hand 7S AS, behind AD."""
    hands = "7S AS", "8C 8D", "7D 7H", "AD 9C"
    return ten_down.begin_round(ten_down.start_session(after=3), *hands, trump="S", bids="0 2 0 1").do("play AD")


@pytest.mark.parametrize(
    ("position", "low", "high"),
    [(ruff_in_rikiki, "3H", "AH"), (ruff_in_ten_down, "7S", "AS")],
    ids=["rikiki", "ten_down"],
)
def test_low_trump_ruffs_as_the_ace_takes_the_last_trick(position, low, high):
    """If all tricks are needed, the card that surely takes this one may be sure to take a later one, too."""
    game = position()
    key, best = game.game.about.key, f"play {low}"
    assert choose_expert_action(game) == best
    assert str(advise(key, game.view(), Random(1), no_time_limit).lines[0].action) == best
    session, decision, evaluation = review_decision(game, f"play {high}")
    assert evaluation.choices[0].action == best
    assert evaluation.cost > 1
    assert create_puzzle(session, decision, evaluation, load_search_spec(key)).choices[0].action == best


MAX_CARDS = 8
"""Largest hand for which all ways out are tried."""


@pytest.mark.parametrize("level", ["steady", "expert"])
@pytest.mark.parametrize("key", endgames.TRICK_GAMES)
def test_no_play_is_certainly_worse(key, level):
    verdicts = endgames.examine(key, endgames.judge_robot(make_robot(level, key)), get_trials("endgames"))
    assert not verdicts["worse"]
    assert verdicts["fine"]


@pytest.mark.parametrize("key", endgames.TRICK_GAMES)
def test_search_leaves_out_no_better_card(key):
    """Cards that are no candidates, or are called dominated, are worth no more than a candidate in any deal."""
    assert not endgames.examine(key, endgames.judge_search, get_trials("endgames"))["better"]


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

    assert endgames.examine("rifki", endgames.judge_robot(Highest()), 200)["worse"]


def test_referee_finds_better_cards_left_out(monkeypatch):
    """A search that looks at the highest card only misses better ones."""
    spec = replace(load_search_spec("king"), candidates=lambda view: view.legal[-1:])
    monkeypatch.setattr(endgames, "load_search_spec", lambda _key: spec)
    assert endgames.examine("king", endgames.judge_search, 20)["better"]


def test_referee_and_check_have_the_same_limits():
    assert (endgames.MAX_DEALS, endgames.MAX_LINES) == (endgame.MAX_DEALS, endgame.MAX_LINES)
