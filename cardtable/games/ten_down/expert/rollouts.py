"""Fast rollouts of Ten Down after the bidding: each seat plays the card that brings it closest to its bid.

The probabilities are those of ``robots/kit/bidding_policy.py``, tabulated. Sets of cards are normalised sets of a
double pack (``engine/cards.py``).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.cards import BIT, COPY_OFFSET, OF_SUIT, PACK_52, SUIT, Card, Cards
from cardtable.engine.game import Seat
from cardtable.engine.tricks import compute_beating_cards
from cardtable.robots.kit.bidding_policy import PolicyWeights, Weight, estimate_probability

_SHARE_STEPS: Final = 20
"""Number of steps into which the share of unseen cards that are in other hands is divided."""
_TABLE_SIZE: Final = 17
"""Size of the tables: one more than the number of cards of a suit."""

Table: TypeAlias = list[list[list[float]]]
"""Probabilities that a card takes a trick: ``table[cards of the suit in the hand][unseen cards][twice the unseen cards
above]``.

An identical unseen card counts as half a card above, hence the doubled index.
"""


class Position(msgspec.Struct):
    """Position after the bidding; ``hands``, ``need`` and ``unseen`` change as the round is played."""

    hands: list[Cards]
    need: list[int]
    """Number of tricks that each seat still needs; negative if it has taken too many."""
    unseen: Cards
    """Cards that have not been played, including those that were not dealt."""
    trick: Sequence[Card]
    leader: Seat
    winning: int
    """Index of the card that is winning the trick; 0 if the trick is empty."""
    trump: int | None
    last_wins: bool
    """True if the later of two identical cards in a trick is the higher one."""


@lru_cache(maxsize=512)
def _make_table(weight: Weight, share: int, *, trump: bool) -> Table:
    """Tabulate the estimate of ``bidding_policy`` for one set of weights.

    ``share`` is the part of the unseen cards that is in other hands, in steps of 1 / ``_SHARE_STEPS``.
    """
    part = share / _SHARE_STEPS
    return [
        [
            [
                estimate_probability(weight, part, (mine, twice / 2, out - twice / 2), is_trump=trump)
                for twice in range(2 * out + 1)
            ]
            for out in range(_TABLE_SIZE)
        ]
        for mine in range(_TABLE_SIZE)
    ]


class SkillTables(NamedTuple):
    """Weights of the rule policy for one round, those of the estimates as tables."""

    keeping: Sequence[Table]
    """Tables for cards that are kept, by suit."""
    leading: Sequence[Table]
    """Tables for cards that are led, by suit."""
    risk_weight: float
    """Weight of the variance of the tricks."""


@lru_cache(maxsize=512)
def _tabulate_skill(skill: PolicyWeights, trump: int | None, share: int) -> SkillTables:
    keeping, leading = [
        [_make_table(weights[2 if trump is None else suit != trump], share, trump=suit == trump) for suit in range(4)]
        for weights in (skill.keeping, skill.leading)
    ]
    return SkillTables(keeping, leading, skill.risk)


def play_out(position: Position, skill: PolicyWeights) -> None:
    """Play the round out in place, each seat towards its bid.

    Afterwards ``position.need`` holds the number of tricks by which each seat has missed its bid.
    """
    hands, need, trump = position.hands, position.need, position.trump
    seats, unseen = len(hands), position.unseen
    size = hands[position.leader].bit_count()
    share = min(_SHARE_STEPS, round(_SHARE_STEPS * size * (seats - 1) / max(1, unseen.bit_count() - size)))
    tables, beats = _tabulate_skill(skill, trump, share), compute_beating_cards(trump)
    played, seat = len(position.trick), (position.leader + len(position.trick)) % seats
    best = position.trick[position.winning] % COPY_OFFSET if played else Card(0)
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
            bit = _choose_card(position, hand, legal, takes if played else None, after, need[seat], tables)
        else:
            bit = legal
        card = bit.bit_length() - 1
        if not played:
            led, best, taker = OF_SUIT[SUIT[card]], Card(card), seat
        elif bit & takes:
            best, taker = Card(card), seat
        second = bit << COPY_OFFSET
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


def _choose_card(
    position: Position,
    hand: Cards,
    legal: Cards,
    takes: Cards | None,
    win_exponent: float,
    need: int,
    tables: SkillTables,
) -> Cards:
    """Return the legal card, as a bit, after which the expected tricks are closest to ``need``.

    ``takes`` holds the cards that would head the trick; ``None`` on a lead. ``win_exponent`` is the power to which the
    probability of a led card is raised for a card that heads the trick.
    """
    keeping, leading, risk_weight = tables
    low, high = hand & PACK_52, hand >> COPY_OFFSET
    all_high = position.unseen >> COPY_OFFSET
    out_low = (all_high & ~high) | (position.unseen & PACK_52 & ~low)
    out_high = all_high & ~low
    alike = 0 if position.last_wins else 2
    expected = risk = 0.0
    options = []
    for suit, members in enumerate(OF_SUIT):
        own = low & members
        if not own:
            continue
        out, more = out_low & members, out_high & members
        mine, number = own.bit_count() + (high & members).bit_count(), out.bit_count() + more.bit_count()
        keeping_row, leading_row = keeping[suit][mine][number], leading[suit][mine][number]
        while own:
            bit = own & -own
            own ^= bit
            card = bit.bit_length() - 1
            rest = out >> card
            twice, same = 2 * (rest.bit_count() + (more >> card).bit_count()), rest & 1
            kept_chance = keeping_row[twice - same]
            copies = 2 if high & bit else 1
            expected += copies * kept_chance
            risk += copies * kept_chance * (1 - kept_chance)
            if bit & legal:
                options.append((bit, kept_chance, leading_row[twice - alike * same]))
    choice, least = 0, 1e9
    for bit, kept_chance, led_chance in options:
        takes_it = led_chance if takes is None else led_chance**win_exponent if bit & takes else 0.0
        off = need - takes_it - expected + kept_chance
        bad = off * off + risk_weight * (risk - kept_chance * (1 - kept_chance) + takes_it * (1 - takes_it))
        if bad < least:
            choice, least = bit, bad
    return choice
