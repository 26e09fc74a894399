"""Selectable cards and matching actions for a set of legal actions."""

from cardtable.engine.cards import Cards, card, cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY
from cardtable.ui.game_view.hand_cursor import find_matching_actions, find_selectable_cards


class Meld(Action, frozen=True):
    mask: Cards

    def cards_used(self) -> Cards:
        return self.mask


class Draw(Action, frozen=True):
    pass


MELDS = tuple(Meld(cards(text)) for text in ("2H 3H 4H", "2H 3H 4H 5H", "4H 4S 4D"))


def test_play_matches_its_card():
    legal = (PLAY[card("QS")], PLAY[card("2S")])
    assert find_selectable_cards(legal) == cards("QS 2S")
    assert list(map(str, find_matching_actions(legal, cards("QS")))) == ["play QS"]
    assert find_matching_actions(legal, cards("AH")) == []
    assert find_selectable_cards(legal, cards("QS")) == 0


def test_meld_is_selected_card_by_card():
    assert find_selectable_cards(MELDS) == cards("2H 3H 4H 5H 4S 4D")
    assert find_selectable_cards(MELDS, cards("4H")) == cards("2H 3H 5H 4S 4D")
    assert find_selectable_cards(MELDS, cards("4H 4S")) == cards("4D")
    assert find_selectable_cards(MELDS, cards("4H 2H")) == cards("3H 5H")
    assert find_selectable_cards(MELDS, cards("4S 2H")) == 0
    assert find_matching_actions(MELDS, cards("4H 2H")) == []
    assert find_matching_actions(MELDS, cards("4H 2H 3H")) == [MELDS[0]]


def test_action_without_cards_needs_empty_selection():
    assert find_selectable_cards([Draw(), PLAY[card("QS")]]) == cards("QS")
    assert find_matching_actions([Draw(), PLAY[card("QS")]], 0) == [Draw()]
    assert find_matching_actions([Draw()], cards("QS")) == []
    assert find_selectable_cards([]) == 0
    assert find_matching_actions([], 0) == []
