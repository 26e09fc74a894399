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
_FRAMES_PER_SECOND: Final = 60
SVG_MIME_TYPE: Final = "image/svg+xml"
"""MIME type of the only files that a program may deliver to its page."""
_CHUNK_BYTES: Final = 256 * 1024
_MAX_PICTURE_BYTES: Final = 4 * 1024 * 1024


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
        self._picture_data = bytearray()
        """Data of the picture that is being received."""
        self._picture_key = ""
        """Key under which the program delivers the picture; empty if no picture is being received."""

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str],
        width: int,
        height: int,
        *,
        is_hosted_client: bool = False,
    ) -> Self:
        """Start a command line in a terminal of ``width`` columns and ``height`` rows.

        ``environment`` replaces the environment of this process. The standard error of a hosted client is discarded,
        and the client gets a low priority. Raises ``OSError`` if the program cannot be started.
        """
        terminal_variables = {
            "TEXTUAL_DRIVER": _DRIVER,
            "TEXTUAL_FPS": str(_FRAMES_PER_SECOND),
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "COLUMNS": str(width),
            "ROWS": str(height),
        }
        with convert_start_errors():
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL if is_hosted_client else None,
                env={**environment, **terminal_variables},
            )
        if is_hosted_client:
            lower_priority(process.pid)
        return cls(process)

    async def write_input(self, text: str) -> None:
        """Send keys and clicks to the program, encoded as a terminal sends them."""
        await self._send_packet(_DATA, text.encode())

    async def send_message(self, kind: str, **fields: int | str) -> None:
        """Send a message to the program, with ``kind`` as its ``type`` and the keyword arguments as further fields."""
        await self._send_packet(_MESSAGE, json.dumps({"type": kind, **fields}).encode())

    async def iter_output(self) -> AsyncIterator[bytes | Picture]:
        """Yield terminal output as bytes, and pictures, until the program ends.

        The program blocks while its output is not read.
        """
        await self._output.readline()
        with suppress(asyncio.IncompleteReadError):
            while True:
                kind = await self._output.readexactly(1)
                length = int.from_bytes(await self._output.readexactly(4), "big")
                payload = await self._output.readexactly(length)
                if kind == _DATA:
                    yield payload
                elif kind == _MESSAGE:
                    await self._request_picture(payload)
                elif kind == _BINARY and (picture := await self._add_chunk(payload)):
                    yield picture

    async def _request_picture(self, packet: bytes) -> None:
        """Request the first chunk of a picture that a message offers.

        Other messages, other types of files, and offers during a transfer are ignored.
        """
        try:
            offer = msgspec.json.decode(packet, type=_FileStart)
        except (ValueError, RecursionError):
            return
        if offer.mime_type == SVG_MIME_TYPE and not self._picture_key:
            self._picture_key = offer.key
            await self._request_chunk()

    async def _request_chunk(self) -> None:
        await self.send_message("deliver_chunk_request", key=self._picture_key, size=_CHUNK_BYTES)

    async def _add_chunk(self, packet: bytes) -> Picture | None:
        """Append a chunk to the picture; return the picture once an empty chunk completes it.

        Invalid packets are ignored. A picture larger than the limit is dropped.
        """
        try:
            chunk_message = msgspec.convert(load(packet), tuple[str, str, bytes])
        except (DecodeError, ValueError, RecursionError):
            return None
        kind, key, chunk = chunk_message
        if kind != "deliver_chunk" or not self._picture_key or key != self._picture_key:
            return None
        self._picture_data += chunk
        if chunk and len(self._picture_data) <= _MAX_PICTURE_BYTES:
            await self._request_chunk()
            return None
        picture = None if chunk else Picture(bytes(self._picture_data))
        self._picture_data, self._picture_key = bytearray(), ""
        return picture

    async def request_exit(self) -> None:
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

    async def _send_packet(self, kind: bytes, payload: bytes) -> None:
        """Send a packet of the kind given by a letter; nothing happens if the program has ended."""
        with suppress(ConnectionError, RuntimeError):
            self._input.write(kind + len(payload).to_bytes(4, "big") + payload)
            await self._input.drain()
