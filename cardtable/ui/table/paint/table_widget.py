"""Widget of the table screen, which paints a view state and the overlay on it, and base classes of the overlays."""

from collections.abc import Sequence
from time import monotonic
from typing import Self

from msgspec.structs import replace
from rich.cells import cell_len
from textual.timer import Timer

from cardtable.engine.cards import Card
from cardtable.engine.game import Note, View
from cardtable.session.session_events import Stage
from cardtable.ui.game_view import motion
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import find_taker
from cardtable.ui.keys.bindings import ActionDispatcher, AnyKeyBinding, KeyBindings
from cardtable.ui.keys.table_keys import list_footer_keys
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.board import paint_board, paint_header, paint_prompt
from cardtable.ui.table.paint.panel import compute_box_on_mat, format_newest_talk, paint_decision, paint_panel
from cardtable.ui.terminal.capabilities import is_remote
from cardtable.ui.toolkit.page import paint_footer, paint_if_too_small
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import ELLIPSIS, Canvas, CanvasWidget, wrap
from cardtable.ui.toolkit.painting.layout import Box, Layout, compute_layout, get_layout
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.ui.toolkit.text_input import TextInput


def paint_line_below_prompt(canvas: Canvas, text: str, more: str) -> None:
    """Paint a line below the prompt: ``text``, then ``more`` if there is room; both may contain keys in braces.

    Nothing is painted if the row is used by the prompt.
    """
    grid, inks = get_layout(canvas), canvas.theme.inks
    x, y, end = grid.board.x + grid.margin, grid.prompt_row + 1, grid.board.right
    if "".join(canvas.chars[y][grid.board.x : end + 1]).strip():
        return
    more = canvas.appearance.keys.format_keys(more)
    x = card_faces.paint_text(canvas, x, y, text, inks.text, max_width=end + 1 - x)
    if x + 2 + cell_len(more) <= end:
        canvas.write(x + 2, y, more, inks.muted)


def _format_recent_talk(canvas: Canvas, frame: TableFrame) -> str:
    """Return what was said last in one line if the layout has no room for the messages; "" otherwise."""
    grid = get_layout(canvas)
    if grid.panel.width:
        return ""
    width = grid.board.width - 2 * grid.margin
    line, *rest = wrap(format_newest_talk(frame), width, card_faces.measure_text)
    return wrap(line, width - 1, card_faces.measure_text)[0] + ELLIPSIS if rest else line


def paint_lesson_offer(canvas: Canvas, frame: TableFrame) -> None:
    """Paint the footer with the key for the lessons of the game, after the keys that perform an action."""
    layout, keys = get_layout(canvas), list_footer_keys(frame)
    offer = {"learn": "learn" if layout.tiny else f"new to {frame.game.about.title}? lessons"}
    names = list(keys)
    first = {name: keys[name] for name in names[: names.index("hint") if "hint" in names else 0]}
    paint_footer(canvas, {**first, **offer, **keys}, layout.margin, frame.banner)


def paint_table(canvas: Canvas, frame: TableFrame, rows_back: int = 0) -> int:
    """Paint the whole table screen, with the messages scrolled back by ``rows_back`` rows or as far as possible.

    Returns the actual number of rows.
    """
    canvas.faces = frame.game.about.faces
    canvas.has_panel, canvas.has_bar = frame.shows_totals, frame.is_in_play and frame.game_view.has_bar
    grid = get_layout(canvas)
    if frame.has_curtain:
        from cardtable.ui.table.paint.curtain import paint_curtain  # noqa: PLC0415 - lazy: startup

        paint_curtain(canvas, grid, frame)
        return 0
    paint_header(canvas, grid, frame)
    board = grid
    if frame.is_in_play:
        board, middle = _layout_board(grid, frame)
        grid = replace(grid, facts=board.facts)
        paint_board(canvas, board, middle, frame)
        sections = frame.game_view.sections(frame.view, frame.names) if frame.view.round else ()
    else:
        from cardtable.ui.table.paint import round_end  # noqa: PLC0415 - lazy: startup

        whole = compute_layout(canvas.width, canvas.height, has_panel=canvas.has_panel)
        grid, _ = _layout_board(whole, frame)
        (round_end.paint_session_end if frame.is_over else round_end.paint_round_end)(canvas, grid, frame)
        paint_prompt(canvas, grid, frame, *round_end.format_end_prompt(frame))
        sections = round_end.build_end_sections(frame)
    rows_back = paint_panel(canvas, grid, frame, sections, rows_back)
    if not grid.panel.width and frame.box_on_mat:
        _paint_box_on_mat(canvas, board, frame, frame.box_on_mat)
    if frame.prompt:
        from cardtable.ui.table.paint import advice  # noqa: PLC0415 - lazy: startup

        advice.paint_lesson(canvas, get_layout(canvas), frame)
    paint_footer(canvas, list_footer_keys(frame), grid.margin, frame.banner)
    return rows_back


def _layout_board(layout: Layout, frame: TableFrame) -> tuple[Layout, Layout]:
    """Return the layouts of the board and of the cards on its mat, which leave room for a lesson."""
    if frame.prompt is None:
        return layout, layout
    from cardtable.ui.table.paint import advice  # noqa: PLC0415 - lazy: startup

    if not frame.is_in_play:
        return advice.layout_points(layout, frame), layout
    board = advice.layout_lesson(layout, frame)
    return board, advice.layout_cards(board, frame)


def _paint_box_on_mat(canvas: Canvas, layout: Layout, frame: TableFrame, decision: Decision) -> None:
    box = compute_box_on_mat(layout, decision, frame.option)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.row)
    inner = Box(box.x + 2, box.y, box.width - 4, box.height)
    paint_decision(canvas, inner, frame, decision, airy=False, on_mat=True)


class TableWidget(CanvasWidget):
    """Widget that paints the view state ``frame`` and the overlay on it."""

    can_focus = True

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance, id="table")
        self.frame: TableFrame | None = None
        self.overlay: Overlay | None = None
        self.is_animated = False
        """True if the settings ask for motion."""
        self._messages_rows_back = 0
        """Number of rows by which the messages in the panel are scrolled back."""
        self._messages: Sequence[Note] = ()
        """Messages when they were painted last; a new message scrolls to the newest ones."""
        self._last_painted: tuple[Stage, View] | None = None
        """Stage and view that were painted last; ``None`` if an overlay was open."""
        self._motions: Sequence[motion.Motion] = ()
        self._motion_start = 0.0
        self._timer: Timer | None = None
        self._lifted: Card | None = None
        """Card of the hand that is lifted, because the mouse is over it."""

    def on_mount(self) -> None:
        """Take what is shown first as painted, so that the first deal of a new session moves, too."""
        if self.frame:
            self._last_painted = self.frame.stage, self.frame.view

    def repaint(self) -> None:
        """Repaint, and move what has changed since the view painted before."""
        before, earlier = self._last_painted, self.canvas
        stage_and_view = (self.frame.stage, self.frame.view) if self.frame and not self.overlay else None
        stage, view = before or (None, None)
        is_new_view = stage_and_view is None or view is not stage_and_view[1] or stage is not stage_and_view[0]
        lifted = None if is_new_view else self._lifted
        if is_new_view or lifted is not None:
            self.end_motion()
        super().repaint()
        self._last_painted = stage_and_view
        if self.canvas.card_bounds != earlier.card_bounds:
            self.end_motion()
        if self.is_animated and is_new_view and before:
            self._start_motions(self._list_motions(earlier, *before))
        elif lifted is not None:
            self.lift_card(lifted)

    def _list_motions(self, earlier: Canvas, stage: Stage, view: View) -> list[motion.Motion]:
        """Return the motions since ``earlier``, the picture of ``stage`` and ``view``, another view."""
        frame, after = self.frame, self.canvas
        if not frame or self.overlay or frame.seat != view.seat:
            return []
        if frame.is_in_play and frame.view.round > view.round:
            others = [seat for seat in range(len(frame.names)) if seat != frame.seat]
            return motion.animate_deal(after, others) if self._moves_everything else motion.animate_hand(after)
        is_same_size = (earlier.width, earlier.height) == (after.width, after.height)
        if frame.is_in_play and stage is Stage.PLAY and frame.view.finished == view.finished and is_same_size:
            return motion.animate_moves(earlier, after, view.turn, find_taker(frame.game, view))
        if frame.is_in_play or not self._moves_everything:
            return []
        podium = motion.raise_podium(after) if stage is not Stage.SESSION_END else []
        return [*motion.count_totals(after, view.totals, frame.view.totals), *podium]

    @property
    def _moves_everything(self) -> bool:
        """False on the smallest screens, and where pictures travel: there only cards move, those of a deal together."""
        return not (get_layout(self.canvas).tiny or is_remote())

    def _start_motions(self, motions: Sequence[motion.Motion]) -> None:
        if motions:
            self._motions, self._motion_start = motions, monotonic()
            self.set_sprites(motion.create_sprites(motions, 0))
            self._timer = self.set_interval(motion.FRAME_SECONDS, self._advance_motions)

    def _advance_motions(self) -> None:
        time = monotonic() - self._motion_start
        if any(time < moving.end_time for moving in self._motions):
            self.set_sprites(motion.create_sprites(self._motions, time))
        else:
            self.end_motion()

    def lift_card(self, card: Card | None) -> None:
        """Lift a card of the hand that the mouse is over, and put down the one before; ``None`` lifts no card.

        Nothing is lifted while anything moves.
        """
        if card == self._lifted or self._timer or not (self.is_animated and self._moves_everything):
            return
        sprite = None if card is None else motion.lift_card(self.canvas, card)
        self._lifted = card
        self.set_sprites([sprite] if sprite else ())

    def scroll_messages(self, rows: int) -> None:
        """Scroll the messages in the panel to later ones, or to earlier ones if ``rows`` is negative."""
        self._messages_rows_back = max(self._messages_rows_back - rows, 0)
        self.repaint()

    def end_motion(self) -> None:
        """End all motion; everything is shown where it is."""
        if self._timer is not None:
            self._timer.stop()
        if self._timer is not None or self._lifted is not None:
            self._timer, self._motions, self._lifted = None, (), None
            self.set_sprites(())

    def paint(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height, self.appearance)
        if self.frame is None or paint_if_too_small(canvas):
            return canvas
        if self.overlay is None or not self.overlay.hides_table:
            if len(self.frame.messages) != len(self._messages):
                self._messages, self._messages_rows_back = self.frame.messages, 0
            self._messages_rows_back = paint_table(canvas, self.frame, self._messages_rows_back)
        if self.overlay is None and self.frame.is_in_play:
            if talk := _format_recent_talk(canvas, self.frame):
                paint_line_below_prompt(canvas, talk, "{messages} answers")
            elif self.frame.aim:
                paint_line_below_prompt(canvas, self.frame.aim, "{rules} shows the rules")
            elif card_text := self.frame.card_text:
                paint_line_below_prompt(canvas, card_text, "{explain_card} hides this line")
            if self.frame.offers_lessons:
                paint_lesson_offer(canvas, self.frame)
        canvas.faces = self.frame.game.about.faces
        if self.overlay is not None:
            self.overlay.paint(canvas, self.frame)
        return canvas


class Overlay(ActionDispatcher):
    """Content that covers the table, or part of it, until a key closes it."""

    hides_table = False
    """True if nothing of the table remains visible."""
    non_closing_keys: frozenset[str] = frozenset()
    """Names of the key bindings that do not close the overlay; all other keys do."""
    is_password_input = False
    """True for the password input, which is open while a curtain waits for a password."""
    view: View | None = None
    """View that the overlay is about, if play continues below it; a new view closes it."""
    below: "Overlay | None" = None
    """Overlay that is shown again after this one is closed."""

    @property
    def scope(self) -> KeyBindings[Self] | None:
        """Key bindings that are in force while the overlay is open; ``None`` for those of the table."""
        return None

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        """Paint the overlay; the canvas shows the table unless ``hides_table`` is True."""
        raise NotImplementedError

    def is_closed_by(self, name: str) -> bool:
        """Return True if a key closes the overlay; ``name`` is the name of its binding, "" if it has none."""
        return name not in self.non_closing_keys

    def should_yield_to(self, _name: str) -> bool:
        """Return True if a key of the table closes the overlay and has its usual effect, too."""
        return False

    def close_innermost(self) -> bool:
        """Close the innermost open part of the overlay; return False if no part is open."""
        return False

    def handle_click(self, _target: object) -> bool:
        """Handle a click on a mouse target; return False if it has no meaning, so that it closes the overlay."""
        return False

    def can_cover_curtain(self) -> bool:
        """Return True if the overlay may stay open over a curtain, because it shows no secrets of a player."""
        return False

    def handle_key(self, _key: str, _character: str | None, _binding: AnyKeyBinding | None) -> bool:
        """Apply a key to the overlay's text input; return False if the key has another meaning.

        The arguments are Textual's name of the key, the character it types, and its binding in the scope.
        """
        return False

    def paste(self, _text: str) -> bool:
        """Insert text into the overlay's text input; return False if it has none."""
        return False

    def scroll(self, _rows: int) -> bool:
        """Scroll down by ``_rows`` rows, or up if negative; return False if the overlay does not scroll."""
        return False

    def turn_over(self) -> bool:
        """Show the other side of the overlay; return False if it has only one."""
        return False


class TextInputOverlay(Overlay):
    """Overlay with a text input; only its own key bindings close it."""

    def __init__(self, text_input: TextInput) -> None:
        self.text_input = text_input

    def handle_key(self, key: str, character: str | None, binding: AnyKeyBinding | None) -> bool:
        return self.text_input.handle_key(key, character, binding)

    def paste(self, text: str) -> bool:
        self.text_input.insert(text)
        return True

    def action_edit_line(self, key: str) -> None:
        self.text_input.edit(key)

    def is_closed_by(self, _name: str) -> bool:
        return False
