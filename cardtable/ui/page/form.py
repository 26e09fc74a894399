"""Forms: lines in which a cursor moves, where values are chosen and words are typed."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Final, NamedTuple

from textual import events

from cardtable.engine.text import one_line
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import paint_column
from cardtable.ui.keys.scopes import Key
from cardtable.ui.page.dialog import Dialog
from cardtable.ui.page.page import Page
from cardtable.ui.page.room import Room
from cardtable.ui.page.rows import FREE, Arrow, FormRow
from cardtable.ui.toolkit.text_input import TextInput

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

    def __init__(self, room: Room, cursor: Hashable = None) -> None:
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

    def insist(self, name: Hashable) -> None:
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
        if self.line.ends:
            self.line.ends(-1 if line == 0 else 1)
            self.changed()
        else:
            self.point(self.lines[line].name)

    def action_step(self, step: int) -> None:
        """The next value of the line, or the one before."""
        if self.line.steps:
            self.line.steps(step)
            self._anew = self.is_edited = True
            self.changed()

    def action_press(self) -> None:
        """What the line does, or else its next value."""
        if self.line.does:
            self.line.does()
            self.repaint()
        else:
            self.action_step(1)

    @property
    def text_input(self) -> TextInput | None:
        """Return what is edited in the line under the cursor."""
        return self.line.text_input

    def is_for_line(self, bound: Key | None) -> bool:
        """Return False for Left and Right where they choose another value."""
        return self.line.steps is None or bound is None or bound.name not in ("left", "right")

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

    def typed(self, character: str) -> bool:
        """What is typed goes to the value under the cursor, if it takes it."""
        taken = self.line.types is not None and self.line.types(character, self._anew)
        if taken:
            self._anew, self.is_edited = False, True
            self.changed()
        return taken

    def on_paste(self, event: events.Paste) -> None:
        """Type what is pasted where a value is entered; Textual calls the handler of `Page`, too, which has lines."""
        if self.line.text_input and self.line.replaces and self._anew:
            self.line.text_input.clear()
        for character in one_line(event.text) if self.text_input is None else "":
            self.typed(character)

    def action_rub_out(self) -> None:
        """Take back the last digit of the value."""
        if self.line.rubs_out:
            self.line.rubs_out()
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
        elif self.line.does and (again or isinstance(target, Arrow)):
            self.action_press()

    def wheel(self, step: int, x: int) -> None:
        """The wheel scrolls the column under it."""
        columns = self.shown(self.canvas)
        self.follow = False
        self._offsets[len(columns) > 1 and x >= columns[1].x] += step * WHEEL
        self.repaint()
