"""Fast rollouts for King, in which each seat plays like the rule policy from its hand and the cards it has seen.

The cards of a suit are nine bits, the weakest card in the lowest one; in Miser the ace is the weakest card. The
estimates for a suit are cached by an integer key. Its fields, from bit 0 on, are the cards of the suit in the hand (9
bits), the cards of the suit in any hand (``UNSEEN_SHIFT``), the card to beat as the number of cards not above it
(``TOP_SHIFT``), the number of opponents still to play (``TO_COME_SHIFT``), and the number of trumps in other hands
(``TRUMPS_SHIFT``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.cards import HEARTS, RANK, SIX, SUIT, Cards
from cardtable.engine.game import Seat
from cardtable.games.king.policy import (
    MISS_PROBABILITIES,
    OPPONENT_WEIGHTS,
    RUFF_PROBABILITY,
    TRUMP_WEIGHTS,
    WEIGHTS,
    SuitWeights,
    Weights,
)
from cardtable.games.king.rules import KingState
from cardtable.games.king.rules.actions import (
    ACE_OF_HEARTS,
    KING_BIT,
    MISER,
    NEG_JAR,
    SEATS,
    TRICK_POINTS,
    TRICKS,
    Kind,
    KingContract,
)
from cardtable.robots.kit.search import Memo

SuitCards: TypeAlias = int
"""Cards of one suit as nine bits, the weakest card in the lowest one."""
FULL_SUIT: Final[SuitCards] = 0x1FF
UNSEEN_SHIFT: Final = 9
"""Position in a key of the unplayed cards of the suit, including those in the hand."""
TOP_SHIFT: Final = 18
"""Position in a key of the card to beat, given as the number of cards of the suit that are not above it."""
TO_COME_SHIFT: Final = 22
"""Position in a key of the number of opponents still to play to the trick."""
TRUMPS_SHIFT: Final = 24
"""Position in a key of the number of trumps in other hands."""
NO_VALUE: Final = -1e9

LeadOption: TypeAlias = tuple[float, float, SuitCards]
"""Card that can be played.

The probability that it takes the trick, its value without the points of the trick, and its bit.
"""

Discard: TypeAlias = tuple[float, SuitCards]
"""Discard: the value of playing the card on another suit, and its bit."""


class FollowOptions(NamedTuple):
    """Possible plays of one suit to a trick."""

    hold_probability: float
    """Probability that no later player beats the card that heads the trick now."""
    best_losing_value: float
    """Value of the best card that does not head the trick."""
    best_losing_card: SuitCards
    """Bit of the best card that does not head the trick; 0 if there is none."""
    winning_cards: tuple[LeadOption, ...]
    """Cards that would head the trick."""


@dataclass(frozen=True)
class SuitEstimator:
    """Estimator for the cards of one suit, for one side in a contract."""

    weights: SuitWeights
    scoring_cards: SuitCards
    """Cards that count as scoring cards."""
    gains: tuple[float, ...]
    """Weighted points of each card for the player who takes it, weakest card first."""
    avoids_tricks: bool
    """True if players avoid tricks, and so beat a trick only if they must."""
    can_be_ruffed: bool
    """True if another suit is trump."""
    opponents: int
    """Number of opponents who play after a leader of this side."""

    def estimate_hold(self, number: int, unseen: SuitCards, trumps: int, to_come: int) -> float:
        """Return the probability that none of ``to_come`` later players beats a card, which has ``number`` cards of the
        suit not above it.
        """
        above, below = (unseen >> number).bit_count(), (unseen & (1 << number) - 1).bit_count()
        beaten = 1 - MISS_PROBABILITIES[above]
        if self.avoids_tricks:
            beaten *= MISS_PROBABILITIES[below]
        if self.can_be_ruffed:
            beaten += RUFF_PROBABILITY * MISS_PROBABILITIES[above + below] * (1 - MISS_PROBABILITIES[trumps])
        return max(1 - beaten, 0.0) ** to_come

    def list_cards(self, own: SuitCards, unseen: SuitCards) -> list[tuple[int, float, SuitCards]]:
        """Return, for each card of the suit in the hand, the number of cards not above it, the change of the hand's
        value if it is played, and its bit.
        """
        suited, scoring_cards = self.weights, self.scoring_cards
        number, left = max(unseen.bit_count(), 1), own
        result: list[tuple[int, float, SuitCards]] = []
        while left:
            bit = left & -left
            left ^= bit
            strength = (unseen & bit - 1).bit_count() / number
            lost = suited.strength * strength
            if bit & scoring_cards:
                lost += suited.scoring
            if unseen & scoring_cards & bit - 1:
                lost += suited.above
            if not result:
                after = (unseen & (left & -left) - 1).bit_count() / number if left else 0.0
                lost += suited.lowest * (strength - after)
            result.append((bit.bit_length(), -lost, bit))
        return result

    def list_leads(self, key: int) -> tuple[LeadOption, ...]:
        """Return the cards of the suit as possible leads."""
        own, unseen = _split_key(key)
        trumps = key >> TRUMPS_SHIFT
        return tuple(
            [
                (
                    hold := self.estimate_hold(number, unseen, trumps, self.opponents),
                    value + hold * self.gains[number - 1],
                    bit,
                )
                for number, value, bit in self.list_cards(own, unseen)
            ]
        )

    def choose_discard(self, key: int) -> Discard:
        """Return the best discard of the suit, which must not be empty in the hand."""
        return max([(value, bit) for _, value, bit in self.list_cards(*_split_key(key))], key=itemgetter(0))

    def list_follows(self, key: int) -> FollowOptions:
        """Return the possible plays of the suit to a trick that it can head: in the suit led, or by ruffing."""
        own, unseen = _split_key(key)
        top, to_come, trumps = key >> TOP_SHIFT & 15, key >> TO_COME_SHIFT & 3, key >> TRUMPS_SHIFT
        under, low, heads = NO_VALUE, 0, []
        for number, value, bit in self.list_cards(own, unseen):
            if number > top:
                hold = self.estimate_hold(number, unseen, trumps, to_come)
                heads.append((hold, value + hold * self.gains[number - 1], bit))
            elif value > under:
                under, low = value, bit
        return FollowOptions(self.estimate_hold(top, unseen, trumps, to_come), under, low, tuple(heads))


def _split_key(key: int) -> tuple[SuitCards, SuitCards]:
    """Return the cards of a key that are in the hand, and those that are in other hands."""
    own = key & FULL_SUIT
    return own, key >> UNSEEN_SHIFT & FULL_SUIT ^ own


class SideEstimates(NamedTuple):
    """Cached estimates of one side, by suit."""

    weights: Weights
    leads: tuple[Memo[tuple[LeadOption, ...]], ...]
    discards: tuple[Memo[Discard], ...]
    follows: tuple[Memo[FollowOptions], ...]


@cache
def _make_memos(estimate: SuitEstimator) -> tuple[Memo[tuple[LeadOption, ...]], Memo[Discard], Memo[FollowOptions]]:
    return Memo(estimate.list_leads), Memo(estimate.choose_discard), Memo(estimate.list_follows)


@cache
def get_side_estimates(contract: KingContract, weights: Weights) -> SideEstimates:
    """Return the cached estimates of the side with these weights."""
    special = contract.trump if contract.trump is not None else HEARTS if contract.no_heart_leads else None
    dodged = contract.kind is Kind.NEGATIVE or contract == NEG_JAR
    against = 1 if weights is OPPONENT_WEIGHTS else SEATS - 1
    estimates = []
    for suit in range(4):
        gains = tuple([weights.trick_points * worth for worth in map_card_points(contract)[suit].values()])
        suited = weights.special if suit == special else weights.plain
        scoring_cards = extract_suit(weights.scoring_cards, suit)
        estimates.append(
            _make_memos(
                SuitEstimator(suited, scoring_cards, gains, dodged, contract.trump not in (None, suit), against)
            )
        )
    return SideEstimates(weights, *zip(*estimates, strict=True))


def extract_suit(cards: Cards, suit: int) -> SuitCards:
    """Return the cards of ``suit`` in ``cards`` as nine bits, the six in the lowest one."""
    return cards >> 13 * suit + SIX & FULL_SUIT


@cache
def map_card_points(contract: KingContract) -> tuple[dict[SuitCards, int], ...]:
    """Return, by suit, the points of each card by its bit."""

    def compute_points(card: Cards) -> int:
        return sum([points for cards, points in contract.cards if card & cards])

    return tuple([{1 << i: compute_points(1 << 13 * suit + SIX + i) for i in range(9)} for suit in range(4)])


Hand: TypeAlias = list[SuitCards]
"""Cards of a hand, by suit."""
REVERSED_BITS: Final = tuple([sum([1 << 8 - i for i in range(9) if own >> i & 1]) for own in range(FULL_SUIT + 1)])
"""By set of cards of a suit: the set with the order of its bits reversed."""
_ACE_IN_HEARTS: Final = extract_suit(1 << ACE_OF_HEARTS, HEARTS)
_KING_IN_HEARTS: Final = extract_suit(KING_BIT, HEARTS)


class Position(msgspec.Struct):
    """Position in a rollout; the lists are changed as it goes on."""

    hands: list[Hand]
    unseen: list[int]
    """Unplayed cards by suit, shifted by ``UNSEEN_SHIFT`` as in a key."""
    played: int
    """Number of cards in the trick."""
    led: int = 0
    best: int = 0
    """Suit of the card that heads the trick."""
    top: int = 0
    """Number of cards of that suit that are not above the card that heads the trick."""
    taker: Seat = 0
    """Seat whose card heads the trick."""
    lying: int = 0
    """Points of the cards in the trick."""
    has_ace: bool = False
    """True if the trick is one of hearts and the ace of hearts is in it."""


def make_position(state: KingState, contract: KingContract) -> Position:
    """Return the rollout position of a state in which a card is to be played."""
    low = contract == MISER
    hands = [[extract_suit(hand, suit) for suit in range(4)] for hand in state.hands]
    if low:
        hands = [[REVERSED_BITS[own] for own in hand] for hand in hands]
    position = Position(hands, [sum(suit) << UNSEEN_SHIFT for suit in zip(*hands, strict=True)], len(state.trick))
    if state.trick:
        index = contract.order.winner(state.trick)
        head = state.trick[index]
        position.led, position.best, position.taker = SUIT[state.trick[0]], SUIT[head], (state.leader + index) % SEATS
        position.top = TRICKS - RANK[head] + SIX if low else RANK[head] - SIX + 1
        position.lying = sum([map_card_points(contract)[SUIT[c]][1 << RANK[c] - SIX] for c in state.trick])
        position.has_ace = ACE_OF_HEARTS in state.trick and position.led == HEARTS
    return position


def play_out(state: KingState) -> Sequence[int]:
    """Play the round to its end, and return the points scored in it, by seat.

    A card must be due to be played in ``state``, which is not changed.
    """
    contract = state.contract
    assert contract is not None
    return (_play_out_positive if contract.kind is Kind.POSITIVE else _play_out_penalties)(state, contract)


def _choose_lead(
    hand: Hand, unseen: list[int], leads: Sequence[Memo[tuple[LeadOption, ...]]], trick_value: float, trump: int | None
) -> tuple[SuitCards, int]:
    """Return the bit and the suit of the card to lead; ``trick_value`` is the value of taking the trick."""
    trumps = 0 if trump is None else (unseen[trump] >> UNSEEN_SHIFT ^ hand[trump]).bit_count() << TRUMPS_SHIFT
    best, card, led = NO_VALUE, 0, 0
    for suit, own in enumerate(hand):
        if own:
            for hold, value, bit in leads[suit][own | unseen[suit] | (0 if suit == trump else trumps)]:
                worth = hold * trick_value + value
                if worth > best:
                    best, card, led = worth, bit, suit
    return card, led


def _choose_discard(hand: Hand, unseen: list[int], discards: Sequence[Memo[Discard]]) -> tuple[float, SuitCards, int]:
    """Return the value, bit and suit of the best discard from any suit."""
    best, card, thrown = NO_VALUE, 0, 0
    for suit, own in enumerate(hand):
        if own:
            value, bit = discards[suit][own | unseen[suit]]
            if value > best:
                best, card, thrown = value, bit, suit
    return best, card, thrown


def _play_out_penalties(state: KingState, contract: KingContract) -> Sequence[int]:  # noqa: PLR0912, PLR0915 - a tight loop
    """Play out a contract in which each player scores the tricks and cards taken.

    Return the points scored in the round, by seat.
    """
    start = make_position(state, contract)
    hands, unseen, played, led, top, ace = start.hands, start.unseen, start.played, start.led, start.top, start.has_ace
    seat, taker, lying, complete, points = state.turn, start.taker, start.lying, state.complete, state.points[:]
    weights, leads, discards, follows = get_side_estimates(contract, WEIGHTS[contract.text])
    worth, king_must_fall, no_heart_leads = map_card_points(contract), contract.king_must_fall, contract.no_heart_leads
    under_ace = king_must_fall and state.options.king_drop == "under-ace"
    left, counts = contract.total_points - sum(points), weights.trick_points
    while True:
        tricks = TRICKS - complete
        trick = contract.tricks + contract.last if tricks <= 2 else contract.tricks
        trick_value = counts * trick + weights.taking + weights.early * tricks
        coming = weights.future_trick_points * left / tricks
        if not played:
            hand = hands[seat]
            a, b, _, d = hand
            playable = [a, b, 0, d] if no_heart_leads and (a or b or d) else hand
            card, led = _choose_lead(playable, unseen, leads, trick_value + 3 * coming, None)
            hand[led] ^= card
            unseen[led] ^= card << UNSEEN_SHIFT
            taker, top, lying, played = seat, card.bit_length(), worth[led][card], 1
            ace = led == 2 and card == _ACE_IN_HEARTS
            seat = (seat + 1) & 3
        follow, suit_worths, out = follows[led], worth[led], unseen[led]
        while played < 4:
            hand = hands[seat]
            own = hand[led]
            if own:
                if not own & own - 1:
                    card = own
                elif ace and under_ace and own & _KING_IN_HEARTS:
                    card = _KING_IN_HEARTS
                else:
                    _, best, card, heads = follow[own | out | top << TOP_SHIFT | 3 - played << TO_COME_SHIFT]
                    if heads:
                        brings = trick_value + counts * lying + (3 - played) * coming
                        for hold, value, bit in heads:
                            if hold * brings + value > best:
                                best, card = hold * brings + value, bit
                hand[led] = own ^ card
                out ^= card << UNSEEN_SHIFT
                lying += suit_worths[card]
                if card >> top:
                    top, taker = card.bit_length(), seat
                    ace = card == _ACE_IN_HEARTS and led == 2
            else:
                if king_must_fall and hand[2] & _KING_IN_HEARTS:
                    card, suit = _KING_IN_HEARTS, 2
                else:
                    _, card, suit = _choose_discard(hand, unseen, discards)
                hand[suit] ^= card
                unseen[suit] ^= card << UNSEEN_SHIFT
                lying += worth[suit][card]
            played += 1
            seat = (seat + 1) & 3
        unseen[led], played = out, 0
        points[taker] += trick + lying
        left -= trick + lying
        complete += 1
        seat = taker
        if complete == TRICKS or not left:
            return points


def _play_out_positive(state: KingState, contract: KingContract) -> Sequence[int]:  # noqa: PLR0912, PLR0915 - a tight loop
    """Play out a positive contract, the dealer against the three others.

    Return the points scored in the round, by seat.
    """
    start, dealer, trump = make_position(state, contract), state.dealer, contract.trump
    hands, unseen, played = start.hands, start.unseen, start.played
    led, best_suit, top, taker = start.led, start.best, start.top, start.taker
    seat, complete, won = state.turn, state.complete, state.points[dealer] // TRICK_POINTS
    sides = [get_side_estimates(contract, OPPONENT_WEIGHTS)] * SEATS
    sides[dealer] = get_side_estimates(contract, WEIGHTS.get(contract.text, TRUMP_WEIGHTS))
    share = [TRICK_POINTS / (SEATS - 1) * OPPONENT_WEIGHTS.trick_points] * SEATS
    share[dealer] = TRICK_POINTS * sides[dealer].weights.trick_points
    while complete < TRICKS:
        if not played:
            hand = hands[seat]
            card, led = _choose_lead(hand, unseen, sides[seat].leads, share[seat], trump)
            hand[led] ^= card
            unseen[led] ^= card << UNSEEN_SHIFT
            taker, best_suit, top, played = seat, led, card.bit_length(), 1
            seat = (seat + 1) & 3
        while played < 4:
            hand, side, suit = hands[seat], sides[seat], led
            own = hand[led]
            if own and not own & own - 1:
                card = own
            elif own and best_suit != led:
                _, card = side.discards[led][own | unseen[led]]
            else:
                to_come = 3 - played
                if dealer not in (seat, taker):  # the dealer is the only opponent of this side
                    to_come = 1 if (dealer - seat & 3) <= to_come else 0
                key = own | unseen[led] | top << TOP_SHIFT | to_come << TO_COME_SHIFT
                if trump is not None and trump != led:
                    key |= (unseen[trump] >> UNSEEN_SHIFT ^ hand[trump]).bit_count() << TRUMPS_SHIFT
                if own:
                    hold_probability, best, card, heads = side.follows[led][key]
                    heading = led
                else:
                    hold_probability, best, card, suit, heads = _list_void_plays(
                        hand, unseen, side, key, trump, led, best_suit
                    )
                    heading = trump or 0
                if heads:
                    brings = share[seat]
                    if taker == dealer:
                        # any card that beats the dealer's wins the trick for this side
                        best -= hold_probability * brings
                        for _, value, bit in heads:
                            if value > best:
                                best, card, suit = value, bit, heading
                    else:
                        if seat != dealer:
                            best += hold_probability * brings
                        for hold, value, bit in heads:
                            if hold * brings + value > best:
                                best, card, suit = hold * brings + value, bit, heading
            hand[suit] ^= card
            unseen[suit] ^= card << UNSEEN_SHIFT
            if suit != best_suit:
                if suit == trump:
                    taker, best_suit, top = seat, suit, card.bit_length()
            elif card >> top:
                taker, top = seat, card.bit_length()
            played += 1
            seat = (seat + 1) & 3
        played = 0
        if taker == dealer:
            won += 1
        complete += 1
        seat = taker
    others = TRICK_POINTS // (SEATS - 1) * (TRICKS - won)
    return [TRICK_POINTS * won if seat == dealer else others for seat in range(SEATS)]


def _list_void_plays(
    hand: Hand, unseen: list[int], side: SideEstimates, key: int, trump: int | None, led: int, best_suit: int
) -> tuple[float, float, SuitCards, int, tuple[LeadOption, ...]]:
    """Return the possible plays of a seat that is void in the suit led.

    The fields of ``FollowOptions``, with the suit of the best losing card before the winning cards.
    """
    if trump is None:
        return 0.0, *_choose_discard(hand, unseen, side.discards), ()
    own, others = hand[trump] | unseen[trump], hand[:]
    others[trump] = 0
    best, card, suit = _choose_discard(others, unseen, side.discards)
    if best_suit != trump:
        heads = side.follows[trump][own | key & 3 << TO_COME_SHIFT].winning_cards
        return side.follows[led][key].hold_probability, best, card, suit, heads
    hold_probability, under, low, heads = side.follows[trump][own | key & (15 << TOP_SHIFT | 3 << TO_COME_SHIFT)]
    if under > best:
        return hold_probability, under, low, trump, heads
    return hold_probability, best, card, suit, heads
