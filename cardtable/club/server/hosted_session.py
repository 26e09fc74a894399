"""A session that guests play: one task owns it, and does one thing after the other."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from time import monotonic
from typing import Final, TypeAlias

from cardtable.club.protocol import SeatInfo
from cardtable.club.server.client_outbox import TablePeople, TableSubscriber
from cardtable.club.server.command_queue import Change, CommandQueue, run_uninterrupted
from cardtable.club.server.finished_sessions import finished
from cardtable.club.server.limits import TalkBudget
from cardtable.club.server.seat_ownership import SeatOwnership, owners_from_journal, places
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import OVER, Action, Seat
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.referee import IllegalAction
from cardtable.engine.replay import action_of
from cardtable.robots.worker import ChooseRequest
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRobot,
    ObservedEvent,
    SessionEvent,
    SessionOver,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store.errors import NotSaved
from cardtable.store.seating import ROBOT_NAMES, USUAL_LEVEL
from cardtable.store.sessions import Session

Think: TypeAlias = Callable[[ChooseRequest], Awaitable[Action]]
"""Has a robot choose."""
RETRY: Final = 1.0
"""Seconds until a robot is asked again that could not choose, and until a change that could not be saved is retried."""
MOST_STAND_INS: Final = 1000
"""How often robots may sit down for people in a session, which takes room in its journal, too."""
LOOK: Final = 90.0
"""Seconds for which people may look at the points of a round while others wait for them."""


class HostedSession:
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
        self._owners = SeatOwnership(owners_from_journal(read, given), grace, clock)
        self._talk = TalkBudget(read, network_of)
        self._stand_ins = sum(entry.line.sit is not None and entry.line.robot is not None for entry in read.entries)
        self.people: Final = self._owners.people
        """Whose the seats are, whoever decides for them now."""
        self.given: Final = set(given)
        """Seats that robots have for good."""
        self._again: list[Seat] = []
        """Who plays another session, once the game master has offered it."""
        self._run = SessionRunner(session, remote_seats=tuple(self.people))
        self._listeners: list[TableSubscriber] = []
        self._ready: set[Seat] = set()
        """Who has looked at the points of the round."""
        self._changes = CommandQueue(self._change)
        self._unsaved: deque[Change] = deque()
        """Changes that the disk refused, which are retried in this order; nobody sees anything of them."""
        self._retry_at = 0.0
        self._refused: NotSaved | None = None
        """Why the disk refused the last one."""

    def recall(self) -> None:
        """Have everybody know what happened in the round that is gone on with.  It takes a while."""
        self._run.load_recent_messages()

    # What guests do

    def make_subscriber(self, nick: str, seat: Seat | None, wake: Callable[[], None]) -> TableSubscriber:
        """Somebody who is about to come, to her seat or to look on."""
        return TableSubscriber(self._run, self.session.header.id, nick, seat, wake)

    async def subscribe(self, listeners: Collection[TableSubscriber]) -> None:
        """These come, all at once; they are told how it stands as soon as nothing changes."""
        await self._changes.submit(lambda: self._come(listeners))

    def _come(self, listeners: Collection[TableSubscriber]) -> Sequence[SessionEvent]:
        try:
            happened = self._take_back_seats({listener.seat for listener in listeners})
        except NotSaved as error:
            self._keep(self._take_back_own_seats, error)
            happened = ()
        for listener in listeners:
            self._listeners.append(listener)
            if listener.seat in self._owners.away:
                self._owners.mark_present(listener.seat)
        return happened

    def _take_back_own_seats(self) -> Sequence[SessionEvent]:
        """Give all people who are at the table their own seats again."""
        return self._take_back_seats(self.present_seats)

    def _take_back_seats(self, seats: Collection[Seat | None]) -> Sequence[SessionEvent]:
        return [it for seat in seats for it in self._take_back_seat(seat)]

    def _take_back_seat(self, seat: Seat | None) -> Sequence[SessionEvent]:
        """Give somebody who comes her own seat again if anybody plays there for her."""
        if seat is None or seat not in self.people or self._run.table.turn == OVER:
            return ()
        now, her = self.session.header.seats[seat], self.people[seat]
        another = now.robot is not None or now.player != her.player or (her.player is None and now.name != her.name)
        return self._run.sit(seat, her) if another else ()

    async def go_on_for(self, broken: "HostedSession") -> None:
        """Those who were at this table when it broke down are at it again, and are told how it stands."""

        def come() -> Sequence[SessionEvent]:
            for listener in broken._listeners:
                listener.look_at(self._run)
            return self._come(broken._listeners)

        await self._changes.submit(come)

    async def leave(self, listener: TableSubscriber) -> None:
        """Somebody goes; her seat stays hers."""

        def goes() -> Sequence[SessionEvent]:
            self._listeners.remove(listener)
            if listener.seat is not None and listener.seat not in self.present_seats:
                self._owners.mark_away(listener.seat)
            return ()

        await self._changes.submit(goes)

    async def act(self, seat: Seat, at: int, text: str) -> None:
        """A decision of a seat.  Raises ``IllegalAction`` where it is stale or not legal; nothing has changed then."""

        def chooses() -> Sequence[SessionEvent]:
            table = self._run.table
            if table.decisions != at or table.turn != seat:
                raise IllegalAction("something has happened at the table meanwhile; choose again")
            action = action_of(self._run.views[seat].legal, text)
            if action is None:
                raise IllegalAction(f"{text[:60]!r} is not legal here")
            return self._run.play(action)

        self._refuse_while_unsaved()
        await self._changes.submit(chooses)

    async def acknowledge_round(self, seat: Seat, number: int) -> None:
        """She has looked at the points of a round."""

        def looks() -> Sequence[SessionEvent]:
            if isinstance(self._run.pending, AwaitingNextRound) and self._run.table.round == number:
                self._ready.add(seat)
            return ()

        await self._changes.submit(looks)

    async def say(self, text: str, speaker: Seat | str) -> None:
        """Tell everybody at the table what was said in a seat, or by a spectator of a nick.

        Raises ``IllegalAction`` if there is no room for more talk, ``CardtableError`` if it cannot be saved.
        """
        said, seat = (text, speaker) if isinstance(speaker, int) else (f"{speaker}: {text}", -1)

        def says() -> Sequence[SessionEvent]:
            self._talk.refuse(said, speaker)
            happened = self._run.say(said, seat)
            self._talk.add(said, speaker)
            return happened

        await self._changes.submit(says)

    async def rounds(self) -> str:
        """The journal up to the end of the last finished round, without the seed: nothing of it is hidden any more."""
        found: list[str] = []

        def reads() -> Sequence[SessionEvent]:
            found.append(finished(self.session.journal()))
            return ()

        await self._changes.submit(reads)
        return found[0]

    async def stand_in(self, seat: Seat, by: Seat) -> None:
        """A robot is to play for who is away, once all who are there want it.

        Raises ``IllegalAction`` while she is waited for.
        """

        def takes_the_seat() -> Sequence[SessionEvent]:
            if self.is_substituted(seat):
                raise IllegalAction("nobody is away from that seat")
            self._owners.refuse(seat)
            return (
                self._robot_sits(seat, USUAL_LEVEL)
                if self._owners.vote_substitute(by, seat, self.present_seats)
                else ()
            )

        await self._changes.submit(takes_the_seat)

    async def substitute_robots(self, level: str) -> None:
        """Robots of a level play for all who are away, until they are back."""

        def take_the_seats() -> Sequence[SessionEvent]:
            absent = [seat for seat in self._owners.away if not self.is_substituted(seat)]
            return [happening for seat in absent for happening in self._robot_sits(seat, level)]

        await self._changes.submit(take_the_seats)

    def _robot_sits(self, seat: Seat, level: str) -> Sequence[SessionEvent]:
        if self._stand_ins >= MOST_STAND_INS:
            raise IllegalAction("robots have sat down too often in this session; wait for the people")
        taken = {who.name for who in self.session.header.seats}
        name = next(name for name in ROBOT_NAMES if name not in taken)
        happened = self._run.sit(seat, Occupant(name, level))
        self._stand_ins += 1
        return happened

    async def end_wait(self) -> None:
        """Nobody is waited for any longer who is away, or looks at the points of the round."""

        def ends() -> Sequence[SessionEvent]:
            self._owners.end_wait()
            if isinstance(self._run.pending, AwaitingNextRound):
                self._ready.update(self.people)
            return ()

        await self._changes.submit(ends)

    async def offer_seat(self, seat: Seat, nick: str, level: str) -> None:
        """Offer the seat of somebody who has left to another person, or without a nick have a robot take it.

        Raises ``IllegalAction`` while the person is waited for or a round is played, ``NotSaved`` if the robot's
        sitting down is not on the disk yet.
        """

        def gives() -> Sequence[SessionEvent]:
            self._owners.refuse(seat)
            self._refuse_in_a_round()
            if nick:
                self._owners.offers[seat] = nick
                return ()
            return self._robot_sits(seat, level)

        await self._changes.submit(gives)
        if not nick and not self.is_substituted(seat):
            self._refuse_while_unsaved()

    async def give_for_good(self, seat: Seat) -> None:
        """Leave a seat to the robot that plays there; of no effect if its owner has come back."""

        def leaves() -> Sequence[SessionEvent]:
            if self.is_substituted(seat):
                self._owners.assign_to_robot(seat)
                self.given.add(seat)
            return ()

        await self._changes.submit(leaves)

    def offers(self, seat: Seat) -> str:
        """To whom a seat is offered; nothing: to nobody."""
        return self._owners.offers.get(seat, "")

    async def accept_seat(self, seat: Seat, who: Occupant) -> None:
        """Somebody takes a seat that she was offered.  Raises ``IllegalAction`` where she cannot have it now."""

        def takes() -> Sequence[SessionEvent]:
            self._refuse_in_a_round()
            before = self.people[seat]
            self._owners.takes_over(seat, who)
            self._run.forget_messages(seat)
            try:
                return self._run.sit(seat, who)
            except NotSaved as error:
                self.people[seat], self._owners.offers[seat] = before, who.name
                raise IllegalAction(str(error)) from None

        await self._changes.submit(takes)

    def _refuse_in_a_round(self) -> None:
        if not isinstance(self._run.pending, AwaitingNextRound):
            raise IllegalAction("a seat can be given away between two rounds only")

    async def vote_rematch(self, seat: Seat) -> None:
        """Somebody plays another session.  Raises ``IllegalAction`` before this one is over."""

        def plays() -> Sequence[SessionEvent]:
            if not self.over:
                raise IllegalAction("the session is not over yet")
            self._again += [seat] * (seat not in self._again)
            return ()

        await self._changes.submit(plays)

    @property
    def rematch_offered(self) -> bool:
        """Whether another session was offered."""
        return bool(self._again)

    @property
    def rematch_agreed(self) -> bool:
        """Whether another session was offered, and all who are there play it."""
        return self.rematch_offered and self.present_seats.issubset(self._again)

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
        match run.pending:
            case AutoAdvance() if self._somebody:
                await self._change(run.go_on)
            case AwaitingNextRound() if self._somebody:
                await self._round_ended()
            case AwaitingRobot(seat=seat) if self._somebody:
                await self._robot(seat)
            case AwaitingPlayer():
                if not await self._changes.run_next(run.seconds_left):
                    await self._change(run.apply_timeout)
            case _:
                await self._changes.run_next(None)

    async def _stands_still(self, failed: GameFailed) -> None:
        """All read why it does not go on; with the next thing that somebody wants it is tried again."""

        def told() -> Sequence[SessionEvent]:
            self._run.add_message(CustomLogEntry(None, str(failed)))
            return ()

        await self._change(told)
        await self._changes.run_next(None)

    async def _round_ended(self) -> None:
        """Deal the next round once all who are there have looked at the points, or had the time for it."""
        end = self._clock() + LOOK
        while isinstance(self._run.pending, AwaitingNextRound) and not self._looked():
            if not await self._changes.run_next(max(end - self._clock(), 0)):
                break
        if isinstance(self._run.pending, AwaitingNextRound) and self._somebody:
            await self._advance(self._deal)

    def _deal(self) -> Sequence[SessionEvent]:
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
                    await self._changes.run_next_now()
                if self._run.pending != AwaitingRobot(seat):  # whose seat it is has come back
                    return
            action = thinking.result()
        except CardtableError:  # the process is started anew
            await self._changes.run_next(RETRY)
            return
        finally:
            thinking.cancel()
        await self._advance(lambda: self._run.play(action) if self._run.pending == AwaitingRobot(seat) else ())

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
        if left > 0 and await self._changes.run_next(left):
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

    def _do(self, change: Change) -> Sequence[SessionEvent]:
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
        happened = await run_uninterrupted(
            asyncio.to_thread(self._do, change)
        )  # nobody else may use the session before
        events = [it for it in happened if isinstance(it, ObservedEvent)]
        looking_on = tuple(dict.fromkeys(listener.nick for listener in self._listeners if listener.seat is None))
        saving = self._refused.fault if self._unsaved and self._refused else ""
        around = TablePeople(self._waits_for(), self._owners.away, self.places, looking_on, tuple(self._again), saving)
        for listener in self._listeners:
            listener.add_events(events)
            listener.refresh(around)
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
    def places(self) -> tuple[SeatInfo, ...]:
        """The seats as they are shown."""
        return places(self.session.header, self.people, self._owners.away, self._owners.offers)

    @property
    def present_seats(self) -> set[Seat]:
        """The seats of those who are there."""
        return {listener.seat for listener in self._listeners if listener.seat is not None}

    @property
    def empty(self) -> bool:
        """Whether nobody is there, nor looks on."""
        return not self._listeners

    @property
    def over(self) -> bool:
        """Whether the session is over."""
        return isinstance(self._run.pending, SessionOver)

    @property
    def _somebody(self) -> bool:
        return bool(self.present_seats)

    def is_substituted(self, seat: Seat) -> bool:
        """Whether a robot plays there for who is away."""
        return self.session.header.seats[seat].robot is not None

    def _looked(self) -> bool:
        return not self._owners.offers and self.present_seats.issubset(self._ready)

    def _waits_for(self) -> tuple[Seat, ...]:
        if isinstance(self._run.pending, AwaitingNextRound):
            return tuple([seat for seat in self.people if seat not in self._ready])
        turn = self._run.table.turn
        return (turn,) if turn >= 0 else ()
