"""Outboxes of the host's clients: messages that wait to be sent, in bounded memory even if a client reads slowly."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import time
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, compute_client_network
from cardtable.club.protocol import Over, SeatInfo, SeenStep, ServerMessage, Talk, Update, encode
from cardtable.club.server.seat_ownership import Person
from cardtable.engine.game import Note, Score, Seat, View
from cardtable.engine.secret_choices import hide_choice
from cardtable.engine.tricks import Play
from cardtable.engine.view_codec import encode_view
from cardtable.session.session_events import ObservedEvent
from cardtable.session.session_runner import SessionRunner
from cardtable.store.errors import DiskFault

MAX_STEPS: Final = 12
MAX_NOTES: Final = 200
"""Maximum number of notes that wait for a slow client.

If there are more, or more than ``MAX_STEPS`` steps, a full update with only the latest step replaces the pending one.
"""


class TablePeople(NamedTuple):
    """Fields of an ``Update`` that concern the people at a table, and the disk fault if saving fails."""

    waits_for: tuple[Seat, ...]
    away: dict[Seat, int]
    places: tuple[SeatInfo, ...]
    looking_on: tuple[str, ...]
    again: tuple[Seat, ...]
    substitute_votes: dict[Seat, tuple[Seat, ...]]
    saving: DiskFault = ""


class TableSubscriber:
    """Subscription of one client to one table.

    All changes since the last ``drain`` are merged into one ``Update``, in bounded memory.
    """

    def __init__(
        self, runner: SessionRunner, table: str, person: Person, seat: Seat | None, wake: Callable[[], None]
    ) -> None:
        """Subscribe a client to a session.

        ``table`` is the id of the session, and ``seat`` is ``None`` for a spectator. ``wake`` is called whenever
        ``drain`` has an update.
        """
        self.person = person
        self.seat: Final = seat
        self.runner, self._table, self._wake = runner, table, wake
        self._steps: list[SeenStep] = []
        self._notes: list[Note] = []
        self._scores: list[Score] = []
        self._needs_full, self._is_full = True, False
        self._note_count = self._score_count = 0
        """Number of notes at the last ``refresh``; ``_score_count`` is the number of scores."""
        self._pending: Update | None = None
        self._sent_places: tuple[SeatInfo, ...] = ()
        """Seats as last sent; an update repeats them only if they have changed."""

    def invalidate(self) -> None:
        """Make the next update a full one, because earlier updates may be lost."""
        self._needs_full = True

    def switch_runner(self, runner: SessionRunner) -> None:
        """Switch to the runner of a session that was opened again; the next update is a full one."""
        self.runner = runner
        self.invalidate()

    def add_events(self, events: Sequence[ObservedEvent]) -> None:
        """Add game events to the next update, unless that is a full one."""
        if not self._needs_full:
            plays = [each.event if isinstance(each.event, Play) and not _is_secret(each) else None for each in events]
            self._steps += [self._create_step(each.after, play) for each, play in zip(events, plays, strict=True)]

    def refresh(self, people: TablePeople) -> None:
        """Bring the next update up to date with the session, and wake the client.

        ``people`` describes the people at the table. The session must not change during the call.
        """
        runner, snapshot = self.runner, self.runner.snapshot(self._viewpoint)
        if (
            len(self._steps) > MAX_STEPS
            or len(self._notes) > MAX_NOTES
            or len(runner.referee.scores) < self._score_count
        ):
            self._needs_full = True
        if self._needs_full:
            self._steps, self._notes, self._scores = [self._create_step(runner.views)], [], []
            self._note_count = self._score_count = 0
            self._needs_full, self._is_full = False, True
        notes = runner.message_log.notes if self.seat is None else runner.message_log.messages_by_seat[self.seat]
        self._notes += notes[self._note_count :]
        self._scores += snapshot.scores[self._score_count :]
        self._note_count, self._score_count = len(notes), len(snapshot.scores)
        self._pending = Update(
            table=self._table,
            at=runner.referee.decisions,
            steps=(),
            stage=snapshot.stage,
            ranks=snapshot.ranks,
            results=snapshot.results,
            round_left=snapshot.round_left,
            seats_left=snapshot.seats_left,
            **people._asdict(),
        )
        self._wake()

    def drain(self) -> Update | None:
        """Return the pending update and clear it; return ``None`` if there is none."""
        if self._pending is None:
            return None
        steps, notes, scores = tuple(self._steps), tuple(self._notes), tuple(self._scores)
        places = self._pending.places if self._is_full or self._pending.places != self._sent_places else ()
        self._sent_places = self._pending.places
        update = replace(self._pending, steps=steps, whole=self._is_full, notes=notes, scores=scores, places=places)
        self._steps, self._notes, self._scores, self._is_full, self._pending = [], [], [], False, None
        return update

    @property
    def _viewpoint(self) -> Seat:
        """Seat from which the client sees the table; for a spectator, the seat of the first player."""
        return self.runner.people[0] if self.seat is None else self.seat

    def _create_step(self, views: Mapping[Seat, View], play: Play | None = None) -> SeenStep:
        view, others = views[self._viewpoint], {}
        if self.runner.hands_open:
            others = {seat: encode_view(hide_choice(view)) for seat, view in views.items() if seat != self._viewpoint}
            view = replace(hide_choice(view), legal=()) if self.seat is None else view
        elif self.seat is None:
            view = view.public_view()
        return SeenStep(encode_view(view), play, others)


def _is_secret(observed: ObservedEvent) -> bool:
    """Return True if the event is a choice made at the same time as those of other seats."""
    return any(any(view.choosing) for view in observed.before.values())


MAX_TALK_MESSAGES: Final = 100
MAX_ANSWERS: Final = 100
"""Maximum number of answers that wait for a client; a client that exceeds it is disconnected."""
MAX_LOBBY_NEWS: Final = 8
"""Maximum number of lobby news that wait for a client; beyond it one message with the complete lobby replaces them."""


class ConnectedClient:
    """One connection of a player or guest, with the messages that wait to be sent on it."""

    def __init__(self, person: Person, origin: ConnectionOrigin) -> None:
        self.person = person
        self.origin: Final = origin
        self.network: Final = compute_client_network(origin.address)
        """Network that counts as one client in limits; see ``compute_client_network``."""
        self.subscriptions: dict[str, TableSubscriber] = {}
        """Subscriptions by id of the table."""
        self._answers: deque[ServerMessage] = deque()
        self._talk: deque[Talk] = deque(maxlen=MAX_TALK_MESSAGES)
        self._lobby_news: list[str] = []
        """Encoded lobby news that wait to be sent."""
        self.lacks_lobby_news = False
        """True if the client missed lobby news while it was at a table."""
        self.known_private_tables: frozenset[str] = frozenset()
        """Ids of the private tables in the lobby as last sent to the client."""
        self._wakeup = asyncio.Event()
        self.connected_at: Final = int(time())
        """Time of the login, in seconds since 1970-01-01T00:00Z."""
        self.ending: Final = asyncio.Event()
        """Event that is set once the connection is ending; the client then receives only the reason."""
        self.ended: Final = asyncio.Event()
        """Event that is set once the connection has ended and the client is no longer in the lobby."""

    @property
    def nick(self) -> str:
        return self.person.nick

    def rename(self, person: Person) -> None:
        """Use the present nick of the person, who is the same one."""
        self.person = person
        for subscriber in self.subscriptions.values():
            subscriber.person = person

    @property
    def is_ending(self) -> bool:
        return self.ending.is_set()

    def notify(self) -> None:
        """Wake ``wait_for_frames``."""
        self._wakeup.set()

    def queue_answer(self, message: ServerMessage) -> None:
        """Queue a message for this client, to be sent in order.

        A client with ``MAX_ANSWERS`` waiting messages is disconnected instead. Messages to a connection that is ending
        are dropped.
        """
        if len(self._answers) >= MAX_ANSWERS:
            self.end_connection("your connection is too slow to follow; join again")
        elif not self.is_ending:
            self._answers.append(message)
        self.notify()

    def has_queued(self, kind: type[ServerMessage]) -> bool:
        """Return True if a message of type ``kind``, queued by ``queue_answer``, waits to be sent."""
        return any(isinstance(answer, kind) for answer in self._answers)

    def queue_talk(self, message: Talk) -> None:
        """Queue a chat message; beyond ``MAX_TALK_MESSAGES``, the oldest waiting one is dropped."""
        self._talk.append(message)
        self.notify()

    def queue_lobby_news(self, frame: str, encode_full_lobby: Callable[[], str]) -> None:
        """Queue an encoded frame of lobby news.

        If more than ``MAX_LOBBY_NEWS`` frames wait, the result of ``encode_full_lobby()``, a frame with the complete
        lobby, replaces them.
        """
        self._lobby_news.append(frame)
        if len(self._lobby_news) > MAX_LOBBY_NEWS:
            self._lobby_news = [encode_full_lobby()]
        self.notify()

    def queue_full_lobby(self, frame: str) -> None:
        """Replace the waiting lobby news with an encoded frame of the complete lobby."""
        self._lobby_news, self.lacks_lobby_news = [frame], False
        self.notify()

    def end_connection(self, reason: str) -> None:
        """End the connection with a reason for the client; other waiting messages are discarded."""
        self._answers.clear()
        self._answers.append(Over(reason))
        self.ending.set()
        self.notify()

    async def wait_for_frames(self) -> list[str]:
        """Wait until messages are queued, remove them from the queues, and return them as encoded frames."""
        while True:
            await self._wakeup.wait()
            self._wakeup.clear()
            if frames := self.take_frames():
                return frames

    def take_frames(self) -> list[str]:
        """Remove the waiting messages from the queues, and return them as encoded frames."""
        frames = [encode(answer) for answer in self._answers]
        self._answers.clear()
        if self.is_ending:
            return frames
        frames += self._lobby_news
        self._lobby_news = []
        frames += [encode(message) for message in self._talk]
        self._talk.clear()
        return frames + [encode(update) for listener in self.subscriptions.values() if (update := listener.drain())]


def list_free_clients(clients: Sequence[ConnectedClient]) -> list[ConnectedClient]:
    """Return the clients who can be called to a table that begins.

    A client at another table is left out if another device of the same person is in the lobby.
    """
    people_in_lobby = {each.person for each in clients if not each.subscriptions}
    return [each for each in clients if not each.subscriptions or each.person not in people_in_lobby]
