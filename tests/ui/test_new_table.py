"""New table: game, seats, house rules and deal, in the model and on the page."""

import re
from datetime import date

import pytest
from textual.app import App

from cardtable.club.open_table import OpenTableForm, parse_open_table
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import paths, seating, session_setup
from cardtable.store.score_tables import ScoreTableForm
from cardtable.store.session_setup import GAME
from cardtable.ui.club import open_table_page
from cardtable.ui.new_table import BY_NUMBER, DEAL, NewTableForm, NewTablePage, NewTableRows
from cardtable.ui.score_table import screen
from cardtable.ui.toolkit.form import make_field_row
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.wording.players import describe_level
from tests.records.archive_sessions import archive_random_session
from tests.ui.canvas_rendering import APPEARANCE
from tests.ui.driver import LARGE, SIZES, SMALL, at_screen
from tests.ui.recording_context import RecordingContext
from tests.ui.records_host import InProcessStatistics
from tests.ui.screen_text import screen_text

TODAY = date(2026, 11, 20)


def create_table(key="rikiki"):
    return NewTableForm(key, today=TODAY)


def get_rows(table):
    """Return the rows that can be changed, by name."""
    made = NewTableRows(table, None, lambda: None, show_all_errors=False)
    return {
        line.name: line for line in (*made.create_left_rows(0), *made.create_right_rows(0, 40)) if line.name is not None
    }


def step(table, name, step):
    """Step a row to another value."""
    get_rows(table)[name].on_step(step)


def type_text(table, name, text):
    """Type a text into a row; return the characters that the row did not accept."""

    def takes(char, anew):
        row = get_rows(table)[name]
        if row.text_input:
            return row.text_input.handle_key(char, char, None)
        return row.on_text is not None and row.on_text(char, anew)

    return "".join([char for place, char in enumerate(text) if not takes(char, place == 0)])


def press_backspace(table, name):
    row = get_rows(table)[name]
    if row.text_input:
        row.text_input.edit("backspace")
    elif row.on_backspace:
        row.on_backspace()


def list_seats(table):
    return [(occupant.name, occupant.robot) for occupant in table.create_setup().seats]


@pytest.mark.parametrize("key", KEYS)
def test_default_setup_equals_quick_start(key):
    table, game = create_table(key), GAMES[key]
    setup = table.create_setup()
    assert setup == (game, seating.create_default_seats(game, game.options()), game.options(), None, True, ())
    assert table.first_error is None
    assert table.has_default_rules


def test_seat_steps_through_person_and_robot_levels():
    table, seen = create_table(), []
    for _ in range(len(LEVELS)):
        seen.append(get_rows(table)[1].value)
        step(table, 1, 1)
    assert sorted(seen) == sorted({"person", *LEVELS} - {"random"})
    step(table, 1, -1)
    assert list_seats(table)[1] == ("Ada", "novice")


@pytest.mark.parametrize(
    ("nicks", "at", "reason"),
    [
        (["Al"], 0, "one word of 3 to 8 letters or digits"),
        (["1st"], 0, "starts with a letter"),
        (["Ada"], 0, "robot has that name; choose another nick"),
        (["guest"], 0, "Guest is everyone without a profile; choose another"),
        (["Anna", "Anna"], 1, "Anna sits in two seats"),
        (["Ill", "Il1"], 1, "Il1 looks like Ill: type another nick"),
        (["\u0410da"], 0, "\u0410da looks like Ada: type another nick"),
        (["", ""], 1, "only one seat can be Guest"),
        (["Anna", "Bob", "Bo"], 2, "3 to 8"),
    ],
)
def test_invalid_nick_names_its_seat(nicks, at, reason):
    table = create_table()
    for number, nick in enumerate(nicks):
        table.players[number].kind = "person"
        type_text(table, number, nick)
    assert table.first_error.name == at
    assert reason in table.first_error.reason


def test_deal_number_is_typed():
    table = create_table()
    type_text(table, "deal", "07")
    assert (table.get_value(DEAL), table.create_setup().seed) == (BY_NUMBER, 7)
    table = create_table()
    step(table, "deal", 1)
    assert table.first_error == ("deal", "type the number of the deal")
    assert type_text(table, "deal", "20x261120") == "x"
    assert table.create_setup().seed == 20261120
    press_backspace(table, "deal")
    assert table.create_setup().seed == 2026112
    type_text(table, "deal", "9" * 20)
    assert len(table.number_input.text) == 15, "the deal number is limited to 15 digits"
    step(table, "deal", -1)
    assert table.create_setup().seed is None
    press_backspace(table, "deal")
    step(table, "deal", 1)
    assert len(table.number_input.text) == 15, "Backspace does not change a hidden number"


def test_clock_minutes_are_stepped_or_typed():
    table, clock = create_table(), "round_clock"

    def value():
        return table.create_setup().options.to_dict()["round_clock"]

    for direction, expected in ((1, 5), (1, 10), (1, 15), (-1, 10), (-1, 5), (-1, "off"), (-1, "off")):
        step(table, clock, direction)
        assert value() == expected
    for typed, expected in (("7", 7), ("12", 12), ("3", 3)):
        assert (type_text(table, clock, typed), value()) == ("", expected)
    assert get_rows(table)[clock].value == "3 minutes"
    step(table, clock, -1)
    assert value() == "off"
    type_text(table, clock, "3")
    press_backspace(table, clock)
    for typed, expected in (("0", "off"), ("99999", 999)):
        assert (type_text(table, clock, typed), value()) == ("", expected)
    assert type_text(table, "hook", "1") == "1", "a rule that is not a time takes no digits"


def test_daily_deal_fixes_game_seats_and_house_rules():
    table = create_table()
    type_text(table, 0, "Anna")
    step(table, "hook", 1)
    step(table, 1, 2)
    step(table, "deal", -1)
    assert table.is_daily
    game = GAMES[session_setup.get_daily_game(TODAY)]
    robots = seating.create_default_seats(game, game.options())[1:]
    assert table.create_setup() == (game, (Occupant("Anna"), *robots), game.options(), 20261120, False, ())
    assert [*get_rows(table)] == [0, "deal", "begin"]
    assert get_rows(table)[0].on_step is None, "a robot cannot take the player's seat"
    type_text(table, 0, "7")
    step(table, "deal", 1)
    assert list_seats(table)[:2] == [("Anna7", None), ("Guest", None)], "the earlier choices are back"
    assert table.create_setup().options.hook == "always"


@pytest.mark.parametrize("by_lot", [True, False])
def test_session_equals_command_line_session(by_lot):
    table = create_table()
    type_text(table, 0, "Anna")
    type_text(table, "deal", "7")
    step(table, "length", 1)
    if not by_lot:
        step(table, "seating", 1)
    session = table.create_setup().begin()
    session.close()
    [path] = paths.list_files(paths.sessions_folder(), ".jsonl")
    assert path == session.path
    listed = seating.parse_seats("person:Anna,steady,steady,steady", GAMES["rikiki"])
    assert session.header.seats == (seating.shuffle_seats(listed, 7) if by_lot else listed)
    assert (session.header.seed, session.header.options["length"]) == (7, "short")


SMALL_WIDTH, TINY_WIDTH = 80 - 2 * MARGIN, 60 - 2 * MARGIN
FORMS = [NewTableForm, OpenTableForm, ScoreTableForm]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("create_form", FORMS)
def test_keys_reach_every_value_and_return(create_form, key):
    for field in [*create_form(key).list_fields(), *create_form(key).list_rules()]:
        form = create_form(key)
        if field.minutes:
            continue
        seen = []
        for _ in field.values:
            seen.append(form.get_value(field))
            assert form.format_value(field) == field.values[seen[-1]]
            form.step(field, 1)
        assert sorted(seen, key=str) == sorted(field.values, key=str)
        form.choose(field, seen[0])
        form.step(field, -1)
        assert form.get_value(field) == seen[-1]


@pytest.mark.parametrize("create_form", FORMS)
def test_only_answers_of_the_game_change_with_the_game(create_form):
    form = create_form("rikiki")
    for field in [*form.list_fields(), *form.list_rules()]:
        if field.name not in (GAME, "deal"):
            form.step(field, 1)
    before = {field.name: form.get_value(field) for field in [*form.list_fields(), *form.list_rules()]}
    form.choose(form.game_field, "gurka")
    assert form.options == form.default_options
    assert form.seats == form.game.about.usual_seats
    assert {field.name: form.get_value(field) for field in form.list_fields() if not field.of_game} == {
        field.name: before[field.name] if field.name != GAME else "gurka"
        for field in form.list_fields()
        if not field.of_game
    }
    form.choose(form.game_field, "rikiki")
    assert {field.name: form.get_value(field) for field in [*form.list_fields(), *form.list_rules()]} == before


@pytest.mark.parametrize("width", [SMALL_WIDTH, TINY_WIDTH])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("create_form", "stops"), [(OpenTableForm, open_table_page.STOPS), (ScoreTableForm, screen.STOPS)]
)
def test_every_value_is_shown_whole(create_form, stops, key, width):
    for field in [*create_form(key).list_fields(), *create_form(key).list_rules()]:
        for value, words in field.values.items():
            form = create_form(key)
            form.choose(field, value)
            canvas = Canvas(width, 1, APPEARANCE)
            make_field_row(form, field, stops).to_block(width).paint(BlockArea(canvas, 0, 0, width, has_cursor=False))
            assert re.fullmatch(rf" +{field.label} +‹? *{re.escape(words)} *›? *", "".join(canvas.chars[0]))


@pytest.mark.parametrize("key", KEYS)
def test_words_of_open_mean_what_the_page_asks(key):
    form = OpenTableForm(key)
    for field in [*form.list_fields(), *form.list_rules()]:
        if field.name in (GAME, "access"):
            continue
        for value in field.values:
            form = OpenTableForm(key)
            form.choose(form.growth_field, "off")
            form.choose(field, value)
            words = [f"grow={form.get_value(form.growth_field)}", f"seats={form.seats}"]
            words += [f"{field.name}={value}"] if field.name not in ("grow", "seats") else []
            assert parse_open_table([key, *words]) == form.create_request([])
    form.choose(form.list_fields()[-1], "invited")
    assert parse_open_table([key, "private", f"seats={form.seats}"]).private


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


async def test_default_table_golden():
    async with at_screen(Host()) as screen:
        await screen.press("down down")
        await screen.check_golden_in_sizes("new_table")


async def test_ratings_beside_nicks():
    archive_random_session("bridge", "Anna expert", id_="a", seed=1)
    async with at_screen(Host("bridge")) as screen:
        await screen.press("down left left down", *"anna", "down right")
        await screen.check_golden_in_sizes("new_table_rated")
        ratings = [screen.app.table.get_rating(seat) for seat in (0, 1)]
        assert min(ratings) < 1000 < max(ratings), "the ratings differ after one session"
        for name, rating in zip(("Anna", "expert"), ratings, strict=True):
            assert str(rating) in screen.find_row(name).split()
        await screen.press("up up up right")
        assert screen.app.table.game.about.key != "bridge"
        assert screen.app.table.get_rating(0) is None, "ratings belong to one game"


async def test_invalid_nick_and_house_rules_golden():
    async with at_screen(Host("bridge")) as screen:
        await screen.press("down left down", *"anna", "down right right", *"bo")
        await screen.press("tab right tab enter")
        await screen.check_golden_in_sizes("new_table_wrong", (SMALL, LARGE))
        assert screen.app.requests == []


async def test_daily_deal_golden(monkeypatch):
    monkeypatch.setattr(session_setup, "get_daily_game", lambda _day: "bridge")
    async with at_screen(Host("bridge")) as screen:
        await screen.press(*["down"] * 7, "left")
        await screen.check_golden_in_sizes("new_table_daily", (SMALL, LARGE))


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
                assert describe_level(key, "steady").split()[-1] in screen.text, "the strength of the level is complete"
            await screen.press("down")
        assert "Game" in screen.app.row_under_cursor, "the last value is followed by the first"


async def test_enter_moves_to_invalid_row_and_explains():
    async with at_screen(Host()) as screen:
        await screen.press("down down left left end enter")
        assert screen.app.requests == []
        assert "Guest" in screen.app.row_under_cursor
        await screen.sees("Only one seat can be Guest")
        await screen.press("right enter")
        assert len(screen.app.requests) == 1


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
