"""A program that is shown in a browser, by the protocol of Textual's web driver.

Both ways go packets: a letter, the length in four bytes, and so much of what it is about.  ``D`` is what is typed or
painted, ``M`` a message as a JSON object with its ``type``.  Before its first packet the program sends a line.
"""

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

from cardtable.pipes.child import starting

_DRIVER: Final = "textual.drivers.web_driver:WebDriver"
_DATA: Final = b"D"
_MESSAGE: Final = b"M"
_FRAMES_A_SECOND: Final = 60


class ServedProgram:
    """Gets what is typed in a page, and gives what it paints.  Made by ``start``."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._input, self._output = process, process.stdin, process.stdout

    @classmethod
    async def start(
        cls, words: Sequence[str], environment: Mapping[str, str], width: int, height: int, *, quiet: bool = False
    ) -> Self:
        """Start what these words name, in so many columns and rows.

        ``quiet``: what it writes on standard error goes nowhere.  Raises ``OSError``.
        """
        shown = {
            "TEXTUAL_DRIVER": _DRIVER,
            "TEXTUAL_FPS": str(_FRAMES_A_SECOND),
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "COLUMNS": str(width),
            "ROWS": str(height),
        }
        with starting():
            process = await asyncio.create_subprocess_exec(
                *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL if quiet else None, env={**environment, **shown}
            )
        return cls(process)

    async def type(self, text: str) -> None:
        """Pass on keys and clicks, as terminals send them."""
        await self._send(_DATA, text.encode())

    async def tell(self, kind: str, **about: int) -> None:
        """Tell it of its page."""
        await self._send(_MESSAGE, json.dumps({"type": kind, **about}).encode())

    async def paintings(self) -> AsyncIterator[bytes]:
        """What it paints, until it ends; it waits where nobody reads."""
        await self._output.readline()
        with suppress(asyncio.IncompleteReadError):
            while True:
                kind = await self._output.readexactly(1)
                length = int.from_bytes(await self._output.readexactly(4), "big")
                about = await self._output.readexactly(length)
                if kind == _DATA:
                    yield about

    async def end(self) -> None:
        """Ask it to end; what it paints until then has to be read."""
        await self.tell("quit")
        self._input.close()

    def kill(self) -> None:
        """End it, whatever it does."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def ended(self) -> int:
        """Wait until it has ended; gives its exit code."""
        return await self._process.wait()

    async def _send(self, kind: bytes, about: bytes) -> None:
        """Send a packet; to a program that has ended nothing is told."""
        with suppress(ConnectionError, RuntimeError):
            self._input.write(kind + len(about).to_bytes(4, "big") + about)
            await self._input.drain()
