"""Tables of all combinations of Rummy: their cards, points and extensions.

There are 373 combinations: sequences of 3 to 13 successive cards of a suit, with the ace low or high, and groups of
three or four cards of a rank. Like a card, a ``Combination`` is a small integer, an index into the tables of this
module, to make search cheap.
"""

from itertools import combinations
from typing import Annotated, Final, NewType, TypeAlias

from cardtable.engine.annotations import AsCards
from cardtable.engine.cards import BIT, CARDS, COPY_OFFSET, OF_RANK, RANK, Card, Cards, iter_cards, mask_of

Combination = NewType("Combination", int)

MIN_MELD_CARDS: Final = 3
MAX_SEQUENCE_CARDS: Final = 13
"""Number of cards in the longest sequence, which has an ace at one end only."""
LOW_ACE: Final = 0
HIGH_ACE: Final = 13
SUIT_SIZE: Final = 14
"""Number of indices in a suit: of the low ace, of 2 to king, and of the high ace."""

CARD_POINTS: Final[tuple[int, ...]] = tuple([(*range(2, 10), 10, 10, 10, 10, 15)[RANK[c]] for c in range(COPY_OFFSET)])
"""Points of each card; an ace that is low in a sequence scores ``LOW_ACE_DISCOUNT`` points less."""
LOW_ACE_DISCOUNT: Final = 14
"""Points by which a high ace exceeds a low one."""


def sum_points(hand: Cards) -> int:
    """Return the sum of the points of cards, with aces high."""
    return sum([CARD_POINTS[c] for c in iter_cards(hand)])


def get_card_at(suit: int, index: int) -> Card:
    """Return the card at an index of a suit: 0 and 13 are the ace, 1 to 12 are 2 to king."""
    return CARDS[13 * suit + (index - 1) % 13]


SPAN: Final = tuple(
    tuple(
        tuple(mask_of(get_card_at(suit, p) for p in range(low, high + 1)) for high in range(SUIT_SIZE))
        for low in range(SUIT_SIZE)
    )
    for suit in range(4)
)
"""Cards of a suit from one index to another: ``SPAN[suit][low][high]``, both ends included."""

_RUNS: Final = [
    (suit, low, high)
    for suit in range(4)
    for low in range(SUIT_SIZE)
    for high in range(low + MIN_MELD_CARDS - 1, min(low + MAX_SEQUENCE_CARDS, SUIT_SIZE))
]
_GROUPS: Final = [group for rank in range(13) for n in (3, 4) for group in combinations(iter_cards(OF_RANK[rank]), n)]
_RUN_NUMBERS: Final = {run: Combination(number) for number, run in enumerate(_RUNS)}
_GROUP_NUMBERS: Final = {mask_of(group): Combination(len(_RUNS) + number) for number, group in enumerate(_GROUPS)}

COMBINATIONS: Final = tuple(Combination(number) for number in range(len(_RUNS) + len(_GROUPS)))
ORDERED_CARDS: Final = (
    *[tuple([get_card_at(suit, index) for index in range(low, high + 1)]) for suit, low, high in _RUNS],
    *_GROUPS,
)
"""Cards of each combination in order: a sequence from low to high, a group by suit."""
COMBINATION_OF: Final = dict(zip(ORDERED_CARDS, COMBINATIONS, strict=True))
"""Combination of cards in order, by these cards."""
MeldedCards: TypeAlias = Annotated[Combination, AsCards(ORDERED_CARDS.__getitem__, COMBINATIONS)]
"""Combination as a field of an action or a view."""
MASK: Final = tuple(map(mask_of, ORDERED_CARDS))
THREE_CARD_MELDS: Final = tuple([cards for cards in MASK if cards.bit_count() == MIN_MELD_CARDS])
"""Cards of each combination of three cards."""
COMBINATION_POINTS: Final = (
    *[
        sum([CARD_POINTS[get_card_at(suit, p)] for p in range(low, high + 1)])
        - (LOW_ACE_DISCOUNT if low == LOW_ACE else 0)
        for suit, low, high in _RUNS
    ],
    *[sum([CARD_POINTS[c] for c in group]) for group in _GROUPS],
)
"""Points of each combination."""


def _extend_run(run: tuple[int, int, int]) -> dict[Card, Combination]:
    suit, low, high = run
    longer = [(index, (suit, min(low, index), max(high, index))) for index in (low - 1, high + 1)]
    return {get_card_at(suit, index): _RUN_NUMBERS[more] for index, more in longer if more in _RUN_NUMBERS}


def _extend_group(group: tuple[Card, ...]) -> dict[Card, Combination]:
    missing = OF_RANK[RANK[group[0]]] & ~mask_of(group)
    return {c: _GROUP_NUMBERS[mask_of(group) | BIT[c]] for c in iter_cards(missing)}


EXTENSIONS: Final = (*map(_extend_run, _RUNS), *map(_extend_group, _GROUPS))
"""For each combination, the combination that results from laying off a card, by that card.

An ace laid off on a sequence from 2 to king is high.
"""
LAY_OFF_CARDS: Final = tuple(mask_of(grown) for grown in EXTENSIONS)
"""Cards that can be laid off on each combination."""

BIT_ABOVE: Final = (
    *[1 << SUIT_SIZE * suit + high + 1 if high < HIGH_ACE else 0 for suit, low, high in _RUNS],
    *[0] * len(_GROUPS),
)
"""Index directly above each sequence, as the bit ``SUIT_SIZE * suit + index``; 0 for groups and at the high ace."""
BIT_BELOW: Final = (*[1 << SUIT_SIZE * suit + low - 1 if low else 0 for suit, low, high in _RUNS], *[0] * len(_GROUPS))
"""Index directly below each sequence, as the bit ``SUIT_SIZE * suit + index``; 0 for groups and at the low ace."""
FOURTH_CARD: Final = (*[0] * len(_RUNS), *LAY_OFF_CARDS[len(_RUNS) :])
"""Card missing from each group of three; 0 for other combinations."""


class _RunCache(dict[Cards, tuple[Combination, ...]]):
    """Cache of the sequences that can be formed from a set of cards of one suit."""

    def __missing__(self, part: Cards) -> tuple[Combination, ...]:
        runs = [_RUN_NUMBERS[run] for run in _RUNS if not MASK[_RUN_NUMBERS[run]] & ~part]
        self[part] = sequences = tuple(runs)
        return sequences


RUNS_IN: Final = _RunCache()
"""Sequences that can be formed from a set of cards of one suit, by that set."""
GROUPS_IN: Final = {
    mask_of(group): tuple([_GROUP_NUMBERS[mask_of(g)] for g in _GROUPS if not mask_of(g) & ~mask_of(group)])
    for group in _GROUPS
}
"""Groups that can be formed from three or four cards of a rank, by the set of these cards."""
