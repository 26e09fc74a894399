"""Robots' processes of a host: each table waits its turn, however long another one's robots think."""

import asyncio
from typing import Final

from cardtable.engine.contract import Action
from cardtable.play.thinker import Thinker
from cardtable.robots.worker import Request


class Thinkers:
    """So many processes; a table has one request at a time, so that the turns are fair."""

    def __init__(self, number: int) -> None:
        self._all: Final = [Thinker() for _ in range(number)]
        self._free: asyncio.Queue[Thinker] = asyncio.Queue()
        for thinker in self._all:
            self._free.put_nowait(thinker)
        self.waiting = 0
        """Requests that are not answered yet."""

    async def choose(self, request: Request) -> Action:
        """The action of a robot.  Raises ``CardtableError`` if it cannot choose."""
        self.waiting += 1
        try:
            thinker = await self._free.get()
            try:
                return await thinker.choose(request)
            finally:
                self._free.put_nowait(thinker)
        finally:
            self.waiting -= 1

    async def stop(self) -> None:
        """End the processes."""
        for thinker in self._all:
            await thinker.stop()
