"""What the rule policy of playouts thinks that a card costs.  Suits mean nothing, so that hands are ranks in order."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import ACE, RANK, RANKS, Cards, each
from cardtable.games.gurka import policy
from cardtable.games.gurka.policy import FEW
from cardtable.games.gurka.rules.tricks import Options

Hand: TypeAlias = tuple[int, ...]
"""Ranks, the lowest first."""
Situation: TypeAlias = tuple[int, int, bool, bool, bool]
"""What matters to a seat that is free to choose, besides its hand: the highest rank in the trick, how many seats are
still to come in it, whether so many play that a card is as good as the next lower one, whether an ace would bind those
to come, whether who can head must."""


class Numbers(NamedTuple):
    """What cards that are kept cost, and to lead, as the rule policy tells it."""

    lowest: Sequence[float]
    second: Sequence[float]
    other: Sequence[float]
    leading: Sequence[float]


USUAL: Final = Numbers(policy.LOWEST, policy.SECOND, policy.OTHER, policy.LEADING)
"""Those of the rule policy itself: they tell better what was played, among steady robots by 0.12 ± 0.03 points a round,
..."""
FITTED: Final = Numbers(
    (-6.2, -6.1, -5.0, -4.1, -2.0, 0.0, 1.6, 4.1, 6.6, 8.0, 9.0, 11.6, 14.3),
    (-5.0, -4.2, -3.9, -2.3, -0.4, -0.4, 0.5, 2.6, 3.4, 5.9, 6.3, 5.8, 5.8),
    (-1.6, -0.9, -0.3, -0.2, 0.3, 0.4, 1.1, 1.4, 2.0, 1.2, 0.7, -0.2, -0.3),
    (0.0, 0.4, -1.4, -1.1, -1.1, -0.9, -0.7),
)
"""... and these, fitted in matches against it, what to play: by 0.11 ± 0.01."""


def ranks(hand: Cards) -> Hand:
    """The ranks of a hand."""
    return tuple(sorted([RANK[c] for c in each(hand)]))


def situation(options: Options, seats: int, lying: int, top: int) -> Situation:
    """That of a seat before which so many cards lie, the highest of rank ``top``."""
    return top, seats - 1 - lying, seats > FEW, options.ace_binds(lying), options.must_head == "on"


def costs(hand: Hand, case: Situation, numbers: Numbers) -> list[tuple[int, float]]:
    """The plays, as places in the hand, one of each rank, the lowest first, and what each is expected to cost."""
    top, after, lower, binds, must_head = case
    least, number = hand[0], len(hand)
    heads = [i for i in range(number) if hand[i] >= top and (not i or hand[i] != hand[i - 1])]
    places = heads if heads and (must_head or least >= top) else [0, *heads]
    low = [max(rank - 1, 0) for rank in hand] if lower else hand
    others = [numbers.other[rank] for rank in low]
    beyond, found = sum(others[2:]), []
    for i in places:
        cost = numbers.lowest[low[not i]]
        if number > 2:
            cost += numbers.second[low[2 if i < 2 else 1]] + beyond - others[max(i, 2)]
        if hand[i] >= top:
            takes = 1.0 if binds and hand[i] == ACE else (hand[i] / len(RANKS)) ** (after * (number - 1))
            cost += numbers.leading[number - 1] * takes
        found.append((i, cost))
    return found


@lru_cache(maxsize=1 << 14)
def choice(hand: Hand, case: Situation) -> int:
    """The place in the hand of the card that costs least."""
    return min(costs(hand, case, FITTED), key=lambda play: play[1])[0]
