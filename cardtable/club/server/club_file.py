"""File of a club: its access code, accounts, bans, mutes, invitations and decisions about newcomers, and its tables.

Only the holder of the host's lock changes the file: an open club, or a command of the host while none is open.
"""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from cardtable.club.addresses import TransportKind
from cardtable.club.protocol import DeviceInfo, DeviceKind
from cardtable.club.server.club_table import ClubTable
from cardtable.club.server.limits import DAY
from cardtable.club.server.table_access import Person, TableAccess
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.text_format import sanitize
from cardtable.store import paths, seating
from cardtable.store.errors import FileError
from cardtable.store.json_file import Change, JsonFile, JsonStore

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
MAX_KEYS: Final = 8
"""Maximum number of ssh keys stored for one account; a new key replaces the oldest."""
MAX_TOKENS: Final = 8
"""Maximum number of tokens stored for one account, one for each client program; a new token replaces the oldest."""

FileSignature: TypeAlias = tuple[int, int, int] | None


class ClubNotSaved(CardtableError):
    """Error for a change of the club that cannot be written to the disk. The message has no path: guests see it."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"the club's host cannot save: {cause}")
        self.cause: Final = cause


class KnownDevice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a person has logged in by a token or key."""

    kind: DeviceKind
    since: int
    seen: int
    """Time of the last login, exact to a day, like ``since`` in seconds since 1970-01-01T00:00Z."""


def compute_device_id(credential: str) -> str:
    """Return the id by which people name the device with a token hash or key fingerprint."""
    return sha256(credential.encode()).hexdigest()[:6]


class KnownGuest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Account of a person who has been let in: a guest, or a player with a profile at the host."""

    nick: str
    player: str = ""
    """Id of the player's profile at the host; empty for a guest."""
    tokens: tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")], ...] = ()
    """SHA-256 hashes of the account's tokens, newest first, in hexadecimal digits."""
    keys: tuple[str, ...] = ()
    """Fingerprints of the ssh keys that log this person in, newest first."""
    network: str = ""
    """Network of the first login (/24 of IPv4, /48 of IPv6); empty if it is unknown."""
    seen: int = 0
    """Time of the last login, in seconds since 1970-01-01T00:00Z; updated at most once a day."""
    has_played: bool = True
    """True if the person has ever sat at a table in play; also for accounts saved before this field existed."""
    suspended: tuple[str, ...] = ()
    """Tokens and keys of the account, as in ``tokens`` and ``keys``, with which the club's code is needed once."""
    devices: dict[str, KnownDevice] = {}
    """Devices of the tokens and keys, by their ids; those that older versions have stored may be missing."""

    guest_nick: str | None = None
    """Nick of the guest who registered as this player; empty if the player's nick was another person's before.

    It is ``None`` for all others.
    """
    settings: str = ""
    """Settings of the programs that the host runs for the person, as in ``settings.toml``; empty for the defaults."""
    former_nicks: tuple[str, ...] = ()
    """Nicks that the person has given up at the club, which nobody else can take."""
    renamed: int = 0
    """Time of the person's own last change of the nick, in seconds since 1970-01-01T00:00Z; 0 if there was none."""

    @property
    def is_member(self) -> bool:
        """True if the account belongs to a player with a profile at the host, false for a guest."""
        return bool(self.player)

    @property
    def person(self) -> Person:
        """Person to whom the account belongs.

        Seats of sessions from before the profile existed are the player's by the nick, unless another person had it.
        """
        guest_nick = self.nick if self.guest_nick is None else self.guest_nick
        return Person(self.nick, self.player, (guest_nick, *self.former_nicks) if guest_nick else ())

    @property
    def all_nicks(self) -> tuple[str, ...]:
        return (self.nick, *self.former_nicks)

    @property
    def credentials(self) -> tuple[str, ...]:
        return (*self.tokens, *self.keys)

    def record_device(self, credential: str, transport: TransportKind, now: int) -> "KnownGuest":
        """Return the account with a login by one of its tokens or keys."""
        id_, ids = compute_device_id(credential), set(map(compute_device_id, self.credentials))
        known = self.devices.get(id_)
        if id_ not in ids or (known and now - known.seen <= DAY):
            return self
        device = KnownDevice("key" if credential in self.keys else transport, known.since if known else now, now)
        devices = {**self.devices, id_: device}
        return replace(self, devices={other: devices[other] for other in devices if other in ids})

    def list_devices(self, present_credential: str = "") -> tuple[DeviceInfo, ...]:
        """Describe the devices of the account, among them the one with a present credential."""
        infos = []
        for credential in self.credentials:
            id_ = compute_device_id(credential)
            known = self.devices.get(id_) or KnownDevice("key" if credential in self.keys else "", 0, 0)
            infos.append(DeviceInfo(id_, known.kind, known.since, known.seen, credential == present_credential))
        return tuple(infos)

    def drop(self, *credentials: str) -> "KnownGuest":
        """Return the account without some of its tokens and keys."""
        kept = [
            tuple([own for own in owned if own not in credentials])
            for owned in (self.tokens, self.keys, self.suspended)
        ]
        return replace(self, tokens=kept[0], keys=kept[1], suspended=kept[2])

    def rename(self, nick: str) -> "KnownGuest":
        """Return the account under another nick; the present one stays the person's."""
        former = [own for own in (*self.former_nicks, self.nick) if own and not seating.is_same_nick(own, nick)]
        return replace(self, nick=nick, former_nicks=tuple(former))


class SavedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Table in play, as saved to be resumed after a restart of the host."""

    session: str
    master: str
    grace: int
    given: tuple[Seat, ...] = ()
    """Seats that robots have taken over permanently."""
    invited: tuple[str, ...] | None = None
    """Nicks of the people who see a private table; ``None`` for a table that is open to all."""
    sent_away: tuple[str, ...] = ()
    """Nicks of the spectators who have been sent away."""
    no_spectators: bool = False
    """True if the game master has closed the table to spectators."""

    def create_access(self) -> TableAccess:
        return TableAccess(self.invited, self.sent_away, admits_spectators=not self.no_spectators)


def create_saved_table(table: ClubTable) -> SavedTable:
    """Return a table in play as it is saved."""
    access = table.next_access
    return SavedTable(
        table.id,
        table.opened_by,
        table.grace,
        tuple(sorted(table.robot_seats)),
        access.invited if access.is_private else None,
        access.sent_away,
        not access.admits_spectators,
    )


class Ban(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Ban of a person, with or without networks, or of networks alone."""

    nick: str = ""
    """Nick of the person; empty for a ban of networks alone."""
    until: int = 0
    """End of the ban, in seconds since 1970-01-01T00:00Z; 0 if it has none."""
    player: str = ""
    """Id of the player's profile at the host; empty for a guest."""
    tokens: tuple[str, ...] = ()
    """Hashes of the tokens that the account had when it was banned."""
    keys: tuple[str, ...] = ()
    """Fingerprints of the ssh keys that the account had when it was banned."""
    networks: tuple[str, ...] = ()
    """Banned networks in CIDR notation."""


class Mute(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Person whose chat is refused."""

    nick: str
    until: int = 0
    """End of the mute, in seconds since 1970-01-01T00:00Z; 0 if it has none."""


class Invitation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One-time word that logs in one person, in place of the code."""

    nick: str
    word: str
    """SHA-256 hash of the word, in hexadecimal digits."""
    until: int
    """Time from which the word is refused, in seconds since 1970-01-01T00:00Z."""
    player: str = ""
    """Id of the player's profile at the host; empty for a guest or newcomer."""
    for_device: bool = False
    """True if the person asked for the word for another device, false if the host invites the person."""


class NewcomerDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Decision of the host to let a newcomer in, or not."""

    nick: str
    network: str
    """Network from which the newcomer asked, in CIDR notation."""
    is_approved: bool
    until: int
    """Time from which the decision has no effect, in seconds since 1970-01-01T00:00Z."""


class StoredReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Private messages that their receiver has reported to the host."""

    by: str
    """Nick of the receiver."""
    nick: str
    """Nick of the sender."""
    texts: tuple[str, ...]
    until: int
    """Time from which the report is forgotten, in seconds since 1970-01-01T00:00Z."""


class ClubFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="club", tag=2):
    """Contents of the club's file: identity, access code, accounts and tables in play."""

    id: str = ""
    """Permanent random id by which clients recognise the club at any address; generated once."""
    id_since: int = 0
    """Creation time of the id, in seconds since 1970-01-01T00:00Z.

    Nothing depends on it; it is kept because existing files have it.
    """
    owner_token: str = ""
    """Token for programs that can read the host's files; it is never sent to another machine."""
    code: str = ""
    people: tuple[KnownGuest, ...] = ()
    tables: tuple[SavedTable, ...] = ()
    freed: tuple[str, ...] = ()
    """Keys of nicks that the host has freed although unfinished sessions name them."""
    bans: tuple[Ban, ...] = ()
    """Bans, oldest first, like mutes, invitations and decisions."""
    mutes: tuple[Mute, ...] = ()
    invitations: tuple[Invitation, ...] = ()
    decisions: tuple[NewcomerDecision, ...] = ()
    """Decisions about newcomers who have not logged in since."""
    approval: bool = False
    """True if the host lets in newcomers by hand."""
    reports: tuple[StoredReport, ...] = ()
    """Reports, oldest first."""
    no_aids: bool = False
    """True if no table may allow hints, the coach and the open review; else the terms of the table decide."""
    one_network: bool = False
    """True if sessions played from a single network count."""


_R = TypeVar("_R", Ban, Mute, Invitation, NewcomerDecision, StoredReport)
_V = TypeVar("_V")


class _Snapshot(NamedTuple):
    """Contents of the club's file and accounts at one moment."""

    contents: ClubFile
    accounts: Mapping[str, KnownGuest]
    code: str


class ClubState:
    """Contents of the club's file in memory, as the next save writes them."""

    def __init__(self, contents: ClubFile, code: str, clock: Callable[[], float]) -> None:
        """Take over the stored contents; for ``code`` and ``clock`` see ``AccountStore``."""
        self.contents = replace(contents, people=(), tables=())
        """All contents but the accounts and the tables; changed by ``change``."""
        self.accounts = {seating.compute_nick_key(person.nick): person for person in contents.people}
        """Accounts of guests and players by the keys of their nicks."""
        self.code = code
        """Access code in force; empty if none is required, while ``contents`` has the last one."""
        self.clock: Final = clock

    def change(self, **fields: object) -> None:
        self.contents = replace(self.contents, **fields)

    def drop_ended(self, records: tuple[_R, ...]) -> tuple[_R, ...]:
        """Return records without those that have ended."""
        now = self.clock()
        return tuple([record for record in records if not record.until or record.until > now])

    def take_snapshot(self) -> _Snapshot:
        return _Snapshot(self.contents, dict(self.accounts), self.code)

    def revert(self, before: _Snapshot, after: _Snapshot) -> None:
        """Undo the change of ``before`` to ``after``, except where others have changed the same since."""
        now, old, new = map(asdict, (self.contents, before.contents, after.contents))
        for name, value in now.items():
            if isinstance(value, tuple):
                self.change(**{name: _revert_items(old[name], new[name], value)})
            elif value == new[name]:
                self.change(**{name: old[name]})
        self.code = before.code if self.code == after.code else self.code
        for key in before.accounts.keys() | after.accounts.keys():
            changed = before.accounts.get(key), after.accounts.get(key)
            if changed[0] is not changed[1]:
                person = _revert_account(*changed, self.accounts.pop(key, None))
                if person:
                    self.accounts[key] = person


def _revert_items(before: tuple[_V, ...], after: tuple[_V, ...], now: tuple[_V, ...]) -> tuple[_V, ...]:
    """Undo the change of ``before`` to ``after`` in ``now``: what it has removed returns to its place in the order."""
    if now == after:
        return before
    items = [item for item in now if item in before or item not in after]
    for index, removed in enumerate(before):
        if removed not in after:
            new_index = next((items.index(earlier) + 1 for earlier in reversed(before[:index]) if earlier in items), 0)
            items.insert(new_index, removed)
    return tuple(items)


def _revert_account(before: KnownGuest | None, after: KnownGuest | None, now: KnownGuest | None) -> KnownGuest | None:
    """Undo the change of an account in ``now``, but keep the credentials that it has got from others since."""
    if now is after:
        return before
    if now is None or after is None:
        return now
    own = before if before and before.player == now.player else KnownGuest(now.nick)
    tokens = _revert_items(own.tokens, after.tokens, now.tokens)[:MAX_TOKENS]
    keys = _revert_items(own.keys, after.keys, now.keys)[:MAX_KEYS]
    suspended = _revert_items(own.suspended, after.suspended, now.suspended)
    if own is before or tokens or keys:
        return replace(now, tokens=tokens, keys=keys, suspended=suspended)
    return before


CLUB: Final = JsonStore(JsonFile(ClubFile, MAX_FILE_BYTES, personal=True), paths.club_file, "")


def read_club_file() -> ClubFile:
    """Return the contents of the club's file. Raises ``CardtableError`` with the full path if it cannot be read."""
    try:
        return CLUB.read()
    except FileError as error:
        raise CardtableError(error.full_message) from None


def update_club_file(change: Callable[[ClubFile], ClubFile]) -> Change[ClubFile]:
    """Change the club's file as ``JsonStore.update`` does. Raises ``ClubNotSaved`` if that fails."""
    try:
        return CLUB.update(change)
    except FileError as error:
        raise ClubNotSaved(error.reason) from None


def read_file_signature(path: Path) -> FileSignature:
    """Return modification time, size and inode of a file, or ``None`` if there is no file.

    If they change, another program has written the file.
    """
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def rename_masters(tables: Iterable[SavedTable], nick: str, name: str) -> tuple[SavedTable, ...]:
    """Return tables with another name for the game master who has a nick, and without the nick in lists of people."""

    def remove(nicks: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([other for other in nicks if not seating.is_same_nick(other, nick)])

    def rename(table: SavedTable) -> SavedTable:
        master = name if seating.is_same_nick(table.master, nick) else table.master
        invited = None if table.invited is None else remove(table.invited)
        return replace(table, master=master, invited=invited, sent_away=remove(table.sent_away))

    return tuple(map(rename, tables))


def format_forgotten(person: KnownGuest) -> str:
    """Return the consequences of ``AccountAdministration.forget`` as a sentence for the host."""
    name = sanitize(person.nick, 40)
    if person.is_member:
        return f"{name} must enter the password again: their tokens and keys are forgotten."
    return f"The nick {name} is free. The next person who takes it gets its seats in unfinished sessions."
