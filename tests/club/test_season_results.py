"""Seasons of the club as clients read them."""

import asyncio

import pytest
from msgspec.structs import replace

from cardtable.club.server import stored_sessions
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.stored_sessions import ClubSeasons, FinishedSessions
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.store import profiles, seasons
from tests.records.archive_sessions import archive_journal, make_header, play_at_random


def archive_session(id_, *nicks):
    head, lines = make_header("gurka", "~Anna ~Bob steady steady", id_=id_), []
    seats = profiles.add_profile_ids((*map(Occupant, nicks), *head.seats[len(nicks) :]))
    play_at_random(head, lines)
    archive_journal(replace(head, host="club", seats=seats), lines)


@pytest.fixture
def club_seasons(monkeypatch):
    """Return the seasons of a club, with one session, which are never cached by time."""
    monkeypatch.setattr(stored_sessions, "CACHE_SECONDS", 0)
    profiles.register("Anna")
    archive_session("one", "Anna", "Bob")
    seasons.add(seasons.Season("Autumn", ("gurka",)))
    return ClubSeasons(FinishedSessions())


async def test_results_are_computed_once_until_something_changes(club_seasons, monkeypatch):
    tables = await club_seasons.read_tables("Bob", "autumn")
    assert {row.nick for row in tables.tables[0].rows} == {"Anna", "Bob"}
    assert await club_seasons.read_tables("Cleo", "Autumn") is tables
    archive_session("two", "Anna", "Cleo")
    profiles.update_profile("Anna", "Agatha", "", "")
    tables = await club_seasons.read_tables("Bob", "Autumn")
    assert {row.nick: row.figures[0] for row in tables.tables[0].rows} == {"Agatha": 2, "Bob": 1, "Cleo": 1}
    seasons.change("Autumn", lambda season: seasons.remove_session(season, "two"))
    assert len((await club_seasons.read_tables("Bob", "Autumn")).tables[0].rows) == 2
    monkeypatch.setattr(stored_sessions, "MAX_ROWS", 1)
    seasons.change("Autumn", lambda season: seasons.add_session(season, "two"))
    [table] = (await club_seasons.read_tables("Bob", "Autumn")).tables
    assert (len(table.rows), table.notes[-1]) == (1, "2 players further down are not listed.")


async def test_one_result_at_a_time_for_each_person(club_seasons):
    answers = await asyncio.gather(
        *[club_seasons.read_tables(nick, "Autumn") for nick in ("Bob", "Bob", "Cleo")], return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [type(answers[0]), RequestRefused, type(answers[0])]
    with pytest.raises(CardtableError, match="no season is called 'Winter'"):
        await club_seasons.read_tables("Bob", "Winter")
    assert (await club_seasons.read_tables("Bob", "Autumn")).name == "Autumn"


async def test_list_has_the_newest_first(club_seasons):
    seasons.add(seasons.Season("Winter", ("king", "gurka")))
    listed = await club_seasons.list_all()
    assert [(season.name, season.about) for season in listed] == [("Winter", "King, Gurka"), ("Autumn", "Gurka")]
