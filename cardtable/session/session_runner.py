"""The one loop that runs a session: what it waits for, decisions in, what happened out.

It has no screen, starts no thread and never waits; ``wants`` says what there is to wait for, and
who sits at it - screens, plain lines, tests - waits, thinks and shows.  Each method that changes
the session returns once that is on the disk, with what happened, and leaves in ``wants`` what
comes next.  Used by one thread at a time.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cardtable.engine.claim import Verdict
from cardtable.engine.game import CHANCE, OVER, Action, AnyGame, Event, Note, Seat, View
from cardtable.engine.journal import Header, Journal, Line, SeatOf
from cardtable.engine.log_entries import DEALT_AGAIN, TAKEN_BACK, UNRATED, Ruling
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import one_line
from cardtable.session.message_log import MOST_SAID, NOTHING_MISSED, Missed, News, beside, said, sits_down, told_of
from cardtable.session.session_events import (
    Elsewhere,
    Ended,
    EventSeen,
    GoesOn,
    Happening,
    PersonToChoose,
    RobotToChoose,
    RoundEnded,
    Seen,
    Stage,
    ToKeyboard,
    Wants,
)
from cardtable.store.errors import NotSaved
from cardtable.store.profiles import players_at
from cardtable.store.sessions import Session
from cardtable.store.summaries import unrated

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.robots import worker


from cardtable.store import profiles


class Keyboard:
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


class Run:
    """A session, from where it stands to its end."""

    def __init__(self, session: Session, clock: Callable[[], datetime] = now, apart: Sequence[Seat] = ()) -> None:
        """``clock`` tells when something happened; ``apart``: whose seats these are have each a screen of their own."""
        self.session, self.table, self._clock = session, session.table, clock
        table, header = session.table, session.header
        self.people: Final = () if table.covered else tuple(apart or header.people)
        """The seats of those who play here."""
        everybody = range(table.seats)
        bare = not self.people or table.options.items().get("open_hands") == "on"
        self.open: Final = bare and not table.covered
        """Whether everybody here may see all hands."""
        self.news: Final = News(self.people or everybody)
        """What was told to whom."""
        self._told: Final = everybody if bare else self.people
        players = {} if apart else players_at(header)
        self.keyboard: Final = Keyboard({} if apart else {seat: players.get(seat, "") for seat in self.people})
        self._beside: Mapping[Seat, View] = {}
        """What others see where one person plays alone."""
        self.views: Mapping[Seat, View] = {}
        """What each seat sees that is told what happens, the same values until something has changed.

        Nobody is told what only another may know.
        """
        self._happened: list[Happening] = []
        self._read: deque[Line] = deque()
        table.watch = self._seen
        self._look()

    def recall(self) -> None:
        """Have those who play here know what happened in the round that is gone on with.  It takes a while."""
        if self.table.round:
            from cardtable.session.round_replay import story  # noqa: PLC0415 - not for a new session

            story(self.session.path, self.news, hidden=self.table.covered)

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
    def first(self) -> Seat:
        """Whose seat is looked from first."""
        return self.table.turn if self.table.turn in self.people else next(iter(self.news.own))

    @property
    def watched(self) -> bool:
        """Whether only robots play, at the pace of who watches them."""
        return not self.people and not self.session.read_only

    @property
    def deserted(self) -> bool:
        """Whether nobody sits at the keyboard."""
        return self.keyboard.veiled

    @property
    def looking(self) -> str:
        """Why nobody here can act, in words, where it is played elsewhere."""
        return "You are watching." if self.session.looked_at else "Open elsewhere: you are only watching."

    @property
    def coming(self) -> None:
        """Nothing tells that another program has written."""

    @property
    def trouble(self) -> str | None:
        """Why saving fails."""
        return self.session.trouble

    @property
    def stands(self) -> tuple[int, int]:
        """Which round it is, and how many decisions stand."""
        return self.table.round, self.table.decisions

    def acted(self, seat: Seat) -> bool:
        """Whether a seat has a decision that nothing new has followed."""
        return self.table.since(seat) > 0

    @property
    def undone(self) -> int:
        """Decisions taken back so far."""
        return self.table.undone

    def journal(self) -> Journal:
        """What happened so far."""
        return self.session.journal()

    def tell(self, note: Note) -> None:
        """Everybody here is told something that is no part of the session."""
        self.news.note(note)

    def close(self) -> None:
        """Let it go."""
        self.session.close()

    # What is to be seen, and what it waits for

    def seen(self, seat: Seat) -> Seen:
        """All that there is to be seen from a seat now."""
        table, wants, over = self.table, self.wants, isinstance(self.wants, Ended)
        round_left, seats_left = self.clocks()
        called, asked = (wants.seat, wants.password) if isinstance(wants, ToKeyboard) else (None, "")
        return Seen(
            view=self.views[seat],
            others={other: view for other, view in self.views.items() if other != seat and self.open},
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
        return tuple(self.news.notes if self.veiled else self.news.own[seat])

    def forget_messages(self, seat: Seat) -> None:
        """Show no messages that were told so far."""
        self.news.own[seat].clear()

    def _stage(self) -> Stage:
        table = self.table
        match self.wants:
            case Ended():
                return Stage.SESSION_END
            case RoundEnded():
                return Stage.ROUND_END
            case Elsewhere() if table.turn == CHANCE and table.scores and not table.playing:
                return Stage.ROUND_END
        return Stage.CURTAIN if self.veiled else Stage.PLAY

    def _look(self) -> None:
        self._see()
        self._ask()

    def _see(self) -> None:
        self.views = {seat: self.table.view(seat) for seat in self._told}
        self._beside = beside(self.table, self.news.own)

    def _ask(self) -> None:
        self.wants: Wants = self._wanted()
        """What it waits for next."""

    def _wanted(self) -> Wants:
        table = self.table
        if self.session.read_only:
            return self._wanted_of_another()
        if table.turn == OVER:
            return Ended() if table.ended else GoesOn()
        if table.turn == CHANCE:
            return RoundEnded() if table.round == len(table.scores) > 0 else GoesOn()
        if self._silent():
            return GoesOn()
        if self.session.header.seats[table.turn].robot:
            return RobotToChoose(table.turn)
        return self._called(table.turn) if self.keyboard.must_come(table.turn) else PersonToChoose(table.turn)

    def _wanted_of_another(self) -> Wants:
        if self.people and self.keyboard.veiled:
            return self._called(self.people[0])
        return Ended() if self.table.turn == OVER else Elsewhere(len(self._read))

    def _called(self, seat: Seat) -> ToKeyboard:
        return ToKeyboard(seat, self.keyboard.asks(seat))

    def _silent(self) -> Action | None:
        """The choice of the seat to act, if it has none that tells anybody anything."""
        return self.table.game.silent(self.table.view(self.table.turn))

    def request(self) -> "worker.Request":
        """What the robot to choose is asked."""
        from cardtable.robots import worker  # noqa: PLC0415 - after the first picture

        table = self.table
        level = self.session.header.seats[table.turn].robot
        assert level is not None
        return worker.Request(table.game.about.key, level, table.view(table.turn), table.seed, table.decisions)

    def question(self, view: View, *, to_another: bool = False) -> "worker.Question":
        """What the expert is asked about a view of now; ``to_another``: by somebody else than who is to act."""
        from cardtable.robots import worker  # noqa: PLC0415 - seldom asked for

        key, table = self.table.game.about.key, self.table
        return worker.Question(key, view, table.seed, table.decisions, to_another=to_another)

    def missed(self, seat: Seat | None) -> Missed:
        """What happened since ``seat`` last acted, as everybody saw it; asked for while nobody sits at the keyboard."""
        return self.news.missed(seat, self._clock()) if self.veiled else NOTHING_MISSED

    # Decisions

    def go_on(self) -> Sequence[Happening]:
        """What goes on by itself: chance, a choice without a word, the end; from the points of a round to the next."""
        if isinstance(self.wants, RoundEnded):  # all of them have looked at the points: nobody sits at the keyboard
            self.keyboard.leave()
        if self.table.turn >= 0 and (silent := self._silent()):
            return self._play(silent)
        return self._change(self.table.go_on)

    def play(self, action: Action) -> Sequence[Happening]:
        """What the person or robot chooses who is to.  Raises ``IllegalAction``."""
        if not isinstance(self.wants, PersonToChoose | RobotToChoose):
            raise IllegalAction("nobody is to choose now")
        return self._play(action)

    def _play(self, action: Action) -> Sequence[Happening]:
        return self._change(lambda: self.table.play(self.table.turn, action))

    def take_back(self, choices: int) -> Sequence[Happening]:
        """Back to the last decision of the only person among so many choices, or more; nothing where there is none."""
        number = self.way_back(choices)
        if not number:
            return ()
        was_rated = unrated(self.header, self.table.undone) is None
        return self._change(lambda: self.table.undo(number), TAKEN_BACK, *([UNRATED] if was_rated else []))

    def way_back(self, choices: int) -> int:
        """How many decisions that would take back."""
        return self.table.since(self.people[0], choices) if len(self.people) == 1 else 0

    def no_way_back(self, choices: int) -> str:
        """Why there is none, in words."""
        return "several people play" if len(self.people) > 1 else self.table.why_stays(self.people[0], choices)

    def rest(self, seat: Seat) -> Callable[[], Verdict]:
        """Whether ``seat`` may have the rest of the round played out; asked of any thread, it takes a while."""
        return self.table.rest(seat)

    def play_out(self) -> Sequence[Happening]:
        """The rest of the round, where it cannot change the points any more."""
        plays_out = Ruling(self.table.turn, "plays out")
        self.news.note(plays_out)
        return (plays_out, *self._change(self.table.play_out))

    @property
    def seconds_left(self) -> float | None:
        """How long the person to choose has until a clock has run out; ``None`` without one, or where none runs."""
        if not isinstance(self.wants, PersonToChoose):
            return None
        clocks = self.session.clocks.of_round, self.session.clocks.of_seat(self.table.turn)
        return min([left for left in clocks if left is not None], default=None)

    def time_over(self) -> Sequence[Happening]:
        """What follows from a clock that has run out: a session is lost, or a round is void; nothing while none has."""
        if self.seconds_left is None:
            return ()
        seat, clocks = self.table.turn, self.session.clocks
        if _run_out(clocks.of_seat(seat)):
            return self._change(lambda: self.table.forfeit(seat, "clock"), Ruling(seat, "lost"))
        if _run_out(clocks.of_round):
            return self._change(lambda: self.table.void("clock"), DEALT_AGAIN)
        return ()

    def say(self, text: str, seat: Seat) -> Sequence[Happening]:
        """Table talk.  Raises ``CardtableError`` where it cannot be kept."""
        stored = one_line(text.strip(), MOST_SAID)
        note = said(stored, seat if seat in self.people else None)
        self.table.say(stored, note.seat)
        self.news.note(note)
        return (note,)

    def sit(self, seat: Seat, who: SeatOf) -> Sequence[Happening]:
        """From here on somebody else decides for a seat.  Raises ``IllegalAction`` where the session is over."""
        left = self.session.header.seats[seat]
        return self._change(lambda: self.table.sit(seat, who), sits_down(who, left))

    def stand_in(self, _seat: Seat) -> str:
        """Nobody is away from the own keyboard."""
        return ""

    # The keyboard

    @property
    def veiled(self) -> bool:
        """Whether nothing may be seen but what all may see: nobody sits there, or another one is called."""
        return self.keyboard.veiled or isinstance(self.wants, ToKeyboard)

    def give(self, password: str) -> str:
        """Try the password of who is called: why it is not taken; nothing (``""``) if it is right."""
        if not isinstance(self.wants, ToKeyboard):
            return ""
        why = self.keyboard.give(self.wants.seat, password)
        self._ask()
        return why

    def sit_down(self) -> Sequence[Happening]:
        """Who is called has come; of no effect while her password has to be given."""
        if isinstance(self.wants, ToKeyboard) and not self.wants.password:
            self.keyboard.sit_down(self.wants.seat)
            self._ask()
        return ()

    def leave_keyboard(self) -> None:
        """Who sits there may be another one from now on."""
        self.keyboard.leave()
        self._ask()

    # A session that another program plays

    def read_on(self) -> None:
        """Read what it has written.  Raises ``CardtableError`` where that cannot be read."""
        self._read.extend(self.session.read_on())
        self._ask()

    def take(self) -> Sequence[Happening]:
        """The next line that was read happens here, too.  Raises ``IllegalAction``."""
        line = self._read.popleft()
        return self._change(lambda: self.table.take(line), *told_of(line))

    # What happened

    def _change(self, change: Callable[[], None], *told: Note) -> Sequence[Happening]:
        self._happened.clear()
        size = self.session.size
        try:
            change()
        except NotSaved:
            if self.session.size == size:
                raise
            # a part of it is written and counts; ``wants`` has what follows
        for note in told:
            self.news.note(note)
        self._look()
        return (*told, *self._happened)

    def _seen(self, event: Event) -> None:
        before, others = self.views, self._beside
        self._see()
        self._happened.append(EventSeen(event, before, self.views))
        told = {**before, **others}, {**self.views, **self._beside}
        self.news.hear(self.table.game, event, *told, self._clock())


def _run_out(seconds: float | None) -> bool:
    return seconds is not None and seconds <= 0
