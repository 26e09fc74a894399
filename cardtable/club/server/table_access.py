"""People of a club's table: those who own its seats, and those who may see it and come to it.

A table in play is seen by whom its game master admits, and each of them gets the view of their seat. How much of a
stored session is shown depends on its state instead, whoever asks; ``store.visibility`` decides that, also for programs
without a club.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server.limits import LIMITS, RequestRefused
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Journal, LossReason, Occupant, list_later_occupants, replace_occupants
from cardtable.engine.referee import IllegalAction
from cardtable.store import profiles
from cardtable.store.profiles import ProfileStore, map_current_nicks
from cardtable.store.seating import compute_nick_key, is_same_nick


class Person(NamedTuple):
    """Person at a club: a guest, who is identified by the nick, or a player, who is identified by the profile."""

    nick: str
    player: str
    """Id of the player's profile at the host; empty for a guest."""
    guest_nicks: tuple[str, ...]
    """Nicks under which the person owns seats that belong to no profile."""

    @property
    def occupant(self) -> Occupant:
        return Occupant(self.nick, player=self.player or None)

    def owns(self, owner: Occupant) -> bool:
        """Return True if this person is the owner of a seat."""
        if owner.player:
            return owner.player == self.player
        return any(is_same_nick(owner.name, nick) for nick in self.guest_nicks)

    def is_same(self, other: "Person") -> bool:
        """Return True if this is the other person, perhaps under another nick if both are the same player."""
        return self.player == other.player and bool(self.player or is_same_nick(self.nick, other.nick))

    def find_seat(self, owners: Mapping[Seat, Occupant]) -> Seat | None:
        return next((seat for seat, owner in owners.items() if self.owns(owner)), None)


def has_nick(nick: str, owner: Occupant) -> bool:
    return is_same_nick(owner.name, nick)


def check_seat(seat: Seat | None, seats: Sequence[object]) -> None:
    """Raise ``IllegalAction`` if a table with these ``seats`` has no such seat; ``None`` stands for any seat."""
    if seat is not None and seat not in range(len(seats)):
        raise IllegalAction("the table has no such seat")


def find_seat_owners(journal: Journal) -> dict[Seat, Occupant]:
    """Return the owners of seats according to a journal; seats of robots are left out.

    A person whom a substitute robot replaces still owns the seat.
    """
    owners = {seat: journal.header.seats[seat] for seat in journal.header.people}
    return owners | {seat: occupant for seat, occupant in list_later_occupants(journal) if occupant.robot is None}


def find_present_owners(
    journal: Journal, robot_seats: Collection[Seat] = (), former_guests: Mapping[str, Occupant] = {}
) -> dict[Seat, Occupant]:
    """Return the owners of seats in a session under their present nicks, but for ``robot_seats``, which robots own."""
    owners = {seat: owner for seat, owner in find_seat_owners(journal).items() if seat not in robot_seats}
    return update_owners(load_profiles(), journal.header, owners, former_guests)


def load_profiles() -> ProfileStore | None:
    """Return the profiles, or ``None`` if they cannot be read."""
    profile_store, error = profiles.load()
    return None if error else profile_store


def update_owners(
    profile_store: ProfileStore | None,
    header: Header,
    owners: Mapping[Seat, Occupant],
    former_guests: Mapping[str, Occupant] = {},
) -> dict[Seat, Occupant]:
    """Return the owners of seats under their present nicks.

    ``former_guests`` maps the keys of nicks to the guests who had them and have registered or changed the nick since.
    A player whose profile has been removed is a guest from then on. Nothing changes if the profiles cannot be read.
    """
    if profile_store is None:
        return dict(owners)
    known = {
        seat: owner if owner.player else former_guests.get(compute_nick_key(owner.name), owner)
        for seat, owner in owners.items()
    }
    nicks = map_current_nicks(profile_store, replace_occupants(header, known))
    return {
        seat: Occupant(nicks[seat], player=owner.player if profile_store.find_by_id(owner.player or "") else None)
        for seat, owner in known.items()
    }


def rename_owner(owners: dict[Seat, Occupant], former: Person, nick: str) -> None:
    """Use the present nick of a person, given as they were, also for a seat from before their profile."""
    for seat, owner in owners.items():
        if former.owns(owner):
            owners[seat] = former._replace(nick=nick).occupant


def create_seat_infos(
    header: Header,
    owners: Mapping[Seat, Occupant],
    absent_seats: Collection[Seat],
    lost: Mapping[Seat, LossReason],
    offers: Mapping[Seat, str],
) -> tuple[SeatInfo, ...]:
    """Return a description of each seat for the lobby and the table.

    The ``header`` names the present occupants. The other parameters give, by seat, the owners, the absent ones among
    them, those who have lost the session, and the nicks to whom seats are offered.
    """
    infos = [SeatInfo(occupant.name, occupant.robot is not None) for occupant in header.seats]
    for seat, owner in owners.items():
        robot = header.seats[seat].robot is not None
        infos[seat] = SeatInfo(owner.name, robot, seat in absent_seats, offers.get(seat, ""), lost=lost.get(seat))
    return tuple(infos)


class TableAccess:
    """People who may see a table and come to it: everybody, or at a private table those who are invited.

    Of them the game master may send spectators away, or all spectators for a while.
    """

    def __init__(
        self, invited: Iterable[str] | None = None, sent_away: Iterable[str] = (), *, admits_spectators: bool = True
    ) -> None:
        """Open a table to everybody, or to the people with the nicks ``invited`` only.

        ``sent_away`` are the nicks of those who may not watch it.
        """
        self.is_private: Final = invited is not None
        self._nicks = {compute_nick_key(nick): nick for nick in invited or ()}
        self._sent_away = {compute_nick_key(nick): nick for nick in sent_away}
        self.admits_spectators = admits_spectators
        """True unless the game master has closed the table to spectators."""

    def copy(self) -> "TableAccess":
        """Return the access to another table, which is the same now."""
        invited = self.invited if self.is_private else None
        return TableAccess(invited, self.sent_away, admits_spectators=self.admits_spectators)

    def add_to(self, table_info: TableInfo) -> TableInfo:
        """Return the description of the table with who may come to it."""
        return replace(
            table_info, private=self.is_private, invited=self.invited, no_spectators=not self.admits_spectators
        )

    @property
    def invited(self) -> tuple[str, ...]:
        return tuple(self._nicks.values())

    @property
    def sent_away(self) -> tuple[str, ...]:
        return tuple(self._sent_away.values())

    def admits(self, nick: str) -> bool:
        return not self.is_private or compute_nick_key(nick) in self._nicks

    def invite(self, *nicks: str) -> None:
        """Invite people to a private table; nothing happens at an open one."""
        if self.is_private:
            self._nicks.update({compute_nick_key(nick): nick for nick in nicks})

    def withdraw(self, nick: str) -> None:
        """Forget a person, who may be invited or sent away; nothing happens for anybody else."""
        for nicks in (self._nicks, self._sent_away):
            nicks.pop(compute_nick_key(nick), None)

    def rename(self, old_nick: str, nick: str) -> None:
        """Use the present nick of a person in place of a former one."""
        for nicks in (self._nicks, self._sent_away):
            if nicks.pop(compute_nick_key(old_nick), None) is not None:
                nicks[compute_nick_key(nick)] = nick

    def send_away(self, nick: str) -> None:
        """Keep a spectator away from now on.

        Raises ``RequestRefused`` if too many people have been sent away.
        """
        LIMITS.sent_away.check(len(self._sent_away))
        self._sent_away[compute_nick_key(nick)] = nick

    def admits_spectator(self, nick: str) -> bool:
        return self.admits_spectators and compute_nick_key(nick) not in self._sent_away

    def check_spectator(self, nick: str) -> None:
        """Raise ``RequestRefused`` if somebody without a seat may not watch the table."""
        if not self.admits_spectator(nick):
            away = "you have been sent away from that table"
            raise RequestRefused(away if self.admits_spectators else "that table is closed to spectators")
