"""The guard: a key or click that was meant for what stood there before does nothing.

It knows no key and no screen, only when something else was asked for, when that could be seen,
and when Enter, Space or the mouse was pressed.  All moments are seconds of its clock.
"""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final, TypeAlias

Clock: TypeAlias = Callable[[], float]
"""Seconds since some moment."""

BOUNCE: Final = 0.12
"""Seconds within which a key that is pressed again has bounced, or is held down: it repeats every 0.03 to 0.092."""
SILENCE: Final = 0.25
"""Seconds without it after which a key that was held down has been let go."""
CURTAIN: Final = 0.6
"""Seconds for which nothing counts at a curtain, once it is seen."""


class Guard:
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

    def asks(self, *, curtain: bool = False, own: bool = False) -> None:
        """Something else is asked for, or a curtain falls; nobody has seen it yet.

        ``own``: the person's own key has brought it about, so that she knows of it once it is seen.
        """
        self._seen, self._curtain, self._own = inf, curtain, own

    def shown(self) -> None:
        """What is asked for can be seen from now on."""
        if self._seen == inf:
            self._seen = self._clock()

    def deaf(self, at: float) -> bool:
        """Whether nothing counts at all, since a curtain has just fallen."""
        return self._curtain and at < self._seen + CURTAIN

    def takes(self, at: float, *, click: bool = False) -> bool:
        """Whether Enter, Space or a click counts: it was pressed by somebody who can have seen what is asked for.

        A second click at the same place is as good as none of its own, whoever brought about what lies there now.
        """
        waits = click or not self._own
        return not self.deaf(at) and at >= self._seen + (self._wait() if waits else 0.0)

    def repeats(self, key: str, at: float) -> bool:
        """Whether a key has bounced or is held down, so that this is no press of its own."""
        last, repeating = self._pressed.get(key, (-inf, False))
        repeating = at - last < (SILENCE if repeating else BOUNCE)
        self._pressed[key] = at, repeating
        return repeating
