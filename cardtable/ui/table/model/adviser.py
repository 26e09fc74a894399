"""Hints: asked of the expert while keys go on being answered."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from cardtable.engine.contract import View
from cardtable.engine.errors import CardtableError
from cardtable.play.sitting import Sitting
from cardtable.play.thinker import Thinker
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.showing import Showing

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots.coach import Advice


class Adviser:
    """Has the expert's advice shown, asked once for a place."""

    def __init__(
        self, run: Sitting, showing: Showing, cursor: Cursor, thinker: Thinker, show: Callable[[], None]
    ) -> None:
        self._run, self._showing, self._cursor, self._thinker, self._show = run, showing, cursor, thinker, show
        self._advising: asyncio.Task[None] | None = None
        self._wanted: View | None = None

    def advise(self) -> None:
        """Point at what the expert would do; of no effect while nobody is to act who could be advised."""
        frame = self._showing.frame()
        if frame.advice and not frame.advice.lines:  # there was none: ask again
            self._showing.forget_advice()
            frame = self._showing.frame()
        if frame.advice:
            self._point_at_best(frame.advice)
            self._show()
        elif frame.advisable:
            self._wanted = frame.view
            if self._advising is None or self._advising.done():
                self._advising = asyncio.create_task(self._advise())

    def forget(self) -> None:
        """Drop the advice that was asked for and is still to come: its hint is no longer shown."""
        self._wanted = None

    def stop(self) -> None:
        """No advice is wanted any more."""
        if self._advising:
            self._advising.cancel()

    async def _advise(self) -> None:
        """Show the advice, if it is still wanted; where play has gone on and it was asked for again, the new one."""
        while view := self._unadvised():
            advice = await self._advice(view)
            if self._unadvised() is view:
                self._showing.advise(view, advice)
                self._point_at_best(advice)
                self._show()

    def _point_at_best(self, advice: "Advice") -> None:
        if advice.lines:
            self._cursor.point_at(advice.lines[0].action)

    def _unadvised(self) -> View | None:
        """The view in which advice is wanted that is not there yet."""
        frame = self._showing.frame()
        return frame.view if frame.advisable and frame.view is self._wanted and frame.advice is None else None

    async def _advice(self, view: View) -> "Advice":
        from cardtable.robots.coach import Advice  # noqa: PLC0415 - seldom asked for

        try:
            watched = self._showing.pacing.watch is not None
            return await self._thinker.advise(self._run.question(view, to_another=watched))
        except CardtableError as error:
            return Advice(str(error), (), "")
