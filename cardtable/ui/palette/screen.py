"""The command palette: words are typed, and of what they find one thing is done."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, Final

from textual import events
from textual.screen import ModalScreen

from cardtable.engine.text import clean
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import INDENT, Block, Place, paint_column
from cardtable.ui.draw.fitting import wrap
from cardtable.ui.keys.early_keys import clicked
from cardtable.ui.keys.scopes import PALETTE
from cardtable.ui.page.page import Page
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.palette.commands import Command, commands, found
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

TOP: Final = 2
"""Rows of the line, with the free one above it."""
EDGE: Final = 2
"""Free columns at both sides of the list."""
WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""
MOST_TYPED: Final = 40
"""Characters that can be looked for."""


class PalettePage(Page):
    """Paints the line and the list."""

    DEFAULT_CSS = "PalettePage { width: 72; max-width: 92%; height: 70%; margin-top: 2; }"
    ABOUT = "among all commands"
    SCOPE = PALETTE

    def __init__(self, room: Room, commands: Sequence[Command]) -> None:
        super().__init__(room)
        self._commands, self._found = commands, [*commands]
        self._entry = TextInput(MOST_TYPED)
        self._cursor = self._offset = 0
        self._follow = True

    def paint(self, width: int, height: int) -> Canvas:
        """The line, and what is found; it has no footer."""
        canvas = Canvas(width, height, self.look)
        inks, grounds = canvas.theme.inks, canvas.theme.grounds
        canvas.fill(0, 0, width, height, grounds.mat)
        blocks = [Block(1, partial(_paint_command, command), number) for number, command in enumerate(self._found)]
        self._offset = paint_column(
            canvas,
            blocks,
            EDGE,
            width - 2 * EDGE,
            cursor=self._cursor,
            offset=self._offset,
            follow=self._follow,
            top=TOP,
        )
        canvas.fill(0, 0, width, TOP + 1, grounds.mat)
        paint_text_input(
            canvas, EDGE + INDENT, 1, max(width - 2 * (EDGE + INDENT), 2), self._entry, "What would you like to do?"
        )
        if not self._found:
            for row, line in enumerate(wrap(self._nothing, max(width - 2 * (EDGE + INDENT), 2)), TOP + 1):
                canvas.text(EDGE + INDENT, row, line, inks.muted)
        return canvas

    @property
    def _nothing(self) -> str:
        """What is said where nothing is found."""
        said = f'No command matches "{clean(self._entry.text)}".'
        return self.look.keys.told(f"{said} {{rub_out}} deletes, {{clear}} clears, {{leave}} closes.")

    @property
    def text_input(self) -> TextInput:
        """Return the line with what is looked for."""
        return self._entry

    def edited(self, _before: str) -> None:
        """Find what is typed, with the cursor on the first."""
        before, self._found = self._found, found(self._commands, self._entry.text)
        self._go(0 if self._found != before else self._cursor)

    def _go(self, line: int) -> None:
        self._cursor, self._follow = line, True
        self.repaint()

    def action_move(self, step: int) -> None:
        """To the next command, round the ends."""
        self._go((self._cursor + step) % max(len(self._found), 1))

    def action_end(self, line: int) -> None:
        """To the first (0) or the last (-1) command."""
        self._go(line % max(len(self._found), 1))

    def action_page(self, step: int) -> None:
        """A screen up or down, no further than the ends."""
        rows = max(self.size.height - TOP - 2, 1)
        self._go(max(0, min(self._cursor + step * rows, len(self._found) - 1)))

    def action_use(self) -> None:
        """Do what is under the cursor, once the screen below is there again."""
        if not self._found:
            return
        command = self._found[self._cursor]
        self.screen.dismiss()
        self.app.call_later(command.does)

    def pointed_at(self, target: Hashable | None) -> None:
        """A click does what it is on."""
        if isinstance(target, int):
            self._cursor = target
            self.action_use()

    def wheel(self, step: int, _x: int) -> None:
        """The wheel scrolls the list."""
        self._offset, self._follow = self._offset + step * WHEEL, False
        self.repaint()


def _paint_command(command: Command, where: Place) -> None:
    inks = where.canvas.theme.inks
    end = where.right(0, command.key, where.muted)
    where.text(INDENT, 0, command.name, inks.text, most=end - INDENT - 1, bold=where.at)


class PaletteScreen(PageScreen, ModalScreen[Any]):
    """Lies over the screen whose commands it has; a click beside it puts it away."""

    DEFAULT_CSS = "PaletteScreen { align: center top; background: #081c15 62%; }"

    def on_click(self, event: events.Click) -> None:
        """Put it away where the click is beside it."""
        if clicked(event, self) is self:
            self.page.action_leave()


def screen(room: Room) -> PaletteScreen:
    """All that can be done on the screen that is shown, and everywhere."""
    return PaletteScreen(PalettePage(room, commands(room, room.app.screen)))
