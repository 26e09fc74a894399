"""Sessions of a club that are over, for those who sat there."""

import asyncio
from math import inf
from typing import Final

from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ID, Header, Journal, Line, Occupant, with_occupants
from cardtable.store import paths, profiles, session_files, summaries
from cardtable.store.archive_index import Archive
from cardtable.store.club_sessions import finished_entries
from cardtable.store.profiles import ProfileStore, nicks_today
from cardtable.store.seating import is_same_nick
from cardtable.store.summaries import Summary


def finished(read: Journal) -> str:
    """The lines of a journal up to the end of the last finished round, with 0 for the seed."""
    header = replace(read.header, seed=0)
    return journal.write([header, *[entry.line for entry in read.entries[: finished_entries(read)]]]).decode()


MOST: Final = 500
"""Sessions of which one is told."""


class FinishedSessions:
    """Looks for them in the archive of the host, one request after the other."""

    def __init__(self) -> None:
        self._archive: Archive | None = None
        self._looking = asyncio.Lock()

    async def of(self, nick: str) -> tuple[str, ...]:
        """The sessions of somebody that are over or given up, the last played first."""
        async with self._looking:
            return await asyncio.to_thread(self._of, nick)

    def _of(self, nick: str) -> tuple[str, ...]:
        archive = self._archive = self._archive or Archive()
        archive.look()
        while archive.read(inf):
            pass
        book = profiles.load()[0]
        hers = [summary.id for summary in archive.sessions() if _is_over(summary) and _sat(summary, nick, book)]
        return tuple(hers[:MOST])

    async def journal(self, nick: str, session: str) -> str:
        """Such a session, of which nothing is hidden any more; nothing (``""``) where she cannot have it."""
        async with self._looking:
            return await asyncio.to_thread(_journal, nick, session)


def _journal(nick: str, session: str) -> str:
    try:
        path = summaries.session_file(session) if ID.fullmatch(session) else None
    except OSError:
        return ""
    if path is None or path.parent != paths.archive():
        return ""
    book = profiles.load()[0]
    summary = summaries.summarize(path)
    if not _is_over(summary) or not _sat(summary, nick, book):
        return ""
    try:
        read = session_files.parse_session(path, session_files.read_session(path))
    except CardtableError:
        return ""
    if summary.state == "given-up":  # it may be taken up again
        read = journal.read(finished(read).encode())
    return _told(read, book)


def _is_over(summary: Summary) -> bool:
    return summary.header is not None and summary.state != "open" and not summary.real_cards


def _sat(summary: Summary, nick: str, book: ProfileStore) -> bool:
    """Whether somebody sat there, at the beginning or at the end."""
    assert summary.header is not None
    begun = with_occupants(summary.header, dict(summary.left))
    sat = [name for header in (begun, summary.header) for name in nicks_today(book, header).values()]
    return any(is_same_nick(nick, name) for name in sat)


def _told(read: Journal, book: ProfileStore) -> str:
    """A session without its seed, from which other deals could be reckoned, and with nicks instead of profiles."""
    header = read.header
    lines = [_sits(entry.line, header, book) for entry in read.entries]
    seats = tuple([_nick(seat, who, header, book) for seat, who in enumerate(header.seats)])
    return journal.write([replace(header, seed=0, seats=seats, club=None), *lines]).decode()


def _sits(line: Line, header: Header, book: ProfileStore) -> Line:
    if line.sit is None:
        return line
    who = _nick(line.sit, line.sitter, header, book)
    return replace(line, name=who.name, player=None)


def _nick(seat: int, who: Occupant, header: Header, book: ProfileStore) -> Occupant:
    nicks = nicks_today(book, with_occupants(header, {seat: who}))
    return Occupant(nicks.get(seat, who.name), who.robot)
