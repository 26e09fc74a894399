"""Bridge: be rid of many and dear cards, keep jacks, and never play a 6 without its cover."""

from random import Random
from typing import Final

from cardtable.engine.cards import ACE, BIT, EIGHT, JACK, OF_RANK, OF_SUIT, RANK, SEVEN, SIX, SUIT, Card
from cardtable.engine.contract import Action
from cardtable.engine.tricks import Play
from cardtable.games.bridge import BRIDGE, SAY_EIGHTS, BridgeView, Eights, Jacks, Suit, effect, fitting, worth

EFFECT: Final = {SEVEN: 4.0, EIGHT: 5.0, ACE: 3.0, JACK: -12.0}
"""What else than its points a card of a rank is worth to play; a jack fits later, too."""
MATE: Final = 4.0
"""What each further card of the rank is worth, which may follow at once."""
NEIGHBOUR: Final = 1.0
"""What each further card of the suit is worth, which may follow later."""
COVERED, UNCOVERED = 4.0, -20.0
"""What a 6 is worth with its cover in the hand, and without."""
POINT: Final = 0.5
"""What a point of a card is worth to be rid of."""
MEAN: Final = 7.2
"""Points of a card nobody has seen."""
LEAD: Final = 5.0
"""How far ahead of the mean of the others it pays to end a round."""


def steady(view: BridgeView, _rng: Random) -> Action:
    """What a player does who knows the game."""
    legal = view.legal
    if BRIDGE in legal and _lead(view) > LEAD:
        return BRIDGE
    plays = [action for action in legal if isinstance(action, Play)]
    if plays:
        best = max(plays, key=lambda play: _value(view, play.card))
        if not _may_end(view) or RANK[best.card] != JACK or view.hand == BIT[best.card]:
            return best
    return _end(view, [action for action in legal if action != BRIDGE and not isinstance(action, Play)])


def novice(view: BridgeView, rng: Random) -> Action:
    """What a player does who is careless now and then."""
    if rng.random() < CARELESS:
        return rng.choice(view.legal)
    return steady(view, rng)


CARELESS: Final = 0.25
"""How often a novice does just anything."""


def _may_end(view: BridgeView) -> bool:
    """Whether this turn may end without another card."""
    return bool(view.played) and RANK[view.played[-1]] != SIX


def _lead(view: BridgeView) -> float:
    """How many points the others are likely to hold more, at the mean."""
    others = [size for seat, size in enumerate(view.sizes) if seat != view.seat]
    return MEAN * sum(others) / len(others) - worth(view.hand)


def _value(view: BridgeView, card: Card) -> float:
    """How good it is to play ``card`` now."""
    rank, left = RANK[card], view.hand & ~BIT[card]
    value = POINT * worth(BIT[card]) + EFFECT.get(rank, 0.0)
    value += MATE * (left & OF_RANK[rank]).bit_count() + NEIGHBOUR * (left & OF_SUIT[SUIT[card]]).bit_count()
    if rank == SIX:
        return value + (COVERED if left & fitting(card, None) else UNCOVERED)
    return value if left else value + 1000.0


def _end(view: BridgeView, ways: list[Action]) -> Action:
    """How to end the turn, or to draw."""
    first = ways[0]
    if isinstance(first, Suit):
        return max(ways, key=lambda way: (view.hand & OF_SUIT[way.suit]).bit_count() if isinstance(way, Suit) else 0)
    if isinstance(first, Eights):
        again = effect(len(view.sizes), view.seat, EIGHT, len(view.last_move), share=True).heir == view.seat
        return SAY_EIGHTS[again]
    return first if isinstance(first, Jacks) else ways[-1]
