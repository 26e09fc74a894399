"""Clients of the worker processes of the robots and of the coach, which compute while this process handles input."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Action, View, find_action
from cardtable.engine.journal import replace_occupants
from cardtable.games import KEYS, format_plugin_name
from cardtable.session.session_events import RobotChoice
from cardtable.store.club_tokens import LOCK_RETRY_SECONDS, try_thinking_lock
from cardtable.store.seating import DEFAULT_LEVEL
from cardtable.workers.tasks import start_task

if TYPE_CHECKING:  # not imported before the first frame
    from cardtable.records.review import CoachRequest, CoachVerdict
    from cardtable.robots.hints import Advice
    from cardtable.robots.worker import ChooseRequest, HintRequest
    from cardtable.session.session_events import CoachedDecision
    from cardtable.session.session_runner import SessionRunner
    from cardtable.store.settings import CoachLevel
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


class NoAnswer(CardtableError):
    """Code of another package gives no answer; the message names the package."""


class RobotClient:
    """Client that asks the worker process for decisions of robots and for hints, one request at a time."""

    def __init__(self) -> None:
        self._failed: set[tuple[str, int, str]] = set()
        """Robots that have failed, by game, seed of the session and level; they are not asked again."""

    @cached_property
    def _worker(self) -> "WorkerProcess":
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - lazy: startup

        return WorkerProcess("cardtable.robots.worker")

    async def start(self) -> None:
        """Start the worker process in advance. A failure is ignored here; the first request reports it."""
        with suppress(OSError):
            await self._worker.start()

    async def choose(self, request: "ChooseRequest") -> RobotChoice:
        """Return the choice of the robot that sees ``request.view``.

        If a robot of another package fails, one of the default level chooses in its place, and if that fails, too, a
        legal action is chosen at random. Raises ``CardtableError`` if one of a built-in game fails.
        """
        if request.game in KEYS:
            return RobotChoice(await self._choose(request))
        worlds = await self._measure(request)
        if worlds is not None:
            request = replace(request, worlds=worlds)
        notice = ""
        for level in dict.fromkeys((request.level, DEFAULT_LEVEL)):
            robot = (request.game, request.seed, level)
            if robot in self._failed:
                continue
            try:
                action = await self._choose(replace(request, level=level))
            except CardtableError as error:
                self._failed.add(robot)
                notice = notice or str(error)
            else:
                return RobotChoice(action, worlds, notice and f"{notice}; a robot of level {level} has chosen")
        stand_in = Random(f"stand-in {request.seed} {request.decisions}").choice(request.view.legal)
        return RobotChoice(stand_in, worlds, notice and f"{notice}; a legal move was chosen at random")

    async def _measure(self, request: "ChooseRequest") -> int | None:
        """Return the number of worlds in which robots of the session are to search; ``None`` if it is known.

        It is 1 if the measurement gets no answer, and ``None`` if it fails, since a robot that searches tells why.
        """
        if request.worlds is not None or len(request.view.legal) == 1:
            return None
        from cardtable.robots.worker import MeasureRequest  # noqa: PLC0415 - lazy: startup

        try:
            return await self._ask(MeasureRequest(request.game, request.view, request.seed), request.game, "")
        except NoAnswer:
            return 1
        except CardtableError:
            return None

    async def _choose(self, request: "ChooseRequest") -> Action:
        return parse_action(request.view, await self._ask(request, request.game, "the robot cannot choose: "))

    async def advise(self, request: "HintRequest") -> "Advice":
        """Return a hint for the person who sees ``request.view``.

        Raises ``CardtableError`` if the worker refuses the request, dies twice, or exceeds the time limit.
        """
        failure = "there is no advice: "
        async with hold_thinking_lock():
            try:
                return await self._ask(request, request.game, failure)
            except NoAnswer as error:
                raise CardtableError(f"{failure}{error}") from None

    async def _ask(self, request: "WorkerRequest[A]", game: str, failure: str) -> A:
        """Return the answer of the worker process.

        Raises ``NoAnswer`` if a game of another package exceeds the time limit or ends the process twice, and
        ``CardtableError``, beginning with ``failure``, if the worker refuses the request.
        """
        from cardtable.workers import time_limit  # noqa: PLC0415 - lazy: startup
        from cardtable.workers.client import WorkerError, WorkerTimeout  # noqa: PLC0415 - lazy: startup

        limit_seconds = None if game in KEYS else time_limit.ELAPSED_FACTOR * time_limit.LIMIT_SECONDS
        for _ in range(2):  # a lost process is restarted once
            try:
                return await self._worker.ask_once(request, limit_seconds)
            except WorkerTimeout:
                seconds = time_limit.LIMIT_SECONDS
                raise NoAnswer(f"{format_plugin_name(game)} gave no answer within {seconds:g} seconds") from None
            except WorkerError as error:
                raise CardtableError(f"{failure}{error}") from None
            except OSError:
                continue
        if game in KEYS:
            raise CardtableError("the robots' process does not answer")
        raise NoAnswer(f"{format_plugin_name(game)} has ended the robots' process")

    async def stop(self) -> None:
        """Stop the worker process, even during a computation."""
        await self._worker.stop()


def parse_action(view: View, text: str) -> Action:
    """Return the legal action with this journal text. Raises ``CardtableError`` if there is none."""
    action = find_action(view.legal, text)
    if action is None:
        raise CardtableError(f"the robot chose what is not legal: {text}")
    return action


class CoachClient:
    """Task that has the last decision of the player judged, and keeps the verdict until the next decision.

    Nothing ever waits for the verdict. The player's next decision ends the computation, with its process.
    """

    def __init__(self, session: "SessionRunner", on_verdict: Callable[[], None]) -> None:
        """``on_verdict`` is called in the event loop when a verdict has arrived."""
        self._session, self._on_verdict = session, on_verdict
        self._decision: CoachedDecision | None = None
        self._verdict: CoachVerdict | None = None
        self._task: asyncio.Task[None] | None = None
        self._worker: WorkerProcess | None = None

    def prepare(self) -> None:
        """Start the process in advance, so that it is ready for the next decision."""
        if self._task is None or self._task.done():
            self._task = start_task(self._start())

    async def _start(self) -> None:
        with suppress(OSError):  # the request of the next decision will try again
            await self._get_worker().start()

    def _get_worker(self) -> "WorkerProcess":
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - lazy: startup

        if self._worker is None:
            self._worker = WorkerProcess("cardtable.records.review")
        return self._worker

    def follow_session(self) -> None:
        """Have the session's last decision judged, unless it is the one that was judged before."""
        decision = self._session.coached_decision
        if decision is self._decision:
            return
        self.cancel()
        self._decision = decision
        if decision is not None:
            self._task = start_task(self._judge(decision))

    async def _judge(self, decision: "CoachedDecision") -> None:
        try:
            verdict = await self._ask(decision)
        except OSError:  # the process has died, or it has refused the request
            return
        if decision is self._decision:
            self._verdict = verdict
            self._on_verdict()

    async def _ask(self, decision: "CoachedDecision") -> "CoachVerdict":
        request = await asyncio.to_thread(self._create_request, decision)  # imports much at first
        return await self._get_worker().ask_once(request)

    def _create_request(self, decision: "CoachedDecision") -> "CoachRequest":
        from cardtable.records import review  # noqa: PLC0415 - lazy: startup

        session, referee = self._session, self._session.referee
        past = review.PastDecision(decision.view.round, 0, decision.decisions, decision.view, decision.action)
        names = [seat.name for seat in replace_occupants(session.header, referee.occupants.changed).seats]
        return review.CoachRequest(session.game.about.key, referee.seed, past, referee.worlds, names)

    def take_verdict(self, level: "CoachLevel") -> "CoachVerdict | None":
        """Return the verdict on the last decision, once, if there is one to show at this level."""
        verdict, self._verdict = self._verdict, None
        if verdict is None or self._decision is not self._session.coached_decision:
            return None
        is_shown = (level == "big" and verdict.is_big) or (level == "all" and verdict.is_clear)
        return verdict if is_shown else None

    def explain_undo_refusal(self, choices: int) -> str | None:
        """Return the reason why ``take_back(choices)`` does not undo the decision that was judged, as text.

        ``None`` if it does.
        """
        session, decision = self._session, self._decision
        if session.referee.turn == OVER:
            return "the session is over"
        if not (number := session.compute_undo_distance(choices)):
            return session.explain_undo_refusal(choices)
        is_last = decision is not None and session.referee.decisions - number == decision.decisions
        return None if is_last else "you have played another card since"

    def cancel(self) -> None:
        """End the computation, and drop the verdict."""
        self._decision = self._verdict = None
        if self._task and not self._task.done():
            self._task.cancel()

    async def stop(self) -> None:
        """End the computation and the process."""
        self.cancel()
        if self._worker is not None:
            await self._worker.stop()
