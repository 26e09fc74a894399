"""Page for a new table: the form, and a plan of the seats."""

import dataclasses
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import Final

from rich.cells import cell_len
from textual import work

from cardtable.engine.game import Seat
from cardtable.engine.options import Choice
from cardtable.engine.text_format import capitalize_first
from cardtable.records.aggregation import AggregationProgress
from cardtable.store import profiles, seating
from cardtable.ui.keys.bindings import NEW_TABLE, FooterKeys
from cardtable.ui.new_table.model import BY_NUMBER, DEAL, PERSON, PRACTICE, SEATING, NewTableForm
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import (
    ARROWS_WIDTH,
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    make_field_row,
    make_heading_row,
    make_single_column,
    make_text_row,
    paint_button,
    paint_value,
)
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting import text_fit
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, get_layout
from cardtable.ui.toolkit.painting.seating_plan import PLAN_ROWS, paint_plan
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.formatting import format_day, get_local_time
from cardtable.wording.players import describe_level_strength

_STOPS: Final = ColumnStops(2, 12, 18)
_LEVEL_COLUMN: Final = 22
_LEVEL_WIDTH: Final = 12
"""First column of the robot levels, and their width in columns."""
_MAX_MEANING_WIDTH: Final = 52
_MIN_LABEL_WIDTH: Final = 8
"""Columns that the name of a house rule keeps beside values of any length."""
_DAILY_NOTE: Final = "The deal of the day has its own game, seats and house rules."
_NICK_NOTE: Final = "Type a nick; without one the seat is Guest's."
_WATCHED_NOTE: Final = "Only robots play: you watch."
_DEFAULTS_NOTE: Final = "These are the default house rules; a table keeps the rules it started with."


class NewTableRows:
    """Factory for the rows of the form, in the present state and with the present cursor."""

    def __init__(
        self, form: NewTableForm, cursor: Hashable, begin: Callable[[], None], *, show_all_errors: bool
    ) -> None:
        """Prepare the rows.

        ``cursor`` is the name of the row at the cursor. ``begin`` is called by the start button. If ``show_all_errors``
        is True, an invalid row is marked even while the cursor is on it.
        """
        self._form, self._cursor, self._begin = form, cursor, begin
        error = form.first_error
        self._invalid_row = error.name if error and (show_all_errors or error.name != cursor) else None
        """Name of the row that is marked as invalid, or ``None`` while the player is still typing in it."""

    def create_single_column(self, width: int) -> list[FormRow]:
        """Return all rows in one column, as compact as possible. Only the row at the cursor has its explanation."""
        lines = [*self.create_left_rows(0), *self.create_right_rows(0, width), *self.create_defaults_note()]
        for line in lines:
            if line.name not in (None, self._cursor):
                line.help_text = ""
        return lines

    def create_left_rows(self, spacing: int) -> list[FormRow]:
        """Return all rows except the house rules.

        ``spacing`` is 0 for no free rows, 1 for a free row between settings, and 2 for one between seats as well.
        """
        form = self._form
        setting_gap = [EMPTY_ROW] if spacing else []
        seat_gap = [EMPTY_ROW] if spacing > 1 else []
        game = self._create_field_row(form.game_field, "")
        seats = [line for seat in range(len(form.players)) for line in (self._create_seat_row(seat), *seat_gap)]
        seating_text = "drawn when you deal" if form.random_seats else "clockwise, as above"
        settings = [self._create_field_row(SEATING, seating_text), self._create_deal_row()]
        settings += [
            self._create_field_row(dataclasses.replace(rule, label="Practice"), "open hands, never ranked")
            for rule in form.list_rules()
            if rule.name == PRACTICE
        ]
        text, is_error = self._compute_note(spacing)
        note = FormRow(draw=partial(self._paint_note, text=text, is_error=is_error), rows=2 if spacing or text else 0)
        begin = FormRow(name="begin", draw=_paint_button, on_press=self._begin)
        return [
            game, *setting_gap, self._create_seat_count_row(), *seat_gap, *seats,
            note, *seat_gap, *[line for setting in settings for line in (setting, *setting_gap)], begin,
        ]  # fmt: skip

    def create_plan_rows(self) -> list[FormRow]:
        """Return the rows with the plan of the seats."""
        form = self._form
        lines = form.length_text, "random seats" if form.random_seats else "seats as listed"
        seat = self._cursor if isinstance(self._cursor, int) else None
        paint = partial(paint_plan, names=form.names, cursor=seat, lines=lines, own_seat=form.own_seat or 0)
        return [EMPTY_ROW, FormRow(draw=paint, rows=PLAN_ROWS)]

    def create_right_rows(self, spacing: int, width: int) -> list[FormRow]:
        """Return the house rules for a column of this width, with explanations, and free rows after each of them."""
        rules = [self._create_rule_row(rule, width) for rule in self._form.list_rules() if rule.name != PRACTICE]
        title = make_heading_row(f"House rules of {self._form.game.about.title}", INDENT)
        return [title, EMPTY_ROW, *[line for rule in rules for line in (rule, *[EMPTY_ROW] * spacing)]]

    def create_defaults_note(self) -> list[FormRow]:
        """Return the note below the house rules, or no row if one of them has been changed."""
        note = make_text_row(_DEFAULTS_NOTE, INDENT)
        note.right_margin = 1
        return [note] if self._form.has_default_rules else []

    def _create_field_row(self, field: Choice, help_text: str) -> FormRow:
        fixed = self._form.is_daily and field is not DEAL
        row = make_field_row(self._form, field, _STOPS, bold=True, read_only=fixed)
        row.help_text, row.indent = help_text, _STOPS.value
        return row

    def _create_seat_count_row(self) -> FormRow:
        form, field = self._form, self._form.seats_field
        several = len(field.values) > 1 and not form.is_daily
        if form.random_seats:
            remarks = ["random seats", "random"]
        else:
            remarks = [form.own_side_name, *(["clockwise from you"] if form.own_seat == 0 else []), "clockwise"]

        def draw(area: BlockArea) -> None:
            area.write(_STOPS.label, 0, field.label, area.canvas.theme.inks.text, bold=True)
            x = _STOPS.value
            if several:
                paint_value(area, x, _LEVEL_WIDTH - 2, form.format_value(field), field.name)
                x += _LEVEL_WIDTH - 1
            has_ratings = any(form.get_rating(seat) is not None for seat in range(len(form.players)))
            end = area.write_right(0, "rating" if has_ratings else "", area.quiet_ink)
            area.write(x, 0, next((text for text in remarks if text and x + len(text) < end), ""), area.quiet_ink)

        return FormRow(name=field.name if several else None, draw=draw, on_step=partial(form.step, field))

    def _create_seat_row(self, seat: Seat) -> FormRow:
        form, player = self._form, self._form.players[seat]
        is_editable = seat == 0 or not form.is_daily
        return FormRow(
            name=seat if is_editable else None,
            draw=partial(self._paint_seat, seat=seat),
            value=player.kind,
            on_step=None if form.is_daily else partial(form.step_seat, seat),
            text_input=form.get_nick_input(seat) if player.kind == PERSON and is_editable else None,
        )

    def _paint_seat(self, area: BlockArea, seat: Seat) -> None:
        inks, form = area.canvas.theme.inks, self._form
        player, is_invalid = form.players[seat], self._invalid_row == seat
        area.write(_STOPS.label, 0, form.positions[seat], area.muted_ink)
        name, x = form.names[seat], _STOPS.value
        if player.kind == PERSON:
            _paint_input(area, x, 0, seating.MAX_NICK_LENGTH + 1, player.nick_input, name, is_invalid=is_invalid)
        else:
            area.write(x, 0, name, inks.loss if is_invalid else inks.text, bold=True)
        paint_value(area, _LEVEL_COLUMN, _LEVEL_WIDTH, player.kind, None if form.is_daily else seat)
        if (rating := form.get_rating(seat)) is not None:
            area.write_right(0, str(rating), area.quiet_ink)

    def _compute_note(self, spacing: int) -> tuple[str, bool]:
        """Return the note below the seats, and True if it is an error.

        It is an error in a seat, a hint, or the strength of the robot levels. Without any of these it is ``""``.
        """
        form, error = self._form, self._form.first_error
        if error and isinstance(error.name, int):
            return capitalize_first(error.reason), True
        if form.is_daily:
            return _DAILY_NOTE, False
        if form.is_watched:
            return _WATCHED_NOTE, False
        kind = form.players[self._cursor].kind if isinstance(self._cursor, int) else None
        if kind == PERSON:
            return _NICK_NOTE, False
        return describe_level_strength(form.game.about.key) if spacing or kind else "", False

    def _paint_note(self, area: BlockArea, text: str, *, is_error: bool) -> None:
        inks = area.canvas.theme.inks
        ink = inks.quiet if not is_error else inks.soft if self._invalid_row is None else inks.loss
        for row, line in enumerate(text_fit.wrap(text, area.width - _STOPS.label)[:2]):
            area.write(_STOPS.label, row, line, ink)

    def _create_deal_row(self) -> FormRow:
        form = self._form
        if form.get_value(DEAL) == BY_NUMBER:
            row = self._create_field_row(DEAL, "")
            row.text_input, row.paint_below = form.number_input, self._paint_number
        else:
            day = f"{format_day(form.today)}, the same for everyone"
            row = self._create_field_row(DEAL, day if form.is_daily else "new, by number, of the day")
            row.on_text = form.enter_deal_number
        return row

    def _paint_number(self, area: BlockArea) -> None:
        width, number_input, is_invalid = _STOPS.value_width, self._form.number_input, self._invalid_row == "deal"
        _paint_input(area, _STOPS.value, 1, width, number_input, "type a number", is_invalid=is_invalid)

    def _create_rule_row(self, rule: Choice, column_width: int) -> FormRow:
        """Return the row of a house rule, whose value is at the right edge of the column."""
        form, room, label_width = self._form, column_width - 1 - INDENT, cell_len(rule.label) + 1
        longest = max([cell_len(label) for label in rule.values.values()])
        width = max(longest + ARROWS_WIDTH, min(_STOPS.value_width, room - label_width))
        width = min(width, room - min(_MIN_LABEL_WIDTH, label_width))
        stops = ColumnStops(INDENT, column_width - 1 - width, width)
        row = make_field_row(form, rule, stops, bold=True, read_only=form.is_daily)
        row.help_text, row.indent, row.max_width, row.right_margin = rule.meaning, INDENT, _MAX_MEANING_WIDTH, 1
        if rule.minutes:
            row.on_text = partial(form.append_minutes_digit, rule)
            row.on_backspace = partial(form.delete_minutes_digit, rule)
        return row


def _paint_button(area: BlockArea) -> None:
    paint_button(area, _STOPS.value, _STOPS.value_width, "Deal the cards", "begin")


def _paint_input(
    area: BlockArea, x: int, row: int, width: int, text_input: TextInput, placeholder: str, *, is_invalid: bool
) -> None:
    """Paint a text input, with ``placeholder`` while it is empty."""
    ink = area.canvas.theme.inks.loss if is_invalid else None
    paint_text_input(
        area.canvas, area.x + x, area.y + row, width, text_input, placeholder, ink=ink, has_focus=area.has_cursor
    )


LEFT_WIDTH: Final = 42
LARGE_LEFT_WIDTH: Final = 55
"""Width of the left column, in a normal and in a large terminal."""


class NewTablePage(FormPage):
    """Page with the form for a new table."""

    SCOPE = NEW_TABLE

    def __init__(self, context: PageContext, form: NewTableForm) -> None:
        super().__init__(context, "game")
        self.form = form
        self._previous_row: Hashable = None

    def on_mount(self) -> None:
        """Request the ratings of the players in the background. Closing the page cancels the request."""
        self._ratings_request = self._request_ratings()

    @work
    async def _request_ratings(self) -> None:
        with suppress(OSError):  # ratings are not required
            await self.context.statistics_client.compute_records(self._handle_progress)

    def _handle_progress(self, progress: AggregationProgress) -> None:
        """Store the ratings and cancel the aggregation.

        The first results contain all ratings; later ones would only complete the statistics.
        """
        if progress.records:
            self.form.ratings = progress.records.ratings
            self.repaint()
            self._ratings_request.cancel()

    def build_columns(self, canvas: Canvas) -> list[Column]:
        """Return the seats and the house rules side by side, with as much spacing as fits.

        In a small terminal everything is in one column.
        """
        rows = NewTableRows(self.form, self.cursor, self.action_begin, show_all_errors=self.shows_all_errors)
        layout = get_layout(canvas)
        if layout.tiny:
            return make_single_column(canvas, rows.create_single_column(canvas.width - 2 * MARGIN))
        edge, room = LARGE_LEFT_WIDTH if layout.large else LEFT_WIDTH, canvas.height - 3
        width = canvas.width - edge - MARGIN
        plan, rules = rows.create_plan_rows(), [rows.create_right_rows(spacing, width) for spacing in (2, 1, 0)]
        left = [
            [*rows.create_left_rows(2), *plan],
            [*rows.create_left_rows(1), *plan],
            rows.create_left_rows(1),
            rows.create_left_rows(0),
        ]
        note = rows.create_defaults_note()
        right = [column for rule_rows in rules for column in ([*rule_rows, *note], rule_rows)]
        return [
            _fit_column(MARGIN, edge - 2 * MARGIN, left, room),
            _fit_column(edge, width, right, room)._replace(has_panel=True),
        ]

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        self.paint_columns(canvas)
        title, seats = self.form.game.about.title, len(self.form.players)
        paint_page_header(canvas, "New table", title, f"{seats} seats, {self.form.length_text}")
        columns = [[line.name for line in column.rows] for column in self.get_columns(canvas)]
        if len(columns) == 1:
            return {**self.SCOPE.footer, "switch": "", "rules": ""}
        other_column = "seats" if self.cursor in columns[1] else "options"
        is_typing = isinstance(self.cursor, int) and self.current_row.text_input
        return {
            **self.SCOPE.footer,
            "switch": "" if self.form.is_daily else other_column,
            "rules": "" if is_typing else "rules",
        }

    def on_changed(self) -> None:
        self.shows_all_errors = False
        super().on_changed()

    def action_aside(self) -> None:
        """Move the cursor from the seats to the house rules or back, to the row at which it was before."""
        names = [line.name for line in self.selectable_rows]
        rules = [rule.name for rule in self.form.list_rules() if rule.name in names and rule.name != PRACTICE]
        others = [name for name in names if (name in rules) != (self.cursor in rules)]
        if others:
            previous_row, self._previous_row = self._previous_row, self.cursor
            self.move_cursor_to(previous_row if previous_row in others else others[0])

    def action_begin(self) -> None:
        """Begin the session. If a row is invalid, move the cursor to it instead."""
        if error := self.form.first_error:
            self.show_errors(error.name)
        else:
            self.navigate(partial(self.context.begin, self.form.create_setup()))

    def action_rules(self) -> None:
        self.show("rules", self.form.game.about.key, self.form.options)


def _fit_column(x: int, width: int, alternatives: list[list[FormRow]], max_height: int) -> Column:
    """Return a column with the first of the ``alternatives`` that is not too high, or else with the last one."""
    fitting = (rows for rows in alternatives if sum(row.to_block(width).height for row in rows) <= max_height)
    return Column(x, width, next(fitting, alternatives[-1]))


def create_screen(context: PageContext, game_key: str) -> PageScreen:
    """Return the page for a new table of a game. Earlier selections in this run of the program are preserved."""
    form = context.get_page_state(NewTableForm)
    form.open(game_key, get_local_time().date(), profiles.load()[0])
    return PageScreen(NewTablePage(context, form))
