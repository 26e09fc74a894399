"""Ratings and statistics for the pages that show them, reckoned in a process of its own."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from cardtable.robots import pipes

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.records.reckoning import Reckoned, Records

PATIENCE: Final = 1.0
"""Seconds in which a process may write down what it knows."""


class Reckoner:
    """Has records reckoned whenever a page asks for them, and remembers those that it told last."""

    def __init__(self) -> None:
        self.records: Records | None = None
        """``None`` until they were reckoned for the first time."""
        self._endings: set[asyncio.Task[None]] = set()

    async def reckon(self, tell: "Callable[[Reckoned], None]") -> None:
        """Tell how far things are until all is reckoned; if this is cancelled, the process ends.

        Raises ``OSError`` where there can be no process, and ``asyncio.IncompleteReadError`` where it fails.
        """
        process = await asyncio.create_subprocess_exec(
            *pipes.command("cardtable.records.worker"), stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
        )
        try:
            await self._follow(process, tell)
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                process.terminate()
            raise
        finally:
            ending = asyncio.create_task(_end(process))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    async def _follow(self, process: Process, tell: "Callable[[Reckoned], None]") -> None:
        from cardtable.records import worker  # noqa: PLC0415 - after the first picture

        assert process.stdout is not None
        while head := await process.stdout.read(pipes.HEAD_BYTES):
            head += await process.stdout.readexactly(pipes.HEAD_BYTES - len(head))
            message = worker.told(await process.stdout.readexactly(pipes.length(head)))
            self.records = message.records or self.records
            tell(message)

    async def stop(self) -> None:
        """Wait until all processes have ended."""
        await asyncio.gather(*self._endings)


async def _end(process: Process) -> None:
    """Make the process end that takes too long to do so; its output must be read, or it would wait for that."""
    try:
        await asyncio.wait_for(process.communicate(), PATIENCE)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
