"""The curtain of the hot seat: nothing of the table but whose turn it is."""

from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Layout
from cardtable.ui.sight import Sight
from cardtable.ui.widgets.frame import paint_footer

PLATE_WIDTH = 36


def paint_curtain(canvas: Canvas, grid: Layout, sight: Sight) -> None:
    """A closed hand, and a gold plate with the name of who is to take the keyboard."""
    theme, middle, top = canvas.theme, canvas.width // 2, canvas.height // 2 - 4
    canvas.fill(0, 0, canvas.width, 1, theme.grounds.panel)
    canvas.text(grid.margin, 0, sight.game.about.title, theme.inks.text, bold=True)
    cards = len(sight.piece.order(sight.view))
    for i in range(cards):
        x = middle - (2 * cards + faces.SMALL.width) // 2 + 2 * i
        faces.back(canvas, x, top - 4, faces.SMALL)
    canvas.fill(middle - PLATE_WIDTH // 2, top, PLATE_WIDTH, 3, theme.inks.gold)
    name = sight.names[sight.me]
    canvas.centre(middle, top + 1, f"{name}'s turn", theme.grounds.panel, bold=True)
    canvas.centre(middle, top + 4, f"Press Enter when only {name} can see the screen", theme.inks.muted)
    paint_footer(canvas, [("play", "show the hand"), ("leave", "leave")], grid.margin)
