"""Rule policy of Ten Down, in which every trick scores a point even if the bid is missed."""

from random import Random
from typing import Final

from cardtable.engine.cards import BIT, CARDS, COPY_OFFSET, TWO_PACKS_32, Cards, normalize_copies, unite_piles
from cardtable.engine.game import Action
from cardtable.games.ten_down.rules import TenDownView, build_state, find_banned_cards, find_unseen_cards
from cardtable.robots.kit import bidding_policy
from cardtable.robots.kit.endgame import Ending, group_neighbours

TWO_PLAYER_WEIGHTS: Final = bidding_policy.PolicyWeights(
    bidding=(
        (2.61, -1.37, 0.37, 0.91, 2.79),
        (-2.37, -2.81, 3.61, -0.56, -3.29),
    ),
    leading=(
        (1.70, -1.42, 0.42, 0.52, 2.96),
        (-4.18, -1.73, 0.16, -0.06, 8.32),
    ),
    keeping=(
        (-2.07, 0.69, 1.05, 0.57, 6.55),
        (-5.62, -0.79, 0.91, -0.76, 3.30),
    ),
    modesty=0.25,
    crowding=0.44,
    max_crowding=2.0,
    risk=0.62,
    heading=0.0,
)
"""Weights for two players, for whom most cards are not dealt and each trick lost is won by the other player."""


def steady(view: TenDownView, _rng: Random) -> Action:
    """Choose an action by the rule policy, with knowledge of all played cards and shown voids."""
    return bidding_policy.choose_steady_action(view, make_features(view), get_weights(len(view.totals)))


def novice(view: TenDownView, rng: Random) -> Action:
    """Choose an action like a novice, who forgets finished tricks and shown voids."""
    trick = [1 << card for card in view.trick]
    seen = _make_features(view, normalize_copies(TWO_PACKS_32 & ~unite_piles([view.hand, *trick])))
    return bidding_policy.choose_novice_action(view, seen, get_weights(len(view.totals)), rng)


def make_features(view: TenDownView) -> bidding_policy.ViewFeatures:
    return _make_features(view, find_unseen_cards(view), find_banned_cards(view))


def _make_features(
    view: TenDownView, out: Cards, excluded_cards: tuple[Cards, ...] = ()
) -> bidding_policy.ViewFeatures:
    others = sum(view.sizes) - view.hand.bit_count()
    last_wins = view.options.identical == "last"
    return bidding_policy.ViewFeatures(
        view.hand, out, others / max(1, out.bit_count()), view.trump, last_wins, excluded_cards
    )


def get_weights(seats: int) -> bidding_policy.PolicyWeights:
    return TWO_PLAYER_WEIGHTS if seats == 2 else bidding_policy.DEFAULT_WEIGHTS


ENDING: Final = Ending(
    find_unseen_cards,
    build_state,
    group_neighbours,
    find_banned_cards=find_banned_cards,
    alike=[BIT[card] | BIT[card] << COPY_OFFSET for card in CARDS[:COPY_OFFSET]],
)
