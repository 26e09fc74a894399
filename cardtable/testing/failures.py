"""Violated invariants as messages for the author of a game, and the time limit of a check."""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from cardtable.engine.game import AnyGame, Seat
from cardtable.workers.time_limit import absorb_interruption, raise_in_thread

SAMPLING_INTERVAL: Final = 0.05
"""Seconds between two looks at what a check is calling, and maximum delay of the time limit."""


class LawFailure(AssertionError):
    """Violated invariant, with the seat, the field and the two worlds that show it.

    ``field`` is the name of the field of the view, or of the function of the game. ``worlds`` describes both worlds,
    one line each. ``advice`` is a sentence on what to change.
    """

    def __init__(
        self, message: str, *, advice: str, seat: Seat | None = None, field: str = "", worlds: Sequence[str] = ()
    ) -> None:
        lines = [f"  world {number}: {world}" for number, world in enumerate(worlds, 1)]
        super().__init__("\n".join([message, *lines, f"  what to do: {advice}"]))
        self.seat, self.field, self.worlds, self.advice = seat, field, tuple(worlds), advice


class LawInterrupted(BaseException):
    """Raised in a check whose time is up; no ``Exception``, so that no game catches it."""


@contextmanager
def explain_failures(context: str) -> Iterator[None]:
    """Add ``context``, such as the case and the seed, to the message of every error in the body of the ``with``."""
    try:
        yield
    except AssertionError as error:
        error.args = (f"{context}: {error}",)
        raise
    except Exception as error:
        error.add_note(f"{context}: the game raised this error")
        raise


def call_with_limit(game: AnyGame, seconds: float, check: Callable[[], object]) -> None:
    """Call a check that calls the game, for at most ``seconds``.

    Raises ``LawFailure`` that names the callable of the game in which most of the time was spent. A call that never
    returns is interrupted, unless it waits outside Python.
    """
    clock = _Clock(game, seconds)
    clock.start()
    try:
        try:
            check()
        finally:
            clock.stop()
    except LawInterrupted:
        assert clock.is_over
    if clock.is_over:
        raise LawFailure(
            f"the time limit of {seconds:g} s is over: {clock.describe_slowest()}",
            advice="make this call end sooner, or raise `seconds` of the test class if the session is only long",
            field=clock.find_slowest(),
        )


class _Clock(threading.Thread):
    """Thread that watches the thread which created it, and interrupts it once the time is up."""

    def __init__(self, game: AnyGame, seconds: float) -> None:
        super().__init__(daemon=True, name="time limit of a law")
        self._seconds: Final = seconds
        self._watched: Final = threading.get_ident()
        self._modules: Final = _list_modules(game)
        self._calls: Counter[str] = Counter()
        """Number of samples by the callable of the game that ran."""
        self._places: dict[str, str] = {}
        """Where each callable was seen last: the function that it had called, file and line."""
        self._ended: Final = threading.Event()
        self._lock: Final = threading.Lock()
        self.is_over = False

    def run(self) -> None:
        for _ in range(max(round(self._seconds / SAMPLING_INTERVAL), 1)):
            if self._ended.wait(SAMPLING_INTERVAL):
                return
            self._sample()
        with self._lock:
            if not self._ended.is_set():
                self.is_over = True
                raise_in_thread(self._watched, LawInterrupted)

    def stop(self) -> None:
        """Stop watching, in the thread that is watched; no interruption arrives there after the return."""
        with self._lock:
            self._ended.set()
            if self.is_over:
                absorb_interruption(LawInterrupted)

    def find_slowest(self) -> str:
        """Return the name of the callable in which most of the time was spent; empty if it was not in the game."""
        return self._calls.most_common(1)[0][0] if self._calls else ""

    def describe_slowest(self) -> str:
        """Return a sentence with the callable in which most of the time was spent."""
        name = self.find_slowest()
        if not name:
            return "the check itself is slow, perhaps because a session has very many events"
        return f"most of it was spent in {name}, last seen at {self._places[name]}"

    def _sample(self) -> None:
        calls = list(_iter_game_calls(sys._current_frames().get(self._watched), self._modules))
        if calls:
            name = calls[-1].f_code.co_qualname
            self._calls[name] += 1
            code, line = calls[0].f_code, calls[0].f_lineno
            inner = f"{code.co_qualname}, " if len(calls) > 1 else ""
            self._places[name] = f"{inner}{Path(code.co_filename).name}, line {line}"


def _list_modules(game: AnyGame) -> frozenset[str]:
    """Return the names of the modules that contain code of the game."""
    parts = [game.options, game.view, type(game), game.start, game.imagine, game.scene, game.narrate, *game.actions]
    modules = {str(getattr(part, "__module__", "")) for part in parts}
    return frozenset(name for name in modules if not name.startswith("cardtable.engine"))


def _iter_game_calls(frame: FrameType | None, modules: frozenset[str]) -> Iterator[FrameType]:
    """Yield the frames of a stack that run code of the game, the innermost first."""
    while frame is not None:
        if frame.f_globals.get("__name__") in modules:
            yield frame
        frame = frame.f_back
