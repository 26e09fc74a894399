"""Rounds of Rifki played on by estimates: what a card takes now, and what the hand takes less without it.

Seats are places in the order of play, the next one being one higher.  What a place does rests on
its own cards, on those that have fallen, and on the suits that others have shown not to hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import Final, NamedTuple

from cardtable.engine.cards import HEARTS, OF_SUIT, SUIT, Cards
from cardtable.games.rifki.policy import LATER, MISSES, MOST, SIDE, TRUMP, WILLING, Weights
from cardtable.games.rifki.rules.contracts import CARDS, SEATS, SON_IKI, Contract

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


_HEARTS: Final = OF_SUIT[HEARTS]
_NUMBER: Final = tuple(places.bit_count() for places in range(1 << SEATS))
_COME: Final = tuple(
    tuple(sum([1 << (place + i) % SEATS for i in range(1, SEATS - played)]) for played in range(SEATS))
    for place in range(SEATS)
)
"""The places still to play, by the place that plays and the cards before its own."""


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


def dodge(position: Position, contract: Contract) -> list[int]:  # noqa: PLR0912 - one loop, kept tight
    """Play a negative contract to its end: what each place takes of what it counts, beyond what it has taken."""
    hands, voids, place, played = position.hands, position.voids, position.place, position.played
    led, best, taker, lying = position.led, position.best, position.taker, position.lying
    shut, complete = position.hearts_shut, position.complete
    penalties, known, counts = contract.penalties, sense(contract), [0] * SEATS
    last = CARDS - 2 if contract == SON_IKI else 0
    out = hands[0] | hands[1] | hands[2] | hands[3]
    while True:
        hand = hands[place]
        if not played:
            bit = (hand & ~_HEARTS or hand) if shut else hand
            if bit & bit - 1:
                bit = _lead(known, bit, hand, out ^ hand, penalties, voids, complete >= last)
            led, best, taker, lying = OF_SUIT[SUIT[bit.bit_length() - 1]], bit, place, 0
            if bit & _HEARTS and position.any_opens:
                shut = False
        elif bit := hand & led:
            bit = bit & penalties & best - 1 or bit
            if bit & bit - 1:
                if bit < best or complete < last:
                    bit = 1 << bit.bit_length() - 1
                else:
                    units = lying if penalties else complete >= last
                    come = _COME[place][played]
                    bit = _follow(known, bit, hand & led, best, out ^ hand, penalties, voids, come, units)
            if bit > best:
                best, taker = bit, place
        else:
            voids[SUIT[led.bit_length() - 1]] |= 1 << place
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


def _lead(
    known: Sense, legal: Cards, hand: Cards, out: Cards, penalties: Cards, voids: Sequence[int], counting: bool
) -> Cards:
    """The card whose lead costs least."""
    choice, least, marks, units = 0, 1e9, out & penalties, float(counting)
    for suit, members in enumerate(OF_SUIT):
        if not legal & members:
            continue
        rest = out & members
        number, forced = rest.bit_count(), rest & penalties
        holders = SEATS - 1 - _NUMBER[voids[suit]]
        if penalties:
            free = holders * MISSES[holders][number] + SEATS - 1 - holders
            units = THROWN * free * (1 - MISSES[-1][(marks ^ forced).bit_count()])
        stands = known.stands[holders][holders][number]
        bit, cost = cheapest(
            known.suits[suit], hand & members, members, rest, -1, stands, units, penalties, forced, holders, holders
        )
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
    voids: Sequence[int],
    come: int,
    units: float,
) -> Cards:
    """The card that costs least to a trick in which ``units`` lie."""
    suit = SUIT[best.bit_length() - 1]
    rest, void = out & OF_SUIT[suit], voids[suit]
    number, forced = rest.bit_count(), rest & penalties
    holders, able = SEATS - 1 - _NUMBER[void], _NUMBER[come & ~void]
    if penalties:
        free = able * MISSES[holders][number] + _NUMBER[come & void]
        units += THROWN * free * (1 - MISSES[-1][(out & penalties ^ forced).bit_count()])
    stands = known.stands[holders][able][number]
    return cheapest(known.suits[suit], own, legal, rest, -best, stands, units, penalties, forced, holders, able)[0]


def _throw(known: Sense, legal: Cards, hand: Cards, out: Cards) -> Cards:
    """The card without which the hand takes least."""
    choice, least = 0, 1e9
    for suit, members in enumerate(OF_SUIT):
        if legal & members:
            rest = out & members
            sense_of = known.suits[suit]
            bit, cost = cheapest(sense_of, hand & members, legal, rest, 0, (), 0.0, 0, rest & sense_of.marked, 0, 0)
            if cost < least:
                choice, least = bit, cost
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
            if not played:
                bit = _gather(trump, bit, hand, out ^ hand, voids, -1, come, 0)
            elif not bit & takes and bit & led:
                bit &= -bit
            elif not come and bit & takes:
                bit = bit & takes & -(bit & takes)
            else:
                bit = _gather(trump, bit, hand, out ^ hand, voids, takes, come, led)
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
    trump: int, legal: Cards, hand: Cards, out: Cards, voids: Sequence[int], takes: Cards, come: int, led: Cards
) -> Cards:
    """The card that brings most; ``led`` is 0 on a lead."""
    ruffs = 1 - MISSES[-1][(out & OF_SUIT[trump]).bit_count()]
    choice, most = 0, -1e9
    for suit, members in enumerate(OF_SUIT):
        if not legal & members:
            continue
        rest, void, unable = out & members, voids[suit], 0
        misses = MISSES[SEATS - 1 - _NUMBER[void]]
        least, share, times = 0.0, 1.0, 1.0
        if suit != trump:
            least, times = -misses[rest.bit_count()] * ruffs, (1 - ruffs) ** _NUMBER[come & void]
        elif led & ~members:
            void = voids[SUIT[led.bit_length() - 1]]
            share = MISSES[SEATS - 1 - _NUMBER[void]][(out & led).bit_count()]
            least, unable = 1 - share, _NUMBER[come & void]
        chance = Chance(least, share, _NUMBER[come & ~void], unable, times)
        bit, worth = best_of(TRUMPS if suit == trump else SIDES, hand & members, legal, rest, takes, misses, chance)
        if worth > most:
            choice, most = bit, worth
    return choice
