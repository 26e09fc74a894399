"""What cards are good for in Rifki: the estimates of the rule policy in tables, and the best card of a suit by them."""

from collections.abc import Sequence
from functools import cache
from math import exp
from typing import Final, NamedTuple

from cardtable.engine.cards import OF_SUIT, Cards
from cardtable.games.rifki.policy import LATER, MISSES, MOST, SIDE, TRUMP, WILLING, Weights
from cardtable.games.rifki.rules.contracts import CARDS, SEATS, Contract

FORCED: Final = 0.8
"""What a penalty card counts that a player to come may have to play because it is of the suit led."""
THROWN: Final = 0.8
"""What one counts that a player to come may throw for want of that suit."""
_SIZE: Final = CARDS + 1


class Suit(NamedTuple):
    """What the cards of a suit take later on."""

    takes: list[list[float]]
    """What a card takes: by unseen cards of the suit, own lower ones and unseen ones below it."""
    loss: float
    """The part of it that is taken less without a lower one."""
    marked: Cards
    """Penalty cards, where only some of the suit are."""
    mark: float
    """What is taken by such a card counts so many times, ..."""
    low: list[float]
    """... so many times by the number of unseen ones below, ..."""
    others: list[float]
    """... and by that of the other unseen ones."""


class Sense(NamedTuple):
    """What is expected in a negative contract."""

    suits: tuple[Suit, ...]
    stands: tuple[tuple[list[list[float]], ...], ...]
    """How likely a card takes the trick, by the players who may hold the suit, those of them to come, unseen cards and
    those of them below."""


class Chance(NamedTuple):
    """How likely a card takes a trick where there are trumps, by the chance that one player has none above it."""

    least: float
    share: float
    """Nobody of those who may follow beats it with this chance, times that, ..."""
    able: int
    """... for each of so many ..."""
    unable: int
    """... and with that itself for so many others; ..."""
    times: float
    """... all so many times."""


@cache
def sense(contract: Contract) -> Sense:
    """What is expected in a negative contract."""
    suits = [_suit(LATER[contract.name], contract.penalties & members) for members in OF_SUIT]
    willing = WILLING if contract.penalties else 0.0
    stands = [tuple([_stands(holders, come, willing) for come in range(holders + 1)]) for holders in range(SEATS)]
    return Sense(tuple(suits), tuple(stands))


def _suit(weights: Weights, marked: Cards) -> Suit:
    general, lower, higher, guard, mark, low, others = weights
    if marked.bit_count() == CARDS:
        general, lower, higher, marked = general + mark, lower + low, higher + others, 0
    size = range(_SIZE)
    takes = [
        [
            exp(min(MOST, general + lower * below + higher * (number - below) + guard * guards))
            for guards in size
            for below in size
        ]
        for number in size
    ]
    return Suit(
        takes, 1 - exp(-guard), marked, exp(mark), [exp(low * n) for n in size], [exp(others * n) for n in size]
    )


TRUMPS: Final = _suit(TRUMP, 0)
SIDES: Final = _suit(SIDE, 0)


def _stands(holders: int, come: int, willing: float) -> list[list[float]]:
    misses = MISSES[holders]

    def chance(number: int, below: int) -> float:
        ducks = (1 - misses[below]) * (1 - willing)
        return float((1 - (1 - misses[number - below]) * (1 - ducks)) ** come)

    return [[chance(number, below) for below in range(number + 1)] for number in range(_SIZE)]


def cheapest(
    suit: Suit,
    own: Cards,
    legal: Cards,
    out: Cards,
    above: Cards,
    stands: Sequence[float],
    units: float,
    penalties: Cards,
    forced: Cards,
    holders: int,
    able: int,
) -> tuple[Cards, float]:
    """The card of a suit that costs least, and what: what it takes now, less what the hand takes less without it.

    Those of ``above`` may take a trick in which ``units`` lie and to which ``forced`` may come.
    """
    takes, loss, marked, mark, low, others = suit
    row, at = takes[out.bit_count()], own.bit_count() * _SIZE
    number, misses = forced.bit_count(), MISSES[holders]
    choice, least, guarded = 0, 1e9, 0.0
    while own:
        at -= _SIZE
        bit = 1 << own.bit_length() - 1
        own ^= bit
        below = (out & bit - 1).bit_count()
        later = row[at + below]
        under = 0
        if forced:
            under = (forced & bit - 1).bit_count()
        if marked:
            later *= low[under] * others[number - under]
            if bit & marked:
                later *= mark
        if bit & legal:
            cost = -later - guarded
            if bit & above:
                lying = units
                if under:
                    lying += FORCED * able * (1 - misses[under])
                if bit & penalties:
                    lying += 1
                cost += lying * stands[below]
            if cost < least:
                choice, least = bit, cost
        guarded += later * loss
    return choice, least


def best_of(
    suit: Suit, own: Cards, legal: Cards, out: Cards, takes: Cards, misses: Sequence[float], chance: Chance
) -> tuple[Cards, float]:
    """The card of a suit that brings most, and what: what it takes now, less what the hand takes less without it."""
    number = out.bit_count()
    row, loss, at = suit.takes[number], suit.loss, own.bit_count() * _SIZE
    least, share, able, unable, times = chance
    choice, most, guarded = 0, -1e9, 0.0
    while own:
        at -= _SIZE
        bit = 1 << own.bit_length() - 1
        own ^= bit
        below = (out & bit - 1).bit_count()
        later = row[at + below]
        if bit & legal:
            worth = -later - guarded
            if bit & takes:
                alone = misses[number - below]
                now = least + share * alone
                if now > 0:
                    worth += times * now**able * alone**unable
            if worth > most:
                choice, most = bit, worth
        guarded += later * loss
    return choice, most
