"""Base classes of all screens except the table, and what all share: header, footer, questions, corrections of Textual.

Textual runs an action or a handler in the message pump of its page or app. A handler that waited for a screen to be
closed would stop that pump: no timers, no new size, no keys. So ``run_with_questions`` runs it up to a question, opens
the question and returns; Textual's callback with the answer goes on in the same pump. Only while a question is open are
other messages handled. A worker would let them in between an answer and its effect, and end with its page.
"""

from collections.abc import Callable, Coroutine, Generator, Hashable, Sequence
from contextlib import suppress
from functools import partial
from types import coroutine
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Self, TypeVar

from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.dom import DOMNode
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.timer import Timer, TimerCallback
from textual.worker import Worker, WorkerError

from cardtable.ui.keys.bindings import AnyKeyBinding, FooterKeys, KeyBindings
from cardtable.ui.keys.input_guard import AcceptsForwardedKeys, forward_key, is_shown
from cardtable.ui.keys.keymap import USUAL_KEYS
from cardtable.ui.toolkit.painting.canvas import (
    Canvas,
    CanvasWidget,
    ErrorBoundary,
    join_fitting,
    scroll_window,
    truncate,
    wrap,
)
from cardtable.ui.toolkit.painting.layout import MARGIN, MIN_SCREEN_SIZE, TEXT_WHEEL_ROWS, WHEEL_ROWS, is_too_small
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar
from cardtable.ui.toolkit.text_input import TextInput

if TYPE_CHECKING:
    from cardtable.ui.toolkit.context import PageContext
    from cardtable.ui.toolkit.overlay import KeySheet

P = ParamSpec("P")


class ResizeFix(MessagePump):
    """Mixin for screens that ignores outdated resize events.

    A Textual screen posts a resize event to itself for each size that it adopts. If keys arrive between sizes that wait
    in the queue, the event with an older size is handled after the event with the latest size, and would determine the
    layout.
    """

    def on_resize(self, event: events.Resize) -> None:
        """Ignore the event if its size is not the present size of the app."""
        if event.size != self.app.size:
            event.prevent_default()


_set_timer: Final = MessagePump.set_timer


def _set_reliable_timer(
    pump: MessagePump,
    delay: float,
    callback: TimerCallback | None = None,
    *,
    name: str | None = None,
    pause: bool = False,
) -> Timer:
    """Start a timer that runs once as Textual does, but never leave out its call.

    A Textual timer leaves out calls that are late, also its only one. This happens if the system lets the program wait
    while the timer begins. An app waits with such a timer before it adopts a new size of the window, and would never
    adopt one again; a toast would never end.
    """
    timer = _set_timer(pump, delay, callback, name=name, pause=pause)
    timer._skip = False
    return timer


MessagePump.set_timer = _set_reliable_timer  # type: ignore[assignment, method-assign] # also for toasts


Answer = TypeVar("Answer")


@coroutine
def ask(question: Screen[Answer]) -> Generator[Screen[Answer], Answer | None, Answer | None]:
    """Open a screen, and return its result; only in coroutines that ``run_with_questions`` runs, not in their tasks.

    If the screen is closed without a result, the coroutine ends here: nothing but its ``finally`` blocks is run.
    """
    return (yield question)


async def run_with_questions(
    app: App[Any], function: Callable[P, Coroutine[Any, Any, object]], *args: P.args, **kwargs: P.kwargs
) -> None:
    """Run a coroutine function that may ``ask``; return once it has ended or its first question is open."""
    await _proceed(app, function(*args, **kwargs), None)


async def _proceed(app: App[Any], work: Coroutine[Any, Any, object], answer: object) -> None:
    question = await _run_to_question(work, answer)
    if question is not None:
        app.push_screen(question, partial(_proceed, app, work))


@coroutine
def _run_to_question(work: Coroutine[Any, Any, object], answer: object) -> Generator[Any, Any, Screen[Any] | None]:
    """Go on with ``work``, and return its next question, or ``None`` if it has ended.

    Whatever else it awaits is passed on to the event loop.
    """
    try:
        awaited = work.send(answer)
        while not isinstance(awaited, Screen):
            try:
                result = yield awaited
            except BaseException as error:
                awaited = work.throw(error)
            else:
                awaited = work.send(result)
    except StopIteration:
        return None
    return awaited


class Page(CanvasWidget, can_focus=True):
    """Canvas widget with the key bindings of one scope, a clickable footer and a key sheet."""

    def __init__(self, context: "PageContext") -> None:
        super().__init__(context.preferences.appearance)
        self.context = context
        self._key_sheet: KeySheet | None = None
        self._queued_keys: list[events.Key] | None = []
        """Keys that wait for the first picture or the end of a navigation; ``None`` if keys are handled at once."""
        self._current_event: events.Key | events.Click | None = None
        """Key or click that is being handled, or the last one that was."""

    @property
    def SCOPE(self) -> KeyBindings[Self]:  # noqa: N802 - a constant of each page
        raise NotImplementedError

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        """Paint the page except its footer; return the footer, usually ``SCOPE.footer`` with some other labels.

        Keys that are not enabled, and keys with an empty label, are left out.
        """
        raise NotImplementedError

    def paint(self, width: int, height: int) -> Canvas:
        """Return the picture: body, footer and, if open, the key sheet.

        If the terminal is too small, the picture is a notice.
        """
        self.canvas = canvas = Canvas(width, height, self.appearance)  # conditions of keys depend on its size
        if paint_if_too_small(canvas):
            return canvas
        keys = self.paint_body(canvas)
        canvas.add_hit_box(0, height - 1, width, 1, None)
        paint_footer(canvas, self.SCOPE.filter_footer(keys, self), MARGIN)
        if self._key_sheet:
            from cardtable.ui.toolkit.overlay import build_key_groups  # noqa: PLC0415 - lazy: startup

            enabled, is_typing = self.SCOPE.list_enabled(self), self.text_input is not None
            groups = build_key_groups(canvas.appearance.keys, enabled, is_typing=is_typing)
            self._key_sheet.paint(canvas, self.SCOPE.location, groups)
        return canvas

    def is_enabled(self, key: AnyKeyBinding) -> bool:
        return self.SCOPE.is_enabled(key.name, self)

    def label_for(self, key: AnyKeyBinding) -> str:
        return key.label

    async def stop_workers(self) -> None:
        """Cancel the workers of this page, and wait until they have ended."""
        for worker in self.workers.cancel_node(self):
            with suppress(WorkerError):
                await worker.wait()

    def on_resumed(self) -> None:
        """Respond to the page becoming the active screen, for the first time or again."""

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Respond to a click outside the footer; ``target`` is the mouse target there, or ``None``."""

    def on_wheel(self, step: int, x: int) -> None:
        """Respond to one notch of the mouse wheel, down (1) or up (-1), over column ``x``."""

    @property
    def text_input(self) -> TextInput | None:
        return None

    def is_for_text_input(self, _binding: AnyKeyBinding | None) -> bool:
        """Return False if the key has a meaning on this page that takes precedence over text editing."""
        return True

    def on_edited(self, _before: str) -> None:
        """Respond to a change of the edited text or of its cursor; the argument is the text before the change."""
        self.repaint()

    def action_edit_line(self, key: str) -> None:
        """Apply an editing key to the text input, if there is one."""
        line = self.text_input
        if line is not None:
            before = line.text
            if line.edit(key):
                self.on_edited(before)

    def handle_character(self, _character: str) -> bool:
        """Handle a character typed while no text input is active; return True if it was consumed."""
        return False

    def capture_key(self, _pressed: str) -> bool:
        """Use a key as the new key of a binding; return True if the page was waiting for one."""
        return False

    async def on_key(self, event: events.Key) -> None:
        """Handle the key, or queue it before the first picture and during a navigation.

        An open key sheet takes every key: some scroll it, all others close it. Otherwise the key is tried in this
        order: as the new key of a binding, in the text input, as a typed character, and as a key binding of the page.
        """
        if forward_key(event, self):
            return
        self._current_event = event
        if self._queued_keys is not None:
            self._queued_keys.append(event)
        elif self._key_sheet:
            if self._key_sheet.handle_key(self.appearance.keys, find_key_name(event)):
                self.repaint()
            else:
                self.action_help()
        elif self.capture_key(find_key_name(event)) or self._edit_text(event) or self._type_character(event):
            pass
        elif key := self.appearance.keys.find(self.SCOPE, find_key_name(event)):
            await self.press(key)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_resize(self) -> None:
        self.call_later(self._handle_queued_keys)

    def show(self, page: str, *arguments: object) -> None:
        """Open another page by name.

        ``arguments`` are passed to the function that creates its screen, after the context.
        """
        self.navigate(partial(self.context.show, page, *arguments))

    def navigate(self, navigation: Callable[[], None]) -> None:
        """Call ``navigation`` to leave or open a screen, unless such a call is pending.

        Keys pressed after it are queued, since they may be meant for the new screen.
        """
        if self._queued_keys is None:
            self._queued_keys = []
            navigation()
            self.app.call_later(self.call_later, self._handle_queued_keys)

    async def _handle_queued_keys(self) -> None:
        queued, self._queued_keys = self._queued_keys, None
        for event in queued or ():
            await self.on_key(event)

    def _edit_text(self, event: events.Key) -> bool:
        """Apply a key to the text input; return False if the key has another meaning or there is no text input."""
        line, binding = self.text_input, self.appearance.keys.find(self.SCOPE, find_key_name(event))
        if line is None or not self.is_for_text_input(binding):
            return False
        before = line.text
        is_edited = line.handle_key(event.key, event.character, binding)
        if is_edited:
            self.on_edited(before)
        return is_edited

    def on_paste(self, event: events.Paste) -> None:
        line = self.text_input
        if line is not None:
            before = line.text
            line.insert(event.text)
            self.on_edited(before)
        event.stop()

    def _type_character(self, event: events.Key) -> bool:
        """Handle a typed character; a decimal digit of another script also counts as the digit 0 to 9."""
        character = event.character
        if character is None or not event.is_printable:
            return False
        is_foreign_digit = character.isdecimal() and not character.isascii()
        return self.handle_character(character) or (is_foreign_digit and self.handle_character(str(int(character))))

    @property
    def input_age(self) -> float:
        """Age, in seconds, of the key or click that is being handled."""
        return compute_event_age(self._current_event) if self._current_event else 0.0

    async def press(self, key: AnyKeyBinding) -> None:
        """Run the action of the key, which may ask questions, if the key is enabled."""
        if self.is_enabled(key):
            await run_with_questions(self.app, self.app.run_action, key.action, self)

    @property
    def _is_inactive(self) -> bool:
        """True if another screen is active or being opened; a quick click that arrives here was meant for it."""
        return self._queued_keys is not None or not is_shown(self)

    async def action_leave(self) -> None:
        """Close this screen, unless it is being closed already."""
        if is_shown(self):
            self.screen.dismiss()

    def action_help(self) -> None:
        from cardtable.ui.toolkit.overlay import KeySheet  # noqa: PLC0415 - lazy: startup

        self._key_sheet = None if self._key_sheet else KeySheet()
        self.repaint()

    async def on_click(self, event: events.Click) -> None:
        """Press the clicked key of the footer, or report the clicked target; any click closes an open key sheet."""
        if self._is_inactive:
            return
        self._current_event = event
        target = self.canvas.hit_test(event.x, event.y)
        if self._key_sheet:
            self.action_help()
        elif isinstance(target, KeyTarget):
            await self.press(self.SCOPE.find(target))
        else:
            self.on_target_clicked(target)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._handle_wheel(1, event.x)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._handle_wheel(-1, event.x)

    def _handle_wheel(self, step: int, x: int) -> None:
        if self._is_inactive:
            return
        if self._key_sheet:
            self._key_sheet.scroll(step * WHEEL_ROWS)
            self.repaint()
        else:
            self.on_wheel(step, x)


def compute_event_age(event: Message) -> float:
    return Message().time - event.time


def find_key_name(event: events.Key) -> str:
    """Return the name of the key in the settings file.

    A printable character names itself, and a decimal digit of any script is named 0 to 9. Other keys have Textual's
    names.
    """
    if not event.is_printable or not event.character or event.key == "space":
        return event.key
    return str(int(event.character)) if event.character.isdecimal() else event.character


def start_worker(
    node: DOMNode, group: str, function: Callable[P, Coroutine[Any, Any, None]], *args: P.args, **kwargs: P.kwargs
) -> Worker[None]:
    """Run a coroutine function in a worker of ``node``; if the program ends before, it is not called at all."""
    return node.run_worker(partial(function, *args, **kwargs), group=group)


def paint_page_header(
    canvas: Canvas, title: str, context: str = "", right: str = "", facts: Sequence[str] = ()
) -> None:
    """Paint the first row: title, ``context`` and as many ``facts`` as fit at the left, and ``right`` at the right."""
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    canvas.add_hit_box(0, 0, canvas.width, 1, None)
    x = canvas.write(MARGIN, 0, title, inks.text, bold=True) + 3
    end = canvas.write_right(canvas.width - 1 - MARGIN, 0, right, inks.muted)
    canvas.write(x, 0, join_fitting([context, *facts], ", ", end - x - 1), inks.muted)


def paint_if_too_small(canvas: Canvas) -> bool:
    """Return True if the terminal is smaller than ``MIN_SCREEN_SIZE``; the canvas then shows the required size."""
    if not is_too_small(canvas.width, canvas.height):
        return False
    size, needed = f"{canvas.width}x{canvas.height}", "{}x{}".format(*MIN_SCREEN_SIZE)
    lines = (f"Window too small ({size}).", f"Needs {needed}.", "Your game is safe.")
    rows = [row for line in lines for row in wrap(line, max(canvas.width, 2))]
    for y, row in enumerate(rows, max((canvas.height - len(rows)) // 2, 0)):
        canvas.write_centred(canvas.width // 2, y, row, canvas.theme.inks.text)
    return True


def paint_loading(canvas: Canvas, title: str, error: str | None) -> FooterKeys:
    """Paint a page whose session is being read, or could not be read because of ``error``.

    Returns the keys for the footer.
    """
    paint_page_header(canvas, title)
    ink = canvas.theme.inks.loss if error else canvas.theme.inks.muted
    for y, line in enumerate(wrap(error or "Reading the session ...", canvas.width - 2 * MARGIN), 2):
        canvas.write(MARGIN, y, line, ink)
    return {"leave": "back"}


T = TypeVar("T")
TEXT_TOP: Final = 2
"""First row of the text on a page, below the header."""


class TextPage(Page):
    """Page with rows of text that can be scrolled by rows and pages."""

    def __init__(self, context: "PageContext") -> None:
        super().__init__(context)
        self._row_count = self._room = 0
        self._offset = 0
        """Index of the first visible row."""

    def paint_rows(
        self, canvas: Canvas, rows: Sequence[T], paint_row: Callable[[int, T], object], top: int = TEXT_TOP
    ) -> bool:
        """Paint the visible rows from row ``top`` on, with a scroll bar; return True if not all of them are visible.

        ``paint_row`` paints a row of text in the given row of the canvas.
        """
        self._room = room = canvas.height - top - 1
        self._row_count, self._offset = len(rows), scroll_window(self._offset, room, len(rows))
        for y, row in enumerate(rows[self._offset : self._offset + room], top):
            paint_row(y, row)
        paint_scroll_bar(canvas, canvas.width - 1, self._offset, len(rows) + 1, top - 1)
        return len(rows) > room

    def action_scroll_rows(self, rows: int) -> None:
        """Scroll by a number of rows, negative for up."""
        self._offset += rows
        self.repaint()

    def action_page(self, step: int) -> None:
        """Scroll by a page, up (-1) or down (1); one row of the previous page stays in sight."""
        self.action_scroll_rows(step * (self._room - 1))

    def action_end(self, last: int) -> None:
        """Scroll to the beginning (0) or the end (1) of the text."""
        self._offset = last * self._row_count
        self.repaint()

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_scroll_rows(step * TEXT_WHEEL_ROWS)


class PageScreen(ErrorBoundary, ResizeFix, AcceptsForwardedKeys, Screen[Any]):
    """Screen with a page as its only widget."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.set_reactive(Screen.focused, page)  # keys that arrive before the page is mounted are queued in order

    def compose(self) -> ComposeResult:
        yield self.page

    async def on_key(self, event: events.Key) -> None:
        """Pass keys to the page while it does not have the focus; with the focus it has already handled them."""
        if self.focused is not self.page:
            await self.page.on_key(event)

    def on_screen_resume(self) -> None:
        self.page.on_resumed()


_KEY_GAP: Final = 3
"""Number of columns between two keys."""
_EXIT_KEYS: Final = frozenset(("leave", "close"))
"""Keys that are never omitted, so that even a new user can leave the screen."""


def paint_footer(canvas: Canvas, keys: FooterKeys, margin: int, banner: str = "", *, with_help: bool = True) -> None:
    """Paint the keys and, if ``with_help`` is True, the help key; a banner replaces the keys.

    If the keys do not fit, the gaps shrink. Then keys are omitted from the end, except those that leave the screen.
    """
    y = canvas.height - 1
    inks = canvas.theme.inks
    canvas.fill(0, y, canvas.width, 1, canvas.theme.grounds.panel)
    format_label = canvas.appearance.keys.format_label
    end = canvas.width - margin
    if with_help:
        end -= cell_len(format_label("help")) + 5
        canvas.add_hit_box(end, y, canvas.width - end, 1, KeyTarget("help"))
        canvas.write(canvas.write(end, y, format_label("help"), inks.text, bold=True) + 1, y, "help", inks.muted)
    if banner:
        canvas.write(
            margin, y, truncate(canvas.appearance.keys.format_keys(banner), end - margin - 2), inks.loss, bold=True
        )
        return
    entries = [(names, format_label(names), word) for names, word in keys.items() if word]
    x, room, gap = margin, end - margin - _KEY_GAP + 1, _KEY_GAP
    if _measure_entries(entries, gap) > room:
        gap = _KEY_GAP - 1
    while _measure_entries(entries, gap) > room and (less := [key for key in entries if key[0] not in _EXIT_KEYS]):
        entries.remove(less[-1])
    for names, key, word in entries:
        if (name := names.split()[-1]) in USUAL_KEYS:
            canvas.add_hit_box(x, y, len(key) + len(word) + 1, 1, KeyTarget(name))
        x = canvas.write(x, y, key, inks.text, bold=True) + 1
        x = canvas.write(x, y, word, inks.muted) + gap


def _measure_entries(entries: Sequence[tuple[str, str, str]], gap: int) -> int:
    return sum([cell_len(key) + 1 + cell_len(word) + gap for _, key, word in entries]) - gap


class KeyTarget(str):
    """Mouse target of a footer key: the name of its key binding."""

    __slots__ = ()
