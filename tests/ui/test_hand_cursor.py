"""Cursor on the player's own hand."""

from cardtable.engine.cards import card, cards, names
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAYS
from cardtable.ui.game_view.game_view import sort_by_suit
from cardtable.ui.game_view.hand_cursor import HandCursor


class CombinedAction(Action, frozen=True):
    """Several cards in one action."""

    cards: int

    def cards_used(self):
        return self.cards


HAND = sort_by_suit(cards("AS 4S KH 9H TD QC"))


def create_cursor(legal: str) -> HandCursor:
    return HandCursor().with_hand(HAND, PLAYS.of(cards(legal)))


def test_cursor_wraps_around_legal_cards():
    cursor = create_cursor("4S 9H QC")
    seen = []
    for _ in range(4):
        seen.append(cursor.at)
        cursor = cursor.move(1)
    assert names(seen) == "4S 9H QC 4S"
    cursor = cursor.move(-1)
    cursor = cursor.move(-1)
    assert cursor.at == card("QC")


def test_any_card_visits_illegal_cards():
    cursor = create_cursor("KH 9H")
    cursor = cursor.move(1, any_card=True)
    cursor = cursor.move(1, any_card=True)
    assert cursor.at == card("TD")
    assert not cursor.can_select(card("TD"))
    assert cursor.list_actions() == []


def test_rank_key_cycles_through_suits():
    cursor = create_cursor("AS 4S KH 9H TD QC")
    assert cursor.move_to_rank(7).at == card("9H")
    assert cursor.move_to_rank(0) is None
    both = HandCursor().with_hand(sort_by_suit(cards("9S 9H")), PLAYS.of(cards("9S 9H"))).move_to_rank(7)
    assert both.at == card("9H")
    assert both.move_to_rank(7).at == card("9S")


def test_new_hand_keeps_cursor_if_possible():
    cursor = create_cursor("KH 9H")
    cursor = cursor.move(1)
    cursor = cursor.with_hand(sort_by_suit(cards("AS 9H TD")), PLAYS.of(cards("AS 9H TD")))
    assert cursor.at == card("9H")
    cursor = cursor.with_hand(sort_by_suit(cards("AS TD")), ())
    assert cursor.at is None


def test_toggle_cards_of_combined_action():
    hand_cards = [card(name) for name in ["9C", "9D", "9H", "KS"]]
    hand = HandCursor().with_hand(hand_cards, [CombinedAction(cards("9C 9D 9H")), CombinedAction(cards("KS"))])
    assert hand.selects_cards
    hand = hand.move_to(card("9D")).toggle_card()
    assert hand.list_actions() == []
    assert not hand.can_select(card("KS"))
    for name in ("9C", "9H"):
        hand = hand.move_to(card(name)).toggle_card()
    assert hand.list_actions() == [CombinedAction(cards("9C 9D 9H"))]
    assert hand.move_to(card("KS")).toggle_card() is None
    assert hand.move_to(card("9H")).toggle_card().chosen == cards("9C 9D")
