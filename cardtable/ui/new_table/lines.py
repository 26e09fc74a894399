"""The lines of a new table: seats and deal with a plan of the table, house rules."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Final

from rich.cells import cell_len

from cardtable.engine.contract import Seat
from cardtable.engine.options import Choice
from cardtable.store import seating
from cardtable.ui.draw import fitting
from cardtable.ui.draw.choice import ARROWS
from cardtable.ui.draw.column import INDENT, Place
from cardtable.ui.draw.table_plan import PLAN_ROWS, paint_plan
from cardtable.ui.new_table.form import PERSON, PRACTICE, DealChoice, NewTable
from cardtable.ui.page.house_rules import label_of
from cardtable.ui.page.rows import FREE, FormRow, Stops, choice, heading, paint_button, paint_value, words
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.levels import apart
from cardtable.wording.words import day

_STOPS: Final = Stops(2, 12, 18)
_LEVEL: Final = 22
_NARROW: Final = 12
"""How far in levels stand, and their columns."""
_MOST_MEANING: Final = 52
_DAILY: Final = "The deal of the day has its own game, seats and house rules."
_NICK: Final = "Type a nick; without one the seat is Guest's."
_WATCHED: Final = "Nobody plays: you watch the robots."
_USUAL: Final = "These are the usual house rules; a table keeps those that it began with."


class TableLines:
    """The lines as they are now, with the cursor on one of them."""

    def __init__(self, table: NewTable, cursor: Hashable, begin: Callable[[], None], *, insisted: bool) -> None:
        """``begin`` deals the cards."""
        self._table, self._cursor, self._begin = table, cursor, begin
        wrong = table.wrong
        self._blamed = wrong.name if wrong and (insisted or wrong.name != cursor) else None
        """The line that is to be put right; not while the person is just typing there."""

    def one_column(self) -> list[FormRow]:
        """All lines below each other, as close as can be: what one means is told where the cursor is only."""
        lines = [*self.left(0), *self.right(0), *self.usual()]
        for line in lines:
            if line.name not in (None, self._cursor):
                line.says = ""
        return lines

    def left(self, air: int) -> list[FormRow]:
        """All but the house rules; with ``air`` free rows between settings (1), and between seats, too (2)."""
        table, some, much = self._table, [FREE] * min(air, 1), [FREE] * (air - 1)
        game = self._choice("game", "Game", table.game.about.title, table.step_game)
        seats = [line for seat in range(len(table.sitters)) for line in (self._seat(seat), *much)]
        practice = [rule for rule in table.rules if rule.name == PRACTICE]
        settings = [self._seating(), self._deal(), *map(self._practice, practice)]
        said, wrong = self._note(air)
        note = FormRow(draw=partial(self._paint_note, said=said, wrong=wrong), rows=2 if air or said else 0)
        begin = FormRow(name="begin", draw=_paint_button, does=self._begin)
        return [
            game, *some, self._number(), *much, *seats,
            note, *much, *[line for each in settings for line in (each, *some)], begin,
        ]  # fmt: skip

    def plan(self) -> list[FormRow]:
        """Who sits where."""
        table = self._table
        said = table.game.about.length, "places by lot" if table.drawn else "places as listed"
        seat = self._cursor if isinstance(self._cursor, int) else None
        paint = partial(paint_plan, names=table.names, cursor=seat, said=said, own=table.own or 0)
        return [FREE, FormRow(draw=paint, rows=PLAN_ROWS)]

    def right(self, air: int) -> list[FormRow]:
        """The house rules, each with what it means, and ``air`` free rows after it."""
        rules = [self._rule(rule) for rule in self._table.rules if rule.name != PRACTICE]
        title = heading(f"House rules of {self._table.game.about.title}", INDENT)
        return [title, FREE, *[line for rule in rules for line in (rule, *[FREE] * air)]]

    def usual(self) -> list[FormRow]:
        """Words below the house rules, where all are as usual."""
        said = words(_USUAL, INDENT)
        said.spare = 1
        return [said] * self._table.usual_rules

    def _choice(self, name: str, label: str, value: str, steps: Callable[[int], None], says: str = "") -> FormRow:
        fixed = self._table.daily and name != "deal"
        return choice(name, label, value, steps, _STOPS, bold=True, fixed=fixed, says=says, indent=_STOPS.value)

    def _number(self) -> FormRow:
        table = self._table
        several = len(table.game.about.seats) > 1 and not table.daily
        clockwise = ("clockwise from you", "clockwise")[table.own != 0 :]
        order = ("places by lot", "by lot") if table.drawn else (*filter(None, [table.partners]), *clockwise)

        def draw(where: Place) -> None:
            where.text(_STOPS.label, 0, "Seats", where.canvas.theme.inks.text, bold=True)
            x = _STOPS.value
            if several:
                paint_value(where, x, _NARROW - 2, str(len(table.sitters)), "number")
                x += _NARROW - 1
            rated = any(table.rating(seat) is not None for seat in range(len(table.sitters)))
            end = where.right(0, "rating" * rated, where.quiet)
            where.text(x, 0, next((said for said in order if x + len(said) < end), ""), where.quiet)

        return FormRow(name="number" if several else None, draw=draw, steps=table.step_number)

    def _seat(self, seat: Seat) -> FormRow:
        table, who = self._table, self._table.sitters[seat]
        able = seat == 0 or not table.daily
        return FormRow(
            name=seat if able else None,
            draw=partial(self._paint_seat, seat=seat),
            value=who.kind,
            steps=None if table.daily else partial(table.step_seat, seat),
            text_input=table.nick_input(seat) if who.kind == PERSON and able else None,
        )

    def _paint_seat(self, where: Place, seat: Seat) -> None:
        inks, table, who, wrong = where.canvas.theme.inks, self._table, self._table.sitters[seat], self._blamed == seat
        where.text(_STOPS.label, 0, table.places[seat], where.muted)
        name, x = table.names[seat], _STOPS.value
        if who.kind == PERSON:
            _paint_typed(where, x, 0, seating.MOST_LETTERS + 1, who.nick_input, name, wrong=wrong)
        else:
            where.text(x, 0, name, inks.loss if wrong else inks.text, bold=True)
        paint_value(where, _LEVEL, _NARROW, who.kind, None if table.daily else seat)
        if (rating := table.rating(seat)) is not None:
            where.right(0, str(rating), where.quiet)

    def _note(self, air: int) -> tuple[str, bool]:
        """What is wrong at a seat, what may be typed there, or how far levels are apart; and whether it is wrong."""
        table, wrong = self._table, self._table.wrong
        if wrong and isinstance(wrong.name, int):
            return wrong.why[:1].upper() + wrong.why[1:], True
        if table.daily:
            return _DAILY, False
        if table.watched:
            return _WATCHED, False
        kind = table.sitters[self._cursor].kind if isinstance(self._cursor, int) else None
        if kind == PERSON:
            return _NICK, False
        return apart(table.game.about.key) if air or kind else "", False

    def _paint_note(self, where: Place, said: str, *, wrong: bool) -> None:
        inks = where.canvas.theme.inks
        ink = (inks.loss if self._blamed is not None else inks.soft) if wrong else inks.quiet
        for row, line in enumerate(fitting.wrap(said, where.width - _STOPS.label)[:2]):
            where.text(_STOPS.label, row, line, ink)

    def _seating(self) -> FormRow:
        told = ("by lot", "places are drawn") if self._table.drawn else ("as listed", "clockwise, as above")
        return self._choice("seating", "Seating", told[0], self._table.step_seating, told[1])

    def _deal(self) -> FormRow:
        table = self._table
        means = f"{day(table.today)}, the same for all" if table.daily else "new, by number, of the day"
        typed = table.deal is DealChoice.NUMBER
        line = self._choice("deal", "Deal", table.deal.value, table.step_deal, "" if typed else means)
        if typed:
            line.text_input, line.below = table.number_input, self._paint_number
        else:
            line.types = table.begin_number
        return line

    def _paint_number(self, where: Place) -> None:
        wrong = self._blamed == "deal"
        _paint_typed(where, _STOPS.value, 1, _STOPS.wide, self._table.number_input, "type a number", wrong=wrong)

    def _practice(self, rule: Choice) -> FormRow:
        steps = partial(self._table.step_rule, rule)
        return self._choice(rule.name, "Practice", self._table.told(rule), steps, "open hands, never counted")

    def _rule(self, rule: Choice) -> FormRow:
        table, means = self._table, self._table.meaning(rule)
        return FormRow(
            name=None if table.daily else rule.name,
            draw=partial(self._paint_rule, rule=rule),
            value=table.told(rule),
            says=f"{rule.meaning}: {means}",
            indent=INDENT,
            most=_MOST_MEANING,
            spare=1,
            stressed=len(means.split()),
            steps=partial(table.step_rule, rule),
            types=partial(table.type_minutes, rule) if rule.minutes else None,
            rubs_out=partial(table.rub_out_minutes, rule) if rule.minutes else None,
        )

    def _paint_rule(self, where: Place, rule: Choice) -> None:
        label = label_of(rule)
        longest = max([cell_len(str(value)) for value in rule.values])
        width = max(longest + ARROWS, min(_STOPS.wide, where.width - 1 - INDENT - cell_len(label) - 1))
        x = where.width - 1 - width
        where.text(INDENT, 0, label, where.canvas.theme.inks.text, most=x - INDENT - 1, bold=True)
        paint_value(where, x, width, self._table.told(rule), None if self._table.daily else rule.name)


def _paint_button(where: Place) -> None:
    paint_button(where, _STOPS.value, _STOPS.wide, "Deal the cards", "begin")


def _paint_typed(where: Place, x: int, row: int, width: int, line: TextInput, empty: str, *, wrong: bool) -> None:
    """Paint what is typed, or what it means that nothing is."""
    ink = where.canvas.theme.inks.loss if wrong else None
    paint_text_input(where.canvas, where.x + x, where.y + row, width, line, empty, ink=ink, has_focus=where.at)
