"""Command palette: commands are found by their words."""

import pytest

from cardtable.store import passwords, profiles, sessions
from cardtable.ui import command_palette
from cardtable.ui.app import CardtableApp
from cardtable.ui.command_palette import PaletteScreen
from cardtable.ui.keys.bindings import MOVE_TOPIC
from cardtable.ui.keys.keymap import SCOPES
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.picker.screen import Picker
from cardtable.ui.records.statistics_page import StatisticsPage
from cardtable.ui.rules import RulesPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.bursts import key_event, send
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import create_session, infinite_clock, wait_until

pytestmark = pytest.mark.usefixtures("in_process_statistics")


async def run_command(pilot, app, words):
    """Open the palette, type the words and run the first match."""
    await pilot.press("ctrl+p")
    await wait_until(pilot, lambda: isinstance(app.screen, PaletteScreen))
    await pilot.press(*["space" if letter == " " else letter for letter in words])
    await pilot.press("enter")
    await wait_until(pilot, lambda: not isinstance(app.screen, PaletteScreen))


@pytest.fixture
def app(request):
    return CardtableApp(Preferences.load(), getattr(request, "param", lambda: None)())


async def test_play_is_listed_once_at_table(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await run_command(pilot, app, "play gurka")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.frame.waiting)
        names = [command.name for command in command_palette.list_commands(app.context, app.screen)]
        assert [name for name in names if "choose" in name.casefold()] == ["Play or choose"]


async def test_game_starts_by_name(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await run_command(pilot, app, "Play King")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.header.game == "king"


@pytest.mark.parametrize("app", [lambda: create_session("rikiki", 11)], indirect=True)
async def test_starting_another_game_saves_session(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen.frame.waiting)
        before = app.screen.session
        await run_command(pilot, app, "Play Gurka")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.session is not before)
        assert before.path.is_file()
        assert app.screen.session.header.game == "gurka"
        assert [type(screen) for screen in app.screen_stack] == [PageScreen, TableScreen]


@pytest.mark.parametrize("app", [lambda: create_session("rikiki", 11)], indirect=True)
async def test_table_keys_are_listed(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen.frame.waiting)
        table = app.screen
        await run_command(pilot, app, "Score sheet")
        await wait_until(pilot, lambda: table.view.overlay is not None)
        await pilot.press("s")
        await run_command(pilot, app, "Rules of Rummy")
        await wait_until(pilot, lambda: is_shown(app, RulesPage))


@pytest.mark.parametrize("app", [lambda: create_session("rikiki", 11, people=2)], indirect=True)
async def test_palette_lists_enabled_commands_only(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen.controller.is_awaiting_input)
        table, keymap = app.screen, app.preferences.appearance.keys
        table.guard._clock = infinite_clock
        at_the_curtain = [command.name for command in command_palette.list_screen_commands(table, keymap)]
        hand = ("Hint", "Previous trick", "Undo", "Show my hand")
        assert not any(name.startswith(hand) for name in at_the_curtain)
        await pilot.press("enter")
        await wait_until(pilot, lambda: table.frame.waiting)
        offered = [command.name for command in command_palette.list_screen_commands(table, keymap)]
        assert [name for name in offered if name.startswith("Hint")]
        working = {
            table.label_for(key)
            for key in TABLE.keys
            if key.topic != MOVE_TOPIC and key.name != "palette" and table.is_enabled(key)
        }
        assert len(offered) == len(working)


def capture_state(app):
    """Return everything that a command may change."""
    return screen_text(app), len(app.screen_stack), app.preferences.settings, app._exit, len(list_notices(app))


@pytest.mark.parametrize("password", [False, True], ids=["", "with a password"])
async def test_every_command_at_curtain_has_effect(password, monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1), *passwords.SCRYPT_COSTS))
    if password:
        profiles.register("Anna", password="sesame77", again="sesame77")
        monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    done, offered = [], [""]
    while len(done) < len(offered):
        app = CardtableApp(Preferences.load(), create_session("rikiki", 11, people=2))
        async with app.run_test(size=(80, 24)) as pilot:
            await wait_until(pilot, lambda app=app: app.screen.controller.is_awaiting_input)
            await pilot.pause()
            offered = command_palette.list_screen_commands(app.screen, app.preferences.appearance.keys)
            command, before = offered[len(done)], capture_state(app)
            done.append(command.name)
            await command.run()
            await wait_until(pilot, lambda app=app, before=before: capture_state(app) != before)
    assert not [name for name in done if name.startswith("Show my hand")], "the palette does not offer to show a hand"


async def test_theme_command_applies_immediately(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await run_command(pilot, app, "Theme classic")
        await pilot.pause()
        assert app.preferences.settings.theme == "classic"


async def test_palette_stays_closed_over_dialog(app):
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Dialog(app.preferences.appearance, "Really?", "It cannot be undone.", "does it", "goes back"))
        await pilot.pause()
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, Dialog)


@pytest.mark.parametrize("app", [lambda: create_session("rikiki", 11)], indirect=True)
async def test_every_page_opens_from_every_page(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen.frame.waiting)
        for words in ("Archive", "Statistics", "Rankings", "Score table for real cards", "Players"):
            below = app.screen
            await run_command(pilot, app, words)
            await wait_until(pilot, lambda below=below: app.screen is not below and app.screen.query(Page))
            [page] = [name for name, title in command_palette.PAGES.items() if title == words]
            assert page in type(app.screen.page).__module__
            names = {key.name for key in app.screen.query_one(Page).SCOPE.keys}
            offered = {command.name for command in command_palette.list_commands(app.context, app.screen)}
            assert {"settings", "help", "palette", "quit"} <= names
            for other, title in command_palette.PAGES.items():
                assert other in names or title in offered, (words, title)
            assert {"Rules of Rikiki", "Play King", "New table for Rummy"} <= offered


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.location)
def test_common_keys_exist_on_every_screen(scope):
    assert {"settings", "help", "palette", "screenshot", "quit"} <= {key.name for key in scope.keys}


async def test_early_keys_are_typed_into_palette():
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen.query(Page))
        send(app, [*map(key_event, ["ctrl+p", *"rules of rum", "enter"])])
        await wait_until(pilot, lambda: is_shown(app, RulesPage) and "Rummy" in screen_text(app))


@pytest.mark.parametrize("app", [lambda: create_session("rikiki", 11)], indirect=True)
async def test_early_letters_do_not_reach_table(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen.frame.waiting)
        table = app.screen
        before = table.session.referee.decisions
        send(app, [*map(key_event, ["ctrl+p", *"score sheet", "enter"])])
        await wait_until(pilot, lambda: table.view.overlay is not None)
        assert "Score sheet" in screen_text(app)
        assert table.session.referee.decisions == before


@pytest.mark.parametrize("size", [(80, 24), (60, 18)], ids=str)
@pytest.mark.parametrize("typed", ["", "zzz", "rummy"])
async def test_moving_in_empty_list_is_harmless(app, size, typed):
    async with app.run_test(size=size) as pilot:
        for name in ("pagedown", "pageup", "end", "home", "up", "down", "tab"):
            send(app, [*map(key_event, ["ctrl+p", *typed, name, *["backspace"] * len(typed), name])])
            await wait_until(pilot, lambda: isinstance(app.screen, PaletteScreen))
            await pilot.press("escape")
            await wait_until(pilot, lambda: is_shown(app, Picker))


def test_search_ranks_prefix_matches_first():
    known = [command_palette.Command(name, int) for name in ("Rankings", "Rules of King", "Play King", "King's rules")]
    assert [each.name for each in command_palette.search_commands(known, "king")] == [
        "King's rules",
        "Rules of King",
        "Play King",
        "Rankings",
    ]
    assert [each.name for each in command_palette.search_commands(known, "  RULES  king ")] == [
        "Rules of King",
        "King's rules",
    ]
    assert command_palette.search_commands(known, "") == known
    assert command_palette.search_commands(known, "rummy") == []


async def test_mouse_runs_command_or_closes_palette(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        await wait_until(pilot, lambda: isinstance(app.screen, PaletteScreen))
        await pilot.click(offset=(1, 22))
        await wait_until(pilot, lambda: is_shown(app, Picker))
        await pilot.press("ctrl+p", *"rummy")
        rows = screen_text(app).split("\n")
        row = next(y for y, text in enumerate(rows) if "Rules of Rummy" in text)
        await pilot.click(offset=(12, row))
        await wait_until(pilot, lambda: is_shown(app, RulesPage))


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)], ids=str)
async def test_no_match_shows_how_to_continue(app, size):
    async with app.run_test(size=size) as pilot:
        await pilot.press("ctrl+p", *"zzq")
        text = " ".join(screen_text(app).split())
        assert 'No command matches "zzq".' in text
        assert "Backspace deletes, Ctrl+U clears" in text
        await pilot.press("backspace", "backspace", "backspace")
        assert "matches" not in screen_text(app)


def find_commands(app, text):
    """Return the names of the commands that the palette finds on the current screen."""
    return [command.name for command in command_palette.create_screen(app.context).page.find_commands(text)]


@pytest.mark.parametrize("app", [lambda: create_session("rikiki", 11)], indirect=True)
async def test_commands_have_synonyms(app):
    create_session("rikiki", 12).close()
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.screen.frame.waiting)
        for text, name in {
            "points": "Score sheet",
            "exit": "Quit",
            "options": "Settings",
            "shortcuts": "These keys",
            "chat": "Messages",
            "rule king": "Rules of King",
            "tutorial": "Lessons",
            "multiplayer": "Open to others",
            "leaderboard": "Rankings",
            "history": "Archive",
            "color": "Theme: classic",
            "bright": "Theme: light",
            "dark night": "Theme: night",
            "sound": "Beep on your turn: on",
            "load rikiki": "Continue Rikiki",
        }.items():
            commands = find_commands(app, text)
            assert any(command.startswith(name) for command in commands), (text, commands)


async def test_settings_are_found_by_name_and_value(app):
    async with app.run_test(size=(80, 24)) as pilot:
        assert not [name for name in find_commands(app, "") if name.startswith("Pace of robots")]
        await run_command(pilot, app, "pace 0.4")
        assert app.preferences.settings.robot_pace == 0.4
        await run_command(pilot, app, "four")
        assert app.preferences.settings.four_colours


async def test_tables_and_players_are_found_by_name(app):
    session = create_session("gurka", 12)
    session.close()
    sessions.rename(session.path, "Friday night")
    profiles.register("Anna")
    async with app.run_test(size=(80, 24)) as pilot:
        await run_command(pilot, app, "friday")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.path == session.path
        await run_command(pilot, app, "player anna")
        await wait_until(pilot, lambda: is_shown(app, StatisticsPage))
