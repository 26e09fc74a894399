"""Replay page, which shows a session card by card, and from which a new session can be started at any position."""

import asyncio
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Final

from textual import work
from textual.timer import Timer

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.text_format import capitalize_first
from cardtable.session.round_replay import SessionReplay
from cardtable.ui.keys.bindings import REPLAY, AnyKeyBinding, FooterKeys
from cardtable.ui.replay.model import PointChoice, PointPart, ReplayModel, paint_replay
from cardtable.ui.round_view.round_list import ExplanationTask, PointLine
from cardtable.ui.toolkit.context import ForkPosition, PageContext, fork_session
from cardtable.ui.toolkit.page import Page, PageScreen, paint_loading
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.wording.players import find_seat

_MAX_DIGITS: Final = 4
"""Maximum number of digits of a typed round number."""
_KEYS_KEEPING_NUMBER = ("play", "rub_out", "help", "leave", "close", "settings", "palette", "quit")
"""Names of the keys that leave a typed round number as it is."""


class ReplayPage(Page):
    """Page of a replay, which reads the session and its rounds in a thread and shows one position."""

    SCOPE = REPLAY

    def __init__(
        self,
        context: PageContext,
        path: Path,
        number: int,
        step: int | None,
        viewer: str,
        *,
        as_open: bool,
        bottom_seat: Seat | None,
    ) -> None:
        super().__init__(context)
        self._path, self._bottom_seat = path, bottom_seat
        self._round_number, self._start_step = number, step
        self._viewer, self._as_open = viewer, as_open
        self.load_error: str | None = None
        """Reason why the session or the round cannot be shown."""
        self._timer: Timer | None = None
        self._explanation_task: ExplanationTask | None = None
        self.model: ReplayModel | None = None

    def on_mount(self) -> None:
        self._open()

    def on_unmount(self) -> None:
        if self._explanation_task:
            self._explanation_task.stop()

    @work(group="round", exclusive=True)
    async def _open(self) -> None:
        try:
            session = await asyncio.to_thread(SessionReplay, self._path, as_open=self._as_open)
            replay = await asyncio.to_thread(session.get_round, session.check_round_number(self._round_number))
            visible_seat = find_seat(session.header, self._viewer) if self._viewer else None
        except CardtableError as error:
            self.load_error = str(error)
        else:
            self.model = ReplayModel(session, replay, self.context.nick, visible_seat, self._bottom_seat)
            self._explanation_task = ExplanationTask(
                session.header, self.model.names, self.context.robot_client, self.repaint
            )
            if self._start_step is not None:
                self.model.playhead.move_before(self._start_step)
        self.repaint()

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        if self.model is None:
            return paint_loading(canvas, "Replay", self.load_error)
        paint_replay(canvas, self.model, self._format_header_right(self.model))
        return self._list_footer_keys(self.model, wide=canvas.width >= _WIDE_COLUMNS)

    def _format_header_right(self, model: ReplayModel) -> str:
        """Return the text at the right of the header: the round number being typed, or whose cards are shown."""
        if model.typed:
            return f"to round {model.typed} of {model.session.rounds}"
        return f"running, {model.view_name}" if model.running else model.view_name

    def _list_footer_keys(self, model: ReplayModel, *, wide: bool) -> FooterKeys:
        if model.typed:
            return {"play": f"to round {model.typed}", "rub_out": "delete", "leave": "stay here"}
        moves = {} if model.round.has_tricks else {"left right": "step", "up down": "turn"}
        return {
            **self.SCOPE.footer,
            **moves,
            "page_up page_down": "round" if wide and model.session.rounds > 1 else "",
            "choose": "stop" if model.running else "run",
        }

    def handle_character(self, character: str) -> bool:
        """Consume a digit as part of a round number."""
        if self.model is None or not (character.isascii() and character.isdigit()):
            return False
        self.model.typed = (self.model.typed + character)[:_MAX_DIGITS]
        self.repaint()
        return True

    async def press(self, key: AnyKeyBinding) -> None:
        """Run the action of the key; most keys clear the typed round number."""
        if self.model and key.name not in _KEYS_KEEPING_NUMBER:
            self.model.typed = ""
        await super().press(key)

    def action_along(self, by: int) -> None:
        """Move by a card, bid or step, forward (1) or back (-1), across the ends of rounds."""
        self._move_playhead(lambda model: model.playhead.move_by_stops(by), by)

    def action_move(self, by: int) -> None:
        """Move by a trick or turn, forward (1) or back (-1), across the ends of rounds."""
        self._move_playhead(lambda model: model.playhead.move_by_parts(by), by)

    def _move_playhead(self, move: Callable[[ReplayModel], bool], by: int) -> None:
        if self.model is None:
            return
        self.model.explanation = []
        if not move(self.model):
            self._show_round(self.model.round.number + by, 0 if by > 0 else 1)
        self._update_position()

    def action_end(self, last: int) -> None:
        """Move to the beginning (0) or the end (1) of the round."""
        if self.model:
            self.model.explanation = []
            self.model.playhead.move_to_end(last)
            self._update_position()

    def action_round(self, by: int) -> None:
        """Move to the beginning of the next (1) or previous (-1) round."""
        if self.model:
            self._show_numbered_round(self.model, self._round_number + by)

    def action_jump(self) -> None:
        """Move to the round whose number was typed."""
        if self.model:
            number, self.model.typed = int(self.model.typed), ""
            self._show_numbered_round(self.model, number)

    def _show_numbered_round(self, model: ReplayModel, number: int) -> None:
        """Show a round from its beginning; notify the player if the session has no round of this number."""
        try:
            self._show_round(model.session.check_round_number(number))
        except CardtableError as error:
            model.running = False
            self._update_position()
            self.app.clear_notifications()  # a held key would fill the screen with notifications
            self.app.notify(f"{capitalize_first(str(error))}.", markup=False, severity="warning")
        self.repaint()

    def action_rub_out(self) -> None:
        """Delete the last digit of the typed round number."""
        if self.model:
            self.model.typed = self.model.typed[:-1]
            self.repaint()

    def _show_round(self, number: int, end: int = 0) -> None:
        """Show a round as soon as it is read, at its beginning (0) or end (1); if it does not exist, stop playback."""
        if self.model and 1 <= number <= self.model.session.rounds:
            self._round_number = number
            self._read_round(self.model, number, end)
        elif self.model:
            self.model.running = False

    @work(group="round", exclusive=True)
    async def _read_round(self, model: ReplayModel, number: int, end: int) -> None:
        replay = model.session.get_cached_round(number)
        if replay is None:
            replay = await asyncio.to_thread(model.session.get_round, number)
        model.set_round(replay, end)
        self._update_position()

    def _update_position(self) -> None:
        """Repaint after a change of position or speed; during playback, restart the timer of the next step."""
        if self._timer:
            self._timer.stop()
            self._timer = None
        if self.model and self.model.running:
            self._timer = self.set_timer(self.model.stop_seconds, lambda: self.action_along(1))
        self.repaint()

    def action_run(self) -> None:
        """Start or stop playback."""
        if self.model:
            self.model.running = not self.model.running
            self._update_position()

    def action_faster(self, by: int) -> None:
        """Change the speed of playback by ``by`` levels, positive for faster."""
        if self.model:
            self.model.change_speed(by)
            self._update_position()

    def action_look(self, by: int) -> None:
        """Show the next (1) or previous (-1) view: all hands, or the view of a seat."""
        if self.model:
            self.model.step_view(by)
            self.repaint()

    def action_why(self) -> None:
        """Request an explanation of the next step, or close the explanation."""
        model = self.model
        if model is None or self._explanation_task is None:
            return
        if model.explanation:
            model.explanation = []
        elif model.playhead.next_step is None:
            model.explanation = ["The round is over here."]
        elif model.step and model.step.seat is not None and not model.round.is_open(model.step.seat):
            model.explanation = [f"{model.names[model.step.seat]} is to act, and you do not see that hand now."]
        else:
            model.running = False
            self._explanation_task.ask(model)
        self._update_position()

    async def action_leave(self) -> None:
        """Clear the typed round number, else close the explanation, else leave the page."""
        if self.model and self.model.typed:
            self.model.typed = ""
            self.repaint()
        elif self.model and self.model.explanation:
            self.model.explanation = []
            self.repaint()
        else:
            await super().action_leave()

    def action_export(self) -> None:
        self.show("export", self._path)

    async def action_go_on(self) -> None:
        """Start a new session at this position, with robots in the other seats, after a confirmation."""
        model = self.model
        if model is None:
            return
        model.running = False
        self._update_position()
        when = f"at this moment of round {model.round.number}"
        seat = model.bottom_seat
        owner = "your own seat" if seat == model.own_seat else f"{model.names[seat]}'s seat"
        position = ForkPosition(
            model.session.path, model.session.header, model.playhead.journal_line, when, seat, owner
        )
        await fork_session(self.context, position)

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move to the clicked part of the ruler or entry of a line, or change the clicked choice."""
        model = self.model
        if model is None:
            return
        if isinstance(target, PointPart):
            model.playhead.go_to(target.part)
        elif isinstance(target, PointLine):
            model.playhead.go_to_row(target.row, target.column)
        elif isinstance(target, PointChoice) and target.choice == "speed":
            model.change_speed(target.step)
        elif isinstance(target, PointChoice):
            model.step_view(target.step)
        else:
            return
        model.explanation = []
        self._update_position()

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_move(step)


_WIDE_COLUMNS = 100
"""Minimum width of a terminal, in columns, in which the footer has room for every key."""


def create_screen(
    context: PageContext,
    path: Path,
    number: int = 1,
    step: int | None = None,
    viewer: str = "",
    as_open: bool = False,
    bottom_seat: Seat | None = None,
) -> PageScreen:
    """Return the replay page of the journal at ``path``, at round ``number``.

    The replay begins before ``step``, an index into the steps of the round, or at the beginning of the round.
    ``viewer`` is the name or number of the seat whose view is shown; if it is empty, all hands are shown.
    ``bottom_seat`` is the seat at the bottom; by default it is the current player's. ``as_open`` also shows a round in
    progress that people still play.
    """
    return PageScreen(ReplayPage(context, path, number, step, viewer, as_open=as_open, bottom_seat=bottom_seat))
