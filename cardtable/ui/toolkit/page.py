"""What the screens beside the table have in common: header, footer, keys, scroll bar, the too small terminal."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from cardtable.ui.terminal.terminal_driver import ResizeFix
from cardtable.ui.toolkit.footer import Keys, Press, paint_footer
from cardtable.ui.toolkit.keys.bindings import KeyBinding, KeyBindings, named
from cardtable.ui.toolkit.keys.input_guard import ForwardsKeys, handed_on, is_shown
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget, ErrorBoundary
from cardtable.ui.toolkit.painting.layout import LEAST, MARGIN
from cardtable.ui.toolkit.painting.text_fit import join_fitting, truncate, wrap
from cardtable.ui.toolkit.text_input import TextInput

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.ui.toolkit.context import PageContext
    from cardtable.ui.toolkit.overlay import KeySheet


class Page(CanvasWidget, can_focus=True):
    """A painting whose keys a list tells, with a footer that can be clicked, and a key sheet."""

    ABOUT: ClassVar[str]
    """Where its keys work, for the key sheet."""
    SCOPE: ClassVar[KeyBindings]
    """Its keys."""

    def __init__(self, room: "PageContext") -> None:
        super().__init__(room.preferences.look)
        self.room = room
        self._help: KeySheet | None = None
        self._early: list[events.Key] | None = []
        """Keys that wait for the first picture, or for a way to be gone; ``None`` while nothing has to."""
        self._handled: events.Key | events.Click | None = None
        """The key or click that is handled now, or was last."""

    def paint_body(self, canvas: Canvas) -> Keys:
        """Paint all but the footer; which keys that tells, the most wanted first."""
        raise NotImplementedError

    def paint(self, width: int, height: int) -> Canvas:
        """The page, if the terminal is not too small, and over everything the key sheet where it is asked for."""
        canvas = Canvas(width, height, self.look)
        if too_small(canvas):
            return canvas
        keys = self.paint_body(canvas)
        canvas.add_hit_box(0, height - 1, width, 1, None)
        paint_footer(canvas, keys, MARGIN)
        if self._help:
            from cardtable.ui.toolkit.overlay import sheet  # noqa: PLC0415 - seldom seen

            is_typing = self.text_input is not None
            self._help.paint(
                canvas, self.ABOUT, sheet(canvas.look.keys, self.SCOPE, self.is_enabled, is_typing=is_typing)
            )
        return canvas

    def is_enabled(self, _key: KeyBinding) -> bool:
        """Whether the key does something now."""
        return True

    def label_for(self, key: KeyBinding) -> str:
        """What the key does here."""
        return key.word

    def resumed(self) -> None:
        """The page is on the screen, for the first time or again."""

    def pointed_at(self, target: Hashable | None) -> None:
        """A click on anything but the footer."""

    def wheel(self, step: int, x: int) -> None:
        """The mouse wheel was turned a notch on (1) or back (-1) over column ``x``."""

    @property
    def text_input(self) -> TextInput | None:
        """Return the line that is being edited, if there is one."""
        return None

    def is_for_line(self, _bound: KeyBinding | None) -> bool:
        """Return False for a key that does something else than what it does in lines elsewhere."""
        return True

    def edited(self, _before: str) -> None:
        """Respond to a change of the line that is being edited, or of its cursor; the argument is its text before."""
        self.repaint()

    def action_edit_line(self, key: str) -> None:
        """Do what an editing key does in the line."""
        line = self.text_input
        before = line.text if line else ""
        if line is not None and line.edit(key):
            self.edited(before)

    def handle_text(self, _character: str) -> bool:
        """Whether a character is taken where no line is edited, and so is no key."""
        return False

    def capture_key(self, _pressed: str) -> bool:
        """Whether it was asked which key is to be pressed, and so it does nothing else."""
        return False

    async def on_key(self, event: events.Key) -> None:
        """Do what the key does, or have it wait; with the key sheet open it scrolls that or puts it away."""
        if handed_on(event, self):
            return
        self._handled = event
        if self._early is not None:
            self._early.append(event)
        elif self._help:
            if self._help.press(self.look.keys, pressed(event)):
                self.repaint()
            else:
                self.action_help()
        elif self.capture_key(pressed(event)) or self._edits(event) or self._types(event):
            pass
        elif key := self.look.keys.find(self.SCOPE, pressed(event)):
            await self.press(key)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_resize(self) -> None:
        """With the first size comes the first picture."""
        self.call_later(self._catch_up)

    def show(self, page: str, *about: object) -> None:
        """Open another page."""
        self.navigate(partial(self.room.show, page, *about))

    def navigate(self, way: Callable[[], None]) -> None:
        """Go a way of the room once; what is pressed before it is gone may be for another screen then."""
        if self._early is None:
            self._early = []
            way()
            self.app.call_later(self.call_later, self._catch_up)

    async def _catch_up(self) -> None:
        """Do what was pressed meanwhile."""
        early, self._early = self._early, None
        for event in early or ():
            await self.on_key(event)

    def _edits(self, event: events.Key) -> bool:
        """Apply a key to the line that is being edited; return False if it is not for it."""
        line, bound = self.text_input, self.look.keys.find(self.SCOPE, pressed(event))
        before = line.text if line else ""
        if line is None or not self.is_for_line(bound) or not line.press(event.key, event.character, bound):
            return False
        self.edited(before)
        return True

    def on_paste(self, event: events.Paste) -> None:
        """Insert what is pasted into the line that is being edited."""
        line = self.text_input
        if line is not None:
            before = line.text
            line.insert(event.text)
            self.edited(before)
        event.stop()

    def _types(self, event: events.Key) -> bool:
        character = event.character
        return (
            character is not None
            and event.is_printable
            and (self.handle_text(character) or self._types_digit(character))
        )

    def _types_digit(self, character: str) -> bool:
        """Type a digit of another script where none but 0 to 9 is taken; return whether it was."""
        return character.isdecimal() and not character.isascii() and self.handle_text(str(int(character)))

    @property
    def pressed_ago(self) -> float:
        """Seconds since the key or button was pressed that is handled now."""
        return age(self._handled) if self._handled else 0.0

    async def press(self, key: KeyBinding) -> None:
        """Do what the key does, if it works now."""
        if self.is_enabled(key):
            await self.app.run_action(key.does, self)

    @property
    def _covered(self) -> bool:
        """Whether another screen is shown already, or may be soon: quick clicks come here that were meant for it."""
        return self._early is not None or not is_shown(self)

    def action_leave(self) -> None:
        """Back to the screen below; once, however often it is asked for."""
        if is_shown(self):
            self.screen.dismiss()

    def action_help(self) -> None:
        """Show the keys, or put them away."""
        from cardtable.ui.toolkit.overlay import KeySheet  # noqa: PLC0415 - seldom seen

        self._help = None if self._help else KeySheet()
        self.repaint()

    async def on_click(self, event: events.Click) -> None:
        """A click on a key of the footer does what the key does; any puts the key sheet away."""
        if self._covered:
            return
        self._handled = event
        target = self.canvas.hit_test(event.x, event.y)
        if self._help:
            self.action_help()
        elif isinstance(target, Press):
            await self.press(named(self.SCOPE, target))
        else:
            self.pointed_at(target)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """A notch on, of the key sheet where it lies over the page; not below another screen."""
        self._wheel(1, event.x)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """A notch back."""
        self._wheel(-1, event.x)

    def _wheel(self, step: int, x: int) -> None:
        if self._covered:
            return
        if self._help:
            self._help.turn(step)
            self.repaint()
        else:
            self.wheel(step, x)


def age(event: Message) -> float:
    """Return the seconds since an event came from the terminal."""
    return Message().time - event.time


def pressed(event: events.Key) -> str:
    """Return the key as the settings name it: a character for itself, digits as 0 to 9, other keys by their names."""
    if not event.is_printable or not event.character or event.key == "space":
        return event.key
    return str(int(event.character)) if event.character.isdecimal() else event.character


def paint_page_header(canvas: Canvas, title: str, context: str = "", right: str = "", more: Sequence[str] = ()) -> None:
    """Row 0: the screen's name, what it is about, and as much ``more`` as there is room for; at the right who."""
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    canvas.add_hit_box(0, 0, canvas.width, 1, None)
    x = canvas.text(MARGIN, 0, title, inks.text, bold=True) + 3
    end = canvas.right(canvas.width - 1 - MARGIN, 0, right, inks.muted)
    canvas.text(x, 0, join_fitting([context, *more], ", ", end - x - 1), inks.muted)


def too_small(canvas: Canvas) -> bool:
    """Whether the terminal is too small; then the canvas says how large it must be."""
    width, height = LEAST
    if canvas.width >= width and canvas.height >= height:
        return False
    said = (f"{canvas.width}x{canvas.height} is too small", f"{width}x{height} is needed", "all is kept")
    for row, line in enumerate(said):
        text = truncate(line, canvas.width)
        canvas.centre(canvas.width // 2, max(canvas.height // 2 - 1, 0) + row, text, canvas.theme.inks.text)
    return True


def paint_waiting(canvas: Canvas, title: str, trouble: str) -> Keys:
    """A page before its session is read, or why that cannot be."""
    paint_page_header(canvas, title)
    ink = canvas.theme.inks.loss if trouble else canvas.theme.inks.muted
    for y, line in enumerate(wrap(trouble or "Reading the session ...", canvas.width - 2 * MARGIN), 2):
        canvas.text(MARGIN, y, line, ink)
    return [("leave", "back")]


class PageScreen(ErrorBoundary, ResizeFix, ForwardsKeys, Screen[Any]):
    """One page, and nothing beside it."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.set_reactive(Screen.focused, page)  # keys are for it, also before it is there, in their order

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self.page

    async def on_key(self, event: events.Key) -> None:
        """Without the focus the page has the keys all the same; with it they come here once it had no use for them."""
        if self.focused is not self.page:
            await self.page.on_key(event)

    def on_screen_resume(self) -> None:
        """What the page tells of may have changed meanwhile."""
        self.page.resumed()
