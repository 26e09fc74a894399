"""Overlay with the last deal: the previous round with all hands open, and explanations of its decisions."""

import asyncio
from collections.abc import Callable

from cardtable.session.round_replay import RoundReplay, Step, replay_round
from cardtable.ui.keys.table_keys import LAST_DEAL
from cardtable.ui.round_view.playhead import RoundCursor, RowSnapshot
from cardtable.ui.round_view.round_list import ExplanationTask, PointLine, paint_finished
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.table_widget import Overlay
from cardtable.ui.toolkit.page import paint_footer
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN


class LastDeal(Overlay):
    """Finished round with a cursor on its decisions; only its own key bindings close it."""

    hides_table = True
    scope = LAST_DEAL

    def __init__(
        self, replay: RoundReplay, request_explanation: "Callable[[LastDeal], None]", *, can_replay: bool = True
    ) -> None:
        """``request_explanation`` is called to explain the decision under the cursor.

        ``can_replay`` enables the key that opens the replay.
        """
        self.can_replay: bool = can_replay
        self.cursor, self._request_explanation = RoundCursor(replay), request_explanation
        self.explanation: list[str] = []
        """Explanation of the decision under the cursor, one string per line; empty unless requested."""

    @property
    def round(self) -> RoundReplay:
        return self.cursor.round

    @property
    def step(self) -> Step | None:
        return self.cursor.step

    def is_closed_by(self, _name: str) -> bool:
        return False

    @property
    def can_explain(self) -> bool:
        return self.cursor.seat is not None

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        paint_finished(canvas, RowSnapshot(self.cursor, frame.names, frame.seat), self.explanation)
        several = any(len(row.cards or row.steps) > 1 for row in self.cursor.round.rows)
        keys = {
            **self.scope.footer,
            "up down": "trick" if self.cursor.round.has_tricks else "turn",
            "left right": "card" if several else "",
            "play": "replay from here" if canvas.width >= 80 else "replay",
        }
        paint_footer(canvas, self.scope.filter_footer(keys, self), MARGIN, frame.banner)

    def scroll(self, rows: int) -> bool:
        self.action_move(1 if rows > 0 else -1)
        return True

    def action_move(self, rows: int) -> None:
        self.cursor.move_rows(rows)
        self.explanation = []

    def action_along(self, step: int) -> None:
        """Move the cursor to the previous (-1) or next (1) card of its row."""
        self.cursor.move_entries(step)
        self.explanation = []

    def action_why(self) -> None:
        if self.explanation:
            self.explanation = []
        else:
            self._request_explanation(self)

    def close_innermost(self) -> bool:
        closed, self.explanation = self.explanation, []
        return bool(closed)

    def handle_click(self, target: object) -> bool:
        """Move the cursor to the clicked row and card; return False for any other target."""
        if not isinstance(target, PointLine):
            return False
        self.cursor.move_to(target.row, target.column)
        self.explanation = []
        return True


class LastDealLoader:
    """Loader of the last deal and of explanations, which works in the background."""

    def __init__(self, controller: TableController) -> None:
        self._controller = controller
        self._explanation_task = ExplanationTask(
            controller.playable.header, [*controller.frame.names], controller.robot_client, controller.view_model.show
        )
        self._cached: tuple[tuple[int, int, bool], LastDeal] | None = None

    async def load(self, round_number: int) -> LastDeal | None:
        """Return the overlay with a round, or ``None`` if the journal does not contain the whole round.

        The same overlay, with its cursor, is returned until ``round_number`` changes or decisions are taken back: an
        undo can change the last round.
        """
        local = self._controller.playable.local
        undo_count = local.referee.undone if local else 0
        can_replay = self._controller.playable.journal_path is not None
        key = round_number, undo_count, can_replay
        if self._cached is None or self._cached[0] != key:
            journal = await self._controller.get_journal()
            replay = await asyncio.to_thread(replay_round, journal, round_number)
            if replay is None:
                return None
            self._cached = key, LastDeal(replay, self._explanation_task.ask, can_replay=can_replay)
        return self._cached[1]

    def stop(self) -> None:
        self._explanation_task.stop()
