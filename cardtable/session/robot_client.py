"""The robots' process: they think there, while keys are answered here."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, View
from cardtable.engine.replay import action_of
from cardtable.store import atomic_io
from cardtable.store.club_tokens import TURN_VARIABLE

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots.hints import Advice
    from cardtable.robots.worker import ChooseRequest, HintRequest
    from cardtable.workers.client import WorkerProcess
    from cardtable.workers.server import WorkerRequest


LOOKS: Final = 0.05
"""Seconds after which it is looked again whether somebody else is still thinking."""


@asynccontextmanager
async def thinking_lock() -> AsyncIterator[None]:
    """Wait until no other one of the programs that a host runs for its guests thinks; at home nobody waits."""
    file = os.environ.get(TURN_VARIABLE)
    if file is None:
        yield
        return
    descriptor = atomic_io.open_regular(Path(file), os.O_RDWR | os.O_CREAT)
    try:
        while not atomic_io.lock(descriptor):
            await asyncio.sleep(LOOKS)
        yield
    finally:
        atomic_io.unlock_and_close(descriptor)


A = TypeVar("A")


class RobotClient:
    """Chooses for robots and advises people, one request at a time."""

    @cached_property
    def _child(self) -> "WorkerProcess":
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - after the first picture

        return WorkerProcess("cardtable.robots.worker")

    async def start(self) -> None:
        """Start the process, so that the first robot finds it ready; where that fails, ``choose`` tells."""
        with suppress(OSError):
            await self._child.start()

    async def choose(self, request: "ChooseRequest") -> Action:
        """The action of a robot that sees ``request.view``.  Raises ``CardtableError`` if it cannot choose."""
        return parse_action(request.view, await self._ask(request, "the robot cannot choose"))

    async def advise(self, question: "HintRequest") -> "Advice":
        """Advice for a person who sees ``question.view``.  Raises ``CardtableError`` if there is none."""
        async with thinking_lock():
            return await self._ask(question, "there is no advice")

    async def _ask(self, request: "WorkerRequest[A]", cannot: str) -> A:
        from cardtable.workers.client import WorkerError  # noqa: PLC0415 - after the first picture

        for _ in range(2):  # a process that is lost is started again
            try:
                return await self._child.one(request)
            except WorkerError as error:
                raise CardtableError(f"{cannot}: {error}") from None
            except OSError:
                continue
        raise CardtableError("the robots' process does not answer")

    async def stop(self) -> None:
        """End the process, whatever it is thinking about."""
        await self._child.stop()


def parse_action(view: View, text: str) -> Action:
    """The legal action of a text.  Raises ``CardtableError`` if it is none."""
    action = action_of(view.legal, text)
    if action is None:
        raise CardtableError(f"the robot chose what is not legal: {text}")
    return action
