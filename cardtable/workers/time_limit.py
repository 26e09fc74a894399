"""Time limit for code of other packages in this process.

A watching thread raises an exception in the thread that has called the code, at the next step of Python code there, and
again if the code swallows it. It cannot interrupt a computation inside a C function, such as a search for a pattern or
a sleep, before that returns.

The limit counts processor time, which does not depend on how busy the machine is. Code that sleeps has
``ELAPSED_FACTOR`` times as long; there the thread counts its scans, not the time, so that time in which the program
is stopped by a signal does not count.

In a worker process, code that swallows the exceptions, or waits in a C function, ends the process.
"""

import faulthandler
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import StringIO
from math import ceil, inf
from threading import Event, Lock, Thread, current_thread, get_ident, local, main_thread
from time import sleep
from typing import Final, ParamSpec, TypeVar

from cardtable.engine.errors import CallInterrupted, GameFault

P = ParamSpec("P")
T = TypeVar("T")

LIMIT_SECONDS = 10.0
"""Processor time in which code of another package has to answer."""
REPEATED_SECONDS: Final = 3.0
"""The same for a package that has exceeded the limit before, so that it does not stop the program again and again."""
ELAPSED_FACTOR: Final = 10
"""Elapsed time in which code has to answer that uses less processor time, as a multiple of that limit."""
_SCAN_SECONDS: Final = 0.25
"""Time between two scans of the running calls."""
_MAX_INTERRUPTIONS: Final = 8
"""Number of interruptions that a call in a worker process may swallow."""
STUCK_EXIT_CODE: Final = 96
"""Exit code of a worker process in which a call has swallowed more."""


class TimeLimitExceeded(GameFault):
    """The code has not returned in time."""


class _Call:
    """Call in progress in this thread."""

    def __init__(self, seconds: float, on_scan: Callable[[], object]) -> None:
        self.on_scan: Final = on_scan
        self._thread_id: Final = get_ident()
        self._clock: Final = _make_thread_clock()
        self._seconds: Final = seconds
        self._end = inf
        """Time of the clock at which the limit is over, which begins at the first scan: most calls end before."""
        self._remaining_scans = ceil(ELAPSED_FACTOR * seconds / _SCAN_SECONDS)
        self.is_running = False
        """True while this thread runs the code, and may be interrupted."""
        self.is_being_interrupted = False
        self.interruptions = 0

    def count_scan(self) -> None:
        """Count a scan of the watching thread, of which the first begins the limit."""
        self._remaining_scans -= 1
        self._end = min(self._end, self._clock() + self._seconds)

    def is_late(self) -> bool:
        return self._remaining_scans < 0 or self._clock() > self._end

    def interrupt(self) -> None:
        """Raise the interruption in the thread of the call, unless it has left the code."""
        self.is_being_interrupted = True
        try:
            if self.is_running:
                _raise_interruption(self._thread_id)
                self.interruptions += 1
        finally:
            self.is_being_interrupted = False


def _make_thread_clock() -> Callable[[], float]:
    """Return a function that returns the processor time of this thread, in any thread.

    On systems where only a thread itself can tell, it returns that of the process, which is never less.
    """
    clock = time.process_time
    if sys.platform == "linux":
        clock = partial(time.clock_gettime, time.pthread_getcpuclockid(get_ident()))
    return clock


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
        self.ends_process = False
        """True if a call that cannot be interrupted ends this process."""

    def begin(self, call: _Call) -> None:
        """Watch a call of this thread until ``finish``."""
        self._calls.add(call)
        if not self._has_calls.is_set():
            self._has_calls.set()
        if self._thread is None:
            self._start()

    def _start(self) -> None:
        """Start the watching thread; if the system refuses, or Python has no ``ctypes``, there is no limit."""
        with self._start_lock, suppress(RuntimeError, MemoryError, ImportError):
            if self._thread is None:
                import ctypes  # noqa: F401, PLC0415 - lazy: startup, for games of other packages

                thread = Thread(target=self._scan_repeatedly, name="time limit", daemon=True)
                thread.start()
                self._thread = thread

    def finish(self, call: _Call) -> None:
        """Stop watching a call that is not running any more; after the return, no interruption of it arrives."""
        self._calls.discard(call)
        while call.is_being_interrupted:
            sleep(0)
        if call.interruptions:
            _absorb_interruption()

    def _scan_repeatedly(self) -> None:
        while self._has_calls.wait():
            self._has_calls.clear()
            if self.ends_process:  # unless this thread arrives here again, when C code blocks all threads of Python
                faulthandler.dump_traceback_later(ELAPSED_FACTOR * LIMIT_SECONDS, exit=True, file=2)
            for call in tuple(self._calls):
                self._has_calls.set()
                call.on_scan()
                with suppress(OSError):  # the thread of the call has just ended, and its clock with it
                    call.count_scan()
                    if call.is_late():
                        call.interrupt()
                        if self.ends_process and call.interruptions > _MAX_INTERRUPTIONS:
                            os._exit(STUCK_EXIT_CODE)
            sleep(_SCAN_SECONDS)
            if self.ends_process:
                faulthandler.cancel_dump_traceback_later()


def _raise_interruption(thread_id: int) -> None:
    """Raise the interruption in a thread at its next step of Python code, instead of one that waits there."""
    import ctypes  # noqa: PLC0415 - lazy: startup, for games of other packages

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(CallInterrupted))


def _absorb_interruption() -> None:
    """Let no interruption arrive in this thread after the return, whether one is on its way or not.

    Python can also withdraw an exception, but then looks for one at each step from now on: that is slow, and with a
    profiler or debugger Python 3.11 never ends.
    """
    with suppress(CallInterrupted):
        _raise_interruption(get_ident())
        while True:
            sleep(0)


_watch: Final = _Watch()
_thread_state: Final = local()


def end_process_if_stuck() -> None:
    """Let this process, a worker, end if a call cannot be interrupted."""
    _watch.ends_process = True


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

    def __init__(self, seconds: float | None = None, on_scan: Callable[[], object] = int) -> None:
        """``seconds``: another limit than the usual one. ``on_scan``: called now and then, by the watching thread."""
        self._seconds, self._on_scan, self._was_exceeded = seconds, on_scan, False

    def call(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function, and interrupt it once it has used ``LIMIT_SECONDS`` of the processor.

        The limit counts for the outermost call in a thread: calls inside of it share its time. Raises
        ``TimeLimitExceeded``, with the traceback of the interrupted code; later calls have ``REPEATED_SECONDS`` only.
        """
        if getattr(_thread_state, "is_limited", False):
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
        seconds = self._seconds or (REPEATED_SECONDS if self._was_exceeded else LIMIT_SECONDS)
        call = _Call(seconds, self._on_scan)
        try:
            try:
                try:
                    _watch.begin(call)
                    call.is_running = True
                    return function(*args, **kwargs)
                finally:
                    call.is_running = False  # no step of Python at which an interruption could arrive before
                    _watch.finish(call)
            finally:
                _watch.finish(call)  # two may be on their way, each of which may end one attempt
        except CallInterrupted as interruption:
            _watch.finish(call)
            self._was_exceeded = True
            error = TimeLimitExceeded(f"no answer within {seconds:g} s")
            raise error.with_traceback(interruption.__traceback__) from None
