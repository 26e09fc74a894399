"""Process of a Textual program that is shown in a browser, by the protocol of Textual's web driver.

Both sides send packets, which consist of a letter, the length of the payload as four bytes in big-endian order, and the
payload. A ``D`` packet is input or output of the terminal, ``M`` is a message, a JSON object with a ``type``, and ``P``
is a binary message. Before its first packet the program sends a line of text.
"""

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, Literal, NamedTuple, Self

import msgspec
from textual_serve._binary_encode import DecodeError, load

from cardtable.workers.client import convert_start_errors, lower_priority

_DRIVER: Final = "textual.drivers.web_driver:WebDriver"
_DATA: Final = b"D"
_MESSAGE: Final = b"M"
_BINARY: Final = b"P"
_FRAMES_A_SECOND: Final = 60
PICTURE: Final = "image/svg+xml"
"""MIME type of the only files that a program may deliver to its page."""
_CHUNK_BYTES: Final = 256 * 1024
_MOST_PICTURE_BYTES: Final = 4 * 1024 * 1024


class Picture(NamedTuple):
    """SVG file that a program delivers to its page as a download."""

    data: bytes


class _FileStart(msgspec.Struct, frozen=True):
    """Message in which a program offers a file to its page."""

    type: Literal["deliver_file_start"]
    key: str
    mime_type: str = ""


class TextualProcess:
    """Process of a Textual program, with its input and output.

    ``start`` creates it.
    """

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._input, self._output = process, process.stdin, process.stdout
        self._picture = bytearray()
        """Data of the picture that is being received."""
        self._key = ""
        """Key under which the program delivers the picture; empty if no picture is being received."""

    @classmethod
    async def start(
        cls, words: Sequence[str], environment: Mapping[str, str], width: int, height: int, *, of_guest: bool = False
    ) -> Self:
        """Start a command line in a terminal of ``width`` columns and ``height`` rows.

        ``environment`` replaces the environment of this process. The standard error of a guest's program is discarded,
        and the program gets a low priority. Raises ``OSError`` if the program cannot be started.
        """
        shown = {
            "TEXTUAL_DRIVER": _DRIVER,
            "TEXTUAL_FPS": str(_FRAMES_A_SECOND),
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "COLUMNS": str(width),
            "ROWS": str(height),
        }
        with convert_start_errors():
            process = await asyncio.create_subprocess_exec(
                *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL if of_guest else None, env={**environment, **shown}
            )
        if of_guest:
            lower_priority(process.pid)
        return cls(process)

    async def type(self, text: str) -> None:
        """Send keys and clicks to the program, encoded as a terminal sends them."""
        await self._send(_DATA, text.encode())

    async def send_message(self, kind: str, **about: int | str) -> None:
        """Send a message to the program, with ``kind`` as its ``type`` and the keyword arguments as further fields."""
        await self._send(_MESSAGE, json.dumps({"type": kind, **about}).encode())

    async def outputs(self) -> AsyncIterator[bytes | Picture]:
        """Yield terminal output as bytes, and pictures, until the program ends.

        The program blocks while its output is not read.
        """
        await self._output.readline()
        with suppress(asyncio.IncompleteReadError):
            while True:
                kind = await self._output.readexactly(1)
                length = int.from_bytes(await self._output.readexactly(4), "big")
                about = await self._output.readexactly(length)
                if kind == _DATA:
                    yield about
                elif kind == _MESSAGE:
                    await self._begin_picture(about)
                elif kind == _BINARY and (picture := await self._take_chunk(about)):
                    yield picture

    async def _begin_picture(self, packet: bytes) -> None:
        """Request the first chunk of a picture that a message offers.

        Other messages, other types of files, and offers during a transfer are ignored.
        """
        try:
            about = msgspec.json.decode(packet, type=_FileStart)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return
        if about.mime_type == PICTURE and not self._key:
            self._key = about.key
            await self._ask_for_chunk()

    async def _ask_for_chunk(self) -> None:
        await self.send_message("deliver_chunk_request", key=self._key, size=_CHUNK_BYTES)

    async def _take_chunk(self, packet: bytes) -> Picture | None:
        """Append a chunk to the picture; return the picture once an empty chunk completes it.

        Invalid packets are ignored. A picture larger than the limit is dropped.
        """
        try:
            chunk_message = msgspec.convert(load(packet), tuple[str, str, bytes])
        except (DecodeError, msgspec.ValidationError, ValueError, RecursionError):
            return None
        kind, key, chunk = chunk_message
        if kind != "deliver_chunk" or not self._key or key != self._key:
            return None
        self._picture += chunk
        if chunk and len(self._picture) <= _MOST_PICTURE_BYTES:
            await self._ask_for_chunk()
            return None
        picture = None if chunk else Picture(bytes(self._picture))
        self._picture, self._key = bytearray(), ""
        return picture

    async def end(self) -> None:
        """Ask the program to end, without waiting for it.

        Its output must be read until it ends.
        """
        await self.send_message("quit")
        self._input.close()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def wait(self) -> int:
        """Wait for the end of the process, and return its exit code."""
        return await self._process.wait()

    async def _send(self, kind: bytes, about: bytes) -> None:
        """Send a packet of the kind given by a letter; nothing happens if the program has ended."""
        with suppress(ConnectionError, RuntimeError):
            self._input.write(kind + len(about).to_bytes(4, "big") + about)
            await self._input.drain()
