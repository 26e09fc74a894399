"""Cursor in the player's hand and among the cards on the table, and the mouse targets of the table screen."""

from collections.abc import Iterable, Sequence
from typing import Final, Self

import msgspec
from msgspec.structs import replace

from cardtable.engine.cards import BIT, COPY_OFFSET, RANK, Card, Cards
from cardtable.engine.game import Action, AnyGame, View
from cardtable.ui.game_view.decision import Decision

MAT: Final = "mat"
"""Mouse target of the mat, in the middle of the table."""


class PointCard(msgspec.Struct, frozen=True):
    """Mouse target of a card in the player's hand or on the table."""

    card: Card


class ScrollToCard(msgspec.Struct, frozen=True):
    """Mouse target at an end of a hand that is longer than the screen; a click scrolls to ``card``."""

    card: Card


class PointOption(msgspec.Struct, frozen=True):
    """Mouse target of an option of the decision box, by its index."""

    index: int


class PointKind(msgspec.Struct, frozen=True):
    """Mouse target of a kind of actions in the bar above the hand."""

    kind: str


class HintRow(msgspec.Struct, frozen=True):
    """Mouse target of a choice in a hint, by its index."""

    index: int


class PointAction(msgspec.Struct, frozen=True):
    """Mouse target of an area of the mat; a click on it chooses an action, such as drawing from the stock."""

    action: Action


class CursorState(msgspec.Struct, frozen=True):
    """Cursors of the player in the hand and in the decision box, for game views that explain the selection."""

    action: Action | None = None
    """Action of the option under the cursor of the decision box; ``None`` if there is none."""
    in_box: bool = False
    """True if the arrow keys move in the decision box instead of the hand."""
    at: Card | None = None
    """Card of the hand, or on the table, under the cursor; ``None`` if there is none."""
    chosen: Cards = 0
    """Cards of the hand and on the table that are selected, to be played together."""
    table: Cards = 0
    """Cards on the table that legal actions use."""
    kind: str = ""
    """Kind of the actions that the bar above the hand points at; "" without a bar."""
    offer: Cards = 0
    """Cards of the hand that Enter marks, because the card under the cursor is used together with them."""


NO_CURSOR: Final = CursorState()
"""State without any cursor and without selected cards."""


def find_selectable_cards(legal: Sequence[Action], chosen: Cards = 0) -> Cards:
    """Return the cards that can be added to ``chosen`` without ruling out every legal action."""
    reach = 0
    for action in legal:
        if action.cards_used() & chosen == chosen:
            reach |= action.cards_used()
    return reach & ~chosen


def find_matching_actions(legal: Sequence[Action], chosen: Cards) -> list[Action]:
    """Return the legal actions that use exactly the cards ``chosen``."""
    return [action for action in legal if action.cards_used() == chosen]


def to_first_copy(card: Card) -> Card:
    """Return the first copy of a card; actions contain only the first of two identical cards."""
    return Card(card % COPY_OFFSET)


def find_table_cards(game: AnyGame, view: View) -> tuple[Card, ...]:
    """Return the cards outside the player's hand that legal actions use, in the order in which the scene shows them."""
    used = find_selectable_cards(view.legal) & ~view.hand
    scene_cards = [card for zone in game.scene(view) for card in zone.cards if card is not None] if used else []
    return tuple([card for card in scene_cards if used & BIT[card]])


class HandCursor(msgspec.Struct, frozen=True):
    """Immutable cursor among the cards of the player's hand and those on the table that legal actions use.

    It has the cards in order, the card under the cursor, and the selected cards.
    """

    cards: tuple[Card, ...] = ()
    legal: Sequence[Action] = ()
    at: Card | None = None
    chosen: Cards = 0
    table: tuple[Card, ...] = ()
    bar: tuple[str, ...] = ()
    """Kinds of actions in the bar above the hand, from left to right; empty in games without one."""
    sets: tuple[Cards, ...] = ()
    """Sets of cards that are preferred in ``offer``."""
    home: Card | None = None
    """Card on which the player has put the cursor, and from which a kind of the bar may have led it away."""
    kind: str = ""
    """Kind that the player has chosen in the bar; "" for the first one that can use the card under the cursor."""
    target: Action | None = None
    """Action pointed at, of several with the same card; ``None`` if kind and cards determine it."""
    armed: bool = True
    """True if Enter acts on the card under the cursor; False until the player has chosen one, in a game with a bar."""
    stepped: bool = False
    """True if Up or Down has chosen the card under the cursor, so that they now choose among its kinds."""

    def with_hand(self, cards: Iterable[Card], legal: Sequence[Action], table: Iterable[Card] = ()) -> Self:
        """Return the cursor for a new hand, new cards on the table or new legal actions, with no card selected.

        It stays on its card if that can be selected, and moves to the first card that can otherwise. If no card can be
        selected, no card is under the cursor. The chosen kind stays while an action of it is left.
        """
        kind = self.kind if self.kind and any(action.kind == self.kind for action in legal) else ""
        new = replace(self, cards=tuple(cards), legal=legal, chosen=0, table=tuple(table), kind=kind, target=None)
        able = new.offered
        reachable = [c for c in (*new.cards, *new.table) if able & BIT[c]]
        if able and self.at not in reachable:
            return new.move_to(next(iter(reachable), None))
        return new if able else new.move_to(None)

    def move_to(self, card: Card | None) -> Self:
        """Return the cursor on ``card``, with no kind chosen; on no card if it is ``None``."""
        return replace(self, at=card, home=card, kind="", target=None, armed=True, stepped=False)

    def _list_kinds(self, cards: Cards) -> list[str]:
        """Return the kinds of the bar whose actions use ``cards``."""
        used = {action.kind for action in self.legal if cards & ~action.cards_used() == 0} if self.bar else ()
        return [kind for kind in self.bar if kind in used]

    def list_kinds_at(self, card: Card) -> list[str]:
        """Return the kinds of the bar whose actions use a card or its identical copy."""
        return self._list_kinds(BIT[to_first_copy(card)])

    @property
    def active_kind(self) -> str:
        """Kind of the bar whose actions Enter performs with the marked cards or the card under the cursor, or ""."""
        if self.target is not None:
            return self.target.kind
        kinds = self._list_kinds(self._pointed) if self._pointed else []
        return self.kind if self.kind in kinds and not self.chosen else next(iter(kinds), "")

    @property
    def _pointed(self) -> Cards:
        """Marked cards, or the card under the cursor if Enter acts on it."""
        return self.chosen or (BIT[self.at] if self.at is not None and self.armed else 0)

    @property
    def offer(self) -> Cards:
        """Cards that Enter marks in a game with a bar, because an action uses them with the card under the cursor."""
        if not self.bar or self.chosen or self.at is None or not self.armed or self.list_actions():
            return 0
        uses = [action.cards_used() for action in self.legal if action.kind == self.active_kind]
        uses = [cards for cards in uses if cards & BIT[self.at]]
        return next((cards for cards in self.sets if cards in uses), max(uses, key=int.bit_count, default=0))

    def choose_kind(self, kind: str) -> Self:
        """Return the cursor with a kind of the bar, on a card that its actions use, if possible where it was before."""
        at = self.home if self.home in self.cards else self.at
        new = replace(self, at=at, kind=kind, chosen=0, target=None, armed=True)
        return new if at is not None and kind in self._list_kinds(BIT[at]) else replace(new.move(1), home=at, kind=kind)

    def step_kind(self, step: int) -> Self:
        """Return the cursor on the next (``step`` 1) or previous (-1) action of the bar that can use its card.

        Without such an action the cursor is unchanged. The first step chooses the card under it, with what it is first
        used for. Marked cards stay marked.
        """
        if not self.stepped or self.chosen:
            return replace(self, armed=True, stepped=True)
        kinds = self.list_kinds_at(self.at) if self.at is not None else []
        index = kinds.index(self.active_kind) + step if self.active_kind in kinds else 0
        return replace(self, kind=kinds[index] if index else "", target=None) if 0 <= index < len(kinds) else self

    @property
    def selectable(self) -> Cards:
        """Cards that can be selected, and those that are selected already."""
        return find_selectable_cards(self.legal, self.chosen) | self.chosen

    @property
    def selects_cards(self) -> bool:
        """True if cards are selected before they are used, since a legal action may use more than one."""
        return any(uses & (uses - 1) for uses in [action.cards_used() for action in self.legal])

    def can_select(self, card: Card) -> bool:
        """Return True if a choice takes the card; two copies of a card are alike."""
        return bool(self.selectable & BIT[to_first_copy(card)])

    @property
    def offered(self) -> Cards:
        """Cards among which Left and Right move: all that can be selected, or those of the kind chosen in the bar."""
        if not self.kind or self.chosen:
            return self.selectable
        return find_selectable_cards([action for action in self.legal if action.kind == self.kind])

    def can_mark(self, card: Card) -> bool:
        """Return True if a card can be marked, to be used with others, or unmarked.

        In games with a bar, an action with several cards must use it.
        """
        cards = self.chosen | BIT[card]
        several = [action.cards_used() for action in self.legal if action.cards_used() != BIT[card]]
        return self.can_select(card) and (not self.bar or any(cards & ~uses == 0 for uses in several))

    def toggle_card(self) -> Self | None:
        """Return the cursor with its card marked, or unmarked; ``None`` if the card cannot be marked."""
        if self.at is None or not self.can_mark(self.at):
            return None
        return replace(self, chosen=self.chosen ^ BIT[self.at], kind="", target=None, armed=True)

    @property
    def is_on_table(self) -> bool:
        return self.at is not None and self.at in self.table

    @property
    def distinct_cards(self) -> list[Card]:
        """Cards among which the cursor moves, in the hand or on the table.

        The second copy of identical cards of the hand is left out.
        """
        return [*self.table] if self.is_on_table else [c for c in self.cards if c == to_first_copy(c)]

    def switch_row(self, step: int) -> Self | None:
        """Return the cursor on a card on the table (-1) or of the hand (1) that can be selected.

        Returns ``None`` if it is there already, or if there is no such card.
        """
        if (step < 0) == self.is_on_table:
            return None
        other = self.table if step < 0 else [c for c in self.cards if c == to_first_copy(c)]
        able = [c for c in other if self.can_select(c)]
        return self.move_to(able[0]) if able else None

    def move(self, step: int, *, any_card: bool = False) -> Self:
        """Return the cursor on the next (1) or previous (-1) selectable card, wrapping around at the ends.

        With ``any_card``, cards that cannot be selected are not skipped. The cursor does not move if there is no such
        card.
        """
        able = [c for c in self.distinct_cards if any_card or self.offered & BIT[c]]
        if not able:
            return self
        if self.at in able:
            return self.move_to(able[(able.index(self.at) + step) % len(able)])
        cards = self.table if self.is_on_table else self.cards
        index = cards.index(self.at) if self.at in cards else -1 if step > 0 else len(cards)
        later = [c for c in able if (cards.index(c) - index) * step > 0]
        return self.move_to((later or able)[0 if step > 0 else -1])

    def move_to_end(self, step: int) -> Self:
        """Return the cursor on the first (-1) or last (1) selectable card; unchanged if no card can be selected."""
        able = [c for c in self.distinct_cards if self.offered & BIT[c]]
        return self.move_to(able[0 if step < 0 else -1]) if able else self

    def move_to_rank(self, rank: int) -> Self | None:
        """Return the cursor on the next selectable card of a rank, cycling through the suits, the hand first.

        Returns ``None`` if no selectable card has this rank.
        """
        everywhere = [*[c for c in self.cards if c == to_first_copy(c)], *self.table]
        able = [c for c in everywhere if RANK[c] == rank and self.can_select(c)]
        return self.move_to(able[(able.index(self.at) + 1) % len(able) if self.at in able else 0]) if able else None

    def list_actions(self) -> list[Action]:
        """Return the actions among which Enter would choose.

        They use exactly the selected cards; if none is selected, the card under the cursor; without a cursor, no card.
        With a bar they are of its active kind.
        """
        if self.target is not None:
            return [self.target]
        kinds = (self.active_kind,) if self.bar and self._pointed else None
        matching = find_matching_actions(self.legal, self._pointed)
        return [action for action in matching if kinds is None or action.kind in kinds]

    def find_action(self, decision: Decision | None) -> Action | None:
        """Return the action that Enter performs in the hand, or ``None``.

        An action that is no option of the decision box takes precedence; ``decision`` is ``None`` if there is no box.
        """
        actions, boxed = self.list_actions(), decision.actions if decision else []
        return next((action for action in actions if action not in boxed), actions[0] if actions else None)
