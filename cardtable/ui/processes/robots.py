"""The robots' process: they think there, while keys are answered here."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from typing import TYPE_CHECKING

from cardtable.engine.contract import Action, View
from cardtable.robots import pipes
from cardtable.store.errors import CardtableError

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots import worker
    from cardtable.robots.coach import Advice


class Thinker:
    """A child process that chooses for robots and advises people, one request at a time.

    It ends with this process: it reads the end of its input.  Is it lost, the next request
    starts it again.
    """

    def __init__(self) -> None:
        self._process: Process | None = None
        self._ended: list[Process] = []
        """Processes that were ended, and whose pipes are to be closed while there is a loop."""
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Start the process, so that the first robot finds it ready; where that fails, ``choose`` tells."""
        async with self._lock:
            with suppress(OSError):
                await self._running()

    async def choose(self, request: "worker.Request") -> Action:
        """The action of a robot that sees ``request.view``.  Raises ``CardtableError`` if it cannot choose."""
        from cardtable.robots import worker  # noqa: PLC0415 - after the first picture

        try:
            return named(request.view, worker.answer(await self._ask(worker.pack(request))))
        except worker.NoAnswer as error:
            raise CardtableError(f"the robot cannot choose: {error}") from None

    async def advise(self, question: "worker.Question") -> "Advice":
        """Advice for a person who sees ``question.view``.  Raises ``CardtableError`` if there is none."""
        from cardtable.robots import worker  # noqa: PLC0415 - after the first picture

        try:
            return worker.advice(await self._ask(worker.pack(question)))
        except worker.NoAnswer as error:
            raise CardtableError(f"there is no advice: {error}") from None

    async def _ask(self, request: bytes) -> bytes:
        async with self._lock:
            return await self._answer(request)

    async def _answer(self, request: bytes) -> bytes:
        for _ in range(2):
            try:
                process = await self._running()
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(request)
                await process.stdin.drain()
                head = await process.stdout.readexactly(pipes.HEAD_BYTES)
                return await process.stdout.readexactly(pipes.length(head))
            except asyncio.CancelledError:
                self._end()  # or its answer would be taken for that to the next request
                raise
            except (OSError, asyncio.IncompleteReadError):
                self._end()
        raise CardtableError("the robots' process does not answer")

    async def _running(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *pipes.command("cardtable.robots.worker"), stdin=PIPE, stdout=PIPE, stderr=DEVNULL
            )
        return self._process

    async def stop(self) -> None:
        """End the process, whatever it is thinking about."""
        self._end()
        while self._ended:
            with suppress(OSError):
                await self._ended.pop().communicate(b"")

    def _end(self) -> None:
        if self._process is None:
            return
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        self._ended.append(self._process)
        self._process = None


def named(view: View, text: str) -> Action:
    """The legal action of a text.  Raises ``CardtableError`` if it is none."""
    for action in view.legal:
        if str(action) == text:
            return action
    raise CardtableError(f"the robot chose what is not legal: {text}")
