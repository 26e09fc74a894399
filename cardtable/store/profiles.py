"""The profiles: who plays here, what she has told of herself, her credits, and who has signed in.

One file holds them all.  It is read strictly, written as a whole, and never written where it
cannot be read; without it everybody is a guest.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Final, Literal
from unicodedata import normalize

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.text_format import one_line, sanitize
from cardtable.store import passwords, paths, seating
from cardtable.store.errors import FileError, reason
from cardtable.store.json_file import JsonFile, home_lock
from cardtable.store.seating import GUEST, is_same_nick

MOST_NAME: Final = 40
"""Characters of a real name."""
MOST_EMAIL: Final = 80
_EMAIL: Final = re.compile(r"[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+")


class InvalidProfile(CardtableError):
    """What was told cannot be taken: ``field`` is what is to be put right."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why[:1].upper() + why[1:])
        self.field, self.why = field, why


def why_not(field: str, text: str) -> str:
    """What is wrong with the ``nick``, the real ``name`` or the ``email`` of a player; nothing (``""``) if it can be.

    Whether somebody has the nick already is not asked.
    """
    if field == "nick":
        return seating.why_not(text) or ("a nick is one word of letters or digits" if sanitize(text) != text else "")
    if field == "name":
        shown = sanitize(text)  # without joiners, which a name may have
        fits = len(text) <= MOST_NAME and one_line(text) == text and shown.count("\ufffd") == text.count("\ufffd")
        return "" if fits else f"a real name has at most {MOST_NAME} characters, and none that cannot be shown"
    fits = not text or (len(text) <= MOST_EMAIL and sanitize(text) == text and _EMAIL.fullmatch(text) is not None)
    return "" if fits else "an e-mail address is like anna@example.org"


def refusal(nick: str, name: str = "", email: str = "") -> InvalidProfile | None:
    """The first of these that cannot be told of a player."""
    told = (("nick", nick), ("name", name), ("email", email))
    return next((InvalidProfile(field, wrong) for field, text in told if (wrong := why_not(field, text))), None)


def refusal_of_password(password: str, again: str) -> InvalidProfile | None:
    """Return why a new password that is typed twice cannot be taken, and which field is wrong; none at all can be."""
    wrong = passwords.why_not(password, again) if password or again else ""
    first_is_right = not password or not passwords.why_not(password, password)
    return InvalidProfile("again" if first_is_right else "password", wrong) if wrong else None


VERSION: Final = 2
"""The first one had no ids."""
MOST_BYTES: Final = 4 * 1024 * 1024
MOST_PROFILES: Final = 200
FIRST_CREDITS: Final = 1000
Why = Literal["stake", "won", "lost", "given up", "taken back", "returned", "gift"]


class Transaction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One line of the ledger."""

    at: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]
    session: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
    why: Why
    change: Annotated[int, msgspec.Meta(ge=-(10**9), le=10**9)]
    """Credits that came, or below nought went."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is kept of one player."""

    nick: str
    id: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{16})?\Z")] = ""
    """Made once, drawn by lot, never given again; none (``""``) in a file of the first version."""
    first_nick: str = ""
    """The nick she had first, if she has changed it: by that journals of version 1 know her."""
    name: str = ""
    """The real name, if it was told."""
    email: str = ""
    password: passwords.KeptPassword | None = None
    ask_once: bool = False
    """Whether the password is asked for once a run also where people take turns, not each time."""
    ledger: tuple[Transaction, ...] = ()
    """Every movement of credits, the oldest first."""

    def __post_init__(self) -> None:
        if wrong := refusal(self.nick, self.name, self.email) or refusal(self.first_nick or self.nick):
            raise ValueError(wrong.why)

    def sat_down_as(self, who: Occupant, version: int) -> bool:
        """Whether this is the person in a seat of a journal of this version."""
        if who.robot is not None:
            return False
        if version == 1:
            return who.name == (self.first_nick or self.nick)
        return bool(self.id) and who.player == self.id

    @property
    def credits(self) -> int:
        """What there is, by the ledger."""
        return FIRST_CREDITS + sum(movement.change for movement in self.ledger)

    @property
    def locked(self) -> bool:
        """Whether there is a password that was not given in this run."""
        return self.password is not None and not passwords.is_verified(self.password)


class ProfileStore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that the file holds."""

    profiles: Literal[1, 2] = VERSION
    signed_in: str | None = None
    """The nick of who has signed in; ``None``: a guest."""
    players: Annotated[tuple[Profile, ...], msgspec.Meta(max_length=MOST_PROFILES)] = ()

    def __post_init__(self) -> None:
        if len({_same(player.nick) for player in self.players}) < len(self.players):
            raise ValueError("two players have the same nick")
        ids = [player.id for player in self.players if player.id]
        if len(set(ids)) < len(ids):
            raise ValueError("two players have the same id")
        if self.signed_in is not None and self.find(self.signed_in) is None:
            raise ValueError("who has signed in is no player")

    def find(self, nick: str) -> Profile | None:
        """Return the profile of a nick: the one that has just that nick, else one that differs in capitals only."""
        exact = next((player for player in self.players if player.nick == nick), None)
        return exact or next((player for player in self.players if seating.is_same_nick(player.nick, nick)), None)

    def with_profile(self, changed: Profile) -> "ProfileStore":
        """The same with a profile in the place of the one of its nick."""
        return self.with_changed(changed, changed)

    def with_changed(self, before: Profile, after: Profile | None) -> "ProfileStore":
        """The same with ``after`` in the place of the profile of the nick of ``before``, or with nothing there."""
        players = [after if player.nick == before.nick else player for player in self.players]
        signed_in = self.signed_in
        if signed_in == before.nick:
            signed_in = after.nick if after else None
        kept = tuple([player for player in players if player is not None])
        return msgspec.structs.replace(self, players=kept, signed_in=signed_in)


class _Outline(msgspec.Struct):
    """How many players there are, before any is looked at."""

    players: Annotated[tuple[msgspec.Raw, ...], msgspec.Meta(max_length=MOST_PROFILES)] = ()


_FILE: Final = JsonFile(
    ProfileStore, "profiles", VERSION, MOST_BYTES, personal=True, indent=1, outline=_Outline, remember=True
)


def load() -> tuple[ProfileStore, str]:
    """All profiles, and in a line what is wrong with their file; none are taken from one that does not hold."""
    try:
        return read(), ""
    except CardtableError as error:
        return ProfileStore(), str(error)


def read() -> ProfileStore:
    """Return all profiles; none where there is no file.  Raises ``FileError``."""
    try:
        return _FILE.read(paths.profiles_file())
    except FileNotFoundError:
        return ProfileStore()


def parse(data: bytes) -> ProfileStore:
    """Return the profiles in a file's bytes.  Raises ``ValueError`` with one line that says why there are none."""
    return _FILE.parse(data)


def find(nick: str) -> Profile | None:
    """The profile of a nick; ``None`` where it has none, or where none can be read."""
    return load()[0].find(nick)


def locked(nick: str, *, each_time: bool = False) -> bool:
    """Whether the nick has a password that is to be asked for: one that was not given in this run.

    ``each_time``: also one that was, unless the player wants to be asked once a run.
    """
    profile = find(nick)
    if profile is None or profile.password is None:
        return False
    return profile.locked or (each_time and not profile.ask_once)


def with_profile_ids(seats: Sequence[Occupant]) -> tuple[Occupant, ...]:
    """The same seats, those of people who have profiles with their ids; without a file that can be read nobody has."""
    book = load()[0]
    people = [book.find(who.name) for who in seats if who.robot is None]
    if any(player and not player.id for player in people):
        with suppress(CardtableError):
            change(lambda book: book)
            book = load()[0]
    return tuple([who if who.robot else _identified(who, book.find(who.name)) for who in seats])


def _identified(who: Occupant, profile: Profile | None) -> Occupant:
    return msgspec.structs.replace(who, player=profile.id or None if profile else None)


def give_one(nicks: Iterable[str], password: str) -> str:
    """Try a password that one of several may have: why it is not taken; nothing (``""``) if it is right for one."""
    why = ""
    for nick in nicks:
        if not (why := give(nick, password)):
            return ""
    return why


def give(nick: str, password: str) -> str:
    """Try the password of a nick: why it is not taken; nothing (``""``) if it is right, or if there is none."""
    profile = find(nick)
    return passwords.verify(profile.password, password) if profile and profile.password else ""


def me() -> str:
    """The nick of who has signed in, or a guest's name."""
    return load()[0].signed_in or seating.GUEST


def refuse_nick(nick: str, but: str = "") -> None:
    """Raise ``InvalidProfile`` if no new player, nor the one whose nick is ``but``, can have the nick.

    Raises ``FileError`` if the players cannot be read.
    """
    nick = seating.as_nick(nick)
    if wrong := refusal(nick):
        raise wrong
    _refuse_mixed(nick, but)
    _refuse_taken(read(), nick, but)


def _refuse_mixed(nick: str, before: str = "") -> None:
    """Raise ``InvalidProfile`` for a nick that nobody can choose any more, unless it is the one ``before``."""
    if nick != before and (wrong := seating.why_not_new(nick)):
        raise InvalidProfile("nick", wrong)


def register(nick: str, name: str = "", email: str = "", password: str = "", again: str = "") -> None:
    """Make a profile and sign it in; without a password it has none.

    Raises ``InvalidProfile``, and ``FileError`` where it cannot be kept.
    """
    _refuse_mixed(seating.as_nick(nick))
    profile = _new(nick, name, email, password, again)
    change(lambda book: msgspec.structs.replace(_with_new(book, profile), signed_in=profile.nick))


def enrol(nick: str, password: str) -> None:
    """Make a profile with a password for somebody at another machine: who has signed in here stays.

    Raises ``InvalidProfile``, and ``FileError`` where it cannot be kept.
    """
    profile = _new(nick, "", "", password, password)
    change(lambda book: _with_new(book, profile))


def withdraw(profile: Profile) -> None:
    """Remove a profile that was made a moment ago, unless it has been changed since.

    Raises ``FileError`` if that cannot be saved.
    """
    change(lambda book: book.with_changed(profile, None) if profile in book.players else book)


def _new(nick: str, name: str, email: str, password: str, again: str) -> Profile:
    nick = seating.as_nick(nick)
    name, email = [normalize("NFC", text.strip()) for text in (name, email)]
    if wrong := refusal(nick, name, email) or refusal_of_password(password, again):
        raise wrong
    _refuse_taken(read(), nick)
    kept = passwords.hash_password(password) if password else None
    return Profile(nick, name=name, email=email, password=kept)


def _with_new(book: ProfileStore, profile: Profile) -> ProfileStore:
    _refuse_taken(book, profile.nick)
    return msgspec.structs.replace(book, players=(*book.players, profile))


def _refuse_taken(book: ProfileStore, nick: str, but: str = "") -> None:
    """Raise ``InvalidProfile`` for a nick that would be taken for a player's;

    ``but``: the nick that is to be changed.
    """
    taken = seating.find_alike(nick, (player.nick for player in book.players if player.nick != but))
    if taken is not None:
        raise InvalidProfile("nick", f"there is a player {taken} already; choose another nick")
    if not but and len(book.players) >= MOST_PROFILES:
        raise InvalidProfile("nick", f"there are {MOST_PROFILES} players already; remove one first")


def sign_in(nick: str | None) -> None:
    """Sign a profile in, or with ``None`` nobody: a guest plays.  Raises ``InvalidProfile`` and ``FileError``."""
    change(lambda book: msgspec.structs.replace(book, signed_in=nick and _of(book, nick).nick))


def tell(nick: str, called: str, name: str, email: str) -> None:
    """Change the nick to ``called``, the real name and the e-mail address; sessions keep the nick they have.

    Raises ``InvalidProfile`` and ``FileError``.
    """
    called = seating.as_nick(called)
    name, email = [normalize("NFC", text.strip()) for text in (name, email)]
    if wrong := refusal(called, name, email):
        raise wrong
    _refuse_mixed(called, nick)

    def told(book: ProfileStore) -> ProfileStore:
        before = _of(book, nick)
        _refuse_taken(book, called, but=nick)
        first = before.first_nick or nick
        changed = msgspec.structs.replace(
            before, nick=called, first_nick="" if first == called else first, name=name, email=email
        )
        return book.with_changed(before, changed)

    change(told)


def remove(nick: str, password: str) -> None:
    """Remove a player with her credits, who is to give the password if she has one; her sessions stay.

    Raises ``InvalidProfile`` and ``FileError``.
    """
    if why := give(nick, password):
        raise InvalidProfile("old", why)
    change(lambda book: book.with_changed(_of(book, nick), None))


def set_password(nick: str, old: str, password: str, again: str) -> None:
    """Change the password with the old one; with an empty new one there is none any more.

    Raises ``InvalidProfile`` and ``FileError``.
    """
    if wrong := refusal_of_password(password, again):
        raise wrong
    if why := give(nick, old):
        raise InvalidProfile("old", why)
    reset_password(nick, password, again)


def reset_password(nick: str, password: str, again: str) -> None:
    """Change the password without the old one, for whoever owns the files; with an empty one there is none any more.

    Raises ``InvalidProfile`` and ``FileError``.
    """
    if wrong := refusal_of_password(password, again):
        raise wrong
    kept = passwords.hash_password(password) if password else None
    change(lambda book: book.with_profile(msgspec.structs.replace(_of(book, nick), password=kept)))


def ask_once(nick: str, *, once: bool) -> None:
    """Where people take turns, have the password asked for once a run, or each time before the hand is shown.

    Raises ``InvalidProfile`` and ``FileError``.
    """
    change(lambda book: book.with_profile(msgspec.structs.replace(_of(book, nick), ask_once=once)))


def _of(book: ProfileStore, nick: str) -> Profile:
    """The profile of a nick.  Raises ``InvalidProfile`` where another program has taken it away."""
    found = book.find(nick)
    if found is None:
        raise InvalidProfile("nick", f"there is no player {nick} any more")
    return found


def _same(nick: str) -> str:
    """Return what nicks of one file are compared by; new ones by `seating.nick_key`, which is stricter."""
    return normalize("NFC", nick).casefold()


def now() -> str:
    """The time for the ledger."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def change(how: Callable[[ProfileStore], ProfileStore]) -> None:
    """Change the file, one program and one thread at a time; as it was it becomes ``profiles.json.bak``.

    Raises ``FileError`` where it cannot be read or written, and what ``how`` raises; the file
    is as it was then.
    """
    path = paths.profiles_file()
    try:
        with home_lock():
            book = read()
            changed = _with_ids(how(book))
            if changed != book:
                _FILE.write(path, changed)
    except OSError as error:
        raise FileError(path, f"the players cannot be saved: {reason(error)}") from None


def _with_ids(book: ProfileStore) -> ProfileStore:
    """The same as it is written: everybody has an id."""
    players = tuple(
        [player if player.id else msgspec.structs.replace(player, id=os.urandom(8).hex()) for player in book.players]
    )
    return msgspec.structs.replace(book, profiles=VERSION, players=players)


def nicks_today(book: ProfileStore, header: Header) -> dict[Seat, str]:
    """The nick of today of each person; who is no player, or no more, has the name of then."""
    return {seat: profile.nick if profile else header.seats[seat].name for seat, profile in _people(book, header)}


def seats_of(book: ProfileStore, nick: str, header: Header) -> list[Seat]:
    """The seats of somebody, by her nick of today, or by a name that is nobody's nick."""
    people, player = _people(book, header), book.find(nick)
    if player:
        return [seat for seat, profile in people if profile and profile.nick == player.nick]
    return [seat for seat, profile in people if profile is None and is_same_nick(header.seats[seat].name, nick)]


def players_at(header: Header) -> dict[Seat, str]:
    """The nicks of today of those people at a table who are players."""
    return {seat: profile.nick for seat, profile in _people(load()[0], header) if profile}


def for_another(header: Header) -> tuple[Occupant, ...]:
    """The seats of another session of the same people and robots."""
    players = players_at(header)
    return tuple([Occupant(players.get(seat, who.name), who.robot) for seat, who in enumerate(header.seats)])


def profile_keys(book: ProfileStore, version: int, seats: Iterable[Occupant]) -> set[str]:
    """Return what identifies the profiles among people in a journal of this version; guests have none.

    That is the id of the profile, and for a nick of version 1 that is no player's any more the nick.
    """
    people = [who for who in seats if who.robot is None]
    if version > 1:
        return {who.player for who in people if who.player}
    keys = set()
    for who in people:
        profile = next((player for player in book.players if player.sat_down_as(who, version)), None)
        keys.add(profile.id if profile and profile.id else f"nick {who.name}")
    return keys - {f"nick {GUEST}"}


def _people(book: ProfileStore, header: Header) -> list[tuple[Seat, Profile | None]]:
    return [(seat, _profile(book, header.seats[seat], header)) for seat in header.people]


def _profile(book: ProfileStore, who: Occupant, header: Header) -> Profile | None:
    """The profile of a person in a journal; who had none then is who has the name today, but not at a club."""
    if who.player is None and header.cardtable > 1:
        return None if header.club else book.find(who.name)
    return next((player for player in book.players if player.sat_down_as(who, header.cardtable)), None)
