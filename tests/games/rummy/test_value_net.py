"""Value net of Rummy: features of a hand, and order of predictions."""

from statistics import correlation

import pytest

from cardtable.games.rummy.expert.rollouts import RoundSimulation
from cardtable.games.rummy.expert.value_net import predict
from tests.games.rummy import test_rules as rummy
from tests.games.rummy.test_expert import choose_by_policy, iter_rounds

LAID = "9C 9D 9H 9S JC JD JS 2C 2D 2H 2S"
"""Eleven cards that can be melded."""


def start_simulation(*hands, then="5C"):
    """Return a simulation at the start of a round; seat 0 is to draw."""
    return RoundSimulation(rummy.start_round(*hands, then=then).table.state)


@pytest.mark.parametrize("seat", [0, 1])
def test_prediction_is_higher_near_going_out(seat):
    near, far = ([""] * seat + [f"{LAID} {two}"] for two in ("4H 5H", "4H KS"))
    assert predict(start_simulation(*near), 0)[seat] > predict(start_simulation(*far), 0)[seat]


def test_melded_points_count_in_full():
    position = start_simulation()
    before = predict(position, 0)
    position.laid[0] += 10
    after = predict(position, 0)
    assert after[0] - after[1] == pytest.approx(before[0] - before[1] + 10)


def test_predictions_correlate_with_results():
    estimates, came = [], []
    for state in iter_rounds(40):
        begun = []
        while state.playing:
            seat = state.turn
            if not state.drew:
                expected = predict(RoundSimulation(state), seat)
                begun.append((seat, expected[seat] - expected[1 - seat]))
            state.apply(choose_by_policy(state))
        for seat, ahead in begun:
            estimates.append(ahead)
            came.append(state.score.points[seat] - state.score.points[1 - seat])
    assert correlation(estimates, came) > 0.25
