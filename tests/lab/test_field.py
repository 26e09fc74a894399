"""Robots of ``benchmarks/field/``, which share no code with those of the program."""

import re
from pathlib import Path

import pytest

from cardtable.engine.game import OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES, KEYS
from cardtable.robots.arena import play_round
from cardtable.robots.kit.file_robots import RobotFailed, load_robot

FIELD = Path(__file__).parents[2] / "benchmarks" / "field"
MAX_ROUNDS = 10
"""Rounds of a session; that is a quarter of the longest."""
BID, NAMED = ("rikiki", "ten_down"), ("king", "rifki")
QUICK = """
from functools import partial
from flat import Flat
from ismcts import Ismcts
from reckless import Reckless, bold
from greedy import Greedy
from hurries import Hurries

flat, ismcts = partial(Flat, playouts=4), partial(Ismcts, simulations=4)

def reckless(game, above=0):
    robot = Reckless(game, above)
    robot.plays, robot.bids = ismcts(game), flat(game)
    return robot

timid = partial(reckless, above=-1)
"""
PLAYERS = [
    *[(name, key) for name in ("flat", "ismcts", "Greedy", "Hurries") for key in KEYS],
    *[("reckless", key) for key in BID + NAMED],
    *[("timid", key) for key in BID],
]


@pytest.mark.parametrize(("name", "key"), PLAYERS)
def test_field_robots_play_legal_rounds(name, key, tmp_path):
    path = tmp_path / "quick.py"
    path.write_text(f"import sys; sys.path.append({str(FIELD)!r})\n{QUICK}")
    game = GAMES[key]
    seats = game.about.usual_seats
    table = Referee(game, seats, game.options(), 3)
    robots = [load_robot(f"{path}:{name}", key) for _ in range(seats)]
    while table.turn != OVER and len(table.scores) < MAX_ROUNDS:
        play_round(table, robots)  # what is not legal raises an error
    assert table.scores


@pytest.mark.parametrize(
    ("name", "key", "message"),
    [
        ("Reckless", "gurka", "Gurka has no bids or contracts"),
        ("bold", "king", r"King has no bids \("),
        ("timid", "rummy", r"Rummy has no bids \("),
    ],
)
def test_bidding_robots_reject_games_without_bids(name, key, message):
    with pytest.raises(RobotFailed, match=message):
        load_robot(f"{FIELD}/reckless.py:{name}", key)


def test_readme_lists_robots_and_imports_are_limited():
    readme = (FIELD.parent / "README.md").read_text()
    for path in FIELD.glob("*.py"):
        assert path.name in readme
        ours = re.findall(r"^from (cardtable\S*) import", path.read_text(), re.MULTILINE)
        assert set(ours) <= {"cardtable.engine.game", "cardtable.engine.cards"}
