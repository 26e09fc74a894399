"""In a browser the program is shown through pipes, and ends when nobody holds their other end."""

import asyncio
import os
from functools import partial
from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver
from textual.messages import ExitApp


class BrowserDriver(WebDriver):
    """Ends the program when what serves it has gone, however that happened."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._write = partial(_send, self.fileno)

    def start_application_mode(self) -> None:
        """Begin to read."""
        self._ending = asyncio.get_running_loop()
        super().start_application_mode()

    def run_input_thread(self) -> None:
        """Read until there is no more."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._ending.call_soon_threadsafe(self._app.post_message, ExitApp())


def _send(pipe: int, data: bytes) -> int:
    """Write to the other end; who reads there may have gone, which the end of what is read tells."""
    try:
        return os.write(pipe, data)
    except BrokenPipeError:
        return len(data)
