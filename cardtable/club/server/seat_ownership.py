"""People who own seats in the sessions of a club, and their unfinished sessions."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import (
    ChanceLine,
    Header,
    Journal,
    Occupant,
    ResultLine,
    VoidLine,
    is_score_table,
    list_later_occupants,
    replace_occupants,
)
from cardtable.engine.referee import IllegalAction
from cardtable.store import club_sessions, profiles, session_files
from cardtable.store.journal_scan import find_last_played
from cardtable.store.profiles import ProfileStore, map_current_nicks
from cardtable.store.seating import compute_nick_key, is_same_nick
from cardtable.store.summaries import find_unfinished_files, is_valid_header


class Person(NamedTuple):
    """Person at a club: a guest, who is identified by the nick, or a player, who is identified by the profile."""

    nick: str
    player: str
    """Id of the player's profile at the host; empty for a guest."""
    guest_nick: str
    """Nick under which the person owns seats that belong to no profile; empty if there are none."""

    @property
    def occupant(self) -> Occupant:
        """Person as the occupant of a new seat."""
        return Occupant(self.nick, player=self.player or None)

    def owns(self, owner: Occupant) -> bool:
        """Return True if this person is the owner of a seat."""
        if owner.player:
            return owner.player == self.player
        return is_same_nick(owner.name, self.guest_nick)

    def find_seat(self, owners: Mapping[Seat, Occupant]) -> Seat | None:
        """Return the seat that this person owns, or ``None`` if there is none."""
        return next((seat for seat, owner in owners.items() if self.owns(owner)), None)


def has_nick(nick: str, owner: Occupant) -> bool:
    """Return True if the owner of a seat has a nick."""
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
    people = [each for each in list_later_occupants(journal) if each[1].robot is None]
    return {**owners, **dict(people)}


def find_present_owners(
    journal: Journal, robot_seats: Collection[Seat] = (), registered_guests: Mapping[str, str] = {}
) -> dict[Seat, Occupant]:
    """Return the owners of seats in a session under their present nicks, but for ``robot_seats``, which robots own."""
    owners = {seat: owner for seat, owner in find_seat_owners(journal).items() if seat not in robot_seats}
    return update_owners(load_profiles(), journal.header, owners, registered_guests)


def load_profiles() -> ProfileStore | None:
    """Return the profiles, or ``None`` if they cannot be read."""
    profile_store, error = profiles.load()
    return None if error else profile_store


def update_owners(
    profile_store: ProfileStore | None,
    header: Header,
    owners: Mapping[Seat, Occupant],
    registered_guests: Mapping[str, str] = {},
) -> dict[Seat, Occupant]:
    """Return the owners of seats under their present nicks.

    ``registered_guests`` maps the keys of nicks to the profiles of guests who had them and have registered since. A
    player whose profile has been removed is a guest from then on. Nothing changes if the profiles cannot be read.
    """
    if profile_store is None:
        return dict(owners)
    players = {
        seat: owner.player or registered_guests.get(compute_nick_key(owner.name)) for seat, owner in owners.items()
    }
    known = {seat: Occupant(owner.name, player=players[seat]) for seat, owner in owners.items()}
    nicks = map_current_nicks(profile_store, replace_occupants(header, known))
    return {
        seat: Occupant(nicks[seat], player=player if profile_store.find_by_id(player or "") else None)
        for seat, player in players.items()
    }


def rename_owner(owners: dict[Seat, Occupant], former: Person, nick: str) -> None:
    """Use the present nick of a player, given as they were, also for a seat from before their profile."""
    for seat, owner in owners.items():
        if former.owns(owner):
            owners[seat] = Occupant(nick, player=former.player)


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


class UnfinishedSession(NamedTuple):
    """Summary of a session that has not ended and is not in play."""

    header: Header
    """Header of the journal, with the present occupants of the seats, including substitute robots."""
    owners: dict[Seat, Occupant]
    name: str
    round: int
    last_played: int
    """Time of the last play, in seconds since 1970-01-01T00:00Z."""
    is_private: bool
    """True if a private table has played the session."""

    def to_table_info(
        self, present_nicks: Collection[str], master: str = "", *, is_resuming: bool = False
    ) -> TableInfo:
        """Describe the session as a table for the lobby.

        An owner whose nick is not in ``present_nicks`` is marked as away. ``master`` is the game master's nick; empty
        while nobody resumes the session. ``is_resuming`` is True if its players are being called back.
        """
        header = self.header
        away_seats = [seat for seat, owner in self.owners.items() if owner.name not in present_nicks]
        return TableInfo(
            header.id,
            header.game,
            header.options,
            create_seat_infos(header, self.owners, away_seats, {}),
            master,
            self.name,
            round=self.round,
            since=self.last_played,
            taken_up=is_resuming,
        )


def find_unfinished(
    is_own: Callable[[Occupant], bool],
    exclude_ids: Collection[str],
    robot_seats: Mapping[str, Collection[Seat]],
    registered_guests: Mapping[str, str] = {},
) -> Iterator[UnfinishedSession]:
    """Yield the unfinished sessions in which ``is_own`` is true for the owner of a seat, last played first.

    Sessions whose ids are in ``exclude_ids`` are left out. ``robot_seats`` maps the ids of sessions to the seats that
    robots have taken over permanently; for ``registered_guests`` see ``update_owners``. Only journals that have changed
    since an earlier call are read.
    """
    unfinished, profile_store = [], load_profiles()
    for id_, path in find_unfinished_files().items():
        if id_ not in exclude_ids and (session := _read_unfinished(path)) is not None:
            owners = {seat: owner for seat, owner in session.owners.items() if seat not in robot_seats.get(id_, ())}
            owners = update_owners(profile_store, session.header, owners, registered_guests)
            unfinished.append(session._replace(owners=owners))
    for session in sorted(unfinished, key=lambda session: session.last_played, reverse=True):
        if any(map(is_own, session.owners.values())):
            yield session


def _read_unfinished(path: Path) -> UnfinishedSession | None:
    try:
        file_status = path.stat()
    except OSError:
        return None
    return _read_unfinished_cached(path, file_status.st_mtime_ns, file_status.st_size)


@lru_cache(maxsize=4096)
def _read_unfinished_cached(path: Path, _mtime: int, _size: int) -> UnfinishedSession | None:
    """Read the unfinished session of a journal, and cache it until the file's time or size changes.

    The result is ``None`` if the file is invalid, holds a score table, or its session has ended.
    """
    try:
        data = session_files.read_session(path)
        if is_score_table(data):
            return None
        read = session_files.parse_session(path, data)
    except CardtableError:
        return None
    lines = [entry.line for entry in read.entries]
    if any(isinstance(line, ResultLine) for line in lines) or not is_valid_header(read.header):
        return None
    deals = sum(isinstance(line, ChanceLine) and line.is_deal for line in lines)
    voids = sum(isinstance(line, VoidLine) for line in lines)
    header = session_files.sanitize_header(replace_occupants(read.header, dict(list_later_occupants(read))))
    return UnfinishedSession(
        header,
        find_seat_owners(read),
        session_files.find_table_name(read),
        deals - voids,
        find_last_played(data),
        "private" in club_sessions.find_marks(lines),
    )
