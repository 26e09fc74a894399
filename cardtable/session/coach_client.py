"""Client of the coach's process, which judges a decision while the game goes on."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cardtable.session.session_events import CoachedDecision
from cardtable.session.session_runner import SessionRunner
from cardtable.workers.tasks import start_task

if TYPE_CHECKING:  # not imported before the first frame
    from cardtable.records.coach_worker import CoachVerdict
    from cardtable.store.settings import CoachLevel
    from cardtable.workers.client import WorkerProcess


class CoachClient:
    """Task that has the last decision of the player judged, and keeps the verdict until the next decision.

    Nothing ever waits for the verdict. The player's next decision ends the computation, with its process.
    """

    def __init__(self, session: SessionRunner, on_verdict: Callable[[], None]) -> None:
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
            self._worker = WorkerProcess("cardtable.records.coach_worker")
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

    async def _judge(self, decision: CoachedDecision) -> None:
        try:
            verdict = await self._ask(decision)
        except OSError:  # the process has died, or it has refused the request
            return
        if decision is self._decision:
            self._verdict = verdict
            self._on_verdict()

    async def _ask(self, decision: CoachedDecision) -> "CoachVerdict":
        request = await asyncio.to_thread(self._session.create_coach_request, decision)  # imports much at first
        return await self._get_worker().ask_once(request)

    def take_verdict(self, level: "CoachLevel") -> "tuple[CoachedDecision, CoachVerdict] | None":
        """Return the decision and its verdict, once, if there is one to show at this level."""
        decision, verdict, self._verdict = self._decision, self._verdict, None
        if decision is None or verdict is None or decision is not self._session.coached_decision:
            return None
        is_shown = (level == "big" and verdict.is_big) or (level == "all" and verdict.is_clear)
        return (decision, verdict) if is_shown else None

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
