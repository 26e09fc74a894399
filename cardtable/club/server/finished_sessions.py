"""Finished sessions and rounds in the form in which a club gives them to players: without seeds and profile ids."""

import asyncio
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from cardtable.club.server.seat_ownership import Person, load_profiles, update_owners
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ID, Entry, Header, Journal, Line, Occupant, OccupantLine, replace_occupants
from cardtable.store import paths, session_files, summaries
from cardtable.store.archive_index import Archive
from cardtable.store.profiles import ProfileStore, map_current_nicks
from cardtable.store.summaries import Summary
from cardtable.store.visibility import count_finished_entries


def encode_finished_rounds(session_journal: Journal) -> str:
    """Return a journal up to the end of its last finished round, as JSON Lines without seed and profile ids."""
    lines = [_redact_line(entry.line) for entry in session_journal.entries[: count_finished_entries(session_journal)]]
    return journal.encode(redact_header(session_journal.header), lines).decode()


def redact_header(header: Header) -> Header:
    """Return a header without profile ids, and without the seed, from which deals could be computed."""
    return replace(header, seed=0, seats=tuple([Occupant(occupant.name, occupant.robot) for occupant in header.seats]))


def _redact_line(line: Line) -> Line:
    return replace(line, player=None) if isinstance(line, OccupantLine) else line


MAX_LISTED: Final = 500
"""Maximum number of sessions listed for a player."""


class FinishedSessions:
    """Access to the finished sessions in the host's archive; requests are executed one at a time."""

    def __init__(self) -> None:
        self._archive: Archive | None = None
        self._lock = asyncio.Lock()

    async def list_ids(self, person: Person) -> tuple[str, ...]:
        """Return the ids of a player's finished or abandoned sessions, last played first.

        At most ``MAX_LISTED`` ids are returned. Score tables of games with real cards are left out.
        """
        async with self._lock:
            return await asyncio.to_thread(self._list_ids, person)

    async def list_summaries(self) -> list[Summary]:
        """Return all sessions of the host, the one played last first."""
        async with self._lock:
            return await asyncio.to_thread(self._list_summaries)

    def _list_summaries(self) -> list[Summary]:
        self._archive = self._archive or Archive()
        return self._archive.load_sessions()

    def _list_ids(self, person: Person) -> tuple[str, ...]:
        profile_store = load_profiles()
        ids = [
            summary.id
            for summary in self._list_summaries()
            if _is_over(summary) and _has_taken_part(summary, person, profile_store)
        ]
        return tuple(ids[:MAX_LISTED])

    async def read_journal(self, person: Person, session_id: str) -> str:
        """Return the journal of a player's finished or abandoned session, without seed and profile ids.

        An abandoned session is cut at the end of its last finished round, because it may be resumed. The result is
        empty if the player did not take part, or if the session does not exist, is not over or cannot be read. It is
        also empty for a table of a tournament's round that is not finished.
        """
        async with self._lock:
            return await asyncio.to_thread(_read_public_journal, person, session_id)


def _read_public_journal(person: Person, session_id: str) -> str:
    try:
        path = summaries.find_session_file(session_id) if ID.fullmatch(session_id) else None
    except OSError:
        return ""
    if path is None or path.parent != paths.archive_folder():
        return ""
    profile_store = load_profiles()
    summary = summaries.summarize(path)
    if summary.is_secret or not _is_over(summary) or not _has_taken_part(summary, person, profile_store):
        return ""
    try:
        read = session_files.load_journal(path)
    except CardtableError:
        return ""
    entries = read.entries
    if summary.state == "given-up":  # the session may be resumed, so its last round stays hidden
        entries = entries[: count_finished_entries(read)]
    return _encode_public_journal(read.header, entries, profile_store or ProfileStore())


def _is_over(summary: Summary) -> bool:
    return summary.header is not None and summary.state != "open" and not summary.real_cards


def _has_taken_part(summary: Summary, person: Person, profile_store: ProfileStore | None) -> bool:
    """Return True if a person sat at the session when it began or when it ended."""
    assert summary.header is not None
    begun = replace_occupants(summary.header, dict(summary.replaced_occupants))
    return any(
        person.find_seat(update_owners(profile_store, header, {seat: header.seats[seat] for seat in header.people}))
        is not None
        for header in (begun, summary.header)
    )


def _encode_public_journal(header: Header, entries: Sequence[Entry], profile_store: ProfileStore) -> str:
    """Encode a journal for clients, with present nicks instead of profile ids.

    The seed is left out, because other deals could be computed from it.
    """
    lines = [_create_public_line(entry.line, header, profile_store) for entry in entries]
    seats = tuple(
        [_create_public_occupant(seat, occupant, header, profile_store) for seat, occupant in enumerate(header.seats)]
    )
    return journal.encode(replace(header, seed=0, seats=seats, club=None), lines).decode()


def _create_public_line(line: Line, header: Header, profile_store: ProfileStore) -> Line:
    if not isinstance(line, OccupantLine):
        return line
    occupant = _create_public_occupant(line.seat, line.occupant, header, profile_store)
    return replace(line, name=occupant.name, player=None)


def _create_public_occupant(seat: int, occupant: Occupant, header: Header, profile_store: ProfileStore) -> Occupant:
    nicks = map_current_nicks(profile_store, replace_occupants(header, {seat: occupant}))
    return Occupant(nicks.get(seat, occupant.name), occupant.robot)
