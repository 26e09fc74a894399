"""Fast rollouts of Ten Down after the bids: each seat plays the card that brings it nearest to its bid.

The estimates are those of ``bidding_policy.py``, in tables. Sets of cards are normalised sets of a double pack
(``engine/cards.py``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from cardtable.engine.cards import BIT, COPY, OF_SUIT, PACK_52, SUIT, Card, Cards
from cardtable.engine.game import Seat
from cardtable.engine.tricks import beating_cards
from cardtable.robots.kit.bidding_policy import PolicyWeights, Weight, Weights, estimate

_STEPS: Final = 20
"""Number of steps to which the share of unseen cards in the other hands is rounded."""
_MOST: Final = 17
"""One more than the number of cards of a suit."""

Table: TypeAlias = list[list[list[float]]]
"""Probabilities of taking a trick; indices: own cards of the suit, unseen cards of it, twice the unseen cards above."""


@dataclass(slots=True)
class Position:
    """Position after the bids; the sets change in place as the round is played."""

    hands: list[Cards]
    need: list[int]
    """Tricks that each seat still needs; negative if it has too many."""
    unseen: Cards
    """Cards not played yet, except those known to be out of play."""
    trick: Sequence[Card]
    leader: Seat
    winning: int
    """Index in the trick of the card that heads it."""
    trump: int | None
    last_wins: bool
    """True if the card played last takes the trick when two identical cards are played to it."""


@lru_cache(maxsize=512)
def _table(weight: Weight, share: int, *, trump: bool) -> Table:
    """Return the table of ``ViewFeatures.chance`` for all numbers of cards; ``share`` in steps of 1 / ``_STEPS``."""
    part = share / _STEPS
    return [
        [
            [estimate(weight, part, (mine, twice / 2, out - twice / 2), trump=trump) for twice in range(2 * out + 1)]
            for out in range(_MOST)
        ]
        for mine in range(_MOST)
    ]


def _tables(weights: Weights, trump: int | None, share: int) -> list[Table]:
    """Return the table of each suit."""
    return [_table(weights[2 if trump is None else suit != trump], share, trump=suit == trump) for suit in range(4)]


def play_on(position: Position, skill: PolicyWeights) -> None:
    """Play the round out; each seat plays the card that brings it nearest to its bid."""
    hands, need, trump = position.hands, position.need, position.trump
    seats, unseen = len(hands), position.unseen
    held = hands[position.leader].bit_count()
    share = min(_STEPS, round(_STEPS * held * (seats - 1) / max(1, unseen.bit_count() - held)))
    later, now = _tables(skill.later, trump, share), _tables(skill.now, trump, share)
    beats = beating_cards(trump)
    played, seat = len(position.trick), (position.leader + len(position.trick)) % seats
    best = position.trick[position.winning] % COPY if played else Card(0)
    taker = (position.leader + position.winning) % seats
    led = OF_SUIT[SUIT[position.trick[0]]] if played else 0
    while True:
        hand = hands[seat]
        low = hand & PACK_52
        legal = (low & led or low) if played else low
        takes = 0
        if played:
            takes = beats[best] | (BIT[best] if position.last_wins else 0)
        if legal & (legal - 1):
            after = skill.heading * (seats - 1 - played)
            bit = _choice(position, hand, legal, takes if played else None, after, need[seat], skill.risk, later, now)
        else:
            bit = legal
        card = bit.bit_length() - 1
        if not played:
            led, best, taker = OF_SUIT[SUIT[card]], Card(card), seat
        elif bit & takes:
            best, taker = Card(card), seat
        second = bit << COPY
        hands[seat] ^= second if hand & second else bit
        position.unseen ^= second if position.unseen & second else bit
        played += 1
        if played < seats:
            seat = (seat + 1) % seats
            continue
        need[taker] -= 1
        seat, played = taker, 0
        if not hands[seat]:
            return


def _choice(
    position: Position,
    hand: Cards,
    legal: Cards,
    takes: Cards | None,
    after: float,
    need: int,
    risk_counts: float,
    later: Sequence[Table],
    now: Sequence[Table],
) -> Cards:
    """Return the card of ``legal`` (one bit) after which the expected tricks are nearest to ``need``."""
    low, high = hand & PACK_52, hand >> COPY
    all_high = position.unseen >> COPY
    out_low = (all_high & ~high) | (position.unseen & PACK_52 & ~low)
    out_high = all_high & ~low
    alike = 0 if position.last_wins else 2
    expected = risk = 0.0
    found = []
    for suit, members in enumerate(OF_SUIT):
        own = low & members
        if not own:
            continue
        out, more = out_low & members, out_high & members
        mine, number = own.bit_count() + (high & members).bit_count(), out.bit_count() + more.bit_count()
        kept_by, led_by = later[suit][mine][number], now[suit][mine][number]
        while own:
            bit = own & -own
            own ^= bit
            card = bit.bit_length() - 1
            rest = out >> card
            twice, same = 2 * (rest.bit_count() + (more >> card).bit_count()), rest & 1
            kept = kept_by[twice - same]
            copies = 2 if high & bit else 1
            expected += copies * kept
            risk += copies * kept * (1 - kept)
            if bit & legal:
                found.append((bit, kept, led_by[twice - alike * same]))
    choice, least = 0, 1e9
    for bit, kept, led in found:
        takes_it = led if takes is None else led**after if bit & takes else 0.0
        off = need - takes_it - expected + kept
        bad = off * off + risk_counts * (risk - kept * (1 - kept) + takes_it * (1 - takes_it))
        if bad < least:
            choice, least = bit, bad
    return choice
