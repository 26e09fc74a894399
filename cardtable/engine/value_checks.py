"""Checks of values from outside: what functions of games of other packages return, and what other programs send.

The types of values and of their contents have to be those of the annotations. Seats, cards and numbers have to be such
that a table can have them. Views of other programs come as JSON, for which there is a codec.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, partial, reduce
from inspect import isabstract
from operator import attrgetter, or_
from types import NoneType, UnionType
from typing import Any, Final, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import asdict, fields

from cardtable.engine.annotations import CARD_SET, OMITTED, SEAT_NUMBER, CountOf, OneOf, split_annotations
from cardtable.engine.cards import CARDS, NAME, RANKS, SUITS, Card
from cardtable.engine.errors import GameFault
from cardtable.engine.game import (
    MAX_MARK_NUMBER,
    OVER,
    Action,
    AnyGame,
    BiddingState,
    Bonus,
    CardsTitle,
    Contract,
    EndingTitle,
    HighTitle,
    Mark,
    Note,
    Score,
    Seat,
    Sides,
    State,
    TrickStatus,
    View,
    Zone,
)
from cardtable.engine.log_entries import AnyNote
from cardtable.engine.options import Options

Check: TypeAlias = Callable[[object], bool]
_UNCHECKED_INSIDE: Final = (Action, State, View)
"""Types whose fields are not checked, since their values come from the wrapped game."""
MAX_NUMBER: Final = 10**9
"""Maximum absolute value of a number of a game."""


class WrongReturnValue(GameFault):
    """A function of a game has returned a value of a wrong type, or one that no table can have."""


def _is_number(value: object, low: int = -MAX_NUMBER, high: int = MAX_NUMBER) -> bool:
    return type(value) is int and low <= value <= high


def _is_seat(value: object, seats: int) -> bool:
    return _is_number(value, 0, seats - 1)


def is_card(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < len(NAME)


def _is_suit(value: object) -> bool:
    return value is None or _is_number(value, 0, len(SUITS) - 1)


def _are_numbers(values: object, length: int) -> bool:
    return isinstance(values, tuple) and len(values) == length and all(map(_is_number, values))


def _is_tuple(value: object, length: int | None = None) -> bool:
    return isinstance(value, tuple) and length in (None, len(value))


def _require(condition: object, text: str) -> None:
    if not condition:
        raise WrongReturnValue(text)


def name_type(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


def _format_type(annotation: object) -> str:
    """Return an annotation as in Python, without the names of modules: ``tuple[Row, ...]``."""
    is_class = isinstance(annotation, type) and not get_args(annotation)
    return _get_class(annotation).__name__ if is_class else re.sub(r"~|\b[a-z_]\w*\.(?=\w)", "", str(annotation))


def _get_class(annotation: object) -> type:
    """Return the class of an annotation with or without arguments; ``object`` if it is none."""
    origin = get_origin(annotation) or annotation
    return origin if isinstance(origin, type) else object


def find_wrong_value(name: str, value: object, annotation: object) -> tuple[str, str] | None:
    """Return the name of the innermost field that is not of its annotated type, and its value in words.

    ``name``: name of ``value``, which is returned if no field of it is to blame. Returns ``None`` if all types are
    right.
    """
    if make_check(annotation)(value):
        return None
    union = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    members = [member for member in union if member is not NoneType]
    kind, parts = members[0] if len(members) == 1 else annotation, list[tuple[str, object, object]]()
    items = get_args(kind)
    if isinstance(value, msgspec.Struct) and isinstance(value, _get_class(kind)):
        hints = get_type_hints(type(value))
        parts = [(f"{name}.{field}", getattr(value, field), hints[field]) for field in value.__struct_fields__]
    elif isinstance(value, tuple | list) and items and items[1:] in ((), (...,)):
        parts = [(name, element, items[0]) for element in value]
    wrong = [find_wrong_value(*part) for part in parts]
    return next(filter(None, wrong), (name, f"{name_type(value)} in place of {_format_type(kind)}"))


def find_wrong_fact(part: object, base: type, prefix: str = "") -> tuple[str, str] | None:
    """Return the name of a fact of ``part`` that ``base`` annotates with another type, and its value in words.

    Returns ``None`` if all types are right. ``prefix``: what precedes the names of facts.
    """
    for name, annotation in _get_hints(base).items():
        if wrong := find_wrong_value(prefix + name, getattr(part, name, None), annotation):
            return wrong
    return None


@cache
def _get_hints(base: type) -> Mapping[str, object]:
    return get_type_hints(base)


@cache
def make_check(annotation: object) -> Check:
    """Return a function that returns True for values of an annotated type whose contents are of theirs.

    Elements of iterators are not checked, nor arguments and results of functions, nor what a function returns that
    has no result.
    """
    if annotation is Any:
        return lambda _value: True
    if annotation is Card:
        return is_card
    if isinstance(annotation, TypeVar):
        return make_check(annotation.__bound__ or object)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        checks = [*map(make_check, arguments)]
        return lambda value: any(check(value) for check in checks)
    if origin is tuple:
        return _make_tuple_check(arguments)
    if isinstance(origin, type):
        return _make_generic_check(origin, arguments)
    return _make_class_check(annotation) if isinstance(annotation, type) else lambda _value: True


def _make_tuple_check(arguments: tuple[object, ...]) -> Check:
    if arguments[1:] == (...,):
        check = make_check(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(check, value))
    checks = [*map(make_check, arguments)]
    return lambda value: isinstance(value, tuple) and _are_right(checks, value)


def _make_generic_check(origin: type, arguments: tuple[object, ...]) -> Check:
    if issubclass(origin, Mapping):
        keys, values = map(make_check, arguments)
        return lambda value: (
            isinstance(value, Mapping) and all(map(keys, value.keys())) and all(map(values, value.values()))
        )
    if issubclass(origin, Sequence) or origin is Iterable:
        check = make_check(arguments[0])
        return lambda value: isinstance(value, origin) and not isinstance(value, str) and all(map(check, value))
    if origin is type:
        base = _get_class(arguments[0])
        return lambda value: isinstance(value, type) and issubclass(value, base) and not isabstract(value)
    return _make_class_check(origin)


def _make_class_check(kind: type) -> Check:
    if kind is NoneType:
        return lambda value: value is None
    if kind is float:
        return lambda value: isinstance(value, int | float)
    if issubclass(kind, tuple) and kind is not tuple:  # a named tuple
        checks = [*map(make_check, get_type_hints(kind).values())]
        return lambda value: isinstance(value, kind) and _are_right(checks, value)
    if issubclass(kind, msgspec.Struct) and not issubclass(kind, _UNCHECKED_INSIDE):
        hints = get_type_hints(kind)
        field_checks = [(attrgetter(field), make_check(hints[field])) for field in kind.__struct_fields__]
        return lambda value: isinstance(value, kind) and all(check(get(value)) for get, check in field_checks)
    return lambda value: isinstance(value, kind)


def _are_right(checks: Sequence[Check], values: tuple[object, ...]) -> bool:
    return len(checks) == len(values) and all(check(value) for check, value in zip(checks, values, strict=True))


def _require_seat_or_none(seat: Seat | None, seats: int, text: str) -> None:
    _require(seat is None or _is_seat(seat, seats), text)


def _check_zones(zones: Sequence[Zone], seats: int) -> None:
    for zone in zones:
        _require_seat_or_none(zone.seat, seats, "scene gives a zone of a seat that is not at the table")


def _check_marks(marks: Sequence[Mark], seats: int) -> None:
    """Check marks. Long texts are valid, since they are cut where they are shown."""
    for mark in marks:
        numbers = [number for number in (mark.value, mark.of) if not isinstance(number, str | None)]
        _require_seat_or_none(mark.seat, seats, "marks gives a mark of a seat that is not at the table")
        is_track = isinstance(mark.value, int) and mark.of is not None and mark.of > 0
        _require(_is_suit(mark.suit), "marks gives a wrong suit")
        _require(mark.of is None or is_track, "marks gives a track without a number above 0")
        _require(not any(abs(number) > MAX_MARK_NUMBER for number in numbers), "marks gives a number that is too large")


def _check_trick(trick: TrickStatus, seats: int) -> None:
    named = [trick.leader, *[seat for seat, _ in (*trick.lying, *trick.last)]]
    for seat in (trick.winning, *named):
        _require_seat_or_none(seat, seats, "trick gives a seat that is not at the table")
    _require(_is_number(trick.number, 0) and trick.step in (1, -1), "trick gives a wrong number or step")


def _check_bids(bids: BiddingState, seats: int) -> None:
    are_bids = len(bids.made) == seats and all(bid is None or _is_number(bid, 0) for bid in bids.made)
    _require(are_bids and _are_numbers(bids.won, seats), "bids gives bids or tricks that are not by seat")
    _require(_is_number(bids.cards, 0) and _is_suit(bids.trump), "bids gives a wrong number of cards or trump suit")


def _check_contract(contract: Contract, _seats: int) -> None:
    _require(_is_suit(contract.trump), "contract gives a contract with a wrong suit")


def _check_role(role: tuple[str, Seat], seats: int) -> None:
    word, seat = role
    _require(word in ("dealer", "declarer") and _is_seat(seat, seats), "dealer_or_declarer gives no role and seat")


def _check_timed_out(seat: int, seats: int) -> None:
    _require(_is_seat(seat, seats), "timed_out gives a seat that is not at the table")


def _check_notes(notes: Sequence[Note], seats: int) -> None:
    for note in notes:
        try:
            msgspec.convert(msgspec.to_builtins(note), AnyNote)
        except (TypeError, ValueError) as error:
            raise WrongReturnValue(f"narrate gives a log entry that is not valid: {error}") from None
        _require_seat_or_none(note.seat, seats, "narrate gives a seat that is not at the table")


def _check_sides(sides: Sides, seats: int) -> None:
    members = [seat for side in sides for seat in side]
    _require(sorted(members) == [*range(seats)], "sides does not give each seat once")


def check_score(score: Score, seats: int, columns: int) -> None:
    """Check a score for ``seats`` seats and a sheet with ``columns`` columns. Raises ``WrongReturnValue``."""
    _require(_is_title(score.title), "the score has a wrong title")
    for sums in (score.points, score.totals):
        _require(_are_numbers(sums, seats), "the score has wrong points or totals")
    are_figures = _is_tuple(score.figures, seats) and all(_are_numbers(row, columns) for row in score.figures)
    _require(are_figures, "the score's figures are not those of columns")
    are_bonuses = _is_tuple(score.bonuses, seats) and all(map(_are_bonuses, score.bonuses))
    _require(are_bonuses, "the score's bonuses are not by seat")
    _require(_is_number(score.weight), "the score has a wrong weight")


def _are_bonuses(bonuses: object) -> bool:
    return isinstance(bonuses, tuple) and all(
        isinstance(bonus, Bonus) and type(bonus.name) is str and _is_number(bonus.points) for bonus in bonuses
    )


def _is_title(title: object) -> bool:
    match title:
        case CardsTitle(cards=cards, trump=trump):
            return _is_number(cards, 0) and _is_suit(trump)
        case Contract(name=name, trump=trump, short=short):
            return type(name) is type(short) is str and _is_suit(trump)
        case EndingTitle(how=how, times=times):
            return type(how) is str and _is_number(times)
        case HighTitle(rank=rank, suit=suit):
            return _is_number(rank, 0, len(RANKS) - 1) and _is_suit(suit)
        case _:
            return False


CHECKS: Final[dict[str, Callable[..., None]]] = {
    "sides": _check_sides,
    "scene": _check_zones,
    "narrate": _check_notes,
    "marks": _check_marks,
    "trick": _check_trick,
    "bids": _check_bids,
    "contract": _check_contract,
    "dealer_or_declarer": _check_role,
    "timed_out": _check_timed_out,
}
"""Checks of the results of methods of ``Game``, given also the number of seats; ``None`` is not checked."""


_ENCODER: Final = msgspec.json.Encoder()


def encode_view(view: View) -> msgspec.Raw:
    return msgspec.Raw(_ENCODER.encode(view))


def decode_view(game: AnyGame, data: msgspec.Raw) -> View:
    """Decode a view of a game.

    Raises ``msgspec.DecodeError`` if ``data`` is not a view of that game, and ``RecursionError`` if it is nested too
    deeply.
    """
    decoder = _get_decoder(game.view, game.actions, game.options)  # type: ignore[arg-type] # classes are hashable
    return game.view(**asdict(decoder.decode(data)))


@cache
def _get_decoder(
    view: type[View], actions: tuple[type[Action], ...], options: type[Options]
) -> "msgspec.json.Decoder[msgspec.Struct]":
    own: dict[str, Any] = {"options": options, "legal": tuple[reduce(or_, actions), ...]}  # type: ignore[misc]
    members = [  # ``View`` declares only the base classes of actions and options
        (field.name, own.get(field.name, field.type), *([] if field.required else [field.default]))
        for field in fields(view)
    ]
    return msgspec.json.Decoder(msgspec.defstruct(view.__name__, members, frozen=True))


MAX_TEXT_LENGTH: Final = 1_000
"""Maximum length of a text, in characters."""


def find_invalid_field(value: msgspec.Struct, seats: int) -> str | None:
    """Return the name of a field of ``value`` that no table with ``seats`` seats can have; ``None`` if all are valid.

    ``value`` is a view, an action or a log entry whose fields have the right types. The checks follow from the types
    and from the annotations of ``engine.annotations``: seats and cards exist, numbers and texts are not excessive, and
    a tuple that is by seat has a value for each seat unless it is empty. A field with ``OMITTED`` is not checked.
    """
    checks = _get_field_checks(type(value), seats)
    return next((name for name, get_value, is_valid in checks if not is_valid(get_value(value))), None)


@cache
def _get_field_checks(kind: type, seats: int) -> tuple[tuple[str, Callable[[object], object], Check], ...]:
    """Return the name, getter and check of each field of a structure, named tuple or data class."""
    hints = get_type_hints(kind, include_extras=True)
    names: Sequence[str] = kind.__struct_fields__ if issubclass(kind, msgspec.Struct) else [*hints]
    return tuple([(name, attrgetter(name), _make_check(hints[name], seats)) for name in names])


def _make_check(hint: Any, seats: int) -> Check:
    base, annotations = split_annotations(hint)
    if OMITTED in annotations:
        return lambda _value: True
    for annotation in annotations:
        if isinstance(annotation, OneOf):
            return annotation.values.__contains__
        if isinstance(annotation, CountOf):
            return partial(_are_among, annotation.values)
    if CARD_SET in annotations:
        return _make_range_check(0, (1 << len(CARDS)) - 1)
    if SEAT_NUMBER in annotations:
        return _make_range_check(OVER, seats - 1)
    if base is Card:
        return is_card
    if base is int or base is float:
        return _make_range_check(-MAX_NUMBER, MAX_NUMBER)
    if base is str:
        return lambda value: isinstance(value, str) and len(value) <= MAX_TEXT_LENGTH
    if get_origin(base) is tuple:
        return _make_items_check(get_args(base), annotations, seats)
    if get_origin(base) in (Union, UnionType):
        checks = [_make_check(member, seats) for member in get_args(base)]
        return lambda value: any(is_valid(value) for is_valid in checks)
    if isinstance(base, type) and base is not Any:
        return _make_struct_check(base, seats)
    return lambda _value: True


def _are_among(values: tuple[object, ...], members: object) -> bool:
    return isinstance(members, tuple) and all(member in values for member in members)


def _make_range_check(low: int, high: int) -> Check:
    return lambda value: isinstance(value, int | float) and low <= value <= high


def _make_struct_check(kind: type, seats: int) -> Check:
    if issubclass(kind, msgspec.Struct | tuple) or is_dataclass(kind):
        # The value may be of a subclass, such as a kind of action.
        return lambda value: (
            isinstance(value, kind)
            and all(is_valid(get_value(value)) for _, get_value, is_valid in _get_field_checks(type(value), seats))
        )
    return lambda value: isinstance(value, kind)


def _make_items_check(items: Sequence[Any], annotations: Sequence[object], seats: int) -> Check:
    checks = [_make_check(item, seats) for item in items if item is not Ellipsis]
    if len(checks) == len(items):
        return lambda value: (
            isinstance(value, tuple) and all(is_valid(item) for is_valid, item in zip(checks, value, strict=True))
        )
    [is_valid] = checks
    if _is_by_seat(items[0], annotations):
        return lambda value: isinstance(value, tuple) and len(value) in (0, seats) and all(map(is_valid, value))
    return lambda value: isinstance(value, tuple) and all(map(is_valid, value))


def _is_by_seat(item: Any, annotations: Sequence[object]) -> bool:
    """Return True if a tuple of ``item`` with these annotations has a value for each seat.

    Piles and tricks, which are tuples of cards, and tuples of actions, seats, tuples and texts are of any length.
    """
    if any(isinstance(annotation, msgspec.Meta) and annotation.max_length for annotation in annotations):
        return False
    base, item_annotations = split_annotations(item)
    if OMITTED in item_annotations or SEAT_NUMBER in item_annotations or base is Card or base is str:
        return False
    if get_origin(base) in (Union, UnionType):
        return len([member for member in get_args(base) if member is not NoneType]) == 1
    if isinstance(base, type) and issubclass(base, Action):
        return False
    return get_origin(base) is not tuple or bool(item_annotations)
