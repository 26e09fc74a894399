"""Rikiki: bid what the hand should take, then play the card that brings the bid nearest."""

from math import exp
from operator import mul
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import BIT, OF_SUIT, PACK_52, SUIT, Card, Cards, each, of
from cardtable.engine.contract import Action
from cardtable.engine.tricks import Play, order
from cardtable.games.rikiki import Bid, RikikiView

Weights: TypeAlias = tuple[tuple[float, ...], ...]
"""For a trump, for another card where there are trumps, for a card in a no-trump round: see ``Sight.chance``."""

BIDDING: Final[Weights] = (
    (-0.25, -0.30, 0.31, 0.65, -0.91, 0.00, 0.65, -0.33, 2.79),
    (-1.33, -0.53, 0.35, 0.21, -1.22, -0.15, 0.15, 0.03, 0.48),
    (0.00, -0.20, 0.07, 0.12, -1.81, 0.00, 0.00, -0.01, 1.45),
)
"""Fitted to the bids that would have been made."""
PLAYING: Final[Weights] = (
    (2.83, -0.80, 0.31, 0.30, 0.15, -0.58, 0.30, -0.13, 3.00),
    (-1.09, -0.75, 0.27, 0.29, -0.32, -0.03, -0.02, -0.06, 0.84),
    (-0.85, -0.45, 0.24, -0.17, 0.21, 0.00, 0.00, -0.03, 0.81),
)
"""Fitted in duplicate matches."""
MODESTY: Final = 0.2
"""Bids this much below the expected tricks pay best: a trick too many is easier avoided than one made."""
LATER: Final = 0.75
"""A trick that may be taken later counts as so many: to take them soon leaves more choice."""
RISK: Final = 1.0
"""What the variance of the tricks counts, against the square of what the mean is off the bid."""


class Sight(NamedTuple):
    """What a player sees of the cards that are still to be played."""

    hand: Cards
    unseen: Cards
    share: float
    """The part of the unseen cards that lies in the other hands."""
    trump: int | None

    def chance(self, card: Card, weights: Weights) -> float:
        """How likely it is that ``card`` takes the trick it is played to."""
        trumps = 0 if self.trump is None else OF_SUIT[self.trump]
        kind = 2 if not trumps else 0 if SUIT[card] == self.trump else 1
        out, mine = self.unseen & OF_SUIT[SUIT[card]], self.hand & OF_SUIT[SUIT[card]]
        above = (out >> card).bit_count()
        features = (
            1.0,
            above * self.share,
            (out.bit_count() - above) * self.share,
            mine.bit_count(),
            (mine >> card + 1).bit_count(),
            (self.unseen & trumps).bit_count() * self.share,
            (self.hand & trumps).bit_count(),
            self.hand.bit_count(),
            above == 0,
        )
        return 1 / (1 + exp(-sum(map(mul, weights[kind], features))))


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


MISJUDGED: Final = 0.7
"""How far off a novice judges a hand: the standard deviation, in tricks."""
CARELESS: Final = 0.1
"""How often a novice plays just any card."""


def _sight(view: RikikiView, seen: Cards) -> Sight:
    turned = 0 if view.trump_card is None else BIT[view.trump_card]
    unseen = PACK_52 & ~(seen | view.hand | turned)
    others = sum(view.sizes) - view.hand.bit_count()
    trump = None if view.trump_card is None else SUIT[view.trump_card]
    return Sight(view.hand, unseen, others / max(1, unseen.bit_count()), trump)


def _bid(view: RikikiView, sight: Sight, error: float = 0.0) -> Action:
    expected = sum([sight.chance(c, BIDDING) for c in each(view.hand)]) - MODESTY + error
    return min([bid for bid in view.legal if isinstance(bid, Bid)], key=lambda bid: abs(bid.tricks - expected))


def _play(view: RikikiView, sight: Sight) -> Action:
    """The card after which the tricks to be expected come nearest to those that are needed."""
    bid = view.bids[view.seat]
    assert bid is not None
    need = bid - view.won[view.seat]
    chances = {c: sight.chance(c, PLAYING) for c in each(view.hand)}
    later = sum(chances.values())
    risk = sum([p * (1 - p) for p in chances.values()])
    power = order(sight.trump).power
    led = SUIT[view.trick[0]] if view.trick else None
    top = max([power[led][c] for c in view.trick]) if led is not None else 0

    def badness(play: Play) -> tuple[float, int]:
        card = play.card
        p = chances[card]
        now = p if led is None else p ** (_after(view) / 3) if power[led][card] > top else 0.0
        off = need - now - LATER * (later - p)
        strength = power[SUIT[card]][card]
        return off * off + RISK * (risk - p * (1 - p) + now * (1 - now)), strength if need > 0 else -strength

    return min([play for play in view.legal if isinstance(play, Play)], key=badness)


def _after(view: RikikiView) -> int:
    """How many are still to play to the trick."""
    return len(view.bids) - 1 - len(view.trick)
