"""The cursor on the table: in one's own hand and in the decision box, as keys move it."""

from collections.abc import Callable, Sequence
from typing import Final

from cardtable.engine.cards import BIT, RANK, Card, Cards
from cardtable.engine.contract import Action
from cardtable.ui.keys.quick_digits import QuickDigits
from cardtable.ui.kit.deciding import Decision
from cardtable.ui.table.model.frame import Frame

DIGIT_RANKS: Final = {digit: rank for rank, digit in enumerate("234567890")}
"""The ranks that digits stand for where they do not bid."""


class Cursor:
    """Moves in a frame; what is chosen goes to ``act``, and ``show`` tells that the picture has changed."""

    def __init__(self, frame: Frame, act: Callable[[Action], None], show: Callable[[], None]) -> None:
        self._sight, self._act, self._show = frame, act, show
        self._typed, self._quick = "", QuickDigits()

    def move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid."""
        frame = self._sight
        if frame.in_box and frame.decision:
            beside = frame.decision.beside(frame.option, step)
            if beside is not None:
                frame.option = beside
            elif step > 0 and frame.piece.right_confirms:
                self.commit()
                return
            elif frame.hand.able and (step > 0) != frame.piece.right_confirms:
                frame.in_box = False
        else:
            frame.hand.move(step)
        self.moved()

    def walk(self, step: int) -> None:
        """Among all cards of the hand."""
        if self.only_box(self._sight.hand.cards):
            return
        self._sight.in_box = False
        self._sight.hand.move(step, every=True)
        self.moved(self._why_not())

    def roll(self, steps: int) -> None:
        """The wheel: as ``walk``, but not round the ends of the hand."""
        hand = self._sight.hand
        place = hand.choices.index(hand.at) if hand.at in hand.choices else 0
        self.walk(max(-place, min(steps, len(hand.choices) - 1 - place)))

    def end(self, step: int) -> None:
        """To the first or last option of the box, or card that may be played."""
        frame = self._sight
        if frame.in_box and frame.decision:
            frame.option = 0 if step < 0 else len(frame.decision.options) - 1
        else:
            frame.hand.end(step)
        self.moved()

    def climb(self, step: int) -> None:
        """Up and down: in the decision box, or what the game has for them."""
        frame = self._sight
        if frame.in_box and frame.decision and not self._takes_shortcut(step):
            frame.option = frame.decision.below(frame.option, step)
            self.moved()
        elif frame.waiting:
            action = frame.piece.shortcut(frame.view, frame.hand.cards, step)
            if action is not None:
                self._act(action)
            elif step > 0 and frame.piece.draws:
                self.refuse(0)

    def _takes_shortcut(self, step: int) -> bool:
        """Whether Up or Down in the box is what the game has for it: with one option, or one shown at a time."""
        frame = self._sight
        assert frame.decision is not None
        alone = len(frame.decision.options) == 1 or frame.decision.group_of(frame.option)[0].spun
        return alone and (frame.piece.draws or frame.piece.shortcut(frame.view, frame.hand.cards, step) is not None)

    def switch(self) -> None:
        """From the decision box to the cards and back."""
        frame = self._sight
        if frame.waiting and frame.decision and frame.hand.able:
            frame.in_box = not frame.in_box
            if frame.in_box and frame.hand.at is not None:
                bit = BIT[frame.hand.at]
                about = [i for i, action in enumerate(frame.boxed) if action is not None and action.uses() == bit]
                frame.option = about[0] if about else frame.option
            self.moved()

    def digit(self, digit: str) -> None:
        """In the box to the option of a number, which may be forbidden; else to a rank."""
        frame, decision = self._sight, self._sight.decision
        if not (frame.in_box and decision):
            self._rank_of(digit)
            return
        number = self._type_digit(decision, digit)
        if number and decision.actions[frame.option]:
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
            found = decision.numbered(self._typed, self._sight.option)
            if found is not None:
                self._sight.option = found
                return self._typed
        return ""

    def rank(self, rank: int) -> None:
        """Go to a card of a rank; where none may be played, say why."""
        frame = self._sight
        if frame.hand.jump(rank):
            frame.in_box = False
            self.moved()
        elif held := [card for card in frame.hand.cards if RANK[card] == rank]:
            self.refuse(BIT[held[0]])

    def choose(self) -> None:
        """Space: choose the card to go with others, where cards go together; else what Enter does."""
        frame = self._sight
        if not frame.waiting or frame.in_box or not frame.hand.several:
            self.commit()
        elif frame.hand.toggle():
            self.moved()
        else:
            self.say_why_not()

    def clear(self) -> None:
        """Choose no cards any more."""
        self._sight.hand.chosen = 0
        self.moved()

    def commit(self) -> None:
        """Play the card or the cards, or say what the box has under the cursor."""
        frame = self._sight
        if not frame.waiting:
            return
        if frame.in_box and frame.decision:
            option = frame.decision.options[frame.option]
            if option.action is None:
                self.say(option.note)
            elif option.asks and not frame.asking:
                self.say(option.asks, asking=True)
            else:
                self._act(option.action)
            return
        action = frame.commits
        if action is None and len(frame.view.legal) == 1 and frame.hand.at is None:
            action = frame.view.legal[0]
        if action is not None:
            self._act(action)
        else:
            self.say_why_not()

    def only_box(self, wanted: Sequence[Card]) -> bool:
        """Whether no card may be played before something is said in the box; then the first one wanted tells why."""
        frame = self._sight
        if not (frame.waiting and frame.decision and wanted) or frame.hand.able:
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
        self._sight.reason, self._sight.asking = words, asking
        self._show()

    def _why_not(self) -> str:
        """The same in words; empty where they can be."""
        frame, hand = self._sight, self._sight.hand
        if not frame.waiting or hand.at is None or hand.actions():
            return ""
        return frame.game.why_not(frame.view, hand.chosen or BIT[hand.at])

    def refuse(self, cards: Cards) -> None:
        """Say why these cards cannot be played."""
        self.say(self._sight.game.why_not(self._sight.view, cards))

    def moved(self, words: str = "") -> None:
        """Show where the person has put the cursor, and say these words instead of what was said before."""
        self._sight.aimed = True
        self.say(words)
