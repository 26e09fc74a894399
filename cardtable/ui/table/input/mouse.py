"""The mouse at the table: what its buttons and its wheel do, to the table or to what is laid over it."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Final, NamedTuple

from cardtable.engine.contract import Action
from cardtable.play.seen import Stage
from cardtable.ui.keys.scopes import TABLE, Key, named
from cardtable.ui.page.footer import Press
from cardtable.ui.table.input.clicks import Clicks
from cardtable.ui.table.input.dragging import Dragging
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.driver import Driver
from cardtable.ui.table.model.prompt import Prompt
from cardtable.ui.table.overlays.covers import Covers
from cardtable.ui.table.paint.panel import ScrollMessages
from cardtable.ui.table.paint.table_view import TableView

LEFT: Final = 1
RIGHT: Final = 3
"""Buttons of the mouse."""
ROWS: Final = 2
"""Rows that the wheel scrolls at once."""


class Click(NamedTuple):
    """A button was pressed and let go at the same place."""

    x: int
    y: int
    button: int
    times: int
    """How often in quick succession."""


class Mouse:
    """The mouse of one table."""

    def __init__(
        self,
        view: TableView,
        driver: Driver,
        cursor: Cursor,
        covers: Covers,
        prompt: Prompt,
        act: Callable[[Action], None],
        press: Callable[[Key], Awaitable[None]],
    ) -> None:
        """``press`` does what a key does whose word is clicked."""
        self._view, self._driver, self._covers = view, driver, covers
        self._prompt, self._press = prompt, press
        self._clicks = Clicks(lambda: driver.frame, cursor, act)
        self._dragging = Dragging(lambda: driver.frame, cursor, act)
        self._pressed = 0.0
        """When a button was pressed."""
        self._turned = 0
        """Steps of the wheel that are still to be done."""
        self._over_messages = False
        """Whether the wheel was turned over the messages of the panel."""

    def down(self, x: int, y: int, button: int, at: float) -> None:
        """A card of the hand can be dragged from here."""
        self.roll()
        self._view.land()
        self._pressed, self._dragging.dragged = at, False
        if self._covers.top is None and button == LEFT and self._prompt.guard.takes(at, click=True):
            self._dragging.press(self._view.canvas.at(x, y), x, y)

    def move(self, x: int, y: int) -> None:
        """A card that is dragged follows the pointer."""
        stamps = self._dragging.move(self._view.canvas, x, y)
        if stamps is not None:
            self._view.lay_over(stamps)

    def up(self, x: int, y: int) -> None:
        """A card that was dragged to the middle is played."""
        if self._dragging.release(self._view.canvas, x, y):
            self._view.lay_over(())

    def drop(self) -> bool:
        """Let go of a card where it lay before; whether one was dragged."""
        dragged = self._dragging.drop()
        if dragged:
            self._view.lay_over(())
        return dragged

    async def click(self, click: Click) -> None:
        """Point or play at the table, end a pause, or put away what lies over it.  The end of a drag is no click."""
        if self._dragging.dragged or not self._prompt.guard.takes(self._pressed, click=True):
            return
        target, scope, cover = self._view.canvas.at(click.x, click.y), self._covers.scope, self._covers.top
        target = None if isinstance(target, ScrollMessages) else target  # only the wheel does something there
        if scope is not TABLE and isinstance(target, Press):
            if target in [key.name for key in scope]:
                await self._press(named(scope, target))
        elif cover is not None and cover.pointed_at(target):
            self._covers.show()
        elif cover is None or (self._covers.has_hint and target == Press("play")):
            await self._at_the_table(target, click)
        else:
            self._covers.uncover()
            self._prompt.surprises(self._driver.frame)
            if cover.view is not None and target not in (None, Press("leave")):
                await self._at_the_table(target, click)

    async def _at_the_table(self, target: Hashable | None, click: Click) -> None:
        stage = self._driver.frame.stage
        if self._driver.hurry():
            return
        if isinstance(target, Press):
            await self._press(named(TABLE, target))
        elif stage is Stage.PLAY and click.button == RIGHT:
            self._clicks.confirm()
        elif stage is Stage.PLAY and click.button == LEFT:
            self._clicks.click(target, click.times)
        elif stage not in (Stage.PLAY, Stage.CURTAIN):
            await self._press(named(TABLE, "play"))

    def wheel(self, step: int, x: int, y: int) -> bool:
        """Take a step of the wheel; return True if ``roll`` is yet to be called: it turns faster than is painted."""
        self._over_messages = isinstance(self._view.canvas.at(x, y), ScrollMessages)
        self._turned += step
        return self._turned == step

    def roll(self) -> None:
        """Scroll what lies over the table by what the wheel has turned, or messages, or a long hand."""
        steps, self._turned = self._turned, 0
        if not steps:
            return
        self._view.land()
        if not self._covers.playing_on:
            self._covers.scroll(steps * ROWS)
        elif self._over_messages:
            self._view.scroll_messages(steps * ROWS)
        elif self._clicks.scrolls(self._view.canvas):
            self._covers.close_hint()
            self._clicks.wheel(steps)
