"""Constraints on hidden hands: never wrong, and no needless loss of information."""

from collections import Counter
from itertools import permutations
from random import Random
from types import SimpleNamespace

import pytest

from cardtable.engine.cards import BIT, PACK_36, card, cards, iter_cards, mask_of
from cardtable.engine.determinization import (
    add_hidden,
    compute_absent,
    exclude_cards,
    remove_card,
    sample_from_holdings,
)
from cardtable.games.rikiki.rules import Options, RikikiState

HEARTS = cards("7H 8H 9H")
CLUBS = cards("7C 8C 9C")


def test_excluded_cards_apply_to_the_whole_hand():
    holding = exclude_cards(((4, CLUBS), (1, 0)), HEARTS)
    assert holding == ((4, CLUBS | HEARTS), (1, HEARTS))
    assert compute_absent(holding) == HEARTS


def test_shown_card_leaves_the_strictest_possible_part():
    assert remove_card(((4, HEARTS), (1, 0)), card("QS")) == ((3, HEARTS), (1, 0))
    assert remove_card(((1, HEARTS), (1, 0)), card("QS")) == ((1, 0),)


def test_sampled_hands_satisfy_constraints():
    pool = cards("7H 8H 7C 8C QS")
    one, other = sample_from_holdings(pool, [((2, HEARTS),), ((1, PACK_36 ^ HEARTS), (2, 0))], Random(1))
    assert one | other == pool
    assert one & HEARTS == 0
    with pytest.raises(ValueError, match="fits"):
        sample_from_holdings(cards("7H 8H"), [((2, HEARTS),)], Random(1))


def test_sampling_weights_every_filling_equally():
    """Every order of the cards is enumerated; hands are sampled in proportion to their number of orders."""
    pool, holdings = cards("7H 8H 9H 7C 8C QS"), [((1, HEARTS), (2, 0)), ((1, PACK_36 ^ HEARTS), (2, CLUBS))]
    slots = [part for holding in holdings for number, absent in holding for part in [absent] * number]
    orders = Counter(
        (mask_of(order[:3]), mask_of(order[3:]))
        for order in permutations(iter_cards(pool))
        if not any(BIT[c] & absent for c, absent in zip(order, slots, strict=True))
    )
    rng, tries = Random(1), 20_000
    met = Counter(tuple(sample_from_holdings(pool, holdings, rng)) for _ in range(tries))
    assert set(met) == set(orders)
    for hands, number in orders.items():
        expected = tries * number / orders.total()
        assert abs(met[hands] - expected) < 5 * expected**0.5


@pytest.mark.parametrize("seed", range(30))
def test_actual_hand_always_satisfies_constraints(seed):
    """A hand gains and loses cards at random; after each change it still satisfies the constraints derived from it."""
    rng = Random(seed)
    blind = iter_cards(PACK_36)
    rng.shuffle(blind)
    hand, holding = mask_of(blind[:5]), ((5, 0),)
    del blind[:5]
    while blind and hand:
        shown_cards = mask_of(rng.sample(iter_cards(PACK_36), 12))
        if not hand & shown_cards:
            holding = exclude_cards(holding, shown_cards)
        if rng.random() < 0.5:
            new = blind.pop()
            holding = add_hidden(holding, shown_cards if not BIT[new] & shown_cards else PACK_36 ^ shown_cards)
            hand |= BIT[new]
        else:
            given_card = rng.choice(iter_cards(hand))
            holding = remove_card(holding, given_card)
            hand ^= BIT[given_card]
        assert sum(number for number, _ in holding) == hand.bit_count()
        assert sample_from_holdings(hand, [holding], rng) == [hand]


def test_guessed_hands_have_the_known_cards_and_none_that_were_seen():
    state, view = RikikiState(Options()), SimpleNamespace(seat=0, hand=HEARTS, remembered=0)
    seen, known = cards("AS KS"), (0, CLUBS, cards("2D"), 0)
    for seed in range(20):
        rest = state.guess_hands(view, (3, 3, 3, 3), seen, Random(seed), known=known)
        assert state.hands[:2] == [HEARTS, CLUBS]
        assert state.hands[2] & known[2]
        assert [hand.bit_count() for hand in state.hands] == [3, 3, 3, 3]
        assert sum(state.hands) + seen + mask_of(rest) == state.pack, "each card is in one place"
