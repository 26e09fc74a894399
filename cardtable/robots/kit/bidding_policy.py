"""Games of exact bids: bid what the hand should take, then play the card that brings the bid nearest.

Both rest on one estimate, how likely it is that a card takes the trick it is played to.  What is certain goes before
it: no bid is lower than the tricks that cannot be lost, and no card is played that makes the bid impossible if another
one does not.  With two cards left the chances follow from the number of cards that are out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import BIT, COPY, OF_SUIT, PACK_52, RANK, SUIT, SUITS, Card, Cards, iter_cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY, Play, beating, order

Ranks: TypeAlias = list[int]
"""Ranks of the cards of one suit, the highest first; of two identical cards both."""


class Deck(NamedTuple):
    """Cards of one player and those that the other players may hold, by suit."""

    own: tuple[Ranks, ...]
    out: tuple[Ranks, ...]
    trump: int | None
    last_wins: bool
    """Whether of two identical cards the one played last takes a trick."""

    def without(self, suit: int, rank: int) -> "Deck":
        """Return the cards after the player has played one of their own."""
        ranks = self.own[suit].copy()
        ranks.remove(rank)
        return self._replace(own=(*self.own[:suit], ranks, *self.own[suit + 1 :]))

    def sure(self, *, leads: bool) -> int:
        """Return the tricks that the player cannot lose, on lead or not."""
        if leads:
            return self._cashed()
        return max(self.sure_trumps(), self._after_taking_any_lead())

    def sure_trumps(self) -> int:
        """Return the trumps that are left when the others pair each of theirs with one that it beats."""
        return 0 if self.trump is None else _unpaired(self.own[self.trump], self.out[self.trump])

    def _cashed(self) -> int:
        """Return the tricks of a player on lead who leads cards that nobody beats as long as there are any.

        Each lead draws one card of the suit at least, and the others keep their highest ones.
        """
        drawn = 0
        if self.trump is not None:
            own, out = self.own[self.trump], self.out[self.trump]
            masters = self._masters(own, out)
            if masters < len(out):
                return masters + _unpaired(own[masters:], out[: len(out) - masters])
            drawn = len(own)
        for suit, (own, out) in enumerate(zip(self.own, self.out, strict=True)):
            if suit != self.trump:
                masters = self._masters(own, out)
                drawn += len(own) if masters >= len(out) else masters
        return drawn

    def _masters(self, own: Ranks, out: Ranks) -> int:
        """Return how many cards of a suit nobody beats when they are led."""
        if not out:
            return len(own)
        least = out[0] + self.last_wins
        return sum([rank >= least for rank in own])

    def _after_taking_any_lead(self) -> int:
        """Return the tricks of a player who takes the next trick whatever suit is led to it; 0 if that is not sure."""
        least = None
        for suit, out in enumerate(self.out):
            if not out:
                continue
            played = suit if self.own[suit] or self.trump is None else self.trump
            highest = max([0, *[rank + 1 for rank in self.out[played]]])
            masters = [rank for rank in self.own[played] if rank >= highest]
            if not masters or (played != self.trump and self.trump is not None and self.out[self.trump]):
                return 0
            tricks = 1 + self.without(played, masters[-1])._cashed()
            least = tricks if least is None else min(least, tricks)
        return least or 0


def _unpaired(own: Ranks, out: Ranks) -> int:
    """Return how many of the own cards are left when as many as possible are paired with one as high or higher."""
    paired = 0
    for rank in own:
        paired += paired < len(out) and out[paired] >= rank
    return len(own) - paired


def deck(hand: Cards, out: Cards, trump: int | None, *, last_wins: bool = False) -> Deck:
    """Return the cards of a hand and those that the other players may hold by suit."""
    return Deck(_ranks(hand), _ranks(out), trump, last_wins)


def _ranks(cards: Cards) -> tuple[Ranks, ...]:
    """Return the ranks of cards, of one pack or two, by suit."""
    found: tuple[Ranks, ...] = tuple([[] for _ in SUITS])
    for card in iter_cards(cards):
        found[SUIT[card]].append(RANK[card])
    for ranks in found:
        ranks.sort(reverse=True)
    return found


Weight: TypeAlias = tuple[float, float, float, float, float]
"""What counts in general, for each higher and each lower card of the suit in the other hands, for each own card of the
suit, for being the highest."""
Weights: TypeAlias = tuple[Weight, ...]
"""For a trump, for another card where there are trumps, for a card of a round without."""

MISJUDGED: Final = 0.7
"""How far off a novice judges a hand: the standard deviation, in tricks."""
LAST_CHOICE: Final = 2
"""Cards in the hand at the last choice: the last trick plays itself."""
CARELESS: Final = 0.1
"""How often a novice plays just any card."""


@dataclass(frozen=True, slots=True)
class PolicyWeights:
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


USUAL: Final = PolicyWeights(
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


def _count(cards: Cards, members: Cards) -> int:
    """Return how many of ``cards``, of one pack or two, are copies of ``members``."""
    return (cards & members).bit_count() + (cards >> COPY & members).bit_count()


def estimate(weight: Weight, share: float, numbers: tuple[float, float, float], *, trump: bool) -> float:
    """Return how likely a card takes the trick it is played to.

    ``numbers``: the own cards of its suit, and the unseen ones above and below it; ``share``: the part of the unseen
    cards that lies in the other hands; ``trump``: whether the card is one.  Half a card above it is one that is
    identical: without it a trump is the highest.
    """
    general, higher, lower, own, highest = weight
    mine, above, below = numbers
    good = general + share * (higher * above + lower * below) + own * mine
    if above and not (trump and above < 1):
        return 1 / (1 + exp(-good))
    best = 1 / (1 + exp(-good - highest))
    return share / (1 + exp(-good)) + (1 - share) * best if above else best


class ViewFeatures(NamedTuple):
    """What a player sees of the cards that are still to be played."""

    hand: Cards
    unseen: Cards
    """A plain set where the pack is double."""
    share: float
    """The part of the unseen cards that lies in the other hands."""
    trump: int | None
    last_wins: bool = False
    """Whether of two identical cards the one played last takes a trick."""
    voids: tuple[Cards, ...] = ()
    """By seat the cards, both copies, of the suits that the seat has shown not to hold; empty if nobody remembers."""

    def chance(self, card: Card, weights: Weights, alike: float = 0.5) -> float:
        """How likely it is that ``card`` takes the trick it is played to.

        ``alike`` is how much of a higher card one that is alike counts.
        """
        suit = SUIT[card]
        members, first = OF_SUIT[suit], card % COPY
        out, more = self.unseen & members, self.unseen >> COPY & members
        above = (out >> first).bit_count() + (more >> first).bit_count() - (out >> first & 1) * (1 - alike)
        below = out.bit_count() + more.bit_count() - above
        weight = weights[2 if self.trump is None else suit != self.trump]
        return estimate(weight, self.share, (_count(self.hand, members), above, below), trump=suit == self.trump)

    def number(self, cards: Cards) -> int:
        """Return how many of some cards of a single pack are unseen, both copies of each."""
        return _count(self.unseen, cards)

    def higher(self, card: Card) -> int:
        """Return how many unseen cards of its suit are as high as ``card`` or higher."""
        return self.number(OF_SUIT[SUIT[card]] & -BIT[card % COPY])

    def tricks(self, skill: PolicyWeights) -> float:
        """The tricks that the hand should take, before the first one."""
        return sum([self.chance(c, skill.bidding) for c in iter_cards(self.hand)])

    def now(self, card: Card, skill: PolicyWeights) -> float:
        """How likely it is that ``card`` takes a trick when it is led."""
        return self.chance(card, skill.now, alike=self.last_wins)

    def heads(self, trick: tuple[Card, ...], card: Card) -> bool:
        """Whether ``card`` would head the trick."""
        best = order(self.trump).winner((*trick, card))
        return best == len(trick) or (self.last_wins and trick[best] == card)

    def sure_tricks(self, view: BidView) -> int:
        """Return the tricks that the hand takes whatever the others hold, at the start of a round."""
        return self._deck(view).sure(leads=view.leader == view.seat)

    def possible(self, view: BidView, need: int) -> Sequence[Play]:
        """Return the plays after which the player can still take exactly ``need`` tricks; all plays if there are none.

        The sure trumps are tricks that the player cannot avoid.
        """
        plays = [play for play in view.legal if isinstance(play, Play)]
        left = self.hand.bit_count()
        trumps = 0 if self.trump is None else _count(self.hand, OF_SUIT[self.trump])
        if len(plays) == 1 or not 0 <= need <= left or trumps < need < left:
            return plays
        cards = self._deck(view)
        sure = cards.sure_trumps()

        def tricks(card: Card) -> tuple[int, int]:
            trump = SUIT[card] == self.trump
            rest = cards.without(SUIT[card], RANK[card]).sure_trumps() if trump and sure else sure
            if view.trick and not self.heads(view.trick, card):
                return rest, left - 1
            return (1 + rest if self.surely_takes(view, card) else sure), left

        bounds = [tricks(play.card) for play in plays]
        return [play for play, (least, most) in zip(plays, bounds, strict=True) if least <= need <= most] or plays

    def surely_takes(self, view: BidView, card: Card) -> bool:
        """Return whether ``card`` takes the present trick whatever the players after this one hold."""
        if view.trick and not self.heads(view.trick, card):
            return False
        seats = len(view.bids)
        after = self._held_by([(view.seat + i) % seats for i in range(1, seats - len(view.trick))])
        beats = beating(self.trump)[card % COPY] | (BIT[card] if self.last_wins else 0)
        return not (after | after >> COPY) & beats

    def success(self, view: BidView, card: Card, need: int) -> float:
        """Return how likely ``card`` now and the other card of two in the last trick take the tricks that are needed.

        If the bid is lost, return a number that is the larger the fewer tricks are missing or too many.
        """
        now = self._takes_now(view, card)
        last = self._takes_last(view, next(c for c in iter_cards(self.hand) if c != card), now)
        both = now * last
        if 0 <= need <= LAST_CHOICE:
            return (1 - now - last + both, now + last - 2 * both, both)[need]
        return now + last if need > 0 else -now - last

    def _takes_now(self, view: BidView, card: Card) -> float:
        """Return how likely ``card`` takes the trick where all have two cards before it.

        The players after this one beat it with a higher card of its suit, or trump it if they are void in the suit.
        """
        if view.trick and not self.heads(view.trick, card):
            return 0.0
        suit, unseen = OF_SUIT[SUIT[card]], max(1, self.number(PACK_52))
        higher = self.number(beating(self.trump)[card % COPY] & suit) / unseen
        trumps = 0 if self.trump in (None, SUIT[card]) else self.number(OF_SUIT[self.trump or 0]) / unseen
        void = 1 - self.number(suit) / unseen
        beaten = 1 - (1 - higher) ** 2 + void**2 - max(0.0, void - trumps) ** 2
        chance: float = max(0.0, 1 - beaten) ** (len(view.bids) - 1 - len(view.trick))
        return chance

    def _takes_last(self, view: BidView, card: Card, lead: float) -> float:
        """Return how likely ``card`` takes the last trick, which its player leads with a chance of ``lead``."""
        suit, unseen = SUIT[card], max(1, self.number(PACK_52))
        higher, trumps = self.higher(card), 0
        if self.trump not in (None, suit):
            trumps = self.number(OF_SUIT[self.trump or 0])
        highest: float = max(0.0, 1 - (len(view.bids) - 1) / unseen) ** (higher + trumps)
        if suit == self.trump:
            return highest
        same = (self.number(OF_SUIT[suit]) - higher) / unseen
        return highest * (lead + (1 - lead) * same)

    def _deck(self, view: BidView) -> Deck:
        """Return the own cards and those that the others may hold."""
        out = self._held_by([seat for seat in range(len(view.bids)) if seat != view.seat])
        return deck(self.hand, out, self.trump, last_wins=self.last_wins)

    def _held_by(self, seats: Sequence[int]) -> Cards:
        """Return the cards that these seats may hold."""
        missing = -1
        for seat in seats:
            missing &= self.voids[seat] if self.voids else 0
        return self.unseen & ~missing if seats else 0


def steady(view: BidView, sight: ViewFeatures, skill: PolicyWeights) -> Action:
    """What a player does who goes by what he sees."""
    return _bid(view, sight, skill) if None in view.bids else _play(view, sight, skill)


def novice(view: BidView, sight: ViewFeatures, skill: PolicyWeights, rng: Random) -> Action:
    """What a player does who misjudges a hand and is careless now and then."""
    if None in view.bids:
        return _bid(view, sight, skill, rng.gauss(0.0, MISJUDGED))
    if rng.random() < CARELESS:
        return rng.choice(view.legal)
    return _play(view, sight, skill)


def _bid(view: BidView, sight: ViewFeatures, skill: PolicyWeights, misjudged: float = 0.0) -> Action:
    made = [bid for bid in view.bids if bid is not None]
    expected = sight.tricks(skill) + misjudged - skill.less(view.cards, made, len(view.bids))
    return nearest(at_least(view.legal, sight.sure_tricks(view)), expected)


def at_least(legal: Sequence[Action], tricks: int) -> Sequence[Action]:
    """Return the bids that are not lower than ``tricks``; all bids if there are none."""
    return [bid for bid in legal if isinstance(bid, Bid) and bid.tricks >= tricks] or legal


def nearest(legal: Sequence[Action], expected: float) -> Bid:
    """The bid nearest to ``expected`` tricks."""
    return min([bid for bid in legal if isinstance(bid, Bid)], key=lambda bid: abs(bid.tricks - expected))


def _play(view: BidView, sight: ViewFeatures, skill: PolicyWeights) -> Action:
    """The card after which the tricks to be expected come nearest to those that are needed.

    If all the remaining tricks are needed, it is the card that is the likeliest to take this one.
    """
    need, left = missing(view), sight.hand.bit_count()
    later = {c: sight.chance(c, skill.later) for c in iter_cards(sight.hand)}
    expected = sum(later.values())
    risk = sum([p * (1 - p) for p in later.values()])
    power = order(sight.trump).power

    def badness(play: Play) -> tuple[float, int]:
        card = play.card
        strength = power[SUIT[card]][card]
        if left == LAST_CHOICE:
            return -sight.success(view, card, need), strength if need > 0 else -strength
        now, kept = _takes(view, sight, skill, card), later[card]
        if need == left:
            return -now, strength if view.trick else -strength
        off = need - now - expected + kept
        return off * off + skill.risk * (
            risk - kept * (1 - kept) + now * (1 - now)
        ), strength if need > 0 else -strength

    return min(sight.possible(view, need), key=badness)


def missing(view: BidView) -> int:
    """Return the tricks that are still needed; below 0 those that are too many."""
    bid = view.bids[view.seat]
    assert bid is not None
    return bid - view.won[view.seat]


def _takes(view: BidView, sight: ViewFeatures, skill: PolicyWeights, card: Card) -> float:
    """How likely it is that ``card`` takes the present trick."""
    if not view.trick:
        return sight.now(card, skill)
    if not sight.heads(view.trick, card):
        return 0.0
    after = len(view.bids) - 1 - len(view.trick)
    takes: float = sight.now(card, skill) ** (skill.heading * after)
    return takes


AROUND: Final = 2.0
"""Bids that are looked at: those no further from what the hand should take."""


def sensible(legal: Sequence[Action], expected: float, sure: int) -> list[Action]:
    """Return the bids that are worth a look, one at least not lower than the ``sure`` tricks of the hand, if any is."""
    bids: list[Action] = [bid for bid in legal if isinstance(bid, Bid) and abs(bid.tricks - expected) <= AROUND]
    possible = nearest(at_least(legal, sure), expected)
    return bids if possible in bids else [*bids, possible]


def dominated(view: BidView, sight: ViewFeatures, candidates: Sequence[Card]) -> Sequence[Action]:
    """Return the actions that another one beats beyond doubt.

    Bids lower than the sure tricks are among them.  If all the remaining tricks are needed, a card that surely takes
    this one beats all others, the strongest such card on lead, else the weakest; without one, a card that is led beats
    the lower ones of its suit.  ``candidates`` has the lowest of cards that do the same.
    """
    if None in view.bids:
        possible = at_least(view.legal, sight.sure_tricks(view))
        return [bid for bid in view.legal if bid not in possible]
    if missing(view) != sight.hand.bit_count():
        return ()
    same = {
        play: max([card for card in candidates if card <= play.card]) for play in view.legal if isinstance(play, Play)
    }
    power, choose = order(sight.trump).power, min if view.trick else max
    takers = [play.card for play in same if sight.surely_takes(view, play.card)]
    if takers:
        taker = choose(takers, key=lambda card: power[SUIT[card]][card])
        return [play for play in same if same[play] != same[PLAY[taker]]]
    highest = {SUIT[card]: card for card in sorted(candidates)}
    return [] if view.trick else [play for play in same if same[play] != highest[SUIT[play.card]]]


def likeliness(bid: float, expected: float, odd: float) -> float:
    """How likely somebody bids so on a hand that should take ``expected`` tricks; 1 where no bid is nearer.

    ``odd`` is how far off a bid is odd, beyond rounding.
    """
    off = max(0.0, abs(bid - expected) - 0.5) / odd
    return exp(-off * off / 2)
