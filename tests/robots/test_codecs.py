"""Codecs for robots that learn: actions as choices of few values, and views as numbers."""

from dataclasses import dataclass
from enum import Enum
from math import inf, prod
from typing import Annotated, Literal, NamedTuple

import msgspec
import pytest

from cardtable.engine.annotations import OMITTED, AsCards, CountOf, OneOf
from cardtable.engine.cards import COPY_OFFSET, Card, Cards, card, cards, iter_cards, names
from cardtable.engine.game import Action, Seat, View
from cardtable.engine.tricks import PLAY, Play
from cardtable.games import GAMES
from cardtable.robots.kit.encoding import ActionCodec, ViewEncoder
from tests.overriding import override


class Side(Enum):
    LEFT = "left"
    RIGHT = "right"


class Exchange(Action, frozen=True):
    kind = "exchange"
    cards: Cards

    @property
    def notation(self):
        return names(iter_cards(self.cards))


class Offer(Action, frozen=True):
    """Type of which an action has two fields."""

    kind = "offer"
    card: Card
    to: Seat


class OneField(Action, frozen=True):
    kind = "one"

    @property
    def notation(self):
        return str(getattr(self, "value", ""))


def make_codec(*types):
    return ActionCodec(override(GAMES["gurka"], actions=types))


def make_type(annotation):
    """Return a type of actions with a field of this type."""
    return msgspec.defstruct("Made", [("value", annotation)], bases=(OneField,), frozen=True)


@pytest.mark.parametrize(
    ("annotation", "values"),
    [
        (bool, [False, True]),
        (int, range(100)),
        (Annotated[int, msgspec.Meta(ge=2, le=5)], range(2, 6)),
        (Annotated[int, msgspec.Meta(gt=2, lt=5)], [3, 4]),
        (Annotated[int, OneOf((10, 20))], [10, 20]),
        (Annotated[str, OneOf(("up", "down"))], ["up", "down"]),
        (Literal["up", "down"], ["up", "down"]),
        (Side, list(Side)),
        (Seat, range(6)),
        (Annotated[int, msgspec.Meta(ge=0, le=1)] | None, [0, 1, None]),
    ],
)
def test_values_of_a_field_follow_from_its_type(annotation, values):
    kind = make_type(annotation)
    codec = make_codec(kind)
    assert not codec.has_sequences
    assert [codec.decode([index]) for index in range(codec.size)] == [*map(kind, values)]
    assert [codec.encode(kind(value)) for value in values] == [(index,) for index in range(codec.size)]


def test_a_play_is_one_choice():
    codec = make_codec(Play)
    assert codec.size == COPY_OFFSET
    assert codec.labels[codec.encode(PLAY[card("QS")])[0]] == "play QS"
    assert codec.encode(PLAY[card("QS") + COPY_OFFSET]) == codec.encode(PLAY[card("QS")])


def get_labels(codec, action):
    return " ".join(codec.labels[index] for index in codec.encode(action))


def test_a_set_of_cards_is_a_sequence_of_choices():
    codec = make_codec(Exchange)
    action = Exchange(cards("2C QS AH"))
    assert get_labels(codec, action) == "exchange 2C AH QS end"
    path = codec.encode(action)
    assert [codec.decode(path[:length]) for length in range(len(path))] == [None] * len(path)
    assert codec.decode(path) == action
    assert codec.size == 1 + COPY_OFFSET + 1


def test_two_copies_of_a_card_are_chosen_twice():
    codec = make_codec(Exchange)
    action = Exchange(cards("2C 9H") | cards("2C") << COPY_OFFSET)
    assert get_labels(codec, action) == "exchange 2C 2C 9H end"
    assert codec.decode(codec.encode(action)) == action


def test_each_of_several_fields_is_a_choice():
    codec = make_codec(Offer)
    assert get_labels(codec, Offer(card("TH"), 3)) == "offer TH 3"
    assert codec.decode(codec.encode(Offer(card("TH"), 3))) == Offer(card("TH"), 3)


def test_mask_allows_the_next_choice_of_legal_actions():
    codec = make_codec(Play, Exchange)
    legal = [PLAY[card("2C")], Exchange(cards("3C 4C")), Exchange(cards("3C 5C")), Exchange(cards("6C"))]

    def list_allowed(*chosen):
        path = tuple(codec.labels.index(label) for label in chosen)
        return [label for label, allowed in zip(codec.labels, codec.mask(legal, path), strict=True) if allowed]

    assert list_allowed() == ["play 2C", "exchange"]
    assert list_allowed("exchange") == ["3C", "6C"]
    assert list_allowed("exchange", "3C") == ["4C", "5C"]
    assert list_allowed("exchange", "3C", "5C") == ["end"]
    assert list_allowed("play 2C") == list_allowed("exchange", "7C") == []


def test_wrong_paths_are_rejected():
    codec = make_codec(Play, Offer)
    offer, queen, last = codec.labels.index("offer"), codec.labels.index("QS"), codec.size - 1
    assert codec.decode([offer, queen]) is None
    for path in ([-1], [codec.size], [0, 0], [queen], [offer, 0], [offer, last, queen], [offer, queen, last, last]):
        with pytest.raises(ValueError, match="no action consists of the choices"):
            codec.decode(path)


def test_unknown_values_are_explained():
    with pytest.raises(ValueError, match=r"Gurka: annotate value of Made with its values, such as Annotated\[str, One"):
        make_codec(make_type(str))
    with pytest.raises(ValueError, match="one 100: annotate Made with all values"):
        make_codec(make_type(int)).encode(make_type(int)(100))


def test_values_must_have_different_cards():
    by_rank = AsCards(lambda rank: [Card(rank), Card(rank + 13)], tuple(range(13)))
    kind = make_type(Annotated[int, by_rank])
    codec = make_codec(kind)
    assert get_labels(codec, kind(12)) == "one AC AD end"
    assert codec.decode(codec.encode(kind(12))) == kind(12)
    with pytest.raises(ValueError, match="no action"):
        codec.decode([*codec.encode(kind(12))[:2], codec.labels.index("end")])


# --- encoding of views as vectors


SEATS = 4


class Colour(Enum):
    RED = "red"
    BLACK = "black"


class Pair(NamedTuple):
    seat: Seat
    points: int


@dataclass(frozen=True)
class Flags:
    first: bool
    text: str


def make_encoder(annotation):
    """Return an encoder of views with a field of this type, and a function that makes such a view."""
    kind = msgspec.defstruct("MadeView", [("field", annotation)], bases=(View,), frozen=True)

    def make_view(value, seat):
        return kind(seat=seat, turn=-1, legal=(), round=1, finished=0, playing=True, totals=(0,) * SEATS,
                    options=GAMES["gurka"].options(), hand=0, drawn=None, field=value)  # fmt: skip

    return ViewEncoder(override(GAMES["gurka"], view=kind), SEATS), make_view


def encode(annotation, value, seat=1):
    """Return the entries of a value other than 0, by their labels."""
    encoder, make_view = make_encoder(annotation)
    field = encoder.fields[-1]
    assert field.name == "field"
    vector = encoder.observe(make_view(value, seat))
    entries = vector[field.start : field.end]
    assert len(vector) == encoder.size == field.end
    assert all(field.low <= entry <= field.high for entry in entries)
    return {label: round(entry, 3) for label, entry in zip(field.labels, entries, strict=True) if entry}


@pytest.mark.parametrize(
    ("annotation", "value", "entries"),
    [
        (int, 7, {"": 7}),
        (bool, True, {"": 1}),
        (bool, False, {}),
        (int | None, 0, {"known": 1}),
        (int | None, 3, {"known": 1, "": 3}),
        (int | None, None, {}),
        (Annotated[int, OneOf((5, 6))], 6, {"6": 1}),
        (Annotated[int, OneOf((5, 6))] | None, 6, {"6": 1}),
        (Annotated[int, OneOf((5, 6))] | None, None, {}),
        (Literal["up", "down"], "down", {"down": 1}),
        (Colour, Colour.RED, {"red": 1}),
        (Seat, 1, {"own": 1}),
        (Seat, 0, {"seat +3": 1}),
        (Seat, -2, {}),
        (Card, card("QS"), {"QS": 1}),
        (Card, card("QS") + COPY_OFFSET, {"QS": 1}),
        (Card | None, None, {}),
        (Cards, cards("2C AS"), {"2C": 1, "AS": 1}),
        (Cards, cards("2C AS") | cards("AS") << COPY_OFFSET, {"2C": 1, "AS": 2}),
        (tuple[Card, ...], (card("2C"), card("AS"), card("3D")), {"3D": 1, "AS": 0.5, "2C": 0.333}),
        (tuple[Card, ...], (), {}),
        (tuple[int, ...], (10, 11, 12, 13), {"own": 11, "seat +1": 12, "seat +2": 13, "seat +3": 10}),
        (tuple[int, ...], (), {}),
        (tuple[int | None, ...], (None, 0, None, 9), {"own known": 1, "seat +2 known": 1, "seat +2": 9}),
        (tuple[Cards, ...], (cards("2C"), 0, cards("3C"), 0), {"seat +1 3C": 1, "seat +3 2C": 1}),
        (tuple[Seat, ...], (2, 2, 0), {"seat +1": 2, "seat +3": 1}),
        (Annotated[tuple[Seat, ...], msgspec.Meta(max_length=2)], (2,), {"1 seat +1": 1}),
        (Annotated[tuple[int, ...], msgspec.Meta(max_length=3)], (4, 5), {"1": 4, "2": 5}),
        (Annotated[tuple[str, ...], CountOf(("a", "b"))], ("b", "b"), {"b": 2}),
        (Annotated[int, AsCards(lambda rank: [rank, rank + 13])], 0, {"2C": 1, "2D": 1}),
        (Pair, Pair(2, 30), {"seat seat +1": 1, "points": 30}),
        (Flags, Flags(True, "left out"), {"first": 1}),
        (tuple[Pair, ...], (Pair(-1, 0), Pair(-1, 8), Pair(-1, 0), Pair(-1, 0)), {"own points": 8}),
    ],
)  # fmt: skip
def test_encoding_follows_from_the_type(annotation, value, entries):
    assert encode(annotation, value) == entries


@pytest.mark.parametrize(
    "annotation", [str, dict[int, int], tuple[tuple[Card, ...], ...], tuple[int, int], Annotated[int, OMITTED]]
)
def test_other_types_are_left_out(annotation):
    encoder, make_view = make_encoder(annotation)
    assert encoder.omitted == ("seat", "legal", "field")
    assert len(encoder.observe(make_view("", 0))) == encoder.size


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (tuple[int, ...], (1, 2)),
        (Annotated[tuple[int, ...], msgspec.Meta(max_length=2)], (1, 2, 3)),
        (Annotated[int, OneOf((5, 6))], 7),
    ],
)
def test_values_of_other_types_are_refused(annotation, value):
    with pytest.raises(ValueError, match="annotate the type of field of MadeView: it does not fit "):
        encode(annotation, value)


def test_house_rules_are_entries_by_value():
    """All but the limit of time."""
    encoder, make_view = make_encoder(int)
    (field,) = [one for one in encoder.fields if one.name == "options"]
    view = msgspec.structs.replace(make_view(0, 1), options=GAMES["gurka"].options(limit=50, must_head="on"))
    entries = encoder.observe(view)[field.start : field.end]
    chosen = [label for label, entry in zip(field.labels, entries, strict=True) if entry]
    assert chosen == ["seats 4", "ace_rule any", "must_head on", "limit 50", "open_hands off"]


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        (int, ()),
        (Cards, (52,)),
        (tuple[int, ...], (SEATS,)),
        (tuple[Cards, ...], (SEATS, 52)),
        (tuple[int | None, ...], (SEATS, 2)),
        (Annotated[tuple[Seat, ...], msgspec.Meta(max_length=2)], (2, SEATS)),
        (tuple[Pair, ...], (SEATS, SEATS + 1)),
    ],
)
def test_shape_of_a_field(annotation, shape):
    encoder, _ = make_encoder(annotation)
    assert encoder.fields[-1].shape == shape
    assert len(encoder.fields[-1].labels) == prod(shape)


def test_bounds_of_numbers_are_described():
    for annotation, bounds in ((int, (-inf, inf)), (Annotated[int, msgspec.Meta(ge=0, lt=9)], (0, 8))):
        encoder, _ = make_encoder(annotation)
        assert (encoder.fields[-1].low, encoder.fields[-1].high) == bounds


def test_seats_that_know_the_same_observe_the_same():
    """Observations do not depend on the number of the seat."""
    assert encode(tuple[int, ...], (1, 2, 3, 4), seat=0) == encode(tuple[int, ...], (4, 1, 2, 3), seat=1)
