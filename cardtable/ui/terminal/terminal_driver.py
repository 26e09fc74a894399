"""In a terminal the program ends when that goes away and goes on after a stop, whether it was told of that or not."""

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
from textual.message_pump import MessagePump

from cardtable.ui.terminal.capabilities import MOST_CELLS
from cardtable.ui.terminal.input_parser import KEYBOARD_FLAGS, MOST_WAIT, InputDriver, InputParser, InputReader


class TerminalDriver(InputDriver, LinuxDriver):
    """Shows the program in a terminal, and hangs up where nobody can be seen or heard there any more."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert sys.__stderr__ is not None
        self._file = _Shown(sys.__stderr__, self._hang_up)  # type: ignore[assignment]  # all that is used of a file
        self._terminal = os.fstat(self.fileno).st_rdev
        self._hanging_up = Lock()
        self._on = False
        """Whether the terminal is set as the program needs it."""

    def start_application_mode(self) -> None:
        """Set the terminal, unless another program has it now."""
        super().start_application_mode()  # type: ignore[no-untyped-call]  # there without types
        self._on = self._key_thread is not None and self._key_thread.is_alive()

    def stop_application_mode(self) -> None:
        """Set the terminal as it was before."""
        if self._on:
            super().stop_application_mode()
        self._on = False

    def write(self, data: str) -> None:
        """Write to the terminal; of its keyboard is asked what the parser can read."""
        asks_for_keyboard = data.startswith("\x1b[>") and data.endswith("u")
        super().write(f"\x1b[>{KEYBOARD_FLAGS}u" if asks_for_keyboard else data)

    def _get_terminal_size(self) -> tuple[int, int]:
        """The size that the terminal tells, as far as it can be believed: a picture is made of every cell."""
        width, height = super()._get_terminal_size()
        return min(width, MOST_CELLS), min(height, MOST_CELLS)

    def _sigcont_application(self, *_: object) -> None:
        """After a stop that nobody told of, what is set is undone first: the shell may have set the terminal anew."""
        if not self._auto_restart:
            return
        if self._on:
            self.suspend_application_mode()
            self._must_signal_resume = True
        self.resume_application_mode()

    def _run_input_thread(self) -> None:
        """Read; what goes wrong there ends the program as it does elsewhere."""
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def run_input_thread(self) -> None:
        """Read keys until it is asked to end, or there is nobody to press any."""
        parser, self.reader = InputParser(debug=self._debug), InputReader(self.fileno)
        while not self.exit_event.is_set():
            data = self.reader.read(parser.time_left(monotonic(), MOST_WAIT))
            if data == b"":
                self._hang_up()
                return
            now = monotonic()
            for message in (*(parser.feed(data, now) if data else ()), *parser.tick(now)):
                message.time = self.reader.typed_at
                self.process_message(message)

    def _hang_up(self) -> None:
        """Do once what the system should have done, and from now on write nowhere instead of to that terminal."""
        if not self._hanging_up.acquire(blocking=False):
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.__stdout__, sys.__stderr__):
            if stream is not None and os.fstat(stream.fileno()).st_rdev == self._terminal:
                os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        os.kill(os.getpid(), signal.SIGHUP)


class _Shown:
    """What is written to the terminal; who writes need not know that it has gone."""

    def __init__(self, file: TextIO, hang_up: Callable[[], None]) -> None:
        self._file, self._hang_up = file, hang_up

    def write(self, text: str) -> None:
        """Write, where that is seen."""
        try:
            self._file.write(text)
        except OSError:
            self._hang_up()

    def flush(self) -> None:
        """Have it seen."""
        try:
            self._file.flush()
        except OSError:
            self._hang_up()


class ResizeFix(MessagePump):
    """A screen that is as large as the window is now, whatever it is told late.

    Textual's screens tell themselves each size that they take on.  Where keys come between sizes
    that wait, an older one is told after the newest, and would stay.
    """

    def on_resize(self, event: events.Resize) -> None:
        """Leave out a size that the window has no longer."""
        if event.size != self.app.size:
            event.prevent_default()
