"""Imagined hands in games of tricks: they could have been dealt, as every play so far was legal with them."""

from itertools import islice
from random import Random

import pytest

from cardtable.engine.cards import iter_cards
from cardtable.testing.cases import iter_random_positions
from tests.laws.endgames import TRICK_GAMES, Decision, replay
from tests.laws.sessions import CASES_BY_GAME

MAX_POSITIONS = 4_000
"""Number of positions of each case from which some are taken."""


@pytest.mark.parametrize("case", [case for key in TRICK_GAMES for case in CASES_BY_GAME[key]], ids=str)
def test_round_can_be_played_again_with_imagined_hands(case):
    rng = Random(str(case))
    for position in islice(iter_random_positions(case, 0), MAX_POSITIONS):
        if position.state.playing and position.state.turn >= 0 and rng.random() < 0.25:
            view = position.state.view(rng.randrange(case.seats))
            deal, *happened = [event for _, event in position.events]
            decision = Decision(case, view, position.state_before_deal, deal, happened, 0)
            hands = case.game.imagine(view, rng).hands
            assert replay(decision, list(map(iter_cards, hands))) is not None, view
