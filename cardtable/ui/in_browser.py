"""In a browser the program is shown through pipes, and ends when nobody holds their other end."""

import asyncio

from textual.drivers.web_driver import WebDriver
from textual.messages import ExitApp


class BrowserDriver(WebDriver):
    """Ends the program when what serves it has gone, however that happened."""

    def start_application_mode(self) -> None:
        """Begin to read."""
        self._ending = asyncio.get_running_loop()
        super().start_application_mode()

    def run_input_thread(self) -> None:
        """Read until there is no more."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._ending.call_soon_threadsafe(self._app.post_message, ExitApp())
