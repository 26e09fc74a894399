"""Rummy: what may be done in a turn, compared with the plain reading of the rules that tries everything out."""

from random import Random

import pytest

from cardtable.engine.cards import NAME, PACK_52, card, cards, iter_cards, mask_of, names
from cardtable.engine.chance import shuffled
from cardtable.games.rummy.rules import legal_turns
from cardtable.games.rummy.rules.melds import COMBINATIONS, MASK, ORDERED_CARDS
from tests.games.rummy import on_paper as paper

RANKS_TOGETHER = 6


def on_table(*texts):
    """Combinations of these cards."""
    known = {names(ORDERED_CARDS[one]): one for one in COMBINATIONS}
    return tuple(known[text] for text in texts)


def completes(hand, table=(), must=None, barred=""):
    """Whether the turn can be completed."""
    return legal_turns.can_complete(
        cards(hand), legal_turns.find_open_ends(on_table(*table)), None if must is None else card(must), cards(barred)
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
def test_a_turn_can_be_completed_or_not(hand, table, must, barred, can):
    assert completes(hand, table, must, barred) is can
    barred = frozenset(barred.split())
    assert paper.can_be_completed(frozenset(hand.split()), tuple(tuple(t.split()) for t in table), must, barred) is can


def small_position(rng):
    """A few combinations on the table, a small hand, and cards of a pile, of ranks that go together."""
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
def test_what_may_be_done_is_what_the_rules_on_paper_say(taken_cards):
    rng, completed = Random(taken_cards), 0
    for _ in range(250):
        hand, table, pile = small_position(rng)
        if hand:
            completed += compare(hand, table, pile, rng.randint(0, len(hand)), taken_cards)
    assert completed > 100


def compare(hand, table, pile, number, taken_cards):
    """How a turn may begin, and how it may go on if the first so many cards of the hand were taken; whether it may."""
    session = paper.Session(2, {"taken_cards": taken_cards})
    session.table = tuple(tuple(NAME[c] for c in ORDERED_CARDS[one]) for one in table)
    session.hands, session.pile, session.began = [held(hand)], list(held_in_order(pile)), []
    found = legal_turns.list_draws(mask_of(hand), table, pile, 0, must_keep=taken_cards == "must-keep")
    assert sorted(map(str, found)) == sorted(["stock", *session.takes(0)])
    must = hand[0] if number > 1 else None
    barred = hand[:number] if number == 1 or taken_cards == "must-keep" else ()
    on_paper = held(hand), None if must is None else NAME[must], held(barred)
    if not legal_turns.can_complete(mask_of(hand), legal_turns.find_open_ends(table), must, mask_of(barred)):
        assert not paper.can_be_completed(held(hand), session.table, *on_paper[1:])
        return False
    found = legal_turns.list_actions_after_draw(mask_of(hand), table, must, mask_of(barred))
    assert sorted(map(str, found)) == sorted(session.may(*on_paper))
    return True


def held(cards_):
    return frozenset(held_in_order(cards_))


def held_in_order(cards_):
    return [NAME[c] for c in cards_]
