"""Textual driver for browsers, which communicates with the host through pipes."""

import asyncio
import os
import sys
from functools import partial
from time import monotonic
from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver
from textual.message import Message
from textual.messages import ExitApp

from cardtable.ui.terminal.input_parser import MAX_WAIT, InputDriver, InputParser, InputReader
from cardtable.ui.terminal.textual_internals import ByteStream


class BrowserDriver(InputDriver, WebDriver):
    """Driver that ends the program as soon as the host's end of the pipes is closed."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._write = partial(_send, self.fileno)

    def start_application_mode(self) -> None:
        self._loop = asyncio.get_running_loop()
        super().start_application_mode()
        self.disable_alternate_scroll()

    def stop_application_mode(self) -> None:
        self.restore_alternate_scroll()
        super().stop_application_mode()

    def run_input_thread(self) -> None:
        """Read input until its end, then end the program."""
        if sys.platform == "win32":
            super().run_input_thread()  # select() does not support pipes on Windows
        else:
            try:
                self._read_packets()
            except Exception as error:
                self._app.call_later(self._app._handle_exception, error)
        if not self.exit_event.is_set():
            self._loop.call_soon_threadsafe(self._app.post_message, ExitApp())

    def _read_packets(self) -> None:
        """Read packets until the driver or the input ends.

        A packet of kind D contains terminal input, any other a message of the page.
        """
        assert sys.__stdin__ is not None
        self.parser = parser = InputParser(debug=self._debug)
        packets = ByteStream()
        self.reader = InputReader(sys.__stdin__.fileno())
        while not self.exit_event.is_set():
            data = self.reader.read(parser.compute_wait(monotonic(), MAX_WAIT))
            if data == b"":
                return
            now, messages = monotonic(), list[Message]()
            for kind, payload in packets.feed(data) if data else ():
                if kind == "D":
                    messages += parser.feed(payload, now)
                else:
                    self._on_meta(kind, payload)
            for message in (*messages, *parser.tick(now)):
                message.time = min(message.time, self.reader.typed_at)
                self.process_message(message)


def _send(pipe: int, data: bytes) -> int:
    """Write to the pipe; a closed pipe is ignored, because the end of the input reports it."""
    try:
        return os.write(pipe, data)
    except BrokenPipeError:
        return len(data)
