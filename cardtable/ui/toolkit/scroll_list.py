"""Columns of blocks in which a cursor moves; one that is longer than the screen scrolls."""

from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.text_fit import truncate

INDENT: Final = 3
"""Columns between the cursor's bar and the words."""
_ABOVE: Final = 2
"""Rows above the cursor that stay in sight, for headings."""


class Place(NamedTuple):
    """Where something stands, and whether the cursor is on it."""

    canvas: Canvas
    x: int
    y: int
    width: int
    at: bool

    @property
    def end(self) -> int:
        """The last column."""
        return self.x + self.width - 1

    @property
    def name(self) -> str:
        """The ink of a name: gold where Enter goes."""
        inks = self.canvas.theme.inks
        return inks.gold if self.at else inks.text

    @property
    def muted(self) -> str:
        """The ink of what explains."""
        inks = self.canvas.theme.inks
        return inks.soft if self.at else inks.muted

    @property
    def quiet(self) -> str:
        """The ink of what matters least."""
        inks = self.canvas.theme.inks
        return inks.soft if self.at else inks.quiet

    def ground(self, height: int) -> None:
        """The ground and the bar of the cursor."""
        self.canvas.fill(self.x, self.y, self.width, height, self.canvas.theme.grounds.row)
        for row in range(self.y, self.y + height):
            self.canvas.text(self.x, row, "▌", self.canvas.theme.inks.gold)

    def text(self, x: int, row: int, text: str, ink: str, *, most: int | None = None, bold: bool = False) -> int:
        """Write ``x`` columns in, ``row`` rows down, no further than ``most`` columns or the end."""
        room = max(self.end - self.x - x + 1, 0)
        return self.canvas.text(
            self.x + x, self.y + row, truncate(text, room if most is None else min(most, room)), ink, bold=bold
        )

    def right(self, row: int, text: str, ink: str) -> int:
        """Write so that the text ends in the last column; returns how many columns in it begins."""
        return self.canvas.right(self.end, self.y + row, text, ink) - self.x


class Block(NamedTuple):
    """Rows of a column that belong together; without ``paint`` they are free."""

    height: int
    paint: Callable[[Place], None] | None = None
    item: Hashable | None = None
    """What the cursor can be on, and what the mouse finds here."""
    lit: int | None = None
    """How many rows have the cursor's ground: all, if nothing is said; 0 if it marks itself, for the mouse, too."""


GAP: Final = Block(1)


def rows_of(blocks: Sequence[Block]) -> int:
    """How many rows they have."""
    return sum(block.height for block in blocks)


def paint_column(
    canvas: Canvas,
    blocks: Sequence[Block],
    x: int,
    width: int,
    *,
    cursor: Hashable,
    offset: int,
    follow: bool,
    top: int = 1,
) -> int:
    """Paint from row ``top`` to the footer, with ``offset`` rows scrolled away; returns how many are.

    With ``follow`` the cursor is kept in sight.  What stands above ``top`` is to be painted later.
    """
    rows, y = canvas.height - 1 - top, 1
    for block in blocks:
        if follow and block.item == cursor:
            offset = max(min(offset, y - _ABOVE), y + block.height - rows)
        y += block.height
    offset = max(0, min(offset, y - rows))
    paint_scroll_bar(canvas, x + width + MARGIN - 1, offset, y, top)
    y = top + 1 - offset
    for block in blocks:
        if block.paint and y + block.height > top and y < top + rows:
            _paint_block(canvas, block, x, y, width, at=block.item == cursor)
        y += block.height
    return offset


def paint_scroll_bar(canvas: Canvas, x: int, offset: int, total: int, top: int = 1, rows: int = 0) -> None:
    """A bar from row ``top`` to the footer, or of so many ``rows``, if ``total`` is more than there is room for."""
    rows = rows or canvas.height - 1 - top
    if total <= rows:
        return
    length = max(rows * rows // total, 1)
    start = (rows - length) * offset // (total - rows)
    canvas.fill(x, top, 1, rows, canvas.theme.grounds.panel)
    canvas.fill(x, top + start, 1, length, canvas.theme.grounds.bonus)


def _paint_block(canvas: Canvas, block: Block, x: int, y: int, width: int, *, at: bool) -> None:
    where = Place(canvas, x, y, width, at=at and block.item is not None)
    if block.item is not None and block.lit != 0:
        canvas.add_hit_box(x, y, width, block.height, block.item)
        if at:
            where.ground(block.height if block.lit is None else block.lit)
    assert block.paint is not None
    block.paint(where)
