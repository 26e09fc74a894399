"""Unfinished sessions, and the tables at which their people meet again to go on with them."""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from cardtable.club.owners import owners, places
from cardtable.club.shown import TableRow
from cardtable.club.tables import Refusal
from cardtable.engine.contract import Seat
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header, SeatOf, is_score_table, seated
from cardtable.store import files
from cardtable.store.last_played import last_played
from cardtable.store.seating import is_same_nick
from cardtable.store.summaries import sound, unfinished_files


class Interrupted(NamedTuple):
    """A session that is not over."""

    header: Header
    """With who decides for the seats now."""
    people: dict[Seat, SeatOf]
    name: str
    round: int
    played: int
    """When it was played last, in seconds since 1970-01-01T00:00Z."""

    def row(self, here: Collection[str], master: str = "", *, taken_up: bool = False) -> TableRow:
        """How the lobby shows it; ``here``: who has come."""
        header = self.header
        return TableRow(
            header.id,
            header.game,
            header.options,
            places(header, self.people, [seat for seat, who in self.people.items() if who.name not in here], {}),
            master,
            self.name,
            round=self.round,
            since=self.played,
            taken_up=taken_up,
        )


def unfinished_of(nick: str, but: Collection[str], given: Mapping[str, Collection[Seat]]) -> Iterator[Interrupted]:
    """The unfinished sessions of somebody, the last played first; not those in ``but``, which are open here.

    ``given``: by session, seats that robots have for good.  What has changed since it was looked for last is read.
    """
    found = []
    for id_, path in unfinished_files().items():
        if id_ not in but and (session := _interrupted(path)) is not None:
            people = {seat: who for seat, who in session.people.items() if seat not in given.get(id_, ())}
            found.append(session._replace(people=people))
    for session in sorted(found, key=lambda session: session.played, reverse=True):
        if any(is_same_nick(nick, who.name) for who in session.people.values()):
            yield session


def _interrupted(path: Path) -> Interrupted | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _read(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4096)
def _read(path: Path, _mtime: int, _size: int) -> Interrupted | None:
    """The session of a journal; ``None`` where it is none that can be gone on with.  Remembered while it is so."""
    try:
        data = files.read_session(path)
        if is_score_table(data):
            return None
        read = files.one(path, data)
    except CardtableError:
        return None
    if any(entry.line.end for entry in read.entries) or not sound(read.header):
        return None
    sitters = {entry.line.sit: entry.line.sitter for entry in read.entries if entry.line.sit is not None}
    rounds = sum((entry.line.chance or "").startswith("deal ") - bool(entry.line.void) for entry in read.entries)
    header = files.shown(seated(read.header, sitters))
    return Interrupted(header, owners(read), files.table_name(read), rounds, last_played(data))


class GatheringTable:
    """A table at which the people of an unfinished session meet: they sit as they sat."""

    lot = False

    def __init__(self, session: Interrupted, caller: str) -> None:
        self.session, self.id, self.master = session, session.header.id, caller
        self.seats: list[str] = [""] * len(session.header.seats)
        """Nicks of those who have come, by their seats."""
        self._agreed: set[str] = set()
        """Who goes on with robots for those who have not come."""
        self.sit_down(caller, None)

    @property
    def absent(self) -> list[str]:
        """Who has not come."""
        return [who.name for seat, who in self.session.people.items() if not self.seats[seat]]

    def sit_down(self, nick: str, _seat: Seat | None) -> None:
        """Somebody comes, to her own seat.  Raises ``Refusal``."""
        own = next((seat for seat, who in self.session.people.items() if is_same_nick(who.name, nick)), None)
        if own is None:
            raise Refusal("that session is not yours")
        self.seats[own] = nick

    def leave(self, nick: str) -> None:
        """Somebody goes."""
        self.seats = ["" if who == nick else who for who in self.seats]
        self._agreed.discard(nick)

    def agree(self, nick: str) -> bool:
        """Somebody goes on with robots for those who have not come; whether all who have come do.  Raises."""
        if nick not in self.seats:
            raise Refusal("sit down at that table first")
        self._agreed.add(nick)
        return self._agreed.issuperset(filter(None, self.seats))

    def row(self, _here: Collection[str]) -> TableRow:
        """How the lobby shows it."""
        return self.session.row(self.seats, self.master, taken_up=True)
