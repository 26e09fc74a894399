"""Pointing at things: the targets of the mouse, and the cursor in one's own hand."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cardtable.engine.cards import BIT, COPY, RANK, Card, Cards
from cardtable.engine.choosing import pointable, ready
from cardtable.engine.contract import Action

MAT: Final = "mat"
"""The mouse's target in the middle of the table."""


class PointCard(msgspec.Struct, frozen=True):
    """The mouse's target: a card of the own hand."""

    card: Card


class GoTo(msgspec.Struct, frozen=True):
    """The mouse's target: the end of a hand that is longer than the screen; a click brings this card in sight."""

    card: Card


class PointOption(msgspec.Struct, frozen=True):
    """The mouse's target: an option of the decision box, by its number."""

    index: int


class PointAction(msgspec.Struct, frozen=True):
    """The mouse's target: what stands for an action on the mat."""

    action: Action


class Pointed(msgspec.Struct, frozen=True):
    """What is pointed at, for pieces that explain it."""

    action: Action | None = None
    """That of the option under the cursor of the decision box."""
    in_box: bool = False
    """Whether keys move in the box."""
    at: Card | None = None
    """The card of the hand under the cursor."""
    chosen: Cards = 0
    """The cards of the hand that are chosen to go together."""


NOWHERE: Final = Pointed()


def choice(card: Card) -> Card:
    """The card that stands for this one among choices: of two identical ones the first copy."""
    return Card(card % COPY)


class HandCursor(msgspec.Struct):
    """The own hand in its order, the card under the cursor, the cards chosen to go together."""

    cards: list[Card] = msgspec.field(default_factory=list)
    legal: Sequence[Action] = ()
    at: Card | None = None
    chosen: Cards = 0

    def renew(self, cards: list[Card], legal: Sequence[Action]) -> None:
        """A new hand or new choices; the cursor stays where it can, and nothing is chosen."""
        self.cards, self.legal, self.chosen = cards, legal, 0
        able = self.able
        if not able:
            self.at = None
        elif self.at is None or not able & BIT[self.at]:
            self.at = next((c for c in self.cards if able & BIT[c]), None)

    @property
    def able(self) -> Cards:
        """The cards that may be pointed at now."""
        return pointable(self.legal, self.chosen) | self.chosen

    @property
    def several(self) -> bool:
        """Whether cards can be chosen to go together."""
        return any(uses & (uses - 1) for uses in [action.uses() for action in self.legal])

    def may(self, card: Card) -> bool:
        """Whether the card may be pointed at now."""
        return bool(self.able & BIT[choice(card)])

    def toggle(self) -> bool:
        """Choose the card under the cursor, or no longer; whether that could be."""
        if self.at is None or not self.may(self.at):
            return False
        self.chosen ^= BIT[self.at]
        return True

    @property
    def choices(self) -> list[Card]:
        """The cards of the hand, two identical ones once."""
        return [c for c in self.cards if c == choice(c)]

    def move(self, step: int, *, every: bool = False) -> None:
        """Go to the next card that may be chosen (``every``: to the next card), round the ends."""
        able = [c for c in self.choices if every or self.may(c)]
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
        able = [c for c in self.choices if self.may(c)]
        if able:
            self.at = able[0 if step < 0 else -1]

    def jump(self, rank: int) -> bool:
        """Go to the next card of a rank that may be chosen; again: the next suit.  Whether there is one."""
        able = [c for c in self.choices if RANK[c] == rank and self.may(c)]
        if able:
            self.at = able[(able.index(self.at) + 1) % len(able)] if self.at in able else able[0]
        return bool(able)

    def actions(self) -> list[Action]:
        """What Enter would do: the actions of the cards chosen, else of that under the cursor, else those without."""
        return ready(self.legal, self.chosen or (BIT[self.at] if self.at is not None else 0))
