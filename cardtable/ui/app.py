"""The Textual application, which owns the objects that exist from the start of the program to its end; and its signals.

Textual's driver handles signals in the code that they interrupt. There, the report of a new window size can interrupt
the report of an older one, which then is the last and stays; and a stop can deadlock, waiting for a lock that the
interrupted code holds. Therefore the handlers for termination, job control and the window size are moved to the event
loop.
"""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from threading import Timer
from types import FrameType
from typing import ClassVar, Final

from rich.segment import Segment
from textual import constants
from textual.actions import SkipAction
from textual.app import App
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.driver import Driver
from textual.events import Event, InputEvent, Key, Paste, Resize
from textual.filter import LineFilter
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme as LibraryTheme
from textual.worker import WorkerFailed

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, sanitize
from cardtable.store import credit_ledger, home_folder
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.errors import UnsavedDataError
from cardtable.store.session_setup import is_new_home
from cardtable.store.sessions import Session
from cardtable.store.settings import TerminalFlags
from cardtable.ui.keys.input_guard import WindowGuard
from cardtable.ui.keys.keymap import USUAL_KEYS
from cardtable.ui.navigator import Navigator
from cardtable.ui.picker.screen import Picker, offer_recovery
from cardtable.ui.terminal import capabilities
from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Quitting
from cardtable.ui.toolkit.page import PageScreen, ask, run_with_questions, start_worker
from cardtable.ui.toolkit.painting.canvas import CanvasWidget, ErrorBoundary, GameFailedMessage, leave_after_error
from cardtable.ui.toolkit.painting.layout import is_too_small
from cardtable.ui.toolkit.painting.themes import Theme
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.workers.tasks import use_reusing_executor

CSS: Final = """
Toast { border: none; padding: 0 1; background: $surface; color: $foreground; }
.-too-small Dialog, .-too-small PaletteScreen { background: transparent; & > * { visibility: hidden; } }
"""
"""Style of Textual's notifications: blocks in the colour of the mat, without borders.

In a window that is too small, boxes over a screen give way to its notice.
"""


class _PlainBar(ScrollBarRender):
    """Scroll bar drawn with plain background colours, without half-block characters at its ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


ScrollBar.renderer = _PlainBar


def to_textual_theme(theme: Theme) -> LibraryTheme:
    grounds, inks = theme.grounds, theme.inks
    return LibraryTheme(
        name=theme.title,
        primary=inks.gold,
        warning=inks.warn,
        error=inks.loss,
        foreground=inks.text,
        background=grounds.felt,
        surface=grounds.mat,
        panel=grounds.panel,
        dark=Color.parse(grounds.felt).brightness < Color.parse(inks.text).brightness,
        variables={
            "block-cursor-background": grounds.row,
            "block-cursor-foreground": inks.text,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": grounds.row,
            "block-cursor-blurred-foreground": inks.text,
            "block-cursor-blurred-text-style": "bold",
            "input-cursor-background": inks.gold,
            "input-cursor-foreground": grounds.panel,
            "scrollbar": grounds.bonus,
            "scrollbar-hover": grounds.bonus,
            "scrollbar-active": grounds.bonus,
            "scrollbar-background": grounds.panel,
            "scrollbar-background-hover": grounds.panel,
            "scrollbar-background-active": grounds.panel,
            "scrollbar-corner-color": grounds.panel,
        },
    )


class SettingsSync:
    """Observer of the preferences: repaints all screens and saves the settings after a change.

    Each problem with a file of settings, themes or keys is reported once.
    """

    def __init__(self, context: PageContext) -> None:
        self._app, self._context, self._preferences = context.app, context, context.preferences
        self._reported: set[str] = set()
        context.preferences.on_apply, context.preferences.on_change = self._apply, self._save

    def show_problems(self) -> None:
        """Open a page with the problems in settings, theme and key files that have not been shown yet, if any.

        The page covers the banner that warns of unsaved play, so it begins with those errors.
        """
        problems = [*self._preferences.problems, *self._context.player.load_errors]
        new = [problem for problem in problems if problem not in self._reported]
        self._reported.update(new)
        if new:
            from cardtable.ui.settings import FileProblemsPage  # noqa: PLC0415 - lazy: startup, rarely needed

            self._app.push_screen(
                PageScreen(FileProblemsPage(self._context, [*self._context.unsaved_work.list_save_errors(), *new]))
            )

    def _apply(self) -> None:
        """Repaint every screen after a change of the settings."""
        self._repaint_screens()
        self._app.refresh_css(animate=False)
        self.show_problems()

    def _repaint_screens(self) -> None:
        for screen in self._app.screen_stack:
            for canvas_widget in screen.query(CanvasWidget):
                canvas_widget.set_appearance(self._preferences.appearance)
            for widget in screen.walk_children():
                widget.refresh()

    def _save(self) -> None:
        """Start to save the settings file in a thread, after the player has changed a setting."""
        saved = asyncio.get_running_loop().run_in_executor(None, self._preferences.save)
        start_worker(self._app, "settings", self._report_failure, saved)

    async def _report_failure(self, saved: asyncio.Future[str | None]) -> None:
        """Wait for ``saved`` and notify the player if its result is a new error.

        Settings that could not be saved stay in force until the program ends.
        """
        error = await asyncio.shield(saved)  # saving completes even if the program quits
        is_new = error != self._preferences.save_error
        self._preferences.on_saved(error)
        self._repaint_screens()
        if is_new and error:
            self._app.notify(error, markup=False, severity="error")


COLLECTION_PAUSE: Final = 1.0
"""Seconds without input after which the oldest generation is collected."""
COLLECTION_THRESHOLDS: Final = (700, 10, 100)
"""Thresholds of the garbage collector; see ``gc.set_threshold``.

The last one lets collections of the oldest generation start by themselves ten times as rarely as by default.
"""


class GarbageCollection:
    """Collects the oldest generation once input has paused for ``COLLECTION_PAUSE`` seconds, from ``begin`` on.

    Such a collection takes some 40 ms once all pages have been loaded, and Python starts one whenever many objects have
    been created, which is mostly while somebody presses keys.
    """

    def __init__(self) -> None:
        self._is_enabled = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Enable the collector, and exempt all objects that exist: nearly all of them last as long as the program."""
        self._is_enabled = True
        gc.freeze()
        gc.set_threshold(*COLLECTION_THRESHOLDS)
        gc.enable()

    def note_input(self) -> None:
        """Postpone the next collection, because a key or the mouse is in use."""
        if self._timer:
            self._timer.cancel()
        if self._is_enabled:
            self._timer = asyncio.get_running_loop().call_later(COLLECTION_PAUSE, gc.collect)


ROBOTS_START_DELAY: Final = 0.3
"""Delay in seconds from the first frame to the start of the robots' process, which would slow down the start-up."""
QUIT_KEY: Final = "ctrl+c"
"""Key that asks whether to quit, unless the settings bind it to another command."""
_QUIT_TIMEOUT: Final = 0.5
"""Maximum time in seconds that quitting waits for queued key presses."""


class CardtableApp(ErrorBoundary, App[None]):
    """Textual application with the navigator and the key bindings that work on every page."""

    TITLE = "cardtable"
    ENABLE_COMMAND_PALETTE = False
    CSS = CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(USUAL_KEYS["quit"].default, "quit", id="quit", priority=True),
        Binding(QUIT_KEY, "help_quit", priority=True),
    ]

    def __init__(
        self,
        preferences: Preferences,
        session: Session | None = None,
        page: tuple[str, *tuple[object, ...]] | None = None,
    ) -> None:
        """Prepare the program.

        ``session`` is opened at the table, above the picker. Without a session, ``page`` is opened: its name, followed
        by the arguments of its function in the navigator. With neither, the picker is shown.
        """
        self.preferences = preferences
        super().__init__()
        self.context = Navigator(self, preferences)
        self._settings_sync = SettingsSync(self.context)
        self.garbage_collection = GarbageCollection()
        self._window_guard = WindowGuard()
        self._initial_pages = [("table", session)] if session is not None else [page] if page is not None else []

    def get_default_screen(self) -> Screen[None]:
        return PageScreen(Picker(self.context, starts_hidden=bool(self._initial_pages)))

    def on_load(self) -> None:
        """Let tasks begin in the next turn of the loop, in every version of Python.

        Textual makes them eager from Python 3.12 on: they then run before ``create_task`` has returned, and a callback
        that starts the task unless it runs already starts it again.
        """
        asyncio.get_running_loop().set_task_factory(None)

    def on_mount(self) -> None:
        move_handlers_to_loop()
        asyncio.get_running_loop().set_exception_handler(self._handle_loop_error)
        self.app_resume_signal.subscribe(self, lambda _: report_size())
        for page in self._initial_pages:
            self.context.show(*page)
        self.set_timer(ROBOTS_START_DELAY, self._start_background_work)
        self._settings_sync.show_problems()
        self.call_after_refresh(run_with_questions, self, offer_recovery, self.context)

    async def _start_background_work(self) -> None:
        """Start the robots' process, pay out credits that are due, and remove temporary files of earlier runs."""
        await self.context.robot_client.start()
        await asyncio.to_thread(credit_ledger.pay_out)
        await asyncio.to_thread(home_folder.remove_stale_files)

    async def on_event(self, event: Event) -> None:
        """Handle the event; in a window that is too small, only keys that quit and answers to "Quit?" count."""
        if isinstance(event, InputEvent):
            self.garbage_collection.note_input()
        is_new_input = isinstance(event, InputEvent | Paste) and not event.is_forwarded
        if not is_new_input or self._window_guard.accepts(event) or isinstance(self.screen, Quitting):
            await super().on_event(event)
        elif isinstance(event, Key):
            await self._check_bindings(event.key, priority=True)

    def on_resize(self, event: Resize) -> None:
        is_small = is_too_small(*event.size)
        self.set_class(is_small, "-too-small")
        if is_small:
            self._window_guard.close()

    def _check_resize(self) -> None:
        """Adopt the size of the window; input counts once the screen has been painted in a sufficient size."""
        super()._check_resize()
        if self._resize_event is None and not is_too_small(*self.size):
            self.screen.call_after_refresh(self._accept_input)

    def _accept_input(self) -> None:
        if not is_too_small(*self.size):  # it may have shrunk again
            note_waiting_input(self)
            self._window_guard.open()

    async def on_unmount(self) -> None:
        await self.context.end()

    @property
    def unhandled_error(self) -> Exception | None:
        return _unwrap_error(self._exception) if self._exception else None

    def _handle_exception(self, error: Exception) -> None:
        """Leave the page if a host or a game of another package is at fault; end the program on any other exception."""
        if not leave_after_error(self, _unwrap_error(error)):
            super()._handle_exception(error)

    def _handle_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        """End the program if a callback of the event loop or a task of ``start_task`` has failed."""
        error = context.get("exception")
        if "handle" in context and isinstance(error, Exception):
            self._handle_exception(error)
        else:
            loop.default_exception_handler(context)

    def on_game_failed_message(self, message: GameFailedMessage) -> None:
        self.context.leave_failed_game(message.failed)

    def _fatal_error(self) -> None:
        """End the program without Textual's traceback, whose local variables would reveal all hands."""
        self._close_messages_no_wait()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the colour filters that the preferences require; ``NO_COLOR`` counts as a preference."""
        if not any(self.preferences.render_options):
            return ()
        from cardtable.ui.toolkit.painting.svg import build_filters  # noqa: PLC0415 - lazy: startup, only some settings need it

        return build_filters(self.preferences.render_options)

    def get_driver_class(self) -> type[Driver]:
        return _select_driver() or super().get_driver_class()

    @property
    def current_theme(self) -> LibraryTheme:
        return to_textual_theme(self.preferences.appearance.theme)

    def on_app_focus(self) -> None:
        """Reload the settings, which another window may have changed while this one did not have the focus."""
        self.preferences.reload()

    def action_show(self, page: str) -> None:
        self.context.toggle(page)

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:  # noqa: ARG002 - Textual's
        """Return the current screen as an SVG file that loads nothing, unlike Textual's."""
        from cardtable.ui.toolkit.painting import svg  # noqa: PLC0415 - lazy: startup, rarely needed

        picture = self.screen._compositor.render_update(full=True, screen_stack=self._background_screens)
        segments = self.console.render(picture) if picture is not None else ()
        rows = [*Segment.split_lines(Segment.filter_control(segments))]
        return svg.format_svg(rows, self.size.width, title or self.title)

    async def action_picture(self) -> None:
        """Save a screenshot of the current screen as an SVG file; in a browser, offer it as a download."""
        svg = self.export_screenshot(title=self.TITLE)
        if is_hosted_client() and self.is_web:
            self.deliver_binary(BytesIO(svg.encode()), save_filename="cardtable.svg", mime_type="image/svg+xml")
            return
        try:
            path = await asyncio.to_thread(home_folder.save_export, "cardtable.svg", svg.encode())
        except CardtableError as error:
            self.context.show_error(error)
        else:
            self.notify(f"Saved as {sanitize(str(path), MAX_PATH_LENGTH)}", markup=False)

    async def action_quit(self) -> None:
        await run_with_questions(self, self._quit)

    async def _quit(self) -> None:
        """End the program once the queued key presses have been handled, or after ``_QUIT_TIMEOUT`` seconds."""
        done = asyncio.Event()
        (self.focused or self.screen).call_later(done.set)
        with suppress(TimeoutError):
            async with asyncio.timeout(_QUIT_TIMEOUT):
                await done.wait()
        if await self.context.unsaved_work.confirm_closing():
            self.exit()

    def action_help_quit(self) -> None:
        if self.preferences.appearance.keys.is_bound(QUIT_KEY):
            raise SkipAction
        self.call_next(run_with_questions, self, self._confirm_quit)

    async def _confirm_quit(self) -> None:
        """Ask "Quit?", and quit after a yes; a second request while the question is open means yes."""
        is_all_saved = not self.context.unsaved_work.list_save_errors()
        if isinstance(self.screen, Quitting):
            self.screen.answer(yes=True)
        elif await ask(Quitting(self.preferences.appearance, is_all_saved=is_all_saved)):
            await self._quit()


def _unwrap_error(error: Exception) -> Exception:
    """Return the exception that was raised inside a failed Textual worker; return any other exception unchanged."""
    return error.error if isinstance(error, WorkerFailed) and isinstance(error.error, Exception) else error


def _select_driver() -> type[Driver] | None:
    """Return the driver class for this terminal or browser; ``None`` selects Textual's default driver."""
    if constants.DRIVER is not None:
        from cardtable.ui.terminal.browser_driver import BrowserDriver  # noqa: PLC0415 - lazy: startup, only in a browser

        return BrowserDriver
    if sys.platform == "win32":
        return None
    else:  # noqa: RET505 - for the type checker, which then knows that nothing follows
        from cardtable.ui.terminal.terminal_driver import TerminalDriver  # noqa: PLC0415 - lazy: optional, POSIX only

        return TerminalDriver


def run(
    session: Session | None = None,
    flags: TerminalFlags | None = None,
    page: tuple[str, *tuple[object, ...]] | None = None,
) -> str | None:
    """Run the program until it ends; ``session`` and ``page`` are opened as ``CardtableApp`` describes.

    With neither, a new home begins with the welcome page. Returns the id of the session whose table was opened last if
    the player can resume it.

    Raises UnsavedDataError if data could not be saved, the first unhandled exception if there was one, and SystemExit
    with the return code if the program was ended by a signal or an error.
    """
    if session is None and page is None and _is_on_own_terminal() and is_new_home():
        page = ("welcome",)
    flags = {**(flags or {}), **({"ascii": True} if capabilities.is_ascii_only() else {})}
    app = CardtableApp(Preferences.load(flags, few_colours=capabilities.has_few_colours()), session, page)
    raised: BaseException | None = None
    try:
        asyncio.run(_run(app))
    except (Exception, SystemExit) as error:  # code of another package may call sys.exit
        raised = error
    raised = app.unhandled_error or raised
    if unsaved := [line for line in (*app.context.unsaved_work.finalize_all(), app.preferences.save_pending()) if line]:
        raise UnsavedDataError(unsaved) from raised
    if raised:
        raise raised
    if app.return_code:
        raise SystemExit(app.return_code)
    session = app.context.last_session
    return session.header.id if session and session.can_be_resumed and _is_on_own_terminal() else None


def _is_on_own_terminal() -> bool:
    """Return False in a browser and in a program that a host runs for its guest."""
    return constants.DRIVER is None and not is_hosted_client()


async def _run(app: CardtableApp) -> None:
    install_termination_handlers(
        lambda code: app.exit(return_code=code), app.context.unsaved_work.save_to_emergency_folder
    )
    use_reusing_executor()
    asyncio.get_running_loop().call_later(ROBOTS_START_DELAY, app.garbage_collection.begin)
    await app.run_async(mouse=app.preferences.settings.mouse)


GRACE_SECONDS: Final = 8
"""Seconds after a termination signal at which the program exits without waiting any longer."""
_EXIT_DATA_LOST: Final = 1
_EXIT_SIGNAL_BASE: Final = 128
"""Difference between an exit code and the number of the signal that ended the program."""


def move_handlers_to_loop() -> None:
    """Move the driver's handlers of SIGTSTP, SIGCONT and SIGWINCH to the running event loop."""
    if sys.platform != "win32":
        _handle_in_loop(signal.SIGTSTP)
        _handle_in_loop(signal.SIGCONT)
        report_size()


def report_size() -> None:
    """Report the window size again and move the handler of SIGWINCH to the event loop.

    Needed after the driver has reinstalled its handler.
    """
    if sys.platform != "win32":
        _handle_in_loop(signal.SIGWINCH)
        signal.raise_signal(signal.SIGWINCH)


def _handle_in_loop(number: signal.Signals) -> None:
    handler = signal.getsignal(number)
    if callable(handler):
        asyncio.get_running_loop().add_signal_handler(number, handler, number, None)


def install_termination_handlers(request_exit: Callable[[int], object], save_at_once: Callable[[], bool]) -> None:
    """Call ``request_exit`` with the exit code, in the running event loop, after SIGTERM, SIGHUP, SIGINT or SIGQUIT.

    On Windows these are SIGINT and SIGBREAK (Ctrl+Break). If the program has not ended after ``GRACE_SECONDS``, for
    instance because a terminal that accepts no output blocks the loop, ``save_at_once`` is called in the interrupted
    code, on Windows in a thread, and the program exits. ``save_at_once`` returns True if no data are lost; otherwise
    the exit code is 1. A second signal does not extend this time.
    """
    loop, is_ending = asyncio.get_running_loop(), False

    def handle_signal(number: int, _frame: FrameType | None) -> None:
        nonlocal is_ending
        if not is_ending:
            _start_exit_timer(lambda: _exit_at_once(_EXIT_SIGNAL_BASE + number, save_at_once))
        is_ending = True
        with suppress(RuntimeError):  # the loop has already ended
            loop.call_soon_threadsafe(request_exit, _EXIT_SIGNAL_BASE + number)

    if sys.platform == "win32":
        signals = [signal.SIGINT, signal.SIGBREAK]
    else:
        signals = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]
    for number in signals:
        signal.signal(number, handle_signal)


def _start_exit_timer(exit_at_once: Callable[[], object]) -> None:
    """Call ``exit_at_once`` after ``GRACE_SECONDS``, in the code that runs then; on Windows, in a thread of its own."""
    if sys.platform == "win32":
        timer = Timer(GRACE_SECONDS, exit_at_once)
        timer.daemon = True
        timer.start()
    else:

        def handle_alarm(*_: object) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(GRACE_SECONDS)  # in case the disk does not respond
            exit_at_once()

        signal.signal(signal.SIGALRM, handle_alarm)
        signal.alarm(GRACE_SECONDS)


def _exit_at_once(code: int, save_at_once: Callable[[], bool]) -> None:
    """Save what is unsaved and end the process; the exit code is 1 instead of ``code`` if data are lost."""
    is_saved = False
    try:
        is_saved = save_at_once()
    finally:
        os._exit(code if is_saved else _EXIT_DATA_LOST)
