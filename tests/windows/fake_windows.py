"""Windows as far as the program can tell: its files, locks, signals and missing modules, on a POSIX system.

A file that is open in any program, this one included, can be neither replaced, moved nor deleted. Locks are mandatory:
other descriptors of the file cannot read or write the locked bytes. Names follow the rules of Windows.
"""

import asyncio
import builtins
import errno
import io
import os
import shutil
import signal
import stat
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

SHARING_VIOLATION, LOCK_VIOLATION, ACCESS_DENIED, ALREADY_EXISTS = 32, 33, 5, 183
MISSING_MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty")
MISSING_CALLS = (
    *("O_NOFOLLOW", "O_NONBLOCK", "chown", "fdatasync", "fork", "getegid", "geteuid", "getgid", "getpriority"),
    *("getuid", "killpg", "mkfifo", "nice", "openpty", "setpriority", "setsid", "sync"),
)
SIGNALS = ("SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM")
MISSING_SIGNAL_CALLS = ("alarm", "setitimer", "getitimer", "pthread_sigmask", "pthread_kill", "sigwait", "siginterrupt")
MISSING_LOOP_CALLS = ("add_reader", "add_signal_handler", "add_writer", "connect_read_pipe", "connect_write_pipe")
RESERVED_NAMES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *[f"{device}{number}" for device in ("COM", "LPT") for number in "123456789"],
}
_LAST_DESCRIPTOR = 200


def make_error(number, winerror, path):
    """Return the exception for an error of Windows; ``number`` is the ``errno`` that Python gives it."""
    error = OSError(number, f"[WinError {winerror}]", str(path))
    error.winerror = winerror
    return error


def refuse_loop_call(*_args, **_kwargs):
    """Fail as the event loop of Windows does for calls that it does not have."""
    raise NotImplementedError


class FakeWindows:
    """Replacement of the system calls that differ on Windows, until the patches are undone."""

    def __init__(self, monkeypatch, folder):
        """Install the replacements; ``folder`` contains all files whose names are checked."""
        self._folder = folder
        self._locks = {}
        """Locked bytes as (device, inode, first, last), by descriptor."""
        self.typed_keys = []
        """Characters that wait in the console."""
        self._real = {
            name: getattr(os, name)
            for name in ("close", "ftruncate", "mkdir", "open", "read", "rename", "replace", "unlink", "write")
        }
        monkeypatch.setattr(sys, "platform", "win32")
        for name in MISSING_MODULES:
            monkeypatch.setitem(sys.modules, name, None)
        for name in MISSING_CALLS:
            monkeypatch.delattr(os, name, raising=False)
        for name in self._real:
            monkeypatch.setattr(os, name, getattr(self, f"_{name}"))
        monkeypatch.setattr(os, "remove", self._unlink)
        monkeypatch.setattr(os, "kill", self._kill)
        monkeypatch.setattr(shutil, "_use_fd_functions", False, raising=False)
        self._open_file = io.open
        monkeypatch.setattr(io, "open", self._open_stream)
        monkeypatch.setattr(builtins, "open", self._open_stream)
        monkeypatch.setitem(sys.modules, "msvcrt", self._create_msvcrt())
        monkeypatch.setitem(sys.modules, "colorama", self._create_colorama())
        self.obeys_escape_sequences = False
        """True once the program has asked the console to obey escape sequences."""
        self._remove_signals(monkeypatch)
        for name in MISSING_LOOP_CALLS:
            monkeypatch.setattr(asyncio.SelectorEventLoop, name, refuse_loop_call, raising=False)

    # Signals and the console

    def _remove_signals(self, monkeypatch):
        for number in signal.Signals:
            if number.name not in SIGNALS:
                monkeypatch.delattr(signal, number.name, raising=False)
        for name in MISSING_SIGNAL_CALLS:
            monkeypatch.delattr(signal, name, raising=False)
        monkeypatch.setattr(signal, "SIGBREAK", 21, raising=False)
        install = signal.signal

        def install_handler(number, handler):
            if number not in [*[getattr(signal, name) for name in SIGNALS], signal.SIGBREAK]:
                raise ValueError("invalid signal value")
            return install(number, handler)

        monkeypatch.setattr(signal, "signal", install_handler)

    @staticmethod
    def _kill(process_id, number):
        raise AssertionError(f"process {process_id} would be ended by signal {number}")

    def _create_colorama(self):
        def just_fix_windows_console():
            self.obeys_escape_sequences = True

        return SimpleNamespace(just_fix_windows_console=just_fix_windows_console)

    def _create_msvcrt(self):
        def locking(descriptor, mode, length):
            first = os.lseek(descriptor, 0, os.SEEK_CUR)
            status = os.fstat(descriptor)
            if mode == module.LK_UNLCK:
                if self._locks.pop(descriptor, None) is None:
                    raise OSError(errno.EACCES, "not locked")
                return
            if self._find_lock(status, first, first + length):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))
            self._locks[descriptor] = status.st_dev, status.st_ino, first, first + length

        module = SimpleNamespace(
            LK_UNLCK=0,
            LK_NBLCK=2,
            locking=locking,
            kbhit=lambda: bool(self.typed_keys),
            getwch=lambda: self.typed_keys.pop(0),
        )
        return module

    # Files

    def _find_lock(self, status, first, last, exclude=None):
        """Return True if another descriptor than ``exclude`` has locked one of the bytes from ``first`` to ``last``."""
        return any(
            (device, inode) == (status.st_dev, status.st_ino) and begin < last and first < end
            for descriptor, (device, inode, begin, end) in self._locks.items()
            if descriptor != exclude
        )

    def _is_open(self, path):
        """Return True if this process has the file at ``path`` open, or a file in that folder."""
        inside = [path, *Path(path).rglob("*")] if Path(path).is_dir() else [path]
        statuses = []
        for file in inside:
            with suppress(OSError):
                statuses.append(os.lstat(file))
        known = {(status.st_dev, status.st_ino) for status in statuses if stat.S_ISREG(status.st_mode)}
        for descriptor in range(3, _LAST_DESCRIPTOR):
            with suppress(OSError):
                status = os.fstat(descriptor)
                if (status.st_dev, status.st_ino) in known:
                    return True
        return False

    def _check_name(self, path):
        if not isinstance(path, int) and Path(path).is_relative_to(self._folder):
            for part in Path(path).relative_to(self._folder).parts:
                is_invalid = set(part) & set('<>:"|?*\\') or part.endswith((".", " "))
                if is_invalid or part.split(".")[0].upper() in RESERVED_NAMES:
                    raise make_error(errno.EINVAL, 123, path)

    def _open(self, path, flags, mode=0o777, **kwargs):
        self._check_name(path)
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return self._real["open"](path, flags, mode, **kwargs)

    def _open_stream(self, file, *args, **kwargs):
        if not isinstance(file, int):
            self._check_name(file)
            with suppress(FileNotFoundError):
                status = Path(file).stat()
                if self._find_lock(status, 0, status.st_size):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
        return self._open_file(file, *args, **kwargs)

    def _mkdir(self, path, *args, **kwargs):
        self._check_name(path)
        return self._real["mkdir"](path, *args, **kwargs)

    def _close(self, descriptor):
        self._locks.pop(descriptor, None)
        self._real["close"](descriptor)

    def _check_lock(self, descriptor, length):
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            first = os.lseek(descriptor, 0, os.SEEK_CUR)
            if self._find_lock(status, first, first + length, exclude=descriptor):
                raise make_error(errno.EACCES, LOCK_VIOLATION, "")

    def _read(self, descriptor, length):
        self._check_lock(descriptor, length)
        return self._real["read"](descriptor, length)

    def _write(self, descriptor, data):
        self._check_lock(descriptor, len(data))
        return self._real["write"](descriptor, data)

    def _ftruncate(self, descriptor, length):
        self._check_lock(descriptor, os.fstat(descriptor).st_size)
        return self._real["ftruncate"](descriptor, length)

    def _unlink(self, path, **kwargs):
        if self._is_open(path):
            raise make_error(errno.EACCES, SHARING_VIOLATION, path)
        return self._real["unlink"](path, **kwargs)

    def _rename(self, source, target, **kwargs):
        if os.path.lexists(target):
            raise make_error(errno.EEXIST, ALREADY_EXISTS, target)
        return self._replace(source, target, **kwargs)

    def _replace(self, source, target, **kwargs):
        self._check_name(target)
        if self._is_open(source):
            raise make_error(errno.EACCES, SHARING_VIOLATION, source)
        if Path(target).is_dir() or self._is_open(target):
            raise make_error(errno.EACCES, ACCESS_DENIED, target)
        return self._real["replace"](source, target, **kwargs)
