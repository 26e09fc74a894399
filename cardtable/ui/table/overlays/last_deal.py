"""The last deal, laid over the table: the round before with all hands open, and why somebody did what he did in it."""

import asyncio
from collections.abc import Callable

from cardtable.session.robot_client import RobotClient
from cardtable.session.round_replay import RoundReplay, Step, replay_round
from cardtable.ui.round_view.explanation import ExplanationTask
from cardtable.ui.round_view.playhead import AtRow, RoundCursor
from cardtable.ui.round_view.round_list import PointLine, paint_finished
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import Overlay
from cardtable.ui.toolkit.footer import paint_footer
from cardtable.ui.toolkit.keys.bindings import LAST_DEAL, KeyBinding
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN


class LastDeal(Overlay):
    """A finished round, with a cursor in it; its own keys put it away."""

    alone = True
    scope = LAST_DEAL

    def __init__(self, finished: RoundReplay, ask: "Callable[[LastDeal], None]", *, replays: bool = True) -> None:
        """``ask`` says why it was done what is under the cursor; ``replays``: whether the session can be replayed."""
        self._replays = replays
        self.cursor, self._ask = RoundCursor(finished), ask
        self.said: list[str] = []
        """Why it was done what is under the cursor, once that was asked."""

    @property
    def round(self) -> RoundReplay:
        """What is looked at."""
        return self.cursor.round

    @property
    def step(self) -> Step | None:
        """What somebody decided, under the cursor."""
        return self.cursor.step

    def closed_by(self, _name: str) -> bool:
        """Play goes on without the person."""
        return False

    def works(self, key: KeyBinding) -> bool:
        """At the end of a round nobody has done anything."""
        if key.name in ("play", "replay"):
            return self._replays
        return key.name != "why" or self.cursor.seat is not None

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """The round, and the keys that move in it."""
        paint_finished(canvas, "Last deal", AtRow(self.cursor, frame.names, frame.me), self.said)
        several = any(len(row.cards or row.steps) > 1 for row in self.cursor.round.rows)
        keys = [
            ("up down", "trick" if self.cursor.round.tricks else "turn"),
            *[("left right", "card")] * several,
            *[("why", "why")] * (self.cursor.seat is not None),
            *[("play", "replay from here" if canvas.width >= 80 else "replay")] * self._replays,
            ("leave", "back"),
        ]
        paint_footer(canvas, keys, MARGIN, frame.banner)

    def scroll(self, rows: int) -> bool:
        """The wheel moves the cursor."""
        self.action_move(1 if rows > 0 else -1)
        return True

    def action_move(self, rows: int) -> None:
        """Up or down in the list."""
        self.cursor.move(rows)
        self.said = []

    def action_along(self, step: int) -> None:
        """To the next or last card."""
        self.cursor.along(step)
        self.said = []

    def action_why(self) -> None:
        """Ask why; asked again, put away what is said."""
        if self.said:
            self.said = []
        else:
            self._ask(self)

    def step_back(self) -> bool:
        """Put away what is said."""
        said, self.said = self.said, []
        return bool(said)

    def pointed_at(self, target: object) -> bool:
        """A click on a line or on a card of it moves the cursor there; whether it was one."""
        if isinstance(target, PointLine):
            self.cursor.point(target.row, target.column)
            self.said = []
        return isinstance(target, PointLine)


class LastDealLoader:
    """Opens the last deal, and asks the expert about it, while keys go on being answered."""

    def __init__(self, driver: TableController, thinker: RobotClient, show: Callable[[], None]) -> None:
        self._driver = driver
        self._reasons = ExplanationTask(driver.header, [*driver.frame.names], thinker, show)
        self._opened: tuple[tuple[int, int, bool], LastDeal] | None = None

    async def last_deal(self, number: int, undone: int) -> LastDeal | None:
        """Round ``number``; looked at again, the cursor is where it was.

        ``undone``: decisions taken back so far, since the last of a round can be, too.
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
        """Nothing is to be said any more."""
        self._reasons.stop()
