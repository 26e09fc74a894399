"""Explanations of decisions in a finished round, which the expert computes in the background."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header
from cardtable.session.robot_client import RobotClient
from cardtable.session.round_replay import RoundReplay, Step
from cardtable.wording import review
from cardtable.wording.players import Names
from cardtable.workers.tasks import start_task

THINKING: Final = "The expert is thinking ..."
_AUTOMATIC: Final = "That was automatic – nobody chose it."


class ExplanationRequest(Protocol):
    """Page with a selected step, on which the explanation of the step is shown."""

    explanation: list[str]
    """Sentences of the explanation; empty if the player has not asked for one."""

    @property
    def round(self) -> RoundReplay:
        """Round that contains the selected step."""

    @property
    def step(self) -> Step | None:
        """Selected decision; ``None`` if the selected step is automatic."""


class ExplanationTask:
    """Background task that explains decisions one at a time; a new request replaces one that waits.

    ``on_explained`` is called after an explanation that took time has been stored in its request.
    """

    def __init__(
        self, header: Header, names: Names, robot_client: RobotClient, on_explained: Callable[[], None]
    ) -> None:
        self._header, self._names, self._robot_client, self._on_explained = header, names, robot_client, on_explained
        self._task: asyncio.Task[None] | None = None
        self._last_request: tuple[ExplanationRequest, Step] | None = None

    def ask(self, request: ExplanationRequest) -> None:
        """Store the explanation of the selected step in ``request``.

        For a forced or automatic step this happens at once, otherwise as soon as the expert has answered.
        """
        step = request.step
        if step is None:
            request.explanation = [_AUTOMATIC]
        elif review.is_forced(step):
            request.explanation = review.explain_forced_step(step, self._names)
        else:
            request.explanation, self._last_request = [THINKING], (request, step)
            if self._task is None or self._task.done():
                self._task = start_task(self._answer_requests())

    def stop(self) -> None:
        """Cancel the pending request."""
        if self._task:
            self._task.cancel()

    async def _answer_requests(self) -> None:
        """Ask the expert until the request that was made last is answered or withdrawn."""
        while self._last_request and self._is_awaited(*self._last_request):
            request, step = self._last_request
            explanation = await self._explain(request.round, step)
            if self._is_awaited(request, step):
                request.explanation = explanation
                self._on_explained()

    def _is_awaited(self, request: ExplanationRequest, step: Step) -> bool:
        """Return True if the player still waits for the explanation of this step."""
        return request.explanation == [THINKING] and request.step is step

    async def _explain(self, replay: RoundReplay, step: Step) -> list[str]:
        try:
            advice = await self._robot_client.advise(
                review.create_hint_request(replay, step, self._header, self._names)
            )
        except CardtableError as error:
            return [str(error)]
        return review.explain_decision(step, self._header, self._names, advice)
