"""Rummy: legal actions of a turn, compared with the rules on paper, which try everything out."""

from random import Random

import pytest

from cardtable.engine.cards import NAME, PACK_52, iter_cards, mask_of, names
from cardtable.engine.chance import shuffled
from cardtable.games.rummy.rules import legal_turns
from cardtable.games.rummy.rules.melds import COMBINATION_POINTS, COMBINATIONS, MASK, ORDERED_CARDS
from tests.games.rummy import on_paper as paper

RANKS_TOGETHER = 6


def find_combinations(*texts):
    """Return the combinations of these cards."""
    known = {names(ORDERED_CARDS[one]): one for one in COMBINATIONS}
    return tuple(known[text] for text in texts)


def create_small_position(rng):
    """Return a small hand, some combinations on the table and a pile, mostly of neighbouring ranks."""
    low = rng.randrange(13 - RANKS_TOGETHER)
    left = (
        PACK_52
        if rng.random() < 0.3
        else mask_of(c for c in iter_cards(PACK_52) if low <= c % 13 < low + RANKS_TOGETHER)
    )
    table = []
    for _ in range(rng.randrange(5)):
        melds = legal_turns.find_melds(left)
        if melds:
            table.append(rng.choice(melds))
            left &= ~MASK[table[-1]]
    order = shuffled(left, rng)
    size = rng.randint(1, 8)
    return order[:size], tuple(table), order[size : size + rng.randrange(6)]


@pytest.mark.parametrize("taken_cards", ["free", "must-keep"])
def test_legal_actions_match_rules_on_paper(taken_cards):
    rng, completed = Random(taken_cards), 0
    for _ in range(250):
        hand, table, pile = create_small_position(rng)
        if hand:
            completed += compare_with_paper(hand, table, pile, rng.randint(0, len(hand)), taken_cards)
    assert completed > 100


def compare_with_paper(hand, table, pile, number, taken_cards):
    """Compare the legal draws, and the actions after the first `number` cards of the hand were taken.

    Return True if the turn can be completed.
    """
    session = paper.Session(2, {"taken_cards": taken_cards})
    session.table = tuple(tuple(NAME[c] for c in ORDERED_CARDS[one]) for one in table)
    session.hands, session.pile, session.began = [collect_card_names(hand)], list(list_card_names(pile)), []
    legal = legal_turns.list_draws(mask_of(hand), table, pile, 0, must_keep=taken_cards == "must-keep")
    assert sorted(map(str, legal)) == sorted(["stock", *session.iter_takes(0)])
    must = hand[0] if number > 1 else None
    barred = hand[:number] if number == 1 or taken_cards == "must-keep" else ()
    on_paper = collect_card_names(hand), None if must is None else NAME[must], collect_card_names(barred)
    if not legal_turns.can_complete(mask_of(hand), legal_turns.find_open_ends(table), must, mask_of(barred)):
        assert not paper.can_be_completed(collect_card_names(hand), session.table, *on_paper[1:])
        return False
    legal = legal_turns.list_actions_after_draw(mask_of(hand), table, must, mask_of(barred))
    assert sorted(map(str, legal)) == sorted(session.iter_legal_actions(*on_paper))
    return True


def collect_card_names(cards_):
    return frozenset(list_card_names(cards_))


def list_card_names(cards_):
    return [NAME[c] for c in cards_]


def test_best_melds_score_most():
    def count_most(hand):
        melds = legal_turns.find_melds(hand)
        return max([COMBINATION_POINTS[one] + count_most(hand & ~MASK[one]) for one in melds], default=0)

    rng = Random(5)
    for _ in range(300):
        hand = mask_of(rng.sample(list(iter_cards(PACK_52)), rng.choice((7, 13, 17))))
        melds = legal_turns.find_best_melds(hand)
        laid = [card for one in melds for card in ORDERED_CARDS[one]]
        assert len(laid) == len(set(laid))
        assert not mask_of(laid) & ~hand
        assert sum(COMBINATION_POINTS[one] for one in melds) == count_most(hand)
