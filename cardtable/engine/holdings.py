"""What a table knows of hands it cannot see, where cards come and go.

A holding tells a hidden hand in parts: so many cards, and what none of them can be.  Nothing
in it is a guess: what it rules out cannot be true.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from cardtable.engine import worlds
from cardtable.engine.cards import BIT, Card, Cards

Holding: TypeAlias = tuple[tuple[int, Cards], ...]
"""The parts of a hand: how many cards, and the cards that none of them is."""


def lacking(holding: Holding, cards: Cards) -> Holding:
    """The hand has shown that it holds none of ``cards``."""
    parts: Holding = ()
    for number, absent in holding:
        parts = _joined(parts, number, absent | cards)
    return parts


def gaining(holding: Holding, absent: Cards) -> Holding:
    """A card has come to the hand, hidden; it is none of ``absent``."""
    return _joined(holding, 1, absent)


def losing(holding: Holding, card: Card) -> Holding:
    """The hand has shown ``card`` and given it away.

    Where several parts may have held it, the strictest is taken to have, if it says all that
    the others say; if there is none such they become one part that knows what all knew.
    """
    if len(holding) == 1:
        ((number, least),) = holding
        return ((number - 1, least),) if number > 1 else ()
    bit = BIT[card]
    parts = [part for part in holding if not part[1] & bit]
    least, most = parts[0][1], 0
    for _, absent in parts:
        least &= absent
        most |= absent
    number = sum([n for n, absent in parts if absent == most])
    if number:
        return tuple([(n - (a == most), a) for n, a in holding if a != most or n > 1])
    others: Holding = tuple([part for part in holding if part[1] & bit])
    return _joined(others, sum([n for n, _ in parts]) - 1, least)


def absent_from(holding: Holding) -> Cards:
    """The cards that the hand certainly does not hold, as far as this can be told."""
    absent = -1
    for _, part in holding:
        absent &= part
    return absent


def guess(pool: Cards, holdings: Sequence[Holding], rng: Random) -> list[Cards]:
    """Hands of the cards of ``pool`` that fit ``holdings``, drawn at random.

    The holdings have as many cards as ``pool``.  Raises ``ValueError`` if none fit.
    """
    parts = [part for holding in holdings for part in holding]
    shared = iter(worlds.share(pool, [n for n, _ in parts], [absent for _, absent in parts], rng))
    hands = []
    for holding in holdings:
        hand = 0
        for _ in holding:
            hand |= next(shared)
        hands.append(hand)
    return hands


def _joined(holding: Holding, number: int, absent: Cards) -> Holding:
    """The holding with some more cards; parts that say the same are one part."""
    for i, (n, known) in enumerate(holding):
        if known == absent:
            return (*holding[:i], (n + number, absent), *holding[i + 1 :])
    return (*holding, (number, absent))
