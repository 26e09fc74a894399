"""A session that is played at a host, as a guest's program sits at it."""

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
from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, AnyGame, Event, Note, Score, Seat, View
from cardtable.engine.journal import Header, Journal
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.text_format import sanitize
from cardtable.games import GAMES
from cardtable.session.message_log import NOTHING_MISSED, MissedMessages
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
from cardtable.store.session_files import MOST_NAME

if TYPE_CHECKING:
    from cardtable.robots import worker

PATIENCE: Final = 10.0
"""Seconds for which a host may take to answer."""
CUT: Final = "the club cannot be reached; the program keeps trying"
WAITING_FOR_DISK: Final = {
    "full": "The table waits: the club's disk is full.",
    "read-only": "The table waits: the club's disk is read-only.",
    "gone": "The table waits: the club's folder is missing.",
    "broken": "The table waits: the club's disk does not work.",
}
"""By the kind of fault, why nobody can do anything until the host can save again."""


class RemoteSession:
    """Sits at a table of a host: what comes is taken step by step, what is chosen is sent, and counts once it is back.

    ``on_update`` and ``on_disconnect`` are called by the program's loop; the rest as ``PlayableSession`` says.
    """

    session = None
    save_error = None
    robots_only = public_only = is_hidden = False
    undone = 0

    def __init__(
        self, seated: Seated, send: Callable[[ClientMessage], None], leave: Callable[["RemoteSession"], None]
    ) -> None:
        """``send`` says something to the host, from any thread; raises ``CardtableError`` where it is cut.

        ``leave`` is called when she goes, by the program's loop.
        """
        self.header: Header = seated.header
        """With what those who sit there are called now."""
        self.instead: Final = seated.instead
        """The table at which she was before, if this is another session of those who were there."""
        self.game: Final[AnyGame] = GAMES[seated.header.game]
        self.table: Final = seated.table
        self.seat: Final = seated.seat
        self._send, self._leave = send, leave
        self._loop = asyncio.get_running_loop()
        self.people: Final[Sequence[Seat]] = () if seated.seat is None else (seated.seat,)
        self.record: Path | None = None
        self.data_available: Final = asyncio.Event()
        self.there = True
        """Whether the host can be reached."""
        self._why = CUT
        """Why it cannot."""
        self._queue: deque[Update] = deque()
        self._at = 0
        """How many decisions stand, as the host told last."""
        self._saving: DiskFault = ""
        """Why the host cannot save, as it told last."""
        self._answered = Signal()
        self._refused = self._rounds = ""
        self._now: Update | None = None
        self._heard_at = monotonic()
        self._views: Mapping[Seat, View] = {}
        self._scores: list[Score] = []
        self._notes: list[Note] = []
        self._names = [who.name for who in seated.header.seats]
        self.places: tuple[SeatInfo, ...] = ()
        """Who sits there."""
        self._looked = 0
        """The round whose points she has looked at."""

    # What comes

    def on_update(self, update: Update) -> None:
        """The host tells something."""
        self.there = True
        self._queue.append(update)
        self._at, self._saving = update.at, update.saving
        self._answered.set()
        self.data_available.set()

    def hear_rounds(self, text: str) -> None:
        """The host tells the finished rounds."""
        self._rounds = text
        self._answered.set()

    def is_kept(self, path: Path) -> None:
        """The session is over, and all of it is here."""
        self.record = path
        self.data_available.set()

    def on_error(self, why: str) -> None:
        """The host does not do what was asked last."""
        self._refused = why
        self._answered.set()

    def on_disconnect(self, why: str = "") -> None:
        """The connection is cut; ``why`` it will not be made again, if that is so."""
        self.there, self._why = False, why or CUT
        self._answered.set()
        self.data_available.set()

    # What it is

    @property
    def initial_seat(self) -> Seat:
        """Whose seat is looked from first."""
        return next(iter(self._views), 0)

    @property
    def hands_open(self) -> bool:
        """Whether everybody here may see all hands."""
        return len(self._views) > 1

    @property
    def spectator_reason(self) -> str:
        """Why she cannot act now."""
        if self.waits_for_disk:
            return self.waits_for_disk
        if self.seat is None:
            return "You are watching."
        if self._now and self._view.turn in self.away:
            left = self.away[self._view.turn]
            return f"{self._names[self._view.turn]} is away{f' ({left} s)' if left else ''}"
        if self._now and self._now.stage is Stage.ROUND_END and self._now.waits_for:
            names = " and ".join([self._names[seat] for seat in self._now.waits_for])
            return f"Waiting for {names}."
        return ""

    @property
    def waits_for_disk(self) -> str:
        """Sentence that says why the host cannot save; the empty string while it can."""
        return WAITING_FOR_DISK[self._saving] if self._saving else ""

    @property
    def away(self) -> dict[Seat, int]:
        """Seats of people who are away and no robot plays for, with the seconds for which they are still waited for."""
        gone, away = int(monotonic() - self._heard_at), self._now.away if self._now else {}
        stood_in = {seat for seat, place in enumerate(self.places) if place.robot}
        return {seat: max(left - gone, 0) for seat, left in away.items() if seat not in stood_in}

    @property
    def stage(self) -> Stage:
        """Where the session stands."""
        return self._now.stage if self._now else Stage.PLAY

    @property
    def looking_on(self) -> tuple[str, ...]:
        """Who looks on."""
        return self._now.looking_on if self._now else ()

    @property
    def again(self) -> tuple[Seat, ...]:
        """Who plays another session, once the game master has offered it."""
        return self._now.again if self._now else ()

    @property
    def progress(self) -> tuple[int, int]:
        """Which round it is, and how many decisions stand."""
        return (self._view.round, self._now.at) if self._now else (0, 0)

    @property
    def _view(self) -> View:
        return self._views[self.initial_seat]

    @property
    def pending(self) -> PendingInput:
        """What it waits for."""
        now = self._now
        if self._queue or now is None or not self.there:
            return AwaitingRemote(len(self._queue))
        if now.stage is Stage.SESSION_END:
            return SessionOver()
        if self.seat is None or now.saving:
            return AwaitingRemote(0)
        if now.stage is Stage.ROUND_END and self._looked < self._view.round:
            return AwaitingNextRound()
        return AwaitingPlayer(self.seat) if self._view.legal else AwaitingRemote(0)

    # What is to be seen

    def load_recent_messages(self) -> None:
        """The host tells it."""

    def seen(self, seat: Seat) -> SessionSnapshot:
        """All that there is to be seen from a seat now."""
        assert self._now is not None
        round_left, seats_left = self.clocks()
        return SessionSnapshot(
            view=self._views[seat],
            others={other: view for other, view in self._views.items() if other != seat},
            stage=self._now.stage,
            scores=tuple(self._scores),
            ranks=self._now.ranks,
            results=self._now.results,
            messages=tuple(self._notes),
            round_left=round_left,
            seats_left=seats_left,
            away=self.away,
            looking_on=self.looking_on,
        )

    def clocks(self) -> tuple[float | None, tuple[float | None, ...]]:
        """What is left of the time for the round, and to each seat of that for the session."""
        assert self._now is not None
        gone = 0.0 if self._now.saving else monotonic() - self._heard_at
        running = self._view.turn
        left = self._now.round_left
        seats = [
            time - gone if time is not None and seat == running else time
            for seat, time in enumerate(self._now.seats_left)
        ]
        return None if left is None else left - gone, tuple(seats)

    @property
    def seconds_left(self) -> float | None:
        """How long she has until a clock has run out: the host says what follows then."""
        round_left, seats_left = self.clocks()
        of_seat = seats_left[self.seat] if seats_left and self.seat is not None else None
        return min([max(left, 1.0) for left in (round_left, of_seat) if left is not None], default=None)

    def messages(self, _seat: Seat) -> tuple[Note, ...]:
        """What she was told."""
        return tuple(self._notes)

    def forget_messages(self, _seat: Seat) -> None:
        """Show no messages that were told so far."""
        self._notes.clear()

    def missed(self, _seat: Seat | None) -> MissedMessages:
        """Nobody else sits at this keyboard."""
        return NOTHING_MISSED

    def is_last_actor(self, _seat: Seat) -> bool:
        """What is asked came from the host, after others."""
        return False

    def add_message(self, note: Note) -> None:
        """She is told something that is no part of the session."""
        self._notes.append(note)

    # What she does

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """Choose; what comes of it, once the host has written it."""
        assert self._now is not None
        at = self._now.at
        return self._ask(Act(self.table, at, str(action)), lambda: self._at != at)

    def go_on(self) -> Sequence[SessionEvent]:
        """From the points of a round to the next, once all have looked at them."""
        self._looked = self._view.round
        return self._ask(Ready(self.table, self._looked))

    def stand_in(self, seat: Seat) -> str:
        """Have a robot play for who is away, once all who are there want it; why not, in words."""
        self._await(StandIn(self.table, seat))
        return self._refused

    def say(self, text: str, _seat: Seat) -> Sequence[SessionEvent]:
        """Table talk.  Raises ``CardtableError`` where nobody hears it."""
        self._send(Say(text, self.table))
        return ()

    def _ask(self, message: ClientMessage, answered: Callable[[], bool] = lambda: True) -> Sequence[SessionEvent]:
        """Ask for something, and take what comes of it; nothing where the host says no or cannot be reached."""
        self._await(message, answered)
        return self.apply_next()

    def _await(self, message: ClientMessage, answered: Callable[[], bool] = lambda: True) -> None:
        """Ask for something, and wait until the host has answered; ``answered`` tells that from talk between."""
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
                if self._refused or not self.there or self._saving or answered():
                    return

    def journal(self) -> Journal:
        """The finished rounds as the host has them.  Raises ``CardtableError``."""
        self._rounds = ""
        self._await(AskRounds(self.table), lambda: bool(self._rounds))
        if not self._rounds:
            raise CardtableError(self._refused or CUT)
        return journal.read(self._rounds.encode())

    def poll(self) -> None:
        """Look whether something has come.  Raises ``CardtableError`` while the host cannot be reached."""
        self.data_available.clear()
        if not self.there:
            raise CardtableError(self._why)
        if self._queue:
            self.data_available.set()

    def apply_next(self) -> Sequence[SessionEvent]:
        """The next thing that has come happens here, too, if something has."""
        if not self._queue:
            return ()
        now = self._queue.popleft()
        if not self._queue and self.there:
            self.data_available.clear()
        if now.whole:
            self._scores, self._notes = [], []
            if self.seat in now.waits_for:  # that she has looked may not have come through
                self._looked = 0
        self._scores += now.scores
        self._notes += now.notes
        new = [sanitize(nick, MOST_NAME) for nick in now.looking_on if nick not in self.looking_on]
        self._notes += [CustomLogEntry(None, f"{nick} is watching") for nick in new]
        if now.saving and not (self._now and self._now.saving):
            self._notes.append(CustomLogEntry(None, WAITING_FOR_DISK[now.saving].removesuffix(".")))
        self._now, self._heard_at = now, monotonic()
        if now.places:
            self._sit(now.places)
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

    def _sit(self, places: tuple[SeatInfo, ...]) -> None:
        self.places, self._names = places, [sanitize(place.name, MOST_NAME) for place in places]
        seats = [
            msgspec.structs.replace(who, name=_called(name, place))
            for who, name, place in zip(self.header.seats, self._names, places, strict=True)
        ]
        self.header = msgspec.structs.replace(self.header, seats=tuple(seats))

    # What is not done at other machines

    def request(self) -> "worker.ChooseRequest":
        """Robots think at the host."""
        raise NotImplementedError

    def question(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """What the expert is asked about a view, here, from what she sees."""
        from cardtable.robots import worker  # noqa: PLC0415 - seldom asked for

        return worker.HintRequest(self.game.about.key, view, 0, self.progress[1], to_another=to_another)

    def take_back(self, _choices: int) -> Sequence[SessionEvent]:
        """Nothing is taken back where others play."""
        return ()

    def undo_distance(self, _choices: int) -> int:
        """There is none."""
        return 0

    def undo_refusal(self, _choices: int) -> str:
        """Why there is none."""
        return "others play at other machines"

    def rest(self, _seat: Seat) -> Callable[[], ClaimVerdict]:
        """The rest is played card by card."""
        return lambda: ClaimVerdict.OPEN

    def play_out(self) -> Sequence[SessionEvent]:
        """The rest is played card by card."""
        return ()

    def apply_timeout(self) -> Sequence[SessionEvent]:
        """The host says so."""
        return ()

    def submit_password(self, _password: str) -> str:
        """Nobody is called to this keyboard."""
        return ""

    def confirm_handover(self) -> Sequence[SessionEvent]:
        """Nobody is called to this keyboard."""
        return ()

    def close(self) -> None:
        """She goes; the table stays at the host."""
        self._loop.call_soon_threadsafe(self._leave, self)


def _called(name: str, place: SeatInfo) -> str:
    """What somebody is called at the table; the robot that plays for who is away is called by her name."""
    return f"{name}'s robot" if place.away and place.robot else name
