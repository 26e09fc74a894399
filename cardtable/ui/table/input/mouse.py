"""The mouse on the table: a click points, a second one plays."""

from collections.abc import Callable, Hashable

from cardtable.engine.cards import BIT
from cardtable.engine.contract import Action
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.kit.pointing import MAT, GoTo, PointAction, PointCard, PointOption
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.sight import Sight


class Mouse:
    """Moves the cursor to what is clicked."""

    def __init__(self, sight: Sight, cursor: Cursor, act: Callable[[Action], None]) -> None:
        self._sight, self._cursor, self._act = sight, cursor, act

    def click(self, target: Hashable | None, times: int) -> None:
        """A click on a target of the canvas, the ``times``-th in quick succession."""
        sight = self._sight
        if isinstance(target, PointOption):
            self._option(target.index)
        elif isinstance(target, PointAction):
            self._action(target.action)
        elif isinstance(target, PointCard):
            self._card(target, times)
        elif isinstance(target, GoTo):
            sight.in_box, sight.hand.at = False, target.card
            self._cursor.moved()
        elif target == MAT and sight.waiting and sight.hand.chosen:
            self._cursor.commit()

    def wheel(self, canvas: Canvas, steps: int) -> None:
        """Walk along a hand that is longer than the screen."""
        if any(isinstance(spot.target, GoTo) for spot in canvas.spots):
            self._cursor.roll(steps)

    def confirm(self) -> None:
        """The right button: say what the box has under its cursor, where the game's players know it."""
        sight = self._sight
        if sight.waiting and sight.decision and sight.piece.right_confirms:
            sight.in_box = True
            self._cursor.commit()

    def _option(self, index: int) -> None:
        sight = self._sight
        assert sight.decision is not None
        there, again = sight.in_box and sight.option == index, sight.aimed
        sight.in_box, sight.option = True, index
        self._once_or_twice(there, again, sight.decision.commit * (sight.decision.actions[index] is not None))

    def _action(self, action: Action) -> None:
        """What lies on the mat stands for an option of the box, or else is done at once."""
        sight = self._sight
        if action not in sight.view.legal:
            self._cursor.refuse(action.uses())
        elif not sight.waiting:
            return
        elif action in sight.boxed:
            self._option(sight.boxed.index(action))
        else:
            self._act(action)

    def _card(self, target: PointCard, times: int) -> None:
        sight, cursor = self._sight, self._cursor
        if not sight.waiting or cursor.only_box([target.card]):
            return
        if target.card not in sight.hand.cards:
            cursor.refuse(BIT[target.card])
            return
        if sight.hand.several and (times == 1 or sight.hand.chosen & ~BIT[target.card]):
            sight.in_box, sight.hand.at = False, target.card
            cursor.choose()
            return
        there, again = not sight.in_box and sight.hand.at == target.card, sight.aimed
        sight.in_box, sight.hand.at = False, target.card
        self._once_or_twice(there, again, "play it" * sight.hand.may(target.card))

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
