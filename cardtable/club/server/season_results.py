"""Seasons and tournaments of the club, as clients may read them: a list, and the tables of each."""

import asyncio
from time import monotonic
from typing import Final

from msgspec.structs import replace

from cardtable.club.protocol import SeasonInfo, SeasonTables
from cardtable.club.server.finished_sessions import FinishedSessions
from cardtable.club.server.limits import RequestRefused
from cardtable.engine.text_format import find_name, format_count
from cardtable.records import seasons as season_records
from cardtable.records.results_table import ResultsTable
from cardtable.records.tournament_results import create_standings
from cardtable.store import profiles, seasons, tournaments
from cardtable.store.profiles import ProfileStore
from cardtable.store.seasons import Season
from cardtable.store.summaries import Summary
from cardtable.store.tournaments import Tournament
from cardtable.wording import seasons as season_texts
from cardtable.wording import tournaments as tournament_texts

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
        infos = [SeasonInfo(season.name, season_texts.format_summary(season)) for season in reversed(season_list)]
        cups = await asyncio.to_thread(tournaments.load)
        return (*[SeasonInfo(cup.name, tournament_texts.format_summary(cup)) for cup in reversed(cups)], *infos)

    async def read_tables(self, nick: str, name: str) -> SeasonTables:
        """Return the tables of a season, or the standings of a tournament, for a person.

        Raises ``RequestRefused`` if the person waits for another one, and ``CardtableError`` if there is no such season
        or the seasons cannot be read.
        """
        if nick in self._waiting_nicks:
            raise RequestRefused("one season after the other")
        self._waiting_nicks.add(nick)
        try:
            cups = {each.name: each for each in await asyncio.to_thread(tournaments.load)}
            if cup := find_name(name.strip(), cups):
                return await asyncio.to_thread(_compute_standings, cups[cup])
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
    return SeasonTables(season.name, season_texts.describe(results), tuple(map(_limit_rows, results.tables)))


def _compute_standings(cup: Tournament) -> SeasonTables:
    is_member = profiles.load()[0].find
    table = create_standings(cup, lambda nick: is_member(nick) is None)
    return SeasonTables(cup.name, (f"{tournament_texts.format_summary(cup)}.",), (_limit_rows(table),))


def _limit_rows(table: ResultsTable) -> ResultsTable:
    left_out = len(table.rows) - MAX_ROWS
    if left_out <= 0:
        return table
    note = f"{format_count(left_out, 'player')} further down {'is' if left_out == 1 else 'are'} not listed."
    return replace(table, rows=table.rows[:MAX_ROWS], notes=(*table.notes, note))
