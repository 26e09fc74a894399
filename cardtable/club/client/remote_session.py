"""Session at a host, in the client that plays or watches it."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event as Signal
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from cardtable.club import protocol
from cardtable.club.client.connection import ReceivedUpdate, TableMessages
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, AnyGame, Event, Note, Score, Seat, View
from cardtable.engine.journal import Header, Journal, LossReason
from cardtable.engine.log_entries import CustomLogEntry, Said, split_spectator_talk
from cardtable.engine.secret_choices import list_seats_to_act
from cardtable.engine.text_format import capitalize_first, sanitize
from cardtable.session.session_events import (
    WATCHING,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    ObservedEvent,
    PendingInput,
    SessionEvent,
    SessionOver,
    SessionSnapshot,
    Stage,
    TimeLeft,
)
from cardtable.store.session_files import MAX_NAME_LENGTH
from cardtable.wording.log_entries import list_former_names
from cardtable.wording.terms import LATE_MESSAGE, LOSS_MESSAGES

if TYPE_CHECKING:
    from cardtable.robots import worker

RESPONSE_TIMEOUT: Final = 10.0
"""Time in seconds that a request waits for the next message of the host."""
CONNECTION_LOST: Final = "the club cannot be reached; the program keeps trying"
DISK_FAULT_MESSAGES: Final = {
    "full": "The table waits: the club's disk is full.",
    "read-only": "The table waits: the club's disk is read-only.",
    "gone": "The table waits: the club's folder is missing.",
    "broken": "The table waits: the club's disk does not work.",
}
"""Message for the players while the table waits for the host's disk, by disk fault."""


class Departure(msgspec.Struct, frozen=True):
    """Reason why a client is not at its table."""

    kind: Literal["lost", "refused", "closed"]
    """``lost`` if the host cannot be reached, ``refused`` if it has refused the return, ``closed`` if it has closed the
    table to the player.
    """
    reason: str


class _Reply:
    """What has arrived since the player's last request, as far as it concerns that request."""

    def __init__(self) -> None:
        self.arrived: Final = Signal()
        """Set by every message of the host, and cleared when it has been looked at."""
        self.refusal = ""
        self.rounds = ""
        """Finished rounds, as the text of a journal."""


class RemoteSession:
    """Implementation of ``PlayableSession`` for a session at a host.

    Decisions are sent to the host and take effect with the update that it sends back. Updates are queued and applied
    one by one. The event loop calls the methods whose names begin with ``on_``; the others are called as
    ``PlayableSession`` requires. A method that sends a request waits for the host, so that it must not be called in the
    event loop.
    """

    local = None

    def __init__(
        self,
        seated: protocol.Seated,
        send: Callable[[protocol.ClientMessage], None],
        on_close: Callable[["RemoteSession"], None],
        is_hidden: Callable[[str], bool] = lambda _nick: False,
    ) -> None:
        """Create the session in the event loop from the host's notice ``seated``.

        ``send`` sends a message to the host from any other thread, and raises ``CardtableError`` if the connection is
        lost. ``on_close`` is called, in any thread, when the player has closed the session. ``is_hidden`` returns True
        for the nick of a person whose talk is not shown.

        Raises ``InvalidMessage`` if ``seated`` describes no session that can be played here.
        """
        self._messages: Final = TableMessages(seated)
        self._is_hidden = is_hidden
        self.header: Header = seated.header
        """Header of the journal, with the present occupants of the seats."""
        self.previous_table: Final = seated.instead
        """Id of the player's previous table if this session is a rematch of its players; else empty."""
        self.game: Final[AnyGame] = self._messages.game
        self.table: Final = seated.table
        self.seat: Final = seated.seat
        self._send, self._on_close = send, on_close
        self.people: Final[Sequence[Seat]] = () if seated.seat is None else (seated.seat,)
        self.journal_path: Path | None = None
        self.data_available: Final = asyncio.Event()
        self.departure: Departure | None = None
        """Reason why the client is not at the table; ``None`` while it is."""
        self._queue: deque[ReceivedUpdate] = deque()
        self._newest = self._shown = protocol.Update(seated.table, 0, (), Stage.PLAY)
        """The latest update, and the latest one that is applied; without content before the first."""
        self._reply = _Reply()
        self._is_leaving = False
        """True once the player leaves the table, so that no answer of the host is awaited any more."""
        self._received_at = monotonic()
        self._views: Mapping[Seat, View] = {}
        self._scores: list[Score] = []
        self._notes: list[Note] = []
        self.seat_infos: tuple[protocol.SeatInfo, ...] = ()
        """Seats as the host describes them; empty until an update has been applied."""
        self._acknowledged_round = 0
        """Number of the last round whose points the player has acknowledged."""
        self._substitute_votes: frozenset[Seat] = frozenset()
        """Seats of absent players for whom the player has asked for a robot, which the others have to do, too."""

    # Messages of the host

    def on_update(self, update: protocol.Update) -> None:
        """Queue an update of the host; ``apply_next`` applies it.

        Raises ``CardtableError`` if it is not valid.
        """
        received = self._messages.check_update(update)
        self.departure = None
        self._queue.append(received)
        self._newest = update  # after the queue, which the thread that waits for it looks at next
        self._reply.arrived.set()
        self.data_available.set()

    def on_rounds(self, text: str) -> None:
        """Receive the finished rounds that ``journal`` has requested, as the text of a journal."""
        self._reply.rounds = text
        self._reply.arrived.set()

    def on_journal_stored(self, path: Path) -> None:
        """Receive the path of the finished session's journal in the local archive."""
        self.journal_path = path
        self.data_available.set()

    def on_refusal(self, reason: str) -> None:
        """Receive the host's refusal of the last request.

        After a reconnection, that request was the return to the table.
        """
        self._reply.refusal = reason
        if self.departure:
            self._interrupt("refused", reason)
        self._reply.arrived.set()

    def on_disconnect(self, reason: str = "") -> None:
        """Record that the connection is lost.

        ``reason`` is the reason if the client will not reconnect; empty if it keeps trying.
        """
        self._interrupt("lost", reason or CONNECTION_LOST)

    def on_closed(self, reason: str) -> None:
        self._interrupt("closed", sanitize(reason))

    def _interrupt(self, kind: Literal["lost", "refused", "closed"], reason: str) -> None:
        """Record that the client is not at the table. A table that is closed stays closed."""
        if self.departure is None or self.departure.kind != "closed":
            self.departure = Departure(kind, reason)
        self._reply.arrived.set()
        self.data_available.set()

    # State

    @property
    def is_shown(self) -> bool:
        return bool(self._views)

    @property
    def initial_seat(self) -> Seat:
        return next(iter(self._views), 0)

    @property
    def hands_open(self) -> bool:
        return len(self._views) > 1

    @property
    def spectator_reason(self) -> str:
        """Sentence that states why the player cannot act now; empty if there is no reason to show."""
        if self.disk_wait_reason:
            return self.disk_wait_reason
        if self.seat is None:
            return WATCHING
        if reason := self.lost.get(self.seat):
            return LOSS_MESSAGES[reason]
        if self.is_late:
            return LATE_MESSAGE
        if self._shown.held:
            return capitalize_first(sanitize(self._shown.held))
        if self.absences and (awaited := self._find_absent_seat()) is not None:
            left = self.absences[awaited]
            if awaited in self._substitute_votes:
                return f"{self._names[awaited]} is away; the others must agree, too"
            return f"{self._names[awaited]} is away{f' ({left} s)' if left else ''}"
        if self.stage is Stage.ROUND_END and self._shown.waits_for:
            names = " and ".join([self._names[seat] for seat in self._shown.waits_for])
            return f"Waiting for {names}."
        return ""

    def _find_absent_seat(self) -> Seat | None:
        """Return the first absent seat that the table waits for; ``None`` if there is none or this player is to act."""
        seats = () if self._view.legal else list_seats_to_act(self._view)
        return next((seat for seat in seats if seat in self.absences), None)

    @property
    def disk_wait_reason(self) -> str:
        return DISK_FAULT_MESSAGES[self._newest.saving] if self._newest.saving else ""

    @property
    def absences(self) -> dict[Seat, int]:
        """Time in seconds left to wait for each absent player for whom no robot decides, by seat."""
        elapsed = int(monotonic() - self._received_at)
        by_robots = {*self.lost, *[seat for seat, info in enumerate(self.seat_infos) if info.robot]}
        return {seat: max(left - elapsed, 0) for seat, left in self._shown.absences.items() if seat not in by_robots}

    @property
    def lost(self) -> dict[Seat, LossReason]:
        """Seats that have lost the session, which goes on; robots decide for them to its end."""
        return {seat: info.lost for seat, info in enumerate(self.seat_infos) if info.lost}

    @property
    def is_rated(self) -> bool:
        """True if the result counts, and whoever leaves the session loses it."""
        return self.header.terms is not None and self.header.terms.rated

    @property
    def has_own_seat(self) -> bool:
        """True if the player has a seat and has not lost the session."""
        return self.seat is not None and self.seat not in self.lost

    @property
    def loses_by_leaving(self) -> bool:
        return self.is_rated and self.has_own_seat and not (self.departure or self.stage is Stage.SESSION_END)

    @property
    def is_late(self) -> bool:
        """True if the host has told that the player's time for the decision that is due is up."""
        clock = self._shown.clocks[self.seat] if self._shown.clocks and self.seat is not None else None
        return clock is not None and clock.total <= 0 and bool(self._view.legal)

    @property
    def stage(self) -> Stage:
        return self._shown.stage

    @property
    def spectators(self) -> tuple[str, ...]:
        return self._shown.spectators

    @property
    def rematch_seats(self) -> tuple[Seat, ...]:
        """Seats whose players accept another session; empty until the game master offers one."""
        return self._shown.rematch_seats

    @property
    def progress(self) -> tuple[int, int]:
        return (self._view.round, self._shown.at) if self._views else (0, 0)

    @property
    def _names(self) -> list[str]:
        """Names of the players by seat."""
        names = [sanitize(info.name, MAX_NAME_LENGTH) for info in self.seat_infos]
        return names or [occupant.name for occupant in self.header.seats]

    @property
    def _view(self) -> View:
        return self._views[self.initial_seat]

    @property
    def pending(self) -> PendingInput:
        if self._queue or self.departure or not self._views:
            return AwaitingRemote(len(self._queue))
        if self.stage is Stage.SESSION_END:
            return SessionOver()
        if self.seat is None or not self.has_own_seat or self._shown.saving or self.is_late:
            return AwaitingRemote(0)
        if self.stage is Stage.ROUND_END and self._acknowledged_round < self._view.round:
            return AwaitingNextRound()
        return AwaitingPlayer(self.seat) if self._view.legal else AwaitingRemote(0)

    # Display

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        time_left = self.get_time_left()
        return SessionSnapshot(
            view=self._views[seat],
            others={other: view for other, view in self._views.items() if other != seat},
            stage=self.stage,
            scores=tuple(self._scores),
            former_players=tuple(
                [tuple([sanitize(name, MAX_NAME_LENGTH) for name in info.former]) for info in self.seat_infos]
            ),
            ranks=self._shown.ranks,
            results=self._shown.results,
            messages=self.get_messages(seat),
            round_left=time_left.round_left,
            seats_left=time_left.seats_left,
            clocks=time_left.clocks,
            lost=self.lost,
            disconnected=self.absences,
            substitute_votes=self._substitute_votes,
            spectators=self.spectators,
        )

    def get_time_left(self) -> TimeLeft:
        elapsed = 0.0 if self._shown.saving else monotonic() - self._received_at
        running = list_seats_to_act(self._view)
        left = self._shown.round_left
        seats = [
            time - elapsed if time is not None and seat in running else time
            for seat, time in enumerate(self._shown.seats_left)
        ]
        clocks = [
            clock.run(elapsed) if clock is not None and seat in running else clock
            for seat, clock in enumerate(self._shown.clocks)
        ]
        return TimeLeft(None if left is None else left - elapsed, tuple(seats), tuple(clocks))

    @property
    def seconds_left(self) -> float | None:
        """Time in seconds until a clock runs out, at least 1; ``None`` if no clock is running.

        It never falls below 1 because the host, not the client, declares a timeout.
        """
        time, seat = self.get_time_left(), self.seat
        seat_left = time.seats_left[seat] if time.seats_left and seat is not None else None
        clock = time.clocks[seat] if time.clocks and seat is not None else None
        times = time.round_left, seat_left, clock.total if clock else None
        return min([max(left, 1.0) for left in times if left is not None], default=None)

    def get_messages(self, _seat: Seat) -> tuple[Note, ...]:
        """Return the log entries, without the talk of hidden people."""
        notes = zip(self._notes, list_former_names(self._notes, self._names), strict=True)
        return tuple([note for note, names in notes if not self._is_hidden_talk(note, names)])

    def _is_hidden_talk(self, note: Note, names: Sequence[str]) -> bool:
        """Return True for a chat message by a hidden person; ``names`` are the players of that time, by seat."""
        if not isinstance(note, Said):
            return False
        return self._is_hidden(split_spectator_talk(note.text)[0] if note.seat is None else names[note.seat])

    def is_hidden_seat(self, seat: Seat) -> bool:
        return self._is_hidden(self._names[seat])

    def forget_messages(self, _seat: Seat) -> None:
        self._notes.clear()

    def add_message(self, note: Note) -> None:
        """Add a message that is not part of the session to the message log."""
        self._notes.append(note)

    # Actions of the player

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """Send a decision, wait until the host has executed it, and return the events up to and including it.

        The result is empty if no update has arrived, for example because the host refuses the decision or cannot be
        reached.
        """
        at = self._shown.at
        self._send_and_wait(protocol.Act(self.table, at, str(action)), lambda: self._has_acted(at))
        events = [*self.apply_next()]
        while self._queue and (self._shown.at == at or self._is_choosing(self._view)):
            events += self.apply_next()  # chat, news of people and choices made at the same time came before
        return events

    def _has_acted(self, at: int) -> bool:
        """Return True if the host has executed the decision that was made after ``at`` decisions."""
        if self._newest.at == at or not self._is_choosing(self._view):
            return self._newest.at != at
        if any(received.update.whole for received in self._queue):
            return True
        steps = [views for received in self._queue for views in received.views]
        return not all(self._is_choosing(next(iter(views.values()))) for views in steps)

    def _is_choosing(self, view: View) -> bool:
        """Return True if this player still has to choose while several seats choose at once."""
        return self.seat is not None and any(view.choosing) and view.choosing[self.seat]

    def advance(self) -> Sequence[SessionEvent]:
        """Acknowledge the points scored in the round.

        The host deals the next round once all players have acknowledged.
        """
        self._acknowledged_round = self._view.round
        self._send_and_wait(protocol.AcknowledgeRound(self.table, self._acknowledged_round), self._is_acknowledged)
        return self.apply_next()

    def _is_acknowledged(self) -> bool:
        return self._newest.stage is not Stage.ROUND_END or self.seat not in self._newest.waits_for

    def request_substitute(self, seat: Seat) -> str:
        """Vote for a robot to substitute for the absent player at ``seat``.

        The result is the host's reason if it refuses the vote, otherwise an empty string.
        """
        reply = self._send_and_wait(protocol.VoteSubstitute(self.table, seat), lambda: self._is_vote_counted(seat))
        if not reply.refusal:
            self._substitute_votes |= {seat}
        return reply.refusal

    def _is_vote_counted(self, seat: Seat) -> bool:
        """Return True if the host has counted the player's vote for a robot, or the absent player is back."""
        update = self._newest
        return seat not in update.absences or self.seat in update.substitute_votes.get(seat, ())

    def say(self, text: str, _seat: Seat) -> Sequence[SessionEvent]:
        """Send a chat message to the table; it returns with an update, so no events are returned.

        Raises ``CardtableError`` if the host cannot be reached.
        """
        self._send(protocol.Say(text, self.table))
        return ()

    def _send_and_wait(self, message: protocol.ClientMessage, is_answered: Callable[[], bool]) -> _Reply:
        """Send a request, wait until it is answered or has failed, and return the reply.

        ``is_answered`` is called after each message, since chat and other updates may precede the answer. The request
        has failed if the host refuses it, the connection or the host's disk fails, the player leaves the table, or no
        message arrives for ``RESPONSE_TIMEOUT`` seconds.
        """
        self._reply = reply = _Reply()
        try:
            self._send(message)
        except CardtableError as error:
            reply.refusal = str(error)
            self.on_disconnect()
        else:
            while not self._is_leaving and reply.arrived.wait(RESPONSE_TIMEOUT):
                reply.arrived.clear()
                if reply.refusal or self.departure or self._newest.saving or is_answered():
                    break
        return reply

    def journal(self) -> Journal:
        """Request the finished rounds from the host, and return them as a journal.

        Raises ``CardtableError`` if the host refuses, does not answer or sends an invalid journal.
        """
        reply = self._send_and_wait(protocol.AskRounds(self.table), lambda: bool(self._reply.rounds))
        if not reply.rounds:
            raise CardtableError(reply.refusal or CONNECTION_LOST)
        return journal.read(reply.rounds.encode())

    def poll(self) -> None:
        """Set or clear ``data_available`` according to the queue of updates.

        Raises ``CardtableError`` while the client is not connected.
        """
        self.data_available.clear()
        if departure := self.departure:
            raise CardtableError(departure.reason)
        if self._queue:
            self.data_available.set()

    def apply_next(self) -> Sequence[SessionEvent]:
        """Apply the oldest queued update, and return its events; return none if the queue is empty.

        A complete update replaces all earlier ones and returns no events.
        """
        if not self._queue:
            return ()
        update, views = self._queue.popleft()
        if not self._queue and not self.departure:
            self.data_available.clear()
        if update.whole:
            self._scores, self._notes = [], []
            if self.seat in update.waits_for:  # the acknowledgement may have been lost
                self._acknowledged_round = 0
        self._scores += update.scores
        self._notes += update.notes
        for nick in [nick for nick in update.spectators if nick not in self.spectators]:
            note = CustomLogEntry(None, f"{sanitize(nick, MAX_NAME_LENGTH)} is watching")
            if note not in self._notes and not self._is_hidden(nick):
                self._notes.append(note)
        self._notes += self._list_offer_notes(update)
        if update.saving and not self._shown.saving:
            self._notes.append(CustomLogEntry(None, DISK_FAULT_MESSAGES[update.saving].removesuffix(".")))
        self._shown, self._received_at = update, monotonic()
        if update.seats:
            self._set_seat_infos(update.seats)
        counted = frozenset([seat for seat, voters in update.substitute_votes.items() if self.seat in voters])
        self._substitute_votes = counted if update.whole else (counted | self._substitute_votes) & self.absences.keys()
        events: list[SessionEvent] = []
        for step, after in zip(update.steps, views, strict=True):
            before, self._views = self._views, after
            if not update.whole and before.keys() == after.keys():
                events.append(ObservedEvent(step.play or Event(), before, after))
        return events

    def _list_offer_notes(self, update: protocol.Update) -> list[Note]:
        """Return log entries about the offer of another session before the end, if ``update`` begins or ends it."""
        had_offer = bool(self.rematch_seats)
        if update.stage is Stage.SESSION_END or had_offer == bool(update.rematch_seats):
            return []
        if self.is_hidden_seat((update.rematch_seats or self.rematch_seats)[0]):
            return []
        if had_offer:
            return [CustomLogEntry(None, "the offer of another session has lapsed")]
        return [CustomLogEntry(update.rematch_seats[0], "offers another session", "offer another session")]

    def _set_seat_infos(self, seat_infos: tuple[protocol.SeatInfo, ...]) -> None:
        self.seat_infos = seat_infos
        seats = [
            msgspec.structs.replace(occupant, name=f"{name}'s robot" if info.away and info.robot else name)
            for occupant, name, info in zip(self.header.seats, self._names, seat_infos, strict=True)
        ]
        self.header = msgspec.structs.replace(self.header, seats=tuple(seats))

    def create_hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """Return the request for a hint about ``view``, which this program computes, not the host.

        ``to_another`` is True if the hint is for a different seat from the one to act.
        """
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup, only hints need it

        return worker.HintRequest(self.game.about.key, view, 0, self.progress[1], for_other_player=to_another)

    def stop_waiting(self) -> None:
        """End the wait for an answer of the host, since the player leaves the table; ``close`` has to follow."""
        self._is_leaving = True
        self._reply.arrived.set()

    def close(self) -> None:
        """Leave the table; the session continues at the host."""
        self._on_close(self)
