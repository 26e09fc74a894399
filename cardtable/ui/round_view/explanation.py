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

THINKING: Final = "The expert thinks it over ..."
_BY_ITSELF: Final = "Nobody chose that: it happened by itself."


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

    def __init__(self, header: Header, names: Names, robot_client: RobotClient, show: Callable[[], None]) -> None:
        self._header, self._names, self._thinker, self._show = header, names, robot_client, show
        self._asking: asyncio.Task[None] | None = None
        self._wanted: tuple[ExplanationRequest, Step] | None = None

    def ask(self, about: ExplanationRequest) -> None:
        """Store the explanation of the selected step in ``request``.

        For a forced or automatic step this happens at once, otherwise as soon as the expert has answered.
        """
        step = about.step
        if step is None:
            about.explanation = [_BY_ITSELF]
        elif review.is_forced(step):
            about.explanation = review.no_choice(step, self._names)
        else:
            about.explanation, self._wanted = [THINKING], (about, step)
            if self._asking is None or self._asking.done():
                self._asking = asyncio.create_task(self._ask())

    def stop(self) -> None:
        """Cancel the pending request."""
        if self._asking:
            self._asking.cancel()

    async def _ask(self) -> None:
        """Ask the expert until the request that was made last is answered or withdrawn."""
        while self._wanted and self._waits(*self._wanted):
            about, step = self._wanted
            said = await self._explain(about.round, step)
            if self._waits(about, step):
                about.explanation = said
                self._show()

    def _waits(self, about: ExplanationRequest, step: Step) -> bool:
        """Return True if the player still waits for the explanation of this step."""
        return about.explanation == [THINKING] and about.step is step

    async def _explain(self, replay: RoundReplay, step: Step) -> list[str]:
        try:
            advice = await self._thinker.advise(review.hint_request(replay, step, self._header, self._names))
        except CardtableError as error:
            return [str(error)]
        return review.reasons(step, self._header, self._names, advice)
