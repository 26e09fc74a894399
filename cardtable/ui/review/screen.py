"""Review page, where the expert evaluates a player's decisions in a worker process."""

import asyncio
from collections.abc import Hashable
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path

from textual import work
from textual.worker import WorkerError

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.games import GAMES
from cardtable.records.review import Review
from cardtable.records.review_worker import OFTEN, ReviewRequest
from cardtable.session.round_replay import SessionReplay
from cardtable.ui.review import model
from cardtable.ui.review.model import ReviewModel
from cardtable.ui.review.paint import PointAt, paint_list, paint_panel, rows
from cardtable.ui.round_view.continue_dialog import Moment, play_on
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import REVIEW, KeyBinding
from cardtable.ui.toolkit.page import Page, PageScreen, paint_page_header, paint_waiting
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.wording import review
from cardtable.wording.formatting import age, ordinal, signed
from cardtable.workers.client import WorkerProcess

_ON_A_DECISION = ("play", "go_on")
"""Names of the keys that need a decision under the cursor."""


class ReviewPage(Page):
    """Page of a review, which starts the worker process and shows the evaluations as they arrive."""

    ABOUT = "in the review"
    SCOPE = REVIEW

    def __init__(self, context: PageContext, path: Path, seat: Seat | None) -> None:
        super().__init__(context)
        self._path, self._seat = path, seat
        self._child = WorkerProcess("cardtable.records.review_worker")
        self._trouble = ""
        self.model: ReviewModel | None = None

    def on_mount(self) -> None:
        self._review()

    async def on_unmount(self) -> None:
        """Stop the worker process, after the evaluations have been saved."""
        for worker in self.workers.cancel_node(self):
            with suppress(WorkerError):
                await worker.wait()
        await self._child.stop()

    @work(group="review", exclusive=True)
    async def _review(self) -> None:
        try:
            reviewed = await asyncio.to_thread(model.read, self._path, self._seat, self.context.nick)
            reviewed.by_round = self.model.by_round if self.model else False
            self.model = reviewed
            self.repaint()
            with suppress(ChildProcessError):
                await self._add_pieces(reviewed)
        except CardtableError as error:
            self._trouble = str(error)
        except OSError as error:
            self._trouble = f"The review cannot be made: {error.strerror}"
        else:
            self._trouble = "" if reviewed.done else "The review has stopped; open it again to go on."
        self.repaint()

    async def _add_pieces(self, reviewed: ReviewModel) -> None:
        kept = 0
        try:
            async with aclosing(self._child.ask(ReviewRequest(self._path, reviewed.session.seat))) as coming:
                async for piece in coming:
                    reviewed.add(piece)
                    kept = reviewed.review.done if isinstance(piece, Review) else kept
                    if reviewed.review.done >= kept + OFTEN:
                        kept = reviewed.review.done
                        await asyncio.to_thread(reviewed.keep)
                    self.repaint()
        finally:
            if reviewed.review.done > kept:
                await asyncio.to_thread(reviewed.keep)

    def paint_body(self, canvas: Canvas) -> Keys:
        """Paint the list of decisions and, unless the terminal is narrow, the decision under the cursor beside it."""
        reviewed, width = self.model, canvas.width
        if reviewed is None:
            return paint_waiting(canvas, "Review", self._trouble)
        left = width if width < _TWO else 66 if width >= _WIDE else 42
        if left < width:
            paint_panel(canvas, reviewed, left)
        paint_list(canvas, reviewed, left)
        title = GAMES[reviewed.header.game].about.title
        paint_page_header(
            canvas, "Review", title, self._right(reviewed), [self._when(reviewed), self._result(reviewed)]
        )
        return [
            ("up down", "decision"),
            *([("play", "replay"), ("go_on", "play on there")] if reviewed.lines else []),
            ("by_round", "by cost" if reviewed.by_round else "by round"),
            *([("next_field", "whose")] if len(reviewed.seats) > 1 else []),
            ("leave", "back"),
        ]

    def _when(self, reviewed: ReviewModel) -> str:
        return age(datetime.fromtimestamp(reviewed.when, UTC), datetime.now(UTC).astimezone())

    def _result(self, reviewed: ReviewModel) -> str:
        return f"{ordinal(reviewed.place) if reviewed.place else 'given up'} with {signed(reviewed.total)}"

    def _right(self, reviewed: ReviewModel) -> str:
        same = reviewed.same
        if reviewed.done and same:
            return review.per_round_text(same)
        return self._trouble or (
            "" if reviewed.done else f"{100 * reviewed.review.done // max(reviewed.session.steps, 1)} % done"
        )

    def is_enabled(self, key: KeyBinding) -> bool:
        if key.name in ("next_field", "field_before"):
            return self.model is not None and len(self.model.seats) > 1
        return key.name not in _ON_A_DECISION or (self.model is not None and self.model.current is not None)

    def action_move(self, by: int) -> None:
        if self.model:
            self.model.point(self.model.row + by)
            self.repaint()

    def action_end(self, end: int) -> None:
        """Move the cursor to the first (0) or the last (-1) decision."""
        if self.model:
            self.model.point(len(self.model.lines) - 1 if end else 0)
            self.repaint()

    def action_page(self, by: int) -> None:
        self.action_move(by * max(rows(self.canvas) - 1, 1))

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
            self._review()

    def action_replay(self) -> None:
        """Replay the session from the decision under the cursor."""
        self._replay()

    @work(group="replay", exclusive=True)
    async def _replay(self) -> None:
        reviewed = self.model
        if reviewed is None or reviewed.current is None:
            return
        number, decisions = reviewed.current.decision.round, reviewed.current.decision.decisions
        try:
            again = await asyncio.to_thread(SessionReplay, self._path)
        except CardtableError as error:  # the file may have been removed
            self.app.notify(error.whole, markup=False, severity="error")
            return
        replay = await asyncio.to_thread(again.round, number)
        steps = [i for i, step in enumerate(replay.steps) if step.seat is not None and step.decisions == decisions]
        as_it_was_seen = "", False, reviewed.session.seat
        self.show("replay", self._path, number, steps[0] if steps else None, *as_it_was_seen)

    def action_go_on(self) -> None:
        """Start a new session before the decision under the cursor, after a confirmation."""
        if self.model is None or self.model.current is None:
            return
        reviewed, decision = self.model, self.model.current.decision
        when = f"before this decision of round {decision.round}"
        place = "your own place" if reviewed.me else f"the place of {reviewed.who}"
        moment = Moment(self._path, reviewed.header, decision.line - 1, when, reviewed.session.seat, place)
        play_on(self, self.context, "Play on there", moment)

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked line; open the replay if it is already there."""
        if not isinstance(target, PointAt) or self.model is None:
            return
        if target.row == self.model.row:
            self.action_replay()
        else:
            self.model.point(target.row)
            self.repaint()

    def wheel(self, step: int, _x: int) -> None:
        self.action_move(step)


_TWO = 80
"""Minimum width of a terminal, in columns, in which the decision under the cursor has a panel."""
_WIDE = 110
"""Minimum width of a terminal, in columns, in which list and panel have their full width."""


def screen(context: PageContext, path: Path, seat: Seat | None = None) -> PageScreen:
    """Return the review page of a journal for ``seat``; with ``None``, for the current player's seat."""
    return PageScreen(ReviewPage(context, path, seat))
