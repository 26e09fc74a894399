"""Faces of Italian, Spanish and German packs: names and signs for people, while notation stays the same."""

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import CARDS, NAME, card
from cardtable.engine.errors import GameFault
from cardtable.engine.faces import FRENCH, GERMAN, ITALIAN, SPANISH
from cardtable.engine.game import Contract
from cardtable.engine.plugin_guard import check_game
from cardtable.engine.tricks import format_must_follow
from cardtable.wording.formatting import format_card, replace_faces
from tests.overriding import override
from tests.toy import eights


@pytest.mark.parametrize(
    ("faces", "expected"),
    [
        (FRENCH, "Q♥ 10♣ K♠ J♦"),
        (ITALIAN, "C∪ 10╱ R† F◎"),
        (SPANISH, "C∪ 10╱ R† S◎"),
        (GERMAN, "O♥ 10◓ K♤ U◉"),
    ],
)
def test_cards_on_the_screen(faces, expected):
    text = " ".join(format_card(card(name)) for name in ("QH", "TC", "KS", "JD"))
    assert replace_faces(text, faces) == expected


@pytest.mark.parametrize("faces", [ITALIAN, SPANISH, GERMAN])
def test_every_card_looks_different_and_is_as_wide_as_a_french_one(faces):
    for as_letters in (False, True):
        texts = [replace_faces(format_card(card_), faces, as_letters=as_letters) for card_ in CARDS[:52]]
        assert len({*texts}) == 52
        assert list(map(len, texts)) == [len(format_card(card_)) for card_ in CARDS[:52]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"signs": "♣♦♥"}, "signs of faces must be 4 different ones"),
        ({"letters": "AABC"}, "letters of faces must be 4 different ones"),
        ({"marks": "23456789TUOK"}, "marks of faces must be 13 different ones"),
        ({"letters": "♣BHL"}, "letters and marks of faces must be in ASCII"),
    ],
)
def test_invalid_faces_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        replace(GERMAN, **wrong)


def test_sentences_name_suits_by_the_faces():
    assert format_must_follow(card("7D"), GERMAN) == "You must follow suit: play a bell"
    assert format_must_follow(card("7C"), GERMAN) == "You must follow suit: play an acorn"
    assert format_must_follow(card("7D")) == "You must follow suit: play a diamond"
    assert Contract("Trump", 3).format_words(GERMAN) == "Trump leaves"
    assert Contract("Trump", 3).words == "Trump spades"


def test_notation_does_not_depend_on_faces():
    assert NAME[card("QH")] == "QH"


def test_game_with_faces_is_accepted_and_wrong_ones_are_not():
    game = override(eights.GAME, about=replace(eights.GAME.about, faces=ITALIAN))
    assert check_game(game).about.faces == ITALIAN
    with pytest.raises(GameFault, match=r"its about.faces is str in place of Faces"):
        check_game(override(game, about=replace(game.about, faces="italian")))
