"""Encoding of a view as a vector of numbers of fixed length, for programs that learn.

Each field of the view is a number of entries, by its type and the annotations of ``engine.annotations``:

- a number or a flag: one entry; with ``OneOf`` an entry for each value, 1 for the value at hand
- a seat: an entry for each seat, counted clockwise from the seat of the view; a negative number is no seat
- a card: 52 entries; a set of cards: 52 entries with the number of copies
- a tuple of cards: 52 entries, 1 for the last card, 1/2 for the one before it, then 1/3 and so on
- a tuple of seats, or with ``CountOf``: an entry for each value, the number of times that it occurs
- a tuple with ``msgspec.Meta(max_length=n)``: the entries of each of n places, 0 where nothing is
- any other tuple: by seat, beginning with the seat of the view; all 0 if it is empty
- a named tuple, structure or data class: the entries of its fields
- ``None`` or a value: one more entry, 1 if there is a value, unless the value has an entry for each possibility

Left out are ``seat``, ``legal`` and ``options``, which are no news, and fields of all other types.
"""

from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import lru_cache
from math import inf
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from cardtable.engine.annotations import (
    CARD_SET,
    OMITTED,
    SEAT_NUMBER,
    AsCards,
    CountOf,
    OneOf,
    find_bounds,
    split_annotations,
)
from cardtable.engine.cards import BIT, CARDS, COPY_OFFSET, NAME, PACK_52, Card, Cards
from cardtable.engine.game import AnyGame, Seat, View

_NO_NEWS: Final = frozenset({"seat", "legal", "options"})
"""Fields of every view that are never encoded."""
_CARD_LABELS: Final = NAME[:COPY_OFFSET]
_SUIT_CARDS: Final = 13
_CACHED_VALUES: Final = 4096
"""Number of values that stand for cards, of each field, whose cards are kept."""


class ObservedField(NamedTuple):
    """Description of the entries that one field of a view has in the vector."""

    name: str
    start: int
    """Index of the first entry."""
    labels: tuple[str, ...]
    """Meaning of each entry, such as ``QS`` or ``seat +1``; empty if the field is a single number."""
    low: float
    """Lowest possible value of an entry; ``-inf`` if it is not known."""
    high: float

    @property
    def end(self) -> int:
        """Index after the last entry."""
        return self.start + len(self.labels)


class ViewEncoder:
    """Encoding of the views of a game with a given number of seats.

    ``size`` is the length of a vector, ``fields`` describes its entries, and ``omitted`` names the fields of the view
    that are not in it.
    """

    def __init__(self, game: AnyGame, seats: int) -> None:
        parts: dict[str, _Part] = {}
        omitted = []
        for field in msgspec.structs.fields(game.view):
            part = None if field.name in _NO_NEWS else _make_part(field.type, seats)
            if part is None:
                omitted.append(field.name)
            else:
                parts[field.name] = part
        self.omitted: tuple[str, ...] = tuple(omitted)
        self._parts = tuple(parts.items())
        fields, start = [], 0
        for name, part in self._parts:
            fields.append(ObservedField(name, start, part.labels, part.low, part.high))
            start += len(part.labels)
        self.fields: tuple[ObservedField, ...] = tuple(fields)
        self.size = start

    def observe(self, view: View) -> "array[float]":
        """Return the vector of a view, as single-precision numbers.

        Raises ``ValueError`` with a one-line message if a value does not fit the type and annotations of its field.
        """
        vector, values = array("f"), msgspec.structs.asdict(view)
        for name, part in self._parts:
            try:
                part.write(values[name], vector, view.seat)
            except (ValueError, LookupError, TypeError) as error:
                raise ValueError(
                    f"correct or annotate the type of {name} of {type(view).__name__}: it does not fit {values[name]}"
                ) from error
        return vector


class _Part(ABC):
    """Encoding of values of one type."""

    low: float = 0
    high: float = 1
    exclusive = False
    """True if there is an entry for each possible value, so that ``None`` is encoded as zeros."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self.zeros = array("f", bytes(4 * len(self.labels)))

    @abstractmethod
    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        """Append the entries of a value to the vector, as ``seat`` sees them."""


class _Number(_Part):
    def __init__(self, low: float, high: float) -> None:
        super().__init__([""])
        self.low, self.high = low, high

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:  # noqa: ARG002 - the same for all seats
        vector.append(value)


class _OneHot(_Part):
    exclusive = True

    def __init__(self, values: Sequence[Hashable]) -> None:
        super().__init__([str(value.value if isinstance(value, Enum) else value) for value in values])
        self._rows = {value: array("f", [other == value for other in values]) for value in values}

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:  # noqa: ARG002
        vector.extend(self._rows[value])


class _CardOneHot(_Part):
    exclusive = True

    def __init__(self) -> None:
        super().__init__(_CARD_LABELS)
        self._rows = [array("f", [other == c % COPY_OFFSET for other in range(COPY_OFFSET)]) for c in CARDS]

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:  # noqa: ARG002
        vector.extend(self._rows[value])


class _SuitRows(dict[Cards, "array[float]"]):
    """Cache of the entries of the cards of one suit, by the 13 bits of its cards."""

    def __missing__(self, part: Cards) -> "array[float]":
        self[part] = row = array("f", [part >> rank & 1 for rank in range(_SUIT_CARDS)])
        return row


class _CardSet(_Part):
    high = 2

    def __init__(self, cards_of: Callable[[Any], Iterable[int]] | None = None) -> None:
        super().__init__(_CARD_LABELS)
        self._get_cards = cards_of and lru_cache(_CACHED_VALUES)(lambda value: sum([BIT[c] for c in cards_of(value)]))
        self._rows = _SuitRows()

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:  # noqa: ARG002
        cards = self._get_cards(value) if self._get_cards else value
        if not cards:
            vector.extend(self.zeros)
            return
        if cards > PACK_52:
            vector.extend([(cards >> c & 1) + (cards >> c + COPY_OFFSET & 1) for c in range(COPY_OFFSET)])
            return
        rows = self._rows
        vector.extend(rows[cards & 0x1FFF])
        vector.extend(rows[cards >> 13 & 0x1FFF])
        vector.extend(rows[cards >> 26 & 0x1FFF])
        vector.extend(rows[cards >> 39])


class _CardOrder(_Part):
    def __init__(self) -> None:
        super().__init__(_CARD_LABELS)

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:  # noqa: ARG002
        start = len(vector)
        vector.extend(self.zeros)
        for index, card in enumerate(value):
            vector[start + card % COPY_OFFSET] = 1 / (len(value) - index)


class _SeatOneHot(_Part):
    exclusive = True

    def __init__(self, seats: int) -> None:
        super().__init__(_label_seats(seats))
        self._seats = seats
        self._rows = [array("f", [other == seat for other in range(seats)]) for seat in range(seats)]

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        vector.extend(self.zeros if value < 0 else self._rows[(value - seat) % self._seats])


class _Counts(_Part):
    high = inf

    def __init__(self, values: Sequence[Hashable]) -> None:
        super().__init__([str(value) for value in values])
        self._values = values

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:  # noqa: ARG002
        counts = Counter(value)
        vector.extend([counts[one] for one in self._values])


class _SeatCounts(_Part):
    high = inf

    def __init__(self, seats: int) -> None:
        super().__init__(_label_seats(seats))

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        counts = Counter(value)
        vector.extend([counts[(seat + step) % len(self.labels)] for step in range(len(self.labels))])


class _Optional(_Part):
    def __init__(self, part: _Part) -> None:
        super().__init__(part.labels if part.exclusive else ["known", *part.labels])
        self._part = part
        self.low, self.high, self.exclusive = min(part.low, 0), max(part.high, 1), part.exclusive

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        if value is None:
            vector.extend(self.zeros)
            return
        if not self.exclusive:
            vector.append(1)
        self._part.write(value, vector, seat)


class _Places(_Part):
    """Places of a tuple in order, of which the last ones may be empty."""

    def __init__(self, part: _Part, number: int) -> None:
        super().__init__([f"{place} {label}".rstrip() for place in range(1, number + 1) for label in part.labels])
        self._part, self._number = part, number
        self.low, self.high = min(part.low, 0), max(part.high, 0)

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        if len(value) > self._number:
            raise ValueError("too many")
        for one in value:
            self._part.write(one, vector, seat)
        for _ in range(self._number - len(value)):
            vector.extend(self._part.zeros)


class _BySeat(_Part):
    def __init__(self, part: _Part, seats: int) -> None:
        super().__init__([f"{name} {label}".rstrip() for name in _label_seats(seats) for label in part.labels])
        self._part, self._seats = part, seats
        self.low, self.high = min(part.low, 0), max(part.high, 0)

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        if not value:
            vector.extend(self.zeros)
            return
        if len(value) != self._seats:
            raise ValueError("not by seat")
        for one in (*value[seat:], *value[:seat]):
            self._part.write(one, vector, seat)


class _Record(_Part):
    def __init__(self, parts: dict[str, _Part]) -> None:
        super().__init__([f"{name} {label}".rstrip() for name, part in parts.items() for label in part.labels])
        self._parts = tuple(parts.items())
        self.low, self.high = min(part.low for part in parts.values()), max(part.high for part in parts.values())

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        for name, part in self._parts:
            part.write(getattr(value, name), vector, seat)


def _label_seats(seats: int) -> list[str]:
    return ["own", *[f"seat +{step}" for step in range(1, seats)]]


def _make_part(hint: Any, seats: int) -> _Part | None:
    """Return the encoding of a type; ``None`` if values of the type are left out."""
    base, annotations = split_annotations(hint)
    if OMITTED in annotations:
        return None
    length = bounds = None
    for annotation in annotations:
        if isinstance(annotation, OneOf):
            return _OneHot(annotation.values)
        if isinstance(annotation, CountOf):
            return _Counts(annotation.values)
        if isinstance(annotation, AsCards):
            return _CardSet(annotation.cards_of)
        if isinstance(annotation, msgspec.Meta):
            length, bounds = annotation.max_length, find_bounds(annotation)
    if CARD_SET in annotations:
        return _CardSet()
    if SEAT_NUMBER in annotations:
        return _SeatOneHot(seats)
    if base is int or base is float:
        low, high = bounds or (None, None)
        return _Number(-inf if low is None else low, inf if high is None else high)
    if get_origin(base) is tuple:
        return _make_tuple_part(get_args(base), length, seats)
    if get_origin(base) in (Union, UnionType):
        parts = [_make_part(one, seats) for one in get_args(base) if one is not NoneType]
        return _Optional(parts[0]) if len(parts) == 1 and parts[0] else None
    return _make_plain_part(base, seats)


def _make_plain_part(base: Any, seats: int) -> _Part | None:
    """Return the encoding of a type without annotations that is neither a number nor a tuple."""
    if base is Card:
        return _CardOneHot()
    if base is bool:
        return _Number(0, 1)
    if get_origin(base) is Literal:
        return _OneHot(get_args(base))
    if not isinstance(base, type):
        return _make_part(base.__supertype__, seats) if hasattr(base, "__supertype__") else None
    if issubclass(base, Enum):
        return _OneHot(list(base))
    if issubclass(base, msgspec.Struct) or is_dataclass(base) or (issubclass(base, tuple) and base is not tuple):
        hints = get_type_hints(base, include_extras=True)
        names = getattr(base, "__struct_fields__", None) or getattr(base, "_fields", None) or tuple(hints)
        parts = {name: part for name in names if (part := _make_part(hints[name], seats))}
        return _Record(parts) if parts else None
    return None


def _make_tuple_part(items: tuple[Any, ...], length: int | None, seats: int) -> _Part | None:
    """Return the encoding of a tuple of any length; ``None`` for a tuple of a fixed length without names."""
    if len(items) != 2 or items[1] is not Ellipsis:
        return None
    base, annotations = split_annotations(items[0])
    if length is None and base is Card:
        return _CardOrder()
    if length is None and SEAT_NUMBER in annotations:
        return _SeatCounts(seats)
    if length is None and get_origin(base) is tuple and not annotations:
        return None
    part = _make_part(items[0], seats)
    if part is None:
        return None
    return _BySeat(part, seats) if length is None else _Places(part, length)
