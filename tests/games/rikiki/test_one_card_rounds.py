"""Rounds of one card in Rikiki: outcomes of bids are enumerated exactly, not sampled."""

from random import Random
from statistics import fmean, stdev

import pytest

from cardtable.engine.bidding import BIDS
from cardtable.engine.cards import card
from cardtable.engine.chance import Deal
from cardtable.games import GAMES
from cardtable.games.rikiki import expert
from cardtable.games.rikiki.expert import (
    ONE_CARD_BID_DEVIATION,
    SEARCH_SPEC,
    OneCardRound,
    enumerate_outcomes,
    make_rollout,
)
from cardtable.robots.hints import advise
from cardtable.robots.kit.bidding_policy import DEFAULT_WEIGHTS, compute_bid_likelihood
from cardtable.robots.kit.search import sample_by_rejection

GAME = GAMES["rikiki"]


def create_bidding_view(seed, *bids, **options):
    """Return a view in the first round after these bids."""
    state = GAME.start(4, GAME.options(**options))
    state.apply(state.draw_chance(Random(seed)))
    for bid in bids:
        state.apply(BIDS[bid])
    return state.view(state.turn)


def sample_likely_state(view, rng):
    """Sample a state by the likelihood of the bids made so far."""

    def propose():
        state, likeness = GAME.imagine(view, rng), 1.0
        for place, bid in enumerate(state.bids):
            takes = expert.make_hand_evaluator(1, view.trump_card)(state.hands[(view.dealer + place) % 4])
            likeness *= compute_bid_likelihood(
                bid + DEFAULT_WEIGHTS.compute_reduction(1, state.bids[:place], 4), takes, ONE_CARD_BID_DEVIATION
            )
        return likeness, state

    return sample_by_rejection(propose, rng, 40)


@pytest.mark.parametrize("bids", [(), (1,), (0, 1), (1, 0, 0)])
@pytest.mark.parametrize("hook", ["over-four", "always"])
def test_exact_outcomes_match_sampled_worlds(bids, hook):
    view, rng = create_bidding_view(8, *bids, hook=hook), Random(1)
    one = OneCardRound(view, ONE_CARD_BID_DEVIATION)
    for action in view.legal:
        outcomes = one.list_outcomes(action.tricks)
        assert sum(outcome.probability for outcome in outcomes) == pytest.approx(1)
        seen = []
        for _ in range(600):
            world = sample_likely_state(view, rng)
            world.apply(action)
            seen.append(SEARCH_SPEC.value(view, make_rollout(view)(world, rng.random())))
        worth = sum(outcome.probability * SEARCH_SPEC.value(view, outcome.points) for outcome in outcomes)
        assert abs(worth - fmean(seen)) <= 4 * stdev(seen) / len(seen) ** 0.5 + 1e-9


def test_highest_trump_is_certain_to_win():
    order = [card(word) for word in ["2C", "3C", "4C", "AS", "6S"]]
    rest = [each for each in GAME.start(4, GAME.options()).draw_chance(Random(1)).order if each not in order]
    state = GAME.start(4, GAME.options())
    state.apply(Deal((*order, *rest)))
    for bid in (0, 0, 0):
        state.apply(BIDS[bid])
    view = state.view(3)
    assert [sum(each.probability for each in enumerate_outcomes(view, BIDS[1]) if each.points[3] == 12)] == [
        pytest.approx(1)
    ]
    advice = advise("rikiki", view, Random(1), lambda: False)
    assert advice.sentence.startswith("Bid 1, ")
    assert "and you will almost surely make it" in advice.sentence
