"""A line to a host on which frames are cut off, doubled, late, or come in another order."""

import asyncio
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import WebSocketException

from cardtable.club.protocol import SUBPROTOCOL


class BadLine:
    """Between guests and the host; each frame may meet with a fault, by lot."""

    def __init__(self, url, rng, *, cut=0.0, doubled=0.0, swapped=0.0, late=0.0, most_late=0.01):
        self.url, self.rng, self.most_late = url, rng, most_late
        self.odds = {"cut": cut, "doubled": doubled, "swapped": swapped, "late": late}
        self.met = dict.fromkeys(self.odds, 0)

    @asynccontextmanager
    async def open(self):
        """Its own address."""
        async with serve(self._guest, "localhost", 0, close_timeout=0.1, subprotocols=[SUBPROTOCOL]) as server:
            (port,) = {socket.getsockname()[1] for socket in server.sockets}
            yield f"ws://localhost:{port}"

    def _lot(self, fault):
        hit = self.rng.random() < self.odds[fault]
        self.met[fault] += hit
        return hit

    async def _guest(self, guest):
        with suppress(OSError, WebSocketException):
            async with connect(self.url, max_size=None, close_timeout=0.1, subprotocols=[SUBPROTOCOL]) as host:
                both = [asyncio.create_task(self._relay(*ends)) for ends in ((guest, host), (host, guest))]
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                for each in both:
                    each.cancel()
                host.transport.abort()
        guest.transport.abort()

    async def _relay(self, one, other):
        """From one to the other until a frame is cut; what a guest says after her first word comes doubled, too."""
        first, to_host = True, other.protocol.side.name == "CLIENT"
        with suppress(OSError, WebSocketException):
            async for frame in one:
                if self._lot("late"):
                    await asyncio.sleep(self.rng.uniform(0, self.most_late))
                if self._lot("cut"):
                    if self.rng.random() < 0.5:
                        await other.send(frame)
                    return
                frames = [frame]
                if to_host and not first:
                    frames *= 1 + self._lot("doubled")
                    frames = await self._swapped(one) + frames if self._lot("swapped") else frames
                for each in frames:
                    await other.send(each)
                first = False

    async def _swapped(self, one):
        """What comes next, and is sent on first, if it comes soon."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.most_late):
                return [await one.recv()]
        return []
