"""Encoding of actions and views as numbers, for programs that learn.

An action is a sequence of choices, each of which is an index below ``ActionCodec.size``. A type of actions without
fields, or with one field of which all values are known in advance, has one index for each action: playing a card is one
choice. Any other action begins with the index of its type; then each field is a choice, or, if it stands for several
cards, a choice for each card and one for the end. Legal masks therefore always have the same size, although there are
too many melds or exchanges of cards to number them.

The types of the fields and the annotations of ``engine.annotations`` tell which values there are. A field of type
``int`` without annotation has the values 0 to 99.

A view is a vector of fixed length. Each of its fields is a number of entries, by its type and the annotations of
``engine.annotations``:

- a number or a flag: one entry; with ``OneOf`` an entry for each value, 1 for the value at hand
- a seat: an entry for each seat, counted clockwise from the seat of the view; a negative number is no seat
- a card: 52 entries; a set of cards: 52 entries with the number of copies
- a tuple of cards: 52 entries, 1 for the last card, 1/2 for the one before it, then 1/3 and so on
- a tuple of seats, or with ``CountOf``: an entry for each value, the number of times that it occurs
- a tuple with ``msgspec.Meta(max_length=n)``: the entries of each of n places, 0 where nothing is
- any other tuple: by seat, beginning with the seat of the view; all 0 if it is empty
- a named tuple, structure or data class: the entries of its fields
- ``options``: an entry for each value of each house rule, except for times
- ``None`` or a value: one more entry, 1 if there is a value, unless the value has an entry for each possibility

Left out are ``seat`` and ``legal``, which are no news, and fields of all other types.
"""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import lru_cache
from itertools import chain
from math import inf
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

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
from cardtable.engine.cards import BIT, CARDS, COPY_OFFSET, NAME, PACK_52, Card, Cards, iter_cards
from cardtable.engine.game import Action, AnyGame, Seat, View
from cardtable.engine.options import Options, list_choices

END: Final = "end"
"""Label of the choice that ends a sequence of cards."""
DEFAULT_RANGE: Final = range(100)
"""Values of a number in an action that has no annotation."""
Path: TypeAlias = tuple[int, ...]
"""Indices of the choices that make up an action, or of the first of them."""


class _OneChoice(NamedTuple):
    """Field that is a single choice."""

    values: dict[str, Any]
    """All values, by their labels."""

    is_card: bool
    """True if the values are cards; the labels are then their names."""

    def list_labels(self) -> Iterable[str]:
        return self.values

    def split(self, value: Any) -> list[str]:
        return [_format_card(value) if self.is_card else _format_value(value)]

    def join(self, labels: list[str]) -> Any:
        """Remove the labels of a value from the front of ``labels``, and return the value.

        Raises ``IndexError`` if there are none, and ``KeyError`` if they do not fit.
        """
        return self.values[labels.pop(0)]


class _CardSequence(NamedTuple):
    """Field that stands for several cards."""

    cards_of: Callable[[Any], Iterable[int]]
    value_of: Callable[[Sequence[Card]], Any]

    def list_labels(self) -> Iterable[str]:
        return (*NAME[:COPY_OFFSET], END)

    def split(self, value: Any) -> list[str]:
        return [*[NAME[c] for c in self.cards_of(value)], END]

    def join(self, labels: list[str]) -> Any:
        """Remove the labels of a value from the front of ``labels``, and return the value.

        Raises ``IndexError`` if their end is missing, and ``KeyError`` if they do not fit.
        """
        chosen = []
        while (label := labels.pop(0)) != END:
            chosen.append(_CARD_BY_LABEL[label])
        return self.value_of(chosen)


_Field: TypeAlias = _OneChoice | _CardSequence
_CARD_BY_LABEL: Final = {NAME[c]: c for c in CARDS[:COPY_OFFSET]}


class _Spelling(NamedTuple):
    """Type of actions that are made of several choices."""

    type: type[Action]
    fields: dict[str, _Field]


class ActionCodec:
    """Numbering of the choices that make up the actions of a game.

    ``size`` is the number of indices, and ``labels`` has the meaning of each. Raises ``ValueError`` with a one-line
    message if the values of a field are not known.
    """

    def __init__(self, game: AnyGame) -> None:
        self._actions: list[Action] = []
        """Actions that are a single choice, by index."""
        self._spellings: list[_Spelling] = []
        texts: dict[str, None] = {}
        for kind in game.actions:
            description = _describe_type(game, kind)
            if isinstance(description, _Spelling):
                self._spellings.append(description)
                continue
            for action in description:
                if str(action) not in texts:
                    texts[str(action)] = None
                    self._actions.append(action)
        fields = [field for spelling in self._spellings for field in spelling.fields.values()]
        parts = dict.fromkeys(chain.from_iterable([field.list_labels() for field in fields]))
        self._first_spelling = len(self._actions)
        self._first_part = self._first_spelling + len(self._spellings)
        self.labels: tuple[str, ...] = (*texts, *[one.type.kind for one in self._spellings], *parts)
        self.size = len(self.labels)
        self._index_of_text = {text: index for index, text in enumerate(texts)}
        self._index_of_part = {label: self._first_part + index for index, label in enumerate(parts)}
        self._paths: dict[Action, Path] = {}

    @property
    def has_sequences(self) -> bool:
        """True if some actions are made of several choices."""
        return bool(self._spellings)

    def encode(self, action: Action) -> Path:
        """Return the choices that make up an action.

        Raises ``ValueError`` if the action has a value that the annotations of its type exclude.
        """
        try:
            return self._paths[action]
        except KeyError:
            path = self._paths[action] = self._find_path(action)
            return path

    def _find_path(self, action: Action) -> Path:
        try:
            for number, spelling in enumerate(self._spellings):
                if type(action) is spelling.type:
                    values = msgspec.structs.asdict(action)
                    labels = [label for name, field in spelling.fields.items() for label in field.split(values[name])]
                    return (self._first_spelling + number, *[self._index_of_part[label] for label in labels])
            return (self._index_of_text[str(action)],)
        except KeyError:
            raise ValueError(f"{action}: annotate {type(action).__name__} with all values of its fields") from None

    def decode(self, path: Sequence[int]) -> Action | None:
        """Return the action that consists of these choices; ``None`` if further choices are needed.

        Raises ``ValueError`` if no action begins with these choices. Whether the action is legal is not examined.
        """
        if not path:
            return None
        first, *rest = path
        if 0 <= first < self._first_spelling and not rest:
            return self._actions[first]
        if not self._first_spelling <= first < self._first_part or any(
            not self._first_part <= index < self.size for index in rest
        ):
            raise ValueError(f"no action consists of the choices {list(path)}")
        spelling, labels = self._spellings[first - self._first_spelling], [self.labels[index] for index in rest]
        try:
            action = spelling.type(**{name: field.join(labels) for name, field in spelling.fields.items()})
        except IndexError:
            return None
        except KeyError:
            raise ValueError(f"no action consists of the choices {list(path)}") from None
        if labels:
            raise ValueError(f"no action consists of the choices {list(path)}")
        return action

    def mask(self, legal: Iterable[Action], path: Path = ()) -> bytes:
        """Return a byte for each index: 1 if a legal action begins with ``path`` followed by this index, else 0."""
        mask, length = bytearray(self.size), len(path)
        for action in legal:
            whole = self.encode(action)
            if whole[:length] == path and len(whole) > length:
                mask[whole[length]] = 1
        return bytes(mask)


def _describe_type(game: AnyGame, kind: type[Action]) -> Sequence[Action] | _Spelling:
    """Return all actions of a type, if each is a single choice; otherwise the choices that make up an action."""
    if values := kind.list_values():
        return values
    fields = {field.name: _describe_field(game, kind, field) for field in msgspec.structs.fields(kind)}
    if not fields:
        return [kind()]
    name, field = next(iter(fields.items()))
    if len(fields) == 1 and isinstance(field, _OneChoice):
        return [kind(**{name: value}) for value in field.values.values()]
    return _Spelling(kind, fields)


def _describe_field(game: AnyGame, kind: type[Action], field: "msgspec.structs.FieldInfo") -> _Field:
    hint, annotations = split_annotations(field.type)
    for annotation in annotations:
        if isinstance(annotation, AsCards) and annotation.values:
            return _make_card_sequence(annotation)
    if CARD_SET in annotations:
        return _CardSequence(_list_by_name, _collect_cards)
    values = _list_field_values(game, field.type)
    if values is None:
        raise ValueError(
            f"{game.about.title}: annotate {field.name} of {kind.__name__} with its values,"
            f" such as Annotated[{getattr(hint, '__name__', hint)}, OneOf((...))]"
        )
    is_card = hint is Card or Card in get_args(hint)
    return _OneChoice({(_format_card if is_card else _format_value)(value): value for value in values}, is_card)


def _make_card_sequence(annotation: AsCards) -> _CardSequence:
    value_by_cards = {tuple(annotation.cards_of(value)): value for value in annotation.values}
    return _CardSequence(annotation.cards_of, lambda chosen: value_by_cards[tuple(chosen)])


def _list_field_values(game: AnyGame, hint: Any) -> Sequence[Any] | None:
    """Return all values of a field that is a single choice; ``None`` if they are not known."""
    hint, annotations = split_annotations(hint)
    for annotation in annotations:
        if isinstance(annotation, OneOf):
            return annotation.values
        if isinstance(annotation, msgspec.Meta):
            low, high = find_bounds(annotation)
            if low is not None and high is not None:
                return range(low, high + 1)
    if SEAT_NUMBER in annotations:
        return range(max(game.about.seats))
    if get_origin(hint) in (Union, UnionType):
        parts = [(None,) if part is NoneType else _list_field_values(game, part) for part in get_args(hint)]
        return None if None in parts else [value for part in parts if part for value in part]
    if get_origin(hint) is Literal:
        return get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return list(hint)
    known: dict[Any, Sequence[Any]] = {Card: CARDS[:COPY_OFFSET], bool: (False, True), int: DEFAULT_RANGE}
    return known.get(hint)


def _format_value(value: object) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _format_card(card: Any) -> str:
    return str(card) if card is None else NAME[card]


def _list_by_name(cards: Cards) -> list[Card]:
    """Return the cards of a set in ascending order; two copies of a card are neighbours."""
    return sorted(iter_cards(cards), key=lambda c: c % COPY_OFFSET)


def _collect_cards(chosen: Sequence[Card]) -> Cards:
    """Return the set of cards; the second of two equal cards is the second copy."""
    cards = 0
    for c in chosen:
        cards |= BIT[c] << COPY_OFFSET if cards & BIT[c] else BIT[c]
    return cards


_NO_NEWS: Final = frozenset({"seat", "legal"})
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
    shape: tuple[int, ...]
    """Lengths of the axes of the entries, such as a row of cards for each seat; empty if the field is a number."""
    labels: tuple[str, ...]
    """Meaning of each entry, such as ``QS`` or ``seat +1``; an empty text for a single number."""
    low: float
    """Lowest possible value of an entry; ``-inf`` if it is not known."""
    high: float

    @property
    def end(self) -> int:
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
            hint = game.options if field.name == "options" else field.type
            part = None if field.name in _NO_NEWS else _make_part(hint, seats)
            if part is None:
                omitted.append(field.name)
            else:
                parts[field.name] = part
        self.omitted: tuple[str, ...] = tuple(omitted)
        self._parts = tuple(parts.items())
        fields, start = [], 0
        for name, part in self._parts:
            fields.append(ObservedField(name, start, part.shape, part.labels, part.low, part.high))
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
        self.shape: tuple[int, ...] = (len(self.labels),)
        self.zeros = array("f", bytes(4 * len(self.labels)))

    @abstractmethod
    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        """Append the entries of a value to the vector, as ``seat`` sees them."""


class _Number(_Part):
    def __init__(self, low: float, high: float) -> None:
        super().__init__([""])
        self.low, self.high, self.shape = low, high, ()

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
        self._indices = {value: index for index, value in enumerate(values)}

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:  # noqa: ARG002
        start = len(vector)
        vector.extend(self.zeros)
        for one in value:
            vector[start + self._indices[one]] += 1


class _SeatCounts(_Part):
    high = inf

    def __init__(self, seats: int) -> None:
        super().__init__(_label_seats(seats))

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        start = len(vector)
        vector.extend(self.zeros)
        for other in value:
            vector[start + (other - seat) % len(self.labels)] += 1


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


class _Sequence(_Part):
    """Values of a tuple in order, of which the last ones may be missing."""

    def __init__(self, part: _Part, length: int) -> None:
        super().__init__([f"{number} {label}".rstrip() for number in range(1, length + 1) for label in part.labels])
        self._part, self._length, self.shape = part, length, (length, *part.shape)
        self.low, self.high = min(part.low, 0), max(part.high, 0)

    def write(self, value: Any, vector: "array[float]", seat: Seat) -> None:
        if len(value) > self._length:
            raise ValueError("too many")
        for one in value:
            self._part.write(one, vector, seat)
        for _ in range(self._length - len(value)):
            vector.extend(self._part.zeros)


class _BySeat(_Part):
    def __init__(self, part: _Part, seats: int) -> None:
        super().__init__([f"{name} {label}".rstrip() for name in _label_seats(seats) for label in part.labels])
        self._part, self._seats, self.shape = part, seats, (seats, *part.shape)
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
    if issubclass(base, Options):
        rules: dict[str, _Part] = {one.name: _OneHot([*one.values]) for one in list_choices(base) if not one.minutes}
        return _Record(rules) if rules else None
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
    return _BySeat(part, seats) if length is None else _Sequence(part, length)
