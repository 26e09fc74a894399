"""Rule policy for games in which the bid has to be made exactly (Rikiki, Ten Down).

The policy bids the number of tricks that it expects to take, and then plays to take exactly that number. Both rest on a
fitted estimate of the probability that a card takes the trick to which it is played, a logistic function of card
counts. Certain knowledge takes precedence: no bid is lower than the number of tricks that cannot be lost, and no card
is played that makes the bid impossible if another card keeps it possible. With two cards in the hand, the probabilities
follow from the number of unseen cards.
"""

from collections.abc import Sequence
from math import exp, fsum
from random import Random
from typing import Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import BIT, COPY_OFFSET, OF_SUIT, PACK_52, RANK, SUIT, SUITS, Card, Cards, iter_cards
from cardtable.engine.game import Action
from cardtable.engine.tricks import Play, compute_beating_cards, order
from cardtable.robots.kit.impulses import choose_on_impulse

Ranks: TypeAlias = list[int]
"""Ranks of the cards of one suit, highest first; a rank occurs twice for two identical cards of a double pack."""


class CardsBySuit(NamedTuple):
    """Cards of a player, and cards that the other players may hold, as ranks by suit."""

    own: tuple[Ranks, ...]
    others: tuple[Ranks, ...]
    trump: int | None
    last_wins: bool
    """True if the second of two identical cards in a trick beats the first."""

    def copy_without(self, suit: int, rank: int) -> "CardsBySuit":
        """Return a copy in which the player no longer holds one card of this suit and rank.

        Raises ``ValueError`` if the player does not hold such a card.
        """
        ranks = self.own[suit].copy()
        ranks.remove(rank)
        return self._replace(own=(*self.own[:suit], ranks, *self.own[suit + 1 :]))

    def count_sure_tricks(self, *, is_leading: bool) -> int:
        """Return a number of tricks that the player certainly takes.

        ``is_leading``: True if the player leads to the next trick.
        """
        if is_leading:
            return self._count_cashed_tricks()
        return max(self.count_sure_trumps(), self._count_after_any_lead())

    def count_sure_trumps(self) -> int:
        """Return the number of the player's trumps that remain after each is paired, where possible, with a higher
        trump of the others.
        """
        return 0 if self.trump is None else _count_unpaired(self.own[self.trump], self.others[self.trump])

    def _count_cashed_tricks(self) -> int:
        """Return the number of tricks that a player on lead certainly takes by leading unbeatable cards first.

        In the worst case that is assumed, each lead draws only one card of its suit, and the other players keep their
        highest cards.
        """
        drawn = 0
        if self.trump is not None:
            own, out = self.own[self.trump], self.others[self.trump]
            masters = self._count_masters(own, out)
            if masters < len(out):
                return masters + _count_unpaired(own[masters:], out[: len(out) - masters])
            drawn = len(own)
        for suit, (own, out) in enumerate(zip(self.own, self.others, strict=True)):
            if suit != self.trump:
                masters = self._count_masters(own, out)
                drawn += len(own) if masters >= len(out) else masters
        return drawn

    def _count_masters(self, own: Ranks, others: Ranks) -> int:
        """Return how many of the ranks ``own`` are beaten by no rank of ``others`` when they are led."""
        if not others:
            return len(own)
        least = others[0] + 1 if self.last_wins else others[0]
        return len([rank for rank in own if rank >= least])

    def _count_after_any_lead(self) -> int:
        """Return the number of tricks that the player certainly takes if the next trick is certain, whatever suit is
        led to it; otherwise 0.
        """
        least = None
        for suit, out in enumerate(self.others):
            if not out:
                continue
            played = suit if self.own[suit] or self.trump is None else self.trump
            highest = max([0, *[rank + 1 for rank in self.others[played]]])
            masters = [rank for rank in self.own[played] if rank >= highest]
            if not masters or (played != self.trump and self.trump is not None and self.others[self.trump]):
                return 0
            tricks = 1 + self.copy_without(played, masters[-1])._count_cashed_tricks()
            least = tricks if least is None else min(least, tricks)
        return least or 0


def _count_unpaired(own: Ranks, others: Ranks) -> int:
    """Return how many of the ranks ``own`` remain after as many as possible are paired with an equal or higher rank of
    ``others``.
    """
    paired = 0
    for rank in own:
        if paired < len(others) and others[paired] >= rank:
            paired += 1
    return len(own) - paired


def make_cards_by_suit(hand: Cards, others: Cards, trump: int | None, *, last_wins: bool = False) -> CardsBySuit:
    """Return the cards of ``hand``, and the cards ``others`` that the other players may hold, as ranks by suit."""
    return CardsBySuit(_split_ranks(hand), _split_ranks(others), trump, last_wins)


def _split_ranks(cards: Cards) -> tuple[Ranks, ...]:
    """Return the ranks of the cards of a single or double pack, by suit."""
    ranks_by_suit: tuple[Ranks, ...] = tuple([[] for _ in SUITS])
    for card in iter_cards(cards):
        ranks_by_suit[SUIT[card]].append(RANK[card])
    for ranks in ranks_by_suit:
        ranks.sort(reverse=True)
    return ranks_by_suit


Weight: TypeAlias = tuple[float, float, float, float, float]
"""Weights of the logistic function.

A constant, the weights of each higher and each lower card of the suit in the other hands and of each card of the suit
in the player's hand, and a bonus for the highest card of the suit.
"""
Weights: TypeAlias = tuple[Weight, ...]
"""Weights for a trump, for a plain card in a round with trumps, and for a card in a round without trumps.

The last may be missing if every round has trumps.
"""

NOVICE_OPTIMISM: Final = 0.6
"""Number of tricks by which a novice overrates a hand on average."""
NOVICE_ERROR: Final = 0.7
"""Standard deviation, in tricks, of a novice's error in judging a hand."""
LAST_CHOICE_CARDS: Final = 2
"""Number of cards in the hand at the last decision, since the last card is played automatically."""


class PolicyWeights(msgspec.Struct, frozen=True):
    """Parameters of the policy for one game, fitted in duplicate matches."""

    bidding: Weights
    """Weights for the tricks expected of a hand before the first trick."""
    leading: Weights
    """Weights for a card that is led now."""
    keeping: Weights
    """Weights for a card that stays in the hand."""
    modesty: float
    """Number of tricks to bid below the expected number, as it is easier to lose a surplus trick than to win a missing
    one.
    """
    crowding: float
    """Reduction of the expected tricks for each trick by which the earlier bids exceed their fair share."""
    max_crowding: float
    """Limit, in tricks, to which that excess, positive or negative, is clamped."""
    risk: float
    """Weight of the variance of the number of tricks, relative to the squared difference between its mean and the bid.
    """
    heading: float
    """Exponent for each player still to play.

    A card that heads the trick keeps it with the probability that it would have when led, to the power of ``heading``
    times their number.
    """

    def compute_reduction(self, cards: int, bids: Sequence[int], seats: int) -> float:
        """Return the difference, in tricks, between the estimate of a hand and the number to bid after the earlier
        ``bids``.

        ``cards``: number of cards in each hand.
        """
        return self.modesty + self.compute_crowding(cards, bids, seats)

    def compute_crowding(self, cards: int, bids: Sequence[int], seats: int) -> float:
        """Return the number of tricks by which the earlier ``bids`` reduce the estimate of a hand.

        Negative if they are low.

        ``cards``: number of cards in each hand.
        """
        beyond = sum(bids) - len(bids) * cards / seats
        return self.crowding * max(-self.max_crowding, min(self.max_crowding, beyond))


DEFAULT_WEIGHTS: Final = PolicyWeights(
    bidding=(
        (1.39, -0.74, 0.01, 0.48, 0.00),
        (-1.04, -1.56, 0.67, -0.61, 0.00),
        (0.62, -1.44, 0.57, -0.56, 0.00),
    ),
    leading=(
        (-1.51, -0.46, 0.20, 0.31, 4.82),
        (-2.28, -1.33, 0.51, 0.36, 4.19),
        (-2.79, -0.65, 0.90, 0.56, 1.94),
    ),
    keeping=(
        (-0.62, -0.65, 0.34, 0.46, 5.38),
        (-2.97, -0.36, 0.69, -0.49, 0.62),
        (-3.05, -1.12, 0.93, -0.62, 1.03),
    ),
    modesty=0.25,
    crowding=0.065,
    max_crowding=2.0,
    risk=1.93,
    heading=0.12,
)
"""Weights for three or four players, with single and double packs."""


def _count_copies(cards: Cards, members: Cards) -> int:
    """Return the number of ``cards``, of a single or double pack, that are copies of ``members``, cards of a single
    pack.
    """
    return (cards & members).bit_count() + (cards >> COPY_OFFSET & members).bit_count()


def estimate_probability(weight: Weight, share: float, counts: tuple[float, float, float], *, is_trump: bool) -> float:
    """Return the probability, by a logistic function, that a card takes the trick to which it is played.

    ``counts`` are the numbers of cards of the suit in the player's hand, and of unseen cards of the suit above and
    below the card; an unseen identical card counts as half a card above. ``share`` is the share of the unseen cards
    that is in the other hands. A trump with only its copy above it is the highest one if that copy is in no hand.
    """
    general, higher, lower, own, highest = weight
    mine, above, below = counts
    good = general + share * (higher * above + lower * below) + own * mine
    if above and not (is_trump and above < 1):
        return 1 / (1 + exp(-good))
    best = 1 / (1 + exp(-good - highest))
    return share / (1 + exp(-good)) + (1 - share) * best if above else best


class ViewFeatures(NamedTuple):
    """Card counts of one view, from which the policy makes its estimates."""

    hand: Cards
    unseen: Cards
    """Cards not seen yet. With a double pack, two identical cards are ``COPY_OFFSET`` bits apart."""
    dealt_share: float
    """Share of the unseen cards that is in the other hands, from 0 to 1."""
    trump: int | None
    last_wins: bool = False
    """True if the second of two identical cards in a trick beats the first."""
    excluded_cards: tuple[Cards, ...] = ()
    """Cards, in both copies, that each seat has shown not to hold; empty if this knowledge is ignored."""

    def estimate_take(self, card: Card, weights: Weights, copy_weight: float = 0.5) -> float:
        """Return the probability, by ``weights``, that ``card`` takes the trick to which it is played.

        ``copy_weight``: weight of an unseen identical card, as a fraction of a higher card.
        """
        suit = SUIT[card]
        members, first = OF_SUIT[suit], card % COPY_OFFSET
        out, more = self.unseen & members, self.unseen >> COPY_OFFSET & members
        above = (out >> first).bit_count() + (more >> first).bit_count() - (out >> first & 1) * (1 - copy_weight)
        below = out.bit_count() + more.bit_count() - above
        weight = weights[2 if self.trump is None else 0 if suit == self.trump else 1]
        return estimate_probability(
            weight, self.dealt_share, (_count_copies(self.hand, members), above, below), is_trump=suit == self.trump
        )

    def count_unseen(self, cards: Cards) -> int:
        """Return the number of unseen cards that are copies of ``cards``, a set of cards of a single pack."""
        return _count_copies(self.unseen, cards)

    def count_higher(self, card: Card) -> int:
        """Return the number of unseen cards of the suit of ``card`` that are at least as high as it."""
        return self.count_unseen(OF_SUIT[SUIT[card]] & -BIT[card % COPY_OFFSET])

    def estimate_tricks(self, policy_weights: PolicyWeights) -> float:
        """Return the number of tricks that the hand is expected to take before the first trick."""
        return fsum([self.estimate_take(c, policy_weights.bidding) for c in iter_cards(self.hand)])

    def estimate_lead(self, card: Card, policy_weights: PolicyWeights) -> float:
        """Return the probability that ``card`` takes the trick when it is led."""
        return self.estimate_take(card, policy_weights.leading, copy_weight=1.0 if self.last_wins else 0.0)

    def can_head(self, trick: tuple[Card, ...], card: Card) -> bool:
        """Return True if ``card`` would head ``trick``, the cards played before it."""
        best = order(self.trump).winner((*trick, card))
        return best == len(trick) or (self.last_wins and trick[best] == card)

    def count_sure_tricks(self, view: BidView) -> int:
        """Return a number of tricks that the hand takes against any distribution of the other cards."""
        return self._split_cards(view).count_sure_tricks(is_leading=view.leader == view.seat)

    def list_dominated(self, view: BidView) -> Sequence[Action]:
        """Return the legal actions for which another one is better.

        A bid below the number of sure tricks is dominated: rollouts make it too often, as they lose tricks that are
        hard to lose. If all remaining tricks are needed and the seat leads, so is a card that may lose the trick, if
        another one cannot: the lead is kept, and trumps are drawn first.
        """
        if None in view.bids:
            possible = list_bids_from(view.legal, self.count_sure_tricks(view))
            return [bid for bid in view.legal if bid not in possible]
        if view.trick or count_missing_tricks(view) != self.hand.bit_count():
            return ()
        takes = {action: isinstance(action, Play) and self.is_sure_to_take(view, action.card) for action in view.legal}
        return [action for action in view.legal if any(takes.values()) and not takes[action]]

    def list_possible_plays(self, view: BidView, need: int) -> Sequence[Play]:
        """Return the legal plays after which the seat can still take exactly ``need`` more tricks.

        All plays if there are none.

        The check is incomplete: it considers only the number of cards in the hand, and the trumps that certainly take
        tricks.
        """
        plays = [play for play in view.legal if isinstance(play, Play)]
        left = self.hand.bit_count()
        trumps = 0 if self.trump is None else _count_copies(self.hand, OF_SUIT[self.trump])
        if len(plays) == 1 or not 0 <= need <= left or trumps < need < left:
            return plays
        cards = self._split_cards(view)
        sure = cards.count_sure_trumps()

        def find_bounds(card: Card) -> tuple[int, int]:
            trump = SUIT[card] == self.trump
            rest = cards.copy_without(SUIT[card], RANK[card]).count_sure_trumps() if trump and sure else sure
            if view.trick and not self.can_head(view.trick, card):
                return rest, left - 1
            return (1 + rest if self.is_sure_to_take(view, card) else sure), left

        bounds = [find_bounds(play.card) for play in plays]
        return [play for play, (least, most) in zip(plays, bounds, strict=True) if least <= need <= most] or plays

    def is_sure_to_take(self, view: BidView, card: Card) -> bool:
        """Return True if ``card`` takes the current trick whatever the players still to play hold."""
        if view.trick and not self.can_head(view.trick, card):
            return False
        seats = len(view.bids)
        after = self._find_holdable_cards([(view.seat + i) % seats for i in range(1, seats - len(view.trick))])
        beats = compute_beating_cards(self.trump)[card % COPY_OFFSET] | (BIT[card] if self.last_wins else 0)
        return not (after | after >> COPY_OFFSET) & beats

    def estimate_success(self, view: BidView, card: Card, need: int) -> float:
        """Return the probability that the seat takes exactly ``need`` tricks with the two cards of its hand, ``card``
        first.

        If ``need`` is negative or above 2, the bid is lost. The result is then a score that is higher the fewer tricks
        are missing or in excess.
        """
        first = self._estimate_take_now(view, card)
        last = self._estimate_take_last(view, next(c for c in iter_cards(self.hand) if c != card), first)
        both = first * last
        if 0 <= need <= LAST_CHOICE_CARDS:
            return (1 - first - last + both, first + last - 2 * both, both)[need]
        return first + last if need > 0 else -first - last

    def _estimate_take_now(self, view: BidView, card: Card) -> float:
        """Return the probability that ``card`` takes the current trick if every player holds two cards.

        A later player beats it with a higher card of its suit, or with a trump if void in the suit.
        """
        if view.trick and not self.can_head(view.trick, card):
            return 0.0
        suit, unseen = OF_SUIT[SUIT[card]], max(1, self.count_unseen(PACK_52))
        higher = self.count_unseen(compute_beating_cards(self.trump)[card % COPY_OFFSET] & suit) / unseen
        trumps = 0 if self.trump in (None, SUIT[card]) else self.count_unseen(OF_SUIT[self.trump or 0]) / unseen
        void = 1 - self.count_unseen(suit) / unseen
        beaten = 1 - (1 - higher) ** 2 + void**2 - max(0.0, void - trumps) ** 2
        chance: float = max(0.0, 1 - beaten) ** (len(view.bids) - 1 - len(view.trick))
        return chance

    def _estimate_take_last(self, view: BidView, card: Card, lead_probability: float) -> float:
        """Return the probability that ``card`` takes the last trick.

        ``lead_probability`` is the probability that it is led.
        """
        suit, unseen = SUIT[card], max(1, self.count_unseen(PACK_52))
        higher, trumps = self.count_higher(card), 0
        if self.trump not in (None, suit):
            trumps = self.count_unseen(OF_SUIT[self.trump or 0])
        highest: float = max(0.0, 1 - (len(view.bids) - 1) / unseen) ** (higher + trumps)
        if suit == self.trump:
            return highest
        same = (self.count_unseen(OF_SUIT[suit]) - higher) / unseen
        return highest * (lead_probability + (1 - lead_probability) * same)

    def _split_cards(self, view: BidView) -> CardsBySuit:
        """Return the player's cards and the cards that the other players may hold, as ranks by suit."""
        out = self._find_holdable_cards([seat for seat in range(len(view.bids)) if seat != view.seat])
        return make_cards_by_suit(self.hand, out, self.trump, last_wins=self.last_wins)

    def _find_holdable_cards(self, seats: Sequence[int]) -> Cards:
        """Return the unseen cards that at least one of the seats may hold."""
        missing = -1
        for seat in seats:
            missing &= self.excluded_cards[seat] if self.excluded_cards else 0
        return self.unseen & ~missing if seats else 0


def choose_steady_action(view: BidView, features: ViewFeatures, policy_weights: PolicyWeights) -> Action:
    """Return the action of the steady policy for the seat to act."""
    choose = _choose_bid if None in view.bids else _choose_card
    return choose(view, features, policy_weights)


def choose_novice_action(view: BidView, features: ViewFeatures, policy_weights: PolicyWeights, rng: Random) -> Action:
    """Return the action of a novice, who overrates most hands and sometimes acts on impulse."""
    if None in view.bids:
        return _choose_bid(view, features, policy_weights, rng.gauss(NOVICE_OPTIMISM, NOVICE_ERROR))
    eager = count_missing_tricks(view) > 0
    return choose_on_impulse(view, order(features.trump), rng, eager=eager) or _choose_card(
        view, features, policy_weights
    )


def _choose_bid(view: BidView, features: ViewFeatures, policy_weights: PolicyWeights, error: float = 0.0) -> Action:
    made = [bid for bid in view.bids if bid is not None]
    reduction = policy_weights.compute_reduction(view.cards, made, len(view.bids))
    expected = features.estimate_tricks(policy_weights) + error - reduction
    return find_nearest_bid(list_bids_from(view.legal, features.count_sure_tricks(view)), expected)


def list_bids_from(legal: Sequence[Action], tricks: int) -> Sequence[Action]:
    """Return the legal bids of at least ``tricks`` tricks; all of ``legal`` if there are none."""
    return [bid for bid in legal if isinstance(bid, Bid) and bid.tricks >= tricks] or legal


def find_nearest_bid(legal: Sequence[Action], expected: float) -> Bid:
    """Return the legal bid nearest to ``expected`` tricks; of two equally near bids, the first.

    Requires at least one bid among ``legal``.
    """
    return min([bid for bid in legal if isinstance(bid, Bid)], key=lambda bid: abs(bid.tricks - expected))


def _choose_card(view: BidView, features: ViewFeatures, policy_weights: PolicyWeights) -> Action:
    """Return the card after which the expected number of tricks is nearest to the number still needed.

    The cost of a card is the squared difference plus a penalty for the variance. If all remaining tricks are needed,
    the card most likely to take the current trick is returned; with two cards left, the card with the best probability
    of success. Ties are decided by the strength of the cards.
    """
    need, left = count_missing_tricks(view), features.hand.bit_count()
    later = {c: features.estimate_take(c, policy_weights.keeping) for c in iter_cards(features.hand)}
    expected = fsum(later.values())
    risk = fsum([p * (1 - p) for p in later.values()])
    power = order(features.trump).power

    def compute_cost(play: Play) -> tuple[float, int]:
        card = play.card
        strength = power[SUIT[card]][card]
        if left == LAST_CHOICE_CARDS:
            return -features.estimate_success(view, card, need), strength if need > 0 else -strength
        current, future = _estimate_take(view, features, policy_weights, card), later[card]
        if need == left:
            return -current, strength if view.trick else -strength
        off = need - current - expected + future
        variance = risk - future * (1 - future) + current * (1 - current)
        return off * off + policy_weights.risk * variance, strength if need > 0 else -strength

    return min(features.list_possible_plays(view, need), key=compute_cost)


def count_missing_tricks(view: BidView) -> int:
    """Return the number of tricks that the view's seat still needs to make its bid, negative if it has taken too many.

    The seat must have bid.
    """
    bid = view.bids[view.seat]
    assert bid is not None
    return bid - view.won[view.seat]


def _estimate_take(view: BidView, features: ViewFeatures, policy_weights: PolicyWeights, card: Card) -> float:
    """Return the probability that ``card`` takes the current trick."""
    if not view.trick:
        return features.estimate_lead(card, policy_weights)
    if not features.can_head(view.trick, card):
        return 0.0
    after = len(view.bids) - 1 - len(view.trick)
    takes: float = features.estimate_lead(card, policy_weights) ** (policy_weights.heading * after)
    return takes


MAX_BID_DISTANCE: Final = 2.0
"""Maximum difference, in tricks, between the expected number of tricks and a bid worth considering."""


def list_sensible_bids(legal: Sequence[Action], expected: float, sure_tricks: int) -> list[Action]:
    """Return the legal bids near the ``expected`` number of tricks.

    If there is a legal bid of at least ``sure_tricks`` tricks, the nearest such bid is among them.
    """
    bids: list[Action] = [
        bid for bid in legal if isinstance(bid, Bid) and abs(bid.tricks - expected) <= MAX_BID_DISTANCE
    ]
    possible = find_nearest_bid(list_bids_from(legal, sure_tricks), expected)
    return bids if possible in bids else [*bids, possible]


def compute_bid_likelihood(bid: float, expected: float, deviation: float) -> float:
    """Return the likelihood, from 0 to 1, of a bid by a seat that expects ``expected`` tricks, relative to the best
    bid.

    It is a Gaussian of the difference beyond half a trick, which may be rounding; ``deviation`` is the standard
    deviation in tricks.
    """
    off = max(0.0, abs(bid - expected) - 0.5) / deviation
    return exp(-off * off / 2)
