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


SESSIONS = {
    "rikiki": (1, 28, 4, {"bonuses": "off"}),
    "king": (1, 20, 4, {}),
    "rifki": (2, 20, 4, {}),
    "gurka": (60, 1, 4, {}),
    "bridge": (60, 1, 3, {}),
    "ten_down": (6, 10, 4, {}),
    "rummy": (12, 1, 2, {}),
}
"""Sessions in each seat, rounds of a session, seats and options by game."""


@pytest.mark.parametrize(
    ("key", "a", "b", "least"),
    [
        ("rikiki", "novice", "random", 5),
        ("rikiki", "steady", "novice", 1),
        ("king", "novice", "random", 5),
        ("king", "steady", "novice", 0.5),
        ("rifki", "novice", "random", 30),
        ("rifki", "steady", "novice", 5),
        ("gurka", "novice", "random", 2),
        ("gurka", "steady", "novice", 0.8),
        ("bridge", "novice", "random", 6),
        ("bridge", "steady", "novice", 0),
        ("ten_down", "novice", "random", 2),
        ("ten_down", "steady", "novice", 0),
        ("rummy", "novice", "random", 20),
        ("rummy", "steady", "novice", 0),
    ],
)
def test_higher_level_leads(key, a, b, least):
    sessions, rounds, seats, options = SESSIONS[key]
    assert measure_lead(key, a, b, sessions, rounds, seats, **options) > least


@pytest.mark.parametrize(("seats", "least"), [(3, 2), (2, 0.5)])
def test_ten_down_higher_level_leads_at_smaller_tables(seats, least):
    assert measure_lead("ten_down", "steady", "random", sessions=6, rounds=10, seats=seats) > least
