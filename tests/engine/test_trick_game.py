"""Actions of several cards, reasons that all trick-taking games give, and orders in which a trick is taken."""

import itertools
from types import SimpleNamespace

import pytest

from cardtable.engine.card_order import USUAL_ORDER, CardOrder, sort_in_order
from cardtable.engine.cards import CARDS, COPY_OFFSET, OF_SUIT, PACK_52, card, cards, iter_cards
from cardtable.engine.game import CardsAction
from cardtable.engine.tricks import create_order, order
from tests.toy import eights


@pytest.mark.parametrize(
    ("played", "turn", "trick", "reason"),
    [
        ("7H", 1, (), "It is not your turn"),
        ("8H", 0, (), "You do not hold that card"),
        ("7C 8C", 0, (), "You do not hold that card"),
        ("QS", 0, (card("9H"),), "You must follow"),
        ("7H", 0, (), "That is not possible now"),
        ("7H QS", 0, (), "That is not possible now"),
    ],
)
def test_reason_for_unplayable_cards(played, turn, trick, reason):
    view = SimpleNamespace(turn=turn, seat=0, hand=cards("7H QS"), trick=trick)
    assert eights.GAME.explain_illegal(view, cards(played)).startswith(reason)


class PassedCards(CardsAction, frozen=True):
    @property
    def kind(self):
        return "pass"


def test_action_of_several_cards_is_written_with_their_names():
    action = PassedCards(cards("7H QS"))
    assert set(action.notation.split()) == {"7H", "QS"}
    assert str(action) == f"pass {action.notation}"
    assert action.cards_used() == cards("7H QS")


def list_cards(text):
    return tuple(map(card, text.split()))


BELOTE = CardOrder(ranks="ATKQJ987", trumps=list_cards("JS 9S AS TS KS QS 8S 7S"))
SKAT = CardOrder(ranks="ATKQ987", trumps=list_cards("JC JS JH JD AH TH KH QH 9H 8H 7H"))


@pytest.mark.parametrize(
    ("card_order", "trick", "winner"),
    [
        (BELOTE, "KH TH AD 9H", "TH"),
        (BELOTE, "AS 9S JS TS", "JS"),
        (BELOTE, "AH 7S TH 8S", "8S"),
        (SKAT, "JH AH JC", "JC"),
        (SKAT, "AC TC 7H", "7H"),
        (SKAT, "KD TD AS", "TD"),
        (SKAT, "JD AD TD", "JD"),
    ],
)
def test_trick_in_the_order_of_the_hand(card_order, trick, winner):
    played = list_cards(trick)
    assert played[create_order(card_order).winner(played)] == card(winner)


def test_first_of_two_equal_cards_takes_the_trick():
    assert create_order(BELOTE).winner([card("TS"), card("JS"), card("JS") + COPY_OFFSET]) == 1
    assert create_order(BELOTE).winner([card("7H"), card("AH") + COPY_OFFSET, card("AH")]) == 1


@pytest.mark.parametrize("trump", range(4))
def test_usual_order_of_the_hand_is_ace_high(trump):
    trumps = tuple(sort_in_order(iter_cards(OF_SUIT[trump] & PACK_52), USUAL_ORDER))
    for led, other in itertools.product(CARDS[:COPY_OFFSET], repeat=2):
        trick = [led, other]
        assert create_order(CardOrder(trumps=trumps)).winner(trick) == order(trump).winner(trick)
        assert create_order(USUAL_ORDER).winner(trick) == order().winner(trick)
