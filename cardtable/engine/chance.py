"""The outcomes of chance, the same in every game, and their texts."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random
from typing import Final

from cardtable.engine.cards import BIT, COPY, NAME, PACK_52, SUITS, Card, Cards, card, iter_cards, names
from cardtable.engine.game import Chance, Seat


class Deal(Chance, frozen=True):
    """The whole pack in the order in which it is dealt."""

    order: tuple[Card, ...]

    def __str__(self) -> str:
        return f"deal {names(self.order)}"


class Shuffle(Chance, frozen=True):
    """The new face-down pile after a reshuffle, the first card on top."""

    order: tuple[Card, ...]

    def __str__(self) -> str:
        return f"shuffle {names(self.order)}"


class FirstSeatDraw(Chance, frozen=True):
    """The seat that starts the session."""

    seat: Seat

    def __str__(self) -> str:
        return f"first {self.seat}"


class Trump(Chance, frozen=True):
    """The trump suit of the round, where it is drawn by lot."""

    suit: int

    def __str__(self) -> str:
        return f"trump {SUITS[self.suit]}"


class FirstCard(Chance, frozen=True):
    """The starter's first card, where it is drawn by lot."""

    card: Card

    def __str__(self) -> str:
        return f"first-card {NAME[self.card]}"


def _order(text: str) -> tuple[Card, ...]:
    return _told_apart(map(card, text.split(" ")))


def _told_apart(order: Iterable[Card]) -> tuple[Card, ...]:
    """Of two copies, whose texts are the same, the one that comes first is taken for the first."""
    order = tuple(order)
    if len(set(order)) == len(order) and max(order, default=Card(0)) < COPY:
        return order
    seen, cards = 0, []
    for which in order:
        one = Card(which % COPY)
        again = seen & BIT[one]
        seen |= BIT[one]
        cards.append(Card(one + COPY) if again else one)
    return tuple(cards)


_READERS: Final[dict[str, Callable[[str], Chance]]] = {
    "deal": lambda text: Deal(_order(text)),
    "shuffle": lambda text: Shuffle(_order(text)),
    "first": lambda text: FirstSeatDraw(int(text)),
    "trump": lambda text: Trump(SUITS.index(text)),
    "first-card": lambda text: FirstCard(card(text)),
}


def read(text: str) -> Chance:
    """The outcome of a text such as ``trump H``.  Raises ``ValueError`` for any other text."""
    kind, _, rest = text.partition(" ")
    if kind in _READERS:
        with suppress(ValueError):
            outcome = _READERS[kind](rest)
            if str(outcome) == text:
                return outcome
    raise ValueError(f"{text[:40]!r} is not an outcome of chance")


def shuffled(pack: Cards, rng: Random) -> tuple[Card, ...]:
    """The cards of ``pack`` in random order; of two copies the first one comes first."""
    draw = rng.random
    order = sorted(iter_cards(pack), key=lambda _: draw())
    return _told_apart(order) if pack > PACK_52 else tuple(order)


def orders(order: tuple[Card, ...], pack: Cards) -> bool:
    """Whether ``order`` holds each card of ``pack`` exactly once."""
    return sorted(order) == iter_cards(pack)
