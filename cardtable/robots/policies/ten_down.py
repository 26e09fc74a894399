"""Ten Down: exact bids, where a trick is worth a point even to who misses the bid."""

from random import Random
from typing import Final

from cardtable.engine.cards import TWO_PACKS_32, Cards
from cardtable.engine.contract import Action
from cardtable.engine.doubles import plain, together
from cardtable.games.ten_down import TenDownView, unseen
from cardtable.robots.policies import exact

SKILL: Final = exact.Skill(
    bidding=(
        (1.39, -0.74, 0.01, 0.48, 0.00),
        (-1.04, -1.56, 0.67, -0.61, 0.00),
    ),
    now=(
        (-1.51, -0.46, 0.20, 0.31, 4.82),
        (-2.28, -1.33, 0.51, 0.36, 4.19),
    ),
    later=(
        (-0.62, -0.65, 0.34, 0.46, 5.38),
        (-2.97, -0.36, 0.69, -0.49, 0.62),
    ),
    modesty=0.25,
    crowded=0.065,
    most_crowded=2.0,
    risk=1.93,
    heading=0.12,
)


def steady(view: TenDownView, _rng: Random) -> Action:
    """What a player does who counts the cards."""
    return exact.steady(view, _sight(view, unseen(view)), SKILL)


def novice(view: TenDownView, rng: Random) -> Action:
    """What a player does who forgets the tricks before."""
    lie = [1 << card for card in view.trick]
    return exact.novice(view, _sight(view, plain(TWO_PACKS_32 & ~together([view.hand, *lie]))), SKILL, rng)


def _sight(view: TenDownView, out: Cards) -> exact.Sight:
    others = sum(view.sizes) - view.hand.bit_count()
    last_wins = view.options.identical == "last"
    return exact.Sight(view.hand, out, others / max(1, out.bit_count()), view.trump, last_wins)
