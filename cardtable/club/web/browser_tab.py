"""A tab of a browser, and the program that is shown in it.

The page sends frames, JSON arrays with a name first: what was typed, sizes, whether the page has the focus, and a ping.
It gets what the program paints, in bytes.
"""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Final, Self

import msgspec
from aiohttp import WebSocketError, WSCloseCode, WSMsgType, web

from cardtable.club.web.textual_process import Picture, TextualProcess
from cardtable.store import paths

PAGE: Final = paths.shipped("club", "browser", "page.html")
SCRIPT: Final = paths.shipped("club", "browser", "page.js")
TERMINAL: Final = paths.shipped("static", package="textual_serve")
"""The terminal in which a page shows the program: script, style and font."""
MOST_CELLS: Final = 1000
"""How many columns or rows are painted."""
STUCK_SECONDS: Final = 30
"""How long a page may take to read what it is shown."""


class TerminalSize(msgspec.Struct, frozen=True):
    """How many columns and rows a page has room for."""

    width: Annotated[int, msgspec.Meta(ge=1)]
    height: Annotated[int, msgspec.Meta(ge=1)]

    def limited(self) -> Self:
        """The size that is painted: each column and row costs memory and time."""
        return type(self)(min(self.width, MOST_CELLS), min(self.height, MOST_CELLS))


class Typed(msgspec.Struct, frozen=True, array_like=True, tag="stdin"):
    """Keys and clicks, as terminals send them."""

    text: str


class Resized(msgspec.Struct, frozen=True, array_like=True, tag="resize"):
    """The page has another size."""

    size: TerminalSize


class Pinged(msgspec.Struct, frozen=True, array_like=True, tag="ping"):
    """The page asks for an answer."""

    text: str


class Focused(msgspec.Struct, frozen=True, array_like=True, tag="focus"):
    """The page has the focus."""


class Blurred(msgspec.Struct, frozen=True, array_like=True, tag="blur"):
    """The page does not have the focus any more."""


Frame = Typed | Resized | Pinged | Focused | Blurred
_FAILED: Final = "The program has ended with an error. Who started it can read which one in that terminal."
_USUAL: Final = TerminalSize(80, 24)
_DECODER: Final = msgspec.json.Decoder(Frame)


class ProtocolError(Exception):
    """Something came from a page that no page of ours sends."""

    def __init__(self) -> None:
        super().__init__("what it sent is not understood")


def frame(text: str) -> Frame:
    """Read a frame.  Raises ``ProtocolError``."""
    try:
        read: Frame = _DECODER.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        raise ProtocolError from None
    return read


def asked_size(query: Mapping[str, str]) -> TerminalSize:
    """The size that an address asks for, as it is painted; 80 by 24 where none can be made out."""
    try:
        return msgspec.convert(dict(query), TerminalSize, strict=False).limited()
    except msgspec.ValidationError:
        return _USUAL


class BrowserTab:
    """A page that is connected by ``socket``; ``hang_up`` cuts it off where it is stuck."""

    def __init__(self, socket: web.WebSocketResponse, hang_up: Callable[[], None]) -> None:
        self._socket, self._hang_up = socket, hang_up

    async def show(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        size: TerminalSize,
        *,
        patience: float | None = None,
        quiet: bool = False,
    ) -> None:
        """Run the program that these words start until it ends or the page is closed.

        ``patience``: seconds after which it is killed where it does not end; ``quiet``: what it says of its
        faults is not heard.  Raises ``ProtocolError``, and ``OSError`` where the program cannot be started.
        """
        program = await TextualProcess.start(words, environment, size.width, size.height, quiet=quiet)
        showing = asyncio.create_task(self._show_all(program))
        try:
            await self._pass_on(program)
        finally:
            try:
                async with asyncio.timeout(patience):
                    await program.end()
                    await asyncio.shield(showing)
            except TimeoutError:
                program.kill()
            await showing

    async def _show_all(self, program: TextualProcess) -> None:
        async for painted in program.paintings():
            if isinstance(painted, Picture):
                await self._in_time(self._socket.send_json(["picture", b64encode(painted.data).decode()]))
            else:
                await self._in_time(self._socket.send_bytes(painted))
        if await program.ended():
            await self._socket.close(code=WSCloseCode.INTERNAL_ERROR, message=_FAILED.encode())
        else:
            await self._socket.close()

    async def _in_time(self, sending: Coroutine[None, None, None]) -> None:
        """Send something to the page.

        A page that has gone or is stuck must not keep the program waiting: it could not end, and would keep its
        session from everybody.
        """
        try:
            async with asyncio.timeout(STUCK_SECONDS):
                await sending
        except TimeoutError:
            self._hang_up()
        except ConnectionError:
            pass

    async def _pass_on(self, program: TextualProcess) -> None:
        with suppress(ConnectionError):
            async for message in self._socket:
                if message.type is WSMsgType.TEXT:
                    await self._answer(frame(message.data), program)
                elif message.type is WSMsgType.BINARY or isinstance(message.data, WebSocketError):
                    raise ProtocolError

    async def _answer(self, sent: Frame, program: TextualProcess) -> None:
        match sent:
            case Typed(text):
                await program.type(text)
            case Resized(size):
                painted = size.limited()
                await program.tell("resize", width=painted.width, height=painted.height)
            case Pinged(text):
                await self._socket.send_json(["pong", text])
            case Focused():
                await program.tell("focus")
            case Blurred():
                await program.tell("blur")
