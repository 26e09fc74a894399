"""A game from another package: whatever it raises is told as its failure, in one kind of error."""

from collections.abc import Callable, Hashable, Sequence
from random import Random
from traceback import walk_tb
from types import ModuleType, NoneType
from typing import Final, ParamSpec, Self, TypeAlias, TypeVar

import msgspec

from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import (
    Action,
    AnyGame,
    BiddingState,
    Chance,
    Contract,
    Event,
    Seat,
    State,
    TrickStatus,
    View,
    no_feature,
)
from cardtable.engine.options import Options

P = ParamSpec("P")
T = TypeVar("T")
Failed: TypeAlias = Callable[[Exception], CardtableError]
"""What is said of something that was raised."""


def where(error: BaseException, module: str) -> str | None:
    """The last place in a package where an error went through: its file's name and line; ``None`` if it did not."""
    package = module.partition(".")[0]
    frames = [(frame, line) for frame, line in walk_tb(error.__traceback__)]
    own = [(frame, line) for frame, line in frames if str(frame.f_globals.get("__name__")).partition(".")[0] == package]
    if not own:
        return None
    frame, line = own[-1]
    return f"{frame.f_code.co_filename.replace(chr(92), '/').rpartition('/')[2]}, line {line}"


def lacking(error: BaseException, module: str) -> str | None:
    """What a module of a package was asked for and does not have; ``None`` if the error is another."""
    if not isinstance(error, AttributeError) or not isinstance(error.obj, ModuleType):
        return None
    asked = error.obj.__name__
    return f"{asked} has no {error.name}" if asked.partition(".")[0] == module.partition(".")[0] else None


def failure(title: str, package: str, module: str, error: Exception) -> GameFailed:
    """What is said of a game that has raised an error: not its words, in which may be somebody's cards."""
    place = where(error, module)
    raised = f"{type(error).__name__}{f' in {place}' if place else ''}"
    why = str(error) if isinstance(error, _Wrong) else lacking(error, module) or raised
    return GameFailed(f"{title} ({package}) has failed: {why}; all is kept until its package is mended")


class _Wrong(Exception):
    """A game gives something that is none of what it has to; which, in words without cards."""


def _fit(name: str, given: T, kinds: tuple[type, ...]) -> T:
    """The same.  Raises ``_Wrong`` if it is none of those kinds."""
    if not isinstance(given, kinds):
        raise _Wrong(f"{name} gives {'nothing' if given is None else type(given).__name__}")
    return given


_GIVES: Final[dict[str, tuple[type, ...]]] = {
    "scene": (tuple,),
    "why_not": (str,),
    "narrate": (tuple,),
    "sides": (tuple,),
    "silent": (Action, NoneType),
    "trick": (TrickStatus, NoneType),
    "bids": (BiddingState, NoneType),
    "contract": (Contract, NoneType),
    "begun_by": (tuple, NoneType),
    "must": (int, NoneType),
    "timed_out": (int, NoneType),
    "results": (tuple,),
    "ranks": (tuple,),
}
"""What the functions of a game and of its sessions give."""


def guarded(game: AnyGame, failed: Failed) -> AnyGame:
    """The same game, which raises nothing but what ``failed`` makes of it."""

    def start(seats: int, options: Options) -> State[View]:
        return _GuardedState(game.start(seats, options), failed)

    def imagine(view: View, rng: Random) -> State[View]:
        return _GuardedState(game.imagine(view, rng), failed)

    functions = {
        name: _tried(part, failed, name)
        for name, part in msgspec.structs.asdict(game).items()
        if callable(part) and not isinstance(part, type) and part is not no_feature
    }
    return msgspec.structs.replace(
        game, **functions | {"start": _tried(start, failed), "imagine": _tried(imagine, failed)}
    )


def _tried(function: Callable[P, T], failed: Failed, name: str = "") -> Callable[P, T]:
    kinds = _GIVES.get(name, (object,))

    def tried(*told: P.args, **named: P.kwargs) -> T:
        try:
            return _fit(name, function(*told, **named), kinds)
        except CardtableError:
            raise
        except Exception as error:
            raise failed(error) from error

    return tried


class _GuardedState(State[View]):
    """A session of such a game."""

    def __init__(self, state: State[View], failed: Failed) -> None:
        self._state: Final = state
        self._failed: Final = failed
        self._stands()

    def _stands(self) -> None:
        state = self._state
        self.options, self.turn, self.round, self.finished = state.options, state.turn, state.round, state.finished
        self.playing, self.totals, self.score = state.playing, state.totals, state.score

    def legal(self) -> Sequence[Action]:
        try:
            found = _fit("legal", self._state.legal(), (tuple, list, Sequence))
            if not found and self.turn >= 0:
                raise _Wrong("legal gives nothing")
            return found
        except Exception as error:
            raise self._failed(error) from error

    def apply(self, event: Event) -> None:
        try:
            self._state.apply(event)
            self._stands()
        except Exception as error:
            raise self._failed(error) from error

    def cancel_round(self) -> None:
        _tried(self._state.cancel_round, self._failed)()
        self._stands()

    def forfeit(self, seat: Seat) -> None:
        try:
            self._state.forfeit(seat)
            self._stands()
        except ValueError:
            raise
        except Exception as error:
            raise self._failed(error) from error

    def pending_chance_type(self) -> type[Chance]:
        return _tried(self._state.pending_chance_type, self._failed)()

    def draw_chance(self, rng: Random) -> Chance:
        return _tried(self._state.draw_chance, self._failed)(rng)

    def is_possible_chance(self, chance: Chance) -> bool:
        return _tried(self._state.is_possible_chance, self._failed)(chance)

    def copy(self) -> Self:
        try:
            return type(self)(self._state.copy(), self._failed)
        except Exception as error:
            raise self._failed(error) from error

    def view(self, seat: Seat) -> View:
        try:
            view = _fit("view", self._state.view(seat), (View,))
            if not view.legal and seat == self.turn:
                raise _Wrong("legal gives nothing")
            return view
        except Exception as error:
            raise self._failed(error) from error

    def assert_invariants(self) -> None:
        _tried(self._state.assert_invariants, self._failed)()

    def tricks(self) -> tuple[int, ...] | None:
        return _tried(self._state.tricks, self._failed)()

    def position_key(self) -> Hashable:
        return _tried(self._state.position_key, self._failed)()

    def is_over_at(self, finished: int, totals: tuple[int, ...]) -> bool | None:
        return _tried(self._state.is_over_at, self._failed)(finished, totals)

    def results(self) -> tuple[int, ...]:
        return _tried(self._state.results, self._failed, "results")()

    def ranks(self) -> tuple[int, ...]:
        return _tried(self._state.ranks, self._failed, "ranks")()
