"""Duplicate tournaments of the club of this home: their file, the keys of their deals, and the secrecy of their tables.

All tables of a round of a tournament have the same deals. Each outcome of chance is drawn from HMAC-SHA256 under the
key of the tournament and the position of the outcome, see ``create_randomness``. While a round is played, its sessions
are shown to nobody but the players at each table, see ``visibility.is_secret``.
"""

import struct
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from hmac import new as new_hmac
from random import Random
from secrets import token_bytes
from typing import Annotated, Final, Literal, NamedTuple, NoReturn, Self, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import DEFAULT_CLOCK, Occupant, PlayerClock
from cardtable.engine.options import Value
from cardtable.engine.referee import ChancePosition, Randomness
from cardtable.engine.text_format import find_name, fold, sanitize
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import paths
from cardtable.store.json_file import JsonFile, JsonStore

KEY_BYTES: Final = 16
MAX_FILE_BYTES: Final = 16 * 1024 * 1024
_DOMAIN: Final = b"cardtable tournament 1\0"
"""Beginning of all messages that are authenticated under the key of a tournament."""
_POSITION: Final = struct.Struct(">5Q")
"""Encoding of round of the tournament, round of the session, voids, number of the outcome, and number of the block."""

Seconds: TypeAlias = Annotated[int, Meta(ge=0, lt=10**10)]
"""Duration, or time since 1970-01-01T00:00Z."""
RoundState: TypeAlias = Literal["planned", "calling", "playing", "finished"]
TournamentState: TypeAlias = Literal["open", "ended", "cancelled"]


class TournamentDeal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Result of a deal at one table."""

    points: tuple[Annotated[int, Meta(gt=-(10**15), lt=10**15)], ...]
    """Points by seat."""
    robots: tuple[Seat, ...] = ()
    """Seats of people for whom a robot made a decision."""
    absent: tuple[Seat, ...] = ()
    """Those of them for whom robots made all decisions."""
    left: tuple[Seat, ...] = ()
    """Those of them who had lost the session, by leaving or by their clock, when a robot made a decision."""
    void: bool = False
    """True if the clock made the round void, so that this is the result of another deal."""


class TournamentTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Table in one round of a tournament."""

    seats: tuple[Occupant, ...]
    session: str = ""
    """Id of the session; empty until the round begins."""
    deals: tuple[TournamentDeal, ...] = ()
    """Results of the deals, in order; empty until the round has finished."""


class TournamentRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Round of a tournament, in which each table plays a session with the same deals."""

    tables: tuple[TournamentTable, ...]
    """Once the round is played, robots sit in place of people who did not check in."""
    state: RoundState = "planned"
    checked_in: tuple[Occupant, ...] = ()
    call_until: Seconds = 0
    """Time at which the check-in of a round that is being called ends."""
    begins_at: Seconds = 0
    """Time at which a planned round is called by itself; 0 if the administrator decides."""


class Tournament(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Duplicate tournament."""

    id: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
    """Random id, under which the key is stored."""
    name: str
    game: str
    options: dict[str, Value]
    people: tuple[Occupant, ...]
    """People who take part, in the order of their numbers in the seating."""
    rounds: tuple[TournamentRound, ...]
    level: str
    """Level of the robots that fill up the tables, and sit in place of people who do not check in."""
    grace: int
    """Seconds to wait for people who are absent."""
    automatic: bool
    """True if the next round is called by itself, ``pause`` seconds after one has finished."""
    created: Seconds
    commitment: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    """SHA-256 of the key, in hexadecimal digits."""
    clock: PlayerClock = DEFAULT_CLOCK
    """Clock of each player."""
    state: TournamentState = "open"
    key: Annotated[str, Meta(pattern=r"^([0-9a-f]{32})?\Z")] = ""
    """Key in hexadecimal digits; empty until the tournament has ended."""
    package: str | None = None
    """Package and version that provide a game from outside, as in the header of a journal."""
    check_in: Seconds = 180
    """Seconds for which a round is called."""
    pause: Seconds = 300
    ahead: Annotated[int, Meta(ge=1, le=100)] = 1
    """Number of boards that a table may have finished more than the slowest one, when it deals the next."""
    paused: bool = False

    def __post_init__(self) -> None:
        if wrong := _find_error(self):
            raise ValueError(f"tournament {sanitize(self.name, 40)}: {wrong}")

    @property
    def seats(self) -> tuple[Occupant, ...]:
        """Occupants of the first table; all tables have as many seats."""
        return self.rounds[0].tables[0].seats

    @property
    def current_round(self) -> int | None:
        """Index of the round that is being called or played, or ``None`` if none is."""
        current = ("calling", "playing")
        return next((index for index, round_ in enumerate(self.rounds) if round_.state in current), None)

    @property
    def next_round(self) -> int | None:
        return next((index for index, round_ in enumerate(self.rounds) if round_.state == "planned"), None)

    def replace_round(self, index: int, round_: TournamentRound) -> "Tournament":
        return replace(self, rounds=(*self.rounds[:index], round_, *self.rounds[index + 1 :]))

    def convert_people(self, convert: Callable[[Occupant], Occupant]) -> "Tournament":
        """Return the tournament with ``convert`` applied to each person, but not to robots."""

        def convert_seats(seats: tuple[Occupant, ...]) -> tuple[Occupant, ...]:
            return tuple([convert(occupant) if occupant.robot is None else occupant for occupant in seats])

        rounds = [
            replace(
                round_,
                tables=tuple([replace(table, seats=convert_seats(table.seats)) for table in round_.tables]),
                checked_in=convert_seats(round_.checked_in),
            )
            for round_ in self.rounds
        ]
        return replace(self, people=convert_seats(self.people), rounds=tuple(rounds))


def _find_error(tournament: Tournament) -> str | None:
    """Explain in one line why a tournament is impossible. Return ``None`` if it is possible."""
    tables = [table for round_ in tournament.rounds for table in round_.tables]
    seats = len(tables[0].seats) if tables else 0
    if not seats or not all(round_.tables for round_ in tournament.rounds):
        return "there is no table in a round"
    if any(len(table.seats) != seats for table in tables):
        return "the tables have different numbers of seats"
    if any(
        len(deal.points) != seats or not {*deal.absent, *deal.left} <= {*deal.robots} <= {*range(seats)}
        for table in tables
        for deal in table.deals
    ):
        return "a deal has results of other seats"
    people = {*tournament.people}
    if not all(occupant.robot or occupant in people for table in tables for occupant in table.seats):
        return "somebody at a table does not take part"
    if not all(people.issuperset(round_.checked_in) for round_ in tournament.rounds):
        return "somebody has checked in who does not take part"
    robots = {tournament.level, *[occupant.robot for table in tables for occupant in table.seats if occupant.robot]}
    return None if robots <= {*LEVELS} else "the level of a robot is unknown"


class TableReference(NamedTuple):
    """Session of a round that is being played."""

    tournament: Tournament
    round: int
    """Index of the round."""


class _TournamentFile(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="tournaments", tag=1, dict=True
):
    entries: tuple[Tournament, ...] = ()

    @cached_property
    def playing(self) -> dict[str, TableReference]:
        """Sessions of rounds that are being played, by id."""
        return {
            table.session: TableReference(tournament, index)
            for tournament in self.entries
            if tournament.state == "open"
            for index, round_ in enumerate(tournament.rounds)
            if round_.state == "playing"
            for table in round_.tables
        }


class _KeyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="tournament_keys", tag=1):
    keys: dict[str, Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]] = {}
    """Keys in hexadecimal digits, by the ids of the tournaments."""


TOURNAMENTS: Final = JsonStore(
    JsonFile(_TournamentFile, MAX_FILE_BYTES, personal=False),
    paths.tournaments_file,
    "the tournaments cannot be saved: ",
)
KEYS: Final = JsonStore(
    JsonFile(_KeyFile, MAX_FILE_BYTES, personal=False),
    paths.tournament_keys_file,
    "the keys of the tournaments cannot be saved: ",
)


def load() -> tuple[Tournament, ...]:
    """Return the tournaments of this home, the oldest first. Raises ``CardtableError`` if the file is unreadable."""
    return _read_cached().entries


def list_open() -> list[Tournament]:
    return [tournament for tournament in load() if tournament.state == "open"]


def _read_cached() -> _TournamentFile:
    try:
        return TOURNAMENTS.file.read_cached(paths.tournaments_file())
    except FileNotFoundError:
        return _TournamentFile()


def find(name: str) -> Tournament:
    """Return the tournament of this home with a name. Raises ``CardtableError`` if there is none."""
    known = {tournament.name: tournament for tournament in load()}
    match = find_name(name.strip(), known)
    if match is None:
        raise CardtableError(f"no tournament is called {sanitize(name, 40)}; cardtable club tournament list shows all")
    return known[match]


def add(tournament: Tournament, key: bytes) -> None:
    """Store a new tournament with its key, the key first.

    Raises ``CardtableError`` if the name is taken or a file cannot be written; the key, which is of no use then, may
    remain.
    """

    def append(entries: tuple[Tournament, ...]) -> tuple[Tournament, ...]:
        if any(fold(entry.name) == fold(tournament.name) for entry in entries):
            raise CardtableError(f"there is already a tournament called {sanitize(tournament.name, 40)}")
        return (*entries, tournament)

    append(load())
    KEYS.update(lambda stored: _KeyFile({**stored.keys, tournament.id: key.hex()}))
    _change(append)


def save(tournament: Tournament) -> None:
    """Store a changed tournament. Once it is no longer open, its key is removed from the file of keys.

    Raises ``CardtableError`` if a file cannot be written.
    """
    _change(lambda entries: tuple([tournament if entry.id == tournament.id else entry for entry in entries]))
    if tournament.state != "open":
        KEYS.update(lambda stored: _KeyFile({id_: key for id_, key in stored.keys.items() if id_ != tournament.id}))


def convert_people(convert: Callable[[Occupant], Occupant]) -> None:
    """Apply ``convert`` to each person in all tournaments. Raises ``CardtableError`` if the file cannot be changed."""
    _change(lambda entries: tuple([entry.convert_people(convert) for entry in entries]))


def _change(change: Callable[[tuple[Tournament, ...]], tuple[Tournament, ...]]) -> None:
    TOURNAMENTS.update(lambda stored: _TournamentFile(change(stored.entries)))


def read_key(tournament: Tournament) -> bytes:
    """Return the key of a tournament. Raises ``CardtableError`` if it is missing or not the one of the commitment."""
    text = tournament.key or KEYS.read().keys.get(tournament.id, "")
    key = bytes.fromhex(text)
    if compute_commitment(key) != tournament.commitment:
        raise CardtableError(f"the key of the tournament {sanitize(tournament.name, 40)} is missing or wrong")
    return key


def generate_key() -> bytes:
    return token_bytes(KEY_BYTES)


def compute_commitment(key: bytes) -> str:
    """Return the SHA-256 of a key in hexadecimal digits, which is published when the tournament is opened."""
    return sha256(key).hexdigest()


# Sessions of rounds that are being played


def is_playing(session: str) -> bool:
    """Return True if a session, given by its id, belongs to a round of a tournament that is being played.

    If the file of the tournaments cannot be read, this holds for all sessions.
    """
    try:
        return session in _read_cached().playing
    except CardtableError:
        return True


def find_round(session: str) -> TableReference | None:
    """Return the tournament and the round being played to which a session belongs, or ``None`` if there is none.

    Raises ``CardtableError`` if the file of the tournaments cannot be read.
    """
    return _read_cached().playing.get(session)


def find_randomness(session: str) -> Randomness | None:
    """Return the source of a session's outcomes of chance if a tournament that is being played determines them.

    Raises ``CardtableError`` if the key cannot be read, since no other outcomes may take their place.
    """
    entry = find_round(session)
    return create_randomness(read_key(entry.tournament), entry.round + 1) if entry else None


def create_randomness(key: bytes, round_: int) -> Randomness:
    """Return the source of the outcomes of chance in a round of a tournament, the first of which is 1."""
    return lambda position: KeyedRandom(key, round_, position)


class KeyedRandom(Random):
    """Generator whose bits are the HMAC-SHA256 of a position under a key, one block of 256 bits after the other.

    The message is ``_DOMAIN``, then the round of the tournament, the fields of the position and the number of the block
    from 0, each as 8 bytes, the most significant first. Integers below a limit are drawn without bias, as ``Random``
    does from ``getrandbits``: numbers that are too large are drawn again.
    """

    def __new__(cls, _key: bytes, _round: int, _position: ChancePosition) -> Self:
        return super().__new__(cls)

    def __init__(self, key: bytes, round_: int, position: ChancePosition) -> None:
        self._key, self._message_fields = key, (round_, *position)
        self._blocks, self._unused = 0, b""
        super().__init__()

    def getrandbits(self, k: int, /) -> int:
        """Return an integer of ``k`` random bits, from as few whole bytes as possible, the most significant first."""
        size = (k + 7) // 8
        while len(self._unused) < size:
            message = _DOMAIN + _POSITION.pack(*self._message_fields, self._blocks)
            self._unused += new_hmac(self._key, message, sha256).digest()
            self._blocks += 1
        taken, self._unused = self._unused[:size], self._unused[size:]
        return int.from_bytes(taken, "big") >> (8 * size - k)

    def random(self) -> float:
        return self.getrandbits(53) * 2.0**-53

    def seed(self, *_args: object, **_kwargs: object) -> None:  # the position takes the place of a seed
        """Do nothing."""

    def getstate(self) -> NoReturn:
        raise NotImplementedError

    setstate = getstate  # type: ignore[assignment]
