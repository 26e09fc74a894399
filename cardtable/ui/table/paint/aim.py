"""The aim of a game, for who plays it for the first time."""

from rich.cells import cell_len

from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import grid_of


def paint_aim(canvas: Canvas, aim: str) -> None:
    """A line below the prompt, with the key for the rules where there is room; none while the prompt needs the row."""
    grid, inks = grid_of(canvas), canvas.theme.inks
    x, y, end = grid.board.x + grid.margin, grid.prompt_row + 1, grid.board.right
    if "".join(canvas.chars[y][grid.board.x : end + 1]).strip():
        return
    more = canvas.look.keys.told("{rules} tells the rules")
    x = canvas.text(x, y, aim, inks.text)
    if x + 2 + cell_len(more) <= end:
        canvas.text(x + 2, y, more, inks.muted)
