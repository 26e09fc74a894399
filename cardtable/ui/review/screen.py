"""Review page, where the expert evaluates a player's decisions in a worker process."""

import asyncio
from collections.abc import Hashable
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path

from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.games import GAMES
from cardtable.session.round_replay import SessionReplay
from cardtable.ui.keys.bindings import REVIEW, FooterKeys
from cardtable.ui.review.model import (
    PANEL_COLUMNS,
    PointAt,
    ReviewModel,
    count_list_rows,
    load_review,
    paint_list,
    paint_panel,
)
from cardtable.ui.toolkit.context import ForkPosition, PageContext, SessionEvaluator, fork_session
from cardtable.ui.toolkit.page import Page, PageScreen, paint_loading, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.wording import review
from cardtable.wording.formatting import format_elapsed, format_number, format_ordinal, get_local_time


class ReviewPage(Page):
    """Page of a review, which starts the worker process and shows the evaluations as they arrive."""

    SCOPE = REVIEW

    def __init__(self, context: PageContext, path: Path, seat: Seat | None, selected: int | None) -> None:
        super().__init__(context)
        self._path, self._seat, self._selected = path, seat, selected
        self._evaluator = SessionEvaluator()
        self.error: str | None = None
        """Reason why there is no review, or why it has stopped."""
        self.model: ReviewModel | None = None

    def on_mount(self) -> None:
        self._run_review()

    async def on_unmount(self) -> None:
        """Stop the worker process, after the evaluations have been saved."""
        await self.stop_workers()
        await self._evaluator.stop()

    @work(group="review", exclusive=True)
    async def _run_review(self) -> None:
        try:
            model = await asyncio.to_thread(load_review, self._path, self._seat, self.context.nick)
            model.by_round = self.model.by_round if self.model else False
            model.selected, self._selected = self._selected, None
            self.model = model
            self.repaint()
            with suppress(ChildProcessError):
                pieces = self._evaluator.complete_review(self._path, model.session.seat, model.review, model.save)
                async with aclosing(pieces):
                    async for _ in pieces:
                        self.repaint()
        except CardtableError as error:
            self.error = str(error)
        except OSError as error:
            self.error = f"The review failed: {error.strerror}"
        else:
            self.error = None if model.is_complete else "The review has stopped; open it again to continue."
        self.repaint()

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        """Paint the list of decisions and, unless the terminal is narrow, the decision under the cursor beside it."""
        model, width = self.model, canvas.width
        if model is None:
            return paint_loading(canvas, "Review", self.error)
        about = GAMES[model.header.game].about
        canvas.faces = about.faces
        left = width if width < PANEL_COLUMNS else 66 if width >= _WIDE_COLUMNS else 42
        if left < width:
            paint_panel(canvas, model, left)
        paint_list(canvas, model, left)
        age = format_elapsed(datetime.fromtimestamp(model.last_play, UTC), get_local_time())
        rank = format_ordinal(model.rank) if model.rank else "abandoned"
        facts = [age, f"{rank} with {format_number(model.total)}"]
        paint_page_header(canvas, "Review", about.title, self._format_header_right(model), facts)
        return {**self.SCOPE.footer, "by_round": "by cost" if model.by_round else "by round"}

    def _format_header_right(self, model: ReviewModel) -> str:
        same = model.duplicate_result
        if model.is_complete:
            return review.format_per_round(same) if same else self.error or ""
        return self.error or f"{100 * model.review.done_count // max(model.session.step_count, 1)}% done"

    @property
    def has_several_seats(self) -> bool:
        return self.model is not None and len(self.model.seats) > 1

    def action_move(self, by: int) -> None:
        if self.model:
            self.model.move_to_row(self.model.cursor_row + by)
            self.repaint()

    def action_end(self, end: int) -> None:
        """Move the cursor to the first (0) or the last (-1) decision."""
        if self.model:
            self.model.move_to_row(len(self.model.lines) - 1 if end else 0)
            self.repaint()

    def action_page(self, by: int) -> None:
        self.action_move(by * max(count_list_rows(self.canvas) - 1, 1))

    def action_by_round(self) -> None:
        """Sort the decisions by round, or back by cost."""
        if self.model:
            self.model.by_round = not self.model.by_round
            self.repaint()

    def action_whose(self, step: int) -> None:
        """Review the next (1) or previous (-1) player of the session."""
        if self.model:
            seats = self.model.seats
            self._seat = seats[(seats.index(self.model.session.seat) + step) % len(seats)]
            self._run_review()

    def action_replay(self) -> None:
        self._open_replay()

    @work(group="replay", exclusive=True)
    async def _open_replay(self) -> None:
        model = self.model
        if model is None or model.current is None:
            return
        number, decisions = model.current.decision.round, model.current.decision.decisions
        try:
            session = await asyncio.to_thread(SessionReplay, self._path)
        except CardtableError as error:  # the file may have been removed
            self.app.notify(error.full_message, markup=False, severity="error")
            return
        replay = await asyncio.to_thread(session.get_round, number)
        steps = [i for i, step in enumerate(replay.steps) if step.seat is not None and step.decisions == decisions]
        viewer, as_open = "", False
        self.show("replay", self._path, number, steps[0] if steps else None, viewer, as_open, model.session.seat)

    async def action_go_on(self) -> None:
        """Start a new session before the decision under the cursor, after a confirmation."""
        if self.model is None or self.model.current is None:
            return
        model, decision = self.model, self.model.current.decision
        when = f"before this decision of round {decision.round}"
        owner = "your own seat" if model.is_current_player else f"{model.player_name}'s seat"
        position = ForkPosition(self._path, model.header, decision.line - 1, when, model.session.seat, owner)
        await fork_session(self.context, position)

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked line; open the replay if it is already there."""
        if not isinstance(target, PointAt) or self.model is None:
            return
        if target.row == self.model.cursor_row:
            self.action_replay()
        else:
            self.model.move_to_row(target.row)
            self.repaint()

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_move(step)


_WIDE_COLUMNS = 110
"""Minimum width of a terminal, in columns, in which list and panel have their full width."""


def create_screen(
    context: PageContext, path: Path, seat: Seat | None = None, selected: int | None = None
) -> PageScreen:
    """Return the review page of a journal for ``seat``; with ``None``, for the current player's seat.

    The cursor is on the decision ``selected``, numbered as in ``PastDecision.decisions``, by default on the first one.
    """
    return PageScreen(ReviewPage(context, path, seat, selected))
