"""Legal actions of a turn in Rummy: all actions after which the turn can still be completed.

A turn can be completed if some melds and lay-offs (possibly none) use the mandatory card and leave a hand that is empty
or contains a card that may be discarded.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import ACE, BIT, COPY_OFFSET, OF_RANK, OF_SUIT, RANK, SUIT, Card, Cards, iter_cards, mask_of
from cardtable.engine.game import Action
from cardtable.games.rummy.rules.actions import ADD, DROP, MAX_SINGLE_TAKES, MELD, STOCK, TAKE
from cardtable.games.rummy.rules.melds import (
    BIT_ABOVE,
    BIT_BELOW,
    CARD_POINTS,
    COMBINATION_OF,
    EXTENSIONS,
    FOURTH_CARD,
    GROUPS_IN,
    HIGH_ACE,
    LAY_OFF_CARDS,
    LOW_ACE,
    LOW_ACE_DISCOUNT,
    MASK,
    MIN_MELD_CARDS,
    RUNS_IN,
    SPAN,
    SUIT_SIZE,
    Combination,
    get_card_at,
    sum_points,
)

Table: TypeAlias = tuple[Combination, ...]
"""Combinations on the table, in the order in which they were laid."""

_CLUBS, _DIAMONDS, _HEARTS, _SPADES = OF_SUIT
_RANK_BITS: Final = (1 << 13) - 1
_SUIT_BITS: Final = (1 << SUIT_SIZE) - 1


class OpenEnds(NamedTuple):
    """Places and cards with which the combinations on a table can be extended."""

    above: int
    """Indices directly above a sequence, as bits ``SUIT_SIZE * suit + index``."""
    below: int
    """Indices directly below a sequence, as bits ``SUIT_SIZE * suit + index``."""
    fourth: Cards
    """Cards that complete a group of three."""


def find_table_cards(table: Table) -> Cards:
    return sum([MASK[combination] for combination in table])


def find_open_ends(table: Table) -> OpenEnds:
    above = below = fourth = 0
    for combination in table:
        above |= BIT_ABOVE[combination]
        below |= BIT_BELOW[combination]
        fourth |= FOURTH_CARD[combination]
    return OpenEnds(above, below, fourth)


def get_suit_ends(end: OpenEnds, suit: int) -> tuple[int, int]:
    """Return the indices directly above and directly below the sequences of one suit, one bit for each index."""
    return end.above >> SUIT_SIZE * suit & _SUIT_BITS, end.below >> SUIT_SIZE * suit & _SUIT_BITS


def _list_indices(card: Card) -> tuple[int, ...]:
    """Return the indices of a card in its suit: two for an ace, else one."""
    return (LOW_ACE, HIGH_ACE) if RANK[card] == ACE else (RANK[card] + 1,)


def _list_smallest_melds(card: Card) -> tuple[Cards, ...]:
    """Return all three-card melds that contain ``card``."""
    lows = [low for low in range(SUIT_SIZE - 2) if any(low <= p <= low + 2 for p in _list_indices(card))]
    groups = [mask_of(group) for group in combinations(iter_cards(OF_RANK[RANK[card]]), 3) if card in group]
    return (*[SPAN[SUIT[card]][low][low + 2] for low in lows], *groups)


_CARD_INDICES: Final = tuple([_list_indices(Card(c)) for c in range(COPY_OFFSET)])
_SMALLEST_MELDS: Final = tuple([_list_smallest_melds(Card(c)) for c in range(COPY_OFFSET)])


def iter_ways_to_lay(card: Card, end: OpenEnds) -> Iterator[Cards]:
    """Yield the minimal sets of cards with which ``card`` can be melded or laid off.

    Every other set of cards with which this is possible contains one of these sets.
    """
    yield from _SMALLEST_MELDS[card]
    if BIT[card] & end.fourth:
        yield BIT[card]
    suit = SUIT[card]
    above, below = get_suit_ends(end, suit)
    for index in _CARD_INDICES[card]:
        under = above & (2 << index) - 1
        if under:
            yield SPAN[suit][under.bit_length() - 1][index]
        over = below >> index
        if over:
            yield SPAN[suit][index][index + (over & -over).bit_length() - 1]


def can_complete(hand: Cards, end: OpenEnds, must: Card | None, barred: Cards) -> bool:
    """Return True if a turn can still be completed after the draw.

    ``must`` is the card that has to be melded or laid off, if any, and ``barred`` the set of cards that may not be
    discarded.
    """
    if must is None:
        return not hand or bool(hand & ~barred) or can_lay_all(hand, end)
    usable = False
    for cards in iter_ways_to_lay(must, end):
        if not cards & ~hand:
            if not barred or hand & ~barred & ~cards:
                return True
            usable = True
    return usable and can_lay_all(hand, end)


@lru_cache(maxsize=4096)
def can_lay_all(hand: Cards, end: OpenEnds) -> bool:
    """Return True if every card of ``hand`` can be melded or laid off; found by exhaustive search."""
    fewest: list[Cards] | None = None
    for suit in range(4):
        for ranks in _find_group_ranks(hand >> 13 * suit & _RANK_BITS, *get_suit_ends(end, suit)):
            groups = [group for rank in ranks for group in _list_group_parts(Card(13 * suit + rank), hand, end.fourth)]
            if fewest is None or len(groups) < len(fewest):
                fewest = groups
    return fewest is None or any(can_lay_all(hand & ~group, end) for group in fewest)


def _list_group_parts(card: Card, hand: Cards, fourth: Cards) -> list[Cards]:
    """Return the sets of cards of ``hand`` that can be laid in a group with ``card``.

    If ``card`` completes a group of three on the table, it is the only set.
    """
    if BIT[card] & fourth:
        return [BIT[card]]
    same_rank = hand & OF_RANK[RANK[card]]
    return [MASK[group] for group in GROUPS_IN.get(same_rank, ()) if MASK[group] & BIT[card]]


@lru_cache(maxsize=65536)
def _find_group_ranks(part: int, above: int, below: int) -> tuple[tuple[int, ...], ...]:
    """Return sets of ranks of one suit; one card of each set must be laid in a group if all cards are to be laid.

    ``part`` has a bit for each rank in the hand, ``above`` and ``below`` one for each index that extends a sequence. A
    set of two ranks arises from the ace, which may be low or high.
    """
    others = (part & _RANK_BITS >> 1) << 1
    if not part >> ACE:
        return tuple([(index - 1,) for index in _find_stray_indices(others, above, below)])
    low = _find_stray_indices(others | 1 << LOW_ACE, above, below)
    high = _find_stray_indices(others | 1 << HIGH_ACE, above, below)
    return ((RANK[get_card_at(0, low[0])], RANK[get_card_at(0, high[0])]),) if low and high else ()


def _find_stray_indices(indices: int, above: int, below: int) -> list[int]:
    """Return the lowest index of each run that is too short to meld and extends no sequence on the table."""
    return [
        low
        for low, high in split_into_runs(indices)
        if high - low + 1 < MIN_MELD_CARDS and not above >> low & 1 and not below >> high & 1
    ]


def split_into_runs(indices: int) -> list[tuple[int, int]]:
    """Split a set of indices into runs of adjacent indices, each given by its lowest and highest index."""
    runs = []
    while indices:
        low = (indices & -indices).bit_length() - 1
        high = (indices + (1 << low) & ~indices).bit_length() - 2
        runs.append((low, high))
        indices &= -1 << high + 1
    return runs


@lru_cache(maxsize=256)
def list_draws(
    hand: Cards, table: Table, pile: tuple[Card, ...], single_takes: int, *, must_keep: bool
) -> tuple[Action, ...]:
    """Return the legal draws.

    ``single_takes`` is the number of consecutive turns that have begun with ``take 1``. ``must_keep`` is True if cards
    taken from the face-up pile may not be discarded in the same turn.
    """
    draws: list[Action] = [STOCK]
    if pile and single_takes < MAX_SINGLE_TAKES:
        draws.append(TAKE[1])
    end, taken = find_open_ends(table), BIT[pile[-1]] if pile else 0
    for number in range(2, len(pile) + 1):
        deepest = pile[-number]
        taken |= BIT[deepest]
        if can_complete(hand | taken, end, deepest, taken if must_keep else 0):
            draws.append(TAKE[number])
    return tuple(draws)


@lru_cache(maxsize=256)
def list_actions_after_draw(hand: Cards, table: Table, must: Card | None, barred: Cards) -> tuple[Action, ...]:
    """Return the legal actions after the draw: melds, lay-offs and discards.

    Discards are legal only once the mandatory card ``must`` has been used. Cards of ``barred`` may not be discarded.
    """
    melds = find_melds(hand)
    adds = [
        (c, i)
        for i, one in enumerate(table)
        if hand & LAY_OFF_CARDS[one]
        for c in iter_cards(hand & LAY_OFF_CARDS[one])
    ]
    if must is not None or barred & hand:
        melds = [meld for meld in melds if _can_complete_after(hand, MASK[meld], (*table, meld), must, barred)]
        adds = [(c, i) for c, i in adds if _can_complete_after(hand, BIT[c], lay_off(table, c, i), must, barred)]
    actions: list[Action] = [MELD[meld] for meld in melds]
    actions += [ADD[i + 1][c] for c, i in adds]
    if must is None:
        actions += [DROP[c] for c in iter_cards(hand & ~barred)]
    return tuple(actions)


def _can_complete_after(hand: Cards, laid: Cards, table: Table, must: Card | None, barred: Cards) -> bool:
    """Return True if the turn can be completed after ``laid`` has been laid.

    ``hand`` is the hand before, and ``table`` the table afterwards.
    """
    rest = hand & ~laid
    if must is not None and BIT[must] & laid:
        must = None
    return (must is None and rest & ~barred != 0) or can_complete(rest, find_open_ends(table), must, barred)


def lay_off(table: Table, card: Card, index: int) -> Table:
    """Return a table on which ``card`` has been laid off on the combination at ``index``, counted from 0."""
    return (*table[:index], EXTENSIONS[table[index]][card], *table[index + 1 :])


def find_melds(hand: Cards) -> list[Combination]:
    """Return all combinations that ``hand`` contains: sequences by suit, then groups by rank."""
    melds = [
        *RUNS_IN[hand & _CLUBS],
        *RUNS_IN[hand & _DIAMONDS],
        *RUNS_IN[hand & _HEARTS],
        *RUNS_IN[hand & _SPADES],
    ]
    c, d, h, s = hand & _RANK_BITS, hand >> 13 & _RANK_BITS, hand >> 26 & _RANK_BITS, hand >> 39
    ranks = c & d & (h | s) | h & s & (c | d)
    while ranks:
        low = ranks & -ranks
        melds += GROUPS_IN[hand & OF_RANK[low.bit_length() - 1]]
        ranks ^= low
    return melds


_Ends: TypeAlias = tuple[tuple[int, ...], Cards]
"""Length, up to ``MIN_MELD_CARDS``, of the sequence of each suit that ends at an index, and the low aces."""


class _PartialLayout(NamedTuple):
    """Groups chosen so far, and the points of these and of the sequences, in the search of ``find_best_melds``."""

    points: int = 0
    groups: tuple[Cards, ...] = ()


_CARDS_AT: Final = tuple([mask_of([get_card_at(suit, index) for suit in range(4)]) for index in range(SUIT_SIZE)])
_POINTS_AT: Final = tuple(
    [CARD_POINTS[get_card_at(0, index)] - (LOW_ACE_DISCOUNT if index == LOW_ACE else 0) for index in range(SUIT_SIZE)]
)


@lru_cache(maxsize=256)
def find_best_melds(hand: Cards) -> tuple[Combination, ...]:
    """Return the combinations that score the most points of those that can be laid together from ``hand``.

    Sequences come first, then groups. Dynamic programming over the indices, from the low ace to
    the high one, with the lengths of the sequences that end there and the low aces as its state: a card that is in no
    group continues the sequence of its suit, so that only groups and low aces are chosen.
    """
    if not find_melds(hand):
        return ()
    layouts: dict[_Ends, _PartialLayout] = {((0, 0, 0, 0), 0): _PartialLayout()}
    for index in range(SUIT_SIZE):
        further: dict[_Ends, _PartialLayout] = {}
        for (lengths, low_aces), layout in layouts.items():
            for group, in_sequence in _iter_choices_at(hand & _CARDS_AT[index], index, low_aces):
                longer = tuple(
                    [
                        min(length + 1, MIN_MELD_CARDS) if in_sequence & BIT[get_card_at(suit, index)] else 0
                        for suit, length in enumerate(lengths)
                    ]
                )
                points = layout.points + sum_points(group)
                for length, new in zip(lengths, longer, strict=True):
                    if new == MIN_MELD_CARDS:
                        points += sum(_POINTS_AT[index if length == new else index + 1 - new : index + 1])
                state = longer, in_sequence if index == LOW_ACE else low_aces
                if state not in further or points > further[state].points:
                    further[state] = _PartialLayout(points, (*layout.groups, group) if group else layout.groups)
        layouts = further
    (_, low_aces), best = max(layouts.items(), key=lambda item: item[1].points)
    rest = hand & ~sum(best.groups)
    sequences = [
        COMBINATION_OF[tuple([get_card_at(suit, index) for index in range(low, high + 1)])]
        for suit in range(4)
        for low, high in split_into_runs(_find_indices(rest, suit, low_aces))
        if high - low + 1 >= MIN_MELD_CARDS
    ]
    return (*sequences, *[COMBINATION_OF[tuple(iter_cards(group))] for group in best.groups])


def _iter_choices_at(cards: Cards, index: int, low_aces: Cards) -> Iterator[tuple[Cards, Cards]]:
    """Yield each group, or 0, that the cards held at an index can form, and the cards that are left for sequences.

    At the low ace there is no group, but each ace can be left for the high one.
    """
    if index == LOW_ACE:
        low = cards
        while True:
            yield 0, low
            if not low:
                return
            low = low - 1 & cards
    free = cards & ~low_aces if index == HIGH_ACE else cards
    yield 0, free
    for group in GROUPS_IN.get(free, ()):
        yield MASK[group], free & ~MASK[group]


def _find_indices(hand: Cards, suit: int, low_aces: Cards) -> int:
    """Return the indices of a suit, one bit for each, at which ``hand`` has a card."""
    ranks = hand >> 13 * suit & _RANK_BITS
    is_low = low_aces >> 13 * suit & 1 << ACE
    return (ranks & _RANK_BITS >> 1) << 1 | (ranks >> ACE) << (LOW_ACE if is_low else HIGH_ACE)
