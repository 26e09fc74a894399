"""The cursor on the table: in one's own hand and in the decision box, as keys move it."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from cardtable.engine.cards import BIT, RANK, Card, Cards
from cardtable.engine.contract import Action
from cardtable.ui.sight import Sight

JOIN_SECONDS: Final = 1.0
"""A second digit within this time joins the first."""
DIGIT_RANKS: Final = {digit: rank for rank, digit in enumerate("234567890")}
"""The ranks that digits stand for where they do not bid."""


class Cursor:
    """Moves in a sight; what is chosen goes to ``act``, and ``show`` tells that the picture has changed."""

    def __init__(self, sight: Sight, act: Callable[[Action], None], show: Callable[[], None]) -> None:
        self._sight, self._act, self._show = sight, act, show
        self._digits: tuple[str, float] = ("", 0.0)

    def move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid."""
        sight = self._sight
        if sight.in_box and sight.decision:
            beside = sight.decision.beside(sight.option, step)
            if beside is not None:
                sight.option = beside
            elif step > 0 and sight.hand.able:
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
        self._sight.reason = self._why_not()
        self._show()

    def roll(self, steps: int) -> None:
        """The wheel: as ``walk``, but not round the ends of the hand."""
        hand = self._sight.hand
        place = hand.choices.index(hand.at) if hand.at in hand.choices else 0
        self.walk(max(-place, min(steps, len(hand.choices) - 1 - place)))

    def end(self, step: int) -> None:
        """To the first or last card that may be played."""
        self._sight.hand.end(step)
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
        """In the box to the option of a number, else to a rank."""
        sight = self._sight
        if not (sight.in_box and self._type_digit(digit)) and digit in DIGIT_RANKS:
            self.rank(DIGIT_RANKS[digit])
        else:
            self._show()

    def _type_digit(self, digit: str) -> bool:
        """Go to the option of a number; whether there is one."""
        sight, (typed, since), now = self._sight, self._digits, monotonic()
        assert sight.decision is not None
        joined = typed + digit if now - since < JOIN_SECONDS else digit
        for number in (joined, digit):
            found = sight.decision.numbered(number, sight.option)
            if found is not None:
                sight.option, self._digits = found, (number, now)
                return True
        return False

    def rank(self, rank: int) -> None:
        """Go to a card of a rank; where none may be played, say why."""
        sight = self._sight
        if sight.hand.jump(rank):
            sight.in_box, sight.reason = False, ""
        elif held := [card for card in sight.hand.cards if RANK[card] == rank]:
            sight.reason = sight.game.why_not(sight.view, BIT[held[0]])
        self._show()

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
                sight.reason = option.note
                self._show()
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

    def say_why_not(self) -> None:
        """Why the cards that are pointed at cannot be played."""
        if why := self._why_not():
            self._sight.reason = why
            self._show()

    def _why_not(self) -> str:
        """The same in words; empty where they can be."""
        sight, hand = self._sight, self._sight.hand
        if not sight.waiting or hand.at is None or hand.actions():
            return ""
        return sight.game.why_not(sight.view, hand.chosen or BIT[hand.at])

    def refuse(self, cards: Cards) -> None:
        """Say why these cards cannot be played."""
        self._sight.reason = self._sight.game.why_not(self._sight.view, cards)
        self._show()

    def moved(self) -> None:
        """Show where the cursor is now; what was said of the place before is done with."""
        self._sight.reason = ""
        self._show()
