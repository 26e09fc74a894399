"""The score table of a game with real cards: names and totals, the rounds, and what there is when it is over."""

from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.contract import Score, Seat
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import cut, wrap
from cardtable.ui.draw.layout import grid_of
from cardtable.ui.draw.names import WHOLE_NAME, cut_alike
from cardtable.ui.score_table.panel import GONE, paint_panel
from cardtable.ui.score_table.scoring import EDGE, Scoring, option_lines
from cardtable.wording.titles import deal
from cardtable.wording.words import gained, ordinal, signed

PANEL: Final = 26
LARGE_PANEL: Final = 34
"""Columns of the panel, and where there is much room."""
TOP: Final = 5
"""The first row of the rounds."""
ENTRY: Final = 10
LARGE_ENTRY: Final = 14
"""Rows of the entry block; more where more is asked."""
FIELD: Final = 6
"""Columns of a count."""
_NAME: Final = 9
"""Columns of a name, with one free before it."""
_TOTALS: Final = 12
"""Columns of a player in which there is room for totals beside the points."""
_STAR: Final = "★"


class Again(NamedTuple):
    """The mouse's target: a round that was entered."""

    number: int


class ScorePlaces(NamedTuple):
    """Where columns and rows lie."""

    large: bool
    width: int
    """Columns without the panel."""
    entry: int
    """The first row of the entry block."""
    height: int
    """Its rows."""
    round_end: int
    who: int
    whose: list[str]
    """Names or what tells them apart, as they stand before a round."""
    title: int
    title_width: int
    ends: tuple[int, ...]
    """Where each player's points end."""
    step: int


def places_of(canvas: Canvas, it: Scoring) -> ScorePlaces:
    """The places on a canvas."""
    grid, seats = grid_of(canvas), it.sheet.seats
    round_end, who, edge = (7, 10, 9) if grid.large else (4, 6, 1)
    shorter = [cut_alike(it.names, most) for most in range(WHOLE_NAME, 0, -1)]
    longest = max([len("deal"), *[card_faces.shown_width(deal(score, short=True)) for score in it.sheet.scores]])
    titles = max(longest, 8) if it.sheet.left() else longest

    def title_at(whose: list[str]) -> int:
        return who + max(map(cell_len, whose)) + 1

    def steps(whose: list[str], width: int) -> int:
        """Columns a player, if the panel leaves so many for all."""
        return (width - edge - (title_at(whose) + titles) - FIELD - 1) // (seats - 1)

    panel = 0 if grid.tiny else LARGE_PANEL if grid.large else PANEL
    if not it.sheet.left() and steps(shorter[-1], canvas.width - panel) < _NAME:
        panel = 0  # it tells what the band does
    width = canvas.width - panel
    most = steps(shorter[-1], width)
    least = _TOTALS if grid.large and most >= _TOTALS else min(_NAME, most)
    whose = next(told for told in shorter if steps(told, width) >= least)
    title, step = title_at(whose), max(min(steps(whose, width), 14 if grid.large else _NAME), 5)
    first = min(width - 1 - edge - step * (seats - 1), title + titles + (9 if grid.large else 8))
    ends = tuple([first + step * seat for seat in range(seats)])
    choices, rows = it.entry.asked.choices, it.entry.asked.rows
    needed = 1 + sum(len(option_lines(it, choice, width)) for choice in choices) + len(rows) + 2
    height = min(max(LARGE_ENTRY if grid.large else ENTRY, needed), canvas.height - 1 - TOP)
    return ScorePlaces(
        grid.large, width, canvas.height - 1 - height, height, round_end, who, whose, title, titles, ends, step
    )


def paint_scoring(canvas: Canvas, it: Scoring, places: ScorePlaces) -> None:
    """Everything between header and footer but for the round that is entered."""
    _paint_band(canvas, places, it)
    it.rows = max(places.entry - TOP, 0)
    lines = it.sheet.rounds if places.large and it.sheet.rounds and it.sheet.rounds <= it.rows else it.sheet.finished
    if it.follow:
        aim = min(it.number, lines)
        it.offset = max(min(it.offset, aim - 1), aim - it.rows)
    it.offset = max(0, min(it.offset, lines - it.rows))
    for place, number in enumerate(range(it.offset + 1, min(it.offset + it.rows, lines) + 1)):
        _paint_round(canvas, places, it, TOP + place, number)
    canvas.fill(0, places.entry, places.width, places.height, canvas.theme.grounds.mat)
    canvas.spot(0, places.entry, places.width, places.height, None)
    if it.over or it.shut:
        _paint_over(canvas, places, it)
    if places.width < canvas.width:
        paint_panel(canvas, it, canvas.width - places.width, large=places.large)


def _paint_band(canvas: Canvas, places: ScorePlaces, it: Scoring) -> None:
    """Names and totals, which never scroll."""
    inks = canvas.theme.inks
    canvas.fill(0, 1, places.width, 3, canvas.theme.grounds.mat)
    canvas.text(EDGE, 3, "round", inks.muted)
    canvas.text(max(places.who, EDGE + 6), 3, "contract" if it.sheet.left() else "deal", inks.muted)
    leads = it.sheet.places() if it.sheet.finished else ()
    names = cut_alike(it.names, places.step - 1)
    for seat, end in enumerate(places.ends):
        canvas.right(end, 2, names[seat], inks.text, bold=True)
        start = canvas.right(end, 3, signed(it.sheet.totals[seat]), inks.text, bold=True)
        if leads and leads[seat] == 1:
            canvas.right(start - 2, 3, _STAR, inks.gold)


def _paint_round(canvas: Canvas, places: ScorePlaces, it: Scoring, y: int, number: int) -> None:
    inks, sheet = canvas.theme.inks, it.sheet
    here = number == it.number and not it.shut
    done = number <= sheet.finished
    if here and done:
        canvas.fill(0, y, places.width, 1, canvas.theme.grounds.row)
        canvas.text(0, y, "▌", inks.text)
    who = sheet.whose[number - 1] if done else sheet.turn(number)
    ink = inks.text if here else inks.muted if done else inks.quiet
    canvas.right(places.round_end, y, str(number), ink, bold=here)
    if who is not None:
        canvas.text(places.who, y, places.whose[who], ink)
    if not done:
        return
    canvas.spot(0, y, places.width, 1, Again(number))
    score = sheet.scores[number - 1]
    card_faces.words(canvas, places.title, y, deal(score, short=True), inks.soft, most=max(places.title_width, 1))
    for seat, end in enumerate(places.ends):
        _paint_points(canvas, end, y, score, seat)
        if places.large and places.step >= _TOTALS:
            canvas.right(end + 6, y, signed(score.totals[seat]), inks.quiet)


def _paint_points(canvas: Canvas, end: int, y: int, score: Score, seat: Seat) -> None:
    inks, points = canvas.theme.inks, score.points[seat]
    ink = inks.loss if points < 0 else inks.text if points else inks.quiet
    canvas.right(end, y, gained(points) if points else GONE, ink, bold=bool(score.bonuses[seat]))


def _paint_over(canvas: Canvas, places: ScorePlaces, it: Scoring) -> None:
    """The places of a session that is over, or why nothing can be entered."""
    inks, y = canvas.theme.inks, places.entry + 1
    heading = "The session is over" if it.sheet.ended else "This score table can only be looked at"
    canvas.text(EDGE, y, heading, inks.text, bold=True)
    if not it.sheet.ended:
        canvas.text(EDGE, y + 2, cut(it.shut, places.width - EDGE - 2), inks.muted)
        return
    x, y = EDGE, y + 2
    for place, seat in sorted(zip(it.sheet.places(), range(it.sheet.seats), strict=True)):
        said = f"{ordinal(place)} {it.names[seat]} {signed(it.sheet.totals[seat])}"
        if x > EDGE and x + cell_len(said) > places.width - 2:
            x, y = EDGE, y + 1
        x = canvas.text(x, y, said, inks.text, bold=place == 1) + 3
    enter, undo = canvas.look.keys.label("play"), canvas.look.keys.label("take_back")
    said = "" if it.shut else f"{enter} puts the sheet into the archive; {undo} takes the last round back."
    for line in wrap(said, places.width - EDGE - 2):
        y += 1
        canvas.text(EDGE, y + 1, line, inks.muted)
