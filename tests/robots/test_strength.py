"""Order of the levels' strength, on a few deals played in every seat.

`cardtable arena` measures the strength itself; the bounds here lie far below.
"""

from statistics import fmean

import pytest

from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.arena import play_round
from cardtable.robots.kit.robot import make_robot


def measure_lead(key, a, b, sessions, rounds, seats, **options):
    """Return the points a round by which one robot of level `a` beats the mean of robots of level `b`."""
    game, leads = GAMES[key], []
    for seed in range(sessions):
        for place in range(seats):
            table = Referee(game, seats, game.options(**options), seed)
            robots = [make_robot(a if seat == place else b, key) for seat in range(seats)]
            while len(table.scores) < rounds:
                play_round(table, robots)
            for score in table.scores:
                lead = score.points[place] - (sum(score.points) - score.points[place]) / (seats - 1)
                leads.append(-lead if game.lowest_wins else lead)
    return fmean(leads)


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 8), ("novice", "random", 5), ("steady", "novice", 1)]
)
def test_rikiki_higher_level_leads(a, b, least):
    assert measure_lead("rikiki", a, b, sessions=3, rounds=28, seats=4, bonuses="off") > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 8), ("novice", "random", 5), ("steady", "novice", 0.5)]
)
def test_king_higher_level_leads(a, b, least):
    assert measure_lead("king", a, b, sessions=2, rounds=40, seats=4) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 50), ("novice", "random", 30), ("steady", "novice", 5)]
)
def test_rifki_higher_level_leads(a, b, least):
    assert measure_lead("rifki", a, b, sessions=5, rounds=20, seats=4) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 3), ("novice", "random", 2), ("steady", "novice", 0.8)]
)
def test_gurka_higher_level_leads(a, b, least):
    assert measure_lead("gurka", a, b, sessions=150, rounds=1, seats=4) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 8), ("novice", "random", 6), ("steady", "novice", 0)]
)
def test_bridge_higher_level_leads(a, b, least):
    assert measure_lead("bridge", a, b, sessions=150, rounds=1, seats=3) > least


@pytest.mark.parametrize(
    ("seats", "a", "b", "least"),
    [(4, "steady", "random", 3), (3, "steady", "random", 2), (2, "steady", "random", 0.5), (4, "steady", "novice", 0)],
)
def test_ten_down_higher_level_leads(seats, a, b, least):
    assert measure_lead("ten_down", a, b, sessions=12, rounds=10, seats=seats) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 50), ("novice", "random", 20), ("steady", "novice", 0)]
)
def test_rummy_higher_level_leads(a, b, least):
    assert measure_lead("rummy", a, b, sessions=30, rounds=1, seats=2) > least
