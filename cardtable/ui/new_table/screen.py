"""The screen for a new table: keys and mouse to the form."""

from collections.abc import Hashable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

from textual import work

from cardtable.records.reckoning import Reckoned
from cardtable.store import profiles
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.keys.scopes import NEW_TABLE
from cardtable.ui.new_table.form import BEGIN, Line, NewTable
from cardtable.ui.new_table.paint import Form, Step, left_columns, paint_form
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.page import Page, paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen

WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""


class NewTablePage(Page):
    """Paints the form and says what is to be begun."""

    ABOUT = "at a new table"
    SCOPE = NEW_TABLE

    def __init__(self, room: Room, table: NewTable) -> None:
        super().__init__(room)
        self._table, self._form = table, Form(table)
        self._aside: Line | None = None

    def on_mount(self) -> None:
        """Ask for the ratings, while keys work; when the page is left that ends."""
        self._reckoning = self._reckon()

    @work
    async def _reckon(self) -> None:
        with suppress(OSError):  # a table is begun without ratings as well
            await self.room.reckoner.reckon(self._told)

    def _told(self, told: Reckoned) -> None:
        """The first that is told knows all ratings; the rest is for statistics."""
        if told.records:
            self._table.ratings = told.records.ratings
            self.repaint()
            self._reckoning.cancel()

    def fill(self, canvas: Canvas) -> Keys:
        """The form."""
        table = self._table
        about = table.game.about
        paint_form(canvas, self._form)
        paint_page_header(canvas, "New table", about.title, f"{len(table.sitters)} seats, {about.length}")
        keys = [("up down", "line"), ("left right", "change"), ("play", "deal")]
        return [*keys, *self._keys_here(canvas), ("leave", "back")]

    def _keys_here(self, canvas: Canvas) -> list[tuple[str, str]]:
        """The keys that work on this line and at this size only."""
        table, here = self._table, self._form.cursor
        if left_columns(canvas) == canvas.width:
            return []
        other = [("switch", "seats" if here in table.right else "options")] if table.right else []
        return other if table.types(here) else [*other, ("rules", "rules")]

    def typed(self, character: str) -> bool:
        """What is typed goes to the line under the cursor, if it takes it."""
        if not self._table.type(self._form.cursor, character):
            return False
        self._changed()
        return True

    def action_move(self, step: int) -> None:
        """To the next line, round the ends."""
        lines = self._form.lines
        self._go(lines[(lines.index(self._form.cursor) + step) % len(lines)])

    def action_end(self, line: int) -> None:
        """To the first (0) or the last (-1) line."""
        self._go(self._form.lines[line])

    def action_aside(self) -> None:
        """From the seats to the house rules, and back to where one was."""
        here, there = self._form.cursor, self._aside
        across = self._table.left if here in self._table.right else self._table.right
        if across:
            self._aside = here
            self._go(there if there in across else across[0])

    def _go(self, line: Line) -> None:
        self._form.cursor = line
        self._table.moved()
        self._changed()

    def _changed(self) -> None:
        """Something was done: the cursor is in sight, and on a line that there is."""
        form = self._form
        form.follow, form.insisted = True, False
        if form.cursor not in form.lines:
            form.cursor = form.lines[0]
        self.repaint()

    def action_step(self, step: int) -> None:
        """The next value of the line, or the one before."""
        self._table.step(self._form.cursor, step)
        self._changed()

    def action_press(self) -> None:
        """Space: the next value, or deal where that is what the line says."""
        self._take(Step(self._form.cursor, 1))

    def action_rub_out(self) -> None:
        """The last character that was typed goes."""
        self._table.rub_out(self._form.cursor)
        self._changed()

    def action_begin(self) -> None:
        """Deal the cards, or go to what has to be put right first."""
        if wrong := self._table.wrong:
            self._go(wrong.line)
            self._form.insisted = True
            self.repaint()
        else:
            self.go(partial(self.room.begin, self._table.setup()))

    def action_rules(self) -> None:
        """The rules of the game, with the options as they are chosen."""
        self.show("rules", self._table.game.about.key, self._table.options)

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses a line; on a value it takes the next one, or the one before."""
        if isinstance(target, Step):
            self._go(target.line)
            self._take(target)
        elif isinstance(target, Line):
            self._go(target)

    def _take(self, target: Step) -> None:
        if target.line == BEGIN:
            self.action_begin()
        else:
            self.action_step(target.step)

    def wheel(self, step: int, x: int) -> None:
        """The wheel scrolls the column under it."""
        self._form.follow = False
        self._form.offsets[x >= left_columns(self.canvas)] += step * WHEEL
        self.repaint()


def screen(room: Room, game_key: str) -> PageScreen:
    """How a table is to be; what was chosen before is still there."""
    table = room.kept(NewTable)
    table.open(game_key, datetime.now(UTC).astimezone().date(), profiles.load()[0])
    return PageScreen(NewTablePage(room, table))
