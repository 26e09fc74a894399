"""Page of the replay, which shows a session card by card, and from which a new one can be started at any position."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from textual import work
from textual.timer import Timer

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Note, Seat
from cardtable.engine.log_entries import Said
from cardtable.engine.text_format import capitalize_first
from cardtable.engine.tricks import Play
from cardtable.session.round_replay import RoundReplay, SessionReplay, Step, restrict_replay
from cardtable.store import profiles, session_files
from cardtable.store.profiles import find_seats
from cardtable.ui.keys.bindings import REPLAY, AnyKeyBinding, FooterKeys
from cardtable.ui.round_view.board import format_piles, paint_board, paint_seat_lines
from cardtable.ui.round_view.playhead import Part, Playhead, StopSnapshot
from cardtable.ui.round_view.round_list import (
    ExplanationTask,
    LinesArea,
    PointLine,
    compute_cards_per_line,
    compute_name_room,
    count_rows,
    paint_explanation,
    paint_round_header,
    paint_row,
    shorten_name,
)
from cardtable.ui.toolkit.context import PageContext, fork_session
from cardtable.ui.toolkit.form import paint_choice
from cardtable.ui.toolkit.page import Page, paint_loading
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, centre_window, shorten_names, wrap
from cardtable.ui.toolkit.painting.charts import paint_bar
from cardtable.ui.toolkit.painting.layout import MARGIN, Box, Layout, compute_layout
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.wording.formatting import WINNER_MARK, YOU, join_name_and_verb
from cardtable.wording.log_entries import describe_step, format_message, get_sender
from cardtable.wording.players import find_seat

SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.2)
"""Seconds between two cards at each speed, the slowest speed first."""
_USUAL_SPEED: Final = 2
_COMPLETE_FACTOR: Final = 2
"""Factor by which a complete trick or turn is shown longer during playback."""


class ReplayModel:
    """Mutable state of the replay, which keys change and the painters read."""

    def __init__(
        self,
        session: SessionReplay,
        replay: RoundReplay,
        nick: str,
        visible_seat: Seat | None = None,
        bottom_seat: Seat | None = None,
    ) -> None:
        """Prepare the replay at the beginning of a round.

        ``nick`` is the current player. ``visible_seat`` is the seat whose view is shown, ``None`` for all hands.
        ``bottom_seat`` is the seat at the bottom, which the player takes in a new session; by default it is the seat of
        ``nick``.
        """
        self.session, header = session, session.header
        own = find_seats(profiles.load()[0], nick, header)
        self.own_seat = own[0] if own else None
        self._usual_bottom_seat = bottom_seat if bottom_seat is not None else self.own_seat
        self.visible_seat = visible_seat
        """Seat whose view is shown; ``None`` if all hands are shown."""
        self.speed, self.running = _USUAL_SPEED, False
        self.typed: str = ""
        """Digits of a round number that have been typed."""
        self.explanation: list[str] = []
        """Sentences that explain the next step; empty unless the player has asked for them."""
        self.set_round(replay)

    @property
    def round(self) -> RoundReplay:
        """Current round, without what the chosen view does not show."""
        return self.playhead.round

    @property
    def names(self) -> list[str]:
        """Names of the occupants of the seats in this round; the current player is "You"."""
        names = session_files.format_names(self.round.occupants)
        if self.own_seat is not None and names[self.own_seat] == self.session.header.seats[self.own_seat].name:
            names[self.own_seat] = YOU
        return names

    @property
    def step(self) -> Step | None:
        """Next step if a seat decides it; ``None`` before an automatic step and at the end."""
        step = self.playhead.next_step
        return step if step and step.seat is not None else None

    @property
    def bottom_seat(self) -> Seat:
        """Seat at the bottom, which the player takes in a new session."""
        if self.visible_seat is not None:
            return self.visible_seat
        if self._usual_bottom_seat is not None:
            return self._usual_bottom_seat
        return next(iter(self.session.header.people), 0)

    @property
    def snapshot(self) -> StopSnapshot:
        return StopSnapshot(self.playhead, self.names, self.bottom_seat)

    @property
    def view_name(self) -> str:
        """Name of the view, such as "all hands" or "Ada's view"."""
        if self.visible_seat is None:
            return "all hands"
        return "your view" if self.names[self.visible_seat] == YOU else f"{self.names[self.visible_seat]}'s view"

    def set_round(self, replay: RoundReplay, end: int = 0) -> None:
        """Show another round, from its beginning (0) or its end (1)."""
        self._whole_round, self.explanation = replay, []
        self.playhead = self._create_playhead()
        self.playhead.move_to_end(end)

    def step_view(self, by: int) -> None:
        """Select the next (1) or previous (-1) view.

        All hands, then each seat, starting with the seat at the bottom.
        """
        first, count = self._usual_bottom_seat or 0, len(self.names)
        seats = [None, *[(first + i) % count for i in range(count)]]
        self.visible_seat = seats[(seats.index(self.visible_seat) + by) % len(seats)]
        self.explanation, before = [], self.playhead
        self.playhead = self._create_playhead()
        self.playhead.position = before.position

    def _create_playhead(self) -> Playhead:
        return Playhead(
            self._whole_round if self.visible_seat is None else restrict_replay(self._whole_round, self.visible_seat)
        )

    def change_speed(self, by: int) -> None:
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))

    @property
    def stop_seconds(self) -> float:
        """Seconds for which the present position is shown during playback."""
        part = self.playhead.part
        is_complete = part is not None and self.playhead.stop.done == part.length
        return SPEEDS[self.speed] * (_COMPLETE_FACTOR if is_complete else 1)

    @property
    def can_continue(self) -> bool:
        """True if a new session can be started at this position: the session is not over there."""
        return self.playhead.next_step is not None or not (
            self.session.over and self.round.number == self.session.rounds
        )


RULER_ROWS: Final = 2
_CHOICE_WIDTH: Final = 12
"""Width of a choice, in columns."""
_CHOICE_OFFSET: Final = 8
"""Distance of the choices from the left edge of the panel's text, in columns."""
_CHOICE_ROWS: Final = 5
"""Number of rows at the foot of the panel that are reserved for the choices."""
_MAX_SHOWN_STEPS: Final = 8
"""Maximum number of rows with the latest cards or steps of the current part."""
_NARROW_WIDTH: Final = 40
"""Width in columns above which a line has room for a trick of six cards; the panel is never that wide."""
_MAX_MESSAGE_ROWS: Final = 3
"""Maximum number of rows with the chat messages and rulings of one position."""


class PointPart(NamedTuple):
    """Mouse target of a part of the round in the ruler, by its index."""

    part: int


class PointChoice(NamedTuple):
    """Mouse target of an arrow that changes the speed or the view."""

    choice: str
    step: int


def paint_replay(canvas: Canvas, model: ReplayModel, right: str, *, is_still: bool = False) -> None:
    """Paint header, board, panel and ruler, and over them an explanation if there is one; the page paints the footer.

    ``right`` is the text at the right of the header. A still picture has no controls.
    """
    layout, snapshot = compute_layout(canvas.width, canvas.height), model.snapshot
    canvas.faces = snapshot.round.game.about.faces
    paint_round_header(canvas, "Replay", snapshot, format_round(model), right)
    if layout.tiny:
        y = paint_seat_lines(canvas, 1, snapshot)
        _paint_compact(canvas, y, model)
        _paint_ruler(canvas, Box(0, canvas.height - 1 - RULER_ROWS, canvas.width, RULER_ROWS), model)
    else:
        paint_board(canvas, layout, snapshot, below=RULER_ROWS)
        _paint_panel(canvas, layout, model, is_still=is_still)
        _paint_ruler(canvas, Box(0, canvas.height - 1 - RULER_ROWS, layout.panel.x, RULER_ROWS), model, layout)
    if model.explanation:
        name = "" if model.step is None or model.step.seat is None else model.names[model.step.seat]
        visible_step = model.step if model.step and model.round.is_open(model.step.seat or 0) else None
        paint_explanation(canvas, layout, name, visible_step, model.explanation, model.round.card_order)


def format_round(model: ReplayModel) -> str:
    """Format the number of the round, with a remark if the session was abandoned."""
    text = f"round {model.round.number} of {model.session.round_count}"
    return f"{text}, abandoned" if model.session.is_abandoned else text


def format_heading(model: ReplayModel) -> tuple[str, str]:
    """Return the name of the current part of the round, and the progress within it."""
    part = model.playhead.part
    if part is None:
        return "After the deal", ""
    progress = f"{model.playhead.stop.done} of {part.length}"
    if part.number:
        if model.round.has_tricks:
            return f"Trick {part.number}", f"card {progress}"
        return f"Turn {part.number}", f"step {progress}"
    if part.length > 1:
        return "Bids", f"bid {progress}"
    return "Before the next card", ""


def _list_past_actions(model: ReplayModel) -> list[tuple[str, str]]:
    """Return the steps of the current part up to this position as pairs of name and text, with cards in notation."""
    part, done = model.playhead.part, model.playhead.stop.done
    if part is None:
        return []
    row = model.round.rows[part.first_row]
    if row.trick:
        taker = row.taker if done == part.length else None
        return [
            (model.names[seat], f"{NAME[card]} {WINNER_MARK}" if seat == taker else NAME[card])
            for seat, card in row.cards[:done]
        ]
    steps = [model.round.steps[step] for step in part.steps[:done]]
    return [action for step in steps for action in describe_step(step, model.names)]


def _find_next_action(model: ReplayModel) -> tuple[str, str] | None:
    """Return the name of the seat to act and what it is to do.

    ``None`` before an automatic step and at the end.
    """
    step = model.step
    if step is None or step.seat is None:
        return None
    name = model.names[step.seat]
    if isinstance(step.event, Play):
        return name, "to play"
    return name, "to bid" if isinstance(step.event, Bid) else "to choose"


def _wrap_messages(model: ReplayModel, width: int) -> list[str]:
    """Return the lines of the chat messages and rulings between this position and the next step."""
    notes = model.playhead.next_step.asides if model.playhead.next_step else ()
    texts = [_format_note(note, model.names) for note in notes]
    return [line for text in texts for line in wrap(text, width, card_faces.measure_text)]


def _format_note(note: Note, names: Sequence[str]) -> str:
    if isinstance(note, Said):
        return f"{join_name_and_verb(get_sender(note, names), 'says', 'say')}: {format_message(note, names)}"
    return f"{capitalize_first(format_message(note, names))}."


def _paint_panel(canvas: Canvas, layout: Layout, model: ReplayModel, *, is_still: bool) -> None:
    theme, panel, text = canvas.theme, layout.panel, layout.panel_text
    canvas.fill(panel.x, panel.y, panel.width, panel.height, theme.grounds.panel)
    name, progress = format_heading(model)
    canvas.write(text.x, panel.y + 1, name, theme.inks.text, bold=True)
    canvas.write_right(text.right, panel.y + 1, progress, theme.inks.muted)
    y = _paint_part(canvas, layout, model, panel.y + 3)
    foot = panel.bottom if is_still else panel.bottom - _CHOICE_ROWS
    _paint_earlier_lines(canvas, layout, model, y + 1, foot)
    if not is_still:
        _paint_choices(canvas, layout, model, foot)


def _paint_choices(canvas: Canvas, layout: Layout, model: ReplayModel, foot: int) -> None:
    """Paint speed and view, with arrows that change them, below row ``foot``."""
    text = layout.panel_text
    speed = f"{SPEEDS[model.speed]:g} s"
    view = "all" if model.visible_seat is None else shorten_names(model.names, _CHOICE_WIDTH - 4)[model.visible_seat]
    for row, label, value, choice in ((foot + 2, "Speed", speed, "speed"), (foot + 4, "Seen", view, "look")):
        canvas.write(text.x, row, label, canvas.theme.inks.text, bold=True)
        area = BlockArea(canvas, text.x, row, text.width, has_cursor=False)
        paint_choice(area, _CHOICE_OFFSET, _CHOICE_WIDTH, value, (PointChoice(choice, -1), PointChoice(choice, 1)))


def _paint_part(canvas: Canvas, layout: Layout, model: ReplayModel, y: int) -> int:
    """Paint the steps of the current part, the seat to act, and messages; return the next free row."""
    inks, text = canvas.theme.inks, layout.panel_text
    x = text.x + compute_name_room(model.names) + 1
    width = text.right + 1 - x
    previous_name = ""
    lines = [
        (name, line)
        for name, action in _list_past_actions(model)
        for line in wrap(action, width, card_faces.measure_text)
    ]
    for name, line in lines[-_MAX_SHOWN_STEPS:]:
        canvas.write(text.x, y, shorten_name(name, model.names) if name != previous_name else "", inks.soft)
        card_faces.paint_text(canvas, x, y, line, inks.text, bold=True, max_width=width)
        previous_name, y = name, y + 1
    if next_action := _find_next_action(model):
        name, action = next_action
        canvas.write(layout.panel.x, y, "▌", inks.gold)
        canvas.write(text.x, y, shorten_name(name, model.names), inks.gold, bold=True)
        canvas.write(x, y, action, inks.muted)
        y += 1
    for line in _wrap_messages(model, text.width)[:_MAX_MESSAGE_ROWS]:
        canvas.write(text.x, y, line, inks.soft)
        y += 1
    return y


def _paint_earlier_lines(canvas: Canvas, layout: Layout, model: ReplayModel, y: int, end: int) -> None:
    """Paint the lines of the round before the current part, under a heading, as many as fit above row ``end``."""
    if model.playhead.part is not None and model.playhead.part.first_row:
        text, heading = layout.panel_text, "Played before" if model.round.has_tricks else "Before"
        canvas.write(text.x, y, heading, canvas.theme.inks.text, bold=True)
        top = y + (2 if layout.large else 1)
        _paint_lines(canvas, Box(text.x, top, text.width, end - top), model)


def _paint_lines(canvas: Canvas, box: Box, model: ReplayModel) -> None:
    """Paint the last lines of the round before the current part that fit into the box.

    Tricks are painted with the latest at the top, other lines in order.
    """
    part, rows = model.playhead.part, model.round.rows
    cards_per_line = 6 if box.width > _NARROW_WIDTH else compute_cards_per_line(len(model.names))
    area = LinesArea(box, has_gaps=False, cards_per_line=cards_per_line)
    numbers: list[int] = []
    room = box.height
    for number in range(part.first_row - 1 if part else -1, -1, -1):
        room -= count_rows(rows[number], cards_per_line)
        if room < 0:
            break
        numbers.append(number)
    y = box.y
    for number in numbers if model.round.has_tricks else reversed(numbers):
        paint_row(canvas, area, model.round, model.names, number, y)
        y += count_rows(rows[number], cards_per_line)


def _paint_compact(canvas: Canvas, y: int, model: ReplayModel) -> None:
    """Paint the contents of the panel below the seats, for terminals without a panel.

    These are the middle of the table, the current part and the lines before it.
    """
    inks, width = canvas.theme.inks, canvas.width - 2
    end = canvas.height - 1 - RULER_ROWS
    piles = format_piles(model.snapshot)
    if piles and y < end - 1:
        card_faces.paint_text(canvas, 1, y, card_faces.shorten_text(piles, width), inks.soft, max_width=width)
        y += 1
    name, _ = format_heading(model)
    next_action = _find_next_action(model)
    actions = [*_list_past_actions(model), *([next_action] if next_action else [])]
    texts = ", ".join(filter(None, [f"{player} {action}".strip() for player, action in actions]))
    for line in wrap(f"{name}: {texts}", width, card_faces.measure_text)[: end - y]:
        card_faces.paint_text(canvas, 1, y, line, inks.text, max_width=width)
        y += 1
    for line in _wrap_messages(model, width)[: max(end - y, 0)]:
        canvas.write(1, y, line, inks.soft)
        y += 1
    _paint_lines(canvas, Box(1, y, width, end - y), model)


def _paint_ruler(canvas: Canvas, box: Box, model: ReplayModel, layout: Layout | None = None) -> None:
    """Paint the ruler: the tricks or turns of the round, the current one in gold, and a progress bar below them.

    ``layout`` is ``None`` in a terminal without a panel.
    """
    theme, parts, stop = canvas.theme, model.playhead.parts, model.playhead.stop
    canvas.fill(box.x, box.y, box.width, box.height, theme.grounds.panel)
    large = layout is not None and layout.large
    x, cell = box.x + MARGIN, 5 if large else 4
    if large:
        canvas.write(x, box.y, "trick" if model.round.has_tricks else "turn", theme.inks.muted)
        x += 2 * cell - MARGIN
    room = (box.right + 1 - MARGIN - x) // cell
    first = centre_window(stop.part, room, len(parts))
    for i, part in enumerate(parts[first : first + room]):
        _paint_cell(canvas, Box(x + cell * i, box.y, cell, 1), part, first + i, stop.part)
    width = cell * min(room, len(parts))
    done = stop.part + stop.done / parts[stop.part].length if stop.part >= 0 else 0.0
    halves = 2 * width * round(1000 * done) // (1000 * len(parts)) if parts else 0
    paint_bar(canvas, x, box.y + 1, width, halves, theme.inks.soft)


def _paint_cell(canvas: Canvas, box: Box, part: Part, number: int, current: int) -> None:
    """Paint a part in the ruler: its number, or a dot for a part that is neither a trick nor a turn."""
    inks, label = canvas.theme.inks, str(part.number or "·")
    is_current = number == current
    if is_current:
        canvas.fill(box.x, box.y, box.width, 1, inks.gold)
    ink = canvas.theme.grounds.panel if is_current else inks.text if number < current else inks.quiet
    canvas.write_right(box.x + box.width - 2, box.y, label, ink, bold=is_current)
    canvas.add_hit_box(box.x, box.y, box.width, RULER_ROWS, PointPart(number))


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
        number: int = 1,
        step: int | None = None,
        viewer: str = "",
        as_open: bool = False,
        bottom_seat: Seat | None = None,
    ) -> None:
        """Show the journal at ``path`` from round ``number`` on.

        ``step`` is the step at which the replay starts, by its index in the round; ``None`` stands for the beginning.
        ``viewer`` names the seat whose view is shown, by number or nick; "" shows all hands. ``as_open`` permits to
        show a session that is still played. ``bottom_seat`` is the seat at the bottom instead of the player's own.
        """
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
        path, header, lines = model.session.path, model.session.header, model.playhead.journal_line
        await fork_session(self.context, path, header, lines, when, seat, owner)

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
