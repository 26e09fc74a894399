"""New files of exports and backups: whole, or not there."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import count

import pytest

from cardtable.store import atomic_io, home_folder, paths
from tests.store.disk_faults import FaultyDisk
from tests.store.processes import get_ended_pid

DATA = b"a table\n" * 20_000
KILL_BEFORE_CALL = """
import os, signal, sys
from pathlib import Path
from cardtable.store import atomic_io
remaining = int(sys.argv[1])
def kill(event, _arguments):
    global remaining
    if event in ("open", "os.link", "os.remove", "write"):
        remaining -= 1
        if remaining < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(kill)
with atomic_io.create(Path("new")) as file:
    for _ in range(10):
        sys.audit("write")
        file.write(b"a table\\n" * 1000)
        file.flush()
"""


def create(path, data=DATA):
    with atomic_io.create(path) as file:
        file.write(data)


@pytest.fixture(params=["has links", "has no links"])
def disk(request, monkeypatch):
    def refuse(*_arguments, **_options):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if request.param == "has no links":
        monkeypatch.setattr(os, "link", refuse)


def test_new_file_is_whole_and_private(tmp_path, disk):
    create(tmp_path / "new")
    [path] = tmp_path.iterdir()
    assert (path.name, path.read_bytes(), path.stat().st_nlink) == ("new", DATA, 1)
    assert path.stat().st_mode & 0o777 == 0o600


def test_new_file_is_flushed_before_it_has_its_name(tmp_path, monkeypatch):
    faulty = FaultyDisk(monkeypatch)
    create(tmp_path / "new")
    assert faulty.log == ["open", "fsync", "link", "unlink", "open", "fsync"]


def test_existing_file_is_kept(tmp_path, disk):
    path = tmp_path / "new"
    with pytest.raises(FileExistsError), atomic_io.create(path):  # it comes meanwhile
        path.write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for taken in (path, tmp_path / "link", tmp_path):
        with pytest.raises(FileExistsError):
            create(taken)
    assert path.read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "new"]


def test_folder_that_cannot_be_listed(tmp_path, monkeypatch):
    def refuse(_folder):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(atomic_io, "sync_folder", refuse)
    create(tmp_path / "new")
    assert (tmp_path / "new").read_bytes() == DATA


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_exception_in_the_body_leaves_nothing(tmp_path, error):
    with pytest.raises(error), atomic_io.create(tmp_path / "new"):
        raise error
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
def test_failing_call_leaves_the_whole_file_or_nothing(tmp_path, monkeypatch, number):
    faulty = FaultyDisk(monkeypatch)
    for fails in faulty.iter_call_indexes(5):
        path = tmp_path / str(fails)
        with faulty.failing(fails, number), suppress(OSError):
            create(path)
        assert not path.exists() or path.read_bytes() == DATA


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_program_killed_at_any_step_leaves_the_whole_file_or_nothing(tmp_path):
    sizes = set()
    for calls in count():
        ended = subprocess.run([sys.executable, "-c", KILL_BEFORE_CALL, str(calls)], cwd=tmp_path, check=False)
        path = tmp_path / "new"
        sizes.add(path.stat().st_size if path.exists() else None)
        if not ended.returncode:
            break
        assert ended.returncode == -signal.SIGKILL
        path.unlink(missing_ok=True)
    assert sizes == {None, 80_000}


# --- temporary files of programs that were killed while they wrote a file


@pytest.mark.parametrize("folder", [paths.home, paths.sessions_folder, paths.archive_folder])
def test_only_temp_files_of_ended_processes_are_removed(folder):
    paths.create_folder(folder())
    names = f"a.jsonl.{get_ended_pid()}.new", f"a.jsonl.{os.getpid()}.new", "my.new"
    left, written, mine = [folder() / name for name in names]
    for path in (left, written, mine):
        path.write_text("half")
    home_folder.remove_stale_files()
    assert not left.exists()
    assert written.exists()
    assert mine.exists()


def test_written_temp_file_is_removed(monkeypatch):
    paths.create_folder(paths.sessions_folder())
    ended = get_ended_pid()
    monkeypatch.setattr(os, "getpid", lambda: ended)
    draft = atomic_io.write_temp(paths.sessions_folder() / "a.jsonl", b"half")
    home_folder.remove_stale_files()
    assert not draft.exists()
