"""Unfinished sessions of people at a club that are not in play."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from cardtable.club.protocol import TableInfo
from cardtable.club.server.seat_ownership import create_seat_infos, find_seat_owners, load_profiles, update_owners
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import (
    ChanceLine,
    Header,
    Occupant,
    ResultLine,
    VoidLine,
    is_score_table,
    list_later_occupants,
    replace_occupants,
)
from cardtable.store import club_sessions, session_files
from cardtable.store.journal_scan import find_last_played
from cardtable.store.summaries import find_unfinished_files, is_valid_header


class UnfinishedSession(NamedTuple):
    """Summary of a session that has not ended and is not in play."""

    header: Header
    """Header of the journal, with the present occupants of the seats, including substitute robots."""
    owners: dict[Seat, Occupant]
    name: str
    round: int
    last_played: int
    """Time of the last play, in seconds since 1970-01-01T00:00Z."""
    is_private: bool
    """True if a private table has played the session."""

    def to_table_info(
        self, present_nicks: Collection[str], master: str = "", *, is_resuming: bool = False
    ) -> TableInfo:
        """Describe the session as a table for the lobby.

        An owner whose nick is not in ``present_nicks`` is marked as away. ``master`` is the game master's nick; empty
        while nobody resumes the session. ``is_resuming`` is True if its players are being called back.
        """
        header = self.header
        away_seats = [seat for seat, owner in self.owners.items() if owner.name not in present_nicks]
        return TableInfo(
            header.id,
            header.game,
            header.options,
            create_seat_infos(header, self.owners, away_seats, {}),
            master,
            self.name,
            round=self.round,
            since=self.last_played,
            taken_up=is_resuming,
        )


def find_unfinished(
    is_own: Callable[[Occupant], bool],
    exclude_ids: Collection[str],
    robot_seats: Mapping[str, Collection[Seat]],
    registered_guests: Mapping[str, str] = {},
) -> Iterator[UnfinishedSession]:
    """Yield the unfinished sessions in which ``is_own`` is true for the owner of a seat, last played first.

    Sessions whose ids are in ``exclude_ids`` are left out. ``robot_seats`` maps the ids of sessions to the seats that
    robots have taken over permanently; for ``registered_guests`` see ``update_owners``. Only journals that have changed
    since an earlier call are read.
    """
    unfinished, profile_store = [], load_profiles()
    for id_, path in find_unfinished_files().items():
        if id_ not in exclude_ids and (session := _read_unfinished(path)) is not None:
            owners = {seat: owner for seat, owner in session.owners.items() if seat not in robot_seats.get(id_, ())}
            owners = update_owners(profile_store, session.header, owners, registered_guests)
            unfinished.append(session._replace(owners=owners))
    for session in sorted(unfinished, key=lambda session: session.last_played, reverse=True):
        if any(map(is_own, session.owners.values())):
            yield session


def _read_unfinished(path: Path) -> UnfinishedSession | None:
    try:
        file_status = path.stat()
    except OSError:
        return None
    return _read_unfinished_cached(path, file_status.st_mtime_ns, file_status.st_size)


@lru_cache(maxsize=4096)
def _read_unfinished_cached(path: Path, _mtime: int, _size: int) -> UnfinishedSession | None:
    """Read the unfinished session of a journal, and cache it until the file's time or size changes.

    The result is ``None`` if the file is invalid, holds a score table, or its session has ended.
    """
    try:
        data = session_files.read_session(path)
        if is_score_table(data):
            return None
        read = session_files.parse_session(path, data)
    except CardtableError:
        return None
    lines = [entry.line for entry in read.entries]
    if any(isinstance(line, ResultLine) for line in lines) or not is_valid_header(read.header):
        return None
    deals = sum(isinstance(line, ChanceLine) and line.is_deal for line in lines)
    voids = sum(isinstance(line, VoidLine) for line in lines)
    header = session_files.sanitize_header(replace_occupants(read.header, dict(list_later_occupants(read))))
    return UnfinishedSession(
        header,
        find_seat_owners(read),
        session_files.find_table_name(read),
        deals - voids,
        find_last_played(data),
        "private" in club_sessions.find_marks(lines),
    )
