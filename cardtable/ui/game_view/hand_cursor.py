"""Pointing at things: the targets of the mouse, and the cursor in one's own hand."""

from collections.abc import Iterable, Sequence
from typing import Final, Self

import msgspec
from msgspec.structs import replace

from cardtable.engine.cards import BIT, COPY, RANK, Card, Cards
from cardtable.engine.game import Action

MAT: Final = "mat"
"""The mouse's target in the middle of the table."""


class PointCard(msgspec.Struct, frozen=True):
    """The mouse's target: a card of the own hand."""

    card: Card


class ScrollToCard(msgspec.Struct, frozen=True):
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


def pointable(legal: Sequence[Action], chosen: Cards = 0) -> Cards:
    """The cards that may be added to those ``chosen`` on the way to some action."""
    reach = 0
    for action in legal:
        if action.cards_used() & chosen == chosen:
            reach |= action.cards_used()
    return reach & ~chosen


def ready(legal: Sequence[Action], chosen: Cards) -> list[Action]:
    """The actions that use exactly the cards ``chosen``."""
    return [action for action in legal if action.cards_used() == chosen]


def choice(card: Card) -> Card:
    """The card that stands for this one among choices: of two identical ones the first copy."""
    return Card(card % COPY)


class HandCursor(msgspec.Struct, frozen=True):
    """The own hand in its order, the card under the cursor, the cards chosen to go together."""

    cards: tuple[Card, ...] = ()
    legal: Sequence[Action] = ()
    at: Card | None = None
    chosen: Cards = 0

    def renewed(self, cards: Iterable[Card], legal: Sequence[Action]) -> Self:
        """A new hand or new choices; the cursor stays where it can, and nothing is chosen."""
        new = replace(self, cards=tuple(cards), legal=legal, chosen=0)
        able = new.able
        if able and (self.at is None or not able & BIT[self.at]):
            return new.on(next((c for c in new.cards if able & BIT[c]), None))
        return new if able else new.on(None)

    def on(self, card: Card | None) -> Self:
        """The cursor on a card."""
        return replace(self, at=card)

    @property
    def able(self) -> Cards:
        """The cards that may be pointed at now."""
        return pointable(self.legal, self.chosen) | self.chosen

    @property
    def several(self) -> bool:
        """Whether cards can be chosen to go together."""
        return any(uses & (uses - 1) for uses in [action.cards_used() for action in self.legal])

    def may(self, card: Card) -> bool:
        """Whether the card may be pointed at now."""
        return bool(self.able & BIT[choice(card)])

    def toggled(self) -> Self | None:
        """The card under the cursor chosen, or no longer; ``None`` where it cannot be."""
        if self.at is None or not self.may(self.at):
            return None
        return replace(self, chosen=self.chosen ^ BIT[self.at])

    @property
    def choices(self) -> list[Card]:
        """The cards of the hand, two identical ones once."""
        return [c for c in self.cards if c == choice(c)]

    def moved(self, step: int, *, every: bool = False) -> Self:
        """On the next card that may be chosen (``every``: on the next card), round the ends."""
        able = [c for c in self.choices if every or self.may(c)]
        if not able:
            return self
        if self.at in able:
            return self.on(able[(able.index(self.at) + step) % len(able)])
        place = self.cards.index(self.at) if self.at in self.cards else -1 if step > 0 else len(self.cards)
        later = [c for c in able if (self.cards.index(c) - place) * step > 0]
        return self.on((later or able)[0 if step > 0 else -1])

    def ended(self, step: int) -> Self:
        """On the first (-1) or last (1) card that may be chosen."""
        able = [c for c in self.choices if self.may(c)]
        return self.on(able[0 if step < 0 else -1]) if able else self

    def jumped(self, rank: int) -> Self | None:
        """On the next card of a rank that may be chosen; again: on the next suit.  ``None`` where there is none."""
        able = [c for c in self.choices if RANK[c] == rank and self.may(c)]
        return self.on(able[(able.index(self.at) + 1) % len(able) if self.at in able else 0]) if able else None

    def actions(self) -> list[Action]:
        """What Enter would do: the actions of the cards chosen, else of that under the cursor, else those without."""
        return ready(self.legal, self.chosen or (BIT[self.at] if self.at is not None else 0))
