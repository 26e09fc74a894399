"""Sessions to test with, and how to play them."""

from datetime import UTC, datetime
from random import Random

from cardtable.engine import journal, replay
from cardtable.engine.game import CHANCE
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import seating, sessions

NOW = datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC)


CLUB = "abcdefghjkmnpqrs"
"""The id of a club."""


def begin(game="rikiki", seed=7, host=None, **options):
    """A new session, nothing dealt."""
    chosen = GAMES[game]
    rules = chosen.options(**options)
    return sessions.create(chosen, seating.create_default_seats(chosen, rules), rules, seed, now=NOW, host_id=host)


def play(table, rng, decisions):
    """So many decisions at random, fewer where the session ends; the rounds are dealt as they come."""
    for _ in range(decisions):
        if table.turn == CHANCE:
            table.advance()
        if table.turn < 0:
            break
        table.play(table.turn, rng.choice(table.view(table.turn).legal))


def fill(session, decisions=1000):
    """Let every kind of line happen, then so many decisions."""
    rng, table = Random(1), session.referee
    play(table, rng, 5)
    table.say("schön gespielt – well played", 0)
    table.rename("Friday")
    table.change_occupant(1, Occupant("Dee", "novice"))
    play(table, rng, 3)
    table.undo(2)
    table.void("clock")
    play(table, rng, decisions)


def whole():
    """The journal of a session that is over, with a line of every kind.  Needs ``short``."""
    session = begin()
    fill(session)
    session.close()
    return session.path.read_bytes()


def unfinished():
    """The path of a session in the middle of a round, with every kind of line but the end."""
    session = begin()
    fill(session, 9)
    session.close()
    return session.path


def lines(data):
    """The lines of a journal, each with its LF."""
    return data.splitlines(keepends=True)


def states(data):
    """What all may know after each line of a journal, by number of lines."""
    read = journal.read(data)
    return {number: what(table) for number, table in replay.iter_positions(read, GAMES)}


def what(table):
    """What can be told from a table: every seat's view, and what was taken back."""
    return tuple(table.view(seat) for seat in range(table.seats)), table.decisions, table.undone, table.ended
