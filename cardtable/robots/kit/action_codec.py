"""Codec between actions and numbers of a fixed range, for programs that learn.

An action is a sequence of choices, each of which is an index below ``ActionCodec.size``. A type of actions without
fields, or with one field of which all values are known in advance, has one index for each action: playing a card is one
choice. Any other action begins with the index of its type; then each field is a choice, or, if it stands for several
cards, a choice for each card and one for the end. Legal masks therefore always have the same size, although there are
too many melds or exchanges of cards to number them.

The types of the fields and the annotations of ``engine.annotations`` tell which values there are. A field of type
``int`` without annotation has the values 0 to 99.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from itertools import chain
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

import msgspec

from cardtable.engine.annotations import CARD_SET, SEAT_NUMBER, AsCards, OneOf, find_bounds, split_annotations
from cardtable.engine.cards import BIT, CARDS, COPY_OFFSET, NAME, Card, Cards, iter_cards
from cardtable.engine.game import Action, AnyGame

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
