"""From legal actions to the cards one can point at."""

from cardtable.engine.cards import Cards, card, cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY
from cardtable.ui.game_view.hand_cursor import matching_actions, selectable_cards


class Meld(Action, frozen=True):
    held: Cards

    def cards_used(self) -> Cards:
        return self.held


class Draw(Action, frozen=True):
    pass


MELDS = tuple(Meld(cards(text)) for text in ("2H 3H 4H", "2H 3H 4H 5H", "4H 4S 4D"))


def test_a_play_is_ready_with_its_one_card():
    legal = (PLAY[card("QS")], PLAY[card("2S")])
    assert selectable_cards(legal) == cards("QS 2S")
    assert list(map(str, matching_actions(legal, cards("QS")))) == ["play QS"]
    assert matching_actions(legal, cards("AH")) == []
    assert selectable_cards(legal, cards("QS")) == 0


def test_a_meld_is_pointed_at_card_by_card():
    assert selectable_cards(MELDS) == cards("2H 3H 4H 5H 4S 4D")
    assert selectable_cards(MELDS, cards("4H")) == cards("2H 3H 5H 4S 4D")
    assert selectable_cards(MELDS, cards("4H 4S")) == cards("4D")
    assert selectable_cards(MELDS, cards("4H 2H")) == cards("3H 5H")
    assert selectable_cards(MELDS, cards("4S 2H")) == 0
    assert matching_actions(MELDS, cards("4H 2H")) == []
    assert matching_actions(MELDS, cards("4H 2H 3H")) == [MELDS[0]]


def test_what_uses_no_card_is_ready_when_none_is_chosen():
    assert selectable_cards([Draw(), PLAY[card("QS")]]) == cards("QS")
    assert matching_actions([Draw(), PLAY[card("QS")]], 0) == [Draw()]
    assert matching_actions([Draw()], cards("QS")) == []
    assert selectable_cards([]) == 0
    assert matching_actions([], 0) == []
