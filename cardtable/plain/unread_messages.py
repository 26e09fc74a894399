"""What has happened, for each person who has not heard it yet."""

from collections.abc import Sequence

from cardtable.engine.game import Note, Seat
from cardtable.plain.console import say
from cardtable.plain.speech_text import messages, sentence, spoken
from cardtable.session.message_log import notes, public_entries
from cardtable.session.session_events import ObservedEvent, SessionEvent
from cardtable.session.session_runner import SessionRunner
from cardtable.wording.missed import ago, heading, lines


class UnreadMessages:
    """Listens at a table, for everybody who plays there or, where there are only robots, who watches."""

    def __init__(self, run: SessionRunner, names: Sequence[str]) -> None:
        self._run, self._names = run, names
        run.load_recent_messages()
        self._unheard = {seat: run.news.own[seat][:] for seat in run.people or (0,)}
        self._alone: dict[Seat, list[Note]] = {seat: [] for seat in self._unheard}
        """What of that only this person was told."""

    def hear(self, happened: Sequence[SessionEvent]) -> None:
        """Everybody is to hear of this."""
        for it in happened:
            if isinstance(it, ObservedEvent):
                self._hear(it)
            else:
                for unheard in self._unheard.values():
                    unheard.append(it)

    def _hear(self, seen: ObservedEvent) -> None:
        game = self._run.table.game
        heard = {seat: notes(game, seen.event, seen.before[seat], seen.after[seat]) for seat in self._unheard}
        common = public_entries(game, seen.event, seen.before, seen.after, self._unheard)
        for seat, told in heard.items():
            self._unheard[seat] += told
            self._alone[seat] += [note for note in told if note not in common]

    def tell(self, seat: Seat) -> None:
        """Tell ``seat`` what it has not heard."""
        say(*messages(self._unheard[seat], self._names))
        self._unheard[seat].clear()
        self._alone[seat].clear()

    def tell_all(self, seat: Seat) -> None:
        """Tell what happened since ``seat`` last acted, as everybody may hear it; later it hears only the rest."""
        missed = self._run.missed(seat)
        say(f"{', '.join(filter(None, [heading(missed), ago(missed)]))}:")
        told = lines(missed.heard, self._names, took="takes it")
        said = [f"{about}: {what}" if about else what for about, what in told]
        say(*[sentence(spoken(line)) for line in said or ["nothing has happened yet"]])
        self._unheard[seat] = self._alone[seat][:]
