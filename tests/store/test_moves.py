"""Moves of sessions between folders on two disks, with failing calls and kills."""

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
from cardtable.store import archive_index, home_folder, paths, sessions, summaries
from cardtable.store.journal_file import JournalFile
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import create_finished_journal, create_session, create_unfinished_journal, play_every_line_kind

pytestmark = pytest.mark.usefixtures("short")


class Killed(BaseException):
    """Simulated kill of the program."""


def collect_files(path):
    """Return the bytes of all files of a session, by the name of their folder."""
    return {file.parent.name: file.read_bytes() for file in paths.home().glob(f"*/{path.name}")}


def find_only_folder(path):
    """Assert that a session lies in one folder, where it is listed, and that no temporary file is left; return the
    folder.
    """
    home_folder.remove_stale_files()
    (summary,) = archive_index.list_summaries()
    (only,) = collect_files(path)
    assert summary.path.parent.name == only
    assert not list(paths.home().glob("*/*.new"))
    return only


def test_finished_session_moves_to_archive_on_other_disk(two_disks):
    session = create_session()
    play_every_line_kind(session)
    assert session.path.parent == paths.archive_folder()
    session.referee.say("well played")
    assert session.save_error is None
    session.close()
    assert journal.read(session.path.read_bytes()).entries[-1].line.text == "well played"
    assert find_only_folder(session.path) == "archive"
    assert session.path.stat().st_mode & 0o777 == 0o600


def test_abandon_and_restore_across_two_disks(two_disks):
    path = create_unfinished_journal()
    data = path.read_bytes()
    archived = sessions.abandon(path)
    assert collect_files(path) == {"archive": data}
    assert sessions.restore(archived) == path
    assert collect_files(path) == {"sessions": data}


def list_moves(data):
    """Return the ways to move a session: a function that writes its file, and a function that moves it."""
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
    """One way to move a session: a function that writes its file, and a function that moves it."""
    monkeypatch.setattr(home_folder, "_is_possibly_running", lambda process: False)
    session = create_session()
    play_every_line_kind(session, 1000 if request.param == "listing" else 9)
    session.close()
    data = session.path.read_bytes()
    session.path.unlink()
    return list_moves(data)[request.param]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_failing_call_during_move_to_other_disk(move, two_disks, monkeypatch, number, lasting):
    put, go = move
    faulty = FaultyDisk(monkeypatch)
    for fails in faulty.iter_call_indexes(6):
        path = put()
        data = path.read_bytes()
        with faulty.failing(fails, number, lasting=lasting), suppress(CardtableError):
            go(path)
        assert set(collect_files(path).values()) == {data}
        assert lasting or not list(paths.home().glob("*/*.new")), "the unfinished copy is removed at once"
        find_only_folder(path)
        for file in paths.home().glob("*/*"):
            file.unlink()


def test_kill_during_move_to_other_disk(move, two_disks, monkeypatch):
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
        assert set(collect_files(path).values()) == {data}
        find_only_folder(path)
        for file in paths.home().glob("*/*"):
            file.unlink()
        step = reached
    assert killed_at > 8


@pytest.mark.parametrize("longer", ["sessions", "archive", None])
def test_longer_of_two_copies_remains(longer):
    path = create_unfinished_journal()
    data = path.read_bytes()
    archived = paths.archive_folder() / path.name
    paths.create_folder(paths.archive_folder())
    shorter = data[: data.rstrip(b"\n").rfind(b"\n") + 1]
    path.write_bytes(shorter if longer == "archive" else data)
    archived.write_bytes(shorter if longer == "sessions" else data)
    assert find_only_folder(path) == (longer or "archive")
    assert set(collect_files(path).values()) == {data}


def test_different_copies_are_left_unchanged():
    path = create_unfinished_journal()
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / path.name).write_bytes(path.read_bytes().replace(b"Friday", b"Monday"))
    before = collect_files(path)
    summaries.finish_moves()
    assert collect_files(path) == before
    with pytest.raises(CardtableError, match="a different version of it is in archive/"):
        sessions.abandon(path)
    assert collect_files(path) == before


def test_archive_linked_to_sessions_folder():
    path = create_unfinished_journal()
    paths.archive_folder().symlink_to(paths.sessions_folder())
    summaries.finish_moves()
    assert path.exists()


@pytest.mark.parametrize("folder", ["sessions", "archive"])
def test_copy_open_in_another_program_is_left_unchanged(folder):
    path = create_unfinished_journal()
    data = path.read_bytes()
    paths.create_folder(paths.archive_folder())
    (paths.archive_folder() / path.name).write_bytes(data)
    with closing(JournalFile.open_locked(paths.home() / folder / path.name)):
        code = "from cardtable.store import summaries; summaries.finish_moves()"
        subprocess.run([sys.executable, "-c", code], check=True)
        assert collect_files(path) == {"sessions": data, "archive": data}
    summaries.finish_moves()
    assert collect_files(path) == {"archive": data}


def test_archive_linked_to_another_disk():
    memory = Path("/dev/shm")  # another disk where the system has it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as other:
        paths.create_folder(paths.home())
        paths.archive_folder().symlink_to(other)
        data = create_finished_journal()
        (file,) = Path(other).glob("*-rikiki-*")
        assert file.read_bytes() == data
        assert summaries.list_unfinished() == []
        assert [summary.state for summary in archive_index.list_summaries()] == ["over"]
