"""Whose the seats of a session are, who is away, and what the others want done about that."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from cardtable.club.protocol import SeatInfo
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Journal, Occupant, with_occupants
from cardtable.engine.referee import IllegalAction
from cardtable.store import profiles
from cardtable.store.profiles import nicks_today


class SeatOwnership:
    """The people of a session, whoever decides for them now."""

    def __init__(self, people: dict[Seat, Occupant], grace: int, clock: Callable[[], float]) -> None:
        """``grace``: seconds for which those who are away are waited for."""
        self.people: Final = people
        self._grace, self._clock = grace, clock
        self._left = dict.fromkeys(people, clock())
        """Since when those are away who are not there."""
        self._agreed: dict[Seat, set[Seat]] = {}
        """By the seat of who is away, who wants a robot there."""
        self.offers: dict[Seat, str] = {}
        """Seats of those who have left, with the nicks of those who may have them."""

    @property
    def away(self) -> dict[Seat, int]:
        """Who is away, with the seconds for which they are still waited for."""
        return {seat: self._seconds(seat) for seat in self._left}

    def _seconds(self, seat: Seat) -> int:
        return max(0, round(self._left[seat] + self._grace - self._clock()))

    def mark_present(self, seat: Seat) -> None:
        """Somebody is at her seat, which is hers."""
        for known in (self._left, self._agreed, self.offers):
            known.pop(seat, None)

    def mark_away(self, seat: Seat) -> None:
        """Somebody is away from now on."""
        self._left[seat] = self._clock()

    def end_wait(self) -> None:
        """Nobody who is away is waited for any longer, nor who has been offered a seat."""
        self._left = {seat: min(since, self._clock() - self._grace) for seat, since in self._left.items()}
        self.offers.clear()

    def refuse(self, seat: Seat) -> None:
        """Raise ``IllegalAction`` where nobody is away, or she is still waited for."""
        if seat not in self._left:
            raise IllegalAction("nobody is away from that seat")
        if (left := self._seconds(seat)) > 0:
            raise IllegalAction(f"{self.people[seat].name} has another {left} s to come back")

    def vote_substitute(self, by: Seat, seat: Seat, there: Collection[Seat]) -> bool:
        """Somebody wants a robot where another one is away; whether all want it who are ``there``."""
        self._agreed[seat] = self._agreed.get(seat, set()) | {by}
        return self._agreed[seat].issuperset(there)

    def takes_over(self, seat: Seat, who: Occupant) -> None:
        """A seat that was offered is another one's from now on.  Raises ``IllegalAction`` where it was not."""
        if self.offers.get(seat) != who.name:
            raise IllegalAction("that seat is taken")
        del self.offers[seat]
        self.people[seat] = who

    def assign_to_robot(self, seat: Seat) -> None:
        """A seat is nobody's any more."""
        self.mark_present(seat)
        del self.people[seat]


def owners_from_journal(read: Journal, given: Collection[Seat] = ()) -> dict[Seat, Occupant]:
    """The people of a session by their seats, by their nicks of today: also those for whom robots stand in.

    ``given``: seats that robots have for good.
    """
    found = {seat: read.header.seats[seat] for seat in read.header.people}
    for entry in read.entries:
        if entry.line.sit is not None and entry.line.robot is None:
            found[entry.line.sit] = entry.line.sitter
    nicks = nicks_today(profiles.load()[0], with_occupants(read.header, found))
    return {seat: Occupant(nicks[seat], player=who.player) for seat, who in found.items() if seat not in given}


def places(
    header: Header, people: Mapping[Seat, Occupant], away: Collection[Seat], offers: Mapping[Seat, str]
) -> tuple[SeatInfo, ...]:
    """The seats as they are shown: ``header`` has those who decide for them now."""
    shown = [SeatInfo(who.name, who.robot is not None) for who in header.seats]
    for seat, who in people.items():
        robot = header.seats[seat].robot is not None
        shown[seat] = SeatInfo(who.name, robot, seat in away, offers.get(seat, ""))
    return tuple(shown)
