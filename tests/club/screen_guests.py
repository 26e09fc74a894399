"""Guests by ssh and in a browser, whose programs run at the host; they look at their screens and press keys."""

import asyncio
import re
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import aiohttp
import asyncssh
import pyte

from tests.club.test_browser_server import connect_tab, submit_login
from tests.club.test_ssh_server import connect_ssh, open_terminal

SIZE = (120, 40)
LOOK_INTERVAL = 0.3
"""Seconds between looks at a screen; a key is pressed if nothing has changed since the last one."""
FIRST_TABLE, SELECTED, HOME = 3, "  ▌", "\x1b[H"
"""Row of the lobby's first table, the beginning of a selected row, and the key that selects the first one."""
_UNSUPPORTED_BY_PYTE = re.compile(rb"\x1b\[[<>=][\d;]*[a-z]")


class ScreenGuest:
    """A guest who opens or joins the only table of a club, and presses Enter whenever it is asked for."""

    def __init__(self, nick, code):
        self.nick, self.code = nick, code
        self._clear()

    def _clear(self):
        self._screen = pyte.Screen(*SIZE)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def rows(self):
        return [row.rstrip() for row in self._screen.display]

    @property
    def is_in_lobby(self):
        return self.rows[0].startswith("  The club")

    @property
    def text(self):
        return "\n".join(self.rows)

    def list_messages(self):
        """Return the texts of the messages on the screen, oldest first; a wrapped one is joined again."""
        rows = self.rows
        header = next((number for number, row in enumerate(rows) if row.endswith(" Messages")), None)
        if header is None:
            return []
        column = rows[header].rindex("Messages")
        texts = []
        for row in rows[header + 1 :]:
            text = row[column:]
            if not text.strip():
                break
            if text.startswith(" ") and texts:
                texts[-1] += f" {text.strip()}"
            else:
                texts.append(text)
        return texts

    async def visit(self):
        """Log in and play until the connection is lost, or cannot be made."""
        self._clear()
        with suppress(OSError, asyncssh.Error, aiohttp.ClientError):
            async with self.connect() as (read, press):
                playing = asyncio.create_task(self._play(press))
                try:
                    while data := await read():
                        self._stream.feed(_UNSUPPORTED_BY_PYTE.sub(b"", data))
                finally:
                    playing.cancel()
                    with suppress(asyncio.CancelledError, OSError, asyncssh.Error, aiohttp.ClientError):
                        await playing

    async def _play(self, press):
        before = ""
        while True:
            await asyncio.sleep(LOOK_INTERVAL)
            if self.text == before and (keys := self._choose_keys()):
                await press(keys)
            before = self.text

    def _choose_keys(self):
        """Return the keys that bring the guest on: to the table, or one decision further."""
        footer = self.rows[-1]
        if self.is_in_lobby and "No table is open" in self.text:
            return "n" if self.opens_table else ""
        if self.is_in_lobby and not self.rows[FIRST_TABLE].startswith(SELECTED):
            return HOME
        if "Enter start" in footer and self.text.count(", at ") < 2:
            return ""  # until the other guest has sat down
        return "\r" if "Enter" in footer else ""


class SshGuest(ScreenGuest):
    """A guest by ssh, who returns by key, and opens the table."""

    opens_table = True

    def __init__(self, nick, code, port):
        super().__init__(nick, code)
        self._port = port
        self._keys = [asyncssh.generate_private_key("ssh-ed25519")]

    @asynccontextmanager
    async def connect(self):
        """Connect to the host; yield functions that read output and press keys."""
        async with (
            connect_ssh(self._port, self.nick, self.code, keys=self._keys) as connection,
            open_terminal(connection, SIZE, encoding=None) as process,
        ):

            async def press(keys):
                process.stdin.write(keys.encode())

            yield lambda: process.stdout.read(1 << 16), press


class BrowserGuest(ScreenGuest):
    """A guest in a browser, who returns by cookie, and sits down at the open table."""

    opens_table = False

    def __init__(self, nick, code, port, browser):
        super().__init__(nick, code)
        self._url, self._browser, self._has_cookie = f"http://localhost:{port}", browser, False

    @asynccontextmanager
    async def connect(self):
        """Connect to the host; yield functions that read output and press keys."""
        async with AsyncExitStack() as stack:
            if not self._has_cookie:
                status, page = await submit_login(self._browser, self._url, self.nick, self.code)
                assert status == 303, page
                self._has_cookie = True
            width, height = SIZE
            tab = await stack.enter_async_context(
                connect_tab(self._browser, self._url, size=f"width={width}&height={height}")
            )

            async def read():
                while (message := await tab.receive()).type is not aiohttp.WSMsgType.BINARY:
                    if message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR):
                        return b""
                return message.data

            async def press(keys):
                await tab.send_json(["stdin", keys])

            yield read, press
