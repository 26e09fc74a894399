"""Pointing at a card of one's own hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cardtable.engine.cards import BIT, RANK, Card, Cards
from cardtable.engine.choosing import pointable, ready
from cardtable.engine.contract import Action


@dataclass(slots=True)
class HandCursor:
    """The own hand in its order, and the card under the cursor."""

    cards: list[Card] = field(default_factory=list)
    legal: Sequence[Action] = ()
    at: Card | None = None

    def renew(self, cards: list[Card], legal: Sequence[Action]) -> None:
        """A new hand or new choices; the cursor stays where it can."""
        self.cards, self.legal = cards, legal
        able = self.able
        if not able:
            self.at = None
        elif self.at is None or not able & BIT[self.at]:
            self.at = next((c for c in self.cards if able & BIT[c]), None)

    @property
    def able(self) -> Cards:
        """The cards that may be pointed at now."""
        return pointable(self.legal)

    def may(self, card: Card) -> bool:
        """Whether the card may be pointed at now."""
        return bool(self.able & BIT[card])

    def move(self, step: int, *, every: bool = False) -> None:
        """Go to the next card that may be chosen (``every``: to the next card), round the ends."""
        able = [c for c in self.cards if every or self.may(c)]
        if not able:
            return
        if self.at in able:
            self.at = able[(able.index(self.at) + step) % len(able)]
            return
        place = self.cards.index(self.at) if self.at in self.cards else -1 if step > 0 else len(self.cards)
        later = [c for c in able if (self.cards.index(c) - place) * step > 0]
        self.at = (later or able)[0 if step > 0 else -1]

    def end(self, step: int) -> None:
        """Go to the first (-1) or last (1) card that may be chosen."""
        able = [c for c in self.cards if self.may(c)]
        if able:
            self.at = able[0 if step < 0 else -1]

    def jump(self, rank: int) -> bool:
        """Go to the next card of a rank that may be chosen; again: the next suit.  Whether there is one."""
        able = [c for c in self.cards if RANK[c] == rank and self.may(c)]
        if able:
            self.at = able[(able.index(self.at) + 1) % len(able)] if self.at in able else able[0]
        return bool(able)

    def actions(self) -> list[Action]:
        """What Enter would do: the actions of the card under the cursor, or those without cards."""
        return ready(self.legal, BIT[self.at] if self.at is not None else 0)
