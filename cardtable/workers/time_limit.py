"""Time limit for code of other packages in this process.

A watching thread raises an exception in the thread that has called the code, at the next step of Python code there. It
cannot interrupt a computation inside a C function, such as a search for a pattern or a sleep, before that returns. It
counts its own steps, not the time, so that time in which the program is stopped by a signal does not count.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from math import ceil, inf
from threading import Event, Lock, Thread, current_thread, get_ident, local, main_thread
from time import sleep
from typing import Final, ParamSpec, TypeVar

from cardtable.engine.errors import CallInterrupted, GameFault

P = ParamSpec("P")
T = TypeVar("T")

LIMIT_SECONDS = 10.0
"""Time in which code of another package has to answer."""
REPEATED_SECONDS: Final = 3.0
"""The same for a package that has exceeded the limit before, so that it does not stop the program again and again."""
_SCAN_SECONDS: Final = 0.25
"""Time between two looks at the running calls."""


class TimeLimitExceeded(GameFault):
    """The code has not returned in time."""


class _Call:
    """Call in progress in this thread."""

    def __init__(self) -> None:
        self.thread_id: Final = get_ident()
        self.remaining_scans: float = inf
        """Looks of the watching thread after which the call is interrupted; set once this thread is ready for it."""
        self.is_over = False
        """True once the thread has left the code, and wants no interruption any more."""
        self.is_late = False
        """True once the watching thread has noticed that the time is over."""
        self.is_settled = False
        """True once the watching thread has then raised the interruption, or has seen that the call is over."""


class _Watch:
    """Calls in progress in all threads, and the thread that interrupts those that exceed their time.

    A call that ends while its time runs out needs care: an interruption must never arrive in other code than that of
    the call. No lock is used for this, since an interruption could arrive while it is held.
    """

    def __init__(self) -> None:
        self._calls: set[_Call] = set()
        self._has_calls = Event()
        self._thread: Thread | None = None
        self._start_lock = Lock()

    def begin(self) -> _Call:
        """Watch a call of this thread until ``finish``; its time begins when ``remaining_scans`` is set."""
        call = _Call()
        self._calls.add(call)
        if not self._has_calls.is_set():
            self._has_calls.set()
        if self._thread is None:
            self._start()
        return call

    def _start(self) -> None:
        """Start the watching thread; if the system refuses, or Python has no ``ctypes``, there is no limit."""
        with self._start_lock, suppress(RuntimeError, MemoryError, ImportError):
            if self._thread is None:
                import ctypes  # noqa: F401, PLC0415 - lazy: startup, for games of other packages

                thread = Thread(target=self._scan_repeatedly, name="time limit", daemon=True)
                thread.start()
                self._thread = thread

    def finish(self, call: _Call) -> None:
        """Stop watching a call; after the return, no interruption of it arrives any more."""
        call.is_over = True
        self._calls.discard(call)
        while call.is_late and not call.is_settled:
            sleep(0)
        if call.is_late:
            absorb_interruption(CallInterrupted)

    def _scan_repeatedly(self) -> None:
        while self._has_calls.wait():
            self._has_calls.clear()
            for call in tuple(self._calls):
                self._has_calls.set()
                call.remaining_scans -= 1
                if call.remaining_scans < 0 and not call.is_late:
                    _interrupt(call)
            sleep(_SCAN_SECONDS)


def _interrupt(call: _Call) -> None:
    call.is_late = True
    try:
        if not call.is_over:
            raise_in_thread(call.thread_id, CallInterrupted)
    finally:
        call.is_settled = True


def raise_in_thread(thread_id: int, exception: type[BaseException]) -> None:
    """Raise an exception in a thread at its next step of Python code, instead of one that waits to be raised there."""
    import ctypes  # noqa: PLC0415 - lazy: startup, for games of other packages

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(exception))


def absorb_interruption(exception: type[BaseException]) -> None:
    """Let no interruption by ``exception`` arrive in this thread after the return, whether one is on its way or not.

    Python can also withdraw an exception, but then looks for one at each step from now on: that is slow, and with a
    profiler or debugger Python 3.11 never ends.
    """
    with suppress(exception):
        raise_in_thread(get_ident(), exception)
        while True:
            sleep(0)


_watch: Final = _Watch()
_thread_state: Final = local()
_is_enabled = True


def disable() -> None:
    """Let all calls take as long as they want, in a process that another one ends if it exceeds the limit."""
    global _is_enabled  # noqa: PLW0603 - one switch for the process
    _is_enabled = False


class _NullOutput(StringIO):
    """Stream that discards what is written to it, and cannot be closed."""

    def write(self, text: str, /) -> int:
        return len(text)

    def close(self) -> None:
        pass


_null_output: Final = _NullOutput()


class _NoInput(StringIO):
    """Stream that cannot be read."""

    def read(self, _size: int | None = -1, /) -> str:
        raise GameFault("it reads the standard input")

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]  # typeshed: of bytes, too
        return self.read()


_no_input: Final = _NoInput()


class TimeLimit:
    """Limit for the code of one package."""

    def __init__(self) -> None:
        self._was_exceeded = False

    def call(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function, and interrupt it once it has run for ``LIMIT_SECONDS``.

        The limit counts for the outermost call in a thread: calls inside of it share its time. Raises
        ``TimeLimitExceeded``, with the traceback of the interrupted code; later calls have ``REPEATED_SECONDS`` only.
        """
        if not _is_enabled or getattr(_thread_state, "is_limited", False):
            return function(*args, **kwargs)
        _thread_state.is_limited = True
        try:
            return self._call_outermost(function, *args, **kwargs)
        finally:
            _thread_state.is_limited = False

    def call_silently(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function with the limit; in the main thread, discard what it prints, which may spoil JSON, and do not
        let it read what the player types.

        Other threads share the streams with the main thread. What they print is collected by Textual in a terminal, and
        goes to the standard error in a worker process.
        """
        streams = sys.stdin, sys.stdout, sys.stderr
        if sys.stdout is _null_output or current_thread() is not main_thread():
            return self.call(function, *args, **kwargs)
        sys.stdin, sys.stdout, sys.stderr = _no_input, _null_output, _null_output
        try:
            return self.call(function, *args, **kwargs)
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams

    def _call_outermost(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        seconds = REPEATED_SECONDS if self._was_exceeded else LIMIT_SECONDS
        call = _watch.begin()
        try:
            try:
                call.remaining_scans = ceil(seconds / _SCAN_SECONDS)
                return function(*args, **kwargs)
            finally:
                _watch.finish(call)
        except CallInterrupted as interruption:
            _watch.finish(call)  # the interruption may have come before or within the first attempt
            self._was_exceeded = True
            error = TimeLimitExceeded(f"no answer within {seconds:g} s")
            raise error.with_traceback(interruption.__traceback__) from None
