"""A disk that fails: every call that changes files can be made to."""

import errno
import os
from contextlib import contextmanager
from pathlib import Path

import pytest

CALLS = ("open", "write", "fsync", "fdatasync", "ftruncate", "replace", "rename", "mkdir", "unlink")


class Disk:
    """Stands before the system's calls and lets the ``fails``-th, or all from then on, fail."""

    def __init__(self, monkeypatch):
        self.count = 0
        self.failed = 0
        self.fails = None
        self.lasting = False
        self.errno = errno.ENOSPC
        self.only = CALLS
        self.odds = None
        self.log = []
        for name in CALLS:
            monkeypatch.setattr(os, name, self._guarded(name, getattr(os, name)))

    @contextmanager
    def failing(self, fails, number, *, lasting=False, only=CALLS):
        """Let the call of this number, from 0 on, fail with an error number; ``lasting``, all after it, too."""
        self.count = self.failed = 0
        self.fails, self.errno, self.lasting, self.only = fails, number, lasting, only
        try:
            yield self
        finally:
            self.fails = None

    def failing_now_and_then(self, rng, odds=0.1):
        """Let calls that write fail from now on, each with these odds."""
        self.failed, self.odds = 0, lambda: rng.random() < odds

    def _guarded(self, name, call):
        def guarded(*args, **kwargs):
            self.log.append(name)
            if not self._due(name):
                return call(*args, **kwargs)
            if name == "write":  # a part of it may have reached the file
                descriptor, data = args
                call(descriptor, data[: len(data) // 2])
            raise OSError(self.errno, os.strerror(self.errno))

        return guarded

    def _due(self, name):
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


def fill(monkeypatch, folder):
    """From now on nothing can be written to files in a folder: the disk there is full."""
    write = os.write

    def guarded(descriptor, data):
        file = Path(f"/dev/fd/{descriptor}").resolve()
        if file.is_relative_to(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", guarded)


@contextmanager
def failing_file(name, number):
    """Let the disk refuse one file, and its drafts and backup, by an error number at the call where that comes up."""
    failing_call = {errno.EACCES: "open", errno.EIO: "fsync"}.get(number, "write")
    call = getattr(os, failing_call)

    def guarded(target, *args, **kwargs):
        path = Path(target) if failing_call == "open" else Path(f"/dev/fd/{target}").resolve()
        changes = failing_call != "open" or args[0] & (os.O_WRONLY | os.O_RDWR)
        if path.name.startswith(name) and changes:
            raise OSError(number, os.strerror(number))
        return call(target, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, failing_call, guarded)
        yield
