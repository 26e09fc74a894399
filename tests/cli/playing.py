"""Sessions for the tests of commands, and checks of their output."""

import json
import sys
from pathlib import Path
from random import Random

from cardtable.engine import journal
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.referee import Referee
from cardtable.games import GAMES

PROGRAM = (sys.executable, "-m", "cardtable")
PEOPLE = (Occupant("Anna"), Occupant("Bo", "steady"), Occupant("Cy", "steady"), Occupant("Dee", "steady"))
ROBOTS = (Occupant("Ada", "steady"), *PEOPLE[1:])


def write_session(path, seats=ROBOTS, rounds=3, decisions=0, id_="20261120-083728-rikiki-7f3a", message=""):
    """Write a journal of Rikiki played at random: finished rounds, decisions of the next one, then a message."""
    game = GAMES["rikiki"]
    options = game.options()
    lines = [
        Header(
            cardtable=3, id=id_, game="rikiki", created="2026-11-20T08:37:28Z", seed=7,
            options=options.to_dict(), seats=seats,
        )
    ]  # fmt: skip
    table, rng = Referee(game, 4, options, 7, lines.append), Random(1)
    table.advance()
    while len(table.scores) < rounds or decisions:
        decisions -= len(table.scores) == rounds
        legal = table.view(table.turn).legal
        table.play(table.turn, rng.choice(legal))
        if len(table.scores) < rounds or decisions:
            table.advance()
    if message:
        table.say(message)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(journal.encode(lines[0], lines[1:]))
    return path


def parse_error(text):
    """Check that an error is one printable line and return its text."""
    assert text.startswith("cardtable: ")
    assert text.count("\n") == 1
    assert text.endswith("\n")
    assert text.strip().isprintable()
    assert len(text) <= 230
    return text.removeprefix("cardtable: ").strip()


def trace_lines(cardtable, path, *options):
    """Run trace and return each journal line with the entry printed for it."""
    result = cardtable("trace", path, *options)
    assert result.code == 0, result.err
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return list(zip(lines, map(json.loads, result.out.splitlines()), strict=True))
