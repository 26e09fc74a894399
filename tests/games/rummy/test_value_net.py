"""What a round of Rummy will bring: what is counted of a hand, and what is better than what."""

from statistics import correlation

import pytest

from cardtable.games.rummy.expert.rollouts import RoundSimulation
from cardtable.games.rummy.expert.value_net import compute_features, predict
from tests.games.rummy import test_rules as rummy
from tests.games.rummy.test_expert import rounds, usual

LAID = "9C 9D 9H 9S JC JD JS 2C 2D 2H 2S"
"""Eleven cards that can be laid down."""


def left(*hands, then="5C"):
    """The round at its beginning; seat 0 is to draw."""
    return RoundSimulation(rummy.sitting(*hands, then=then).table._state)


def test_what_is_counted_of_a_hand():
    found = compute_features(left(f"{LAID} 4H 5H", then="5C 3H 6H"), 0)
    assert (found.points, found.size) == (4 * 9 + 3 * 10 + 4 * 2, 13)
    assert (found.loose, found.weight, found.links) == (2, 9, 4)
    assert (found.last, found.last_face_up) == (2, 0), "the three and the six of hearts"


def test_loose_cards_that_go_with_nothing():
    found = compute_features(left(f"{LAID} 6H KH"), 0)
    assert (found.loose, found.weight, found.alone, found.alone_weight, found.last) == (2, 16, 2, 16, 0)


def test_the_face_up_card_may_be_the_last_one_that_a_hand_needs():
    assert compute_features(left(f"{LAID} 4H 5H", then="6H"), 0).last_face_up == 1


def test_with_one_loose_card_what_goes_on_to_a_combination_is_enough():
    assert compute_features(left("9C 9D 9H JC JD JS 2C 2D 2H 3D 4D 5D KH", then="5C 9S JH AD 2S 6D QH"), 0).last == 5


def test_with_no_loose_card_any_is():
    found = compute_features(left("9C 9D 9H JC JD JS 2C 2D 2H 3D 4D 5D 6D"), 0)
    assert (found.loose, found.last, found.last_face_up) == (0, 25, 1)


@pytest.mark.parametrize("seat", [0, 1])
def test_who_may_be_out_soon_expects_more(seat):
    near, far = ([""] * seat + [f"{LAID} {two}"] for two in ("4H 5H", "4H KS"))
    assert predict(left(*near), 0)[seat] > predict(left(*far), 0)[seat]


def test_what_is_laid_counts_in_full():
    position = left()
    before = predict(position, 0)
    position.laid[0] += 10
    after = predict(position, 0)
    assert after[0] - after[1] == pytest.approx(before[0] - before[1] + 10)


def test_it_tells_who_will_be_ahead_when_steady_players_go_on():
    told, came = [], []
    for state in rounds(40):
        begun = []
        while state.playing:
            seat = state.turn
            if not state.drew:
                expected = predict(RoundSimulation(state), seat)
                begun.append((seat, expected[seat] - expected[1 - seat]))
            state.apply(usual(state))
        for seat, ahead in begun:
            told.append(ahead)
            came.append(state.score.points[seat] - state.score.points[1 - seat])
    assert correlation(told, came) > 0.25
