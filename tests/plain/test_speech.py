"""Words for the ear."""

import pytest

from cardtable.engine.cards import card, cards, each
from cardtable.engine.notes import (
    DEALT_AGAIN,
    Dealt,
    Drew,
    MadeBid,
    MadePoints,
    PlayedCard,
    Ruling,
    Said,
    SatDown,
    Told,
    TookTrick,
)
from cardtable.plain.speech import hand, letters, message

NAMES = ("You", "Ada")
SEVEN, EIGHT, QUEEN = map(card, ("7S", "8S", "QH"))


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (PlayedCard(1, SEVEN), "Ada plays 7 of spades."),
        (PlayedCard(0, QUEEN), "You play queen of hearts."),
        (PlayedCard(1, SEVEN, "second"), "Ada plays 7 of spades, the second."),
        (PlayedCard(1, QUEEN, "by lot"), "Ada plays queen of hearts by lot."),
        (PlayedCard(1, SEVEN, "leads"), "Ada leads 7 of spades."),
        (PlayedCard(0, QUEEN, "heads"), "You head with queen of hearts."),
        (PlayedCard(0, SEVEN, "lowest"), "You play 7 of spades, the lowest."),
        (TookTrick(0, cards=(SEVEN, QUEEN, EIGHT)), "You take 7 of spades, queen of hearts and 8 of spades."),
        (Told(1, "melds {}", "meld {}", (SEVEN, EIGHT)), "Ada melds 7 of spades, 8 of spades."),
        (MadePoints(0, -4, 3), "You: -4 in round 3."),
        (MadePoints(1, -36, 3, 4), "Ada: -36 times 4 in round 3."),
        (MadePoints(1, 0, 3, 4), "Ada: 0 in round 3."),
        (Told(1, "20 off for each jack"), "Ada: 20 off for each jack."),
        (TookTrick(1), "Ada takes the trick."),
        (TookTrick(0, last=True), "You take the last trick."),
        (MadeBid(0, 2), "You bid 2."),
        (Drew(0, 1, (QUEEN,)), "You draw queen of hearts."),
        (Drew(1, 1), "Ada draws a card."),
        (Drew(1, 2), "Ada draws 2 cards."),
        (Told(0, "passes", "pass"), "You pass."),
        (Told(0, "has exactly 125: back to 0", "have exactly 125: back to 0"), "You have exactly 125: back to 0."),
        (Ruling(0, "lost"), "You have no time left: the session is lost."),
        (Ruling(1, "plays out"), "Ada plays out the rest."),
        (DEALT_AGAIN, "Time is over: the round is dealt again."),
        (Said(1, "7S?"), "Ada: 7S?"),
        (Said(None, "hello"), "Somebody: hello"),
        (SatDown(None, "Bo", "novice", "Ada"), "Bo, a novice robot, sits down where Ada sat."),
        (Told(None, "reshuffled: ×2"), "Reshuffled: times 2."),
        (Dealt(None, 1, 1, QUEEN), "Round 1: 1 card each, queen of hearts is turned up."),
        (Dealt(None, 2, 4, no_trump=True), "Round 2: 4 cards each, no trump."),
        (Dealt(None, 3), "Round 3."),
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
