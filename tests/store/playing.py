"""Sessions in files, and random play."""

from datetime import UTC, datetime
from itertools import accumulate, pairwise
from random import Random

from cardtable.engine import journal, replay
from cardtable.engine.game import CHANCE
from cardtable.engine.journal import MarkLine, NameLine, Occupant
from cardtable.games import GAMES
from cardtable.store import seating, sessions

NOW = datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC)


CLUB_ID = "abcdefghjkmnpqrs"
"""Id of a club."""


def get_data(session):
    """Return the whole journal of a session, saved or not."""
    return bytes(session.file.data)


def create_session(game="rikiki", seed=7, host=None, **options):
    """Create a session in which nothing is dealt yet."""
    chosen = GAMES[game]
    rules = chosen.options(**options)
    return sessions.create(chosen, seating.create_default_seats(chosen, rules), rules, seed, now=NOW, host_id=host)


def play_randomly(table, rng, decisions):
    """Play up to `decisions` random decisions, dealing rounds as needed."""
    for _ in range(decisions):
        if table.turn == CHANCE:
            table.advance()
        if table.turn < 0:
            break
        table.play(table.turn, rng.choice(table.view(table.turn).legal))


def play_every_line_kind(session, decisions=1000):
    """Record a line of every kind except the end, then play `decisions` random decisions."""
    rng, table = Random(1), session.referee
    play_randomly(table, rng, 5)
    table.say("schön gespielt – well played", 0)
    table.record_line(NameLine("Friday"))
    table.record_line(MarkLine("private"))
    table.change_occupant(1, Occupant("Dee", "novice"))
    play_randomly(table, rng, 3)
    table.undo(2)
    table.play(table.turn, rng.choice(table.state.legal()), coach=True)
    table.void("clock")
    play_randomly(table, rng, decisions)


def create_closed_session(decisions=1000, game="rikiki", **chosen):
    """Return a closed session with a line of every kind, and the end if so many `decisions` finish it."""
    session = create_session(game, **chosen)
    play_every_line_kind(session, decisions)
    session.close()
    return session


def create_finished_journal():
    """Return the journal of a finished session with a line of every kind.

    Requires the fixture `short`.
    """
    return create_closed_session().path.read_bytes()


def create_unfinished_journal():
    """Return the path of a session in the middle of a round, with a line of every kind except the end."""
    return create_closed_session(9).path


def split_lines(data):
    """Split a journal into lines, each with its LF."""
    return data.splitlines(keepends=True)


def list_probed_offsets(data):
    """Return offsets at which files are damaged: about each line end, in the middle of each line, and throughout the
    last two lines.
    """
    ends = list(accumulate(map(len, split_lines(data))))
    offsets = {end + step for end in ends for step in range(-2, 3)}
    offsets |= {(start + end) // 2 for start, end in pairwise([0, *ends])}
    offsets |= {*range(ends[-3], ends[-1])}
    return sorted(offset for offset in offsets if offset < len(data))


def collect_states(data):
    """Return the views after each line of a journal, by number of lines."""
    read = journal.read(data)
    return {number: capture_views(table) for number, table in replay.iter_positions(read, GAMES)}


def capture_views(table):
    """Return the views of all seats, the number of decisions and of undone ones, and whether the session has ended."""
    return tuple(table.view(seat) for seat in range(table.seats)), table.decisions, table.undone, table.ended
