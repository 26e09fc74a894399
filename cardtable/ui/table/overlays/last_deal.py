"""Overlay with the last deal: the previous round with all hands open, and explanations of its decisions."""

import asyncio
from collections.abc import Callable

from cardtable.session.robot_client import RobotClient
from cardtable.session.round_replay import RoundReplay, Step, replay_round
from cardtable.ui.round_view.explanation import ExplanationTask
from cardtable.ui.round_view.playhead import RoundCursor, RowSnapshot
from cardtable.ui.round_view.round_list import PointLine, paint_finished
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import Overlay
from cardtable.ui.toolkit.footer import paint_footer
from cardtable.ui.toolkit.keys.bindings import LAST_DEAL, KeyBinding
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN


class LastDeal(Overlay):
    """Finished round with a cursor on its decisions; only its own key bindings close it."""

    hides_table = True
    scope = LAST_DEAL

    def __init__(self, finished: RoundReplay, ask: "Callable[[LastDeal], None]", *, replays: bool = True) -> None:
        """``request_explanation`` is called to explain the decision under the cursor.

        ``can_replay`` enables the key that opens the replay.
        """
        self._replays = replays
        self.cursor, self._ask = RoundCursor(finished), ask
        self.explanation: list[str] = []
        """Explanation of the decision under the cursor, one string per line; empty unless requested."""

    @property
    def round(self) -> RoundReplay:
        return self.cursor.round

    @property
    def step(self) -> Step | None:
        """Decision under the cursor; ``None`` at the end of the round."""
        return self.cursor.step

    def closed_by(self, _name: str) -> bool:
        return False

    def works(self, key: KeyBinding) -> bool:
        """Return False for the explanation at the end of the round, and for the replay if there is no journal."""
        if key.name in ("play", "replay"):
            return self._replays
        return key.name != "why" or self.cursor.seat is not None

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        paint_finished(canvas, "Last deal", RowSnapshot(self.cursor, frame.names, frame.seat), self.explanation)
        several = any(len(row.cards or row.steps) > 1 for row in self.cursor.round.rows)
        keys = [
            ("up down", "trick" if self.cursor.round.tricks else "turn"),
            *([("left right", "card")] if several else []),
            *([("why", "why")] if self.cursor.seat is not None else []),
            *([("play", "replay from here" if canvas.width >= 80 else "replay")] if self._replays else []),
            ("leave", "back"),
        ]
        paint_footer(canvas, keys, MARGIN, frame.banner)

    def scroll(self, rows: int) -> bool:
        """Move the cursor by one row in the direction of the mouse wheel."""
        self.action_move(1 if rows > 0 else -1)
        return True

    def action_move(self, rows: int) -> None:
        self.cursor.move(rows)
        self.explanation = []

    def action_along(self, step: int) -> None:
        """Move the cursor to the previous (-1) or next (1) card of its row."""
        self.cursor.along(step)
        self.explanation = []

    def action_why(self) -> None:
        """Request an explanation of the decision under the cursor, or close the one that is shown."""
        if self.explanation:
            self.explanation = []
        else:
            self._ask(self)

    def step_back(self) -> bool:
        """Close the explanation; return False if none is shown."""
        said, self.explanation = self.explanation, []
        return bool(said)

    def pointed_at(self, target: object) -> bool:
        """Move the cursor to the clicked row and card; return False for any other target."""
        if isinstance(target, PointLine):
            self.cursor.point(target.row, target.column)
            self.explanation = []
        return isinstance(target, PointLine)


class LastDealLoader:
    """Loader of the last deal and of explanations, which works in the background."""

    def __init__(self, driver: TableController, robot_client: RobotClient, show: Callable[[], None]) -> None:
        self._driver = driver
        self._reasons = ExplanationTask(driver.header, [*driver.frame.names], robot_client, show)
        self._opened: tuple[tuple[int, int, bool], LastDeal] | None = None

    async def last_deal(self, number: int, undone: int) -> LastDeal | None:
        """Return the overlay with a round, or ``None`` if the journal does not contain the whole round.

        The same overlay, with its cursor, is returned until ``round_number`` or ``undo_count`` changes: an undo can
        change the last round.
        """
        replays = self._driver.record is not None
        if self._opened is None or self._opened[0] != (number, undone, replays):
            journal = await self._driver.journal()
            finished = await asyncio.to_thread(replay_round, journal, number)
            if finished is None:
                return None
            self._opened = (number, undone, replays), LastDeal(finished, self._reasons.ask, replays=replays)
        return self._opened[1]

    def stop(self) -> None:
        """Cancel running requests for explanations."""
        self._reasons.stop()
