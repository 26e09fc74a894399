"""Rule policy for exact-bid games (Rikiki, Ten Down): bid the expected tricks, then play to reach the bid exactly.

Bids and plays rest on one fitted estimate: the probability that a card takes the trick it is played to (a logistic
function of card counts). Certain knowledge comes first: no bid is lower than the number of sure tricks, and no card is
played that makes the bid impossible if another card keeps it possible. With two cards left, the probabilities are
computed from the number of unseen cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import BIT, COPY, OF_SUIT, PACK_52, RANK, SUIT, SUITS, Card, Cards, iter_cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import PLAY, Play, beating_cards, order

Ranks: TypeAlias = list[int]
"""Ranks of the cards of one suit, highest first; identical cards of a double pack appear twice."""


class Deck(NamedTuple):
    """Cards of one player and cards that the other players may hold, by suit."""

    own: tuple[Ranks, ...]
    out: tuple[Ranks, ...]
    trump: int | None
    last_wins: bool
    """True if the card played last takes the trick when two identical cards are played to it."""

    def without(self, suit: int, rank: int) -> "Deck":
        """Return a copy without one of the player's own cards."""
        ranks = self.own[suit].copy()
        ranks.remove(rank)
        return self._replace(own=(*self.own[:suit], ranks, *self.own[suit + 1 :]))

    def sure(self, *, leads: bool) -> int:
        """Return the number of tricks that the player cannot lose; ``leads``: the player is on lead."""
        if leads:
            return self._cashed()
        return max(self.sure_trumps(), self._after_taking_any_lead())

    def sure_trumps(self) -> int:
        """Return the number of own trumps left after each opposing trump is paired with an own trump that it beats."""
        return 0 if self.trump is None else _unpaired(self.own[self.trump], self.out[self.trump])

    def _cashed(self) -> int:
        """Return the number of sure tricks of a player on lead who leads unbeatable cards for as long as possible.

        Worst case: each lead draws only one card of its suit, and the other players keep their highest cards.
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
        """Return the number of own cards of a suit that no card of the same suit in ``out`` beats when they are led."""
        if not out:
            return len(own)
        least = out[0] + self.last_wins
        return sum([rank >= least for rank in own])

    def _after_taking_any_lead(self) -> int:
        """Return the sure tricks if the player is certain to take the next trick, any suit led to it; else 0."""
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
    """Return the number of own cards left after as many as possible are paired with a card as high or higher."""
    paired = 0
    for rank in own:
        paired += paired < len(out) and out[paired] >= rank
    return len(own) - paired


def deck(hand: Cards, out: Cards, trump: int | None, *, last_wins: bool = False) -> Deck:
    """Return the cards of a hand and the cards that the other players may hold, by suit."""
    return Deck(_ranks(hand), _ranks(out), trump, last_wins)


def _ranks(cards: Cards) -> tuple[Ranks, ...]:
    """Return the ranks of cards of a single or double pack, by suit."""
    found: tuple[Ranks, ...] = tuple([[] for _ in SUITS])
    for card in iter_cards(cards):
        found[SUIT[card]].append(RANK[card])
    for ranks in found:
        ranks.sort(reverse=True)
    return found


Weight: TypeAlias = tuple[float, float, float, float, float]
"""Logistic weights: constant, per higher and per lower card of the suit in the other hands, per own card of the suit,
and the bonus for the highest card.
"""
Weights: TypeAlias = tuple[Weight, ...]
"""Three sets of weights: for a trump, for a plain card in a round with trumps, for a card in a round without trumps."""

MISJUDGED: Final = 0.7
"""Standard deviation, in tricks, of a novice's error in judging a hand."""
LAST_CHOICE: Final = 2
"""Hand size at the last real choice; the last trick plays itself."""
CARELESS: Final = 0.1
"""Probability that a novice plays a card at random."""


@dataclass(frozen=True, slots=True)
class PolicyWeights:
    """Numbers of the rule policy for one game, fitted in duplicate matches."""

    bidding: Weights
    """Weights for the tricks of a hand before the first trick."""
    now: Weights
    """Weights for a card that is led now."""
    later: Weights
    """Weights for a card that stays in the hand."""
    modesty: float
    """Tricks to bid below the expected tricks: a surplus trick is easier to avoid than a missing trick is to make."""
    crowded: float
    """Reduction of the expected tricks for each trick by which earlier bids exceed their fair share."""
    most_crowded: float
    """Bound, in tricks, to which this excess is clamped on both sides."""
    risk: float
    """Weight of the variance of the tricks against the square of the distance between their mean and the bid."""
    heading: float
    """Exponent for each player still to play: a card that heads the trick takes it with ``chance_when_led ** (heading *
    n)``.
    """

    def less(self, cards: int, made: Sequence[int], seats: int) -> float:
        """Return the tricks to bid below the estimate of the hand; ``made``: the bids made so far."""
        return self.modesty + self.taken(cards, made, seats)

    def taken(self, cards: int, made: Sequence[int], seats: int) -> float:
        """Return the tricks by which earlier bids ``made`` reduce the estimate of the hand."""
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
"""Weights for three or four players, for single and double packs."""


def _count(cards: Cards, members: Cards) -> int:
    """Return the number of cards in ``cards``, of a single or double pack, that are copies of ``members``."""
    return (cards & members).bit_count() + (cards >> COPY & members).bit_count()


def estimate(weight: Weight, share: float, numbers: tuple[float, float, float], *, trump: bool) -> float:
    """Return the probability that a card takes the trick it is played to, by a logistic function.

    ``numbers``: counts of own cards of the suit, and of unseen cards above and below the card; ``share``: the part of
    the unseen cards that is in the other hands; ``trump``: the card is a trump. An identical unseen card counts as half
    a card above; a trump with no other card above is the highest if that copy is in no hand.
    """
    general, higher, lower, own, highest = weight
    mine, above, below = numbers
    good = general + share * (higher * above + lower * below) + own * mine
    if above and not (trump and above < 1):
        return 1 / (1 + exp(-good))
    best = 1 / (1 + exp(-good - highest))
    return share / (1 + exp(-good)) + (1 - share) * best if above else best


class ViewFeatures(NamedTuple):
    """Card counts of one view, the input of the estimates of the rule policy."""

    hand: Cards
    unseen: Cards
    """Cards not seen yet; with a double pack a set of 104 cards, copies ``COPY`` bits apart."""
    share: float
    """Part of the unseen cards that is in the other hands, from 0 to 1."""
    trump: int | None
    last_wins: bool = False
    """True if the card played last takes the trick when two identical cards are played to it."""
    voids: tuple[Cards, ...] = ()
    """By seat, the cards (both copies) of the suits that the seat has shown to be void in; empty if voids are ignored.
    """

    def chance(self, card: Card, weights: Weights, alike: float = 0.5) -> float:
        """Return the probability that ``card`` takes the trick it is played to, by ``weights``.

        ``alike``: the weight of an unseen identical card, as a fraction of a higher card.
        """
        suit = SUIT[card]
        members, first = OF_SUIT[suit], card % COPY
        out, more = self.unseen & members, self.unseen >> COPY & members
        above = (out >> first).bit_count() + (more >> first).bit_count() - (out >> first & 1) * (1 - alike)
        below = out.bit_count() + more.bit_count() - above
        weight = weights[2 if self.trump is None else suit != self.trump]
        return estimate(weight, self.share, (_count(self.hand, members), above, below), trump=suit == self.trump)

    def number(self, cards: Cards) -> int:
        """Return the number of unseen cards among ``cards`` of a single pack, both copies of each counted."""
        return _count(self.unseen, cards)

    def higher(self, card: Card) -> int:
        """Return the number of unseen cards of the same suit that are as high as ``card`` or higher."""
        return self.number(OF_SUIT[SUIT[card]] & -BIT[card % COPY])

    def tricks(self, skill: PolicyWeights) -> float:
        """Return the expected tricks of the hand before the first trick."""
        return sum([self.chance(c, skill.bidding) for c in iter_cards(self.hand)])

    def now(self, card: Card, skill: PolicyWeights) -> float:
        """Return the probability that ``card`` takes a trick when it is led."""
        return self.chance(card, skill.now, alike=self.last_wins)

    def heads(self, trick: tuple[Card, ...], card: Card) -> bool:
        """Return True if ``card``, played to ``trick``, would head it."""
        best = order(self.trump).winner((*trick, card))
        return best == len(trick) or (self.last_wins and trick[best] == card)

    def sure_tricks(self, view: BidView) -> int:
        """Return the tricks that the hand takes at the start of a round against any distribution of the other cards."""
        return self._deck(view).sure(leads=view.leader == view.seat)

    def possible(self, view: BidView, need: int) -> Sequence[Play]:
        """Return the plays after which exactly ``need`` more tricks are still possible; all plays if none qualifies.

        Sure trumps are counted as tricks that the player cannot avoid.
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
        """Return True if ``card`` takes the current trick against any hands of the players still to play."""
        if view.trick and not self.heads(view.trick, card):
            return False
        seats = len(view.bids)
        after = self._held_by([(view.seat + i) % seats for i in range(1, seats - len(view.trick))])
        beats = beating_cards(self.trump)[card % COPY] | (BIT[card] if self.last_wins else 0)
        return not (after | after >> COPY) & beats

    def success(self, view: BidView, card: Card, need: int) -> float:
        """Return the probability of taking exactly ``need`` tricks with ``card`` now and the other of two cards last.

        If the bid is lost, return a number that is larger the fewer tricks are missing or in excess.
        """
        now = self._takes_now(view, card)
        last = self._takes_last(view, next(c for c in iter_cards(self.hand) if c != card), now)
        both = now * last
        if 0 <= need <= LAST_CHOICE:
            return (1 - now - last + both, now + last - 2 * both, both)[need]
        return now + last if need > 0 else -now - last

    def _takes_now(self, view: BidView, card: Card) -> float:
        """Return the probability that ``card`` takes the trick if every player holds two cards.

        A later player beats the card with a higher card of its suit, or trumps it if void in the suit.
        """
        if view.trick and not self.heads(view.trick, card):
            return 0.0
        suit, unseen = OF_SUIT[SUIT[card]], max(1, self.number(PACK_52))
        higher = self.number(beating_cards(self.trump)[card % COPY] & suit) / unseen
        trumps = 0 if self.trump in (None, SUIT[card]) else self.number(OF_SUIT[self.trump or 0]) / unseen
        void = 1 - self.number(suit) / unseen
        beaten = 1 - (1 - higher) ** 2 + void**2 - max(0.0, void - trumps) ** 2
        chance: float = max(0.0, 1 - beaten) ** (len(view.bids) - 1 - len(view.trick))
        return chance

    def _takes_last(self, view: BidView, card: Card, lead: float) -> float:
        """Return the probability that ``card`` takes the last trick; ``lead``: probability that its player leads."""
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
        """Return the player's cards and the cards that the other players may hold."""
        out = self._held_by([seat for seat in range(len(view.bids)) if seat != view.seat])
        return deck(self.hand, out, self.trump, last_wins=self.last_wins)

    def _held_by(self, seats: Sequence[int]) -> Cards:
        """Return the cards that at least one of these seats may hold."""
        missing = -1
        for seat in seats:
            missing &= self.voids[seat] if self.voids else 0
        return self.unseen & ~missing if seats else 0


def steady(view: BidView, sight: ViewFeatures, skill: PolicyWeights) -> Action:
    """Return the action of the steady rule policy for the seat to act."""
    return _bid(view, sight, skill) if None in view.bids else _play(view, sight, skill)


def novice(view: BidView, sight: ViewFeatures, skill: PolicyWeights, rng: Random) -> Action:
    """Return the action of a novice: the hand is misjudged by Gaussian noise, and some plays are random."""
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
    """Return the bids not lower than ``tricks``; all actions if none qualifies."""
    return [bid for bid in legal if isinstance(bid, Bid) and bid.tricks >= tricks] or legal


def nearest(legal: Sequence[Action], expected: float) -> Bid:
    """Return the bid nearest to ``expected`` tricks."""
    return min([bid for bid in legal if isinstance(bid, Bid)], key=lambda bid: abs(bid.tricks - expected))


def _play(view: BidView, sight: ViewFeatures, skill: PolicyWeights) -> Action:
    """Return the card after which the expected tricks are nearest to the needed tricks, with a penalty for variance.

    If all remaining tricks are needed, return the card most likely to take the current trick.
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
    """Return the tricks still needed to reach the bid; negative if too many have been taken."""
    bid = view.bids[view.seat]
    assert bid is not None
    return bid - view.won[view.seat]


def _takes(view: BidView, sight: ViewFeatures, skill: PolicyWeights, card: Card) -> float:
    """Return the probability that ``card`` takes the current trick."""
    if not view.trick:
        return sight.now(card, skill)
    if not sight.heads(view.trick, card):
        return 0.0
    after = len(view.bids) - 1 - len(view.trick)
    takes: float = sight.now(card, skill) ** (skill.heading * after)
    return takes


AROUND: Final = 2.0
"""Largest distance, in tricks, between the expected tricks and a bid that is considered."""


def sensible_bids(legal: Sequence[Action], expected: float, sure: int) -> list[Action]:
    """Return the bids worth considering; at least one is not lower than ``sure`` tricks, if such a bid is legal."""
    bids: list[Action] = [bid for bid in legal if isinstance(bid, Bid) and abs(bid.tricks - expected) <= AROUND]
    possible = nearest(at_least(legal, sure), expected)
    return bids if possible in bids else [*bids, possible]


def dominated(view: BidView, sight: ViewFeatures, candidates: Sequence[Card]) -> Sequence[Action]:
    """Return the legal actions that another action beats for certain.

    Bids lower than the sure tricks are dominated. If all remaining tricks are needed, a card that surely takes the
    trick dominates all others (on lead the strongest such card, else the weakest); if no card does, a led card
    dominates the lower cards of its suit. ``candidates`` holds the lowest card of each group of equivalent cards.
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


def bid_likelihood(bid: float, expected: float, odd: float) -> float:
    """Return the relative likelihood, from 0 to 1, of a bid by a seat that expects ``expected`` tricks.

    Gaussian in the distance beyond rounding (half a trick); ``odd`` is its standard deviation in tricks.
    """
    off = max(0.0, abs(bid - expected) - 0.5) / odd
    return exp(-off * off / 2)
