"""Client of the robots' worker process, which computes decisions and hints while this process handles input."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, View, find_action
from cardtable.games import KEYS
from cardtable.session.thinking_lock import LOCK_RETRY_SECONDS, try_thinking_lock

if TYPE_CHECKING:  # not imported before the first frame
    from cardtable.robots.hints import Advice, DealSample
    from cardtable.robots.worker import ChooseRequest, DealSampleRequest, HintRequest
    from cardtable.session.move_limit import LateRobots
    from cardtable.workers.client import WorkerProcess
    from cardtable.workers.server import WorkerRequest


@asynccontextmanager
async def hold_thinking_lock() -> AsyncIterator[None]:
    """Hold the lock that lets only one guest program of a club host compute hints at a time."""
    with try_thinking_lock() as attempts:
        for _ in attempts:
            await asyncio.sleep(LOCK_RETRY_SECONDS)
        yield


A = TypeVar("A")


class RobotClient:
    """Client that asks the worker process for decisions of robots and for hints, one request at a time."""

    @cached_property
    def _worker(self) -> "WorkerProcess":
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - lazy: startup

        return WorkerProcess("cardtable.robots.worker")

    async def start(self) -> None:
        """Start the worker process in advance. A failure is ignored here; the first request reports it."""
        with suppress(OSError):
            await self._worker.start()

    async def choose(self, request: "ChooseRequest") -> Action:
        """Return the action of the robot that sees ``request.view``.

        Raises ``StandInChosen`` if a game of another package exceeds the time limit, and ``CardtableError`` if the
        worker refuses the request, dies twice, or returns an action that is not legal.
        """
        if request.game in KEYS:
            return await self._choose(request)
        from cardtable.session import move_limit  # noqa: PLC0415 - lazy: startup, only games of other packages need it
        from cardtable.workers.client import WorkerTimeout  # noqa: PLC0415 - lazy: startup

        action, level, is_late = None, None, False
        for attempt in self._late_robots.iter_attempts(request):
            try:
                action, level = await self._choose(attempt), attempt.level
                break
            except WorkerTimeout:
                self._late_robots.add(attempt)
                is_late = True
            except CardtableError:
                if attempt == request:
                    raise
        action = action or move_limit.choose_at_random(request)
        if is_late:
            raise move_limit.create_notice(request, action, level)
        return action

    @cached_property
    def _late_robots(self) -> "LateRobots":
        from cardtable.session.move_limit import LateRobots  # noqa: PLC0415 - lazy: startup

        return LateRobots()

    async def _choose(self, request: "ChooseRequest") -> Action:
        return parse_action(request.view, await self._ask(request, request.game, "the robot cannot choose"))

    async def advise(self, request: "HintRequest") -> "Advice":
        """Return a hint for the person who sees ``request.view``.

        Raises ``CardtableError`` if the worker refuses the request, dies twice, or exceeds the time limit.
        """
        async with hold_thinking_lock():
            return await self._ask_for_help(request, request.game, "there is no advice")

    async def sample_deals(self, request: "DealSampleRequest") -> "DealSample":
        """Return the sample of deals behind a hint. Raises ``CardtableError`` as ``advise`` does."""
        async with hold_thinking_lock():
            return await self._ask_for_help(request, request.hint.game, "there are no deals")

    async def _ask_for_help(self, request: "WorkerRequest[A]", game: str, failure: str) -> A:
        from cardtable.workers.client import WorkerTimeout  # noqa: PLC0415 - lazy: startup

        try:
            return await self._ask(request, game, failure)
        except WorkerTimeout:
            from cardtable.session.move_limit import format_late  # noqa: PLC0415 - lazy: startup, rarely needed

            raise CardtableError(f"{failure}: {format_late(game, 'answer')}") from None

    async def _ask(self, request: "WorkerRequest[A]", game: str, failure: str) -> A:
        """Return the answer of the worker process, which is ended if a game of another package exceeds the limit.

        Raises ``WorkerTimeout`` then, and ``CardtableError``, beginning with ``failure``, if the worker refuses the
        request or dies twice.
        """
        from cardtable.workers import time_limit  # noqa: PLC0415 - lazy: startup
        from cardtable.workers.client import WorkerError, WorkerTimeout  # noqa: PLC0415 - lazy: startup

        for _ in range(2):  # a lost process is restarted once
            try:
                return await self._worker.ask_once(request, None if game in KEYS else time_limit.LIMIT_SECONDS)
            except WorkerTimeout:
                raise
            except WorkerError as error:
                raise CardtableError(f"{failure}: {error}") from None
            except OSError:
                continue
        raise CardtableError("the robots' process does not answer")

    async def stop(self) -> None:
        """Stop the worker process, even during a computation."""
        await self._worker.stop()


def parse_action(view: View, text: str) -> Action:
    """Return the legal action with this journal text. Raises ``CardtableError`` if there is none."""
    action = find_action(view.legal, text)
    if action is None:
        raise CardtableError(f"the robot chose what is not legal: {text}")
    return action
