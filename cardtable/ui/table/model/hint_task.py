"""Requests for hints at the table, and for the deals behind them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import View
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_protocol import PlayableSession
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.workers.tasks import start_task

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.robots.hints import Advice


class HintTask:
    """Task that requests the expert's advice for the current view and shows the hint."""

    def __init__(
        self,
        session: PlayableSession,
        view_model: TableViewModel,
        cursor: Cursor,
        robot_client: RobotClient,
        show: Callable[[], None],
    ) -> None:
        self._playable, self._view_model, self._cursor, self._robot_client, self.show = (
            session,
            view_model,
            cursor,
            robot_client,
            show,
        )
        self._task: asyncio.Task[None] | None = None
        self._requested_view: View | None = None
        self._sample_task: asyncio.Task[None] | None = None

    def request_hint(self) -> None:
        """Show a hint for the current view and move the cursor to the recommended action.

        Known advice is shown at once. Otherwise it is requested in a task, once for each view. The call has no effect
        if no hint can be given now.
        """
        frame = self._view_model.build_frame()
        if frame.advice and not frame.advice.lines:  # the last request returned no advice: repeat it
            self._view_model.forget_advice()
            frame = self._view_model.build_frame()
        if frame.advice:
            self._view_model.hint_row = 0
            self._point_at_best(frame.advice)
            self.show()
        elif frame.can_request_hint:
            self._requested_view = frame.view
            if self._task is None or self._task.done():
                self._task = start_task(self._run_requests())

    def select_row(self, row: int) -> None:
        """Select the choice with this index in the advice, or the nearest one, and move the cursor to its action."""
        advice = self._view_model.build_frame().advice
        if advice and advice.lines:
            self._view_model.hint_row = max(0, min(row, len(advice.lines) - 1))
            self._cursor.point_at(advice.lines[self._view_model.hint_row].action)
            self._cursor.register_move()

    def move_selection(self, step: int) -> None:
        """Select the choice above (-1) or below (1) the selected one."""
        self.select_row(self._view_model.hint_row + step)

    def request_deal_sample(self) -> None:
        """Fetch, in a task, the sample of deals for the advice that is shown, unless it is known; then show it."""
        frame = self._view_model.build_frame()
        if frame.advice and frame.deal_sample is None and (self._sample_task is None or self._sample_task.done()):
            self._sample_task = start_task(self._fetch_deal_sample(frame.view, frame.advice))

    async def _fetch_deal_sample(self, view: View, advice: "Advice") -> None:
        from cardtable.robots.worker import DealSampleRequest  # noqa: PLC0415 - lazy: startup

        with suppress(CardtableError):  # the advice has come from the same process, which has died since
            hint = self._playable.create_hint_request(view)
            request = DealSampleRequest(hint, tuple([line.action for line in advice.lines]))
            self._view_model.store_deal_sample(advice, await self._robot_client.sample_deals(request))
            self.show()

    def forget_request(self) -> None:
        """Discard requested advice that has not arrived yet; a running request ends without effect."""
        self._requested_view = None

    def stop(self) -> None:
        for task in filter(None, (self._task, self._sample_task)):
            task.cancel()

    async def _run_requests(self) -> None:
        """Fetch and show advice until the requested view has some; ignore advice for a view that has been replaced."""
        while view := self._find_requested_view():
            advice = await self._fetch_advice(view)
            if self._find_requested_view() is view:
                self._view_model.store_advice(view, advice)
                self._point_at_best(advice)
                self.show()

    def _point_at_best(self, advice: "Advice") -> None:
        if advice.lines:
            self._cursor.point_at(advice.lines[0].action)

    def _find_requested_view(self) -> View | None:
        """Return the current view if advice was requested for it and has not arrived, else ``None``."""
        frame = self._view_model.build_frame()
        return (
            frame.view
            if frame.can_request_hint and frame.view is self._requested_view and frame.advice is None
            else None
        )

    async def _fetch_advice(self, view: View) -> "Advice":
        from cardtable.robots.hints import Advice  # noqa: PLC0415 - lazy: startup

        try:
            for_another = self._view_model.pacing.playback is not None
            return await self._robot_client.advise(self._playable.create_hint_request(view, to_another=for_another))
        except CardtableError as error:
            return Advice(str(error), (), "")
