"""Order of the cards of a hand: by ranks, suits and trumps of a game."""

import pytest

from cardtable.engine.card_order import CardOrder, number_groups, sort_by_rank, sort_by_suit, sort_in_order
from cardtable.engine.cards import CARDS, COPY_OFFSET, card, cards, iter_cards, names

TENS_HIGH = CardOrder(ranks="ATKQJ987")
JACKS_ARE_TRUMPS = CardOrder(ranks="ATKQ987", trumps=tuple(map(card, ("JC", "JS", "JH", "JD"))))
HAND = iter_cards(cards("7C KC TC JD TD AH JS KS"))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (CardOrder(), "KS JS AH JD TD KC TC 7C"),
        (TENS_HIGH, "KS JS AH TD JD TC KC 7C"),
        (CardOrder(suits="HSDC"), "AH KS JS JD TD KC TC 7C"),
        (CardOrder(suits="C"), "KC TC 7C KS JS AH JD TD"),
        (JACKS_ARE_TRUMPS, "JS JD KS AH TD TC KC 7C"),
    ],
)
def test_hand_in_order(order, expected):
    assert names(sort_in_order(HAND, order)) == expected


def test_settings_by_suit_and_by_rank_use_the_ranks_of_the_game():
    assert names(sort_by_suit(HAND, JACKS_ARE_TRUMPS)) == "KS JS AH TD JD TC KC 7C"
    assert names(sort_by_rank(HAND, TENS_HIGH)) == "7C JD JS KC KS TC TD AH"


def test_second_copies_of_trumps_are_trumps():
    equal_cards = [CARDS[c + copy] for c in (card("JC"), card("9S")) for copy in (0, COPY_OFFSET)]
    assert sort_in_order(equal_cards, JACKS_ARE_TRUMPS) == [
        equal_cards[1],
        equal_cards[0],
        equal_cards[3],
        equal_cards[2],
    ]
    assert list(number_groups(equal_cards, JACKS_ARE_TRUMPS).values()) == [-1, -1, 3, 3]


@pytest.mark.parametrize("wrong", [{"ranks": "AKX"}, {"ranks": "AA"}, {"suits": "SHDQ"}, {"trumps": (200,)}])
def test_invalid_order_is_refused(wrong):
    with pytest.raises(ValueError, match="of a card order"):
        CardOrder(**wrong)
