"""Wrapper for games from other packages, which converts every exception of such a game into one kind of error."""

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
    no_card_text,
    no_feature,
)
from cardtable.engine.options import Options

P = ParamSpec("P")
T = TypeVar("T")
ErrorFactory: TypeAlias = Callable[[Exception], CardtableError]
"""Function that converts an exception of a game into an error for the user."""


def locate_error(error: BaseException, module: str) -> str | None:
    """Return file name and line number of the innermost traceback frame in the top-level package of ``module``.

    Returns ``None`` if no frame is in that package.
    """
    package = module.partition(".")[0]
    frames = [(frame, line) for frame, line in walk_tb(error.__traceback__)]
    package_frames = [
        (frame, line) for frame, line in frames if str(frame.f_globals.get("__name__")).partition(".")[0] == package
    ]
    if not package_frames:
        return None
    frame, line = package_frames[-1]
    return f"{frame.f_code.co_filename.replace(chr(92), '/').rpartition('/')[2]}, line {line}"


def describe_missing_attribute(error: BaseException, module: str) -> str | None:
    """Describe the missing attribute if ``error`` is a failed access to an attribute of a module of the same package.

    Returns ``None`` for any other error. ``module``: dotted name of a module of the package.
    """
    if not isinstance(error, AttributeError) or not isinstance(error.obj, ModuleType):
        return None
    module_name = error.obj.__name__
    return f"{module_name} has no {error.name}" if module_name.partition(".")[0] == module.partition(".")[0] else None


def create_game_failure(title: str, package: str, module: str, error: Exception) -> GameFailed:
    """Return the error to show to the user after a game has raised ``error``.

    The message omits the text of the exception, because it may contain cards of a player. ``package``: name of the
    distribution; ``module``: name of the game's module, in whose package the location of the error is looked up.
    """
    place = locate_error(error, module)
    raised = f"{type(error).__name__}{f' in {place}' if place else ''}"
    why = str(error) if isinstance(error, _WrongReturnValue) else describe_missing_attribute(error, module) or raised
    return GameFailed(f"{title} ({package}) has failed: {why}; its sessions stay saved until its package is fixed")


class _WrongReturnValue(Exception):
    """A function of a game has returned a value of a wrong type; the message mentions no cards."""


def _check_type(name: str, value: T, kinds: tuple[type, ...]) -> T:
    """Return ``value`` unchanged. Raises ``_WrongReturnValue`` if it is not an instance of one of ``kinds``."""
    if not isinstance(value, kinds):
        raise _WrongReturnValue(f"{name} gives {'nothing' if value is None else type(value).__name__}")
    return value


_RETURN_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "scene": (tuple,),
    "explain_illegal": (str,),
    "narrate": (tuple,),
    "sides": (tuple,),
    "forced_silent_action": (Action, NoneType),
    "trick": (TrickStatus, NoneType),
    "bids": (BiddingState, NoneType),
    "contract": (Contract, NoneType),
    "dealer_or_declarer": (tuple, NoneType),
    "mandatory_card": (int, NoneType),
    "explain_card": (str, NoneType),
    "timed_out": (int, NoneType),
    "results": (tuple,),
    "ranks": (tuple,),
}
"""Expected return types of the functions of a game and of its state."""


def guard_game(game: AnyGame, make_error: ErrorFactory) -> AnyGame:
    """Wrap a game so that all its functions and states raise only errors that ``make_error`` returns.

    A ``CardtableError`` passes unchanged.
    """

    def start(seats: int, options: Options) -> State[View]:
        return _GuardedState(game.start(seats, options), make_error)

    def imagine(view: View, rng: Random) -> State[View]:
        return _GuardedState(game.imagine(view, rng), make_error)

    functions = {
        name: _wrap(part, make_error, name)
        for name, part in msgspec.structs.asdict(game).items()
        if callable(part) and not isinstance(part, type) and part not in (no_feature, no_card_text)
    }
    return msgspec.structs.replace(
        game, **functions | {"start": _wrap(start, make_error), "imagine": _wrap(imagine, make_error)}
    )


def _wrap(function: Callable[P, T], make_error: ErrorFactory, name: str = "") -> Callable[P, T]:
    kinds = _RETURN_TYPES.get(name, (object,))

    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return _check_type(name, function(*args, **kwargs), kinds)
        except CardtableError:
            raise
        except Exception as error:
            raise make_error(error) from error

    return wrapper


class _GuardedState(State[View]):
    """Proxy for a state of a wrapped game."""

    def __init__(self, state: State[View], make_error: ErrorFactory) -> None:
        self._state: Final = state
        self._make_error: Final = make_error
        self._copy_fields()

    def _copy_fields(self) -> None:
        state = self._state
        self.options, self.turn, self.round, self.finished = state.options, state.turn, state.round, state.finished
        self.playing, self.totals, self.score = state.playing, state.totals, state.score

    def legal(self) -> Sequence[Action]:
        try:
            actions = _check_type("legal", self._state.legal(), (tuple, list, Sequence))
            if not actions and self.turn >= 0:
                raise _WrongReturnValue("legal gives nothing")
            return actions
        except Exception as error:
            raise self._make_error(error) from error

    def apply(self, event: Event) -> None:
        try:
            self._state.apply(event)
            self._copy_fields()
        except Exception as error:
            raise self._make_error(error) from error

    def cancel_round(self) -> None:
        _wrap(self._state.cancel_round, self._make_error)()
        self._copy_fields()

    def forfeit(self, seat: Seat) -> None:
        try:
            self._state.forfeit(seat)
            self._copy_fields()
        except ValueError:
            raise
        except Exception as error:
            raise self._make_error(error) from error

    def pending_chance_type(self) -> type[Chance]:
        return _wrap(self._state.pending_chance_type, self._make_error)()

    def draw_chance(self, rng: Random) -> Chance:
        return _wrap(self._state.draw_chance, self._make_error)(rng)

    def is_possible_chance(self, chance: Chance) -> bool:
        return _wrap(self._state.is_possible_chance, self._make_error)(chance)

    def copy(self) -> Self:
        try:
            return type(self)(self._state.copy(), self._make_error)
        except Exception as error:
            raise self._make_error(error) from error

    def view(self, seat: Seat) -> View:
        try:
            view = _check_type("view", self._state.view(seat), (View,))
            if not view.legal and seat == self.turn:
                raise _WrongReturnValue("legal gives nothing")
            return view
        except Exception as error:
            raise self._make_error(error) from error

    def assert_invariants(self) -> None:
        _wrap(self._state.assert_invariants, self._make_error)()

    def tricks(self) -> tuple[int, ...] | None:
        return _wrap(self._state.tricks, self._make_error)()

    def position_key(self) -> Hashable:
        return _wrap(self._state.position_key, self._make_error)()

    def is_over_at(self, finished: int, totals: tuple[int, ...]) -> bool | None:
        return _wrap(self._state.is_over_at, self._make_error)(finished, totals)

    def results(self) -> tuple[int, ...]:
        return _wrap(self._state.results, self._make_error, "results")()

    def ranks(self) -> tuple[int, ...]:
        return _wrap(self._state.ranks, self._make_error, "ranks")()
