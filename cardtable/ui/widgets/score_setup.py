"""The form for a new score table: game, players, who begins, house rules."""

from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from cardtable.ui import words
from cardtable.ui.canvas import Canvas
from cardtable.ui.score_setup import Kind, Line, ScoreSetup
from cardtable.ui.widgets.choice import paint_choice
from cardtable.ui.widgets.column import GAP, Block, Place, paint_column
from cardtable.ui.widgets.page import MARGIN

GAME_LINE: Final = Line(Kind.GAME)
_LABEL: Final = 2
_VALUE: Final = 18
"""How far in labels and values stand."""
_WIDE: Final = 22
"""Columns of a value."""
_NAMES: Final = "Type the names in the order of the seats, clockwise."


class Step(NamedTuple):
    """The mouse's target: one of the two ends of a value."""

    line: Line
    step: int


@dataclass(slots=True)
class Form:
    """What the screen shows of a new score table, and where the cursor is."""

    setup: ScoreSetup
    cursor: Line = GAME_LINE
    offset: int = 0
    insisted: bool = False
    """Whether it was to be begun in vain."""

    def go(self, line: Line) -> None:
        """To a line."""
        self.cursor, self.insisted = line, False
        self.setup.begin_anew()


def paint_setup(canvas: Canvas, form: Form) -> None:
    """Everything between header and footer."""
    if form.cursor not in form.setup.lines:
        form.cursor = GAME_LINE
    width = canvas.width - 2 * MARGIN
    blocks: list[Block] = []
    before = Kind.GAME
    for line in form.setup.lines:
        if line.kind is not before:
            blocks.append(GAP)
        if line.kind is Kind.PLAYER and before is not Kind.PLAYER:
            blocks += [Block(1, partial(_paint_said, text=_NAMES))]
        before = line.kind
        said = words.wrap(form.setup.meaning(line), width - _VALUE) if line.kind is Kind.RULE else []
        paint = partial(_paint_line, form=form, line=line, said=said)
        blocks.append(Block(1 + len(said), paint, line, lit=1))
    form.offset = paint_column(canvas, blocks, MARGIN, width, cursor=form.cursor, offset=form.offset, follow=True)


def _paint_said(where: Place, text: str) -> None:
    where.text(_LABEL, 0, text, where.canvas.theme.inks.quiet)


def _paint_line(where: Place, form: Form, line: Line, said: list[str]) -> None:
    inks, setup = where.canvas.theme.inks, form.setup
    where.text(_LABEL, 0, _label(line), inks.text, most=_VALUE - _LABEL - 1, bold=where.at)
    if line.kind is Kind.PLAYER:
        where.canvas.fill(where.x + _VALUE, where.y, _WIDE, 1, where.canvas.theme.grounds.panel)
        end = where.text(_VALUE + 1, 0, setup.value(line), inks.text, bold=where.at)
        if where.at:
            where.canvas.text(end, where.y, " ", inks.text, ground=inks.gold)
        wrong = setup.wrong
        if wrong and wrong.line == line and (form.insisted or not where.at):
            where.text(_VALUE + _WIDE + 2, 0, wrong.why, inks.loss)
        return
    paint_choice(where, _VALUE, _WIDE, setup.value(line), (Step(line, -1), Step(line, 1)))
    for row, text in enumerate(said, 1):
        where.text(_VALUE, row, text, inks.quiet)


def _label(line: Line) -> str:
    if line.kind is Kind.PLAYER:
        return f"Player {line.seat + 1}"
    if line.kind is Kind.RULE:
        return line.rule.replace("_", " ").capitalize()
    labels = {Kind.GAME: "Game", Kind.NUMBER: "Players", Kind.FIRST: "Begins"}
    return labels[line.kind]
