"""The header of the table: the game, where it stands, totals and clocks."""

from typing import Final

from rich.cells import cell_len

from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import Layout
from cardtable.ui.draw.names import LEAST_NAME, cut_alike, cut_together
from cardtable.ui.page.footer import Press
from cardtable.ui.table.model.frame import Frame

FACTS: Final = " · "
"""What stands between the facts of a header."""


def paint_header(canvas: Canvas, grid: Layout, frame: Frame) -> None:
    """The game and where it stands; at the right totals, one's own first, and the clock."""
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    margin = grid.margin
    x = canvas.text(margin, 0, frame.game.about.title, inks.text, bold=True)
    canvas.spot(margin, 0, x - margin, 1, Press("rules"))
    x += 2
    end = canvas.width - 1 - margin
    if frame.clock:
        ink = inks.gold if frame.waiting else inks.text
        end = canvas.right(end, 0, frame.clock, ink, bold=frame.waiting) - 3
    sides = frame.sides
    totals = [str(frame.view.totals[side[0]]).replace("-", "\u2212") for side in sides]
    clocks = [" ".join(filter(None, map(frame.clock_of, side))) for side in sides]
    numbers = sum(len(total) + 3 for total in totals) + sum(len(clock) + 3 for clock in clocks if clock)
    names = [frame.side_name(side) for side in sides]
    room = end - x - numbers + 1
    told = _told(frame, names, room)
    names = cut_together(names, room - 1 - cell_len(told))
    x -= cell_len(told) + sum(map(cell_len, names)) > room
    left = end - sum(map(cell_len, names)) - numbers + 3 + bool(clocks[-1])
    canvas.text(x, 0, told, inks.muted)
    for i, (side, name, total, clock) in enumerate(zip(sides, names, totals, clocks, strict=True)):
        left = canvas.text(left, 0, name, inks.muted if i else inks.text, bold=not i)
        left = canvas.text(left + 1, 0, total, inks.text, bold=not i) + 2
        if clock:
            runs = frame.waiting and frame.view.turn in side
            left = canvas.text(left, 0, clock, inks.gold if runs else inks.text, bold=runs) + 3


def _told(frame: Frame, names: list[str], room: int) -> str:
    """The facts that there is room for beside the names: which round it is, what else leaves names whole.

    Where names have to be cut even so, it is all that leaves each of them three letters.
    """
    facts = (*frame.facts, *[f"{', '.join(frame.looking_on)} watching"] * bool(frame.looking_on))
    tries = [FACTS.join(facts[:number]) for number in range(len(facts), -1, -1)]
    whole, least = sum(map(cell_len, names)), sum(map(cell_len, cut_alike(names, LEAST_NAME)))
    with_round = tries[: len(facts) - len(frame.piece.header(frame.view).before)] if frame.facts else []
    fitting = [told for told in with_round if cell_len(told) + whole < room]
    return next(iter(fitting), next(told for told in tries if not told or cell_len(told) + least <= room + 1))
