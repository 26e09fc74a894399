"""Pages of the seasons of a club and of tables of results."""

from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.records.result_rows import ResultsColumn, ResultsRow, ResultsTable
from cardtable.store import seasons
from cardtable.store.seasons import Season
from cardtable.ui.club.results_pages import ResultsPage, fit_columns
from cardtable.ui.toolkit.page import PageScreen
from tests.club.lobby_screen import lobby_app, shows
from tests.club.loopback_club import club
from tests.records.archive_sessions import archive_journal, make_header, play_at_random
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until

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
    """Show tables of results above the lobby of a club that cannot be reached; yield app and pilot."""
    async with lobby_app("ws://localhost:9", size=size) as (app, pilot):
        page = ResultsPage(app.screen.page.context, "Autumn", "Zoe")
        await app.push_screen(PageScreen(page))
        assert "Asking the club ..." in screen_text(app)
        page.show_tables(("About.",), tables)
        await pilot.pause()
        yield app, pilot


async def test_long_table_scrolls_below_its_headings():
    async with results_app([make_table("Rikiki", 40), make_table("King", 2)], (60, 18)) as (app, pilot):
        assert shows(app, "Rikiki  King", "place", "Nick0001")()
        assert "Nick0030" not in screen_text(app)
        await pilot.press("end")
        assert shows(app, "place", "Zoe (guest)", "Note.", "About.")()
        assert "Nick0001" not in screen_text(app)
        await pilot.press("pageup", "up")
        assert "About." not in screen_text(app)
        await pilot.press("right")
        assert shows(app, "Nick0001", "Zoe (guest)", "About.")()
        assert "Nick0002" not in screen_text(app)
        await pilot.press("right", "home")
        assert shows(app, "Nick0002")()


async def test_seasons_from_the_lobby():
    head, lines = make_header("gurka", "~Anna ~Bob steady steady", id_="s"), []
    play_at_random(head, lines)
    archive_journal(replace(head, host="club"), lines)
    async with club() as (_, url), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna"))
        await pilot.press("r")
        await wait_until(pilot, shows(app, "This club has no seasons or tournaments."))
        await pilot.press("escape")
        seasons.add(Season("Autumn", ("gurka",)))
        seasons.add(Season("Winter", ("gurka", "king")))
        await pilot.press("r")
        await wait_until(pilot, shows(app, "Winter", "Gurka, King", "Autumn"))
        seasons.delete("Winter")
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "No season is called 'Winter'"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "Winter" not in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "Gurka: 1 session.", "The fewest points win.", "Anna (guest)", "100.0%"))
        await pilot.press("escape", "escape")
        await wait_until(pilot, shows(app, "A new table"))
