"""The picker: go on with a session, begin a game, or read its rules."""

import asyncio
from collections.abc import Callable, Hashable, Iterable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from cardtable.engine.contract import About
from cardtable.games import ABOUT
from cardtable.store.sessions import Summary
from cardtable.telling.words import day
from cardtable.ui.canvas import Canvas
from cardtable.ui.keys import PICKER
from cardtable.ui.look import Look
from cardtable.ui.recall import recall
from cardtable.ui.widgets.lobby import PANEL, Item, Lobby, paint_lobby, wide
from cardtable.ui.widgets.page import Page, paint_page_header, too_small

WHEEL: Final = 2
"""Rows that the mouse wheel scrolls at once."""
AGEING: Final = 30
"""Seconds after which ages are told anew."""


class Picker(Page):
    """Paints the picker and says what was chosen."""

    ABOUT = "in the picker"
    SCOPE = PICKER

    class Play(Message):
        """The person wants to begin a game, nothing asked."""

        def __init__(self, game_key: str) -> None:
            super().__init__()
            self.game_key = game_key

    class SetTable(Message):
        """The person wants to say how a table is to be."""

        def __init__(self, game_key: str) -> None:
            super().__init__()
            self.game_key = game_key

    class GoOn(Message):
        """The person wants to go on with the session of a journal."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    class ShowRules(Message):
        """The person wants to read the rules of a game."""

        def __init__(self, game_key: str) -> None:
            super().__init__()
            self.game_key = game_key

    def __init__(self, look: Look, entries: Callable[[], Iterable[Summary]], now: Callable[[], datetime]) -> None:
        super().__init__(look)
        self._entries, self._now = entries, now
        self._lobby = Lobby(tuple(ABOUT.values()), now())

    def on_mount(self) -> None:
        """Ages are told anew."""
        self.set_interval(AGEING, self.repaint)

    def read(self) -> None:
        """Look which sessions there are; those after the first that can be opened may come a moment later."""
        unread = iter(self._entries())
        shut = []
        for summary in unread:
            if summary.trouble is None:
                self._renew(summary, self._lobby.tables)
                break
            shut.append(summary)
        else:
            self._renew(None, shut)
        self.call_after_refresh(self.run_worker, partial(self._read_on, shut, unread), exclusive=True)

    async def _read_on(self, tables: list[Summary], unread: Iterator[Summary]) -> None:
        for summary in unread:
            tables.append(summary)
            await asyncio.sleep(0)
        self._renew(self._lobby.first, tables)

    def _renew(self, first: Summary | None, tables: list[Summary]) -> None:
        """Show these sessions; the cursor stays where it is, but goes to a first one that has changed."""
        lobby = self._lobby
        chosen = _identity(lobby.items[lobby.cursor])
        if first != lobby.first:
            lobby.first, lobby.recalled = first, recall(first) if first else None
            chosen = None
        lobby.tables = tables
        known = [_identity(item) for item in lobby.items]
        lobby.cursor = known.index(chosen) if chosen in known else 0
        self.repaint()

    def paint(self, width: int, height: int) -> Canvas:
        """The picker, and over it the keys where they are asked for."""
        canvas, lobby = Canvas(width, height, self.look), self._lobby
        if too_small(canvas):
            return canvas
        lobby.now = self._now()
        paint_lobby(canvas, lobby)
        paint_page_header(canvas, "The Table", right=day(lobby.now))
        canvas.spot(0, height - 1, width, 1, None)
        verb = "play" if isinstance(lobby.items[lobby.cursor], About) else "go on"
        self.finish(
            canvas, [("up down", "choose"), ("play", verb), ("new", "new table"), ("rules", "rules"), ("close", "quit")]
        )
        return canvas

    def action_move(self, step: int) -> None:
        """To the next item, round the ends."""
        self._go(self._lobby.cursor + step)

    def action_end(self, item: int) -> None:
        """To the first (0) or the last (-1) item."""
        self._go(item)

    def action_page(self, step: int) -> None:
        """Half a screen up or down, no further than the ends."""
        last = len(self._lobby.items) - 1
        self._go(max(0, min(self._lobby.cursor + step * self.size.height // 2, last)))

    def action_aside(self, tables: bool) -> None:
        """From the games to the tables, or back to the first game."""
        lobby = self._lobby
        if tables != (lobby.cursor >= lobby.tables_from) and (lobby.tables or not tables):
            self._go(lobby.tables_from if tables else 0)

    def _go(self, item: int) -> None:
        self._lobby.cursor = item % len(self._lobby.items)
        self._lobby.follow = True
        self.repaint()

    def action_open(self) -> None:
        """Begin the game, or go on with the session."""
        item = self._lobby.items[self._lobby.cursor]
        self.post_message(self.GoOn(item.path) if isinstance(item, Summary) else self.Play(item.key))

    def action_set_table(self) -> None:
        """A new table for the game, or for the session's game."""
        self.post_message(self.SetTable(self._game_key or self._lobby.games[0].key))

    def action_rules(self) -> None:
        """The rules of the game, or of the session's game."""
        if key := self._game_key:
            self.post_message(self.ShowRules(key))

    @property
    def _game_key(self) -> str | None:
        """The game under the cursor, or that of the session; none is known of a journal that cannot be opened."""
        item = self._lobby.items[self._lobby.cursor]
        if isinstance(item, About):
            return item.key
        return item.header.game if item.header else None

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses, a second one opens."""
        if isinstance(target, int) and target == self._lobby.cursor:
            self.action_open()
        elif isinstance(target, int):
            self._go(target)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel scrolls the column under it."""
        self._scroll(event.x, WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls the column under it."""
        self._scroll(event.x, -WHEEL)

    def _scroll(self, x: int, rows: int) -> None:
        lobby = self._lobby
        lobby.follow = False
        lobby.offsets[wide(self.canvas) and x >= self.size.width - PANEL] += rows
        self.repaint()


class PickerScreen(Screen[None]):
    """The room one comes into."""

    def __init__(self, look: Look, entries: Callable[[], Iterable[Summary]], now: Callable[[], datetime]) -> None:
        """``entries`` gives the unfinished sessions, the last played first, whenever the screen is shown.

        It may read them one by one as they are asked for; ``now`` knows its time zone.
        """
        super().__init__()
        self._picker = Picker(look, entries, now)

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self._picker

    def on_screen_resume(self) -> None:
        """What there is may have changed."""
        self._picker.read()


def _identity(item: Item) -> object:
    """What makes an item the same after it was read again."""
    return item.path if isinstance(item, Summary) else item.key
