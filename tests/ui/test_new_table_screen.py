"""New-table page by keys and mouse."""

from datetime import date

import pytest
from textual.app import App

from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.store import paths, session_setup
from cardtable.ui.new_table.model import NewTable
from cardtable.ui.new_table.screen import NewTablePage
from cardtable.ui.toolkit.form import format_rule_label
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.seating_plan import PLATE_POSITIONS
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording.players import describe_level_strength
from tests.golden_files import check
from tests.records.archived import put
from tests.ui.records_host import InThisProcess
from tests.ui.rooms import AskedRoom
from tests.ui.screen_text import screen_text
from tests.ui.shown import shows

THEME, _ = themes.load_theme("classic", paths.theme_files())
LOOK = Appearance(THEME)
SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
TODAY = date(2026, 11, 20)


class Host(App[None]):
    """App that shows the form and records its requests."""

    def __init__(self, key="rikiki"):
        super().__init__()
        self.table = NewTable(key, TODAY)
        self.context = AskedRoom(self, reckoner=InThisProcess())

    def on_mount(self):
        self.push_screen(PageScreen(NewTablePage(self.context, self.table)))

    @property
    def told(self):
        """Return the requested setups, and the arguments of other requests."""
        return [about[0] if way == "begin" else about for way, *about in self.context.asked]

    @property
    def under_cursor(self):
        [row] = [row for row in screen_text(self).split("\n") if "▌" in row]
        return row.split("▌")[1]

    def row(self, text):
        return next(row for row in screen_text(self).split("\n") if text in row)

    async def click(self, pilot, text, *, end=False):
        """Click the first or the last character of a text."""
        rows = screen_text(self).split("\n")
        x, y = next((row.index(text), y) for y, row in enumerate(rows) if text in row)
        await pilot.click(offset=(x + (len(text) - 1) * end, y))
        await pilot.pause()


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_the_usual_table_looks_as_drawn(size):
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pilot.press("down", "down")
        check(f"new_table_{size[0]}x{size[1]}.txt", screen_text(app))


@pytest.mark.promise("The picker and new tables", "A new table shows each player's rating in the selected game.")
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_beside_each_nick_stands_the_rating_in_the_game(size):
    put("bridge", "Anna expert", id_="a", seed=1)
    app = Host("bridge")
    async with app.run_test(size=size) as pilot:
        await pilot.press("down", "left", "left", "down", *"anna", "down", "right")
        check(f"new_table_rated_{size[0]}x{size[1]}.txt", screen_text(app))
        ratings = [app.table.get_rating(seat) for seat in (0, 1)]
        assert min(ratings) < 1000 < max(ratings), "one of them has won"
        for name, rating in zip(("Anna", "expert"), ratings, strict=True):
            assert str(rating) in app.row(name).split()
        await pilot.press("up", "up", "up", "right")
        assert app.table.game.about.key != "bridge"
        assert app.table.get_rating(0) is None, "in each game there are other ratings"


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_two_people_a_wrong_nick_and_other_house_rules_look_as_drawn(size):
    app = Host("bridge")
    async with app.run_test(size=size) as pilot:
        await pilot.press("down", "left", "down", *"anna", "down", "right", "right", *"bo")
        await pilot.press("tab", "right", "tab", "enter")
        check(f"new_table_wrong_{size[0]}x{size[1]}.txt", screen_text(app))
        assert app.told == []


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_deal_of_the_day_looks_as_drawn(size, monkeypatch):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: "bridge")
    app = Host("bridge")
    async with app.run_test(size=size) as pilot:
        await pilot.press(*["down"] * 7, "left")
        check(f"new_table_daily_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_by_number_with_a_clock_looks_as_drawn():
    app = Host("bridge")
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("tab", "down", "down", "down", "down", *"12", "tab", *["down"] * 7, *"2026")
        check("new_table_number_80x24.txt", screen_text(app))


@pytest.mark.promise(
    "The picker and new tables",
    "The measured strength of the robot levels is shown on a new table, in plain text, help and manual.",
)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_every_line_of_every_game_can_be_reached_and_seen(size, key):
    app = Host(key)
    async with app.run_test(size=size) as pilot:
        rules = {rule.name: format_rule_label(rule) for rule in app.table.rules} | {"open_hands": "Practice"}
        for line in app.screen.page.selectable_rows:
            assert rules.get(line.name, "") in app.under_cursor
            if line.help_text:
                assert line.help_text.split()[-1] in screen_text(app), "what it means is in sight, too"
            assert line.value in app.under_cursor
            if line.value == "steady":
                assert describe_level_strength(key).split()[-1] in screen_text(app), (
                    "how far levels are apart is told to its end"
                )
            await pilot.press("down")
        assert "Game" in app.under_cursor, "round the end"


def test_the_plan_has_a_plate_for_every_seat_of_every_game():
    assert {number for about in ABOUT.values() for number in about.seats} <= set(PLATE_POSITIONS)
    for number, plates in PLATE_POSITIONS.items():
        assert len(set(plates)) == number


async def test_enter_deals_from_anywhere():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        for keys in ((), ("down",), ("tab",), ("end",)):
            app.context.asked.clear()
            await pilot.press(*keys, "enter")
            assert [setup.game for setup in app.told] == [GAMES["rikiki"]]


async def test_enter_goes_to_what_is_wrong_and_says_why():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("down", "down", "left", "left", "end", "enter")
        assert app.told == []
        assert "Guest" in app.under_cursor
        assert "Only one seat can be Guest" in screen_text(app)
        await pilot.press("right", "enter")
        assert len(app.told) == 1


async def test_a_table_of_robots_can_be_begun_and_says_that_it_is_watched():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("down", "right")
        assert "you watch the robots" in screen_text(app)
        await pilot.press("enter")
        assert all(who.robot for who in app.told[0].seats)


async def test_letters_go_into_a_nick_and_elsewhere_they_are_keys():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("i")
        assert app.told == [["rikiki", GAMES["rikiki"].options()]]
        await pilot.press("down", *"iris")
        assert len(app.told) == 1
        assert app.table.names[0] == "Iris"
        assert "i rules" not in screen_text(app)
        await pilot.press("backspace", "question_mark")
        assert "any key closes" in screen_text(app)
        await pilot.press("x")
        assert "any key closes" not in screen_text(app)
        assert app.table.names[0] == "Iri"


async def test_rules_are_asked_for_with_the_options_as_chosen():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("tab", "right", "i")
        assert app.told == [["rikiki", GAMES["rikiki"].options(hook="always")]]


async def test_tab_goes_to_the_options_and_back():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("down", "down", "tab")
        assert "Hook" in app.under_cursor
        await pilot.press("down", "tab")
        assert "Ada" in app.under_cursor
        await pilot.press("shift+tab")
        assert "Length" in app.under_cursor


async def test_space_takes_the_next_value_and_deals_on_the_button():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("space")
        assert app.table.game.about.key == KEYS[1]
        await pilot.press("up", "tab", "tab")
        while "Deal the cards" not in app.under_cursor:
            await pilot.press("down")
        await pilot.press("space")
        assert len(app.told) == 1


async def test_the_mouse_chooses_changes_and_deals():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await app.click(pilot, "Opposite")
        assert "Bo" in app.under_cursor
        await app.click(pilot, "‹   over-four  ›", end=True)
        assert "always" in app.under_cursor
        await app.click(pilot, "‹    always    ›")
        assert "over-four" in app.under_cursor
        await app.click(pilot, "Practice")
        assert app.table.options.open_hands == "off"
        await app.click(pilot, "Deal the cards")
        assert len(app.told) == 1


async def test_the_wheel_scrolls_and_a_key_comes_back_to_the_cursor():
    app = Host()
    async with app.run_test(size=TINY) as pilot:
        page = app.screen.query_one(NewTablePage)
        for _ in range(6):
            page.on_wheel(1, 5)
        await pilot.pause()
        assert "▌" not in screen_text(app)
        assert "Round clock" in screen_text(app)
        await pilot.press("down")
        assert "You" in app.under_cursor


@pytest.mark.parametrize("key", KEYS)
async def test_at_the_least_size_house_rules_are_seen_at_once_and_each_says_what_it_means(key):
    app = Host(key)
    async with app.run_test(size=TINY) as pilot:
        rules = [rule for rule in app.table.rules if rule.name != "open_hands"]
        assert f"House rules of {ABOUT[key].title}" in screen_text(app)
        assert format_rule_label(rules[0]) in screen_text(app)
        for rule in rules:
            app.screen.query_one(NewTablePage).move_cursor_to(rule.name)
            await pilot.pause()
            assert rule.meaning in " ".join(screen_text(app).split())


async def test_keys_named_in_the_footer_can_be_clicked():
    app = Host()
    async with app.run_test(size=SMALL) as pilot:
        await app.click(pilot, "↑↓ line")
        assert "You" in app.under_cursor
        await app.click(pilot, "←→ change")
        assert "novice" in app.under_cursor
        await app.click(pilot, "Tab options")
        assert "Hook" in app.under_cursor
        await app.click(pilot, "i rules")
        assert len(app.told) == 1
        await app.click(pilot, "? help")
        assert "at a new table" in screen_text(app)
        await app.click(pilot, "any key")
        await app.click(pilot, "Esc back")
        assert not shows(app, NewTablePage)


async def test_nicks_of_wide_letters_stay_in_their_place():
    app = Host()
    async with app.run_test(size=LARGE) as pilot:
        await pilot.press("down", "A")
        for _ in range(7):
            app.table.get_nick_input(1).insert("漢")
        await pilot.press("down")
        assert "‹ person ›" in app.row("You")
        assert all(len(row) <= 120 for row in screen_text(app).split("\n"))
