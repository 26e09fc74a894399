"""Codec between a view and JSON, and checks of views and log entries of another program.

The seats, cards and numbers of another program have to fit the table.
"""

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from functools import cache, partial, reduce
from operator import attrgetter, or_
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import FieldInfo, asdict, fields

from cardtable.engine.annotations import CARD_SET, OMITTED, SEAT_NUMBER, CountOf, OneOf, split_annotations
from cardtable.engine.cards import CARDS, Card
from cardtable.engine.game import OVER, Action, AnyGame, View
from cardtable.engine.options import Options
from cardtable.engine.plugin_values import MAX_NUMBER, Check, is_card

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
    members = [
        (field.name, _get_field_type(actions, options, field), *_get_field_default(field)) for field in fields(view)
    ]
    return msgspec.json.Decoder(msgspec.defstruct(view.__name__, members, frozen=True))


def _get_field_type(actions: tuple[type[Action], ...], options: type[Options], field: FieldInfo) -> Any:
    """Return the type for decoding a field of a game's view.

    The legal actions and the house rules have the game's own types, since ``View`` declares only their base classes.
    """
    if field.name == "options":
        return options
    return tuple[reduce(or_, actions), ...] if field.name == "legal" else field.type  # type: ignore[misc]


def _get_field_default(field: FieldInfo) -> tuple[Any, ...]:
    """Return a tuple of the field's default for ``msgspec.defstruct``, or an empty tuple if the field is required."""
    return () if field.required else (field.default,)


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
