"""Painting of a score table: names and totals, the rounds, the entry block, and a panel with remaining contracts."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.game import Score, Seat
from cardtable.engine.text_format import with_count
from cardtable.scoring.kit.questions import ChoiceQuestion, CountQuestion, RemainingRow, RemainingTable
from cardtable.scoring.round_entry import EntryField
from cardtable.ui.score_table.model import EDGE, Scoring, labelled, option_lines, option_text, options_x
from cardtable.ui.toolkit.form import EMPTY_ROW, FormRow
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import grid_of
from cardtable.ui.toolkit.painting.text_fit import WHOLE_NAME, shorten_names, truncate, wrap
from cardtable.ui.toolkit.scroll_list import Place
from cardtable.wording.formatting import MINUS, ordinal, signed, signed_plus, weighted_title

_LEFT: Final = "●"
GONE: Final = "·"


class _Panel(NamedTuple):
    """Canvas, model and columns of the panel."""

    canvas: Canvas
    it: Scoring
    edge: int
    """First column of the panel."""
    x: int
    """First column of the texts."""
    air: int
    """Number of empty rows between lines."""


def paint_panel(canvas: Canvas, scoring: Scoring, width: int, *, large: bool) -> None:
    """Paint the panel in the last ``width`` columns, between header and footer.

    It shows what remains to be declared, or in games without contracts the places.
    """
    edge = canvas.width - width
    panel = _Panel(canvas, scoring, edge, edge + 2 + large, int(large))
    canvas.fill(edge, 1, width, canvas.height - 2, canvas.theme.grounds.panel)
    y, tables = 2, scoring.sheet.remaining_tables()
    for left in tables:
        y = _paint_left(panel, y, left) + 1 + panel.air
    if not tables:
        y = _paint_places(panel, y) + 1 + panel.air
    said = wrap(scoring.sheet.over_words[:1].upper() + scoring.sheet.over_words[1:] + ".", canvas.width - panel.x - 2)
    if y + len(said) < canvas.height - 1:
        for row, line in enumerate(said, y):
            canvas.text(panel.x, row, line, canvas.theme.inks.muted)


def _paint_left(panel: _Panel, y: int, left: RemainingTable) -> int:
    """Paint a table of what remains, such as contracts; return the row below it."""
    canvas, names, x = panel.canvas, panel.it.names, panel.x
    inks = canvas.theme.inks
    canvas.text(x, y, left.heading, inks.text, bold=True)
    by_seat = any(isinstance(head, int) for head in left.heads)
    labels = [names[row.label] if isinstance(row.label, int) else row.label for row in left.rows]
    wide = max(map(cell_len, labels)) + 1 if by_seat else 9
    room = max((canvas.width - 2 - x - wide) // len(names), 3)
    step = room if by_seat else max([6, *[cell_len(str(head)) + 2 for head in left.heads]])
    y += 2
    for place, head in enumerate(shorten_names(names, step - 1) if by_seat else map(str, left.heads)):
        here = by_seat and place == panel.it.asks
        canvas.text(x + wide + step * place, y, head, inks.gold if here else inks.muted, bold=here)
    y += bool(left.heads)
    for row, label in zip(left.rows, labels, strict=True):
        _paint_row(panel, y, row, label, [x + wide + step * place for place in range(len(row.left))])
        y += 1 + (panel.air if len(left.rows) <= 6 else 0)
    return y


def _paint_row(panel: _Panel, y: int, row: RemainingRow, label: str, columns: Sequence[int]) -> None:
    canvas, inks = panel.canvas, panel.canvas.theme.inks
    here = row.label == panel.it.asks
    if here:
        canvas.text(panel.edge, y, "▌", inks.gold)
    ink = inks.gold if here else inks.off if row.none else inks.text
    end = canvas.text(panel.x, y, truncate(label, columns[0] - panel.x - 1), ink, bold=here)
    for column, (left, of) in zip(columns, row.left, strict=True):
        end = canvas.text(column, y, _LEFT * left, inks.text)
        end = canvas.text(end, y, GONE * (of - left), inks.quiet)
    if row.note:
        canvas.text(end + 2, y, row.note.replace("-", "−"), inks.quiet)


def _paint_places(panel: _Panel, y: int) -> int:
    """Paint the places of the players after the last round; return the row below them."""
    canvas, scoring, inks = panel.canvas, panel.it, panel.canvas.theme.inks
    heading = f"After {with_count(scoring.sheet.finished, 'round')}" if scoring.sheet.finished else "No round yet"
    canvas.text(panel.x, y, heading, inks.text, bold=True)
    y += 2
    for place, seat in sorted(zip(scoring.sheet.places(), range(scoring.sheet.seats), strict=True)):
        canvas.text(panel.x, y, ordinal(place) if scoring.sheet.finished else "", inks.muted)
        total = signed(scoring.sheet.totals[seat])
        end = canvas.right(canvas.width - 3, y, total, inks.text, bold=True)
        canvas.text(panel.x + 5, y, truncate(scoring.names[seat], end - panel.x - 6), inks.text)
        y += 1 + panel.air
    return y


PANEL: Final = 26
LARGE_PANEL: Final = 34
"""Width of the panel in a normal and in a large terminal, in columns."""
TOP: Final = 5
"""First row of the list of rounds."""
ENTRY: Final = 10
LARGE_ENTRY: Final = 14
"""Height of the entry block in a normal and in a large terminal, in rows; it is higher if its questions need more room.
"""
FIELD: Final = 6
"""Width of the field for a count, in columns."""
_NAME: Final = 9
"""Width of a name with an empty column before it, in columns."""
_TOTALS: Final = 12
"""Width of a player's part of a row, in columns, from which totals fit beside the points."""
_STAR: Final = "★"


class Again(NamedTuple):
    """Mouse target of a round that has been entered, by its number."""

    number: int


class ScorePlaces(NamedTuple):
    """Positions of the parts of the page, in columns and rows."""

    large: bool
    width: int
    """Width of the page without the panel."""
    entry: int
    """First row of the entry block."""
    height: int
    """Height of the entry block, in rows."""
    round_end: int
    who: int
    whose: list[str]
    """Names, shortened for the column of declarers."""
    title: int
    title_width: int
    ends: tuple[int, ...]
    """Last column of the points of each player."""
    step: int


def places_of(canvas: Canvas, scoring: Scoring) -> ScorePlaces:
    """Return the positions of the parts of the page on a canvas of this size.

    The panel is left out if the names would have too little room beside it and no contracts remain to be shown.
    """
    grid, seats = grid_of(canvas), scoring.sheet.seats
    round_end, who, edge = (7, 10, 9) if grid.large else (4, 6, 1)
    shorter = [shorten_names(scoring.names, most) for most in range(WHOLE_NAME, 0, -1)]
    longest = max(
        [len("deal"), *[card_faces.shown_width(weighted_title(score, short=True)) for score in scoring.sheet.scores]]
    )
    titles = max(longest, 8) if scoring.sheet.remaining_tables() else longest

    def title_at(short_names: list[str]) -> int:
        return who + max(map(cell_len, short_names)) + 1

    def steps(short_names: list[str], width: int) -> int:
        """Return the width in columns that each player has beside the panel."""
        return (width - edge - (title_at(short_names) + titles) - FIELD - 1) // (seats - 1)

    panel = 0 if grid.tiny else LARGE_PANEL if grid.large else PANEL
    if not scoring.sheet.remaining_tables() and steps(shorter[-1], canvas.width - panel) < _NAME:
        panel = 0  # it would only repeat the band
    width = canvas.width - panel
    most = steps(shorter[-1], width)
    least = _TOTALS if grid.large and most >= _TOTALS else min(_NAME, most)
    short_names = next(names for names in shorter if steps(names, width) >= least)
    title, step = title_at(short_names), max(min(steps(short_names, width), 14 if grid.large else _NAME), 5)
    first = min(width - 1 - edge - step * (seats - 1), title + titles + (9 if grid.large else 8))
    ends = tuple([first + step * seat for seat in range(seats)])
    choices, rows = scoring.entry.asked.choices, scoring.entry.asked.rows
    needed = 1 + sum(len(option_lines(scoring, choice, width)) for choice in choices) + len(rows) + 2
    height = min(max(LARGE_ENTRY if grid.large else ENTRY, needed), canvas.height - 1 - TOP)
    return ScorePlaces(
        grid.large, width, canvas.height - 1 - height, height, round_end, who, short_names, title, titles, ends, step
    )


def paint_scoring(canvas: Canvas, scoring: Scoring, places: ScorePlaces) -> None:
    """Paint everything between header and footer except the form in the entry block.

    Updates the scroll position of the model.
    """
    _paint_band(canvas, places, scoring)
    scoring.rows = max(places.entry - TOP, 0)
    lines = (
        scoring.sheet.rounds
        if places.large and scoring.sheet.rounds and scoring.sheet.rounds <= scoring.rows
        else scoring.sheet.finished
    )
    if scoring.follow:
        aim = min(scoring.number, lines)
        scoring.offset = max(min(scoring.offset, aim - 1), aim - scoring.rows)
    scoring.offset = max(0, min(scoring.offset, lines - scoring.rows))
    for place, number in enumerate(range(scoring.offset + 1, min(scoring.offset + scoring.rows, lines) + 1)):
        _paint_round(canvas, places, scoring, TOP + place, number)
    canvas.fill(0, places.entry, places.width, places.height, canvas.theme.grounds.mat)
    canvas.add_hit_box(0, places.entry, places.width, places.height, None)
    if scoring.over or scoring.shut:
        _paint_over(canvas, places, scoring)
    if places.width < canvas.width:
        paint_panel(canvas, scoring, canvas.width - places.width, large=places.large)


def _paint_band(canvas: Canvas, places: ScorePlaces, scoring: Scoring) -> None:
    """Paint the names and totals above the rounds, which never scroll."""
    inks = canvas.theme.inks
    canvas.fill(0, 1, places.width, 3, canvas.theme.grounds.mat)
    canvas.text(EDGE, 3, "round", inks.muted)
    canvas.text(max(places.who, EDGE + 6), 3, "contract" if scoring.sheet.remaining_tables() else "deal", inks.muted)
    leads = scoring.sheet.places() if scoring.sheet.finished else ()
    names = shorten_names(scoring.names, places.step - 1)
    for seat, end in enumerate(places.ends):
        canvas.right(end, 2, names[seat], inks.text, bold=True)
        start = canvas.right(end, 3, signed(scoring.sheet.totals[seat]), inks.text, bold=True)
        if leads and leads[seat] == 1:
            canvas.right(start - 2, 3, _STAR, inks.gold)


def _paint_round(canvas: Canvas, places: ScorePlaces, scoring: Scoring, y: int, number: int) -> None:
    inks, sheet = canvas.theme.inks, scoring.sheet
    here = number == scoring.number and not scoring.shut
    done = number <= sheet.finished
    if here and done:
        canvas.fill(0, y, places.width, 1, canvas.theme.grounds.row)
        canvas.text(0, y, "▌", inks.text)
    who = sheet.round_seats[number - 1] if done else sheet.turn(number)
    ink = inks.text if here else inks.muted if done else inks.quiet
    canvas.right(places.round_end, y, str(number), ink, bold=here)
    if who is not None:
        canvas.text(places.who, y, places.whose[who], ink)
    if not done:
        return
    canvas.add_hit_box(0, y, places.width, 1, Again(number))
    score = sheet.scores[number - 1]
    card_faces.paint_text(
        canvas, places.title, y, weighted_title(score, short=True), inks.soft, most=max(places.title_width, 1)
    )
    for seat, end in enumerate(places.ends):
        _paint_points(canvas, end, y, score, seat)
        if places.large and places.step >= _TOTALS:
            canvas.right(end + 6, y, signed(score.totals[seat]), inks.quiet)


def _paint_points(canvas: Canvas, end: int, y: int, score: Score, seat: Seat) -> None:
    inks, points = canvas.theme.inks, score.points[seat]
    ink = inks.loss if points < 0 else inks.text if points else inks.quiet
    canvas.right(end, y, signed_plus(points) if points else GONE, ink, bold=bool(score.bonuses[seat]))


def _paint_over(canvas: Canvas, places: ScorePlaces, scoring: Scoring) -> None:
    """Paint the final places, or the reason why the table can only be read, in the entry block."""
    inks, y = canvas.theme.inks, places.entry + 1
    heading = "The session is over" if scoring.sheet.ended else "This score table can only be looked at"
    canvas.text(EDGE, y, heading, inks.text, bold=True)
    if not scoring.sheet.ended:
        canvas.text(EDGE, y + 2, truncate(scoring.shut, places.width - EDGE - 2), inks.muted)
        return
    x, y = EDGE, y + 2
    for place, seat in sorted(zip(scoring.sheet.places(), range(scoring.sheet.seats), strict=True)):
        said = f"{ordinal(place)} {scoring.names[seat]} {signed(scoring.sheet.totals[seat])}"
        if x > EDGE and x + cell_len(said) > places.width - 2:
            x, y = EDGE, y + 1
        x = canvas.text(x, y, said, inks.text, bold=place == 1) + 3
    enter, undo = canvas.look.keys.label("play"), canvas.look.keys.label("take_back")
    said = "" if scoring.shut else f"{enter} puts the sheet into the archive; {undo} takes the last round back."
    for line in wrap(said, places.width - EDGE - 2):
        y += 1
        canvas.text(EDGE, y + 1, line, inks.muted)


_NOTE: Final = "If you leave one count out, it follows from the sum."
_GAPS: Final = (0, 2, 1, 3, -1, 2, -1, -1, -1)
"""Positions at which free rows are inserted into the entry block, in the order in which room for them is found.

0: above the heading, 1: below it, 2: above the counts, 3: above the verdict, -1: at the end.
"""


class Chosen(NamedTuple):
    """Mouse target of an option: name of the question, and key of the option."""

    name: str
    key: str


class EntryLines:
    """Factory of the form rows in the entry block.

    A row of counts is named by one of its fields: the field in the column of the cursor's seat, or the first one. Typed
    characters are passed to ``on_text``.
    """

    def __init__(self, scoring: Scoring, places: ScorePlaces, types: Callable[[str, bool], bool]) -> None:
        self._it, self._places, self._types = scoring, places, types

    def made(self) -> list[FormRow]:
        """Return all rows of the entry block, with as many empty rows as fit."""
        asked, height = self._it.entry.asked, self._places.height
        choices, counts = [self._choice(each) for each in asked.choices], [self._count(row) for row in asked.rows]
        gaps = _GAPS[: max(height - sum(line.rows for line in (*choices, *counts)) - 3, 0)]
        free = [[EMPTY_ROW] * gaps.count(place) for place in range(4)]
        heading, gains, verdict = [FormRow(draw=draw) for draw in (self._head, self._gains, self._verdict)]
        lines = [*free[0], heading, *free[1], *choices, *free[2], *counts, gains, *free[3], verdict]
        rows = sum(line.rows for line in lines)
        if height >= LARGE_ENTRY and rows + 2 <= height and any(row.required_sum for row in asked.rows):
            lines += [EMPTY_ROW, FormRow(draw=_paint_note)]
        return lines

    def _field(self, name: EntryField, draw: Callable[[Place], None], rows: int = 1) -> FormRow:
        entry = self._it.entry
        return FormRow(
            name=name, draw=draw, rows=rows, is_highlighted=False,
            on_step=entry.step, on_text=self._types, on_backspace=entry.delete_back, on_home_end=entry.move_to_end,
        )  # fmt: skip

    def _head(self, area: Place) -> None:
        scoring, asked = self._it, self._it.entry.asked
        again = " again" if scoring.again else ""
        heading = f"Round {scoring.number}{again}: {scoring.names[asked.who]} {asked.does}"
        area.text(EDGE, 0, heading, area.canvas.theme.inks.text, bold=True)

    def _choice(self, choice: ChoiceQuestion) -> FormRow:
        rows = len(option_lines(self._it, choice, self._places.width))
        return self._field(EntryField(choice.name), partial(self._paint_choice, choice=choice), rows)

    def _paint_choice(self, area: Place, choice: ChoiceQuestion) -> None:
        canvas, theme, scoring, x = area.canvas, area.canvas.theme, self._it, options_x(choice)
        if labelled(choice):
            area.text(EDGE, 0, choice.label, theme.inks.text if area.at else theme.inks.soft, bold=area.at)
        for y, options in enumerate(option_lines(scoring, choice, self._places.width), area.y):
            if area.at:
                canvas.text(EDGE - 2, y, "▌", theme.inks.gold)
            end = x
            for option in options:
                words = option_text(scoring, option)
                wide = card_faces.shown_width(words)
                canvas.add_hit_box(end - 1, y, wide + 2, 1, Chosen(choice.name, option.key))
                if scoring.entry.chosen.get(choice.name) == option.key:
                    canvas.fill(end - 1, y, wide + 2, 1, theme.cards.face)
                    card_faces.paint_text(canvas, end, y, words, theme.suits.face[3], bold=True, suits=theme.suits.face)
                else:
                    card_faces.paint_text(canvas, end, y, words, theme.inks.off if option.closed else theme.inks.text)
                end += wide + 2

    def _count(self, row: CountQuestion) -> FormRow:
        seat = self._it.entry.at.seat
        name = EntryField(row.name, seat if seat in row.seats else row.seats[0])
        return self._field(name, partial(self._paint_count, row=row))

    def _paint_count(self, area: Place, row: CountQuestion) -> None:
        canvas, theme, entry, places, y = area.canvas, area.canvas.theme, self._it.entry, self._places, area.y
        area.text(EDGE, 0, row.label, theme.inks.text, most=places.ends[0] - FIELD - EDGE)
        typed, counts, width = entry.typed(row), entry.counts(row), min(FIELD, places.step - 1)
        for seat in row.seats:
            end, field = places.ends[seat], EntryField(row.name, seat)
            at = entry.at == field
            canvas.fill(end + 1 - width, y, width, 1, theme.inks.gold if at else theme.grounds.panel)
            canvas.add_hit_box(end + 1 - width, y, width, 1, field)
            if (count := counts[seat]) is not None:
                sure = typed[seat] is not None
                ink = theme.grounds.panel if at else theme.inks.text if sure else theme.inks.muted
                canvas.right(end - 1, y, signed(count), ink, bold=sure)
            if at and entry.minus:
                canvas.text(end + 1 - width, y, MINUS, theme.grounds.panel, bold=True)

    def _gains(self, area: Place) -> None:
        gains, weight = self._it.entry.points()
        if weight > 1:
            area.text(EDGE, 0, f"counts ×{weight}", area.muted)
        for end, points in zip(self._places.ends, gains, strict=True):
            if points is not None:
                area.canvas.right(end, area.y, signed(points), area.canvas.theme.inks.soft)

    def _verdict(self, area: Place) -> None:
        inks, verdict = area.canvas.theme.inks, self._it.entry.validate()
        words = truncate(verdict.words[:1].upper() + verdict.words[1:], self._places.width - EDGE - 1)
        area.canvas.text(EDGE, area.y, words, inks.loss if verdict.too_much else inks.text, bold=True)


def _paint_note(area: Place) -> None:
    area.text(EDGE, 0, _NOTE, area.muted)
