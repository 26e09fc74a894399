"""Outboxes of the host's clients: messages that wait to be sent, in bounded memory even if a client reads slowly."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from time import time
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, compute_client_network, compute_wide_network, is_loopback_network
from cardtable.club.protocol import Over, SeatInfo, SeenStep, ServerMessage, Talk, Update, encode
from cardtable.club.server.limits import KIB, LIMITS
from cardtable.club.server.table_access import Person
from cardtable.engine.game import Note, Score, Seat, View
from cardtable.engine.secret_choices import hide_choice
from cardtable.engine.tricks import Play
from cardtable.engine.value_checks import encode_view
from cardtable.session.session_events import ObservedEvent
from cardtable.session.session_runner import SessionRunner
from cardtable.store.errors import DiskFault

MAX_STEPS: Final = 12
MAX_NOTES: Final = 200
"""Maximum number of notes that wait for a slow client.

If there are more, or more than ``MAX_STEPS`` steps, a full update with only the latest step replaces the pending one.
"""


class TablePeople(NamedTuple):
    """Fields of an ``Update`` that concern the people at a table, and why it waits."""

    waits_for: tuple[Seat, ...]
    absences: dict[Seat, int]
    seats: tuple[SeatInfo, ...]
    spectators: tuple[str, ...]
    rematch_seats: dict[Seat, bool]
    """Seats that accept another session, with False for those whose players the host has muted."""
    substitute_votes: dict[Seat, set[Seat]]
    saving: DiskFault = ""
    held: str = ""


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
        self.needs_full, self._is_full = True, False
        """``needs_full`` is True if the next update has to be a full one, as it is for a client that has just come."""
        self._note_count = self._score_count = 0
        """Number of notes at the last ``refresh``; ``_score_count`` is the number of scores."""
        self._pending: Update | None = None
        self._sent_seats: tuple[SeatInfo, ...] = ()
        """Seats as last sent; an update repeats them only if they have changed."""

    def invalidate(self) -> None:
        """Make the next update a full one, because earlier updates may be lost."""
        self.needs_full = True

    def switch_runner(self, runner: SessionRunner) -> None:
        """Switch to the runner of a session that was opened again; the next update is a full one."""
        self.runner = runner
        self.invalidate()

    def add_events(self, events: Sequence[ObservedEvent]) -> None:
        """Add game events to the next update, unless that is a full one."""
        if not self.needs_full:
            for observed in events:
                is_secret = any(any(view.choosing) for view in observed.before.values())  # others choose as well
                play = observed.event if isinstance(observed.event, Play) and not is_secret else None
                self._steps.append(self._create_step(observed.after, play))

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
            self.needs_full = True
        if self.needs_full:
            self._steps, self._notes, self._scores = [self._create_step(runner.views)], [], []
            self._note_count = self._score_count = 0
            self.needs_full, self._is_full = False, True
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
            clocks=snapshot.clocks,
            **people._asdict()
            | {
                "rematch_seats": tuple(
                    [seat for seat, is_shown in people.rematch_seats.items() if is_shown or seat == self.seat]
                ),
                "substitute_votes": {
                    seat: (self.seat,) for seat, voters in people.substitute_votes.items() if self.seat in voters
                },
            },
        )
        self._wake()

    def drain(self) -> Update | None:
        """Return the pending update and clear it; return ``None`` if there is none."""
        if self._pending is None:
            return None
        steps, notes, scores = tuple(self._steps), tuple(self._notes), tuple(self._scores)
        seats = self._pending.seats if self._is_full or self._pending.seats != self._sent_seats else ()
        self._sent_seats = self._pending.seats
        update = replace(self._pending, steps=steps, whole=self._is_full, notes=notes, scores=scores, seats=seats)
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


MAX_TALK_MESSAGES: Final = 100
MAX_PRIVATE_MESSAGES: Final = 20
MAX_LOBBY_NEWS: Final = 8
"""Maximum number of lobby news that wait for a client; beyond it one message with the complete lobby replaces them."""


class UnreadBytes:
    """Sizes of what the clients of each network have not read yet: answers, and frames that are being sent.

    If they exceed ``LIMITS.unread`` in a network, connections there are dropped: first those that are ending, then
    those of the person for whom most waits.
    """

    def __init__(self) -> None:
        self._networks: dict[str, Counter[ConnectedClient]] = {}

    def update(self, client: "ConnectedClient", size: int) -> None:
        """Set the size of what one client has not read; drop connections of its network if it is too much."""
        own = self._networks.setdefault(client.wide_network, Counter())
        own[client] = size
        while own.total() > LIMITS.unread.number * KIB * KIB:
            people = Counter[str]()
            for connection in own:
                people[connection.nick] += own[connection]
            largest = max(own, key=lambda connection: (connection.is_ending, people[connection.nick], own[connection]))
            del own[largest]
            largest.drop()
        if not own[client]:
            del own[client]
        if not own:
            del self._networks[client.wide_network]


class ConnectedClient:
    """One connection of a player or guest, with the messages that wait to be sent on it."""

    def __init__(
        self, person: Person, origin: ConnectionOrigin, unread: UnreadBytes | None = None, credential: str = ""
    ) -> None:
        """Create a connection without waiting messages.

        ``unread`` is shared by all connections of the club. ``credential`` is the token hash or key fingerprint of the
        person's device; empty if it has none.
        """
        self.person = person
        self.credential: Final = credential
        self.origin: Final = origin
        self.network: Final = compute_client_network(origin.address)
        """Network that counts as one client in limits; see ``compute_client_network``."""
        self.wide_network: Final = compute_wide_network(origin.address)
        """Network that a single stranger may own."""
        self.budget_key: Final = person.nick if is_loopback_network(self.network) else self.network
        """Key in budgets of networks; on the host's own machine, where a proxy may stand for many, it is the nick."""
        self.subscriptions: dict[str, TableSubscriber] = {}
        """Subscriptions by id of the table."""
        self._unread = unread or UnreadBytes()
        self._answers: deque[bytes] = deque()
        self._sending = b""
        """Frame that is being sent; empty if there is none."""
        self._talk: deque[Talk] = deque(maxlen=MAX_TALK_MESSAGES)
        self.private_talk: Final[deque[Talk]] = deque(maxlen=MAX_PRIVATE_MESSAGES)
        """Latest messages to the person alone, which a report quotes."""
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
        self.dropped: Final = asyncio.Event()
        """Event that is set once the connection has to end at once, because the client does not read."""
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
        self._wakeup.set()

    def queue_answer(self, message: ServerMessage) -> None:
        """Queue a message for this client, to be sent in order.

        A client with too many waiting messages is disconnected instead. Messages to a connection that is ending
        are dropped.
        """
        if len(self._answers) >= LIMITS.answers.number:
            self.end_connection(LIMITS.answers.refusal)
        elif not self.is_ending:
            self._answers.append(encode(message).encode())
            self._count_unread()
        self.notify()

    def _count_unread(self) -> None:
        if not self.dropped.is_set():
            self._unread.update(self, len(self._sending) + sum(map(len, self._answers)))

    @property
    def is_sending(self) -> bool:
        return bool(self._sending)

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
        self._answers.append(encode(Over(reason)).encode())
        self.ending.set()
        self._count_unread()
        self.notify()

    def drop(self) -> None:
        """End the connection at once; the client gets a reason only if it has read everything before."""
        self.dropped.set()
        self.end_connection(LIMITS.answers.refusal)

    def close(self) -> None:
        """Forget what the client has not read, after the connection has ended."""
        self._sending = b""
        self._answers.clear()
        self._count_unread()
        self.ended.set()

    async def wait_for_frame(self) -> bytes:
        """Wait until a message is queued, remove it and return it encoded; the frame before has been sent.

        After the last frame of a connection that is ending, an empty one is returned.
        """
        while not (frame := self.take_frame()) and not self.is_ending:
            self._wakeup.clear()
            await self._wakeup.wait()
        return frame

    def take_frame(self) -> bytes:
        """Remove the next waiting message and return it encoded, or empty if there is none.

        The frame before counts as sent. An update is composed only now, from everything until now.
        """
        self._sending = self._take_next()
        self._count_unread()
        return self._sending

    def _take_next(self) -> bytes:
        if self._answers:
            return self._answers.popleft()
        if self.is_ending:
            return b""
        if self._lobby_news:
            return self._lobby_news.pop(0).encode()
        if self._talk:
            return encode(self._talk.popleft()).encode()
        for table, subscriber in self.subscriptions.items():
            if update := subscriber.drain():
                self.subscriptions[table] = self.subscriptions.pop(table)  # the other tables are next
                return encode(update).encode()
        return b""


def list_free_clients(clients: Sequence[ConnectedClient]) -> list[ConnectedClient]:
    """Return the clients who can be called to a table that begins.

    A client at another table is left out if another device of the same person is in the lobby.
    """
    people_in_lobby = {client.person for client in clients if not client.subscriptions}
    return [client for client in clients if not client.subscriptions or client.person not in people_in_lobby]
