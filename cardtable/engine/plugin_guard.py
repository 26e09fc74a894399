"""Wrapper for games from other packages, which converts every exception of such a game into one kind of error."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from random import Random
from traceback import walk_tb
from types import ModuleType, NoneType, UnionType
from typing import Final, NamedTuple, ParamSpec, Protocol, Self, TypeAlias, TypeVar

import msgspec

from cardtable.engine import plugin_values
from cardtable.engine.card_order import CardOrder
from cardtable.engine.errors import INTERRUPTIONS, CardtableError, GameFailed, GameFault, format_exception_text
from cardtable.engine.game import (
    Action,
    AnyGame,
    BiddingState,
    Chance,
    Contract,
    Event,
    Mark,
    Note,
    Score,
    Seat,
    Sides,
    State,
    TrickStatus,
    View,
    Zone,
    no_feature,
    no_marks,
)
from cardtable.engine.options import Options
from cardtable.engine.plugin_values import WrongReturnValue, name_type

P = ParamSpec("P")
T = TypeVar("T")
ErrorFactory: TypeAlias = Callable[[BaseException], CardtableError]
"""Function that converts an exception of a game into an error for the user."""


class CallFunction(Protocol):
    """Function that calls another one, such as within a time limit."""

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of ``function`` with these arguments."""


def call_directly(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of ``function`` with these arguments."""
    return function(*args, **kwargs)


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
    return _format_place(frame.f_code.co_filename, line)


def _locate_syntax_error(error: BaseException) -> str | None:
    """Return file name and line number of invalid Python; ``None`` for any other error."""
    if not isinstance(error, SyntaxError) or error.filename is None:
        return None
    return _format_place(error.filename, error.lineno or 1)


def _format_place(path: str, line: int) -> str:
    return f"{path.replace(chr(92), '/').rpartition('/')[2]}, line {line}"


def describe_missing_attribute(error: BaseException, module: str) -> str | None:
    """Describe the missing attribute if ``error`` is a failed access to an attribute of a module of the same package.

    Returns ``None`` for any other error. ``module``: dotted name of a module of the package.
    """
    if not isinstance(error, AttributeError) or not isinstance(error.obj, ModuleType):
        return None
    module_name = error.obj.__name__
    return f"{module_name} has no {error.name}" if module_name.partition(".")[0] == module.partition(".")[0] else None


def create_game_failure(
    title: str, package: str, module: str, error: BaseException, *, with_text: bool = False
) -> GameFailed:
    """Return the error to show to the user after a game has raised ``error``.

    The message omits the text of the exception, because it may contain cards of a player, unless it is a ``GameFault``
    or ``with_text`` is True. ``package``: name of the distribution; ``module``: name of the game's module, in whose
    package the location of the error is looked up.
    """
    place = locate_error(error, module) or _locate_syntax_error(error)
    kind, text = type(error).__name__, format_exception_text(error)
    fault = text if isinstance(error, GameFault) else f"{kind}: {text}" if with_text and text else kind
    reason = describe_missing_attribute(error, module) or f"{fault}{f' in {place}' if place else ''}"
    return GameFailed(f"{title} ({package}) has failed: {reason}; its sessions stay saved until its package is fixed")


_RETURN_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "legal": (tuple, list, Sequence),
    "view": (View,),
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
    "start": (State,),
    "imagine": (State,),
    "copy": (State,),
    "pending_chance_type": (type,),
    "draw_chance": (Chance,),
    "tricks": (tuple, NoneType),
    "migrate_options": (Mapping,),
    "marks": (tuple,),
    "card_order": (CardOrder,),
    "choosing": (tuple,),
    "chosen": (tuple,),
}
"""Expected return types of the functions of a game and of its state."""
_ELEMENT_TYPES: Final[dict[str, type]] = {
    "legal": Action,
    "scene": Zone,
    "narrate": Note,
    "sides": tuple,
    "results": int,
    "ranks": int,
    "marks": Mark,
    "choosing": bool,
    "chosen": bool,
}
"""Types of the elements of the sequences that they return."""
_COMMON_FIELDS: Final[dict[str, type | UnionType]] = {
    "options": Options,
    "turn": int,
    "round": int,
    "finished": int,
    "totals": tuple,
}
"""Types of the fields that states and views have in common."""
_STATE_FIELDS: Final = {**_COMMON_FIELDS, "score": Score | NoneType}
_SCORE_KINDS: Final = (Score, NoneType)
_VIEW_FIELDS: Final = {**_COMMON_FIELDS, "seat": int, "legal": tuple, "hand": int, "drawn": int | NoneType}


def _check_value(name: str, value: T) -> T:
    """Return ``value``, which the function ``name`` has returned. Raises ``WrongReturnValue`` if its type is wrong."""
    if not isinstance(value, _RETURN_TYPES.get(name, (object,))):
        raise WrongReturnValue(f"{name} gives {name_type(value)}")
    if name in _ELEMENT_TYPES and isinstance(value, Sequence):
        _check_elements(name, value, _ELEMENT_TYPES[name])
    return value


def _check_elements(name: str, values: Sequence[object], kind: type) -> None:
    for type_ in {*map(type, values)}:
        if not issubclass(type_, kind):
            wrong = next(value for value in values if type(value) is type_)
            raise WrongReturnValue(f"{name} gives {name_type(wrong)} in place of {kind.__name__}")


def _check_flags(name: str, flags: tuple[bool, ...], seats: int) -> tuple[bool, ...]:
    """Return flags by seat, or none. Raises ``WrongReturnValue`` for any other value."""
    if len(_check_value(name, flags)) not in (0, seats):
        raise WrongReturnValue(f"{name} is not by seat")
    return flags


_known_action_types: Final[set[type]] = set()
"""Types of actions that were checked before; searches list legal actions very often."""


def _check_legal(actions: Sequence[Action], *, is_on_turn: bool) -> Sequence[Action]:
    """Return the legal actions of a seat. Raises ``WrongReturnValue`` if there are none, or things that are none."""
    if not isinstance(actions, tuple | list):
        _check_value("legal", actions)
    if not _known_action_types.issuperset(map(type, actions)):
        _check_elements("legal", actions, Action)
        _known_action_types.update(map(type, actions))
    if is_on_turn and not actions:
        raise WrongReturnValue("legal gives nothing")
    return actions


def _check_fields(name: str, owner: object, kinds: Mapping[str, type | UnionType]) -> None:
    for field, kind in kinds.items():
        if not isinstance(value := getattr(owner, field), kind):
            raise WrongReturnValue(f"the {name}'s {field} is {name_type(value)}")


class _Guard(NamedTuple):
    """Way in which the code of a game is called."""

    columns: int
    """Number of columns in the score sheet of the game."""
    make_error: ErrorFactory
    call: CallFunction

    def run(self, name: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of the function ``name`` of the game.

        Raises only errors that ``make_error`` returns; a ``CardtableError`` passes unchanged.
        """
        try:
            return _check_value(name, self.call(function, *args, **kwargs))
        except (CardtableError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise self.make_error(error) from error


def guard_game(game: AnyGame, make_error: ErrorFactory, call: CallFunction = call_directly) -> AnyGame:
    """Wrap a game so that all its functions and states raise only errors that ``make_error`` returns.

    A ``CardtableError`` passes unchanged. ``call`` calls each function of the game, such as within a time limit.
    """
    guard = _Guard(len(game.columns), make_error, call)

    def start(seats: int, options: Options) -> State[View]:
        return guard.run("start", lambda: _GuardedState(_check_value("start", game.start(seats, options)), guard))

    def imagine(view: View, rng: Random) -> State[View]:
        return guard.run("imagine", lambda: _GuardedState(_check_value("imagine", game.imagine(view, rng)), guard))

    def forced_silent_action(view: View) -> Action | None:
        action = _check_value("forced_silent_action", game.forced_silent_action(view))
        if not (action is None or action in view.legal):
            raise WrongReturnValue("forced_silent_action gives an action that is not legal")
        return action

    def sides(seats: int, options: Options) -> Sides:
        return plugin_values.check_sides(_check_value("sides", game.sides(seats, options)), seats)

    checked: dict[str, Callable[..., object]] = {
        "start": start,
        "imagine": imagine,
        "sides": _wrap(guard, "", sides),
        "forced_silent_action": _wrap(guard, "", forced_silent_action),
    }
    functions = {
        name: checked.get(name) or _wrap(guard, name, _check_result(name, part))
        for name, part in msgspec.structs.asdict(game).items()
        if callable(part) and name not in ("options", "view") and part not in (no_feature, no_marks)
    }
    return msgspec.structs.replace(game, **functions)


def _check_result(name: str, function: Callable[P, T]) -> Callable[P, T]:
    """Return a function of views that also checks whether its result can be shown at their table."""
    check = plugin_values.CHECKS.get(name)
    if check is None:
        return function

    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        value = _check_value(name, function(*args, **kwargs))
        views = [view for view in args if isinstance(view, View)]
        if value is not None and views:
            check(value, len(views[0].totals))
        return value

    return checked


def _wrap(guard: _Guard, name: str, function: Callable[P, T]) -> Callable[P, T]:
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        return guard.run(name, function, *args, **kwargs)

    return wrapper


class _GuardedState(State[View]):
    """Proxy for a state of a wrapped game."""

    def __init__(self, state: State[View], guard: _Guard, checked_score: Score | None = None) -> None:
        self._state: Final = state
        self._guard: Final = guard
        self._checked_score = checked_score
        self._copy_fields()

    def _copy_fields(self) -> None:
        """Copy the fields of the state. Raises ``WrongReturnValue`` or ``AttributeError`` if one is not valid."""
        state = self._state
        # searches apply events very often
        is_usual = type(state.turn) is type(state.round) is type(state.finished) is int and type(state.totals) is tuple
        if not (is_usual and isinstance(state.score, _SCORE_KINDS)):
            _check_fields("state", state, _STATE_FIELDS)
        if state.score is not None and state.score is not self._checked_score:
            plugin_values.check_score(state.score, len(state.totals), self._guard.columns)
            self._checked_score = state.score
        self.options, self.turn, self.round, self.finished = state.options, state.turn, state.round, state.finished
        self.playing, self.totals, self.score = state.playing, state.totals, state.score

    @property
    def choosing(self) -> tuple[bool, ...]:
        return self._guard.run("choosing", lambda: _check_flags("choosing", self._state.choosing, len(self.totals)))

    @property
    def chosen(self) -> tuple[bool, ...]:
        return self._guard.run("chosen", lambda: _check_flags("chosen", self._state.chosen, len(self.totals)))

    def give_turn(self, seat: Seat) -> None:
        self._guard.run("give_turn", self._change, self._state.give_turn, seat)

    def legal(self) -> Sequence[Action]:
        try:
            return _check_legal(self._guard.call(self._state.legal), is_on_turn=self.turn >= 0)
        except (CardtableError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise self._guard.make_error(error) from error

    def apply(self, event: Event) -> None:
        try:
            self._guard.call(self._state.apply, event)
            self._copy_fields()
        except (CardtableError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise self._guard.make_error(error) from error

    def _change(self, change: Callable[P, None], /, *args: P.args, **kwargs: P.kwargs) -> None:
        change(*args, **kwargs)
        self._copy_fields()

    def cancel_round(self) -> None:
        self._guard.run("cancel_round", self._change, self._state.cancel_round)

    def forfeit(self, seat: Seat) -> None:
        try:
            self._guard.call(self._change, self._state.forfeit, seat)
        except (ValueError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise self._guard.make_error(error) from error

    def pending_chance_type(self) -> type[Chance]:
        return self._guard.run("pending_chance_type", self._state.pending_chance_type)

    def draw_chance(self, rng: Random) -> Chance:
        return self._guard.run("draw_chance", self._state.draw_chance, rng)

    def is_possible_chance(self, chance: Chance) -> bool:
        return self._guard.run("is_possible_chance", self._state.is_possible_chance, chance)

    def copy(self) -> Self:
        return self._guard.run("copy", self._copy)

    def _copy(self) -> Self:
        return type(self)(_check_value("copy", self._state.copy()), self._guard, self._checked_score)

    def view(self, seat: Seat) -> View:
        return self._guard.run("view", self._get_view, seat)

    def _get_view(self, seat: Seat) -> View:
        view = _check_value("view", self._state.view(seat))
        _check_fields("view", view, _VIEW_FIELDS)
        _check_legal(view.legal, is_on_turn=seat == self.turn)
        return view

    def assert_invariants(self) -> None:
        self._guard.run("assert_invariants", self._state.assert_invariants)

    def tricks(self) -> tuple[int, ...] | None:
        return self._guard.run("tricks", self._state.tricks)

    def position_key(self) -> Hashable:
        return self._guard.run("position_key", self._state.position_key)

    def is_over_at(self, finished: int, totals: tuple[int, ...]) -> bool | None:
        return self._guard.run("is_over_at", self._state.is_over_at, finished, totals)

    def set_arrivals(self, order: tuple[Seat, ...]) -> None:
        self._guard.run("set_arrivals", self._change, self._state.set_arrivals, order)

    def results(self) -> tuple[int, ...]:
        return self._guard.run("results", self._state.results)

    def ranks(self) -> tuple[int, ...]:
        return self._guard.run("ranks", self._state.ranks)
