"""What a table knows of hidden hands: never wrong, and nothing forgotten without need."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from cardtable.engine.cards import BIT, PACK_36, card, cards, iter_cards, mask_of
from cardtable.engine.determinization import (
    add_hidden,
    compute_absent,
    exclude_cards,
    remove_shown,
    sample_from_holdings,
)

HEARTS = cards("7H 8H 9H")
CLUBS = cards("7C 8C 9C")


def test_what_is_shown_to_lack_holds_for_all_cards_of_the_hand():
    holding = exclude_cards(((4, CLUBS), (1, 0)), HEARTS)
    assert holding == ((4, CLUBS | HEARTS), (1, HEARTS))
    assert compute_absent(holding) == HEARTS


def test_a_hidden_card_is_a_part_of_its_own():
    holding = add_hidden(((4, HEARTS),), 0)
    assert holding == ((4, HEARTS), (1, 0))
    assert compute_absent(holding) == 0


def test_parts_that_say_the_same_are_one():
    assert add_hidden(add_hidden(((4, HEARTS),), 0), 0) == ((4, HEARTS), (2, 0))
    assert exclude_cards(((4, HEARTS), (1, 0)), HEARTS) == ((5, HEARTS),)


def test_a_card_leaves_the_only_part_it_can_have_been_in():
    assert remove_shown(((4, HEARTS), (1, 0)), card("7H")) == ((4, HEARTS),)
    assert remove_shown(((1, 0),), card("7H")) == ()


def test_a_card_leaves_the_strictest_part_that_says_what_the_others_say():
    assert remove_shown(((4, HEARTS), (1, 0)), card("QS")) == ((3, HEARTS), (1, 0))
    assert remove_shown(((1, HEARTS), (1, 0)), card("QS")) == ((1, 0),)


def test_parts_of_which_neither_says_what_the_other_says_become_one():
    assert remove_shown(((2, HEARTS), (3, CLUBS), (1, PACK_36 ^ HEARTS)), card("QS")) == ((1, PACK_36 ^ HEARTS), (4, 0))


def test_hands_that_fit_are_guessed():
    pool = cards("7H 8H 7C 8C QS")
    one, other = sample_from_holdings(pool, [((2, HEARTS),), ((1, PACK_36 ^ HEARTS), (2, 0))], Random(1))
    assert one | other == pool
    assert one & HEARTS == 0
    with pytest.raises(ValueError, match="fits"):
        sample_from_holdings(cards("7H 8H"), [((2, HEARTS),)], Random(1))


def test_each_way_to_fill_the_parts_is_equally_likely():
    """Every order of the cards is tried: the hands that come of those that fit are guessed in that proportion."""
    pool, holdings = cards("7H 8H 9H 7C 8C QS"), [((1, HEARTS), (2, 0)), ((1, PACK_36 ^ HEARTS), (2, CLUBS))]
    slots = [part for holding in holdings for number, absent in holding for part in [absent] * number]
    ways = Counter(
        (mask_of(order[:3]), mask_of(order[3:]))
        for order in permutations(iter_cards(pool))
        if not any(BIT[c] & absent for c, absent in zip(order, slots, strict=True))
    )
    rng, tries = Random(1), 20_000
    met = Counter(tuple(sample_from_holdings(pool, holdings, rng)) for _ in range(tries))
    assert set(met) == set(ways)
    for hands, number in ways.items():
        expected = tries * number / ways.total()
        assert abs(met[hands] - expected) < 5 * expected**0.5


@pytest.mark.parametrize("seed", range(30))
def test_the_truth_is_never_ruled_out(seed):
    """A hand comes and goes at random; whatever it shows, it still fits what is known of it."""
    rng = Random(seed)
    blind = iter_cards(PACK_36)
    rng.shuffle(blind)
    hand, holding = mask_of(blind[:5]), ((5, 0),)
    del blind[:5]
    while blind and hand:
        shown = mask_of(rng.sample(iter_cards(PACK_36), 12))
        if not hand & shown:
            holding = exclude_cards(holding, shown)
        if rng.random() < 0.5:
            new = blind.pop()
            holding = add_hidden(holding, shown if not BIT[new] & shown else PACK_36 ^ shown)
            hand |= BIT[new]
        else:
            given = rng.choice(iter_cards(hand))
            holding = remove_shown(holding, given)
            hand ^= BIT[given]
        assert sum(number for number, _ in holding) == hand.bit_count()
        assert sample_from_holdings(hand, [holding], rng) == [hand]
