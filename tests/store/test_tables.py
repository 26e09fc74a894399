"""Unfinished sessions in the picker: watch, rename, abandon and restore."""

import subprocess
import sys

import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.store import archive_index, atomic_io, paths, sessions, summaries
from cardtable.store.errors import FileError
from tests.journal_lines import select_lines
from tests.journal_times import set_last_played
from tests.store.playing import create_session, create_unfinished_journal, play_every_line_kind

SESSION_HOLDER = """
import sys
from pathlib import Path
from cardtable.store import sessions
session = sessions.resume(Path(sys.argv[1]))
print(session.read_only_reason, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def open_elsewhere():
    """Function that opens a session in another program."""
    begun = []

    def open_session(path):
        program = subprocess.Popen(
            [sys.executable, "-c", SESSION_HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        begun.append(program)
        assert program.stdout.readline() == "None\n"

    yield open_session
    for program in begun:
        program.communicate("")


def get_only_summary():
    """Return the summary of the only unfinished session."""
    [summary] = summaries.list_unfinished()
    return summary


def test_abandon_and_restore_session(short):
    path = create_unfinished_journal()
    before = path.read_bytes()
    archived = sessions.abandon(path)
    assert archived == paths.archive_folder() / path.name
    assert summaries.list_unfinished() == []
    [abandoned] = archive_index.list_finished()
    assert (abandoned.state, abandoned.path, abandoned.ranks) == ("abandoned", archived, None)
    assert sessions.restore(archived) == path
    assert path.read_bytes() == before
    assert get_only_summary().state == "open"
    assert archive_index.list_finished() == []


def test_session_open_elsewhere_is_not_abandoned_or_renamed(open_elsewhere):
    path = create_unfinished_journal()
    open_elsewhere(path)
    for refused in (sessions.abandon, lambda path: sessions.rename(path, "Friday")):
        before = path.read_bytes()
        with pytest.raises(CardtableError, match="it is open in another program"):
            refused(path)
        assert path.read_bytes() == before
    assert paths.list_files(paths.archive_folder(), "") == []


def test_resume_during_abandon_is_refused(short, monkeypatch):
    path = create_unfinished_journal()
    lock = atomic_io.lock

    def moved_meanwhile(descriptor):
        monkeypatch.undo()
        paths.create_folder(paths.archive_folder())
        path.rename(paths.archive_folder() / path.name)
        return lock(descriptor)

    monkeypatch.setattr(atomic_io, "lock", moved_meanwhile)
    with pytest.raises(CardtableError, match="That session was abandoned: it is in the archive"):
        sessions.resume(path)


def test_crash_during_abandon_leaves_one_whole_journal(short, monkeypatch):
    path = create_unfinished_journal()
    before = path.read_bytes()
    rename = type(path).rename

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(type(path), "rename", crash)
        with pytest.raises(KeyboardInterrupt):
            sessions.abandon(path)
    assert path.read_bytes() == before

    with monkeypatch.context() as broken:
        broken.setattr(type(path), "rename", lambda *arguments: (rename(*arguments), crash()))
        with pytest.raises(KeyboardInterrupt):
            sessions.abandon(path)
    [archived] = paths.list_files(paths.archive_folder(), ".jsonl")
    assert (archived.read_bytes(), path.exists()) == (before, False)


def test_abandon_keeps_damaged_journal_unchanged(short):
    path = create_unfinished_journal()
    path.write_bytes(path.read_bytes().replace(b'"action"', b'"acting"', 1))
    before = path.read_bytes()
    assert sessions.abandon(path).read_bytes() == before


def test_error_for_session_moved_by_another_program(short):
    session = create_session()
    play_every_line_kind(session)
    session.close()
    over, abandoned = paths.sessions_folder() / session.path.name, create_unfinished_journal()
    archived = sessions.abandon(abandoned)
    for path, state in ((over, "is over: it is in the archive"), (abandoned, "was abandoned: it is in the archive")):
        for function in (
            sessions.resume,
            sessions.abandon,
            sessions.open_read_only,
            lambda gone: sessions.rename(gone, "Friday"),
        ):
            with pytest.raises(CardtableError, match=rf"^That session {state}$"):
                function(path)
    sessions.restore(archived)
    with pytest.raises(CardtableError, match=r"^That session was restored: it is among the tables$"):
        sessions.restore(archived)


def test_rename_keeps_last_played_time(short):
    path = create_unfinished_journal()
    set_last_played(path, 1e9)
    for name, expected in (("  Friday ", "Friday"), ("Saturday", "Saturday"), ("", "")):
        sessions.rename(path, name)
        assert (get_only_summary().name, get_only_summary().played) == (expected, 1e9)
    names = [line.name for line in select_lines(journal.NameLine, journal.read(path.read_bytes()))]
    assert names[-3:] == ["Friday", "Saturday", ""]


def test_table_name_is_sanitized_and_shortened(short):
    path = create_unfinished_journal()
    sessions.rename(path, "\x1b[31m[b]\u202e" + "x" * 500)
    name = get_only_summary().name
    assert name.startswith("[31m[b]\ufffdxx")
    assert len(name) == 24
    assert "\u202e" in path.read_text(encoding="utf-8"), "it is kept as it was typed, and cleaned where it is shown"
    sessions.rename(path, "\ud800")
    assert get_only_summary().name == ""


def test_table_name_keeps_its_joiners(short):
    path = create_unfinished_journal()
    sessions.rename(path, "می\u200cروم 👩\u200d💻")
    assert '"name":"می\u200cروم 👩\u200d💻"' in path.read_text(encoding="utf-8")
    assert get_only_summary().name == "می\u200cروم 👩💻"


def test_finished_session_cannot_be_renamed(short):
    session = create_session()
    play_every_line_kind(session)
    session.close()
    with pytest.raises(FileError, match="the session is over"):
        sessions.rename(session.path, "Friday")


def test_open_read_only_changes_and_locks_nothing(short):
    path = create_unfinished_journal()
    path.write_bytes(path.read_bytes() + b'{"torn')
    before = path.read_bytes()
    reader = sessions.open_read_only(path)
    assert reader.read_only_reason == "it is open for reading only"
    with pytest.raises(CardtableError, match="it is open for reading only"):
        reader.referee.say("hello")
    assert sorted(paths.sessions_folder().iterdir()) == [path]
    assert path.read_bytes() == before
    playing = sessions.resume(path)
    assert playing.read_only_reason is None
    assert sessions.open_read_only(path).referee.round == playing.referee.round
    reader.close()


def test_summary_is_cached_until_file_changes(short, monkeypatch):
    path = create_unfinished_journal()
    first = get_only_summary()
    with monkeypatch.context() as unread:
        unread.setattr("cardtable.store.session_files.read_session", lambda path: pytest.fail("it was read again"))
        assert get_only_summary() is first
    sessions.rename(path, "Friday")
    assert get_only_summary().name == "Friday"
