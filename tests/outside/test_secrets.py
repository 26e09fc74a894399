"""Hidden cards of games of other packages: frames of a club, and planted leaks."""

from random import Random

import pytest
from cardtable_hearts import GAME, HeartsView
from msgspec.structs import replace

from cardtable.engine.cards import PACK_52
from cardtable.engine.game import View
from cardtable.games import GAMES, find_plugins
from cardtable.testing.cases import list_cases
from cardtable.testing.session_checks import check_zones_and_texts
from tests.club.recorded_frames import assert_leak_detected, change_unseen_decision, compare_frames
from tests.exchanged_cards import swap_hidden_in_events
from tests.overriding import override

MIN_PAIRS = 12
"""Minimum number of pairs of worlds for each game."""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("key", "another"),
    [*[(key, swap_hidden_in_events) for key in find_plugins().games], ("hearts", change_unseen_decision)],
)
def test_hidden_cards_change_no_frame(key, another):
    cases, pairs, seed = list_cases(GAMES[key]), 0, 0
    while pairs < MIN_PAIRS:
        pairs += sum([compare_frames(case, seed, another) for case in Random(seed).sample(cases, len(cases))])
        seed += 1


@pytest.mark.parametrize("key", find_plugins().games)
def test_hand_shown_to_spectators_is_detected(key, monkeypatch):
    right = View.public_view
    monkeypatch.setattr(View, "public_view", lambda view: replace(right(view), hand=view.hand))
    assert_leak_detected(list_cases(GAMES[key])[0])


def test_passed_cards_shown_to_spectators_are_detected(monkeypatch):
    right = HeartsView.public_view
    monkeypatch.setattr(HeartsView, "public_view", lambda view: replace(right(view), choice=view.choice))
    assert_leak_detected(list_cases(GAMES["hearts"])[0], change_unseen_decision)


def test_passed_cards_in_every_log_are_detected():
    def narrate_loudly(event, before, after):
        return GAME.narrate(event, replace(before, hand=PACK_52), after)

    loud = override(GAME, narrate=narrate_loudly)
    with pytest.raises(AssertionError, match="a hidden card is told"):
        check_zones_and_texts(list_cases(loud)[0], 0, 20)
