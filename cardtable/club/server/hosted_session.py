"""Session in play at the host, owned by one task that executes the clients' changes one at a time."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from time import monotonic
from typing import Final, Literal, TypeAlias

from cardtable.club.server.host_events import DecisionSaved, Emit, SeatLost, create_fault, ignore_event
from cardtable.club.server.limits import TalkBudget
from cardtable.club.server.session_changes import PROGRAM_FAULT, RETRY_SECONDS, TABLE_CLOSED, SessionChanges
from cardtable.club.server.session_people import SessionPeople
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import Action, Seat, find_action
from cardtable.engine.journal import ActionLine, Journal, MarkLine, Occupant
from cardtable.engine.log_entries import CustomLogEntry, join_spectator_talk
from cardtable.engine.referee import IllegalAction
from cardtable.robots.worker import ChooseRequest
from cardtable.session.session_events import (
    AutoAdvance,
    AwaitingNextRound,
    AwaitingPlayer,
    AwaitingRobot,
    ObservedEvent,
    RobotChoice,
    SessionEvent,
    SessionOver,
)
from cardtable.session.session_runner import SessionRunner
from cardtable.store import visibility
from cardtable.store.sessions import Session
from cardtable.workers.tasks import run_beside, start_task

Think: TypeAlias = Callable[[ChooseRequest], Coroutine[object, None, RobotChoice]]
"""Asynchronous function that chooses a robot's action; it raises ``CardtableError`` if the robot cannot choose."""
NetworkMark: TypeAlias = Literal["one-network", "networks-differ"]
MARKING_VERSION: Final = 4
"""Version of the first journals that state whether all people came from one network."""
ACKNOWLEDGE_TIMEOUT: Final = 90.0
"""Maximum time to wait until all players present have acknowledged the points of a round, in seconds."""


class DecidingNetworks:
    """Networks of the people who decide in a session, which are kept in memory only.

    The journal states whether all of them came from one network, and nothing else about them.
    """

    def __init__(self, written: Journal, find_connected_network: Callable[[str], str]) -> None:
        lines = [entry.line for entry in written.entries]
        self._find_network = find_connected_network
        self._seats = {line.seat for line in lines if isinstance(line, ActionLine) and not line.robot}
        self._seats &= {*written.header.people}
        self._unknown_seats = {*self._seats}
        """Seats of people whose network is not known, since they have decided only before the session was opened."""
        self._networks: set[str] = set()
        marks = visibility.find_marks(lines) & {"one-network", "networks-differ"}
        self._is_unmarked = written.header.cardtable < MARKING_VERSION or (len(self._seats) > 1 and not marks)
        """True if no mark will be written: the format has none, or several networks have decided already."""
        self.mark: NetworkMark | None = (
            "networks-differ" if "networks-differ" in marks else "one-network" if marks else None
        )

    def find_mark(self, seat: Seat, nick: str) -> NetworkMark | None:
        """Return the mark that has to be written before a decision of a person; ``None`` if there is none."""
        if self._is_unmarked or self.mark == "networks-differ":
            return None
        network = self._find_network(nick)
        self._seats.add(seat)
        self._unknown_seats.discard(seat)
        self._networks.add(network)
        if not network or len(self._networks) > 1:
            self._is_unmarked = self.mark is None
            return "networks-differ" if self.mark else None
        is_known = len(self._seats) > 1 and not self._unknown_seats
        return "one-network" if is_known and self.mark is None else None


class HostedSession:
    """Session in play, from its present position to its end.

    Requests of clients are queued as changes. The session's task executes them one at a time, each in a thread, since
    every journal line is flushed to the disk before its event is sent. The session pauses while no player is present.
    """

    def __init__(
        self,
        session: Session,
        owners: dict[Seat, Occupant],
        think: Think,
        grace: int,
        clock: Callable[[], float] = monotonic,
        on_change: Callable[[], None] = lambda: None,
        get_network: Callable[[str], str] = lambda _nick: "",
        find_hold: Callable[[int], str] | None = None,
        emit: Emit = ignore_event,
        is_resumed: bool = False,
        find_connected_network: Callable[[str], str] = lambda _nick: "",
    ) -> None:
        """Prepare a session for play by ``run``.

        ``owners`` are those of the seats under their present nicks. ``think`` chooses the actions of robots. ``grace``
        is the number of seconds to wait for an absent player, and ``clock`` returns the time in seconds. ``on_change``
        is called after each change. ``get_network`` returns the network of a nick for the ``TalkBudget``.
        ``find_hold`` returns why a deal, counted from 1, has to wait for other tables of a tournament, where the
        session goes on even if no player is present; it is ``None`` at any other table. ``is_resumed`` is True if the
        session has been closed before. ``find_connected_network`` returns the network from which a nick is connected,
        empty if it is unknown.
        """
        self._on_change, self._emit, self._find_hold = on_change, emit, find_hold
        self._shown_hold = ""
        """Reason to wait that the clients were told last."""
        self.session: Final = session
        self.public_header: Final = visibility.redact_header(session.header)
        """Header of the journal when the session was opened, without the seed and profile ids."""
        self._think, self._clock = think, clock
        self._networks = DecidingNetworks(session.journal(), find_connected_network)
        self._talk_budget = TalkBudget(session.journal(), get_network)
        is_in_tournament = find_hold is not None
        self._runner = SessionRunner(session, remote_seats=tuple(owners), loses_alone=is_in_tournament)
        self.changes: Final = SessionChanges(session, clock, self._update_clients, emit)
        self.people: Final = SessionPeople(
            self._runner, self.changes, owners, grace, clock, is_resumed=is_resumed, is_in_tournament=is_in_tournament
        )
        self._logged_losses = {*self.people.lost_seats}
        self._is_robots_decision = False
        """True after a decision that a robot has thought about, until it is counted."""
        self._finished_rounds = -1, ""
        """Number of finished rounds when they were last read, and their lines."""

    def load_messages(self) -> None:
        """Load the messages of the round in progress for all seats.

        This reads the journal, so it may take a while.
        """
        self._runner.load_recent_messages()

    # Requests of clients

    async def act(self, seat: Seat, decision_count: int, action_text: str) -> None:
        """Execute a decision of a seat.

        ``decision_count`` is the number of decisions in the session when the player chose, and ``action_text`` the text
        of the chosen action. Raises ``IllegalAction``, without changing the session, if the decision is stale or not
        legal, and ``NotSaved`` while other changes wait for the disk.
        """

        def decide() -> Sequence[SessionEvent]:
            referee = self._runner.referee
            if self.people.rematch_agreed:
                raise IllegalAction("another session begins now")
            # others that choose at the same time may have chosen
            earliest = referee.decisions - sum(referee.state.chosen)
            if not earliest <= decision_count <= referee.decisions or seat not in referee.list_seats_to_act():
                raise IllegalAction("the table has changed in the meantime; choose again")
            if self._runner.find_robot(seat):
                raise IllegalAction("your time is up, and a robot decides")
            action = find_action(self._runner.views[seat].legal, action_text)
            if action is None:
                raise IllegalAction(f"{action_text[:60]!r} is not legal here")
            if (mark := self._networks.find_mark(seat, self.people.owners[seat].name)) is not None:
                referee.record_line(MarkLine(mark))
                self._networks.mark = mark
            return self._runner.play(action, seat)

        self.changes.check_saved()
        await self.changes.submit(decide)

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
                self._finished_rounds = count, visibility.encode_finished_rounds(self.session.journal())

        await self.changes.submit(read_rounds)
        return self._finished_rounds[1]

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
        match run.pending:
            case AutoAdvance() | AwaitingNextRound() if self._hold:
                await self.changes.run_next(None)
            case AutoAdvance() if self._can_continue:
                await self.changes.apply(run.advance)
            case AwaitingNextRound() if self._can_continue:
                await self._await_next_round()
            case AwaitingRobot() as robot if self._can_continue:
                await self._play_robot(robot)
            case AwaitingPlayer() if self._can_continue:
                times = [left for left in (run.seconds_left, self.people.leaving_seconds) if left is not None]
                if not await self.changes.run_next(max(min(times), 0) if times else None):
                    await self.changes.apply(lambda: self.people.lose_leavers() or run.apply_timeout())
            case _:
                await self.changes.run_next(None)

    @property
    def _hold(self) -> str:
        """Reason why the next deal waits; empty if it does not, or a round is in play."""
        referee = self._runner.referee
        is_due = isinstance(self._runner.pending, AwaitingNextRound) or not referee.round
        return self._find_hold(referee.round + 1) if self._find_hold and is_due and not self.is_over else ""

    def notice_progress(self) -> None:
        """Go on, and tell the clients, if the reason to wait has changed."""
        if self._hold != self._shown_hold:
            start_task(self.changes.refresh_clients())

    async def _pause_after_failure(self, failed: GameFailed) -> None:
        """Show a failure of the game to all clients, and wait for the next request of a client."""

        def show_failure() -> Sequence[SessionEvent]:
            self._runner.add_message(CustomLogEntry(None, str(failed)))
            return ()

        self._log_fault(failed, "the game")
        await self.changes.apply(show_failure)
        await self.changes.run_next(None)

    def _log_fault(self, error: Exception, what: str) -> None:
        """Log an error of a part of the session; the lines of one session are limited like those of one person."""
        id_ = self.session.header.id
        self._emit(create_fault(error, f"{what} in the session {id_}", table=id_, opened_by=id_))

    async def _await_next_round(self) -> None:
        """Wait for the acknowledgements of a round's points, then deal the next round.

        The wait ends once all players present have acknowledged and no seat is offered, or after
        ``ACKNOWLEDGE_TIMEOUT`` seconds. No round is dealt if no player is present.
        """
        end = self._clock() + ACKNOWLEDGE_TIMEOUT
        while isinstance(self._runner.pending, AwaitingNextRound) and not self.people.is_round_acknowledged:
            if not await self.changes.run_next(max(end - self._clock(), 0)):
                break
        if isinstance(self._runner.pending, AwaitingNextRound) and self._can_continue:
            await self.changes.apply_if_saved(self._deal_round)

    def _deal_round(self) -> Sequence[SessionEvent]:
        happened = self._runner.advance()
        self.people.begin_round()
        return happened

    async def _play_robot(self, robot: AwaitingRobot) -> None:
        """Let a robot choose its action, and execute other changes meanwhile.

        The choice is discarded if the owner of the seat returns. If the robot fails, return after ``RETRY_SECONDS`` or
        the next change.
        """
        try:
            async with run_beside(self._think(self._runner.create_robot_request())) as thinking:
                while not thinking.done():
                    async with run_beside(self.changes.not_empty.wait()) as change_waiter:
                        await asyncio.wait([thinking, change_waiter], return_when=asyncio.FIRST_COMPLETED)
                    if not thinking.done():
                        await self.changes.run_next_now()
                    if self._runner.pending != robot:  # the owner of the seat has returned
                        return
                action, worlds, notice = thinking.result()
        except CardtableError as error:  # the robot process restarts
            self._log_fault(error, "a robot")
            await self.changes.run_next(RETRY_SECONDS)
            return

        def play() -> Sequence[SessionEvent]:
            if self._runner.pending != robot:
                return ()
            if notice:
                self._runner.add_message(CustomLogEntry(None, notice))
            happened = self._runner.play(action, worlds=worlds)
            self._is_robots_decision = True
            return happened

        await self.changes.apply_if_saved(play)

    def _update_clients(self, happened: Sequence[SessionEvent] | None) -> None:
        """Update all clients after a change.

        After a change that only reads, just the spectators who have come by it are updated.
        """
        events = [event for event in happened or () if isinstance(event, ObservedEvent)]
        self._count_decisions(events)
        for seat in [*self.people.lost_seats]:
            if seat not in self._logged_losses:
                self._logged_losses.add(seat)
                reason = self._runner.referee.occupants.lost[seat].reason
                self._emit(SeatLost(self.people.owners[seat].name, self.session.header.id, reason))
        if not self._can_continue:
            self.session.clocks.stop()
        saving = error.fault if (error := self.changes.save_error) else ""
        self._shown_hold = self._hold
        self.people.update_clients(events, saving, self._shown_hold, only_new=happened is None)
        self._on_change()

    def _count_decisions(self, events: Sequence[ObservedEvent]) -> None:
        for event in events:
            if isinstance(event.event, Action):
                seat = next(iter(event.before.values())).turn
                by_robot = self._is_robots_decision or self._runner.find_robot(seat)
                self._emit(DecisionSaved(self.session.header.game, "robot" if by_robot else "person"))
                self._is_robots_decision = False

    @property
    def turn(self) -> Seat:
        return self._runner.referee.turn

    @property
    def round(self) -> int:
        return self._runner.referee.round

    @property
    def finished_rounds(self) -> int:
        return len(self._runner.referee.scores)

    @property
    def is_over(self) -> bool:
        return isinstance(self._runner.pending, SessionOver)

    @property
    def _can_continue(self) -> bool:
        """True if the players are present, or the session goes on without them.

        It does in a tournament, and once somebody has lost.
        """
        goes_on = self._find_hold or self.people.lost_seats
        return bool(goes_on) or (bool(self.people.present_seats) and self.people.has_assembled)
