"""Disk faults: play continues, the fault is reported, and saved lines are never lost."""

import errno
import os
import re
from contextlib import suppress
from random import Random

import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, emergency_save, paths, sessions
from cardtable.store.errors import FileError
from cardtable.store.settings import Settings, load, save
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import (
    capture_views,
    create_session,
    create_unfinished_journal,
    get_data,
    play_randomly,
    split_lines,
)
from tests.store.processes import find_descriptor

ERROR_NUMBERS = [errno.ENOSPC, errno.EIO, errno.EACCES]


@pytest.fixture
def faulty_disk(monkeypatch):
    return FaultyDisk(monkeypatch)


def read_saved_data(session):
    """Return the content of the session's file, empty if there is none."""
    return session.path.read_bytes() if session.path.exists() else b""


def is_file_consistent(session):
    """Return True if the file has the first lines of the session, and all of them unless an error is reported."""
    saved, whole = read_saved_data(session), get_data(session)
    read = journal.read(saved) if saved else None
    good = saved[: read.size] if read else b""
    return whole.startswith(good) and (session.save_error is not None or saved == whole)


def play_and_resume(check):
    """Play, close, resume and finish a session; call `check` after each step."""
    session, rng = create_session(), Random(1)
    for step in range(9):
        if step == 4:
            session.close()
            check(session)
            if not session.path.exists():
                return session
            session = sessions.resume(session.path)
        play_randomly(session.referee, rng, 2)
        if step == 2:
            session.referee.undo(1)
            session.referee.say("once more")
        check(session)
    assert session.referee.ended
    session.close()
    return session


@pytest.mark.parametrize("number", ERROR_NUMBERS, ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_play_continues_after_any_failing_call(short, faulty_disk, number, lasting):
    def check(session):
        assert is_file_consistent(session)
        assert session.save_error is None or session.save_error.startswith("saving failed: ")

    for fails in faulty_disk.iter_call_indexes(45):
        session = None
        with faulty_disk.failing(fails, number, lasting=lasting), suppress(FileError):  # it may not even open again
            session = play_and_resume(check)
        if session is not None:
            assert is_file_consistent(session)
            if not lasting:
                assert session.save_error is None
                assert session.referee.ended
    assert not list(paths.home().glob("*/*.torn"))
    assert lasting or not list(paths.home().glob("*/*.new"))


@pytest.mark.parametrize("number", ERROR_NUMBERS, ids=errno.errorcode.get)
def test_failing_call_while_torn_line_is_set_aside(short, faulty_disk, number):
    path = create_unfinished_journal()
    whole = path.read_bytes()
    torn = whole[:-7]
    remaining = b"".join(split_lines(whole)[:-1])
    for fails in faulty_disk.iter_call_indexes(5):
        path.write_bytes(torn)
        session = None
        with faulty_disk.failing(fails, number):
            with suppress(FileError):
                session = sessions.resume(path)
            aside = {file.read_bytes() for file in paths.sessions_folder().glob("*.torn")}
            assert path.read_bytes() == torn or (path.read_bytes(), aside) == (remaining, {torn[len(remaining) :]})
            if session is not None:
                session.referee.say("on")
                assert is_file_consistent(session)
                session.close()
                assert session.save_error is None
                assert split_lines(path.read_bytes())[:-1] == split_lines(remaining)
        for file in paths.sessions_folder().glob("*.torn"):
            file.unlink()


@pytest.mark.parametrize("number", ERROR_NUMBERS, ids=errno.errorcode.get)
def test_failing_call_leaves_old_or_new_settings(faulty_disk, number):
    old, new = Settings(robot_pace=0.1), Settings(robot_pace=1.9, beep=True)
    for fails in faulty_disk.iter_call_indexes(8):
        save(load()[0], old)
        saved = False
        with faulty_disk.failing(fails, number), suppress(CardtableError):
            save(old, new)
            saved = True
        assert load() in ([(new, [])] if saved else [(old, []), (new, [])])
        assert not list(paths.home().glob("*.new"))


def test_unsaved_lines_are_flushed_one_at_a_time(faulty_disk):
    """Otherwise a power failure could leave a complete line after a broken one: damage instead of a torn tail."""
    session = create_session()
    with faulty_disk.failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play_randomly(session.referee, Random(1), 5)
    faulty_disk.log.clear()
    session.close()
    assert faulty_disk.log[:12] == ["write", "fdatasync"] * 6


def test_failed_flush_replaces_the_whole_file(faulty_disk):
    session = create_session()
    session.referee.advance()
    before = session.path.stat().st_ino
    faulty_disk.log.clear()
    with faulty_disk.failing(0, errno.EIO, only=("fdatasync",)):
        play_randomly(session.referee, Random(1), 1)
    assert session.save_error is None
    assert session.path.stat().st_ino != before
    assert faulty_disk.log.index("fdatasync") < faulty_disk.log.index("replace")
    assert read_saved_data(session) == get_data(session)
    play_randomly(session.referee, Random(1), 1)
    session.close()
    assert read_saved_data(session) == get_data(session)
    assert sessions.resume(session.path).referee.decisions == 2


def test_no_append_to_old_file_after_failed_flush(faulty_disk):
    session = create_session()
    session.referee.advance()
    with faulty_disk.failing(0, errno.EIO, lasting=True, only=("fdatasync", "fsync", "replace")):
        play_randomly(session.referee, Random(1), 1)
        old = read_saved_data(session)
        play_randomly(session.referee, Random(1), 3)
        assert "Input/output error" in session.save_error
        assert read_saved_data(session) == old
        assert not list(paths.sessions_folder().glob("*.new"))
        reader = sessions.resume(session.path)
        assert reader.read_only_reason
        reader.close()
    session.close()
    assert session.save_error is None
    assert read_saved_data(session) == get_data(session)


def test_new_file_counts_after_folder_flush(faulty_disk):
    with faulty_disk.failing(2, errno.EIO, only=("fsync",)):  # of the home, of the header, of the sessions' folder
        session = create_session()
    assert faulty_disk.failed
    assert "Input/output error" in session.save_error
    faulty_disk.log.clear()
    session.referee.advance()
    assert session.save_error is None
    assert faulty_disk.log.index("replace") < len(faulty_disk.log) - 1 - faulty_disk.log[::-1].index("fsync")
    assert read_saved_data(session) == get_data(session)


def test_file_stays_locked_while_rewritten(faulty_disk, monkeypatch):
    session = create_session()
    session.referee.advance()
    replace, reasons = atomic_io.replace, []

    def resume_and_replace(written, path):
        reader = sessions.resume(path)
        reasons.append(reader.read_only_reason)
        reader.close()
        replace(written, path)

    monkeypatch.setattr(atomic_io, "replace", resume_and_replace)
    with faulty_disk.failing(0, errno.EIO, only=("fdatasync",)):
        play_randomly(session.referee, Random(1), 1)
    assert reasons == ["it is open in another program"]
    assert session.save_error is None


def test_save_into_another_folder(faulty_disk, tmp_path):
    session = create_session()
    session.referee.advance()
    old, before = session.path, read_saved_data(session)
    with faulty_disk.failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play_randomly(session.referee, Random(1), 3)
        with pytest.raises(CardtableError, match="No space left"):
            session.save_into(tmp_path / "stick")
        assert session.path == old
    with faulty_disk.failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play_randomly(session.referee, Random(1), 1)
    session.save_into(tmp_path / "stick")
    assert session.path == tmp_path / "stick" / old.name
    assert session.save_error is None
    assert read_saved_data(session) == get_data(session)
    assert old.read_bytes() == before
    play_randomly(session.referee, Random(1), 2)
    session.close()
    assert read_saved_data(session) == get_data(session)
    assert capture_views(sessions.resume(session.path).referee) == capture_views(session.referee)


def test_save_into_overwrites_no_file(tmp_path):
    session = create_session()
    path = tmp_path / session.path.name
    path.write_text("mine")
    with pytest.raises(CardtableError, match="File exists"):
        session.save_into(tmp_path)
    assert path.read_text() == "mine"


# --- another program


def overwrite(path, data):
    path.write_bytes(data)


def overwrite_middle(path, data):
    with path.open("r+b") as file:
        file.seek(len(data) // 2)
        file.write(b"?")


def truncate_and_grow(path, data):
    os.truncate(path, len(data) // 2)
    os.truncate(path, len(data))


def replace_file(path, data):
    path.with_suffix(".part").write_bytes(data)
    path.with_suffix(".part").replace(path)


def rename_and_recreate(path, data):
    path.rename(path.with_suffix(".old"))
    path.write_bytes(data)


@pytest.mark.parametrize("change", [overwrite, overwrite_middle, truncate_and_grow, replace_file, rename_and_recreate])
def test_change_of_same_size_and_time_is_detected(change):
    other = create_session(seed=8)
    other.referee.advance()
    session = create_session()
    session.referee.advance()
    play_randomly(session.referee, Random(1), 3)
    before = session.path.stat()
    change(session.path, read_saved_data(other).ljust(before.st_size, b"x")[: before.st_size])
    os.utime(session.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    changed = read_saved_data(session)
    assert (session.path.stat().st_size, session.path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    play_randomly(session.referee, Random(1), 2)
    assert re.search("another program has changed the file|the file is gone", session.save_error)
    session.close()
    assert read_saved_data(session) == changed
    (saved,) = emergency_save.list_saved(".jsonl")
    assert saved.read_bytes() == get_data(session)


def test_file_is_written_again_after_rename_back():
    session = create_session()
    session.referee.advance()
    aside = session.path.rename(session.path.with_suffix(".old"))
    play_randomly(session.referee, Random(1), 1)
    assert "the file is gone" in session.save_error
    assert "1 decision" in session.file.unsaved_description
    aside.rename(session.path)
    play_randomly(session.referee, Random(1), 1)
    assert session.save_error is None
    assert read_saved_data(session) == get_data(session)


def test_file_with_hard_link_is_not_written(tmp_path):
    session = create_session()
    session.referee.advance()
    os.link(session.path, tmp_path / "other")
    before = read_saved_data(session)
    play_randomly(session.referee, Random(1), 1)
    assert "another program has changed the file" in session.save_error
    assert read_saved_data(session) == before
    (tmp_path / "other").unlink()
    play_randomly(session.referee, Random(1), 1)
    assert session.save_error is None
    assert read_saved_data(session) == get_data(session)


def test_file_that_is_replaced_after_a_failed_flush_is_closed(monkeypatch):
    session = create_session()
    session.referee.say("one")
    descriptor = find_descriptor(session.path)
    with FaultyDisk(monkeypatch).failing(0, errno.EIO, only=("fsync", "fdatasync")):
        session.referee.say("two")
    session.referee.say("three")
    assert session.save_error is None
    with suppress(OSError):  # closed, or the number of the new file
        assert os.fstat(descriptor).st_nlink == 1
    session.close()
