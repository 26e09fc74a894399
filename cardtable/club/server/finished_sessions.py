"""Finished sessions in the archive of a host, as a club gives them to the players who took part."""

import asyncio
from typing import Final

from cardtable.club.server.seat_ownership import Person, load_profiles, update_owners
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ID, replace_occupants
from cardtable.store import paths, session_files, summaries, visibility
from cardtable.store.archive_index import Archive
from cardtable.store.profiles import ProfileStore
from cardtable.store.summaries import Summary
from cardtable.store.visibility import Extent

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
            if _find_extent(summary) != "nothing" and _has_taken_part(summary, person, profile_store)
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
    extent = _find_extent(summary)
    if extent == "nothing" or not _has_taken_part(summary, person, profile_store):
        return ""
    try:
        read = session_files.load_journal(path)
    except CardtableError:
        return ""
    end = None if extent == "whole" else visibility.count_finished_entries(read)
    return visibility.encode_redacted(read.header, read.entries[:end], profile_store or ProfileStore())


def _find_extent(summary: Summary) -> Extent:
    if summary.header is None or summary.real_cards:
        return "nothing"
    return visibility.decide("player", summary.state, is_secret=summary.is_secret)


def _has_taken_part(summary: Summary, person: Person, profile_store: ProfileStore | None) -> bool:
    """Return True if a person sat at the session when it began or when it ended."""
    assert summary.header is not None
    begun = replace_occupants(summary.header, dict(summary.replaced_occupants))
    return any(
        person.find_seat(update_owners(profile_store, header, {seat: header.seats[seat] for seat in header.people}))
        is not None
        for header in (begun, summary.header)
    )
