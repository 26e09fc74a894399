"""Ownership of a session's seats: owners, their absences, votes for substitute robots, and seat offers."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from cardtable.club.protocol import SeatInfo
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Journal, Occupant, replace_occupants
from cardtable.engine.referee import IllegalAction
from cardtable.store import profiles
from cardtable.store.profiles import map_current_nicks


class SeatOwnership:
    """Owners of a session's seats, and their presence at the table.

    An owner keeps the seat while a substitute robot decides for it.
    """

    def __init__(self, owners: dict[Seat, Occupant], grace: int, clock: Callable[[], float]) -> None:
        """Start with all owners absent.

        ``owners`` is changed in place. ``grace`` is the number of seconds to wait for an absent player, and ``clock``
        returns the time in seconds.
        """
        self.owners: Final = owners
        self._grace, self._clock = grace, clock
        self._absent_since = dict.fromkeys(owners, clock())
        """Start of each absence on ``_clock``, by seat."""
        self._votes: dict[Seat, set[Seat]] = {}
        """Seats that have voted for a substitute robot, by the absent player's seat."""
        self.offers: dict[Seat, str] = {}
        """Nicks of the players to whom seats of absent owners are offered, by seat."""

    @property
    def absences(self) -> dict[Seat, int]:
        """Seconds left to wait for each absent owner, by seat; 0 if the wait is over."""
        return {seat: self._compute_seconds_left(seat) for seat in self._absent_since}

    @property
    def substitute_votes(self) -> dict[Seat, tuple[Seat, ...]]:
        """Seats that have voted for a substitute robot, by the absent owner's seat."""
        return {seat: tuple(sorted(voters)) for seat, voters in self._votes.items()}

    def _compute_seconds_left(self, seat: Seat) -> int:
        return max(0, round(self._absent_since[seat] + self._grace - self._clock()))

    def mark_present(self, seat: Seat) -> None:
        """Record that the owner is at the seat; this ends the absence, its votes and the offer of the seat."""
        for mapping in (self._absent_since, self._votes, self.offers):
            mapping.pop(seat, None)

    def mark_away(self, seat: Seat) -> None:
        self._absent_since[seat] = self._clock()

    def end_wait(self) -> None:
        """End the wait for all absent owners, and withdraw all seat offers."""
        self._absent_since = {
            seat: min(since, self._clock() - self._grace) for seat, since in self._absent_since.items()
        }
        self.offers.clear()

    def check_wait_over(self, seat: Seat) -> None:
        """Raise ``IllegalAction`` if the owner of a seat is present, or if the wait for them has not ended."""
        if seat not in self._absent_since:
            raise IllegalAction("the player of that seat is here")
        if (left := self._compute_seconds_left(seat)) > 0:
            raise IllegalAction(f"{self.owners[seat].name} has another {left} s to come back")

    def vote_substitute(self, voter: Seat, seat: Seat) -> None:
        """Add the vote of the seat ``voter`` for a substitute robot at the absent player's ``seat``."""
        self._votes[seat] = self._votes.get(seat, set()) | {voter}

    def list_agreed_substitutes(self, present_seats: Collection[Seat]) -> list[Seat]:
        """Return the absent players' seats for which all ``present_seats`` have voted for a substitute robot."""
        return [seat for seat, voters in self._votes.items() if present_seats and voters.issuperset(present_seats)]

    def take_over(self, seat: Seat, occupant: Occupant) -> None:
        """Make ``occupant`` the owner of a seat, and remove its offer.

        Raises ``IllegalAction`` if the seat is not offered to ``occupant``.
        """
        if self.offers.get(seat) != occupant.name:
            raise IllegalAction("that seat is taken")
        del self.offers[seat]
        self.owners[seat] = occupant

    def assign_to_robot(self, seat: Seat) -> None:
        """Remove the owner of a seat, because a robot takes it over permanently."""
        self.mark_present(seat)
        del self.owners[seat]


def find_seat_owners(journal: Journal, robot_seats: Collection[Seat] = ()) -> dict[Seat, Occupant]:
    """Return the owners of seats according to a journal, under their present nicks.

    A person whom a substitute robot replaces still owns the seat. ``robot_seats`` are seats that robots have taken over
    permanently; they and the seats of other robots are left out.
    """
    owners = {seat: journal.header.seats[seat] for seat in journal.header.people}
    for entry in journal.entries:
        if entry.line.sit is not None and entry.line.robot is None:
            owners[entry.line.sit] = entry.line.new_occupant
    nicks = map_current_nicks(profiles.load()[0], replace_occupants(journal.header, owners))
    return {
        seat: Occupant(nicks[seat], player=owner.player) for seat, owner in owners.items() if seat not in robot_seats
    }


def create_seat_infos(
    header: Header, owners: Mapping[Seat, Occupant], absent_seats: Collection[Seat], offers: Mapping[Seat, str]
) -> tuple[SeatInfo, ...]:
    """Return a description of each seat for the lobby and the table.

    The ``header`` names the present occupants. The other parameters give, by seat, the owners, the absent ones among
    them, and the nicks to whom seats are offered.
    """
    infos = [SeatInfo(occupant.name, occupant.robot is not None) for occupant in header.seats]
    for seat, owner in owners.items():
        robot = header.seats[seat].robot is not None
        infos[seat] = SeatInfo(owner.name, robot, seat in absent_seats, offers.get(seat, ""))
    return tuple(infos)
