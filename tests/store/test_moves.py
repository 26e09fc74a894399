"""Sessions that are moved between their folders, which may lie on two disks, whatever happens meanwhile."""

import errno
import os
import subprocess
import sys
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.store import archive_index, paths, sessions, summaries, temp_cleanup
from cardtable.store.journal_file import JournalFile
from tests.store import test_score_tables
from tests.store.disk_faults import Disk
from tests.store.playing import begin, fill, unfinished, whole

pytestmark = pytest.mark.usefixtures("short")


class Killed(BaseException):
    """The program was killed."""


@pytest.fixture
def two_disks(monkeypatch):
    """No file can be renamed from one folder into another."""
    rename = os.rename

    def within_folder(source, target):
        if Path(source).parent != Path(target).parent:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(source, target)

    monkeypatch.setattr(os, "rename", within_folder)


def places(path):
    """The files of a session, in whatever folder, and the bytes of each."""
    return {file.parent.name: file.read_bytes() for file in paths.home().glob(f"*/{path.name}")}


def listed_once(path):
    """Where the session is listed; it is in one place there, and no draft is left."""
    temp_cleanup.remove_stale()
    (summary,) = archive_index.list_summaries()
    (only,) = places(path)
    assert summary.path.parent.name == only
    assert not list(paths.home().glob("*/*.new"))
    return only


def test_finished_session_goes_to_archive_on_other_disk(two_disks):
    session = begin()
    fill(session)
    assert session.path.parent == paths.archive_folder()
    session.referee.say("well played")
    assert session.save_error is None
    session.close()
    assert journal.read(session.path.read_bytes()).entries[-1].line.say == "well played"
    assert listed_once(session.path) == "archive"
    assert session.path.stat().st_mode & 0o777 == 0o600


def test_given_up_and_taken_back_on_two_disks(two_disks):
    path = unfinished()
    data = path.read_bytes()
    archived = sessions.abandon(path)
    assert places(path) == {"archive": data}
    assert sessions.restore(archived) == path
    assert places(path) == {"sessions": data}


def test_finished_score_table_goes_to_archive_on_other_disk(two_disks):
    path = test_score_tables.whole()
    assert path.parent == paths.archive_folder()
    assert listed_once(path) == "archive"


def moves(data):
    """Each way in which a session is moved: put its file where it lies first, and move it."""
    ended = data.count(b'\n{"end":')

    def put(folder):
        paths.create_folder(folder)
        path = folder / "20261120-083728-rikiki-7f3a.jsonl"
        path.write_bytes(data)
        return path

    if ended:
        return {"listing": (lambda: put(paths.sessions_folder()), lambda path: summaries.list_unfinished())}
    return {
        "give up": (lambda: put(paths.sessions_folder()), sessions.abandon),
        "take back": (lambda: put(paths.archive_folder()), sessions.restore),
    }


@pytest.fixture(params=["give up", "take back", "listing"])
def move(request, monkeypatch):
    """One way of moving a session: put its file in place, and move it."""
    monkeypatch.setattr(temp_cleanup, "_is_possibly_running", lambda process: False)
    session = begin()
    fill(session, 1000 if request.param == "listing" else 9)
    session.close()
    data = session.path.read_bytes()
    session.path.unlink()
    return moves(data)[request.param]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_any_call_fails_during_move_to_other_disk(move, two_disks, monkeypatch, number, lasting):
    put, go = move
    faulty, fails = Disk(monkeypatch), 0
    while fails == 0 or faulty.failed:
        path = put()
        data = path.read_bytes()
        with faulty.failing(fails, number, lasting=lasting), suppress(CardtableError):
            go(path)
        assert set(places(path).values()) == {data}
        listed_once(path)
        for file in paths.home().glob("*/*"):
            file.unlink()
        fails += 1
    assert fails > 6


def test_killed_during_move_to_other_disk(move, two_disks, monkeypatch):
    put, go = move
    killed_at, step = 0, 0

    def killing(call):
        def guarded(*args, **kwargs):
            nonlocal step
            step += 1
            if step == killed_at:
                raise Killed
            return call(*args, **kwargs)

        return guarded

    for name in ("open", "write", "fsync", "replace", "unlink"):
        monkeypatch.setattr(os, name, killing(getattr(os, name)))
    while step >= killed_at:
        path = put()
        data = path.read_bytes()
        step, killed_at = 0, killed_at + 1
        with suppress(Killed):
            go(path)
        reached, step = step, -(10**9)
        assert set(places(path).values()) == {data}
        listed_once(path)
        for file in paths.home().glob("*/*"):
            file.unlink()
        step = reached
    assert killed_at > 8


@pytest.mark.parametrize("longer", ["sessions", "archive", None])
def test_of_two_files_the_one_with_all_lines_stays(longer):
    path = unfinished()
    data = path.read_bytes()
    archived = paths.archive_folder() / path.name
    paths.create_folder(paths.archive_folder())
    shorter = data[: data.rstrip(b"\n").rfind(b"\n") + 1]
    path.write_bytes(shorter if longer == "archive" else data)
    archived.write_bytes(shorter if longer == "sessions" else data)
    assert listed_once(path) == (longer or "archive")
    assert set(places(path).values()) == {data}


def test_two_files_that_differ_are_left_alone():
    path = unfinished()
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / path.name).write_bytes(path.read_bytes().replace(b"Friday", b"Monday"))
    before = places(path)
    summaries.finish_moves()
    assert places(path) == before
    with pytest.raises(CardtableError, match="File exists"):
        sessions.abandon(path)
    assert places(path) == before


def test_one_folder_for_both():
    path = unfinished()
    paths.archive_folder().symlink_to(paths.sessions_folder())
    summaries.finish_moves()
    assert path.exists()


@pytest.mark.parametrize("folder", ["sessions", "archive"])
def test_copy_that_is_open_elsewhere_is_left_alone(folder):
    path = unfinished()
    data = path.read_bytes()
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / path.name).write_bytes(data)
    with closing(JournalFile.open_locked(paths.home() / folder / path.name)):
        code = "from cardtable.store import summaries; summaries.finish_moves()"
        subprocess.run([sys.executable, "-c", code], check=True)
        assert places(path) == {"sessions": data, "archive": data}
    summaries.finish_moves()
    assert places(path) == {"archive": data}


def test_archive_that_is_a_link_to_another_disk():
    memory = Path("/dev/shm")  # another disk where the system has it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as other:
        paths.create_folder(paths.home())
        paths.archive_folder().symlink_to(other)
        data = whole()
        (file,) = Path(other).glob("*-rikiki-*")
        assert file.read_bytes() == data
        assert summaries.list_unfinished() == []
        assert [summary.state for summary in archive_index.list_summaries()] == ["over"]
