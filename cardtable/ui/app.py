"""The program on the screen: picker, table, rules."""

import asyncio
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Final

from textual import constants
from textual.actions import SkipAction
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen
from textual.theme import Theme
from textual.worker import WorkerFailed

from cardtable.engine.options import Options
from cardtable.games import GAMES
from cardtable.store import drafts, exports, ledgers, profiles, sessions, setup
from cardtable.store.errors import CardtableError, DamagedJournal, NotKept
from cardtable.store.sessions import Session
from cardtable.store.settings import Flags
from cardtable.store.setup import Setup
from cardtable.store.summaries import Summary
from cardtable.store.text import MOST_PATH, clean
from cardtable.ui.draw.filters import filters
from cardtable.ui.page import library_colours
from cardtable.ui.page.leaving import Leaving
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.page.signed_in import SignedIn
from cardtable.ui.picker.screen import Picker, PickerScreen
from cardtable.ui.picker.strays import StrayOffers
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.settings_page.keeper import SettingsKeeper
from cardtable.ui.terminal import ending, facts, signals
from cardtable.wording.strays import OVER

if TYPE_CHECKING:  # the picker is there sooner without it
    from cardtable.ui.new_table.form import NewTable
    from cardtable.ui.new_table.screen import NewTablePage
    from cardtable.ui.page.room import Room
    from cardtable.ui.players.screen import PlayersPage
    from cardtable.ui.processes.robots import Thinker
    from cardtable.ui.score_table.screen import ScorePage
    from cardtable.ui.table.screen import TableScreen

ROBOTS_START: Final = 0.3
"""Seconds after the first picture, in which the robots' process would only be in the way."""
ASKS_TO_QUIT: Final = "ctrl+c"
"""The key that asks whether to quit, unless the settings have something else for it."""
_PATIENCE: Final = 0.5
"""Seconds that quitting waits for what was pressed before."""
_PAGES: Final = {
    "archive": "archive.screen",
    "export": "archive.export",
    "players": "players.screen",
    "rankings": "records.rankings",
    "replay": "replay.screen",
    "review": "review.screen",
    "score_table": "score_table.screen",
    "statistics": "records.statistics",
}
"""Pages that are opened by their names, and the modules that make them."""


class CardtableApp(App[None]):
    """Holds what lasts as long as the program: settings, theme, the robots' process."""

    TITLE = "The Table"
    ENABLE_COMMAND_PALETTE = False
    CSS = library_colours.CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", id="quit", priority=True),
        Binding(ASKS_TO_QUIT, "help_quit", priority=True),
    ]

    def __init__(
        self,
        preferences: Preferences,
        session: Session | None = None,
        page: tuple[str, *tuple[object, ...]] | None = None,
    ) -> None:
        """``page``: which is opened over the picker, and what it is about."""
        self.preferences = preferences
        super().__init__()
        self.leaving = Leaving(self, preferences)
        self._first, self._page = session, page
        self._new_table: NewTable | None = None
        self._thinker: Thinker | None = None
        self._room: Room | None = None
        book, unread = profiles.load()
        self._keeper = SettingsKeeper(self, preferences, unread, self.leaving.troubles)
        self._player = SignedIn(book)

    def get_default_screen(self) -> Screen[None]:
        """The picker, below all else."""
        now = lambda: datetime.now(UTC).astimezone()  # noqa: E731
        below = self._first is not None or self._page is not None
        return PickerScreen(self.preferences, self._tables, now, lambda: self._me, below=below)

    def on_mount(self) -> None:
        """Over the picker the session or the page that was asked for."""
        signals.answer_in_turn()
        self.app_resume_signal.subscribe(self, lambda _: signals.tell_size())
        if self._first is not None:
            self._sit_down(self._first)
        if self._page is not None:
            self.show_page(*self._page)
        self.set_timer(ROBOTS_START, self._call_robots)
        self._keeper.tell_complaints()
        StrayOffers(self, self.preferences, self._go_on_with_stray).begin()

    @property
    def fault(self) -> Exception | None:
        """The first exception that nobody has handled."""
        found = self._exception
        return found.error if isinstance(found, WorkerFailed) and isinstance(found.error, Exception) else found

    def _fatal_error(self) -> None:
        """End in order; the report of the terminal library would tell all hands, among whatever else it holds."""
        self._close_messages_no_wait()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What the preferences ask for; the variable ``NO_COLOR`` is among them."""
        return filters(self.preferences.needed)

    def get_driver_class(self) -> type[Driver]:
        """What the program is shown with."""
        if constants.DRIVER is not None:
            from cardtable.ui.terminal.in_browser import BrowserDriver  # noqa: PLC0415 - seldom there

            return BrowserDriver
        if sys.platform == "win32":
            return super().get_driver_class()
        from cardtable.ui.terminal.in_terminal import TerminalDriver  # noqa: PLC0415 - not everywhere

        return TerminalDriver

    @property
    def current_theme(self) -> Theme:
        """The theme in force, for what the terminal library brings along."""
        return library_colours.library_theme(self.preferences.look.theme)

    def on_app_focus(self) -> None:
        """The person has come from another window: what was set there holds here, too."""
        self.preferences.look_again()

    async def action_quit(self) -> None:
        """End the program, once what was pressed before has been done, unless that takes long."""
        done = asyncio.Event()
        (self.focused or self.screen).call_later(done.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), _PATIENCE)

        async def end() -> None:
            self.exit()

        await self.leaving.then(end)

    def action_help_quit(self) -> None:
        """Ask whether to quit; asked already, it is a yes."""
        if self.preferences.look.keys.has(ASKS_TO_QUIT):
            raise SkipAction
        from cardtable.ui.page.quitting import Quitting  # noqa: PLC0415 - seldom asked

        async def answered(yes: bool | None) -> None:
            if yes:
                await self.action_quit()

        if isinstance(self.screen, Quitting):
            self.screen.answer(yes=True)
        else:
            self.push_screen(Quitting(self.preferences.look), answered)

    def action_settings(self) -> None:
        """The settings, over whatever is shown; the same key leads back."""
        from cardtable.ui.settings_page.screen import SettingsScreen  # noqa: PLC0415 - seldom opened

        if isinstance(self.screen, SettingsScreen):
            self.screen.dismiss()
        elif not isinstance(self.screen, ModalScreen):
            self.push_screen(SettingsScreen(self.preferences))

    def _robots(self) -> "Thinker":
        """The robots' process, there from the first call on."""
        if self._thinker is None:
            from cardtable.ui.processes.robots import Thinker  # noqa: PLC0415 - after the picker

            self._thinker = Thinker()
        return self._thinker

    async def _call_robots(self) -> None:
        """Have the robots' process ready before anybody needs it, and files as the last run should have left them."""
        await self._robots().start()
        await asyncio.to_thread(ledgers.settle)
        await asyncio.to_thread(drafts.sweep)

    async def on_unmount(self) -> None:
        """Send the robots home, and end what is reckoned."""
        if self._thinker is not None:
            await self._thinker.stop()
        if self._room is not None:
            await self._room.reckoner.stop()

    def action_command_palette(self) -> None:
        """All that can be done here; not over a question, which is to be answered first."""
        if isinstance(self.screen, ModalScreen):
            return
        from cardtable.ui.palette import commands  # noqa: PLC0415 - seldom opened
        from cardtable.ui.palette.screen import PaletteScreen  # noqa: PLC0415 - seldom opened

        self.push_screen(PaletteScreen(self.preferences.look, commands.commands(self)))

    def _sit_down(self, session: Session) -> None:
        from cardtable.ui.table.screen import TableScreen  # noqa: PLC0415 - after the picker

        table = TableScreen(session, self.preferences, self._robots())
        self.leaving.opened(table, table.driver)
        self.push_screen(table)

    def on_picker_play(self, message: Picker.Play) -> None:
        """Enter on a game: robots in the other seats, places by lot."""
        if self._in_the_lobby:
            self._sit_down(setup.usual(GAMES[message.game_key], self._me).begin())

    def on_picker_play_deal(self, message: Picker.PlayDeal) -> None:
        """Enter on the deal of the day."""
        if self._in_the_lobby:
            self._sit_down(setup.of_the_day(message.day, self._me).begin())

    def on_picker_watch(self, message: Picker.Watch) -> None:
        """A table of robots only."""
        if self._in_the_lobby:
            self._sit_down(setup.robots(GAMES[message.game_key]).begin())

    def on_picker_look(self, message: Picker.Look) -> None:
        """A session of people, to look at only."""
        if self._in_the_lobby:
            self._resume(message.path, sessions.look)

    async def action_picture(self) -> None:
        """Keep a picture of the screen as it is."""
        svg = self.export_screenshot(title=self.TITLE)
        try:
            path = await asyncio.to_thread(exports.save, "cardtable.svg", svg.encode())
        except CardtableError as error:
            self._complain(error)
        else:
            self.notify(f"Saved as {clean(str(path), MOST_PATH)}", markup=False)

    @property
    def room(self) -> "Room":
        """What pages share, there from the first call on."""
        if self._room is None:
            from cardtable.ui.page.room import Room  # noqa: PLC0415 - after the picker

            ways = self.show_page, self._sit_down_later, self._go_on
            self._room = Room(self.preferences, self._robots(), *ways, self._me)
        return self._room

    def on_players_page_signed_in(self, message: "PlayersPage.SignedIn") -> None:
        """Somebody has signed in, or out."""
        self._player.become(message.nick)
        self.room.me = self._me

    @property
    def _me(self) -> str:
        """The nick of who has signed in, or a guest's name."""
        return self._player.nick

    def _tables(self) -> Iterator[Summary]:
        """The unfinished sessions; by now another program may have given who plays here another nick."""
        self._player.look_again()
        if self._room is not None:
            self._room.me = self._me
        return sessions.unfinished()

    def action_show(self, page: str) -> None:
        """A page that is about nothing in particular, from a key."""
        self.show_page(page)

    def show_page(self, page: str, *about: object) -> None:
        """Open the page of a name; one of its kind that is open is left with all above it."""
        if isinstance(self.screen, ModalScreen):
            return
        module = import_module(f"cardtable.ui.{_PAGES[page]}")
        if self._is_open(module):
            self.run_worker(self._open_again(module, about), group="pages")
        else:
            self._open(module, about)

    def _is_open(self, page: ModuleType) -> bool:
        return any(type(screen).__module__ == page.__name__ for screen in self.screen_stack)

    async def _open_again(self, page: ModuleType, about: tuple[object, ...]) -> None:
        """The page that is open is left first: what it has open may be what is to be opened."""

        async def leave() -> None:
            while self._is_open(page):
                await self.pop_screen()
            self._open(page, about)

        kinds = [type(screen).__module__ for screen in self.screen_stack]
        await self.leaving.then(leave, self.screen_stack[kinds.index(page.__name__) :])

    def _open(self, page: ModuleType, about: tuple[object, ...]) -> None:
        """Open a page at once, so that the next key is for it already."""
        try:
            opened: Screen[object] = page.screen(self.room, *about)
        except CardtableError as error:
            self._complain(error)
        else:
            self.push_screen(opened)

    def _sit_down_later(self, how: Callable[[], Session]) -> None:
        """Not in the worker of a page, which ends with it."""
        self.run_worker(self._sit_down_at(how), group="pages")

    def _go_on(self, path: Path) -> None:
        self.run_worker(self._go_on_with(path), group="pages")

    async def _go_on_with(self, path: Path) -> None:
        from cardtable.ui.table.screen import TableScreen  # noqa: PLC0415 - after the picker

        for number, screen in enumerate(self.screen_stack, start=1):
            if isinstance(screen, TableScreen) and screen.session.path == path and not screen.session.looked_at:
                await self.leaving.then(partial(self._down_to, screen), self.screen_stack[number:])
                return
        await self._sit_down_at(lambda: sessions.resume(path))

    async def _go_on_with_stray(self, session: Summary, path: Path) -> None:
        """Go on with a session that has come back into its place."""
        if session.state == "over":
            self.notify(OVER)
        elif session.real_cards:
            self.show_page("score_table", path)
        else:
            await self._sit_down_at(lambda: sessions.resume(path))

    async def _down_to(self, screen: Screen[None]) -> None:
        while self.screen is not screen:
            await self.pop_screen()

    async def _sit_down_at(self, how: Callable[[], Session]) -> None:
        """Leave whatever lies over the picker for a session; if it cannot be opened, say why and stay."""

        async def sit_down() -> None:
            try:
                session = how()
            except CardtableError as error:
                self._complain(error)
                self.leaving.stay()
                return
            if await self._to_the_lobby():
                self._sit_down(session)

        await self.leaving.then(sit_down)

    async def begin(self, game_key: str) -> None:
        """A game with robots, from wherever the person is; the session that was on the screen is kept."""
        await self._begin(setup.usual(GAMES[game_key], self._me))

    async def _begin(self, how: Setup) -> None:
        """Begin a session, from wherever the person is."""

        async def deal() -> None:
            if await self._to_the_lobby():
                await self._deal(how)

        await self.leaving.then(deal)

    async def _deal(self, how: Setup, said: str = "") -> None:
        """Begin a session; whose credits are staked gives her password first.  If it cannot be begun, say why.

        ``said``: why the last password was not taken.
        """
        needed = ledgers.needed(how.seats, how.options.stake)
        if needed:
            self._ask_password(needed[0], how, said)
            return
        from cardtable.ui.new_table.screen import NewTableScreen  # noqa: PLC0415 - after the picker

        try:
            session = how.begin()
        except CardtableError as error:
            self._complain(error)
            return
        if isinstance(self.screen, NewTableScreen):
            await self.pop_screen()
        self._sit_down(session)

    def _ask_password(self, nick: str, how: Setup, said: str) -> None:
        """Ask for the password of somebody whose credits are to be staked, then go on."""
        from cardtable.ui.page.dialog import Dialog  # noqa: PLC0415 - seldom asked

        async def answered(typed: str | None) -> None:
            if typed is not None:
                await self._deal(how, await asyncio.to_thread(profiles.give, nick, typed))

        text = f"{said}{said and '. '}{how.options.stake} credits of {nick} are to be staked."
        dialog = Dialog(self.preferences.look, f"The password of {nick}", text, "go on", field="", secret=True)
        self.push_screen(dialog, answered)

    async def _to_the_lobby(self) -> bool:
        """Leave whatever lies over the picker, also what a quick key has laid there; not if the program is left."""
        while self.screen_stack and not self._in_the_lobby:
            await self.pop_screen()
        return bool(self.screen_stack)

    def on_picker_set_table(self, message: Picker.SetTable) -> None:
        """Enter on a new table."""
        if self._in_the_lobby:
            self._set_table(message.game_key)

    async def set_table(self, game_key: str) -> None:
        """A new table, from wherever the person is."""

        async def set_table() -> None:
            if await self._to_the_lobby():
                self._set_table(game_key)

        await self.leaving.then(set_table)

    def _set_table(self, game_key: str) -> None:
        """How a table is to be; what was chosen before is still there."""
        from cardtable.ui.new_table.form import NewTable  # noqa: PLC0415 - after the picker
        from cardtable.ui.new_table.screen import NewTableScreen  # noqa: PLC0415 - after the picker

        today = datetime.now(UTC).astimezone().date()
        if self._new_table is None:
            self._new_table = NewTable(game_key, today)
        self._new_table.open(game_key, today, profiles.load()[0])
        self.push_screen(NewTableScreen(self.preferences.look, self._new_table, self.room.reckoner))

    async def on_new_table_page_begin(self, message: "NewTablePage.Begin") -> None:
        """The cards are to be dealt."""
        from cardtable.ui.new_table.screen import NewTableScreen  # noqa: PLC0415 - it is there

        if isinstance(self.screen, NewTableScreen):
            await self._deal(message.setup)

    def on_new_table_page_show_rules(self, message: "NewTablePage.ShowRules") -> None:
        """The rules of a game as they are chosen."""
        self._show_rules(message.game_key, message.options)

    def on_picker_go_on(self, message: Picker.GoOn) -> None:
        """Enter on an unfinished session, or on a score table."""
        if self._in_the_lobby and message.real_cards:
            self.show_page("score_table", message.path)
        elif self._in_the_lobby:
            self._resume(message.path)

    @property
    def _in_the_lobby(self) -> bool:
        """Whether the picker is on the screen: a key may be pressed again before the table is there."""
        return isinstance(self.screen, PickerScreen)

    def _resume(self, path: Path, how: Callable[[Path], Session] = sessions.resume) -> None:
        try:
            session = how(path)
        except DamagedJournal as error:
            self._offer_copy(error)
        except CardtableError as error:
            self._complain(error)
        else:
            self._sit_down(session)

    def _complain(self, error: CardtableError) -> None:
        """Say what failed; what a page has listed may be what another program has changed."""
        self.notify(error.whole, markup=False, severity="error")
        if isinstance(self.screen, PageScreen):
            self.screen.page.resumed()

    def _offer_copy(self, damage: DamagedJournal) -> None:
        """A damaged journal stays as it is; a copy of what is good can be gone on with."""
        if not damage.good:
            self._complain(damage)
            return

        def answered(answer: str | None) -> None:
            if answer is None:
                return
            try:
                self._sit_down(sessions.copy(damage.path, damage.good))
            except CardtableError as error:
                self._complain(error)

        from cardtable.ui.page.dialog import Dialog  # noqa: PLC0415 - seldom asked

        yes = f"go on in a copy up to line {damage.good}"
        self.push_screen(Dialog(self.preferences.look, "The journal is damaged", str(damage), yes), answered)

    def on_table_screen_elsewhere(self, message: "TableScreen.Elsewhere") -> None:
        """Saving fails where the session is: another folder."""
        from cardtable.ui.table.screen import TableScreen  # noqa: PLC0415 - it is there

        if isinstance(self.screen, TableScreen):
            self.leaving.ask_folder(message.trouble, message.save_into)

    def on_score_page_opened(self, message: "ScorePage.Opened") -> None:
        """A score table is open."""
        self.leaving.opened(message.on, message.page)

    async def on_score_page_leave_unsaved(self, message: "ScorePage.LeaveUnsaved") -> None:
        """Back from a score table that is not on the disk."""

        async def leave() -> None:
            await message.on.dismiss()

        await self.leaving.then(leave, [message.on])

    def on_picker_show_rules(self, message: Picker.ShowRules) -> None:
        """The rules of the game under the cursor."""
        self.show_rules(message.game_key)

    def show_rules(self, game_key: str) -> None:
        """The rules of a game as they usually are."""
        self._show_rules(game_key, GAMES[game_key].options())

    def on_table_screen_rules(self, message: "TableScreen.Rules") -> None:
        """The rules of the game at the table."""
        self._show_rules(message.key, message.options)

    def on_table_screen_replay(self, message: "TableScreen.Replay") -> None:
        """A round is to be seen again."""
        self.show_page("replay", message.path, message.number, message.step)

    def on_table_screen_review(self, message: "TableScreen.Review") -> None:
        """The decisions are to be judged."""
        self.show_page("review", message.path)

    def _show_rules(self, key: str, options: Options) -> None:
        from cardtable.ui.rules.screen import RulesScreen  # noqa: PLC0415 - seldom read

        if not isinstance(self.screen, RulesScreen):
            self.push_screen(RulesScreen(self.preferences.look, key, options))

    async def on_table_screen_leave(self, _message: "TableScreen.Leave") -> None:
        """Back to the picker, once the session is let go: the next key may go on with it."""
        await self.leaving.then(self._to_the_lobby)

    async def on_table_screen_new_session(self, message: "TableScreen.NewSession") -> None:
        """The same seats and options; a session that is not over stays, once that is said and where it is saved."""
        from cardtable.ui.page.dialog import Dialog  # noqa: PLC0415 - seldom asked
        from cardtable.ui.table.screen import TableScreen  # noqa: PLC0415 - it is there

        following = setup.again(message.session, same_deal=message.same_deal)

        async def answered(answer: str | None) -> None:
            if answer is not None:
                await self._begin(following)

        asked = message.session.table.ended or not self.preferences.settings.confirm
        if asked or await self.leaving.has_unsaved():
            await answered("")
            return
        if not isinstance(self.screen, TableScreen):
            return
        what = "The same deal again" if message.same_deal else "A new session"
        text = "This session is not over. It stays among the tables of the picker, to be gone on with."
        self.push_screen(Dialog(self.preferences.look, what, text, "deal the cards"), answered)


def run(
    session: Session | None = None, flags: Flags | None = None, page: tuple[str, *tuple[object, ...]] | None = None
) -> None:
    """Open the program: at the picker, at the table of ``session``, or at a page with what it is about.

    Raises ``SystemExit`` if it ended in any other way than by leaving it, ``NotKept``, and what was a fault of it.
    """
    flags = flags or Flags()
    flags = flags._replace(ascii=flags.ascii or facts.ascii_only())
    app = CardtableApp(Preferences.load(flags, few_colours=facts.few_colours()), session, page)
    fault = None
    try:
        asyncio.run(_run(app))
    except Exception as error:
        fault = error
    fault = app.fault or fault
    if not_kept := [line for line in (*app.leaving.end(), app.preferences.save_rest()) if line]:
        raise NotKept(not_kept) from fault
    if fault:
        raise fault
    if app.return_code:
        raise SystemExit(app.return_code)


async def _run(app: CardtableApp) -> None:
    ending.when_asked(lambda code: app.exit(return_code=code), app.leaving.keep_elsewhere)
    asyncio.get_running_loop().call_later(ROBOTS_START, gc.enable)
    await app.run_async(mouse=app.preferences.mouse)
