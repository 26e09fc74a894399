"""Durability of what a killed program, or one that runs at the same time, has left; found by the model of the store."""

import os

import pytest

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import archive_index, atomic_io, erasure, paths, profiles, sessions, summaries
from cardtable.store.archive_index import Archive
from cardtable.store.journal_file import JournalFile
from tests.store.playing import NOW, create_finished_journal, create_session, create_unfinished_journal, split_lines
from tests.store.system_calls import recording

pytestmark = pytest.mark.usefixtures("short")


def list_changes(recorder):
    """Return the calls that change or flush files, in order."""
    return [(call.name, call.path) for call in recorder.calls if call.name not in ("open", "read", "stat", "list")]


def create_session_of(nick):
    """Create a session of a registered player, close it, and return its path."""
    profiles.register(nick)
    rules = GAMES["rikiki"].options()
    seats = (Occupant(nick), *[Occupant(robot, "random") for robot in ("Ada", "Bo", "Cy")])
    session = sessions.create(GAMES["rikiki"], seats, rules, 7, now=NOW)
    session.referee.advance()
    session.close()
    return session.path


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


def test_index_has_no_facts_that_a_power_failure_can_undo(monkeypatch):
    path = create_unfinished_journal()
    before, data = path.stat(), path.read_bytes()
    slices = Archive().read()
    next(slices)
    with path.open("ab") as file:  # by another program, before it flushes
        file.write(b'{"name":"Friday","at":0.5,"crc":"00000000"}\n')
    assert [progress.left for progress in slices] == [0]
    with path.open("r+b") as file:  # the power fails
        file.truncate(len(data))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    if paths.index_file().exists():
        assert path.name.encode() not in paths.index_file().read_bytes()


def test_listing_does_not_bring_an_erased_name_back():
    path = create_session_of("Anna")
    create_session_of("Bob")
    listing = Archive().read(0.0)
    next(progress for progress in listing if (progress.unread, progress.half_read) == (0, 1))
    erasure.erase_sessions("Anna")
    assert [*listing]
    assert b"Anna" not in path.read_bytes()
    assert not paths.index_file().exists() or b"Anna" not in paths.index_file().read_bytes()
    assert {each.header.seats[0].name for each in archive_index.list_summaries()} == {"Erased 1", "Bob"}


def test_erased_backup_does_not_come_back():
    create_session_of("Anna")
    profiles.register("Bob")
    with recording() as recorder:
        erasure.erase_profile("Anna")
    changes = list_changes(recorder)
    place = changes.index(("unlink", "profiles.json.bak"))
    assert changes[place + 1] == ("flush", "home")
