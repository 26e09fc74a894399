"""The form for a new table: seats and deal at the left with a plan of the table, house rules at the right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.store import seating
from cardtable.ui.draw import fitting
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.choice import ARROWS, paint_choice
from cardtable.ui.draw.column import GAP, INDENT, Block, Place, paint_column, rows_of
from cardtable.ui.draw.layout import MARGIN, grid_of
from cardtable.ui.new_table.form import BEGIN, DEAL, GAME, NUMBER, PRACTICE, SEATING, Deal, Kind, Line, NewTable
from cardtable.ui.new_table.plan import PLAN_ROWS, paint_plan
from cardtable.wording.words import day

LEFT: Final = 42
LARGE_LEFT: Final = 55
"""Columns of the seats, and where there is much room."""
_LABEL: Final = 2
_VALUE: Final = 12
_LEVEL: Final = 22
"""How far in labels, nicks and choices, and the levels stand."""
_WIDE: Final = 18
_NARROW: Final = 12
"""Columns of a choice."""
_MOST_MEANING: Final = 52
_AIRS: Final = (2, 1, 0)
"""Free rows between house rules: as many as there is room for."""
_DAILY: Final = "The deal of the day has its own game, seats and house rules."
_NICK: Final = "Type a nick; without one it is Guest."
_WATCHED: Final = "Nobody plays: you watch the robots."
_USUAL: Final = "These are the values of the rules; a table keeps its own."
_PRACTICE: Final = Line(Kind.RULE, rule=PRACTICE)


class Step(NamedTuple):
    """The mouse's target: one of the two ends of a choice."""

    line: Line
    step: int


@dataclass(slots=True)
class Form:
    """What the screen shows of a new table, and where the cursor is."""

    table: NewTable
    cursor: Line = GAME
    offsets: list[int] = field(default_factory=lambda: [0, 0])
    """Rows of each column that are scrolled away."""
    follow: bool = True
    """Whether the cursor is kept in sight; not while the wheel is turned."""
    insisted: bool = False
    """Whether the cards were asked for in vain."""

    @property
    def lines(self) -> list[Line]:
        """Everything the cursor can be on, in order."""
        return [*self.table.left, *self.table.right]

    @property
    def blamed(self) -> Line | None:
        """The line that is to be put right; not while the person is just typing there."""
        wrong = self.table.wrong
        return wrong.line if wrong and (self.insisted or wrong.line != self.cursor) else None


def left_columns(canvas: Canvas) -> int:
    """The columns of the seats; all of them where the house rules stand below."""
    grid = grid_of(canvas)
    return canvas.width if grid.tiny else LARGE_LEFT if grid.large else LEFT


def paint_form(canvas: Canvas, form: Form) -> None:
    """Everything between header and footer; scrolls ``form`` where the cursor would be out of sight."""
    left = left_columns(canvas)
    if left == canvas.width:
        both = [*_left(form, 0), GAP, *_right(form, left - 2 * MARGIN, 1), *_usual(form, left - 2 * MARGIN)]
        _column(canvas, form, 0, both, MARGIN, left - 2 * MARGIN)
        return
    room, width = canvas.height - 3, canvas.width - left - MARGIN
    canvas.fill(left, 1, canvas.width - left, canvas.height - 2, canvas.theme.grounds.panel)
    _column(canvas, form, 0, _left_that_fits(form, room), MARGIN, left - 2 * MARGIN)
    _column(canvas, form, 1, _right_that_fits(form, width, room), left, width)


def _column(canvas: Canvas, form: Form, number: int, blocks: Sequence[Block], x: int, width: int) -> None:
    offset = form.offsets[number]
    form.offsets[number] = paint_column(canvas, blocks, x, width, cursor=form.cursor, offset=offset, follow=form.follow)


def _left_that_fits(form: Form, room: int) -> list[Block]:
    """With air and the plan of the table, or what there is room for."""
    seat = form.cursor.seat if form.cursor.kind is Kind.SEAT else None
    table = form.table
    said = table.game.about.length, "places by lot" if table.drawn else "places as listed"
    paint = partial(paint_plan, names=table.names, cursor=seat, said=said, own=table.own or 0)
    plan = [GAP, Block(PLAN_ROWS, paint)]
    tries = [[*_left(form, 2), *plan], [*_left(form, 1), *plan], _left(form, 1), _left(form, 0)]
    return next((each for each in tries if rows_of(each) <= room), tries[-1])


def _left(form: Form, air: int) -> list[Block]:
    """All but the house rules; with ``air`` free rows between settings (1), and between seats, too (2)."""
    table, seats = form.table, []
    for seat in range(len(table.sitters)):
        seats += [_line(form, Line(Kind.SEAT, seat), _paint_seat), *[GAP] * (air - 1)]
    practice = [_PRACTICE] * any(rule.name == PRACTICE for rule in table.rules)
    settings: list[Block] = []
    for line in (SEATING, DEAL, *practice):
        settings += [_line(form, line, _paint_setting, 2), *[GAP] * min(air, 1)]
    return [
        _line(form, GAME, _paint_game),
        *[GAP] * min(air, 1),
        _line(form, NUMBER, _paint_number),
        *[GAP] * (air - 1),
        *seats,
        Block(2, partial(_paint_note, form=form)),
        *settings,
        _line(form, BEGIN, _paint_button),
    ]


def _right_that_fits(form: Form, width: int, room: int) -> list[Block]:
    """With as much air as there is room for."""
    tries = []
    for air in _AIRS:
        rules = _right(form, width, air)
        tries += [[*rules, *_usual(form, width)], rules]
    return next((each for each in tries if rows_of(each) <= room), tries[-1])


def _right(form: Form, width: int, air: int) -> list[Block]:
    """The house rules, each with what it means, and ``air`` free rows after it."""
    heading = partial(_paint_heading, text=f"Options of {form.table.game.about.title}")
    blocks = [Block(1, heading), GAP]
    for rule in form.table.rules:
        line = Line(Kind.RULE, rule=rule.name)
        if line != _PRACTICE:
            rows = len(fitting.wrap(_explained(form.table, line), _measure(width)))
            blocks += [_line(form, line, _paint_rule, 1 + rows), *[GAP] * air]
    return blocks


def _usual(form: Form, width: int) -> list[Block]:
    """Words below the house rules, where all are as usual."""
    said = fitting.wrap(_USUAL, width - INDENT - 1)
    return [Block(len(said), partial(_paint_said, said=said))] * form.table.usual_rules


def _line(form: Form, line: Line, paint: Callable[..., None], height: int = 1) -> Block:
    """A line of the form; the cursor and the mouse find it only if it can be changed."""
    able = line in form.lines
    return Block(height, partial(paint, form=form, line=line), line if able else None, lit=1)


def _measure(width: int) -> int:
    return min(width - INDENT - 1, _MOST_MEANING)


def _explained(table: NewTable, line: Line) -> str:
    return f"{table.rule(line).meaning}: {table.meaning(line)}"


def _paint_game(where: Place, form: Form, line: Line) -> None:
    where.text(_LABEL, 0, "Game", where.canvas.theme.inks.text, bold=True)
    _paint_choice(where, form, line, _VALUE, _WIDE)


def _paint_number(where: Place, form: Form, line: Line) -> None:
    inks, x = where.canvas.theme.inks, _VALUE
    where.text(_LABEL, 0, "Seats", inks.text, bold=True)
    if line in form.lines:
        _paint_choice(where, form, line, x, _NARROW - 2)
        x += _NARROW - 1
    order = "places by lot" if form.table.drawn else "clockwise"
    where.text(x, 0, order + " from you" * (order == "clockwise" and form.table.own == 0), where.quiet)


def _paint_seat(where: Place, form: Form, line: Line) -> None:
    inks, table, wrong = where.canvas.theme.inks, form.table, form.blamed == line
    where.text(_LABEL, 0, table.places[line.seat], where.muted)
    name = table.names[line.seat]
    if table.types(line):
        _paint_field(where, _VALUE, 0, table.sitters[line.seat].nick, name, seating.MOST_LETTERS + 1, wrong=wrong)
    else:
        where.text(_VALUE, 0, name, inks.loss if wrong else inks.text, bold=True)
    _paint_choice(where, form, line, _LEVEL, _NARROW, fixed=table.daily)
    if (rating := table.rating(line.seat)) is not None:
        where.right(0, str(rating), where.quiet)


def _paint_note(where: Place, form: Form) -> None:
    """What is wrong at a seat, or what may be typed there."""
    inks, wrong = where.canvas.theme.inks, form.table.wrong
    text, ink = "", inks.quiet
    if wrong and wrong.line.kind is Kind.SEAT:
        text = wrong.why[:1].upper() + wrong.why[1:]
        ink = inks.loss if form.blamed else inks.soft
    elif form.table.daily:
        text = _DAILY
    elif form.table.watched:
        text = _WATCHED
    elif form.table.types(form.cursor):
        text = _NICK
    for row, line in enumerate(fitting.wrap(text, where.width - _LABEL)[:2]):
        where.text(_LABEL, row, line, ink)


def _paint_setting(where: Place, form: Form, line: Line) -> None:
    table = form.table
    where.text(_LABEL, 0, _SETTINGS[line], where.canvas.theme.inks.text, bold=True)
    _paint_choice(where, form, line, _VALUE, _WIDE)
    if line == DEAL and table.deal is Deal.NUMBER:
        _paint_field(where, _VALUE, 1, table.number, "type a number", _WIDE, wrong=form.blamed == line)
        return
    where.text(_VALUE, 1, _setting_means(table, line), where.canvas.theme.inks.quiet)


_SETTINGS: Final = {SEATING: "Seating", DEAL: "Deal", _PRACTICE: "Practice"}


def _setting_means(table: NewTable, line: Line) -> str:
    if line == SEATING:
        return "who sits where is drawn" if table.value(line) == "by lot" else "clockwise, as above"
    if line == DEAL:
        return f"{day(table.today)}, the same for all" if table.daily else "new, by number, of the day"
    return "open hands, never counted"


def _paint_field(where: Place, x: int, row: int, typed: str, empty: str, width: int, *, wrong: bool) -> None:
    """What is typed, or what it means that nothing is; where the cursor is, with a stroke after it."""
    canvas, inks, end = where.canvas, where.canvas.theme.inks, where.x + x
    canvas.fill(end, where.y + row, width, 1, canvas.theme.grounds.panel)
    if typed:
        end = where.text(x, row, typed, inks.loss if wrong else inks.text, most=width - 1, bold=True)
    else:
        where.text(x + where.at, row, empty, inks.loss if wrong else inks.soft)
    if where.at:
        canvas.text(end, where.y + row, "▏", inks.text)


def _paint_rule(where: Place, form: Form, line: Line) -> None:
    table, inks = form.table, where.canvas.theme.inks
    label = line.rule.replace("_", " ").capitalize()
    longest = max([cell_len(str(value)) for value in table.rule(line).values])
    width = max(longest + ARROWS, min(_WIDE, where.width - 1 - INDENT - cell_len(label) - 1))
    x = where.width - 1 - width
    where.text(INDENT, 0, label, inks.text, most=x - INDENT - 1, bold=True)
    _paint_choice(where, form, line, x, width, fixed=table.daily)
    said = fitting.wrap(_explained(table, line), _measure(where.width))
    meaning = len(table.meaning(line).split())
    left = sum(len(each.split()) for each in said)
    for row, text in enumerate(said, 1):
        column = INDENT
        for word in text.split():
            ink = inks.soft if left <= meaning else inks.quiet
            where.text(column, row, word, ink)
            column, left = column + cell_len(word) + 1, left - 1


def _paint_choice(where: Place, form: Form, line: Line, x: int, width: int, *, fixed: bool = False) -> None:
    """A value between two arrows; without them where it cannot be changed."""
    value = form.table.value(line)
    if fixed or line not in form.lines:
        where.canvas.centre(where.x + x + width // 2, where.y, value, where.muted)
        return
    paint_choice(where, x, width, value, (Step(line, -1), Step(line, 1)))


def _paint_button(where: Place, form: Form, line: Line) -> None:  # noqa: ARG001 - painted as every line is
    canvas, theme = where.canvas, where.canvas.theme
    left, ink = where.x + _VALUE, theme.grounds.panel if where.at else theme.inks.text
    canvas.fill(left, where.y, _WIDE, 1, theme.inks.gold if where.at else theme.grounds.track)
    canvas.centre(left + _WIDE // 2, where.y, "Deal the cards", ink, bold=where.at)
    canvas.spot(left, where.y, _WIDE, 1, Step(BEGIN, 1))


def _paint_heading(where: Place, text: str) -> None:
    where.text(INDENT, 0, text, where.canvas.theme.inks.text, bold=True)


def _paint_said(where: Place, said: Sequence[str]) -> None:
    for row, line in enumerate(said):
        where.text(INDENT, row, line, where.quiet)
