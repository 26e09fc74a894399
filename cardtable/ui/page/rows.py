"""Lines of a form: what each shows, and what keys and mouse do with it."""

from collections.abc import Callable, Hashable
from typing import Final, NamedTuple

import msgspec

from cardtable.store import seating
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.choice import paint_choice
from cardtable.ui.draw.column import Block, Place
from cardtable.ui.draw.fitting import wrap
from cardtable.ui.draw.layout import Box
from cardtable.ui.page.footer import Keys
from cardtable.ui.toolkit.text_input import TextInput


class Arrow(NamedTuple):
    """The mouse's target: one of the two ends of a value, or a button."""

    name: Hashable
    step: int


class Stops(NamedTuple):
    """How far in labels and values stand, and the columns of a value."""

    label: int
    value: int
    wide: int


class FormRow(msgspec.Struct, kw_only=True):
    """A line of a form; a key for which it has nothing does nothing."""

    name: Hashable = None
    """What the cursor finds; ``None`` for a line that is only read."""
    draw: Callable[[Place], None] | None = None
    below: Callable[[Place], None] | None = None
    """Draws one row more, which has no ground of the cursor."""
    rows: int = 1
    """Rows that are drawn."""
    lit: bool = True
    """Whether they have the ground of the cursor; else it marks itself where that is, and what can be clicked."""
    says: str = ""
    """What stands below, in as many rows as it needs."""
    indent: int = 2
    """How far in that begins."""
    most: int = 999
    """Columns that it has at most."""
    spare: int = 0
    """Columns that stay free after it."""
    stressed: int = 0
    """How many words at its end matter more than the others."""
    loss: bool = False
    """Whether it says what is wrong."""
    value: str = ""
    """What is chosen, in a word or two."""
    steps: Callable[[int], None] | None = None
    """Takes the next value (1), or the one before (-1); in a line that is typed, goes a character on or back."""
    text_input: TextInput | None = None
    """The line that is edited in it; where there are ``steps``, Left and Right are for those."""
    edited: Callable[[], object] | None = None
    """Responds to a change of that line."""
    replaces: bool = False
    """True if what is typed replaces the text that stood there when the cursor came."""
    types: Callable[[str, bool], bool] | None = None
    """Takes a digit of a value, the first since the cursor came here or not; whether it did."""
    rubs_out: Callable[[], object] | None = None
    """Takes back the last digit of a value, or the value."""
    ends: Callable[[int], None] | None = None
    """Goes to the first (-1) or the last (1) of the values that are entered."""
    does: Callable[[], object] | None = None
    """What a button does, or a second click."""
    keys: Keys = ()
    """What the footer tells of it."""
    beside: Callable[[Canvas, Box], None] | None = None
    """Paints what belongs to it beside the form."""

    def block(self, width: int) -> Block:
        """The line in a column of so many columns."""
        said = wrap(self.says, max(min(width - self.indent - self.spare, self.most), 2)) if self.says else []

        def paint(where: Place) -> None:
            for draw in (self.draw, self.below):
                if draw:
                    draw(where)
            self._paint_said(where, said)

        return Block(self.rows + len(said) + bool(self.below), paint, self.name, (self.rows or None) if self.lit else 0)

    def _paint_said(self, where: Place, said: list[str]) -> None:
        inks = where.canvas.theme.inks
        words = sum(len(line.split()) for line in said) - self.stressed
        for row, line in enumerate(said, self.rows):
            less = " ".join(line.split()[: max(words, 0)])
            where.text(self.indent, row, line, inks.soft)
            where.text(self.indent, row, less, inks.loss if self.loss else inks.quiet)
            words -= len(line.split())


FREE: Final = FormRow()
"""A free row."""


def words(text: str, indent: int = 2, *, loss: bool = False, name: Hashable = None) -> FormRow:
    """Words, in as many rows as they need."""
    return FormRow(name=name, rows=0, says=text, indent=indent, loss=loss)


def heading(text: str, indent: int = 2) -> FormRow:
    """A heading."""
    return FormRow(draw=lambda where: _label(where, indent, text, bold=True))


def choice(
    name: Hashable,
    label: str,
    value: str,
    steps: Callable[[int], None],
    stops: Stops,
    *,
    bold: bool = False,
    fixed: bool = False,
    says: str = "",
    indent: int = 2,
) -> FormRow:
    """A value between two arrows; one that is ``fixed`` is only read."""
    name = None if fixed else name

    def draw(where: Place) -> None:
        _label(where, stops.label, label, stops.value - stops.label - 1, bold=bold or where.at)
        paint_value(where, stops.value, stops.wide, value, name)

    return FormRow(name=name, draw=draw, value=value, steps=steps, says=says, indent=indent)


def nick_input(nick: str = "") -> TextInput:
    """Return a line for a nick: it takes letters and digits, as many as a nick has, and makes the first a capital."""
    return TextInput(
        seating.MOST_LETTERS,
        nick,
        accepts=seating.is_nick_character,
        measure=seating.nick_length,
        correct=seating.capital,
    )


def _label(where: Place, x: int, text: str, most: int | None = None, *, bold: bool) -> None:
    where.text(x, 0, text, where.canvas.theme.inks.text, most=most, bold=bold)


def paint_value(where: Place, x: int, width: int, value: str, name: Hashable) -> None:
    """A value between two arrows; without them where it cannot be changed."""
    if name is None:
        where.canvas.centre(where.x + x + width // 2, where.y, value, where.muted)
    else:
        paint_choice(where, x, width, value, (Arrow(name, -1), Arrow(name, 1)))


def paint_button(where: Place, x: int, width: int, text: str, name: Hashable) -> None:
    """What Enter does."""
    canvas, theme = where.canvas, where.canvas.theme
    canvas.fill(where.x + x, where.y, width, 1, theme.inks.gold if where.at else theme.grounds.track)
    ink = theme.grounds.panel if where.at else theme.inks.text
    canvas.centre(where.x + x + width // 2, where.y, text, ink, bold=where.at)
    canvas.spot(where.x + x, where.y, width, 1, Arrow(name, 0))
