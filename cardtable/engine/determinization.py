"""Determinization: sampling and enumeration of the distributions of unseen cards that fit known facts.

Every distribution that fits the facts has the same probability.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, islice, product
from math import comb
from random import Random
from typing import TypeAlias

from cardtable.engine.cards import BIT, Card, Cards, iter_cards, lowest, mask_of
from cardtable.engine.game import Seat


def sample_split(pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], rng: Random) -> list[Cards]:
    """Split ``pool`` at random into sets of the given sizes, where set ``i`` contains no card of ``banned[i]``.

    The sizes must add up to the number of cards in ``pool``. All splits that fit have the same probability. Raises
    ``ValueError`` if there is none.
    """
    groups: dict[Cards, list[int]] = {}
    for i, ban in enumerate(banned):
        if sizes[i]:
            groups.setdefault(ban & pool, []).append(i)
    free = groups.pop(0, [])
    bound = list(groups.values())
    parts = _sample_parts(pool, [sum([sizes[i] for i in group]) for group in bound], list(groups), rng) if bound else []
    hands = [0] * len(sizes)
    for group, part in zip(bound, parts, strict=True):
        _split_among_group(part, group, sizes, hands, rng)
        pool ^= part
    _split_among_group(pool, free, sizes, hands, rng)
    return hands


def sample_hands(
    hand: Cards, seat: Seat, pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], rng: Random
) -> list[Cards]:
    """Sample the hands of all seats as ``seat`` may imagine them; ``hand`` is the hand of this seat.

    ``pool``: the cards that the seat has not seen. ``sizes``: number of cards in each hand. ``banned``: by seat, cards
    that cannot be in the hand. The rest of the pool remains face down. Raises ``ValueError`` if no distribution fits.
    """
    sampled = sample_split(pool, _compute_pool_sizes(seat, pool, sizes), [*banned, 0], rng)[:-1]
    sampled[seat] = hand
    return sampled


def enumerate_hands(
    hand: Cards,
    seat: Seat,
    pool: Cards,
    sizes: Sequence[int],
    banned: Sequence[Cards],
    max_results: int,
    alike: Sequence[Cards] = (),
) -> Iterator[list[Cards]] | None:
    """Yield every possible result of ``sample_hands`` once; return ``None`` if there are more than ``max_results``.

    If ``alike`` is given, it divides the pool into sets of cards that need not be told apart, all or none of which a
    seat may hold. Of the results that differ only in these, one is yielded and counted.
    """
    distinct = mask_of([lowest(pool & cards) for cards in alike if pool & cards]) if alike else pool
    sizes_left = _compute_pool_sizes(seat, distinct, sizes)
    counts = tuple([(takers, cards.bit_count()) for takers, cards in _group_by_takers(distinct, (*banned, 0))])
    if sizes_left[-1] >= 0 and _count_splits(counts, tuple(sizes_left)) > max_results:
        return None
    hands = _iter_hands(hand, seat, pool, sizes_left[:-1], banned, alike)
    if not alike:
        return hands
    results = list(islice(hands, max_results + 1))  # those that deal several cards of a set have not been counted
    return iter(results) if len(results) <= max_results else None


def _iter_hands(
    hand: Cards, seat: Seat, pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], alike: Sequence[Cards]
) -> Iterator[list[Cards]]:
    for hands in map(list, _iter_splits(pool, sizes, banned, alike)):
        hands[seat] = hand
        yield hands


def _compute_pool_sizes(seat: Seat, pool: Cards, sizes: Sequence[int]) -> list[int]:
    """Return the number of cards of the pool in each hand and, last, the number of cards that remain face down.

    The hand of ``seat`` is known and takes no card from the pool.
    """
    numbers = list(sizes)
    numbers[seat] = 0
    return [*numbers, pool.bit_count() - sum(numbers)]


def _iter_splits(
    pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], alike: Sequence[Cards]
) -> Iterator[tuple[Cards, ...]]:
    """Yield all choices of sets of the given sizes from ``pool``, where set ``i`` contains no card of ``banned[i]``."""
    if not sizes:
        yield ()
        return
    for part in _iter_parts(pool & ~banned[0], sizes[0], alike):
        for rest in _iter_splits(pool & ~part, sizes[1:], banned[1:], alike):
            yield (part, *rest)


def _iter_parts(pool: Cards, size: int, alike: Sequence[Cards]) -> Iterator[Cards]:
    """Yield the sets of ``size`` cards of ``pool``; of the cards of each set of ``alike`` the lowest are taken."""
    if not alike:
        yield from map(mask_of, combinations(iter_cards(pool), size))
        return
    groups = [iter_cards(pool & cards) for cards in alike]
    for numbers in combinations_with_replacement(range(len(groups)), size):
        part = [card for group in {*numbers} for card in groups[group][: numbers.count(group)]]
        if len(part) == size:
            yield mask_of(part)


def _split_among_group(
    part: Cards, group: Sequence[int], sizes: Sequence[int], hands: list[Cards], rng: Random
) -> None:
    """Split ``part`` at random among the sets of ``group``, and store these sets in ``hands``.

    All sets of the group have the same banned cards. ``sizes`` and ``hands`` are indexed by set.
    """
    if len(group) == 1:
        hands[group[0]] = part
        return
    for i, hand in zip(group, _cut(_shuffle(part, rng), [sizes[i] for i in group]), strict=True):
        hands[i] = hand


def _sample_parts(pool: Cards, sizes: Sequence[int], banned: Sequence[Cards], rng: Random) -> list[Cards]:
    """Sample disjoint sets of the given sizes from ``pool``; the remaining cards go to the sets without banned cards.

    Cards that may go to the same sets form a class. For each class in turn, its division among these sets is drawn with
    a probability proportional to the number of complete splits that it allows.
    """
    classes = _group_by_takers(pool, (*banned, 0))
    counts = tuple([(takers, alike.bit_count()) for takers, alike in classes])
    capacities = (*sizes, pool.bit_count() - sum(sizes))
    hands = [0] * len(sizes)
    for k, (_, alike) in enumerate(classes):
        divisions = _count_divisions(counts[k:], capacities)
        total = sum(divisions.values())
        if not total:
            raise ValueError(
                "no deal fits what is known: compare `excluded_cards` and `find_known_cards` with the hands"
            )
        split = _pick_division(divisions, rng.randrange(total))
        for i, part in enumerate(_cut(_shuffle(alike, rng), split[:-1])):
            hands[i] |= part
        capacities = tuple([r - x for r, x in zip(capacities, split, strict=True)])
    return hands


def _shuffle(pool: Cards, rng: Random) -> list[Card]:
    """Return the cards of ``pool`` in random order; faster than ``rng.shuffle``."""
    return sorted(iter_cards(pool), key=lambda _: rng.random())


def _cut(deck: Sequence[Card], sizes: Sequence[int]) -> list[Cards]:
    """Cut ``deck`` from its front into sets of the given sizes."""
    hands, start = [], 0
    for size in sizes:
        mask = 0
        for c in deck[start : start + size]:
            mask |= BIT[c]
        hands.append(mask)
        start += size
    return hands


@lru_cache(maxsize=64)
def _group_by_takers(pool: Cards, banned: tuple[Cards, ...]) -> list[tuple[tuple[int, ...], Cards]]:
    """Group the cards of ``pool`` by the sets that may take them; the class with the fewest takers comes first.

    Each class is the tuple of the indices of its takers, and its cards.
    """
    classes: list[tuple[tuple[int, ...], Cards]] = [((), pool)]
    for i, ban in enumerate(banned):
        parts = [((*takers, i), alike & ~ban) for takers, alike in classes]
        parts += [(takers, alike & ban) for takers, alike in classes]
        classes = [part for part in parts if part[1]]
    return sorted(classes, key=lambda part: (len(part[0]), part[0]))


def _pick_division(divisions: dict[tuple[int, ...], int], ticket: int) -> tuple[int, ...]:
    for split, number in divisions.items():
        ticket -= number
        if ticket < 0:
            return split
    raise AssertionError("a ticket beyond the last way")


_Counts = tuple[tuple[tuple[int, ...], int], ...]


@lru_cache(maxsize=4096)
def _count_divisions(counts: _Counts, capacities: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Return the possible divisions of the first class, each with the number of complete splits that it allows.

    ``counts``: takers and number of cards of each class. ``capacities``: number of cards that each set still takes. A
    division is the number of cards for each set.
    """
    (takers, size), rest = counts[0], counts[1:]
    if not takers:
        return {}
    divisions = {}
    for first_parts in product(*[range(min(size, capacities[i]) + 1) for i in takers[:-1]]):
        last_part = size - sum(first_parts)
        if not 0 <= last_part <= capacities[takers[-1]]:
            continue
        split = [0] * len(capacities)
        for i, x in zip(takers, (*first_parts, last_part), strict=True):
            split[i] = x
        left = tuple([r - x for r, x in zip(capacities, split, strict=True)])
        after = _count_splits(rest, left)
        if after:
            divisions[tuple(split)] = _compute_multinomial(size, (*first_parts, last_part)) * after
    return divisions


@lru_cache(maxsize=65536)
def _count_splits(counts: _Counts, capacities: tuple[int, ...]) -> int:
    """Return the number of ways to distribute the cards of all classes among sets with these capacities."""
    if not counts:
        return 1
    if len(counts) == 1 and len(counts[0][0]) == len(capacities):
        return _compute_multinomial(counts[0][1], capacities)
    return sum(_count_divisions(counts, capacities).values())


def _compute_multinomial(size: int, parts: Sequence[int]) -> int:
    """Return the multinomial coefficient.

    The number of ways to split ``size`` cards into sets of the sizes ``parts``.
    """
    coefficient = 1
    for part in parts:
        coefficient *= comb(size, part)
        size -= part
    return coefficient


Holding: TypeAlias = tuple[tuple[int, Cards], ...]
"""Knowledge about a hidden hand, as parts with a number of cards and the cards that they cannot contain."""


def exclude_cards(holding: Holding, cards: Cards) -> Holding:
    """Return the holding after the hand has been shown to contain none of ``cards``."""
    parts: Holding = ()
    for number, absent in holding:
        parts = _add_part(parts, number, absent | cards)
    return parts


def add_hidden(holding: Holding, absent: Cards) -> Holding:
    """Return the holding after the hand has received a hidden card, which is none of ``absent``."""
    return _add_part(holding, 1, absent)


def remove_card(holding: Holding, card: Card) -> Holding:
    """Return the holding after the hand has shown ``card`` and given it away.

    If several parts may have held the card, it is taken from the most restricted part, provided that this part excludes
    all cards that the others exclude. Otherwise these parts are merged into one, which excludes only the cards that all
    of them exclude.
    """
    if len(holding) == 1:
        ((number, common_absent),) = holding
        return ((number - 1, common_absent),) if number > 1 else ()
    bit = BIT[card]
    parts = [part for part in holding if not part[1] & bit]
    common_absent, all_absent = parts[0][1], 0
    for _, absent in parts:
        common_absent &= absent
        all_absent |= absent
    number = sum([n for n, absent in parts if absent == all_absent])
    if number:
        return tuple([(n - (a == all_absent), a) for n, a in holding if a != all_absent or n > 1])
    others: Holding = tuple([part for part in holding if part[1] & bit])
    return _add_part(others, sum([n for n, _ in parts]) - 1, common_absent)


def compute_absent(holding: Holding) -> Cards:
    """Return the cards that all parts of the holding exclude, so that the hand certainly contains none of them."""
    absent = -1
    for _, part in holding:
        absent &= part
    return absent


def sample_from_holdings(pool: Cards, holdings: Sequence[Holding], rng: Random) -> list[Cards]:
    """Sample hands from the cards of ``pool`` that fit the holdings.

    The holdings together must have as many cards as ``pool``. Raises ``ValueError`` if no distribution fits.
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


def _add_part(holding: Holding, number: int, absent: Cards) -> Holding:
    """Return the holding with ``number`` more cards that are none of ``absent``; equal exclusions are merged."""
    for i, (n, known) in enumerate(holding):
        if known == absent:
            return (*holding[:i], (n + number, absent), *holding[i + 1 :])
    return (*holding, (number, absent))
