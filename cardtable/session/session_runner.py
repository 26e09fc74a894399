"""The one loop that runs a session: what it waits for, decisions in, what happened out.

It has no screen, starts no thread and never waits; ``pending`` says what there is to wait for, and
who sits at it - screens, plain lines, tests - waits, thinks and shows.  Each method that changes
the session returns once that is on the disk, with what happened, and leaves in ``pending`` what
comes next.  Used by one thread at a time.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.game import CHANCE, OVER, Action, AnyGame, Event, Note, Seat, View
from cardtable.engine.journal import Header, Journal, Line, Occupant
from cardtable.engine.log_entries import DEALT_AGAIN, TAKEN_BACK, UNRATED, SystemLogEntry
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import one_line
from cardtable.session.message_log import (
    MOST_SAID,
    NOTHING_MISSED,
    MessageLog,
    MissedMessages,
    entries_for_line,
    other_view,
    seat_change_entry,
    talk_entry,
)
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingHandover,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRemote,
    AwaitingRobot,
    ObservedEvent,
    PendingInput,
    SessionEvent,
    SessionOver,
    SessionSnapshot,
    Stage,
)
from cardtable.store import profiles
from cardtable.store.errors import NotSaved
from cardtable.store.profiles import players_at
from cardtable.store.sessions import Session
from cardtable.store.summaries import unrated

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots import worker


class HotSeat:
    """One keyboard and those who take turns at it."""

    def __init__(self, nicks: Mapping[Seat, str]) -> None:
        """``nicks``: of the people at the table; none (``""``) of who is no player."""
        self.several = len(nicks) > 1
        """Whether people take turns."""
        self._nicks = nicks
        self._proved: Seat | None = None
        """Who was called and has given her password."""
        self.guarded = self.several or any(map(profiles.locked, nicks.values()))
        """Whether who comes to it is called first; of one person only until she has given her password."""
        self.seat: Seat | None = None if self.guarded else next(iter(nicks), None)
        """Who sits there; ``None`` where no hand may be seen, or nobody here plays."""

    @property
    def veiled(self) -> bool:
        """Whether nothing may be seen but what all may see."""
        return self.guarded and self.seat is None

    def must_come(self, seat: Seat) -> bool:
        """Whether the person at ``seat`` has to be called before she acts."""
        return self.guarded and seat != self.seat

    def asks(self, seat: Seat) -> str:
        """The nick at ``seat`` if its password has to be given first: where people take turns, each time."""
        nick = self._nicks[seat]
        return nick if seat != self._proved and profiles.locked(nick, each_time=self.several) else ""

    def give(self, seat: Seat, password: str) -> str:
        """Try the password of who is called: why it is not taken; nothing (``""``) if it is right."""
        why = profiles.give(self._nicks[seat], password)
        self._proved = None if why else seat
        return why

    def sit_down(self, seat: Seat) -> None:
        """From now on the hand of ``seat`` may be seen."""
        self.seat, self._proved, self.guarded = seat, None, self.several

    def leave(self) -> None:
        """Nobody sits there any more, where who comes is called."""
        if self.guarded:
            self.seat = self._proved = None


def now() -> datetime:
    """What time it is."""
    return datetime.now(UTC)


class SessionRunner:
    """A session, from where it stands to its end."""

    def __init__(
        self, session: Session, clock: Callable[[], datetime] = now, remote_seats: Sequence[Seat] = ()
    ) -> None:
        """``clock`` tells when something happened;

        ``remote_seats``: whose seats these are have each a screen of their own.
        """
        self.session, self.table, self._clock = session, session.table, clock
        table, header = session.table, session.header
        self.people: Final = () if table.hide_hands else tuple(remote_seats or header.people)
        """The seats of those who play here."""
        everybody = range(table.seats)
        bare = not self.people or table.options.items().get("open_hands") == "on"
        self.hands_open: Final = bare and not table.hide_hands
        """Whether everybody here may see all hands."""
        self.news: Final = MessageLog(self.people or everybody)
        """What was told to whom."""
        self._told: Final = everybody if bare else self.people
        players = {} if remote_seats else players_at(header)
        self.keyboard: Final = HotSeat({} if remote_seats else {seat: players.get(seat, "") for seat in self.people})
        self._beside: Mapping[Seat, View] = {}
        """What others see where one person plays alone."""
        self.views: Mapping[Seat, View] = {}
        """What each seat sees that is told what happens, the same values until something has changed.

        Nobody is told what only another may know.
        """
        self._happened: list[SessionEvent] = []
        self._read: deque[Line] = deque()
        table.on_event = self._seen
        self._look()

    def load_recent_messages(self) -> None:
        """Have those who play here know what happened in the round that is gone on with.  It takes a while."""
        if self.table.round:
            from cardtable.session.round_replay import story  # noqa: PLC0415 - not for a new session

            story(self.session.path, self.news, hidden=self.table.hide_hands)

    # What it is

    @property
    def record(self) -> Path:
        """Where its journal lies."""
        return self.session.path

    @property
    def header(self) -> Header:
        """What it was begun with, and who sits where."""
        return self.session.header

    @property
    def game(self) -> AnyGame:
        """What is played."""
        return self.table.game

    @property
    def initial_seat(self) -> Seat:
        """Whose seat is looked from first."""
        return self.table.turn if self.table.turn in self.people else next(iter(self.news.own))

    @property
    def robots_only(self) -> bool:
        """Whether only robots play, at the pace of who watches them."""
        return not self.people and not self.session.read_only

    @property
    def is_hidden(self) -> bool:
        """Whether nobody sits at the keyboard."""
        return self.keyboard.veiled

    @property
    def spectator_reason(self) -> str:
        """Why nobody here can act, in words, where it is played elsewhere."""
        return "You are watching." if self.session.view_only else "Open elsewhere: you are only watching."

    @property
    def data_available(self) -> None:
        """Nothing tells that another program has written."""

    @property
    def save_error(self) -> str | None:
        """Why saving fails."""
        return self.session.trouble

    @property
    def progress(self) -> tuple[int, int]:
        """Which round it is, and how many decisions stand."""
        return self.table.round, self.table.decisions

    def is_last_actor(self, seat: Seat) -> bool:
        """Whether a seat has a decision that nothing new has followed."""
        return self.table.undo_distance(seat) > 0

    @property
    def undone(self) -> int:
        """Decisions taken back so far."""
        return self.table.undone

    def journal(self) -> Journal:
        """What happened so far."""
        return self.session.journal()

    def add_message(self, note: Note) -> None:
        """Everybody here is told something that is no part of the session."""
        self.news.note(note)

    def close(self) -> None:
        """Let it go."""
        self.session.close()

    # What is to be seen, and what it waits for

    def seen(self, seat: Seat) -> SessionSnapshot:
        """All that there is to be seen from a seat now."""
        table, wants, over = self.table, self.pending, isinstance(self.pending, SessionOver)
        round_left, seats_left = self.clocks()
        called, asked = (wants.seat, wants.password) if isinstance(wants, AwaitingHandover) else (None, "")
        return SessionSnapshot(
            view=self.views[seat],
            others={other: view for other, view in self.views.items() if other != seat and self.hands_open},
            stage=self._stage(),
            called=called,
            asked=asked,
            scores=tuple(table.scores),
            ranks=table.ranks if over else None,
            results=table.totals if over else None,
            messages=self.messages(seat),
            missed=self.missed(called),
            round_left=round_left,
            seats_left=seats_left,
        )

    def clocks(self) -> tuple[float | None, tuple[float | None, ...]]:
        """What is left of the time for the round, and to each seat of that for the session, where there are clocks."""
        clocks = self.session.clocks
        return clocks.of_round if self.people else None, tuple(map(clocks.of_seat, range(self.table.seats)))

    def messages(self, seat: Seat) -> tuple[Note, ...]:
        """What a seat was told; what all were while nobody sits at the keyboard."""
        return tuple(self.news.notes if self.public_only else self.news.own[seat])

    def forget_messages(self, seat: Seat) -> None:
        """Show no messages that were told so far."""
        self.news.own[seat].clear()

    def _stage(self) -> Stage:
        table = self.table
        match self.pending:
            case SessionOver():
                return Stage.SESSION_END
            case AwaitingNextRound():
                return Stage.ROUND_END
            case AwaitingRemote() if table.turn == CHANCE and table.scores and not table.playing:
                return Stage.ROUND_END
        return Stage.CURTAIN if self.public_only else Stage.PLAY

    def _look(self) -> None:
        self._see()
        self._ask()

    def _see(self) -> None:
        self.views = {seat: self.table.view(seat) for seat in self._told}
        self._beside = other_view(self.table, self.news.own)

    def _ask(self) -> None:
        self.pending: PendingInput = self._wanted()
        """What it waits for next."""

    def _wanted(self) -> PendingInput:
        table = self.table
        if self.session.read_only:
            return self._wanted_of_another()
        if table.turn == OVER:
            return SessionOver() if table.ended else AutoAdvance()
        if table.turn == CHANCE:
            return AwaitingNextRound() if table.round == len(table.scores) > 0 else AutoAdvance()
        if self._silent():
            return AutoAdvance()
        if self.session.header.seats[table.turn].robot:
            return AwaitingRobot(table.turn)
        return self._called(table.turn) if self.keyboard.must_come(table.turn) else AwaitingPlayer(table.turn)

    def _wanted_of_another(self) -> PendingInput:
        if self.people and self.keyboard.veiled:
            return self._called(self.people[0])
        return SessionOver() if self.table.turn == OVER else AwaitingRemote(len(self._read))

    def _called(self, seat: Seat) -> AwaitingHandover:
        return AwaitingHandover(seat, self.keyboard.asks(seat))

    def _silent(self) -> Action | None:
        """The choice of the seat to act, if it has none that tells anybody anything."""
        return self.table.game.forced_silent_action(self.table.view(self.table.turn))

    def request(self) -> "worker.ChooseRequest":
        """What the robot to choose is asked."""
        from cardtable.robots import worker  # noqa: PLC0415 - after the first picture

        table = self.table
        level = self.session.header.seats[table.turn].robot
        assert level is not None
        return worker.ChooseRequest(table.game.about.key, level, table.view(table.turn), table.seed, table.decisions)

    def question(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """What the expert is asked about a view of now; ``to_another``: by somebody else than who is to act."""
        from cardtable.robots import worker  # noqa: PLC0415 - seldom asked for

        key, table = self.table.game.about.key, self.table
        return worker.HintRequest(key, view, table.seed, table.decisions, to_another=to_another)

    def missed(self, seat: Seat | None) -> MissedMessages:
        """What happened since ``seat`` last acted, as everybody saw it; asked for while nobody sits at the keyboard."""
        return self.news.missed(seat, self._clock()) if self.public_only else NOTHING_MISSED

    # Decisions

    def go_on(self) -> Sequence[SessionEvent]:
        """What goes on by itself: chance, a choice without a word, the end; from the points of a round to the next."""
        if isinstance(
            self.pending, AwaitingNextRound
        ):  # all of them have looked at the points: nobody sits at the keyboard
            self.keyboard.leave()
        if self.table.turn >= 0 and (silent := self._silent()):
            return self._play(silent)
        return self._change(self.table.advance)

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """What the person or robot chooses who is to.  Raises ``IllegalAction``."""
        if not isinstance(self.pending, AwaitingPlayer | AwaitingRobot):
            raise IllegalAction("nobody is to choose now")
        return self._play(action)

    def _play(self, action: Action) -> Sequence[SessionEvent]:
        return self._change(lambda: self.table.play(self.table.turn, action))

    def take_back(self, choices: int) -> Sequence[SessionEvent]:
        """Back to the last decision of the only person among so many choices, or more; nothing where there is none."""
        number = self.undo_distance(choices)
        if not number:
            return ()
        was_rated = unrated(self.header, self.table.undone) is None
        return self._change(lambda: self.table.undo(number), TAKEN_BACK, *([UNRATED] if was_rated else []))

    def undo_distance(self, choices: int) -> int:
        """How many decisions that would take back."""
        return self.table.undo_distance(self.people[0], choices) if len(self.people) == 1 else 0

    def undo_refusal(self, choices: int) -> str:
        """Why there is none, in words."""
        return "several people play" if len(self.people) > 1 else self.table.undo_refusal(self.people[0], choices)

    def rest(self, seat: Seat) -> Callable[[], ClaimVerdict]:
        """Whether ``seat`` may have the rest of the round played out; asked of any thread, it takes a while."""
        return self.table.check_claim(seat)

    def play_out(self) -> Sequence[SessionEvent]:
        """The rest of the round, where it cannot change the points any more."""
        plays_out = SystemLogEntry(self.table.turn, "plays out")
        self.news.note(plays_out)
        return (plays_out, *self._change(self.table.claim_rest))

    @property
    def seconds_left(self) -> float | None:
        """How long the person to choose has until a clock has run out; ``None`` without one, or where none runs."""
        if not isinstance(self.pending, AwaitingPlayer):
            return None
        clocks = self.session.clocks.of_round, self.session.clocks.of_seat(self.table.turn)
        return min([left for left in clocks if left is not None], default=None)

    def apply_timeout(self) -> Sequence[SessionEvent]:
        """What follows from a clock that has run out: a session is lost, or a round is void; nothing while none has."""
        if self.seconds_left is None:
            return ()
        seat, clocks = self.table.turn, self.session.clocks
        if _run_out(clocks.of_seat(seat)):
            return self._change(lambda: self.table.forfeit(seat, "clock"), SystemLogEntry(seat, "lost"))
        if _run_out(clocks.of_round):
            return self._change(lambda: self.table.void("clock"), DEALT_AGAIN)
        return ()

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        """Table talk.  Raises ``CardtableError`` where it cannot be kept."""
        stored = one_line(text.strip(), MOST_SAID)
        note = talk_entry(stored, seat if seat in self.people else None)
        self.table.say(stored, note.seat)
        self.news.note(note)
        return (note,)

    def sit(self, seat: Seat, who: Occupant) -> Sequence[SessionEvent]:
        """From here on somebody else decides for a seat.  Raises ``IllegalAction`` where the session is over."""
        left = self.session.header.seats[seat]
        return self._change(lambda: self.table.change_occupant(seat, who), seat_change_entry(who, left))

    def stand_in(self, _seat: Seat) -> str:
        """Nobody is away from the own keyboard."""
        return ""

    # The keyboard

    @property
    def public_only(self) -> bool:
        """Whether nothing may be seen but what all may see: nobody sits there, or another one is called."""
        return self.keyboard.veiled or isinstance(self.pending, AwaitingHandover)

    def submit_password(self, password: str) -> str:
        """Try the password of who is called: why it is not taken; nothing (``""``) if it is right."""
        if not isinstance(self.pending, AwaitingHandover):
            return ""
        why = self.keyboard.give(self.pending.seat, password)
        self._ask()
        return why

    def confirm_handover(self) -> Sequence[SessionEvent]:
        """Who is called has come; of no effect while her password has to be given."""
        if isinstance(self.pending, AwaitingHandover) and not self.pending.password:
            self.keyboard.sit_down(self.pending.seat)
            self._ask()
        return ()

    def leave_keyboard(self) -> None:
        """Who sits there may be another one from now on."""
        self.keyboard.leave()
        self._ask()

    # A session that another program plays

    def poll(self) -> None:
        """Read what it has written.  Raises ``CardtableError`` where that cannot be read."""
        self._read.extend(self.session.read_on())
        self._ask()

    def apply_next(self) -> Sequence[SessionEvent]:
        """The next line that was read happens here, too.  Raises ``IllegalAction``."""
        line = self._read.popleft()
        return self._change(lambda: self.table.apply_line(line), *entries_for_line(line))

    # What happened

    def _change(self, change: Callable[[], None], *told: Note) -> Sequence[SessionEvent]:
        self._happened.clear()
        size = self.session.size
        try:
            change()
        except NotSaved:
            if self.session.size == size:
                raise
            # a part of it is written and counts; ``pending`` has what follows
        for note in told:
            self.news.note(note)
        self._look()
        return (*told, *self._happened)

    def _seen(self, event: Event) -> None:
        before, others = self.views, self._beside
        self._see()
        self._happened.append(ObservedEvent(event, before, self.views))
        told = {**before, **others}, {**self.views, **self._beside}
        self.news.hear(self.table.game, event, *told, self._clock())


def _run_out(seconds: float | None) -> bool:
    return seconds is not None and seconds <= 0
