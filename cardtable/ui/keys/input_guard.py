"""Guards against keys and clicks that were meant for the previous content of a page or of the table.

A guard records when the prompt changed, when the new prompt was painted, and when Enter or the mouse was
pressed. All times are in seconds of its clock.
"""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from textual import events
from textual.errors import NoWidget
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

if TYPE_CHECKING:  # keys are bound before the table is imported
    from cardtable.ui.table.model.view_model import TableFrame

Clock: TypeAlias = Callable[[], float]
"""Function that returns seconds, such as ``time.monotonic``."""

BOUNCE_SECONDS: Final = 0.12
"""Seconds within which a second press of a key is bounce or auto-repeat; keyboards repeat every 0.03 to 0.092 s."""
RELEASE_SECONDS: Final = 0.25
"""Seconds without a repeat after which a held key counts as released."""
CURTAIN_SECONDS: Final = 0.6
"""Seconds after the first painting of a curtain during which all input is ignored.

If the same curtain is shown again after something that hid it, only Enter and clicks are ignored.
"""

LATE_SECONDS: Final = 1.0
"""Seconds after a trick or a page that has passed by itself, during which Enter may still be meant for it."""


class InputGuard:
    """Filter for the input at one table."""

    def __init__(self, get_delay: Callable[[], float], clock: Clock = monotonic) -> None:
        """``get_delay`` returns the seconds after a new prompt during which Enter and clicks are ignored."""
        self._get_delay, self._clock = get_delay, clock
        self._painted_at = -inf
        """Time at which the current prompt was painted; infinite until then."""
        self._curtain = self._blocks_all = self._caused_by_player = False
        self._last_presses: dict[str, tuple[float, bool]] = {}
        """Time at which the last press of each key was handled, and True if that press was a repeat."""

    def compute_time(self, age: float) -> float:
        return self._clock() - age

    def on_new_prompt(
        self, *, curtain: bool = False, is_shown_again: bool = False, caused_by_player: bool = False
    ) -> None:
        """Register a new prompt or curtain, which has not been painted yet.

        ``is_shown_again`` is True if the curtain was hidden for a while. ``caused_by_player`` is True if the player's
        own key has led to the prompt: Enter then counts as soon as it is painted.
        """
        self._painted_at, self._curtain, self._caused_by_player = inf, curtain, caused_by_player
        self._blocks_all = curtain and not is_shown_again

    def on_painted(self) -> None:
        """Register that the prompt is visible; only the first call after a new prompt counts."""
        if self._painted_at == inf:
            self._painted_at = self._clock()

    def is_blocked(self, time: float) -> bool:
        """Return True if all input at this time is ignored, because a curtain was painted just before, or not yet."""
        return self._blocks_all and time < self._painted_at + CURTAIN_SECONDS

    def accepts(self, time: float, *, click: bool = False) -> bool:
        """Return True if Enter or a click at this time counts, because the player can have seen the prompt.

        A click always has to wait, even after the player's own key: it may be the second one of a double click.
        """
        waits = click or not self._caused_by_player
        delay = self._get_delay() if waits else 0.0
        return time >= self._painted_at + (max(delay, CURTAIN_SECONDS) if self._curtain else delay)

    def is_repeat(self, key: str, time: float) -> bool:
        """Register a press of a key; return True if it is bounce or auto-repeat.

        ``time`` is the earliest one at which the key can have been pressed. Until it is handled, it may be held.
        """
        last, repeating = self._last_presses.get(key, (-inf, False))
        repeating = time - last < (RELEASE_SECONDS if repeating else BOUNCE_SECONDS)
        self._last_presses[key] = max(time, self._clock()), repeating
        return repeating


class TableGuard(InputGuard):
    """Filter for the keys and clicks at one table; distinguishes prompts that the player's own key has caused."""

    def __init__(
        self, get_delay: Callable[[], float], clock: Clock, call_after_repaint: Callable[[Callable[[], None]], object]
    ) -> None:
        """``call_after_repaint`` calls a function after the next repaint."""
        super().__init__(get_delay, clock)
        self._call_after_repaint = call_after_repaint
        self.is_key_held = False
        """True if the last key repeats because it is held down."""
        self._clicked_at = self._passed_at = -inf
        """Times of the last press of a mouse button, and at which a trick or a page last passed by itself."""
        self._last_passings = 0
        self._hidden = False
        self._last_prompt: tuple[object, ...] = ()
        """Prompt that was visible last; empty if there was none."""
        self._last_advice: object = None
        self._last_confirmation = False

    def press_key(self, key: str, age: float) -> float:
        """Register a press of a key that is ``age`` seconds old, and return its time."""
        pressed_at = self.compute_time(age)
        self.is_key_held = self.is_repeat(key, pressed_at)
        if key != "enter":  # the player has seen what is asked now
            self._passed_at = -inf
        return pressed_at

    def accepts(self, time: float, *, click: bool = False) -> bool:
        """Return True if Enter or a click counts, and Enter is not meant for what has just passed by itself."""
        is_late = not click and self._get_delay() > 0 and time < self._passed_at + LATE_SECONDS
        return not is_late and super().accepts(time, click=click)

    def press_button(self, age: float) -> None:
        self.is_key_held, self._clicked_at = False, self.compute_time(age)

    @property
    def accepts_click(self) -> bool:
        return self.accepts(self._clicked_at, click=True)

    def forget_prompt(self) -> None:
        """Treat the prompt as new when it is checked again, and the last key as released."""
        self._last_prompt, self.is_key_held = (), False

    def report_surprise(self, frame: "TableFrame") -> None:
        """Report a picture that the player did not expect, or after which Enter or a click may be repeated in error."""
        if not frame.has_curtain:
            self._report_prompt()

    def check_prompt(self, frame: "TableFrame", *, hidden: bool) -> None:
        """Compare the prompt of ``frame``, which has not been painted yet, with the one before, and report a new one.

        ``hidden`` is True if another screen or an overlay covers the prompt.
        """
        was_hidden, self._hidden = self._hidden, hidden
        has_passed, self._last_passings = frame.passings != self._last_passings, frame.passings
        if hidden:
            return
        if has_passed:
            self._passed_at = self._clock()
        prompt = frame.stage, frame.handover_seat, frame.shows_trick, frame.waiting, frame.view, frame.prompt
        advised, asked = frame.advice is not self._last_advice, frame.needs_confirmation is not self._last_confirmation
        curtain = frame.has_curtain and frame.human_count > 1
        is_shown_again = False
        if prompt != self._last_prompt:
            caused_by_player = bool(self._last_prompt) and frame.waiting and frame.is_predictable
        elif advised or asked:
            caused_by_player = not (advised or frame.needs_confirmation)
        elif curtain and was_hidden:
            caused_by_player, is_shown_again = False, True
        else:
            return
        self._last_prompt, self._last_advice, self._last_confirmation = prompt, frame.advice, frame.needs_confirmation
        self._report_prompt(curtain=curtain, is_shown_again=is_shown_again, caused_by_player=caused_by_player)

    def _report_prompt(
        self, *, curtain: bool = False, is_shown_again: bool = False, caused_by_player: bool = False
    ) -> None:
        self.on_new_prompt(curtain=curtain, is_shown_again=is_shown_again, caused_by_player=caused_by_player)
        self._call_after_repaint(self.on_painted)


class WindowGuard:
    """Filter for the input of the program: nothing counts that began in a window in which no screen can be read."""

    def __init__(self) -> None:
        self._readable_at = -inf
        """Time since which the screens can be read; infinite while they cannot."""
        self._last_press = "", -inf
        """Last key, and the time at which it was pressed or repeated."""
        self._ignores_key = self._ignores_button = False
        """True if the last key, or the last press of a mouse button, began too early and has not ended yet."""

    def close(self) -> None:
        """Ignore all input until ``open`` is called, and keys and buttons that are held down then."""
        self._readable_at = inf
        self._ignores_key = self._ignores_button = True

    def open(self) -> None:
        """Accept input from now on, if it was ignored."""
        if self._readable_at == inf:
            self._readable_at = monotonic()

    def accepts(self, event: events.Event) -> bool:
        """Return True if a key, a paste or an event of the mouse counts."""
        is_early = event.time < self._readable_at
        if isinstance(event, events.Key):
            key, time = self._last_press
            is_held = event.key == key and event.time < time + RELEASE_SECONDS
            self._last_press = event.key, event.time
            self._ignores_key = is_early or (self._ignores_key and is_held)
            return not self._ignores_key
        if isinstance(event, events.MouseDown):
            self._ignores_button = is_early
        return not (is_early or (self._ignores_button and isinstance(event, events.MouseUp)))


class AcceptsForwardedKeys(MessagePump):
    """Marker of screens that accept keys which reached the screen below them too late."""


def is_shown(widget: Widget) -> bool:
    return widget.is_attached and widget.app.screen is widget.screen


def forward_key(event: events.Key, widget: Widget) -> bool:
    """Pass a key that reached an inactive screen on to the active one; return False if this screen is active.

    ``widget`` is the screen, or a widget on it. The key is dropped if the active screen does not have the marker
    ``AcceptsForwardedKeys``.
    """
    if is_shown(widget):
        return False
    event.stop()
    event.prevent_default()
    if widget.is_attached and isinstance(screen := widget.app.screen, AcceptsForwardedKeys):
        (widget.app.focused or screen).post_message(copy_key_event(event))
    return True


def copy_key_event(event: events.Key) -> events.Key:
    """Return a copy of the key event with the same time, to be posted to another screen."""
    copy = event.copy()
    copy.time = event.time
    return copy


def find_clicked_widget(event: events.Click, screen: Screen[Any]) -> Widget | None:
    """Return the widget of the screen under the click, or ``None`` before the first layout."""
    try:
        return screen.get_widget_at(event.screen_x, event.screen_y)[0]
    except NoWidget:
        return None
