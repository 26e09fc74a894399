"""What people at the keyboard have typed and not said yet."""

from cardtable.engine.contract import Seat
from cardtable.play.talk import MOST_SAID
from cardtable.ui.draw.entry import Entry


class Drafts:
    """A line for everybody at the keyboard: nothing of it gets lost."""

    def __init__(self) -> None:
        self._of: dict[Seat, Entry] = {}

    def of(self, seat: Seat) -> Entry:
        """The line of one person."""
        return self._of.setdefault(seat, Entry(MOST_SAID))
