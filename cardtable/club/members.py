"""Who may come in, and as whom: the club's code, nicks, passwords, tokens.

They are kept, so that a host can be started again.
"""

import asyncio
import secrets
from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest
from time import monotonic
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from cardtable.club.whence import Whence
from cardtable.club.wholly import wholly
from cardtable.club.wire import VERSION, Hello, Missing
from cardtable.engine.contract import Seat
from cardtable.engine.errors import CardtableError
from cardtable.store import passwords, paths, profiles, seating
from cardtable.store.errors import FileError
from cardtable.store.json_file import JsonFile

ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of codes: no letter or digit that can be taken for another."""
CODE_LENGTH: Final = 8
FREE_TRIES: Final = 5
WAIT: Final = 10.0
"""Seconds until the next try of an address or a nick, after so many wrong ones."""
MOST_TRIED: Final = 10_000
"""Addresses and nicks whose wrong tries are remembered."""
MOST_PEOPLE: Final = 5000
"""Nicks that a club knows; more would not come in."""
AT_ONCE: Final = 2
"""Passwords that are tried at a time."""
MOST_KEYS: Final = 8
"""By which one guest is known to ssh."""
MOST_TOKENS: Final = 8
"""With which one person comes back, from as many programs."""
MOST_BYTES: Final = 4 * 1024 * 1024


class NotLetIn(Exception):
    """Somebody cannot come in; why, in a line for her, and what she has to say otherwise."""

    def __init__(self, why: str, missing: Missing = "") -> None:
        super().__init__(why)
        self.missing: Final = missing


class KnownGuest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who has been let in."""

    nick: str
    member: bool
    """Whether she has a profile here."""
    tokens: tuple[str, ...] = ()
    """What proves who she is, the newest first, as it is kept: SHA-256 in hexadecimal digits."""
    keys: tuple[str, ...] = ()
    """Fingerprints of the keys by which she is known to ssh."""


class TableOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table whose session goes on when the host is started again."""

    session: str
    master: str
    grace: int
    given: tuple[Seat, ...] = ()
    """Seats that robots have for good."""


class KeptClub(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a club keeps beside its sessions."""

    club: Literal[1] = 1
    code: str = ""
    people: tuple[KnownGuest, ...] = ()
    tables: tuple[TableOf, ...] = ()


_FILE: Final = JsonFile(KeptClub, "club", 1, MOST_BYTES, personal=True)


def new_code() -> str:
    """A code by lot."""
    return "".join([secrets.choice(ALPHABET) for _ in range(CODE_LENGTH)])


class Tries:
    """Counts wrong tries, by address and by nick."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}

    def refuse(self, *whose: str) -> None:
        """Raise ``NotLetIn`` where one of them has to wait."""
        for who in whose:
            number, last = self._wrong.get(who, (0, 0.0))
            if number >= FREE_TRIES and self._clock() - last < WAIT:
                raise NotLetIn(f"too many wrong tries; try again in {WAIT:.0f} seconds")

    def wrong(self, *whose: str) -> None:
        """One more wrong try of each."""
        for who in whose:
            number, _ = self._wrong.pop(who, (0, 0.0))
            self._wrong[who] = number + 1, self._clock()
        while len(self._wrong) > MOST_TRIED:
            del self._wrong[next(iter(self._wrong))]

    def right(self, who: str) -> None:
        """A right one; what was wrong before counts no more."""
        self._wrong.pop(who, None)


class GuestBook:
    """The people of one club."""

    def __init__(self, code: str = "") -> None:
        """``code``: asked of everybody, if there is one.

        Raises ``CardtableError`` if it cannot be read who has been here, or who has a profile and so a nick and a
        password that nobody else may use.
        """
        kept = read()
        profiles.read()
        self.code: Final = code
        self.tables: tuple[TableOf, ...] = kept.tables
        self._people: dict[str, KnownGuest] = {person.nick: person for person in kept.people}
        self._code_kept = code or kept.code
        self._passes: dict[str, tuple[str, Whence]] = {}
        """Tokens of this run, as they are kept: whose they are, and where she is."""
        self._tries, self._gate, self._scrypt = Tries(), passwords.PasswordGate(), asyncio.Semaphore(AT_ONCE)
        self._writing, self._changes, self._written = asyncio.Lock(), 0, 0
        """How many changes there were, and how many of them are kept."""

    def whence(self, token: str) -> Whence | None:
        """Where who has a token of ``admit`` is; ``None`` for other tokens."""
        passed = self._passes.get(_hashed(token))
        return passed[1] if passed else None

    async def enter(self, hello: Hello, whence: Whence) -> tuple[KnownGuest, str]:
        """Let somebody in: who it is, and her token.  Raises ``NotLetIn``."""
        if hello.wire != VERSION:
            raise NotLetIn(f"this club speaks version {VERSION} of the wire, not {hello.wire}: take the same cardtable")
        hello = replace(hello, nick=seating.as_nick(hello.nick))
        passed = self._passes.get(_hashed(hello.token))
        if passed and passed[0] == hello.nick:
            return self._people[hello.nick], hello.token
        self._tries.refuse(whence.address, hello.nick)
        if hello.token:
            return self._again(hello, whence), hello.token
        if not compare_digest(hello.code.encode(), self.code.encode()):
            self._tries.wrong(whence.address)
            raise NotLetIn(
                "that is not the code of this club; its host can tell you"
                if hello.code
                else "this club has a code; its host can tell you",
                "code",
            )
        return await self._new(hello, whence)

    def _again(self, hello: Hello, whence: Whence) -> KnownGuest:
        person, token = self._people.get(hello.nick), _hashed(hello.token)
        if person is None or not any(compare_digest(token, each) for each in person.tokens):
            self._tries.wrong(whence.address, hello.nick)
            raise NotLetIn("this club does not know you under that nick any more; type a nick to come in again", "nick")
        if not person.member and (like := profiles.load()[0].find_like(hello.nick)):
            raise NotLetIn(f"{like.nick} is now a player of this club; choose another nick", "nick")
        return person

    async def _new(self, hello: Hello, whence: Whence) -> tuple[KnownGuest, str]:
        profile = profiles.find(hello.nick)
        if profile is None:
            if wrong := seating.why_not(hello.nick):
                raise NotLetIn(wrong, "nick")
            if like := profiles.load()[0].find_like(hello.nick):
                raise NotLetIn(f"{like.nick} is a player here; choose another nick", "nick")
            if seating.nick_key(hello.nick) in map(seating.nick_key, self._people):
                raise NotLetIn(f"{hello.nick} is the nick of somebody who has been here; choose another", "nick")
        elif profile.password:
            await self._prove(hello, profile.password, whence)
        if len(self._people) >= MOST_PEOPLE and hello.nick not in self._people:
            raise NotLetIn(f"{MOST_PEOPLE} people are known here, and the club takes no new ones")
        return await self._with_token(hello.nick, member=profile is not None)

    async def _with_token(self, nick: str, *, member: bool) -> tuple[KnownGuest, str]:
        """Somebody with one token more; what a guest had proves nothing where the nick is a player's."""
        token, before = secrets.token_urlsafe(24), self._people.get(nick)
        tokens = before.tokens if before and before.member == member else ()
        person = KnownGuest(nick, member, (_hashed(token), *tokens)[:MOST_TOKENS])
        self._people[nick] = person
        await self.keep(self.tables)
        return person, token

    async def sign_in(self, nick: str, password: str, whence: Whence) -> str:
        """A token for the player of a nick, for who has been let in as somebody else.  Raises ``NotLetIn``."""
        self._tries.refuse(whence.address, nick)
        profile = profiles.find(nick)
        if profile is None or not profile.password:
            raise NotLetIn(f"{nick} is no player with a password here; check the nick")
        await self._prove(Hello(VERSION, nick, password=password), profile.password, whence)
        return (await self._with_token(nick, member=True))[1]

    async def register(self, nick: str, password: str, whence: Whence) -> str:
        """Make a guest a player, with her nick and a password: her token.  Raises ``NotLetIn``, ``CardtableError``."""
        _refuse_readable(whence)
        if not self.is_guest(nick):
            raise NotLetIn(f"{nick} is already a player here; sign in")
        if wrong := passwords.why_not(password, password):
            raise NotLetIn(wrong)
        async with self._scrypt:
            await asyncio.to_thread(profiles.enrol, nick, password)
        return (await self._with_token(nick, member=True))[1]

    def is_guest(self, nick: str) -> bool:
        """Whether somebody has no profile here."""
        person = self._people.get(nick)
        return person is None or not person.member

    async def _prove(self, hello: Hello, kept: passwords.KeptPassword, whence: Whence) -> None:
        _refuse_readable(whence)
        if not hello.password:
            raise NotLetIn(f"{hello.nick} has a password", "password")
        async with self._scrypt:
            why = await asyncio.to_thread(self._gate.give, kept, hello.password)
        if why:
            self._tries.wrong(whence.address, hello.nick)
            raise NotLetIn(why, "password")
        self._tries.right(hello.nick)

    def admit(self, nick: str, whence: Whence) -> str:
        """A token for somebody who was let in already, by another door; it is good until ``withdraw``."""
        token = secrets.token_urlsafe(24)
        self._passes[_hashed(token)] = nick, whence
        return token

    def withdraw(self, token: str) -> None:
        """Take a token from ``admit`` no more."""
        del self._passes[_hashed(token)]

    def guest(self, nick: str) -> KnownGuest | None:
        """Who has been here under a nick that is no profile's."""
        return None if profiles.find(nick) else self._people.get(nick)

    async def remember(self, nick: str, keys: tuple[str, ...]) -> None:
        """Know a guest by these keys, too, from now on."""
        person = self._people[nick]
        self._people[nick] = replace(person, keys=tuple(dict.fromkeys((*keys, *person.keys)))[:MOST_KEYS])
        await self.keep(self.tables)

    async def keep(self, tables: tuple[TableOf, ...]) -> None:
        """Keep who is known, and which tables are played; several who want that at once wait for one file."""
        self.tables = tables
        self._changes += 1
        await wholly(self._write(self._changes))

    async def _write(self, changes: int) -> None:
        async with self._writing:
            if self._written < changes:
                now, people = self._changes, tuple(self._people.values())
                await asyncio.to_thread(_write, KeptClub(code=self._code_kept, people=people, tables=self.tables))
                self._written = now


def _refuse_readable(whence: Whence) -> None:
    if not whence.secret:
        raise NotLetIn("others could read your password on this connection; come in by ssh or with TLS")


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _write(kept: KeptClub) -> None:
    """Save what the club keeps.  Raises ``OSError``, and ``CardtableError`` if that cannot replace the file there."""
    paths.make(paths.home())
    try:
        _FILE.write(paths.club_file(), kept)
    except FileError as error:  # guests are told it, too: without the path
        raise CardtableError(f"the club cannot save who is known: {error.why}") from None


def read() -> KeptClub:
    """Return what the club keeps; nothing where there is no file.  Raises ``CardtableError`` with the whole path."""
    try:
        return _FILE.read(paths.club_file())
    except FileNotFoundError:
        return KeptClub()
    except FileError as error:
        raise CardtableError(error.whole) from None


def code_before() -> str:
    """Return the code that the club had last.  Raises ``CardtableError``."""
    return read().code
