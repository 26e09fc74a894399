"""Browser tab that shows a Textual program.

The page sends frames, which are JSON arrays that begin with a name: input, sizes, changes of the focus, and pings. It
receives the program's terminal output as bytes.
"""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Final, assert_never

import msgspec
from aiohttp import WebSocketError, WSCloseCode, WSMsgType, web

from cardtable.club.terminal_size import TerminalSize
from cardtable.club.web.textual_process import Picture, TextualProcess
from cardtable.store import paths
from cardtable.workers.tasks import run_beside

PAGE_FILE: Final = paths.get_shipped_path("club", "browser", "page.html")
SCRIPT_FILE: Final = paths.get_shipped_path("club", "browser", "page.js")
TERMINAL_FOLDER: Final = paths.get_shipped_path("static", package="textual_serve")
"""Folder of the terminal emulator that the page loads: script, style and font."""
STUCK_SECONDS: Final = 30
"""Time in seconds after which a page that does not read its frames is disconnected."""


class Typed(msgspec.Struct, frozen=True, array_like=True, tag="stdin"):
    """Frame with keys and clicks, encoded as a terminal sends them."""

    text: str


class Resized(msgspec.Struct, frozen=True, array_like=True, tag="resize"):
    """Frame that reports the new size of the page."""

    size: TerminalSize


class Pinged(msgspec.Struct, frozen=True, array_like=True, tag="ping"):
    """Frame with a ping, which is answered with a pong that contains the same text."""

    text: str


class Focused(msgspec.Struct, frozen=True, array_like=True, tag="focus"):
    """Frame that reports that the page has received the focus."""


class Blurred(msgspec.Struct, frozen=True, array_like=True, tag="blur"):
    """Frame that reports that the page has lost the focus."""


Frame = Typed | Resized | Pinged | Focused | Blurred
_PROGRAM_FAILED: Final = "The program has crashed. The terminal in which it was started shows why."
_GUEST_PROGRAM_FAILED: Final = "The program of this page has crashed. Your seats at the club stay yours."
_DECODER: Final = msgspec.json.Decoder(Frame)


class ProtocolError(Exception):
    """Raised if a page sends an invalid frame."""

    def __init__(self) -> None:
        super().__init__("it sent something that cannot be read")


def decode_frame(text: str) -> Frame:
    """Decode a frame of the page.

    Raises ``ProtocolError`` if it is invalid.
    """
    try:
        decoded: Frame = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise ProtocolError from None
    return decoded


def parse_size(query: Mapping[str, str]) -> TerminalSize:
    """Return the terminal size in the query of a URL, which is unknown if it is not valid, as a program can have it."""
    try:
        return msgspec.convert(dict(query), TerminalSize, strict=False).clamp()
    except msgspec.ValidationError:
        return TerminalSize(0, 0).clamp()


class BrowserTab:
    """Page in a browser tab that shows the output of a Textual program."""

    def __init__(self, socket: web.WebSocketResponse, disconnect: Callable[[], None]) -> None:
        """Wrap the WebSocket ``socket`` of a page.

        ``disconnect`` is called to end the connection at once if the page does not read.
        """
        self._socket, self._disconnect = socket, disconnect

    async def show(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: TerminalSize,
        *,
        kill_delay: float | None = None,
        is_hosted_client: bool = False,
    ) -> None:
        """Run a command line in the tab until the program ends or the page is closed.

        ``environment`` replaces the environment of this process, and ``size`` is the first size of the terminal.
        ``kill_delay`` is the time in seconds after which a program that ignores the request to end is killed; ``None``
        waits without limit. ``is_hosted_client`` is explained at ``TextualProcess.start``.

        Raises ``ProtocolError`` if the page sends an invalid frame, and ``OSError`` if the program cannot be started.
        """
        program = await TextualProcess.start(
            command, environment, size.width, size.height, is_hosted_client=is_hosted_client
        )
        failure = _GUEST_PROGRAM_FAILED if is_hosted_client else _PROGRAM_FAILED
        async with run_beside(self._send_output(program, failure)) as showing:
            try:
                await self._receive_frames(program)
            finally:
                try:
                    async with asyncio.timeout(kill_delay):
                        await program.request_exit()
                        await asyncio.shield(showing)
                except TimeoutError:
                    program.kill()
                await showing

    async def _send_output(self, program: TextualProcess, failure: str) -> None:
        """Send what the program shows until it ends; ``failure`` tells the page that it has crashed."""
        async for output in program.iter_output():
            if isinstance(output, Picture):
                await self._send_or_disconnect(self._socket.send_json(["picture", b64encode(output.data).decode()]))
            else:
                await self._send_or_disconnect(self._socket.send_bytes(output))
        if await program.wait():
            await self._socket.close(code=WSCloseCode.INTERNAL_ERROR, message=failure.encode())
        else:
            await self._socket.close()

    async def _send_or_disconnect(self, coro: Coroutine[None, None, None]) -> None:
        """Await the sending ``coro``, and disconnect the page if it does not read in time.

        A closed or stuck page must not block the program, whose session would stay locked.
        """
        try:
            async with asyncio.timeout(STUCK_SECONDS):
                await coro
        except TimeoutError:
            self._disconnect()
        except ConnectionError:
            pass

    async def _receive_frames(self, program: TextualProcess) -> None:
        with suppress(ConnectionError):
            async for message in self._socket:
                if message.type is WSMsgType.TEXT:
                    await self._handle_frame(decode_frame(message.data), program)
                elif message.type is WSMsgType.BINARY or isinstance(message.data, WebSocketError):
                    raise ProtocolError

    async def _handle_frame(self, frame: Frame, program: TextualProcess) -> None:
        match frame:
            case Typed(text):
                await program.write_input(text)
            case Resized(size):
                clamped_size = size.clamp()
                await program.send_message("resize", width=clamped_size.width, height=clamped_size.height)
            case Pinged(text):
                await self._socket.send_json(["pong", text])
            case Focused():
                await program.send_message("focus")
            case Blurred():
                await program.send_message("blur")
            case _:
                assert_never(frame)
