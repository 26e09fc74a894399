"""Task that finds what the final screen of a session shows, in processes of their own."""

import asyncio
from contextlib import aclosing, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from cardtable.engine.errors import CardtableError
from cardtable.store.session_setup import find_deal_day
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.toolkit.context import SessionEvaluator
from cardtable.workers.tasks import start_task

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.records.personal_bests import Achievements
    from cardtable.records.review_worker import ReviewJob
    from cardtable.wording.session_end import DailyResult

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
        pieces = self._evaluator.complete_review(
            path, seat, job.review, job.save, deals_first=self._create_daily_result() is not None
        )
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

        end_lines = build_end_lines(
            self._playable.game.about.key,
            self._view_model.frame.names,
            self._achievements,
            self._create_daily_result(),
            (self._job.session, self._job.review) if self._job else None,
            self._seconds_per_deal,
        )
        self._view_model.show(end_lines=end_lines)

    def _create_daily_result(self) -> "DailyResult | None":
        from cardtable.wording.session_end import create_daily_result  # noqa: PLC0415 - lazy: startup

        seen, game, people = self._view_model.frame, self._playable.game, self._playable.people
        day = find_deal_day(self._playable.header) if len(people) == 1 else None
        if day is None or seen.ranks is None or seen.results is None:
            return None
        place, total = seen.ranks[people[0]], seen.results[people[0]]
        streak = self._achievements.streak if self._achievements else 0
        return create_daily_result(game, day, seen.scores, people[0], game.sides_of(seen.view), place, total, streak)
