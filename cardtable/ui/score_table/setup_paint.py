"""The forms of a score table: what a new one is to be - game, players, who begins, house rules -, and its names."""

from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, NamedTuple, TypeVar

from cardtable.store.seating import MOST_LETTERS
from cardtable.ui.draw import fitting
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.choice import paint_choice
from cardtable.ui.draw.column import GAP, Block, Place, paint_column
from cardtable.ui.draw.layout import MARGIN, grid_of
from cardtable.ui.new_table.plan import PLAN_ROWS, paint_plan
from cardtable.ui.score_table.setup import Kind, Line, PlayerNames, ScoreSetup

S = TypeVar("S", bound=PlayerNames)
_LABEL: Final = 2
_VALUE: Final = 18
"""How far in labels and values stand."""
_WIDE: Final = 22
"""Columns of a value."""
_NAME: Final = MOST_LETTERS + 3
"""Columns of a name, with the cursor after it."""
_LARGE_LEFT: Final = 66
"""Columns of the form where there is much room; the house rules stand beside it then."""
_NAMES: Final = "Type the names in the order of the seats, clockwise."


class Step(NamedTuple):
    """The mouse's target: one of the two ends of a value."""

    line: Line
    step: int


@dataclass(slots=True)
class Form(Generic[S]):
    """What the screen shows of a form, and where the cursor is."""

    setup: S
    cursor: Line
    offset: int = 0
    insisted: bool = False
    """Whether it was to be used in vain."""

    def go(self, line: Line) -> None:
        """To a line."""
        self.cursor, self.insisted = line, False
        self.setup.begin_anew()


def paint_names(canvas: Canvas, form: Form[PlayerNames]) -> None:
    """The names of a score table that is open, between header and footer."""
    width = canvas.width - 2 * MARGIN
    blocks = [_said(_NAMES, width), *[_name(form, line) for line in form.setup.lines]]
    form.offset = paint_column(canvas, blocks, MARGIN, width, cursor=form.cursor, offset=form.offset, follow=True)


def paint_setup(canvas: Canvas, form: Form[ScoreSetup]) -> None:
    """What a new one is to be, between header and footer."""
    setup = form.setup
    if form.cursor not in setup.lines:
        form.cursor = setup.lines[0]
    large = grid_of(canvas).large
    left = _LARGE_LEFT if large else canvas.width
    width = left - 2 * MARGIN
    rules = [line for line in setup.lines if line.kind is Kind.RULE]
    blocks: list[Block] = []
    for line in setup.lines:
        if line.kind is Kind.PLAYER:
            blocks += [GAP, _said(_NAMES, width)] * (line.seat == 0)
            blocks.append(_name(form, line))
        elif line.kind is not Kind.RULE:
            blocks += [GAP] * (line.kind is not Kind.GAME)
            blocks.append(Block(1, partial(_paint_choice, form=form, line=line), line))
    told = setup.told
    if large:
        plan = partial(paint_plan, names=setup.names, cursor=_seat(form), said=setup.order)
        blocks += [GAP, GAP, Block(PLAN_ROWS, plan)]
        canvas.fill(left, 1, canvas.width - left, canvas.height - 2, canvas.theme.grounds.panel)
        room = canvas.width - left - MARGIN
        heading = Block(1, partial(_paint_heading, text=f"House rules of {setup.game.about.title}"))
        beside = [heading, GAP] * bool(rules)
        for line in rules:
            beside += [_rule(form, line, room), GAP]
        beside += [GAP, *[_said(each, room) for each in told]]
        paint_column(canvas, beside, left, room, cursor=form.cursor, offset=0, follow=False)
    else:
        for line in rules:
            blocks += [GAP, _rule(form, line, width)]
        blocks += [GAP, *[_said(each, width) for each in told]]
    form.offset = paint_column(canvas, blocks, MARGIN, width, cursor=form.cursor, offset=form.offset, follow=True)


def _seat(form: Form[ScoreSetup]) -> int:
    """The seat that is gold in the plan: the one whose name is typed, else that of who begins."""
    return form.cursor.seat if form.cursor.kind is Kind.PLAYER else form.setup.first


def _said(text: str, width: int) -> Block:
    said = fitting.wrap(text, width - _LABEL)
    return Block(len(said), partial(_paint_said, said=said))


def _name(form: Form[S], line: Line) -> Block:
    return Block(1, partial(_paint_name, form=form, line=line), line)


def _rule(form: Form[ScoreSetup], line: Line, width: int) -> Block:
    said = fitting.wrap(form.setup.meaning(line), width - _VALUE)
    return Block(1 + len(said), partial(_paint_choice, form=form, line=line, said=said), line, lit=1)


def _paint_heading(where: Place, text: str) -> None:
    where.text(_LABEL, 0, text, where.canvas.theme.inks.text, bold=True)


def _paint_said(where: Place, said: list[str]) -> None:
    for row, text in enumerate(said):
        where.text(_LABEL, row, text, where.canvas.theme.inks.quiet)


def _paint_name(where: Place, form: Form[S], line: Line) -> None:
    inks, setup = where.canvas.theme.inks, form.setup
    where.text(_LABEL, 0, f"Player {line.seat + 1}", inks.text, bold=where.at)
    where.canvas.fill(where.x + _VALUE, where.y, _NAME, 1, where.canvas.theme.grounds.panel)
    end = where.text(_VALUE + 1, 0, setup.value(line), inks.text, bold=where.at)
    if where.at:
        where.canvas.text(end, where.y, " ", inks.text, ground=inks.gold)
    wrong = setup.wrong
    if wrong and wrong.line == line and (form.insisted or not where.at):
        where.text(_VALUE + _NAME + 1, 0, wrong.why, inks.loss)


_LABELS: Final = {Kind.GAME: "Game", Kind.NUMBER: "Players", Kind.FIRST: "Begins"}


def _paint_choice(where: Place, form: Form[ScoreSetup], line: Line, said: list[str] | None = None) -> None:
    inks = where.canvas.theme.inks
    label = _LABELS.get(line.kind, line.rule.replace("_", " ").capitalize())
    where.text(_LABEL, 0, label, inks.text, most=_VALUE - _LABEL - 1, bold=where.at)
    paint_choice(where, _VALUE, _WIDE, form.setup.value(line), (Step(line, -1), Step(line, 1)))
    for row, text in enumerate(said or [], 1):
        where.text(_VALUE, row, text, inks.quiet)
