"""Why somebody did what he did in a round told again: the expert is asked, while keys go on being answered."""

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
    """Where a step is pointed at, and what is said of it is shown."""

    said: list[str]
    """Why it was done, in sentences, once that was asked."""

    @property
    def round(self) -> RoundReplay:
        """What the step is of."""

    @property
    def step(self) -> Step | None:
        """What somebody decided; ``None`` for what happened by itself."""


class ExplanationTask:
    """Asks about one step at a time: the one that is wanted last."""

    def __init__(self, header: Header, names: Names, thinker: RobotClient, show: Callable[[], None]) -> None:
        self._header, self._names, self._thinker, self._show = header, names, thinker, show
        self._asking: asyncio.Task[None] | None = None
        self._wanted: tuple[ExplanationRequest, Step] | None = None

    def ask(self, about: ExplanationRequest) -> None:
        """Say why it was done what is pointed at, at once or as soon as the expert has answered."""
        step = about.step
        if step is None:
            about.said = [_BY_ITSELF]
        elif review.forced(step):
            about.said = review.no_choice(step, self._names)
        else:
            about.said, self._wanted = [THINKING], (about, step)
            if self._asking is None or self._asking.done():
                self._asking = asyncio.create_task(self._ask())

    def stop(self) -> None:
        """Nothing is to be said any more."""
        if self._asking:
            self._asking.cancel()

    async def _ask(self) -> None:
        """Ask about the step that is wanted; where another one is wanted by then, about that one."""
        while self._wanted and self._waits(*self._wanted):
            about, step = self._wanted
            said = await self._said(about.round, step)
            if self._waits(about, step):
                about.said = said
                self._show()

    def _waits(self, about: ExplanationRequest, step: Step) -> bool:
        """Whether the person still wants to know."""
        return about.said == [THINKING] and about.step is step

    async def _said(self, told: RoundReplay, step: Step) -> list[str]:
        try:
            advice = await self._thinker.advise(review.question(told, step, self._header, self._names))
        except CardtableError as error:
            return [str(error)]
        return review.reasons(step, self._header, self._names, advice)
