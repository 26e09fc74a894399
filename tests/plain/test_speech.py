"""Words for the ear."""

import pytest

from cardtable.engine.cards import cards, each
from cardtable.engine.contract import Note
from cardtable.plain.speech import hand, letters, message

NAMES = ("You", "Ada")


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (Note(1, "7S"), "Ada plays 7 of spades."),
        (Note(0, "QH"), "You play queen of hearts."),
        (Note(1, "8C, the second"), "Ada plays 8 of clubs, the second."),
        (Note(1, "TH leads"), "Ada leads 10 of hearts."),
        (Note(0, "AC heads"), "You head with ace of clubs."),
        (Note(0, "3C lowest"), "You play 3 of clubs, the lowest."),
        (Note(0, "takes QC, QD and QH"), "You take queen of clubs, queen of diamonds and queen of hearts."),
        (Note(1, "melds 7S 8S 9S"), "Ada melds 7 of spades, 8 of spades, 9 of spades."),
        (Note(0, "-4 in round 3"), "You: -4 in round 3."),
        (Note(1, "20 off for each jack"), "Ada: 20 off for each jack."),
        (Note(1, "takes the trick"), "Ada takes the trick."),
        (Note(None, "reshuffled: ×2"), "Reshuffled: times 2."),
        (Note(None, "round 1: 1 card each, QH is turned up"), "Round 1: 1 card each, queen of hearts is turned up."),
    ],
)
def test_messages_are_sentences(note, said):
    assert message(note, NAMES) == said


def test_a_hand_is_told_by_suits_from_low_to_high():
    assert hand(each(cards("AS TS KC 2C QH"))) == "clubs 2, king; hearts queen; spades 10, ace"
    assert hand(each(cards("AS"))) == "spades ace"
    assert hand([]) == "no card"


def test_signs_of_suits_are_letters_after_a_rank_and_else_words():
    assert letters("You hold K♥ 10♦: ♣ and ♠ – −4 …") == "You hold KH 10D: clubs and spades - -4 ..."
