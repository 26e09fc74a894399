"""Fast enumeration of the sensible layouts of a Rummy hand, and of near-melds.

A near-meld is a three-card meld that lacks just one card.
"""

from collections.abc import Iterator
from functools import cache, lru_cache, reduce
from itertools import islice, product
from operator import or_
from typing import Final, NamedTuple

from cardtable.engine.cards import ACE, BIT, COPY_OFFSET, OF_RANK, OF_SUIT, Card, Cards
from cardtable.games.rummy.policy import lay_sequences
from cardtable.games.rummy.rules.legal_turns import OpenEnds, get_suit_ends
from cardtable.games.rummy.rules.melds import GROUPS_IN, HIGH_ACE, LOW_ACE, MASK, THREE_CARD_MELDS, sum_points

MAX_LAYOUTS: Final = 64
"""Largest number of layouts considered for a hand; large hands have thousands."""
_RANK_BITS: Final = (1 << 13) - 1
PARTNER_PAIRS: Final = tuple(
    [tuple([three ^ BIT[c] for three in THREE_CARD_MELDS if three & BIT[c]]) for c in range(COPY_OFFSET)]
)
"""For each card, the pairs of cards that form a three-card meld with it."""
PARTNERS: Final = tuple([reduce(or_, pairs) for pairs in PARTNER_PAIRS])
"""For each card, all cards that are in a three-card meld with it."""


class HandLayout(NamedTuple):
    """Layout of a hand in a rollout, with the points laid only, so that it can be cached by hand and table."""

    points: int
    """Points of the melds and lay-offs."""
    rest: Cards
    """Cards that remain in the hand."""
    melds: tuple[Cards, ...]
    """New melds, each as a set of cards."""
    sequence_cards: Cards
    """Cards to lay off on sequences."""
    fourths: Cards
    """Cards that complete groups of three on the table."""


@cache
def completes_meld(card: Card, around: Cards) -> bool:
    """Return True if ``card`` forms a three-card meld with cards of ``around``.

    To make the cache effective, callers pass only cards of ``PARTNERS[card]``.
    """
    return any(not others & ~around for others in PARTNER_PAIRS[card])


@cache
def count_near_melds(card: Card, rest: Cards, free: Cards) -> int:
    """Return the number of three-card melds that ``card`` and one card of ``rest`` form with a third card of ``free``.

    To make the cache effective, callers restrict both sets to ``PARTNERS[card]``.
    """
    number = 0
    for others in PARTNER_PAIRS[card]:
        missing = others & ~rest
        if missing & free and not missing & (missing - 1):
            number += 1
    return number


class _BestSequences(NamedTuple):
    """Sequences of one suit that score the most points."""

    points: int
    cards: Cards
    """All cards that are melded or laid off."""
    melds: tuple[Cards, ...]
    sequence_cards: Cards
    """Cards to lay off on sequences."""


@lru_cache(maxsize=65536)
def _find_best_sequences(suit: int, part: Cards, above: int, below: int) -> tuple[_BestSequences, Cards]:
    """Return the best sequences of a suit, with the ace low or high, and all cards that can be part of a sequence.

    ``above`` and ``below`` have a bit for each place that extends a sequence on the table.
    """
    ranks = part >> 13 * suit
    others = (ranks & ~(1 << ACE)) << 1
    best, linked = _BestSequences(-1, 0, (), 0), 0
    for ace in (LOW_ACE, HIGH_ACE) if ranks >> ACE else (LOW_ACE,):
        points, melds, longer = lay_sequences(suit, others | (ranks >> ACE) << ace, above, below)
        cards = longer | sum(melds)
        linked |= cards
        if points > best.points:
            best = _BestSequences(points, cards, melds, longer)
    return best, linked


@lru_cache(maxsize=16384)
def list_layouts(hand: Cards, end: OpenEnds) -> tuple[HandLayout, ...]:
    """Return the sensible layouts of a hand, at most ``MAX_LAYOUTS``; there is always at least one."""
    places = [get_suit_ends(end, suit) for suit in range(4)]
    whole = [_find_best_sequences(suit, hand & OF_SUIT[suit], *places[suit]) for suit in range(4)]
    linked = 0
    for _, cards in whole:
        linked |= cards
    layouts = []
    for groups in islice(product(*_iter_group_choices(hand, end.fourth, linked)), MAX_LAYOUTS):
        taken = longer = 0
        for group in groups:
            taken |= group
        melds = tuple([group for group in groups if group and not group & end.fourth])
        laid, points = taken, sum_points(taken)
        for suit, part in enumerate(OF_SUIT):
            best, _ = _find_best_sequences(suit, hand & part & ~taken, *places[suit]) if taken & part else whole[suit]
            more, cards, sequences, additions = best
            points += more
            laid |= cards
            melds += sequences
            longer |= additions
        layouts.append(HandLayout(points, hand & ~laid, melds, longer, taken & end.fourth))
    return tuple(layouts)


def _iter_group_choices(hand: Cards, fourth: Cards, linked: Cards) -> Iterator[tuple[Cards, ...]]:
    """Yield, for each rank, the groups that can be laid, and 0 (no group) if one of its cards is in ``linked``.

    ``linked`` holds the cards that can be part of a sequence. Groups leave out only such cards.
    """
    c, d, h, s = hand & _RANK_BITS, hand >> 13 & _RANK_BITS, hand >> 26 & _RANK_BITS, hand >> 39
    some = hand & fourth
    ranks = c & d & (h | s) | h & s & (c | d) | (some | some >> 13 | some >> 26 | some >> 39) & _RANK_BITS
    while ranks:
        low = ranks & -ranks
        ranks ^= low
        same_rank = hand & OF_RANK[low.bit_length() - 1]
        alone = same_rank & ~linked
        groups = (same_rank,) if same_rank & fourth else tuple([MASK[group] for group in GROUPS_IN[same_rank]])
        yield groups[-1:] if alone == same_rank else (*[group for group in groups if not alone & ~group], 0)


def find_loose_cards(hand: Cards, end: OpenEnds) -> Cards:
    """Return the cards that remain after the layout with the most points."""
    return max(list_layouts(hand, end)).rest
