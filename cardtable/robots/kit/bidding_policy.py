"""Games of exact bids: bid what the hand should take, then play the card that brings the bid nearest.

Both rest on one estimate, how likely it is that a card takes the trick it is played to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import COPY, OF_SUIT, SUIT, Card, Cards, each
from cardtable.engine.contract import Action
from cardtable.engine.tricks import Play, order

Weight: TypeAlias = tuple[float, float, float, float, float]
"""What counts in general, for each higher and each lower card of the suit in the other hands, for each own card of the
suit, for being the highest."""
Weights: TypeAlias = tuple[Weight, ...]
"""For a trump, for another card where there are trumps, for a card of a round without."""

MISJUDGED: Final = 0.7
"""How far off a novice judges a hand: the standard deviation, in tricks."""
CARELESS: Final = 0.1
"""How often a novice plays just any card."""


@dataclass(frozen=True, slots=True)
class Skill:
    """What experience of a game teaches: numbers that were fitted in duplicate matches."""

    bidding: Weights
    """What a card is good for before the first trick."""
    now: Weights
    """What it is good for when it is led."""
    later: Weights
    """What it is good for when it is kept."""
    modesty: float
    """Bids so much below the expected tricks pay best: a trick too many is easier avoided than one more made."""
    crowded: float
    """How much less there is to take for each trick that the others have bid beyond their share, ..."""
    most_crowded: float
    """... which says no more beyond this."""
    risk: float
    """What the variance of the tricks counts, against the square of what their mean is off the bid."""
    heading: float
    """How near a card that heads a trick comes, with each player still to come, to being led."""

    def less(self, cards: int, made: Sequence[int], seats: int) -> float:
        """How much less to bid than the hand should take, in a round of so many cards, after such bids."""
        return self.modesty + self.taken(cards, made, seats)

    def taken(self, cards: int, made: Sequence[int], seats: int) -> float:
        """How much less there is to take after such bids than the hand alone would say."""
        beyond = sum(made) - len(made) * cards / seats
        return self.crowded * max(-self.most_crowded, min(self.most_crowded, beyond))


USUAL: Final = Skill(
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
"""What holds with three players or four, whatever the pack."""


class Sight(NamedTuple):
    """What a player sees of the cards that are still to be played."""

    hand: Cards
    unseen: Cards
    """A plain set where the pack is double."""
    share: float
    """The part of the unseen cards that lies in the other hands."""
    trump: int | None
    last_wins: bool = False
    """Whether of two identical cards the one played last takes a trick."""

    def chance(self, card: Card, weights: Weights, alike: float = 0.5) -> float:
        """How likely it is that ``card`` takes the trick it is played to.

        ``alike`` is how much of a higher card one that is alike counts.
        """
        suit = SUIT[card]
        members = OF_SUIT[suit]
        out, more = self.unseen & members, self.unseen >> COPY & members
        first = card % COPY
        above = (out >> first).bit_count() + (more >> first).bit_count() - (out >> first & 1) * (1 - alike)
        below = out.bit_count() + more.bit_count() - above
        mine = (self.hand & members).bit_count() + (self.hand >> COPY & members).bit_count()
        general, higher, lower, own, highest = weights[2 if self.trump is None else suit != self.trump]
        good = general + self.share * (higher * above + lower * below) + own * mine
        return 1 / (1 + exp(-good if above else -good - highest))

    def tricks(self, skill: Skill) -> float:
        """The tricks that the hand should take, before the first one."""
        return sum([self.chance(c, skill.bidding) for c in each(self.hand)])

    def now(self, card: Card, skill: Skill) -> float:
        """How likely it is that ``card`` takes a trick when it is led."""
        return self.chance(card, skill.now, alike=self.last_wins)

    def heads(self, trick: tuple[Card, ...], card: Card) -> bool:
        """Whether ``card`` would head the trick."""
        best = order(self.trump).winner((*trick, card))
        return best == len(trick) or (self.last_wins and trick[best] == card)


def steady(view: BidView, sight: Sight, skill: Skill) -> Action:
    """What a player does who goes by what he sees."""
    return _bid(view, sight, skill) if None in view.bids else _play(view, sight, skill)


def novice(view: BidView, sight: Sight, skill: Skill, rng: Random) -> Action:
    """What a player does who misjudges a hand and is careless now and then."""
    if None in view.bids:
        return _bid(view, sight, skill, rng.gauss(0.0, MISJUDGED))
    if rng.random() < CARELESS:
        return rng.choice(view.legal)
    return _play(view, sight, skill)


def _bid(view: BidView, sight: Sight, skill: Skill, misjudged: float = 0.0) -> Action:
    made = [bid for bid in view.bids if bid is not None]
    return nearest(view.legal, sight.tricks(skill) + misjudged - skill.less(view.cards, made, len(view.bids)))


def nearest(legal: Sequence[Action], expected: float) -> Bid:
    """The bid nearest to ``expected`` tricks."""
    return min([bid for bid in legal if isinstance(bid, Bid)], key=lambda bid: abs(bid.tricks - expected))


def _play(view: BidView, sight: Sight, skill: Skill) -> Action:
    """The card after which the tricks to be expected come nearest to those that are needed."""
    bid = view.bids[view.seat]
    assert bid is not None
    need = bid - view.won[view.seat]
    later = {c: sight.chance(c, skill.later) for c in each(sight.hand)}
    expected = sum(later.values())
    risk = sum([p * (1 - p) for p in later.values()])
    power = order(sight.trump).power

    def badness(play: Play) -> tuple[float, int]:
        card = play.card
        now, kept = _takes(view, sight, skill, card), later[card]
        off = need - now - expected + kept
        strength = power[SUIT[card]][card]
        return off * off + skill.risk * (
            risk - kept * (1 - kept) + now * (1 - now)
        ), strength if need > 0 else -strength

    return min([play for play in view.legal if isinstance(play, Play)], key=badness)


def _takes(view: BidView, sight: Sight, skill: Skill, card: Card) -> float:
    """How likely it is that ``card`` takes the present trick."""
    if not view.trick:
        return sight.now(card, skill)
    if not sight.heads(view.trick, card):
        return 0.0
    after = len(view.bids) - 1 - len(view.trick)
    takes: float = sight.now(card, skill) ** (skill.heading * after)
    return takes
