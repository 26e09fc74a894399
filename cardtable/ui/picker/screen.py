"""Picker page, where a player resumes, renames or gives up a session, begins a game, or watches robots."""

import asyncio
from collections.abc import Callable, Hashable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from cardtable import games
from cardtable.engine.game import GameInfo
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.store import profiles, seating, session_setup, sessions
from cardtable.store.session_setup import SessionSetup, default_setup, robots
from cardtable.store.sessions import Summary
from cardtable.ui.picker.item_painters import PAGES, can_be_watched, picker_keys
from cardtable.ui.picker.paint import PANEL, DailyDeal, Item, Lobby, paint_lobby, wide
from cardtable.ui.picker.table_actions import TableActions
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import PICKER, KeyBinding
from cardtable.ui.toolkit.page import Page, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.wording.formatting import day

if TYPE_CHECKING:
    from cardtable.ui.picker.paint import SessionPreview

WHEEL: Final = 2
"""Number of rows by which one notch of the mouse wheel scrolls."""
ROOMY: Final = 100
"""Minimum width of a terminal, in columns, in which the footer has room for the arrow keys."""
AGEING: Final = 30
"""Interval, in seconds, at which the ages of the sessions are updated."""
SHOWN_EACH: Final = 0.2
"""Minimum interval, in seconds, between updates of the list while sessions are being read."""


class Picker(Page):
    """Page with the session to resume, the games, the other tables and the deal of the day."""

    ABOUT = "in the picker"
    SCOPE = PICKER

    def __init__(
        self,
        context: PageContext,
        entries: Callable[[], Iterable[Summary]] = sessions.unfinished,
        now: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone(),
        *,
        below: bool = False,
    ) -> None:
        """Prepare the page.

        ``entries`` yields the unfinished sessions, the one played last first. It is called whenever the page is shown,
        and should read each session only when it is requested, since the first picture does not wait for all of them.
        ``clock`` returns an aware datetime. With ``starts_hidden`` another screen lies above the picker at first, and
        nothing is read or painted before that screen is left.
        """
        super().__init__(context)
        self._entries, self._now = entries, now
        self._below = self._hidden = below
        self._lobby = Lobby(tuple([ABOUT[key] for key in KEYS]), now(), self._deal())
        self._table_actions = TableActions(context.preferences, self._tables_changed)
        self._next_cursor: Path | None = None
        self._outside_loaded = False

    def on_mount(self) -> None:
        self.set_interval(AGEING, self._age)

    def _age(self) -> None:
        if self._lobby.now.date() != self._now().date():
            self.on_resumed()
        self.repaint()

    def _deal(self) -> DailyDeal:
        """Return today's deal, without looking up the player's session of it."""
        return DailyDeal(ABOUT[session_setup.game_of(self._now().date())])

    def on_resumed(self) -> None:
        """Read sessions until one can be resumed and show it; the others are read in the background."""
        if self._below:  # the picker is on the screen for a moment before the other page
            self._below = False
            return
        self._hidden = False
        self.context.preferences.reload()
        self.context.player.look_again()  # another program may have renamed the player
        self._lobby.book = profiles.load()[0]
        unread = iter(self._entries())
        shut = []
        for summary in unread:
            if summary.trouble is None and not summary.is_club_only:
                self._update_lists(summary, self._lobby.tables)
                break
            shut.append(summary)
        else:
            self._update_lists(None, shut)
        self.call_after_refresh(self.run_worker, partial(self._read_on, shut, unread), exclusive=True)

    async def _read_on(self, tables: list[Summary], unread: Iterator[Summary]) -> None:
        """Read the other sessions and the session of the deal of the day in a thread, updating the list.

        ``tables`` are the sessions read so far.
        """
        lobby, day = self._lobby, self._now().date()
        deal = self._deal()._replace(
            known=True, found=await asyncio.to_thread(session_setup.find_daily_session, day, self.context.nick)
        )
        self._update_lists(lobby.first, lobby.tables, deal=deal)
        shown = monotonic()
        while summary := await asyncio.to_thread(next, unread, None):
            tables.append(summary)
            if len(tables) > len(lobby.tables) and monotonic() - shown > SHOWN_EACH:
                self._update_lists(lobby.first, [*tables])
                shown = monotonic()
        self._next_cursor, aim = None, self._next_cursor
        self._update_lists(lobby.first, tables, aim)
        if not self._outside_loaded:
            self._outside_loaded = True
            await self._load_outside_games()

    async def _load_outside_games(self) -> None:
        """Add the games of other packages to the list, once, and notify the player of games that were refused."""
        outside, chosen = await asyncio.to_thread(games.find_plugins), _identity(self._lobby.item)
        for refused in outside.refused:
            self.app.notify(str(refused), markup=False, severity="warning")
        self._lobby.games = tuple(ABOUT.values())
        self._lobby.cursor = [_identity(item) for item in self._lobby.items].index(chosen)
        self.repaint()

    def _update_lists(
        self, first: Summary | None, tables: list[Summary], aim: Path | None = None, deal: DailyDeal | None = None
    ) -> None:
        """Show these sessions, and ``deal`` if it is given.

        The cursor stays on its item or moves to the session ``cursor_path``. If ``first`` differs from the session
        shown so far, or the item no longer exists, the cursor moves to the first item.
        """
        lobby = self._lobby
        chosen = aim or _identity(lobby.item)
        if first != lobby.first:
            chosen = None
        if first != lobby.first or (lobby.recalled and lobby.recalled.backs):
            lobby.first, lobby.recalled = first, _recalled(first) if first else None
        lobby.deal = deal or lobby.deal
        lobby.tables = [table for table in tables if first is None or table.path != first.path]
        known = [_identity(item) for item in lobby.items]
        lobby.cursor = known.index(chosen) if chosen in known else 0
        self.repaint()

    def paint(self, width: int, height: int) -> Canvas:
        return Canvas(width, height, self.look) if self._hidden else super().paint(width, height)

    def paint_body(self, canvas: Canvas) -> Keys:
        lobby = self._lobby
        lobby.now, lobby.me = self._now(), self.context.nick
        paint_lobby(canvas, lobby)
        today = day(lobby.now)
        paint_page_header(canvas, "The Table", right=today)
        if (me := self.context.nick) != seating.GUEST:
            canvas.right(canvas.width - 1 - MARGIN - cell_len(today) - 3, 0, me, canvas.theme.inks.text, bold=True)
        return self._footer(canvas.width)

    def _footer(self, width: int) -> Keys:
        """Return the keys of the footer for the item under the cursor."""
        item = self._lobby.item
        back = [("take_back", "take back")] if self._table_actions.put_away.last else []
        choose = [("up down", "choose")] if width >= ROOMY and not back else []
        going_on = self._going_on(item)
        enter = ("play", "how to go on" if going_on and going_on.is_club_only else "go on" if going_on else "play")
        if isinstance(item, Summary):
            rename = [("rename", "rename")] if item.header else []
            watch = [("watch", "watch")] if can_be_watched(item) else []
            tend = [*rename, ("give_up", "give up"), *watch]
            more = [("new", "new table"), ("archive", "archive")] if not back else []
            return [*choose, enter, *back, *tend, *more, ("close", "quit")]
        pages = [(name, name) for name in picker_keys(PAGES)]
        return [*choose, enter, *back, ("new", "new table"), *pages, ("rules", "rules"), ("close", "quit")]

    @staticmethod
    def _going_on(item: Item) -> Summary | None:
        """Return the session that Enter would resume; ``None`` if Enter would begin a session."""
        if isinstance(item, DailyDeal):
            return item.found if item.found and item.found.state == "open" else None
        return item if isinstance(item, Summary) else None

    def action_move(self, step: int) -> None:
        """Move the cursor by ``step`` items, wrapping around at the ends."""
        self._go(self._lobby.cursor + step)

    def action_end(self, item: int) -> None:
        """Move the cursor to the first (0) or the last (-1) item."""
        self._go(item)

    def action_page(self, step: int) -> None:
        """Move the cursor by half the height of the screen, in items, stopping at the ends."""
        last = len(self._lobby.items) - 1
        self._go(max(0, min(self._lobby.cursor + step * self.size.height // 2, last)))

    def action_aside(self, tables: bool) -> None:
        """Move the cursor from the games to the tables, or back to the first item."""
        lobby = self._lobby
        if tables != (lobby.cursor >= lobby.tables_from):
            self._go(lobby.tables_from if tables else 0)

    def _go(self, item: int) -> None:
        self._lobby.cursor = item % len(self._lobby.items)
        self._lobby.follow = True
        self.repaint()

    def action_open(self) -> None:
        """Begin the game or the deal of the day under the cursor, or resume the session."""
        item, day = self._lobby.item, self._now().date()
        if isinstance(item, DailyDeal) and not item.known:
            item = item._replace(found=session_setup.find_daily_session(day, self.context.nick))
        if isinstance(item, GameInfo):
            self._begin(default_setup(GAMES[item.key], self.context.nick))
        elif session := self._going_on(item):
            self._go_on(session)
        elif isinstance(item, DailyDeal):
            self._begin(session_setup.daily_setup(day, self.context.nick))

    def action_watch(self) -> None:
        """Watch robots play the game under the cursor, or open the session read-only.

        A session between robots alone is resumed instead.
        """
        item = self._lobby.item
        if not isinstance(item, Summary):
            self._begin(robots(GAMES[item.key if isinstance(item, GameInfo) else item.game.key]))
        elif item.header and item.header.people:
            self.navigate(partial(self.context.open_session, partial(sessions.open_read_only, item.path)))
        elif item.header:
            self._go_on(item)

    def _begin(self, how: SessionSetup) -> None:
        self.navigate(partial(self.context.begin, how))

    def _go_on(self, session: Summary) -> None:
        if session.real_cards:
            self.show("score_table", session.path)
        else:
            self.navigate(partial(self.context.resume_session, session.path))

    def action_rename(self) -> None:
        if isinstance(self._lobby.item, Summary):
            self._table_actions.rename(self.app, self._lobby.item)

    def action_give_up(self) -> None:
        """Give up the session under the cursor, which moves it unfinished to the archive."""
        if isinstance(self._lobby.item, Summary):
            self._table_actions.give_up(self.app, self._lobby.item)

    def action_take_back(self) -> None:
        """Restore the session that was given up last."""
        self._table_actions.take_back(self.app)

    def _tables_changed(self, aim: Path | None) -> None:
        """Read the sessions again after a change; the cursor moves to ``cursor_path``, or on from an item that is gone."""
        lobby = self._lobby
        if aim is None and isinstance(lobby.item, Summary) and not lobby.item.path.exists():
            lobby.cursor += 1
        self._next_cursor = aim
        self.on_resumed()

    def is_enabled(self, key: KeyBinding) -> bool:
        item = self._lobby.item
        if key.name == "take_back":
            return self._table_actions.put_away.last is not None
        if key.name == "give_up":
            return isinstance(item, Summary)
        if key.name == "rename":
            return isinstance(item, Summary) and item.header is not None
        return key.name != "watch" or can_be_watched(item)

    def action_set_table(self) -> None:
        """Open the form of a new table, with the game of the item under the cursor."""
        self.show("new_table", self._game_key or self._lobby.games[0].key)

    def action_rules(self) -> None:
        """Open the rules of the game of the item under the cursor."""
        if key := self._game_key:
            self.show("rules", key)

    @property
    def _game_key(self) -> str | None:
        """Key of the game of the item under the cursor; ``None`` for a journal that cannot be opened."""
        item = self._lobby.item
        if isinstance(item, Summary):
            return item.header.game if item.header else None
        return item.key if isinstance(item, GameInfo) else item.game.key

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked item, or open the item if the cursor is already on it."""
        if isinstance(target, int) and target == self._lobby.cursor:
            self.action_open()
        elif isinstance(target, int):
            self._go(target)

    def wheel(self, step: int, x: int) -> None:
        """Scroll the column at ``x``, without moving the cursor."""
        lobby = self._lobby
        lobby.follow = False
        lobby.offsets[wide(self.canvas) and x >= self.size.width - PANEL] += step * WHEEL
        self.repaint()


def _identity(item: Item) -> object:
    """Return a value by which an item can be found again after the sessions have been read anew."""
    if isinstance(item, Summary):
        return item.path
    return item.key if isinstance(item, GameInfo) else DailyDeal


def _recalled(summary: Summary) -> "SessionPreview | None":
    from cardtable.ui.picker.paint import load_preview  # noqa: PLC0415 - lazy: startup, only for a session to resume

    return load_preview(summary)
