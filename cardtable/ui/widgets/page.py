"""What the screens beside the table have in common: header, scroll bar, the too small terminal."""

from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import LEAST
from cardtable.ui.words import cut

MARGIN = 2
"""Free columns at both sides of a page."""


def paint_page_header(canvas: Canvas, title: str, context: str = "", right: str = "") -> None:
    """Row 0: the screen's name, what it is about, and at the right who or when."""
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    canvas.spot(0, 0, canvas.width, 1, None)
    x = canvas.text(MARGIN, 0, title, inks.text, bold=True) + 3
    end = canvas.right(canvas.width - 1 - MARGIN, 0, right, inks.muted)
    canvas.text(x, 0, cut(context, end - x - 1), inks.muted)


def paint_scroll_bar(canvas: Canvas, x: int, offset: int, total: int) -> None:
    """A bar between header and footer, if there are more rows in ``total`` than they leave room for."""
    rows = canvas.height - 2
    if total <= rows:
        return
    length = max(rows * rows // total, 1)
    start = (rows - length) * offset // (total - rows)
    canvas.fill(x, 1, 1, rows, canvas.theme.grounds.panel)
    canvas.fill(x, 1 + start, 1, length, canvas.theme.grounds.bonus)


def too_small(canvas: Canvas) -> bool:
    """Whether the terminal is too small; then the canvas says how large it must be."""
    width, height = LEAST
    if canvas.width >= width and canvas.height >= height:
        return False
    said = (f"{canvas.width}x{canvas.height} is too small", f"{width}x{height} is needed", "all is kept")
    for row, line in enumerate(said):
        text = cut(line, canvas.width)
        canvas.centre(canvas.width // 2, max(canvas.height // 2 - 1, 0) + row, text, canvas.theme.inks.text)
    return True
