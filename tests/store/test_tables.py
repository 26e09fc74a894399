"""What is done with unfinished sessions without playing: looked at, named, given up, taken back."""

import subprocess
import sys

import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.store import archive_index, atomic_io, paths, sessions
from cardtable.store.errors import DamagedJournal, FileError
from tests.played_at import played_at
from tests.store.playing import begin, fill, unfinished

ELSEWHERE = """
import sys
from pathlib import Path
from cardtable.store import sessions
session = sessions.resume(Path(sys.argv[1]))
print(session.read_only_reason, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def elsewhere():
    """Opens a session in another program."""
    begun = []

    def open_there(path):
        program = subprocess.Popen(
            [sys.executable, "-c", ELSEWHERE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        begun.append(program)
        assert program.stdout.readline() == "None\n"

    yield open_there
    for program in begun:
        program.communicate("")


def summary():
    """The only unfinished session."""
    [found] = sessions.list_unfinished()
    return found


@pytest.mark.promise(
    "The picker and new tables", "An unfinished session can be watched, renamed, abandoned and restored."
)
def test_a_session_that_is_given_up_lies_in_the_archive_and_can_be_taken_back(short):
    path = unfinished()
    before = path.read_bytes()
    there = sessions.abandon(path)
    assert there == paths.archive_folder() / path.name
    assert sessions.list_unfinished() == []
    [given_up] = archive_index.list_finished()
    assert (given_up.state, given_up.path, given_up.ranks) == ("given-up", there, None)
    assert sessions.restore(there) == path
    assert path.read_bytes() == before
    assert summary().state == "open"
    assert archive_index.list_finished() == []


@pytest.mark.promise("The picker and new tables", "A session that is open in another program cannot be abandoned.")
def test_a_session_that_another_program_has_open_is_neither_given_up_nor_renamed(elsewhere):
    path = unfinished()
    elsewhere(path)
    for refused in (sessions.abandon, lambda path: sessions.rename(path, "Friday")):
        before = path.read_bytes()
        with pytest.raises(CardtableError, match="it is open in another program"):
            refused(path)
        assert path.read_bytes() == before
    assert paths.list_files(paths.archive_folder(), "") == []


def test_whoever_opens_a_journal_while_it_is_given_up_does_not_write_into_the_archive(short, monkeypatch):
    path = unfinished()
    lock = atomic_io.lock

    def moved_meanwhile(descriptor):
        monkeypatch.undo()
        paths.create_folder(paths.archive_folder())
        path.rename(paths.archive_folder() / path.name)
        return lock(descriptor)

    monkeypatch.setattr(atomic_io, "lock", moved_meanwhile)
    with pytest.raises(CardtableError, match="That session was given up: it is in the archive"):
        sessions.resume(path)


@pytest.mark.promise("For maintainers", "A crash while a session is abandoned leaves one whole journal.")
def test_a_crash_before_or_after_the_move_leaves_one_whole_journal(short, monkeypatch):
    path = unfinished()
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
        broken.setattr(type(path), "rename", lambda *given: (rename(*given), crash()))
        with pytest.raises(KeyboardInterrupt):
            sessions.abandon(path)
    [there] = paths.list_files(paths.archive_folder(), ".jsonl")
    assert (there.read_bytes(), path.exists()) == (before, False)


def test_nothing_in_the_archive_is_written_over(short):
    path = unfinished()
    paths.create_folder(paths.archive_folder())
    other = paths.archive_folder() / path.name
    other.write_bytes(b"another")
    with pytest.raises(FileError, match="the session cannot be given up: File exists"):
        sessions.abandon(path)
    assert (other.read_bytes(), path.exists()) == (b"another", True)


def test_a_damaged_journal_is_given_up_as_it_is(short):
    path = unfinished()
    path.write_bytes(path.read_bytes().replace(b'"action"', b'"acting"', 1))
    before = path.read_bytes()
    assert sessions.abandon(path).read_bytes() == before


def test_a_session_that_has_gone_is_named(short):
    path = unfinished()
    path.unlink()
    for way in (
        sessions.abandon,
        sessions.restore,
        sessions.open_read_only,
        lambda gone: sessions.rename(gone, "Friday"),
    ):
        with pytest.raises(FileError, match="No such file"):
            way(path)


@pytest.mark.promise(
    "The picker and new tables",
    "The picker reports a session that another program has archived, and refreshes its list.",
)
def test_of_a_session_that_another_program_has_moved_it_is_told_where_it_is(short):
    session = begin()
    fill(session)
    session.close()
    over, given_up = paths.sessions_folder() / session.path.name, unfinished()
    archived = sessions.abandon(given_up)
    for path, where in ((over, "is over: it is in the archive"), (given_up, "was given up: it is in the archive")):
        for way in (
            sessions.resume,
            sessions.abandon,
            sessions.open_read_only,
            lambda gone: sessions.rename(gone, "Friday"),
        ):
            with pytest.raises(CardtableError, match=rf"^That session {where}$"):
                way(path)
    sessions.restore(archived)
    with pytest.raises(CardtableError, match=r"^That session was taken back: it is among the tables$"):
        sessions.restore(archived)


@pytest.mark.promise(
    "The picker and new tables", "An unfinished session can be watched, renamed, abandoned and restored."
)
def test_a_table_is_renamed_and_stays_as_old_as_it_is(short):
    path = unfinished()
    played_at(path, 1e9)
    for name, shown in (("  Friday ", "Friday"), ("Saturday", "Saturday"), ("", "")):
        sessions.rename(path, name)
        assert (summary().name, summary().played) == (shown, 1e9)
    names = [entry.line.name for entry in journal.read(path.read_bytes()).entries if entry.line.name is not None]
    assert names[-3:] == ["Friday", "Saturday", ""]


def test_a_name_is_cleaned_and_cut(short):
    path = unfinished()
    sessions.rename(path, "\x1b[31m[b]\u202e" + "x" * 500)
    name = summary().name
    assert name.startswith("[31m[b]\ufffdxx")
    assert len(name) == 24
    assert "\u202e" in path.read_text(encoding="utf-8"), "it is kept as it was typed, and cleaned where it is shown"
    sessions.rename(path, "\ud800")
    assert summary().name == ""


def test_a_name_keeps_its_joiners(short):
    path = unfinished()
    sessions.rename(path, "می\u200cروم 👩\u200d💻")
    assert '"name":"می\u200cروم 👩\u200d💻"' in path.read_text(encoding="utf-8")
    assert summary().name == "می\u200cروم 👩💻"


def test_a_name_written_by_another_hand_is_cleaned_where_it_is_shown():
    session = begin()
    session.referee.rename("\x1b]0;x\x07" + "y" * 500)
    session.close()
    assert summary().name == "\ufffd]0;x\ufffd" + "y" * 17 + "…"


def test_only_an_unfinished_session_is_renamed(short):
    session = begin()
    fill(session)
    session.close()
    with pytest.raises(FileError, match="the session is over"):
        sessions.rename(session.path, "Friday")


@pytest.mark.promise(
    "The picker and new tables", "An unfinished session can be watched, renamed, abandoned and restored."
)
def test_who_only_looks_changes_nothing_and_locks_nobody_out(short):
    path = unfinished()
    path.write_bytes(path.read_bytes() + b'{"torn')
    before = path.read_bytes()
    looking = sessions.open_read_only(path)
    assert looking.read_only_reason == "it is only looked at"
    with pytest.raises(CardtableError, match="it is only looked at"):
        looking.referee.say("hello")
    assert sorted(paths.sessions_folder().iterdir()) == [path]
    assert path.read_bytes() == before
    playing = sessions.resume(path)
    assert playing.read_only_reason is None
    assert sessions.open_read_only(path).referee.round == playing.referee.round
    looking.close()


def test_a_damaged_journal_cannot_be_looked_at(short):
    path = unfinished()
    path.write_bytes(path.read_bytes().replace(b'"action"', b'"acting"', 1))
    with pytest.raises(DamagedJournal):
        sessions.open_read_only(path)


def test_a_summary_is_remembered_until_its_file_changes(short, monkeypatch):
    path = unfinished()
    first = summary()
    with monkeypatch.context() as unread:
        unread.setattr("cardtable.store.session_files.read_session", lambda path: pytest.fail("it was read again"))
        assert summary() is first
    sessions.rename(path, "Friday")
    assert summary().name == "Friday"
