"""Replay page: a session card by card and round by round; a new session can be started from any position."""

import asyncio
from collections.abc import Callable, Hashable
from pathlib import Path

from textual import work
from textual.timer import Timer

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.session.round_replay import SessionReplay
from cardtable.ui.replay.paint import ToPart, Turn, paint_replay
from cardtable.ui.replay.state import ReplayState
from cardtable.ui.round_view.continue_dialog import Moment, play_on
from cardtable.ui.round_view.explanation import ExplanationTask
from cardtable.ui.round_view.round_list import PointLine
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import REPLAY, KeyBinding
from cardtable.ui.toolkit.page import Page, PageScreen, paint_waiting
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.wording.players import seat_of

_WITHOUT_A_ROUND = ("help", "leave", "close", "settings", "palette", "quit")
"""Names of the keys that work before the session is read, or if reading has failed."""


class ReplayPage(Page):
    """Page of the replay: reads the session and its rounds in a thread, and shows one position."""

    ABOUT = "in the replay"
    SCOPE = REPLAY

    def __init__(
        self,
        room: PageContext,
        path: Path,
        number: int,
        step: int | None,
        who: str,
        *,
        as_open: bool,
        place: Seat | None,
    ) -> None:
        super().__init__(room)
        self._path, self._place = path, place
        self._wanted, self._from = number, step
        self._who, self._as_open = who, as_open
        self._trouble = ""
        self._timer: Timer | None = None
        self._reasons: ExplanationTask | None = None
        self.it: ReplayState | None = None

    def on_mount(self) -> None:
        self._open()

    def on_unmount(self) -> None:
        if self._reasons:
            self._reasons.stop()

    @work(group="round", exclusive=True)
    async def _open(self) -> None:
        step = self._from
        try:
            again = await asyncio.to_thread(SessionReplay, self._path, as_open=self._as_open)
            replay = await asyncio.to_thread(again.round, again.in_range(self._wanted))
            seen = seat_of(again.header, self._who) if self._who else None
        except CardtableError as error:
            self._trouble = str(error)
        else:
            self.it = ReplayState(again, replay, self.room.me, seen, self._place)
            self._reasons = ExplanationTask(again.header, self.it.names, self.room.thinker, self.repaint)
            if step is not None:
                self.it.head.before(step)
        self.repaint()

    def paint_body(self, canvas: Canvas) -> Keys:
        if self.it is None:
            return paint_waiting(canvas, "Replay", self._trouble)
        paint_replay(canvas, self.it, self._right(self.it))
        return self._keys_now(self.it, wide=canvas.width >= _WIDE)

    def _right(self, state: ReplayState) -> str:
        """Return the text at the right of the header: the view, or the round number being typed."""
        if state.typed:
            return f"to round {state.typed} of {state.again.rounds}"
        return f"runs, {state.whose}" if state.running else state.whose

    def _keys_now(self, state: ReplayState, *, wide: bool) -> list[tuple[str, str]]:
        if state.typed:
            return [("play", f"to round {state.typed}"), ("rub_out", "delete"), ("leave", "stay here")]
        return [
            ("left right", "card" if state.round.tricks else "step"),
            ("up down", "trick" if state.round.tricks else "turn"),
            *([("page_up page_down", "round")] if wide and state.again.rounds > 1 else []),
            ("choose", "stop" if state.running else "run"),
            ("open_hands", "hands"),
            ("why", "why"),
            *([("go_on", "go on here")] if state.goes_on else []),
            ("leave", "back"),
        ]

    def is_enabled(self, key: KeyBinding) -> bool:
        if self.it is None:
            return key.name in _WITHOUT_A_ROUND
        if key.name in ("play", "rub_out"):
            return bool(self.it.typed)
        return key.name != "go_on" or self.it.goes_on

    def handle_text(self, character: str) -> bool:
        """Handle a digit as part of a round number."""
        if self.it is None or not (character.isascii() and character.isdigit()):
            return False
        self.it.type(character)
        self.repaint()
        return True

    async def press(self, key: KeyBinding) -> None:
        """Execute the key's command; clears a typed number unless the key is about it."""
        state = self.it
        if state and key.name not in _WITHOUT_A_ROUND and key.name not in ("play", "rub_out"):
            state.typed = ""
        await super().press(key)

    def action_along(self, by: int) -> None:
        """Move by a card, bid or step, also into other rounds."""
        self._step(lambda state: state.head.along(by), by)

    def action_move(self, by: int) -> None:
        """Move by a trick or turn, also into other rounds."""
        self._step(lambda state: state.head.move(by), by)

    def _step(self, moves: Callable[[ReplayState], bool], by: int) -> None:
        if self.it is None:
            return
        self.it.said = []
        if not moves(self.it):
            self._show_round(self.it.round.number + by, 0 if by > 0 else 1)
        self._again()

    def action_end(self, last: int) -> None:
        """Move to the beginning (0) or the end (1) of the round."""
        if self.it:
            self.it.said = []
            self.it.head.end(last)
            self._again()

    def action_round(self, by: int) -> None:
        """Move to another round, to its beginning."""
        if self.it:
            self._look_for(self.it, self._wanted + by)

    def action_jump(self) -> None:
        """Move to the round with the typed number."""
        if self.it:
            number, self.it.typed = int(self.it.typed), ""
            self._look_for(self.it, number)

    def _look_for(self, state: ReplayState, number: int) -> None:
        """Show a round from its beginning, or notify the player that no round has this number."""
        try:
            self._show_round(state.again.in_range(number))
        except CardtableError as error:
            state.running = False
            self._again()
            self.app.clear_notifications()  # a held key would fill the screen with notifications
            self.app.notify(f"T{str(error)[1:]}.", markup=False, severity="warning")
        self.repaint()

    def action_rub_out(self) -> None:
        """Delete the last typed digit."""
        if self.it:
            self.it.typed = self.it.typed[:-1]
            self.repaint()

    def _show_round(self, number: int, end: int = 0) -> None:
        """Show another round, if it exists, as soon as it is read."""
        if self.it and 1 <= number <= self.it.again.rounds:
            self._wanted = number
            self._read_round(self.it, number, end)
        elif self.it:
            self.it.running = False

    @work(group="round", exclusive=True)
    async def _read_round(self, state: ReplayState, number: int, end: int) -> None:
        replay = state.again.kept(number)
        if replay is None:
            replay = await asyncio.to_thread(state.again.round, number)
        state.turn_to(replay, end)
        self._again()

    def _again(self) -> None:
        """Repaint after a change of position; while playback runs, restart the timer of the next step."""
        if self._timer:
            self._timer.stop()
            self._timer = None
        if self.it and self.it.running:
            self._timer = self.set_timer(self.it.seconds, lambda: self.action_along(1))
        self.repaint()

    def action_run(self) -> None:
        """Start or stop playback."""
        if self.it:
            self.it.running = not self.it.running
            self._again()

    def action_faster(self, by: int) -> None:
        """Change the speed of playback by a number of levels."""
        if self.it:
            self.it.faster(by)
            self._again()

    def action_look(self, by: int) -> None:
        """Step through the views: all hands, then that of each seat."""
        if self.it:
            self.it.look(by)
            self.repaint()

    def action_why(self) -> None:
        """Request an explanation of the next step, or close the explanation."""
        state = self.it
        if state is None or self._reasons is None:
            return
        if state.said:
            state.said = []
        elif state.head.next is None:
            state.said = ["The round is over here."]
        elif state.step and state.step.seat is not None and not state.round.open(state.step.seat):
            state.said = [f"{state.names[state.step.seat]} is to act, and you do not see those cards now."]
        else:
            state.running = False
            self._reasons.ask(state)
        self._again()

    def action_leave(self) -> None:
        """Cancel the typed number, else close the explanation, else leave the page."""
        if self.it and self.it.typed:
            self.it.typed = ""
            self.repaint()
        elif self.it and self.it.said:
            self.it.said = []
            self.repaint()
        else:
            super().action_leave()

    def action_export(self) -> None:
        self.show("export", self._path)

    def action_go_on(self) -> None:
        """Start a new session from this position, with robots in the other seats, after a confirmation."""
        state = self.it
        if state is None:
            return
        state.running = False
        self._again()
        when = f"at this moment of round {state.round.number}"
        place = "your own place" if state.me == state.own else f"the place of {state.names[state.me]}"
        moment = Moment(state.again.path, state.again.header, state.head.line, when, state.me, place)
        play_on(self, self.room, "Go on from here", moment)

    def pointed_at(self, target: Hashable | None) -> None:
        """Handle a click: move to a part of the ruler or to a line, or change a choice."""
        state = self.it
        if state is None:
            return
        if isinstance(target, ToPart):
            state.head.go_to(target.part)
        elif isinstance(target, PointLine):
            state.head.go_to_row(target.row, target.column)
        elif isinstance(target, Turn) and target.what == "speed":
            state.faster(target.by)
        elif isinstance(target, Turn):
            state.look(target.by)
        else:
            return
        state.said = []
        self._again()

    def wheel(self, step: int, _x: int) -> None:
        self.action_move(step)


_WIDE = 100
"""Columns from which the footer has room for every key."""


def screen(
    room: PageContext,
    path: Path,
    number: int = 1,
    step: int | None = None,
    who: str = "",
    as_open: bool = False,
    place: Seat | None = None,
) -> PageScreen:
    """Return the replay page for a session's journal, at a round and, if given, a step.

    `who`: name or number of the seat whose view is shown; if empty, all hands are shown, with `place` at the bottom, or
    by default the current player's seat.
    """
    return PageScreen(ReplayPage(room, path, number, step, who, as_open=as_open, place=place))
