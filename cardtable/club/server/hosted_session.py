"""Session in play at the host, owned by one task that executes the clients' changes one at a time."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from time import monotonic
from typing import Final, TypeAlias

from msgspec.structs import replace

from cardtable.club.protocol import SeatInfo
from cardtable.club.server.client_outbox import TablePeople, TableSubscriber
from cardtable.club.server.command_queue import PROGRAM_FAULT, TABLE_CLOSED
from cardtable.club.server.finished_sessions import encode_finished_rounds
from cardtable.club.server.host_counters import COUNTERS
from cardtable.club.server.limits import TalkBudget
from cardtable.club.server.seat_ownership import (
    Person,
    SeatOwnership,
    check_seat,
    create_seat_infos,
    find_seat_owners,
    load_profiles,
    rename_owner,
    update_owners,
)
from cardtable.club.server.session_changes import RETRY_SECONDS, SessionChanges
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import OVER, Action, Seat, find_action
from cardtable.engine.journal import Occupant, list_later_occupants
from cardtable.engine.log_entries import CustomLogEntry, join_spectator_talk
from cardtable.engine.referee import IllegalAction
from cardtable.robots.worker import ChooseRequest
from cardtable.session.move_limit import StandInChosen
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
from cardtable.store.seating import DEFAULT_LEVEL, ROBOT_NAMES
from cardtable.store.session_files import list_former_players
from cardtable.store.sessions import Session
from cardtable.workers.tasks import run_beside, start_task

Think: TypeAlias = Callable[[ChooseRequest], Coroutine[object, None, Action]]
"""Asynchronous function that chooses a robot's action; it raises ``CardtableError`` if the robot cannot choose."""
MAX_SUBSTITUTIONS: Final = 1000
"""Maximum number of times that robots substitute in a session, since each substitution takes room in its journal."""
SPECTATOR_NEWS_DELAY: Final = 0.25
"""Time after which a table is told of spectators who have come or gone, in seconds."""
ACKNOWLEDGE_TIMEOUT: Final = 90.0
"""Maximum time to wait until all players present have acknowledged the points of a round, in seconds."""


class HostedSession:
    """Session in play, from its present position to its end.

    Requests of clients are queued as changes. The session's task executes them one at a time, each in a thread, since
    every journal line is flushed to the disk before its event is sent. The session pauses while no player is present.
    """

    def __init__(
        self,
        session: Session,
        think: Think,
        grace: int,
        clock: Callable[[], float] = monotonic,
        on_change: Callable[[], None] = lambda: None,
        robot_seats: Collection[Seat] = (),
        get_network: Callable[[str], str] = lambda _nick: "",
        substitute_level: str = "",
    ) -> None:
        """Prepare a session for play by ``run``.

        ``think`` chooses the actions of robots. ``grace`` is the number of seconds to wait for an absent player, and
        ``clock`` returns the time in seconds. ``on_change`` is called after each change. ``robot_seats`` are seats that
        robots have taken over permanently. ``get_network`` returns the network of a nick for the ``TalkBudget``.
        If ``substitute_level`` is not empty, the session goes on even if no player is present: once the wait for absent
        players is over, robots of this level substitute for them without a vote, before the first deal or at their
        turn.
        """
        self._on_change = on_change
        self.session: Final = session
        self._think, self._clock, self._substitute_level = think, clock, substitute_level
        journal = session.journal()
        self._initial_seats = journal.header.seats
        owners = update_owners(load_profiles(), session.header, find_seat_owners(journal))
        for seat in robot_seats:
            owners.pop(seat, None)
        self._ownership = SeatOwnership(owners, grace, clock)
        self._talk_budget = TalkBudget(journal, get_network)
        self._substitutions = sum(occupant.robot is not None for _, occupant in list_later_occupants(journal))
        self.owners: Final = self._ownership.owners
        """Owners by seat, including those for whom a robot substitutes."""
        self.robot_seats: Final = set(robot_seats)
        """Seats that robots have taken over permanently."""
        self._rematch_votes: dict[Seat, bool] = {}
        """Seats that accept a rematch, and if others may see that; empty until the game master has offered it."""
        self._runner = SessionRunner(session, remote_seats=tuple(self.owners))
        self._subscribers: list[TableSubscriber] = []
        self._acknowledged_seats: set[Seat] = set()
        """Seats that have acknowledged the points of the round that has just ended."""
        self.changes: Final = SessionChanges(session, clock, self._update_clients)
        self._finished_rounds = -1, ""
        """Number of finished rounds when they were last read, and their lines."""
        self._spectator_news: asyncio.Task[None] | None = None
        """Task that will tell all clients who watches; ``None`` if they have been told."""

    def load_messages(self) -> None:
        """Load the messages of the round in progress for all seats.

        This reads the journal, so it may take a while.
        """
        self._runner.load_recent_messages()

    # Requests of clients

    def make_subscriber(self, person: Person, seat: Seat | None, wake: Callable[[], None]) -> TableSubscriber:
        """Return a subscriber for a client that is about to join; pass it to ``subscribe``.

        ``seat`` is ``None`` for a spectator. ``wake`` is called whenever the subscriber has an update.
        """
        return TableSubscriber(self._runner, self.session.header.id, person, seat, wake)

    async def subscribe(self, subscribers: Collection[TableSubscriber]) -> None:
        """Add several clients at once, so that none of them is shown as absent.

        Players get their seats back from substitutes. The clients get their first update as soon as no other change is
        in progress; of spectators the others learn ``SPECTATOR_NEWS_DELAY`` later.
        """
        if any(subscriber.seat is not None for subscriber in subscribers):
            await self.changes.submit(lambda: self._add_subscribers(subscribers))
        else:
            await self.changes.submit(lambda: self._subscribers.extend(subscribers))
            self._tell_spectators_later()

    def _add_subscribers(self, subscribers: Collection[TableSubscriber]) -> Sequence[SessionEvent]:
        try:
            happened = self._reclaim_seats({subscriber.seat for subscriber in subscribers})
        except NotSaved as error:
            self.changes.queue_retry(self._reclaim_present_seats, error)
            happened = ()
        for subscriber in subscribers:
            self._subscribers.append(subscriber)
            if subscriber.seat in self._ownership.absences:
                self._ownership.mark_present(subscriber.seat)
        return happened

    def _reclaim_present_seats(self) -> Sequence[SessionEvent]:
        """Return the seats of all players present to them."""
        return self._reclaim_seats(self.present_seats)

    def _reclaim_seats(self, seats: Collection[Seat | None]) -> Sequence[SessionEvent]:
        return [event for seat in seats for event in self._reclaim_seat(seat)]

    def _reclaim_seat(self, seat: Seat | None) -> Sequence[SessionEvent]:
        """Return a seat to its owner if another occupant decides for it, and return the resulting events.

        Nothing happens for ``None``, for a seat without an owner, or after the end of the session.
        """
        if seat is None or seat not in self.owners or self._runner.referee.turn == OVER:
            return ()
        occupant, owner = self.session.header.seats[seat], self.owners[seat]
        is_replaced = (
            occupant.robot is not None
            or occupant.player != owner.player
            or (owner.player is None and occupant.name != owner.name)
        )
        return self._runner.change_occupant(seat, owner) if is_replaced else ()

    async def adopt_clients(self, failed_session: "HostedSession") -> None:
        """Take over the clients of another ``HostedSession`` of this table, whose task has failed."""

        def adopt() -> Sequence[SessionEvent]:
            for subscriber in failed_session._subscribers:
                subscriber.switch_runner(self._runner)
            return self._add_subscribers(failed_session._subscribers)

        await self.changes.submit(adopt)

    async def unsubscribe(self, subscriber: TableSubscriber) -> None:
        """Remove a client; a player still owns the seat.

        If all players who are still present have voted for a robot at an absent player's seat, it sits down there.
        """
        seat = subscriber.seat
        if seat is None:
            await self.changes.submit(lambda: self._subscribers.remove(subscriber))
            self._tell_spectators_later()
            return

        def remove() -> Sequence[SessionEvent]:
            self._subscribers.remove(subscriber)
            if seat not in self.present_seats:
                self._ownership.mark_away(seat)
                if not self.is_over:  # nobody loses a seat in the next session by a lost connection
                    self._rematch_votes.clear()
            return ()

        await self.changes.submit(remove)
        if self._list_agreed_substitutes():
            with suppress(CardtableError, IllegalAction):  # too many substitutions, or the disk: the votes remain
                await self.changes.submit(self._seat_agreed_robots)

    def _tell_spectators_later(self) -> None:
        """Tell all clients who watches, once for all who come and go within ``SPECTATOR_NEWS_DELAY``."""
        self._spectator_news = self._spectator_news or start_task(self._tell_spectators())

    async def _tell_spectators(self) -> None:
        await asyncio.sleep(SPECTATOR_NEWS_DELAY)
        self._spectator_news = None
        with suppress(CardtableError):  # the table may have been closed
            await self.changes.submit(lambda: ())

    async def act(self, seat: Seat, decision_count: int, action_text: str) -> None:
        """Execute a decision of a seat.

        ``decision_count`` is the number of decisions in the session when the player chose, and ``action_text`` the text
        of the chosen action. Raises ``IllegalAction``, without changing the session, if the decision is stale or not
        legal, and ``NotSaved`` while other changes wait for the disk.
        """

        def decide() -> Sequence[SessionEvent]:
            referee = self._runner.referee
            if self.rematch_agreed:
                raise IllegalAction("another session begins now")
            # others that choose at the same time may have chosen
            earliest = referee.decisions_before_choices if any(referee.state.choosing) else referee.decisions
            if not earliest <= decision_count <= referee.decisions or seat not in referee.list_seats_to_act():
                raise IllegalAction("the table has changed in the meantime; choose again")
            action = find_action(self._runner.views[seat].legal, action_text)
            if action is None:
                raise IllegalAction(f"{action_text[:60]!r} is not legal here")
            return self._runner.play(action, seat)

        self.changes.check_saved()
        await self.changes.submit(decide)

    async def acknowledge_round(self, seat: Seat, round_number: int) -> None:
        """Record that a seat has acknowledged the points of a round, unless the next round has been dealt already.

        Raises ``IllegalAction`` if the round has not been dealt yet.
        """

        def acknowledge() -> Sequence[SessionEvent]:
            if round_number > self._runner.referee.round:
                raise IllegalAction("that round has not been dealt yet")
            if isinstance(self._runner.pending, AwaitingNextRound) and self._runner.referee.round == round_number:
                self._acknowledged_seats.add(seat)
            return ()

        await self.changes.submit(acknowledge)

    async def say(self, text: str, speaker: Seat | str) -> None:
        """Send a chat message to all clients at the table.

        ``speaker`` is a seat, or the nick of a spectator. Raises ``IllegalAction`` if there is no room for more chat of
        the speaker, and ``NotSaved`` while other changes wait for the disk.
        """
        message, seat = (text, speaker) if isinstance(speaker, int) else (join_spectator_talk(speaker, text), -1)

        def write_line() -> Sequence[SessionEvent]:
            self._talk_budget.check_room(message, speaker)
            happened = self._runner.say(message, seat)
            self._talk_budget.add(message, speaker)
            return happened

        self.changes.check_saved()
        await self.changes.submit(write_line)

    async def read_finished_rounds(self) -> str:
        """Return the journal up to the end of the last finished round, without seed and profile ids.

        All cards of these rounds are public.
        """

        def read_rounds() -> None:
            count = len(self._runner.referee.scores)
            if self._finished_rounds[0] != count:
                self._finished_rounds = count, encode_finished_rounds(self.session.journal())

        await self.changes.submit(read_rounds)
        return self._finished_rounds[1]

    async def vote_substitute(self, seat: Seat, voter: Seat) -> None:
        """Add the vote of the seat ``voter`` for a robot to substitute for the absent player of ``seat``.

        The robot sits down once all players present have voted. Raises ``IllegalAction`` if the player is present, the
        wait for them has not ended, or a robot substitutes already, and also if there is no such seat or
        ``MAX_SUBSTITUTIONS`` is reached.
        """
        self.check_seat(seat)

        def substitute() -> Sequence[SessionEvent]:
            if self.is_substituted(seat):
                raise IllegalAction("the player of that seat is here")
            self._ownership.check_wait_over(seat)
            self._ownership.vote_substitute(voter, seat)
            return self._seat_agreed_robots()

        await self.changes.submit(substitute)

    def _list_agreed_substitutes(self) -> list[Seat]:
        """Return the seats at which robots have to sit down because all players present have voted for that."""
        agreed = self._ownership.list_agreed_substitutes(self.present_seats)
        return [seat for seat in agreed if not self.is_substituted(seat)]

    def _seat_agreed_robots(self) -> Sequence[SessionEvent]:
        return [event for seat in self._list_agreed_substitutes() for event in self._seat_robot(seat, DEFAULT_LEVEL)]

    async def substitute_robots(self, level: str) -> None:
        """Let robots of a level substitute for all absent players until they return.

        Raises ``IllegalAction`` if ``MAX_SUBSTITUTIONS`` is reached.
        """

        def substitute_all() -> Sequence[SessionEvent]:
            absent = [seat for seat in self._ownership.absences if not self.is_substituted(seat)]
            return [happening for seat in absent for happening in self._seat_robot(seat, level)]

        await self.changes.submit(substitute_all)

    def _seat_robot(self, seat: Seat, level: str) -> Sequence[SessionEvent]:
        if self._substitutions >= MAX_SUBSTITUTIONS:
            raise IllegalAction("robots have stood in too often in this session; wait for the players")
        taken = {occupant.name for occupant in self.session.header.seats}
        name = next(name for name in ROBOT_NAMES if name not in taken)
        happened = self._runner.change_occupant(seat, Occupant(name, level))
        self._substitutions += 1
        return happened

    async def end_wait(self) -> None:
        """End the wait for absent players, and withdraw all seat offers.

        After a round this also ends the wait for the acknowledgements of its points.
        """

        def end() -> Sequence[SessionEvent]:
            self._ownership.end_wait()
            if isinstance(self._runner.pending, AwaitingNextRound):
                self._acknowledged_seats.update(self.owners)
            return ()

        await self.changes.submit(end)

    async def offer_seat(self, seat: Seat, receiver: Person | None, level: str) -> None:
        """Offer the seat of an absent player to ``receiver``, or let a robot substitute there if it is ``None``.

        ``level`` is the level of that robot. Raises ``IllegalAction`` if the owner is present, the wait for them has
        not ended, a round is in progress, ``MAX_SUBSTITUTIONS`` is reached, or there is no such seat, and ``NotSaved``
        if the robot's arrival has not been saved yet.
        """
        self.check_seat(seat)

        def offer() -> Sequence[SessionEvent]:
            self._ownership.check_wait_over(seat)
            self._check_between_rounds()
            if receiver:
                self._ownership.offers[seat] = receiver.occupant
                return ()
            return self._seat_robot(seat, level)

        await self.changes.submit(offer)
        if not receiver and not self.is_substituted(seat):
            self.changes.check_saved()

    async def assign_to_robot(self, seat: Seat) -> None:
        """Give a seat to its substitute robot permanently; do nothing if the player has returned."""

        def assign() -> Sequence[SessionEvent]:
            if self.is_substituted(seat):
                self._ownership.assign_to_robot(seat)
                self.robot_seats.add(seat)
            return ()

        await self.changes.submit(assign)

    async def rename_owner(self, former: Person, nick: str) -> None:
        """Use the present nick of a player, given as they were, and tell all clients.

        They are not told if the table is closed meanwhile.
        """

        def rename() -> Sequence[SessionEvent]:
            rename_owner(self.owners, former, nick)
            rename_owner(self._ownership.offers, former, nick)
            return ()

        with suppress(CardtableError):
            await self.changes.submit(rename)

    def is_offered(self, seat: Seat, person: Person) -> bool:
        """Return True if a seat is offered to a person."""
        return self._ownership.is_offered(seat, person)

    async def accept_seat(self, seat: Seat, person: Person) -> None:
        """Give an offered seat to a person.

        Raises ``IllegalAction`` if the seat is not offered to the person, a round is in progress, or the disk refuses
        the change.
        """

        def accept() -> Sequence[SessionEvent]:
            self._check_between_rounds()
            before = self.owners[seat]
            self._ownership.take_over(seat, person)
            self._runner.forget_messages(seat)
            try:
                return self._runner.change_occupant(seat, person.occupant)
            except NotSaved as error:
                self.owners[seat], self._ownership.offers[seat] = before, person.occupant
                raise IllegalAction(str(error)) from None

        await self.changes.submit(accept)

    def _check_between_rounds(self) -> None:
        if not isinstance(self._runner.pending, AwaitingNextRound):
            raise IllegalAction("a seat can only be given away between rounds")

    async def vote_rematch(self, seat: Seat, *, is_shown: bool = True) -> None:
        """Accept a rematch for a seat; the first vote offers it. Others see the vote only if ``is_shown`` is true.

        Before the end of the session, raises ``NotSaved`` while changes wait for the disk, and ``IllegalAction`` while
        the table waits for an absent player.
        """

        def vote() -> Sequence[SessionEvent]:
            if not self.is_over:
                self.changes.check_saved()
                for absent in self._ownership.absences:
                    if not self.is_substituted(absent):
                        self._ownership.check_wait_over(absent)
            self._rematch_votes[seat] = is_shown
            return ()

        await self.changes.submit(vote)

    async def cancel_rematch(self) -> None:
        """Withdraw the offer of a rematch, and all its acceptances; nothing happens if there is none."""

        def cancel() -> Sequence[SessionEvent]:
            self._rematch_votes.clear()
            return ()

        await self.changes.submit(cancel)

    @property
    def rematch_offered(self) -> bool:
        """True if a rematch has been offered."""
        return bool(self._rematch_votes)

    @property
    def rematch_agreed(self) -> bool:
        """True if a rematch has been offered, and players are present who all accept it."""
        return self.rematch_offered and self._has_players and self.present_seats.issubset(self._rematch_votes)

    # Task of the session

    async def run(self) -> None:
        """Run the session to its end, and then execute requests of its clients until cancelled.

        After a failure of the game, which all clients see, the next request makes the session try again.
        """
        try:
            while True:
                try:
                    await self._run_step()
                except GameFailed as failed:
                    await self._pause_after_failure(failed)
        except BaseException as error:
            self.changes.close(PROGRAM_FAULT if isinstance(error, Exception) else TABLE_CLOSED)
            raise

    def close(self) -> None:
        """Close the session; its task must have ended."""
        self.session.close()

    async def _run_step(self) -> None:
        run = self._runner
        if self.changes.save_error:
            await self.changes.retry_unsaved()
            return
        if self._substitute_level and (seconds := self._compute_absence_left()) is not None:
            await self._await_absent_players(seconds)
            return
        match run.pending:
            case AutoAdvance() if self._can_continue:
                await self.changes.apply(run.advance)
            case AwaitingNextRound() if self._can_continue:
                await self._await_next_round()
            case AwaitingRobot(seat=seat) if self._can_continue:
                await self._play_robot(seat)
            case AwaitingPlayer():
                if not await self.changes.run_next(run.seconds_left):
                    await self.changes.apply(run.apply_timeout)
            case _:
                await self.changes.run_next(None)

    def _compute_absence_left(self) -> int | None:
        """Return the seconds to wait for absent players before a robot substitutes, or ``None`` if none is awaited.

        Before the first deal all players are awaited, later those who are to act.
        """
        referee = self._runner.referee
        if self._substitutions >= MAX_SUBSTITUTIONS:
            return None
        waits = [
            seconds
            for seat, seconds in self._ownership.absences.items()
            if (seat in referee.list_seats_to_act() or not referee.round) and not self.is_substituted(seat)
        ]
        return min(waits, default=None)

    async def _await_absent_players(self, seconds: int) -> None:
        """Execute the next change; if none arrives within ``seconds``, let robots substitute for absent players.

        A clock that runs out first has its usual effect.
        """
        run = self._runner
        clock_left = run.seconds_left
        timeout = seconds if clock_left is None else max(min(seconds, clock_left), 0)
        if not seconds:
            await self.changes.apply(self._substitute_overdue)
        elif not await self.changes.run_next(timeout) and timeout < seconds:
            await self.changes.apply(run.apply_timeout)

    def _substitute_overdue(self) -> Sequence[SessionEvent]:
        overdue = [
            seat
            for seat, seconds in self._ownership.absences.items()
            if not seconds and not self.is_substituted(seat) and self._substitutions < MAX_SUBSTITUTIONS
        ]
        return [event for seat in overdue for event in self._seat_robot(seat, self._substitute_level)]

    async def _pause_after_failure(self, failed: GameFailed) -> None:
        """Show a failure of the game to all clients, and wait for the next request of a client."""

        def show_failure() -> Sequence[SessionEvent]:
            self._runner.add_message(CustomLogEntry(None, str(failed)))
            return ()

        await self.changes.apply(show_failure)
        await self.changes.run_next(None)

    async def _await_next_round(self) -> None:
        """Wait for the acknowledgements of a round's points, then deal the next round.

        The wait ends once all players present have acknowledged and no seat is offered, or after
        ``ACKNOWLEDGE_TIMEOUT`` seconds. No round is dealt if no player is present.
        """
        end = self._clock() + ACKNOWLEDGE_TIMEOUT
        while isinstance(self._runner.pending, AwaitingNextRound) and not self._is_acknowledged():
            if not await self.changes.run_next(max(end - self._clock(), 0)):
                break
        if isinstance(self._runner.pending, AwaitingNextRound) and self._can_continue:
            await self.changes.apply_if_saved(self._deal_round)

    def _deal_round(self) -> Sequence[SessionEvent]:
        happened = self._runner.advance()
        self._acknowledged_seats.clear()
        self._ownership.offers.clear()
        return happened

    async def _play_robot(self, seat: Seat) -> None:
        """Let a robot choose its action, and execute other changes meanwhile.

        The choice is discarded if the owner of the seat returns. If the robot fails, return after ``RETRY_SECONDS`` or
        the next change.
        """
        notice = ""
        try:
            async with run_beside(self._think(self._runner.create_robot_request())) as thinking:
                while not thinking.done():
                    async with run_beside(self.changes.not_empty.wait()) as change_waiter:
                        await asyncio.wait([thinking, change_waiter], return_when=asyncio.FIRST_COMPLETED)
                    if not thinking.done():
                        await self.changes.run_next_now()
                    if self._runner.pending != AwaitingRobot(seat):  # the owner of the seat has returned
                        return
                action = thinking.result()
        except StandInChosen as late:
            action, notice = late.action, str(late)
        except CardtableError:  # the robot process restarts
            await self.changes.run_next(RETRY_SECONDS)
            return

        def play() -> Sequence[SessionEvent]:
            if self._runner.pending != AwaitingRobot(seat):
                return ()
            if notice:
                self._runner.add_message(CustomLogEntry(None, notice))
            return self._runner.play(action)

        await self.changes.apply_if_saved(play)

    def _update_clients(self, happened: Sequence[SessionEvent] | None) -> None:
        """Update all clients after a change.

        After a change that only reads, just the spectators who have come by it are updated.
        """
        concerned = [each for each in self._subscribers if happened is not None or each.needs_full]
        events = [event for event in happened or () if isinstance(event, ObservedEvent)]
        self._count_decisions(events)
        if concerned:
            looking_on = tuple(
                dict.fromkeys(subscriber.person.nick for subscriber in self._subscribers if subscriber.seat is None)
            )
            people = TablePeople(
                waits_for=self._list_awaited_seats(),
                away=self._ownership.absences,
                places=self.seat_infos,
                looking_on=looking_on,
                again=self._rematch_votes,
                substitute_votes=self._ownership.votes,
                saving=error.fault if (error := self.changes.save_error) else "",
            )
            for subscriber in concerned:
                subscriber.add_events(events)
                subscriber.refresh(people)
        self._on_change()

    def _count_decisions(self, events: Sequence[ObservedEvent]) -> None:
        for event in events:
            if isinstance(event.event, Action):
                seat = next(iter(event.before.values())).turn
                kind = "person" if self.session.header.seats[seat].robot is None else "robot"
                COUNTERS.decisions[self.session.header.game, kind] += 1

    # People at the table

    @property
    def turn(self) -> Seat:
        """Seat to act, ``CHANCE`` or ``OVER``."""
        return self._runner.referee.turn

    @property
    def round(self) -> int:
        """Number of rounds dealt."""
        return self._runner.referee.round

    @property
    def spectator_count(self) -> int:
        return sum(subscriber.seat is None for subscriber in self._subscribers)

    @property
    def seat_infos(self) -> tuple[SeatInfo, ...]:
        offers = {seat: receiver.name for seat, receiver in self._ownership.offers.items()}
        infos = create_seat_infos(self.session.header, self.owners, self._ownership.absences, offers)
        former = list_former_players(self._initial_seats, self._runner.referee, self.owners)
        return tuple([replace(info, former=rounds) for info, rounds in zip(infos, former, strict=True)])

    @property
    def present_people(self) -> dict[Seat, Person]:
        """Players who are at the table, by seat."""
        return {subscriber.seat: subscriber.person for subscriber in self._subscribers if subscriber.seat is not None}

    @property
    def present_seats(self) -> set[Seat]:
        """Seats whose owners are at the table."""
        return {*self.present_people}

    @property
    def is_empty(self) -> bool:
        """True if neither players nor spectators are at the table."""
        return not self._subscribers

    @property
    def is_over(self) -> bool:
        return isinstance(self._runner.pending, SessionOver)

    @property
    def _has_players(self) -> bool:
        return bool(self.present_seats)

    @property
    def _can_continue(self) -> bool:
        """True if a player is present, or the session goes on without any."""
        return self._has_players or bool(self._substitute_level)

    def check_seat(self, seat: Seat | None) -> None:
        """Raise ``IllegalAction`` if the table has no such seat; ``None`` stands for any seat."""
        check_seat(seat, self.session.header.seats)

    def is_substituted(self, seat: Seat) -> bool:
        """Return True if a robot decides for a seat, as a substitute or permanently."""
        return self.session.header.seats[seat].robot is not None

    def _is_acknowledged(self) -> bool:
        return not self._ownership.offers and self.present_seats.issubset(self._acknowledged_seats)

    def _list_awaited_seats(self) -> tuple[Seat, ...]:
        if isinstance(self._runner.pending, AwaitingNextRound):
            return tuple([seat for seat in self.owners if seat not in self._acknowledged_seats])
        return self._runner.referee.list_seats_to_act()
