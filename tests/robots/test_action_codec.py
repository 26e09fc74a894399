"""Codec between actions and numbers."""

from enum import Enum
from typing import Annotated, Literal

import msgspec
import pytest

from cardtable.engine.annotations import AsCards, OneOf
from cardtable.engine.cards import COPY_OFFSET, Card, Cards, card, cards, iter_cards, names
from cardtable.engine.game import Action, Seat
from cardtable.engine.tricks import PLAY, Play
from cardtable.games import GAMES
from cardtable.robots.kit.encoding import ActionCodec
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
