"""Seasons of the club as clients read them, their pages, and tables of results."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from cardtable.club.protocol import SeasonTables
from cardtable.club.server import stored_sessions
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.stored_sessions import ClubSeasons, FinishedSessions
from cardtable.engine.errors import CardtableError
from cardtable.records.result_rows import ResultsColumn, ResultsRow, ResultsTable
from cardtable.store import profiles, seasons
from cardtable.store.seasons import Season
from cardtable.ui.club.results_pages import ResultsPage, fit_columns
from cardtable.ui.toolkit.page import PageScreen
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import club
from tests.records.archive_sessions import archive_random_session

COLUMNS = (
    ResultsColumn("sessions", "played"),
    ResultsColumn("beaten_percent", "beaten", 1, "%"),
    ResultsColumn("points", "points"),
    ResultsColumn("average_points", "average", 1),
)


def make_table(title, count, ranked_by="average_points"):
    rows = [ResultsRow(f"Nick{number:04}", (1, 50.0, -number, -float(number)), number) for number in range(1, count)]
    return ResultsTable(
        title, COLUMNS, (*rows, ResultsRow("Zoe", (1, 0.0, 1, None), kind="guest")), ranked_by, ("Note.",)
    )


@pytest.mark.parametrize(
    ("width", "indices", "gap"),
    [(110, [0, 1, 2, 3, 4, 5], 6), (76, [0, 1, 2, 3, 4, 5], 3), (50, [0, 1, 2, 3, 4, 5], 1), (40, [0, 1, 2, 3, 5], 1),
     (30, [0, 1, 5], 3), (12, [0, 1, 5], 1)],
)  # fmt: skip
def test_columns_that_fit(width, indices, gap):
    columns = fit_columns(make_table("T", 3), width)
    assert (columns.indices, columns.gap) == (indices, gap)
    assert sum(columns.widths) + gap * (len(indices) - 1) <= max(width, 23)


@asynccontextmanager
async def results_app(tables, size):
    """Show tables of results above the lobby of a club that cannot be reached; yield the person there."""
    async with lobby_app("ws://localhost:9", size=size) as screen:
        client = screen.page.client
        client.nick, page = "Zoe", ResultsPage(screen.page.context, client, "Autumn")
        await screen.app.push_screen(PageScreen(page))
        assert "Asking the club ..." in screen.text
        client.handle_message(SeasonTables("Autumn", ("About.",), tuple(tables)))
        page.repaint()
        await screen.pilot.pause()
        yield screen


async def test_long_table_scrolls_below_its_headings():
    async with results_app([make_table("Rikiki", 40), make_table("King", 2)], (60, 18)) as screen:
        await screen.sees("Rikiki  King", "place", "Nick0001")
        assert "Nick0030" not in screen.text
        await screen.press("end", "place", "Zoe (guest)", "Note.", "About.")
        assert "Nick0001" not in screen.text
        await screen.press("pageup up")
        assert "About." not in screen.text
        await screen.press("right", "Nick0001", "Zoe (guest)", "About.")
        assert "Nick0002" not in screen.text
        await screen.press("right home", "Nick0002")


async def test_seasons_from_the_lobby():
    archive_random_session("gurka", "~Anna ~Bob steady steady", host="club")
    async with club() as (_, url), lobby_app(url) as screen:
        await screen.sees("here: Anna")
        await screen.press("r", "This club has no seasons or tournaments.")
        await screen.press("escape")
        seasons.add(Season("Autumn", ("gurka",)))
        seasons.add(Season("Winter", ("gurka", "king")))
        await screen.press("r", "Winter", "Gurka, King", "Autumn")
        seasons.delete("Winter")
        await screen.press("enter", "No season is called 'Winter'")
        await screen.press("escape")
        await screen.sees_no_more("Winter")
        await screen.press("enter", "Gurka: 1 session.", "The fewest points win.", "Anna (guest)", "100.0%")
        await screen.press("escape escape", "A new table")


@pytest.fixture
def club_seasons(monkeypatch):
    """Return the seasons of a club, with one session, which are never cached by time."""
    monkeypatch.setattr(stored_sessions, "CACHE_SECONDS", 0)
    profiles.register("Anna")
    archive_random_session("gurka", "Anna ~Bob steady steady", id_="one", host="club")
    seasons.add(seasons.Season("Autumn", ("gurka",)))
    return ClubSeasons(FinishedSessions())


async def test_results_are_computed_once_until_something_changes(club_seasons, monkeypatch):
    tables = await club_seasons.read_tables("Bob", "autumn")
    assert {row.nick for row in tables.tables[0].rows} == {"Anna", "Bob"}
    assert await club_seasons.read_tables("Cleo", "Autumn") is tables
    archive_random_session("gurka", "Anna ~Cleo steady steady", id_="two", host="club")
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
