"""The cursor on the table: in one's own hand and in the decision box, as keys and mouse move it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from cardtable.engine.cards import BIT, RANK, Card, Cards, lowest
from cardtable.engine.game import Action
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.hand_cursor import HandCursor
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.toolkit.keys.input_guard import QuickDigits

DIGIT_RANKS: Final = {digit: rank for rank, digit in enumerate("234567890")}
"""The ranks that digits stand for where they do not bid."""


class Cursor:
    """What a person has under her cursor, and what she is told of it; nobody else changes that.

    Reads what is asked for from the frame of the moment; what is chosen goes to ``act``, and
    ``show`` tells that the picture has changed.
    """

    def __init__(
        self, look: Callable[[], TableViewState], act: Callable[[Action], None], show: Callable[[], None]
    ) -> None:
        self._look, self._act, self._show = look, act, show
        self._typed, self._quick = "", QuickDigits()
        self.waiting = False
        self.hand = HandCursor()
        self.decision: Decision | None = None
        self.option = 0
        self.in_box = self.aimed = self.asking = False
        self.reason = ""

    def renew(self, cards: Iterable[Card], legal: Sequence[Action], must: Card | None = None) -> None:
        """The hand and the choices have changed; the cursor stays where it can, or goes to the card that must be used.

        What was said of something else is done with.
        """
        self.hand = self.hand.renewed(cards, legal)
        if must is not None and self.hand.may(must):
            self.hand = self.hand.on(must)
        self.aimed = self.asking = False
        self.reason = ""

    def rearrange(self, cards: Iterable[Card]) -> None:
        """The hand lies in another order; the cursor stays on its card."""
        if self.hand.cards:
            self.hand = replace(self.hand, cards=tuple(cards))

    def ask(self, decision: Decision | None) -> None:
        """The person is to choose, in the box or in her hand."""
        self.waiting, self.decision = True, decision
        self.option = decision.start if decision else 0
        self.in_box = decision is not None and not decision.cards_first

    def asked(self) -> None:
        """The person has chosen."""
        self.waiting, self.decision, self.in_box = False, None, False

    def point_at(self, action: Action) -> None:
        """Go to where Enter does ``action``, without the person."""
        boxed = self._look().boxed
        self.reason, self.in_box, self.aimed = "", action in boxed, False
        if self.in_box:
            self.option = boxed.index(action)
        elif uses := action.cards_used():
            self.hand = replace(self.hand, chosen=uses if uses & (uses - 1) else 0, at=lowest(uses))

    def go_to_card(self, card: Card) -> None:
        """Go to a card of the hand."""
        self.in_box, self.hand = False, self.hand.on(card)

    def go_to_option(self, index: int) -> None:
        """Go to an option of the box."""
        self.in_box, self.option = True, index

    def go_along(self, card: Card) -> None:
        """Go to a card, which goes along with those that are chosen, if any are."""
        self.go_to_card(card)
        if self.hand.chosen:
            self.hand = replace(self.hand, chosen=self.hand.chosen | BIT[card])

    def move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid."""
        piece = self._look().piece
        if self.in_box and self.decision:
            beside = self.decision.beside(self.option, step)
            if beside is not None:
                self.option = beside
            elif step > 0 and piece.right_confirms:
                self.confirm()
                return
            elif self.hand.able and (step > 0) != piece.right_confirms:
                self.in_box = False
        else:
            self.hand = self.hand.moved(step)
        self.moved()

    def move_any(self, step: int) -> None:
        """Among all cards of the hand."""
        if self.only_box(self.hand.cards):
            return
        self.in_box, self.hand = False, self.hand.moved(step, every=True)
        self.moved(self._why_not())

    def scroll(self, steps: int) -> None:
        """The wheel: as ``move_any``, but not round the ends of the hand."""
        hand = self.hand
        place = hand.choices.index(hand.at) if hand.at in hand.choices else 0
        self.move_any(max(-place, min(steps, len(hand.choices) - 1 - place)))

    def end(self, step: int) -> None:
        """To the first or last option of the box, or card that may be played."""
        if self.in_box and self.decision:
            self.option = 0 if step < 0 else len(self.decision.options) - 1
        else:
            self.hand = self.hand.ended(step)
        self.moved()

    def move_vertical(self, step: int) -> None:
        """Up and down: in the decision box, or what the game has for them."""
        frame = self._look()
        action = frame.piece.shortcut(frame.view, self.hand.cards, step)
        draws = frame.piece.draws
        if self.in_box and self.decision and not (self.decision.alone(self.option) and (draws or action)):
            self.option = self.decision.below(self.option, step)
            self.moved()
        elif self.waiting and action is not None:
            self._act(action)
        elif self.waiting and step > 0 and draws:
            self.refuse(0)

    def switch(self) -> None:
        """From the decision box to the cards and back."""
        if self.waiting and self.decision and self.hand.able:
            self.in_box = not self.in_box
            if self.in_box and self.hand.at is not None:
                bit = BIT[self.hand.at]
                actions = enumerate(self.decision.actions)
                about = [i for i, action in actions if action is not None and action.cards_used() == bit]
                self.option = about[0] if about else self.option
            self.moved()

    def digit(self, digit: str) -> None:
        """In the box to the option of a number, which may be forbidden; else to a rank."""
        decision = self.decision
        if not (self.in_box and decision):
            self._rank_of(digit)
            return
        number = self._type_digit(decision, digit)
        if number and decision.actions[self.option]:
            self.moved()
        elif decision.digits_go_to_cards:
            self._rank_of(digit)
        else:
            self.moved(decision.why_not_numbered(number or digit))

    def _rank_of(self, digit: str) -> None:
        if digit in DIGIT_RANKS:
            self.rank(DIGIT_RANKS[digit])

    def _type_digit(self, decision: Decision, digit: str) -> str:
        """Go to the option of a number that the digit ends; which one that is, empty where there is none."""
        joined = self._typed + digit if self._quick.joins() else digit
        for self._typed in (joined, digit):
            found = decision.numbered(self._typed, self.option)
            if found is not None:
                self.option = found
                return self._typed
        return ""

    def rank(self, rank: int) -> None:
        """Go to a card of a rank; where none may be played, say why."""
        if found := self.hand.jumped(rank):
            self.hand, self.in_box = found, False
            self.moved()
        elif held := [card for card in self.hand.cards if RANK[card] == rank]:
            self.refuse(BIT[held[0]])

    def toggle(self) -> None:
        """Space: choose the card to go with others, where cards go together; else what Enter does."""
        if not self.waiting or self.in_box or not self.hand.several:
            self.confirm()
        elif chosen := self.hand.toggled():
            self.hand = chosen
            self.moved()
        else:
            self.say_why_not()

    def clear(self) -> None:
        """Choose no cards any more."""
        self.hand = replace(self.hand, chosen=0)
        self.moved()

    def take(self, action: Action) -> None:
        """Take an action, wherever the cursor is."""
        self._act(action)

    def confirm(self) -> None:
        """Play the card or the cards, or say what the box has under the cursor."""
        if not self.waiting:
            return
        if self.in_box and self.decision:
            option = self.decision.options[self.option]
            if option.action is None:
                self.say(option.note)
            elif option.asks and not self.asking:
                self.say(option.asks, asking=True)
            else:
                self._act(option.action)
            return
        frame = self._look()
        action = frame.commits
        if action is None and len(frame.view.legal) == 1 and self.hand.at is None:
            action = frame.view.legal[0]
        if action is not None:
            self._act(action)
        else:
            self.say_why_not()

    def only_box(self, wanted: Sequence[Card]) -> bool:
        """Whether no card may be played before something is said in the box; then the first one wanted tells why."""
        if not (self.waiting and self.decision and wanted) or self.hand.able:
            return False
        self.refuse(BIT[wanted[0]])
        return True

    def say_why_not(self) -> bool:
        """Say why the cards that are pointed at cannot be played; whether that is so."""
        why = self._why_not()
        if why:
            self.say(why)
        return bool(why)

    def say(self, words: str, *, asking: bool = False) -> None:
        """Say something in the prompt until the cursor moves, or ask before something is done."""
        self.reason, self.asking = words, asking
        self._show()

    def _why_not(self) -> str:
        """The same in words; empty where they can be."""
        frame, hand = self._look(), self.hand
        if not self.waiting or hand.at is None or hand.actions():
            return ""
        return frame.game.why_not(frame.view, hand.chosen or BIT[hand.at])

    def refuse(self, cards: Cards) -> None:
        """Say why these cards cannot be played."""
        frame = self._look()
        self.say(frame.game.why_not(frame.view, cards))

    def moved(self, words: str = "") -> None:
        """Show where the person has put the cursor, and say these words instead of what was said before."""
        self.aimed = True
        self.say(words)
