"""Simulated disk faults: every system call that changes files can be made to fail."""

import errno
import os
import shutil
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from cardtable.store import paths

SYSTEM_CALLS = ("open", "write", "fsync", "fdatasync", "ftruncate", "replace", "rename", "link", "mkdir", "unlink")


class FaultyDisk:
    """Wraps the system calls that change files; lets one call, or all calls from it on, fail."""

    def __init__(self, monkeypatch):
        self.count = 0
        self.failed = 0
        self.fails = None
        self.lasting = False
        self.errno = errno.ENOSPC
        self.only = SYSTEM_CALLS
        self.odds = None
        self.log = []
        for name in SYSTEM_CALLS:
            monkeypatch.setattr(os, name, self._guarded(name, getattr(os, name)))

    @contextmanager
    def failing(self, call_index, error_number, *, lasting=False, only=SYSTEM_CALLS):
        """Let the call of this index, counted from 0, fail with an error number; if `lasting`, all later calls fail
        too.
        """
        self.count = self.failed = 0
        self.fails, self.errno, self.lasting, self.only = call_index, error_number, lasting, only
        try:
            yield self
        finally:
            self.fails = None

    def iter_call_indexes(self, minimum):
        """Yield the indexes for `failing`, until no call has failed; assert that at least `minimum` did."""
        for index in count():
            yield index
            if not self.failed:
                break
        assert index >= minimum

    def fail_randomly(self, rng, odds=0.1):
        """Let each call that writes fail from now on with probability `odds`."""
        self.failed, self.odds = 0, lambda: rng.random() < odds

    def _guarded(self, name, call):
        def guarded(*args, **kwargs):
            self.log.append(name)
            if not self._should_fail(name):
                return call(*args, **kwargs)
            if name == "write":  # a part of it may have reached the file
                descriptor, data = args
                call(descriptor, data[: len(data) // 2])
            raise OSError(self.errno, os.strerror(self.errno))

        return guarded

    def _should_fail(self, name):
        if self.odds and name in ("write", "fdatasync", "fsync", "ftruncate", "replace"):
            due = self.odds()
            self.failed += due
            return due
        if self.fails is None or name not in self.only:
            return False
        due = self.count == self.fails or (self.lasting and self.count > self.fails)
        self.count += 1
        self.failed += due
        return due


def fill_disk(monkeypatch, folder):
    """Refuse all writes to files in a folder from now on, as a full disk does."""
    write = os.write

    def guarded(descriptor, data):
        file = Path(f"/dev/fd/{descriptor}").resolve()
        if file.is_relative_to(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", guarded)


@contextmanager
def failing_file(name, error_number):
    """Refuse one file, its temporary files and its backup, with an error number, at the call in which that error
    occurs.
    """
    failing_call = {errno.EACCES: "open", errno.EIO: "fsync"}.get(error_number, "write")
    call = getattr(os, failing_call)

    def guarded(target, *args, **kwargs):
        path = Path(target) if failing_call == "open" else Path(f"/dev/fd/{target}").resolve()
        changes = failing_call != "open" or args[0] & (os.O_WRONLY | os.O_RDWR)
        if path.name.startswith(name) and changes:
            raise OSError(error_number, os.strerror(error_number))
        return call(target, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, failing_call, guarded)
        yield


def create_disk_failure(kind, home, monkeypatch):
    """Return a function that makes saving fail: the disk is full, or the home or the file of the session is gone."""
    return {
        "full": lambda: fill_disk(monkeypatch, home),
        "gone": lambda: shutil.rmtree(home),
        "file gone": lambda: next(paths.sessions_folder().glob("*.jsonl")).unlink(),
    }[kind]
