"""Cards: packs, their order and faces, and tricks of them."""

import itertools
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from cardtable.engine.card_order import USUAL_ORDER, CardOrder, number_groups, sort_by_rank, sort_by_suit, sort_in_order
from cardtable.engine.cards import (
    CARDS,
    COPY_OFFSET,
    NAME,
    OF_SUIT,
    PACK_36,
    PACK_52,
    RANK,
    TWO_PACKS_32,
    card,
    cards,
    iter_cards,
    list_subsets_with_sum,
    names,
    pack_of,
)
from cardtable.engine.errors import GameFault
from cardtable.engine.faces import FRENCH, GERMAN, ITALIAN, SPANISH
from cardtable.engine.game import CardsAction, Contract
from cardtable.engine.plugin_guard import check_game
from cardtable.engine.presentation import explain_refusal
from cardtable.engine.round_state import deal_portion
from cardtable.engine.tricks import create_order, format_must_follow, order
from cardtable.wording.formatting import format_card, replace_faces
from tests.overriding import override
from tests.toy import eights

SCOPA = pack_of("A234567JQK")


def value_of(card):
    """Value of a card of Scopa: the ace is 1, and jack, queen and king are 8, 9 and 10."""
    rank = RANK[card]
    return 1 if rank == 12 else rank + 2 if rank < 6 else rank - 1


def test_packs_by_their_ranks():
    assert pack_of("23456789TJQKA") == PACK_52
    assert pack_of("6789TJQKA") == PACK_36
    assert pack_of("789TJQKA", copies=2) == TWO_PACKS_32
    assert pack_of("AK", suits="HS") == cards("KH AH KS AS")
    assert SCOPA.bit_count() == 40


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"ranks": "A1"}, "'1C' is not a card"),
        ({"ranks": "AA"}, "AC is in the pack twice"),
        ({"ranks": "A", "suits": "HH"}, "AH is in the pack twice"),
        ({"ranks": "A", "copies": 3}, "1 or 2 copies of each card, not 3"),
    ],
)
def test_impossible_packs(arguments, error):
    with pytest.raises(ValueError, match=error):
        pack_of(**arguments)


@pytest.mark.parametrize(
    ("table", "total", "captures"),
    [
        ("7C 5D 2H 4S AC", 7, ["7C", "5D 2H", "2H 4S AC"]),
        ("KC JD 2H", 10, ["KC", "JD 2H"]),
        ("2C 2D 2H", 4, ["2C 2D", "2C 2H", "2D 2H"]),
        ("KC KD", 5, []),
        ("", 5, []),
        ("AC", 0, []),
    ],
)
def test_captures_by_a_sum(table, total, captures):
    assert [*list_subsets_with_sum(cards(table), value_of, total)] == [cards(each) for each in captures]


def test_portions_of_three_until_the_stock_is_empty():
    order = tuple(range(40))
    hands, stock = deal_portion(order, 4, 3)
    assert [each.bit_count() for each in hands] == [3] * 4
    assert len(stock) == 28
    assert deal_portion(stock[:12], 4, 3)[1] == ()


# --- order of the cards of a hand


TENS_HIGH = CardOrder(ranks="ATKQJ987")
JACKS_ARE_TRUMPS = CardOrder(ranks="ATKQ987", trumps=tuple(map(card, ("JC", "JS", "JH", "JD"))))
HAND = iter_cards(cards("7C KC TC JD TD AH JS KS"))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (CardOrder(), "KS JS AH JD TD KC TC 7C"),
        (TENS_HIGH, "KS JS AH TD JD TC KC 7C"),
        (CardOrder(suits="HSDC"), "AH KS JS JD TD KC TC 7C"),
        (CardOrder(suits="C"), "KC TC 7C KS JS AH JD TD"),
        (JACKS_ARE_TRUMPS, "JS JD KS AH TD TC KC 7C"),
    ],
)
def test_hand_in_order(order, expected):
    assert names(sort_in_order(HAND, order)) == expected


def test_settings_by_suit_and_by_rank_use_the_ranks_of_the_game():
    assert names(sort_by_suit(HAND, JACKS_ARE_TRUMPS)) == "KS JS AH TD JD TC KC 7C"
    assert names(sort_by_rank(HAND, TENS_HIGH)) == "7C JD JS KC KS TC TD AH"


def test_second_copies_of_trumps_are_trumps():
    equal_cards = [CARDS[c + copy] for c in (card("JC"), card("9S")) for copy in (0, COPY_OFFSET)]
    assert sort_in_order(equal_cards, JACKS_ARE_TRUMPS) == [
        equal_cards[1],
        equal_cards[0],
        equal_cards[3],
        equal_cards[2],
    ]
    assert list(number_groups(equal_cards, JACKS_ARE_TRUMPS).values()) == [-1, -1, 3, 3]


@pytest.mark.parametrize("wrong", [{"ranks": "AKX"}, {"ranks": "AA"}, {"suits": "SHDQ"}, {"trumps": (200,)}])
def test_invalid_order_is_refused(wrong):
    with pytest.raises(ValueError, match="of a card order"):
        CardOrder(**wrong)


# --- faces of Italian, Spanish and German packs


@pytest.mark.parametrize(
    ("faces", "expected"),
    [(FRENCH, "Q♥ 10♣ K♠ J♦"), (ITALIAN, "C∪ 10╱ R† F◎"), (SPANISH, "C∪ 10╱ R† S◎"), (GERMAN, "O♥ 10◓ K♤ U◉")],
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
    assert format_must_follow(OF_SUIT[1], GERMAN) == "You must follow suit: play a bell"
    assert format_must_follow(OF_SUIT[0], GERMAN) == "You must follow suit: play an acorn"
    assert format_must_follow(OF_SUIT[1]) == "You must follow suit: play a diamond"
    assert Contract("Trump", 3).format_words(GERMAN) == "Trump leaves"
    assert Contract("Trump", 3).words == "Trump spades"


def test_notation_does_not_depend_on_faces():
    assert NAME[card("QH")] == "QH"


def test_game_with_faces_is_accepted_and_wrong_ones_are_not():
    game = override(eights.GAME, about=replace(eights.GAME.about, faces=ITALIAN))
    assert check_game(game).about.faces == ITALIAN
    with pytest.raises(GameFault, match=r"its about.faces is str in place of Faces"):
        check_game(override(game, about=replace(game.about, faces="italian")))


# --- actions of several cards, reasons that all trick-taking games give, and orders in which a trick is taken


@pytest.mark.parametrize(
    ("played", "turn", "led", "reason"),
    [
        ("7H", 1, 0, "It is not your turn"),
        ("8H", 0, 0, "You do not hold that card"),
        ("7C 8C", 0, 0, "You do not hold that card"),
        ("QS", 0, OF_SUIT[2], "You must follow suit: play a heart"),
        ("QS", 0, OF_SUIT[2] | cards("JD"), "You must follow suit: play a trump"),
        ("7H", 0, 0, "That is not possible now"),
        ("7H QS", 0, 0, "That is not possible now"),
    ],
)
def test_reason_for_unplayable_cards(played, turn, led, reason):
    view = SimpleNamespace(turn=turn, seat=0, hand=cards("7H QS"), led=led)
    assert explain_refusal(eights.GAME, view, cards(played)).startswith(reason)


class PassedCards(CardsAction, frozen=True):
    @property
    def kind(self):
        return "pass"


def test_action_of_several_cards_is_written_with_their_names():
    action = PassedCards(cards("7H QS"))
    assert set(action.notation.split()) == {"7H", "QS"}
    assert str(action) == f"pass {action.notation}"
    assert action.cards_used() == cards("7H QS")


def list_cards(text):
    return tuple(map(card, text.split()))


BELOTE = CardOrder(ranks="ATKQJ987", trumps=list_cards("JS 9S AS TS KS QS 8S 7S"))
SKAT = CardOrder(ranks="ATKQ987", trumps=list_cards("JC JS JH JD AH TH KH QH 9H 8H 7H"))


@pytest.mark.parametrize(
    ("card_order", "trick", "winner"),
    [
        (BELOTE, "KH TH AD 9H", "TH"),
        (BELOTE, "AS 9S JS TS", "JS"),
        (BELOTE, "AH 7S TH 8S", "8S"),
        (SKAT, "JH AH JC", "JC"),
        (SKAT, "AC TC 7H", "7H"),
        (SKAT, "KD TD AS", "TD"),
        (SKAT, "JD AD TD", "JD"),
    ],
)
def test_trick_in_the_order_of_the_hand(card_order, trick, winner):
    played = list_cards(trick)
    assert played[create_order(card_order).winner(played)] == card(winner)


def test_first_of_two_equal_cards_takes_the_trick():
    assert create_order(BELOTE).winner([card("TS"), card("JS"), card("JS") + COPY_OFFSET]) == 1
    assert create_order(BELOTE).winner([card("7H"), card("AH") + COPY_OFFSET, card("AH")]) == 1


@pytest.mark.parametrize("trump", range(4))
def test_usual_order_of_the_hand_is_ace_high(trump):
    trumps = tuple(sort_in_order(iter_cards(OF_SUIT[trump] & PACK_52), USUAL_ORDER))
    for led, other in itertools.product(CARDS[:COPY_OFFSET], repeat=2):
        trick = [led, other]
        assert create_order(CardOrder(trumps=trumps)).winner(trick) == order(trump).winner(trick)
        assert create_order(USUAL_ORDER).winner(trick) == order().winner(trick)
