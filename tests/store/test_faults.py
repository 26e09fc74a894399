"""The disk fails: play goes on, it is told, and what is on the disk is never worse than before."""

import errno
import fcntl
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
from tests.store.disk_faults import Disk
from tests.store.playing import begin, lines, play, unfinished, what

ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES]


@pytest.fixture
def faulty(monkeypatch):
    return Disk(monkeypatch)


def data_of(session):
    """All that a session has, saved or not."""
    return bytes(session._file.data)


def in_file(session):
    """What lies on the disk where the session says that it is; nothing if it was never made."""
    return session.path.read_bytes() if session.path.exists() else b""


def holds(session):
    """The file has whole lines of the session from the first one on; all of them unless told otherwise."""
    held, whole = in_file(session), data_of(session)
    read = journal.read(held) if held else None
    good = held[: read.size] if read else b""
    return whole.startswith(good) and (session.save_error is not None or held == whole)


def evening(seen):
    """Begin, play, leave, come back, play on, until the session is over; ``seen`` looks after each step."""
    session, rng = begin(), Random(1)
    for step in range(9):
        if step == 4:
            session.close()
            seen(session)
            if not session.path.exists():
                return session
            session = sessions.resume(session.path)
        play(session.referee, rng, 2)
        if step == 2:
            session.referee.undo(1)
            session.referee.say("once more")
        seen(session)
    assert session.referee.ended
    session.close()
    return session


@pytest.mark.promise("For maintainers", "No failing write, flush or rename loses a saved line or stops play.")
@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_the_nth_call_fails(short, faulty, number, lasting):
    def seen(session):
        assert holds(session)
        assert session.save_error is None or session.save_error.startswith("saving failed: ")

    fails = 0
    while fails == 0 or faulty.failed:
        session = None
        with faulty.failing(fails, number, lasting=lasting), suppress(FileError):  # it may not even open again
            session = evening(seen)
        if session is not None:
            assert holds(session)
            if not lasting:
                assert session.save_error is None
                assert session.referee.ended
        fails += 1
    assert fails > 45
    assert not list(paths.home().glob("*/*.torn"))
    assert lasting or not list(paths.home().glob("*/*.new"))


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_the_nth_call_fails_while_a_torn_line_is_put_aside(short, faulty, number):
    path = unfinished()
    whole = path.read_bytes()
    torn = whole[:-7]
    kept = b"".join(lines(whole)[:-1])
    fails = 0
    while fails == 0 or faulty.failed:
        path.write_bytes(torn)
        session = None
        with faulty.failing(fails, number):
            with suppress(FileError):
                session = sessions.resume(path)
            aside = {file.read_bytes() for file in paths.sessions_folder().glob("*.torn")}
            assert path.read_bytes() == torn or (path.read_bytes(), aside) == (kept, {torn[len(kept) :]})
            if session is not None:
                session.referee.say("on")
                assert holds(session)
                session.close()
                assert session.save_error is None
                assert lines(path.read_bytes())[:-1] == lines(kept)
        for file in paths.sessions_folder().glob("*.torn"):
            file.unlink()
        fails += 1
    assert fails > 5


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_settings_are_the_old_or_the_new_ones(faulty, number):
    old, new = Settings(pace=0.1), Settings(pace=1.9, beep=True)
    fails = 0
    while fails == 0 or faulty.failed:
        save(load()[0], old)
        saved = False
        with faulty.failing(fails, number), suppress(CardtableError):
            save(old, new)
            saved = True
        assert load() in ([(new, [])] if saved else [(old, []), (new, [])])
        assert not list(paths.home().glob("*.new"))
        fails += 1
    assert fails > 8


@pytest.mark.promise(
    "For maintainers",
    "While the disk works, a line is flushed to it before it takes effect, and a new file as a whole.",
)
def test_every_line_is_flushed_before_it_counts_and_a_new_file_wholly(faulty):
    faulty.log.clear()
    session = begin()
    made = faulty.log.copy()
    there = made.index("replace")
    assert made[there - 2 : there] == ["write", "fsync"]
    assert "fsync" in made[there + 1 :]
    faulty.log.clear()
    session.referee.advance()
    assert faulty.log == ["write", "fdatasync" if hasattr(os, "fdatasync") else "fsync"]


def test_without_fdatasync_there_is_fsync(monkeypatch, faulty):
    monkeypatch.delattr(os, "fdatasync", raising=False)
    session = begin()
    faulty.log.clear()
    session.referee.advance()
    assert faulty.log == ["write", "fsync"]


def test_a_full_disk_is_told_and_made_good_when_there_is_space(faulty):
    session = begin()
    play(session.referee, Random(1), 3)
    before = in_file(session)
    with faulty.failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play(session.referee, Random(2), 5)
        assert re.fullmatch(r"saving failed: No space left on device: .*\.jsonl", session.save_error)
        assert session.save_error.isprintable()
        assert in_file(session) == before
    assert session.referee.decisions == 8
    play(session.referee, Random(3), 1)
    assert session.save_error is None
    assert in_file(session) == data_of(session)
    assert journal.read(in_file(session)).entries[-1].line.action


def test_what_is_pending_is_written_when_the_session_is_closed(faulty):
    session = begin()
    with faulty.failing(0, errno.EIO, lasting=True, only=("write",)):
        play(session.referee, Random(1), 5)
    session.close()
    assert session.save_error is None
    assert in_file(session) == data_of(session)


def test_pending_lines_are_in_flight_one_at_a_time(faulty):
    """Else a power failure could leave a whole line behind a broken one: damage, not a torn tail."""
    session = begin()
    with faulty.failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play(session.referee, Random(1), 5)
    faulty.log.clear()
    session.close()
    assert faulty.log[:12] == ["write", "fdatasync"] * 6


def test_a_write_that_is_cut_short_is_cut_off(monkeypatch):
    session = begin()
    session.referee.advance()
    before = in_file(session)
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:10]))
    play(session.referee, Random(1), 1)
    assert "No space left" in session.save_error
    assert in_file(session) == before
    monkeypatch.undo()
    session.close()
    assert in_file(session) == data_of(session)


def test_after_a_failed_flush_a_whole_new_file_takes_the_place(faulty):
    session = begin()
    session.referee.advance()
    before = session.path.stat().st_ino
    faulty.log.clear()
    with faulty.failing(0, errno.EIO, only=("fdatasync",)):
        play(session.referee, Random(1), 1)
    assert session.save_error is None
    assert session.path.stat().st_ino != before
    assert faulty.log.index("fdatasync") < faulty.log.index("replace")
    assert in_file(session) == data_of(session)
    play(session.referee, Random(1), 1)
    session.close()
    assert in_file(session) == data_of(session)
    assert sessions.resume(session.path).referee.decisions == 2


def test_after_a_failed_flush_nothing_is_appended_to_the_old_file(faulty):
    session = begin()
    session.referee.advance()
    with faulty.failing(0, errno.EIO, lasting=True, only=("fdatasync", "fsync", "replace")):
        play(session.referee, Random(1), 1)
        old = in_file(session)
        play(session.referee, Random(1), 3)
        assert "Input/output error" in session.save_error
        assert in_file(session) == old
        assert not list(paths.sessions_folder().glob("*.new"))
        looking = sessions.resume(session.path)
        assert looking.read_only_reason
        looking.close()
    session.close()
    assert session.save_error is None
    assert in_file(session) == data_of(session)


def test_a_new_file_counts_only_when_its_name_has_reached_the_disk(faulty):
    with faulty.failing(2, errno.EIO, only=("fsync",)):  # of the home, of the header, of the sessions' folder
        session = begin()
    assert faulty.failed
    assert "Input/output error" in session.save_error
    faulty.log.clear()
    session.referee.advance()
    assert session.save_error is None
    assert faulty.log.index("replace") < len(faulty.log) - 1 - faulty.log[::-1].index("fsync")
    assert in_file(session) == data_of(session)


def test_while_the_whole_file_is_written_it_stays_locked(faulty, monkeypatch):
    session = begin()
    session.referee.advance()
    publish, seen = atomic_io.replace, []

    def spying(written, path):
        looking = sessions.resume(path)
        seen.append(looking.read_only_reason)
        looking.close()
        publish(written, path)

    monkeypatch.setattr(atomic_io, "replace", spying)
    with faulty.failing(0, errno.EIO, only=("fdatasync",)):
        play(session.referee, Random(1), 1)
    assert seen == ["it is open in another program"]
    assert session.save_error is None


def test_a_partial_line_that_could_not_be_cut_off_at_once_is_cut_off_later(faulty):
    session = begin()
    session.referee.advance()
    before = in_file(session)
    with faulty.failing(0, errno.EIO, lasting=True, only=("write", "ftruncate")):
        play(session.referee, Random(1), 2)
        assert "Input/output error" in session.save_error
        assert in_file(session).startswith(before)
        assert len(in_file(session)) > len(before)
    play(session.referee, Random(1), 1)
    assert session.save_error is None
    assert in_file(session) == data_of(session)


def test_the_session_can_be_saved_into_another_folder(faulty, tmp_path):
    session = begin()
    session.referee.advance()
    old, before = session.path, in_file(session)
    with faulty.failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play(session.referee, Random(1), 3)
        with pytest.raises(CardtableError, match="No space left"):
            session.save_into(tmp_path / "stick")
        assert session.path == old
    with faulty.failing(0, errno.ENOSPC, lasting=True, only=("write",)):
        play(session.referee, Random(1), 1)
    session.save_into(tmp_path / "stick")
    assert session.path == tmp_path / "stick" / old.name
    assert session.save_error is None
    assert in_file(session) == data_of(session)
    assert old.read_bytes() == before
    play(session.referee, Random(1), 2)
    session.close()
    assert in_file(session) == data_of(session)
    assert what(sessions.resume(session.path).referee) == what(session.referee)


def test_saving_into_a_folder_overwrites_nothing(tmp_path):
    session = begin()
    there = tmp_path / session.path.name
    there.write_text("mine")
    with pytest.raises(CardtableError, match="File exists"):
        session.save_into(tmp_path)
    assert there.read_text() == "mine"


# --- another program


def test_a_file_that_another_program_has_changed_is_written_no_more():
    session = begin()
    session.referee.advance()
    with session.path.open("ab") as file:
        file.write(b"mine\n")
    changed = in_file(session)
    play(session.referee, Random(1), 2)
    assert "another program has changed the file" in session.save_error
    session.close()
    assert in_file(session) == changed


def over_written(path, data):
    path.write_bytes(data)


def over_written_in_the_middle(path, data):
    with path.open("r+b") as file:
        file.seek(len(data) // 2)
        file.write(b"?")


def truncated_and_grown(path, data):
    os.truncate(path, len(data) // 2)
    os.truncate(path, len(data))


def replaced(path, data):
    path.with_suffix(".part").write_bytes(data)
    path.with_suffix(".part").replace(path)


def replaced_and_put_aside(path, data):
    path.rename(path.with_suffix(".old"))
    path.write_bytes(data)


@pytest.mark.parametrize(
    "change", [over_written, over_written_in_the_middle, truncated_and_grown, replaced, replaced_and_put_aside]
)
def test_same_size_change_of_open_journal(change):
    other = begin(seed=8)
    other.referee.advance()
    session = begin()
    session.referee.advance()
    play(session.referee, Random(1), 3)
    before = session.path.stat()
    change(session.path, in_file(other).ljust(before.st_size, b"x")[: before.st_size])
    os.utime(session.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    changed = in_file(session)
    assert (session.path.stat().st_size, session.path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    play(session.referee, Random(1), 2)
    assert re.search("another program has changed the file|the file is gone", session.save_error)
    session.close()
    assert in_file(session) == changed
    (kept,) = emergency_save.list_saved(".jsonl")
    assert kept.read_bytes() == data_of(session)


def test_renamed_file_is_written_again_when_it_is_back():
    session = begin()
    session.referee.advance()
    aside = session.path.rename(session.path.with_suffix(".old"))
    play(session.referee, Random(1), 1)
    assert "the file is gone" in session.save_error
    assert "1 decision" in session.file.unsaved_description
    aside.rename(session.path)
    play(session.referee, Random(1), 1)
    assert session.save_error is None
    assert in_file(session) == data_of(session)


def test_a_file_that_was_removed_is_not_made_again():
    session = begin()
    session.referee.advance()
    session.path.unlink()
    play(session.referee, Random(1), 2)
    session.close()
    assert "the file is gone" in session.save_error
    assert not session.path.exists()


def test_a_file_with_a_new_name_elsewhere_is_written_no_more_until_that_is_gone(tmp_path):
    session = begin()
    session.referee.advance()
    os.link(session.path, tmp_path / "other")
    before = in_file(session)
    play(session.referee, Random(1), 1)
    assert "another program has changed the file" in session.save_error
    assert in_file(session) == before
    (tmp_path / "other").unlink()
    play(session.referee, Random(1), 1)
    assert session.save_error is None
    assert in_file(session) == data_of(session)


@pytest.mark.parametrize("lock", [atomic_io.lock, atomic_io._lock_with_portalocker])
def test_a_file_is_locked_once_until_it_is_closed(tmp_path, lock):
    (tmp_path / "a").touch()
    one, other = [os.open(tmp_path / "a", os.O_RDWR) for _ in range(2)]
    assert (lock(one), lock(other), atomic_io.lock(other)) == (True, False, False)
    os.close(one)
    assert lock(other)
    os.close(other)


def test_where_no_locks_are_known_a_foreign_line_is_noticed(monkeypatch):
    def unknown(*_):
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(fcntl, "flock", unknown)
    path = unfinished()
    one, other = sessions.resume(path), sessions.resume(path)
    assert one.read_only_reason is other.read_only_reason is None
    one.referee.say("first")
    other.referee.say("second")
    assert one.save_error is None
    assert "another program has changed the file" in other.save_error
    one.close()
    other.close()
    assert in_file(one) == data_of(one)
