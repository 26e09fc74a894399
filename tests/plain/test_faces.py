"""Italian and German faces in plain lines: cards are named and understood by their names."""

import pytest

from cardtable.engine.cards import cards, iter_cards
from cardtable.engine.faces import FRENCH, GERMAN, ITALIAN
from cardtable.engine.log_entries import PlayedCard
from cardtable.plain.action_menu import split_words, to_suit_letters
from cardtable.plain.speech_text import format_cards, format_hand, format_log_entry, to_ascii, to_spoken, use_faces

HAND = iter_cards(cards("JC QD KH AS 7S"))


def test_hand_by_the_names_of_the_pack():
    with use_faces(GERMAN):
        assert format_hand(HAND) == "acorns unter; bells ober; hearts king; leaves seven, ace"
    with use_faces(ITALIAN):
        assert format_hand(HAND) == "clubs fante; coins cavallo; cups re; swords seven, ace"
    assert format_hand(HAND) == "clubs jack; diamonds queen; hearts king; spades seven, ace"


def test_sentences_name_cards_and_suits():
    with use_faces(ITALIAN):
        assert format_log_entry(PlayedCard(0, HAND[1]), ["Ada"]) == "Ada plays the cavallo of coins."
        assert to_spoken("keeps KH KD") == "keeps the re of cups and coins"
        assert to_ascii("10 ♣") == "10 clubs"
        assert format_cards(iter_cards(cards("JC JD"))) == "fanti of clubs and coins"


def test_the_names_end_with_the_table_even_after_an_error():
    with pytest.raises(ZeroDivisionError), use_faces(GERMAN):
        raise ZeroDivisionError
    assert to_ascii("♦") == FRENCH.suits[1].many


def test_typed_names_of_the_pack_and_the_usual_ones_are_understood():
    with use_faces(GERMAN):
        assert split_words("play ober of bells") == ["play", "qd"]
        assert split_words("unter and ober of leaves") == ["js", "qs"]
        assert split_words("queen of diamonds, qd") == ["qd", "qd"]
        assert to_suit_letters(["acorns", "leaf"]) == ["c", "s"]
    assert split_words("ober of bells") == ["ober", "bells"]
