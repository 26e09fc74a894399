"""Leaving play that is not saved: one question, correct promises, emergency saves."""

import errno
import shutil

import pytest
from textual.events import Paste

from cardtable.engine import journal
from cardtable.games import GAMES
from cardtable.store import emergency_save, paths, score_tables, session_setup
from cardtable.store.journal_file import JournalFile
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.new_table.screen import NewTablePage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.score_table.screen import ScorePage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.scoring.tables import NAMES, played
from tests.store.disk_faults import fill
from tests.ui.screen_text import screen_text
from tests.ui.shown import at, shows
from tests.ui.table_host import QUICK, session, until

pytestmark = pytest.mark.promise(
    "Starting, leaving and saving", "Unsaved play is never lost without a question or a message."
)

TROUBLES = ("full", "gone", "file gone")
TITLE = "Not on the disk: "


@pytest.fixture(params=TROUBLES)
def trouble(request, home, monkeypatch):
    """Return a function that damages the home in one of three ways."""
    return {
        "full": lambda: fill(monkeypatch, home),
        "gone": lambda: shutil.rmtree(home),
        "file gone": lambda: next(paths.sessions_folder().glob("*.jsonl")).unlink(),
    }[request.param]


WAYS = {
    "Esc": lambda app, pilot: pilot.press("escape"),
    "Ctrl+Q": lambda app, pilot: pilot.press("ctrl+q"),
    "Ctrl+C twice": lambda app, pilot: pilot.press("ctrl+c", "ctrl+c"),
    "n": lambda app, pilot: pilot.press("n"),
    "=": lambda app, pilot: pilot.press("equals_sign"),
    "another game": lambda app, pilot: app.context.begin(session_setup.create_default_setup(GAMES["gurka"])),
    "a new table": lambda app, pilot: app.context.show("new_table", "gurka"),
    "a session from a page": lambda app, pilot: app.context.open_session(lambda: session("gurka", 3)),
}
LEADS_TO = {"Esc": Picker, "Ctrl+Q": None, "Ctrl+C twice": None, "a new table": NewTablePage}


async def go(way, app, pilot):
    """Leave the table by one of `EXITS`."""
    gone = WAYS[way](app, pilot)
    if gone:
        await gone
    await pilot.pause()


async def decide(pilot, table):
    """Make one decision and continue until the player is asked again."""
    before = table.session.referee.decisions
    while table.session.referee.decisions == before:
        await until(pilot, lambda: table.controller.is_awaiting_input)
        table.controller.submit(table.frame.view.legal[0] if table.frame.waiting else None)
        await until(pilot, lambda: table.controller.is_awaiting_input)


async def unsaved(pilot, app, trouble):
    """Return the table after a decision before and one after the failure."""
    table = await at(pilot, TableScreen)
    await decide(pilot, table)
    trouble()
    await decide(pilot, table)
    return table


def an_app(settings=QUICK):
    return CardtableApp(Preferences(settings), session("rikiki", 11))


async def type_folder(pilot, folder):
    """Type another folder into the text input and press Enter."""
    await pilot.press("ctrl+l")
    pilot.app.screen.post_message(Paste(str(folder)))
    await pilot.press("enter")


@pytest.mark.promise(
    "Starting, leaving and saving",
    "If saving fails, every way out asks once, states how many decisions are unsaved and offers another folder.",
)
@pytest.mark.parametrize("way", WAYS)
async def test_it_is_asked_once_and_who_stays_plays_on(trouble, way):
    app = an_app()
    async with app.run_test() as pilot:
        table = await unsaved(pilot, app, trouble)
        await go(way, app, pilot)
        await until(pilot, lambda: TITLE in screen_text(app))
        assert "decisions" in screen_text(app)
        assert "you can go on with it there" not in screen_text(app)
        await pilot.press("ctrl+q")
        assert len(app.query(Dialog)) <= 1
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is table)
        assert table.session.read_only_reason is None
        await decide(pilot, table)
        await go(way, app, pilot)
        await at(pilot, Dialog)
    [told] = app.context.unsaved_work.finalize_all()
    assert " not saved; saving failed: " in told
    [kept] = emergency_save.list_saved(".jsonl")
    assert journal.read(kept.read_bytes()).header.id == table.session.header.id


@pytest.mark.promise(
    "Starting, leaving and saving",
    "A player who leaves without saving sees after the end what was lost; the exit code is 1.",
)
@pytest.mark.parametrize("way", WAYS)
async def test_who_leaves_all_the_same_loses_what_is_told(home, monkeypatch, way):
    app = an_app()
    async with app.run_test() as pilot:
        table = await unsaved(pilot, app, lambda: fill(monkeypatch, home))
        await go(way, app, pilot)
        await at(pilot, Dialog)
        await type_folder(pilot, "")
        kind = LEADS_TO.get(way, TableScreen)
        if kind:
            await until(pilot, lambda: shows(app, kind) and app.screen is not table)
            assert table.session.file.loss_message
    told = app.context.unsaved_work.finalize_all()
    assert " lost; saving failed: " in told[0]
    assert not [path for path in emergency_save.list_saved(".jsonl") if path.stem == table.session.header.id]


@pytest.mark.promise(
    "Starting, leaving and saving",
    "If saving fails, every way out asks once, states how many decisions are unsaved and offers another folder.",
)
@pytest.mark.parametrize("way", WAYS)
async def test_it_can_be_saved_elsewhere_on_the_way_out(home, monkeypatch, tmp_path, way):
    app = an_app()
    async with app.run_test() as pilot:
        table = await unsaved(pilot, app, lambda: fill(monkeypatch, home))
        await go(way, app, pilot)
        await at(pilot, Dialog)
        await type_folder(pilot, home)
        await until(pilot, lambda: isinstance(app.screen, Dialog) and "No space left" in screen_text(app))
        await type_folder(pilot, tmp_path / "stick")
        kind = LEADS_TO.get(way, TableScreen)
        if kind:
            await until(pilot, lambda: shows(app, kind) and app.screen is not table)
    [path] = (tmp_path / "stick").glob("*.jsonl")
    assert path.read_bytes() == bytes(table.session.file.data)
    assert table.session.header.id == path.stem
    assert not table.session.file.loss_message


async def test_what_was_saved_by_the_play_that_went_on_meanwhile_is_not_asked_about(monkeypatch):
    app = an_app()
    async with app.run_test() as pilot:
        table = await at(pilot, TableScreen)
        save = table.controller.save

        async def fails_once():
            with monkeypatch.context() as patch:
                patch.setattr(JournalFile, "_write_unsaved", no_space)
                table.session.file.data += b'{"say":"Hello"}\n'
                unsaved = await save()
            table.session.file.save()
            return unsaved

        monkeypatch.setattr(table.controller, "save", fails_once)
        await pilot.press("escape")
        await at(pilot, Picker)


def no_space(_file):
    raise OSError(errno.ENOSPC, "No space left on device")


async def test_a_session_that_is_saved_asks_nothing_of_that():
    app = an_app()
    async with app.run_test() as pilot:
        table = await unsaved(pilot, app, lambda: None)
        await pilot.press("n")
        await until(pilot, lambda: "It stays among the tables of the picker" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is table)
        await pilot.press("escape")
        await at(pilot, Picker)
        await pilot.press("ctrl+q")
    assert app.return_code == 0
    assert not app.context.unsaved_work.finalize_all()


async def test_where_saving_works_again_nothing_is_asked(home, monkeypatch):
    app = an_app()
    async with app.run_test() as pilot:
        with monkeypatch.context() as full:
            table = await unsaved(pilot, app, lambda: fill(full, home))
            assert table.session.save_error
        await pilot.press("escape")
        await at(pilot, Picker)
    assert not app.context.unsaved_work.finalize_all()


async def test_a_session_that_is_over_is_not_left_unsaved_either(home, monkeypatch):
    app = CardtableApp(Preferences(QUICK), session("gurka", 11, people=0))
    async with app.run_test() as pilot:
        table = await at(pilot, TableScreen)
        await until(pilot, lambda: table.session.referee.decisions > 3)
        fill(monkeypatch, home)
        await until(pilot, lambda: table.session.save_error)
        await pilot.press("escape")
        await until(pilot, lambda: TITLE in screen_text(app))
    assert app.context.unsaved_work.finalize_all()


@pytest.mark.parametrize("way", ["Esc", "Ctrl+Q", "another", "a game"])
async def test_a_score_table_is_left_as_carefully(home, monkeypatch, tmp_path, way):
    _, first, [entered, *_] = played("rifki", 1)
    scores = score_tables.create(GAMES["rifki"], NAMES[:4], GAMES["rifki"].options(), first)
    scores.close()
    app = CardtableApp(Preferences(QUICK), page=("score_table", scores.path))
    async with app.run_test() as pilot:
        screen = await at(pilot, ScorePage)
        await pilot.pause()
        fill(monkeypatch, home)
        screen.page.opened.enter_round(entered)
        screen.page._start_entry()
        ways = {
            "Esc": lambda: pilot.press("escape"),
            "Ctrl+Q": lambda: pilot.press("ctrl+q"),
            "another": lambda: pilot.pause(app.context.show("score_table")),
            "a game": lambda: pilot.pause(app.context.begin(session_setup.create_default_setup(GAMES["gurka"]))),
        }
        await ways[way]()
        await until(pilot, lambda: f"{TITLE}1 round" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await ways[way]()
        await at(pilot, Dialog)
        await type_folder(pilot, tmp_path / "stick")
        if way == "Esc":
            await at(pilot, Picker)
        elif way != "Ctrl+Q":
            await until(pilot, lambda: app.screen is not screen and not isinstance(app.screen, Dialog))
    assert (tmp_path / "stick" / scores.path.name).exists()


async def test_where_settings_say_that_nothing_is_confirmed_this_is_asked_all_the_same(home, monkeypatch):
    app = an_app(Settings(pace=0, trick_pause=0, confirm=False))
    async with app.run_test() as pilot:
        await unsaved(pilot, app, lambda: fill(monkeypatch, home))
        await pilot.press("equals_sign")
        await until(pilot, lambda: TITLE in screen_text(app))


async def test_that_the_file_is_gone_is_noticed_on_the_way_out():
    app = an_app()
    async with app.run_test() as pilot:
        table = await unsaved(pilot, app, lambda: None)
        table.session.path.unlink()
        await pilot.press("escape")
        await until(pilot, lambda: "the file is gone" in screen_text(app))


def cut_off():
    """Return a closed session whose last decision is only in the emergency save."""
    left = session("rikiki", 11)
    left.referee.advance()
    before = left.path.read_bytes()
    aside = left.path.rename(left.path.with_suffix(".was"))
    left.path.write_bytes(before)
    aside.unlink()
    left.referee.play(left.referee.turn, left.referee.view(left.referee.turn).legal[0])
    left.close()
    return left


@pytest.mark.promise(
    "Starting, leaving and saving",
    "The next start offers a session that was saved in another place, and sets the shorter file aside.",
)
async def test_what_goes_on_elsewhere_is_offered_at_the_next_start():
    left = cut_off()
    app = CardtableApp(Preferences(QUICK))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "Rikiki, round 1 of 28: 1 decision could not be saved" in one_line(app))
        await pilot.press("enter")
        table = await at(pilot, TableScreen)
        assert table.session.path == left.path
        assert table.session.referee.decisions >= 1
        assert table.session.read_only_reason is None
    assert left.path.with_suffix(".aside").exists()
    assert not emergency_save.list_saved(".jsonl")


async def test_who_does_not_want_it_leaves_it_where_it_is():
    left = cut_off()
    for _ in range(2):
        app = CardtableApp(Preferences(QUICK))
        async with app.run_test() as pilot:
            await until(pilot, lambda app=app: "1 decision could not be saved" in one_line(app))
            await pilot.press("escape")
            await at(pilot, Picker)
    assert emergency_save.list_saved(".jsonl")
    assert not left.path.with_suffix(".aside").exists()


async def test_a_table_that_was_asked_for_is_left_for_it_where_that_is_wanted():
    left = cut_off()
    app = CardtableApp(Preferences(QUICK), session("gurka", 3))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "1 decision could not be saved" in one_line(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.session.path == left.path)


def one_line(app):
    """Return the words on the screen, separated by single spaces."""
    return " ".join(screen_text(app).split())
