"""Rummy: determinization of a hand that has taken a card that it must use."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import PACK_52, card, cards, iter_cards, mask_of
from cardtable.games import GAMES
from cardtable.games.rummy.rules import RummyState, legal_turns
from cardtable.games.rummy.rules.actions import Options
from cardtable.games.rummy.rules.melds import MASK
from tests.games.rummy.test_legal_turns import find_combinations

TABLE = (
    "2C 3C 4C 5C 6C 7C 8C", "2D 3D 4D 5D 6D", "2H 3H 4H 5H 6H", "2S 3S 4S 5S 6S", "JC JD JH", "QC QD QH QS",
    "KC KD KH KS",
)  # fmt: skip
TAKEN = "9H TC 8D"
"""Cards just taken by the other player; the first must be used."""


def create_view(taken_cards, hidden):
    """Return seat 0's view: the other hand holds `TAKEN` and `hidden` cards of 7D 8H 8S 9C 9D 9S TD TH TS JS."""
    state = RummyState(Options(taken_cards=taken_cards))
    state.first, state.round, state.playing, state.turn = 0, 1, True, 1
    state.table = find_combinations(*TABLE)
    state.owners = (0,) * len(TABLE)
    gone = mask_of(c for one in state.table for c in iter_cards(MASK[one]))
    taken, own = cards(TAKEN), cards("AC AD AH AS 7H 7S")
    pool = PACK_52 & ~gone & ~taken & ~own
    state.drew, state.taken, state.must, state.shown = True, taken, card("9H"), (0, taken)
    order = iter_cards(pool)
    state.hands = (own, taken | mask_of(order[:hidden]))
    state.stock, state.pile = tuple(order[hidden:]), ()
    return state.view(0), pool


@pytest.mark.parametrize(("taken_cards", "hidden"), [("free", 2), ("free", 3), ("free", 4), ("must-keep", 4)])
def test_hands_that_can_complete_turn_are_uniform(taken_cards, hidden):
    view, pool = create_view(taken_cards, hidden)
    end = legal_turns.find_open_ends(view.table)
    possible = [
        hand
        for hand in map(mask_of, combinations(iter_cards(pool), hidden))
        if legal_turns.can_complete(hand | cards(TAKEN), end, view.must, view.barred)
    ]
    assert_uniform(possible, view, pool)


def test_hands_are_uniform_on_own_turn():
    view, pool = create_view("free", 3)
    own = replace(view, turn=0, drew=False, taken=0, must=None)
    assert_uniform([mask_of(hand) for hand in combinations(iter_cards(pool), 3)], own, pool)


def assert_uniform(possible, view, pool):
    """Check that only these parts of the other hand are drawn, each about 40 times in 40 draws per part."""
    rng = Random(f"{len(possible)}")
    met = Counter(GAMES["rummy"].imagine(view, rng).hands[1] & pool for _ in range(40 * len(possible)))
    assert set(met) == set(possible)
    off = sum((met[hand] - 40) ** 2 / 40 for hand in possible)
    freedom = len(possible) - 1
    assert abs(off - freedom) < 4 * (2 * freedom + 1) ** 0.5
