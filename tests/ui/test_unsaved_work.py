"""Leaving play that is not saved: one question, correct promises, emergency saves."""

import errno

import pytest

from cardtable.engine import journal
from cardtable.games import GAMES
from cardtable.store import emergency_save, score_tables, session_setup
from cardtable.store.journal_file import JournalFile
from cardtable.ui.app import CardtableApp
from cardtable.ui.new_table import NewTablePage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.score_table.screen import ScorePage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.scoring.tables import NAMES, play_session_with_entries
from tests.scoring.test_keys import enter_by_keys
from tests.store.disk_faults import create_disk_failure, fill_disk
from tests.ui.current_screen import is_shown
from tests.ui.driver import at_screen, start_program
from tests.ui.table_host import QUICK, create_session, take_first_action

TITLE = "Not on the disk: "


DISK_FAILURES = ("full", "gone", "file gone")


@pytest.fixture(params=DISK_FAILURES)
def disk_failure(request, home, monkeypatch):
    """Return a function that damages the home in one of three ways."""
    return create_disk_failure(request.param, home, monkeypatch)


GURKA = session_setup.create_default_setup(GAMES["gurka"])
EXITS = {
    "Esc": "escape",
    "Ctrl+Q": "ctrl+q",
    "Ctrl+C twice": "ctrl+c ctrl+c",
    "n": "n",
    "=": "equals_sign",
    "another game": lambda context: context.begin(GURKA),
    "a new table": lambda context: context.show("new_table", "gurka"),
    "a session from a page": lambda context: context.open_session(lambda: create_session("gurka", 3)),
    "a score table": lambda context: context.show("score_table"),
}
"""Ways to leave: keys, or what a page asks for."""
TABLE_EXITS = [name for name in EXITS if name != "a score table"]
DESTINATIONS = {"Esc": Picker, "Ctrl+Q": None, "Ctrl+C twice": None, "a new table": NewTablePage}


async def take_exit(exit_name, screen):
    """Leave the table by one of `EXITS`."""
    way = EXITS[exit_name]
    await (screen.press(way) if isinstance(way, str) else screen.pilot.pause(way(screen.app.context)))


async def make_decision(screen, table):
    """Make one decision and continue until the player is asked again."""
    before = table.session.referee.decisions
    while table.session.referee.decisions == before:
        await screen.wait_until(lambda: table.controller.is_awaiting_input)
        take_first_action(table)
        await screen.wait_until(lambda: table.controller.is_awaiting_input)


async def open_unsaved_table(screen, disk_failure):
    """Return the table after a decision before and one after the failure."""
    table = await screen.is_at(TableScreen)
    await make_decision(screen, table)
    disk_failure()
    await make_decision(screen, table)
    return table


def open_table(session=None, page=None):
    """Start the program at a table, by default one of Rikiki."""
    return at_screen(CardtableApp(Preferences(QUICK), session or create_session("rikiki", 11), page))


async def type_folder(screen, folder):
    """Type another folder into the text input and press Enter."""
    await screen.press("ctrl+l")
    await screen.paste(str(folder))
    await screen.press("enter")


@pytest.mark.parametrize(
    ("disk_failure", "exit_name"),
    [*[("full", exit_name) for exit_name in TABLE_EXITS], ("gone", "Esc"), ("file gone", "Esc")],
    indirect=["disk_failure"],
)
async def test_leaving_asks_once_and_staying_continues(disk_failure, exit_name):
    async with open_table() as screen:
        table = await open_unsaved_table(screen, disk_failure)
        await take_exit(exit_name, screen)
        await screen.sees(TITLE, "decisions")
        assert "you can continue it from the picker" not in screen.text
        await screen.press("ctrl+q")
        assert len(screen.app.query(Dialog)) <= 1
        await screen.press("escape")
        await screen.wait_until(lambda: screen.app.screen is table)
        assert table.session.read_only_reason is None
        await make_decision(screen, table)
        await take_exit(exit_name, screen)
        await screen.is_at(Dialog)
    [message] = screen.app.context.unsaved_work.finalize_all()
    assert " not saved; saving failed: " in message
    [path] = emergency_save.list_saved(".jsonl")
    assert journal.read(path.read_bytes()).header.id == table.session.header.id


@pytest.mark.parametrize("exit_name", TABLE_EXITS)
async def test_leaving_anyway_reports_loss(home, monkeypatch, exit_name):
    async with open_table() as screen:
        table = await open_unsaved_table(screen, lambda: fill_disk(monkeypatch, home))
        await take_exit(exit_name, screen)
        await screen.is_at(Dialog)
        await type_folder(screen, "")
        await screen.sees("Leave without saving?")
        await screen.press("escape")
        await screen.sees("In which folder")
        await type_folder(screen, "")
        await screen.sees("Leave without saving?")
        await screen.press("enter")
        kind = DESTINATIONS.get(exit_name, TableScreen)
        if kind:
            await screen.wait_until(lambda: is_shown(screen.app, kind) and screen.app.screen is not table)
            assert table.session.file.loss_message
    messages = screen.app.context.unsaved_work.finalize_all()
    assert " lost; saving failed: " in messages[0]
    assert not [path for path in emergency_save.list_saved(".jsonl") if path.stem == table.session.header.id]


@pytest.mark.parametrize("exit_name", TABLE_EXITS)
async def test_exit_can_save_in_another_folder(home, monkeypatch, tmp_path, exit_name):
    async with open_table() as screen:
        table = await open_unsaved_table(screen, lambda: fill_disk(monkeypatch, home))
        await take_exit(exit_name, screen)
        await screen.is_at(Dialog)
        await type_folder(screen, home)
        await screen.wait_until(lambda: isinstance(screen.app.screen, Dialog) and "No space left" in screen.text)
        await type_folder(screen, tmp_path / "stick")
        kind = DESTINATIONS.get(exit_name, TableScreen)
        if kind:
            await screen.wait_until(lambda: is_shown(screen.app, kind) and screen.app.screen is not table)
    [path] = (tmp_path / "stick").glob("*.jsonl")
    assert path.read_bytes() == bytes(table.session.file.data)
    assert table.session.header.id == path.stem
    assert not table.session.file.loss_message


async def test_work_saved_meanwhile_is_not_asked_about(monkeypatch):
    async with open_table() as screen:
        table = await screen.is_at(TableScreen)
        save = table.controller.save

        async def fails_once():
            with monkeypatch.context() as patch:
                patch.setattr(JournalFile, "_write_unsaved", refuse_write)
                table.session.file.data += b'{"say":"Hello"}\n'
                unsaved = await save()
            table.session.file.save()
            return unsaved

        monkeypatch.setattr(table.controller, "save", fails_once)
        await screen.press("escape")
        await screen.is_at(Picker)


def refuse_write(_file):
    raise OSError(errno.ENOSPC, "No space left on device")


async def test_saved_session_leaves_without_warning():
    async with open_table() as screen:
        table = await open_unsaved_table(screen, lambda: None)
        await screen.press("n")
        await screen.sees("It stays saved")
        await screen.press("escape")
        await screen.wait_until(lambda: screen.app.screen is table)
        await screen.press("escape")
        await screen.is_at(Picker)
        await screen.press("ctrl+q")
    assert screen.app.return_code == 0
    assert not screen.app.context.unsaved_work.finalize_all()


async def test_no_question_once_saving_works_again(home, monkeypatch):
    async with open_table() as screen:
        with monkeypatch.context() as full:
            table = await open_unsaved_table(screen, lambda: fill_disk(full, home))
            assert table.session.save_error
        await screen.press("escape")
        await screen.is_at(Picker)
    assert not screen.app.context.unsaved_work.finalize_all()


async def test_unsaved_robot_table_asks_too(home, monkeypatch):
    async with open_table(create_session("gurka", 11, people=0)) as screen:
        table = await screen.is_at(TableScreen)
        await screen.wait_until(lambda: table.session.referee.decisions > 3)
        fill_disk(monkeypatch, home)
        await screen.wait_until(lambda: table.session.save_error)
        await screen.press("escape")
        await screen.sees(TITLE)
    assert screen.app.context.unsaved_work.finalize_all()


@pytest.mark.parametrize("exit_name", ["Esc", "Ctrl+Q", "a score table", "another game"])
async def test_unsaved_score_table_asks_too(home, monkeypatch, tmp_path, exit_name):
    _, first, [entered, *_] = play_session_with_entries("rifki", 1)
    scores = score_tables.create(GAMES["rifki"], NAMES[:4], GAMES["rifki"].options(), first)
    scores.close()
    async with at_screen(CardtableApp(Preferences(QUICK), page=("score_table", scores.path))) as screen:
        table = await screen.is_at(ScorePage)
        fill_disk(monkeypatch, home)
        await screen.press(*enter_by_keys(table.page.opened.table, entered))
        await take_exit(exit_name, screen)
        await screen.sees(f"{TITLE}1 round")
        await screen.press("escape")
        assert await screen.is_at(ScorePage) is table
        await take_exit(exit_name, screen)
        await screen.is_at(Dialog)
        await type_folder(screen, tmp_path / "stick")
        if exit_name == "Esc":
            await screen.is_at(Picker)
        elif exit_name != "Ctrl+Q":
            await screen.wait_until(lambda: screen.app.screen is not table and not is_shown(screen.app, Dialog))
    assert (tmp_path / "stick" / scores.path.name).exists()


async def test_unsaved_question_ignores_confirm_setting(home, monkeypatch):
    async with start_program(create_session("rikiki", 11), robot_pace=0, trick_pause=0, confirm=False) as screen:
        await open_unsaved_table(screen, lambda: fill_disk(monkeypatch, home))
        await screen.press("equals_sign")
        await screen.sees(TITLE)


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
    async with at_screen(CardtableApp(Preferences(QUICK))) as screen:
        await screen.reads("Rikiki, round 1 of 28: 1 decision could not be saved")
        await screen.press("enter")
        table = await screen.is_at(TableScreen)
        assert table.session.path == left.path
        assert table.session.referee.decisions >= 1
        assert table.session.read_only_reason is None
    assert left.path.with_suffix(".aside").exists()
    assert not emergency_save.list_saved(".jsonl")


async def test_declined_emergency_save_remains():
    left = create_unsaved_session()
    for _ in range(2):
        async with at_screen(CardtableApp(Preferences(QUICK))) as screen:
            await screen.reads("1 decision could not be saved")
            await screen.press("escape")
            await screen.is_at(Picker)
    assert emergency_save.list_saved(".jsonl")
    assert not left.path.with_suffix(".aside").exists()


async def test_emergency_save_can_replace_requested_table():
    left = create_unsaved_session()
    async with open_table(create_session("gurka", 3)) as screen:
        await screen.reads("1 decision could not be saved")
        await screen.press("enter")
        await screen.wait_until(
            lambda: isinstance(screen.app.screen, TableScreen) and screen.app.screen.session.path == left.path
        )
