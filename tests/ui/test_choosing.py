"""From legal actions to the cards one can point at."""

from cardtable.engine.cards import Cards, card, cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY
from cardtable.ui.game_view.hand_cursor import pointable, ready


class Meld(Action, frozen=True):
    held: Cards

    def cards_used(self) -> Cards:
        return self.held


class Draw(Action, frozen=True):
    pass


MELDS = tuple(Meld(cards(text)) for text in ("2H 3H 4H", "2H 3H 4H 5H", "4H 4S 4D"))


def test_a_play_is_ready_with_its_one_card():
    legal = (PLAY[card("QS")], PLAY[card("2S")])
    assert pointable(legal) == cards("QS 2S")
    assert list(map(str, ready(legal, cards("QS")))) == ["play QS"]
    assert ready(legal, cards("AH")) == []
    assert pointable(legal, cards("QS")) == 0


def test_a_meld_is_pointed_at_card_by_card():
    assert pointable(MELDS) == cards("2H 3H 4H 5H 4S 4D")
    assert pointable(MELDS, cards("4H")) == cards("2H 3H 5H 4S 4D")
    assert pointable(MELDS, cards("4H 4S")) == cards("4D")
    assert pointable(MELDS, cards("4H 2H")) == cards("3H 5H")
    assert pointable(MELDS, cards("4S 2H")) == 0
    assert ready(MELDS, cards("4H 2H")) == []
    assert ready(MELDS, cards("4H 2H 3H")) == [MELDS[0]]


def test_what_uses_no_card_is_ready_when_none_is_chosen():
    assert pointable([Draw(), PLAY[card("QS")]]) == cards("QS")
    assert ready([Draw(), PLAY[card("QS")]], 0) == [Draw()]
    assert ready([Draw()], cards("QS")) == []
    assert pointable([]) == 0
    assert ready([], 0) == []
