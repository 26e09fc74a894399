"""Who may come in, and as whom: the club's code, nicks, passwords, tokens.

They are kept, so that a host can be started again.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hmac import compare_digest
from math import ceil
from time import monotonic, time
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, client_network
from cardtable.club.protocol import Hello, Missing, proof_of_token, token_key
from cardtable.club.server.command_queue import run_uninterrupted
from cardtable.engine import checksummed_jsonl
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.text_format import counted, sanitize
from cardtable.store import passwords, paths, profiles, seating
from cardtable.store.errors import FileError, reason
from cardtable.store.json_file import JsonFile, home_lock
from cardtable.store.profiles import Profile

ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of codes: no letter or digit that can be taken for another."""
CODE_LENGTH: Final = 8
WORD_LENGTH: Final = 16
"""Of the token of a guest who types it, about 80 bits."""
FREE_TRIES: Final = 5
"""Wrong codes of one address, or wrong passwords of one address for one nick, before it has to wait."""
FREE_PASSWORDS: Final = 20
"""Wrong passwords of one address for all nicks together, before it has to wait."""
WAIT: Final = 10.0
"""Seconds until the next try, after so many wrong ones."""
FORGET: Final = 3600.0
"""Seconds after the last wrong try when all wrong ones are forgotten."""
MOST_ADDRESSES: Final = 10_000
"""Addresses whose wrong tries are remembered."""
MOST_NICKS: Final = 64
"""Nicks for which the wrong passwords of one address are remembered."""
MOST_PEOPLE: Final = 5000
"""Nicks that a club knows.  One network has at most as many as are still free, so that none uses them up."""
NEW_NICKS: Final = 20
"""New nicks from one address within an hour, unless the host is told otherwise."""
DISK_RETRY: Final = 30
"""Seconds after which a guest's program tries again if the host cannot save."""
HOUR: Final = 3600
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
"""Seconds without coming in after which the nick of a guest who never sat at a table is free again."""
AT_ONCE: Final = 2
"""Passwords that are checked at a time."""
MOST_KEYS: Final = 8
"""By which one guest is known to ssh."""
MOST_TOKENS: Final = 8
"""With which one person comes back, from as many programs."""
MOST_BYTES: Final = 8 * 1024 * 1024
_CANNOT_SAVE: Final = "the club's host cannot save: "


_Signature: TypeAlias = tuple[int, int, int] | None


class LoginError(Exception):
    """Somebody cannot come in; why, in a line for her, and what she has to say otherwise."""

    def __init__(self, why: str, missing: Missing = "", retry_after: int | None = None) -> None:
        """`retry_after`: seconds after which the same may be tried again; ``None`` if that would not help."""
        super().__init__(why)
        self.missing: Final = missing
        self.retry_after: Final = retry_after


class KnownGuest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person who has been let in."""

    nick: str
    player: str = ""
    """The id of her profile at the host; "" for a guest without one."""
    tokens: tuple[Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")], ...] = ()
    """Keys of her tokens, the newest first: SHA-256 in hexadecimal digits."""
    keys: tuple[str, ...] = ()
    """Fingerprints of the keys by which she is known to ssh."""
    network: str = ""
    """Network from which the nick came first: /24 of IPv4, /48 of IPv6."""
    seen: int = 0
    """When she came in last, within a day, in seconds since 1970-01-01T00:00Z."""
    has_played: bool = True
    """True if she ever sat at a table that was played; also for those of before this was known."""

    @property
    def member(self) -> bool:
        """True if she has a profile here."""
        return bool(self.player)


class SavedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table whose session goes on when the host is started again."""

    session: str
    master: str
    grace: int
    given: tuple[Seat, ...] = ()
    """Seats that robots have for good."""


class ClubFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a club keeps beside its sessions."""

    club: Literal[2] = 2
    id: str = ""
    """By which guests' programs know the club, wherever it is reached; made once."""
    id_since: int = 0
    """When the id was made, in seconds since 1970-01-01T00:00Z."""
    owner_token: str = ""
    """Proof of being the owner of these files, for programs that can read them; it never leaves this machine."""
    code: str = ""
    people: tuple[KnownGuest, ...] = ()
    tables: tuple[SavedTable, ...] = ()


class _KnownGuest1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person in a file of version 1."""

    nick: str
    member: bool
    tokens: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class _KeptClub1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of version 1."""

    club: Literal[1] = 1
    code: str = ""
    people: tuple[_KnownGuest1, ...] = ()
    tables: tuple[SavedTable, ...] = ()


def _version_1(data: bytes) -> ClubFile:
    """Return what a file of version 1 holds.  Raises ``ValueError``.

    Anybody who knew the code could get the token of a player without a password, so these tokens are dropped.
    """
    before = checksummed_jsonl.decode(data, _KeptClub1)
    book = profiles.load()[0]
    people = []
    for person in before.people:
        profile = book.find(person.nick) if person.member else None
        tokens = person.tokens if not person.member or (profile and profile.password) else ()
        people.append(KnownGuest(person.nick, _player_id(profile, person.member), tokens, person.keys))
    return ClubFile(code=before.code, people=tuple(people), tables=before.tables)


def _player_id(profile: Profile | None, was_member: bool) -> str:
    """Return the id of a profile; for a player who has been removed an id that no profile has."""
    if not was_member:
        return ""
    return profile.id if profile and profile.id else "removed"


_FILE: Final = JsonFile(ClubFile, "club", 2, MOST_BYTES, personal=True, older=_version_1)


def new_code() -> str:
    """A code by lot."""
    return _random_text(CODE_LENGTH)


def _random_text(length: int) -> str:
    return "".join([secrets.choice(ALPHABET) for _ in range(length)])


def new_word() -> str:
    """Return a new token that can be written down and typed."""
    return _random_text(WORD_LENGTH)


def shown_word(word: str) -> str:
    """Return such a token in groups of four characters."""
    return "-".join(word[start : start + 4] for start in range(0, len(word), 4))


def _read_word(typed: str) -> str:
    """Return a typed token: in small letters, without spaces and hyphens."""
    return "".join(typed.lower().replace("-", "").split())


def _new_token(_person: "KnownGuest") -> str:
    return secrets.token_urlsafe(24)


class _WrongTries(msgspec.Struct):
    """How often something wrong was tried, and when last."""

    number: int = 0
    last: float = 0.0

    def add(self, now: float) -> None:
        """Count another wrong try."""
        self.number = 1 if now - self.last > FORGET else self.number + 1
        self.last = now

    def seconds_left(self, free: int, now: float) -> float:
        """Return the seconds until the next try is allowed; 0 or less if it is."""
        return self.last + WAIT - now if self.number >= free else 0.0


class _Address(msgspec.Struct):
    """The wrong tries of one address."""

    codes: _WrongTries = msgspec.field(default_factory=_WrongTries)
    passwords: _WrongTries = msgspec.field(default_factory=_WrongTries)
    by_nick: dict[str, _WrongTries] = {}


class LoginThrottle:
    """Limits wrong codes by address, and wrong passwords by address and nick and by address.

    An address is an IPv4 address or a /64 of IPv6.  When too many are remembered, the oldest one of the network with
    the most of them is forgotten (/24 of IPv4, /48 of IPv6): who has many addresses pushes out her own.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._networks: dict[str, dict[str, _Address]] = {}
        self._number = 0

    def refuse_code(self, address: str) -> None:
        """Raise ``LoginError`` if a code may not be tried from an address now."""
        if record := self._find(address):
            self._refuse(record.codes.seconds_left(FREE_TRIES, self._clock()))

    def refuse_password(self, address: str, nick: str) -> None:
        """Raise ``LoginError`` if a password may not be tried from an address for a nick now."""
        if record := self._find(address):
            now, of_nick = self._clock(), record.by_nick.get(seating.nick_key(nick), _WrongTries())
            seconds = record.passwords.seconds_left(FREE_PASSWORDS, now), of_nick.seconds_left(FREE_TRIES, now)
            self._refuse(max(seconds))

    def add_wrong_code(self, address: str) -> None:
        """Count a wrong code."""
        self._record(address).codes.add(self._clock())

    def add_wrong_password(self, address: str, nick: str) -> None:
        """Count a wrong password."""
        record, key, now = self._record(address), seating.nick_key(nick), self._clock()
        record.passwords.add(now)
        tries = record.by_nick.pop(key, _WrongTries())
        tries.add(now)
        record.by_nick[key] = tries
        if len(record.by_nick) > MOST_NICKS:
            del record.by_nick[next(iter(record.by_nick))]

    def forgive_password(self, address: str, nick: str) -> None:
        """Forget the wrong passwords of an address for a nick, after the right one."""
        if record := self._find(address):
            record.by_nick.pop(seating.nick_key(nick), None)

    def _find(self, address: str) -> _Address | None:
        return self._networks.get(_network(address), {}).get(client_network(address))

    def _record(self, address: str) -> _Address:
        """Return the record of an address, moved to the end of its network."""
        network, client = _network(address), client_network(address)
        known = self._networks.setdefault(network, {})
        self._number += client not in known
        record = known[client] = known.pop(client, _Address())
        if self._number > MOST_ADDRESSES:
            largest = max(self._networks, key=lambda each: len(self._networks[each]))
            del self._networks[largest][next(iter(self._networks[largest]))]
            self._number -= 1
            if not self._networks[largest]:
                del self._networks[largest]
        return record

    def _refuse(self, seconds: float) -> None:
        if seconds > 0:
            raise _too_soon("too many wrong tries", ceil(seconds))


def _network(address: str) -> str:
    """Return the network that one stranger may have many addresses of."""
    return client_network(address, ipv4_bits=24, ipv6_bits=48)


def _too_soon(why: str, seconds: int) -> LoginError:
    return LoginError(f"{why}; try again in {counted(seconds, 'second')}", retry_after=seconds)


class _PasswordQueue:
    """Checks passwords a few at a time; of each address one, with one more that waits."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._locks: dict[str, asyncio.Lock] = {}
        self._pending = Counter[str]()

    async def run(self, address: str, check: Callable[[], bool]) -> bool:
        """Return the result of `check`, run in a thread once it is this address's turn.  Raises ``LoginError``."""
        client = client_network(address)
        if self._pending[client] > 1:
            raise _too_soon("other passwords from your address are being checked", 1)
        self._pending[client] += 1
        try:
            async with self._locks.setdefault(client, asyncio.Lock()), self._slots:
                return await run_uninterrupted(asyncio.to_thread(check))
        finally:
            self._pending[client] -= 1
            if not self._pending[client]:
                del self._pending[client], self._locks[client]


class AccountStore:
    """The people of one club."""

    def __init__(self, code: str = "", *, new_nicks: int = NEW_NICKS, clock: Callable[[], float] = time) -> None:
        """Open the book; `code` is asked of everybody, if there is one, `new_nicks` are the most of an address an hour.

        Raises ``CardtableError`` if it cannot be read who has been here, or who has a profile and so a nick and a
        password that nobody else may use.
        """
        if any(not player.id for player in profiles.read().players):
            profiles.change(lambda book: book)  # gives them ids
        kept = read()
        self.id: Final = kept.id or secrets.token_hex(16)
        self.code: Final = code
        self._id_since = kept.id_since or int(time())
        self.tables: tuple[SavedTable, ...] = kept.tables
        self.owner_token: Final = kept.owner_token or secrets.token_urlsafe(24)
        self._people: dict[str, KnownGuest] = {seating.nick_key(person.nick): person for person in kept.people}
        self._code_kept = code or kept.code
        self._passes: dict[bytes, tuple[str, ConnectionOrigin]] = {}
        """Keys of tokens of this run: whose they are, and where she is."""
        self.here: Callable[[], Collection[str]] = tuple
        """Return the nicks of those who are in the club now."""
        self.save_failed: Callable[[], None] = lambda: None
        """Called when something could not be saved."""
        self._unconfirmed: set[str] = set()
        """Keys of nicks whose word was given in this run and not typed since."""
        self._new_nicks, self._clock = new_nicks, clock
        self._came: dict[str, list[float]] = {}
        """When new nicks came within the last hour, by address."""
        self._throttle, self._passwords = LoginThrottle(), _PasswordQueue()
        self._known_on_disk, self._signature = frozenset(self._people), _signature()
        self._writing, self._changes, self._written = asyncio.Lock(), 0, 0
        """How many changes there were, and how many of them are kept."""
        self.unsaved = ""
        """Why the last change is not on the disk, in the words of the system; "" if it is."""

    async def log_in(
        self,
        nick: str,
        whence: ConnectionOrigin,
        *,
        code: str = "",
        password: str = "",
        new_token: Callable[[KnownGuest], str] = _new_token,
    ) -> tuple[KnownGuest, str]:
        """Let somebody in by the code of the club, and a player by her password: who it is, and a new token.

        `new_token` returns "" where she gets none.  Raises ``LoginError``.
        """
        self._drop_forgotten()
        nick = seating.as_nick(nick)
        if self.code:
            self._throttle.refuse_code(whence.address)
            if not code:
                raise LoginError("this club has a code; its host can tell you", "code")
            if not compare_digest(code.encode(), self.code.encode()):
                self._throttle.add_wrong_code(whence.address)
                raise LoginError("that is not the code of this club; its host can tell you", "code")
        profile = _find_player(nick)
        if profile is not None:
            await self._prove(profile, password, whence)
            player = self._player(profile)
            return await self._with_token(player, new_token(player))
        self._refuse_nick(nick)
        came = self._count_new_nick(whence.address)
        guest = KnownGuest(nick, network=_network(whence.address), has_played=False)
        try:
            return await self._with_token(guest, new_token(guest))
        except LoginError:
            self._uncount_new_nick(whence.address, came)
            raise

    def enter_by_token(self, nick: str, token: str) -> KnownGuest:
        """Let in who has a token, whatever others have tried.  Raises ``LoginError``."""
        return self._enter_by_key(nick, lambda key: compare_digest(key, token_key(token)))[0]

    def enter_by_proof(self, hello: Hello, nonce: str) -> tuple[KnownGuest, ConnectionOrigin | None]:
        """Let in who proves to have a token, whatever others have tried; `nonce`: the host's on this connection.

        Return who it is, and for a token of `admit` where she is.  Raises ``LoginError``.
        """

        def is_right(key: bytes) -> bool:
            proof = proof_of_token(key, self.id, nonce, hello.nonce)
            return compare_digest(proof.encode(), hello.proof.encode())

        return self._enter_by_key(hello.nick, is_right)

    def _enter_by_key(self, nick: str, is_right: Callable[[bytes], bool]) -> tuple[KnownGuest, ConnectionOrigin | None]:
        """Let in a person for one of whose tokens' keys `is_right` holds."""
        self._drop_forgotten()
        nick = seating.as_nick(nick)
        name = seating.nick_key(nick)
        for key, (admitted, whence) in self._passes.items():
            if seating.nick_key(admitted) == name and is_right(key):
                return self._see(self.known(admitted) or self._people.get(name) or KnownGuest(admitted)), whence
        profile, guest = _find_player(nick), self._people.get(name)
        if profile and not profile.password and is_right(token_key(self.owner_token)):
            return self._see(self._player(profile)), None
        person = self.known(nick)
        if person and any(is_right(bytes.fromhex(each)) for each in person.tokens):
            return self._see(person), None
        if profile and guest and not guest.member:
            raise LoginError(f"{profile.nick} is now a player of this club; choose another nick", "nick")
        raise LoginError("this club does not know you under that nick any more; type a nick to come in again", "nick")

    def enter_by_word(self, nick: str, typed: str) -> KnownGuest:
        """Let in a guest who types her token, in any case, with spaces or hyphens.  Raises ``LoginError``."""
        words = typed.strip(), _read_word(typed)  # those of before had capital letters and hyphens
        person, _ = self._enter_by_key(nick, lambda key: any(compare_digest(key, token_key(word)) for word in words))
        self._unconfirmed.discard(seating.nick_key(nick))
        return person

    async def _with_token(self, person: KnownGuest, token: str) -> tuple[KnownGuest, str]:
        """Return a person with another token, unless that is "", and the token.

        Raises ``LoginError`` if it is not on the disk; nobody is known by it then.
        """
        key, before = seating.nick_key(person.nick), self._people.get(seating.nick_key(person.nick))
        tokens = (_hashed(token), *person.tokens) if token else person.tokens
        person = self._know(replace(person, tokens=tokens[:MOST_TOKENS]))
        try:
            await self.keep(self.tables)
        except CardtableError as error:
            self._take_back(key, before, tokens)
            raise LoginError(f"{error.why}; try again later", retry_after=DISK_RETRY) from None
        if len(token) == WORD_LENGTH:
            self._unconfirmed.add(key)
        return person, token

    def _take_back(self, key: str, before: KnownGuest | None, tokens: tuple[str, ...]) -> None:
        """Undo a change of a person that could not be saved; what others have changed since stays.

        `before`: the person under that nick until then; `tokens`: theirs with the new one first, and with any that
        had to give way.
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

    def _know(self, person: KnownGuest) -> KnownGuest:
        if self._clock() - person.seen > DAY:
            person = replace(person, seen=int(self._clock()))
        self._people[seating.nick_key(person.nick)] = person
        return person

    def _see(self, person: KnownGuest) -> KnownGuest:
        """Note that a person has come in; `save` writes it."""
        known = self._know(person)
        self._changes += known != person
        return known

    # New nicks, and those that are nobody's any more

    def _refuse_nick(self, nick: str) -> None:
        """Raise ``LoginError`` if nobody new can have a nick."""
        if wrong := seating.why_not_new(nick):
            raise LoginError(wrong, "nick")
        self._expire()
        if seating.nick_key(nick) in self._people:
            raise LoginError(f"{nick} is the nick of somebody who has been here; choose another", "nick")
        known = (*[person.nick for person in self._people.values()], *[each.nick for each in _read_players().players])
        if alike := seating.find_alike(nick, known):
            raise LoginError(f"{nick} looks like {alike}, who has been here; choose another nick", "nick")

    def _count_new_nick(self, address: str) -> float:
        """Count a new nick from an address and return when it came.

        Raises ``LoginError`` if too many have come from there, or from its network.
        """
        now, client = self._clock(), client_network(address)
        self._came = {each: recent for each, times in self._came.items() if (recent := _within_hour(times, now))}
        times = self._came.get(client, [])
        if len(times) >= self._new_nicks:
            minutes = ceil((times[-self._new_nicks] + HOUR - now) / 60)
            raise LoginError(
                f"too many new nicks came from your address; try again in {counted(minutes, 'minute')}",
                retry_after=60 * minutes,
            )
        network = _network(address)
        if sum(person.network == network for person in self._people.values()) >= MOST_PEOPLE - len(self._people):
            raise LoginError(
                "the club knows so many people that it takes no new nick from you; its host can forget some"
            )
        self._came[client] = [*times, now]
        return now

    def _uncount_new_nick(self, address: str, came: float) -> None:
        """Take back the count of a nick that could not be saved; an hour later it does not count any more."""
        times = self._came.get(client_network(address), [])
        if came in times:
            times.remove(came)

    def _expire(self) -> None:
        """Forget guests who never sat at a table and have not come in for a week."""
        here = set(map(seating.nick_key, self.here()))
        for key, person in [*self._people.items()]:
            is_new = not (person.member or person.has_played or key in here)
            if is_new and self._clock() - person.seen > WEEK:
                del self._people[key]

    def mark_played(self, nicks: Iterable[str]) -> None:
        """Note that people sit at a table that is played; `keep` writes it."""
        for key in map(seating.nick_key, nicks):
            if key in self._people:
                self._people[key] = replace(self._people[key], has_played=True)

    def _drop_forgotten(self) -> None:
        """Forget whom `forget_person` has taken out of the file, from another program."""
        if _signature() != self._signature:
            self._take_from_file(*_forgotten(self._known_on_disk))

    def _take_from_file(self, forgotten: Iterable[str], signature: _Signature) -> None:
        for key in forgotten:
            self._people.pop(key, None)
        self._known_on_disk, self._signature = frozenset(self._known_on_disk).difference(forgotten), signature

    def _player(self, profile: Profile) -> KnownGuest:
        """Return what is known of a player, also under an earlier nick; proofs of a guest of that nick are dropped."""
        before = next((each for each in self._people.values() if each.player == profile.id), KnownGuest(""))
        self._people.pop(seating.nick_key(before.nick), None)
        return replace(before, nick=profile.nick, player=profile.id)

    async def sign_in(self, nick: str, password: str, whence: ConnectionOrigin) -> tuple[str, str]:
        """Return nick and token of a player, for who has been let in as somebody else.  Raises ``LoginError``."""
        nick = seating.as_nick(nick)
        profile = _find_player(nick)
        if profile is None or not profile.password:
            raise LoginError(f"{nick} is no player with a password here; check the nick")
        await self._prove(profile, password, whence)
        player = self._player(profile)
        person, token = await self._with_token(player, _new_token(player))
        return person.nick, token

    async def register(self, nick: str, password: str, whence: ConnectionOrigin) -> str:
        """Make a guest a player with a password, and return the player's token.

        Raises ``LoginError`` and ``CardtableError``; the guest stays one then.
        """
        _refuse_readable(whence)
        if not self.is_guest(nick):
            raise LoginError(f"{nick} is already a player here; sign in")
        if wrong := passwords.why_not(password, password):
            raise LoginError(wrong)
        network = self._network_of_new_player(nick, whence)

        def enrol() -> bool:
            profiles.enrol(nick, password)
            return True

        await self._passwords.run(whence.address, enrol)
        profile = _find_player(nick)
        if profile is None:
            raise LoginError(f"{nick} is no player any more; register again")
        player = replace(self._player(profile), network=network)
        try:
            return (await self._with_token(player, _new_token(player)))[1]
        except LoginError:
            with suppress(CardtableError):
                await run_uninterrupted(asyncio.to_thread(profiles.withdraw, profile))
            raise

    def _network_of_new_player(self, nick: str, whence: ConnectionOrigin) -> str:
        """Return the network of a guest who wants to be a player.

        Raises ``LoginError`` if players from there have as many places as are free, so that no network uses them up.
        """
        guest = self._people.get(seating.nick_key(nick))
        network = guest.network if guest and guest.network else _network(whence.address)
        own = sum(person.member and person.network == network for person in self._people.values())
        if own >= profiles.MOST_PROFILES - len(_read_players().players):
            raise LoginError("the host has so many players that it takes no new one from you; stay a guest")
        return network

    def network_of(self, nick: str) -> str:
        """Return the network from which a nick first came, also of a guest who is a player now; "" if not known."""
        person = self._people.get(seating.nick_key(nick))
        return person.network if person else ""

    def is_guest(self, nick: str) -> bool:
        """Return True if a person here has no profile."""
        person = self._people.get(seating.nick_key(nick))
        return person is None or not person.member

    async def _prove(self, profile: Profile, password: str, whence: ConnectionOrigin) -> None:
        """Raise ``LoginError`` unless this is the password of a player."""
        kept, nick = profile.password, profile.nick
        if kept is None:
            raise LoginError(
                f"{nick} is a player here; choose another nick, or first set a password for {nick} at the host", "nick"
            )
        _refuse_readable(whence)
        if not password:
            raise LoginError(f"{nick} has a password", "password")
        self._throttle.refuse_password(whence.address, nick)
        if not await self._passwords.run(whence.address, lambda: passwords.is_right(kept, password)):
            self._throttle.add_wrong_password(whence.address, nick)
            raise LoginError(passwords.WRONG, "password")
        self._throttle.forgive_password(whence.address, nick)

    def admit(self, nick: str, whence: ConnectionOrigin) -> str:
        """A token for somebody who was let in already, by another door; it is good until ``revoke``."""
        token = secrets.token_urlsafe(24)
        self._passes[token_key(token)] = nick, whence
        return token

    def revoke(self, token: str) -> None:
        """Take a token from ``admit`` no more."""
        del self._passes[token_key(token)]

    def known(self, nick: str) -> KnownGuest | None:
        """Return the person who has been here under a nick and can come back; a player only with a password."""
        try:
            profile, person = _find_player(nick), self._people.get(seating.nick_key(nick))
        except LoginError:
            return None
        if profile is None:
            return person if person and not person.member else None
        person = next((each for each in self._people.values() if each.player == profile.id), None)
        return replace(person, nick=profile.nick) if person and profile.password else None

    async def release(self, nick: str) -> None:
        """Forget a guest whose connection was lost before she noted her word, and who never sat at a table.

        Nobody could come in under that nick any more.
        """
        key = seating.nick_key(nick)
        person = self._people.get(key)
        if key in self._unconfirmed and person and not person.has_played and not person.member:
            del self._people[key]
            self._unconfirmed.discard(key)
            with suppress(CardtableError):  # the next save takes the nick out of the file
                await self.keep(self.tables)

    async def remember(self, nick: str, keys: tuple[str, ...]) -> None:
        """Recognise a person by these keys, too, from now on.

        Raises ``CardtableError`` if they cannot be saved; they are not known then, and neither is a guest who has
        nothing else to come back with.
        """
        name = seating.nick_key(nick)
        before = self._people[name]
        self._people[name] = replace(before, keys=tuple(dict.fromkeys((*keys, *before.keys)))[:MOST_KEYS])
        try:
            await self.keep(self.tables)
        except CardtableError:
            if person := self._people.get(name):
                self._people[name] = replace(person, keys=before.keys)
                if not (person.tokens or before.keys or person.member or person.has_played):
                    del self._people[name]
            raise

    async def keep(self, tables: tuple[SavedTable, ...]) -> None:
        """Keep who is known, and which tables are played; several who want that at once wait for one file."""
        self.tables = tables
        self._changes += 1
        await run_uninterrupted(self._write(self._changes))

    async def save(self) -> None:
        """Write what has changed without being kept, such as who has come in; the next `keep` would do it, too."""
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
                    code=self._code_kept,
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


def _find_player(nick: str) -> Profile | None:
    """Return the profile of a nick.

    Raises ``LoginError`` if the players cannot be read: a player's nick must not be taken for a free one.
    """
    return _read_players().find(nick)


def _read_players() -> profiles.ProfileStore:
    try:
        return profiles.read()
    except CardtableError:
        raise LoginError(
            "the club's host cannot read who its players are; try again later", retry_after=DISK_RETRY
        ) from None


def _refuse_readable(whence: ConnectionOrigin) -> None:
    if not whence.secret:
        raise LoginError("others could read your password on this connection; come in by ssh or with TLS")


def _hashed(token: str) -> str:
    return token_key(token).hex()


def _signature() -> _Signature:
    """Return what shows that another program has changed the file; ``None`` where there is none."""
    try:
        found = paths.club_file().stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _forgotten(known: frozenset[str]) -> tuple[frozenset[str], _Signature]:
    """Return which of the people who were in the file are in it no more, and its signature."""
    signature = _signature()
    if signature is None:
        return frozenset(), signature
    try:
        return known.difference(seating.nick_key(person.nick) for person in read().people), signature
    except CardtableError:  # the file is not written over, which is told then
        return frozenset(), signature


def _merge(
    kept: ClubFile, people: Mapping[str, KnownGuest], known: frozenset[str]
) -> tuple[frozenset[str], _Signature]:
    """Save what the club keeps, without those whom another program has taken out of the file meanwhile: return them.

    Raises as `_write` does.
    """
    with _alone():
        forgotten, _ = _forgotten(known)
        _write(replace(kept, people=tuple([person for key, person in people.items() if key not in forgotten])))
        return forgotten, _signature()


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock of the home.  Raises ``CardtableError`` if there can be none."""
    with ExitStack() as stack:
        try:
            stack.enter_context(home_lock())
        except OSError as error:
            raise CardtableError(f"{_CANNOT_SAVE}{reason(error)}") from None
        yield


def forget_person(nick: str) -> KnownGuest:
    """Remove a person from the guest book, also of a club that is open, and return what was known.

    A guest's nick is free then; a player has to give the password again.  Raises ``CardtableError``.
    """
    with _alone():
        kept = read()
        found = next((person for person in kept.people if seating.is_same_nick(person.nick, nick)), None)
        if found is None:
            raise CardtableError(f"nobody called {sanitize(nick, 40)} has been in the club")
        _write(replace(kept, people=tuple([person for person in kept.people if person is not found])))
    return found


def _within_hour(times: Sequence[float], now: float) -> list[float]:
    return [each for each in times if now - each < HOUR]


def _write(kept: ClubFile) -> None:
    """Save what the club keeps.  Raises ``CardtableError`` without the path, since guests are told, too."""
    try:
        paths.make(paths.home())
        _FILE.write(paths.club_file(), kept)
    except FileError as error:
        raise CardtableError(f"{_CANNOT_SAVE}{error.why}") from None
    except OSError as error:
        raise CardtableError(f"{_CANNOT_SAVE}{reason(error)}") from None


def read() -> ClubFile:
    """Return what the club keeps; nothing where there is no file.  Raises ``CardtableError`` with the whole path."""
    try:
        return _FILE.read(paths.club_file())
    except FileNotFoundError:
        return ClubFile()
    except FileError as error:
        raise CardtableError(error.whole) from None


def usual_token(nick: str, owner_token: str) -> str:
    """Return the owner's token for a player without a password; "" for others, who need their password."""
    profile = profiles.find(nick)
    return owner_token if profile and not profile.password else ""


def code_before() -> str:
    """Return the code that the club had last.  Raises ``CardtableError``."""
    return read().code
