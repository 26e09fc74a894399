"""Statistics page: players, games, and the figures that fit."""

from datetime import date

import pytest

from cardtable.games import KEYS
from cardtable.records.aggregation import ALL_GAMES
from cardtable.records.ratings import Player
from cardtable.ui.records import statistics_page
from tests.golden_files import check_golden
from tests.records.archive_sessions import archive_random_session
from tests.ui.records_host import PageApp, write_sample_sessions
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until

SIZES = {"80x24": (80, 24), "120x40": (120, 40), "60x18": (60, 18)}


@pytest.fixture(autouse=True)
def fixed_today(monkeypatch):
    """Runs of days are counted up to the last of the sample sessions."""

    class FixedDate(date):
        @classmethod
        def today(cls):
            return cls(2026, 9, 23)

    monkeypatch.setattr(statistics_page, "date", FixedDate)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Provide a home with some sessions, shared by all tests that only read it."""
    patch = pytest.MonkeyPatch()
    patch.setenv("CARDTABLE_HOME", str(tmp_path_factory.mktemp("filled")))
    write_sample_sessions()
    yield
    patch.undo()


@pytest.fixture
def few(filled, home, tmp_path_factory, monkeypatch):
    """Use the shared home of `filled`."""
    monkeypatch.setenv("CARDTABLE_HOME", str(next(tmp_path_factory.getbasetemp().glob("filled*"))))


async def wait_for_records(pilot):
    await wait_until(pilot, lambda: pilot.app.page.is_mounted and pilot.app.page.page.records is not None)
    await pilot.pause()
    return pilot.app.page.page


def get_choice(pilot):
    return pilot.app.page.page.model


@pytest.mark.usefixtures("few")
class TestLooks:
    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("game", ["ten_down", "king", "rummy", pytest.param(ALL_GAMES, id="all")])
    async def test_statistics_golden(self, size, game):
        app = PageApp(statistics_page.create_screen, "Guest" if game == "rummy" else "Anna", game)
        async with app.run_test(size=SIZES[size]) as pilot:
            await wait_for_records(pilot)
            check_golden(f"statistics_{game or 'all'}_{size}.txt", screen_text(app))

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("game", ["ten_down", "rummy", pytest.param(ALL_GAMES, id="all")])
    async def test_figure_labels_do_not_touch(self, size, game):
        app = PageApp(statistics_page.create_screen, "Guest" if game == "rummy" else "Anna", game)
        async with app.run_test(size=SIZES[size]) as pilot:
            await wait_for_records(pilot)
            figures, labels = screen_text(app).split("\n")[2:4]
            panel_width = len(figures) - len(figures.lstrip())
            cells = [cell for cell in labels[panel_width:].split("  ") if cell.strip()]
            assert len(cells) == 4

    @pytest.mark.parametrize(("more", "lines"), [(0, 7), (1, 8), (6, 8)])
    async def test_list_without_room_includes_played_games(self, more, lines, monkeypatch):
        games = (*["gurka"] * more, *KEYS)
        monkeypatch.setattr(statistics_page, "list_keys", lambda: games)
        app = PageApp(statistics_page.create_screen, "Anna", ALL_GAMES)
        async with app.run_test(size=(60, 18)) as pilot:
            await wait_for_records(pilot)
            rows = screen_text(app).split("\n")
            top = next(y for y, row in enumerate(rows) if "rating" in row)
            listed = [row.split("  ")[1].strip() for row in rows[top + 1 : 17] if row.strip()]
            assert len(listed) == lines
            assert {"Rikiki", "King", "Ten Down"} <= set(listed)

    @pytest.mark.parametrize("size", SIZES)
    async def test_other_parts_golden(self, size):
        app = PageApp(statistics_page.create_screen, "Anna", "ten_down")
        async with app.run_test(size=SIZES[size]) as pilot:
            await wait_for_records(pilot)
            await pilot.press("v")
            check_golden(f"statistics_more_{size}.txt", screen_text(app))

    async def test_statistics_in_ascii_and_mono_golden(self):
        app = PageApp(statistics_page.create_screen, "Anna", "ten_down", ascii=True, mono=True)
        async with app.run_test(size=(80, 24)) as pilot:
            await wait_for_records(pilot)
            check_golden("statistics_ascii_80x24.txt", screen_text(app))
            assert screen_text(app).isascii()


@pytest.mark.usefixtures("few")
class TestKeys:
    async def test_up_and_down_choose_game_and_wrap_around(self):
        async with PageApp(statistics_page.create_screen).run_test() as pilot:
            await wait_for_records(pilot)
            assert get_choice(pilot).game == ALL_GAMES
            await pilot.press("down")
            assert get_choice(pilot).game == "rikiki"
            await pilot.press("up", "up")
            assert get_choice(pilot).game == KEYS[-1]
            await pilot.press("home")
            assert get_choice(pilot).game == ALL_GAMES

    @pytest.mark.parametrize("key", ["p", "tab"])
    async def test_player_list_keys_choose_player(self, key):
        async with PageApp(statistics_page.create_screen).run_test() as pilot:
            await wait_for_records(pilot)
            await pilot.press(key, "down")
            assert get_choice(pilot).player == get_choice(pilot).players[1] != Player("Anna")
            await pilot.press("end")
            assert get_choice(pilot).player == Player("random", True)
            assert "Random" in screen_text(pilot.app)
            await pilot.press(key, "down")
            assert get_choice(pilot).game == "rikiki"

    async def test_players_are_ordered_self_people_robots(self):
        async with PageApp(statistics_page.create_screen, me="Lea").run_test() as pilot:
            await wait_for_records(pilot)
            players = get_choice(pilot).players
            assert players[0] == Player("Lea")
            assert [player.robot for player in players] == sorted(player.robot for player in players)
            assert [player.name for player in players if player.robot] == ["expert", "steady", "novice", "random"]

    async def test_v_cycles_through_parts(self):
        async with PageApp(statistics_page.create_screen, "Anna", "ten_down").run_test(size=(80, 24)) as pilot:
            await wait_for_records(pilot)
            seen = []
            for _ in range(3):
                seen.append(screen_text(pilot.app))
                await pilot.press("v")
            assert seen[0] == screen_text(pilot.app)
            text = "".join(seen)
            assert all(name in text for name in ("Rating", "Exact bids", "Totals", "Totals over a session", "Figures"))
            await pilot.press("left")
            assert seen[2] == screen_text(pilot.app)

    async def test_r_opens_rankings_of_game(self):
        async with PageApp(statistics_page.create_screen, "Anna", "king").run_test() as pilot:
            await wait_for_records(pilot)
            await pilot.press("r")
            await pilot.press("home", "r")
            assert pilot.app.requests == [("rankings", "king"), ("rankings",)]

    async def test_a_and_enter_open_archive_of_person(self):
        async with PageApp(statistics_page.create_screen).run_test() as pilot:
            await wait_for_records(pilot)
            await pilot.press("a", "enter")
            await pilot.press("p", "end", "a", "enter")
            assert pilot.app.requests == [("archive", "Anna")] * 2

    async def test_mouse_selects_and_wheel_moves(self):
        async with PageApp(statistics_page.create_screen).run_test(size=(80, 24)) as pilot:
            await wait_for_records(pilot)
            rows = screen_text(pilot.app).split("\n")
            await pilot.click(offset=(5, next(y for y, row in enumerate(rows) if row.startswith("   King"))))
            assert get_choice(pilot).game == "king"
            await pilot.click(offset=(5, next(y for y, row in enumerate(rows) if row.startswith("   Tom"))))
            assert (get_choice(pilot).player, get_choice(pilot).game) == (Player("Tom"), "king")
            pilot.app.page.page.on_wheel(1, 0)
            assert get_choice(pilot).player != Player("Tom")

    async def test_escape_returns(self):
        async with PageApp(statistics_page.create_screen).run_test() as pilot:
            await wait_for_records(pilot)
            await pilot.press("escape")
            await wait_until(pilot, lambda: pilot.app.screen is not pilot.app.page)


async def test_empty_statistics_golden():
    app = PageApp(statistics_page.create_screen, me="Guest")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_for_records(pilot)
        check_golden("statistics_empty_80x24.txt", screen_text(app))
        await pilot.press("v", "p", "down", "r", "end")
        assert app.is_running


async def test_single_round_session_is_counted():
    archive_random_session("gurka", "Anna novice steady expert", rounds=1)
    async with PageApp(statistics_page.create_screen, "Anna", "gurka").run_test(size=(80, 24)) as pilot:
        await wait_for_records(pilot)
        assert "4th 1" in screen_text(pilot.app)
        assert "Figures" in screen_text(pilot.app)
