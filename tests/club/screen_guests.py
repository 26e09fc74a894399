"""Guests with screens, by the program of their own, by ssh and in a browser, who press keys when they are asked to."""

import asyncio
import os
import re
import sys
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import aiohttp
import asyncssh
import pyte

from cardtable.club.server.hosted_clients import PtyProcess
from cardtable.club.terminal_size import TerminalSize
from cardtable.workers.server import build_environment
from tests.club.loopback_club import poll_until
from tests.club.test_browser_server import connect_tab, submit_login
from tests.club.test_ssh_server import connect_ssh, open_terminal

LOOK_INTERVAL, PATIENCE = 0.3, 20
"""Seconds between looks at a screen, and looks after which a key without any effect is pressed once more.

A key is pressed if nothing has changed since the last look.
"""
SELECTED, HOME, DOWN, ENTER, ESCAPE = "  ▌", "\x1b[H", "\x1b[B", "\r", "\x1b"
"""Beginning of a selected row, and keys."""
_LEADS_TO_TABLE = re.compile("Enter (check in|continue|sit down)")
_UNSUPPORTED_BY_PYTE = re.compile(rb"\x1b\[[<>=][\d;]*[a-z]")


class ScreenGuest:
    """A guest who goes to their table, or to the first one with a free seat, and presses Enter whenever asked to.

    One that ``opens_table`` opens one if there is none.
    """

    def __init__(self, nick, code, *, opens_table=False, size=(120, 40)):
        self.nick, self.code, self.opens_table, self.size = nick, code, opens_table, size
        self._enter = ENTER
        self._clear()

    def _clear(self):
        self._screen = pyte.Screen(*self.size)
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
        seen, answered, looks = "", "", 0
        while True:
            await asyncio.sleep(LOOK_INTERVAL)
            looks = looks + 1 if self.text == seen else 0
            seen = self.text
            if looks % PATIENCE == 1 and (seen != answered or looks > PATIENCE):
                answered = seen
                if keys := self._choose_keys():
                    await press(keys)

    async def ask(self, key, answer):
        """Press a key at the table in place of Enter, until a text is shown."""
        self._enter = key
        await poll_until(lambda: answer in self.text)
        self._enter = ENTER

    def _choose_keys(self):
        """Return the keys that bring the guest on: to the table, or one decision further."""
        footer = self.rows[-1]
        if "New table" in self.rows[0]:
            return ENTER if self.opens_table else ESCAPE  # an Enter came late
        if "Enter open" in footer:  # in the lobby, also before it has its name
            is_empty = "No table is open" in self.text
            return HOME if not is_empty else "n" if self.opens_table else ""
        if "Enter start" in footer:
            return ENTER if self.text.count(", at ") == 2 else ""  # once the other guest has sat down
        if self.is_in_lobby:
            is_over = any(row.startswith(SELECTED) and "the session is over" in row for row in self.rows)
            return ENTER if _LEADS_TO_TABLE.search(footer) and not is_over else DOWN
        return self._enter if "Enter" in footer else ""


class OwnGuest(ScreenGuest):
    """A guest by the program of their own, which returns by itself."""

    def __init__(self, nick, code, port, home, **options):
        super().__init__(nick, code, **options)
        self._url, self._home = f"ws://localhost:{port}", home

    @asynccontextmanager
    async def connect(self):
        """Start the program; yield functions that read output and press keys."""
        output = asyncio.Queue()
        program = await PtyProcess.start(
            [sys.executable, "-m", "cardtable", "join", self._url, "--nick", self.nick, "--code", self.code],
            build_environment(os.environ | {"CARDTABLE_HOME": str(self._home), "TERM": "xterm-256color"}),
            TerminalSize(*self.size),
            output.put_nowait,
            lambda _is_paused: None,
        )

        async def press(keys):
            program.write_input(keys.encode())

        try:
            yield output.get, press
        finally:
            await program.end()


class SshGuest(ScreenGuest):
    """A guest by ssh, who returns by key."""

    def __init__(self, nick, code, port, **options):
        super().__init__(nick, code, **options)
        self._port = port
        self._keys = [asyncssh.generate_private_key("ssh-ed25519")]

    @asynccontextmanager
    async def connect(self):
        """Connect to the host; yield functions that read output and press keys."""
        async with (
            connect_ssh(self._port, self.nick, self.code, keys=self._keys) as connection,
            open_terminal(connection, self.size, encoding=None) as process,
        ):

            async def press(keys):
                process.stdin.write(keys.encode())

            yield lambda: process.stdout.read(1 << 16), press


class BrowserGuest(ScreenGuest):
    """A guest in a browser, who returns by cookie."""

    def __init__(self, nick, code, port, browser, **options):
        super().__init__(nick, code, **options)
        self._url, self._browser, self._has_cookie = f"http://localhost:{port}", browser, False

    @asynccontextmanager
    async def connect(self):
        """Connect to the host; yield functions that read output and press keys."""
        async with AsyncExitStack() as stack:
            if not self._has_cookie:
                status, page = await submit_login(self._browser, self._url, self.nick, self.code)
                assert status == 303, page
                self._has_cookie = True
            width, height = self.size
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
