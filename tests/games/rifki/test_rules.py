"""Rifki: the worked examples of its rules, and a situation for each rule.

Play goes counter-clockwise: 0, 3, 2, 1. Hands that are not given in full are filled up with the lowest cards left,
those of seat 0 first.
"""

from itertools import combinations_with_replacement

import pytest

from cardtable.engine.cards import HEARTS, OF_SUIT, PACK_52, cards, names
from cardtable.engine.game import CHANCE, OVER
from cardtable.games.rifki.rules import (
    CONTRACTS,
    FULL_SESSION,
    NEGATIVE_CONTRACTS,
    SHORT_SESSION,
    TIMES_EACH,
    explain_closed_contract,
    list_available_contracts,
)
from tests.notation import ScriptedGame

TRUMP_CONTRACT_TEXTS = ["contract clubs", "contract diamonds", "contract hearts", "contract spades"]


def start_session(first=0, **options):
    """Start a session in which seat `first` declares first."""
    return ScriptedGame("rifki", 4, **options).do(f"first {first}")


def start_contract(contract, *hands, first=0, **options):
    """Deal the first round with these hands and contract; its declarer is to lead."""
    return start_session(first, **options).deal(*hands, number=13).do(f"contract {contract}")


def format_plays(text):
    return [f"play {card}" for card in text.split()]


def play_out(game, *hands):
    """Play the round out: each seat plays the first legal card of its list, otherwise the first legal card."""
    plays = [format_plays(hand) for hand in hands]
    rounds = len(game.table.scores)
    while len(game.table.scores) == rounds:
        able = [text for text in game.legal() if text.startswith("play")]
        preferred_plays = plays[game.turn] if game.turn < len(plays) else []
        game.do(next((text for text in preferred_plays if text in able), able[0]))
    return game


def play_round(game, contract):
    """Play a whole round of this contract."""
    with game.checked_at_end():
        return play_out(game.deal(number=13).do(f"contract {contract}"))


# The worked examples


def test_example_1_points():
    hands = ("AS AH 2D 4C 4D 5H", "4S 6H KD KC 5D 7H", "JS 8H AD AC JD 3H", "KS KH 6D JC 7D JH")
    game = play_out(start_contract("erkek", *hands), *hands)
    assert game.score.figures == ((3,), (0,), (4,), (1,))
    assert game.score.points == (-180, 0, -240, -60)
    hands = ("AC KC QC JC TC 9C 8C 2D 3D 4D 2H 3H 2S", "2C 3C 7S 8S 9S TS JS AD KD QD 5H 6H 7H",
             "4C 5C 8H 9H TH QS KS 5D 6D 7D AH KH 3S", "6C 7C 8D 9D TD JD JH QH 4H 4S 5S 6S AS")  # fmt: skip
    game = play_out(start_contract("clubs", *hands), *hands)
    assert game.score.figures == ((7,), (3,), (2,), (1,))
    assert game.score.points == (350, 150, 100, 50)


def test_example_2_queen_falls_under_king():
    assert start_contract("kiz", "QS 5S", "KS", first=1).do("play KS").legal() == format_plays("QS")
    assert start_contract("kiz", "QS 5S", "TS", first=1).do("play TS").legal() == format_plays("5S QS")


def test_example_3_kings_and_jacks_fall_under_higher_card():
    assert start_contract("erkek", "KD JD 3D", "AD", first=1).do("play AD").legal() == format_plays("JD KD")
    game = start_contract("erkek", "KD JD 3D", "QD", "4D", first=2).do("play 4D, play QD")
    assert game.legal() == format_plays("JD")


@pytest.mark.parametrize(("hand", "legal"), [("QH 7H 3H", "3H 7H"), ("QH KH", "KH QH")])
def test_example_4_hearts_fall_under_hearts(hand, legal):
    game = start_contract("kupa", f"{hand} 2H", "9H 3S", "AS 5H", "4S", first=2)
    game.do("play AS, play 3S, play 2H, play 4S, play 5H, play 9H")
    assert game.legal() == format_plays(legal)


WITHOUT_CLUBS = ("2H AS KS QS JS TS 2D 3D 4D 5D 6D 7D 8D", "KH 9D TD JD QD KD AD 9S 8S 7S 6S 5S 4S", "2C AH")
"""Hands in which seat 2 leads a club, seat 1 can trump with KH and seat 0 with 2H."""


def test_example_5_trump_under_a_trump():
    game = start_contract("hearts", *WITHOUT_CLUBS, first=2).do("play 2C, play KH")
    assert game.legal() == format_plays("2H")
    assert game.explain_illegal("AS") == "You must trump: play a heart"


def test_example_6_hearts_are_locked():
    hand = "KH 4H 2H 3H 5H 6H 7H 8H 9H TH JH QH AC"
    game = start_contract("rifki", hand, "2C", "3C", "4C")
    assert [text for text in game.legal() if text.startswith("play")] == format_plays("AC")
    assert game.explain_illegal("KH") == "No heart has been discarded yet: lead another suit"
    game.do("play AC, play 4C, play 3C, play 2C")
    assert game.legal() == sorted(format_plays(hand.removesuffix(" AC")))


def test_example_7_only_trump_after_three_negatives():
    game = start_session()
    for number in range(16):
        play_round(game, NEGATIVE_CONTRACTS[number // 2 % 6].name if number < 12 else "spades")
        if number == 11:
            assert game.deal(number=13).legal() == TRUMP_CONTRACT_TEXTS
            assert game.view().list_declared(0) == (NEGATIVE_CONTRACTS[0], NEGATIVE_CONTRACTS[2], NEGATIVE_CONTRACTS[4])
            game.table.void("clock")
    assert game.deal(number=13).legal() == TRUMP_CONTRACT_TEXTS


@pytest.mark.parametrize(("direction", "order"), [("counter-clockwise", [2, 1, 0, 3]), ("clockwise", [2, 3, 0, 1])])
def test_example_8_direction_of_play(direction, order):
    game = start_contract("kiz", first=2, direction=direction)
    for seat in order:
        assert game.turn == seat
        game.do(game.legal()[-1])
    game = start_session(2, direction=direction)
    for seat in order:
        assert game.deal(number=13).turn == seat
        play_out(game.do("contract spades"))


# Declaring


@pytest.mark.parametrize(("quota", "rounds"), [(FULL_SESSION, 20), (SHORT_SESSION, 12)], ids=["full", "short"])
def test_some_contract_is_always_available(quota, rounds):
    """Enumerate all orders of declarations, reduced to the plays of each negative and its declarers."""
    known = {(): ()}
    for number in range(rounds):
        reached = {}
        for declared in known.values():
            open_to = list_available_contracts(declared, number % 4, quota)
            assert open_to, declared
            for contract in open_to:
                after = (*declared, contract)
                times = sorted(after.count(negative) for negative in NEGATIVE_CONTRACTS)
                owed = tuple(sum(one in NEGATIVE_CONTRACTS for one in after[place::4]) for place in range(4))
                reached[*times, *owed] = after
        known = reached
    if quota == FULL_SESSION:
        assert list(known) == [(TIMES_EACH,) * 6 + (3,) * 4]
    else:
        often = [times for times in combinations_with_replacement(range(TIMES_EACH + 1), 6) if sum(times) == 8]
        assert sorted(known) == sorted((*times, 2, 2, 2, 2) for times in often)


SHORT_EXAMPLES = {
    "kiz clubs kiz": [*TRUMP_CONTRACT_TEXTS, "rifki", "erkek", "kupa", "son-iki", "el-almaz"],
    "kiz clubs erkek kupa": [*TRUMP_CONTRACT_TEXTS, "rifki", "kiz", "erkek", "kupa", "son-iki", "el-almaz"],
    "kiz clubs erkek clubs kupa rifki el-almaz rifki": TRUMP_CONTRACT_TEXTS,
    "clubs rifki kiz erkek rifki kupa kupa clubs": ["kiz", "erkek", "son-iki", "el-almaz"],
}
"""Examples of the rules page: contracts of a session, and those that the next player may declare."""


@pytest.mark.parametrize("played", SHORT_EXAMPLES)
def test_short_session_examples(played):
    game = start_session(length="short")
    for contract in played.split():
        play_round(game, contract)
    allowed = [f"contract {text.removeprefix('contract ')}" for text in SHORT_EXAMPLES[played]]
    assert game.deal(number=13).legal() == sorted(allowed)


def test_short_session_has_twelve_rounds():
    game = start_session(length="short")
    for contract in ["clubs", "spades", "hearts", "clubs", "kiz", "kiz", "kupa", "kupa", "erkek", "erkek", "son-iki"]:
        play_round(game, contract)
    assert game.deal(number=13).explain_illegal("2C") == "Declare a contract first"
    view = game.view()
    assert explain_closed_contract(view, CONTRACTS[-1]) == "You have declared your trump contract"
    assert explain_closed_contract(view, CONTRACTS[1]) == "Kiz has been played twice already"
    play_out(game.do("contract son-iki"))
    assert game.turn == OVER
    assert sum(game.table.totals) == 4 * 650 - 2 * (400 + 390 + 480 + 360)


def test_last_contract_left_must_be_declared():
    game = start_session()
    for number in range(19):
        play_round(game, "clubs" if number < 8 else NEGATIVE_CONTRACTS[(number - 8) // 2].name)
    assert game.deal(number=13).legal() == ["contract el-almaz"]
    game.do("contract el-almaz")
    assert game.explain_illegal() == "You have no other contract left"


# Play


NO_SPADES = "KH QH QD 2C 3C 4C 5C 6C 7C 8C 9C TC JC"


@pytest.mark.parametrize(("option", "open_then"), [("discard", False), ("any", True)])
def test_forced_heart_lead_unlocks_hearts_by_option(option, open_then):
    """Seat 0 holds only hearts besides its clubs; seat 1 wins its first heart and could lead another."""
    hands = ("AC QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H KC", "KH AH 2C 4C", "3C 5C", "6C 7C")
    game = start_contract("kupa", *hands, hearts_unlock=option)
    game.do("play AC, play 6C, play 3C, play 2C, play KC, play 7C, play 5C, play 4C, play 2H")
    while game.turn != 1:
        game.do(game.legal()[0])
    game.do("play KH")
    assert game.turn == 1
    assert ("play AH" in game.legal()) == open_then


# How a round ends


def test_rifki_ends_when_king_of_hearts_falls():
    game = start_contract("rifki", "AS 2S", "KS", "KH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH AH", "3S")
    game.do("play AS, play 3S, play KH, play KS")
    assert (game.turn, game.view(0).playing) == (CHANCE, False)
    assert str(game.score.title) == "Rifki"
    assert game.score.points == (-320, 0, 0, 0)
    assert names(game.view(2).last_trick) == "AS 3S KH KS"
    assert game.table.tricks == (1, 0, 0, 0)
    assert game.format_notes(3) == [
        (1, "KS"),
        (0, "takes KH"),
        (None, "the last penalty card has been taken: the round is over"),
        (0, "−320 in round 1"),
        (1, "0 in round 1"),
        (2, "0 in round 1"),
        (3, "0 in round 1"),
    ]


def test_son_iki_counts_last_two_tricks():
    spades = "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    game = play_out(start_contract("son-iki", spades))
    assert game.table.tricks == (13, 0, 0, 0)
    assert game.score.points == (-360, 0, 0, 0)
    hands = ("AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2H", "AH")
    game = start_contract("son-iki", *hands)
    for card in hands[0].split()[:12]:
        game.do(f"play {card}")
        while game.view(0).playing and game.turn != 0:
            able = [text for text in game.legal() if text != "play AH"]
            game.do(able[0])
    assert game.score.figures == ((1,), (1,), (0,), (0,)), "the last trick has played itself"
    assert game.score.points == (-180, -180, 0, 0)
    assert game.format_notes(0)[1:3] == [(0, "takes the trick"), (1, "takes the last trick")]


# Options


def test_two_of_diamonds_chooses_first_declarer():
    game = ScriptedGame("rifki", 4, first_declarer="2d").deal("AS", "KS", "2D", "QS", number=13)
    assert game.turn == 2
    assert all(world.hands[2] & cards("2D") for world in game.sample_states(0)), "the seat that declares first holds 2D"
    game.do("contract kiz").table.void("clock")
    game.deal("2D", number=13)
    assert game.turn == 2
    assert not all(world.hands[0] & cards("2D") for world in game.sample_states(1)), (
        "after a void round 2D may be anywhere"
    )
    play_out(game.do("contract spades"))
    assert game.deal("2D", number=13).turn == 1


# What everybody knows


def find_excluded_cards(game, seat):
    """Return the cards that a seat has shown not to hold, and check that no seat imagines them there."""
    excluded = game.view(0).excluded_cards[seat]
    for viewer in range(4):
        if viewer != seat:
            assert not any(world.hands[seat] & excluded for world in game.sample_states(viewer, tries=10))
    return excluded


def test_early_heart_lead_excludes_other_suits():
    hand = "KH 4H 2H 3H 5H 6H 7H 8H 9H TH JH QH AC"
    game = start_contract("rifki", hand, "2C", "3C", "4C").do("play AC, play 4C, play 3C, play 2C, play 2H")
    assert find_excluded_cards(game, 0) == PACK_52 ^ OF_SUIT[HEARTS]


# Words


def test_overruffing():
    hands = ("AH 2H AS KS QS JS TS 2D 3D 4D 5D 6D 7D", "KH 8D 9D TD JD QD KD AD 9S 8S 7S 6S 5S", "2C")
    game = start_contract("hearts", *hands, first=2, must_overruff="on").do("play 2C, play KH")
    assert game.legal() == format_plays("AH")
    assert game.explain_illegal("2H") == "You must beat the hearts in the trick"
    game = start_contract("hearts", *WITHOUT_CLUBS, first=2, must_overruff="on").do("play 2C, play KH")
    assert game.legal() == format_plays("2H"), "a lower trump if there is no higher one"


def test_reasons_of_illegal_plays():
    game = start_contract("kiz", "QS 5S", "KS", first=1).do("play KS")
    assert game.explain_illegal("5S") == "You must play a queen under the higher spade"
    assert game.explain_illegal("AH") == "You do not hold that card"
    game = start_contract("erkek", NO_SPADES, "AS", first=1).do("play AS")
    assert game.explain_illegal("2C") == "You must discard a king or jack"
    game = start_contract("rifki", "KH 2H", "AH", "5S", "3H 4H", hearts_unlock="any")
    assert game.explain_illegal("KH") == "No heart has been played yet: lead another suit"
