"""Guessing where unseen cards may lie: every sharing that is possible, each equally often."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import comb
from random import Random
from typing import TypeAlias

from cardtable.engine.cards import BIT, Card, Cards, iter_cards, mask_of
from cardtable.engine.game import Seat


def sample_split(pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], rng: Random) -> list[Cards]:
    """Split ``pool`` at random into sets of ``sizes``, set ``i`` free of ``banned[i]``.

    ``sum(sizes)`` is the number of cards in ``pool``.  Each possible sharing is equally
    likely.  Raises ``ValueError`` if there is none.
    """
    groups: dict[Cards, list[int]] = {}
    for i, ban in enumerate(banned):
        if sizes[i]:
            groups.setdefault(ban & pool, []).append(i)
    free = groups.pop(0, [])
    bound = list(groups.values())
    parts = _share(pool, [sum([sizes[i] for i in group]) for group in bound], list(groups), rng) if bound else []
    hands = [0] * len(sizes)
    for group, part in zip(bound, parts, strict=True):
        _hand_out(part, group, sizes, hands, rng)
        pool ^= part
    _hand_out(pool, free, sizes, hands, rng)
    return hands


def sample_hands(
    hand: Cards, seat: Seat, pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], rng: Random
) -> list[Cards]:
    """Hands of ``sizes`` as ``seat``, which holds ``hand``, may guess them from the unseen cards of ``pool``.

    The hand of seat ``i`` is free of ``banned[i]``; what is left of the pool lies face down.
    """
    guessed = sample_split(pool, _numbers(seat, pool, sizes), [*banned, 0], rng)[:-1]
    guessed[seat] = hand
    return guessed


def enumerate_hands(
    hand: Cards, seat: Seat, pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], most: int
) -> list[list[Cards]] | None:
    """All such hands, each once; ``None`` if there are more than ``most``."""
    numbers, free = _numbers(seat, pool, sizes), (*banned, 0)
    counts = tuple([(takers, alike.bit_count()) for takers, alike in _classes(pool, free)])
    if _total(counts, tuple(numbers)) > most:
        return None
    found = [list(parts[:-1]) for parts in _sharings(pool, numbers, free)]
    for guessed in found:
        guessed[seat] = hand
    return found


def _numbers(seat: Seat, pool: Cards, sizes: Sequence[int]) -> list[int]:
    """How many cards of the pool each hand has, and how many lie face down."""
    numbers = list(sizes)
    numbers[seat] = 0
    return [*numbers, pool.bit_count() - sum(numbers)]


def _sharings(pool: Cards, sizes: Sequence[int], banned: Sequence[Cards]) -> Iterator[tuple[Cards, ...]]:
    """All ways to split ``pool``."""
    if not sizes:
        yield ()
        return
    for part in combinations(iter_cards(pool & ~banned[0]), sizes[0]):
        for rest in _sharings(pool & ~mask_of(part), sizes[1:], banned[1:]):
            yield (mask_of(part), *rest)


def _hand_out(part: Cards, group: Sequence[int], sizes: Sequence[int], hands: list[Cards], rng: Random) -> None:
    """Split ``part`` among sets that may take the same cards."""
    if len(group) == 1:
        hands[group[0]] = part
        return
    for i, hand in zip(group, _cut(_shuffled(part, rng), [sizes[i] for i in group]), strict=True):
        hands[i] = hand


def _share(pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], rng: Random) -> list[Cards]:
    """Sets of ``sizes`` from ``pool``, which leave the rest to those that may take any card.

    Cards that the same sets may take are alike, so a way to split each such class is drawn
    with the number of sharings it leaves.
    """
    classes = _classes(pool, (*banned, 0))
    counts = tuple([(takers, alike.bit_count()) for takers, alike in classes])
    room = (*sizes, pool.bit_count() - sum(sizes))
    hands = [0] * len(sizes)
    for k, (_, alike) in enumerate(classes):
        ways = _splits(counts[k:], room)
        total = sum(ways.values())
        if not total:
            raise ValueError("no sharing fits what is known")
        split = _draw(ways, rng.randrange(total))
        for i, part in enumerate(_cut(_shuffled(alike, rng), split[:-1])):
            hands[i] |= part
        room = tuple([r - x for r, x in zip(room, split, strict=True)])
    return hands


def _shuffled(pool: Cards, rng: Random) -> list[Card]:
    """The cards in random order; faster than ``rng.shuffle``."""
    return sorted(iter_cards(pool), key=lambda _: rng.random())


def _cut(deck: Sequence[Card], sizes: Sequence[int]) -> list[Cards]:
    """The first cards of ``deck`` in sets of ``sizes``."""
    hands, at = [], 0
    for size in sizes:
        mask = 0
        for c in deck[at : at + size]:
            mask |= BIT[c]
        hands.append(mask)
        at += size
    return hands


@lru_cache(maxsize=64)
def _classes(pool: Cards, banned: tuple[Cards, ...]) -> list[tuple[tuple[int, ...], Cards]]:
    """The cards of ``pool`` by who may take them, the most restricted first."""
    found: list[tuple[tuple[int, ...], Cards]] = [((), pool)]
    for i, ban in enumerate(banned):
        parts = [((*takers, i), alike & ~ban) for takers, alike in found]
        parts += [(takers, alike & ban) for takers, alike in found]
        found = [part for part in parts if part[1]]
    return sorted(found, key=lambda part: (len(part[0]), part[0]))


def _draw(ways: dict[tuple[int, ...], int], ticket: int) -> tuple[int, ...]:
    for split, number in ways.items():
        ticket -= number
        if ticket < 0:
            return split
    raise AssertionError("a ticket beyond the last way")


_Counts = tuple[tuple[tuple[int, ...], int], ...]


@lru_cache(maxsize=4096)
def _splits(counts: _Counts, room: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Ways to split the first class, each with the number of whole sharings it leaves."""
    (takers, size), rest = counts[0], counts[1:]
    if not takers:
        return {}
    ways = {}
    for most in product(*[range(min(size, room[i]) + 1) for i in takers[:-1]]):
        last = size - sum(most)
        if not 0 <= last <= room[takers[-1]]:
            continue
        split = [0] * len(room)
        for i, x in zip(takers, (*most, last), strict=True):
            split[i] = x
        left = tuple([r - x for r, x in zip(room, split, strict=True)])
        after = _total(rest, left)
        if after:
            ways[tuple(split)] = _multinomial(size, (*most, last)) * after
    return ways


@lru_cache(maxsize=65536)
def _total(counts: _Counts, room: tuple[int, ...]) -> int:
    """The number of sharings of the classes that fill ``room``."""
    if not counts:
        return 1
    if len(counts) == 1 and len(counts[0][0]) == len(room):
        return _multinomial(counts[0][1], room)
    return sum(_splits(counts, room).values())


def _multinomial(size: int, parts: Sequence[int]) -> int:
    """The number of ways to split ``size`` cards into ``parts``."""
    ways = 1
    for part in parts:
        ways *= comb(size, part)
        size -= part
    return ways


Holding: TypeAlias = tuple[tuple[int, Cards], ...]
"""The parts of a hand: how many cards, and the cards that none of them is."""


def exclude_cards(holding: Holding, cards: Cards) -> Holding:
    """The hand has shown that it holds none of ``cards``."""
    parts: Holding = ()
    for number, absent in holding:
        parts = _joined(parts, number, absent | cards)
    return parts


def add_hidden(holding: Holding, absent: Cards) -> Holding:
    """A card has come to the hand, hidden; it is none of ``absent``."""
    return _joined(holding, 1, absent)


def remove_shown(holding: Holding, card: Card) -> Holding:
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
    shared = iter(sample_split(pool, [n for n, _ in parts], [absent for _, absent in parts], rng))
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
