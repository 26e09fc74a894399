"""Page for a new table: the form, and a plan of the seats."""

from collections.abc import Callable, Hashable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

from rich.cells import cell_len
from textual import work

from cardtable.engine.game import Seat
from cardtable.engine.options import Choice
from cardtable.records.aggregation import AggregationProgress
from cardtable.store import profiles, seating
from cardtable.ui.new_table.model import PERSON, PRACTICE, DealChoice, NewTable
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.form import (
    ARROWS,
    EMPTY_ROW,
    Column,
    ColumnStops,
    FormPage,
    FormRow,
    choice,
    heading,
    label_of,
    paint_button,
    paint_value,
    words,
)
from cardtable.ui.toolkit.keys.bindings import NEW_TABLE
from cardtable.ui.toolkit.page import PageScreen, paint_page_header
from cardtable.ui.toolkit.painting import text_fit
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, grid_of
from cardtable.ui.toolkit.painting.seating_plan import PLAN_ROWS, paint_plan
from cardtable.ui.toolkit.scroll_list import INDENT, Place
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.formatting import day
from cardtable.wording.players import level_strength_text

_STOPS: Final = ColumnStops(2, 12, 18)
_LEVEL: Final = 22
_NARROW: Final = 12
"""First column of the robot levels, and their width in columns."""
_MOST_MEANING: Final = 52
_DAILY: Final = "The deal of the day has its own game, seats and house rules."
_NICK: Final = "Type a nick; without one the seat is Guest's."
_WATCHED: Final = "Nobody plays: you watch the robots."
_USUAL: Final = "These are the usual house rules; a table keeps those that it began with."


class TableLines:
    """Factory for the rows of the form, in the present state and with the present cursor."""

    def __init__(self, table: NewTable, cursor: Hashable, begin: Callable[[], None], *, insisted: bool) -> None:
        """Prepare the rows.

        ``cursor`` is the name of the row at the cursor. ``begin`` is called by the start button. If ``show_all_errors``
        is True, an invalid row is marked even while the cursor is on it.
        """
        self._table, self._cursor, self._begin = table, cursor, begin
        wrong = table.first_error
        self._blamed = wrong.name if wrong and (insisted or wrong.name != cursor) else None
        """Name of the row that is marked as invalid, or ``None`` while the player is still typing in it."""

    def one_column(self) -> list[FormRow]:
        """Return all rows in one column, as compact as possible. Only the row at the cursor has its explanation."""
        lines = [*self.left(0), *self.right(0), *self.usual()]
        for line in lines:
            if line.name not in (None, self._cursor):
                line.help_text = ""
        return lines

    def left(self, air: int) -> list[FormRow]:
        """Return all rows except the house rules.

        ``spacing`` is 0 for no free rows, 1 for a free row between settings, and 2 for one between seats as well.
        """
        table, some, much = self._table, [EMPTY_ROW] * min(air, 1), [EMPTY_ROW] * (air - 1)
        game = self._choice("game", "Game", table.game.about.title, table.step_game)
        seats = [line for seat in range(len(table.sitters)) for line in (self._seat(seat), *much)]
        practice = [rule for rule in table.rules if rule.name == PRACTICE]
        settings = [self._seating(), self._deal(), *map(self._practice, practice)]
        said, wrong = self._note(air)
        note = FormRow(draw=partial(self._paint_note, said=said, wrong=wrong), rows=2 if air or said else 0)
        begin = FormRow(name="begin", draw=_paint_button, on_press=self._begin)
        return [
            game, *some, self._number(), *much, *seats,
            note, *much, *[line for each in settings for line in (each, *some)], begin,
        ]  # fmt: skip

    def plan(self) -> list[FormRow]:
        """Return the rows with the plan of the seats."""
        table = self._table
        said = table.game.about.length, "places by lot" if table.random_seats else "places as listed"
        seat = self._cursor if isinstance(self._cursor, int) else None
        paint = partial(paint_plan, names=table.names, cursor=seat, said=said, own=table.own or 0)
        return [EMPTY_ROW, FormRow(draw=paint, rows=PLAN_ROWS)]

    def right(self, air: int) -> list[FormRow]:
        """Return the house rules with their explanations, and ``spacing`` free rows after each of them."""
        rules = [self._rule(rule) for rule in self._table.rules if rule.name != PRACTICE]
        title = heading(f"House rules of {self._table.game.about.title}", INDENT)
        return [title, EMPTY_ROW, *[line for rule in rules for line in (rule, *[EMPTY_ROW] * air)]]

    def usual(self) -> list[FormRow]:
        """Return the note below the house rules, or no row if one of them has been changed."""
        said = words(_USUAL, INDENT)
        said.spare = 1
        return [said] if self._table.usual_rules else []

    def _choice(self, name: str, label: str, value: str, steps: Callable[[int], None], says: str = "") -> FormRow:
        fixed = self._table.daily and name != "deal"
        return choice(name, label, value, steps, _STOPS, bold=True, fixed=fixed, says=says, indent=_STOPS.value)

    def _number(self) -> FormRow:
        table = self._table
        several = len(table.game.about.seats) > 1 and not table.daily
        clockwise = ("clockwise from you", "clockwise")[table.own != 0 :]
        order = ("places by lot", "by lot") if table.random_seats else (*filter(None, [table.partners]), *clockwise)

        def draw(area: Place) -> None:
            area.text(_STOPS.label, 0, "Seats", area.canvas.theme.inks.text, bold=True)
            x = _STOPS.value
            if several:
                paint_value(area, x, _NARROW - 2, str(len(table.sitters)), "number")
                x += _NARROW - 1
            rated = any(table.rating(seat) is not None for seat in range(len(table.sitters)))
            end = area.right(0, "rating" if rated else "", area.quiet)
            area.text(x, 0, next((said for said in order if x + len(said) < end), ""), area.quiet)

        return FormRow(name="number" if several else None, draw=draw, on_step=table.step_number)

    def _seat(self, seat: Seat) -> FormRow:
        table, who = self._table, self._table.sitters[seat]
        able = seat == 0 or not table.daily
        return FormRow(
            name=seat if able else None,
            draw=partial(self._paint_seat, seat=seat),
            value=who.kind,
            on_step=None if table.daily else partial(table.step_seat, seat),
            text_input=table.nick_input(seat) if who.kind == PERSON and able else None,
        )

    def _paint_seat(self, area: Place, seat: Seat) -> None:
        inks, table, who, wrong = area.canvas.theme.inks, self._table, self._table.sitters[seat], self._blamed == seat
        area.text(_STOPS.label, 0, table.places[seat], area.muted)
        name, x = table.names[seat], _STOPS.value
        if who.kind == PERSON:
            _paint_typed(area, x, 0, seating.MOST_LETTERS + 1, who.nick_input, name, wrong=wrong)
        else:
            area.text(x, 0, name, inks.loss if wrong else inks.text, bold=True)
        paint_value(area, _LEVEL, _NARROW, who.kind, None if table.daily else seat)
        if (rating := table.rating(seat)) is not None:
            area.right(0, str(rating), area.quiet)

    def _note(self, air: int) -> tuple[str, bool]:
        """Return the note below the seats, and True if it is an error.

        It is an error in a seat, a hint, or the strength of the robot levels. Without any of these it is ``""``.
        """
        table, wrong = self._table, self._table.first_error
        if wrong and isinstance(wrong.name, int):
            return wrong.why[:1].upper() + wrong.why[1:], True
        if table.daily:
            return _DAILY, False
        if table.watched:
            return _WATCHED, False
        kind = table.sitters[self._cursor].kind if isinstance(self._cursor, int) else None
        if kind == PERSON:
            return _NICK, False
        return level_strength_text(table.game.about.key) if air or kind else "", False

    def _paint_note(self, area: Place, said: str, *, wrong: bool) -> None:
        inks = area.canvas.theme.inks
        ink = (inks.loss if self._blamed is not None else inks.soft) if wrong else inks.quiet
        for row, line in enumerate(text_fit.wrap(said, area.width - _STOPS.label)[:2]):
            area.text(_STOPS.label, row, line, ink)

    def _seating(self) -> FormRow:
        value = ("by lot", "places are drawn") if self._table.random_seats else ("as listed", "clockwise, as above")
        return self._choice("seating", "Seating", value[0], self._table.step_seating, value[1])

    def _deal(self) -> FormRow:
        table = self._table
        means = f"{day(table.today)}, the same for all" if table.daily else "new, by number, of the day"
        typed = table.deal is DealChoice.NUMBER
        line = self._choice("deal", "Deal", table.deal.value, table.step_deal, "" if typed else means)
        if typed:
            line.text_input, line.paint_below = table.number_input, self._paint_number
        else:
            line.on_text = table.begin_number
        return line

    def _paint_number(self, area: Place) -> None:
        wrong = self._blamed == "deal"
        _paint_typed(area, _STOPS.value, 1, _STOPS.wide, self._table.number_input, "type a number", wrong=wrong)

    def _practice(self, rule: Choice) -> FormRow:
        steps = partial(self._table.step_rule, rule)
        return self._choice(rule.name, "Practice", self._table.value_text(rule), steps, "open hands, never counted")

    def _rule(self, rule: Choice) -> FormRow:
        table, means = self._table, self._table.meaning(rule)
        return FormRow(
            name=None if table.daily else rule.name,
            draw=partial(self._paint_rule, rule=rule),
            value=table.value_text(rule),
            help_text=f"{rule.meaning}: {means}",
            indent=INDENT,
            max_width=_MOST_MEANING,
            spare=1,
            stressed=len(means.split()),
            on_step=partial(table.step_rule, rule),
            on_text=partial(table.type_minutes, rule) if rule.minutes else None,
            on_backspace=partial(table.rub_out_minutes, rule) if rule.minutes else None,
        )

    def _paint_rule(self, area: Place, rule: Choice) -> None:
        label = label_of(rule)
        longest = max([cell_len(str(value)) for value in rule.values])
        width = max(longest + ARROWS, min(_STOPS.wide, area.width - 1 - INDENT - cell_len(label) - 1))
        x = area.width - 1 - width
        area.text(INDENT, 0, label, area.canvas.theme.inks.text, most=x - INDENT - 1, bold=True)
        paint_value(area, x, width, self._table.value_text(rule), None if self._table.daily else rule.name)


def _paint_button(area: Place) -> None:
    paint_button(area, _STOPS.value, _STOPS.wide, "Deal the cards", "begin")


def _paint_typed(area: Place, x: int, row: int, width: int, line: TextInput, empty: str, *, wrong: bool) -> None:
    """Paint a text input, with ``placeholder`` while it is empty."""
    ink = area.canvas.theme.inks.loss if wrong else None
    paint_text_input(area.canvas, area.x + x, area.y + row, width, line, empty, ink=ink, has_focus=area.at)


LEFT: Final = 42
LARGE_LEFT: Final = 55
"""Width of the left column, in a normal and in a large terminal."""


class NewTablePage(FormPage):
    """Page with the form for a new table."""

    ABOUT = "at a new table"
    SCOPE = NEW_TABLE

    def __init__(self, context: PageContext, table: NewTable) -> None:
        super().__init__(context, "game")
        self.table = table
        self._aside: Hashable = None

    def on_mount(self) -> None:
        """Request the ratings of the players in the background. Closing the page cancels the request."""
        self._reckoning = self._reckon()

    @work
    async def _reckon(self) -> None:
        with suppress(OSError):  # ratings are not required
            await self.context.statistics_client.reckon(self._handle_progress)

    def _handle_progress(self, progress: AggregationProgress) -> None:
        """Store the ratings and cancel the aggregation.

        The first results contain all ratings; later ones would only complete the statistics.
        """
        if progress.records:
            self.table.ratings = progress.records.ratings
            self.repaint()
            self._reckoning.cancel()

    def columns(self, canvas: Canvas) -> list[Column]:
        """Return the seats and the house rules side by side, with as much spacing as fits.

        In a small terminal everything is in one column.
        """
        lines, grid = TableLines(self.table, self.cursor, self.action_begin, insisted=self.insisted), grid_of(canvas)
        if grid.tiny:
            return [Column(MARGIN, canvas.width - 2 * MARGIN, lines.one_column())]
        edge, room = LARGE_LEFT if grid.large else LEFT, canvas.height - 3
        plan, rights = lines.plan(), [lines.right(air) for air in (2, 1, 0)]
        left = [[*lines.left(2), *plan], [*lines.left(1), *plan], lines.left(1), lines.left(0)]
        right = [each for rules in rights for each in ([*rules, *lines.usual()], rules)]
        width = canvas.width - edge - MARGIN
        return [
            _fitting(MARGIN, edge - 2 * MARGIN, left, room),
            _fitting(edge, width, right, room)._replace(panel=True),
        ]

    def paint_body(self, canvas: Canvas) -> Keys:
        self.paint_lines(canvas)
        about = self.table.game.about
        paint_page_header(canvas, "New table", about.title, f"{len(self.table.sitters)} seats, {about.length}")
        keys = [("up down", "line"), ("left right", "change"), ("play", "deal")]
        return [*keys, *self._keys_here(canvas), ("leave", "back")]

    def _keys_here(self, canvas: Canvas) -> list[tuple[str, str]]:
        """Return the keys that depend on the row at the cursor or on the size of the terminal, with their labels."""
        columns = [[line.name for line in column.lines] for column in self.shown(canvas)]
        if len(columns) == 1:
            return []
        other = [("switch", "seats" if self.cursor in columns[1] else "options")] if not self.table.daily else []
        return other if isinstance(self.cursor, int) and self.line.text_input else [*other, ("rules", "rules")]

    def changed(self) -> None:
        self.insisted = False
        super().changed()

    def action_aside(self) -> None:
        """Move the cursor from the seats to the house rules or back, to the row at which it was before."""
        names = [line.name for line in self.lines]
        rules = [rule.name for rule in self.table.rules if rule.name in names and rule.name != PRACTICE]
        across = [name for name in names if (name in rules) != (self.cursor in rules)]
        if across:
            here, there = self.cursor, self._aside
            self._aside = here
            self.move_cursor_to(there if there in across else across[0])

    def action_begin(self) -> None:
        """Begin the session. If a row is invalid, move the cursor to it instead."""
        if wrong := self.table.first_error:
            self.show_errors(wrong.name)
        else:
            self.navigate(partial(self.context.begin, self.table.setup()))

    def action_rules(self) -> None:
        """Open the rules of the game, in which the selected house rules are marked."""
        self.show("rules", self.table.game.about.key, self.table.options)


def _fitting(x: int, width: int, tries: list[list[FormRow]], room: int) -> Column:
    """Return a column with the first of the ``alternatives`` that is not too high, or else with the last one."""
    fits = (each for each in tries if sum(line.block(width).height for line in each) <= room)
    return Column(x, width, next(fits, tries[-1]))


def screen(context: PageContext, game_key: str) -> PageScreen:
    """Return the page for a new table of a game. Earlier selections in this run of the program are preserved."""
    table = context.page_state(NewTable)
    table.open(game_key, datetime.now(UTC).astimezone().date(), profiles.load()[0])
    return PageScreen(NewTablePage(context, table))
