"""The table screen's one widget: it paints a ``TableViewState``, and what is laid over it."""

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
from cardtable.ui.toolkit.page import too_small
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget
from cardtable.ui.toolkit.painting.layout import Box, Layout, grid_of, layout
from cardtable.ui.toolkit.painting.themes import Appearance


def paint_aim(canvas: Canvas, aim: str) -> None:
    """A line below the prompt, with the key for the rules where there is room; none while the prompt needs the row."""
    grid, inks = grid_of(canvas), canvas.theme.inks
    x, y, end = grid.board.x + grid.margin, grid.prompt_row + 1, grid.board.right
    if "".join(canvas.chars[y][grid.board.x : end + 1]).strip():
        return
    more = canvas.look.keys.format_keys("{rules} tells the rules")
    x = canvas.text(x, y, aim, inks.text)
    if x + 2 + cell_len(more) <= end:
        canvas.text(x + 2, y, more, inks.muted)


def paint_table(canvas: Canvas, frame: TableViewState, back: int = 0) -> int:
    """Paint the whole screen of a session, its messages scrolled ``back`` by so many rows, or as many as there are.

    Returns by how many they are.
    """
    if too_small(canvas):
        return 0
    grid = grid_of(canvas)
    if frame.stage is Stage.CURTAIN:
        from cardtable.ui.table.paint.curtain import paint_curtain  # noqa: PLC0415 - not for everybody

        paint_curtain(canvas, grid, frame)
        return 0
    paint_header(canvas, grid, frame)
    if frame.stage is Stage.PLAY:
        paint_board(canvas, grid, frame)
        sections = frame.piece.sections(frame.view, frame.names) if frame.view.round else ()
    else:
        from cardtable.ui.table.paint import round_end  # noqa: PLC0415 - after the first picture

        grid = layout(canvas.width, canvas.height)
        round_end.paint_round_end(canvas, grid, frame)
        paint_prompt(canvas, grid, frame, *round_end.end_prompt(frame))
        sections = round_end.end_sections(frame)
    back = paint_panel(canvas, grid, frame, sections, back) if grid.panel.width else 0
    if not grid.panel.width and frame.box_on_mat:
        _paint_box_on_mat(canvas, grid, frame, frame.box_on_mat)
    paint_footer(canvas, keys_now(frame), grid.margin, frame.banner)
    return back


def _paint_box_on_mat(canvas: Canvas, grid: Layout, frame: TableViewState, decision: Decision) -> None:
    box = box_on_mat(grid, decision, frame.option)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.row)
    inner = Box(box.x + 2, box.y, box.width - 4, box.height)
    paint_decision(canvas, inner, frame, decision, airy=False, on_mat=True)


class TableView(CanvasWidget):
    """Paints a ``TableViewState``; what is laid over it is painted by ``cover``."""

    can_focus = True

    def __init__(self, look: Appearance) -> None:
        super().__init__(look, id="table")
        self.frame: TableViewState | None = None
        self.cover: Overlay | None = None
        self.aim = ""
        """What the game is about, until a key is pressed at its first start."""
        self.moves = False
        """Whether cards are seen to move."""
        self._messages_back = 0
        """Rows that the messages of the panel are scrolled back."""
        self._messages: Sequence[Note] = ()
        """The messages that were scrolled: with a new one the newest are shown."""
        self._before: tuple[Stage, View] | None = None
        """What was last shown of the table."""
        self._flights: Sequence[card_animation.CardAnimation] = ()
        self._begun = 0.0
        self._timer: Timer | None = None

    def repaint(self) -> None:
        """Paint anew, and let cards move to where they lie now."""
        before, earlier = self._before, self.canvas
        stage_and_view = (self.frame.stage, self.frame.view) if self.frame and not self.cover else None
        gone_on = before is None or stage_and_view is None or before[1] is not stage_and_view[1]
        if gone_on:
            self.land()
        super().repaint()
        self._before = stage_and_view
        if self.moves and gone_on and before and (earlier.width, earlier.height) == self.size:
            self._fly(earlier, *before)

    def _fly(self, earlier: Canvas, stage: Stage, view: View) -> None:
        """Let cards move from where they lay in the picture of ``view``."""
        frame = self.frame
        if not frame or self.cover or frame.stage is not Stage.PLAY or frame.me != view.seat:
            return
        if stage is Stage.ROUND_END:
            self._flights = card_animation.dealt(self.canvas)
        elif stage is Stage.PLAY and frame.view.finished == view.finished:
            who = taker(frame.game, frame.piece, view)
            self._flights = card_animation.flights(earlier, self.canvas, view.turn, who)
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
        """Scroll the messages of the panel: to later ones, or back with a negative number."""
        self._messages_back = max(self._messages_back - rows, 0)
        self.repaint()

    def land(self) -> None:
        """Let cards that move be where they go to."""
        if self._timer is not None:
            self._timer.stop()
            self._timer, self._flights = None, ()
            self.set_sprites(())

    def paint(self, width: int, height: int) -> Canvas:
        """The table, and over it what is looked at."""
        canvas = Canvas(width, height, self.look)
        if self.frame is None:
            return canvas
        if self.cover is None or not self.cover.alone:
            if len(self.frame.messages) != len(self._messages):
                self._messages, self._messages_back = self.frame.messages, 0
            self._messages_back = paint_table(canvas, self.frame, self._messages_back)
        if self.aim and self.cover is None and self.frame.stage is Stage.PLAY and not too_small(canvas):
            paint_aim(canvas, self.aim)
        if self.cover is not None:
            self.cover.paint(canvas, self.frame)
        return canvas
