"""The robots' process: they think there, while keys are answered here."""

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, View
from cardtable.engine.replay import action_of

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots.hints import Advice
    from cardtable.robots.worker import Question, Request
    from cardtable.workers.client import Child
    from cardtable.workers.server import Asks

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from cardtable.store import atomic_io
from cardtable.store.club_tokens import TURN_VARIABLE

LOOKS: Final = 0.05
"""Seconds after which it is looked again whether somebody else is still thinking."""


@asynccontextmanager
async def own_turn() -> AsyncIterator[None]:
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
        atomic_io.let_go(descriptor)


A = TypeVar("A")


class Thinker:
    """Chooses for robots and advises people, one request at a time."""

    @cached_property
    def _child(self) -> "Child":
        from cardtable.workers.client import Child  # noqa: PLC0415 - after the first picture

        return Child("cardtable.robots.worker")

    async def start(self) -> None:
        """Start the process, so that the first robot finds it ready; where that fails, ``choose`` tells."""
        with suppress(OSError):
            await self._child.start()

    async def choose(self, request: "Request") -> Action:
        """The action of a robot that sees ``request.view``.  Raises ``CardtableError`` if it cannot choose."""
        return named(request.view, await self._ask(request, "the robot cannot choose"))

    async def advise(self, question: "Question") -> "Advice":
        """Advice for a person who sees ``question.view``.  Raises ``CardtableError`` if there is none."""
        async with own_turn():
            return await self._ask(question, "there is no advice")

    async def _ask(self, request: "Asks[A]", cannot: str) -> A:
        from cardtable.workers.client import NoAnswer  # noqa: PLC0415 - after the first picture

        for _ in range(2):  # a process that is lost is started again
            try:
                return await self._child.one(request)
            except NoAnswer as error:
                raise CardtableError(f"{cannot}: {error}") from None
            except OSError:
                continue
        raise CardtableError("the robots' process does not answer")

    async def stop(self) -> None:
        """End the process, whatever it is thinking about."""
        await self._child.stop()


def named(view: View, text: str) -> Action:
    """The legal action of a text.  Raises ``CardtableError`` if it is none."""
    action = action_of(view.legal, text)
    if action is None:
        raise CardtableError(f"the robot chose what is not legal: {text}")
    return action
