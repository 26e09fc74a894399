"""Rankings: the best players of each game, their uncertainty and the plot of ratings."""

import pytest

from cardtable.games import ABOUT, KEYS
from cardtable.records.ratings import Player
from cardtable.ui.records import rankings_page
from cardtable.ui.records.rankings_page import GameTab, paint_tabs
from cardtable.ui.toolkit.painting.canvas import Canvas
from tests.golden_files import check_golden
from tests.records.archive_sessions import archive_random_session
from tests.ui.canvas_rendering import APPEARANCE, get_rows
from tests.ui.records_host import PageApp
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until
from tests.ui.test_statistics_page import SIZES, few, filled, wait_for_records

__all__ = ["few", "filled"]


def get_page(pilot):
    return pilot.app.page.page


@pytest.mark.usefixtures("few")
class TestLooks:
    @pytest.mark.parametrize("size", SIZES)
    async def test_rankings_golden(self, size):
        app = PageApp(rankings_page.create_screen, "ten_down")
        async with app.run_test(size=SIZES[size]) as pilot:
            await wait_for_records(pilot)
            check_golden(f"rankings_{size}.txt", screen_text(app))

    @pytest.mark.parametrize("size", ["80x24", "60x18"])
    async def test_plot_replaces_list_without_room(self, size):
        app = PageApp(rankings_page.create_screen, "ten_down")
        async with app.run_test(size=SIZES[size]) as pilot:
            await wait_for_records(pilot)
            text = screen_text(app)
            await pilot.press("p")
            check_golden(f"rankings_plot_{size}.txt", screen_text(app))
            await pilot.press("escape")
            assert screen_text(app) == text
            await pilot.press("escape")
            await wait_until(pilot, lambda: app.screen is not app.page)

    async def test_rankings_in_ascii(self):
        app = PageApp(rankings_page.create_screen, "ten_down", ascii=True)
        async with app.run_test(size=(120, 40)) as pilot:
            await wait_for_records(pilot)
            assert screen_text(app).isascii()


@pytest.mark.usefixtures("few")
class TestKeys:
    async def test_left_and_right_switch_game(self):
        async with PageApp(rankings_page.create_screen, "rikiki").run_test() as pilot:
            await wait_for_records(pilot)
            await pilot.press("right")
            assert get_page(pilot).model.game == "king"
            await pilot.press("left", "left")
            assert get_page(pilot).model.game == KEYS[-1]

    async def test_cursor_starts_at_self_and_enter_opens_statistics(self):
        async with PageApp(rankings_page.create_screen, "ten_down").run_test() as pilot:
            await wait_for_records(pilot)
            assert get_page(pilot).model.cursor == Player("Anna")
            await pilot.press("enter")
            await pilot.press("home", "enter")
            first = get_page(pilot).model.rows[0][1]
            assert pilot.app.requests == [("statistics", player, "ten_down") for player in (Player("Anna"), first)]

    async def test_a_opens_archive_of_person(self):
        async with PageApp(rankings_page.create_screen, "ten_down").run_test() as pilot:
            await wait_for_records(pilot)
            await pilot.press("a")
            get_page(pilot).model.selected = Player("expert", True)
            await pilot.press("a")
            assert pilot.app.requests == [("archive", "Anna")]

    async def test_up_and_down_wrap_around(self):
        async with PageApp(rankings_page.create_screen, "ten_down").run_test() as pilot:
            await wait_for_records(pilot)
            listed = [player for _, player, _ in get_page(pilot).model.rows]
            await pilot.press("end")
            assert get_page(pilot).model.cursor == listed[-1]
            await pilot.press("down")
            assert get_page(pilot).model.cursor == listed[0]

    async def test_mouse_selects_games_and_players(self):
        async with PageApp(rankings_page.create_screen, "ten_down").run_test(size=(80, 24)) as pilot:
            await wait_for_records(pilot)
            rows = screen_text(pilot.app).split("\n")
            y = next(y for y, row in enumerate(rows) if " Tom " in row)
            await pilot.click(offset=(10, y))
            assert get_page(pilot).model.cursor == Player("Tom")
            await pilot.click(offset=(10, y))
            assert pilot.app.requests == [("statistics", Player("Tom"), "ten_down")]
            await pilot.click(offset=(rows[2].index("King"), 2))
            assert get_page(pilot).model.game == "king"


async def test_opens_at_game_with_ratings():
    archive_random_session("ten_down", "Anna Bob", room=5)
    async with PageApp(rankings_page.create_screen).run_test() as pilot:
        await wait_for_records(pilot)
        assert get_page(pilot).model.game == "ten_down"


async def test_top_ten_and_self_are_listed():
    people = ["Anna", *[f"Nick{number:02}" for number in range(12)]]
    for number, nick in enumerate(people[1:]):
        archive_random_session("ten_down", f"{nick} Anna", id_=nick, seed=number, room=5)
    async with PageApp(rankings_page.create_screen, "ten_down").run_test(size=(80, 24)) as pilot:
        await wait_for_records(pilot)
        every = [player for player, _ in get_page(pilot).model.ratings.rank_players()]
        listed = [player for _, player, _ in get_page(pilot).model.rows]
        assert listed[:10] == every[:10]
        assert set(listed[10:]) <= {Player("Anna")}
        assert Player("Anna") in listed


@pytest.mark.parametrize("size", SIZES)
async def test_empty_rankings_golden(size):
    archive_random_session("ten_down", "Guest steady", room=5)
    app = PageApp(rankings_page.create_screen, "king", me="Guest")
    async with app.run_test(size=SIZES[size]) as pilot:
        await wait_for_records(pilot)
        check_golden(f"rankings_empty_{size}.txt", screen_text(app))
        await pilot.press("up", "end", "enter", "p")
        assert app.requests == []


@pytest.mark.parametrize("game", KEYS)
@pytest.mark.parametrize("width", [40, 60, 80])
def test_selected_tab_is_complete_without_room(game, width):
    canvas = Canvas(width, 5, APPEARANCE)
    paint_tabs(canvas, game)
    title = ABOUT[game].title
    assert title in str(canvas)
    assert canvas.hit_test(get_rows(canvas)[2].index(title), 2) == GameTab(game)
