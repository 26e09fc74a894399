"""What the person is asked for at the table, as the guard is to know of it."""

from collections.abc import Callable

from cardtable.play.seen import Stage
from cardtable.ui.keys.guard import Guard
from cardtable.ui.table.model.frame import Frame


class Prompt:
    """Tells the guard when something else is asked for, and whether it was the person's own key that led to it."""

    def __init__(self, guard: Guard, once_painted: Callable[[Callable[[], None]], object]) -> None:
        """``once_painted`` calls something as soon as all that has changed can be seen."""
        self.guard, self._once_painted = guard, once_painted
        self._hidden = False
        self._place: tuple[object, ...] = ()
        """What was asked for when it could be seen last."""
        self._advice: object = None
        self._asking = False

    def forget(self) -> None:
        """When it is seen again it is as if something else were asked for."""
        self._place = ()

    def surprises(self, frame: Frame) -> None:
        """What is seen now came as a surprise, or the same Enter or click might come twice."""
        if frame.stage is not Stage.CURTAIN:
            self._asks()

    def look(self, frame: Frame, *, hidden: bool) -> None:
        """Look at what is asked for now, which is yet to be painted.

        ``hidden``: whether it cannot be seen, since something else is shown.
        """
        was_hidden, self._hidden = self._hidden, hidden
        if hidden:
            return
        place = frame.stage, frame.called, frame.lingering, frame.waiting, frame.view
        advised, asked = frame.advice is not self._advice, frame.asking is not self._asking
        curtain = frame.stage is Stage.CURTAIN and frame.people > 1
        if place != self._place:
            own = bool(self._place) and frame.waiting and frame.follows
        elif advised or asked:
            own = not (advised or frame.asking)
        elif curtain and was_hidden:
            own = False
        else:
            return
        self._place, self._advice, self._asking = place, frame.advice, frame.asking
        self._asks(curtain=curtain, own=own)

    def _asks(self, *, curtain: bool = False, own: bool = False) -> None:
        self.guard.asks(curtain=curtain, own=own)
        self._once_painted(self.guard.shown)
