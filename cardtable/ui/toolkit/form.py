"""Forms: lines in which a cursor moves, where values are chosen and words are typed."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Final, NamedTuple

import msgspec
from rich.cells import cell_len
from textual import events

from cardtable.engine.game import AnyGame
from cardtable.engine.options import Choice, Options, Value, read
from cardtable.engine.text_format import one_line
from cardtable.store import seating
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import KeyBinding
from cardtable.ui.toolkit.page import Page
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Box
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.ui.toolkit.scroll_list import Block, Place, paint_column
from cardtable.ui.toolkit.text_input import TextInput


class Arrow(NamedTuple):
    """The mouse's target: one of the two ends of a value, or a button."""

    name: Hashable
    step: int


class ColumnStops(NamedTuple):
    """How far in labels and values stand, and the columns of a value."""

    label: int
    value: int
    wide: int


class FormRow(msgspec.Struct, kw_only=True):
    """A line of a form; a key for which it has nothing does nothing."""

    name: Hashable = None
    """What the cursor finds; ``None`` for a line that is only read."""
    draw: Callable[[Place], None] | None = None
    paint_below: Callable[[Place], None] | None = None
    """Draws one row more, which has no ground of the cursor."""
    rows: int = 1
    """Rows that are drawn."""
    lit: bool = True
    """Whether they have the ground of the cursor; else it marks itself where that is, and what can be clicked."""
    help_text: str = ""
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
    on_step: Callable[[int], None] | None = None
    """Takes the next value (1), or the one before (-1); in a line that is typed, goes a character on or back."""
    text_input: TextInput | None = None
    """The line that is edited in it; where there are ``on_step``, Left and Right are for those."""
    edited: Callable[[], object] | None = None
    """Responds to a change of that line."""
    replaces: bool = False
    """True if what is typed replaces the text that stood there when the cursor came."""
    on_text: Callable[[str, bool], bool] | None = None
    """Takes a digit of a value, the first since the cursor came here or not; whether it did."""
    on_backspace: Callable[[], object] | None = None
    """Takes back the last digit of a value, or the value."""
    on_home_end: Callable[[int], None] | None = None
    """Goes to the first (-1) or the last (1) of the values that are entered."""
    on_press: Callable[[], object] | None = None
    """What a button does, or a second click."""
    keys: Keys = ()
    """What the footer tells of it."""
    paint_aside: Callable[[Canvas, Box], None] | None = None
    """Paints what belongs to it beside the form."""

    def block(self, width: int) -> Block:
        """The line in a column of so many columns."""
        said = wrap(self.help_text, max(min(width - self.indent - self.spare, self.most), 2)) if self.help_text else []

        def paint(where: Place) -> None:
            for draw in (self.draw, self.paint_below):
                if draw:
                    draw(where)
            self._paint_said(where, said)

        return Block(
            self.rows + len(said) + bool(self.paint_below), paint, self.name, (self.rows or None) if self.lit else 0
        )

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
    return FormRow(name=name, rows=0, help_text=text, indent=indent, loss=loss)


def heading(text: str, indent: int = 2) -> FormRow:
    """A heading."""
    return FormRow(draw=lambda where: _label(where, indent, text, bold=True))


def choice(
    name: Hashable,
    label: str,
    value: str,
    steps: Callable[[int], None],
    stops: ColumnStops,
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

    return FormRow(name=name, draw=draw, value=value, on_step=steps, help_text=says, indent=indent)


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
    canvas.add_hit_box(where.x + x, where.y, width, 1, Arrow(name, 0))


WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""


class Column(NamedTuple):
    """Lines below each other, from one side to the other or beside others."""

    x: int
    width: int
    lines: Sequence[FormRow]
    panel: bool = False
    """Whether it has a ground of its own, as far as the right edge."""
    top: int = 1
    """Its first row, which is free."""


class FormPage(Page):
    """A page whose lines say what they show and do; moves in them, types into them, and scrolls them."""

    ASKS_BEFORE_LEAVING: ClassVar[bool] = False
    """True if leaving the page loses what was entered, so that it asks first."""

    def __init__(self, room: PageContext, cursor: Hashable = None) -> None:
        super().__init__(room)
        self.is_edited = False
        """True once anything was entered in the open form."""
        self.cursor = cursor
        """The name of a line."""
        self.follow = True
        """Whether the cursor is kept in sight; not while the wheel is turned."""
        self.insisted = False
        """Whether the form was to be used in vain, so that it says why also where something is just typed."""
        self._anew = True
        """Whether nothing has been typed since the cursor came where it is."""
        self._made: tuple[tuple[int, int], Sequence[Column]] | None = None
        """The columns at a size, as long as nothing changes."""
        self._offsets = [0, 0]
        """Rows of each column that are scrolled away."""

    def columns(self, canvas: Canvas) -> Sequence[Column]:
        """All lines, the columns as they lie on a canvas of this size."""
        raise NotImplementedError

    def shown(self, canvas: Canvas) -> Sequence[Column]:
        """The same, made once for each picture."""
        size = canvas.width, canvas.height
        if self._made is None or self._made[0] != size:
            self._made = size, self.columns(canvas)
        return self._made[1]

    def repaint(self) -> None:
        """Something may be another by now."""
        self._made = None
        super().repaint()

    @property
    def lines(self) -> list[FormRow]:
        """Every line that the cursor can be on, in order."""
        return [line for column in self.shown(self.canvas) for line in column.lines if line.name is not None]

    @property
    def _at(self) -> int:
        names = [line.name for line in self.lines]
        return names.index(self.cursor) if self.cursor in names else 0

    @property
    def line(self) -> FormRow:
        """The line under the cursor."""
        return (self.lines or [FREE])[self._at]

    def paint_lines(self, canvas: Canvas) -> None:
        """All columns, the cursor on a line that there is."""
        names = [line.name for column in self.shown(canvas) for line in column.lines if line.name is not None]
        if names and self.cursor not in names:
            self.cursor, self._made = names[0], None
        for number, (x, width, lines, panel, top) in enumerate(self.shown(canvas)):
            if panel:
                canvas.fill(x, top, canvas.width - x, canvas.height - 1 - top, canvas.theme.grounds.panel)
            self._offsets[number] = paint_column(
                canvas, [line.block(width) for line in lines], x, width,
                cursor=self.cursor, offset=self._offsets[number], follow=self.follow, top=top,
            )  # fmt: skip

    def point(self, name: Hashable) -> None:
        """Put the cursor on a line."""
        self.cursor, self._anew, self.insisted = name, True, False
        self.changed()

    def changed(self) -> None:
        """Something was done: what is chosen may be another, and the cursor is in sight."""
        self.follow = True
        self.repaint()

    def show_errors(self, name: Hashable) -> None:
        """Go to what has to be put right first."""
        self.point(name)
        self.insisted = True
        self.repaint()

    def action_move(self, step: int) -> None:
        """To the next line, round the ends."""
        lines = self.lines
        self.point(lines[(self._at + step) % len(lines)].name)

    def action_climb(self, rows: int) -> None:
        """Some lines up or down, no further than the ends."""
        lines = self.lines
        self.point(lines[max(0, min(self._at + rows, len(lines) - 1))].name)

    def action_page(self, step: int) -> None:
        """Half a screen up or down."""
        self.action_climb(step * (self.size.height // 2))

    def action_end(self, line: int) -> None:
        """To the first (0) or the last (-1) line, or value of the line."""
        if self.line.on_home_end:
            self.line.on_home_end(-1 if line == 0 else 1)
            self.changed()
        else:
            self.point(self.lines[line].name)

    def action_step(self, step: int) -> None:
        """The next value of the line, or the one before."""
        if self.line.on_step:
            self.line.on_step(step)
            self._anew = self.is_edited = True
            self.changed()

    def action_press(self) -> None:
        """What the line does, or else its next value."""
        if self.line.on_press:
            self.line.on_press()
            self.repaint()
        else:
            self.action_step(1)

    @property
    def text_input(self) -> TextInput | None:
        """Return what is edited in the line under the cursor."""
        return self.line.text_input

    def is_for_line(self, bound: KeyBinding | None) -> bool:
        """Return False for Left and Right where they choose another value."""
        return self.line.on_step is None or bound is None or bound.name not in ("left", "right")

    def edited(self, before: str) -> None:
        """Tell the row under the cursor, and keep it in sight."""
        if self.text_input is not None and self.text_input.text != before:
            self.is_edited = True
        if self.line.edited:
            self.line.edited()
        self._anew = False
        self.changed()

    def _edits(self, event: events.Key) -> bool:
        line = self.line
        if line.text_input and line.replaces and self._anew and line.text_input.is_typed_by(event.key, event.character):
            line.text_input.clear()
        return super()._edits(event)

    def handle_text(self, character: str) -> bool:
        """What is typed goes to the value under the cursor, if it takes it."""
        taken = self.line.on_text is not None and self.line.on_text(character, self._anew)
        if taken:
            self._anew, self.is_edited = False, True
            self.changed()
        return taken

    def on_paste(self, event: events.Paste) -> None:
        """Type what is pasted where a value is entered; Textual calls the handler of `Page`, too, which has lines."""
        if self.line.text_input and self.line.replaces and self._anew:
            self.line.text_input.clear()
        for character in one_line(event.text) if self.text_input is None else "":
            self.handle_text(character)

    def action_rub_out(self) -> None:
        """Take back the last digit of the value."""
        if self.line.on_backspace:
            self.line.on_backspace()
            self._anew, self.is_edited = False, True
            self.changed()

    def action_leave(self) -> None:
        """Back to the screen below, after a question if that throws away what was entered."""
        if self.ASKS_BEFORE_LEAVING and self.is_edited:
            self.ask_to_discard(super().action_leave)
        else:
            super().action_leave()

    def ask_to_discard(self, discard: Callable[[], None]) -> None:
        """Ask whether to throw away what was entered, and do so."""

        def answered(answer: str | None) -> None:
            if answer is not None:
                self.call_later(discard)

        text = "What you entered has not been saved."
        self.app.push_screen(Dialog(self.look, "Throw it away?", text, "throws it away", "goes back to it"), answered)

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses a line, and takes another value on an arrow; a second one does what the line does."""
        name = target.name if isinstance(target, Arrow) else target
        if name is None or name not in [line.name for line in self.lines]:
            return
        again = name == self.cursor
        self.point(name)
        if isinstance(target, Arrow) and target.step:
            self.action_step(target.step)
        elif self.line.on_press and (again or isinstance(target, Arrow)):
            self.action_press()

    def wheel(self, step: int, x: int) -> None:
        """The wheel scrolls the column under it."""
        columns = self.shown(self.canvas)
        self.follow = False
        self._offsets[len(columns) > 1 and x >= columns[1].x] += step * WHEEL
        self.repaint()


ARROWS: Final = 4
"""Columns that the arrows need beside the value."""


def paint_choice(
    where: Place, x: int, width: int, value: str, targets: tuple[Hashable, Hashable], ground: str | None = None
) -> None:
    """The value ``x`` columns in; the mouse finds one target in its left half, the other in its right one.

    ``ground`` is another than usual, for one that keys change though Enter does not go there.
    """
    canvas, theme, left, y = where.canvas, where.canvas.theme, where.x + x, where.y
    ink = theme.grounds.panel if where.at else theme.inks.text
    canvas.fill(left, y, width, 1, theme.inks.gold if where.at else ground or theme.grounds.track)
    canvas.centre(left + width // 2, y, value, ink, bold=where.at)
    inset = int(cell_len(value) + ARROWS < width - 1)
    canvas.text(left + inset, y, "‹", ink)
    canvas.text(left + width - 1 - inset, y, "›", ink)
    half = width // 2
    canvas.add_hit_box(left, y, half, 1, targets[0])
    canvas.add_hit_box(left + half, y, width - half, 1, targets[1])


_MINUTES: Final = 5
"""What a step of a clock is."""
MOST_MINUTES: Final = 999


class HouseRules:
    """What was chosen for each game is kept while another one is looked at."""

    def __init__(self) -> None:
        self._chosen: dict[str, dict[str, Value]] = {}
        """By game; those that are as usual may be missing."""

    def options(self, game: AnyGame, seats: int) -> Options:
        """The house rules of a game."""
        return read(game.options, self._chosen.get(game.about.key, {}), seats)

    def choose(self, game: AnyGame, rule: Choice, value: Value) -> None:
        """Choose a value."""
        self._chosen.setdefault(game.about.key, {})[rule.name] = value


def label_of(rule: Choice) -> str:
    """What a house rule is called in a form."""
    return rule.name.replace("_", " ").capitalize()


def timed(rule: Choice, value: Value) -> bool:
    """Whether the value is a number of minutes."""
    return rule.minutes and value not in rule.values


def stepped(rule: Choice, value: Value, step: int) -> Value:
    """The next value (1), or the one before (-1), round the ends; of minutes the next round number."""
    if not rule.minutes:
        values = tuple(rule.values)
        return values[(values.index(value) + step) % len(values)]
    minutes = int(value) if timed(rule, value) else 0
    minutes = (minutes // _MINUTES + 1 if step > 0 else -(-minutes // _MINUTES) - 1) * _MINUTES
    return minutes if 0 < minutes <= MOST_MINUTES else rule.default
