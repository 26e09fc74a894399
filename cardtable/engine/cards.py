"""Cards and sets of cards.

A ``Card`` is a small integer, ``suit * 13 + rank``; the second copy of a card in a double
pack lies 52 higher and has the same text.  ``Cards`` is a set of them, one bit a card.  Both
are plain ints at run time, so that search is cheap.
"""

from collections.abc import Callable, Iterable
from typing import Final, Generic, NewType, TypeAlias, TypeVar

Card = NewType("Card", int)
Cards: TypeAlias = int
T = TypeVar("T")

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = range(4, 13)
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

SUIT_WORDS: Final = ("club", "diamond", "heart", "spade")
"""The suits in words, one card of them."""
RANK_WORDS: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
"""The ranks in words."""

COPY: Final = 52
"""How much higher the second copy of a card lies."""
CARDS: Final = tuple(Card(c) for c in range(2 * COPY))
RANK: Final = tuple(c % 13 for c in range(2 * COPY))
"""The rank of each card: 0 for a two, 12 for an ace."""
SUIT: Final = tuple(c % COPY // 13 for c in range(2 * COPY))
NAME: Final = tuple(RANKS[RANK[c]] + SUITS[SUIT[c]] for c in range(2 * COPY))
RANK_TOLD: Final = tuple(NAME[c][0].replace("T", "10") for c in range(2 * COPY))
"""The rank of each card as people read it."""
BIT: Final = tuple(1 << c for c in range(2 * COPY))
OF_SUIT: Final = tuple(0x1FFF << 13 * suit for suit in range(4))
"""The cards of each suit of a single pack."""
OF_RANK: Final = tuple(sum(BIT[13 * suit + rank] for suit in range(4)) for rank in range(13))
"""The cards of each rank of a single pack."""
PACK_52: Final = (1 << 52) - 1
PACK_36: Final = sum(OF_RANK[SIX:])
PACK_32: Final = sum(OF_RANK[SEVEN:])
TWO_PACKS_32: Final = PACK_32 | PACK_32 << COPY

_CLUBS, _DIAMONDS, _HEARTS, _SPADES = OF_SUIT

_CARD: Final = {NAME[c]: Card(c) for c in range(COPY)}


def card(text: str) -> Card:
    """The card of a text such as ``QS`` (of two copies, the first).  Raises ``ValueError``."""
    try:
        return _CARD[text]
    except KeyError:
        raise ValueError(f"{text!r} is not a card") from None


def cards(text: str) -> Cards:
    """The set of cards of a text such as ``QS AH 2C``."""
    return mask_of(map(card, text.split()))


def mask_of(members: Iterable[Card]) -> Cards:
    """The set of the given cards."""
    mask = 0
    for c in members:
        mask |= BIT[c]
    return mask


class CardLookup(dict[Cards, tuple[T, ...]], Generic[T]):
    """What stands for each card of a set of a single pack.

    Search asks often, so the answers are remembered for each part of a suit, which has only
    8192.  A set of cards of one suit may be looked up by subscript.
    """

    def __init__(self, make: Callable[[Card], T]) -> None:
        self._make = make

    def __missing__(self, part: Cards) -> tuple[T, ...]:
        found = []
        left = part
        while left:
            low = left & -left
            found.append(self._make(CARDS[low.bit_length() - 1]))
            left ^= low
        self[part] = made = tuple(found)
        return made

    def of(self, mask: Cards) -> tuple[T, ...]:
        """The things of ``mask``, those of the lowest card first."""
        return self[mask & _CLUBS] + self[mask & _DIAMONDS] + self[mask & _HEARTS] + self[mask & _SPADES]


_each: Final = CardLookup(lambda c: c).of


def iter_cards(mask: Cards) -> list[Card]:
    """The members of a set, lowest first."""
    if mask > PACK_52:
        return [*_each(mask & PACK_52), *[Card(c + COPY) for c in _each(mask >> COPY)]]
    return list(_each(mask))


def lowest(mask: Cards) -> Card:
    """The lowest member of a set that is not empty."""
    return CARDS[(mask & -mask).bit_length() - 1]


def highest(mask: Cards) -> Card:
    """The highest member of a set that is not empty."""
    return CARDS[mask.bit_length() - 1]


def names(members: Iterable[Card]) -> str:
    """The texts of cards in the order given, separated by spaces."""
    return " ".join([NAME[c] for c in members])


def normalize(cards: Cards) -> Cards:
    """The set in which a second copy without its first stands as the first."""
    alone = cards >> COPY & ~cards
    return cards ^ (alone | alone << COPY)


def union(piles: Iterable[Cards]) -> Cards:
    """The plain set of the cards in all plain ``piles``.  Asserts that no card is there three times."""
    held = 0
    for pile in piles:
        assert not (held >> COPY & pile | pile >> COPY & held), "a card is there three times"
        held |= pile | (held & pile & PACK_52) << COPY
    return held
