"""Rummy: legal actions of a turn, compared with the rules on paper, which try everything out."""

from random import Random

import pytest

from cardtable.engine.cards import NAME, PACK_52, card, cards, iter_cards, mask_of, names
from cardtable.engine.chance import shuffled
from cardtable.games.rummy.rules import legal_turns
from cardtable.games.rummy.rules.melds import COMBINATION_POINTS, COMBINATIONS, MASK, ORDERED_CARDS
from tests.games.rummy import on_paper as paper

RANKS_TOGETHER = 6


def find_combinations(*texts):
    """Return the combinations of these cards."""
    known = {names(ORDERED_CARDS[one]): one for one in COMBINATIONS}
    return tuple(known[text] for text in texts)


def can_complete_turn(hand, table=(), must=None, barred=""):
    """Return True if the turn can be completed."""
    return legal_turns.can_complete(
        cards(hand),
        legal_turns.find_open_ends(find_combinations(*table)),
        None if must is None else card(must),
        cards(barred),
    )


@pytest.mark.parametrize(
    ("hand", "table", "must", "barred", "can"),
    [
        ("AC", [], None, "", True),
        ("AC", [], None, "AC", False),
        ("AC 3D", [], None, "AC", True),
        ("AC", ["2C 3C 4C"], None, "AC", True),
        ("9H 9C 9D", [], "9H", "", True),
        ("9H 9C 9D", [], "9H", "9H 9C 9D", True),
        ("9H 9C 9D KS", [], "9H", "9H KS", False),
        ("9H 9C 9D 9S", [], "9H", "9H", True),
        ("9H TH JH QH KS", [], "9H", "9H KS TH", True),
        ("9H TH JH KS", [], "9H", "9H KS TH", False),
        ("AH", ["TH JH QH"], "AH", "", False),
        ("AH KH", ["TH JH QH"], "AH", "", True),
        ("AH 2H 4D", ["3H 4H 5H"], "AH", "AH", True),
        ("AH KH", ["2H 3H 4H", "9H TH JH"], "AH", "", True),
        ("5H 6H", ["2H 3H 4H"], "6H", "5H 6H", True),
        ("6H", ["2H 3H 4H"], "6H", "", False),
        ("QC QD", ["QC QH QS"], "QD", "QD QC", False),
        ("AH 2H 3H QH KH QC QD KC KD", [], None, "AH 2H 3H QH KH QC QD KC KD", True),
        ("AH 2H 3H QH KH QC QD KC", [], None, "AH 2H 3H QH KH QC QD KC", False),
        ("AH 2H 3H QH KH", [], None, "AH 2H 3H QH KH", False),
        ("3C 4C 5C 5D 5H", [], None, "3C 4C 5C 5D 5H", False),
        ("3C 4C 5C 5D 5H 5S", [], None, "3C 4C 5C 5D 5H 5S", True),
        ("3C 4C 5C 5D 5H", ["6C 7C 8C"], None, "3C 4C 5C 5D 5H", False),
        ("4C 5C 5D 5H 5S", ["6C 7C 8C"], None, "4C 5C 5D 5H 5S", True),
    ],
)
def test_turn_can_be_completed(hand, table, must, barred, can):
    assert can_complete_turn(hand, table, must, barred) is can
    barred = frozenset(barred.split())
    assert paper.can_be_completed(frozenset(hand.split()), tuple(tuple(t.split()) for t in table), must, barred) is can


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


@pytest.mark.parametrize(
    ("hand", "melds"),
    [
        ("2C 3C 5C 9D", []),
        ("QC KC AC AD AH 2H", ["AC AD AH"]),
        ("AC 2C 3C QC KC", ["QC KC AC"]),
        ("AC 2C 3C QC KC AD AH", ["AC AD AH"]),
        ("7C 7D 7H 7S 8S 9S", ["7S 8S 9S", "7C 7D 7H"]),
        ("4D 5D 6D 7D 6C 6S 6H", ["4D 5D 6D 7D", "6C 6H 6S"]),
    ],
)
def test_best_melds(hand, melds):
    assert [names(ORDERED_CARDS[one]) for one in legal_turns.find_best_melds(cards(hand))] == melds


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
