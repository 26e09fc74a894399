"""Cards and sets of cards.

A ``Card`` is a small integer, ``suit * 13 + rank``. The second copy of a card in a double pack is higher by 52 and has
the same text. ``Cards`` is a set of cards as a bit mask. Both are plain ints at run time, so that search is fast.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Final, Generic, NewType, TypeAlias, TypeVar

from cardtable.engine.annotations import CARD_SET, OneOf

Card = NewType("Card", int)
"""Card as a number from 0 to 103: ``suit * 13 + rank``, and 52 more for the second copy."""
Cards: TypeAlias = Annotated[int, CARD_SET]
"""Set of cards as a bit mask, in which the bit of card ``c`` is ``1 << c``."""
SuitNumber: TypeAlias = Annotated[int, OneOf((0, 1, 2, 3))]
"""Number of a suit: clubs, diamonds, hearts, spades."""
T = TypeVar("T")

RANKS: Final = "23456789TJQKA"
"""Letter of each rank in card notation, from the two to the ace."""
SUITS: Final = "CDHS"
"""Letter of each suit in card notation: clubs, diamonds, hearts, spades."""
SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = range(4, 13)
"""Number of the rank, as in ``RANK``."""
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
"""Number of the suit, as in ``SUIT``."""

SUIT_WORDS: Final = ("club", "diamond", "heart", "spade")
"""Name of each suit, in the singular."""
RANK_WORDS: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
"""Name of each rank."""

COPY_OFFSET: Final = 52
"""Difference between the number of the second copy of a card and the number of the first."""
CARDS: Final = tuple(Card(c) for c in range(2 * COPY_OFFSET))
"""All cards of a double pack in ascending order."""
RANK: Final = tuple(c % 13 for c in range(2 * COPY_OFFSET))
"""Rank of each card, from 0 (two) to 12 (ace)."""
SUIT: Final = tuple(c % COPY_OFFSET // 13 for c in range(2 * COPY_OFFSET))
"""Suit of each card, from 0 (clubs) to 3 (spades)."""
NAME: Final = tuple(RANKS[RANK[c]] + SUITS[SUIT[c]] for c in range(2 * COPY_OFFSET))
"""Each card in notation: rank and suit, such as ``QS``."""
RANK_TEXT: Final = tuple(NAME[c][0].replace("T", "10") for c in range(2 * COPY_OFFSET))
"""Rank of each card as text for players: ``10`` instead of ``T``."""
BIT: Final = tuple(1 << c for c in range(2 * COPY_OFFSET))
"""Set of only this card, for each card."""
OF_SUIT: Final = tuple(0x1FFF << 13 * suit for suit in range(4))
"""Cards of each suit in a single pack."""
OF_RANK: Final = tuple(sum(BIT[13 * suit + rank] for suit in range(4)) for rank in range(13))
"""Cards of each rank in a single pack."""
PACK_52: Final = (1 << 52) - 1
"""The whole pack."""
PACK_36: Final = sum(OF_RANK[SIX:])
"""Pack from the sixes up."""
PACK_32: Final = sum(OF_RANK[SEVEN:])
"""Pack from the sevens up."""
TWO_PACKS_32: Final = PACK_32 | PACK_32 << COPY_OFFSET
"""Two packs from the sevens up."""

_CLUBS, _DIAMONDS, _HEARTS, _SPADES = OF_SUIT

_CARD_BY_NAME: Final = {NAME[c]: Card(c) for c in range(COPY_OFFSET)}


def card(text: str) -> Card:
    """Parse a card such as ``QS``; the result is always the first copy.

    Raises ``ValueError`` if there is no such card.
    """
    try:
        return _CARD_BY_NAME[text]
    except KeyError:
        raise ValueError(f"{text!r} is not a card") from None


def cards(text: str) -> Cards:
    """Parse a set of cards such as ``QS AH 2C``. Raises ``ValueError`` if a word is not a card."""
    return mask_of(map(card, text.split()))


def pack_of(ranks: str, *, suits: str = SUITS, copies: int = 1) -> Cards:
    """Return a pack with the given ranks in each of the given suits, as in ``pack_of("A234567JQK")``.

    ``ranks`` and ``suits`` are letters of card notation. ``copies`` is 1, or 2 for a double pack. Raises ``ValueError``
    if a letter is unknown or occurs twice.
    """
    single = 0
    for rank in ranks:
        for suit in suits:
            bit = BIT[card(rank + suit)]
            if single & bit:
                raise ValueError(f"{rank}{suit} is in the pack twice; copies=2 makes a double pack")
            single |= bit
    if copies not in (1, 2):
        raise ValueError(f"a pack has 1 or 2 copies of each card, not {copies}")
    return single if copies == 1 else single | single << COPY_OFFSET


def mask_of(members: Iterable[Card]) -> Cards:
    """Return the set of the given cards as a bit mask."""
    mask = 0
    for c in members:
        mask |= BIT[c]
    return mask


class CardLookup(dict[Cards, tuple[T, ...]], Generic[T]):
    """Mapping from a set of cards of a single pack to a tuple with one value for each card.

    The results are cached for each subset of a suit, of which there are only 8192 per suit, because search looks up the
    same sets again and again. A set within one suit may be looked up by subscript, any set with ``of``.
    """

    def __init__(self, create_value: Callable[[Card], T]) -> None:
        self._create_value = create_value

    def __missing__(self, part: Cards) -> tuple[T, ...]:
        values = []
        remaining = part
        while remaining:
            low = remaining & -remaining
            values.append(self._create_value(CARDS[low.bit_length() - 1]))
            remaining ^= low
        self[part] = made = tuple(values)
        return made

    def of(self, mask: Cards) -> tuple[T, ...]:
        """Return the values of the cards in ``mask``, in ascending order of the cards."""
        return self[mask & _CLUBS] + self[mask & _DIAMONDS] + self[mask & _HEARTS] + self[mask & _SPADES]


_list_single_pack: Final = CardLookup(lambda c: c).of


def iter_cards(mask: Cards) -> list[Card]:
    """Return the cards of a set in ascending order."""
    if mask > PACK_52:
        return [
            *_list_single_pack(mask & PACK_52),
            *[Card(c + COPY_OFFSET) for c in _list_single_pack(mask >> COPY_OFFSET)],
        ]
    return list(_list_single_pack(mask))


def lowest(mask: Cards) -> Card:
    """Return the lowest card of a set that is not empty."""
    return CARDS[(mask & -mask).bit_length() - 1]


def highest(mask: Cards) -> Card:
    """Return the highest card of a set that is not empty."""
    return CARDS[mask.bit_length() - 1]


def list_subsets_with_sum(members: Cards, value: Callable[[Card], int], total: int) -> tuple[Cards, ...]:
    """Return all sets of cards whose values add up to ``total``, as when cards on the table are captured by a sum.

    ``value`` returns the value of a card, which must be positive. The sets are ordered by their number of cards.
    """
    subsets: list[Cards] = []
    values = [(BIT[c], value(c)) for c in iter_cards(members)]

    def extend(chosen: Cards, start: int, missing: int) -> None:
        if not missing:
            subsets.append(chosen)
            return
        for index in range(start, len(values)):
            bit, worth = values[index]
            if worth <= missing:
                extend(chosen | bit, index + 1, missing - worth)

    if total > 0:
        extend(0, 0, total)
    return tuple(sorted(subsets, key=int.bit_count))


def names(members: Iterable[Card]) -> str:
    """Return the names of cards in the given order, separated by spaces, such as ``QS AH 2C``."""
    return " ".join([NAME[c] for c in members])


def normalize_copies(cards: Cards) -> Cards:
    """Replace each second copy by the first copy, unless the first copy is also in the set."""
    alone = cards >> COPY_OFFSET & ~cards
    return cards ^ (alone | alone << COPY_OFFSET)


def unite_piles(piles: Iterable[Cards]) -> Cards:
    """Return the union of sets of cards of a double pack; a card that is in two sets becomes both copies in the result.

    The sets must be normalized (``normalize_copies``). Raises ``AssertionError`` if a card occurs three times.
    """
    union = 0
    for pile in piles:
        thrice = union >> COPY_OFFSET & pile | pile >> COPY_OFFSET & union
        assert not thrice, (
            f"{names(iter_cards(thrice))} is there three times: a card that moves has to leave its old place"
        )
        union |= pile | (union & pile & PACK_52) << COPY_OFFSET
    return union


def face_down(number: int) -> tuple[None, ...]:
    """Return the cards of a zone with ``number`` face-down cards. Raises ``ValueError`` for more than two packs."""
    if number > len(CARDS):
        raise ValueError(f"{number} cards are in one place")
    return (None,) * number


def all_of(piles: Iterable[Cards]) -> Cards:
    """Return the union of disjoint sets of cards. Raises ``AssertionError`` if two of them have a card in common."""
    together = 0
    for pile in piles:
        twice = together & pile
        assert not twice, f"{names(iter_cards(twice))} is in two places: a card that moves has to leave its old place"
        together |= pile
    return together
