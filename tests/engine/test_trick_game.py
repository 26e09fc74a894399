"""Actions of several cards, and reasons that all trick-taking games give for what is not legal."""

from types import SimpleNamespace

import pytest

from cardtable.engine.cards import card, cards
from cardtable.engine.game import CardsAction
from cardtable.engine.trick_game import explain_illegal


@pytest.mark.parametrize(
    ("played", "turn", "trick", "why"),
    [
        ("7H", 1, (), "It is not your turn"),
        ("8H", 0, (), "You do not hold that card"),
        ("7C 8C", 0, (), "You do not hold that card"),
        ("QS", 0, (card("9H"),), "You must follow"),
        ("7H", 0, (), "That is not possible now"),
        ("7H QS", 0, (), "That is not possible now"),
    ],
)
def test_reason_why_cards_cannot_be_played(played, turn, trick, why):
    view = SimpleNamespace(turn=turn, seat=0, hand=cards("7H QS"), trick=trick)
    assert explain_illegal(view, cards(played)).startswith(why)


class PassedCards(CardsAction, frozen=True):
    @property
    def kind(self):
        return "pass"


def test_action_of_several_cards_is_written_with_their_names():
    action = PassedCards(cards("7H QS"))
    assert set(action.notation.split()) == {"7H", "QS"}
    assert str(action) == f"pass {action.notation}"
    assert action.cards_used() == cards("7H QS")
