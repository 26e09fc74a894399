"""Encoding of views as vectors."""

from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Annotated, Literal, NamedTuple

import msgspec
import pytest

from cardtable.engine.annotations import OMITTED, AsCards, CountOf, OneOf
from cardtable.engine.cards import COPY_OFFSET, Card, Cards, card, cards
from cardtable.engine.game import Seat, View
from cardtable.games import GAMES
from cardtable.robots.kit.encoding import ViewEncoder
from tests.overriding import override

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
    assert encoder.omitted == ("seat", "legal", "options", "field")
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


def test_bounds_of_numbers_are_described():
    for annotation, bounds in ((int, (-inf, inf)), (Annotated[int, msgspec.Meta(ge=0, lt=9)], (0, 8))):
        encoder, _ = make_encoder(annotation)
        assert (encoder.fields[-1].low, encoder.fields[-1].high) == bounds


def test_seats_that_know_the_same_observe_the_same():
    """Observations do not depend on the number of the seat."""
    assert encode(tuple[int, ...], (1, 2, 3, 4), seat=0) == encode(tuple[int, ...], (4, 1, 2, 3), seat=1)
