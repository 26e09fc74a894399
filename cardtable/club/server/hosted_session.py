"""A session that guests play: one task owns it, and does one thing after the other."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from time import monotonic
from typing import Final, TypeAlias

from cardtable.club.protocol import PlaceShown
from cardtable.club.server.client_outbox import Around, Listener
from cardtable.club.server.command_queue import Change, OneByOne, wholly
from cardtable.club.server.finished_sessions import finished
from cardtable.club.server.limits import TalkBudget
from cardtable.club.server.seat_ownership import Owners, owners, places
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import OVER, Action, Seat
from cardtable.engine.journal import SeatOf
from cardtable.engine.log_entries import Told
from cardtable.engine.referee import IllegalAction
from cardtable.engine.replay import action_of
from cardtable.robots.worker import Request
from cardtable.session.session_events import (
    Ended,
    EventSeen,
    GoesOn,
    Happening,
    PersonToChoose,
    RobotToChoose,
    RoundEnded,
)
from cardtable.session.session_runner import Run
from cardtable.store.errors import NotSaved
from cardtable.store.seating import ROBOT_NAMES, USUAL_LEVEL
from cardtable.store.sessions import Session

Think: TypeAlias = Callable[[Request], Awaitable[Action]]
"""Has a robot choose."""
RETRY: Final = 1.0
"""Seconds until a robot is asked again that could not choose, and until a change that could not be saved is retried."""
MOST_STAND_INS: Final = 1000
"""How often robots may sit down for people in a session, which takes room in its journal, too."""
LOOK: Final = 90.0
"""Seconds for which people may look at the points of a round while others wait for them."""


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
        given: Collection[Seat] = (),
        network_of: Callable[[str], str] = lambda _nick: "",
    ) -> None:
        """``grace``: seconds for which those who are away are waited for; ``changed`` is called after each change.

        ``given``: seats that robots have for good; ``network_of``: see ``TalkBudget``.
        """
        self._changed = changed
        self.session: Final = session
        self._think, self._clock = think, clock
        read = session.journal()
        self._owners = Owners(owners(read, given), grace, clock)
        self._talk = TalkBudget(read, network_of)
        self._stand_ins = sum(entry.line.sit is not None and entry.line.robot is not None for entry in read.entries)
        self.people: Final = self._owners.people
        """Whose the seats are, whoever decides for them now."""
        self.given: Final = set(given)
        """Seats that robots have for good."""
        self._again: list[Seat] = []
        """Who plays another session, once the game master has offered it."""
        self._run = Run(session, apart=tuple(self.people))
        self._listeners: list[Listener] = []
        self._ready: set[Seat] = set()
        """Who has looked at the points of the round."""
        self._changes = OneByOne(self._change)
        self._unsaved: deque[Change] = deque()
        """Changes that the disk refused, which are retried in this order; nobody sees anything of them."""
        self._retry_at = 0.0
        self._refused: NotSaved | None = None
        """Why the disk refused the last one."""

    def recall(self) -> None:
        """Have everybody know what happened in the round that is gone on with.  It takes a while."""
        self._run.recall()

    # What guests do

    def listener(self, nick: str, seat: Seat | None, wake: Callable[[], None]) -> Listener:
        """Somebody who is about to come, to her seat or to look on."""
        return Listener(self._run, self.session.header.id, nick, seat, wake)

    async def listen(self, listeners: Collection[Listener]) -> None:
        """These come, all at once; they are told how it stands as soon as nothing changes."""
        await self._changes.want(lambda: self._come(listeners))

    def _come(self, listeners: Collection[Listener]) -> Sequence[Happening]:
        try:
            happened = self._take_back_seats({listener.seat for listener in listeners})
        except NotSaved as error:
            self._keep(self._take_back_own_seats, error)
            happened = ()
        for listener in listeners:
            self._listeners.append(listener)
            if listener.seat in self._owners.away:
                self._owners.comes(listener.seat)
        return happened

    def _take_back_own_seats(self) -> Sequence[Happening]:
        """Give all people who are at the table their own seats again."""
        return self._take_back_seats(self.there)

    def _take_back_seats(self, seats: Collection[Seat | None]) -> Sequence[Happening]:
        return [it for seat in seats for it in self._take_back_seat(seat)]

    def _take_back_seat(self, seat: Seat | None) -> Sequence[Happening]:
        """Give somebody who comes her own seat again if anybody plays there for her."""
        if seat is None or seat not in self.people or self._run.table.turn == OVER:
            return ()
        now, her = self.session.header.seats[seat], self.people[seat]
        another = now.robot is not None or now.player != her.player or (her.player is None and now.name != her.name)
        return self._run.sit(seat, her) if another else ()

    async def go_on_for(self, broken: "Playing") -> None:
        """Those who were at this table when it broke down are at it again, and are told how it stands."""

        def come() -> Sequence[Happening]:
            for listener in broken._listeners:
                listener.look_at(self._run)
            return self._come(broken._listeners)

        await self._changes.want(come)

    async def leave(self, listener: Listener) -> None:
        """Somebody goes; her seat stays hers."""

        def goes() -> Sequence[Happening]:
            self._listeners.remove(listener)
            if listener.seat is not None and listener.seat not in self.there:
                self._owners.goes(listener.seat)
            return ()

        await self._changes.want(goes)

    async def act(self, seat: Seat, at: int, text: str) -> None:
        """A decision of a seat.  Raises ``IllegalAction`` where it is stale or not legal; nothing has changed then."""

        def chooses() -> Sequence[Happening]:
            table = self._run.table
            if table.decisions != at or table.turn != seat:
                raise IllegalAction("something has happened at the table meanwhile; choose again")
            action = action_of(self._run.views[seat].legal, text)
            if action is None:
                raise IllegalAction(f"{text[:60]!r} is not legal here")
            return self._run.play(action)

        self._refuse_while_unsaved()
        await self._changes.want(chooses)

    async def ready(self, seat: Seat, number: int) -> None:
        """She has looked at the points of a round."""

        def looks() -> Sequence[Happening]:
            if isinstance(self._run.wants, RoundEnded) and self._run.table.round == number:
                self._ready.add(seat)
            return ()

        await self._changes.want(looks)

    async def say(self, text: str, speaker: Seat | str) -> None:
        """Tell everybody at the table what was said in a seat, or by a spectator of a nick.

        Raises ``IllegalAction`` if there is no room for more talk, ``CardtableError`` if it cannot be saved.
        """
        said, seat = (text, speaker) if isinstance(speaker, int) else (f"{speaker}: {text}", -1)

        def says() -> Sequence[Happening]:
            self._talk.refuse(said, speaker)
            happened = self._run.say(said, seat)
            self._talk.add(said, speaker)
            return happened

        await self._changes.want(says)

    async def rounds(self) -> str:
        """The journal up to the end of the last finished round, without the seed: nothing of it is hidden any more."""
        found: list[str] = []

        def reads() -> Sequence[Happening]:
            found.append(finished(self.session.journal()))
            return ()

        await self._changes.want(reads)
        return found[0]

    async def stand_in(self, seat: Seat, by: Seat) -> None:
        """A robot is to play for who is away, once all who are there want it.

        Raises ``IllegalAction`` while she is waited for.
        """

        def takes_the_seat() -> Sequence[Happening]:
            if self.stood_in(seat):
                raise IllegalAction("nobody is away from that seat")
            self._owners.refuse(seat)
            return self._robot_sits(seat, USUAL_LEVEL) if self._owners.agrees(by, seat, self.there) else ()

        await self._changes.want(takes_the_seat)

    async def fill(self, level: str) -> None:
        """Robots of a level play for all who are away, until they are back."""

        def take_the_seats() -> Sequence[Happening]:
            absent = [seat for seat in self._owners.away if not self.stood_in(seat)]
            return [happening for seat in absent for happening in self._robot_sits(seat, level)]

        await self._changes.want(take_the_seats)

    def _robot_sits(self, seat: Seat, level: str) -> Sequence[Happening]:
        if self._stand_ins >= MOST_STAND_INS:
            raise IllegalAction("robots have sat down too often in this session; wait for the people")
        taken = {who.name for who in self.session.header.seats}
        name = next(name for name in ROBOT_NAMES if name not in taken)
        happened = self._run.sit(seat, SeatOf(name, level))
        self._stand_ins += 1
        return happened

    async def end_wait(self) -> None:
        """Nobody is waited for any longer who is away, or looks at the points of the round."""

        def ends() -> Sequence[Happening]:
            self._owners.end_wait()
            if isinstance(self._run.wants, RoundEnded):
                self._ready.update(self.people)
            return ()

        await self._changes.want(ends)

    async def give(self, seat: Seat, nick: str, level: str) -> None:
        """Offer the seat of somebody who has left to another person, or without a nick have a robot take it.

        Raises ``IllegalAction`` while the person is waited for or a round is played, ``NotSaved`` if the robot's
        sitting down is not on the disk yet.
        """

        def gives() -> Sequence[Happening]:
            self._owners.refuse(seat)
            self._refuse_in_a_round()
            if nick:
                self._owners.offers[seat] = nick
                return ()
            return self._robot_sits(seat, level)

        await self._changes.want(gives)
        if not nick and not self.stood_in(seat):
            self._refuse_while_unsaved()

    async def give_for_good(self, seat: Seat) -> None:
        """Leave a seat to the robot that plays there; of no effect if its owner has come back."""

        def leaves() -> Sequence[Happening]:
            if self.stood_in(seat):
                self._owners.is_a_robot_s(seat)
                self.given.add(seat)
            return ()

        await self._changes.want(leaves)

    def offers(self, seat: Seat) -> str:
        """To whom a seat is offered; nothing: to nobody."""
        return self._owners.offers.get(seat, "")

    async def take_over(self, seat: Seat, who: SeatOf) -> None:
        """Somebody takes a seat that she was offered.  Raises ``IllegalAction`` where she cannot have it now."""

        def takes() -> Sequence[Happening]:
            self._refuse_in_a_round()
            before = self.people[seat]
            self._owners.takes_over(seat, who)
            self._run.forget_messages(seat)
            try:
                return self._run.sit(seat, who)
            except NotSaved as error:
                self.people[seat], self._owners.offers[seat] = before, who.name
                raise IllegalAction(str(error)) from None

        await self._changes.want(takes)

    def _refuse_in_a_round(self) -> None:
        if not isinstance(self._run.wants, RoundEnded):
            raise IllegalAction("a seat can be given away between two rounds only")

    async def again(self, seat: Seat) -> None:
        """Somebody plays another session.  Raises ``IllegalAction`` before this one is over."""

        def plays() -> Sequence[Happening]:
            if not self.over:
                raise IllegalAction("the session is not over yet")
            self._again += [seat] * (seat not in self._again)
            return ()

        await self._changes.want(plays)

    @property
    def offered(self) -> bool:
        """Whether another session was offered."""
        return bool(self._again)

    @property
    def all_again(self) -> bool:
        """Whether another session was offered, and all who are there play it."""
        return self.offered and self.there.issubset(self._again)

    # Its task

    async def play(self) -> None:
        """Play to the end of the session, and then answer those who still look at it, until this is cancelled."""
        try:
            while True:
                try:
                    await self._step()
                except GameFailed as failed:
                    await self._stands_still(failed)
        finally:
            self._changes.close()

    def close(self) -> None:
        """Let go of the session, once its task has ended."""
        self.session.close()

    async def _step(self) -> None:
        run = self._run
        if self._unsaved:
            await self._retry()
            return
        match run.wants:
            case GoesOn() if self._somebody:
                await self._change(run.go_on)
            case RoundEnded() if self._somebody:
                await self._round_ended()
            case RobotToChoose(seat=seat) if self._somebody:
                await self._robot(seat)
            case PersonToChoose():
                if not await self._changes.asked(run.seconds_left):
                    await self._change(run.time_over)
            case _:
                await self._changes.asked(None)

    async def _stands_still(self, failed: GameFailed) -> None:
        """All read why it does not go on; with the next thing that somebody wants it is tried again."""

        def told() -> Sequence[Happening]:
            self._run.tell(Told(None, str(failed)))
            return ()

        await self._change(told)
        await self._changes.asked(None)

    async def _round_ended(self) -> None:
        """Deal the next round once all who are there have looked at the points, or had the time for it."""
        end = self._clock() + LOOK
        while isinstance(self._run.wants, RoundEnded) and not self._looked():
            if not await self._changes.asked(max(end - self._clock(), 0)):
                break
        if isinstance(self._run.wants, RoundEnded) and self._somebody:
            await self._advance(self._deal)

    def _deal(self) -> Sequence[Happening]:
        happened = self._run.go_on()
        self._ready.clear()
        self._owners.offers.clear()
        return happened

    async def _robot(self, seat: Seat) -> None:
        """Have a robot choose; meanwhile others talk, come and go."""
        thinking = asyncio.ensure_future(self._think(self._run.request()))
        try:
            while not thinking.done():
                coming = asyncio.ensure_future(self._changes.news.wait())
                await asyncio.wait([thinking, coming], return_when=asyncio.FIRST_COMPLETED)
                coming.cancel()
                if not thinking.done():
                    await self._changes.do_next()
                if self._run.wants != RobotToChoose(seat):  # whose seat it is has come back
                    return
            action = thinking.result()
        except CardtableError:  # the process is started anew
            await self._changes.asked(RETRY)
            return
        finally:
            thinking.cancel()
        await self._advance(lambda: self._run.play(action) if self._run.wants == RobotToChoose(seat) else ())

    # What the disk refuses

    def _keep(self, change: Change, error: NotSaved) -> None:
        """Keep a change that the disk refused, once: it is retried, and the clocks stand still until it is saved."""
        if change not in self._unsaved:
            self._unsaved.append(change)
        self._retry_at = self._clock() + RETRY
        self._refused = error
        self.session.clocks.stop()

    async def _retry(self) -> None:
        """Retry what the disk refused; meanwhile people come, go and look."""
        left = self._retry_at - self._clock()
        if left > 0 and await self._changes.asked(left):
            return
        for change in [self._unsaved.popleft() for _ in range(len(self._unsaved))]:
            try:
                await self._change(change)
            except NotSaved as error:
                self._keep(change, error)
            except (CardtableError, IllegalAction):  # the table has gone on without it
                await self._change(lambda: ())

    def _refuse_while_unsaved(self) -> None:
        if self._unsaved and self._refused:
            raise self._refused

    @property
    def unsaved(self) -> NotSaved | None:
        """Why the table waits for the disk; ``None`` if everything is saved."""
        return self._refused if self._unsaved else None

    def _do(self, change: Change) -> Sequence[Happening]:
        """Do a change, or keep it if the disk refuses it and keeps no other one waiting."""
        try:
            happened = change()
        except NotSaved as error:
            if self._unsaved:
                raise
            self._keep(change, error)
            return ()
        if not self._unsaved:
            self.session.clocks.start()
        return happened

    async def _advance(self, change: Change) -> None:
        """Change the session without being asked, unless a change that the disk refused waits to be retried."""
        if not self._unsaved:
            await self._change(change)

    async def _change(self, change: Change) -> None:
        """Change the session, and tell everybody."""
        happened = await wholly(asyncio.to_thread(self._do, change))  # nobody else may use the session before
        events = [it for it in happened if isinstance(it, EventSeen)]
        looking_on = tuple(dict.fromkeys(listener.nick for listener in self._listeners if listener.seat is None))
        saving = self._refused.fault if self._unsaved and self._refused else ""
        around = Around(self._waits_for(), self._owners.away, self.places, looking_on, tuple(self._again), saving)
        for listener in self._listeners:
            listener.happened(events)
            listener.look(around)
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

    @property
    def places(self) -> tuple[PlaceShown, ...]:
        """The seats as they are shown."""
        return places(self.session.header, self.people, self._owners.away, self._owners.offers)

    @property
    def there(self) -> set[Seat]:
        """The seats of those who are there."""
        return {listener.seat for listener in self._listeners if listener.seat is not None}

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
        return bool(self.there)

    def stood_in(self, seat: Seat) -> bool:
        """Whether a robot plays there for who is away."""
        return self.session.header.seats[seat].robot is not None

    def _looked(self) -> bool:
        return not self._owners.offers and self.there.issubset(self._ready)

    def _waits_for(self) -> tuple[Seat, ...]:
        if isinstance(self._run.wants, RoundEnded):
            return tuple([seat for seat in self.people if seat not in self._ready])
        turn = self._run.table.turn
        return (turn,) if turn >= 0 else ()
