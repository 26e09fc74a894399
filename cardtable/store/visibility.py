"""Decision how much of a stored session may be shown: whole, its finished rounds, or nothing.

On the host's machine a session that the club plays is continued at the club only, and the program shows no hand of the
round in progress. The exception is ``cardtable reveal``: it adds the mark ``hands-revealed`` to the session, which
tells the players, and is valid until the next deal.
"""

from collections.abc import Iterable, Set

import msgspec

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import Header, Journal, MarkKind, Occupant
from cardtable.engine.replay import iter_positions
from cardtable.games import GAMES
from cardtable.store import club_sessions


def is_secret(header: Header) -> bool:
    """Return True if a session belongs to a round of a tournament that is not finished at all of its tables.

    Nobody but the players at its table may see anything of it, since the other tables have the same deals.
    """
    if header.host is None:
        return False
    from cardtable.store import tournaments  # noqa: PLC0415 - lazy: startup

    return tournaments.is_playing(header.id)


def check_public(header: Header) -> None:
    """Raise ``CardtableError`` if ``is_secret`` holds for a session that is to be shown or copied."""
    if is_secret(header):
        raise CardtableError(
            f"{header.id}: a table of a tournament, which nobody can look at until all tables have finished the round"
        )


def is_club_only(header: Header, occupants: Iterable[Occupant], marks: Set[MarkKind]) -> bool:
    """Return True if an unfinished session can be continued at the club only, so that its hands are hidden here.

    ``occupants`` are all occupants of the session, past and present. It is not checked whether the session is
    unfinished.
    """
    if is_secret(header):
        return True
    return "hands-revealed" not in marks and club_sessions.is_club_header(header, occupants, marks)


def is_hidden(parsed: Journal, turn: Seat) -> bool:
    """Return True if at most the finished rounds of a session may be shown here.

    ``turn`` is the referee's ``turn`` after the last line. Of a session that is secret nothing may be shown.
    """
    if is_secret(parsed.header):
        return True
    if turn == OVER:
        return False
    marks = club_sessions.find_marks(entry.line for entry in parsed.entries)
    return is_club_only(parsed.header, club_sessions.list_occupants(parsed), marks)


def count_finished_entries(parsed: Journal) -> int:
    """Return the number of entries in a journal up to the end of its last finished round.

    Raises ``JournalError`` if the journal cannot be replayed.
    """
    rounds = entries = 0
    for number, (_, table) in enumerate(iter_positions(parsed, GAMES)):
        if len(table.scores) > rounds:
            rounds, entries = len(table.scores), number
    return entries


def extract_finished_part(parsed: Journal) -> Journal:
    """Return a journal up to the end of its last finished round, with the seed replaced by 0.

    In old sessions the seed would disclose the cards of later rounds. Raises ``JournalError`` if the journal cannot be
    replayed.
    """
    check_public(parsed.header)
    header = msgspec.structs.replace(parsed.header, seed=0, host=club_sessions.get_host_id(parsed.header))
    lines = [entry.line for entry in parsed.entries[: count_finished_entries(parsed)]]
    return journal.read(journal.encode(header, lines))


def extract_viewable_part(parsed: Journal, turn: Seat) -> Journal:
    """Return the part of a journal that may be shown here. ``turn`` is the referee's ``turn`` after the last line."""
    return extract_finished_part(parsed) if is_hidden(parsed, turn) else parsed


def make_open_refusal(id_: str) -> club_sessions.PlayedAtClub:
    """Return the error for an attempt to show the round in progress of a club's session."""
    return club_sessions.PlayedAtClub(
        f"{id_}: it is played at the club, and only finished rounds are shown; cardtable reveal {id_} reveals the "
        "hands, and tells its players"
    )
