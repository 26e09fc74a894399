"""Model of the page of a score table and its painting: totals, rounds, the entry block, and remaining contracts."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
from rich.cells import cell_len

from cardtable.engine.game import Seat
from cardtable.engine.text_format import capitalize_first, format_count
from cardtable.scoring.kit import AskedOption, ChoiceQuestion, CountQuestion, RemainingRow, RemainingTable, Sheet
from cardtable.scoring.round_entry import EntryField, RoundEntry
from cardtable.ui.toolkit.form import EMPTY_ROW, FormRow
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, Canvas, scroll_window, shorten_names, truncate, wrap
from cardtable.ui.toolkit.painting.layout import get_layout
from cardtable.ui.toolkit.scroll_list import BlockArea
from cardtable.wording.formatting import (
    MINUS,
    SUIT_SIGNS,
    format_gain,
    format_number,
    format_ordinal,
    format_weighted_title,
)

EDGE: Final = 3
"""First column of the texts."""
_LABEL_WIDTH: Final = 10
"""Width of the label before options, in columns."""


class ScoreTableModel(msgspec.Struct):
    """Model of a score table and of the round that is being entered."""

    sheet: Sheet[Any]
    names: Sequence[str]
    entry: RoundEntry
    number: int
    """Number of the round being entered, counted from 1."""
    read_only_reason: str = ""
    """Reason why the table can only be read; empty if rounds can be entered."""
    offset: int = 0
    """Number of rounds that are scrolled away at the top."""
    follow: bool = True
    """True if the list scrolls to keep the round being entered visible."""
    rows: int = 1
    """Number of rounds that fit on the screen; set by the painter."""

    @property
    def is_correction(self) -> bool:
        return self.number <= self.sheet.finished

    @property
    def is_over(self) -> bool:
        return self.sheet.is_over and not self.is_correction

    @property
    def has_entry(self) -> bool:
        """True if an entry is in progress, which leaving the page would discard."""
        return self.is_correction or (self.entry.has_entries and not self.read_only_reason)

    @property
    def asked_seat(self) -> Seat | None:
        """Seat that declares or begins the round being entered; ``None`` if no round can be entered."""
        return None if self.is_over or self.read_only_reason else self.entry.questions.seat

    def list_seats_by_rank(self) -> list[tuple[int, Seat]]:
        return sorted(zip(self.sheet.compute_ranks(), range(self.sheet.seats), strict=True))


def compute_options_x(choice: ChoiceQuestion) -> int:
    return EDGE + (_LABEL_WIDTH if has_label(choice) else 0)


def has_label(choice: ChoiceQuestion) -> bool:
    """Return True if the question has a label before its options; the main question, about the contract, has none."""
    return choice.name != "contract"


def wrap_options(model: ScoreTableModel, choice: ChoiceQuestion, width: int) -> list[list[AskedOption]]:
    """Return the options of a question, distributed over as many lines of ``width`` columns as they need."""
    lines: list[list[AskedOption]] = [[]]
    used = compute_options_x(choice)
    for option in choice.options:
        option_width = card_faces.measure_text(format_option(model, option)) + 2
        if used + option_width > width and lines[-1]:
            lines.append([])
            used = compute_options_x(choice)
        lines[-1].append(option)
        used += option_width
    return lines


def format_option(model: ScoreTableModel, option: AskedOption) -> str:
    """Format an option: a seat as its name, a suit as its sign, any other by its label."""
    if option.suit is not None:
        return SUIT_SIGNS[option.suit]
    return option.label if option.seat is None else shorten_names(model.names, NICK_WIDTH)[option.seat]


_REMAINING_SIGN: Final = "●"
USED_SIGN: Final = "·"


class _Panel(NamedTuple):
    """Canvas, model and columns of the panel."""

    canvas: Canvas
    model: ScoreTableModel
    edge: int
    """First column of the panel."""
    x: int
    """First column of the texts."""
    gap: int
    """Number of empty rows between lines."""


def paint_panel(canvas: Canvas, model: ScoreTableModel, width: int, *, large: bool) -> None:
    """Paint the panel in the last ``width`` columns, between header and footer.

    It shows what remains to be declared, or in games without contracts the layout.
    """
    edge, gap = canvas.width - width, 1 if large else 0
    panel = _Panel(canvas, model, edge, edge + 2 + gap, gap)
    canvas.fill(edge, 1, width, canvas.height - 2, canvas.theme.grounds.panel)
    y, tables = 2, model.sheet.create_remaining_tables()
    for left in tables:
        y = _paint_remaining(panel, y, left) + 1 + panel.gap
    if not tables:
        y = _paint_places(panel, y) + 1 + panel.gap
    lines = wrap(capitalize_first(model.sheet.end_condition) + ".", canvas.width - panel.x - 2)
    if y + len(lines) < canvas.height - 1:
        for row, line in enumerate(lines, y):
            canvas.write(panel.x, row, line, canvas.theme.inks.muted)


def _paint_remaining(panel: _Panel, y: int, table: RemainingTable) -> int:
    """Paint a table of what remains, such as contracts; return the row below it."""
    canvas, names, x = panel.canvas, panel.model.names, panel.x
    inks = canvas.theme.inks
    canvas.write(x, y, table.heading, inks.text, bold=True)
    by_seat = any(isinstance(heading, int) for heading in table.column_headings)
    labels = [names[row.label] if isinstance(row.label, int) else row.label for row in table.rows]
    x += max(map(cell_len, labels)) + 1 if by_seat else 9
    if by_seat:
        step = max((canvas.width - 2 - x) // len(names), 3)
        headings = shorten_names(names, step - 1)
    else:
        headings = [str(heading) for heading in table.column_headings]
        step = max([6, *[cell_len(heading) + 2 for heading in headings]])
    y += 2
    for column, heading in enumerate(headings):
        is_asked = by_seat and column == panel.model.asked_seat
        canvas.write(x + step * column, y, heading, inks.gold if is_asked else inks.muted, bold=is_asked)
    if table.column_headings:
        y += 1
    for row, label in zip(table.rows, labels, strict=True):
        _paint_row(panel, y, row, label, [x + step * column for column in range(len(row.remaining))])
        y += 1 + (panel.gap if len(table.rows) <= 6 else 0)
    return y


def _paint_row(panel: _Panel, y: int, row: RemainingRow, label: str, columns: Sequence[int]) -> None:
    canvas, inks = panel.canvas, panel.canvas.theme.inks
    is_asked = row.label == panel.model.asked_seat
    if is_asked:
        canvas.write(panel.edge, y, "▌", inks.gold)
    ink = inks.gold if is_asked else inks.off if row.is_empty else inks.text
    end = canvas.write(panel.x, y, truncate(label, columns[0] - panel.x - 1), ink, bold=is_asked)
    needs_figures = len(columns) > 1 and max(count for _, count in row.remaining) >= columns[1] - columns[0]
    for column, (left, count) in zip(columns, row.remaining, strict=True):
        if needs_figures:  # signs would run into those of the next column
            end = canvas.write(column, y, str(left), inks.text if left else inks.quiet)
        else:
            end = canvas.write(column, y, _REMAINING_SIGN * left, inks.text)
            end = canvas.write(end, y, USED_SIGN * (count - left), inks.quiet)
    if row.note:
        canvas.write(end + 2, y, row.note.replace("-", "−"), inks.quiet)


def _paint_places(panel: _Panel, y: int) -> int:
    """Paint the places of the players after the last round; return the row below them."""
    canvas, model, inks = panel.canvas, panel.model, panel.canvas.theme.inks
    heading = f"After {format_count(model.sheet.finished, 'round')}" if model.sheet.finished else "No round yet"
    canvas.write(panel.x, y, heading, inks.text, bold=True)
    y += 2
    for rank, seat in model.list_seats_by_rank():
        canvas.write(panel.x, y, format_ordinal(rank) if model.sheet.finished else "", inks.muted)
        total = format_number(model.sheet.totals[seat])
        end = canvas.write_right(canvas.width - 3, y, total, inks.text, bold=True)
        canvas.write(panel.x + 5, y, truncate(model.names[seat], end - panel.x - 6), inks.text)
        y += 1 + panel.gap
    return y


PANEL_WIDTH: Final = 26
LARGE_PANEL_WIDTH: Final = 34
"""Width of the panel in a normal and in a large terminal, in columns."""
ROUNDS_ROW: Final = 5
"""First row of the list of rounds."""
ENTRY_ROWS: Final = 10
LARGE_ENTRY_ROWS: Final = 14
"""Height of the entry block in a normal and in a large terminal, in rows; it is higher if its questions need more room.
"""
COUNT_WIDTH: Final = 6
"""Width of the field for a count, in columns."""
_NAME_WIDTH: Final = 9
"""Width of a name with an empty column before it, in columns."""
_TOTALS_WIDTH: Final = 12
"""Width of a player's part of a row, in columns, from which totals fit beside the points."""
_STAR: Final = "★"


class PointRound(NamedTuple):
    """Mouse target of a round that has been entered, by its number."""

    number: int


class ScoreLayout(NamedTuple):
    """Positions of the parts of the page, in columns and rows."""

    large: bool
    width: int
    """Width of the page without the panel."""
    entry_row: int
    """First row of the entry block."""
    entry_rows: int
    """Height of the entry block, in rows."""
    round_end: int
    declarer: int
    declarer_names: list[str]
    """Names, shortened for the column of declarers."""
    title: int
    title_width: int
    ends: tuple[int, ...]
    """Last column of the points of each player."""
    step: int


def compute_layout(canvas: Canvas, model: ScoreTableModel) -> ScoreLayout:
    """Return the positions of the parts of the page on a canvas of this size.

    The panel is left out if the names would have too little room beside it and no contracts remain to be shown.
    """
    layout, seats = get_layout(canvas), model.sheet.seats
    round_end, declarer, edge = (7, 10, 9) if layout.large else (4, 6, 1)
    shorter = [shorten_names(model.names, max_width) for max_width in range(NICK_WIDTH, 0, -1)]
    titles = [format_weighted_title(score, short=True) for score in model.sheet.scores]
    has_contracts = bool(model.sheet.create_remaining_tables())
    title_width = max([8 if has_contracts else len("deal"), *map(card_faces.measure_text, titles)])

    def compute_title(short_names: list[str]) -> int:
        return declarer + max(map(cell_len, short_names)) + 1

    def compute_step(short_names: list[str], width: int) -> int:
        return (width - edge - (compute_title(short_names) + title_width) - COUNT_WIDTH - 1) // (seats - 1)

    panel = 0 if layout.tiny else LARGE_PANEL_WIDTH if layout.large else PANEL_WIDTH
    if not has_contracts and compute_step(shorter[-1], canvas.width - panel) < _NAME_WIDTH:
        panel = 0  # it would only repeat the band
    width = canvas.width - panel
    largest_step = compute_step(shorter[-1], width)
    has_totals = layout.large and largest_step >= _TOTALS_WIDTH
    smallest_step = _TOTALS_WIDTH if has_totals else min(_NAME_WIDTH, largest_step)
    short_names = next(names for names in shorter if compute_step(names, width) >= smallest_step)
    title = compute_title(short_names)
    step = max(min(compute_step(short_names, width), 14 if layout.large else _NAME_WIDTH), 5)
    first = min(width - 1 - edge - step * (seats - 1), title + title_width + (9 if layout.large else 8))
    ends = tuple([first + step * seat for seat in range(seats)])
    choices, rows = model.entry.questions.choices, model.entry.questions.rows
    needed = 1 + sum(len(wrap_options(model, choice, width)) for choice in choices) + len(rows) + 2
    height = min(max(LARGE_ENTRY_ROWS if layout.large else ENTRY_ROWS, needed), canvas.height - 1 - ROUNDS_ROW)
    return ScoreLayout(
        large=layout.large,
        width=width,
        entry_row=canvas.height - 1 - height,
        entry_rows=height,
        round_end=round_end,
        declarer=declarer,
        declarer_names=short_names,
        title=title,
        title_width=title_width,
        ends=ends,
        step=step,
    )


def paint_score_table(canvas: Canvas, model: ScoreTableModel, layout: ScoreLayout) -> None:
    """Paint everything between header and footer except the form in the entry block.

    Updates the scroll position of the model.
    """
    _paint_band(canvas, layout, model)
    model.rows = max(layout.entry_row - ROUNDS_ROW, 0)
    rounds = model.sheet.rounds
    lines = rounds if layout.large and rounds and rounds <= model.rows else model.sheet.finished
    cursor = min(model.number, lines) - 1 if model.follow else None
    model.offset = scroll_window(model.offset, model.rows, lines, cursor)
    for y, number in enumerate(range(model.offset + 1, min(model.offset + model.rows, lines) + 1), ROUNDS_ROW):
        _paint_round(canvas, layout, model, y, number)
    canvas.fill(0, layout.entry_row, layout.width, layout.entry_rows, canvas.theme.grounds.mat)
    canvas.add_hit_box(0, layout.entry_row, layout.width, layout.entry_rows, None)
    if model.is_over or model.read_only_reason:
        _paint_over(canvas, layout, model)
    if layout.width < canvas.width:
        paint_panel(canvas, model, canvas.width - layout.width, large=layout.large)


def _paint_band(canvas: Canvas, layout: ScoreLayout, model: ScoreTableModel) -> None:
    """Paint the names and totals above the rounds, which never scroll."""
    inks = canvas.theme.inks
    canvas.fill(0, 1, layout.width, 3, canvas.theme.grounds.mat)
    canvas.write(EDGE, 3, "round", inks.muted)
    heading = "contract" if model.sheet.create_remaining_tables() else "deal"
    canvas.write(max(layout.declarer, EDGE + 6), 3, heading, inks.muted)
    ranks = model.sheet.compute_ranks() if model.sheet.finished else ()
    names = shorten_names(model.names, layout.step - 1)
    for seat, end in enumerate(layout.ends):
        canvas.write_right(end, 2, names[seat], inks.text, bold=True)
        start = canvas.write_right(end, 3, format_number(model.sheet.totals[seat]), inks.text, bold=True)
        if ranks and ranks[seat] == 1:
            canvas.write_right(start - 2, 3, _STAR, inks.gold)


def _paint_round(canvas: Canvas, layout: ScoreLayout, model: ScoreTableModel, y: int, number: int) -> None:
    inks, sheet = canvas.theme.inks, model.sheet
    is_current = number == model.number and not model.read_only_reason
    done = number <= sheet.finished
    if is_current and done:
        canvas.fill(0, y, layout.width, 1, canvas.theme.grounds.row)
        canvas.write(0, y, "▌", inks.text)
    declarer = sheet.round_seats[number - 1] if done else sheet.find_round_seat(number)
    ink = inks.text if is_current else inks.muted if done else inks.quiet
    canvas.write_right(layout.round_end, y, str(number), ink, bold=is_current)
    if declarer is not None:
        canvas.write(layout.declarer, y, layout.declarer_names[declarer], ink)
    if not done:
        return
    canvas.add_hit_box(0, y, layout.width, 1, PointRound(number))
    score = sheet.scores[number - 1]
    title = format_weighted_title(score, short=True)
    card_faces.paint_text(canvas, layout.title, y, title, inks.soft, max_width=max(layout.title_width, 1))
    for seat, end in enumerate(layout.ends):
        points = score.points[seat]
        ink = inks.loss if points < 0 else inks.text if points else inks.quiet
        canvas.write_right(end, y, format_gain(points) if points else USED_SIGN, ink, bold=bool(score.bonuses[seat]))
        if layout.large and layout.step >= _TOTALS_WIDTH:
            canvas.write_right(end + 6, y, format_number(score.totals[seat]), inks.quiet)


def _paint_over(canvas: Canvas, layout: ScoreLayout, model: ScoreTableModel) -> None:
    """Paint the final places, or the reason why the table can only be read, in the entry block."""
    inks, y = canvas.theme.inks, layout.entry_row + 1
    heading = "The session is over" if model.sheet.is_over else "This score table is read-only"
    canvas.write(EDGE, y, heading, inks.text, bold=True)
    if not model.sheet.is_over:
        canvas.write(EDGE, y + 2, truncate(model.read_only_reason, layout.width - EDGE - 2), inks.muted)
        return
    x, y = EDGE, y + 2
    for rank, seat in model.list_seats_by_rank():
        text = f"{format_ordinal(rank)} {model.names[seat]} {format_number(model.sheet.totals[seat])}"
        if x > EDGE and x + cell_len(text) > layout.width - 2:
            x, y = EDGE, y + 1
        x = canvas.write(x, y, text, inks.text, bold=rank == 1) + 3
    enter, undo = canvas.appearance.keys.format_label("play"), canvas.appearance.keys.format_label("take_back")
    text = "" if model.read_only_reason else f"{enter} moves the sheet to the archive; {undo} undoes the last round."
    for line in wrap(text, layout.width - EDGE - 2):
        y += 1
        canvas.write(EDGE, y + 1, line, inks.muted)


_NOTE: Final = "You can leave one count out: it follows from the sum."
_GAPS: Final = (0, 2, 1, 3, -1, 2, -1, -1, -1)
"""Positions at which free rows are inserted into the entry block, in the order in which room for them is found.

0: above the heading, 1: below it, 2: above the counts, 3: above the verdict, -1: at the end.
"""


class PointAnswer(NamedTuple):
    """Mouse target of an option: name of the question, and key of the option."""

    name: str
    key: str


class EntryRows:
    """Factory of the form rows in the entry block.

    A row of counts is named by one of its fields: the field in the column of the cursor's seat, or the first one. Typed
    characters are passed to ``on_text``.
    """

    def __init__(self, model: ScoreTableModel, layout: ScoreLayout, on_text: Callable[[str, bool], bool]) -> None:
        self._model, self._layout, self._on_text = model, layout, on_text

    def create_rows(self) -> list[FormRow]:
        """Return all rows of the entry block, with as many empty rows as fit."""
        asked, height = self._model.entry.questions, self._layout.entry_rows
        choices = [self._create_choice(choice) for choice in asked.choices]
        counts = [self._create_count(row) for row in asked.rows]
        gaps = _GAPS[: max(height - sum(line.rows for line in (*choices, *counts)) - 3, 0)]
        free = [[EMPTY_ROW] * gaps.count(position) for position in range(4)]
        heading, gains, verdict = [
            FormRow(draw=draw) for draw in (self._paint_heading, self._paint_gains, self._paint_verdict)
        ]
        lines = [*free[0], heading, *free[1], *choices, *free[2], *counts, gains, *free[3], verdict]
        rows = sum(line.rows for line in lines)
        if height >= LARGE_ENTRY_ROWS and rows + 2 <= height and any(row.required_sum for row in asked.rows):
            lines += [EMPTY_ROW, FormRow(draw=lambda area: area.write(EDGE, 0, _NOTE, area.muted_ink))]
        return lines

    def _create_field(self, name: EntryField, draw: Callable[[BlockArea], None], rows: int = 1) -> FormRow:
        entry = self._model.entry
        return FormRow(
            name=name, draw=draw, rows=rows, is_highlighted=False,
            on_step=entry.select_adjacent, on_text=self._on_text, on_backspace=entry.delete_back,
            on_home_end=entry.move_to_end,
        )  # fmt: skip

    def _paint_heading(self, area: BlockArea) -> None:
        model, asked = self._model, self._model.entry.questions
        number = f"{model.number} again" if model.is_correction else str(model.number)
        heading = f"Round {number}: {model.names[asked.seat]} {asked.seat_action}"
        area.write(EDGE, 0, heading, area.canvas.theme.inks.text, bold=True)

    def _create_choice(self, choice: ChoiceQuestion) -> FormRow:
        rows = len(wrap_options(self._model, choice, self._layout.width))
        return self._create_field(EntryField(choice.name), partial(self._paint_choice, choice=choice), rows)

    def _paint_choice(self, area: BlockArea, choice: ChoiceQuestion) -> None:
        canvas, theme, model, x = area.canvas, area.canvas.theme, self._model, compute_options_x(choice)
        if has_label(choice):
            ink = theme.inks.text if area.has_cursor else theme.inks.soft
            area.write(EDGE, 0, choice.label, ink, bold=area.has_cursor)
        for y, options in enumerate(wrap_options(model, choice, self._layout.width), area.y):
            if area.has_cursor:
                canvas.write(EDGE - 2, y, "▌", theme.inks.gold)
            end = x
            for option in options:
                text = format_option(model, option)
                width = card_faces.measure_text(text)
                canvas.add_hit_box(end - 1, y, width + 2, 1, PointAnswer(choice.name, option.key))
                if model.entry.choices.get(choice.name) == option.key:
                    canvas.fill(end - 1, y, width + 2, 1, theme.cards.face)
                    card_faces.paint_text(canvas, end, y, text, theme.suits.face[3], bold=True, suits=theme.suits.face)
                else:
                    ink = theme.inks.off if option.closed_reason else theme.inks.text
                    card_faces.paint_text(canvas, end, y, text, ink)
                end += width + 2

    def _create_count(self, row: CountQuestion) -> FormRow:
        seat = self._model.entry.current_field.seat
        name = EntryField(row.name, seat if seat in row.seats else row.seats[0])
        return self._create_field(name, partial(self._paint_count, row=row))

    def _paint_count(self, area: BlockArea, row: CountQuestion) -> None:
        canvas, theme, entry, layout, y = area.canvas, area.canvas.theme, self._model.entry, self._layout, area.y
        area.write(EDGE, 0, row.label, theme.inks.text, max_width=layout.ends[0] - COUNT_WIDTH - EDGE)
        typed, counts, width = entry.get_typed_counts(row), entry.get_counts(row), min(COUNT_WIDTH, layout.step - 1)
        for seat in row.seats:
            end, field = layout.ends[seat], EntryField(row.name, seat)
            is_current = entry.current_field == field
            canvas.fill(end + 1 - width, y, width, 1, theme.inks.gold if is_current else theme.grounds.panel)
            canvas.add_hit_box(end + 1 - width, y, width, 1, field)
            if (count := counts[seat]) is not None:
                is_typed = typed[seat] is not None
                ink = theme.grounds.panel if is_current else theme.inks.text if is_typed else theme.inks.muted
                canvas.write_right(end - 1, y, format_number(count), ink, bold=is_typed)
            if is_current and entry.is_negative:
                canvas.write(end + 1 - width, y, MINUS, theme.grounds.panel, bold=True)

    def _paint_gains(self, area: BlockArea) -> None:
        gains, weight = self._model.entry.compute_points()
        if weight > 1:
            area.write(EDGE, 0, f"counts ×{weight}", area.muted_ink)
        for end, points in zip(self._layout.ends, gains, strict=True):
            if points is not None:
                area.canvas.write_right(end, area.y, format_number(points), area.canvas.theme.inks.soft)

    def _paint_verdict(self, area: BlockArea) -> None:
        inks, verdict = area.canvas.theme.inks, self._model.entry.validate()
        text = truncate(capitalize_first(verdict.message), self._layout.width - EDGE - 1)
        area.canvas.write(EDGE, area.y, text, inks.loss if verdict.is_excessive else inks.text, bold=True)
