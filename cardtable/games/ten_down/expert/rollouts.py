"""Rounds of Ten Down played on, fast: each seat plays the card that brings it nearest to its bid.

The estimates are those of ``bidding_policy.py``, in tables.  Sets of cards are plain sets of a double pack
(``engine/cards.py``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from cardtable.engine.cards import BIT, COPY, OF_SUIT, PACK_52, SUIT, Card, Cards
from cardtable.engine.game import Seat
from cardtable.engine.tricks import beating
from cardtable.robots.kit.bidding_policy import PolicyWeights, Weight, Weights, estimate

_STEPS: Final = 20
"""Shares of the unseen cards that are told apart."""
_MOST: Final = 17
"""More cards than there are of a suit."""

Table: TypeAlias = list[list[list[float]]]
"""How likely a card takes its trick: by own cards of the suit, those unseen, and twice those of them above it."""


@dataclass(slots=True)
class Position:
    """A round after the bids, as it is played on; sets change in place."""

    hands: list[Cards]
    need: list[int]
    """Tricks that each seat still needs; below 0 those it has too many."""
    unseen: Cards
    """Cards that have not been played, nor are known not to be."""
    trick: Sequence[Card]
    leader: Seat
    winning: int
    """Index in the trick of the card that heads it."""
    trump: int | None
    last_wins: bool
    """Whether of two identical cards the one played last takes a trick."""


@lru_cache(maxsize=512)
def _table(weight: Weight, share: int, *, trump: bool) -> Table:
    """The estimates of ``Sight.chance`` for every number of cards."""
    part = share / _STEPS
    return [
        [
            [estimate(weight, part, (mine, twice / 2, out - twice / 2), trump=trump) for twice in range(2 * out + 1)]
            for out in range(_MOST)
        ]
        for mine in range(_MOST)
    ]


def _tables(weights: Weights, trump: int | None, share: int) -> list[Table]:
    """A table for each suit."""
    return [_table(weights[2 if trump is None else suit != trump], share, trump=suit == trump) for suit in range(4)]


def play_on(position: Position, skill: PolicyWeights) -> None:
    """Play the round out, each seat the card that brings it nearest to its bid."""
    hands, need, trump = position.hands, position.need, position.trump
    seats, unseen = len(hands), position.unseen
    held = hands[position.leader].bit_count()
    share = min(_STEPS, round(_STEPS * held * (seats - 1) / max(1, unseen.bit_count() - held)))
    later, now = _tables(skill.later, trump, share), _tables(skill.now, trump, share)
    beats = beating(trump)
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
    """The card of ``legal`` after which the tricks to be expected come nearest to those that are needed."""
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
