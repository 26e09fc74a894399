"""Tasks of the table that compute in other processes: hints, and the end of a session."""

import asyncio
from contextlib import aclosing, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import View
from cardtable.session.robot_client import RobotClient
from cardtable.store.session_setup import find_deal_day
from cardtable.ui.table.model.view_model import HintState, TableViewModel
from cardtable.ui.toolkit.context import SessionEvaluator
from cardtable.workers.tasks import start_task

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.records.personal_bests import Achievements
    from cardtable.records.review_worker import ReviewJob
    from cardtable.robots.hints import Advice
    from cardtable.wording.session_end import DailyResult


class HintTask:
    """Task that requests the expert's advice for the current view and shows the hint."""

    def __init__(self, view_model: TableViewModel, robot_client: RobotClient) -> None:
        self._view_model, self._robot_client = view_model, robot_client
        self._task: asyncio.Task[None] | None = None
        self._requested_view: View | None = None

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

    def forget_request(self) -> None:
        """Discard requested advice that has not arrived yet; a running request ends without effect."""
        self._requested_view = None

    def stop(self) -> None:
        if self._task:
            self._task.cancel()

    async def _run_requests(self) -> None:
        """Fetch and show advice until the requested view has some; ignore advice for a view that has been replaced."""
        while view := self._find_requested_view():
            advice = await self._fetch_advice(view)
            if self._find_requested_view() is view:
                self._show_hint(HintState(view, advice))

    def _show_hint(self, hint: HintState) -> None:
        if hint.advice.lines:
            self._view_model.cursor.point_at(hint.advice.lines[0].action)
        self._view_model.show(latest_hint=hint)

    def _find_requested_view(self) -> View | None:
        """Return the current view if advice was requested for it and has not arrived, else ``None``."""
        frame = self._view_model.frame
        is_awaited = frame.can_request_hint and frame.view is self._requested_view and frame.advice is None
        return frame.view if is_awaited else None

    async def _fetch_advice(self, view: View) -> "Advice":
        from cardtable.robots.hints import Advice  # noqa: PLC0415 - lazy: startup

        session, frame = self._view_model.session, self._view_model.frame
        request = session.create_hint_request(view, to_another=frame.playback is not None)
        try:
            return await self._robot_client.advise(replace(request, names=tuple(frame.names)))
        except CardtableError as error:
            return Advice(str(error), (), "")


SHOW_INTERVAL: Final = 0.5
"""Minimum number of seconds between two repaints for new pieces of the review."""


class SessionEndTask:
    """Task that runs while the end of a session is shown.

    It compares personal bests; if one person plays, it also reviews their decisions, and in a deal of the day lets
    experts play the rounds first. It continues where it was stopped.
    """

    def __init__(self, view_model: TableViewModel, evaluator: SessionEvaluator) -> None:
        self._playable, self._view_model, self._evaluator = view_model.session, view_model, evaluator
        self._task: asyncio.Task[None] | None = None
        self._achievements: Achievements | None = None
        self._job: ReviewJob | None = None
        self._seconds_per_deal: float | None = None
        self._is_complete = False

    def start(self) -> None:
        """Start or continue the task; no effect before the end of the session, or while it runs or once it is done."""
        if self._view_model.frame.is_over and not self._is_complete and (self._task is None or self._task.done()):
            self._task = start_task(self._run())

    async def stop(self) -> None:
        """Stop the task, after the pieces of the review have been saved."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        local, path = self._playable.local, self._playable.journal_path
        if path is None or not self._playable.people or (local and local.session.save_error):
            return
        self._update_lines()
        with suppress(CardtableError, OSError):  # the screen then lacks some lines
            if self._achievements is None:
                self._achievements = await self._evaluator.find_achievements(path, self._playable.people)
                self._update_lines()
            if len(self._playable.people) == 1:
                await self._review()
        self._is_complete = True

    async def _review(self) -> None:
        from cardtable.records.review import Review  # noqa: PLC0415 - lazy: startup
        from cardtable.records.review_worker import ReviewJob  # noqa: PLC0415 - lazy: startup

        path, seat = self._playable.journal_path, self._playable.people[0]
        assert path is not None
        if self._job is None:
            self._job = await asyncio.to_thread(ReviewJob, path, seat)
        job = self._job
        dealt, shown_at, began = 0, 0.0, 0.0
        deals_first = self._create_daily_result() is not None
        pieces = self._evaluator.complete_review(path, seat, job.review, job.save, deals_first=deals_first)
        async with aclosing(pieces) as coming:
            async for piece in coming:
                if isinstance(piece, Review):
                    dealt, began = len(job.review.dealt), monotonic()
                elif isinstance(piece, tuple):
                    self._seconds_per_deal = (monotonic() - began) / (len(job.review.dealt) - dealt)
                if monotonic() - shown_at > SHOW_INTERVAL:
                    self._update_lines()
                    shown_at = monotonic()
        self._update_lines()

    def _update_lines(self) -> None:
        from cardtable.wording.session_end import build_end_lines  # noqa: PLC0415 - lazy: startup

        game, names, daily = self._playable.game.about.key, self._view_model.frame.names, self._create_daily_result()
        review = (self._job.session, self._job.review) if self._job else None
        lines = build_end_lines(game, names, self._achievements, daily, review, self._seconds_per_deal)
        self._view_model.show(end_lines=lines)

    def _create_daily_result(self) -> "DailyResult | None":
        from cardtable.wording.session_end import create_daily_result  # noqa: PLC0415 - lazy: startup

        frame, game, people = self._view_model.frame, self._playable.game, self._playable.people
        day = find_deal_day(self._playable.header) if len(people) == 1 else None
        if day is None or frame.ranks is None or frame.results is None:
            return None
        place, total = frame.ranks[people[0]], frame.results[people[0]]
        streak = self._achievements.streak if self._achievements else 0
        return create_daily_result(game, day, frame.scores, people[0], game.sides_of(frame.view), place, total, streak)
