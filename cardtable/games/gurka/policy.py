"""Gurka: keep low cards for the end, and high ones to head with until then.

What a card that is kept will cost was fitted to rounds of this policy against itself.  Each part
has won duplicate matches against the policy without it; to count the cards that fell did not.
"""

from random import Random
from typing import Final

from cardtable.engine.cards import RANK, RANKS, Card, iter_cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import Play
from cardtable.games.gurka.rules import GurkaView

LOWEST: Final = (-1.8, -1.9, -1.9, -1.8, -1.0, 0.2, 1.9, 3.4, 4.3, 6.0, 7.7, 9.4, 11.2)
"""Points that the lowest card of a hand costs beyond the usual, by its rank: in the end it is often the last."""
SECOND: Final = (-0.4, -0.4, -0.3, -0.2, 0.4, 1.0, 1.5, 1.7, 2.0, 2.3, 2.3, 1.9, 1.1)
"""The same for the card above it, ..."""
OTHER: Final = (0.1, -0.2, -0.2, -0.1, 0.3, 0.8, 1.1, 1.1, 1.0, 0.9, 0.6, 0.0, -0.6)
"""... and for each of the others: the worst are too low to head and too high to be the last."""
LEADING: Final = (0.0, 1.1, -1.0, -1.0, -0.9, -0.7, -0.7)
"""What it costs to take the trick and lead to the next, by the cards that are left in the hand then."""
FEW: Final = 4
"""With more seats than this a card is as good as the next lower one is with so many."""
CARELESS: Final = 0.12
"""How often a novice plays just any card."""


def steady(view: GurkaView, _rng: Random) -> Action:
    """The card after which the least is to be expected."""
    plays = {RANK[play.card]: play for play in view.legal if isinstance(play, Play)}
    if len(plays) == 1:
        return view.legal[0]
    ranks = sorted(RANK[c] for c in iter_cards(view.hand))
    return min(plays.values(), key=lambda play: _cost(view, ranks, play.card))


def novice(view: GurkaView, rng: Random) -> Action:
    """What a player does who gets rid of high cards whenever it can, and is careless now and then."""
    if rng.random() < CARELESS:
        return rng.choice(view.legal)
    return max(view.legal, key=lambda play: RANK[play.cards_used().bit_length() - 1])


def _cost(view: GurkaView, ranks: list[int], card: Card) -> float:
    """Points to be expected from the hand of these ranks after ``card``."""
    kept = ranks.copy()
    kept.remove(RANK[card])
    lower = len(view.totals) > FEW
    lowest, *others = [max(rank - lower, 0) for rank in kept]
    cost = LOWEST[lowest]
    if others:
        cost += SECOND[others[0]] + sum([OTHER[rank] for rank in others[1:]])
    return cost + LEADING[len(kept)] * _takes(view, card)


def _takes(view: GurkaView, card: Card) -> float:
    """How likely it is that ``card`` takes the present trick: that no seat after it holds a card that heads it."""
    if view.best is not None and RANK[card] < RANK[view.best]:
        return 0.0
    if view.options.bound((*view.trick, card)):
        return 1.0
    after = len(view.totals) - 1 - len(view.trick)
    takes: float = (RANK[card] / len(RANKS)) ** (after * (view.hand.bit_count() - 1))
    return takes
