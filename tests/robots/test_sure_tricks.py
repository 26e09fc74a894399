"""Number of sure tricks, compared with an exhaustive search of small hands."""

from functools import cache
from random import Random

import pytest

from cardtable.engine.cards import (
    COPY_OFFSET,
    JACK,
    PACK_32,
    PACK_52,
    TWO_PACKS_32,
    Card,
    cards,
    iter_cards,
    mask_of,
    normalize_copies,
)
from cardtable.games.ten_down.rules import Options
from cardtable.robots.kit.bidding_policy import make_cards_by_suit

SPADES = 3


def count_sure_tricks(hand, out, trump=SPADES, *, leads=False, last_wins=False):
    """Count the sure tricks of a hand in card notation; a card named twice is there twice."""
    return make_cards_by_suit(read_two_packs(hand), read_two_packs(out), trump, last_wins=last_wins).count_sure_tricks(
        is_leading=leads
    )


def read_two_packs(text):
    mask = 0
    for card in text.split():
        bit = cards(card)
        mask |= bit << COPY_OFFSET if mask & bit else bit
    return mask


@pytest.mark.parametrize(
    ("hand", "out", "options", "tricks"),
    [
        ("AS 2C", "KS QS AC", {}, 1),
        ("KS 2C", "AS QS AC", {}, 0),
        ("KS QS 2C", "AS JS AC", {}, 1),
        ("KS QS JS TS", "AS 9S 8S", {}, 3),
        ("QS JS TS", "AS KS 2S", {}, 1),
        ("AC KC", "2S QC", {"leads": True}, 0),
        ("AS AC KC", "2S QC", {"leads": True}, 3),
        ("AS AC KC", "2S 3S QC", {"leads": True}, 1),
        ("AS 2S", "3S QC", {"leads": True}, 2),
        ("AS JS", "KS 3S", {"leads": True}, 1),
        ("2S AC", "QC KD", {}, 2),
        ("2S 3C", "QC KD", {}, 1),
        ("AC KC 2D", "QC JC TC AD", {"leads": True, "trump": None}, 2),
        ("AC KC 2C", "QC JC", {"leads": True, "trump": None}, 3),
        ("AC KC 2D", "QC JC TC AD", {"trump": None}, 0),
        ("AC AD", "KC KD", {"trump": None}, 2),
        ("AC AD", "KC KD KH", {"trump": None}, 0),
        ("AS AS 7C", "KS KS", {}, 2),
        ("AS 7C", "AS KS", {}, 0),
        ("AS 7C", "AS KS", {"leads": True}, 1),
        ("AS 7C", "AS KS", {"leads": True, "last_wins": True}, 0),
        ("AS KS", "AS 7S", {}, 1),
    ],
)
def test_sure_tricks(hand, out, options, tricks):
    """Spades are trumps but where there are none; cards named twice are in a double pack."""
    assert count_sure_tricks(hand, out, **options) == tricks


def search_guaranteed_tricks(hands, leader, trump, winner, *, wanted=True):
    """Return the tricks of seat 0 if it plays its best with all cards visible and the others join against it.

    If they are not `wanted`, seat 0 avoids them, too.
    """

    @cache
    def search(hands, leader, trick):
        seat = (leader + len(trick)) % len(hands)
        if len(trick) == len(hands):
            taker = (leader + winner(trick, trump)) % len(hands)
            return (taker == 0) + search(hands, taker, ())
        if not hands[seat]:
            return 0
        hand = hands[seat]
        same = [c for c in hand if trick and c // 13 == trick[0] // 13]
        values = []
        for c in set(same or hand):
            left = list(hand)
            left.remove(c)
            values.append(search((*hands[:seat], tuple(left), *hands[seat + 1 :]), leader, (*trick, Card(c))))
        return max(values) if wanted and seat == 0 else min(values)

    return search(tuple(hands), leader, ())


@pytest.mark.parametrize("pack", ["one", "two"])
def test_sure_tricks_hold_in_exhaustive_search(pack):
    """Mostly high cards are dealt, because these hands often have sure tricks."""
    total = 0
    for seed in range(80):
        rng = Random(seed)
        high = [
            c for c in iter_cards(TWO_PACKS_32 if pack == "two" else PACK_32) if c % 13 > JACK and rng.random() < 0.9
        ]
        seats, number, trump = rng.choice([2, 3]), rng.choice([2, 3]), rng.choice([*range(4), None])
        dealt = rng.sample(high, seats * number)
        hands = [dealt[at : at + number] for at in range(0, len(dealt), number)]
        out = normalize_copies(mask_of(c for hand in hands[1:] for c in hand))
        identical = rng.choice(["first", "last"])
        counted = make_cards_by_suit(normalize_copies(mask_of(hands[0])), out, trump, last_wins=identical == "last")
        ranks = [tuple(sorted(c % COPY_OFFSET for c in hand)) for hand in hands]
        taken, forced = [
            [
                search_guaranteed_tricks(ranks, leader, trump, Options(identical=identical).find_winner, wanted=wanted)
                for leader in range(seats)
            ]
            for wanted in (True, False)
        ]
        assert counted.count_sure_tricks(is_leading=True) <= taken[0]
        assert counted.count_sure_tricks(is_leading=False) <= min(taken[1:])
        assert counted.count_sure_trumps() <= min(counted.count_sure_tricks(is_leading=False), *forced)
        total += counted.count_sure_tricks(is_leading=True) + counted.count_sure_tricks(is_leading=False)
    assert total > 80


def test_all_top_trumps_are_sure():
    own = cards("AS KS QS JS")
    assert make_cards_by_suit(own, PACK_52 & ~own, SPADES).count_sure_tricks(is_leading=False) == 4
