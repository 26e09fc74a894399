"""Hints in each game: facts for and against choices in given situations."""

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
    make_clause,
)
from cardtable.robots.kit.search_spec import Candidate
from cardtable.robots.kit.trick_hints import format_share_fact, make_expected_points_fact
from tests import golden_files
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
    ("share", "often", "seldom"),
    [
        (0.02, "is more likely to win", "will hardly win"),
        (0.2, "is more likely to win", "is less likely to win"),
        (0.4, "is more likely to win", "is less likely to win"),
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
        (discard, "Discard KH", "discarding KH"),
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


COMPARISONS = {
    "King, a queen on the ace": (
        lambda: king.start_contract("no-queens", "AC", "KC QC 9C 6C", "JC TC").do("play AC"),
        "play QC / play 6C, play 6C / play QC, play KC / play 6C, offer 12 / play 6C, offer 12 / offer 20, "
        "offer 20 / offer 12",
    ),
    "King, an answer to an offer": (
        lambda: king.start_contract("no-queens", "AC", "6C").do("play AC, offer 12"), "take 24 / take 0"
    ),
    "King, tricks that cost points": (
        lambda: king.start_contract("no-tricks", "9C TD JD", "QC 8C 7C AS", "6C", "KC").do("play 9C"),
        "play 8C / play QC, play QC / play 8C",
    ),
    "King, trumps": (
        lambda: king.start_contract("hearts", "AC", "7H 8D 9D KD").do("play AC"),
        "play 8D / play 7H, play 7H / play 8D, play 8D / play KD, play KD / play 8D",
    ),
    "King, contracts": (
        lambda: king.start_session().deal("QC QD KC 9C 8C 6C 7C 6S 7S", number=9),
        "contract clubs / contract spades, contract spades / contract clubs, "
        "contract no-jacks / contract no-queens, contract no-queens / contract no-jacks",
    ),
    "Gurka": (
        lambda: gurka.deal_round("9C", "3C 9H QD KC AH 7S 8S").do("play 9C"),
        "play AH / play 3C, play 3C / play AH, play KC / play AH",
    ),
    "Bridge, effects on others": (
        lambda: bridge.start_second_turn("9C", "7C 8C AC JD KC"),
        "play 7C / play KC, play 8C / play KC, play AC / play 8C, play JD / play KC, play KC / play JD",
    ),
    "Bridge, two players": (
        lambda: bridge.start_second_turn("9C", "AC 8C 9D JD KC", seats=2), "play AC / play KC"
    ),
    "Bridge, suits": (
        lambda: bridge.start_second_turn("9C", "JD TD KD 6S 6H").do("play JD"), "suit D / suit C, suit C / suit D"
    ),
    "Bridge, a 6 with a cover": (lambda: bridge.start_second_turn("9C", "6C KC 9H 9D 9S"), "play 6C / play 9H"),
    "Bridge, a 6 without a cover": (lambda: bridge.start_second_turn("9C", "6C KD 9H 9D 9S"), "play 6C / play 9H"),
    "Bridge, a 6 that only a jack covers": (
        lambda: bridge.start_second_turn("TC", "6C JH 7H 8S KS"), "play 6C / play JH, play JH / play 6C"
    ),
    "Bridge, a second 7": (
        lambda: bridge.start_second_turn("9C", "7C 7D 9D JD KC").do("play 7C"), "play 7D / done, done / play 7D"
    ),
    "Rikiki, bids": (
        lambda: rikiki.start_session(after=4).deal("AS KS 3C 2D 2H", "KC", "QC", "JC", then="4S"),
        "bid 2 / bid 0, bid 5 / bid 2",
    ),
    "Rummy, a meld and what it leaves": (
        lambda: rummy.start_round("5C 6C 7C KH KS", then="2D").do("stock"),
        "drop KH / meld 5C 6C 7C, meld 5C 6C 7C / drop KH, drop 5C / drop KH",
    ),
    "Rummy, dropped cards": (
        lambda: rummy.start_round("5C 6C 7C KH 9D", then="2D").do("stock, meld 5C 6C 7C"), "drop 9D / drop KH"
    ),
    "Rummy, the pile": (lambda: rummy.start_round("5C 6C KH KS", then="7C"), "take 1 / stock, stock / take 1"),
}  # fmt: skip
"""Situations, and pairs of actions of which the first is compared with the second."""


def test_golden_reasons_for_and_against_actions():
    lines = []
    for situation, (create_game, pairs) in COMPARISONS.items():
        lines.append(situation)
        for pair in pairs.split(", "):
            pros, cons = compare_actions(create_game(), *pair.split(" / "))
            lines += [f"  {pair}", *[f"    + {text}" for text in pros], *[f"    - {text}" for text in cons]]
    golden_files.check_golden("reasons_of_hints.txt", "\n".join(lines) + "\n")


def test_bid_below_sure_tricks_does_not_fit_the_hand():
    hand = "3C 5C TC 2D 6D 7D QD KD AD 4S 5S 6S AS"
    game = rikiki.start_session(after=12).deal(hand, number=13)
    assert compare_actions(game, "bid 4", "bid 3")[0] == ["fits a hand worth about 4 tricks", "scores more if made"]
    assert compare_actions(game, "bid 3", "bid 4")[0] == []
    assert compare_actions(game, "bid 3", "bid 2")[0][:1] == ["is nearer to a hand worth about 4 tricks"]


def test_facts_of_single_actions():
    game = rifki.start_contract("kiz", "AC", "2C", "3C", "QC 4C").do("play AC")
    assert "goes on another player's trick" in [fact.good for fact in list_facts(game)["play QC"]]


@pytest.mark.parametrize(
    ("hand", "pros", "cons"),
    [
        ("6C 7C 8C 9C TC JC QC KC AC", ["takes the tricks that nobody can take from you"], []),
        ("6C 7C 8C 9C TC JC QC KC 7D", [], ["takes all that is left"]),
    ],
)
def test_king_reasons_about_a_claim(hand, pros, cons):
    game = king.start_contract("no-last-two", hand).do("play 6C")
    while game.turn != 0 or game.view().complete < 2:
        game.do(game.legal()[-1])
    of_claim = compare_actions(game, "claim", game.legal()[-1])
    assert [[text for text in texts if "takes" in text] for texts in of_claim] == [pros, cons]


def test_goals_are_reached_by_few_points_lost():
    game = king.start_contract("no-tricks", "AC", "6C", "7C", "8C")
    assert [get_goal(game).reached(game.view().seat, points) for points in (0, -4)] == [True, False]
    game.do("play AC, play 6C, play 7C, play 8C")
    assert [get_goal(game).reached(game.view().seat, points) for points in (-4, -8)] == [True, False]
    assert get_goal(king.start_contract("clubs")) is None
    assert get_goal(game.do("offer 12")) is None, "an answer to an offer has no goal"
    game = rifki.start_contract("kiz", "AC", "2C", "3C", "QC 4C")
    assert [get_goal(game).reached(game.view().seat, points) for points in (0, -100)] == [True, False]
    assert get_goal(rifki.start_contract("clubs")) is None
    game = gurka.deal_round("9C", "3C 9H QD KC AH 7S 8S").do("play 9C")
    assert [get_goal(game).reached(game.view().seat, points) for points in (0, -9)] == [True, False]


@pytest.mark.parametrize(
    ("own", "good", "bad"),
    [
        (-4, "should cost you a tenth of the penalties", ""),
        (-18, "", "should cost you half of the penalties"),
    ],
)
def test_contract_needs_more_than_fair_share(own, good, bad):
    fact = make_expected_points_fact(own, -36, 4, "the penalties")
    assert (YOURSELF.fill_in(fact.good), YOURSELF.fill_in(fact.bad)) == (good, bad)
    assert fact.score == 4 * (own + 9)


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
    assert [format_action(action) for action in rummy.start_round(then="KD").view().legal] == [
        "The stock",
        "Take 1 card",
    ]
