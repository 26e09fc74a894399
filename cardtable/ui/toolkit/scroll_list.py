"""Scrolling columns of blocks with a cursor."""

from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

from cardtable.ui.toolkit.painting.canvas import Canvas, truncate
from cardtable.ui.toolkit.painting.layout import MARGIN

INDENT: Final = 3
"""Number of columns between the cursor's bar and the text."""
_ROWS_ABOVE: Final = 2
"""Number of rows above the cursor that scrolling keeps visible, for headings."""


class BlockArea(NamedTuple):
    """Rectangle of a block on a canvas; ``has_cursor`` is True if the cursor is on the block."""

    canvas: Canvas
    x: int
    y: int
    width: int
    has_cursor: bool

    @property
    def name_ink(self) -> str:
        """Ink of a name, gold under the cursor."""
        inks = self.canvas.theme.inks
        return inks.gold if self.has_cursor else inks.text

    @property
    def muted_ink(self) -> str:
        """Ink of an explanation, brighter under the cursor."""
        inks = self.canvas.theme.inks
        return inks.soft if self.has_cursor else inks.muted

    @property
    def quiet_ink(self) -> str:
        """Ink of the least important text, brighter under the cursor."""
        inks = self.canvas.theme.inks
        return inks.soft if self.has_cursor else inks.quiet

    def paint_cursor(self, height: int) -> None:
        """Paint the background and the bar of the cursor, ``height`` rows high."""
        self.canvas.fill(self.x, self.y, self.width, height, self.canvas.theme.grounds.row)
        for row in range(self.y, self.y + height):
            self.canvas.write(self.x, row, "▌", self.canvas.theme.inks.gold)

    def write(self, x: int, row: int, text: str, ink: str, *, max_width: int | None = None, bold: bool = False) -> int:
        """Write at a column and row of the block, truncated to its width and to ``max_width`` columns.

        Returns the column of the canvas after the text.
        """
        room = max(self.width - x, 0)
        text = truncate(text, room if max_width is None else min(max_width, room))
        return self.canvas.write(self.x + x, self.y + row, text, ink, bold=bold)

    def write_right(self, row: int, text: str, ink: str) -> int:
        """Write right-aligned at the last column; return the column of the block in which the text begins."""
        return self.canvas.write_right(self.x + self.width - 1, self.y + row, text, ink) - self.x


class Block(NamedTuple):
    """Rows of a column that belong together; they stay empty if ``paint`` is ``None``."""

    height: int
    paint: Callable[[BlockArea], None] | None = None
    item: Hashable | None = None
    """Value of the cursor on this block, and mouse target of its rows; ``None`` if the cursor cannot reach it."""
    highlighted_rows: int | None = None
    """Number of rows that the cursor highlights; ``None`` for all of them.

    If it is 0, the block paints its cursor and adds its hit boxes itself.
    """


GAP_BLOCK: Final = Block(1)


def paint_column(
    canvas: Canvas,
    blocks: Sequence[Block],
    x: int,
    width: int,
    *,
    cursor: Hashable,
    offset: int,
    follow_cursor: bool,
    top: int = 1,
) -> int:
    """Paint the blocks from row ``top`` to the footer, scrolled by ``offset`` rows; return the offset that was used.

    With ``follow_cursor`` the column scrolls to keep the cursor visible. Blocks may overwrite the rows above ``top``,
    which must be painted afterwards.
    """
    rows, y = canvas.height - 1 - top, 1
    for block in blocks:
        if follow_cursor and block.item == cursor:
            offset = max(min(offset, y - _ROWS_ABOVE), y + block.height - rows)
        y += block.height
    offset = max(0, min(offset, y - rows))
    paint_scroll_bar(canvas, x + width + MARGIN - 1, offset, y, top)
    y = top + 1 - offset
    for block in blocks:
        if block.paint and y + block.height > top and y < top + rows:
            _paint_block(canvas, block, x, y, width, has_cursor=block.item == cursor)
        y += block.height
    return offset


def paint_scroll_bar(canvas: Canvas, x: int, offset: int, total: int, top: int = 1, height: int | None = None) -> None:
    """Paint a scroll bar in column ``x`` beside a list of ``total`` rows that is scrolled down by ``offset`` rows.

    The list is shown in ``height`` rows from row ``top`` of the canvas; with ``None``, in all rows down to the footer.
    Nothing is painted if all rows of the list fit, or if there is no room for any.
    """
    rows = canvas.height - 1 - top if height is None else height
    if rows < 1 or total <= rows:
        return
    length = max(rows * rows // total, 1)
    start = (rows - length) * offset // (total - rows)
    canvas.fill(x, top, 1, rows, canvas.theme.grounds.panel)
    canvas.fill(x, top + start, 1, length, canvas.theme.grounds.bonus)


def _paint_block(canvas: Canvas, block: Block, x: int, y: int, width: int, *, has_cursor: bool) -> None:
    area = BlockArea(canvas, x, y, width, has_cursor=has_cursor and block.item is not None)
    if block.item is not None and block.highlighted_rows != 0:
        canvas.add_hit_box(x, y, width, block.height, block.item)
        if has_cursor:
            area.paint_cursor(block.height if block.highlighted_rows is None else block.highlighted_rows)
    assert block.paint is not None
    block.paint(area)
