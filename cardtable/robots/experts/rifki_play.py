"""Rounds of Rifki played on by estimates: what a card takes now, and what the hand takes less without it.

Seats are places in the order of play, the next one being one higher.  What a place does rests on
its own cards, on those that have fallen, and on the suits that others have shown not to hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import HEARTS, OF_SUIT, SUIT, Cards
from cardtable.games.rifki import CARDS, KOZ, SEATS, SON_IKI, Contract
from cardtable.robots.policies.rifki import LATER, MOST, SIDE, TRUMP, WILLING, Weights

FORCED: Final = 0.8
"""What a penalty card counts that a player to come may have to play because it is of the suit led."""
THROWN: Final = 0.8
"""What one counts that a player to come may throw for want of that suit."""
MISSES: Final = tuple(
    tuple((1 - 1 / holders) ** n if holders else 1.0 for n in range(SEATS * CARDS)) for holders in range(SEATS)
)
"""How likely a player has none of n cards, by how many players may have them."""

_SIZE: Final = CARDS + 1
_ROW: Final = _SIZE * _SIZE
_HEARTS: Final = OF_SUIT[HEARTS]
_NUMBER: Final = tuple(places.bit_count() for places in range(1 << SEATS))
_COME: Final = tuple(
    tuple(sum([1 << (place + i) % SEATS for i in range(1, SEATS - played)]) for played in range(SEATS))
    for place in range(SEATS)
)
"""The places still to play, by the place that plays and the cards before its own."""

Found: TypeAlias = list[tuple[Cards, float, int]]
"""Cards, each with what the hand takes less later on without it, and the unseen ones of its suit below it."""


@dataclass(slots=True)
class Position:
    """A round as it is played on; it changes in place."""

    hands: list[Cards]
    voids: list[int]
    """By suit: the places that have shown not to hold it, one bit each."""
    complete: int
    """Tricks that were played."""
    place: int
    """Whose turn it is."""
    played: int
    """Cards of the trick."""
    led: Cards
    """The cards of the suit led."""
    best: Cards
    """The card that heads the trick."""
    taker: int
    """Who played that."""
    lying: int
    """Penalty cards in the trick."""
    hearts_shut: bool
    any_opens: bool
    """Whether hearts that were led open their lead, too."""
    overruffs: bool


class Suit(NamedTuple):
    """What the cards of a suit take later on."""

    takes: list[float]
    """What a card takes, by own lower ones, unseen ones and those of them below it."""
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
    """What is expected in a contract."""

    suits: tuple[Suit, ...]
    stands: tuple[tuple[list[float], ...], ...]
    """How likely a card takes the trick, by the players who may hold the suit, those of them to come, unseen cards and
    those of them below."""


@cache
def sense(contract: Contract) -> Sense:
    """What is expected in ``contract``."""
    if contract.trump is not None:
        return Sense(tuple([_suit(TRUMP if suit == contract.trump else SIDE, 0) for suit in range(4)]), ())
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
        exp(min(MOST, general + lower * below + higher * (number - below) + guard * guards))
        for guards in size
        for number in size
        for below in size
    ]
    return Suit(
        takes, 1 - exp(-guard), marked, exp(mark), [exp(low * n) for n in size], [exp(others * n) for n in size]
    )


def _stands(holders: int, come: int, willing: float) -> list[float]:
    misses = MISSES[holders]
    stands = []
    for number in range(_SIZE):
        for below in range(_SIZE):
            ducks = (1 - misses[below]) * (1 - willing)
            higher = 1 - misses[max(0, number - below)]
            stands.append((1 - higher * (1 - ducks)) ** come)
    return stands


def _kept(suit: Suit, own: Cards, out: Cards) -> Found:
    """The own cards of a suit, the highest first, while others hold ``out``."""
    takes, loss, marked, mark, low, others = suit
    guards, above = own.bit_count(), 0.0
    row = out.bit_count() * _SIZE
    marks = out & marked
    number = marks.bit_count()
    found = []
    while own:
        guards -= 1
        bit = 1 << own.bit_length() - 1
        own ^= bit
        below = (out & bit - 1).bit_count()
        each = takes[guards * _ROW + row + below]
        if marked:
            under = (marks & bit - 1).bit_count()
            each *= low[under] * others[number - under]
            if bit & marked:
                each *= mark
        found.append((bit, each + above * loss, below))
        above += each
    return found


def dodge(position: Position, contract: Contract) -> list[int]:  # noqa: PLR0912 - one loop, kept tight
    """Play a negative contract to its end: what each place takes of what it counts, beyond what it has taken."""
    hands, voids, place, played = position.hands, position.voids, position.place, position.played
    led, best, taker, lying = position.led, position.best, position.taker, position.lying
    shut, complete = position.hearts_shut, position.complete
    penalties, known, counts = contract.penalties, sense(contract), [0] * SEATS
    last = CARDS - 2 if contract == SON_IKI else 0
    suit = SUIT[led.bit_length() - 1] if played else 0
    out = hands[0] | hands[1] | hands[2] | hands[3]
    while True:
        hand = hands[place]
        if not played:
            bit = (hand & ~_HEARTS or hand) if shut else hand
            if bit & bit - 1:
                bit = _lead(known, bit, out ^ hand, penalties, voids, complete >= last)
            suit = SUIT[bit.bit_length() - 1]
            led, best, taker, lying = OF_SUIT[suit], bit, place, 0
            if bit & _HEARTS and position.any_opens:
                shut = False
        elif own := hand & led:
            bit = own & penalties & best - 1 or own
            if bit & bit - 1:
                come = _COME[place][played]
                units = lying if penalties else complete >= last
                bit = _follow(known, bit, own, best, out ^ hand, penalties, voids[suit], come, suit, units)
            if bit > best:
                best, taker = bit, place
        else:
            voids[suit] |= 1 << place
            bit = hand & penalties or hand
            if bit & bit - 1:
                bit = _throw(known, bit, hand, out ^ hand)
            if bit & _HEARTS:
                shut = False
        hands[place] = hand ^ bit
        out ^= bit
        if bit & penalties:
            lying += 1
        played += 1
        if played < SEATS:
            place = place + 1 & 3
            continue
        if penalties:
            counts[taker] += lying
        elif complete >= last:
            counts[taker] += 1
        complete += 1
        place, played = taker, 0
        if not out or (penalties and not out & penalties):
            return counts


def _lead(known: Sense, legal: Cards, out: Cards, penalties: Cards, voids: Sequence[int], counting: bool) -> Cards:
    """The card whose lead costs least."""
    choice, least, marks, units = 0, 1e9, out & penalties, float(counting)
    for suit, members in enumerate(OF_SUIT):
        own = legal & members
        if not own:
            continue
        rest, marks_here = out & members, marks & members
        number = rest.bit_count()
        holders = SEATS - 1 - _NUMBER[voids[suit]]
        misses = MISSES[holders]
        if penalties:
            free = holders * misses[number] + SEATS - 1 - holders
            units = THROWN * free * (1 - MISSES[-1][(marks ^ marks_here).bit_count()])
        stands, row = known.stands[holders][holders], number * _SIZE
        for bit, spared, below in _kept(known.suits[suit], own, rest):
            cost = units
            if marks_here:
                cost += FORCED * holders * (1 - misses[(marks_here & bit - 1).bit_count()])
            if bit & penalties:
                cost += 1
            cost = cost * stands[row + below] - spared
            if cost < least:
                choice, least = bit, cost
    return choice


def _follow(
    known: Sense,
    legal: Cards,
    own: Cards,
    best: Cards,
    out: Cards,
    penalties: Cards,
    void: int,
    come: int,
    suit: int,
    units: float,
) -> Cards:
    """The card that costs least to a trick in which ``units`` lie."""
    rest = out & OF_SUIT[suit]
    number = rest.bit_count()
    holders = SEATS - 1 - _NUMBER[void]
    misses, able = MISSES[holders], _NUMBER[come & ~void]
    marks = rest & penalties
    if penalties:
        free = able * misses[number] + _NUMBER[come & void]
        units += THROWN * free * (1 - MISSES[-1][(out & penalties ^ marks).bit_count()])
    stands, row = known.stands[holders][able], number * _SIZE
    choice, least = 0, 1e9
    for bit, spared, below in _kept(known.suits[suit], own, rest):
        if not bit & legal:
            continue
        cost = -spared
        if bit > best:
            takes = units
            if marks:
                takes += FORCED * able * (1 - misses[(marks & bit - 1).bit_count()])
            if bit & penalties:
                takes += 1
            cost += takes * stands[row + below]
        if cost < least:
            choice, least = bit, cost
    return choice


def _throw(known: Sense, legal: Cards, hand: Cards, out: Cards) -> Cards:
    """The card without which the hand takes least."""
    choice, most = 0, -1.0
    for suit, members in enumerate(OF_SUIT):
        own = hand & members
        if own & legal:
            for bit, spared, _ in _kept(known.suits[suit], own, out & members):
                if spared > most and bit & legal:
                    choice, most = bit, spared
    return choice


def collect(position: Position, trump: int) -> list[int]:
    """Play a trump contract to its end: the tricks that each place takes, beyond what it has taken."""
    hands, voids, place, played = position.hands, position.voids, position.place, position.played
    led, taker, trumps, counts = position.led, position.taker, OF_SUIT[trump], [0] * SEATS
    takes = _takes(position.best, led, trumps) if played else 0
    out = hands[0] | hands[1] | hands[2] | hands[3]
    while True:
        hand = hands[place]
        bit = hand & led if played else hand
        if not bit:
            voids[SUIT[led.bit_length() - 1]] |= 1 << place
            bit = hand & trumps or hand
            if position.overruffs:
                bit = bit & takes or bit
        if bit & bit - 1:
            come = _COME[place][played]
            bit = _gather(trump, bit, hand, out ^ hand, voids, led if played else 0, takes, come)
        if not played:
            led = OF_SUIT[SUIT[bit.bit_length() - 1]]
        if not played or bit & takes:
            taker, takes = place, _takes(bit, led, trumps)
        hands[place] = hand ^ bit
        out ^= bit
        played += 1
        if played < SEATS:
            place = place + 1 & 3
            continue
        counts[taker] += 1
        place, played = taker, 0
        if not out:
            return counts


def _takes(best: Cards, led: Cards, trumps: Cards) -> Cards:
    """The cards that take a trick which ``best`` heads."""
    return trumps & -2 * best if best & trumps else trumps | led & -2 * best


def _gather(
    trump: int, legal: Cards, hand: Cards, out: Cards, voids: Sequence[int], led: Cards, takes: Cards, come: int
) -> Cards:
    """The card that brings most; ``led`` is 0 on a lead."""
    known, trumps = sense(KOZ[trump]), OF_SUIT[trump]
    trumped = 1 - MISSES[-1][(out & trumps).bit_count()]
    choice, most = 0, -1e9
    for suit, members in enumerate(OF_SUIT):
        if not legal & members:
            continue
        rest, void = out & members, voids[suit]
        number, misses = rest.bit_count(), MISSES[SEATS - 1 - _NUMBER[void]]
        able, unable = _NUMBER[come & ~void], _NUMBER[come & void]
        for bit, spared, below in _kept(known.suits[suit], hand & members, rest):
            if not bit & legal:
                continue
            worth = -spared
            if not led or bit & takes:
                alone = misses[number - below]
                if suit != trump:
                    worth += max(0.0, alone - misses[number] * trumped) ** able * (1 - trumped) ** unable
                elif not led or led == trumps:
                    worth += alone**able
                else:
                    worth += _ruff(alone, out & led, voids[SUIT[led.bit_length() - 1]], come)
            if worth > most:
                choice, most = bit, worth
    return choice


def _ruff(alone: float, same: Cards, void: int, come: int) -> float:
    """How likely a trump takes a side suit's trick: players to come have no higher one, or have to follow suit."""
    free = MISSES[SEATS - 1 - _NUMBER[void]][same.bit_count()]
    return float((1 - (1 - alone) * free) ** _NUMBER[come & ~void] * alone ** _NUMBER[come & void])
