"""Accounts of a club: its code, nicks, passwords and tokens.

They are stored, so that they survive a restart of the host.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hmac import compare_digest
from math import ceil
from time import time
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, client_network, is_loopback
from cardtable.club.protocol import Hello, proof_of_token, token_key
from cardtable.club.server.command_queue import run_uninterrupted
from cardtable.club.server.limits import LoginError, LoginThrottle, PasswordQueue, wide_network
from cardtable.club.server.tables import find_unfinished
from cardtable.engine import checksummed_jsonl
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.text_format import format_count, sanitize
from cardtable.store import passwords, paths, profiles, seating
from cardtable.store.errors import FileError, format_os_error
from cardtable.store.json_file import JsonFile, home_lock
from cardtable.store.profiles import Profile

ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters of codes: no letter or digit that can be mistaken for another."""
CODE_LENGTH: Final = 8
WORD_LENGTH: Final = 16
"""Characters of a token that a guest types: about 80 bits."""
MOST_PEOPLE: Final = 5000
"""Number of nicks that a club stores.  One network has at most as many as are still free, so that none uses them up."""
NEW_NICKS: Final = 20
"""Default limit of new nicks from one address within an hour."""
DISK_RETRY: Final = 30
"""Seconds after which a client tries again if the host cannot save."""
HOUR: Final = 3600
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
"""Seconds after which the nick of an absent guest is free again, if the guest never sat at a table in play."""
MOST_KEYS: Final = 8
"""Number of ssh keys stored for one player."""
MOST_TOKENS: Final = 8
"""Number of tokens stored for one player: one per client program."""
MOST_BYTES: Final = 8 * 1024 * 1024
_CANNOT_SAVE: Final = "the club's host cannot save: "


_Signature: TypeAlias = tuple[int, int, int] | None


class KnownGuest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Account of a guest or player who has been let in."""

    nick: str
    player: str = ""
    """Id of the player's profile at the host; empty for a guest."""
    tokens: tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")], ...] = ()
    """Keys of the player's tokens, newest first: SHA-256 in hexadecimal digits."""
    keys: tuple[str, ...] = ()
    """Fingerprints of the ssh keys that log this player in."""
    network: str = ""
    """Network of the first login: /24 of IPv4, /48 of IPv6."""
    seen: int = 0
    """Time of the last login, accurate to a day, in seconds since 1970-01-01T00:00Z."""
    has_played: bool = True
    """True if the player ever sat at a table in play; also for accounts older than this field."""

    @property
    def member(self) -> bool:
        """True if the account has a profile at the host."""
        return bool(self.player)


class SavedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Table to be continued after a restart of the host."""

    session: str
    master: str
    grace: int
    given: tuple[Seat, ...] = ()
    """Seats that robots have taken over permanently."""


class ClubFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of the club's file: all that a club stores besides its sessions."""

    club: Literal[2] = 2
    id: str = ""
    """Permanent id by which clients recognise the club at any address; made once."""
    id_since: int = 0
    """Creation time of the id, in seconds since 1970-01-01T00:00Z."""
    owner_token: str = ""
    """Token for programs that can read the host's files; it never leaves this machine."""
    code: str = ""
    people: tuple[KnownGuest, ...] = ()
    tables: tuple[SavedTable, ...] = ()
    freed: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Keys of nicks that the host has freed although unfinished sessions name them; left out if there are none."""


class _KnownGuest1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Account in a file of version 1."""

    nick: str
    member: bool
    tokens: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class _ClubFile1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of a file of version 1."""

    club: Literal[1] = 1
    code: str = ""
    people: tuple[_KnownGuest1, ...] = ()
    tables: tuple[SavedTable, ...] = ()


def _version_1(data: bytes) -> ClubFile:
    """Convert a file of version 1.  Raises ``ValueError``.

    With version 1 the code was enough to get the token of a player without a password, so such tokens are dropped.
    """
    before = checksummed_jsonl.decode(data, _ClubFile1)
    book = profiles.load()[0]
    people = []
    for person in before.people:
        profile = book.find(person.nick) if person.member else None
        tokens = person.tokens if not person.member or (profile and profile.password) else ()
        people.append(KnownGuest(person.nick, _player_id(profile, person.member), tokens, person.keys))
    return ClubFile(code=before.code, people=tuple(people), tables=before.tables)


def _player_id(profile: Profile | None, was_member: bool) -> str:
    """Return the id of a profile; for a player without one any more, an id that no profile has."""
    if not was_member:
        return ""
    return profile.id if profile and profile.id else "removed"


_FILE: Final = JsonFile(ClubFile, "club", 2, MOST_BYTES, personal=True, parse_older=_version_1)


def new_code() -> str:
    """Return a random code for a club."""
    return _random_text(CODE_LENGTH)


def _random_text(length: int) -> str:
    return "".join([secrets.choice(ALPHABET) for _ in range(length)])


def new_word() -> str:
    """Return a random token short enough to be written down and typed."""
    return _random_text(WORD_LENGTH)


def format_typed_token(word: str) -> str:
    """Format such a token in groups of four characters."""
    return "-".join(word[start : start + 4] for start in range(0, len(word), 4))


def _read_word(typed: str) -> str:
    """Normalise a typed token: lower case, without spaces and hyphens."""
    return "".join(typed.lower().replace("-", "").split())


def _new_token(_person: "KnownGuest") -> str:
    return secrets.token_urlsafe(24)


class AccountStore:
    """Accounts of one club, and its saved tables; stored in the club's file."""

    def __init__(self, code: str = "", *, new_nicks: int = NEW_NICKS, clock: Callable[[], float] = time) -> None:
        """Read the file; `code`: required of all clients if not empty; `new_nicks`: limit per address and hour.

        Raises ``CardtableError`` if the accounts or the host's profiles cannot be read: their nicks and passwords must
        not be given to others.
        """
        if any(not player.id for player in profiles.read().players):
            profiles.change(lambda book: book)  # a write assigns missing ids
        saved = read()
        self.id: Final = saved.id or secrets.token_hex(16)
        self.code: Final = code
        self._id_since = saved.id_since or int(time())
        self.tables: tuple[SavedTable, ...] = saved.tables
        self.owner_token: Final = saved.owner_token or secrets.token_urlsafe(24)
        self._people: dict[str, KnownGuest] = {seating.compute_nick_key(person.nick): person for person in saved.people}
        self._saved_code = code or saved.code
        self._temporary_tokens: dict[bytes, tuple[str, ConnectionOrigin]] = {}
        """Nick and origin by key of each temporary token issued by `issue_temporary_token`."""
        self.get_present_nicks: Callable[[], Collection[str]] = tuple
        """Callback that returns the nicks of those present in the club."""
        self.has_seat: Callable[[str], Awaitable[bool]] = _has_no_seat
        """Callback that returns True if an unfinished session names a nick as the owner of a seat."""
        self.save_failed: Callable[[], None] = lambda: None
        """Callback for a failed save."""
        self._unconfirmed_nicks: set[str] = set()
        """Keys of nicks with a typed token that was issued in this run and not used since."""
        self._new_nicks, self._clock = new_nicks, clock
        self._came: dict[str, list[float]] = {}
        """Times of new nicks within the last hour, by address."""
        self._throttle, self._passwords = LoginThrottle(), PasswordQueue()
        self._known_on_disk, self._signature = frozenset(self._people), _signature()
        self._writing, self._changes, self._written = asyncio.Lock(), 0, 0
        """Number of changes, and of those that are saved."""
        self.unsaved = ""
        """Reason of the operating system why the last change is not on the disk; empty if it is."""

    async def log_in(
        self,
        nick: str,
        origin: ConnectionOrigin,
        *,
        code: str = "",
        password: str = "",
        new_token: Callable[[KnownGuest], str] = _new_token,
    ) -> tuple[KnownGuest, str]:
        """Log in a client by the club's code, and a player also by password; return the account and a new token.

        `new_token` returns the token for an account, or an empty string for none.  Raises ``LoginError``.
        """
        self._drop_forgotten()
        nick = seating.normalize_nick(nick)
        if self.code:
            self._throttle.refuse_code(origin.address)
            if not code:
                raise LoginError("this club has a code; its host can tell you", "code")
            if not compare_digest(code.encode(), self.code.encode()):
                self._throttle.add_wrong_code(origin.address)
                raise LoginError("that is not the code of this club; its host can tell you", "code")
        profile = _find_player(nick)
        if profile is not None:
            await self._check_password(profile, password, origin)
            player = self._player(profile)
            return await self._with_token(player, new_token(player))
        self._refuse_nick(nick)
        if await self.has_seat(nick):
            await _refuse_unless_freed(nick)
        self._refuse_nick(nick)  # another newcomer may have taken it during the search
        came = self._count_new_nick(origin.address)
        guest = KnownGuest(nick, network=wide_network(origin.address), has_played=False)
        try:
            return await self._with_token(guest, new_token(guest))
        except LoginError:
            self._uncount_new_nick(origin.address, came)
            raise

    def enter_by_token(self, nick: str, token: str) -> KnownGuest:
        """Log in the bearer of a token; wrong tries of others do not delay this.  Raises ``LoginError``."""
        return self._enter_by_key(nick, lambda key: compare_digest(key, token_key(token)))[0]

    def enter_by_proof(self, hello: Hello, nonce: str) -> tuple[KnownGuest, ConnectionOrigin | None]:
        """Log in a client that proves to have a token; wrong tries of others do not delay this.

        `nonce`: the host's nonce on this connection.  Returns the account, and the origin if the token is from
        `issue_temporary_token`. Raises ``LoginError``.
        """

        def is_right(key: bytes) -> bool:
            proof = proof_of_token(key, self.id, nonce, hello.nonce)
            return compare_digest(proof.encode(), hello.proof.encode())

        return self._enter_by_key(hello.nick, is_right)

    def _enter_by_key(self, nick: str, is_right: Callable[[bytes], bool]) -> tuple[KnownGuest, ConnectionOrigin | None]:
        """Log in an account if `is_right` holds for the key of one of its tokens."""
        self._drop_forgotten()
        nick = seating.normalize_nick(nick)
        name = seating.compute_nick_key(nick)
        for key, (admitted, origin) in self._temporary_tokens.items():
            if seating.compute_nick_key(admitted) == name and is_right(key):
                return self._record_login(
                    self.find_returning_account(admitted) or self._people.get(name) or KnownGuest(admitted)
                ), origin
        profile, guest = _find_player(nick), self._people.get(name)
        if profile and not profile.password and is_right(token_key(self.owner_token)):
            return self._record_login(self._player(profile)), None
        person = self.find_returning_account(nick)
        if person and any(is_right(bytes.fromhex(each)) for each in person.tokens):
            return self._record_login(person), None
        if profile and guest and not guest.member:
            raise LoginError(f"{profile.nick} is now a player of this club; choose another nick", "nick")
        raise LoginError("this club does not know you under that nick any more; type a nick to come in again", "nick")

    def enter_by_word(self, nick: str, typed: str) -> KnownGuest:
        """Log in a guest by a typed token, in any case, with spaces or hyphens.  Raises ``LoginError``."""
        words = typed.strip(), _read_word(typed)  # tokens of older versions have capital letters and hyphens
        person, _ = self._enter_by_key(nick, lambda key: any(compare_digest(key, token_key(word)) for word in words))
        self._unconfirmed_nicks.discard(seating.compute_nick_key(nick))
        return person

    async def _with_token(self, person: KnownGuest, token: str) -> tuple[KnownGuest, str]:
        """Save an account with a new token, unless `token` is empty; return both.

        Raises ``LoginError`` if the disk refuses; the token is then unknown.
        """
        key, before = seating.compute_nick_key(person.nick), self._people.get(seating.compute_nick_key(person.nick))
        tokens = (_hashed(token), *person.tokens) if token else person.tokens
        person = self._store(replace(person, tokens=tokens[:MOST_TOKENS]))
        try:
            await self.save_all(self.tables)
        except CardtableError as error:
            self._take_back(key, before, tokens)
            raise LoginError(f"{error.why}; try again later", retry_after=DISK_RETRY) from None
        if len(token) == WORD_LENGTH:
            self._unconfirmed_nicks.add(key)
        return person, token

    def _take_back(self, key: str, before: KnownGuest | None, tokens: tuple[str, ...]) -> None:
        """Undo a change of an account that could not be saved, and retain later changes of others.

        `before`: the account under that nick until then; `tokens`: the account's tokens, the new one first, including
        those beyond the limit.
        """
        person = self._people.get(key)
        if person is None:
            return
        kept = (*[token for token in person.tokens if token not in tokens[:1]], *tokens[MOST_TOKENS:])
        if kept or person.keys or (before and before.player == person.player):
            self._people[key] = replace(person, tokens=kept[:MOST_TOKENS])
        elif before:
            self._people[key] = before
        else:
            del self._people[key]

    def _store(self, person: KnownGuest) -> KnownGuest:
        if self._clock() - person.seen > DAY:
            person = replace(person, seen=int(self._clock()))
        self._people[seating.compute_nick_key(person.nick)] = person
        return person

    def _record_login(self, person: KnownGuest) -> KnownGuest:
        """Record a login; `save_pending` writes it."""
        known = self._store(person)
        self._changes += known != person
        return known

    # New nicks, and nicks that expire

    def _refuse_nick(self, nick: str) -> None:
        """Raise ``LoginError`` if a newcomer cannot have this nick."""
        if wrong := seating.find_new_nick_error(nick):
            raise LoginError(wrong, "nick")
        self._expire()
        if seating.compute_nick_key(nick) in self._people:
            raise LoginError(f"{nick} is the nick of somebody who has been here; choose another", "nick")
        known = (*[person.nick for person in self._people.values()], *[each.nick for each in _read_players().players])
        if alike := seating.find_confusable(nick, known):
            raise LoginError(f"{nick} looks like {alike}, who has been here; choose another nick", "nick")

    def _count_new_nick(self, address: str) -> float:
        """Count a new nick from an address, and return the time of the count.

        Raises ``LoginError`` if the address or its network has brought too many.
        """
        now, client = self._clock(), client_network(address)
        self._came = {each: recent for each, times in self._came.items() if (recent := _within_hour(times, now))}
        times = self._came.get(client, [])
        if len(times) >= self._new_nicks:
            minutes = ceil((times[-self._new_nicks] + HOUR - now) / 60)
            raise LoginError(
                f"too many new nicks came from your address; try again in {format_count(minutes, 'minute')}",
                retry_after=60 * minutes,
            )
        network = wide_network(address)
        if sum(person.network == network for person in self._people.values()) >= MOST_PEOPLE - len(self._people):
            raise LoginError(
                "the club knows so many people that it takes no new nick from you; its host can forget some"
            )
        self._came[client] = [*times, now]
        return now

    def _uncount_new_nick(self, address: str, came: float) -> None:
        """Undo the count of a nick that could not be saved, unless it has expired."""
        times = self._came.get(client_network(address), [])
        if came in times:
            times.remove(came)

    def _expire(self) -> None:
        """Forget guests who never sat at a table in play and have been absent for a week."""
        here = set(map(seating.compute_nick_key, self.get_present_nicks()))
        for key, person in [*self._people.items()]:
            is_new = not (person.member or person.has_played or key in here)
            if is_new and self._clock() - person.seen > WEEK:
                del self._people[key]

    def mark_played(self, nicks: Iterable[str]) -> None:
        """Record that these players sit at a table in play; `save_all` writes it."""
        for key in map(seating.compute_nick_key, nicks):
            if key in self._people:
                self._people[key] = replace(self._people[key], has_played=True)

    def _drop_forgotten(self) -> None:
        """Forget accounts that another program has removed from the file with `forget_person`."""
        signature = _signature()
        if signature != self._signature:
            self._take_from_file(_forgotten(self._known_on_disk, _read_if_valid()), signature)

    def _take_from_file(self, forgotten: Iterable[str], signature: _Signature) -> None:
        for key in forgotten:
            self._people.pop(key, None)
        self._known_on_disk, self._signature = frozenset(self._known_on_disk).difference(forgotten), signature

    def _player(self, profile: Profile) -> KnownGuest:
        """Return the account of a profile, found by id, under its present nick.

        An account with an earlier nick is moved; the credentials of a guest with the present nick are dropped.
        """
        before = next((each for each in self._people.values() if each.player == profile.id), KnownGuest(""))
        self._people.pop(seating.compute_nick_key(before.nick), None)
        return replace(before, nick=profile.nick, player=profile.id)

    async def sign_in(self, nick: str, password: str, origin: ConnectionOrigin) -> tuple[str, str]:
        """Return nick and token of a player, for a client that logged in as a guest.  Raises ``LoginError``."""
        nick = seating.normalize_nick(nick)
        profile = _find_player(nick)
        if profile is None or not profile.password:
            raise LoginError(f"{nick} is no player with a password here; check the nick")
        await self._check_password(profile, password, origin)
        player = self._player(profile)
        person, token = await self._with_token(player, _new_token(player))
        return person.nick, token

    async def register(self, nick: str, password: str, origin: ConnectionOrigin) -> str:
        """Give a guest a profile with a password, and return the player's token.

        Raises ``LoginError`` and ``CardtableError``; the guest then stays a guest.
        """
        _refuse_readable(origin)
        if not self.is_guest(nick):
            raise LoginError(f"{nick} is already a player here; sign in")
        if wrong := passwords.find_password_error(password, password):
            raise LoginError(wrong)
        network = self._network_of_new_player(nick, origin)

        def enrol() -> bool:
            profiles.register_remote(nick, password)
            return True

        await self._passwords.run(origin.address, enrol)
        profile = _find_player(nick)
        if profile is None:
            raise LoginError(f"{nick} is no player any more; register again")
        player = replace(self._player(profile), network=network)
        try:
            return (await self._with_token(player, _new_token(player)))[1]
        except LoginError:
            with suppress(CardtableError):
                await run_uninterrupted(asyncio.to_thread(profiles.undo_registration, profile))
            raise

    def _network_of_new_player(self, nick: str, origin: ConnectionOrigin) -> str:
        """Return the network from which a new player registers.

        Raises ``LoginError`` if players from this network already have at least as many profiles as are left, so that
        no single network can use up all of them.
        """
        guest = self._people.get(seating.compute_nick_key(nick))
        network = guest.network if guest and guest.network else wide_network(origin.address)
        own = sum(person.member and person.network == network for person in self._people.values())
        if own >= profiles.MAX_PROFILES - len(_read_players().players):
            raise LoginError("the host has so many players that it takes no new one from you; stay a guest")
        return network

    def network_of(self, nick: str) -> str:
        """Return the network of a nick's first login, also if the guest has registered since.

        It is empty if it is unknown, and for this machine, on which a proxy may stand for many people.
        """
        person = self._people.get(seating.compute_nick_key(nick))
        return person.network if person and not is_loopback(person.network) else ""

    def is_guest(self, nick: str) -> bool:
        """Return True if a nick has no profile."""
        person = self._people.get(seating.compute_nick_key(nick))
        return person is None or not person.member

    async def _check_password(self, profile: Profile, password: str, origin: ConnectionOrigin) -> None:
        """Raise ``LoginError`` unless `password` is the password of the profile."""
        kept, nick = profile.password, profile.nick
        if kept is None:
            raise LoginError(
                f"{nick} is a player here; choose another nick, or first set a password for {nick} at the host", "nick"
            )
        _refuse_readable(origin)
        if not password:
            raise LoginError(f"{nick} has a password", "password")
        self._throttle.refuse_password(origin.address, nick)
        if not await self._passwords.run(origin.address, lambda: passwords.is_correct(kept, password)):
            self._throttle.add_wrong_password(origin.address, nick)
            raise LoginError(passwords.WRONG_PASSWORD, "password")
        self._throttle.forgive_password(origin.address, nick)

    def issue_temporary_token(self, nick: str, origin: ConnectionOrigin) -> str:
        """Return a temporary token for a client let in by another endpoint; it is valid until ``revoke``."""
        token = secrets.token_urlsafe(24)
        self._temporary_tokens[token_key(token)] = nick, origin
        return token

    def revoke(self, token: str) -> None:
        """Invalidate a token from ``issue_temporary_token``."""
        del self._temporary_tokens[token_key(token)]

    def find_returning_account(self, nick: str) -> KnownGuest | None:
        """Return the account that can log in again under a nick; of a player only if the profile has a password."""
        try:
            profile, person = _find_player(nick), self._people.get(seating.compute_nick_key(nick))
        except LoginError:
            return None
        if profile is None:
            return person if person and not person.member else None
        person = next((each for each in self._people.values() if each.player == profile.id), None)
        return replace(person, nick=profile.nick) if person and profile.password else None

    async def forget_unconfirmed_guest(self, nick: str) -> None:
        """Forget a guest who lost the connection before noting their typed token, and never sat at a table in play.

        The nick could not be used again otherwise.
        """
        key = seating.compute_nick_key(nick)
        person = self._people.get(key)
        if key in self._unconfirmed_nicks and person and not person.has_played and not person.member:
            del self._people[key]
            self._unconfirmed_nicks.discard(key)
            with suppress(CardtableError):  # the next save removes the nick from the file
                await self.save_all(self.tables)

    async def add_ssh_keys(self, nick: str, keys: tuple[str, ...]) -> None:
        """Store further ssh keys that log a player in.

        Raises ``CardtableError`` if they cannot be saved; they are then unknown, and so is a guest without other
        credentials.
        """
        name = seating.compute_nick_key(nick)
        before = self._people[name]
        self._people[name] = replace(before, keys=tuple(dict.fromkeys((*keys, *before.keys)))[:MOST_KEYS])
        try:
            await self.save_all(self.tables)
        except CardtableError:
            if person := self._people.get(name):
                self._people[name] = replace(person, keys=before.keys)
                if not (person.tokens or before.keys or person.member or person.has_played):
                    del self._people[name]
            raise

    async def save_all(self, tables: tuple[SavedTable, ...]) -> None:
        """Save accounts and tables; concurrent calls share one write.  Raises ``CardtableError``."""
        self.tables = tables
        self._changes += 1
        await run_uninterrupted(self._write(self._changes))

    async def save_pending(self) -> None:
        """Save changes, such as logins, that `save_all` has not saved.

        Ignore a failure, since the next `save_all` retries.
        """
        if self._written < self._changes:
            with suppress(OSError, CardtableError):
                await run_uninterrupted(self._write(self._changes))

    async def _write(self, changes: int) -> None:
        async with self._writing:
            if self._written < changes:
                now, known = self._changes, dict(self._people)
                kept = ClubFile(
                    id=self.id,
                    id_since=self._id_since,
                    owner_token=self.owner_token,
                    code=self._saved_code,
                    tables=self.tables,
                )
                try:
                    forgotten, signature = await asyncio.to_thread(_merge, kept, known, self._known_on_disk)
                except CardtableError as error:
                    self.unsaved = error.why.removeprefix(_CANNOT_SAVE)
                    self.save_failed()
                    raise
                self._known_on_disk = frozenset(known)
                self._take_from_file(forgotten, signature)
                self._written, self.unsaved = now, ""


async def _has_no_seat(_nick: str) -> bool:
    return False


async def _refuse_unless_freed(nick: str) -> None:
    """Raise ``LoginError`` unless the host has freed a nick that an unfinished session names."""
    try:
        saved = await asyncio.to_thread(read)
    except CardtableError:
        raise LoginError("the club's host cannot read whom it knows; try again later", retry_after=DISK_RETRY) from None
    if seating.compute_nick_key(nick) not in _freed_nicks(saved):
        raise LoginError(
            f"{nick} has a seat in an unfinished session here; choose another nick, or ask the host to free it", "nick"
        )


def _freed_nicks(saved: ClubFile) -> tuple[str, ...]:
    return () if saved.freed is msgspec.UNSET else saved.freed


def _find_player(nick: str) -> Profile | None:
    """Return the profile of a nick.

    Raises ``LoginError`` if the profiles cannot be read: the nick of a player must not be taken for a free one.
    """
    return _read_players().find(nick)


def _read_players() -> profiles.ProfileStore:
    try:
        return profiles.read()
    except CardtableError:
        raise LoginError(
            "the club's host cannot read who its players are; try again later", retry_after=DISK_RETRY
        ) from None


def _refuse_readable(origin: ConnectionOrigin) -> None:
    if not origin.secret:
        raise LoginError("others could read your password on this connection; come in by ssh or with TLS")


def _hashed(token: str) -> str:
    return token_key(token).hex()


def _signature() -> _Signature:
    """Return modification time, size and inode of the file; a change shows that another program has written it."""
    try:
        found = paths.club_file().stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read_if_valid() -> ClubFile | None:
    """Read the club's file; ``None`` if it is missing, or invalid, in which case no write replaces it."""
    try:
        return read() if _signature() else None
    except CardtableError:
        return None


def _forgotten(known: frozenset[str], saved: ClubFile | None) -> frozenset[str]:
    """Return those of the `known` keys of nicks that the file no longer contains."""
    return known.difference(seating.compute_nick_key(person.nick) for person in saved.people) if saved else frozenset()


def _merge(
    kept: ClubFile, people: Mapping[str, KnownGuest], known: frozenset[str]
) -> tuple[frozenset[str], _Signature]:
    """Write the club's file without accounts that another program has removed from it, and return their keys.

    Nicks that the host has freed remain so until their new owners have sat at a table.  Raises as `_write` does.
    """
    with _locked_home():
        saved = _read_if_valid()
        forgotten = _forgotten(known, saved)
        left = {key: person for key, person in people.items() if key not in forgotten}
        freed = [key for key in _freed_nicks(saved) if not (key in left and left[key].has_played)] if saved else ()
        _write(replace(kept, people=tuple(left.values()), freed=tuple(freed) or msgspec.UNSET))
        return forgotten, _signature()


@contextmanager
def _locked_home() -> Iterator[None]:
    """Hold the lock of the home folder.  Raises ``CardtableError`` if it cannot be taken."""
    with ExitStack() as stack:
        try:
            stack.enter_context(home_lock())
        except OSError as error:
            raise CardtableError(f"{_CANNOT_SAVE}{format_os_error(error)}") from None
        yield


def forget_person(nick: str) -> KnownGuest:
    """Remove an account, also of a club that is open, and return it; without one, free a nick of unfinished sessions.

    The nick of a guest is then free; a player must log in by password again.  Raises ``CardtableError``.
    """
    with _locked_home():
        saved, key = read(), seating.compute_nick_key(nick)
        found = next((person for person in saved.people if seating.compute_nick_key(person.nick) == key), None)
        given = {table.session: table.given for table in saved.tables}
        has_seat = profiles.find(nick) is None and any(find_unfinished(nick, (), given))
        if found is None and not has_seat:
            name = sanitize(nick, 40)
            raise CardtableError(f"nobody called {name} has been in the club, and no unfinished session names {name}")
        people = tuple([person for person in saved.people if person is not found])
        freed = dict.fromkeys((*_freed_nicks(saved), *([key] if has_seat else [])))
        _write(replace(saved, people=people, freed=tuple(freed) or msgspec.UNSET))
    return found or KnownGuest(nick)


def _within_hour(times: Sequence[float], now: float) -> list[float]:
    return [each for each in times if now - each < HOUR]


def _write(kept: ClubFile) -> None:
    """Write the club's file.  Raises ``CardtableError`` without the path, since guests see the message, too."""
    try:
        paths.create_folder(paths.home())
        _FILE.write(paths.club_file(), kept)
    except FileError as error:
        raise CardtableError(f"{_CANNOT_SAVE}{error.why}") from None
    except OSError as error:
        raise CardtableError(f"{_CANNOT_SAVE}{format_os_error(error)}") from None


def read() -> ClubFile:
    """Read the club's file; without a file return an empty one.  Raises ``CardtableError`` with the whole path."""
    try:
        return _FILE.read(paths.club_file())
    except FileNotFoundError:
        return ClubFile()
    except FileError as error:
        raise CardtableError(error.full_message) from None


def owner_token_for(nick: str, owner_token: str) -> str:
    """Return the owner's token for a player without a password; empty for others, who need their password."""
    profile = profiles.find(nick)
    return owner_token if profile and not profile.password else ""


def last_code() -> str:
    """Return the code under which the club was last opened, or an empty string if there is none.

    Raises ``CardtableError`` if the club's file cannot be read.
    """
    return read().code
