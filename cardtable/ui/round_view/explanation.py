"""Explanations of decisions in a finished round: the expert is asked in the background while keys stay responsive."""

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
    """A page that has a selected step and shows its explanation."""

    explanation: list[str]
    """Sentences of the explanation; empty until the player asks for one."""

    @property
    def round(self) -> RoundReplay:
        """Round of the step."""

    @property
    def step(self) -> Step | None:
        """Selected decision; None for an automatic step."""


class ExplanationTask:
    """Requests one explanation at a time: always for the step selected last."""

    def __init__(self, header: Header, names: Names, robot_client: RobotClient, show: Callable[[], None]) -> None:
        self._header, self._names, self._thinker, self._show = header, names, robot_client, show
        self._asking: asyncio.Task[None] | None = None
        self._wanted: tuple[ExplanationRequest, Step] | None = None

    def ask(self, about: ExplanationRequest) -> None:
        """Set the explanation of the selected step, at once or as soon as the expert has answered."""
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
        """Request explanations until the step selected last has one."""
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
