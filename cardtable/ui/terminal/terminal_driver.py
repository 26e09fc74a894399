"""Textual driver for POSIX terminals, which survives job control and ends the program if the terminal disappears."""

import os
import signal
import sys
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any, TextIO

from textual import events
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size

from cardtable.ui.terminal.capabilities import MAX_TERMINAL_SIDE
from cardtable.ui.terminal.input_parser import KEYBOARD_FLAGS, MAX_WAIT, InputDriver, InputParser, InputReader
from cardtable.wording.formatting import measure_terminal

assert sys.platform != "win32"  # there the driver is Textual's own


class TerminalDriver(InputDriver, LinuxDriver):
    """Driver with the input parser of this package; raises SIGHUP if the terminal can no longer be read or written."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert sys.__stderr__ is not None
        self._file = _GuardedOutput(sys.__stderr__, self._hang_up)  # type: ignore[assignment]  # has the methods that are used
        self._terminal = os.fstat(self.fileno).st_rdev
        self._hanging_up = Lock()
        self._is_started = False
        """True while the terminal is in application mode."""

    def start_application_mode(self) -> None:
        """Enter application mode, unless another program is in the foreground of the terminal.

        The terminal is restored if the input thread cannot be started, which raises ``RuntimeError``.
        """
        try:
            super().start_application_mode()  # type: ignore[no-untyped-call]  # untyped in Textual
        except RuntimeError:
            super().stop_application_mode()
            raise
        self._is_started = self._key_thread is not None and self._key_thread.is_alive()
        if self._is_started:
            self.disable_alternate_scroll()

    def stop_application_mode(self) -> None:
        """Restore the terminal if application mode was entered."""
        if self._is_started:
            self.restore_alternate_scroll()
            super().stop_application_mode()
        self._is_started = False

    def write(self, data: str) -> None:
        """Write to the terminal, replacing Textual's flags of the kitty keyboard protocol by ``KEYBOARD_FLAGS``."""
        asks_for_keyboard = data.startswith("\x1b[>") and data.endswith("u")
        super().write(f"\x1b[>{KEYBOARD_FLAGS}u" if asks_for_keyboard else data)

    def _get_terminal_size(self) -> tuple[int, int]:
        """Return the size of the terminal that is drawn on.

        It is limited to ``MAX_TERMINAL_SIDE`` because every cell is painted, and 80x24 if it is unknown.
        """
        width, height = measure_terminal(sys.__stderr__)
        return min(width or 80, MAX_TERMINAL_SIDE), min(height or 24, MAX_TERMINAL_SIDE)

    def _sigcont_application(self, *_: object) -> None:
        """Enter application mode again after SIGCONT; after a stop without SIGTSTP, leave it first.

        After such a stop the driver still counts as started, although the shell may have changed the modes of the
        terminal.
        """
        if not self._auto_restart:
            return
        if self._is_started:
            self.suspend_application_mode()
            self._must_signal_resume = True
        self.resume_application_mode()

    def _run_input_thread(self) -> None:
        """Run the input thread, passing an exception to the app."""
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def run_input_thread(self) -> None:
        """Read input until the driver ends; at the end of file, hang up."""
        self.parser = parser = InputParser(debug=self._debug)
        self.reader = InputReader(self.fileno)
        while not self.exit_event.is_set():
            data = self.reader.read(parser.compute_wait(monotonic(), MAX_WAIT))
            if data == b"":
                self._hang_up()
                return
            if data:
                self._report_size()
            now = monotonic()
            for message in (*(parser.feed(data, now) if data else ()), *parser.tick(now)):
                message.time = min(message.time, self.reader.typed_at)
                self.process_message(message)

    def _report_size(self) -> None:
        """Report a new size of the window before the input that is about to follow it.

        The signal that announces the size may be handled after that input.
        """
        size = Size(*self._get_terminal_size())
        if size != self._app.size and not self._in_band_window_resize:
            self.process_message(events.Resize(size, size))

    def _hang_up(self) -> None:
        """Raise SIGHUP once, as the system should have done, after redirecting output to the null device."""
        if not self._hanging_up.acquire(blocking=False):
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.__stdout__, sys.__stderr__):
            if stream is not None and os.fstat(stream.fileno()).st_rdev == self._terminal:
                os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        os.kill(os.getpid(), signal.SIGHUP)


class _GuardedOutput:
    """Output file that calls ``hang_up`` instead of raising OSError."""

    def __init__(self, file: TextIO, hang_up: Callable[[], None]) -> None:
        self._file, self._hang_up = file, hang_up

    def write(self, text: str) -> None:
        try:
            self._file.write(text)
        except OSError:
            self._hang_up()

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            self._hang_up()
