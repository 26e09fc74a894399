"""Order in which the cards of a hand are shown: ``CardOrder`` and the sorting of cards by it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from cardtable.engine.cards import CARDS, RANK, RANKS, SUIT, SUITS, Card


class CardOrder(msgspec.Struct, frozen=True):
    """Order in which the cards of a hand are shown, from left to right: the trumps, then suit by suit.

    Ranks and suits are letters of card notation; those that are left out come last. Raises ``ValueError`` if a letter
    is unknown or occurs twice.
    """

    ranks: str = RANKS[::-1]
    """Ranks within a suit, the highest first."""
    suits: str = SUITS[::-1]
    trumps: tuple[Card, ...] = ()
    """Cards that are shown before all others, the highest first.

    They may be of several suits. The second copy of a card in a double pack need not be listed.
    """

    def __post_init__(self) -> None:
        for name, letters, known in (("ranks", self.ranks, RANKS), ("suits", self.suits, SUITS)):
            if len({*letters}) < len(letters) or not {*letters} <= {*known}:
                raise ValueError(f"the {name} {letters!r} of a card order are not different letters of {known!r}")
        if not {*self.trumps} <= {*CARDS}:
            raise ValueError("the trumps of a card order are not cards")


USUAL_ORDER: Final = CardOrder()
"""Spades, hearts, diamonds and clubs, each suit from the ace down to the two."""


@lru_cache(64)
def _compute_sort_keys(order: CardOrder) -> Mapping[Card, tuple[int, int, int]]:
    """Return for each card of a double pack its index among the trumps, its suit's index and its rank's index.

    A card that is no trump has the index after the last one.
    """
    ranks, suits = order.ranks + RANKS[::-1], order.suits + SUITS[::-1]
    trumps = {(SUIT[card], RANK[card]): position for position, card in reversed([*enumerate(order.trumps)])}
    return {
        card: (
            trumps.get((SUIT[card], RANK[card]), len(order.trumps)),
            suits.index(SUITS[SUIT[card]]),
            ranks.index(RANKS[RANK[card]]),
        )
        for card in CARDS
    }


def is_trump(card: Card, order: CardOrder) -> bool:
    """Return True if the card is one of the trumps of the order."""
    return _compute_sort_keys(order)[card][0] < len(order.trumps)


def number_groups(cards: Iterable[Card], order: CardOrder) -> dict[Card, int]:
    """Return the group of each card in a hand in which suits are apart: its suit, or -1 for a trump."""
    return {card: -1 if is_trump(card, order) else SUIT[card] for card in cards}


def sort_in_order(cards: Iterable[Card], order: CardOrder) -> list[Card]:
    """Return cards in an order, the trumps first.

    Of two identical cards the second copy comes first, so that the first copy is painted over it.
    """
    keys = _compute_sort_keys(order)
    return sorted(cards, key=lambda card: (keys[card], -card))


def sort_ascending(cards: Iterable[Card], order: CardOrder) -> list[Card]:
    """Return cards in the order in which plain text reads them: each suit from low to high, and the trumps last."""
    return sort_in_order(cards, order)[::-1]


def sort_by_suit(cards: Iterable[Card], order: CardOrder) -> list[Card]:
    """Return cards by suit, each suit from the highest rank down, with trumps among the other cards of their suits."""
    keys = _compute_sort_keys(order)
    return sorted(cards, key=lambda card: (keys[card][1:], -card))


def sort_by_rank(cards: Iterable[Card], order: CardOrder) -> list[Card]:
    """Return cards from the lowest rank to the highest; cards of one rank in the order clubs to spades."""
    keys = _compute_sort_keys(order)
    return sorted(cards, key=lambda card: (-keys[card][2], SUIT[card], -card))
