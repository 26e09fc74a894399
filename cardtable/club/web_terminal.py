"""Browser tab that shows a Textual program, the program's process, and the check of requests for it.

The page sends frames, which are JSON arrays that begin with a name: input, sizes, changes of the focus, and pings. It
receives the program's terminal output as bytes.

The program speaks the protocol of Textual's web driver. Both sides send packets, which consist of a letter, the length
of the payload as four bytes in big-endian order, and the payload. A ``D`` packet is input or output of the terminal,
``M`` is a message, a JSON object with a ``type``, and ``P`` is a binary message. Before its first packet the program
sends a line of text.

The header ``Host`` of a request must be a name of this server. Otherwise a name of another site could be made to
resolve to this machine, and a page of that site could read the answers (DNS rebinding). A program is shown only to a
page of this very server, which ``Origin`` states, because browsers send its cookies with requests from the pages of all
servers on the same machine.
"""

import asyncio
import json
import re
import socket
from asyncio.subprocess import DEVNULL, PIPE, Process
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from html import escape
from threading import Thread
from typing import Final, Literal, NamedTuple, Self, assert_never
from urllib.parse import urlsplit

import msgspec
from aiohttp import WebSocketError, WSCloseCode, WSMsgType, web, web_response

from cardtable.club.addresses import is_ip_address, is_local
from cardtable.club.terminal_size import TerminalSize
from cardtable.store import paths
from cardtable.workers.client import convert_start_errors, kill_process, lower_priority
from cardtable.workers.tasks import run_beside

_WRONG_HOST: Final = "No card room is open at this address."
_WRONG_ORIGIN: Final = "This page does not belong to the card room."


CONTENT_SECURITY_POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the terminal emulator adds style elements
        "font-src 'self'",
        "img-src data:",
        "connect-src 'self' {socket}",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
_SOCKET_HOST: Final = re.compile(r"[A-Za-z0-9.:\[\]_-]+")
web_response.SERVER_SOFTWARE = "cardtable"  # type: ignore[attr-defined]  # also in answers to invalid requests


class OriginPolicy:
    """Checks of requests to one server by their ``Host`` and ``Origin`` headers."""

    def __init__(self, host: str, *, accept_any_name: bool = False, public_origin: str = "") -> None:
        """Create the checks of a server that listens at ``host``.

        With ``accept_any_name`` every host name is accepted, unless the server is local. This is safe with TLS, because
        the certificate proves that the name is the server's. ``public_origin`` is the origin of its pages, in the form
        that browsers send, if they reach it under another name; it is empty otherwise.
        """
        self._host, self._accept_any_name = host.lower(), accept_any_name
        self._public_origin = public_origin
        self._public_name = _parse_name(public_origin.partition("://")[2])
        full_name = socket.gethostname().lower()
        name = full_name.partition(".")[0]
        # Names in ``.local`` are those of multicast DNS (RFC 6762), which no other network can use
        self._own_names = frozenset({full_name, name, f"{name}.local"})
        if not is_local(self._host):
            Thread(target=self._add_full_name, daemon=True).start()

    def check_host(self, request: web.Request) -> None:
        """Raise ``HTTPForbidden`` unless the ``Host`` header of a request is a name of this server."""
        if not self.is_own_name(request.headers.get("Host", "")):
            raise create_refusal(_WRONG_HOST)

    def check_origin(self, request: web.Request) -> None:
        """Raise ``HTTPForbidden`` unless the ``Origin`` header of a request is that of a page of this server.

        It must be the public origin, with its scheme and port, or name the server in the ``Host`` header under any
        other name. A request without ``Origin`` is refused, too. ``check_host`` must have accepted the request.
        """
        origin, host = request.headers.get("Origin", ""), request.headers["Host"]
        if origin and origin == self._public_origin:
            return
        if origin.partition("://")[2] != host or _parse_name(host) == self._public_name:
            raise create_refusal(_WRONG_ORIGIN)

    async def add_security_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add headers that allow only scripts of this server and forbid other sites to show the page in a frame.

        It is a handler for aiohttp's ``on_response_prepare`` signal.
        """
        host = request.headers.get("Host", "")
        source = f"{'wss' if request.secure else 'ws'}://{host}" if _SOCKET_HOST.fullmatch(host) else ""
        if self._public_origin:
            source += f" ws{self._public_origin.removeprefix('http')}"
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.format(socket=source).replace(" ;", ";")
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["Referrer-Policy"] = "same-origin"

    def is_own_name(self, netloc: str) -> bool:
        """Return True if ``netloc``, which may include a port, is a name or address of this server.

        Local names and the public name are always accepted, and a server at a local address accepts no others. Any
        other server accepts every numeric address, the names of this machine and the name it listens at.
        """
        name = _parse_name(netloc)
        if not name:
            return False
        if is_local(name) or name in (self._host, self._public_name):
            return True
        if is_local(self._host):
            return False
        return is_ip_address(name) or name in self._own_names or self._accept_any_name

    def _add_full_name(self) -> None:
        """Add the full name that the network has given this machine; looking it up can take seconds without DNS."""
        with suppress(UnicodeError):  # an impossible host name
            self._own_names |= {socket.getfqdn().lower()}


def _parse_name(netloc: str) -> str:
    """Return the host name or address in ``netloc``, without a final dot; return an empty string if there is none."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").removesuffix(".")
    except ValueError:
        return ""


def create_refusal(reason: str) -> web.HTTPForbidden:
    """Return an error page with status 403 that states a reason."""
    head = '<!DOCTYPE html><meta name="viewport" content="width=device-width"><title>cardtable</title>'
    return web.HTTPForbidden(text=f"{head}<p>{escape(reason)}</p>\n", content_type="text/html")


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

        The packet is a tuple in Textual's variant of bencode: ``deliver_chunk``, the key, and the chunk. Other
        packets are ignored. A picture larger than the limit is dropped.
        """
        key = self._picture_key.encode()
        start = b"ts13:deliver_chunks%d:%s" % (len(key), key)
        size, _, chunk = packet.removeprefix(start).removesuffix(b"e").partition(b":")
        if not self._picture_key or size != b"%d" % len(chunk):
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
        kill_process(self._process)

    async def wait(self) -> int:
        return await self._process.wait()

    async def _send_packet(self, kind: bytes, payload: bytes) -> None:
        """Send a packet of the kind given by a letter; nothing happens if the program has ended."""
        with suppress(ConnectionError, RuntimeError):
            self._input.write(kind + len(payload).to_bytes(4, "big") + payload)
            await self._input.drain()


PAGE_FILE: Final = paths.get_shipped_path("club", "web_pages", "page.html")
SCRIPT_FILE: Final = paths.get_shipped_path("club", "web_pages", "page.js")
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

    def __init__(self, websocket: web.WebSocketResponse, disconnect: Callable[[], None]) -> None:
        """Wrap the ``websocket`` of a page.

        ``disconnect`` is called to end the connection at once if the page does not read.
        """
        self._socket, self._disconnect = websocket, disconnect

    async def show(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: TerminalSize,
        *,
        kill_delay: float | None = None,
        is_hosted_client: bool = False,
    ) -> bool:
        """Run a command line in the tab until the program ends or the page is closed; return True if it has crashed.

        ``environment`` replaces the environment of this process, and ``size`` is the first size of the terminal.
        ``kill_delay`` is the time in seconds after which a program that ignores the request to end is killed; ``None``
        waits without limit. ``is_hosted_client`` is explained at ``TextualProcess.start``.

        Raises ``ProtocolError`` if the page sends an invalid frame, and ``OSError`` if the program cannot be started.
        """
        program = await TextualProcess.start(
            command, environment, size.width, size.height, is_hosted_client=is_hosted_client
        )
        failure, is_killed = _GUEST_PROGRAM_FAILED if is_hosted_client else _PROGRAM_FAILED, False
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
                    is_killed = True
                has_crashed = await showing and not is_killed
        return has_crashed

    async def _send_output(self, program: TextualProcess, failure: str) -> bool:
        """Send what the program shows until it ends, and return True if it has crashed.

        ``failure`` tells the page that it has.
        """
        async for output in program.iter_output():
            if isinstance(output, Picture):
                await self._send_or_disconnect(self._socket.send_json(["picture", b64encode(output.data).decode()]))
            else:
                await self._send_or_disconnect(self._socket.send_bytes(output))
        if await program.wait():
            await self._socket.close(code=WSCloseCode.INTERNAL_ERROR, message=failure.encode())
            return True
        await self._socket.close()
        return False

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
