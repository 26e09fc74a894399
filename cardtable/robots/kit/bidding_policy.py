"""Rule policy for games in which the bid has to be made exactly (Rikiki, Ten Down).

The policy bids the number of tricks that it expects to take, and then plays to take exactly that number. Both rest on a
fitted estimate of the probability that a card takes the trick to which it is played, a logistic function of card
counts. Certain knowledge takes precedence: no bid is lower than the number of tricks that cannot be lost, and no card
is played that makes the bid impossible if another card keeps it possible. With two cards in the hand, the probabilities
follow from the number of unseen cards.
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
"""Ranks of the cards of one suit, highest first; a rank occurs twice for two identical cards of a double pack."""


class Deck(NamedTuple):
    """Cards of a player, and cards that the other players may hold, as ranks by suit."""

    own: tuple[Ranks, ...]
    out: tuple[Ranks, ...]
    trump: int | None
    last_wins: bool
    """True if the second of two identical cards in a trick beats the first."""

    def without(self, suit: int, rank: int) -> "Deck":
        """Return a copy in which the player no longer holds one card of this suit and rank.

        Raises ``ValueError`` if the player does not hold such a card.
        """
        ranks = self.own[suit].copy()
        ranks.remove(rank)
        return self._replace(own=(*self.own[:suit], ranks, *self.own[suit + 1 :]))

    def sure(self, *, leads: bool) -> int:
        """Return a number of tricks that the player certainly takes; ``is_leading``: True if the player leads to the
        next trick.
        """
        if leads:
            return self._cashed()
        return max(self.sure_trumps(), self._after_taking_any_lead())

    def sure_trumps(self) -> int:
        """Return the number of the player's trumps that remain after each is paired, where possible, with a higher
        trump of the others.
        """
        return 0 if self.trump is None else _unpaired(self.own[self.trump], self.out[self.trump])

    def _cashed(self) -> int:
        """Return the number of tricks that a player on lead certainly takes by leading unbeatable cards first.

        In the worst case that is assumed, each lead draws only one card of its suit, and the other players keep their
        highest cards.
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
        """Return how many of the ranks ``own`` are beaten by no rank of ``others`` when they are led."""
        if not out:
            return len(own)
        least = out[0] + self.last_wins
        return sum([rank >= least for rank in own])

    def _after_taking_any_lead(self) -> int:
        """Return the number of tricks that the player certainly takes if the next trick is certain, whatever suit is
        led to it; otherwise 0.
        """
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
    """Return how many of the ranks ``own`` remain after as many as possible are paired with an equal or higher rank of
    ``others``.
    """
    paired = 0
    for rank in own:
        paired += paired < len(out) and out[paired] >= rank
    return len(own) - paired


def deck(hand: Cards, out: Cards, trump: int | None, *, last_wins: bool = False) -> Deck:
    """Return the cards of ``hand``, and the cards ``others`` that the other players may hold, as ranks by suit."""
    return Deck(_ranks(hand), _ranks(out), trump, last_wins)


def _ranks(cards: Cards) -> tuple[Ranks, ...]:
    """Return the ranks of the cards of a single or double pack, by suit."""
    found: tuple[Ranks, ...] = tuple([[] for _ in SUITS])
    for card in iter_cards(cards):
        found[SUIT[card]].append(RANK[card])
    for ranks in found:
        ranks.sort(reverse=True)
    return found


Weight: TypeAlias = tuple[float, float, float, float, float]
"""Weights of the logistic function: a constant, the weights of each higher and each lower card of the suit in the other
hands and of each card of the suit in the player's hand, and a bonus for the highest card of the suit.
"""
Weights: TypeAlias = tuple[Weight, ...]
"""Weights for a trump, for a plain card in a round with trumps, and for a card in a round without trumps. The last may
be missing if every round has trumps.
"""

MISJUDGED: Final = 0.7
"""Standard deviation, in tricks, of a novice's error in judging a hand."""
LAST_CHOICE: Final = 2
"""Number of cards in the hand at the last decision, since the last card is played automatically."""
CARELESS: Final = 0.1
"""Probability that a novice plays a random card."""


@dataclass(frozen=True, slots=True)
class PolicyWeights:
    """Parameters of the policy for one game, fitted in duplicate matches."""

    bidding: Weights
    """Weights for the tricks expected of a hand before the first trick."""
    now: Weights
    """Weights for a card that is led now."""
    later: Weights
    """Weights for a card that stays in the hand."""
    modesty: float
    """Number of tricks to bid below the expected number, as it is easier to lose a surplus trick than to win a missing
    one.
    """
    crowded: float
    """Reduction of the expected tricks for each trick by which the earlier bids exceed their fair share."""
    most_crowded: float
    """Limit, in tricks, to which that excess, positive or negative, is clamped."""
    risk: float
    """Weight of the variance of the number of tricks, relative to the squared difference between its mean and the bid.
    """
    heading: float
    """Exponent for each player still to play: a card that heads the trick keeps it with the probability that it would
    have when led, to the power of ``heading`` times their number.
    """

    def less(self, cards: int, made: Sequence[int], seats: int) -> float:
        """Return the difference, in tricks, between the estimate of a hand and the number to bid after the earlier
        ``bids``.

        ``cards``: number of cards in each hand.
        """
        return self.modesty + self.taken(cards, made, seats)

    def taken(self, cards: int, made: Sequence[int], seats: int) -> float:
        """Return the number of tricks by which the earlier ``bids`` reduce the estimate of a hand; negative if they are
        low.

        ``cards``: number of cards in each hand.
        """
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
"""Weights for three or four players, with single and double packs."""


def _count(cards: Cards, members: Cards) -> int:
    """Return the number of ``cards``, of a single or double pack, that are copies of ``members``, cards of a single
    pack.
    """
    return (cards & members).bit_count() + (cards >> COPY & members).bit_count()


def estimate(weight: Weight, share: float, numbers: tuple[float, float, float], *, trump: bool) -> float:
    """Return the probability, by a logistic function, that a card takes the trick to which it is played.

    ``counts`` are the numbers of cards of the suit in the player's hand, and of unseen cards of the suit above and
    below the card; an unseen identical card counts as half a card above. ``share`` is the share of the unseen cards
    that is in the other hands. A trump with only its copy above it is the highest one if that copy is in no hand.
    """
    general, higher, lower, own, highest = weight
    mine, above, below = numbers
    good = general + share * (higher * above + lower * below) + own * mine
    if above and not (trump and above < 1):
        return 1 / (1 + exp(-good))
    best = 1 / (1 + exp(-good - highest))
    return share / (1 + exp(-good)) + (1 - share) * best if above else best


class ViewFeatures(NamedTuple):
    """Card counts of one view, from which the policy makes its estimates."""

    hand: Cards
    unseen: Cards
    """Cards not seen yet. With a double pack this is a set of 104 cards, with ``COPY`` bits between two identical ones.
    """
    share: float
    """Share of the unseen cards that is in the other hands, from 0 to 1."""
    trump: int | None
    last_wins: bool = False
    """True if the second of two identical cards in a trick beats the first."""
    voids: tuple[Cards, ...] = ()
    """Cards, in both copies, that each seat has shown not to hold; empty if this knowledge is ignored."""

    def chance(self, card: Card, weights: Weights, alike: float = 0.5) -> float:
        """Return the probability, by ``weights``, that ``card`` takes the trick to which it is played.

        ``copy_weight``: weight of an unseen identical card, as a fraction of a higher card.
        """
        suit = SUIT[card]
        members, first = OF_SUIT[suit], card % COPY
        out, more = self.unseen & members, self.unseen >> COPY & members
        above = (out >> first).bit_count() + (more >> first).bit_count() - (out >> first & 1) * (1 - alike)
        below = out.bit_count() + more.bit_count() - above
        weight = weights[2 if self.trump is None else suit != self.trump]
        return estimate(weight, self.share, (_count(self.hand, members), above, below), trump=suit == self.trump)

    def number(self, cards: Cards) -> int:
        """Return the number of unseen cards that are copies of ``cards``, a set of cards of a single pack."""
        return _count(self.unseen, cards)

    def higher(self, card: Card) -> int:
        """Return the number of unseen cards of the suit of ``card`` that are at least as high as it."""
        return self.number(OF_SUIT[SUIT[card]] & -BIT[card % COPY])

    def tricks(self, skill: PolicyWeights) -> float:
        """Return the number of tricks that the hand is expected to take before the first trick."""
        return sum([self.chance(c, skill.bidding) for c in iter_cards(self.hand)])

    def now(self, card: Card, skill: PolicyWeights) -> float:
        """Return the probability that ``card`` takes the trick when it is led."""
        return self.chance(card, skill.now, alike=self.last_wins)

    def heads(self, trick: tuple[Card, ...], card: Card) -> bool:
        """Return True if ``card`` would head ``trick``, the cards played before it."""
        best = order(self.trump).winner((*trick, card))
        return best == len(trick) or (self.last_wins and trick[best] == card)

    def sure_tricks(self, view: BidView) -> int:
        """Return a number of tricks that the hand takes against any distribution of the other cards."""
        return self._deck(view).sure(leads=view.leader == view.seat)

    def possible(self, view: BidView, need: int) -> Sequence[Play]:
        """Return the legal plays after which the seat can still take exactly ``need`` more tricks; all plays if there
        are none.

        The check is incomplete: it considers only the number of cards in the hand, and the trumps that certainly take
        tricks.
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
        """Return True if ``card`` takes the current trick whatever the players still to play hold."""
        if view.trick and not self.heads(view.trick, card):
            return False
        seats = len(view.bids)
        after = self._held_by([(view.seat + i) % seats for i in range(1, seats - len(view.trick))])
        beats = beating_cards(self.trump)[card % COPY] | (BIT[card] if self.last_wins else 0)
        return not (after | after >> COPY) & beats

    def success(self, view: BidView, card: Card, need: int) -> float:
        """Return the probability that the seat takes exactly ``need`` tricks with the two cards of its hand, ``card``
        first.

        If ``need`` is negative or above 2, the bid is lost. The result is then a score that is higher the fewer tricks
        are missing or in excess.
        """
        now = self._takes_now(view, card)
        last = self._takes_last(view, next(c for c in iter_cards(self.hand) if c != card), now)
        both = now * last
        if 0 <= need <= LAST_CHOICE:
            return (1 - now - last + both, now + last - 2 * both, both)[need]
        return now + last if need > 0 else -now - last

    def _takes_now(self, view: BidView, card: Card) -> float:
        """Return the probability that ``card`` takes the current trick if every player holds two cards.

        A later player beats it with a higher card of its suit, or with a trump if void in the suit.
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
        """Return the probability that ``card`` takes the last trick; ``lead_probability`` is the probability that it is
        led.
        """
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
        """Return the player's cards and the cards that the other players may hold, as ranks by suit."""
        out = self._held_by([seat for seat in range(len(view.bids)) if seat != view.seat])
        return deck(self.hand, out, self.trump, last_wins=self.last_wins)

    def _held_by(self, seats: Sequence[int]) -> Cards:
        """Return the unseen cards that at least one of the seats may hold."""
        missing = -1
        for seat in seats:
            missing &= self.voids[seat] if self.voids else 0
        return self.unseen & ~missing if seats else 0


def steady(view: BidView, sight: ViewFeatures, skill: PolicyWeights) -> Action:
    """Return the action of the steady policy for the seat to act."""
    return _bid(view, sight, skill) if None in view.bids else _play(view, sight, skill)


def novice(view: BidView, sight: ViewFeatures, skill: PolicyWeights, rng: Random) -> Action:
    """Return the action of a novice, who misjudges hands by a Gaussian error and sometimes plays a random card."""
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
    """Return the legal bids of at least ``tricks`` tricks; all of ``legal`` if there are none."""
    return [bid for bid in legal if isinstance(bid, Bid) and bid.tricks >= tricks] or legal


def nearest(legal: Sequence[Action], expected: float) -> Bid:
    """Return the legal bid nearest to ``expected`` tricks; of two equally near bids, the first.

    Requires at least one bid among ``legal``.
    """
    return min([bid for bid in legal if isinstance(bid, Bid)], key=lambda bid: abs(bid.tricks - expected))


def _play(view: BidView, sight: ViewFeatures, skill: PolicyWeights) -> Action:
    """Return the card after which the expected number of tricks is nearest to the number still needed.

    The cost of a card is the squared difference plus a penalty for the variance. If all remaining tricks are needed,
    the card most likely to take the current trick is returned; with two cards left, the card with the best probability
    of success. Ties are decided by the strength of the cards.
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
    """Return the number of tricks that the view's seat still needs to make its bid, negative if it has taken too many.

    The seat must have bid.
    """
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
"""Maximum difference, in tricks, between the expected number of tricks and a bid worth considering."""


def sensible_bids(legal: Sequence[Action], expected: float, sure: int) -> list[Action]:
    """Return the legal bids near the ``expected`` number of tricks.

    If there is a legal bid of at least ``sure_tricks`` tricks, the nearest such bid is among them.
    """
    bids: list[Action] = [bid for bid in legal if isinstance(bid, Bid) and abs(bid.tricks - expected) <= AROUND]
    possible = nearest(at_least(legal, sure), expected)
    return bids if possible in bids else [*bids, possible]


def dominated(view: BidView, sight: ViewFeatures, candidates: Sequence[Card]) -> Sequence[Action]:
    """Return the legal actions for which another action is certainly better.

    A bid below the number of sure tricks is dominated. If all remaining tricks are needed, and a card certainly takes
    the current trick, all other cards are dominated; of several such cards the strongest one remains if the seat leads,
    and the weakest otherwise. If no card is certain and the seat leads, all cards but the highest of each suit are
    dominated. ``candidates`` holds the lowest card of each group of equivalent cards; cards of the same group are not
    compared.
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
    """Return the likelihood, from 0 to 1, of a bid by a seat that expects ``expected`` tricks, relative to the best
    bid.

    It is a Gaussian of the difference beyond half a trick, which may be rounding; ``deviation`` is the standard
    deviation in tricks.
    """
    off = max(0.0, abs(bid - expected) - 0.5) / odd
    return exp(-off * off / 2)
