"""Spades: the invariants of every game, and its own rules."""

import pytest
from cardtable_spades import CALLS, GAME, SIDES, Options

from cardtable.engine.cards import OF_SUIT, SUIT, card, cards
from cardtable.testing import GameTests


class TestSpades(GameTests):
    game = GAME


def after(bids, won, total=(0, 0)):
    """Return a state after the last trick of a round, with the totals of both sides before the round."""
    state = GAME.start(4, Options())
    state.bids, state.won = bids, won
    state.totals = (*total, *total)
    return state


@pytest.mark.parametrize(
    ("bids", "won", "points"),
    [
        ((4, 5, 3, 0), (5, 4, 4, 0), (72, 50)),
        ((4, 5, 3, 3), (4, 4, 3, 2), (70, -80)),
        ((4, 5, 0, 3), (6, 4, 1, 2), (-57, -80)),
        ((4, 5, 0, 3), (3, 6, 1, 3), (-139, 81)),
        ((0, 0, 0, 13), (0, 0, 1, 12), (1, -30)),
    ],
)
def test_points(bids, won, points):
    assert after(bids, won).score_round() == (*points, *points)


def test_ten_bags_cost_100_points():
    state = after((2, 4, 2, 4), (3, 4, 2, 4), (149, 149))
    assert state.score_round() == (-59, 80, -59, 80)
    assert [[bonus.name for bonus in bonuses] for bonuses in state.bonuses()] == [["ten bags"], [], ["ten bags"], []]


@pytest.mark.parametrize(
    ("hand", "trick", "played", "expected"),
    [
        ("5C KS", "2C", "", "5C"),
        ("5D KS", "2C", "", "5D KS"),
        ("5D KS", "", "", "5D"),
        ("5D KS", "", "2S", "5D KS"),
        ("3S KS", "", "", "3S KS"),
    ],
)
def test_playable_cards(hand, trick, played, expected):
    state = after((1, 1, 1, 1), (0, 0, 0, 0))
    state.playing, state.turn, state.trick = True, 0, tuple([card(word) for word in trick.split()])
    state.led = OF_SUIT[SUIT[state.trick[0]]] if state.trick else 0
    state.hands = (cards(hand), 0, 0, 0)
    state.dealt = (cards(hand), cards(played), 0, 0)
    assert " ".join(str(action).removeprefix("play ") for action in state.legal()) == expected


def test_spade_beats_suit_led():
    state = after((1, 1, 1, 1), (0, 0, 0, 0))
    assert state.taker([card("AC"), card("2S"), card("KC"), card("AD")]) == 1


def test_zero_bid_is_called_nil():
    assert [str(call) for call in CALLS[:3]] == ["bid nil", "bid 1", "bid 2"]


def test_partners_sit_opposite_and_share_place():
    state = after((1, 1, 1, 1), (1, 2, 1, 2), (500, 480))
    assert GAME.sides(4, Options()) == SIDES
    assert state.is_over()
    assert state.ranks() == (1, 2, 1, 2)
