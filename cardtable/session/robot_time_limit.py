"""Time limit of robots' moves in games of other packages, and what is played if a robot exceeds it."""

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action
from cardtable.games import KEYS, format_plugin_name
from cardtable.store.seating import DEFAULT_LEVEL
from cardtable.workers import time_limit
from cardtable.workers.time_limit import TimeLimit, TimeLimitExceeded

if TYPE_CHECKING:
    from cardtable.robots.worker import ChooseRequest


class StandInChosen(CardtableError):
    """A robot has exceeded the time limit of a move; the message names its package."""

    def __init__(self, reason: str, action: Action) -> None:
        super().__init__(reason)
        self.action = action
        """Legal action that is played in its place."""


class LateRobots:
    """Robots that have exceeded the limit; they are not asked again in the same session."""

    def __init__(self) -> None:
        self._late: set[tuple[str, int, str]] = set()
        """Game, seed of the session and level of each."""

    def iter_attempts(self, request: "ChooseRequest") -> "Iterator[ChooseRequest]":
        """Yield the request, and one to the default level; those to late robots are left out."""
        for level in dict.fromkeys((request.level, DEFAULT_LEVEL)):
            if (request.game, request.seed, level) not in self._late:
                yield replace(request, level=level)

    def add(self, request: "ChooseRequest") -> None:
        self._late.add((request.game, request.seed, request.level))


class LocalRobots:
    """Robots that choose in this process, each within the time limit."""

    def __init__(self) -> None:
        self._late_robots = LateRobots()

    def choose(self, request: "ChooseRequest") -> Action:
        """Return the action of the robot that sees ``request.view``.

        Raises ``StandInChosen`` if a game of another package exceeds the time limit.
        """
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup

        if request.game in KEYS:
            return worker.choose(request)
        action, level, is_late = None, None, False
        limit = TimeLimit()
        for attempt in self._late_robots.iter_attempts(request):
            try:
                action, level = limit.call(worker.choose, attempt), attempt.level
                break
            except TimeLimitExceeded:
                self._late_robots.add(attempt)
                is_late = True
            except Exception:
                if attempt == request:
                    raise
        action = action or choose_at_random(request)
        if is_late:
            raise create_notice(request, action, level)
        return action


def choose_at_random(request: "ChooseRequest") -> Action:
    """Return a legal action, always the same for the same request."""
    return Random(f"stand-in {request.seed} {request.decisions}").choice(request.view.legal)


def create_notice(request: "ChooseRequest", action: Action, level: str | None) -> StandInChosen:
    """Return the notice that the robot of ``request`` has exceeded the limit.

    ``level``: level of the robot that has chosen ``action`` in its place; ``None`` if it was chosen at random.
    """
    chooser = f"a robot of level {level} has chosen" if level else "a legal move was chosen at random"
    return StandInChosen(f"{format_late(request.game, 'move')}; {chooser}", action)


def format_late(game: str, answer: str) -> str:
    """Return, say, ``Hearts (cardtable-hearts 1.0) gave no move within 10 seconds``; ``game`` is the key."""
    return f"{format_plugin_name(game)} gave no {answer} within {time_limit.LIMIT_SECONDS:g} seconds"
