"""Reasons why something cannot be chosen: a sentence that names the rule, for each card and option."""

import re
from random import Random

import pytest

from cardtable.engine.cards import BIT
from cardtable.engine.game import CHANCE, OVER
from cardtable.games import GAMES
from cardtable.testing.cases import choose_action
from cardtable.ui.game_view.registry import get_game_view
from tests.laws.sessions import CASES_BY_GAME

MAX_DECISIONS = 120
"""Number of decisions of each case that are tested."""
NAMES = ("You", "Ada", "Bo", "Cy", "Dee", "Eve")
RULE_WORDS = re.compile(
    r"must|may|can't|couldn't|first|Play|play|lead|Cover|declared|played|had|pick another|identical"
)
"""Words that state a rule: obligations, permissions and past actions."""


def iter_decisions(case):
    """Yield views of the seat on turn in a random session."""
    table, rng = case.create_referee(3, lambda _: None), Random(str(case))
    left = MAX_DECISIONS
    while table.turn != OVER and left:
        if table.turn == CHANCE:
            table.advance()
            continue
        left -= 1
        yield table.view(table.turn)
        table.play(table.turn, choose_action(table.view(table.turn).legal, rng))


def list_refused_cards(game, view):
    """Return the cards of the own hand that no legal action uses."""
    able = 0
    for action in view.legal:
        able |= action.cards_used()
    hands = [zone.cards for zone in game.scene(view) if zone.name == "hand" and zone.seat == view.seat]
    return [card for cards in hands for card in cards if not BIT[card] & able]


def is_reason(text):
    """Return True if a text is a sentence that names a rule."""
    return len(text.split()) >= 3 and text == text.strip() and bool(RULE_WORDS.search(text))


@pytest.mark.parametrize("key", GAMES)
def test_every_illegal_card_has_a_reason(key):
    reasons = set()
    for case in CASES_BY_GAME[key]:
        for view in iter_decisions(case):
            reasons |= {case.game.explain_illegal(view, BIT[card]) for card in list_refused_cards(case.game, view)}
    assert reasons
    assert [text for text in reasons if not is_reason(text) or text[0] != text[0].upper()] == []


@pytest.mark.parametrize("key", ["rikiki", "king", "rifki", "ten_down"])
def test_every_forbidden_option_has_a_reason(key):
    reasons = set()
    for case in CASES_BY_GAME[key]:
        for view in iter_decisions(case):
            decision = get_game_view(key).decision(view, NAMES[: case.seats])
            reasons |= {option.note for option in decision.options if option.action is None} if decision else set()
    assert reasons
    assert [text for text in reasons if not is_reason(text)] == []
