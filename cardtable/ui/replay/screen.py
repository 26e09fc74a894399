"""Replay page, which shows a session card by card, and from which a new session can be started at any position."""

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
"""Names of the keys that work while no round is shown: before the session is read, or if it cannot be read."""


class ReplayPage(Page):
    """Page of a replay, which reads the session and its rounds in a thread and shows one position."""

    ABOUT = "in the replay"
    SCOPE = REPLAY

    def __init__(
        self,
        context: PageContext,
        path: Path,
        number: int,
        step: int | None,
        who: str,
        *,
        as_open: bool,
        place: Seat | None,
    ) -> None:
        super().__init__(context)
        self._path, self._place = path, place
        self._wanted, self._from = number, step
        self._who, self._as_open = who, as_open
        self._trouble = ""
        self._timer: Timer | None = None
        self._reasons: ExplanationTask | None = None
        self.state: ReplayState | None = None

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
            replay = await asyncio.to_thread(again.round, again.checked_round_number(self._wanted))
            seen = seat_of(again.header, self._who) if self._who else None
        except CardtableError as error:
            self._trouble = str(error)
        else:
            self.state = ReplayState(again, replay, self.context.nick, seen, self._place)
            self._reasons = ExplanationTask(again.header, self.state.names, self.context.robot_client, self.repaint)
            if step is not None:
                self.state.head.before(step)
        self.repaint()

    def paint_body(self, canvas: Canvas) -> Keys:
        if self.state is None:
            return paint_waiting(canvas, "Replay", self._trouble)
        paint_replay(canvas, self.state, self._right(self.state))
        return self._keys_now(self.state, wide=canvas.width >= _WIDE)

    def _right(self, state: ReplayState) -> str:
        """Return the text at the right of the header: the round number being typed, or whose cards are shown."""
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
            *([("go_on", "go on here")] if state.can_continue else []),
            ("leave", "back"),
        ]

    def is_enabled(self, key: KeyBinding) -> bool:
        if self.state is None:
            return key.name in _WITHOUT_A_ROUND
        if key.name in ("play", "rub_out"):
            return bool(self.state.typed)
        return key.name != "go_on" or self.state.can_continue

    def handle_text(self, character: str) -> bool:
        """Consume a digit as part of a round number."""
        if self.state is None or not (character.isascii() and character.isdigit()):
            return False
        self.state.type(character)
        self.repaint()
        return True

    async def press(self, key: KeyBinding) -> None:
        """Run the action of the key; any key but Enter and Backspace clears the typed round number."""
        state = self.state
        if state and key.name not in _WITHOUT_A_ROUND and key.name not in ("play", "rub_out"):
            state.typed = ""
        await super().press(key)

    def action_along(self, by: int) -> None:
        """Move by a card, bid or step, forward (1) or back (-1), across the ends of rounds."""
        self._step(lambda state: state.head.step(by), by)

    def action_move(self, by: int) -> None:
        """Move by a trick or turn, forward (1) or back (-1), across the ends of rounds."""
        self._step(lambda state: state.head.move(by), by)

    def _step(self, moves: Callable[[ReplayState], bool], by: int) -> None:
        if self.state is None:
            return
        self.state.explanation = []
        if not moves(self.state):
            self._show_round(self.state.round.number + by, 0 if by > 0 else 1)
        self._again()

    def action_end(self, last: int) -> None:
        """Move to the beginning (0) or the end (1) of the round."""
        if self.state:
            self.state.explanation = []
            self.state.head.end(last)
            self._again()

    def action_round(self, by: int) -> None:
        """Move to the beginning of the next (1) or previous (-1) round."""
        if self.state:
            self._look_for(self.state, self._wanted + by)

    def action_jump(self) -> None:
        """Move to the round whose number was typed."""
        if self.state:
            number, self.state.typed = int(self.state.typed), ""
            self._look_for(self.state, number)

    def _look_for(self, state: ReplayState, number: int) -> None:
        """Show a round from its beginning; notify the player if the session has no round of this number."""
        try:
            self._show_round(state.again.checked_round_number(number))
        except CardtableError as error:
            state.running = False
            self._again()
            self.app.clear_notifications()  # a held key would fill the screen with notifications
            self.app.notify(f"T{str(error)[1:]}.", markup=False, severity="warning")
        self.repaint()

    def action_rub_out(self) -> None:
        """Delete the last digit of the typed round number."""
        if self.state:
            self.state.typed = self.state.typed[:-1]
            self.repaint()

    def _show_round(self, number: int, end: int = 0) -> None:
        """Show a round as soon as it is read, at its beginning (0) or end (1); if it does not exist, stop playback."""
        if self.state and 1 <= number <= self.state.again.rounds:
            self._wanted = number
            self._read_round(self.state, number, end)
        elif self.state:
            self.state.running = False

    @work(group="round", exclusive=True)
    async def _read_round(self, state: ReplayState, number: int, end: int) -> None:
        replay = state.again.cached_round(number)
        if replay is None:
            replay = await asyncio.to_thread(state.again.round, number)
        state.set_round(replay, end)
        self._again()

    def _again(self) -> None:
        """Repaint after a change of position or speed; during playback, restart the timer of the next step."""
        if self._timer:
            self._timer.stop()
            self._timer = None
        if self.state and self.state.running:
            self._timer = self.set_timer(self.state.seconds, lambda: self.action_along(1))
        self.repaint()

    def action_run(self) -> None:
        """Start or stop playback."""
        if self.state:
            self.state.running = not self.state.running
            self._again()

    def action_faster(self, by: int) -> None:
        """Change the speed of playback by ``by`` levels, positive for faster."""
        if self.state:
            self.state.faster(by)
            self._again()

    def action_look(self, by: int) -> None:
        """Show the next (1) or previous (-1) view: all hands, or the view of a seat."""
        if self.state:
            self.state.look(by)
            self.repaint()

    def action_why(self) -> None:
        """Request an explanation of the next step, or close the explanation."""
        state = self.state
        if state is None or self._reasons is None:
            return
        if state.explanation:
            state.explanation = []
        elif state.head.next is None:
            state.explanation = ["The round is over here."]
        elif state.step and state.step.seat is not None and not state.round.open(state.step.seat):
            state.explanation = [f"{state.names[state.step.seat]} is to act, and you do not see those cards now."]
        else:
            state.running = False
            self._reasons.ask(state)
        self._again()

    def action_leave(self) -> None:
        """Clear the typed round number, else close the explanation, else leave the page."""
        if self.state and self.state.typed:
            self.state.typed = ""
            self.repaint()
        elif self.state and self.state.explanation:
            self.state.explanation = []
            self.repaint()
        else:
            super().action_leave()

    def action_export(self) -> None:
        self.show("export", self._path)

    def action_go_on(self) -> None:
        """Start a new session at this position, with robots in the other seats, after a confirmation."""
        state = self.state
        if state is None:
            return
        state.running = False
        self._again()
        when = f"at this moment of round {state.round.number}"
        place = "your own place" if state.me == state.own else f"the place of {state.names[state.me]}"
        moment = Moment(state.again.path, state.again.header, state.head.line, when, state.me, place)
        play_on(self, self.context, "Go on from here", moment)

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move to the clicked part of the ruler or entry of a line, or change the clicked choice."""
        state = self.state
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
        state.explanation = []
        self._again()

    def wheel(self, step: int, _x: int) -> None:
        self.action_move(step)


_WIDE = 100
"""Minimum width of a terminal, in columns, in which the footer has room for every key."""


def screen(
    context: PageContext,
    path: Path,
    number: int = 1,
    step: int | None = None,
    who: str = "",
    as_open: bool = False,
    place: Seat | None = None,
) -> PageScreen:
    """Return the replay page of the journal at ``path``, at round ``number``.

    The replay begins before ``step``, an index into the steps of the round, or at the beginning of the round.
    ``viewer`` is the name or number of the seat whose view is shown; if it is empty, all hands are shown.
    ``bottom_seat`` is the seat at the bottom; by default it is the current player's. ``as_open`` also shows a round in
    progress that people still play.
    """
    return PageScreen(ReplayPage(context, path, number, step, who, as_open=as_open, place=place))
