"""Random splits of the unseen cards: each possible split occurs, with equal probability."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from cardtable.engine.cards import OF_RANK, OF_SUIT, cards, iter_cards, mask_of, names
from cardtable.engine.determinization import enumerate_hands, sample_split

CLUBS, DIAMONDS, HEARTS, SPADES = OF_SUIT


def enumerate_splits(pool, sizes, banned):
    """Return all splits by exhaustive enumeration."""
    if not sizes:
        return [()]
    return [
        (mask_of(first), *rest)
        for first in combinations(iter_cards(pool & ~banned[0]), sizes[0])
        for rest in enumerate_splits(pool & ~mask_of(first), sizes[1:], banned[1:])
    ]


@pytest.mark.parametrize(
    ("pool", "sizes", "banned"),
    [
        ("2C 3C 2D 3D 2H", (2, 2, 1), (0, 0, 0)),
        ("2C 3C 2D 3D 2H 3H", (2, 2, 2), (CLUBS, 0, 0)),
        ("2C 3C 2D 3D 2H 3H", (2, 2, 2), (CLUBS, DIAMONDS, HEARTS)),
        ("2C 3C 2D 3D 2H 3H", (1, 2, 3), (CLUBS, CLUBS | DIAMONDS, 0)),
        ("2C 3C 2D 3D 2H 3H", (3, 3), (CLUBS, 0)),
        ("2C 3C 4C 2D 3D 2H", (0, 2, 3, 1), (CLUBS, DIAMONDS, HEARTS, 0)),
        ("2C 3C 2D 2H 2S", (1, 1, 2, 1), (CLUBS, CLUBS, 0, HEARTS | SPADES)),
        ("2C 3C 4C 2D", (3, 1), (DIAMONDS, CLUBS)),
        ("2C 2D 2H 2S", (2, 2), (SPADES, 0)),
        ("QS QH KH AS AH", (1, 2, 2), (cards("QH KH"), HEARTS, 0)),
    ],
)
def test_each_split_is_equally_likely(pool, sizes, banned):
    possible = enumerate_splits(cards(pool), sizes, banned)
    rng, expected = Random(20261120), 100
    counts = Counter(tuple(sample_split(cards(pool), sizes, banned, rng)) for _ in range(expected * len(possible)))
    assert set(counts) == set(possible)
    freedom = len(possible) - 1
    chi_square = sum((counts[one] - expected) ** 2 / expected for one in possible)
    assert chi_square <= freedom + 3.1 * (2 * freedom) ** 0.5 + 3.1  # p = 0.001, nearly


@pytest.mark.parametrize(("banned", "number"), [((0, 0, 0), 30), ((0, CLUBS, 0), 9), ((0, CLUBS, DIAMONDS), 7)])
def test_enumerate_hands_lists_each_hand_once(banned, number):
    own, pool, sizes = cards("AS KS"), cards("2C 3C 2D 3D 2H"), (2, 2, 1)
    deals = list(enumerate_hands(own, 0, pool, sizes, banned, number))
    slowly = enumerate_splits(pool, (2, 1, 2), (*banned[1:], 0))
    assert deals == [[own, first, second] for first, second, _ in slowly]
    assert len(deals) == number
    assert enumerate_hands(own, 0, pool, sizes, banned, number - 1) is None


def test_enumerate_hands_tells_no_ranks_apart():
    """Three cards of two ranks are dealt to two seats, one to each: both ranks, or two cards of the first rank."""
    own, pool = cards("AS"), cards("2C 2D 3H")
    deals = enumerate_hands(own, 0, pool, (1, 1, 1), (0, 0, 0), 3, OF_RANK)
    dealt = [names(iter_cards(first) + iter_cards(second)) for _, first, second in deals]
    assert dealt == ["2C 2D", "2C 3H", "3H 2C"]
    assert enumerate_hands(own, 0, pool, (1, 1, 1), (0, 0, 0), 2, OF_RANK) is None


def test_enumerate_hands_counts_all_if_ranks_are_fewer_than_cards():
    """Four seats get one of six cards of two ranks, but no more than three of a rank."""
    own, pool, sizes, banned = cards("AS"), cards("2C 3C 2D 3D 2H 3H"), [1] * 5, [0] * 5
    assert len(list(enumerate_hands(own, 0, pool, sizes, banned, 14, OF_RANK))) == 14
    assert enumerate_hands(own, 0, pool, sizes, banned, 13, OF_RANK) is None


@pytest.mark.parametrize("seed", range(20))
def test_split_of_whole_pack_respects_voids(seed):
    rng = Random(seed)
    deck = rng.sample(range(52), 52)
    hands = [mask_of(deck[13 * seat : 13 * seat + 10]) for seat in range(4)]
    pool = mask_of(deck) & ~mask_of(deck[10:13])
    sizes = [10, 10, 10, pool.bit_count() - 30]
    banned = [sum(suit for suit in OF_SUIT if not hand & suit) for hand in hands[:3]] + [0]
    shared = sample_split(pool, sizes, banned, rng)
    assert [hand.bit_count() for hand in shared] == sizes
    assert sum(shared) == pool
    assert not any(hand & ban for hand, ban in zip(shared, banned, strict=True))


def test_copies_in_a_double_pack_are_distinct():
    pool = cards("AS KS") | cards("AS KS") << 52
    shared = sample_split(pool, (2, 2), (SPADES, 0), Random(1))
    assert shared == [cards("AS KS") << 52, cards("AS KS")]


@pytest.mark.parametrize(
    ("pool", "sizes", "banned"),
    [
        ("2C 3C", (2, 0), (CLUBS, 0)),
        ("2C 2D", (1, 1), (CLUBS, CLUBS)),
        ("2C 3C 2D 2H", (2, 2), (CLUBS | DIAMONDS, 0)),
        ("2C 3C 2D 2H", (2, 1, 1), (CLUBS | DIAMONDS, CLUBS | DIAMONDS, 0)),
    ],
)
def test_impossible_split_raises_value_error(pool, sizes, banned):
    assert enumerate_splits(cards(pool), sizes, banned) == []
    with pytest.raises(ValueError, match="no deal fits"):
        sample_split(cards(pool), sizes, banned, Random(1))
