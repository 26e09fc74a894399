"""Packs, portions of a deal, and captures by a sum."""

import pytest

from cardtable.engine.cards import PACK_36, PACK_52, RANK, TWO_PACKS_32, cards, list_subsets_with_sum, pack_of
from cardtable.engine.round_state import deal_portion

SCOPA = pack_of("A234567JQK")


def value_of(card):
    """Value of a card of Scopa: the ace is 1, and jack, queen and king are 8, 9 and 10."""
    rank = RANK[card]
    return 1 if rank == 12 else rank + 2 if rank < 6 else rank - 1


def test_packs_by_their_ranks():
    assert pack_of("23456789TJQKA") == PACK_52
    assert pack_of("6789TJQKA") == PACK_36
    assert pack_of("789TJQKA", copies=2) == TWO_PACKS_32
    assert pack_of("AK", suits="HS") == cards("KH AH KS AS")
    assert SCOPA.bit_count() == 40


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"ranks": "A1"}, "'1C' is not a card"),
        ({"ranks": "AA"}, "AC is in the pack twice"),
        ({"ranks": "A", "suits": "HH"}, "AH is in the pack twice"),
        ({"ranks": "A", "copies": 3}, "1 or 2 copies of each card, not 3"),
    ],
)
def test_impossible_packs(arguments, error):
    with pytest.raises(ValueError, match=error):
        pack_of(**arguments)


@pytest.mark.parametrize(
    ("table", "total", "captures"),
    [
        ("7C 5D 2H 4S AC", 7, ["7C", "5D 2H", "2H 4S AC"]),
        ("KC JD 2H", 10, ["KC", "JD 2H"]),
        ("2C 2D 2H", 4, ["2C 2D", "2C 2H", "2D 2H"]),
        ("KC KD", 5, []),
        ("", 5, []),
        ("AC", 0, []),
    ],
)
def test_captures_by_a_sum(table, total, captures):
    assert [*list_subsets_with_sum(cards(table), value_of, total)] == [cards(each) for each in captures]


def test_portions_of_three_until_the_stock_is_empty():
    order = tuple(range(40))
    hands, stock = deal_portion(order, 4, 3)
    assert [each.bit_count() for each in hands] == [3] * 4
    assert len(stock) == 28
    assert deal_portion(stock[:12], 4, 3)[1] == ()
