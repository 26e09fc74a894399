"""What the person is asked for at the table, as the guard is to know of it."""

from cardtable.play.seen import Stage
from cardtable.ui.keys.guard import Guard
from cardtable.ui.table.model.frame import Frame


class Prompt:
    """Tells the guard when something else is asked for, and whether it was the person's own key that led to it."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._hidden = False
        self._place: tuple[object, ...] = ()
        """What was asked for when it could be seen last."""
        self._advice: object = None
        self._asking = False

    def forget(self) -> None:
        """When it is seen again it is as if something else were asked for."""
        self._place = ()

    def changes(self, frame: Frame, *, hidden: bool) -> bool:
        """Look at what is asked for now; whether the guard was told of something else, which is still to be painted.

        ``hidden``: whether it cannot be seen, since something else is shown.
        """
        was_hidden, self._hidden = self._hidden, hidden
        if hidden:
            return False
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
            return False
        self._place, self._advice, self._asking = place, frame.advice, frame.asking
        self._guard.asks(curtain=curtain, own=own)
        return True
