"""New-table page by keys and mouse."""

from datetime import date

import pytest
from textual.app import App

from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.store import session_setup
from cardtable.ui.new_table import NewTableForm, NewTablePage
from cardtable.ui.toolkit.form import PLATE_POSITIONS
from cardtable.ui.toolkit.page import PageScreen
from cardtable.wording.players import describe_level_strength
from tests.golden_files import check_golden
from tests.records.archive_sessions import archive_random_session
from tests.ui.current_screen import is_shown
from tests.ui.recording_context import RecordingContext
from tests.ui.records_host import InProcessStatistics
from tests.ui.screen_text import screen_text

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
TODAY = date(2026, 11, 20)


class Host(App[None]):
    """App that shows the form and records its requests."""

    def __init__(self, key="rikiki"):
        super().__init__()
        self.table = NewTableForm(key, today=TODAY)
        self.context = RecordingContext(self, statistics_client=InProcessStatistics())

    def on_mount(self):
        self.push_screen(PageScreen(NewTablePage(self.context, self.table)))

    @property
    def requests(self):
        """Return the requested setups, and the arguments of other requests."""
        return [about[0] if name == "begin" else about for name, *about in self.context.requests]

    @property
    def row_under_cursor(self):
        [row] = [row for row in screen_text(self).split("\n") if "▌" in row]
        return row.split("▌")[1]

    def find_row(self, text):
        return next(row for row in screen_text(self).split("\n") if text in row)

    async def click(self, pilot, text, *, end=False):
        """Click the first or the last character of a text."""
        rows = screen_text(self).split("\n")
        x, y = next((row.index(text), y) for y, row in enumerate(rows) if text in row)
        await pilot.click(offset=(x + (len(text) - 1) * end, y))
        await pilot.pause()


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_default_table_golden(size):
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pilot.press("down", "down")
        check_golden(f"new_table_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_ratings_beside_nicks(size):
    archive_random_session("bridge", "Anna expert", id_="a", seed=1)
    app = Host("bridge")
    async with app.run_test(size=size) as pilot:
        await pilot.press("down", "left", "left", "down", *"anna", "down", "right")
        check_golden(f"new_table_rated_{size[0]}x{size[1]}.txt", screen_text(app))
        ratings = [app.table.get_rating(seat) for seat in (0, 1)]
        assert min(ratings) < 1000 < max(ratings), "the ratings differ after one session"
        for name, rating in zip(("Anna", "expert"), ratings, strict=True):
            assert str(rating) in app.find_row(name).split()
        await pilot.press("up", "up", "up", "right")
        assert app.table.game.about.key != "bridge"
        assert app.table.get_rating(0) is None, "ratings belong to one game"


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_invalid_nick_and_house_rules_golden(size):
    app = Host("bridge")
    async with app.run_test(size=size) as pilot:
        await pilot.press("down", "left", "down", *"anna", "down", "right", "right", *"bo")
        await pilot.press("tab", "right", "tab", "enter")
        check_golden(f"new_table_wrong_{size[0]}x{size[1]}.txt", screen_text(app))
        assert app.requests == []


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_daily_deal_golden(size, monkeypatch):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: "bridge")
    app = Host("bridge")
    async with app.run_test(size=size) as pilot:
        await pilot.press(*["down"] * 7, "left")
        check_golden(f"new_table_daily_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_deal_number_and_clock_golden():
    app = Host("bridge")
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("tab", "down", "down", "down", "down", *"12", "tab", *["down"] * 7, *"2026")
        check_golden("new_table_number_80x24.txt", screen_text(app))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_every_row_is_reachable_and_visible(size, key):
    app = Host(key)
    async with app.run_test(size=size) as pilot:
        rules = {rule.name: rule.label for rule in app.table.list_rules()} | {"open_hands": "Practice"}
        for line in app.screen.page.selectable_rows:
            assert rules.get(line.name, "") in app.row_under_cursor
            if line.help_text:
                assert line.help_text.split()[-1] in screen_text(app), "the explanation is complete"
            assert line.value in app.row_under_cursor
            if line.value == "steady":
                assert describe_level_strength(key).split()[-1] in screen_text(app), (
                    "the strength of the level is complete"
                )
            await pilot.press("down")
        assert "Game" in app.row_under_cursor, "the last value is followed by the first"


def test_seating_plan_covers_every_seat_count():
    assert {number for about in ABOUT.values() for number in about.seats} <= set(PLATE_POSITIONS)
    for number, plates in PLATE_POSITIONS.items():
        assert len(set(plates)) == number


async def test_enter_deals_from_any_row():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        for keys in ((), ("down",), ("tab",), ("end",)):
            app.context.requests.clear()
            await pilot.press(*keys, "enter")
            assert [setup.game for setup in app.requests] == [GAMES["rikiki"]]


async def test_enter_moves_to_invalid_row_and_explains():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("down", "down", "left", "left", "end", "enter")
        assert app.requests == []
        assert "Guest" in app.row_under_cursor
        assert "Only one seat can be Guest" in screen_text(app)
        await pilot.press("right", "enter")
        assert len(app.requests) == 1


async def test_robots_only_table_is_watched():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("down", "right")
        assert "Only robots play: you watch" in screen_text(app)
        await pilot.press("enter")
        assert all(occupant.robot for occupant in app.requests[0].seats)


async def test_letters_are_typed_only_in_nick_rows():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("i")
        assert app.requests == [["rikiki", GAMES["rikiki"].options()]]
        await pilot.press("down", *"iris")
        assert len(app.requests) == 1
        assert app.table.names[0] == "Iris"
        assert "i rules" not in screen_text(app)
        await pilot.press("backspace", "question_mark")
        assert "any key closes" in screen_text(app)
        await pilot.press("x")
        assert "any key closes" not in screen_text(app)
        assert app.table.names[0] == "Iri"


async def test_rules_open_with_chosen_options():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("tab", "right", "i")
        assert app.requests == [["rikiki", GAMES["rikiki"].options(hook="always")]]


async def test_tab_switches_between_columns():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("down", "down", "tab")
        assert "Barred bid" in app.row_under_cursor
        await pilot.press("down", "tab")
        assert "Ada" in app.row_under_cursor
        await pilot.press("shift+tab")
        assert "Length" in app.row_under_cursor


async def test_space_steps_values_and_deals_on_button():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("space")
        assert app.table.game.about.key == KEYS[1]
        await pilot.press("up", "tab", "tab")
        while "Deal the cards" not in app.row_under_cursor:
            await pilot.press("down")
        await pilot.press("space")
        assert len(app.requests) == 1


async def test_mouse_selects_changes_and_deals():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await app.click(pilot, "Opposite")
        assert "Bo" in app.row_under_cursor
        await app.click(pilot, "‹ 5 cards and up ›", end=True)
        assert "every round" in app.row_under_cursor
        await app.click(pilot, "every round")
        assert "5 cards and up" in app.row_under_cursor
        await app.click(pilot, "Practice")
        assert app.table.options.open_hands == "off"
        await app.click(pilot, "Deal the cards")
        assert len(app.requests) == 1


async def test_wheel_scrolls_and_key_returns_to_cursor():
    app = Host()
    async with app.run_test(size=TINY) as pilot:
        page = app.screen.query_one(NewTablePage)
        for _ in range(6):
            page.on_wheel(1, 5)
        await pilot.pause()
        assert "▌" not in screen_text(app)
        assert "Time per round" in screen_text(app)
        await pilot.press("down")
        assert "You" in app.row_under_cursor


@pytest.mark.parametrize("size", [TINY, SMALL])
@pytest.mark.parametrize("key", KEYS)
async def test_house_rules_are_readable(key, size):
    app = Host(key)
    async with app.run_test(size=size) as pilot:
        rules = [rule for rule in app.table.list_rules() if rule.name != "open_hands"]
        assert f"House rules of {ABOUT[key].title}" in screen_text(app)
        assert rules[0].label in screen_text(app)
        for rule in rules:
            app.screen.query_one(NewTablePage).move_cursor_to(rule.name)
            await pilot.pause()
            if size == TINY:
                assert rule.meaning in " ".join(screen_text(app).split())
            for value in rule.values:
                assert f" {rule.format_value(value)} " in app.row_under_cursor
                await pilot.press("right")


async def test_footer_keys_are_clickable():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await app.click(pilot, "↑↓ line")
        assert "You" in app.row_under_cursor
        await app.click(pilot, "←→ change")
        assert "novice" in app.row_under_cursor
        await app.click(pilot, "Tab options")
        assert "Barred bid" in app.row_under_cursor
        await app.click(pilot, "i rules")
        assert len(app.requests) == 1
        await app.click(pilot, "? help")
        assert "at a new table" in screen_text(app)
        await app.click(pilot, "any key")
        await app.click(pilot, "Esc back")
        assert not is_shown(app, NewTablePage)


async def test_wide_nicks_stay_in_their_column():
    app = Host()
    async with app.run_test(size=LARGE) as pilot:
        await pilot.press("down", "A")
        for _ in range(7):
            app.table.get_nick_input(1).insert("漢")
        await pilot.press("down")
        assert "‹ person ›" in app.find_row("You")
        assert all(len(row) <= 120 for row in screen_text(app).split("\n"))
