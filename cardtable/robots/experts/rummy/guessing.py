"""What the other player of Rummy may hold, the likelier hands more often.

Nobody holds just any cards: what was of no use has been dropped.  So some cards more than the hand has are drawn, and
those that fit worst go away; of some such hands one is taken by what tells the true hand from them.
"""

from functools import cache
from math import exp
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, PACK_52, Card, Cards, each, of
from cardtable.engine.chance import shuffled
from cardtable.games.rummy import RummyState, RummyView
from cardtable.games.rummy.combinations import MASK, WORTH, worth
from cardtable.games.rummy.imagining import imagine
from cardtable.games.rummy.turns import Ends, ends
from cardtable.robots.experts.rummy.planning import AROUND, PAIRS, Laying, layings, near

TRIES: Final = 5
"""Hands that are drawn for one that is taken."""
DROPPED: Final = 0.4
"""Cards drawn beyond the hand for each turn that the other player has had."""
MOST_DROPPED: Final = 1 / 3
"""The most of them for each card that nobody has seen."""
CAPRICE: Final = 6.0
"""How much chance there is in what goes away, in points."""
LONG: Final = 24
"""Turns of a round, mostly."""


def guess(view: RummyView, rng: Random) -> RummyState:
    """A world in which the other player, whose turn it is not, holds what one who knows the game may hold."""
    state = imagine(view, rng)
    other = 1 - view.seat
    end = ends(view.table)
    table = sum([MASK[combination] for combination in view.table])
    free = PACK_52 & ~(table | view.shown[view.seat])
    pool = PACK_52 & ~(view.hand | of(view.pile) | table | view.shown[other])
    hidden = view.sizes[other] - view.shown[other].bit_count()
    more = min(DROPPED * (view.turns // 2), MOST_DROPPED * hidden)
    hands = []
    for _ in range(TRIES):
        number = min(int(more + rng.random()), pool.bit_count() - hidden)
        drawn = of(shuffled(pool, rng)[: hidden + number])
        hands.append(_sifted(view.shown[other], drawn, number, end, free, rng))
    likely = [_likely(hand, view, end, free) for hand in hands]
    most = max(likely)
    (hand,) = rng.choices(hands, [exp(one - most) for one in likely])
    state.hands = (hand, view.hand) if view.seat else (view.hand, hand)
    state.stock = shuffled(pool & ~hand, rng)
    return state


def _sifted(shown: Cards, drawn: Cards, number: int, end: Ends, free: Cards, rng: Random) -> Cards:
    """A hand of these cards without so many that fit worst; none of those shown."""
    hand = shown | drawn
    for _ in range(number):
        rest = _laying(hand, end).rest
        worst, least = 0, 1e9
        for c in each(rest & ~shown or hand & ~shown):
            around = AROUND[c]
            kept = 2 * near(c, rest & around, free & around) - WORTH[c] / 4 + CAPRICE * rng.random()
            if kept < least:
                worst, least = BIT[c], kept
        hand ^= worst
    return hand


def _laying(hand: Cards, end: Ends) -> Laying:
    """The way to lay down a hand that brings most."""
    return max(layings(hand, end))


def _likely(hand: Cards, view: RummyView, end: Ends, free: Cards) -> float:
    """How likely a hand is beside other sifted ones, as a logarithm; fitted to the hands of steady players.

    It may have some loose cards that count much, but none that a card of the pile would have completed.
    """
    rest, late = _laying(hand, end).rest, view.turns / LONG
    fitting = close = links = 0
    for c in view.pile:
        around = hand & AROUND[c]
        if around:
            if _completes(c, around):
                fitting += 1
            else:
                close += 1
    for c in each(rest):
        around = AROUND[c]
        links += near(c, rest & around, free & around)
    laid = (hand & ~rest).bit_count()
    return (
        (0.48 - 0.32 * late) * laid
        + (0.07 - 0.5 * late) * links
        + (0.024 + 0.15 * late) * worth(rest)
        - (1.06 + 0.63 * late) * fitting
        - 0.375 * close
        - (0 if rest else 1.3)
    )


@cache
def _completes(card: Card, around: Cards) -> bool:
    """Whether these cards make a combination of three with this one."""
    return any(not two & ~around for two in PAIRS[card])
