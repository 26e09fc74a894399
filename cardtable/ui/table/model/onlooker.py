"""The person who watches robots: looks from any seat, and says how fast they go on."""

from collections.abc import Callable, Mapping

from cardtable.engine.contract import Note, Seat
from cardtable.ui.table.model.frame import Frame
from cardtable.ui.table.model.watching import Watch


class Onlooker:
    """What keys do at a table of robots; ``told`` are the messages by seat."""

    def __init__(self, frame: Frame, told: Mapping[Seat, list[Note]], show: Callable[[], None]) -> None:
        self._sight, self._told, self._show = frame, told, show

    @property
    def _watch(self) -> Watch:
        assert self._sight.watch is not None
        return self._sight.watch

    def look_from(self, step: int) -> None:
        """Look from the seat ``step`` places on; without asking the table, which may be changing."""
        frame = self._sight
        views = {**frame.others, frame.me: frame.view}
        frame.see(views, (frame.me + step) % len(views))
        frame.messages, frame.advice = self._told[frame.me], None
        frame.hand.renew(frame.own_cards, ())
        self._shown()

    def look_at_turn(self) -> None:
        """Look from the seat that is to act, while all stands still."""
        self._watch.paused = True
        if self._sight.view.turn >= 0:
            self.look_from(self._sight.view.turn - self._sight.me)

    def pause(self) -> None:
        """Stand still, or go on."""
        self._watch.pause()
        self._shown()

    def step(self) -> None:
        """Stand still after one more decision or outcome of chance."""
        self._watch.step()
        self._shown()

    def faster(self, by: int) -> None:
        """Go ``by`` speeds faster, or slower."""
        self._watch.faster(by)
        self._shown()

    def _shown(self) -> None:
        """Show it; what was said of something else is done with."""
        self._sight.reason = ""
        self._show()
