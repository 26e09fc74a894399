"""Requests for hints at the table, and for the deals behind them."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import View
from cardtable.session.robot_client import RobotClient
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.model.view_state import HintState
from cardtable.workers.tasks import start_task

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.robots.hints import Advice


class HintTask:
    """Task that requests the expert's advice for the current view and shows the hint."""

    def __init__(self, view_model: TableViewModel, robot_client: RobotClient) -> None:
        self._view_model, self._robot_client = view_model, robot_client
        self._task: asyncio.Task[None] | None = None
        self._requested_view: View | None = None
        self._sample_task: asyncio.Task[None] | None = None

    def request_hint(self) -> None:
        """Show a hint for the current view and move the cursor to the recommended action.

        Known advice is shown at once. Otherwise it is requested in a task, once for each view. The call has no effect
        if no hint can be given now.
        """
        frame = self._view_model.frame
        if frame.hint and frame.hint.advice.lines:
            self._show_hint(replace(frame.hint, row=0))
            return
        if frame.hint:  # the last request returned no advice: repeat it
            self._view_model.update(latest_hint=None)
        if frame.can_request_hint:
            self._requested_view = frame.view
            if self._task is None or self._task.done():
                self._task = start_task(self._run_requests())

    def move_selection(self, step: int) -> None:
        """Select the choice above (-1) or below (1) the selected one."""
        if hint := self._view_model.frame.hint:
            self.select_row(hint.row + step)

    def select_row(self, row: int) -> None:
        """Select the choice with this index in the advice, or the nearest one, and move the cursor to its action."""
        hint = self._view_model.frame.hint
        if hint and hint.advice.lines:
            row = max(0, min(row, len(hint.advice.lines) - 1))
            self._view_model.update(latest_hint=replace(hint, row=row))
            self._view_model.cursor.point_at(hint.advice.lines[row].action)
            self._view_model.cursor.register_move()

    def request_deal_sample(self) -> None:
        """Fetch, in a task, the sample of deals for the advice that is shown, unless it is known; then show it."""
        hint = self._view_model.frame.hint
        if hint and hint.deal_sample is None and (self._sample_task is None or self._sample_task.done()):
            self._sample_task = start_task(self._fetch_deal_sample(hint.view, hint.advice))

    async def _fetch_deal_sample(self, view: View, advice: "Advice") -> None:
        from cardtable.robots.worker import DealSampleRequest  # noqa: PLC0415 - lazy: startup

        with suppress(CardtableError):  # the advice has come from the same process, which has died since
            question = self._view_model.session.create_hint_request(view)
            request = DealSampleRequest(question, tuple([line.action for line in advice.lines]))
            sample = await self._robot_client.sample_deals(request)
            latest = self._view_model.frame.latest_hint
            if latest and latest.advice is advice:
                self._view_model.show(latest_hint=replace(latest, deal_sample=sample))

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
                self._show_hint(HintState(view, advice))

    def _show_hint(self, hint: HintState) -> None:
        """Show a hint for the current view, and move the cursor to the recommended action."""
        if hint.advice.lines:
            self._view_model.cursor.point_at(hint.advice.lines[0].action)
        self._view_model.show(latest_hint=hint)

    def _find_requested_view(self) -> View | None:
        """Return the current view if advice was requested for it and has not arrived, else ``None``."""
        frame = self._view_model.frame
        return (
            frame.view
            if frame.can_request_hint and frame.view is self._requested_view and frame.advice is None
            else None
        )

    async def _fetch_advice(self, view: View) -> "Advice":
        from cardtable.robots.hints import Advice  # noqa: PLC0415 - lazy: startup

        session, is_watching = self._view_model.session, self._view_model.frame.playback is not None
        try:
            return await self._robot_client.advise(session.create_hint_request(view, to_another=is_watching))
        except CardtableError as error:
            return Advice(str(error), (), "")
