"""Settings page: every setting by keys and mouse, applied immediately and saved."""

import re
from functools import partial

import pytest
from msgspec.structs import replace
from textual import events

from cardtable.store import paths, settings
from cardtable.store.settings import KEYS, LOOK, PLAY, ROBOTS, SETTINGS, Settings
from cardtable.ui import settings as settings_page
from cardtable.ui.app import CardtableApp
from cardtable.ui.command_palette import list_more_commands
from cardtable.ui.keys import keymap
from cardtable.ui.keys.bindings import SETTINGS_PAGE as SETTINGS_KEYS
from cardtable.ui.keys.bindings import KeyBindings
from cardtable.ui.keys.keymap import DEFAULT_KEYS
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.picker.screen import Picker
from cardtable.ui.settings import FILES, TABS, FileProblemsPage, SettingsPage
from cardtable.ui.table.paint.table_widget import TableWidget
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.golden_files import check_golden
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import create_session, infinite_clock, wait_until

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
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


async def open_settings(pilot):
    """Open the settings, closing any list of file problems first; return the form."""
    await wait_until(pilot, lambda: is_shown(pilot.app, Picker | TableScreen | FileProblemsPage))
    if is_shown(pilot.app, FileProblemsPage):
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_shown(pilot.app, Picker | TableScreen))
    await pilot.press(",")
    await wait_until(pilot, lambda: is_shown(pilot.app, SettingsPage) and pilot.app.screen.is_mounted)
    await pilot.pause()
    return pilot.app.screen.page


def create_app():
    return CardtableApp(Preferences.load())


async def wait_until_saved(pilot, holds):
    """Wait until the saved settings satisfy `holds`; return them."""
    await wait_until(pilot, lambda: holds(settings.load()[0]))
    return settings.load()[0]


async def move_cursor(pilot, form, line):
    """Move the cursor to a row; another test shows that keys reach every row."""
    form.move_cursor_to(line)
    await pilot.pause()


def find_row(pilot, label):
    """Return the number of the row that shows the value of a setting."""
    return next(
        y for y, row in enumerate(screen_text(pilot.app).split("\n")) if f"{label} " in row and set("‹<") & set(row)
    )


async def click(pilot, text, *, end=False):
    """Click the first or the last character of a text."""
    rows = screen_text(pilot.app).split("\n")
    x, y = next((row.index(text), y) for y, row in enumerate(rows) if text in row)
    await pilot.click(offset=(x + (len(text) - 1) * end, y))
    await pilot.pause()


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("part", TABS)
@pytest.mark.usefixtures("few_keys")
async def test_every_part_golden(part, size):
    write_settings('round_pause = 3\nfuture = "kept"\n[keys]\nhint = "x"\nprevious_trick = "i"\n')
    async with create_app().run_test(size=size) as pilot:
        form = await open_settings(pilot)
        await pilot.press(str(TABS.index(part) + 1))
        if part == KEYS:
            await move_cursor(pilot, form, ("key", "close"))
        check_golden(f"settings_{part.lower()}_{size[0]}x{size[1]}.txt", screen_text(pilot.app))


@pytest.mark.parametrize("part", ["Look", KEYS])
@pytest.mark.usefixtures("few_keys")
async def test_small_screen_golden(part):
    async with create_app().run_test(size=TINY) as pilot:
        await open_settings(pilot)
        await pilot.press(str(TABS.index(part) + 1), "down")
        check_golden(f"settings_{part.lower()}_60x18.txt", screen_text(pilot.app))


async def test_tab_and_digits_switch_parts():
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        for part in (*TABS[1:], TABS[0]):
            await pilot.press("tab")
            assert form.part == part
        for part in reversed(TABS):
            await pilot.press("shift+tab")
            assert form.part == part
        await pilot.press("4")
        assert form.part == KEYS
        await click(pilot, "Robots")
        assert form.part == "Robots"


@pytest.mark.parametrize("part", [LOOK, PLAY, ROBOTS])
async def test_every_setting_changes_by_keys_and_mouse(part):
    async with create_app().run_test(size=LARGE) as pilot:
        form = await open_settings(pilot)
        await pilot.press(str(TABS.index(part) + 1))
        for setting in list_settings_with_row(part):
            name, usual = setting.name, setting.default
            read_value = partial(lambda name: getattr(form.context.preferences.settings, name), name)
            chosen, before = setting.step_value(usual, 1), setting.step_value(usual, -1)
            await move_cursor(pilot, form, name)
            await pilot.press("right")
            row = find_row(pilot, setting.label)
            assert read_value() == chosen
            assert f" {setting.format_value(chosen)} " in screen_text(pilot.app).split("\n")[row]
            await wait_until_saved(pilot, lambda saved, name=name, chosen=chosen: getattr(saved, name) == chosen)
            await pilot.press("left")
            assert read_value() == usual
            await pilot.click(offset=(40, row))
            assert read_value() == chosen
            await pilot.press("backspace")
            assert read_value() == usual
            await pilot.click(offset=(28, row))
            assert read_value() == before
            await pilot.press("enter" if len(setting.values) == 2 else "right")
            assert read_value() == usual


@pytest.mark.parametrize("part", TABS[:-1])
@pytest.mark.parametrize("size", [TINY, SMALL, LARGE])
async def test_every_value_is_shown_whole(part, size):
    async with create_app().run_test(size=size) as pilot:
        form = await open_settings(pilot)
        await pilot.press(str(TABS.index(part) + 1))
        for setting in list_settings_with_row(part):
            await move_cursor(pilot, form, setting.name)
            for value in setting.values:
                form.context.preferences.change(**{setting.name: value})
                await pilot.pause()
                assert re.search(
                    rf"^  . {setting.label} +[‹<] *{re.escape(setting.format_value(value))} *[›>](  |$)",
                    screen_text(pilot.app),
                    re.MULTILINE,
                )


@pytest.mark.parametrize("size", [TINY, SMALL, LARGE])
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("of sixteen signs", "of sixteen signs"),
        ("instant: no pause", "instant: no pause"),
        ("twenty-one characters", "twenty-one characters"),
        ("words that no screen could ever show " * 3, "words that no screen"),
    ],
)
async def test_long_value_is_shown_whole_or_shortened(monkeypatch, size, words, shown):
    monkeypatch.setitem(SETTINGS, "robot_pace", replace(SETTINGS["robot_pace"], words={0.6: words}))
    async with create_app().run_test(size=size) as pilot:
        await open_settings(pilot)
        await pilot.press("3")
        assert re.search(rf"^  ▌ Pace of robots +‹ *{shown}.*›", screen_text(pilot.app), re.MULTILINE)


@pytest.mark.parametrize("part", TABS)
@pytest.mark.usefixtures("few_keys")
async def test_keys_reach_every_row(part):
    write_settings("speed = 1\n")
    async with create_app().run_test(size=TINY) as pilot:
        form = await open_settings(pilot)
        await pilot.press(str(TABS.index(part) + 1), "home")
        for line in form.selectable_rows:
            assert form.cursor == line.name
            assert "▌" in screen_text(pilot.app)
            await pilot.press("down")
        assert form.cursor == form.selectable_rows[0].name, "the last value is followed by the first"
        await pilot.press("pagedown", "pageup", "end")
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
    async with CardtableApp(Preferences.load({"ascii": True})).run_test(size=LARGE) as pilot:
        form = await open_settings(pilot)
        await move_cursor(pilot, form, "ascii")
        assert re.search(r"ASCII only +< *off *>", screen_text(pilot.app))
        await pilot.press("right")
        assert re.search(r"ASCII only +< *on *>", screen_text(pilot.app))
        await wait_until_saved(pilot, lambda saved: saved.ascii)
        commands = {each.name: each.key for each in list_more_commands(form.context)}
        assert commands["ASCII only: on"] == "now"


async def test_theme_is_previewed_and_applied_by_enter():
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        page = pilot.app.screen.page
        assert form.cursor == ("theme", "classic")
        await pilot.press("down")
        assert page.canvas.grounds[12][78] == "#3a1216", "the preview shows the selected theme"
        assert page.canvas.grounds[12][1] == "#12372a"
        assert form.context.preferences.theme_name == "classic"
        await pilot.press("enter")
        assert page.canvas.grounds[12][1] == "#3a1216", "the whole screen has the new theme"
        assert (await wait_until_saved(pilot, lambda saved: saved.theme == "red")).theme == "red"
        await click(pilot, "♠ ♥ ♦ ♣  5.6")
        assert page.canvas.grounds[12][78] == "#12372a"
        await click(pilot, "♠ ♥ ♦ ♣  5.6")
        assert form.context.preferences.theme_name == "classic", "a second click applies the theme"
        await pilot.press("down", "enter", "backspace")
        assert form.context.preferences.settings.theme == Settings().theme


async def test_preview_shows_card_size_and_suit_colours():
    async with create_app().run_test(size=LARGE) as pilot:
        form = await open_settings(pilot)
        await move_cursor(pilot, form, "card_size")
        await pilot.press("left")
        assert form.context.preferences.settings.card_size == "line"
        assert "▏K♥" in screen_text(pilot.app)
        page = pilot.app.screen.page
        assert len({page.canvas.inks[7][x] for x in (32, 34, 36, 38)}) == 4
        await pilot.press("down", "right")
        assert len({page.canvas.inks[7][x] for x in (32, 34, 36, 38)}) == 2


async def test_key_is_rebound_and_reset_to_preset():
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        keymap = lambda: form.context.preferences.appearance.keys  # noqa: E731 - the one in force now
        await pilot.press("4")
        await move_cursor(pilot, form, ("key", "hint"))
        await pilot.press("enter")
        assert "press the key" in screen_text(pilot.app)
        await pilot.press("x")
        assert keymap().find(TABLE, "x").name == "hint"
        assert keymap().find(TABLE, "h") is None
        await wait_until_saved(pilot, lambda saved: saved.keys == {"hint": "x"})
        await pilot.press("space", "f5")
        assert keymap().find_keys("hint") == ("x", "f5"), "Space adds a key"
        await pilot.press("enter", "escape")
        assert keymap().find_keys("hint") == ("x", "f5"), "Escape changes no key"
        await pilot.press("backspace")
        assert keymap().find_keys("hint") == ("h",)
        await wait_until_saved(pilot, lambda saved: saved.keys == {})
        await pilot.press("escape")
        assert is_shown(pilot.app, Picker)


async def test_key_conflict_is_shown_on_small_screen():
    async with create_app().run_test(size=TINY) as pilot:
        form = await open_settings(pilot)
        await pilot.press("4")
        await move_cursor(pilot, form, ("key", "hint"))
        await pilot.press("enter", "l")
        assert "l is already “previous trick” (at the table" in screen_text(pilot.app)


def read_explanation(app):
    """Return the text beside the form."""
    return " ".join(" ".join([row[46:] for row in screen_text(app).split("\n")]).split())


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
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        await pilot.press("4")
        await move_cursor(pilot, form, ("key", "hint"))
        await pilot.press("enter", pressed)
        assert notice in read_explanation(pilot.app)
        assert form.context.preferences.settings.keys == {}
        await pilot.press("down")
        assert notice not in screen_text(pilot.app)


async def test_preset_key_in_use_is_refused():
    write_settings('[keys]\nhint = "l"\nprevious_trick = "h"\n')
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        await pilot.press("4")
        await move_cursor(pilot, form, ("key", "hint"))
        await pilot.press("backspace")
        assert "h is already “previous trick”" in read_explanation(pilot.app)
        assert form.context.preferences.settings.keys == {"hint": "l", "previous_trick": "h"}


async def test_vim_preset_applies_immediately():
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        await pilot.press("4", "right")
        assert form.context.preferences.settings.key_preset == "vim"
        await pilot.press("j")
        assert form.cursor[0] == "key"
        await pilot.press("k", "h")
        assert form.context.preferences.settings.key_preset == "default"


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
    async with create_app().run_test(size=LARGE) as pilot:
        form = await open_settings(pilot)
        assert f"{len(form.rows.complaints)} problems: see Files" in screen_text(pilot.app)
        assert [line.name for line in form.selectable_rows if line.name[0] == "theme"] == [("theme", "classic")], (
            "invalid theme files are not offered"
        )
        await pilot.press("5")
        text = screen_text(pilot.app)
        assert form.part == FILES
        row = next(row for row in text.split("\n") if row[4:].startswith("Settings"))
        assert row.endswith("end/settings.toml")
        assert "…" in row
        assert len(row) <= 118
        for expected in ("'speed'", "'nothere'", "bad.toml", "Mine.toml", "both hint and previous_trick"):
            assert expected in " ".join(text.split())
        await pilot.press("end", "down", "up", "home", "enter", "right", "backspace")
        assert form.context.preferences.settings.theme == "nothere", "the list of problems changes no setting"


async def test_failed_save_is_reported_once_and_choice_applies(monkeypatch):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("cardtable.store.atomic_io.write_atomically", refuse)
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        await pilot.press("2", "down", "right")
        assert form.context.preferences.settings.autoplay
        await wait_until(pilot, lambda: form.context.preferences.save_error)
        await pilot.pause()
        [notice] = list_notices(pilot.app)
        assert notice.endswith("settings.toml: the settings cannot be saved: Read-only file system")
        assert "not saved: see Files" in screen_text(pilot.app)
        await pilot.press("down", "right")
        await wait_until(pilot, lambda: form.context.preferences.settings.beep)
        await pilot.pause()
        assert len(list_notices(pilot.app)) == 1, "the notice is not repeated"
        await pilot.press("5")
        assert form.rows.complaints[0].endswith("the settings cannot be saved: Read-only file system")
        monkeypatch.undo()


async def test_damaged_file_is_reported_and_unchanged():
    write_settings("robot_pace = fast\n")
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        assert "1 problem: see Files" in screen_text(pilot.app)
        await pilot.press("2", "right")
        assert form.context.preferences.settings.hand_order == "suit"
        await wait_until(pilot, lambda: form.context.preferences.save_error)
        assert paths.settings_file().read_text() == "robot_pace = fast\n"


async def test_last_of_quick_changes_is_saved():
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        await pilot.press("3", *["right"] * 9)
        chosen = form.context.preferences.settings.robot_pace
        assert chosen == SETTINGS["robot_pace"].values[1]
    await wait_until(pilot, lambda: settings.load()[0].robot_pace == chosen)


async def test_external_changes_are_merged():
    write_settings('[keys]\nhint = "x"\n')
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        write_settings('beep = true\n[keys]\nhint = "x"\nprevious_trick = "i"\n')  # by another program
        await pilot.press("3", "right")
        chosen = form.context.preferences.settings.robot_pace
        saved_settings = await wait_until_saved(pilot, lambda saved: saved.robot_pace == chosen)
        assert saved_settings == Settings(beep=True, robot_pace=chosen, keys={"hint": "x", "previous_trick": "i"})
        await wait_until(pilot, lambda: form.context.preferences.settings == saved_settings)
        write_settings('beep = true\n[keys]\nhint = "x"\nprevious_trick = "i"\nsheet = "ctrl+b"\n')
        form.context.preferences.change(keys={"previous_trick": "i"})
        await wait_until_saved(pilot, lambda saved: saved.keys == {"previous_trick": "i", "sheet": "ctrl+b"})


async def test_external_changes_apply_when_screen_returns():
    async with CardtableApp(Preferences.load(), create_session("rikiki", 11)).run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        write_settings('hand_order = "suit"\ntheme = "red"\n')
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, TableScreen))
        await wait_until(pilot, lambda: form.context.preferences.settings == Settings(hand_order="suit", theme="red"))
        assert pilot.app.screen.frame.hand_order == "suit"
        assert pilot.app.screen.query_one(TableWidget).appearance.theme.title == "All in red"
        write_settings('theme = "red"\nrobot_pace = 1\n')
        pilot.app.post_message(events.AppFocus())
        await wait_until(pilot, lambda: form.context.preferences.settings == Settings(theme="red", robot_pace=1.0))
        write_settings("robot_pace = fast\n")
        pilot.app.post_message(events.AppFocus())
        await wait_until(pilot, lambda: "Invalid value" in " ".join(form.context.preferences.problems))
        assert form.context.preferences.settings.theme == "red", "an unreadable file changes no setting"


async def test_settings_hide_hot_seat_table():
    begun = create_session("rikiki", 11, people=2)
    async with CardtableApp(Preferences.load(), begun).run_test(size=SMALL) as pilot:
        await wait_until(
            pilot, lambda: isinstance(pilot.app.screen, TableScreen) and pilot.app.screen.controller.is_awaiting_input
        )
        table = pilot.app.screen
        table.guard._clock = infinite_clock
        await pilot.press("enter")
        await wait_until(pilot, lambda: table.controller.is_awaiting_input and table.frame.waiting)
        await pilot.pause()
        before, hand = screen_text(pilot.app), table.frame.hand.cards
        await open_settings(pilot)
        for part in "12345":
            await pilot.press(part)
            assert "Anna's" not in screen_text(pilot.app)
            assert "Rikiki" not in screen_text(pilot.app)
        await pilot.press(",")
        await wait_until(pilot, lambda: pilot.app.screen is table)
        await pilot.pause()
        assert screen_text(pilot.app) == before
        assert table.frame.hand.cards == hand


async def test_settings_apply_to_table_below():
    async with CardtableApp(Preferences.load(), create_session("rikiki", 11)).run_test(size=SMALL) as pilot:
        await wait_until(
            pilot, lambda: isinstance(pilot.app.screen, TableScreen) and pilot.app.screen.controller.is_awaiting_input
        )
        table = pilot.app.screen
        await open_settings(pilot)
        await pilot.press("down", "enter", "2", "left", "left", "4", "escape")
        await wait_until(pilot, lambda: pilot.app.screen is table)
        assert table.view.canvas.grounds[20][0] == "#3a1216"
        assert table.frame.hand_order == "rank"


async def test_changed_value_resolves_problem():
    write_settings('robot_pace = "fast"\nspeed = 1\n')
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        assert len(form.rows.complaints) == 2
        await pilot.press("3", "right")
        await wait_until(pilot, lambda: len(form.rows.complaints) == 1)
        await pilot.pause()
        assert "1 problem: see Files" in screen_text(pilot.app)


async def test_problems_are_reported_once():
    write_settings('[keys]\nhint = "l"\n')
    async with create_app().run_test(size=SMALL) as pilot:
        form = await open_settings(pilot)
        await pilot.press("2", "right", "right", "right", "right")
        await wait_until_saved(pilot, lambda saved: saved.hand_order == "usual")
        assert form.rows.complaints
        assert len(pilot.app.screen_stack) == 2, "only the picker and the settings are open"


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_all_file_problems_stay_until_closed(size, home):
    wrong = [f'wrong{number} = "x"' for number in range(12)]
    write_settings("\n".join(['robot_pace = "fast"', *wrong, "[keys]", 'hint = "l"', ""]))
    (home / "profiles.json").write_text("{")
    (home / "seasons (1).json").write_text("{")
    async with create_app().run_test(size=size) as pilot:
        await wait_until(pilot, lambda: is_shown(pilot.app, FileProblemsPage))
        await pilot.pause()
        read = screen_text(pilot.app)
        for _ in range(40):
            await pilot.press("down")
            read += screen_text(pilot.app)
        for text in (
            "'fast'",
            *[f"'wrong{number}'" for number in range(12)],
            "hint and previous_trick",
            "profiles.json",
            "seasons (1).json",
        ):
            assert text in " ".join(read.split())
        assert is_shown(pilot.app, FileProblemsPage)
        assert not list_notices(pilot.app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_shown(pilot.app, Picker))
        write_settings("speed = 1\n")
        pilot.app.post_message(events.AppFocus())
        await wait_until(pilot, lambda: is_shown(pilot.app, FileProblemsPage))
        await pilot.pause()
        assert "'speed'" in screen_text(pilot.app)
        assert "'wrong3'" not in screen_text(pilot.app), "the old problem has been read"
        await pilot.press("enter")
        write_settings("robot_pace = fast\n")
        pilot.app.post_message(events.AppFocus())
        await wait_until(pilot, lambda: is_shown(pilot.app, FileProblemsPage))
