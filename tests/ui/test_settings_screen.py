"""Settings, on their page and by keys at the table: applied immediately and saved."""

import re
from contextlib import asynccontextmanager
from functools import partial
from itertools import product

import pytest
from msgspec.structs import asdict
from textual import events

from cardtable.session.session_events import Stage
from cardtable.store import paths, settings
from cardtable.store.settings import KEYS, LOOK, PLAY, ROBOTS, SETTINGS, Settings
from cardtable.ui import settings as settings_page
from cardtable.ui.app import CardtableApp
from cardtable.ui.command_palette import list_more_commands
from cardtable.ui.game_view.game_view import sort_by_rank, sort_by_suit
from cardtable.ui.keys import input_guard, keymap
from cardtable.ui.keys.bindings import SETTINGS_PAGE as SETTINGS_KEYS
from cardtable.ui.keys.bindings import KeyBindings
from cardtable.ui.keys.keymap import DEFAULT_KEYS
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.picker.screen import Picker
from cardtable.ui.settings import TABS, FileProblemsPage, SettingsPage
from cardtable.ui.table.paint.table_widget import TableWidget
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.current_screen import is_shown
from tests.ui.driver import LARGE, SIZES, SMALL, TINY, at_screen, sit_at, start_program
from tests.ui.table_host import QUICK, create_session

CLASSIC = next(path for path in paths.theme_files() if path.stem == "classic")


@pytest.fixture
def few_keys(monkeypatch):
    """Limit the list of keys, so that golden files do not depend on other screens."""
    few = (KeyBindings(TABLE.location, TABLE.keys[:3]), SETTINGS_KEYS)

    def with_few(function):
        def call(*arguments):
            with monkeypatch.context() as patch:  # conflicts are found among all keys
                patch.setattr(keymap, "SCOPES", few)
                return function(*arguments)

        return call

    for function in (keymap.list_screens, keymap.group_bindings_by_screen):
        monkeypatch.setattr(settings_page, function.__name__, with_few(function))


@pytest.fixture(autouse=True)
def home(home, tmp_path, monkeypatch):
    """Provide a home with a short path, the default theme and a red theme of the player's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARDTABLE_HOME", "home")
    own = home / "themes" / "red.toml"
    own.parent.mkdir(parents=True)
    text = CLASSIC.read_text(encoding="utf-8")
    own.write_text(text.replace("Classic green", "All in red").replace("#12372a", "#3a1216"), encoding="utf-8")
    monkeypatch.setattr(paths, "theme_files", lambda: [CLASSIC, *paths.user_theme_files()])
    return home


def list_settings_with_row(part):
    return [setting for setting in SETTINGS.values() if setting.topic == part and setting.values]


def write_settings(text):
    paths.settings_file().write_text(text, encoding="utf-8")


async def show_settings(screen, part=LOOK):
    """Open a part of the settings, closing any list of file problems first."""
    await screen.is_at(Picker | TableScreen | FileProblemsPage)
    if is_shown(screen.app, FileProblemsPage):
        await screen.press("enter")
        await screen.is_at(Picker | TableScreen)
    await screen.press(",")
    await screen.is_at(SettingsPage)
    if part != LOOK:
        await screen.press(str(TABS.index(part) + 1))


@asynccontextmanager
async def open_settings(part=LOOK, size=SMALL, flags=None):
    """Open a part of the settings from the picker; yield the driver and the form."""
    async with at_screen(CardtableApp(Preferences.load(flags or {})), size) as screen:
        await show_settings(screen, part)
        yield screen, screen.page


async def wait_until_saved(screen, **values):
    """Wait until these settings are saved; return all saved settings."""
    await screen.wait_until(lambda: values.items() <= asdict(settings.load()[0]).items())
    return settings.load()[0]


async def move_cursor(screen, line):
    """Move the cursor to a row; another test shows that keys reach every row."""
    screen.page.move_cursor_to(line)
    await screen.pilot.pause()


@pytest.mark.parametrize("part", TABS)
@pytest.mark.usefixtures("few_keys")
async def test_every_part_golden(part):
    write_settings('round_pause = 3\nfuture = "kept"\n[keys]\nhint = "x"\nprevious_trick = "i"\n')
    async with open_settings(part) as (screen, _):
        if part == KEYS:
            await move_cursor(screen, ("key", "close"))
        await screen.check_golden_in_sizes(f"settings_{part.lower()}", (SMALL, LARGE))


@pytest.mark.parametrize("part", [LOOK, KEYS])
@pytest.mark.usefixtures("few_keys")
async def test_small_screen_golden(part):
    async with open_settings(part, TINY) as (screen, _):
        await screen.press("down")
        screen.check_golden(f"settings_{part.lower()}")


@pytest.mark.parametrize("part", [LOOK, PLAY, ROBOTS])
async def test_every_setting_changes_by_keys_and_mouse(part):
    async with open_settings(part, LARGE) as (screen, _):
        for setting in list_settings_with_row(part):
            name, usual = setting.name, setting.default
            read_value = partial(lambda name: getattr(screen.app.preferences.settings, name), name)
            chosen, before = setting.step_value(usual, 1), setting.step_value(usual, -1)
            await move_cursor(screen, name)
            await screen.press("right")
            [y] = [y for y, row in enumerate(screen.rows) if f"{setting.label} " in row and set("‹<") & set(row)]
            assert read_value() == chosen
            assert f" {setting.format_value(chosen)} " in screen.rows[y]
            await wait_until_saved(screen, **{name: chosen})
            await screen.press("left")
            assert read_value() == usual
            await screen.click(40, y)
            assert read_value() == chosen
            await screen.press("backspace")
            assert read_value() == usual
            await screen.click(28, y)
            assert read_value() == before
            await screen.press("enter" if len(setting.values) == 2 else "right")
            assert read_value() == usual


@pytest.mark.parametrize("part", TABS[:-1])
async def test_every_value_is_shown_whole(part):
    async with open_settings(part) as (screen, _):
        for size, setting in product((SMALL, TINY), list_settings_with_row(part)):
            await screen.resize(*size)
            await move_cursor(screen, setting.name)
            for value in setting.values:
                screen.app.preferences.change(**{setting.name: value})
                await screen.pilot.pause()
                text = re.escape(setting.format_value(value))
                assert re.search(rf"^  . {setting.label} +[‹<] *{text} *[›>](  |$)", screen.text, re.MULTILINE)


@pytest.mark.parametrize("part", TABS)
@pytest.mark.usefixtures("few_keys")
async def test_keys_reach_every_row(part):
    write_settings("speed = 1\n")
    async with open_settings(part, TINY) as (screen, form):
        await screen.press("home")
        for line in form.selectable_rows:
            assert form.cursor == line.name
            assert "▌" in screen.text
            await screen.press("down")
        assert form.cursor == form.selectable_rows[0].name, "the last value is followed by the first"
        await screen.press("pagedown pageup end")
        assert form.cursor == form.selectable_rows[-1].name


FLAGS = {setting.name: setting.flag.value for setting in SETTINGS.values() if setting.flag}


def test_flags_are_in_force_but_never_saved():
    preferences = Preferences.load(FLAGS)
    assert preferences.settings == Settings(**FLAGS)
    preferences.change(beep=True)
    assert preferences.save() is None
    assert settings.load()[0] == Settings(beep=True)
    write_settings("robot_pace = 1\n")
    preferences.reload()
    assert preferences.settings == Settings(robot_pace=1.0, **FLAGS)
    for name, value in FLAGS.items():
        preferences.change(**{name: value})
        preferences.change(**{name: not value})
        assert preferences.save() is None
        assert getattr(settings.load()[0], name) is not value


async def test_page_and_palette_show_the_choice_that_a_flag_overrides():
    async with open_settings(size=LARGE, flags={"ascii": True}) as (screen, form):
        await move_cursor(screen, "ascii")
        assert re.search(r"ASCII only +< *off *>", screen.text)
        await screen.press("right")
        assert re.search(r"ASCII only +< *on *>", screen.text)
        await wait_until_saved(screen, ascii=True)
        assert {each.name: each.key for each in list_more_commands(form.context)}["ASCII only: on"] == "now"


async def test_theme_is_previewed_and_applied_by_enter():
    async with open_settings() as (screen, form):
        assert form.cursor == ("theme", "classic")
        await screen.press("down")
        assert form.canvas.grounds[12][78] == "#3a1216", "the preview shows the selected theme"
        assert form.canvas.grounds[12][1] == "#12372a"
        assert screen.app.preferences.theme_name == "classic"
        await screen.press("enter")
        assert form.canvas.grounds[12][1] == "#3a1216", "the whole screen has the new theme"
        await wait_until_saved(screen, theme="red")
        await screen.click_text("♠ ♥ ♦ ♣  5.6")
        assert form.canvas.grounds[12][78] == "#12372a"
        await screen.click_text("♠ ♥ ♦ ♣  5.6")
        assert screen.app.preferences.theme_name == "classic", "a second click applies the theme"
        await screen.press("down enter backspace")
        assert screen.app.preferences.settings.theme == Settings().theme


async def test_key_is_rebound_and_reset_to_preset():
    async with open_settings(KEYS) as (screen, _):
        keymap = lambda: screen.app.preferences.appearance.keys  # noqa: E731 - the one in force now
        await move_cursor(screen, ("key", "hint"))
        await screen.press("enter")
        await screen.sees("press the key")
        await screen.press("x")
        assert (keymap().find(TABLE, "x").name, keymap().find(TABLE, "h")) == ("hint", None)
        await wait_until_saved(screen, keys={"hint": "x"})
        await screen.press("space f5")
        assert keymap().find_keys("hint") == ("x", "f5"), "Space adds a key"
        await screen.press("enter escape")
        assert keymap().find_keys("hint") == ("x", "f5"), "Escape changes no key"
        await screen.press("backspace")
        assert keymap().find_keys("hint") == ("h",)
        await wait_until_saved(screen, keys={})
        await screen.press("escape")
        await screen.is_at(Picker)


@pytest.mark.parametrize(
    ("pressed", "notice"),
    [
        ("l", "l is already “previous trick”"),
        ("7", "hint cannot be '7'; choose a character"),
        ("comma", ", is already “settings”"),
        ("ctrl+m", "hint cannot be 'ctrl+m', which most terminals cannot tell from enter"),
        ("shift+enter", "hint cannot be 'shift+enter', which most terminals cannot send"),
    ],
)
async def test_key_conflict_is_refused(pressed, notice):
    async with open_settings(KEYS) as (screen, _):
        await move_cursor(screen, ("key", "hint"))
        await screen.press("enter", pressed)
        assert notice in read_explanation(screen)
        assert screen.app.preferences.settings.keys == {}
        await screen.press("down")
        assert notice not in screen.text


def read_explanation(screen):
    """Return the text beside the form."""
    return " ".join(" ".join([row[46:] for row in screen.rows]).split())


def test_every_key_name_is_listed_once():
    listed = [name for names in keymap.group_bindings_by_screen().values() for name in names]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(DEFAULT_KEYS)


async def test_file_problems_are_listed_and_long_path_is_shortened(monkeypatch, home):
    long = home / "a" / ("very-" * 30) / "end"
    long.mkdir(parents=True)
    monkeypatch.setenv("CARDTABLE_HOME", str(long))
    paths.user_themes_folder().mkdir()
    (paths.user_themes_folder() / "bad.toml").write_text("title = 1\n")
    (paths.user_themes_folder() / "Mine.toml").write_text(CLASSIC.read_text())
    write_settings('theme = "nothere"\nspeed = 1\n[keys]\nhint = "l"\n')
    async with open_settings(size=LARGE) as (screen, form):
        await screen.sees(f"{len(form.rows.complaints)} problems: see Files")
        assert [line.name for line in form.selectable_rows if line.name[0] == "theme"] == [("theme", "classic")], (
            "invalid theme files are not offered"
        )
        await screen.press("5")
        row = next(row for row in screen.rows if row[4:].startswith("Settings"))
        assert re.search(r"….*end/settings.toml$", row)
        assert len(row) <= 118
        await screen.reads("'speed'", "'nothere'", "bad.toml", "Mine.toml", "both hint and previous_trick")
        await screen.press("end down up home enter right backspace")
        assert screen.app.preferences.settings.theme == "nothere", "the list of problems changes no setting"


async def test_failed_save_is_reported_once_and_choice_applies(monkeypatch):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("cardtable.store.atomic_io.write_atomically", refuse)
    async with open_settings(PLAY) as (screen, form):
        await screen.press("down right")
        assert screen.app.preferences.settings.autoplay
        await screen.sees("not saved: see Files")
        [notice] = screen.notices
        assert notice.endswith("settings.toml: the settings cannot be saved: Read-only file system")
        await screen.press("down right")
        assert screen.app.preferences.settings.beep
        assert len(screen.notices) == 1, "the notice is not repeated"
        await screen.press("5")
        assert form.rows.complaints[0].endswith("the settings cannot be saved: Read-only file system")
        monkeypatch.undo()


async def test_last_of_quick_changes_is_saved():
    async with open_settings(ROBOTS) as (screen, _):
        await screen.press("right " * 9)
        await wait_until_saved(screen, robot_pace=SETTINGS["robot_pace"].values[1])


async def test_external_changes_apply_when_screen_returns():
    async with start_program(create_session("rikiki", 11)) as screen:
        preferences = screen.app.preferences
        await show_settings(screen)
        write_settings('hand_order = "suit"\ntheme = "red"\n')
        await screen.press("escape")
        await screen.is_at(TableScreen)
        await screen.wait_until(lambda: preferences.settings == Settings(hand_order="suit", theme="red"))
        assert screen.app.screen.frame.hand_order == "suit"
        assert screen.app.screen.query_one(TableWidget).appearance.theme.title == "All in red"
        write_settings('theme = "red"\nrobot_pace = 1\n')
        screen.app.post_message(events.AppFocus())
        await screen.wait_until(lambda: preferences.settings == Settings(theme="red", robot_pace=1.0))
        write_settings("robot_pace = fast\n")
        screen.app.post_message(events.AppFocus())
        await screen.wait_until(lambda: "Invalid value" in " ".join(preferences.problems))
        assert preferences.settings.theme == "red", "an unreadable file changes no setting"


async def test_settings_hide_hot_seat_table(monkeypatch):
    monkeypatch.setattr(input_guard, "CURTAIN_SECONDS", 0)
    async with start_program(create_session("rikiki", 11, people=2), key_guard=0) as screen:
        await screen.sees("Anna's turn")
        table = screen.app.screen
        await screen.wait_until(lambda: table.controller.is_awaiting_input)
        await screen.press("enter")
        await screen.wait_until(lambda: table.frame.waiting)
        before, hand = screen.text, table.frame.hand.cards
        await show_settings(screen)
        for part in "12345":
            await screen.press(part)
            assert "Anna's" not in screen.text
            assert "Rikiki" not in screen.text
        await screen.press(",")
        await screen.is_at(TableScreen)
        assert screen.text == before
        assert table.frame.hand.cards == hand


@pytest.mark.parametrize("size", SIZES)
async def test_all_file_problems_stay_until_closed(size, home):
    wrong = [f'wrong{number} = "x"' for number in range(12)]
    write_settings("\n".join(['robot_pace = "fast"', *wrong, "[keys]", 'hint = "l"', ""]))
    (home / "profiles.json").write_text("{")
    (home / "seasons (1).json").write_text("{")
    async with at_screen(CardtableApp(Preferences.load()), size) as screen:
        await screen.is_at(FileProblemsPage)
        read = screen.words
        for _ in range(40):
            await screen.press("down")
            read += screen.words
        for text in ("'fast'", "hint and previous_trick", "profiles.json", "seasons (1).json"):
            assert text in read
        assert all(f"'wrong{number}'" in read for number in range(12))
        await screen.is_at(FileProblemsPage)
        assert not screen.notices
        await screen.press("enter")
        await screen.is_at(Picker)
        write_settings("speed = 1\n")
        screen.app.post_message(events.AppFocus())
        await screen.is_at(FileProblemsPage)
        await screen.sees("'speed'")
        assert "'wrong3'" not in screen.text, "the old problem has been read"
        await screen.press("enter")
        write_settings("robot_pace = fast\n")
        screen.app.post_message(events.AppFocus())
        await screen.is_at(FileProblemsPage)


async def play_until_cards(table):
    """Press Enter until one of several cards is to be played."""
    return await table.play_until(lambda frame: frame.waiting and not frame.decision and len(frame.hand.cards) > 4)


async def test_o_reorders_hand_and_cursor_follows_card():
    async with sit_at(create_session("rikiki", 11)) as table:
        await play_until_cards(table)
        usual = table.frame.hand.cards
        await table.press("right")
        at = table.frame.hand.at
        await table.press("o")
        assert table.frame.hand.cards == usual == tuple(sort_by_suit(sum(1 << card for card in usual)))
        await table.sees("Order of the hand: by suit")
        await table.press("o")
        assert table.frame.hand.cards == tuple(sort_by_rank(sum(1 << card for card in usual))) != usual
        assert table.frame.hand.at == at
        assert not table.frame.has_suit_gaps, "there are no gaps between suits in this order"
        await table.sees("Order of the hand: by rank")
        await table.press("right")
        assert "Order of the hand" not in table.text, "the next key restores the prompt"
        assert table.frame.hand.cards.index(table.frame.hand.at) > usual.index(usual[0])
        await table.press("o")
        assert table.frame.hand.cards == usual
        assert table.app.preferences.settings.hand_order == "usual"


async def test_f_b_and_z_change_settings_and_report():
    async with sit_at(create_session("rikiki", 11)) as table:
        await play_until_cards(table)
        clubs, *_, spades = table.app.preferences.appearance.theme.suits.face
        assert clubs != spades
        for key, name, label in (
            ("f", "four_colours", "Suit colours: two"),
            ("b", "beep", "Beep on your turn: on"),
            ("z", "card_size", "Card size: 5x3"),
        ):
            before = getattr(table.app.preferences.settings, name)
            await table.press(key)
            await table.sees(label)
            assert getattr(table.app.preferences.settings, name) != before
        clubs, *_, spades = table.app.preferences.appearance.theme.suits.face
        assert clubs == spades
        assert table.app.preferences.appearance.cards == "5x3"
        assert table.frame.waiting


async def test_settings_keys_are_disabled_at_curtain():
    async with sit_at(create_session("rikiki", 11, people=2)) as table:
        assert table.frame.stage is Stage.CURTAIN
        await table.press("o z f b")
        assert table.app.preferences.settings == QUICK


@pytest.mark.parametrize(
    ("name", "value", "step", "then"),
    [
        ("robot_pace", 0.65, 1, 0.8),
        ("robot_pace", 0.65, -1, 0.6),
        ("robot_pace", 2.0, 1, 0.0),
        ("trick_pause", 10.0, 1, "key"),
        ("trick_pause", "key", 1, 0.0),
        ("hand_order", "usual", -1, "melds"),
    ],
)
def test_setting_steps_to_next_value(name, value, step, then):
    assert SETTINGS[name].step_value(value, step) == then


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("robot_pace", 0.0, "at once"),
        ("robot_pace", 0.65, "0.65 s"),
        ("trick_pause", 0.0, "no time"),
        ("trick_pause", "key", "until a key"),
        ("four_colours", False, "two"),
    ],
)
def test_setting_values_are_formatted(name, value, text):
    assert SETTINGS[name].format_value(value) == text
