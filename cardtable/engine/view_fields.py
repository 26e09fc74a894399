"""Fields that a game adds to its views, by their types: which are private to a seat, and which name cards."""

from collections.abc import Callable, Mapping
from functools import cache, reduce
from operator import or_
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

import msgspec

from cardtable.engine.annotations import CARD_SET, NOT_HELD, PRIVATE, split_annotations
from cardtable.engine.cards import BIT, Card, Cards

FindCards: TypeAlias = Callable[[Any], Cards]
_EMPTY_VALUES: Final[Mapping[object, object]] = {int: 0, bool: False, tuple: ()}
"""Value of a private field for those who may not know it, by its type; ``None`` for other types."""


class ViewField(NamedTuple):
    """Field of the views of a game."""

    name: str
    is_private: bool
    """True if the field has the annotation ``PRIVATE``."""
    empty: object
    """Value of a private field for those who may not know it."""
    is_zone: bool
    """True if the field names cards in an order, as they lie on the table; sets of cards are only known."""
    is_by_seat: bool
    """True if the field is a tuple with the cards of each seat."""
    find_cards: FindCards | None
    """Function that returns the cards that a value of the field shows; ``None`` if it shows none."""

    def read(self, record: msgspec.Struct) -> Any:
        return getattr(record, self.name)


@cache
def list_fields(kind: type[msgspec.Struct], base: type[msgspec.Struct]) -> tuple[ViewField, ...]:
    """Return the fields of a class of views that its class ``base`` does not have."""
    hints = get_type_hints(kind, include_extras=True)
    names = [name for name in kind.__struct_fields__ if name not in base.__struct_fields__]
    return tuple([_describe(name, hints[name]) for name in names])


def _describe(name: str, hint: Any) -> ViewField:
    kind, annotations = split_annotations(hint)
    find_cards = None if NOT_HELD in annotations else _make_find_cards(hint)
    is_by_seat = get_origin(kind) is tuple and get_args(kind)[0] is not Card
    is_zone = find_cards is not None and not _has_sets(hint)
    empty = _EMPTY_VALUES.get(get_origin(kind) or kind)
    return ViewField(name, PRIVATE in annotations, empty, is_zone, is_by_seat, find_cards)


def _has_sets(hint: Any) -> bool:
    """Return True if a type contains ``Cards``."""
    kind, annotations = split_annotations(hint)
    return CARD_SET in annotations or any(map(_has_sets, get_args(kind)))


def _make_find_cards(hint: Any) -> FindCards | None:
    """Return a function that finds the cards that a value of an annotated type names; ``None`` if it names none."""
    kind, annotations = split_annotations(hint)
    if CARD_SET in annotations:
        return int
    if kind is Card:
        return BIT.__getitem__
    inner = {argument for argument in get_args(kind) if argument not in (NoneType, ...)}
    find_inner = _make_find_cards(inner.pop()) if len(inner) == 1 else None
    if find_inner is None:
        return None
    if get_origin(kind) is tuple:
        return lambda values: reduce(or_, map(find_inner, values), 0)
    return lambda value: 0 if value is None else find_inner(value)
