"""Outcomes of chance, which all games share, and their texts in the journal."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, COPY_OFFSET, NAME, PACK_52, SUITS, Card, Cards, card, iter_cards, names
from cardtable.engine.game import Chance, Seat


class Deal(Chance, frozen=True):
    """Deal: the complete pack in the order in which it is dealt."""

    order: tuple[Card, ...]

    def __str__(self) -> str:
        return f"deal {names(self.order)}"


class Shuffle(Chance, frozen=True):
    """Reshuffle within a round: the new face-down pile, the top card first."""

    order: tuple[Card, ...]

    def __str__(self) -> str:
        return f"shuffle {names(self.order)}"


class FirstSeatDraw(Chance, frozen=True):
    """Draw of the seat that starts the session."""

    seat: Seat

    def __str__(self) -> str:
        return f"first {self.seat}"


class Trump(Chance, frozen=True):
    """Draw of the trump suit of the round."""

    suit: int

    def __str__(self) -> str:
        return f"trump {SUITS[self.suit]}"


class FirstCard(Chance, frozen=True):
    """Draw of the card that the starting seat plays first."""

    card: Card

    def __str__(self) -> str:
        return f"first-card {NAME[self.card]}"


def _parse_order(text: str) -> tuple[Card, ...]:
    return _assign_copies(map(card, text.split(" ")))


def _assign_copies(order: Iterable[Card]) -> tuple[Card, ...]:
    """Tell the copies of identical cards apart.

    The first occurrence becomes the first copy, the next one the second.
    """
    order = tuple(order)
    if len(set(order)) == len(order) and max(order, default=Card(0)) < COPY_OFFSET:
        return order
    seen, cards = 0, []
    for either_copy in order:
        first_copy = Card(either_copy % COPY_OFFSET)
        is_second = seen & BIT[first_copy]
        seen |= BIT[first_copy]
        cards.append(Card(first_copy + COPY_OFFSET) if is_second else first_copy)
    return tuple(cards)


_PARSERS: Final[dict[str, Callable[[str], Chance]]] = {
    "deal": lambda text: Deal(_parse_order(text)),
    "shuffle": lambda text: Shuffle(_parse_order(text)),
    "first": lambda text: FirstSeatDraw(int(text)),
    "trump": lambda text: Trump(SUITS.index(text)),
    "first-card": lambda text: FirstCard(card(text)),
}


def read(text: str) -> Chance:
    """Parse the journal text of an outcome of chance, such as ``trump H``. Raises ``ValueError`` for any other text."""
    kind, _, rest = text.partition(" ")
    if kind in _PARSERS:
        with suppress(ValueError):
            outcome = _PARSERS[kind](rest)
            if str(outcome) == text:
                return outcome
    raise ValueError(f"{text[:40]!r} is not an outcome of chance")


def shuffled(pack: Cards, rng: Random) -> tuple[Card, ...]:
    """Return the cards of ``pack`` in random order. Of two identical cards the first copy always comes first."""
    draw = rng.random
    order = sorted(iter_cards(pack), key=lambda _: draw())
    return _assign_copies(order) if pack > PACK_52 else tuple(order)


def is_permutation_of(order: tuple[Card, ...], pack: Cards) -> bool:
    """Return True if ``order`` contains each card of ``pack`` exactly once."""
    return sorted(order) == iter_cards(pack)
