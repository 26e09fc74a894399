"""Sessions of a club that are not in play: unfinished and finished ones of their players, and results of all."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.club.protocol import SeasonInfo, SeasonTables, TableInfo
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.table_access import Person, create_seat_infos, find_seat_owners, load_profiles, update_owners
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import (
    ID,
    ChanceLine,
    Header,
    LossReason,
    LostLine,
    Occupant,
    ResultLine,
    VoidLine,
    is_score_table,
    list_later_occupants,
    replace_occupants,
)
from cardtable.engine.text_format import find_name, format_count
from cardtable.records import competition_results as season_records
from cardtable.records.competition_results import create_standings
from cardtable.records.result_rows import ResultsTable
from cardtable.store import paths, profiles, seasons, session_files, summaries, tournaments, visibility
from cardtable.store.archive_index import Archive
from cardtable.store.profiles import ProfileStore
from cardtable.store.seasons import Season
from cardtable.store.session_files import find_last_played
from cardtable.store.summaries import Summary, find_unfinished_files, is_valid_header
from cardtable.store.tournaments import Tournament
from cardtable.store.visibility import Extent
from cardtable.wording import seasons as season_texts


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
    lost: Mapping[Seat, LossReason]
    """Seats that have lost the session, which goes on without their owners."""

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
            create_seat_infos(header, self.owners, away_seats, self.lost, {}),
            master,
            self.name,
            round=self.round,
            since=self.last_played,
            resuming=is_resuming,
            terms=header.terms,
        )


def find_unfinished(
    is_own: Callable[[Occupant], bool],
    exclude_ids: Collection[str],
    robot_seats: Mapping[str, Collection[Seat]],
    former_guests: Mapping[str, Occupant] = {},
) -> Iterator[UnfinishedSession]:
    """Yield the unfinished sessions in which ``is_own`` is true for the owner of a seat, last played first.

    Sessions whose ids are in ``exclude_ids`` are left out. ``robot_seats`` maps the ids of sessions to the seats that
    robots have taken over permanently; for ``former_guests`` see ``update_owners``. Only journals that have changed
    since an earlier call are read.
    """
    unfinished, profile_store = [], load_profiles()
    for id_, path in find_unfinished_files().items():
        if id_ not in exclude_ids and (session := _read_unfinished(path)) is not None:
            owners = {seat: owner for seat, owner in session.owners.items() if seat not in robot_seats.get(id_, ())}
            owners = update_owners(profile_store, session.header, owners, former_guests)
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
        "private" in visibility.find_marks(lines),
        {line.seat: line.reason for line in lines if isinstance(line, LostLine)},
    )


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


CACHE_SECONDS: Final = 5.0
"""Time for which the sessions of the host are not listed again, in seconds."""
MAX_ROWS: Final = 300
"""Maximum number of rows of a table that are sent."""


class ClubSeasons:
    """Seasons and tournaments of the club, whose results are computed in a thread and cached for a few seconds.

    One result is computed at a time, and each person may wait for one, so that nobody can load the host.
    """

    def __init__(self, finished_sessions: FinishedSessions) -> None:
        self._finished_sessions = finished_sessions
        self._waiting_nicks: set[str] = set()
        self._lock = asyncio.Lock()
        self._known: tuple[list[Summary], ProfileStore] = [], ProfileStore()
        """Finished sessions and profiles for which the results are cached."""
        self._expiry = 0.0
        """Time of ``monotonic`` at which the sessions have to be listed again."""
        self._cache: dict[Season, SeasonTables] = {}

    async def list_all(self) -> tuple[SeasonInfo, ...]:
        """Return all seasons and tournaments, the newest first. Raises ``FileError`` if they cannot be read."""
        season_list = await asyncio.to_thread(seasons.load)
        infos = [SeasonInfo(season.name, season_texts.format_season(season)) for season in reversed(season_list)]
        cups = await asyncio.to_thread(tournaments.load)
        return (*[SeasonInfo(cup.name, season_texts.format_tournament(cup)) for cup in reversed(cups)], *infos)

    async def read_tables(self, nick: str, name: str) -> SeasonTables:
        """Return the tables of a season, or the standings of a tournament, for a person.

        Raises ``RequestRefused`` if the person waits for another one, and ``CardtableError`` if there is no such season
        or the seasons cannot be read.
        """
        if nick in self._waiting_nicks:
            raise RequestRefused("one season after the other")
        self._waiting_nicks.add(nick)
        try:
            cups = {cup.name: cup for cup in await asyncio.to_thread(tournaments.load)}
            if full_name := find_name(name.strip(), cups):
                return await asyncio.to_thread(_compute_standings, cups[full_name])
            season = seasons.find(await asyncio.to_thread(seasons.load), name)
            async with self._lock:
                if monotonic() >= self._expiry:
                    await self._list_sessions()
                if season not in self._cache:
                    self._cache[season] = await asyncio.to_thread(_compute_tables, season, *self._known)
                return self._cache[season]
        finally:
            self._waiting_nicks.remove(nick)

    async def _list_sessions(self) -> None:
        """List sessions and players again; if one of them has changed, forget the results."""
        sessions = await self._finished_sessions.list_summaries()
        known = (
            [session for session in sessions if session.state == "over"],
            (await asyncio.to_thread(profiles.load))[0],
        )
        if known != self._known:
            self._known = known
            self._cache.clear()
        self._expiry = monotonic() + CACHE_SECONDS


def _compute_tables(season: Season, sessions: list[Summary], profile_store: ProfileStore) -> SeasonTables:
    results = season_records.compute_results(season, sessions, profile_store)
    return SeasonTables(season.name, season_texts.describe_season(results), tuple(map(_limit_rows, results.tables)))


def _compute_standings(cup: Tournament) -> SeasonTables:
    is_member = profiles.load()[0].find
    table = create_standings(cup, lambda nick: is_member(nick) is None)
    return SeasonTables(cup.name, (f"{season_texts.format_tournament(cup)}.",), (_limit_rows(table),))


def _limit_rows(table: ResultsTable) -> ResultsTable:
    left_out = len(table.rows) - MAX_ROWS
    if left_out <= 0:
        return table
    note = f"{format_count(left_out, 'player')} further down {'is' if left_out == 1 else 'are'} not listed."
    return replace(table, rows=table.rows[:MAX_ROWS], notes=(*table.notes, note))
