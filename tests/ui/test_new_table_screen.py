"""New-table page by keys and mouse."""

from datetime import date

import pytest
from textual.app import App

from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.store import session_setup
from cardtable.ui.new_table import NewTableForm, NewTablePage
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.seat_plan import PLATE_POSITIONS
from cardtable.wording.players import describe_level_strength
from tests.records.archive_sessions import archive_random_session
from tests.ui.driver import LARGE, SIZES, SMALL, TINY, at_screen
from tests.ui.recording_context import RecordingContext
from tests.ui.records_host import InProcessStatistics
from tests.ui.screen_text import screen_text

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


@pytest.mark.parametrize("size", SIZES)
async def test_default_table_golden(size):
    async with at_screen(Host(), size) as screen:
        await screen.press("down down")
        screen.check_golden("new_table")


@pytest.mark.parametrize("size", SIZES)
async def test_ratings_beside_nicks(size):
    archive_random_session("bridge", "Anna expert", id_="a", seed=1)
    async with at_screen(Host("bridge"), size) as screen:
        await screen.press("down left left down", *"anna", "down right")
        screen.check_golden("new_table_rated")
        ratings = [screen.app.table.get_rating(seat) for seat in (0, 1)]
        assert min(ratings) < 1000 < max(ratings), "the ratings differ after one session"
        for name, rating in zip(("Anna", "expert"), ratings, strict=True):
            assert str(rating) in screen.find_row(name).split()
        await screen.press("up up up right")
        assert screen.app.table.game.about.key != "bridge"
        assert screen.app.table.get_rating(0) is None, "ratings belong to one game"


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_invalid_nick_and_house_rules_golden(size):
    async with at_screen(Host("bridge"), size) as screen:
        await screen.press("down left down", *"anna", "down right right", *"bo")
        await screen.press("tab right tab enter")
        screen.check_golden("new_table_wrong")
        assert screen.app.requests == []


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_daily_deal_golden(size, monkeypatch):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: "bridge")
    async with at_screen(Host("bridge"), size) as screen:
        await screen.press(*["down"] * 7, "left")
        screen.check_golden("new_table_daily")


async def test_deal_number_and_clock_golden():
    async with at_screen(Host("bridge")) as screen:
        await screen.press("tab down down down down", *"12", "tab", *["down"] * 7, *"2026")
        screen.check_golden("new_table_number")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", SIZES)
async def test_every_row_is_reachable_and_visible(size, key):
    async with at_screen(Host(key), size) as screen:
        rules = {rule.name: rule.label for rule in screen.app.table.list_rules()} | {"open_hands": "Practice"}
        for line in screen.page.selectable_rows:
            assert rules.get(line.name, "") in screen.app.row_under_cursor
            if line.help_text:
                assert line.help_text.split()[-1] in screen.text, "the explanation is complete"
            assert line.value in screen.app.row_under_cursor
            if line.value == "steady":
                assert describe_level_strength(key).split()[-1] in screen.text, "the strength of the level is complete"
            await screen.press("down")
        assert "Game" in screen.app.row_under_cursor, "the last value is followed by the first"


def test_seating_plan_covers_every_seat_count():
    assert {number for about in ABOUT.values() for number in about.seats} <= set(PLATE_POSITIONS)
    for number, plates in PLATE_POSITIONS.items():
        assert len(set(plates)) == number


async def test_enter_deals_from_any_row():
    async with at_screen(Host()) as screen:
        for keys in ((), ("down",), ("tab",), ("end",)):
            screen.app.context.requests.clear()
            await screen.press(*keys, "enter")
            assert [setup.game for setup in screen.app.requests] == [GAMES["rikiki"]]


async def test_enter_moves_to_invalid_row_and_explains():
    async with at_screen(Host()) as screen:
        await screen.press("down down left left end enter")
        assert screen.app.requests == []
        assert "Guest" in screen.app.row_under_cursor
        await screen.sees("Only one seat can be Guest")
        await screen.press("right enter")
        assert len(screen.app.requests) == 1


async def test_robots_only_table_is_watched():
    async with at_screen(Host()) as screen:
        await screen.press("down right")
        await screen.sees("Only robots play: you watch")
        await screen.press("enter")
        assert all(occupant.robot for occupant in screen.app.requests[0].seats)


async def test_letters_are_typed_only_in_nick_rows():
    async with at_screen(Host()) as screen:
        await screen.press("i")
        assert screen.app.requests == [["rikiki", GAMES["rikiki"].options()]]
        await screen.press("down", *"iris")
        assert len(screen.app.requests) == 1
        assert screen.app.table.names[0] == "Iris"
        assert "i rules" not in screen.text
        await screen.press("backspace question_mark")
        await screen.sees("any key closes")
        await screen.press("x")
        assert "any key closes" not in screen.text
        assert screen.app.table.names[0] == "Iri"


async def test_rules_open_with_chosen_options():
    async with at_screen(Host()) as screen:
        await screen.press("tab right i")
        assert screen.app.requests == [["rikiki", GAMES["rikiki"].options(hook="always")]]


async def test_space_steps_values_and_deals_on_button():
    async with at_screen(Host()) as screen:
        await screen.press("space")
        assert screen.app.table.game.about.key == KEYS[1]
        await screen.press("up tab tab")
        while "Deal the cards" not in screen.app.row_under_cursor:
            await screen.press("down")
        await screen.press("space")
        assert len(screen.app.requests) == 1


async def test_mouse_selects_changes_and_deals():
    async with at_screen(Host()) as screen:
        await screen.click_text("Opposite")
        assert "Bo" in screen.app.row_under_cursor
        await screen.click_text("‹ 5 cards and up ›", end=True)
        assert "every round" in screen.app.row_under_cursor
        await screen.click_text("every round")
        assert "5 cards and up" in screen.app.row_under_cursor
        await screen.click_text("Practice")
        assert screen.app.table.options.open_hands == "off"
        await screen.click_text("Deal the cards")
        assert len(screen.app.requests) == 1


async def test_wheel_scrolls_and_key_returns_to_cursor():
    async with at_screen(Host(), TINY) as screen:
        page = screen.app.screen.query_one(NewTablePage)
        for _ in range(6):
            page.on_wheel(1, 5)
        await screen.pilot.pause()
        assert "▌" not in screen.text
        await screen.sees("Time per round")
        await screen.press("down")
        assert "You" in screen.app.row_under_cursor


@pytest.mark.parametrize("size", [TINY, SMALL])
@pytest.mark.parametrize("key", KEYS)
async def test_house_rules_are_readable(key, size):
    async with at_screen(Host(key), size) as screen:
        rules = [rule for rule in screen.app.table.list_rules() if rule.name != "open_hands"]
        await screen.sees(f"House rules of {ABOUT[key].title}", rules[0].label)
        for rule in rules:
            screen.app.screen.query_one(NewTablePage).move_cursor_to(rule.name)
            await screen.pilot.pause()
            if size == TINY:
                assert rule.meaning in screen.words
            for value in rule.values:
                assert f" {rule.format_value(value)} " in screen.app.row_under_cursor
                await screen.press("right")


async def test_wide_nicks_stay_in_their_column():
    async with at_screen(Host(), LARGE) as screen:
        await screen.press("down A")
        for _ in range(7):
            screen.app.table.get_nick_input(1).insert("漢")
        await screen.press("down")
        assert "‹ person ›" in screen.find_row("You")
        assert all(len(row) <= 120 for row in screen.rows)
