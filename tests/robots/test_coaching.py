"""Hints in each game: facts for and against choices in given situations."""

import re
from importlib import import_module

import pytest

from cardtable.engine.bidding import BIDS
from cardtable.engine.tricks import PLAY
from cardtable.games.king.rules.actions import NAMINGS
from cardtable.robots.kit.hint_spec import (
    YOURSELF,
    Fact,
    compare_facts,
    format_action,
    format_action_in_sentence,
    format_as_subject,
    format_command,
    format_percentage,
    make_clause,
)
from cardtable.robots.kit.search_spec import Candidate
from cardtable.robots.kit.trick_hints import format_share_fact, make_expected_points_fact
from tests.games.bridge import test_rules as bridge
from tests.games.gurka import test_rules as gurka
from tests.games.king import test_rules as king
from tests.games.rifki import test_rules as rifki
from tests.games.rikiki import test_rules as rikiki
from tests.games.rummy import test_rules as rummy


def list_facts(game):
    """Return the facts of every legal action of the seat on turn, by notation."""
    view = game.view()
    lesson = import_module(f"cardtable.games.{game.game.about.key}.hints").HINT_SPEC
    candidates = [Candidate(action, 0.0) for action in view.legal]
    return dict(zip(map(str, view.legal), lesson.facts(view, candidates, game.sample_states(view.seat)), strict=True))


def compare_actions(game, one, other):
    """Return the reasons for and against an action, compared with another, as the player reads them."""
    facts = list_facts(game)
    pros, cons = compare_facts(facts[one], facts[other])
    return [[YOURSELF.fill_in(text) for text in texts.values() if text] for texts in (pros, cons)]


def get_goal(game):
    view = game.view()
    return import_module(f"cardtable.games.{game.game.about.key}.hints").HINT_SPEC.goal(view)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.001, "1%"), (0.02, "2%"), (0.346, "35%"), (0.5, "50%"), (0.998, "99%"), (1, "100%")],
)
def test_format_percentage(share, text):
    assert format_percentage(share) == text


@pytest.mark.parametrize(
    ("share", "often", "seldom"),
    [
        (0.02, "is more likely to win", "will hardly win"),
        (0.2, "is more likely to win", "may win"),
        (0.4, "is more likely to win", "is less likely to win"),
        (0.6, "may well win", "is less likely to win"),
        (0.8, "will probably win", "is less likely to win"),
        (1.0, "will almost surely win", "is less likely to win"),
    ],
)
def test_share_in_words(share, often, seldom):
    assert format_share_fact(share, "win") == (often, seldom)


@pytest.mark.parametrize(
    ("texts", "clause"),
    [
        ((), ""),
        (("keeps KH",), ", which keeps KH"),
        (("keeps KH", "loses the trick"), ", which keeps KH and loses the trick"),
        (("is your last club",), ", your last club"),
        (("is less than the hand is worth", "but keeps KH"), ", which is less than the hand is worth, but keeps KH"),
    ],
)
def test_reasons_as_clause(texts, clause):
    assert make_clause(texts) == clause


def test_choices_in_sentences():
    rummy_view = rummy.start_round("5C 6C KH KS", then="7C").do("stock").view()
    discard = next(action for action in rummy_view.legal if str(action) == "drop KH")
    for action, command, subject in [
        (PLAY[0], "Play 2C", "2C"),
        (BIDS[2], "Bid 2", "bid 2"),
        (discard, "Discard KH", "to discard KH"),
        (NAMINGS[0], f"Choose {format_action(NAMINGS[0])}", format_action(NAMINGS[0])),
    ]:
        assert (format_command(action), format_as_subject(action)) == (command, subject)


def test_compare_facts():
    low = (Fact("take", 0.1, "rarely", "seldom", margin=0.05), Fact("spent", 0, "unused"))
    high = (Fact("take", 0.9, "often", "mostly"), Fact("spent", -1, bad="spends KH", good_of_other="keeps KH"))
    assert compare_facts(high, low) == ({"take": "often"}, {"spent": "spends KH"})
    assert compare_facts(low, high) == ({"spent": "keeps KH"}, {"take": "seldom"})
    assert compare_facts(low, low) == ({}, {})
    assert compare_facts((), high) == ({}, {})
    assert compare_facts(high, ()) == ({"take": "often"}, {"spent": "spends KH"})


# Tricks


def test_king_discarding_queen():
    game = king.start_contract("no-queens", "AC", "KC QC 9C 6C", "JC TC").do("play AC")
    assert compare_actions(game, "play QC", "play 6C")[0][:2] == [
        "goes on another player's trick",
        "gets rid of a high card",
    ]
    assert compare_actions(game, "play 6C", "play QC")[1] == ["leaves you with QC", "spends a low card"]
    assert compare_actions(game, "play KC", "play 6C") == [["gets rid of a high card", "keeps 6C"], []]


def test_king_card_that_may_collect_points():
    game = king.start_contract("no-tricks", "9C TD JD", "QC 8C 7C AS", "6C", "KC").do("play 9C")
    assert "takes no points here" in compare_actions(game, "play 8C", "play QC")[0]
    assert any("take points" in text for text in compare_actions(game, "play QC", "play 8C")[1])


def test_king_keeping_trumps_and_high_cards():
    game = king.start_contract("hearts", "AC", "7H 8D 9D KD").do("play AC")
    assert compare_actions(game, "play 8D", "play 7H")[0] == ["saves your trumps"]
    assert compare_actions(game, "play 8D", "play 7H")[1] == ["loses the trick"]
    assert "spends a trump" in compare_actions(game, "play 7H", "play 8D")[1]
    assert compare_actions(game, "play 8D", "play KD")[0] == ["keeps KD"]
    assert compare_actions(game, "play KD", "play 8D")[1] == ["spends a high card"]
    game = king.start_contract("no-king", "8D 6C 7C TC", "AH").do("play 8D")
    assert not any("trump" in text for each in list_facts(game).values() for fact in each for text in fact[2:6])


def test_king_contracts():
    game = king.start_session().deal("QC QD KC 9C 8C 6C 7C 6S 7S", number=9)
    assert compare_actions(game, "contract clubs", "contract spades") == [["gives you 6 trumps"], []]
    assert compare_actions(game, "contract spades", "contract clubs")[1] == ["leaves you with only 2 trumps"]
    assert compare_actions(game, "contract no-jacks", "contract no-queens")[0] == ["suits a hand without penalty cards"]
    assert compare_actions(game, "contract no-queens", "contract no-jacks")[1] == []


@pytest.mark.parametrize(
    ("own", "good", "bad"),
    [
        (
            -4,
            "should cost you a tenth of the penalties",
            "should cost you a tenth of the penalties, but gains less",
        ),
        (-18, "", "should cost you half of the penalties"),
    ],
)
def test_contract_needs_more_than_fair_share(own, good, bad):
    fact = make_expected_points_fact(own, -36, 4, "the penalties")
    assert (YOURSELF.fill_in(fact.good), YOURSELF.fill_in(fact.bad)) == (good, bad)
    assert fact.score == 4 * (own + 9)


def test_king_goal_in_negative_contracts():
    game = king.start_contract("no-tricks", "AC", "6C", "7C", "8C")
    assert [get_goal(game).reached(points) for points in (0, -4)] == [True, False]
    game.do("play AC, play 6C, play 7C, play 8C")
    assert [get_goal(game).reached(points) for points in (-4, -8)] == [True, False]
    assert get_goal(king.start_contract("clubs")) is None
    assert get_goal(game.do("offer 12")) is None, "an answer to an offer has no goal"


def test_king_offers_and_claims():
    game = king.start_contract("no-queens", "AC", "6C").do("play AC")
    assert compare_actions(game, "offer 12", "play 6C")[0] == ["settles the round for 12 of the 36 points left"]
    assert compare_actions(game, "offer 12", "offer 20")[0] == ["takes only 12"]
    assert compare_actions(game, "offer 20", "offer 12")[1] == ["takes 20"]
    game.do("offer 12")
    assert compare_actions(game, "take 24", "take 0")[0] == ["accepts the offer, which ends the round"]
    game = king.start_contract("no-queens", "AC KC", "6C 7C", "8C 9C", "TC JC")
    game.do("play AC, play 6C, play 8C, play TC, play KC, play 7C, play 9C, play JC")
    assert [fact.good for fact in list_facts(game)["claim"]] == ["takes the tricks that nobody can take from {them}"]


def test_rifki_goal_in_negative_contracts():
    game = rifki.start_contract("kiz", "AC", "2C", "3C", "QC 4C")
    assert [get_goal(game).reached(points) for points in (0, -100)] == [True, False]
    game.do("play AC")
    assert "goes on another player's trick" in compare_actions(game, "play QC", "play QC")[0] + [
        fact.good for fact in list_facts(game)["play QC"]
    ]
    assert get_goal(rifki.start_contract("clubs")) is None


def test_gurka_keeping_low_cards():
    game = gurka.deal_round("9C", "3C 9H QD KC AH 7S 8S").do("play 9C")
    assert compare_actions(game, "play AH", "play 3C")[0] == ["keeps 3C for the end", "gets rid of a high card"]
    assert compare_actions(game, "play 3C", "play AH")[1] == ["spends a low card", "leaves you with AH"]
    assert compare_actions(game, "play KC", "play AH") == [[], ["leaves you with AH"]]
    assert [get_goal(game).reached(points) for points in (0, -9)] == [True, False]


# Bridge


def test_bridge_effects_on_others():
    game = bridge.start_second_turn("9C", "7C 8C AC JD KC")
    assert "makes the next player draw 1" in compare_actions(game, "play 7C", "play KC")[0]
    pros, cons = compare_actions(game, "play 8C", "play KC")
    assert pros[:2] == ["makes the next player draw 2", "skips the next player"]
    assert cons == ["gets rid of fewer points", "spends an 8"]
    assert compare_actions(game, "play AC", "play 8C")[0] == ["gets rid of 15 points", "keeps 8C"]
    assert compare_actions(game, "play JD", "play KC")[0] == ["lets you name the suit", "gets rid of 20 points"]
    assert compare_actions(game, "play JD", "play KC")[1] == ["spends a jack"]
    assert "keeps JD" in compare_actions(game, "play KC", "play JD")[0]


def test_bridge_two_players_and_named_suit():
    assert (
        "gives you another turn"
        in compare_actions(bridge.start_second_turn("9C", "AC 8C 9D JD KC", seats=2), "play AC", "play KC")[0]
    )
    game = bridge.start_second_turn("9C", "JD TD KD 6S 6H").do("play JD")
    assert compare_actions(game, "suit D", "suit C") == [["matches your 2 diamonds"], []]
    assert compare_actions(game, "suit C", "suit D") == [[], ["is a suit you do not hold"]]


def test_bridge_cover_of_six():
    assert (
        "must be covered" in compare_actions(bridge.start_second_turn("9C", "6C KC 9H 9D 9S"), "play 6C", "play 9H")[1]
    )
    lacking = bridge.start_second_turn("9C", "6C KD 9H 9D 9S")
    assert "must be covered, so you draw" in compare_actions(lacking, "play 6C", "play 9H")[1]


def test_bridge_second_seven_or_end_of_turn():
    game = bridge.start_second_turn("9C", "7C 7D 9D JD KC").do("play 7C")
    assert compare_actions(game, "play 7D", "done")[0][0] == "makes the next player draw 2"
    assert compare_actions(game, "done", "play 7D")[0] == ["keeps 7D"]


# Bids


def test_rikiki_bids_by_hand():
    game = rikiki.start_session(after=4).deal("AS KS 3C 2D 2H", "KC", "QC", "JC", then="4S")
    pros, cons = compare_actions(game, "bid 2", "bid 0")
    assert re.fullmatch(r"fits a hand worth (about \d|\d or \d) tricks?", pros[0])
    assert pros[1] == "scores more if made"
    pros, cons = compare_actions(game, "bid 5", "bid 2")
    assert cons[0] == "is more than the hand is worth"


# Rummy


def test_rummy_use_of_dropped_card():
    game = rummy.start_round("5C 6C 7C KH 9D", then="2D").do("stock, meld 5C 6C 7C")
    for text in list_facts(game):
        if text in ("drop 4C", "drop 8C"):
            assert "will almost surely be of use to the other player" in compare_actions(game, text, "drop KH")[1]
    assert "gets rid of 10 points" not in compare_actions(game, "drop 9D", "drop KH")[0]


def test_rummy_keeping_melds_back():
    game = rummy.start_round("5C 6C 7C KH KS", then="2D").do("stock")
    assert "keeps your melds back until the end" in compare_actions(game, "drop KH", "meld 5C 6C 7C")[0]
    assert compare_actions(game, "meld 5C 6C 7C", "drop KH")[0] == ["scores 18 points for good"]
    assert compare_actions(game, "meld 5C 6C 7C", "drop KH")[1] == ["lets the other player lay off on it"]
    assert "breaks up a complete meld" in compare_actions(game, "drop 5C", "drop KH")[1]
    assert "gives up the chance of a meld with KS" in [
        YOURSELF.fill_in(fact.bad) for fact in list_facts(game)["drop KH"]
    ]


def test_rummy_taking_from_pile():
    game = rummy.start_round("5C 6C KH KS", then="7C")
    assert compare_actions(game, "take 1", "stock")[0] == ["makes 5C 6C 7C"]
    assert compare_actions(game, "take 1", "stock")[1] == ["shows what you are collecting"]
    assert compare_actions(game, "stock", "take 1")[0] == ["gives nothing away about your hand"]
    lesson = import_module("cardtable.games.rummy.hints").HINT_SPEC
    assert [lesson.action_name(game.view(), action) for action in game.view().legal] == [
        "Draw from the stock",
        "Take 7C",
    ]


def test_rummy_alternatives_are_whole_melds():
    game = rummy.start_round("5C 6C 7C 8C 8D 8H KS", then="2D").do("stock")
    lesson = import_module("cardtable.games.rummy.hints").HINT_SPEC
    listed = list(map(str, lesson.alternatives(game.view(), game.view().legal[0])))
    assert listed == ["meld 5C 6C 7C 8C", "meld 8C 8D 8H"]


# Names


def test_names_of_actions():
    game = king.start_session().deal(number=9)
    called = {str(action): format_action(action) for action in game.view().legal}
    assert called["contract no-queens"] == "No Queens"
    assert called["contract spades"] == "Trump spades"
    assert {format_action_in_sentence(action) for action in game.view().legal} == set(called.values())
    lines = [
        (format_action(action), format_action_in_sentence(action))
        for action in bridge.start_second_turn("9C", "JD").do("play JD").view().legal
    ]
    assert ("Hearts", "hearts") in lines
    assert [format_action(action) for action in rummy.start_round(then="KD").view().legal] == ["The stock", "Take 1"]
