"""Messages that the players at the keyboard have not read yet."""

from collections.abc import Sequence

from cardtable.engine.game import Note, Seat
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import format_log_entries, to_sentence, to_spoken
from cardtable.session.message_log import derive_public_entries, narrate_event
from cardtable.session.session_events import ObservedEvent, SessionEvent
from cardtable.session.session_runner import SessionRunner
from cardtable.wording.missed import format_heading, format_missed_events, format_time_since


class UnreadMessages:
    """Unread messages of each human player, or of the spectator at a table of robots."""

    def __init__(self, runner: SessionRunner, names: Sequence[str]) -> None:
        self._runner, self._names = runner, names
        runner.load_recent_messages()
        self._unread = {seat: runner.message_log.messages_by_seat[seat][:] for seat in runner.people or (0,)}
        self._private: dict[Seat, list[Note]] = {seat: [] for seat in self._unread}
        """Unread messages that only this seat has received."""

    def add(self, events: Sequence[SessionEvent]) -> None:
        """Add the messages that result from events, for every seat."""
        for it in events:
            if isinstance(it, ObservedEvent):
                self._queue(it)
            else:
                for unheard in self._unread.values():
                    unheard.append(it)

    def _queue(self, observed: ObservedEvent) -> None:
        game = self._runner.referee.game
        heard = {
            seat: narrate_event(game, observed.event, observed.before[seat], observed.after[seat])
            for seat in self._unread
        }
        common = derive_public_entries(game, observed.event, observed.before, observed.after, self._unread)
        for seat, own in heard.items():
            self._unread[seat] += own
            self._private[seat] += [note for note in own if note not in common]

    def print_unread(self, seat: Seat) -> None:
        """Print the unread messages of ``seat``, which then count as read."""
        print_lines(*format_log_entries(self._unread[seat], self._names))
        self._unread[seat].clear()
        self._private[seat].clear()

    def print_public(self, seat: Seat) -> None:
        """Print the public events since ``seat`` last acted, for a curtain.

        Afterwards only messages for this seat alone count as unread.
        """
        missed = self._runner.get_missed_messages(seat)
        print_lines(f"{', '.join(filter(None, [format_heading(missed), format_time_since(missed)]))}:")
        entries = format_missed_events(missed.messages, self._names, winner_mark="takes it")
        lines = [f"{about}: {text}" if about else text for about, text in entries]
        print_lines(*[to_sentence(to_spoken(line)) for line in lines or ["nothing has happened yet"]])
        self._unread[seat] = self._private[seat][:]
