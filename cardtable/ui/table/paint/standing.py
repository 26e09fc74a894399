"""Seats, places and what was earned, as the end of a round and the score sheet show them."""

from dataclasses import dataclass

from rich.cells import cell_len

from cardtable.engine.contract import Bonus, Score, Seat, Sides, ranked
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import Box
from cardtable.ui.draw.names import WHOLE_NAME, cut_alike
from cardtable.ui.draw.plot import Curve
from cardtable.ui.table.model.frame import Frame


def seats(frame: Frame) -> list[Seat]:
    """All seats, side by side in that order."""
    return [seat for side in frame.sides for seat in side]


def places(frame: Frame) -> tuple[int, ...]:
    """The places of all seats: the final ones, else those of the totals so far."""
    sides = frame.game.sides_of(frame.view)
    return frame.ranks or ranked(frame.view.totals, lowest_wins=frame.game.lowest_wins, sides=sides)


def results(frame: Frame) -> tuple[int, ...]:
    """What the totals of all seats come to at the end, else the totals so far."""
    return frame.results or frame.view.totals


def by_place(frame: Frame) -> Sides:
    """All sides, the best first; of equals the one that sits nearer, clockwise from one's own."""
    place = places(frame)
    return tuple(sorted(frame.sides, key=lambda side: place[side[0]]))


def total_lines(frame: Frame) -> list[Curve]:
    """The totals of all sides for a plot, from nothing before the first round on; one's own first."""
    return [
        Curve(frame.side_name(side), (0, *[score.totals[side[0]] for score in frame.scores])) for side in frame.sides
    ]


def fell(frame: Frame, score: Score, seat: Seat) -> bool:
    """Whether the seat did not take the tricks it had bid; never so in games without bids."""
    if not frame.game.exact_bids:
        return False
    bid, won = score.figures[seat]
    return bid != won


def bonuses(frame: Frame) -> list[tuple[int, str, Bonus]]:
    """Every bonus earned, with the number of its round and the name of the side."""
    return [
        (round_number, frame.side_name(side), bonus)
        for round_number, score in enumerate(frame.scores, start=1)
        for side in sorted(frame.sides)
        for bonus in score.bonuses[side[0]]
    ]


@dataclass(frozen=True, slots=True)
class Tally:
    """What each seat has done how often, of the rounds that are finished."""

    heading: str
    counts: tuple[int, ...]


def tally(frame: Frame) -> Tally:
    """Exact bids where there are bids; else the rounds in which nobody did better, as the game calls them."""
    count = range(len(frame.names))
    if frame.game.exact_bids:
        return Tally("Exact bids", tuple(sum(not fell(frame, score, seat) for score in frame.scores) for seat in count))
    each = frame.game.sides_of(frame.view)
    best = [ranked(score.points, lowest_wins=frame.game.lowest_wins, sides=each) for score in frame.scores]
    return Tally(frame.piece.best_rounds, tuple(sum(place[seat] == 1 for place in best) for seat in count))


def paint_tally(canvas: Canvas, box: Box, frame: Frame) -> None:
    """The tally as a bar for each side, in two columns where one has not enough rows."""
    inks, rounds = canvas.theme.inks, len(frame.scores)
    counts, order = tally(frame).counts, frame.sides
    wide = len(order) <= box.height
    rows, width = (len(order), box.width) if wide else (-(-len(order) // 2), (box.width - 3) // 2)
    names = [frame.side_name(side) for side in order]
    label = min(max(map(cell_len, names)), max(width // 4, WHOLE_NAME)) + 2
    bar = width - label - len(f"{rounds} of {rounds}") - 1
    for i, (side, name) in enumerate(zip(order, cut_alike(names, label - 2), strict=True)):
        x, y = box.x + i // rows * (width + 3), box.y + i % rows
        own, done = frame.me in side, counts[side[0]]
        ink = inks.text if own else inks.muted
        canvas.text(x, y, name, ink, bold=own)
        paint_bar(canvas, Box(x + label, y, bar, 1), done, rounds)
        canvas.right(x + width - 1, y, f"{done} of {rounds}", ink)


def paint_bar(canvas: Canvas, box: Box, done: int, of: int) -> None:
    """A thin bar in half steps, over the track of its whole width."""
    theme = canvas.theme
    halves = 2 * box.width * done // of if of else 0
    full, half = divmod(halves, 2)
    canvas.text(box.x, box.y, "━" * box.width, theme.grounds.track)
    canvas.text(box.x, box.y, "━" * full + "╸" * half, theme.inks.soft)
