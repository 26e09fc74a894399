"""A tripwire: how far a robot is ahead on a few deals, each played with it in every seat.

What the levels are worth is measured by ``cardtable arena``; the bounds here lie far below.
"""

from statistics import fmean

import pytest

from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.robots.arena import play_round
from cardtable.robots.kit.robot import make_robot


def ahead(key, a, b, sessions, rounds, seats, **options):
    """Points a round by which one robot of level A beats the mean of robots of level B."""
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
def test_rikiki_the_higher_level_is_ahead(a, b, least):
    assert ahead("rikiki", a, b, sessions=3, rounds=28, seats=4, bonuses="off") > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 8), ("novice", "random", 5), ("steady", "novice", 0.5)]
)
def test_king_the_higher_level_is_ahead(a, b, least):
    assert ahead("king", a, b, sessions=2, rounds=40, seats=4) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 50), ("novice", "random", 30), ("steady", "novice", 5)]
)
def test_rifki_the_higher_level_is_ahead(a, b, least):
    assert ahead("rifki", a, b, sessions=5, rounds=20, seats=4) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 3), ("novice", "random", 2), ("steady", "novice", 0.8)]
)
def test_gurka_the_higher_level_is_ahead(a, b, least):
    assert ahead("gurka", a, b, sessions=150, rounds=1, seats=4) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 8), ("novice", "random", 6), ("steady", "novice", 0)]
)
def test_bridge_the_higher_level_is_ahead(a, b, least):
    assert ahead("bridge", a, b, sessions=150, rounds=1, seats=3) > least


@pytest.mark.parametrize(
    ("seats", "a", "b", "least"),
    [(4, "steady", "random", 3), (3, "steady", "random", 2), (2, "steady", "random", 0.5), (4, "steady", "novice", 0)],
)
def test_ten_down_the_higher_level_is_ahead(seats, a, b, least):
    assert ahead("ten_down", a, b, sessions=12, rounds=10, seats=seats) > least


@pytest.mark.parametrize(
    ("a", "b", "least"), [("steady", "random", 50), ("novice", "random", 20), ("steady", "novice", 0)]
)
def test_rummy_the_higher_level_is_ahead(a, b, least):
    assert ahead("rummy", a, b, sessions=30, rounds=1, seats=2) > least
