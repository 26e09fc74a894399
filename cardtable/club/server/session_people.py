"""People at a hosted session: the owners of its seats, and the clients who follow it.

A request marked ``as_change`` is a coroutine: whoever awaits it waits until the session's task has executed it.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from functools import wraps
from typing import Concatenate, Final, Literal, ParamSpec, TypeAlias

from msgspec.structs import replace

from cardtable.club.protocol import SeatInfo
from cardtable.club.server.client_outbox import TablePeople, TableSubscriber
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.session_changes import SessionChanges
from cardtable.club.server.table_access import Person, check_seat, create_seat_infos, rename_owner
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import Occupant, list_later_occupants
from cardtable.engine.referee import IllegalAction
from cardtable.session.session_events import AwaitingNextRound, ObservedEvent, SessionEvent, SessionOver
from cardtable.session.session_runner import SessionRunner
from cardtable.store.errors import DiskFault, NotSaved
from cardtable.store.seating import DEFAULT_LEVEL, ROBOT_NAMES
from cardtable.store.session_files import list_former_players
from cardtable.workers.tasks import start_task

RATED: Final = "this session is rated: nobody is replaced, and it is played to its end"
SPECTATOR_NEWS_DELAY: Final = 0.25
"""Time after which a table is told of spectators who have come or gone, in seconds."""
Events: TypeAlias = Sequence[SessionEvent]
P = ParamSpec("P")


def as_change(
    method: Callable[Concatenate["SessionPeople", P], Events | None],
) -> Callable[Concatenate["SessionPeople", P], Coroutine[object, object, None]]:
    """Make of a method a request that submits it as a change of the session, and waits until it has been executed.

    The request raises the errors of the method, and ``CardtableError`` if the table is closed before.
    """

    @wraps(method)
    async def submit(people: "SessionPeople", /, *args: P.args, **kwargs: P.kwargs) -> None:
        await people.changes.submit(lambda: method(people, *args, **kwargs) or ())

    return submit


class RematchOffer:
    """Offer of another session with the same people, while and after this one is played."""

    def __init__(self) -> None:
        self.votes: dict[Seat, bool] = {}
        """Seats that accept it, and if others may see that; empty until the game master has offered it."""
        self.draws_seats = False
        """True if the seats of the other session are drawn at random."""
        self.progress: Literal["beginning", "begun"] | None = None
        """How far the other session has come; ``None`` if there is none."""


class SessionPeople:
    """Owners of a session's seats, their absences, votes and offers, and the clients who follow the session.

    An owner keeps the seat while a substitute robot decides for it.
    """

    def __init__(
        self,
        runner: SessionRunner,
        changes: SessionChanges,
        owners: dict[Seat, Occupant],
        grace: int,
        clock: Callable[[], float],
        *,
        is_resumed: bool,
        is_in_tournament: bool,
    ) -> None:
        """Start with all owners absent, and without clients.

        ``grace`` is the number of seconds to wait for an absent player, and ``clock`` returns the time in seconds.
        ``is_resumed`` is True if the session has been closed before, so that owners may not know that it goes on.
        In a tournament they know, and lose by leaving whoever is present.
        """
        self.changes: Final = changes
        self._runner, self._grace, self._clock = runner, grace, clock
        journal = runner.journal()
        self._initial_seats = journal.header.seats
        self._substitutions = sum(occupant.robot is not None for _, occupant in list_later_occupants(journal))
        self.owners: Final = owners
        """Owners by seat, including those for whom a robot substitutes."""
        self._absent_since = dict.fromkeys(owners, clock())
        """Start of each absence on ``clock``, by seat."""
        self._is_in_tournament = is_in_tournament
        self._informed_seats = set[Seat]() if is_resumed and not is_in_tournament else {*owners}
        """Seats whose owners know that the session goes on, since they have been here."""
        self._votes: dict[Seat, set[Seat]] = {}
        """Seats that have voted for a substitute robot, by the absent player's seat."""
        self._offers: dict[Seat, Occupant] = {}
        """Players to whom seats of absent owners are offered, by seat."""
        self.rematch: Final = RematchOffer()
        self._acknowledged_seats: set[Seat] = set()
        """Seats that have acknowledged the points of the round that has just ended."""
        self._subscribers: list[TableSubscriber] = []
        self._spectator_news: asyncio.Task[None] | None = None
        """Task that will tell all clients who watches; ``None`` if they have been told."""

    # Clients

    def make_subscriber(self, person: Person, seat: Seat | None, wake: Callable[[], None]) -> TableSubscriber:
        """Return a subscriber for a client that is about to join; pass it to ``subscribe``.

        ``seat`` is ``None`` for a spectator. ``wake`` is called whenever the subscriber has an update.
        """
        return TableSubscriber(self._runner, self._runner.header.id, person, seat, wake)

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

    def _add_subscribers(self, subscribers: Collection[TableSubscriber]) -> Events:
        try:
            happened = self._reclaim_seats({subscriber.seat for subscriber in subscribers})
        except NotSaved as error:
            self.changes.queue_retry(self._reclaim_present_seats, error)
            happened = ()
        for subscriber in subscribers:
            self._subscribers.append(subscriber)
            self._mark_present(subscriber.seat)
        return happened

    def _reclaim_seats(self, seats: Collection[Seat | None]) -> Events:
        """Return those seats to their owners at which robots decide for them; nothing happens after the end."""
        happened: list[SessionEvent] = []
        for seat, owner in self.owners.items():
            if seat in seats and self.is_substituted(seat) and self._runner.referee.turn != OVER:
                happened += self._runner.change_occupant(seat, owner)
        return happened

    def _reclaim_present_seats(self) -> Events:  # a method, so that it is queued once however many return
        return self._reclaim_seats(self.present_seats)

    def _mark_present(self, seat: Seat | None) -> None:
        """End the absence of the owner of a seat, its votes and the offer of the seat."""
        if seat is not None:
            self._informed_seats.add(seat)
            for mapping in (self._absent_since, self._votes, self._offers):
                mapping.pop(seat, None)

    async def adopt_clients(self, failed: "SessionPeople") -> None:
        """Take over the clients of an earlier ``HostedSession`` of this table, whose task has failed."""

        def adopt() -> Events:
            for subscriber in failed._subscribers:
                subscriber.switch_runner(self._runner)
            return self._add_subscribers(failed._subscribers)

        await self.changes.submit(adopt)

    async def unsubscribe(self, subscriber: TableSubscriber) -> None:
        """Remove a client; a player still owns the seat.

        If all players who are still present have voted for a robot at an absent player's seat, it sits down there.
        """
        if subscriber.seat is None:
            await self.changes.submit(lambda: self._subscribers.remove(subscriber))
            self._tell_spectators_later()
            return
        await self._remove_player(subscriber, subscriber.seat)
        if self._list_agreed_substitutes():
            with suppress(CardtableError, IllegalAction):  # too many substitutions, or the disk: the votes remain
                await self.changes.submit(self._seat_agreed_robots)

    @as_change
    def _remove_player(self, subscriber: TableSubscriber, seat: Seat) -> None:
        self._subscribers.remove(subscriber)
        if seat not in self.present_seats:
            self._absent_since[seat] = self._clock()
            if not self._is_over:  # nobody loses a seat in the next session by a lost connection
                self.rematch.votes.clear()

    def _tell_spectators_later(self) -> None:
        """Tell all clients who watches, once for all who come and go within ``SPECTATOR_NEWS_DELAY``."""
        self._spectator_news = self._spectator_news or start_task(self._tell_spectators())

    async def _tell_spectators(self) -> None:
        await asyncio.sleep(SPECTATOR_NEWS_DELAY)
        self._spectator_news = None
        await self.changes.refresh_clients()

    def update_clients(self, events: Sequence[ObservedEvent], saving: DiskFault, held: str, *, only_new: bool) -> None:
        """Bring the updates of all clients up to date, or only those of new ones.

        ``saving`` is the fault because of which changes wait for the disk, and ``held`` the reason why the next deal
        waits; both are empty if there is none.
        """
        subscribers = [subscriber for subscriber in self._subscribers if subscriber.needs_full or not only_new]
        if not subscribers:
            return
        people = TablePeople(
            waits_for=self._list_awaited_seats(),
            absences=self.absences,
            seats=self.seat_infos,
            spectators=tuple(
                dict.fromkeys(subscriber.person.nick for subscriber in self._subscribers if subscriber.seat is None)
            ),
            rematch_seats=self.rematch.votes,
            substitute_votes=self._votes,
            saving=saving,
            held=held,
        )
        for subscriber in subscribers:
            subscriber.add_events(events)
            subscriber.refresh(people)

    # Who is here

    @property
    def present_people(self) -> dict[Seat, Person]:
        return {subscriber.seat: subscriber.person for subscriber in self._subscribers if subscriber.seat is not None}

    @property
    def present_seats(self) -> set[Seat]:
        return {*self.present_people}

    @property
    def spectator_count(self) -> int:
        return sum(subscriber.seat is None for subscriber in self._subscribers)

    @property
    def is_empty(self) -> bool:
        return not self._subscribers

    @property
    def seat_infos(self) -> tuple[SeatInfo, ...]:
        offers = {seat: receiver.name for seat, receiver in self._offers.items()}
        lost = {seat: line.reason for seat, line in self._runner.referee.occupants.lost.items()}
        infos = create_seat_infos(self._runner.header, self.owners, self._absent_since, lost, offers)
        former = list_former_players(self._initial_seats, self._runner.referee, self.owners)
        return tuple([replace(info, former=rounds) for info, rounds in zip(infos, former, strict=True)])

    @property
    def _is_over(self) -> bool:
        return isinstance(self._runner.pending, SessionOver)

    def _list_awaited_seats(self) -> tuple[Seat, ...]:
        if isinstance(self._runner.pending, AwaitingNextRound):
            return tuple([seat for seat in self.owners if seat not in {*self._acknowledged_seats, *self.lost_seats}])
        seats = self._runner.referee.list_seats_to_act()
        return tuple([seat for seat in seats if self.is_substituted(seat) or not self._runner.find_robot(seat)])

    # Rated sessions

    @property
    def is_rated(self) -> bool:
        """True if whoever leaves loses the session, and nobody can be replaced."""
        terms = self._runner.header.terms
        return terms is not None and terms.rated

    def _check_casual(self) -> None:
        """Raise ``IllegalAction`` in a rated session."""
        if self.is_rated:
            raise IllegalAction(RATED)

    @property
    def lost_seats(self) -> Collection[Seat]:
        return self._runner.referee.occupants.lost

    @property
    def has_assembled(self) -> bool:
        """True if all who have not lost have been here since a rated session was resumed, so that it goes on."""
        return not self.is_rated or self.owners.keys() <= self._informed_seats | {*self.lost_seats}

    def _list_leavers(self) -> list[Seat]:
        """Return the seats of absent players who lose a rated session once the wait for them is over."""
        has_opponents = self._is_in_tournament or self.present_seats.difference(self.lost_seats)
        if not self.is_rated or self._runner.referee.turn == OVER or not has_opponents:
            return []
        absent = filter(self._can_be_substituted, self._absent_since)
        return [seat for seat in absent if seat in self._informed_seats]

    @property
    def leaving_seconds(self) -> int | None:
        """Seconds until the next absent player loses the session; ``None`` if nobody will."""
        return min([self.absences[seat] for seat in self._list_leavers()], default=None)

    def lose_leavers(self) -> Events:
        """Make those who have left lose the session once the wait for them is over."""
        overdue = [seat for seat in self._list_leavers() if not self.absences[seat]]
        return [event for seat in overdue for event in self._runner.lose(seat, "left")]

    @property
    def awaited_seconds(self) -> int:
        """Seconds for which a rated session stays open although everybody has left; 0 if it does not."""
        if not self.is_rated or self._is_over:
            return 0
        return max([left for seat, left in self.absences.items() if seat in self._informed_seats], default=0)

    # Absences

    @property
    def absences(self) -> dict[Seat, int]:
        """Seconds left to wait for each absent owner, by seat; 0 if the wait is over."""
        return {seat: max(0, round(since + self._grace - self._clock())) for seat, since in self._absent_since.items()}

    def _check_wait_over(self, seat: Seat) -> None:
        """Raise ``IllegalAction`` if the owner of a seat is present or has lost, or if the wait has not ended."""
        if seat in self.lost_seats:
            raise IllegalAction("that seat has lost, and a robot plays it to the end")
        if seat not in self._absent_since:
            raise IllegalAction("the player of that seat is here")
        if (left := self.absences[seat]) > 0:
            raise IllegalAction(f"{self.owners[seat].name} has another {left} s to come back")

    @as_change
    def end_wait(self) -> None:
        """End the wait for absent players, and withdraw all seat offers.

        After a round this also ends the wait for the acknowledgements of its points; in a rated session it ends nothing
        else.
        """
        if not self.is_rated:
            self._absent_since = {
                seat: min(since, self._clock() - self._grace) for seat, since in self._absent_since.items()
            }
        self._offers.clear()
        if isinstance(self._runner.pending, AwaitingNextRound):
            self._acknowledged_seats.update(self.owners)

    @as_change
    def acknowledge_round(self, seat: Seat, round_number: int) -> None:
        """Record that a seat has acknowledged the points of a round, unless the next round has been dealt already.

        Raises ``IllegalAction`` if the round has not been dealt yet.
        """
        if round_number > self._runner.referee.round:
            raise IllegalAction("that round has not been dealt yet")
        if isinstance(self._runner.pending, AwaitingNextRound) and self._runner.referee.round == round_number:
            self._acknowledged_seats.add(seat)

    @property
    def is_round_acknowledged(self) -> bool:
        """True if all players present have acknowledged the points of the round, and no seat is offered."""
        return not self._offers and self.present_seats <= self._acknowledged_seats | {*self.lost_seats}

    def begin_round(self) -> None:
        """Forget the acknowledgements and the seat offers after a round, because the next one has been dealt."""
        self._acknowledged_seats.clear()
        self._offers.clear()

    # Substitute robots

    def is_substituted(self, seat: Seat) -> bool:
        """Return True if a robot decides for a seat, as a substitute or permanently."""
        return self._runner.header.seats[seat].robot is not None

    def _can_be_substituted(self, seat: Seat) -> bool:
        return not self.is_substituted(seat) and seat not in self.lost_seats

    @as_change
    def vote_substitute(self, seat: Seat, voter: Seat) -> Events:
        """Add the vote of the seat ``voter`` for a robot to substitute for the absent player of ``seat``.

        The robot sits down once all players present have voted. Raises ``IllegalAction`` if the player is present or
        has lost, the wait for them has not ended, or a robot substitutes already, and also if there is no such seat or
        robots have substituted too often.
        """
        check_seat(seat, self._initial_seats)
        self._check_casual()
        if self.is_substituted(seat):
            raise IllegalAction("the player of that seat is here")
        self._check_wait_over(seat)
        self._votes[seat] = self._votes.get(seat, set()) | {voter}
        return self._seat_agreed_robots()

    def _list_agreed_substitutes(self) -> list[Seat]:
        """Return the seats at which robots have to sit down because all players present have voted for that."""
        present = self.present_seats
        return [
            seat
            for seat, voters in self._votes.items()
            if present and voters.issuperset(present) and self._can_be_substituted(seat)
        ]

    def _seat_agreed_robots(self) -> Events:
        return self._seat_robots(self._list_agreed_substitutes(), DEFAULT_LEVEL)

    @as_change
    def substitute_robots(self, level: str) -> Events:
        """Let robots of a level substitute for all absent players until they return.

        Raises ``IllegalAction`` if robots have substituted too often.
        """
        return self._seat_robots([*filter(self._can_be_substituted, self._absent_since)], level)

    def _seat_robots(self, seats: Collection[Seat], level: str) -> Events:
        return [event for seat in seats for event in self._seat_robot(seat, level)]

    def _seat_robot(self, seat: Seat, level: str) -> Events:
        if self._substitutions >= LIMITS.substitutions.number:
            raise IllegalAction(LIMITS.substitutions.refusal)
        taken = {occupant.name for occupant in self._runner.header.seats}
        name = next(name for name in ROBOT_NAMES if name not in taken)
        happened = self._runner.change_occupant(seat, Occupant(name, level))
        self._substitutions += 1
        return happened

    # Seats that change their owners

    @as_change
    def offer_seat(self, seat: Seat, receiver: Person) -> None:
        """Offer the seat of an absent player to ``receiver``; raises ``IllegalAction`` as ``seat_robot`` does."""
        self.check_can_give(seat)
        self._offers[seat] = receiver.occupant

    async def seat_robot(self, seat: Seat, level: str) -> None:
        """Let a robot of a level substitute for an absent player, as the game master.

        Raises ``IllegalAction`` if the owner is present, the wait for them has not ended, a round is in progress,
        robots have substituted too often, or there is no such seat, and ``NotSaved`` if the robot's arrival has not
        been saved yet.
        """

        def substitute() -> Events:
            self.check_can_give(seat)
            return self._seat_robot(seat, level)

        await self.changes.submit(substitute)
        if not self.is_substituted(seat):
            self.changes.check_saved()

    def check_can_give(self, seat: Seat) -> None:
        """Raise ``IllegalAction`` if the seat of a player cannot be given to somebody else now."""
        check_seat(seat, self._initial_seats)
        self._check_casual()
        self._check_wait_over(seat)
        self._check_between_rounds()

    def _check_between_rounds(self) -> None:
        if not isinstance(self._runner.pending, AwaitingNextRound):
            raise IllegalAction("a seat can only be given away between rounds")

    @as_change
    def assign_to_robot(self, seat: Seat) -> None:
        """Give a seat to its substitute robot permanently; do nothing if the player has returned."""
        if self.is_substituted(seat):
            self._mark_present(seat)
            del self.owners[seat]

    def is_offered(self, seat: Seat, person: Person) -> bool:
        return seat in self._offers and person.owns(self._offers[seat])

    @as_change
    def accept_seat(self, seat: Seat, person: Person) -> Events:
        """Give an offered seat to a person.

        Raises ``IllegalAction`` if the seat is not offered to the person, a round is in progress, or the disk refuses
        the change.
        """
        self._check_between_rounds()
        if not self.is_offered(seat, person):
            raise IllegalAction("that seat is taken")
        self._runner.forget_messages(seat)
        try:
            happened = self._runner.change_occupant(seat, person.occupant)
        except NotSaved as error:
            raise IllegalAction(str(error)) from None
        self.owners[seat] = person.occupant
        del self._offers[seat]
        return happened

    async def rename_owner(self, former: Person, nick: str) -> None:
        """Use the present nick of a person, given as they were, and tell all clients.

        They are not told if the table is closed meanwhile.
        """

        def rename() -> Events:
            rename_owner(self.owners, former, nick)
            rename_owner(self._offers, former, nick)
            return ()

        with suppress(CardtableError):
            await self.changes.submit(rename)

    # Another session

    @as_change
    def vote_rematch(self, seat: Seat, *, is_shown: bool = True) -> None:
        """Accept a rematch for a seat; the first vote offers it. Others see the vote only if ``is_shown`` is true.

        Before the end of the session, raises ``NotSaved`` while changes wait for the disk, and ``IllegalAction`` while
        the table waits for an absent player.
        """
        if not self._is_over:
            self._check_casual()
            self.changes.check_saved()
            for absent in self._absent_since:
                if self._can_be_substituted(absent):
                    self._check_wait_over(absent)
        self.rematch.votes[seat] = is_shown

    @as_change
    def cancel_rematch(self) -> None:
        self.rematch.votes.clear()

    @property
    def rematch_agreed(self) -> bool:
        """True if a rematch has been offered, and players are present who all accept it.

        Those who have lost the session before its end are not waited for.
        """
        awaited = self.present_seats.difference(self.lost_seats) or self.present_seats
        return bool(self.rematch.votes and awaited) and awaited.issubset(self.rematch.votes)

    @property
    def rematch_people(self) -> dict[Seat, Person]:
        return {seat: person for seat, person in self.present_people.items() if seat in self.rematch.votes}
