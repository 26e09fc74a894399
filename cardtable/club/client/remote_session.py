"""Session at a host, in the client that plays or watches it."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event as Signal
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec

from cardtable.club import protocol
from cardtable.club.protocol import Act, AskRounds, ClientMessage, Ready, Say, Seated, SeatInfo, StandIn, Update
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, AnyGame, Event, Note, Score, Seat, View
from cardtable.engine.journal import Header, Journal
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.text_format import sanitize
from cardtable.games import GAMES
from cardtable.session.session_events import (
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    ObservedEvent,
    PendingInput,
    SessionEvent,
    SessionOver,
    SessionSnapshot,
    Stage,
)
from cardtable.store.errors import DiskFault
from cardtable.store.session_files import MAX_NAME_LENGTH

if TYPE_CHECKING:
    from cardtable.robots import worker

PATIENCE: Final = 10.0
"""Time in seconds that a request waits for the next message of the host."""
CUT: Final = "the club cannot be reached; the program keeps trying"
WAITING_FOR_DISK: Final = {
    "full": "The table waits: the club's disk is full.",
    "read-only": "The table waits: the club's disk is read-only.",
    "gone": "The table waits: the club's folder is missing.",
    "broken": "The table waits: the club's disk does not work.",
}
"""Message for the players while the table waits for the host's disk, by disk fault."""


class RemoteSession:
    """Implementation of ``PlayableSession`` for a session at a host.

    Decisions are sent to the host and take effect with the update that it sends back. Updates are queued and applied
    one by one. The event loop calls the methods whose names begin with ``on_``; the others are called as
    ``PlayableSession`` requires. A method that sends a request waits for the host, so that it must not be called in the
    event loop.
    """

    local = None

    def __init__(
        self, seated: Seated, send: Callable[[ClientMessage], None], leave: Callable[["RemoteSession"], None]
    ) -> None:
        """Create the session in the event loop from the host's notice ``seated``.

        ``send`` sends a message to the host from any other thread, and raises ``CardtableError`` if the connection is
        lost. ``on_close`` is called in the event loop after the player has closed the session.
        """
        self.header: Header = seated.header
        """Header of the journal, with the present occupants of the seats."""
        self.instead: Final = seated.instead
        """Id of the player's previous table if this session is a rematch of its players; else empty."""
        self.game: Final[AnyGame] = GAMES[seated.header.game]
        self.table: Final = seated.table
        self.seat: Final = seated.seat
        self._send, self._leave = send, leave
        self._loop = asyncio.get_running_loop()
        self.people: Final[Sequence[Seat]] = () if seated.seat is None else (seated.seat,)
        self.journal_path: Path | None = None
        self.data_available: Final = asyncio.Event()
        self.is_connected = True
        """True while the host can be reached and the client is at the table."""
        self.disconnect_reason = CUT
        """Reason why the client is not at the table; valid only while ``is_connected`` is False."""
        self.is_return_refused = False
        """True if the host can be reached again but has refused the player's return to the table."""
        self._queue: deque[Update] = deque()
        self._decisions = 0
        """Number of decisions in the session according to the latest update, which may not be applied yet."""
        self._saving: DiskFault = ""
        """Disk fault of the host according to the latest update; empty if there is none."""
        self._answered = Signal()
        self._refused = self._rounds = ""
        self._current: Update | None = None
        self._received_at = monotonic()
        self._views: Mapping[Seat, View] = {}
        self._scores: list[Score] = []
        self._notes: list[Note] = []
        self._names = [who.name for who in seated.header.seats]
        self.places: tuple[SeatInfo, ...] = ()
        """Seats as the host describes them; empty until an update has been applied."""
        self._acknowledged_round = 0
        """Number of the last round whose points the player has acknowledged."""

    # Messages of the host

    def on_update(self, update: Update) -> None:
        """Queue an update of the host; ``apply_next`` applies it."""
        self.is_connected, self.is_return_refused = True, False
        self._queue.append(update)
        self._decisions, self._saving = update.at, update.saving
        self._answered.set()
        self.data_available.set()

    def on_rounds(self, text: str) -> None:
        """Receive the finished rounds that ``journal`` has requested, as the text of a journal."""
        self._rounds = text
        self._answered.set()

    def on_journal_stored(self, path: Path) -> None:
        """Receive the path of the finished session's journal in the local archive."""
        self.journal_path = path
        self.data_available.set()

    def on_error(self, why: str) -> None:
        """Receive the host's refusal of the last request.

        After a reconnection, that request was the return to the table.
        """
        self._refused = why
        if not self.is_connected:
            self.disconnect_reason, self.is_return_refused = why, True
            self.data_available.set()
        self._answered.set()

    def on_disconnect(self, why: str = "") -> None:
        """Record that the connection is lost.

        ``reason`` is the reason if the client will not reconnect; empty if it keeps trying.
        """
        self.is_connected, self.is_return_refused, self.disconnect_reason = False, False, why or CUT
        self._answered.set()
        self.data_available.set()

    # State

    @property
    def initial_seat(self) -> Seat:
        return next(iter(self._views), 0)

    @property
    def hands_open(self) -> bool:
        return len(self._views) > 1

    @property
    def spectator_reason(self) -> str:
        """Sentence that states why the player cannot act now; empty if there is no reason to show."""
        if self.waits_for_disk:
            return self.waits_for_disk
        if self.seat is None:
            return "You are watching."
        if self._current and self._view.turn in self.away:
            left = self.away[self._view.turn]
            return f"{self._names[self._view.turn]} is away{f' ({left} s)' if left else ''}"
        if self._current and self._current.stage is Stage.ROUND_END and self._current.waits_for:
            names = " and ".join([self._names[seat] for seat in self._current.waits_for])
            return f"Waiting for {names}."
        return ""

    @property
    def waits_for_disk(self) -> str:
        """Sentence that states why the table waits for the host's disk; empty if it does not wait."""
        return WAITING_FOR_DISK[self._saving] if self._saving else ""

    @property
    def away(self) -> dict[Seat, int]:
        """Time in seconds left to wait for each absent player without a substitute robot, by seat."""
        gone, away = int(monotonic() - self._received_at), self._current.away if self._current else {}
        stood_in = {seat for seat, place in enumerate(self.places) if place.robot}
        return {seat: max(left - gone, 0) for seat, left in away.items() if seat not in stood_in}

    @property
    def stage(self) -> Stage:
        return self._current.stage if self._current else Stage.PLAY

    @property
    def looking_on(self) -> tuple[str, ...]:
        """Nicks of the spectators."""
        return self._current.looking_on if self._current else ()

    @property
    def rematch_seats(self) -> tuple[Seat, ...]:
        """Seats whose players accept another session; empty until the game master offers one."""
        return self._current.again if self._current else ()

    @property
    def progress(self) -> tuple[int, int]:
        return (self._view.round, self._current.at) if self._current else (0, 0)

    @property
    def _view(self) -> View:
        return self._views[self.initial_seat]

    @property
    def pending(self) -> PendingInput:
        now = self._current
        if self._queue or now is None or not self.is_connected:
            return AwaitingRemote(len(self._queue))
        if now.stage is Stage.SESSION_END:
            return SessionOver()
        if self.seat is None or now.saving:
            return AwaitingRemote(0)
        if now.stage is Stage.ROUND_END and self._acknowledged_round < self._view.round:
            return AwaitingNextRound()
        return AwaitingPlayer(self.seat) if self._view.legal else AwaitingRemote(0)

    # Display

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        assert self._current is not None
        round_left, seats_left = self.get_time_left()
        return SessionSnapshot(
            view=self._views[seat],
            others={other: view for other, view in self._views.items() if other != seat},
            stage=self._current.stage,
            scores=tuple(self._scores),
            ranks=self._current.ranks,
            results=self._current.results,
            messages=tuple(self._notes),
            round_left=round_left,
            seats_left=seats_left,
            disconnected=self.away,
            spectators=self.looking_on,
        )

    def get_time_left(self) -> tuple[float | None, tuple[float | None, ...]]:
        assert self._current is not None
        gone = 0.0 if self._current.saving else monotonic() - self._received_at
        running = self._view.turn
        left = self._current.round_left
        seats = [
            time - gone if time is not None and seat == running else time
            for seat, time in enumerate(self._current.seats_left)
        ]
        return None if left is None else left - gone, tuple(seats)

    @property
    def seconds_left(self) -> float | None:
        """Time in seconds until a clock runs out, at least 1; ``None`` if no clock is running.

        It never falls below 1 because the host, not the client, declares a timeout.
        """
        round_left, seats_left = self.get_time_left()
        of_seat = seats_left[self.seat] if seats_left and self.seat is not None else None
        return min([max(left, 1.0) for left in (round_left, of_seat) if left is not None], default=None)

    def get_messages(self, _seat: Seat) -> tuple[Note, ...]:
        return tuple(self._notes)

    def forget_messages(self, _seat: Seat) -> None:
        self._notes.clear()

    def add_message(self, note: Note) -> None:
        """Add a message that is not part of the session to the message log."""
        self._notes.append(note)

    # Actions of the player

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """Send a decision, wait until the host has executed it, and return the events of the oldest update received.

        The result is empty if no update has arrived, for example because the host refuses the decision or cannot be
        reached.
        """
        assert self._current is not None
        at = self._current.at
        return self._request_events(Act(self.table, at, str(action)), lambda: self._decisions != at)

    def advance(self) -> Sequence[SessionEvent]:
        """Acknowledge the points scored in the round.

        The host deals the next round once all players have acknowledged.
        """
        self._acknowledged_round = self._view.round
        return self._request_events(Ready(self.table, self._acknowledged_round))

    def request_substitute(self, seat: Seat) -> str:
        """Vote for a robot to substitute for the absent player at ``seat``.

        The result is the host's reason if it refuses the vote, otherwise an empty string.
        """
        self._request(StandIn(self.table, seat))
        return self._refused

    def say(self, text: str, _seat: Seat) -> Sequence[SessionEvent]:
        """Send a chat message to the table; it returns with an update, so no events are returned.

        Raises ``CardtableError`` if the host cannot be reached.
        """
        self._send(Say(text, self.table))
        return ()

    def _request_events(
        self, message: ClientMessage, answered: Callable[[], bool] = lambda: True
    ) -> Sequence[SessionEvent]:
        """Send a request as ``_send_and_wait`` does, and return the events of the oldest update received.

        The result is empty if no update has arrived, for example because the host refuses the request or cannot be
        reached.
        """
        self._request(message, answered)
        return self.apply_next()

    def _request(self, message: ClientMessage, answered: Callable[[], bool] = lambda: True) -> None:
        """Send a request, and wait until it is answered or has failed.

        ``is_answered`` is called after each message, since chat and other updates may precede the answer. The request
        has failed if the host refuses it, the connection or the host's disk fails, or no message arrives for
        ``RESPONSE_TIMEOUT`` seconds.
        """
        self._answered.clear()
        self._refused = ""
        try:
            self._send(message)
        except CardtableError as error:
            self._refused = str(error)
            self.on_disconnect()
        else:
            while self._answered.wait(PATIENCE):
                self._answered.clear()
                if self._refused or not self.is_connected or self._saving or answered():
                    return

    def journal(self) -> Journal:
        """Request the finished rounds from the host, and return them as a journal.

        Raises ``CardtableError`` if the host refuses, does not answer or sends an invalid journal.
        """
        self._rounds = ""
        self._request(AskRounds(self.table), lambda: bool(self._rounds))
        if not self._rounds:
            raise CardtableError(self._refused or CUT)
        return journal.read(self._rounds.encode())

    def poll(self) -> None:
        """Set or clear ``data_available`` according to the queue of updates.

        Raises ``CardtableError`` while the client is not connected.
        """
        self.data_available.clear()
        if not self.is_connected:
            raise CardtableError(self.disconnect_reason)
        if self._queue:
            self.data_available.set()

    def apply_next(self) -> Sequence[SessionEvent]:
        """Apply the oldest queued update, and return its events; return none if the queue is empty.

        A complete update replaces all earlier ones and returns no events. Raises ``CardtableError`` if the update
        contains an invalid view.
        """
        if not self._queue:
            return ()
        now = self._queue.popleft()
        if not self._queue and self.is_connected:
            self.data_available.clear()
        if now.whole:
            self._scores, self._notes = [], []
            if self.seat in now.waits_for:  # the acknowledgement may have been lost
                self._acknowledged_round = 0
        self._scores += now.scores
        self._notes += now.notes
        known = set(self.looking_on)
        new = [sanitize(nick, MAX_NAME_LENGTH) for nick in now.looking_on if nick not in known]
        self._notes += [CustomLogEntry(None, f"{nick} is watching") for nick in new]
        if now.saving and not (self._current and self._current.saving):
            self._notes.append(CustomLogEntry(None, WAITING_FOR_DISK[now.saving].removesuffix(".")))
        self._current, self._received_at = now, monotonic()
        if now.places:
            self._set_places(now.places)
        happened: list[SessionEvent] = []
        for step in now.steps:
            key, before = self.game.about.key, self._views
            try:
                view = protocol.decode_view(key, step.view)
                others = {seat: protocol.decode_view(key, other) for seat, other in step.others.items()}
            except (msgspec.DecodeError, RecursionError) as error:
                raise CardtableError(sanitize(f"the host sent something that cannot be read: {error}")) from None
            self._views = {view.seat: view, **others}
            if not now.whole and before.keys() == self._views.keys():
                happened.append(ObservedEvent(step.play or Event(), before, self._views))
        return happened

    def _set_places(self, places: tuple[SeatInfo, ...]) -> None:
        self.places, self._names = places, [sanitize(place.name, MAX_NAME_LENGTH) for place in places]
        seats = [
            msgspec.structs.replace(who, name=_occupant_name(name, place))
            for who, name, place in zip(self.header.seats, self._names, places, strict=True)
        ]
        self.header = msgspec.structs.replace(self.header, seats=tuple(seats))

    def create_hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """Return the request for a hint about ``view``, which this program computes, not the host.

        ``to_another`` is True if the hint is for a different seat from the one to act.
        """
        from cardtable.robots import worker  # noqa: PLC0415 - lazy: startup, only hints need it

        return worker.HintRequest(self.game.about.key, view, 0, self.progress[1], for_other_player=to_another)

    def close(self) -> None:
        """Leave the table; the session continues at the host."""
        self._loop.call_soon_threadsafe(self._leave, self)


def _occupant_name(name: str, place: SeatInfo) -> str:
    """Return the name of a seat's occupant, such as ``Ann's robot`` for a robot that substitutes for the absent Ann."""
    return f"{name}'s robot" if place.away and place.robot else name
