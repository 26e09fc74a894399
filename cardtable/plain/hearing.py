"""What has happened, for each person who has not heard it yet."""

from collections.abc import Sequence
from datetime import UTC, datetime

from cardtable.engine.contract import Event, Note, Seat, View
from cardtable.plain.console import say
from cardtable.plain.speech import message, sentence, spoken
from cardtable.play.news import OURS, STAR, News, by_all, lines, notes
from cardtable.play.story import story
from cardtable.store.sessions import Session


class Hearing:
    """Listens at a table, for all people or, where there are only robots, for the one in seat 0."""

    def __init__(self, session: Session, names: Sequence[str]) -> None:
        self._table, self._names = session.table, names
        self._news = News(session.header.people or [0])
        if session.table.round:
            story(session.path, self._news)
        self._unheard = {seat: own[:] for seat, own in self._news.own.items()}
        self._alone: dict[Seat, list[Note]] = {seat: [] for seat in self._unheard}
        """What of that only this person was told."""
        self._before = self._views()
        self._table.watch = self._watch

    def changing(self) -> None:
        """The table is going to change, or has done so without an event."""
        self._before = self._views()

    def note(self, note: Note) -> None:
        """Everybody is to hear this, too."""
        for unheard in self._unheard.values():
            unheard.append(note)
        self._news.note(note)

    def tell(self, seat: Seat) -> None:
        """Tell ``seat`` what it has not heard."""
        say(*[message(note, self._names) for note in self._unheard[seat]])
        self._unheard[seat].clear()
        self._alone[seat].clear()

    def tell_all(self, seat: Seat) -> None:
        """Tell what happened since ``seat`` last acted, as everybody may hear it; later it hears only the rest."""
        missed = self._news.missed(seat, datetime.now(UTC))
        say(f"{missed.heading}{missed.ago and f', {missed.ago}'}:")
        told = [(label, what.replace(f" {STAR}", " takes it")) for label, what in lines(missed.told, self._names)]
        said = [what if label == OURS else f"{label}: {what}" for label, what in told]
        say(*[sentence(spoken(line)) for line in said or ["nothing has happened yet"]])
        self._unheard[seat] = self._alone[seat][:]

    def _watch(self, event: Event) -> None:
        after = self._views()
        heard = {seat: notes(self._table.game, event, self._before[seat], after[seat]) for seat in self._unheard}
        common = by_all(heard)
        for seat, told in heard.items():
            self._unheard[seat] += told
            self._alone[seat] += [note for note, other in zip(told, common, strict=True) if note != other]
        self._news.hear(self._table.game, event, self._before, after, datetime.now(UTC))
        self._before = after

    def _views(self) -> dict[Seat, View]:
        """What everybody sees who listens: nobody is told what only another may know."""
        return {seat: self._table.view(seat) for seat in self._unheard}
