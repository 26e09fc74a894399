"""Ownership of a session's seats: players, their absence, substitution votes and seat offers."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from cardtable.club.protocol import SeatInfo
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Journal, Occupant, replace_occupants
from cardtable.engine.referee import IllegalAction
from cardtable.store import profiles
from cardtable.store.profiles import map_current_nicks


class SeatOwnership:
    """Owners of a session's seats, independent of substitute robots that decide for them."""

    def __init__(self, people: dict[Seat, Occupant], grace: int, clock: Callable[[], float]) -> None:
        """`grace`: seconds to wait for absent players."""
        self.people: Final = people
        self._grace, self._clock = grace, clock
        self._left = dict.fromkeys(people, clock())
        """Start of the absence by seat, on `clock`, for players who are not at the table."""
        self._agreed: dict[Seat, set[Seat]] = {}
        """Seats that have voted for a substitute robot, by the seat of the absent player."""
        self.offers: dict[Seat, str] = {}
        """Seats of players who have left, with the nicks of those to whom they are offered."""

    @property
    def away(self) -> dict[Seat, int]:
        """Seats of absent players, with the seconds left to wait for them."""
        return {seat: self._seconds(seat) for seat in self._left}

    def _seconds(self, seat: Seat) -> int:
        return max(0, round(self._left[seat] + self._grace - self._clock()))

    def mark_present(self, seat: Seat) -> None:
        """Record that the owner is at the seat; ends absence, votes and offers."""
        for known in (self._left, self._agreed, self.offers):
            known.pop(seat, None)

    def mark_away(self, seat: Seat) -> None:
        self._left[seat] = self._clock()

    def end_wait(self) -> None:
        """End the wait for all absent players, and withdraw all seat offers."""
        self._left = {seat: min(since, self._clock() - self._grace) for seat, since in self._left.items()}
        self.offers.clear()

    def refuse(self, seat: Seat) -> None:
        """Raise ``IllegalAction`` if the owner of a seat is present or the wait for them has not ended."""
        if seat not in self._left:
            raise IllegalAction("nobody is away from that seat")
        if (left := self._seconds(seat)) > 0:
            raise IllegalAction(f"{self.people[seat].name} has another {left} s to come back")

    def vote_substitute(self, by: Seat, seat: Seat, there: Collection[Seat]) -> bool:
        """Add a vote for a substitute robot at `seat`; return True if all seats in `there` have voted."""
        self._agreed[seat] = self._agreed.get(seat, set()) | {by}
        return self._agreed[seat].issuperset(there)

    def takes_over(self, seat: Seat, occupant: Occupant) -> None:
        """Make `occupant` the owner of a seat offered to them.  Raises ``IllegalAction`` if it is not."""
        if self.offers.get(seat) != occupant.name:
            raise IllegalAction("that seat is taken")
        del self.offers[seat]
        self.people[seat] = occupant

    def assign_to_robot(self, seat: Seat) -> None:
        """Remove the owner of a seat."""
        self.mark_present(seat)
        del self.people[seat]


def owners_from_journal(read: Journal, given: Collection[Seat] = ()) -> dict[Seat, Occupant]:
    """Return the owners of seats in a journal, under their present nicks, including those with substitute robots.

    `given`: seats that robots have taken over permanently.
    """
    owners = {seat: read.header.seats[seat] for seat in read.header.people}
    for entry in read.entries:
        if entry.line.sit is not None and entry.line.robot is None:
            owners[entry.line.sit] = entry.line.new_occupant
    nicks = map_current_nicks(profiles.load()[0], replace_occupants(read.header, owners))
    return {seat: Occupant(nicks[seat], player=who.player) for seat, who in owners.items() if seat not in given}


def places(
    header: Header, people: Mapping[Seat, Occupant], away: Collection[Seat], offers: Mapping[Seat, str]
) -> tuple[SeatInfo, ...]:
    """Return the seats for display; `header` has those who decide for them at present."""
    shown = [SeatInfo(who.name, who.robot is not None) for who in header.seats]
    for seat, who in people.items():
        robot = header.seats[seat].robot is not None
        shown[seat] = SeatInfo(who.name, robot, seat in away, offers.get(seat, ""))
    return tuple(shown)
