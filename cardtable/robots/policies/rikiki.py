"""Rikiki: bid what the hand should take, then play the card that brings the bid nearest.

Both rest on one estimate, how likely it is that a card takes the trick it is played to.  Its
weights were fitted in duplicate matches, as were the other numbers here.
"""

from math import exp
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import BIT, OF_SUIT, PACK_52, SUIT, Card, Cards, each, of
from cardtable.engine.contract import Action
from cardtable.engine.tricks import Play, order
from cardtable.games.rikiki import SEATS, Bid, RikikiView

Weights: TypeAlias = tuple[tuple[float, float, float, float, float], ...]
"""For a trump, for another card where there are trumps, for a card of a round without: what counts in general, for
each higher and each lower card of the suit in the other hands, for each own card of the suit, for being the highest."""

BIDDING: Final[Weights] = (
    (1.39, -0.74, 0.01, 0.48, 0.00),
    (-1.04, -1.56, 0.67, -0.61, 0.00),
    (0.62, -1.44, 0.57, -0.56, 0.00),
)
"""What a card is good for before the first trick."""
NOW: Final[Weights] = (
    (-1.51, -0.46, 0.20, 0.31, 4.82),
    (-2.28, -1.33, 0.51, 0.36, 4.19),
    (-2.79, -0.65, 0.90, 0.56, 1.94),
)
"""What it is good for when it is led."""
LATER: Final[Weights] = (
    (-0.62, -0.65, 0.34, 0.46, 5.38),
    (-2.97, -0.36, 0.69, -0.49, 0.62),
    (-3.05, -1.12, 0.93, -0.62, 1.03),
)
"""What it is good for when it is kept."""
MODESTY: Final = 0.25
"""Bids so much below the expected tricks pay best: a trick too many is easier avoided than one more made."""
CROWDED: Final = 0.065
"""How much less there is to take for each trick that the others have bid beyond their share, ..."""
MOST_CROWDED: Final = 2.0
"""... which says no more beyond this."""
RISK: Final = 1.93
"""What the variance of the tricks counts, against the square of what their mean is off the bid."""
HEADING: Final = 0.12
"""How near a card that heads a trick comes, with each player still to come, to being led."""
MISJUDGED: Final = 0.7
"""How far off a novice judges a hand: the standard deviation, in tricks."""
CARELESS: Final = 0.1
"""How often a novice plays just any card."""


class Sight(NamedTuple):
    """What a player sees of the cards that are still to be played."""

    hand: Cards
    unseen: Cards
    share: float
    """The part of the unseen cards that lies in the other hands."""
    trump: int | None

    def chance(self, card: Card, weights: Weights) -> float:
        """How likely it is that ``card`` takes the trick it is played to."""
        suit = SUIT[card]
        out, own = self.unseen & OF_SUIT[suit], self.hand & OF_SUIT[suit]
        above = (out >> card).bit_count()
        below = out.bit_count() - above
        kind = 2 if self.trump is None else 0 if suit == self.trump else 1
        general, higher, lower, mine, highest = weights[kind]
        good = general + self.share * (higher * above + lower * below) + mine * own.bit_count()
        return 1 / (1 + exp(-good if above else -good - highest))


def steady(view: RikikiView, _rng: Random) -> Action:
    """What a player does who counts the cards."""
    seen = 0
    for cards in view.played:
        seen |= cards
    sight = _sight(view, seen)
    return _bid(view, sight) if None in view.bids else _play(view, sight)


def novice(view: RikikiView, rng: Random) -> Action:
    """What a player does who forgets the tricks before, misjudges a hand and is careless now and then."""
    sight = _sight(view, of(view.trick))
    if None in view.bids:
        return _bid(view, sight, rng.gauss(0.0, MISJUDGED))
    if rng.random() < CARELESS:
        return rng.choice(view.legal)
    return _play(view, sight)


def _sight(view: RikikiView, seen: Cards) -> Sight:
    turned = 0 if view.trump_card is None else BIT[view.trump_card]
    unseen = PACK_52 & ~(seen | view.hand | turned)
    others = sum(view.sizes) - view.hand.bit_count()
    trump = None if view.trump_card is None else SUIT[view.trump_card]
    return Sight(view.hand, unseen, others / max(1, unseen.bit_count()), trump)


def _bid(view: RikikiView, sight: Sight, misjudged: float = 0.0) -> Action:
    made = [bid for bid in view.bids if bid is not None]
    beyond = sum(made) - len(made) * view.cards / SEATS
    expected = sum([sight.chance(c, BIDDING) for c in each(view.hand)]) - MODESTY + misjudged
    expected -= CROWDED * max(-MOST_CROWDED, min(MOST_CROWDED, beyond))
    return min([bid for bid in view.legal if isinstance(bid, Bid)], key=lambda bid: abs(bid.tricks - expected))


def _play(view: RikikiView, sight: Sight) -> Action:
    """The card after which the tricks to be expected come nearest to those that are needed."""
    bid = view.bids[view.seat]
    assert bid is not None
    need = bid - view.won[view.seat]
    later = {c: sight.chance(c, LATER) for c in each(view.hand)}
    expected = sum(later.values())
    risk = sum([p * (1 - p) for p in later.values()])
    power = order(sight.trump).power

    def badness(play: Play) -> tuple[float, int]:
        card = play.card
        now, kept = _takes(view, sight, card), later[card]
        off = need - now - expected + kept
        strength = power[SUIT[card]][card]
        return off * off + RISK * (risk - kept * (1 - kept) + now * (1 - now)), strength if need > 0 else -strength

    return min([play for play in view.legal if isinstance(play, Play)], key=badness)


def _takes(view: RikikiView, sight: Sight, card: Card) -> float:
    """How likely it is that ``card`` takes the present trick."""
    if not view.trick:
        return sight.chance(card, NOW)
    if order(sight.trump).winner((*view.trick, card)) < len(view.trick):
        return 0.0
    after = SEATS - 1 - len(view.trick)
    takes: float = sight.chance(card, NOW) ** (HEADING * after)
    return takes
