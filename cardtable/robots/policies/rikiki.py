"""Rikiki: exact bids, with and without trump."""

from random import Random
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, SUIT, Cards, of
from cardtable.engine.contract import Action
from cardtable.games.rikiki import RikikiView
from cardtable.robots.policies import exact

SKILL: Final = exact.Skill(
    bidding=(
        (1.39, -0.74, 0.01, 0.48, 0.00),
        (-1.04, -1.56, 0.67, -0.61, 0.00),
        (0.62, -1.44, 0.57, -0.56, 0.00),
    ),
    now=(
        (-1.51, -0.46, 0.20, 0.31, 4.82),
        (-2.28, -1.33, 0.51, 0.36, 4.19),
        (-2.79, -0.65, 0.90, 0.56, 1.94),
    ),
    later=(
        (-0.62, -0.65, 0.34, 0.46, 5.38),
        (-2.97, -0.36, 0.69, -0.49, 0.62),
        (-3.05, -1.12, 0.93, -0.62, 1.03),
    ),
    modesty=0.25,
    crowded=0.065,
    most_crowded=2.0,
    risk=1.93,
    heading=0.12,
)


def steady(view: RikikiView, _rng: Random) -> Action:
    """What a player does who counts the cards."""
    seen = 0
    for cards in view.played:
        seen |= cards
    return exact.steady(view, _sight(view, seen), SKILL)


def novice(view: RikikiView, rng: Random) -> Action:
    """What a player does who forgets the tricks before."""
    return exact.novice(view, _sight(view, of(view.trick)), SKILL, rng)


def _sight(view: RikikiView, seen: Cards) -> exact.Sight:
    turned = 0 if view.trump_card is None else BIT[view.trump_card]
    unseen = PACK_52 & ~(seen | view.hand | turned)
    others = sum(view.sizes) - view.hand.bit_count()
    trump = None if view.trump_card is None else SUIT[view.trump_card]
    return exact.Sight(view.hand, unseen, others / max(1, unseen.bit_count()), trump)
