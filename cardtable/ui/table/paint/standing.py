"""Seats, places and what was earned, as the end of a round and the score sheet show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from cardtable.engine.bidding import COLUMNS
from cardtable.engine.contract import Bonus, Score, Seat, ranked
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import Box
from cardtable.ui.draw.names import WHOLE_NAME, cut_alike
from cardtable.ui.draw.plot import Curve
from cardtable.ui.table.model.frame import Frame


def seats(frame: Frame) -> list[Seat]:
    """All seats, one's own first, then clockwise as they sit on the screen."""
    count = len(frame.names)
    return [(frame.me + i) % count for i in range(count)]


def places(frame: Frame) -> tuple[int, ...]:
    """The places of all seats: the final ones, else those of the totals so far."""
    return frame.ranks or ranked(frame.view.totals, lowest_wins=frame.game.lowest_wins)


def results(frame: Frame) -> tuple[int, ...]:
    """What the totals of all seats come to at the end, else the totals so far."""
    return frame.results or frame.view.totals


def by_place(frame: Frame) -> list[Seat]:
    """All seats, the best first; of equals the one that sits nearer, clockwise from one's own."""
    place = places(frame)
    return sorted(seats(frame), key=lambda seat: place[seat])


def total_lines(frame: Frame) -> list[Curve]:
    """The totals of all seats for a plot, from nothing before the first round on; one's own first."""
    return [Curve(frame.names[seat], (0, *[score.totals[seat] for score in frame.scores])) for seat in seats(frame)]


def fell(frame: Frame, score: Score, seat: Seat) -> bool:
    """Whether the seat did not take the tricks it had bid; never so in games without bids."""
    if frame.game.columns != COLUMNS:
        return False
    bid, won = score.figures[seat]
    return bid != won


def bonuses(scores: Sequence[Score]) -> list[tuple[int, Seat, Bonus]]:
    """Every bonus earned, with the number of its round and the seat."""
    return [
        (round_number, seat, bonus)
        for round_number, score in enumerate(scores, start=1)
        for seat, earned in enumerate(score.bonuses)
        for bonus in earned
    ]


@dataclass(frozen=True, slots=True)
class Tally:
    """What each seat has done how often, of the rounds that are finished."""

    heading: str
    counts: tuple[int, ...]


def tally(frame: Frame) -> Tally:
    """Exact bids where there are bids; else the rounds in which nobody did better, as the game calls them."""
    count = range(len(frame.names))
    if frame.game.columns == COLUMNS:
        return Tally("Exact bids", tuple(sum(not fell(frame, score, seat) for score in frame.scores) for seat in count))
    best = [ranked(score.points, lowest_wins=frame.game.lowest_wins) for score in frame.scores]
    return Tally(frame.piece.best_rounds, tuple(sum(place[seat] == 1 for place in best) for seat in count))


def paint_tally(canvas: Canvas, box: Box, frame: Frame) -> None:
    """The tally as a bar for each seat, in two columns where one has not enough rows."""
    inks, rounds = canvas.theme.inks, len(frame.scores)
    counts, order = tally(frame).counts, seats(frame)
    wide = len(order) <= box.height
    rows, width = (len(order), box.width) if wide else (-(-len(order) // 2), (box.width - 3) // 2)
    label = min(max(map(cell_len, frame.names)), max(width // 4, WHOLE_NAME)) + 2
    bar = width - label - len(f"{rounds} of {rounds}") - 1
    names = cut_alike(frame.names, label - 2)
    for i, seat in enumerate(order):
        x, y = box.x + i // rows * (width + 3), box.y + i % rows
        own = seat == frame.me
        ink = inks.text if own else inks.muted
        canvas.text(x, y, names[seat], ink, bold=own)
        paint_bar(canvas, Box(x + label, y, bar, 1), counts[seat], rounds)
        canvas.right(x + width - 1, y, f"{counts[seat]} of {rounds}", ink)


def paint_bar(canvas: Canvas, box: Box, done: int, of: int) -> None:
    """A thin bar in half steps, over the track of its whole width."""
    theme = canvas.theme
    halves = 2 * box.width * done // of if of else 0
    full, half = divmod(halves, 2)
    canvas.text(box.x, box.y, "━" * box.width, theme.grounds.track)
    canvas.text(box.x, box.y, "━" * full + "╸" * half, theme.inks.soft)
