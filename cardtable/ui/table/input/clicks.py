"""Clicks at the table: one points, a second one plays."""

from collections.abc import Callable, Hashable

from cardtable.engine.cards import BIT
from cardtable.engine.contract import Action
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.kit.pointing import MAT, GoTo, PointAction, PointCard, PointOption
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.frame import Frame


class Clicks:
    """Moves the cursor to what is clicked."""

    def __init__(self, look: Callable[[], Frame], cursor: Cursor, act: Callable[[Action], None]) -> None:
        self._look, self._cursor, self._act = look, cursor, act

    def click(self, target: Hashable | None, times: int) -> None:
        """A click on a target of the canvas, the ``times``-th in quick succession."""
        frame = self._look()
        if isinstance(target, PointOption):
            self._option(target.index)
        elif isinstance(target, PointAction):
            self._action(target.action)
        elif isinstance(target, PointCard):
            self._card(target, times)
        elif isinstance(target, GoTo):
            self._cursor.go_to_card(target.card)
            self._cursor.moved()
        elif target == MAT and frame.waiting and frame.hand.chosen:
            self._cursor.commit()

    def scrolls(self, canvas: Canvas) -> bool:
        """Return True if the hand is longer than the screen, so that the wheel walks along it."""
        return any(isinstance(spot.target, GoTo) for spot in canvas.spots)

    def wheel(self, steps: int) -> None:
        """Walk along the hand."""
        self._cursor.roll(steps)

    def confirm(self) -> None:
        """The right button: say what the box has under its cursor, where the game's players know it."""
        frame = self._look()
        if frame.waiting and frame.decision and frame.piece.right_confirms:
            self._cursor.go_to_option(frame.option)
            self._cursor.commit()

    def _option(self, index: int) -> None:
        frame = self._look()
        assert frame.decision is not None
        there, again = frame.in_box and frame.option == index, frame.aimed
        self._cursor.go_to_option(index)
        self._once_or_twice(there, again, frame.decision.commit * (frame.decision.actions[index] is not None))

    def _action(self, action: Action) -> None:
        """What lies on the mat stands for an option of the box, or else is done at once."""
        frame = self._look()
        if action not in frame.view.legal:
            self._cursor.refuse(action.uses())
        elif not frame.waiting:
            return
        elif action in frame.boxed:
            self._option(frame.boxed.index(action))
        else:
            self._act(action)

    def _card(self, target: PointCard, times: int) -> None:
        frame, cursor = self._look(), self._cursor
        if not frame.waiting or cursor.only_box([target.card]):
            return
        if target.card not in frame.hand.cards:
            cursor.refuse(BIT[target.card])
            return
        if frame.hand.several and (times == 1 or frame.hand.chosen & ~BIT[target.card]):
            cursor.go_to_card(target.card)
            cursor.choose()
            return
        there, again = not frame.in_box and frame.hand.at == target.card, frame.aimed
        cursor.go_to_card(target.card)
        self._once_or_twice(there, again, "play it" * frame.hand.may(target.card))

    def _once_or_twice(self, there: bool, aimed: bool, does: str) -> None:
        """A click selects; where the person has put the cursor before, it does what stands there.

        ``does``: what that is, in words; empty where it is forbidden.
        """
        cursor = self._cursor
        cursor.moved()
        if there and aimed:
            cursor.commit()
        elif not does:
            cursor.say_why_not()
        elif there:
            cursor.say(f"Click again to {does}")
