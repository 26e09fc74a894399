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
from cardtable.ui.new_table import NewTablePage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.score_table.screen import ScorePage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.store.disk_faults import fill_disk
from tests.ui.current_screen import is_shown, wait_for_screen
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, create_session, take_first_action, wait_until

TITLE = "Not on the disk: "


DISK_FAILURES = ("full", "gone", "file gone")


@pytest.fixture(params=DISK_FAILURES)
def disk_failure(request, home, monkeypatch):
    """Return a function that damages the home in one of three ways."""
    return {
        "full": lambda: fill_disk(monkeypatch, home),
        "gone": lambda: shutil.rmtree(home),
        "file gone": lambda: next(paths.sessions_folder().glob("*.jsonl")).unlink(),
    }[request.param]


EXITS = {
    "Esc": lambda app, pilot: pilot.press("escape"),
    "Ctrl+Q": lambda app, pilot: pilot.press("ctrl+q"),
    "Ctrl+C twice": lambda app, pilot: pilot.press("ctrl+c", "ctrl+c"),
    "n": lambda app, pilot: pilot.press("n"),
    "=": lambda app, pilot: pilot.press("equals_sign"),
    "another game": lambda app, pilot: app.context.begin(session_setup.create_default_setup(GAMES["gurka"])),
    "a new table": lambda app, pilot: app.context.show("new_table", "gurka"),
    "a session from a page": lambda app, pilot: app.context.open_session(lambda: create_session("gurka", 3)),
}
DESTINATIONS = {"Esc": Picker, "Ctrl+Q": None, "Ctrl+C twice": None, "a new table": NewTablePage}


async def take_exit(exit_name, app, pilot):
    """Leave the table by one of `EXITS`."""
    gone = EXITS[exit_name](app, pilot)
    if gone:
        await gone
    await pilot.pause()


async def make_decision(pilot, table):
    """Make one decision and continue until the player is asked again."""
    before = table.session.referee.decisions
    while table.session.referee.decisions == before:
        await wait_until(pilot, lambda: table.controller.is_awaiting_input)
        take_first_action(table)
        await wait_until(pilot, lambda: table.controller.is_awaiting_input)


async def open_unsaved_table(pilot, app, disk_failure):
    """Return the table after a decision before and one after the failure."""
    table = await wait_for_screen(pilot, TableScreen)
    await make_decision(pilot, table)
    disk_failure()
    await make_decision(pilot, table)
    return table


def create_app(settings=QUICK):
    return CardtableApp(Preferences(settings), create_session("rikiki", 11))


async def type_folder(pilot, folder):
    """Type another folder into the text input and press Enter."""
    await pilot.press("ctrl+l")
    pilot.app.screen.post_message(Paste(str(folder)))
    await pilot.press("enter")


@pytest.mark.parametrize(
    ("disk_failure", "exit_name"),
    [*[("full", exit_name) for exit_name in EXITS], ("gone", "Esc"), ("file gone", "Esc")],
    indirect=["disk_failure"],
)
async def test_leaving_asks_once_and_staying_continues(disk_failure, exit_name):
    app = create_app()
    async with app.run_test() as pilot:
        table = await open_unsaved_table(pilot, app, disk_failure)
        await take_exit(exit_name, app, pilot)
        await wait_until(pilot, lambda: TITLE in screen_text(app))
        assert "decisions" in screen_text(app)
        assert "you can continue it from the picker" not in screen_text(app)
        await pilot.press("ctrl+q")
        assert len(app.query(Dialog)) <= 1
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is table)
        assert table.session.read_only_reason is None
        await make_decision(pilot, table)
        await take_exit(exit_name, app, pilot)
        await wait_for_screen(pilot, Dialog)
    [message] = app.context.unsaved_work.finalize_all()
    assert " not saved; saving failed: " in message
    [path] = emergency_save.list_saved(".jsonl")
    assert journal.read(path.read_bytes()).header.id == table.session.header.id


@pytest.mark.parametrize("exit_name", EXITS)
async def test_leaving_anyway_reports_loss(home, monkeypatch, exit_name):
    app = create_app()
    async with app.run_test() as pilot:
        table = await open_unsaved_table(pilot, app, lambda: fill_disk(monkeypatch, home))
        await take_exit(exit_name, app, pilot)
        await wait_for_screen(pilot, Dialog)
        await type_folder(pilot, "")
        await wait_until(pilot, lambda: "Leave without saving?" in screen_text(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "In which folder" in screen_text(app))
        await type_folder(pilot, "")
        await wait_until(pilot, lambda: "Leave without saving?" in screen_text(app))
        await pilot.press("enter")
        kind = DESTINATIONS.get(exit_name, TableScreen)
        if kind:
            await wait_until(pilot, lambda: is_shown(app, kind) and app.screen is not table)
            assert table.session.file.loss_message
    messages = app.context.unsaved_work.finalize_all()
    assert " lost; saving failed: " in messages[0]
    assert not [path for path in emergency_save.list_saved(".jsonl") if path.stem == table.session.header.id]


@pytest.mark.parametrize("exit_name", EXITS)
async def test_exit_can_save_in_another_folder(home, monkeypatch, tmp_path, exit_name):
    app = create_app()
    async with app.run_test() as pilot:
        table = await open_unsaved_table(pilot, app, lambda: fill_disk(monkeypatch, home))
        await take_exit(exit_name, app, pilot)
        await wait_for_screen(pilot, Dialog)
        await type_folder(pilot, home)
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog) and "No space left" in screen_text(app))
        await type_folder(pilot, tmp_path / "stick")
        kind = DESTINATIONS.get(exit_name, TableScreen)
        if kind:
            await wait_until(pilot, lambda: is_shown(app, kind) and app.screen is not table)
    [path] = (tmp_path / "stick").glob("*.jsonl")
    assert path.read_bytes() == bytes(table.session.file.data)
    assert table.session.header.id == path.stem
    assert not table.session.file.loss_message


async def test_work_saved_meanwhile_is_not_asked_about(monkeypatch):
    app = create_app()
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        save = table.controller.save

        async def fails_once():
            with monkeypatch.context() as patch:
                patch.setattr(JournalFile, "_write_unsaved", refuse_write)
                table.session.file.data += b'{"say":"Hello"}\n'
                unsaved = await save()
            table.session.file.save()
            return unsaved

        monkeypatch.setattr(table.controller, "save", fails_once)
        await pilot.press("escape")
        await wait_for_screen(pilot, Picker)


def refuse_write(_file):
    raise OSError(errno.ENOSPC, "No space left on device")


async def test_saved_session_leaves_without_warning():
    app = create_app()
    async with app.run_test() as pilot:
        table = await open_unsaved_table(pilot, app, lambda: None)
        await pilot.press("n")
        await wait_until(pilot, lambda: "It stays saved" in screen_text(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is table)
        await pilot.press("escape")
        await wait_for_screen(pilot, Picker)
        await pilot.press("ctrl+q")
    assert app.return_code == 0
    assert not app.context.unsaved_work.finalize_all()


async def test_no_question_once_saving_works_again(home, monkeypatch):
    app = create_app()
    async with app.run_test() as pilot:
        with monkeypatch.context() as full:
            table = await open_unsaved_table(pilot, app, lambda: fill_disk(full, home))
            assert table.session.save_error
        await pilot.press("escape")
        await wait_for_screen(pilot, Picker)
    assert not app.context.unsaved_work.finalize_all()


async def test_unsaved_robot_table_asks_too(home, monkeypatch):
    app = CardtableApp(Preferences(QUICK), create_session("gurka", 11, people=0))
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        await wait_until(pilot, lambda: table.session.referee.decisions > 3)
        fill_disk(monkeypatch, home)
        await wait_until(pilot, lambda: table.session.save_error)
        await pilot.press("escape")
        await wait_until(pilot, lambda: TITLE in screen_text(app))
    assert app.context.unsaved_work.finalize_all()


@pytest.mark.parametrize("exit_name", ["Esc", "Ctrl+Q", "another", "a game"])
async def test_unsaved_score_table_asks_too(home, monkeypatch, tmp_path, exit_name):
    _, first, [entered, *_] = play_session_with_entries("rifki", 1)
    scores = score_tables.create(GAMES["rifki"], NAMES[:4], GAMES["rifki"].options(), first)
    scores.close()
    app = CardtableApp(Preferences(QUICK), page=("score_table", scores.path))
    async with app.run_test() as pilot:
        screen = await wait_for_screen(pilot, ScorePage)
        await pilot.pause()
        fill_disk(monkeypatch, home)
        screen.page.opened.enter_round(entered)
        screen.page._start_entry()
        exits = {
            "Esc": lambda: pilot.press("escape"),
            "Ctrl+Q": lambda: pilot.press("ctrl+q"),
            "another": lambda: pilot.pause(app.context.show("score_table")),
            "a game": lambda: pilot.pause(app.context.begin(session_setup.create_default_setup(GAMES["gurka"]))),
        }
        await exits[exit_name]()
        await wait_until(pilot, lambda: f"{TITLE}1 round" in screen_text(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is screen)
        await exits[exit_name]()
        await wait_for_screen(pilot, Dialog)
        await type_folder(pilot, tmp_path / "stick")
        if exit_name == "Esc":
            await wait_for_screen(pilot, Picker)
        elif exit_name != "Ctrl+Q":
            await wait_until(pilot, lambda: app.screen is not screen and not isinstance(app.screen, Dialog))
    assert (tmp_path / "stick" / scores.path.name).exists()


async def test_unsaved_question_ignores_confirm_setting(home, monkeypatch):
    app = create_app(Settings(robot_pace=0, trick_pause=0, confirm=False))
    async with app.run_test() as pilot:
        await open_unsaved_table(pilot, app, lambda: fill_disk(monkeypatch, home))
        await pilot.press("equals_sign")
        await wait_until(pilot, lambda: TITLE in screen_text(app))


async def test_missing_file_is_noticed_on_exit():
    app = create_app()
    async with app.run_test() as pilot:
        table = await open_unsaved_table(pilot, app, lambda: None)
        table.session.path.unlink()
        await pilot.press("escape")
        await wait_until(pilot, lambda: "the file is gone" in screen_text(app))


def create_unsaved_session():
    """Return a closed session whose last decision is only in the emergency save."""
    left = create_session("rikiki", 11)
    left.referee.advance()
    before = left.path.read_bytes()
    aside = left.path.rename(left.path.with_suffix(".was"))
    left.path.write_bytes(before)
    aside.unlink()
    left.referee.play(left.referee.turn, left.referee.view(left.referee.turn).legal[0])
    left.close()
    return left


async def test_emergency_save_is_offered_at_next_start():
    left = create_unsaved_session()
    app = CardtableApp(Preferences(QUICK))
    async with app.run_test() as pilot:
        await wait_until(
            pilot, lambda: "Rikiki, round 1 of 28: 1 decision could not be saved" in read_screen_words(app)
        )
        await pilot.press("enter")
        table = await wait_for_screen(pilot, TableScreen)
        assert table.session.path == left.path
        assert table.session.referee.decisions >= 1
        assert table.session.read_only_reason is None
    assert left.path.with_suffix(".aside").exists()
    assert not emergency_save.list_saved(".jsonl")


async def test_declined_emergency_save_remains():
    left = create_unsaved_session()
    for _ in range(2):
        app = CardtableApp(Preferences(QUICK))
        async with app.run_test() as pilot:
            await wait_until(pilot, lambda app=app: "1 decision could not be saved" in read_screen_words(app))
            await pilot.press("escape")
            await wait_for_screen(pilot, Picker)
    assert emergency_save.list_saved(".jsonl")
    assert not left.path.with_suffix(".aside").exists()


async def test_emergency_save_can_replace_requested_table():
    left = create_unsaved_session()
    app = CardtableApp(Preferences(QUICK), create_session("gurka", 3))
    async with app.run_test() as pilot:
        await wait_until(pilot, lambda: "1 decision could not be saved" in read_screen_words(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.session.path == left.path)


def read_screen_words(app):
    """Return the words on the screen, separated by single spaces."""
    return " ".join(screen_text(app).split())
