"""The header of the table: the game, where it stands, totals and clocks."""

from typing import Final

from rich.cells import cell_len

from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import LEAST_NAME, Layout
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
    facts = (*frame.facts, *[f"{', '.join(frame.looking_on)} watching"] * bool(frame.looking_on))
    end = canvas.width - 1 - margin
    if frame.clock:
        ink = inks.gold if frame.waiting else inks.text
        end = canvas.right(end, 0, frame.clock, ink, bold=frame.waiting) - 3
    seats = [(frame.me + i) % len(frame.names) for i in range(len(frame.names))]
    totals = [str(frame.view.totals[seat]).replace("-", "\u2212") for seat in seats]
    clocks = [frame.clock_of(seat) for seat in seats]
    numbers = sum(len(total) + 3 for total in totals) + sum(len(clock) + 3 for clock in clocks if clock)
    names = [frame.names[seat] for seat in seats]
    room = end - x - numbers + 1
    least = sum(min(cell_len(name), LEAST_NAME) for name in names)
    while facts and cell_len(FACTS.join(facts)) + least > room + 1:
        facts = facts[:-1]
    told = FACTS.join(facts)
    x -= cell_len(told) + least > room
    names = _cut(names, room - 1 - cell_len(told))
    left = end - sum(map(cell_len, names)) - numbers + 3 + bool(clocks[-1])
    canvas.text(x, 0, told, inks.muted)
    for i, (seat, name, total, clock) in enumerate(zip(seats, names, totals, clocks, strict=True)):
        left = canvas.text(left, 0, name, inks.muted if i else inks.text, bold=not i)
        left = canvas.text(left + 1, 0, total, inks.text, bold=not i) + 2
        if clock:
            runs = frame.waiting and seat == frame.view.turn
            left = canvas.text(left, 0, clock, inks.gold if runs else inks.text, bold=runs) + 3


def _cut(names: list[str], room: int) -> list[str]:
    """Names shortened from the longest on, to three letters at least, until they fit."""
    names = list(names)
    while sum(map(cell_len, names)) > room and max(map(len, names)) > LEAST_NAME:
        longest = max(range(len(names)), key=lambda i: len(names[i]))
        names[longest] = names[longest][:-1]
    return names
