"""Command palette: commands are found by their words."""

import pytest

from cardtable.store import passwords, profiles
from cardtable.ui import command_palette
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.rules.screen import RulesPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit import palette
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.keys.bindings import MOVE_TOPIC, SCOPES, TABLE
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.palette import PaletteScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.bursts import key, send
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.shown import shows
from tests.ui.table_host import patient, session, until


async def choose(pilot, app, words):
    """Open the palette, type the words and run the first match."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
    await pilot.press(*["space" if letter == " " else letter for letter in words])
    await pilot.press("enter")
    await until(pilot, lambda: not isinstance(app.screen, PaletteScreen))


@pytest.fixture
def app(request):
    return CardtableApp(Preferences.load(), getattr(request, "param", lambda: None)())


async def test_a_game_is_begun_by_its_name(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await choose(pilot, app, "Play King")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.header.game == "king"


@pytest.mark.parametrize("app", [lambda: session("rikiki", 11)], indirect=True)
async def test_another_game_from_the_table_keeps_the_session(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.frame.waiting)
        before = app.screen.session
        await choose(pilot, app, "Play Gurka")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.session is not before)
        assert before.path.is_file()
        assert app.screen.session.header.game == "gurka"
        assert [type(screen) for screen in app.screen_stack] == [PageScreen, TableScreen]


@pytest.mark.promise(
    "The picker and new tables", "Rules, settings, keys and the command palette are available on every screen."
)
@pytest.mark.parametrize("app", [lambda: session("rikiki", 11)], indirect=True)
async def test_keys_of_the_table_can_be_found(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.frame.waiting)
        table = app.screen
        await choose(pilot, app, "Score sheet")
        await until(pilot, lambda: table.view.overlay is not None)
        await pilot.press("s")
        await choose(pilot, app, "Rules of Rummy")
        await until(pilot, lambda: shows(app, RulesPage))


@pytest.mark.promise(
    "Keys and mouse", "The command palette offers what works now, and nothing about the hand at the curtain."
)
@pytest.mark.parametrize("app", [lambda: session("rikiki", 11, people=2)], indirect=True)
async def test_it_offers_what_works_now_and_at_the_curtain_nothing_of_the_hand(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.controller.is_awaiting_input)
        table, keymap = app.screen, app.preferences.appearance.keys
        table.guard._clock = patient
        at_the_curtain = [command.name for command in palette.list_screen_commands(table, keymap)]
        hand = ("Hint", "Previous trick", "Take back", "Show my hand")
        assert not any(name.startswith(hand) for name in at_the_curtain)
        await pilot.press("enter")
        await until(pilot, lambda: table.frame.waiting)
        offered = [command.name for command in palette.list_screen_commands(table, keymap)]
        assert [name for name in offered if name.startswith("Hint")]
        working = {
            key.label
            for key in TABLE.keys
            if key.topic != MOVE_TOPIC and key.name != "palette" and table.is_enabled(key)
        }
        assert len(offered) == len(working)


def seen(app):
    """Return everything that a command may change."""
    return screen_text(app), len(app.screen_stack), app.preferences.settings, app._exit, len(list_notices(app))


@pytest.mark.parametrize("password", [False, True], ids=["", "with a password"])
async def test_whatever_it_offers_at_a_curtain_does_something(password, monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1), *passwords.SCRYPT_COSTS))
    if password:
        profiles.register("Anna", password="sesame77", again="sesame77")
        monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    done, offered = [], [""]
    while len(done) < len(offered):
        app = CardtableApp(Preferences.load(), session("rikiki", 11, people=2))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda app=app: app.screen.controller.is_awaiting_input)
            await pilot.pause()
            offered = palette.list_screen_commands(app.screen, app.preferences.appearance.keys)
            command, before = offered[len(done)], seen(app)
            done.append(command.name)
            await command.run()
            await until(pilot, lambda app=app, before=before: seen(app) != before)
    assert not [name for name in done if name.startswith("Show my hand")], "only its key does that"


async def test_a_theme_is_chosen_at_once(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await choose(pilot, app, "Theme classic")
        await pilot.pause()
        assert app.preferences.settings.theme == "classic"


async def test_a_question_is_answered_first(app):
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Dialog(app.preferences.appearance, "Really?", "It cannot be undone.", "does it", "goes back"))
        await pilot.pause()
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, Dialog)


@pytest.mark.promise(
    "The picker and new tables",
    "Archive, rankings, statistics, score tables and players open from the picker and from every page.",
)
@pytest.mark.parametrize("app", [lambda: session("rikiki", 11)], indirect=True)
async def test_every_page_is_opened_from_the_table_and_from_every_other_page(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.frame.waiting)
        for words in ("Archive", "Statistics", "Rankings", "Score table for real cards", "Players"):
            below = app.screen
            await choose(pilot, app, words)
            await until(pilot, lambda below=below: app.screen is not below and app.screen.query(Page))
            [page] = [name for name, title in command_palette.PAGES.items() if title == words]
            assert page in type(app.screen.page).__module__
            names = {key.name for key in app.screen.query_one(Page).SCOPE.keys}
            offered = {command.name for command in command_palette.list_commands(app.context, app.screen)}
            assert {"settings", "help", "palette", "quit"} <= names
            for other, title in command_palette.PAGES.items():
                assert other in names or title in offered, (words, title)
            assert {"Rules of Rikiki", "Play King", "New table for Rummy"} <= offered


@pytest.mark.promise(
    "The picker and new tables", "Rules, settings, keys and the command palette are available on every screen."
)
@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.where)
def test_settings_keys_and_all_commands_are_on_every_screen(scope):
    assert {"settings", "help", "palette", "screenshot", "quit"} <= {key.name for key in scope.keys}


@pytest.mark.promise("Keys and mouse", "Keys that were typed before the command palette has opened are typed into it.")
async def test_what_is_typed_before_it_is_there_is_for_it_and_enter_does_what_the_words_find():
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.query(Page))
        send(app, [*map(key, ["ctrl+p", *"rules of rum", "enter"])])
        await until(pilot, lambda: shows(app, RulesPage) and "Rummy" in screen_text(app))


@pytest.mark.parametrize("app", [lambda: session("rikiki", 11)], indirect=True)
async def test_over_the_table_no_letter_of_it_is_a_key_of_the_table(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.frame.waiting)
        table = app.screen
        before = table.session.referee.decisions
        send(app, [*map(key, ["ctrl+p", *"score sheet", "enter"])])
        await until(pilot, lambda: table.view.overlay is not None)
        assert "Score sheet" in screen_text(app)
        assert table.session.referee.decisions == before


@pytest.mark.parametrize("size", [(80, 24), (80, 4), (20, 2)], ids=str)
@pytest.mark.parametrize("typed", ["", "zzz", "rummy"])
async def test_a_key_that_moves_in_the_list_is_harmless_before_it_is_painted_and_where_it_is_empty(app, size, typed):
    async with app.run_test(size=size) as pilot:
        for name in ("pagedown", "pageup", "end", "home", "up", "down", "tab"):
            send(app, [*map(key, ["ctrl+p", *typed, name, *["backspace"] * len(typed), name])])
            await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
            await pilot.press("escape")
            await until(pilot, lambda: shows(app, Picker))


def test_words_find_what_they_begin_first_and_all_of_them_are_in_it():
    known = [palette.Command(name, int) for name in ("Rankings", "Rules of King", "Play King", "King's rules")]
    assert [each.name for each in palette.search_commands(known, "king")] == [
        "King's rules",
        "Rules of King",
        "Play King",
        "Rankings",
    ]
    assert [each.name for each in palette.search_commands(known, "  RULES  king ")] == [
        "Rules of King",
        "King's rules",
    ]
    assert palette.search_commands(known, "") == known
    assert palette.search_commands(known, "rummy") == []


async def test_it_is_used_by_the_mouse_and_a_click_beside_it_puts_it_away(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
        await pilot.click(offset=(1, 22))
        await until(pilot, lambda: shows(app, Picker))
        await pilot.press("ctrl+p", *"rummy")
        rows = screen_text(app).split("\n")
        row = next(y for y, text in enumerate(rows) if "Rules of Rummy" in text)
        await pilot.click(offset=(12, row))
        await until(pilot, lambda: shows(app, RulesPage))


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)], ids=str)
async def test_that_nothing_matches_is_said_with_the_way_on(app, size):
    async with app.run_test(size=size) as pilot:
        await pilot.press("ctrl+p", *"zzq")
        said = " ".join(screen_text(app).split())
        assert 'No command matches "zzq".' in said
        assert "Backspace deletes, Ctrl+U clears" in said
        await pilot.press("backspace", "backspace", "backspace")
        assert "matches" not in screen_text(app)
