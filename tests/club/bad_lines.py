"""Proxies before a host: one records, drops, doubles, delays and swaps frames, one cuts TLS connections at any byte."""

import asyncio
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import WebSocketException

from cardtable.club.protocol import SUBPROTOCOL


async def run_until_one_ends(*directions):
    """Run coroutines at the same time until one of them ends; cancel the others."""
    tasks = [asyncio.create_task(each) for each in directions]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for each in tasks:
        each.cancel()


class FaultyProxy:
    """A proxy between guests and a host; each frame may meet a random fault.

    ``cut``, ``doubled``, ``swapped`` and ``late`` are probabilities per frame, ``max_delay`` is in seconds.
    """

    def __init__(self, url, rng, *, cut=0.0, doubled=0.0, swapped=0.0, late=0.0, max_delay=0.01):
        self.url, self.rng, self.max_delay = url, rng, max_delay
        self.odds = {"cut": cut, "doubled": doubled, "swapped": swapped, "late": late}
        self.fault_counts = dict.fromkeys(self.odds, 0)
        self.frames = []
        """Frames received from both sides."""

    @asynccontextmanager
    async def open(self):
        """Listen; yield the address of the proxy."""
        async with serve(self._relay_guest, "localhost", 0, close_timeout=0.1, subprotocols=[SUBPROTOCOL]) as server:
            (port,) = {socket.getsockname()[1] for socket in server.sockets}
            yield f"ws://localhost:{port}"

    def _draw_fault(self, fault):
        hit = self.rng.random() < self.odds[fault]
        self.fault_counts[fault] += hit
        return hit

    async def _relay_guest(self, guest):
        with suppress(OSError, WebSocketException):
            async with connect(self.url, max_size=None, close_timeout=0.1, subprotocols=[SUBPROTOCOL]) as host:
                await run_until_one_ends(self._relay(guest, host), self._relay(host, guest))
                host.transport.abort()
        guest.transport.abort()

    async def _relay(self, source, target):
        """Pass on frames until one is cut. Frames of a guest after the first may also be doubled and swapped."""
        first, to_host = True, target.protocol.side.name == "CLIENT"
        with suppress(OSError, WebSocketException):
            async for frame in source:
                self.frames.append(frame)
                if self._draw_fault("late"):
                    await asyncio.sleep(self.rng.uniform(0, self.max_delay))
                if self._draw_fault("cut"):
                    if self.rng.random() < 0.5:
                        await target.send(frame)
                    return
                frames = [frame]
                if to_host and not first:
                    frames *= 1 + self._draw_fault("doubled")
                    frames = await self._receive_next(source) + frames if self._draw_fault("swapped") else frames
                for each in frames:
                    await target.send(each)
                first = False

    async def _receive_next(self, source):
        """Return the next frame if it arrives within ``max_delay``, so that it can be sent first."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.max_delay):
                return [await source.recv()]
        return []


class CuttingRelay:
    """A relay before a host with TLS, which cannot read what it passes on; ``cut`` is a probability per chunk."""

    def __init__(self, url, rng, *, cut=0.0):
        self.url, self.rng = urlsplit(url), rng
        self.odds, self.fault_counts = {"cut": cut}, {"cut": 0}

    @asynccontextmanager
    async def open(self):
        """Listen; yield the address of the relay."""
        async with await asyncio.start_server(self._relay_guest, "localhost", 0) as server:
            port = server.sockets[0].getsockname()[1]
            yield f"wss://localhost:{port}"

    async def _relay_guest(self, from_guest, to_guest):
        with suppress(OSError):
            from_host, to_host = await asyncio.open_connection(self.url.hostname, self.url.port)
            await run_until_one_ends(self._relay(from_guest, to_host), self._relay(from_host, to_guest))
            to_host.transport.abort()
        to_guest.transport.abort()

    async def _relay(self, source, target):
        """Pass on bytes until a chunk is cut."""
        with suppress(OSError):
            while chunk := await source.read(1 << 16):
                is_cut = self.rng.random() < self.odds["cut"]
                self.fault_counts["cut"] += is_cut
                target.write(chunk[: self.rng.randrange(len(chunk))] if is_cut else chunk)
                await target.drain()
                if is_cut:
                    return
