"""The guard: a key or click that was meant for what stood there before does nothing.

It knows no key and no screen, only when something else was asked for, when that could be seen,
and when Enter, Space or the mouse was pressed.  All moments are seconds of its clock.
"""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Any, Final, TypeAlias

from textual import events
from textual.errors import NoWidget
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

Clock: TypeAlias = Callable[[], float]
"""Seconds since some moment."""

BOUNCE: Final = 0.12
"""Seconds within which a key that is pressed again has bounced, or is held down: it repeats every 0.03 to 0.092."""
SILENCE: Final = 0.25
"""Seconds without it after which a key that was held down has been let go."""
CURTAIN: Final = 0.6
"""Seconds for which nothing counts at a curtain, once it is seen."""


class InputGuard:
    """Judges what is pressed at one table."""

    def __init__(self, wait: Callable[[], float], clock: Clock = monotonic) -> None:
        """``wait``: seconds for which Enter, Space and clicks do not count after something else is asked for."""
        self._wait, self._clock = wait, clock
        self._seen = -inf
        """Since when it can be seen what is asked for."""
        self._curtain = self._own = False
        self._pressed: dict[str, tuple[float, bool]] = {}
        """When each key was pressed last, and whether that was no press of its own."""

    def moment(self, ago: float) -> float:
        """When something was pressed that is handled so many seconds later."""
        return self._clock() - ago

    def on_new_prompt(self, *, curtain: bool = False, own: bool = False) -> None:
        """Something else is asked for, or a curtain falls; nobody has seen it yet.

        ``own``: the person's own key has brought it about, so that she knows of it once it is seen.
        """
        self._seen, self._curtain, self._own = inf, curtain, own

    def on_painted(self) -> None:
        """What is asked for can be seen from now on."""
        if self._seen == inf:
            self._seen = self._clock()

    def is_blocked(self, at: float) -> bool:
        """Whether nothing counts at all, since a curtain has just fallen."""
        return self._curtain and at < self._seen + CURTAIN

    def accepts(self, at: float, *, click: bool = False) -> bool:
        """Whether Enter, Space or a click counts: it was pressed by somebody who can have seen what is asked for.

        A second click at the same place is as good as none of its own, whoever brought about what lies there now.
        """
        waits = click or not self._own
        return not self.is_blocked(at) and at >= self._seen + (self._wait() if waits else 0.0)

    def is_repeat(self, key: str, at: float) -> bool:
        """Whether a key has bounced or is held down, so that this is no press of its own."""
        last, repeating = self._pressed.get(key, (-inf, False))
        repeating = at - last < (SILENCE if repeating else BOUNCE)
        self._pressed[key] = at, repeating
        return repeating


class ForwardsKeys(MessagePump):
    """A screen for which keys are meant, too, that the one below it got since they came so quickly."""


def is_shown(widget: Widget) -> bool:
    """Whether its screen is the one that is shown: nothing lies over it, and it was not taken away."""
    return widget.is_attached and widget.app.screen is widget.screen


def handed_on(event: events.Key, below: Widget) -> bool:
    """Give a key that came to a screen to the one that lies over it by now; whether it is for another or for none."""
    if is_shown(below):
        return False
    event.stop()
    event.prevent_default()
    if below.is_attached and isinstance(shown := below.app.screen, ForwardsKeys):
        (below.app.focused or shown).post_message(copied(event))
    return True


def copied(event: events.Key) -> events.Key:
    """Return the same key for another screen, pressed at the same moment."""
    copy = event.copy()
    copy.time = event.time
    return copy


def clicked(event: events.Click, screen: Screen[Any]) -> Widget | None:
    """What of the screen is clicked; nothing where it is not laid out yet."""
    try:
        return screen.get_widget_at(event.screen_x, event.screen_y)[0]
    except NoWidget:
        return None


JOIN_SECONDS: Final = 1.0
"""A second digit within this time joins the first."""


class QuickDigits:
    """Tells by its clock whether a digit joins the one before."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """``clock`` counts seconds."""
        self._clock, self._last = clock, float("-inf")

    @property
    def open(self) -> bool:
        """Whether a digit would join the last one now."""
        return self._clock() - self._last < JOIN_SECONDS

    def joins(self) -> bool:
        """Whether the digit that is typed now comes soon after the last one."""
        joins, self._last = self.open, self._clock()
        return joins
