"""Command palette: commands are found by their words."""

import pytest

from cardtable.ui import command_palette
from cardtable.ui.app import CardtableApp
from cardtable.ui.command_palette import PaletteScreen
from cardtable.ui.keys import input_guard
from cardtable.ui.keys.bindings import MOVE_TOPIC
from cardtable.ui.keys.keymap import SCOPES
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.rules import RulesPage
from cardtable.ui.toolkit.page import Page
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.bursts import key_event, send
from tests.ui.current_screen import is_shown
from tests.ui.driver import Driver, at_screen, start_program
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import create_session

pytestmark = pytest.mark.usefixtures("in_process_statistics")


async def run_command(pilot, app, words):
    """Open the palette, type the words and run the first match."""
    await run(Driver(app, pilot), words)


async def run(screen, words):
    """Open the palette, type the words and run the first match."""
    await screen.press("ctrl+p")
    await screen.is_at(PaletteScreen)
    await screen.press(*words, "enter")
    await screen.wait_until(lambda: not isinstance(screen.app.screen, PaletteScreen))


async def test_table_keys_are_listed():
    async with start_program(create_session("rikiki", 11)) as screen:
        await screen.wait_until(lambda: screen.app.screen.frame.waiting)
        table = screen.app.screen
        await run(screen, "Score sheet")
        await screen.wait_until(lambda: table.view.overlay is not None)
        await screen.press("s")
        await run(screen, "Rules of Rummy")
        await screen.is_at(RulesPage)


async def test_palette_lists_enabled_commands_only(monkeypatch):
    monkeypatch.setattr(input_guard, "CURTAIN_SECONDS", 0)
    async with start_program(create_session("rikiki", 11, people=2), key_guard=0) as screen:
        await screen.wait_until(lambda: screen.app.screen.controller.is_awaiting_input)
        table, keymap = screen.app.screen, screen.app.preferences.appearance.keys
        at_the_curtain = [command.name for command in command_palette.list_screen_commands(table, keymap)]
        hand = ("Hint", "Previous trick", "Undo", "Show my hand")
        assert not any(name.startswith(hand) for name in at_the_curtain)
        await screen.press("enter")
        await screen.wait_until(lambda: table.frame.waiting)
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
    return screen_text(app), len(app.screen_stack), app.preferences.settings, app.return_code, len(list_notices(app))


async def test_every_command_at_curtain_has_effect():
    done, offered = [], [""]
    while len(done) < len(offered):
        async with at_screen(CardtableApp(Preferences.load(), create_session("rikiki", 11, people=2))) as screen:
            await screen.wait_until(lambda app=screen.app: screen.app.screen.controller.is_awaiting_input)
            offered = command_palette.list_screen_commands(screen.app.screen, screen.app.preferences.appearance.keys)
            command, before = offered[len(done)], capture_state(screen.app)
            done.append(command.name)
            await command.run()
            await screen.wait_until(lambda app=screen.app, before=before: capture_state(screen.app) != before)
    assert not [name for name in done if name.startswith("Show my hand")], "the palette does not offer to show a hand"


async def test_every_page_opens_from_every_page():
    async with start_program(create_session("rikiki", 11)) as screen:
        await screen.wait_until(lambda: screen.app.screen.frame.waiting)
        for words in ("Archive", "Statistics", "Rankings", "Score table for real cards", "Players"):
            below = screen.app.screen
            await run(screen, words)
            await screen.wait_until(
                lambda below=below: screen.app.screen is not below and screen.app.screen.query(Page)
            )
            [page] = [name for name, title in command_palette.PAGES.items() if title == words]
            assert page in type(screen.app.screen.page).__module__
            names = {key.name for key in screen.app.screen.query_one(Page).SCOPE.keys}
            offered = {command.name for command in command_palette.list_commands(screen.app.context, screen.app.screen)}
            assert {"settings", "help", "palette", "quit"} <= names
            for other, title in command_palette.PAGES.items():
                assert other in names or title in offered, (words, title)
            assert {"Rules of Rikiki", "Play King", "New table for Rummy"} <= offered


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.location)
def test_common_keys_exist_on_every_screen(scope):
    assert {"settings", "help", "palette", "screenshot", "quit"} <= {key.name for key in scope.keys}


async def test_early_keys_are_typed_into_palette():
    async with at_screen(CardtableApp(Preferences.load())) as screen:
        await screen.wait_until(lambda: screen.app.screen.query(Page))
        send(screen.app, [*map(key_event, ["ctrl+p", *"rules of rum", "enter"])])
        await screen.wait_until(lambda: is_shown(screen.app, RulesPage) and "Rummy" in screen.text)


async def test_early_letters_do_not_reach_table():
    async with start_program(create_session("rikiki", 11)) as screen:
        await screen.wait_until(lambda: screen.app.screen.frame.waiting)
        table = screen.app.screen
        before = table.session.referee.decisions
        send(screen.app, [*map(key_event, ["ctrl+p", *"score sheet", "enter"])])
        await screen.wait_until(lambda: table.view.overlay is not None)
        await screen.sees("Score sheet")
        assert table.session.referee.decisions == before


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


def find_commands(app, text):
    """Return the names of the commands that the palette finds on the current screen."""
    return [command.name for command in command_palette.create_screen(app.context).page.find_commands(text)]


async def test_commands_have_synonyms():
    create_session("rikiki", 12).close()
    async with start_program(create_session("rikiki", 11)) as screen:
        await screen.wait_until(lambda: screen.app.screen.frame.waiting)
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
            "color": "Theme: Classic green",
            "bright": "Theme: Light",
            "deal gurka": "Play Gurka",
            "dark night": "Theme: Night",
            "sound": "Beep on your turn: on",
            "load rikiki": "Continue Rikiki",
        }.items():
            commands = find_commands(screen.app, text)
            assert any(command.startswith(name) for command in commands), (text, commands)


async def test_settings_are_found_by_name_and_value():
    async with start_program() as screen:
        assert not [name for name in find_commands(screen.app, "") if name.startswith("Pace of robots")]
        await run(screen, "pace 0.4")
        assert screen.app.preferences.settings.robot_pace == 0.4
        await run(screen, "four")
        assert screen.app.preferences.settings.four_colours
