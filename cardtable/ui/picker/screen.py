"""Picker page, where a player resumes, renames or abandons a session, begins a game, or watches robots."""

import asyncio
from collections.abc import Callable, Hashable, Iterable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from rich.cells import cell_len

from cardtable import games
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import GameInfo
from cardtable.games import ABOUT, GAMES, KEYS
from cardtable.store import (
    home_folder,
    paths,
    profiles,
    seating,
    session_files,
    session_setup,
    sessions,
    summaries,
    unfinished_tables,
)
from cardtable.store.session_setup import SessionSetup, create_default_setup, create_robot_setup
from cardtable.store.summaries import Summary
from cardtable.store.unfinished_tables import AbandonedStack, list_nicks_allowed_to_abandon
from cardtable.ui.keys.bindings import PICKER, FooterKeys
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.picker.model import (
    PANEL_WIDTH,
    DailyDeal,
    Item,
    PickerModel,
    can_be_watched,
    has_panel,
    load_preview,
    paint_picker,
)
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, WHEEL_ROWS
from cardtable.wording.formatting import format_day, get_local_time, join_or
from cardtable.wording.tables import (
    OVER,
    describe_recovered,
    explain_abandonment,
    format_current_round,
    format_table_title,
)


class TableActions:
    """Changes to tables, with the dialogs that they need; errors are shown as notifications."""

    def __init__(self, context: PageContext, on_change: Callable[[Path | None], None]) -> None:
        """Prepare the actions.

        ``on_change`` is called after each change, with the path of the session to which the cursor is to move, or
        ``None``.
        """
        self._context, self._on_change = context, on_change
        self.abandoned: Final = AbandonedStack()

    async def rename(self, summary: Summary) -> None:
        """Ask for a name and give it to the table; an empty name removes the present one."""
        name = await self._context.ask_text(
            "Name of the table",
            f"{format_table_title(summary)}, round {format_current_round(summary)}.",
            "name the table",
            "go back",
            initial_text=summary.name,
            empty_label="remove the name" if summary.name else "",
            max_length=session_files.MAX_NAME_LENGTH,
        )
        if name is not None and name != summary.name:
            self._apply_change(lambda: unfinished_tables.rename(summary, name))

    async def abandon(self, summary: Summary) -> None:
        """Abandon a session, after a confirmation if the settings ask for one.

        If the players at the table have passwords that are still to be entered, one of these is required.
        """
        if await self._confirm_abandonment(summary):
            self._apply_change(lambda: self.abandoned.abandon(summary.path))

    async def _confirm_abandonment(self, summary: Summary) -> bool:
        preferences, nicks = self._context.preferences, list_nicks_allowed_to_abandon(summary)
        round_text = f", round {format_current_round(summary)}" if summary.header else ""
        title = f"Abandon {format_table_title(summary)}{round_text}?"
        take_back = preferences.appearance.keys.format_label("take_back")
        text = f"{explain_abandonment(summary)} {take_back} undoes that until you quit."
        if nicks:
            text = f"{text} The password of {join_or(nicks)} is needed."
            verify = partial(profiles.verify_any_password, nicks)
            return await self._context.ask_until_accepted(title, text, "abandon it", "keep it", verify)
        return not preferences.settings.confirm or await self._context.confirm(title, text, "abandon it", "keep it")

    def take_back(self) -> None:
        """Restore the session that was abandoned last."""
        last = self.abandoned.last
        self._apply_change(self.abandoned.restore_last, last and paths.sessions_folder() / last.name)

    def _apply_change(self, change: Callable[[], object], cursor_path: Path | None = None) -> None:
        try:
            change()
        except CardtableError as error:
            self._context.app.notify(error.full_message, markup=False, severity="error")
        self._on_change(cursor_path)


async def offer_recovery(context: PageContext) -> None:
    """Offer to continue recovered sessions, one after the other, until the player continues one.

    The player is notified of copies that differ from their session and were set aside.
    """
    for complaint in unfinished_tables.set_aside_diverged():
        context.app.notify(complaint, markup=False, severity="warning")
    for stray in unfinished_tables.list_recoverable():
        title, text = "A session was saved elsewhere", describe_recovered(stray)
        if not await context.confirm(title, text, "continue it", "keep it for later"):
            continue
        try:
            path = await asyncio.to_thread(unfinished_tables.restore_recovered, stray)
        except CardtableError as error:
            context.show_error(error)
        else:
            _resume(context, stray.session, path)
        return


def _resume(context: PageContext, session: Summary, path: Path) -> None:
    """Resume a session after its file was restored to ``path``; a finished one is only reported."""
    if session.state == "over":
        context.app.notify(OVER)
    elif session.real_cards:
        context.show("score_table", path)
    else:
        context.resume_session(path)


ROOMY_WIDTH: Final = 100
"""Minimum width of a terminal, in columns, in which the footer has room for the arrow keys."""
AGE_INTERVAL: Final = 30
"""Interval, in seconds, at which the ages of the sessions are updated."""
UPDATE_INTERVAL: Final = 0.2
"""Minimum interval, in seconds, between updates of the list while sessions are being read."""


class Picker(Page):
    """Page with the session to resume, the games, the other tables and the deal of the day."""

    SCOPE = PICKER

    def __init__(
        self,
        context: PageContext,
        entries: Callable[[], Iterable[Summary]] = summaries.iter_unfinished,
        clock: Callable[[], datetime] = get_local_time,
        *,
        starts_hidden: bool = False,
    ) -> None:
        """Prepare the page.

        ``entries`` yields the unfinished sessions, the one played last first. It is called whenever the page is shown,
        and should read each session only when it is requested, since the first picture does not wait for all of them.
        ``clock`` returns an aware datetime. With ``starts_hidden`` another screen lies above the picker at first, and
        nothing is read or painted before that screen is left.
        """
        super().__init__(context)
        self._entries, self._clock = entries, clock
        self._starts_hidden = self._is_hidden = starts_hidden
        self.model = PickerModel(tuple([ABOUT[key] for key in KEYS]), clock(), self._create_daily_deal())
        self._table_actions = TableActions(context, self._refresh_tables)
        self._guard = InputGuard(lambda: context.preferences.settings.key_guard)
        self._next_cursor: Path | None = None
        self._plugins_loaded = False

    def on_mount(self) -> None:
        self.set_interval(AGE_INTERVAL, self._update_ages)

    def _update_ages(self) -> None:
        if self.model.now.date() != self._clock().date():
            self.on_resumed()
        self.repaint()

    def _create_daily_deal(self) -> DailyDeal:
        return DailyDeal(ABOUT[session_setup.get_daily_game(self._clock().date())])

    def on_resumed(self) -> None:
        """Read sessions until one that a person plays here, and show it; the others are read in the background."""
        if self._starts_hidden:  # the picker is on the screen for a moment before the other page
            self._starts_hidden = False
            self._guard.on_new_prompt()
            return
        self._is_hidden = False
        if self._current_event:  # no key that was typed before the first picture is ignored
            self._guard.on_new_prompt()
        self.call_after_refresh(self._guard.on_painted)
        self.context.preferences.reload()
        self.context.player.reload()  # another program may have renamed the player
        self.model.profile_store = profiles.load()[0]
        unread = iter(self._entries())
        not_resumable = []
        for summary in unread:
            if summary.is_played_here:
                self._update_lists(summary, self.model.tables)
                break
            not_resumable.append(summary)
        else:
            self._update_lists(None, not_resumable)
        self.call_after_refresh(self.run_worker, partial(self._read_sessions, not_resumable, unread), exclusive=True)

    async def _read_sessions(self, tables: list[Summary], unread: Iterator[Summary]) -> None:
        """Read the other sessions and the session of the deal of the day in a thread, updating the list.

        ``tables`` are the sessions read so far.
        """
        from cardtable.store.puzzle_files import count_due  # noqa: PLC0415 - lazy: startup

        model, day = self.model, self._clock().date()
        model.save_error, model.is_save_checked = await asyncio.to_thread(home_folder.find_save_error), True
        progress = await asyncio.to_thread(session_setup.load_daily_progress, day, self.context.nick)
        deal = self._create_daily_deal()._replace(known=True, session=progress.session, streak=progress.streak)
        model.due_puzzles = await asyncio.to_thread(count_due, self.context.nick, day)
        self._update_lists(model.resumable, model.tables, deal=deal)
        updated_at = monotonic()
        while summary := await asyncio.to_thread(next, unread, None):
            tables.append(summary)
            if len(tables) > len(model.tables) and monotonic() - updated_at > UPDATE_INTERVAL:
                self._update_lists(model.resumable, [*tables])
                updated_at = monotonic()
        cursor_path, self._next_cursor = self._next_cursor, None
        self._update_lists(model.resumable, tables, cursor_path)
        if not self._plugins_loaded:
            self._plugins_loaded = True
            await self._load_plugin_games()

    async def _load_plugin_games(self) -> None:
        """Add the games of other packages to the list, once, and notify the player of games that were refused."""
        plugins, chosen = await asyncio.to_thread(games.find_plugins), _get_identity(self.model.item)
        for refused in plugins.rejected:
            self.app.notify(str(refused), markup=False, severity="warning")
        self.model.games = tuple(ABOUT.values())
        self.model.cursor = [_get_identity(item) for item in self.model.items].index(chosen)
        self.repaint()

    def _update_lists(
        self,
        first: Summary | None,
        tables: list[Summary],
        cursor_path: Path | None = None,
        deal: DailyDeal | None = None,
    ) -> None:
        """Show these sessions, and ``deal`` if it is given.

        The cursor stays on its item or moves to the session ``cursor_path``. If ``first`` differs from the session
        shown so far, or the item no longer exists, the cursor moves to the first item.
        """
        model = self.model
        chosen = None if first != model.resumable else cursor_path or _get_identity(model.item)
        if first != model.resumable or (model.preview and model.preview.backs):
            model.resumable, model.preview = first, load_preview(first) if first else None
        model.deal = deal or model.deal
        model.tables = [table for table in tables if first is None or table.path != first.path]
        identities = [_get_identity(item) for item in model.items]
        model.cursor = identities.index(chosen) if chosen in identities else 0
        self.repaint()

    def paint(self, width: int, height: int) -> Canvas:
        return Canvas(width, height, self.appearance) if self._is_hidden else super().paint(width, height)

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        model = self.model
        model.now, model.nick = self._clock(), self.context.nick
        paint_picker(canvas, model)
        today = format_day(model.now)
        paint_page_header(canvas, "cardtable", right=today)
        if model.nick != seating.GUEST:
            end = canvas.width - 1 - MARGIN - cell_len(today) - 3
            canvas.write_right(end, 0, model.nick, canvas.theme.inks.text, bold=True)
        return self._list_footer_keys(canvas.width)

    def _list_footer_keys(self, width: int) -> FooterKeys:
        """Return the keys of the footer for the item under the cursor."""
        session = self._find_resumable(self.model.item)
        hidden = ["rules"] if self.is_on_session else []
        if width < ROOMY_WIDTH or self.can_take_back:
            hidden += ["up down"]
        if self.is_on_session and width < ROOMY_WIDTH:
            hidden += ["rename", "give_up", "new"]
        enter = "play" if session is None else "how to continue" if session.is_club_only else "continue"
        return {**self.SCOPE.footer, "play": enter, **dict.fromkeys(hidden, "")}

    def _find_resumable(self, item: Item) -> Summary | None:
        """Return the session that Enter would resume; ``None`` if Enter would begin a session."""
        if isinstance(item, DailyDeal):
            return item.session if item.session and item.session.state == "open" else None
        return self.model.find_own_table(item) if isinstance(item, GameInfo) else item

    def action_move(self, step: int) -> None:
        self._go_to(self.model.cursor + step)

    def action_end(self, item: int) -> None:
        self._go_to(item)

    def action_page(self, step: int) -> None:
        """Move the cursor by half the height of the screen, in items, stopping at the ends."""
        last = len(self.model.items) - 1
        self._go_to(max(0, min(self.model.cursor + step * self.size.height // 2, last)))

    def action_aside(self, tables: bool) -> None:
        """Move the cursor from the games to the tables, or back to the first item."""
        first_table = self.model.first_table_index
        if tables != (self.model.cursor >= first_table):
            self._go_to(first_table if tables else 0)

    def _go_to(self, item: int) -> None:
        self.model.cursor = item % len(self.model.items)
        self.model.follow = True
        self.repaint()

    def action_open(self) -> None:
        """Resume the session under the cursor, or the player's own of the game or deal; begin one if there is none."""
        if not self._guard.accepts(self._guard.compute_time(self.input_age)):  # meant for the screen above
            return
        item, day = self.model.item, self._clock().date()
        if isinstance(item, DailyDeal) and not item.known:
            item = item._replace(session=session_setup.find_daily_session(day, self.context.nick))
        if session := self._find_resumable(item):
            self._resume(session)
        elif isinstance(item, GameInfo):
            self._begin(create_default_setup(GAMES[item.key], self.context.nick))
        else:
            self._begin(session_setup.create_daily_setup(day, self.context.nick))

    def action_watch(self) -> None:
        """Watch robots play the game under the cursor, or open the session read-only.

        A session between robots alone is resumed instead.
        """
        item = self.model.item
        if not isinstance(item, Summary):
            self._begin(create_robot_setup(GAMES[item.key if isinstance(item, GameInfo) else item.game.key]))
        elif item.header and item.header.people:
            self.navigate(partial(self.context.open_session, partial(sessions.open_read_only, item.path)))
        elif item.header:
            self._resume(item)

    def _begin(self, setup: SessionSetup) -> None:
        self.navigate(partial(self.context.begin, setup))

    def _resume(self, session: Summary) -> None:
        if session.real_cards:
            self.show("score_table", session.path)
        else:
            self.navigate(partial(self.context.resume_session, session.path))

    async def action_rename(self) -> None:
        if isinstance(self.model.item, Summary):
            await self._table_actions.rename(self.model.item)

    async def action_give_up(self) -> None:
        """Give up the session under the cursor, which moves it unfinished to the archive."""
        if isinstance(self.model.item, Summary):
            await self._table_actions.abandon(self.model.item)

    def action_take_back(self) -> None:
        self._table_actions.take_back()

    def _refresh_tables(self, cursor_path: Path | None) -> None:
        """Read the sessions again after a change.

        The cursor moves to ``cursor_path``, or from an item that is gone to the next one, or else to the one before.
        """
        model = self.model
        if cursor_path is None and isinstance(model.item, Summary) and not model.item.path.exists():
            model.cursor += 1 if model.cursor + 1 < len(model.items) else -1
        self._next_cursor = cursor_path
        self.on_resumed()

    @property
    def can_take_back(self) -> bool:
        return self._table_actions.abandoned.last is not None

    @property
    def is_on_session(self) -> bool:
        return isinstance(self.model.item, Summary)

    @property
    def can_rename(self) -> bool:
        return isinstance(self.model.item, Summary) and self.model.item.header is not None

    @property
    def can_watch(self) -> bool:
        return can_be_watched(self.model.item)

    def action_set_table(self) -> None:
        self.show("new_table", self._game_key or self.model.games[0].key)

    def action_rules(self) -> None:
        """Open the rules of the game of the item under the cursor."""
        if key := self._game_key:
            self.show("rules", key)

    def action_learn(self) -> None:
        """List the games with lessons, with the cursor on the game of the item under the cursor."""
        self.show("learn", self._game_key)

    @property
    def _game_key(self) -> str | None:
        """Key of the game of the item under the cursor; ``None`` for a journal that cannot be opened."""
        item = self.model.item
        if isinstance(item, Summary):
            return item.header.game if item.header else None
        return item.key if isinstance(item, GameInfo) else item.game.key

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked item, or open the item if the cursor is already on it."""
        if isinstance(target, int) and target == self.model.cursor:
            self.action_open()
        elif isinstance(target, int):
            self._go_to(target)

    def on_wheel(self, step: int, x: int) -> None:
        """Scroll the column at ``x``, without moving the cursor."""
        self.model.follow = False
        column = 1 if has_panel(self.canvas) and x >= self.size.width - PANEL_WIDTH else 0
        self.model.offsets[column] += step * WHEEL_ROWS
        self.repaint()


def _get_identity(item: Item) -> object:
    """Return a value by which an item can be found again after the sessions have been read anew."""
    if isinstance(item, Summary):
        return item.path
    return item.key if isinstance(item, GameInfo) else DailyDeal
