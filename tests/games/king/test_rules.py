"""King: the worked examples of its rules, and a situation for each rule.

Seat 0 deals the first round. Hands that are not given in full are filled up with the lowest cards left.
"""

import pytest

from cardtable.engine.cards import OF_SUIT, cards, iter_cards, names
from cardtable.games.king.rules.actions import CONTRACTS
from tests.notation import ScriptedGame

NEGATIVE = ["no-tricks", "no-hearts", "no-queens", "no-jacks", "no-last-two", "no-king"]
POSITIVE = ["clubs", "diamonds", "hearts", "spades", "no-trump", "miser"]
CONTRACT = {contract.text: contract for contract in CONTRACTS}
CLUBS = "6C 7C 8C 9C TC JC QC KC AC"
WITH_ACE, WITH_KING = "AH 6C 7C 6S 7S 6D 7D 8D 9D", "KH QH 8C 9C 8S 9S TD JD QD"


def start_session(after=0, **options):
    """Start a session and play `after` rounds.

    Each has the first contract left, and the second player collects all points.
    """
    game = ScriptedGame("king", 4, **options)
    for _ in range(after):
        play_collected_round(game)
    return game


def play_collected_round(game, text=None):
    """Play a round in which the second player collects all at once, or play it out if no offer is possible."""
    rounds = len(game.table.scores)
    with game.checked_at_end():
        game.deal(number=9)
        game.do(f"contract {text}" if text else str(game.view().legal[0]))
        game.do(find_first_play(game))
        while len(game.table.scores) == rounds:
            game.do("offer 36" if "offer 36" in game.legal() else find_first_play(game))


def find_first_play(game):
    """Return the first legal play, in the order of texts."""
    return next(text for text in game.legal() if text.startswith("play"))


def start_contract(text, *hands, after=0, **options):
    """Start a round in which seat `after` has named the contract."""
    return start_session(after, **options).deal(*hands, number=9).do(f"contract {text}")


def list_playable_cards(game):
    """Return the cards that may be played."""
    return {text.removeprefix("play ") for text in game.legal() if text.startswith("play ")}


def split_cards(text):
    return set(text.split())


def play_out(game):
    """Play the round out, always the first legal card."""
    rounds = len(game.table.scores)
    while len(game.table.scores) == rounds:
        game.do(find_first_play(game))
    return game


# The worked examples


def test_example_1_no_hearts():
    game = start_contract(
        "no-hearts",
        "JC 6D KD AD 6H 8H AH JS QS",
        "7C 7D QD 7H 7S 8S 9S TS AS",
        "8C 9C QC KC JD 9H QH 6S KS",
        offers="off",
    )
    game.do(
        "play QS, play 7S, play KS, play 9D, play 6S, play TC, play JS, play 8S, play 6D, play 7D, play JD, play 8D, "
        "play 8C, play 6C, play JC, play 7C, play AD, play QD, play 9C, play TD, play KD, play 7H, play KC, play KH, "
        "play 8H, play 9S, play QH, play TH, play QC, play AC, play 6H, play TS"
    )
    assert [(taken & OF_SUIT[2]).bit_count() for taken in game.view(0).taken] == [5, 0, 3, 1]
    assert (str(game.score.title), game.score.points) == ("No Hearts", (-20, 0, -12, -4))


def test_example_2_neg_jar():
    game = start_contract(
        "neg-jar", "AC 7C JD 9H 7S 7H JS KS AH", "9C KC AD KD QC 8D TS QS KH", "TC JC 9D TD TH QD AS 8S QH"
    )
    game.do("play AC, play 9C, play TC, play 6C, play 7C, play KC, play JC, play 8C, play AD, play 9D, play 6D")
    game.do("play JD, play KD, play TD, play 7D, play 9H, play QC, play TH, play 8H, play 7S, play 8D, play QD")
    game.do("play 6H, play 7H, play AS, play 6S, play JS, play TS, play 8S, play 9S, play KS, play QS")
    assert game.table.tricks == (3, 4, 2, 0)
    assert (str(game.score.title), game.score.points) == ("Neg Jar", (-127, -55, -34, 0))
    assert game.table.totals == (-127, -55, -34, 0)


def test_example_3_positive_contract():
    game = start_contract("spades", "6C 6D 6H", "7C 7D 7H", "AS KS QS JS TS 8C 8D 8H 9C", after=2)
    play_out(game.do("play AS"))
    assert str(game.score.title) == "Trump S"
    assert game.score.figures[2] == (5,)
    assert game.score.points == (16, 16, 60, 16)


def test_example_4_weights():
    weights = [CONTRACT[text].weight for text in ("no-tricks", "clubs", "neg-jar", "poz-jar")]
    assert sum(weight * points for weight, points in zip(weights, (-200, 236, -90, 132), strict=True)) == 186


def test_example_5_first_lead_in_no_king():
    game = start_contract("no-king", "KH 9H AS QS 7D JC TC 8C 6C")
    assert list_playable_cards(game) == split_cards("AS QS JC TC 8C 6C")
    assert game.explain_illegal("7D") == "You hold KH: your only diamond may not be the first lead"
    game = start_contract("no-king", "TH 9H AS QS 7D JC TC 8C 6C")
    assert list_playable_cards(game) == split_cards("AS QS JC TC 8C 6C 7D")
    assert game.explain_illegal("9H") == "You may not lead a heart while you hold another suit"


@pytest.mark.parametrize(
    ("text", "may"), [("no-king", "KH"), ("neg-jar", "KH"), ("no-queens", "KH AC 6S"), ("poz-jar", "KH AC 6S")]
)
def test_example_6_king_of_hearts_must_be_discarded(text, may):
    game = start_contract(text, "6D", "KH AC 6S TS JS QS KS 9S AS").do("play 6D")
    assert list_playable_cards(game) & {"KH", "AC", "6S"} == split_cards(may)
    assert len(list_playable_cards(game)) == (1 if may == "KH" else 9)


def test_example_7_offer_in_no_tricks():
    game = reach_second_trick()
    assert game.turn == 2
    game.do("offer 20")
    assert (game.turn, game.legal()) == (3, sorted(f"take {n}" for n in range(13)))
    game.do("take 12")
    assert game.score.points == (0, -4, -20, -12)
    game = reach_second_trick().do("offer 20, take 5")
    assert (game.turn, game.legal()) == (0, sorted(f"take {n}" for n in range(8)))
    game.do("take 0")
    assert (game.turn, game.legal()) == (1, sorted(f"take {n}" for n in range(8)))
    game.do("take 7")
    assert game.score.points == (0, -11, -20, -5)


def reach_second_trick():
    """Return a round of No Tricks in which seat 1 has won the first trick and led to the second."""
    return start_contract("no-tricks", "6C", "AC 6D", "7C", "8C").do("play 6C, play AC, play 7C, play 8C, play 6D")


def test_example_8_claim_in_no_last_two():
    game = start_contract("no-last-two", CLUBS).do(
        "play AC, play 6D, play 6H, play 6S, play KC, play 7D, play 7H, play 7S"
    )
    assert (game.turn, game.table.tricks) == (0, (2, 0, 0, 0))
    assert "claim" in game.legal()
    game.do("claim")
    assert game.score.points == (-36, 0, 0, 0)
    assert game.format_notes(1)[:1] == [(0, "claims all 36 points")]


# The contracts of a session


SHORT_EXAMPLES = {
    "": [*NEGATIVE, "neg-jar", "poz-jar", *POSITIVE],
    "no-king poz-jar": ["no-tricks", "no-hearts", "no-queens", "no-jacks", "no-last-two", *POSITIVE],
    "no-king no-jacks no-queens": ["neg-jar", "poz-jar", *POSITIVE],
    "no-king no-jacks miser": ["no-tricks", "no-hearts", "no-queens", "no-last-two", "neg-jar", "poz-jar"],
    "no-king no-jacks no-tricks clubs": ["neg-jar", "poz-jar"],
}
"""Examples of the rules page: contracts that a dealer has played, and those that may still be named."""


@pytest.mark.parametrize("played", SHORT_EXAMPLES)
def test_short_session_examples(played):
    game = start_session(length="short")
    for text in played.split():
        play_collected_round(game, text)
        for _ in range(3):
            play_collected_round(game)
    assert sorted(game.deal(number=9).legal()) == sorted(f"contract {text}" for text in SHORT_EXAMPLES[played])


# Play


def finish_trick(game):
    """Finish the trick, always with the first legal card."""
    while game.view().trick:
        game.do(find_first_play(game))


@pytest.mark.parametrize(("option", "may"), [("under-ace", "KH"), ("void-only", "KH QH")])
@pytest.mark.parametrize("text", ["no-king", "neg-jar"])
def test_king_of_hearts_must_fall_under_ace(text, option, may):
    game = lead_first_heart(text, WITH_ACE, WITH_KING, king_drop=option)
    game.do("play AH")
    assert list_playable_cards(game) == split_cards(may)
    if option == "under-ace":
        assert game.explain_illegal("QH") == "KH must go: play it now"
    game.do("play KH" if option == "under-ace" else "play QH")


def lead_first_heart(text, *others, **options):
    """Start a round in which seat 0 has won three tricks and leads the first heart from hearts alone."""
    game = start_contract(text, "6H 7H 8H 9H TH JH AC KC AS", *others, offers="off", **options)
    for lead in ("AC", "KC", "AS"):
        game.do(f"play {lead}")
        finish_trick(game)
    return game.do("play 6H")


# Points and ends


def test_unplayed_cards_stay_hidden():
    game = start_contract("no-king", CLUBS, "KH").do("play 6C, play KH, play AD, play 6S")
    for seat in range(4):
        view = game.view(seat)
        assert (view.hand, view.sizes) == (0, (0, 0, 0, 0))
        assert names(iter_cards(sum(view.played))) == "6C AD KH 6S"
    shown_cards = [card for zone in game.game.scene(game.view(1)) for card in zone.cards]
    assert names(shown_cards) == "KH", "only the scoring card taken is shown"


# What a seat knows


def test_imagined_dealer_with_kh_led_no_single_card():
    game = start_contract("no-king", "QS 6C 7C 8C 6D 7D 6H 7H 8H").do("play QS")
    with_king = 0
    for world in game.sample_states(1, tries=400):
        if world.hands[0] & cards("KH"):
            with_king += 1
            rest = world.hands[0]
            several = [suit for suit in (0, 1) if (rest & OF_SUIT[suit]).bit_count() > 1]
            assert rest & OF_SUIT[3] or not several, "or no suit of two cards was there"
    assert with_king


# Words


def test_reasons_of_illegal_plays():
    game = start_session().deal(number=9)
    assert game.explain_illegal("6C") == "Name the contract first"
    game = start_contract("no-jacks", CLUBS).do("play 6C, offer 20, take 5, take 0")
    assert game.explain_illegal("7C") == "Answer the offer first"
    game = start_contract("clubs", CLUBS)
    assert game.explain_illegal("AS") == "You do not hold that card"
    assert game.do("play AC").explain_illegal() == "You can only play a card now"


@pytest.mark.parametrize("hearts", ["KH QH", "KH"])
@pytest.mark.parametrize("text", ["no-tricks", "no-king"])
def test_reason_names_suit_when_king_of_hearts_follows(text, hearts):
    game = lead_first_heart(text, f"{hearts} 7C 8C 7S 6D 7D 8D 9D")
    assert list_playable_cards(game) == split_cards(hearts)
    assert game.explain_illegal("9D") == "You must follow suit: play a heart"


def test_log_entries_of_round():
    game = start_session().deal(CLUBS, number=9)
    assert game.format_notes(2) == [(None, "round 1"), (0, "deals")]
    assert game.do("contract poz-jar").format_notes(2) == [(0, "names Poz Jar, where you want points")]
    assert game.do("contract no-king").format_notes(2) == [(0, "names No King instead")]
    assert game.do("contract hearts").format_notes(2) == [(0, "names hearts as trump instead")]
    assert game.do("contract no-jacks, play 6C").format_notes(2) == [(0, "6C")]
    game.do("offer 20")
    assert game.format_notes(2) == [(1, "offers to take 20 of 36 points")]
    assert game.do("take 0").format_notes(1) == [(2, "takes nothing")]
    assert game.do("take 16").format_notes(0) == [
        (3, "takes 16 points"),
        *[(seat, f"{points} in round 1") for seat, points in enumerate(("0", "−20 ×4", "0", "−16 ×4"))],
    ]
