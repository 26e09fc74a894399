"""The mouse on the table: a click points, a second one plays."""

from collections.abc import Callable, Hashable

from cardtable.engine.cards import BIT
from cardtable.engine.contract import Action
from cardtable.ui.canvas import Canvas
from cardtable.ui.cursor import Cursor
from cardtable.ui.pointing import MAT, GoTo, PointAction, PointCard, PointOption
from cardtable.ui.sight import Sight


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
        elif target == MAT and sight.waiting and (len(sight.view.legal) == 1 or sight.hand.chosen):
            self._cursor.commit()

    def wheel(self, canvas: Canvas, steps: int) -> None:
        """Walk along a hand that is longer than the screen."""
        if any(isinstance(spot.target, GoTo) for spot in canvas.spots):
            self._cursor.roll(steps)

    def _option(self, index: int) -> None:
        sight = self._sight
        again = sight.in_box and sight.option == index
        sight.in_box, sight.option = True, index
        self._cursor.moved()
        if again:
            self._cursor.commit()

    def _action(self, action: Action) -> None:
        """What lies on the mat stands for an option of the box, or else is done at once."""
        sight = self._sight
        if not sight.waiting or action not in sight.view.legal:
            return
        if action in sight.boxed:
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
        again = sight.hand.at == target.card and (not sight.in_box or times > 1)
        sight.in_box, sight.hand.at = False, target.card
        cursor.moved()
        if again:
            cursor.commit()
        else:
            cursor.say_why_not()
