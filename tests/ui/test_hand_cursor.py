"""Cursor on the player's own hand."""

from cardtable.engine.cards import card, cards, names
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAYS
from cardtable.ui.game_view.game_view import sort_by_rank, sort_by_suit
from cardtable.ui.game_view.hand_cursor import HandCursor


class Laid(Action, frozen=True):
    """Several cards in one action."""

    cards: int

    def cards_used(self):
        return self.cards


HAND = sort_by_suit(cards("AS 4S KH 9H TD QC"))


def pointing(legal: str) -> HandCursor:
    return HandCursor().with_hand(HAND, PLAYS.of(cards(legal)))


def test_a_hand_stands_by_suits_spades_first_high_to_low():
    assert names(HAND) == "AS 4S KH 9H TD QC"


def test_a_hand_by_rank_stands_low_to_high():
    assert names(sort_by_rank(cards("JD 6S 6C AH"))) == "6C 6S JD AH"


def test_the_cursor_begins_on_the_first_card_that_may_be_played():
    assert pointing("KH 9H").at == card("KH")


def test_the_cursor_moves_among_cards_that_may_be_played_round_the_ends():
    cursor = pointing("4S 9H QC")
    seen = []
    for _ in range(4):
        seen.append(cursor.at)
        cursor = cursor.move(1)
    assert names(seen) == "4S 9H QC 4S"
    cursor = cursor.move(-1)
    cursor = cursor.move(-1)
    assert cursor.at == card("QC")


def test_with_shift_it_visits_every_card():
    cursor = pointing("KH 9H")
    cursor = cursor.move(1, any_card=True)
    cursor = cursor.move(1, any_card=True)
    assert cursor.at == card("TD")
    assert not cursor.can_select(card("TD"))
    assert cursor.list_actions() == []


def test_from_a_card_that_may_not_be_played_the_next_that_may_is_found_on_either_side():
    cursor = pointing("AS QC")
    cursor = cursor.move(1, any_card=True)
    assert cursor.at == card("4S")
    cursor = cursor.move(1)
    assert cursor.at == card("QC")
    cursor = cursor.move(-1, any_card=True)
    cursor = cursor.move(-1)
    assert cursor.at == card("AS")


def test_a_rank_key_jumps_and_again_to_the_next_suit():
    cursor = pointing("AS 4S KH 9H TD QC")
    assert cursor.move_to_rank(7).at == card("9H")
    assert cursor.move_to_rank(0) is None
    both = HandCursor().with_hand(sort_by_suit(cards("9S 9H")), PLAYS.of(cards("9S 9H"))).move_to_rank(7)
    assert both.at == card("9H")
    assert both.move_to_rank(7).at == card("9S")


def test_a_new_hand_keeps_the_cursor_where_it_can():
    cursor = pointing("KH 9H")
    cursor = cursor.move(1)
    cursor = cursor.with_hand(sort_by_suit(cards("AS 9H TD")), PLAYS.of(cards("AS 9H TD")))
    assert cursor.at == card("9H")
    cursor = cursor.with_hand(sort_by_suit(cards("AS TD")), ())
    assert cursor.at is None


def test_cards_are_chosen_to_go_together_and_let_go_again():
    held = [card(name) for name in ["9C", "9D", "9H", "KS"]]
    hand = HandCursor().with_hand(held, [Laid(cards("9C 9D 9H")), Laid(cards("KS"))])
    assert hand.has_multi_card_actions
    hand = hand.move_to(card("9D")).toggle_card()
    assert hand.list_actions() == []
    assert not hand.can_select(card("KS"))
    for name in ("9C", "9H"):
        hand = hand.move_to(card(name)).toggle_card()
    assert hand.list_actions() == [Laid(cards("9C 9D 9H"))]
    assert hand.move_to(card("KS")).toggle_card() is None
    assert hand.move_to(card("9H")).toggle_card().chosen == cards("9C 9D")


def test_of_single_cards_none_are_chosen_to_go_together():
    assert not HandCursor().with_hand([card("KS")], [Laid(cards("KS"))]).has_multi_card_actions
