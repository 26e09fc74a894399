"""Hands of Gurka as rollouts see them.  Suits mean nothing: a hand is how many cards of each rank it has.

Three bits a rank, the lowest first.
"""

from functools import cache
from math import exp, log
from typing import Final, TypeAlias

from cardtable.engine.cards import ACE, RANK, RANKS, Cards, each
from cardtable.games.gurka.policy import FEW
from cardtable.games.gurka.rules import Options
from cardtable.robots.kit.memory import Memory

LOWEST: Final = (-6.2, -6.1, -5.0, -4.1, -2.0, 0.0, 1.6, 4.1, 6.6, 8.0, 9.0, 11.6, 14.3)
SECOND: Final = (-5.0, -4.2, -3.9, -2.3, -0.4, -0.4, 0.5, 2.6, 3.4, 5.9, 6.3, 5.8, 5.8)
OTHER: Final = (-1.6, -0.9, -0.3, -0.2, 0.3, 0.4, 1.1, 1.4, 2.0, 1.2, 0.7, -0.2, -0.3)
LEADING: Final = (0.0, 0.4, -1.4, -1.1, -1.1, -0.9, -0.7)
"""What cards that are kept cost, as in the rule policy, but fitted in matches against it: with these numbers it is
0.11 points a round ahead (± 0.01)."""
TEMPER: Final = 1.0
"""How many points a play may cost more than another and yet be chosen a third as often."""
NOTHING: Final = -1
"""The highest rank of a trick in which nothing lies."""
BITS: Final = 3
"""Bits of a rank in a hand."""
SITUATION: Final = 10
"""Bits below the hand in a key."""
TOP: Final = 6
"""Bits below the highest rank in a key."""

KEPT: Final = 1 << 15
"""Answers of a kind that are remembered."""

Hand: TypeAlias = int


def hand_of(cards: Cards) -> Hand:
    """The ranks of cards."""
    return sum([1 << BITS * RANK[c] for c in each(cards)])


def _ranks(hand: Hand) -> tuple[int, ...]:
    return tuple([rank for rank in range(len(RANKS)) for _ in range(hand >> BITS * rank & (1 << BITS) - 1)])


_SOME: Final = Memory(_ranks, KEPT)
_LOW: Final = (1 << BITS * 6) - 1
"""The six lowest ranks of a hand."""


@cache
def situations(options: Options) -> tuple[int, ...]:
    """What stands below the highest rank in a key, by the number of cards that lie.

    It is how many seats are still to come, whether so many play that a card is as good as the next lower one is with
    fewer, whether an ace binds those to come, and whether who can head must.
    """
    seats, found = options.seats, []
    for lying in range(seats):
        binds = options.ace_rule == "any" or (options.ace_rule == "led-only" and not lying)
        found.append((seats - 1 - lying) << 3 | (seats > FEW) << 2 | binds << 1 | (options.must_head == "on"))
    return tuple(found)


def key_of(hand: Hand, top: int, situation: int) -> int:
    """The key of a hand where this rank is the highest."""
    return hand << SITUATION | (top + 1) << TOP | situation


def _costs(key: int) -> dict[int, float]:
    """What each rank that may be played is expected to cost."""
    low_high = key >> SITUATION
    hand = _SOME[low_high & _LOW] + _SOME[low_high & ~_LOW]
    top, after = (key >> TOP & 15) - 1, key >> 3 & 7
    lower, binds, must_head = key >> 2 & 1, key >> 1 & 1, key & 1
    number = len(hand)
    heads = [i for i in range(number) if hand[i] >= top and (not i or hand[i] != hand[i - 1])]
    places = heads if heads and (must_head or hand[0] >= top) else [0, *heads]
    others = [OTHER[max(rank - lower, 0)] for rank in hand]
    low = [max(rank - lower, 0) for rank in hand[:3]]
    beyond = sum(others[2:])
    found: dict[int, float] = {}
    for i in places:
        cost = LOWEST[low[not i]]
        if number > 2:
            cost += SECOND[low[2 if i < 2 else 1]] + beyond - others[max(i, 2)]
        if hand[i] >= top:
            takes = 1.0 if binds and hand[i] == ACE else (hand[i] / len(RANKS)) ** (after * (number - 1))
            cost += LEADING[number - 1] * takes
        found[hand[i]] = cost
    return found


def _choice(key: int) -> tuple[int, Hand]:
    costs = _costs(key)
    rank = min(costs, key=lambda rank: costs[rank])
    return rank, (key >> SITUATION) - (1 << BITS * rank)


def _likeness(key: int) -> dict[int, float]:
    costs = _costs(key)
    least = min(costs.values())
    usual = least - TEMPER * log(sum([exp((least - cost) / TEMPER) for cost in costs.values()]))
    return {rank: (usual - cost) / TEMPER for rank, cost in costs.items()}


def _least(hand: Hand) -> tuple[int, Hand]:
    rank = ((hand & -hand).bit_length() - 1) // BITS
    return rank, hand - (1 << BITS * rank)


HAND: Final = Memory(hand_of, KEPT)
"""The ranks of cards."""
CHOICE: Final = Memory(_choice, KEPT)
"""The rank that costs least, and the hand without it."""
LIKENESS: Final = Memory(_likeness, KEPT)
"""The logarithm of how likely each rank is to be played."""
LEAST: Final = Memory(_least, KEPT)
"""The lowest rank, and the hand without it."""
