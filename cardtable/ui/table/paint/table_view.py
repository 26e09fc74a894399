"""Widget of the table screen: paints a view state and the overlay on it."""

from collections.abc import Sequence
from time import monotonic

from rich.cells import cell_len
from textual.timer import Timer

from cardtable.engine.game import Note, View
from cardtable.session.session_events import Stage
from cardtable.ui.game_view import card_animation
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import taker
from cardtable.ui.table.input.enabled_actions import keys_now
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import Overlay
from cardtable.ui.table.paint.board import paint_board, paint_header, paint_prompt
from cardtable.ui.table.paint.decision_box import box_on_mat, paint_decision
from cardtable.ui.table.paint.panel import paint_panel
from cardtable.ui.toolkit.footer import paint_footer
from cardtable.ui.toolkit.page import paint_if_too_small
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget
from cardtable.ui.toolkit.painting.layout import Box, Layout, compute_layout, grid_of
from cardtable.ui.toolkit.painting.themes import Appearance


def paint_aim(canvas: Canvas, aim: str) -> None:
    """Paint the aim of the game below the prompt, with the key for the rules if there is room.

    Nothing is painted if the row is used by the prompt.
    """
    grid, inks = grid_of(canvas), canvas.theme.inks
    x, y, end = grid.board.x + grid.margin, grid.prompt_row + 1, grid.board.right
    if "".join(canvas.chars[y][grid.board.x : end + 1]).strip():
        return
    more = canvas.look.keys.format_keys("{rules} tells the rules")
    x = canvas.text(x, y, aim, inks.text)
    if x + 2 + cell_len(more) <= end:
        canvas.text(x + 2, y, more, inks.muted)


def paint_table(canvas: Canvas, frame: TableViewState, back: int = 0) -> int:
    """Paint the whole table screen, with the messages scrolled back by ``rows_back`` rows or as far as possible.

    Returns the actual number of rows.
    """
    if paint_if_too_small(canvas):
        return 0
    grid = grid_of(canvas)
    if frame.stage is Stage.CURTAIN:
        from cardtable.ui.table.paint.curtain import paint_curtain  # noqa: PLC0415 - lazy: startup

        paint_curtain(canvas, grid, frame)
        return 0
    paint_header(canvas, grid, frame)
    if frame.stage is Stage.PLAY:
        paint_board(canvas, grid, frame)
        sections = frame.piece.sections(frame.view, frame.names) if frame.view.round else ()
    else:
        from cardtable.ui.table.paint import round_end  # noqa: PLC0415 - lazy: startup

        grid = compute_layout(canvas.width, canvas.height)
        round_end.paint_round_end(canvas, grid, frame)
        paint_prompt(canvas, grid, frame, *round_end.end_prompt(frame))
        sections = round_end.end_sections(frame)
    back = paint_panel(canvas, grid, frame, sections, back) if grid.panel.width else 0
    if not grid.panel.width and frame.box_on_mat:
        _paint_box_on_mat(canvas, grid, frame, frame.box_on_mat)
    paint_footer(canvas, keys_now(frame), grid.margin, frame.banner)
    return back


def _paint_box_on_mat(canvas: Canvas, layout: Layout, frame: TableViewState, decision: Decision) -> None:
    box = box_on_mat(layout, decision, frame.option)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.row)
    inner = Box(box.x + 2, box.y, box.width - 4, box.height)
    paint_decision(canvas, inner, frame, decision, airy=False, on_mat=True)


class TableView(CanvasWidget):
    """Widget that paints the view state ``frame`` and the overlay on it."""

    can_focus = True

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance, id="table")
        self.frame: TableViewState | None = None
        self.cover: Overlay | None = None
        self.aim = ""
        """Aim of the game, shown when it is played for the first time until a key is pressed; "" otherwise."""
        self.moves = False
        """True if card movements are animated."""
        self._messages_back = 0
        """Number of rows by which the messages in the panel are scrolled back."""
        self._messages: Sequence[Note] = ()
        """Messages when they were painted last; a new message scrolls to the newest ones."""
        self._before: tuple[Stage, View] | None = None
        """Stage and view that were painted last; ``None`` if an overlay was open."""
        self._flights: Sequence[card_animation.CardAnimation] = ()
        self._begun = 0.0
        self._timer: Timer | None = None

    def repaint(self) -> None:
        """Repaint, and animate the cards that have moved since the view painted before."""
        before, earlier = self._before, self.canvas
        stage_and_view = (self.frame.stage, self.frame.view) if self.frame and not self.cover else None
        is_new_view = before is None or stage_and_view is None or before[1] is not stage_and_view[1]
        if is_new_view:
            self.land()
        super().repaint()
        self._before = stage_and_view
        if self.moves and is_new_view and before and (earlier.width, earlier.height) == self.size:
            self._fly(earlier, *before)

    def _fly(self, earlier: Canvas, stage: Stage, view: View) -> None:
        """Start the animation of cards that have moved since ``earlier``, the picture of ``stage`` and ``view``."""
        frame = self.frame
        if not frame or self.cover or frame.stage is not Stage.PLAY or frame.seat != view.seat:
            return
        if stage is Stage.ROUND_END:
            self._flights = card_animation.dealt(self.canvas)
        elif stage is Stage.PLAY and frame.view.finished == view.finished:
            winner = taker(frame.game, frame.piece, view)
            self._flights = card_animation.animations(earlier, self.canvas, view.turn, winner)
        if self._flights:
            self._begun = monotonic()
            self.set_sprites(card_animation.frame(self._flights, 0))
            self._timer = self.set_interval(card_animation.FRAME_SECONDS, self._advance)

    def _advance(self) -> None:
        share = (monotonic() - self._begun) / card_animation.SECONDS
        if share < 1:
            self.set_sprites(card_animation.frame(self._flights, share))
        else:
            self.land()

    def scroll_messages(self, rows: int) -> None:
        """Scroll the messages in the panel to later ones, or to earlier ones if ``rows`` is negative."""
        self._messages_back = max(self._messages_back - rows, 0)
        self.repaint()

    def land(self) -> None:
        """End the animation; the cards are shown at their new positions."""
        if self._timer is not None:
            self._timer.stop()
            self._timer, self._flights = None, ()
            self.set_sprites(())

    def paint(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height, self.look)
        if self.frame is None:
            return canvas
        if self.cover is None or not self.cover.hides_table:
            if len(self.frame.messages) != len(self._messages):
                self._messages, self._messages_back = self.frame.messages, 0
            self._messages_back = paint_table(canvas, self.frame, self._messages_back)
        if self.aim and self.cover is None and self.frame.stage is Stage.PLAY and not paint_if_too_small(canvas):
            paint_aim(canvas, self.aim)
        if self.cover is not None:
            self.cover.paint(canvas, self.frame)
        return canvas
