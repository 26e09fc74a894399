"""The page of a new table: how it is to be, with a plan of it."""

from collections.abc import Hashable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

from textual import work

from cardtable.records.reckoning import Reckoned
from cardtable.store import profiles
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import MARGIN, grid_of
from cardtable.ui.keys.scopes import NEW_TABLE
from cardtable.ui.new_table.form import PRACTICE, NewTable
from cardtable.ui.new_table.lines import TableLines
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.form import Column, FormPage
from cardtable.ui.page.page import paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.page.rows import FormRow
from cardtable.ui.page.screen import PageScreen

LEFT: Final = 42
LARGE_LEFT: Final = 55
"""Columns of the seats, and where there is much room."""


class NewTablePage(FormPage):
    """Says how a table is to be, and has it begun."""

    ABOUT = "at a new table"
    SCOPE = NEW_TABLE

    def __init__(self, room: Room, table: NewTable) -> None:
        super().__init__(room, "game")
        self.table = table
        self._aside: Hashable = None

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
            self.table.ratings = told.records.ratings
            self.repaint()
            self._reckoning.cancel()

    def columns(self, canvas: Canvas) -> list[Column]:
        """Seats and house rules side by side, each with as much air as there is room for; or below each other."""
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

    def fill(self, canvas: Canvas) -> Keys:
        """The form."""
        self.paint_lines(canvas)
        about = self.table.game.about
        paint_page_header(canvas, "New table", about.title, f"{len(self.table.sitters)} seats, {about.length}")
        keys = [("up down", "line"), ("left right", "change"), ("play", "deal")]
        return [*keys, *self._keys_here(canvas), ("leave", "back")]

    def _keys_here(self, canvas: Canvas) -> list[tuple[str, str]]:
        """The keys that work on this line and at this size only."""
        columns = [[line.name for line in column.lines] for column in self.shown(canvas)]
        if len(columns) == 1:
            return []
        other = [("switch", "seats" if self.cursor in columns[1] else "options")] * (not self.table.daily)
        return other if isinstance(self.cursor, int) and self.line.text_input else [*other, ("rules", "rules")]

    def changed(self) -> None:
        """What is typed or chosen is put right, it may be."""
        self.insisted = False
        super().changed()

    def action_aside(self) -> None:
        """From the seats to the house rules, and back to where one was."""
        names = [line.name for line in self.lines]
        rules = [rule.name for rule in self.table.rules if rule.name in names and rule.name != PRACTICE]
        across = [name for name in names if (name in rules) != (self.cursor in rules)]
        if across:
            here, there = self.cursor, self._aside
            self._aside = here
            self.point(there if there in across else across[0])

    def action_begin(self) -> None:
        """Deal the cards, or go to what has to be put right first."""
        if wrong := self.table.wrong:
            self.insist(wrong.name)
        else:
            self.go(partial(self.room.begin, self.table.setup()))

    def action_rules(self) -> None:
        """The rules of the game, with the options as they are chosen."""
        self.show("rules", self.table.game.about.key, self.table.options)


def _fitting(x: int, width: int, tries: list[list[FormRow]], room: int) -> Column:
    """The first that fits, or the last."""
    fits = (each for each in tries if sum(line.block(width).height for line in each) <= room)
    return Column(x, width, next(fits, tries[-1]))


def screen(room: Room, game_key: str) -> PageScreen:
    """How a table is to be; what was chosen before is still there."""
    table = room.kept(NewTable)
    table.open(game_key, datetime.now(UTC).astimezone().date(), profiles.load()[0])
    return PageScreen(NewTablePage(room, table))
