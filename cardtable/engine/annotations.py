"""Annotations of fields of views and actions, which say how programs that learn encode a value as numbers.

    trump: Annotated[int, OneOf((0, 1, 2, 3))] | None
    tricks: Annotated[int, msgspec.Meta(ge=0, le=13)]

Most fields need none, because their type says enough. ``robots.kit.encoding`` reads these annotations. ``PRIVATE`` and
``NOT_HELD`` are for ``view_fields``: they say who knows a field of a view, and what it tells about the hands.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

import msgspec


class OneOf(msgspec.Struct, frozen=True):
    """The value is one of ``values``, which have no order."""

    values: tuple[Any, ...]


class CountOf(msgspec.Struct, frozen=True):
    """The value is a tuple of ``values``; their number matters, not their order."""

    values: tuple[Any, ...]


class AsCards(msgspec.Struct, frozen=True):
    """The value stands for cards, which ``cards_of`` returns in order.

    ``values``: all values, each with different cards; needed for fields of actions only.
    """

    cards_of: Callable[[Any], Iterable[int]]
    values: tuple[Any, ...] = ()


class Marker(msgspec.Struct, frozen=True):
    """Annotation without arguments; ``name`` tells them apart."""

    name: str


PRIVATE: Final = Marker("private")
"""Each seat knows only its own value of the field: a state has a tuple by seat with the same name."""
NOT_HELD: Final = Marker("not held")
"""The field does not tell that its cards are in no hand: they may be anywhere, as the cards of the suit led."""
CARD_SET: Final = Marker("card set")
"""The number is a set of cards as a bit mask; ``cards.Cards`` has this annotation."""
SEAT_NUMBER: Final = Marker("seat")
"""The number is a seat, or negative if it is none; ``game.Seat`` has this annotation."""
OMITTED: Final = Marker("omitted")
"""The field is left out of observations, because other fields say the same, or because it has no fixed size."""


class AnnotatedType(NamedTuple):
    """Type of a field, and its annotations, of which the outermost is the last."""

    type: Any
    annotations: tuple[Any, ...]


def split_annotations(hint: Any) -> AnnotatedType:
    """Return the type and the annotations of a type hint."""
    if get_origin(hint) is Annotated:
        base, *annotations = get_args(hint)
        return AnnotatedType(base, tuple(annotations))
    return AnnotatedType(hint, ())


class Bounds(NamedTuple):
    """Lowest and highest value of a number, both included; ``None`` if there is none."""

    low: int | None = None
    high: int | None = None


def find_bounds(meta: msgspec.Meta) -> Bounds:
    """Return the bounds of the integers that an annotation of ``msgspec`` allows."""
    low = meta.ge if meta.ge is not None else None if meta.gt is None else meta.gt + 1
    high = meta.le if meta.le is not None else None if meta.lt is None else meta.lt - 1
    return Bounds(None if low is None else int(low), None if high is None else int(high))
