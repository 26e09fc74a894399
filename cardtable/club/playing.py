"""A session that guests play: one task owns it, and does one thing after the other."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Final, TypeAlias

import msgspec

from cardtable.club.listener import Listener
from cardtable.engine import journal
from cardtable.engine.contract import OVER, Action, Seat, action_of
from cardtable.engine.journal import Journal, SeatOf
from cardtable.engine.replay import follow
from cardtable.engine.table import IllegalAction
from cardtable.games import GAMES
from cardtable.play.run import EventSeen, Happening, Run
from cardtable.play.wants import Ended, GoesOn, PersonToChoose, RobotToChoose, RoundEnded
from cardtable.robots.worker import Request
from cardtable.store.errors import CardtableError
from cardtable.store.seating import ROBOT_NAMES, USUAL_LEVEL
from cardtable.store.sessions import Session

Think: TypeAlias = Callable[[Request], Awaitable[Action]]
"""Has a robot choose."""
Change: TypeAlias = Callable[[], Sequence[Happening]]


RETRY: Final = 1.0
"""Seconds until a robot is asked again that could not choose."""
LOOK: Final = 90.0
"""Seconds for which people may look at the points of a round while others wait for them."""
CLOSED: Final = "the table is closed"


class Playing:
    """One table that is played, from where its session stands to its end.

    What guests want comes as changes, which its task does one by one, each in a thread since each
    line goes to the disk before anybody is told.  While nobody is there it stands still.
    """

    def __init__(
        self,
        session: Session,
        think: Think,
        grace: int,
        clock: Callable[[], float] = monotonic,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """``grace``: seconds for which those who are away are waited for; ``changed`` is called after each change."""
        self._changed = changed
        self.session: Final = session
        self._think, self._grace, self._clock = think, grace, clock
        self.people: Final = owners(session)
        """Whose the seats are, whoever decides for them now."""
        self._run = Run(session, apart=tuple(self.people))
        self._listeners: list[Listener] = []
        self._left = dict.fromkeys(self.people, clock())
        """Since when those are away who are not there."""
        self._agreed: dict[Seat, set[Seat]] = {}
        """By the seat of who is away, who wants a robot there."""
        self._ready: set[Seat] = set()
        """Who has looked at the points of the round."""
        self._wanted: deque[tuple[Change, asyncio.Future[None]]] = deque()
        self._news = asyncio.Event()
        """Set while something is wanted."""
        self._closed = False

    def recall(self) -> None:
        """Have everybody know what happened in the round that is gone on with.  It takes a while."""
        self._run.recall()

    # What guests do

    async def listen(self, seat: Seat | None, wake: Callable[[], None]) -> Listener:
        """Somebody comes, to her seat or to look on; she is told how it stands as soon as nothing changes."""
        listener = Listener(self._run, self.session.header.id, seat, wake)

        def comes() -> Sequence[Happening]:
            self._listeners.append(listener)
            if seat is None or self._left.pop(seat, None) is None:
                return ()
            self._agreed.pop(seat, None)
            goes_on = self._run.table.turn != OVER
            return self._run.sit(seat, self.people[seat]) if goes_on and self.stood_in(seat) else ()

        await self._want(comes)
        return listener

    async def leave(self, listener: Listener) -> None:
        """Somebody goes; her seat stays hers."""

        def goes() -> Sequence[Happening]:
            self._listeners.remove(listener)
            if listener.seat is not None and not self._there(listener.seat):
                self._left[listener.seat] = self._clock()
            return ()

        await self._want(goes)

    async def act(self, seat: Seat, at: int, text: str) -> None:
        """A decision of a seat.  Raises ``IllegalAction`` where it is stale or not legal; nothing has changed then."""

        def chooses() -> Sequence[Happening]:
            table = self._run.table
            if table.decisions != at or table.turn != seat:
                raise IllegalAction("the table has gone on since")
            action = action_of(self._run.views[seat].legal, text)
            if action is None:
                raise IllegalAction(f"{text[:60]!r} is not legal here")
            return self._run.play(action)

        await self._want(chooses)

    async def ready(self, seat: Seat, number: int) -> None:
        """She has looked at the points of a round."""

        def looks() -> Sequence[Happening]:
            if isinstance(self._run.wants, RoundEnded) and self._run.table.round == number:
                self._ready.add(seat)
            return ()

        await self._want(looks)

    async def say(self, text: str, seat: Seat | None) -> None:
        """Talk of a seat, or of who looks on.  Raises ``CardtableError`` where it cannot be kept."""
        await self._want(lambda: self._run.say(text, -1 if seat is None else seat))

    async def rounds(self) -> str:
        """The journal up to the end of the last finished round, without the seed: nothing of it is hidden any more."""
        found: list[str] = []

        def reads() -> Sequence[Happening]:
            found.append(finished(self.session.journal()))
            return ()

        await self._want(reads)
        return found[0]

    async def stand_in(self, seat: Seat, by: Seat) -> None:
        """A robot is to play for who is away, once all who are there want it.

        Raises ``IllegalAction`` while she is waited for.
        """

        def takes_the_seat() -> Sequence[Happening]:
            if seat not in self._left or self.stood_in(seat):
                raise IllegalAction("nobody is missing there")
            if (left := self._seconds(seat)) > 0:
                raise IllegalAction(f"{self.people[seat].name} is waited for, another {left} s")
            self._agreed[seat] = self._agreed.get(seat, set()) | {by}
            if any(self._there(each) and each not in self._agreed[seat] for each in self.people):
                return ()
            taken = {who.name for who in self.session.header.seats}
            name = next(name for name in ROBOT_NAMES if name not in taken)
            return self._run.sit(seat, SeatOf(name, USUAL_LEVEL))

        await self._want(takes_the_seat)

    async def _want(self, change: Change) -> None:
        if self._closed:
            raise CardtableError(CLOSED)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wanted.append((change, done))
        self._news.set()
        await done

    # Its task

    async def play(self) -> None:
        """Play to the end of the session, and then answer those who still look at it, until this is cancelled."""
        try:
            while True:
                await self._step()
        finally:
            self._closed = True
            for _, done in self._wanted:
                _answer(done, CardtableError(CLOSED))

    def close(self) -> None:
        """Let go of the session, once its task has ended."""
        self.session.close()

    async def _step(self) -> None:
        run = self._run
        match run.wants:
            case GoesOn() if self._somebody:
                await self._change(run.go_on)
            case RoundEnded() if self._somebody:
                await self._round_ended()
            case RobotToChoose(seat=seat) if self._somebody:
                await self._robot(seat)
            case PersonToChoose():
                if not await self._asked(run.seconds_left):
                    await self._change(run.time_over)
            case _:
                await self._asked(None)

    async def _round_ended(self) -> None:
        """Deal the next round once all who are there have looked at the points, or had the time for it."""
        end = self._clock() + LOOK
        while isinstance(self._run.wants, RoundEnded) and not self._looked():
            if not await self._asked(max(end - self._clock(), 0)):
                break
        if isinstance(self._run.wants, RoundEnded) and self._somebody:
            self._ready.clear()
            await self._change(self._run.go_on)

    async def _robot(self, seat: Seat) -> None:
        """Have a robot choose; meanwhile others talk, come and go."""
        thinking = asyncio.ensure_future(self._think(self._run.request()))
        try:
            while not thinking.done():
                coming = asyncio.ensure_future(self._news.wait())
                await asyncio.wait([thinking, coming], return_when=asyncio.FIRST_COMPLETED)
                coming.cancel()
                if not thinking.done():
                    await self._do_next()
                if self._run.wants != RobotToChoose(seat):  # whose seat it is has come back
                    return
            action = thinking.result()
        except CardtableError:  # the process is started anew
            await self._asked(RETRY)
            return
        finally:
            thinking.cancel()
        await self._change(lambda: self._run.play(action))

    async def _asked(self, seconds: float | None) -> bool:
        """Do the next thing that somebody wants; whether anything was, within so many seconds."""
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return False
        await self._do_next()
        return True

    async def _do_next(self) -> None:
        change, done = self._wanted.popleft()
        if not self._wanted:
            self._news.clear()
        try:
            await self._change(change)
        except (IllegalAction, CardtableError) as error:
            _answer(done, error)
        except BaseException:
            _answer(done, CardtableError(CLOSED))
            raise
        _answer(done)

    async def _change(self, change: Change) -> None:
        """Change the session, and tell everybody."""
        happened = await asyncio.to_thread(change)
        events = [it for it in happened if isinstance(it, EventSeen)]
        waits_for, away = self._waits_for(), {seat: self._seconds(seat) for seat in self._left}
        for listener in self._listeners:
            listener.happened(events)
            listener.look(waits_for, away)
        self._changed()

    # Who is there

    @property
    def turn(self) -> Seat:
        """The seat to act, ``CHANCE`` or ``OVER``."""
        return self._run.table.turn

    @property
    def round(self) -> int:
        """Rounds dealt so far."""
        return self._run.table.round

    @property
    def looking_on(self) -> int:
        """How many look on."""
        return sum(listener.seat is None for listener in self._listeners)

    def away(self, seat: Seat) -> bool:
        """Whether somebody whose seat it is is not there."""
        return seat in self._left

    @property
    def empty(self) -> bool:
        """Whether nobody is there, nor looks on."""
        return not self._listeners

    @property
    def over(self) -> bool:
        """Whether the session is over."""
        return isinstance(self._run.wants, Ended)

    @property
    def _somebody(self) -> bool:
        return any(listener.seat is not None for listener in self._listeners)

    def _there(self, seat: Seat) -> bool:
        return any(listener.seat == seat for listener in self._listeners)

    def stood_in(self, seat: Seat) -> bool:
        """Whether a robot plays there for who is away."""
        return self.session.header.seats[seat].robot is not None

    def _looked(self) -> bool:
        return all(seat in self._ready or not self._there(seat) for seat in self.people)

    def _seconds(self, seat: Seat) -> int:
        """How long somebody who is away is still waited for."""
        return max(0, round(self._left[seat] + self._grace - self._clock()))

    def _waits_for(self) -> tuple[Seat, ...]:
        if isinstance(self._run.wants, RoundEnded):
            return tuple([seat for seat in self.people if seat not in self._ready])
        turn = self._run.table.turn
        return (turn,) if turn >= 0 else ()


def _answer(done: "asyncio.Future[None]", error: Exception | None = None) -> None:
    """Tell who waits for it that something is done, or why not."""
    if done.done():
        return
    if error:
        done.set_exception(error)
    else:
        done.set_result(None)


def finished(read: Journal) -> str:
    """The lines of a journal up to the end of the last finished round, with 0 for the seed."""
    rounds = entries = 0
    for number, (_, table) in enumerate(follow(read, GAMES)):
        if len(table.scores) > rounds:
            rounds, entries = len(table.scores), number
    header = msgspec.structs.replace(read.header, seed=0)
    return journal.write([header, *[entry.line for entry in read.entries[:entries]]]).decode()


def owners(session: Session) -> dict[Seat, SeatOf]:
    """The people of a session by their seats: also those for whom robots stand in."""
    read = session.journal()
    found = {seat: read.header.seats[seat] for seat in read.header.people}
    for entry in read.entries:
        if entry.line.sit is not None and entry.line.robot is None:
            found[entry.line.sit] = entry.line.sitter
    return found
