"""What has happened, for each person who has not heard it yet."""

from collections.abc import Sequence

from cardtable.engine.contract import Event, Note, Seat, View
from cardtable.plain.console import say
from cardtable.plain.facts import notes
from cardtable.plain.speech import message
from cardtable.store.sessions import Session
from cardtable.telling.story import story


class Hearing:
    """Listens at a table, for all people or, where there are only robots, for the one in seat 0."""

    def __init__(self, session: Session, names: Sequence[str]) -> None:
        self._table, self._names = session.table, names
        self._unheard: dict[Seat, list[Note]] = {seat: [] for seat in session.header.people or [0]}
        if session.table.round:
            self._unheard.update(story(session.path, self._unheard))
        self._before = self._views()
        self._table.watch = self._watch

    def changing(self) -> None:
        """The table is going to change, or has done so without an event."""
        self._before = self._views()

    def note(self, note: Note) -> None:
        """Everybody is to hear this, too."""
        for unheard in self._unheard.values():
            unheard.append(note)

    def tell(self, seat: Seat) -> None:
        """Tell ``seat`` what it has not heard."""
        say(*[message(note, self._names) for note in self._unheard[seat]])
        self._unheard[seat].clear()

    def _watch(self, event: Event) -> None:
        after = self._views()
        for seat, unheard in self._unheard.items():
            unheard.extend(notes(self._table.game, event, self._before[seat], after[seat]))
        self._before = after

    def _views(self) -> dict[Seat, View]:
        """What everybody sees who listens: nobody is told what only another may know."""
        return {seat: self._table.view(seat) for seat in self._unheard}
