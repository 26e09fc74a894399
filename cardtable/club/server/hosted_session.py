"""Session in play at the host: a single task owns it and executes the clients' changes one at a time."""

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
"""Function that makes a robot choose."""
RETRY: Final = 1.0
"""Seconds until a failed robot request, or a change that could not be saved, is retried."""
MOST_STAND_INS: Final = 1000
"""Limit of robot substitutions in a session, since each takes room in its journal."""
LOOK: Final = 90.0
"""Seconds that players may look at the points of a round while others wait for them."""


class HostedSession:
    """Session in play, from its present position to its end.

    Requests of clients are queued as changes.  The session's task executes them one at a time, each in a thread, since
    every journal line is flushed to the disk before anything is sent.  The session pauses while no player is present.
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
        """`grace`: seconds to wait for absent players; `changed` is called after each change.

        `given`: seats that robots have taken over permanently; `network_of`: see ``TalkBudget``.
        """
        self._changed = changed
        self.session: Final = session
        self._think, self._clock = think, clock
        read = session.journal()
        self._owners = SeatOwnership(owners_from_journal(read, given), grace, clock)
        self._talk = TalkBudget(read, network_of)
        self._stand_ins = sum(entry.line.sit is not None and entry.line.robot is not None for entry in read.entries)
        self.people: Final = self._owners.people
        """Owners of the seats, also of those for whom a robot substitutes."""
        self.given: Final = set(given)
        """Seats that robots have taken over permanently."""
        self._again: list[Seat] = []
        """Seats that accept another session, once the game master has offered it."""
        self._run = SessionRunner(session, remote_seats=tuple(self.people))
        self._listeners: list[TableSubscriber] = []
        self._ready: set[Seat] = set()
        """Seats that have acknowledged the points of the round."""
        self._changes = CommandQueue(self._change)
        self._unsaved: deque[Change] = deque()
        """Changes that the disk refused, retried in this order; their events are not shown yet."""
        self._retry_at = 0.0
        self._refused: NotSaved | None = None
        """Error of the disk's last refusal."""

    def recall(self) -> None:
        """Load the messages of the round in progress for all seats; reads the journal, which takes time."""
        self._run.load_recent_messages()

    # Requests of clients

    def make_subscriber(self, nick: str, seat: Seat | None, wake: Callable[[], None]) -> TableSubscriber:
        """Return a subscriber for a client about to join, in a seat or as a spectator."""
        return TableSubscriber(self._run, self.session.header.id, nick, seat, wake)

    async def subscribe(self, listeners: Collection[TableSubscriber]) -> None:
        """Add several clients at once; they are updated as soon as no change is in progress."""
        await self._changes.submit(lambda: self._come(listeners))

    def _come(self, listeners: Collection[TableSubscriber]) -> Sequence[SessionEvent]:
        try:
            happened = self._take_back_seats({listener.seat for listener in listeners})
        except NotSaved as error:
            self._queue_retry(self._take_back_own_seats, error)
            happened = ()
        for listener in listeners:
            self._listeners.append(listener)
            if listener.seat in self._owners.away:
                self._owners.mark_present(listener.seat)
        return happened

    def _take_back_own_seats(self) -> Sequence[SessionEvent]:
        """Return their own seats to all players at the table."""
        return self._take_back_seats(self.present_seats)

    def _take_back_seats(self, seats: Collection[Seat | None]) -> Sequence[SessionEvent]:
        return [it for seat in seats for it in self._take_back_seat(seat)]

    def _take_back_seat(self, seat: Seat | None) -> Sequence[SessionEvent]:
        """Return a seat to its owner if another occupant decides for it."""
        if seat is None or seat not in self.people or self._run.table.turn == OVER:
            return ()
        now, owner = self.session.header.seats[seat], self.people[seat]
        is_other = (
            now.robot is not None or now.player != owner.player or (owner.player is None and now.name != owner.name)
        )
        return self._run.sit(seat, owner) if is_other else ()

    async def go_on_for(self, broken: "HostedSession") -> None:
        """Take over the clients of a session object of this table that failed."""

        def come() -> Sequence[SessionEvent]:
            for listener in broken._listeners:
                listener.look_at(self._run)
            return self._come(broken._listeners)

        await self._changes.submit(come)

    async def leave(self, listener: TableSubscriber) -> None:
        """Remove a client; a player still owns the seat."""

        def goes() -> Sequence[SessionEvent]:
            self._listeners.remove(listener)
            if listener.seat is not None and listener.seat not in self.present_seats:
                self._owners.mark_away(listener.seat)
            return ()

        await self._changes.submit(goes)

    async def act(self, seat: Seat, at: int, text: str) -> None:
        """Execute a decision of a seat.  Raises ``IllegalAction``, and changes the session not at all, if stale or
        illegal.
        """

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
        """Record that a seat has acknowledged the points of a round."""

        def looks() -> Sequence[SessionEvent]:
            if isinstance(self._run.pending, AwaitingNextRound) and self._run.table.round == number:
                self._ready.add(seat)
            return ()

        await self._changes.submit(looks)

    async def say(self, text: str, speaker: Seat | str) -> None:
        """Send chat to all at the table; `speaker`: a seat, or the nick of a spectator.

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
        """Return the journal up to the end of the last finished round, without the seed; its cards are all public."""
        texts: list[str] = []

        def reads() -> Sequence[SessionEvent]:
            texts.append(finished(self.session.journal()))
            return ()

        await self._changes.submit(reads)
        return texts[0]

    async def stand_in(self, seat: Seat, by: Seat) -> None:
        """Vote for a robot to substitute for an absent player; it sits down once all present players have voted.

        Raises ``IllegalAction`` while the table still waits for the absent player.
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
        """Let robots of a level substitute for all absent players until they return."""

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
        """End the wait for absent players and for acknowledgements of the round's points."""

        def ends() -> Sequence[SessionEvent]:
            self._owners.end_wait()
            if isinstance(self._run.pending, AwaitingNextRound):
                self._ready.update(self.people)
            return ()

        await self._changes.submit(ends)

    async def offer_seat(self, seat: Seat, nick: str, level: str) -> None:
        """Offer the seat of an absent player to another, or without a nick let a robot take it.

        Raises ``IllegalAction`` while the table waits for the absent player or a round is in progress, ``NotSaved`` if
        the robot's sitting down is not on the disk yet.
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
        """Make the robot at a seat its owner; no effect if the player has returned."""

        def leaves() -> Sequence[SessionEvent]:
            if self.is_substituted(seat):
                self._owners.assign_to_robot(seat)
                self.given.add(seat)
            return ()

        await self._changes.submit(leaves)

    def offers(self, seat: Seat) -> str:
        """Return the nick to whom a seat is offered, or an empty string."""
        return self._owners.offers.get(seat, "")

    async def accept_seat(self, seat: Seat, who: Occupant) -> None:
        """Give an offered seat to `who`.  Raises ``IllegalAction`` if `who` cannot have it now."""

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
        """Accept another session.  Raises ``IllegalAction`` before this one has ended."""

        def plays() -> Sequence[SessionEvent]:
            if not self.over:
                raise IllegalAction("the session is not over yet")
            self._again += [seat] if seat not in self._again else []
            return ()

        await self._changes.submit(plays)

    @property
    def rematch_offered(self) -> bool:
        """True if another session has been offered."""
        return bool(self._again)

    @property
    def rematch_agreed(self) -> bool:
        """True if another session has been offered, and all players present accept it."""
        return self.rematch_offered and self.present_seats.issubset(self._again)

    # Task of the session

    async def play(self) -> None:
        """Run the session to its end, and then answer its clients until cancelled."""
        try:
            while True:
                try:
                    await self._step()
                except GameFailed as failed:
                    await self._pause_after_failure(failed)
        finally:
            self._changes.close()

    def close(self) -> None:
        """Close the session, once its task has ended."""
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

    async def _pause_after_failure(self, failed: GameFailed) -> None:
        """Show a failure of the game to all clients; the next request of a client retries."""

        def show_failure() -> Sequence[SessionEvent]:
            self._run.add_message(CustomLogEntry(None, str(failed)))
            return ()

        await self._change(show_failure)
        await self._changes.run_next(None)

    async def _round_ended(self) -> None:
        """Deal the next round once all present players have acknowledged the points, or after `LOOK` seconds."""
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
        """Let a robot choose, and execute other changes while it does."""
        thinking = asyncio.ensure_future(self._think(self._run.request()))
        try:
            while not thinking.done():
                coming = asyncio.ensure_future(self._changes.news.wait())
                await asyncio.wait([thinking, coming], return_when=asyncio.FIRST_COMPLETED)
                coming.cancel()
                if not thinking.done():
                    await self._changes.run_next_now()
                if self._run.pending != AwaitingRobot(seat):  # the owner of the seat has returned
                    return
            action = thinking.result()
        except CardtableError:  # the robot process restarts
            await self._changes.run_next(RETRY)
            return
        finally:
            thinking.cancel()
        await self._advance(lambda: self._run.play(action) if self._run.pending == AwaitingRobot(seat) else ())

    # Changes that the disk refuses

    def _queue_retry(self, change: Change, error: NotSaved) -> None:
        """Queue a change that the disk refused for retry; clocks stop until it is saved."""
        if change not in self._unsaved:
            self._unsaved.append(change)
        self._retry_at = self._clock() + RETRY
        self._refused = error
        self.session.clocks.stop()

    async def _retry(self) -> None:
        """Retry the changes that the disk refused; execute other changes until the retry is due."""
        left = self._retry_at - self._clock()
        if left > 0 and await self._changes.run_next(left):
            return
        for change in [self._unsaved.popleft() for _ in range(len(self._unsaved))]:
            try:
                await self._change(change)
            except NotSaved as error:
                self._queue_retry(change, error)
            except (CardtableError, IllegalAction):  # the change is obsolete
                await self._change(lambda: ())

    def _refuse_while_unsaved(self) -> None:
        if self._unsaved and self._refused:
            raise self._refused

    @property
    def unsaved(self) -> NotSaved | None:
        """Error because of which the table waits for the disk; ``None`` if everything is saved."""
        return self._refused if self._unsaved else None

    def _do(self, change: Change) -> Sequence[SessionEvent]:
        """Execute a change; queue it for retry if the disk refuses it and no other change waits."""
        try:
            happened = change()
        except NotSaved as error:
            if self._unsaved:
                raise
            self._queue_retry(change, error)
            return ()
        if not self._unsaved:
            self.session.clocks.start()
        return happened

    async def _advance(self, change: Change) -> None:
        """Execute a change that no client has requested, unless changes wait for the disk."""
        if not self._unsaved:
            await self._change(change)

    async def _change(self, change: Change) -> None:
        """Execute a change, and update all clients."""
        happened = await run_uninterrupted(
            asyncio.to_thread(self._do, change)
        )  # cancellation must not free the session for others before the thread ends
        events = [it for it in happened if isinstance(it, ObservedEvent)]
        looking_on = tuple(dict.fromkeys(listener.nick for listener in self._listeners if listener.seat is None))
        saving = self._refused.fault if self._unsaved and self._refused else ""
        around = TablePeople(self._waits_for(), self._owners.away, self.places, looking_on, tuple(self._again), saving)
        for listener in self._listeners:
            listener.add_events(events)
            listener.refresh(around)
        self._changed()

    # People at the table

    @property
    def turn(self) -> Seat:
        """Seat to act, ``CHANCE`` or ``OVER``."""
        return self._run.table.turn

    @property
    def round(self) -> int:
        """Number of rounds dealt."""
        return self._run.table.round

    @property
    def looking_on(self) -> int:
        """Number of spectators."""
        return sum(listener.seat is None for listener in self._listeners)

    @property
    def places(self) -> tuple[SeatInfo, ...]:
        return places(self.session.header, self.people, self._owners.away, self._owners.offers)

    @property
    def present_seats(self) -> set[Seat]:
        """Seats whose owners are at the table."""
        return {listener.seat for listener in self._listeners if listener.seat is not None}

    @property
    def empty(self) -> bool:
        """True if neither players nor spectators are at the table."""
        return not self._listeners

    @property
    def over(self) -> bool:
        return isinstance(self._run.pending, SessionOver)

    @property
    def _somebody(self) -> bool:
        return bool(self.present_seats)

    def is_substituted(self, seat: Seat) -> bool:
        """Return True if a robot decides for a seat."""
        return self.session.header.seats[seat].robot is not None

    def _looked(self) -> bool:
        return not self._owners.offers and self.present_seats.issubset(self._ready)

    def _waits_for(self) -> tuple[Seat, ...]:
        if isinstance(self._run.pending, AwaitingNextRound):
            return tuple([seat for seat in self.people if seat not in self._ready])
        turn = self._run.table.turn
        return (turn,) if turn >= 0 else ()
