"""Durability of what a killed program, or one that runs at the same time, has left; found by the model of the store."""

import pytest

from cardtable.store import atomic_io, paths, sessions, summaries
from cardtable.store.journal_file import JournalFile
from tests.store.playing import create_finished_journal, create_session, create_unfinished_journal, split_lines
from tests.store.system_calls import recording

pytestmark = pytest.mark.usefixtures("short")


def list_changes(recorder):
    """Return the calls that change or flush files, in order."""
    return [(call.name, call.path) for call in recorder.calls if call.name not in ("open", "read", "stat", "list")]


@pytest.mark.promise(
    "For maintainers", "A journal is flushed, with its name, before a program continues what another one has left."
)
def test_found_journal_is_flushed_before_it_is_continued():
    path = create_unfinished_journal()
    with recording(S=path.stem) as recorder:
        session = sessions.resume(path)
        session.referee.say("on")
        session.close()
    changes = list_changes(recorder)
    first = changes.index(("write", "sessions/S.jsonl"))
    assert changes[:first] == [
        ("lock", "sessions/S.jsonl"),
        ("flush", "sessions/S.jsonl"),
        ("flush", "sessions"),
        ("flush", "home"),
    ]


def test_name_of_found_folder_is_flushed():
    paths.create_folder(paths.home())
    paths.sessions_folder().mkdir()  # by a program that was killed then
    with recording() as recorder:
        create_session().close()
        create_session().close()
    flushed = [path for name, path in list_changes(recorder) if name == "flush" and path == "home"]
    assert flushed == ["home"], "once in each program"


def test_listing_does_not_move_a_session_that_ends_now(monkeypatch):
    data = create_finished_journal()
    (archived,) = paths.archive_folder().iterdir()
    path = paths.sessions_folder() / archived.name
    path.write_bytes(b"".join(split_lines(data)[:-1]))
    archived.unlink()
    move = JournalFile.move

    def move_during_listing(file, folder):
        summaries.list_unfinished()  # of a program that is started meanwhile
        move(file, folder)

    monkeypatch.setattr(JournalFile, "move", move_during_listing)
    session = sessions.resume(path)
    assert session.referee.ended
    session.referee.say("well played")
    assert session.save_error is None
    session.close()
    assert session.path.parent == paths.archive_folder()


def test_original_is_deleted_only_when_its_copy_is_durable():
    path = create_unfinished_journal()
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / path.name).write_bytes(path.read_bytes())  # by a program that was killed then
    with recording(S=path.stem) as recorder:
        summaries.finish_moves()
    changes = list_changes(recorder)
    place = changes.index(("unlink", "sessions/S.jsonl"))
    assert changes[place - 2 : place] == [("flush", "archive/S.jsonl"), ("flush", "archive")]


def test_replaced_file_is_not_deleted_for_its_former_content(monkeypatch):
    path = create_unfinished_journal()
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / path.name).write_bytes(path.read_bytes())
    lock = atomic_io.lock

    def replace_and_lock(descriptor):
        monkeypatch.setattr(atomic_io, "lock", lock)
        atomic_io.write_atomically(path, b"erased\n")  # by another program, which had the lock until now
        return lock(descriptor)

    monkeypatch.setattr(atomic_io, "lock", replace_and_lock)
    summaries.finish_moves()
    assert path.read_bytes() == b"erased\n"
