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
from cardtable.workers.time_limit import TimeLimit, TimeLimitExceeded


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
    """Call a check that calls the game, for at most ``seconds`` of processor time.

    Raises ``LawFailure`` that names the callable of the game in which most of the time was spent. A call that never
    returns is interrupted, unless it waits outside Python.
    """
    sampler = _Sampler(game)
    try:
        TimeLimit(seconds, sampler.sample).call(check)
    except TimeLimitExceeded:
        raise LawFailure(
            f"the time limit of {seconds:g} s is over: {sampler.describe_slowest()}",
            advice="make this call end sooner, or raise `seconds` of the test class if the session is only long",
            field=sampler.find_slowest(),
        ) from None


class _Sampler:
    """Samples of what this thread is calling, which another thread takes."""

    def __init__(self, game: AnyGame) -> None:
        self._watched: Final = threading.get_ident()
        self._modules: Final = _list_modules(game)
        self._calls: Counter[str] = Counter()
        """Number of samples by the callable of the game that ran."""
        self._places: dict[str, str] = {}
        """Where each callable was seen last: the function that it had called, file and line."""

    def find_slowest(self) -> str:
        """Return the name of the callable in which most of the time was spent; empty if it was not in the game."""
        return self._calls.most_common(1)[0][0] if self._calls else ""

    def describe_slowest(self) -> str:
        """Return a sentence with the callable in which most of the time was spent."""
        name = self.find_slowest()
        if not name:
            return "the check itself is slow, perhaps because a session has very many events"
        return f"most of it was spent in {name}, last seen at {self._places[name]}"

    def sample(self) -> None:
        """Note what the thread is calling now."""
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
