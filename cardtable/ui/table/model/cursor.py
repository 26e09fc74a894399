"""The cursor on the table: in one's own hand and in the decision box, as keys move it."""

from collections.abc import Callable, Sequence
from typing import Final

from cardtable.engine.cards import BIT, RANK, Card, Cards
from cardtable.engine.contract import Action
from cardtable.ui.keys.quick_digits import QuickDigits
from cardtable.ui.kit.deciding import Decision
from cardtable.ui.table.model.sight import Sight

DIGIT_RANKS: Final = {digit: rank for rank, digit in enumerate("234567890")}
"""The ranks that digits stand for where they do not bid."""


class Cursor:
    """Moves in a sight; what is chosen goes to ``act``, and ``show`` tells that the picture has changed."""

    def __init__(self, sight: Sight, act: Callable[[Action], None], show: Callable[[], None]) -> None:
        self._sight, self._act, self._show = sight, act, show
        self._typed, self._quick = "", QuickDigits()

    def move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid."""
        sight = self._sight
        if sight.in_box and sight.decision:
            beside = sight.decision.beside(sight.option, step)
            if beside is not None:
                sight.option = beside
            elif step > 0 and sight.piece.right_confirms:
                self.commit()
                return
            elif sight.hand.able and (step > 0) != sight.piece.right_confirms:
                sight.in_box = False
        else:
            sight.hand.move(step)
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
        sight = self._sight
        if sight.in_box and sight.decision:
            sight.option = 0 if step < 0 else len(sight.decision.options) - 1
        else:
            sight.hand.end(step)
        self.moved()

    def climb(self, step: int) -> None:
        """Up and down: in the decision box, or what the game has for them."""
        sight = self._sight
        if sight.in_box and sight.decision and not self._takes_shortcut(step):
            sight.option = sight.decision.below(sight.option, step)
            self.moved()
        elif sight.waiting:
            action = sight.piece.shortcut(sight.view, sight.hand.cards, step)
            if action is not None:
                self._act(action)
            elif step > 0 and sight.piece.draws:
                self.refuse(0)

    def _takes_shortcut(self, step: int) -> bool:
        """Whether Up or Down in the box is what the game has for it: with one option, or one shown at a time."""
        sight = self._sight
        assert sight.decision is not None
        alone = len(sight.decision.options) == 1 or sight.decision.group_of(sight.option)[0].spun
        return alone and (sight.piece.draws or sight.piece.shortcut(sight.view, sight.hand.cards, step) is not None)

    def switch(self) -> None:
        """From the decision box to the cards and back."""
        sight = self._sight
        if sight.waiting and sight.decision and sight.hand.able:
            sight.in_box = not sight.in_box
            if sight.in_box and sight.hand.at is not None:
                bit = BIT[sight.hand.at]
                about = [i for i, action in enumerate(sight.boxed) if action is not None and action.uses() == bit]
                sight.option = about[0] if about else sight.option
            self.moved()

    def digit(self, digit: str) -> None:
        """In the box to the option of a number, which may be forbidden; else to a rank."""
        sight, decision = self._sight, self._sight.decision
        if not (sight.in_box and decision):
            self._rank_of(digit)
            return
        number = self._type_digit(decision, digit)
        if number and decision.actions[sight.option]:
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
        sight = self._sight
        if sight.hand.jump(rank):
            sight.in_box = False
            self.moved()
        elif held := [card for card in sight.hand.cards if RANK[card] == rank]:
            self.refuse(BIT[held[0]])

    def choose(self) -> None:
        """Space: choose the card to go with others, where cards go together; else what Enter does."""
        sight = self._sight
        if not sight.waiting or sight.in_box or not sight.hand.several:
            self.commit()
        elif sight.hand.toggle():
            self.moved()
        else:
            self.say_why_not()

    def clear(self) -> None:
        """Choose no cards any more."""
        self._sight.hand.chosen = 0
        self.moved()

    def commit(self) -> None:
        """Play the card or the cards, or say what the box has under the cursor."""
        sight = self._sight
        if not sight.waiting:
            return
        if sight.in_box and sight.decision:
            option = sight.decision.options[sight.option]
            if option.action is None:
                self.say(option.note)
            elif option.asks and not sight.asking:
                self.say(option.asks, asking=True)
            else:
                self._act(option.action)
            return
        action = sight.commits
        if action is None and len(sight.view.legal) == 1 and sight.hand.at is None:
            action = sight.view.legal[0]
        if action is not None:
            self._act(action)
        else:
            self.say_why_not()

    def only_box(self, wanted: Sequence[Card]) -> bool:
        """Whether no card may be played before something is said in the box; then the first one wanted tells why."""
        sight = self._sight
        if not (sight.waiting and sight.decision and wanted) or sight.hand.able:
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
        sight, hand = self._sight, self._sight.hand
        if not sight.waiting or hand.at is None or hand.actions():
            return ""
        return sight.game.why_not(sight.view, hand.chosen or BIT[hand.at])

    def refuse(self, cards: Cards) -> None:
        """Say why these cards cannot be played."""
        self.say(self._sight.game.why_not(self._sight.view, cards))

    def moved(self, words: str = "") -> None:
        """Show where the person has put the cursor, and say these words instead of what was said before."""
        self._sight.aimed = True
        self.say(words)
