"""Check of games of other packages, and the wrapper that converts their exceptions into one kind of error.

The facts of a ``GAME`` are checked before the program uses it, since every list of games shows them. Values and results
of its functions have to be of the annotated types.
"""

from abc import ABCMeta, update_abstractmethods
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import is_dataclass
from functools import partial
from inspect import get_annotations
from random import Random
from traceback import walk_tb
from types import FunctionType, MappingProxyType, ModuleType, NoneType
from typing import (
    Final,
    NamedTuple,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from cardtable.engine import value_checks
from cardtable.engine.cards import card
from cardtable.engine.errors import INTERRUPTIONS, CardtableError, GameFailed, GameFault, format_exception_text
from cardtable.engine.faces import Faces, Noun
from cardtable.engine.game import MAX_SEATS, Action, AnyGame, Event, Game, GameInfo, Score, Seat, State, View
from cardtable.engine.options import Options, list_choices
from cardtable.engine.text_format import sanitize
from cardtable.engine.value_checks import WrongReturnValue, find_wrong_fact, name_type

P = ParamSpec("P")
T = TypeVar("T")
ErrorFactory: TypeAlias = Callable[[BaseException], CardtableError]
"""Function that converts an exception of a game into an error for the user."""


class CallFunction(Protocol):
    """Function that calls another one, such as within a time limit."""

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of ``function`` with these arguments."""


def call_directly(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    return function(*args, **kwargs)


def locate_error(error: BaseException, module: str) -> str | None:
    """Return file name and line number of the innermost traceback frame in the top-level package of ``module``.

    Returns ``None`` if no frame is in that package.
    """
    package = module.partition(".")[0]
    package_frames = [
        (frame, line)
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).partition(".")[0] == package
    ]
    if not package_frames:
        return None
    frame, line = package_frames[-1]
    return _format_location(frame.f_code.co_filename, line)


def _locate_syntax_error(error: BaseException) -> str | None:
    """Return file name and line number of invalid Python; ``None`` for any other error."""
    if not isinstance(error, SyntaxError) or error.filename is None:
        return None
    return _format_location(error.filename, error.lineno or 1)


def _format_location(path: str, line: int) -> str:
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
    location = locate_error(error, module) or _locate_syntax_error(error)
    kind, text = type(error).__name__, format_exception_text(error)
    fault = text if isinstance(error, GameFault) else f"{kind}: {text}" if with_text and text else kind
    reason = describe_missing_attribute(error, module) or f"{fault}{f' in {location}' if location else ''}"
    return GameFailed(f"{title} ({package}) has failed: {reason}; its sessions stay saved until its package is fixed")


_SCORE_KINDS: Final = (Score, NoneType)


def _check_flags(name: str, flags: tuple[bool, ...], seats: int) -> tuple[bool, ...]:
    """Return flags by seat, or none. Raises ``WrongReturnValue`` for any other value."""
    _check_type(name, flags, tuple[bool, ...])
    if len(flags) not in (0, seats):
        raise WrongReturnValue(f"{name} is not by seat")
    return flags


def _check_type(name: str, value: object, annotation: object) -> None:
    """Raise ``WrongReturnValue`` if the function ``name`` has returned a value of another type than its annotation."""
    if wrong := value_checks.find_wrong_value(name, value, annotation):
        raise WrongReturnValue("{} gives {}".format(*wrong))


_known_action_types: Final[set[type]] = set()
"""Types of actions that were checked before; searches list legal actions very often."""


def _check_legal(actions: Sequence[Action], *, is_on_turn: bool) -> Sequence[Action]:
    """Return the legal actions of a seat. Raises ``WrongReturnValue`` if there are none, or things that are none."""
    if not (isinstance(actions, tuple | list) and _known_action_types.issuperset(map(type, actions))):
        _check_type("legal", actions, Sequence[Action])
        _known_action_types.update(map(type, actions))
    if is_on_turn and not actions:
        raise WrongReturnValue("legal gives nothing")
    return actions


def _check_facts(part: object, base: type, prefix: str) -> None:
    """Raise ``WrongReturnValue`` if an attribute is of another type than ``base`` annotates."""
    if wrong := value_checks.find_wrong_fact(part, base, prefix):
        raise WrongReturnValue("{} is {}".format(*wrong))


def list_overridable_methods(base: type) -> dict[str, object]:
    """Return the annotated results of the methods that a subclass of ``base`` may override, by name."""
    return {
        name: get_type_hints(method)["return"]
        for name, method in vars(base).items()
        if isinstance(method, FunctionType) and name[0] != "_" and not hasattr(method, "__final__")
    }


class _Guard(NamedTuple):
    """Way in which the code of a game is called."""

    make_error: ErrorFactory
    call: CallFunction

    def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a function of the game.

        Raises only errors that ``make_error`` returns; a ``CardtableError`` passes unchanged.
        """
        try:
            return self.call(function, *args, **kwargs)
        except (CardtableError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise self.make_error(error) from error

    def wrap(
        self, name: str, function: Callable[P, T], result: object, check: Callable[..., None] | None = None
    ) -> Callable[P, T]:
        """Return the function with a check of its annotated result, which is made a tuple if it is to be iterated over.

        ``check`` gets a result of the right type, and the arguments.
        """
        has_right_type, is_iterable = value_checks.make_check(result), get_origin(result) is Iterable

        def compute(*args: P.args, **kwargs: P.kwargs) -> T:
            value = function(*args, **kwargs)
            if is_iterable and isinstance(value, Iterator):
                value = tuple(value)  # type: ignore[assignment]  # iterable as well
            if not has_right_type(value):
                _check_type(name, value, result)
            if check:
                check(value, *args, **kwargs)
            return value

        def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
            return self.run(compute, *args, **kwargs)

        return guarded

    def wrap_methods(
        self,
        base: type,
        part: T,
        prefix: str = "",
        *,
        replaced: Mapping[str, Callable[..., object]] = MappingProxyType({}),
        checks: Mapping[str, Callable[..., None]] = MappingProxyType({}),
    ) -> T:
        """Return an object of the class ``base`` with the facts and the wrapped methods of ``part``.

        ``prefix``: what precedes the name of a method in an error. ``replaced``: functions in the place of methods of
        ``part``. ``checks``: further checks of results, as of ``wrap``. All are by name of the method.
        """
        methods = {
            name: self.wrap(prefix + name, replaced.get(name) or getattr(part, name), result, checks.get(name))
            for name, result in list_overridable_methods(base).items()
        }
        kind = type(base)(base.__name__, (base,), {name: staticmethod(method) for name, method in methods.items()})
        guarded: T = kind()
        vars(guarded).update({fact: getattr(part, fact) for fact in get_annotations(base)})
        return guarded


def guard_part(name: str, part: T, kind: object, make_error: ErrorFactory, call: CallFunction) -> T:
    """Return a part of a game of the annotated type ``kind``, with the functions in its fields or its methods wrapped.

    They raise only errors that ``make_error`` returns, also if they return a value of another type than the annotation
    says; a ``CardtableError`` passes unchanged. ``call`` calls each function. Raises such an error at once if the part,
    or a field of it, is not of its annotated type.
    """
    guard = _Guard(make_error, call)
    return guard.run(_wrap_part, guard, name, part, kind)


def _wrap_part(guard: _Guard, name: str, part: T, kind: object) -> T:
    if wrong := value_checks.find_wrong_value(name, part, kind):
        raise WrongReturnValue("{} is {}".format(*wrong))
    if isinstance(kind, ABCMeta):
        _check_facts(part, kind, f"{name}.")
        return guard.wrap_methods(kind, part, f"{name}.")
    if isinstance(part, msgspec.Struct):
        hints = get_type_hints(type(part))
        functions = {
            field: guard.wrap(f"{name}.{field}", value, _find_result_type(hints[field]))
            for field, value in msgspec.structs.asdict(part).items()
            if callable(value)
        }
        return msgspec.structs.replace(part, **functions)
    return part


def _find_result_type(annotation: object) -> object:
    """Return the annotated result of a function, which may be one of several annotated types."""
    if get_origin(annotation) is Callable:
        return get_args(annotation)[-1]
    return next(
        (_find_result_type(argument) for argument in get_args(annotation) if get_origin(argument) is Callable), object
    )


def guard_game(game: AnyGame, make_error: ErrorFactory, call: CallFunction = call_directly) -> AnyGame:
    """Wrap a game so that all its methods and states raise only errors that ``make_error`` returns.

    A ``CardtableError`` passes unchanged. ``call`` calls each method of the game, such as within a time limit.
    """
    guard = _Guard(make_error, call)

    def start(seats: int, options: Options) -> State[View]:
        return _GuardedState.wrap("start", game.start(seats, options), guard, len(game.columns))

    def imagine(view: View, rng: Random) -> State[View]:
        return _GuardedState.wrap("imagine", game.imagine(view, rng), guard, len(game.columns))

    checks = {name: partial(_check_at_table, check) for name, check in value_checks.CHECKS.items()}
    return guard.wrap_methods(
        Game,
        game,
        replaced={"start": start, "imagine": imagine},
        checks={**checks, "forced_silent_action": _check_forced_action},
    )


def _check_at_table(check: Callable[..., None], value: object, *args: object) -> None:
    """Check a result of a method whose arguments have a view or the number of seats; ``None`` is not checked."""
    seats = [len(arg.totals) if isinstance(arg, View) else arg for arg in args if isinstance(arg, View | int)]
    if value is not None and seats:
        check(value, seats[0])


def _check_forced_action(action: Action | None, view: View) -> None:
    if not (action is None or action in view.legal):
        raise WrongReturnValue("forced_silent_action gives an action that is not legal")


class _GuardedState(State[View]):
    """Proxy for a state of a wrapped game. The methods that are not defined here are set by ``_forward_methods``."""

    def __init__(self, state: State[View], guard: _Guard, columns: int, checked_score: Score | None = None) -> None:
        """``columns``: number of columns in the score sheet of the game."""
        self._state: Final = state
        self._guard: Final = guard
        self._columns: Final = columns
        self._checked_score = checked_score
        self._update_fields()

    @classmethod
    def wrap(cls, name: str, state: object, guard: _Guard, columns: int, score: Score | None = None) -> Self:
        """Return the proxy of a state that the function ``name`` has returned."""
        if not isinstance(state, State):
            raise WrongReturnValue(f"{name} gives {name_type(state)}")
        return cls(state, guard, columns, score)

    def _update_fields(self) -> None:
        """Copy the fields of the state. Raises ``WrongReturnValue`` or ``AttributeError`` if one is not valid."""
        state = self._state
        # searches apply events very often
        is_usual = type(state.turn) is type(state.round) is type(state.finished) is int and type(state.totals) is tuple
        if not (is_usual and isinstance(state.score, _SCORE_KINDS)):
            _check_facts(state, State, "the state's ")
        if state.score is not None and state.score is not self._checked_score:
            value_checks.check_score(state.score, len(state.totals), self._columns)
            self._checked_score = state.score
        self.options, self.turn, self.round, self.finished = state.options, state.turn, state.round, state.finished
        self.playing, self.totals, self.score = state.playing, state.totals, state.score

    @property
    def choosing(self) -> tuple[bool, ...]:
        return self._guard.run(lambda: _check_flags("choosing", self._state.choosing, len(self.totals)))

    @property
    def chosen(self) -> tuple[bool, ...]:
        return self._guard.run(self._get_chosen)

    def _get_chosen(self) -> tuple[bool, ...]:
        chosen = _check_flags("chosen", self._state.chosen, len(self.totals))
        if any(chosen) and not any(self._state.choosing):
            raise WrongReturnValue("chosen is still set although no seat has to choose")
        return chosen

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
            self._update_fields()
        except (CardtableError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise self._guard.make_error(error) from error

    def forfeit(self, seat: Seat) -> None:
        try:
            self._guard.call(self._state.forfeit, seat)
            self._update_fields()
        except (ValueError, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise self._guard.make_error(error) from error

    def copy(self) -> Self:
        return self._guard.run(self._copy)

    def _copy(self) -> Self:
        return self.wrap("copy", self._state.copy(), self._guard, self._columns, self._checked_score)

    def view(self, seat: Seat) -> View:
        return self._guard.run(self._get_view, seat)

    def _get_view(self, seat: Seat) -> View:
        view = self._state.view(seat)
        _check_type("view", view, View)
        _check_facts(view, View, "the view's ")
        _check_legal(view.legal, is_on_turn=seat == self.turn)
        return view


def _make_forwarding_method(name: str, result: object) -> Callable[..., object]:
    """Return a method that calls the method ``name`` of the state, which changes the state if it returns nothing."""
    has_right_type, changes_state = value_checks.make_check(result), result is NoneType

    def call(proxy: _GuardedState, args: tuple[object, ...]) -> object:
        value = getattr(proxy._state, name)(*args)
        if not has_right_type(value):
            _check_type(name, value, result)
        if changes_state:
            proxy._update_fields()
        return value

    def forward(self: _GuardedState, *args: object) -> object:
        return self._guard.run(call, self, args)

    return forward


def _forward_methods(proxy: type) -> None:
    """Set the methods of ``State`` that the class of the proxy does not define."""
    for name, result in list_overridable_methods(State).items():
        if name not in vars(proxy):
            setattr(proxy, name, _make_forwarding_method(name, result))
    update_abstractmethods(proxy)


_forward_methods(_GuardedState)


_EMBLEM_CARDS: Final = 3
_MAX_TITLE_LENGTH: Final = 40
_MAX_TEXT_LENGTH: Final = 200
_MAX_COLUMN_LENGTH: Final = 30


def check_game(game: AnyGame) -> AnyGame:
    """Return a copy of the game with facts that can be shown.

    Raises ``GameFault`` with the first member whose value cannot be used.
    """
    for name, base in (("options", Options), ("view", View)):
        kind: object = getattr(game, name, None)
        if not (isinstance(kind, type) and issubclass(kind, base)):
            raise GameFault(f"its {name} cannot be used: it has to derive from {base.__name__}")
    if wrong := find_wrong_fact(game, Game):
        raise GameFault("its {} is {}".format(*wrong))
    options: type = game.options
    if not is_dataclass(options) or not all(choice.values for choice in list_choices(game.options)):
        raise GameFault("its options are not a frozen dataclass of choices")
    for action in game.actions:
        _check_words(action)
    for name in list_overridable_methods(Game):
        if not callable(getattr(game, name)):
            raise GameFault(f"its {name} is not a function")
    checked = copy(game)
    checked.about = _check_about(game.about)
    checked.columns = tuple([sanitize(column, _MAX_COLUMN_LENGTH) for column in game.columns])
    return checked


def _check_about(facts: GameInfo) -> GameInfo:
    """Return facts with texts that can be shown. Raises ``GameFault`` if a fact cannot be used."""
    if facts.seats != tuple(sorted({*facts.seats})) or facts.usual_seats not in facts.seats or facts.seats[0] < 1:
        raise GameFault("its numbers of seats are not in ascending order, or the usual one is not among them")
    if impossible := [str(seats) for seats in facts.seats if not 2 <= seats <= MAX_SEATS]:
        raise GameFault(f"it is for {' or '.join(impossible)} players, and a table has 2 to {MAX_SEATS} seats")
    try:
        emblem = [card(name) for name in facts.emblem.split()]
    except ValueError as error:
        raise GameFault(f"its emblem is not valid: {error}") from None
    if len(emblem) != _EMBLEM_CARDS:
        raise GameFault(f"its emblem has {len(emblem)} cards, not {_EMBLEM_CARDS}")
    if not facts.title.strip():
        raise GameFault("its title is empty")
    return msgspec.structs.replace(
        facts,
        title=sanitize(facts.title, _MAX_TITLE_LENGTH),
        summary=sanitize(facts.summary, _MAX_TEXT_LENGTH),
        length=sanitize(facts.length, _MAX_TEXT_LENGTH),
        aim=sanitize(facts.aim, _MAX_TEXT_LENGTH),
        faces=_sanitize_faces(facts.faces),
    )


def _sanitize_faces(faces: Faces) -> Faces:
    if not f"{faces.signs}{faces.letters}{faces.marks}".isprintable():
        raise GameFault("the signs, letters or marks of its faces are not printable")
    suits, ranks = [
        tuple([Noun(*[sanitize(word, _MAX_COLUMN_LENGTH) for word in noun]) for noun in nouns])
        for nouns in (faces.suits, faces.ranks)
    ]
    try:
        return msgspec.structs.replace(faces, suits=suits, ranks=ranks)
    except ValueError as error:
        raise GameFault(f"its faces are not valid: {error}") from None


def _check_words(action: type[Action]) -> None:
    """Raise ``GameFault`` if an action has no kind or label that is a printable text.

    Either may be a property, whose text depends on the action.
    """
    for name in ("kind", "label"):
        text: object = getattr(action, name, None)
        is_text = isinstance(text, str) and text.isprintable() and len(text) <= _MAX_COLUMN_LENGTH
        if not (isinstance(text, property) or is_text):
            raise GameFault(f"the {name} of its action {action.__name__} is not a printable text")
