"""The profiles: who plays here, what she has told of herself, her credits, and who has signed in.

One file holds them all.  It is read strictly, written as a whole, and never written where it
cannot be read; without it everybody is a guest.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Annotated, Final, Literal
from unicodedata import normalize

import msgspec

from cardtable.engine import lines
from cardtable.store import disk, passwords, paths, seating
from cardtable.store.errors import CardtableError, FileError, reason
from cardtable.store.text import clean

VERSION: Final = 1
MOST_BYTES: Final = 4 * 1024 * 1024
MOST_PROFILES: Final = 200
MOST_NAME: Final = 40
"""Characters of a real name."""
MOST_EMAIL: Final = 80
FIRST_CREDITS: Final = 1000
_LONGEST_WAIT: Final = 2.0
"""Seconds that another program may take to change the file."""
_EMAIL: Final = re.compile(r"[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+")
Why = Literal["stake", "won", "lost", "given up", "taken back", "returned", "gift"]


class Movement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the ledger."""

    at: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]
    session: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
    why: Why
    change: Annotated[int, msgspec.Meta(ge=-(10**9), le=10**9)]
    """Credits that came, or below nought went."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is kept of one player."""

    nick: str
    name: str = ""
    """The real name, if it was told."""
    email: str = ""
    password: passwords.Kept | None = None
    ledger: tuple[Movement, ...] = ()
    """Every movement of credits, the oldest first."""

    def __post_init__(self) -> None:
        if wrong := _why_not(self.nick, self.name, self.email):
            raise ValueError(wrong.why)

    @property
    def credits(self) -> int:
        """What there is, by the ledger."""
        return FIRST_CREDITS + sum(movement.change for movement in self.ledger)

    @property
    def locked(self) -> bool:
        """Whether there is a password that was not given in this run."""
        return self.password is not None and not passwords.given(self.password)


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that the file holds."""

    profiles: Literal[1] = VERSION
    signed_in: str | None = None
    """The nick of who has signed in; ``None``: a guest."""
    players: Annotated[tuple[Profile, ...], msgspec.Meta(max_length=MOST_PROFILES)] = ()

    def __post_init__(self) -> None:
        if len({_same(player.nick) for player in self.players}) < len(self.players):
            raise ValueError("two players have the same nick")
        if self.signed_in is not None and self.find(self.signed_in) is None:
            raise ValueError("who has signed in is no player")

    def find(self, nick: str) -> Profile | None:
        """The profile of a nick."""
        return next((player for player in self.players if player.nick == nick), None)

    def having(self, changed: Profile) -> "Book":
        """The same with a profile in the place of the one of its nick."""
        players = tuple([changed if player.nick == changed.nick else player for player in self.players])
        return msgspec.structs.replace(self, players=players)


class Refused(CardtableError):
    """What was told cannot be taken: ``field`` is what is to be put right."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why[:1].upper() + why[1:])
        self.field, self.why = field, why


def load() -> tuple[Book, str]:
    """All profiles, and in a line what is wrong with their file; none are taken from one that does not hold."""
    try:
        return read(), ""
    except CardtableError as error:
        before = _before()
        return Book(), f"{error}{f'; as it was before its last change it is {before.name}' * before.exists()}"


def read() -> Book:
    """All profiles; none where there is no file.  Raises ``FileError``."""
    path = paths.profiles_file()
    try:
        return parse(disk.read(path, MOST_BYTES))
    except FileNotFoundError:
        return Book()
    except OSError as error:
        raise FileError(path, reason(error)) from None
    except ValueError as error:
        raise FileError(path, str(error)) from None


def parse(data: bytes) -> Book:
    """The profiles of a file's bytes.  Raises ``ValueError`` with one line that says why not."""
    if len(data) > MOST_BYTES:
        raise ValueError("the file is larger than 4 MiB")
    members = lines.members(data)
    version = members.get("profiles")
    if type(version) is int and version > VERSION:
        raise ValueError("written by a newer version of cardtable")
    try:
        return lines.convert(members, Book)
    except ValueError as error:
        raise ValueError(clean(str(error))) from None


def find(nick: str) -> Profile | None:
    """The profile of a nick; ``None`` where it has none, or where none can be read."""
    return load()[0].find(nick)


def locked(nick: str) -> bool:
    """Whether the nick has a password that was not given in this run."""
    profile = find(nick)
    return profile is not None and profile.locked


def give(nick: str, password: str) -> str:
    """Try the password of a nick: why it is not taken; nothing (``""``) if it is right, or if there is none."""
    profile = find(nick)
    return passwords.give(profile.password, password) if profile and profile.password else ""


def me() -> str:
    """The nick of who has signed in, or a guest's name."""
    return load()[0].signed_in or seating.GUEST


def refuse_nick(nick: str) -> None:
    """Raise ``Refused`` where no new player can have the nick, and ``FileError`` where that cannot be told."""
    if wrong := _why_not(normalize("NFC", nick)):
        raise wrong
    _refuse_taken(read(), nick)


def register(nick: str, name: str = "", email: str = "", password: str = "", again: str = "") -> None:
    """Make a profile and sign it in; without a password it has none.

    Raises ``Refused``, and ``FileError`` where it cannot be kept.
    """
    nick, name, email = [normalize("NFC", text.strip()) for text in (nick, name, email)]
    if wrong := _why_not(nick, name, email) or _password_why_not(password, again):
        raise wrong
    _refuse_taken(read(), nick)
    kept = passwords.keep(password) if password else None

    def registered(book: Book) -> Book:
        _refuse_taken(book, nick)
        players = (*book.players, Profile(nick, name, email, kept))
        return msgspec.structs.replace(book, players=players, signed_in=nick)

    change(registered)


def _refuse_taken(book: Book, nick: str) -> None:
    """Nicks that differ in capitals only would be taken for each other."""
    if any(_same(player.nick) == _same(nick) for player in book.players):
        raise Refused("nick", f"there is a player {nick} already")
    if len(book.players) >= MOST_PROFILES:
        raise Refused("nick", f"there are {MOST_PROFILES} players already")


def sign_in(nick: str | None) -> None:
    """Sign a profile in, or with ``None`` nobody: a guest plays.  Raises ``Refused`` and ``FileError``."""
    change(lambda book: msgspec.structs.replace(book, signed_in=nick and _of(book, nick).nick))


def tell(nick: str, name: str, email: str) -> None:
    """Change the real name and the e-mail address.  Raises ``Refused`` and ``FileError``."""
    name, email = normalize("NFC", name.strip()), normalize("NFC", email.strip())
    if wrong := _why_not(nick, name, email):
        raise wrong
    change(lambda book: book.having(msgspec.structs.replace(_of(book, nick), name=name, email=email)))


def set_password(nick: str, old: str, password: str, again: str) -> None:
    """Change the password with the old one; with an empty new one there is none any more.

    Raises ``Refused`` and ``FileError``.
    """
    if wrong := _password_why_not(password, again):
        raise wrong
    if why := give(nick, old):
        raise Refused("old", why)
    kept = passwords.keep(password) if password else None
    change(lambda book: book.having(msgspec.structs.replace(_of(book, nick), password=kept)))


def _of(book: Book, nick: str) -> Profile:
    """The profile of a nick.  Raises ``Refused`` where another program has taken it away."""
    found = book.find(nick)
    if found is None:
        raise Refused("nick", f"there is no player {nick} any more")
    return found


def _why_not(nick: str, name: str = "", email: str = "") -> Refused | None:
    """What cannot be told of a player."""
    if (wrong := seating.why_not(nick)) or clean(nick) != nick:
        return Refused("nick", wrong or "a nick is one word of letters or digits")
    if len(name) > MOST_NAME or clean(name) != name:
        return Refused("name", f"a real name has at most {MOST_NAME} characters, all of which can be shown")
    if email and (len(email) > MOST_EMAIL or clean(email) != email or not _EMAIL.fullmatch(email)):
        return Refused("email", "an e-mail address is like anna@example.org")
    return None


def _password_why_not(password: str, again: str) -> Refused | None:
    wrong = passwords.why_not(password, again) if password or again else ""
    return Refused("password" if password else "again", wrong) if wrong else None


def _same(nick: str) -> str:
    """What nicks are compared by: small and capital letters are the same."""
    return normalize("NFC", nick).casefold()


def now() -> str:
    """The time for the ledger."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


_CHANGING: Final = Lock()


def change(how: Callable[[Book], Book]) -> None:
    """Change the file, one program and one thread at a time; as it was it becomes ``profiles.json.bak``.

    Raises ``FileError`` where it cannot be read or written, and what ``how`` raises; the file
    is as it was then.
    """
    path = paths.profiles_file()
    try:
        with _CHANGING, _alone():
            book = read()
            changed = how(book)
            if changed != book:
                _write(changed)
    except OSError as error:
        raise FileError(path, f"the players cannot be saved: {reason(error)}") from None


def _write(book: Book) -> None:
    path = paths.profiles_file()
    data = msgspec.json.format(msgspec.json.encode(book), indent=1) + b"\n"
    if len(data) > MOST_BYTES:
        raise FileError(path, "the file would be larger than 4 MiB")
    if path.exists():
        disk.write_whole(_before(), disk.read(path, MOST_BYTES))
    disk.write_whole(path, data)


def _before() -> Path:
    """The file as it was before its last change."""
    return paths.profiles_file().with_suffix(".json.bak")


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other program changes the profiles, and let none do so.  Raises ``OSError``."""
    from portalocker import AlreadyLocked, LockException, LockFlags, lock  # noqa: PLC0415 - it imports asyncio

    paths.make(paths.home())
    descriptor = disk.open_regular(paths.home() / "profiles.lock", os.O_RDWR | os.O_CREAT)
    try:
        end = monotonic() + _LONGEST_WAIT
        while True:
            try:
                lock(descriptor, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
            except AlreadyLocked:
                if monotonic() > end:
                    raise CardtableError("another program is changing the players; try again") from None
                sleep(0.02)
            except LockException:  # a file system without locks
                break
            else:
                break
        yield
    finally:
        os.close(descriptor)
