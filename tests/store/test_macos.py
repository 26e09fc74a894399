"""macOS: its folders, and flushing to the disk, as ``fsync`` leaves the data in the cache of the drive."""

import errno
import fcntl
import os
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import platformdirs
import pytest
from platformdirs.macos import MacOS

from cardtable.store import atomic_io, paths
from tests.store.playing import create_session, play_randomly

F_FULLFSYNC = 51


class FlushLog:
    """Names of the files that were flushed, in order: to the drive's medium, and by ``fsync`` alone."""

    def __init__(self, monkeypatch):
        self.full, self.weak = [], []
        self.error = 0
        monkeypatch.setattr(sys, "platform", "darwin")
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", F_FULLFSYNC, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", self._control)
        monkeypatch.setattr(os, "fsync", lambda descriptor: self.weak.append(find_name(descriptor)))
        monkeypatch.delattr(os, "fdatasync", raising=False)

    def _control(self, descriptor, command):
        assert command == F_FULLFSYNC
        if self.error:
            raise OSError(self.error, os.strerror(self.error))
        self.full.append(find_name(descriptor))


def find_name(descriptor):
    """Return the name of an open file or folder of the home, or of the folder that contains it."""
    status = os.fstat(descriptor)
    return next(
        path.name
        for path in [paths.home().parent, paths.home(), *paths.home().rglob("*")]
        if os.path.samestat(status, path.stat())
    )


@pytest.fixture
def flushes(monkeypatch, home):
    home.mkdir()
    return FlushLog(monkeypatch)


def test_every_line_of_a_journal_reaches_the_medium(flushes):
    with closing(create_session()) as session:
        flushes.full.clear()
        before = session.size
        play_randomly(session.referee, Random(1), 3)
        written = bytes(session.file.data[before:]).count(b"\n")
    assert flushes.full == [session.path.name] * written
    assert flushes.weak == []


def test_replaced_file_reaches_the_medium_before_its_name(flushes, home):
    atomic_io.write_atomically(home / "a", b"new")
    assert flushes.full == [f"a.{os.getpid()}.new", "home"]


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.EINVAL, errno.ENOTTY])
def test_file_system_without_full_flush(flushes, home, number):
    flushes.error = number
    atomic_io.write_atomically(home / "a", b"new")
    assert flushes.weak == [f"a.{os.getpid()}.new", "home"]


def test_failed_flush_is_no_success(flushes, home):
    flushes.error = errno.EIO
    with pytest.raises(OSError, match="Input/output error"):
        atomic_io.write_atomically(home / "a", b"new")
    assert list(Path(home).iterdir()) == []
    assert flushes.weak == []


def test_folders_of_macos(monkeypatch):
    monkeypatch.delenv("CARDTABLE_HOME")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/Users/zoe")
    for name in ("user_data_dir", "user_state_dir"):
        monkeypatch.setattr(platformdirs, name, lambda app, author, name=name: getattr(MacOS(app, author), name))
    assert paths.home() == Path("/Users/zoe/Library/Application Support/cardtable")
    assert paths.state_folder() == paths.home()
