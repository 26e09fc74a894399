"""Player profiles: identity, personal data, password, credits, and the player who is signed in.

All profiles are in one file. It is read strictly, replaced as a whole, and never overwritten while it is invalid.
Without a profile a player is a guest.
"""

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Final, Literal
from unicodedata import normalize

import msgspec
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.text_format import capitalize_first, find_name, sanitize, to_one_line
from cardtable.store import passwords, paths, seating
from cardtable.store.json_file import Digest, JsonFile, JsonStore, MergedCopy, compute_digest
from cardtable.store.seating import GUEST, is_same_nick

MAX_NAME_LENGTH: Final = 40
"""Maximum length of a real name, in characters."""
MAX_EMAIL_LENGTH: Final = 80
_EMAIL: Final = re.compile(r"[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+")


class InvalidProfile(CardtableError):
    """Error for an invalid value of a profile. ``field`` is the name of the form's field."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(capitalize_first(reason))
        self.field, self.reason = field, reason


def find_field_error(field: str, text: str) -> str | None:
    """Explain in one line why a value of a profile is invalid. Return ``None`` if it is valid.

    ``field`` is ``"nick"``, ``"name"`` (the real name) or ``"email"``. Whether a nick is taken is not checked.
    """
    if field == "nick":
        return seating.find_nick_error(text) or (
            "a nick is one word of letters or digits" if sanitize(text) != text else None
        )
    if field == "name":
        clean = sanitize(text)  # sanitize removes joiners, which a name may contain
        fits = (
            len(text) <= MAX_NAME_LENGTH and to_one_line(text) == text and clean.count("\ufffd") == text.count("\ufffd")
        )
        return None if fits else f"a real name has at most {MAX_NAME_LENGTH} characters, and none that cannot be shown"
    fits = not text or (len(text) <= MAX_EMAIL_LENGTH and sanitize(text) == text and _EMAIL.fullmatch(text) is not None)
    return None if fits else "enter an e-mail address like anna@example.org"


def find_profile_error(nick: str, name: str = "", email: str = "") -> InvalidProfile | None:
    """Return the error for the first invalid value of a profile, or ``None`` if all values are valid."""
    values = (("nick", nick), ("name", name), ("email", email))
    return next(
        (InvalidProfile(field, wrong) for field, text in values if (wrong := find_field_error(field, text))), None
    )


def find_new_password_error(password: str, repeated: str) -> InvalidProfile | None:
    """Return the error for a new password, or ``None`` if it is acceptable.

    ``repeated`` is the password as typed the second time. Two empty texts are acceptable and mean that there is no
    password.
    """
    wrong = passwords.find_password_error(password, repeated) if password or repeated else None
    first_is_right = not password or not passwords.find_password_error(password, password)
    return InvalidProfile("again" if first_is_right else "password", wrong) if wrong else None


MAX_BYTES: Final = 4 * 1024 * 1024
MAX_PROFILES: Final = 200
INITIAL_CREDITS: Final = 1000
TransactionReason = Literal["stake", "won", "lost", "given up", "taken back", "returned", "gift"]


class Transaction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Transaction in the ledger of a player."""

    at: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]
    session: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
    why: TransactionReason
    change: Annotated[int, msgspec.Meta(ge=-(10**9), le=10**9)]
    """Change of the balance in credits, which is negative if the player pays."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Profile of a player."""

    nick: str
    id: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}\Z")]
    """Random id, which is created once and never reused."""
    first_nick: str = ""
    """First nick of a player who has changed it, else ``""``; an erasure finds their talk as a spectator by it."""
    name: str = ""
    """Real name, or ``""`` if the player has not entered it."""
    email: str = ""
    password: passwords.PasswordHash | None = None
    ask_once: bool = False
    """True if the password is required only once per run of the program, even at a hot seat."""
    ledger: tuple[Transaction, ...] = ()
    """All transactions, the oldest first."""

    def __post_init__(self) -> None:
        if wrong := find_profile_error(self.nick, self.name, self.email) or find_profile_error(
            self.first_nick or self.nick
        ):
            raise ValueError(wrong.reason)

    def is_occupant(self, occupant: Occupant) -> bool:
        return occupant.robot is None and occupant.player == self.id

    @property
    def credits(self) -> int:
        return INITIAL_CREDITS + sum(movement.change for movement in self.ledger)

    @property
    def is_locked(self) -> bool:
        """True if the profile has a password that was not entered in this run of the program."""
        return self.password is not None and not passwords.is_verified(self.password)


class ProfileStore(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="profiles", tag=2):
    """Content of the profiles file."""

    signed_in: str | None = None
    """Nick of the player who is signed in, or ``None`` for a guest."""
    players: Annotated[tuple[Profile, ...], msgspec.Meta(max_length=MAX_PROFILES)] = ()
    removed: tuple[Digest, ...] | msgspec.UnsetType = msgspec.UNSET
    """Digests of the ids of removed profiles, which are not added again from a copy; left out if there are none."""

    def __post_init__(self) -> None:
        # New nicks must differ in ``seating.compute_nick_key`` as well, which is stricter
        if len({normalize("NFC", player.nick).casefold() for player in self.players}) < len(self.players):
            raise ValueError("two players have the same nick")
        if len({player.id for player in self.players}) < len(self.players):
            raise ValueError("two players have the same id")
        if self.signed_in is not None and self.find(self.signed_in) is None:
            raise ValueError("the player who is signed in does not exist")

    def find(self, nick: str) -> Profile | None:
        """Return the profile that is meant by a nick as typed, or ``None`` if there is none."""
        match = find_name(nick, [player.nick for player in self.players])
        return self.find_same(match) if match else None

    def find_same(self, nick: str) -> Profile | None:
        """Return the profile with this nick, or ``None`` if there is none.

        A profile with exactly this nick is preferred to one that is equal by ``is_same_nick``.
        """
        exact = next((player for player in self.players if player.nick == nick), None)
        return exact or next((player for player in self.players if is_same_nick(player.nick, nick)), None)

    def was_removed(self, profile: Profile) -> bool:
        return _compute_id_digest(profile.id) in (self.removed or ())

    def find_by_id(self, player: str) -> Profile | None:
        return next((profile for profile in self.players if profile.id == player), None)

    def with_profile(self, changed: Profile) -> "ProfileStore":
        return self.with_changed(changed, changed)

    def with_changed(self, before: Profile, after: Profile | None) -> "ProfileStore":
        """Return a copy in which ``after`` replaces the profile ``before``, which is removed if ``after`` is ``None``.

        If that player is signed in, they remain signed in under the new nick, or are signed out.
        """
        players = [after if player.nick == before.nick else player for player in self.players]
        signed_in = self.signed_in
        if signed_in == before.nick:
            signed_in = after.nick if after else None
        stored = tuple([player for player in players if player is not None])
        changed = replace(self, players=stored, signed_in=signed_in)
        return changed if after else changed.with_removed([_compute_id_digest(before.id)])

    def with_removed(self, digests: Sequence[Digest]) -> "ProfileStore":
        """Return a copy in which profiles with these digests of their ids count as removed."""
        removed = tuple(dict.fromkeys([*(self.removed or ()), *digests]))
        return replace(self, removed=removed or msgspec.UNSET)


class _Outline(msgspec.Struct):
    """Type by which the number of profiles is checked before the profiles are parsed."""

    players: Annotated[tuple[msgspec.Raw, ...], msgspec.Meta(max_length=MAX_PROFILES)] = ()


PROFILES: Final = JsonStore(
    JsonFile(ProfileStore, MAX_BYTES, personal=True, indent=1, outline=_Outline),
    paths.profiles_file,
    "the players cannot be saved: ",
)
load: Final = PROFILES.load
read: Final = PROFILES.read


def merge_removed(data: bytes) -> None:
    """Note the players that were removed according to a copy of the file; those who are here stay.

    Raises as ``merge_copy`` does.
    """
    removed = PROFILES.file.parse(data).removed
    if removed:
        PROFILES.update(lambda stored: stored.with_removed(removed))


def merge_copy(data: bytes) -> MergedCopy:
    """Add the players in a copy of the file who are unknown here and were never removed.

    Nothing else in the copy counts. Raises ``ValueError`` if it is invalid, and ``FileError`` if the profiles cannot be
    read or saved.
    """
    players = PROFILES.file.parse(data).players
    before, own = PROFILES.update(lambda stored: _add_unknown(stored, players))
    added = [player.nick for player in own.players if not before.find_by_id(player.id)]
    ignored = [player.nick for player in players if player not in own.players and not own.was_removed(player)]
    return MergedCopy(
        f"joined the players: {', '.join(added)}" if added else "",
        f"in which these players are not as here: {', '.join(ignored)}" if ignored else "",
    )


def _add_unknown(profile_store: ProfileStore, players: Iterable[Profile]) -> ProfileStore:
    for profile in players:
        if not profile_store.find_by_id(profile.id) and not profile_store.was_removed(profile):
            with suppress(InvalidProfile):  # the nick is taken, or there are too many
                profile_store = _add_profile(profile_store, profile)
    return profile_store


def find(nick: str) -> Profile | None:
    """Return the profile that is meant by a nick as typed; ``None`` if there is none or the file cannot be read."""
    return load()[0].find(nick)


def find_same(nick: str) -> Profile | None:
    """Return the profile with this nick; ``None`` if there is none or the file cannot be read."""
    return load()[0].find_same(nick)


def get_player_key(nick: str) -> str:
    """Return the key of a player in the files of this home: the id of their profile, or the nick of a guest."""
    profile = find_same(nick)
    return profile.id if profile else nick


def is_player_key(key: str) -> bool:
    """Return True if ``get_player_key`` can return ``key`` today for a player of this home or the guest."""
    return key == GUEST or load()[0].find_by_id(key) is not None


def is_password_required(nick: str, *, each_time: bool = False) -> bool:
    """Return True if the player with this nick has to enter a password now.

    It is required if it was not entered in this run of the program. With ``each_time`` it is required again, unless the
    profile has ``ask_once``.
    """
    profile = find(nick)
    if profile is None or profile.password is None:
        return False
    return profile.is_locked or (each_time and not profile.ask_once)


def add_profile_ids(seats: Sequence[Occupant]) -> tuple[Occupant, ...]:
    """Return the occupants with the profile ids of the human players.

    Occupants who have an id keep it, and no other one with the same nick is taken for that player. If the profiles
    cannot be read, missing ids are left out.
    """
    profile_store, known_ids = load()[0], {occupant.player for occupant in seats if occupant.player}

    def add_id(occupant: Occupant) -> Occupant:
        profile = None if occupant.robot or occupant.player else profile_store.find(occupant.name)
        return replace(occupant, player=profile.id) if profile and profile.id not in known_ids else occupant

    return tuple([add_id(occupant) for occupant in seats])


def verify_any_password(nicks: Iterable[str], password: str) -> str | None:
    """Verify a password that may belong to any of several players.

    Return ``None`` if it is the password of one of them, or if one of them has none. Otherwise return the last refusal,
    in one line.
    """
    reason = None
    for nick in nicks:
        if not (reason := verify_password(nick, password)):
            return None
    return reason


def verify_password(nick: str, password: str) -> str | None:
    """Verify the password of a player and return ``None``, or the reason for the refusal in one line.

    Any password is right for a nick without profile or password.
    """
    profile = find(nick)
    return passwords.verify(profile.password, password) if profile and profile.password else None


def get_current_nick() -> str:
    return load()[0].signed_in or seating.GUEST


def check_new_nick(nick: str, exclude_nick: str = "") -> None:
    """Raise ``InvalidProfile`` if a player cannot choose this nick.

    ``exclude_nick`` is the nick of the profile that is being renamed, and is not treated as taken; it is ``""`` for a
    new player. Raises ``FileError`` if the profiles cannot be read.
    """
    nick = seating.normalize_nick(nick)
    if wrong := find_profile_error(nick):
        raise wrong
    _check_nick_allowed(nick, exclude_nick)
    _check_nick_free(read(), nick, exclude_nick)


def _check_nick_allowed(nick: str, old_nick: str = "") -> None:
    """Raise ``InvalidProfile`` if a nick is not permitted for new players.

    A player who already has the nick (``old_nick``) may keep it.
    """
    if nick != old_nick and (wrong := seating.find_new_nick_error(nick)):
        raise InvalidProfile("nick", wrong)


def register(nick: str, name: str = "", email: str = "", password: str = "", again: str = "") -> None:
    """Create a profile and sign it in. An empty ``password`` means that it has none.

    ``again`` is the password as typed the second time. Raises ``InvalidProfile`` if a value is invalid or the nick
    is taken, and ``FileError`` if the profiles cannot be saved.
    """
    _check_nick_allowed(seating.normalize_nick(nick))
    profile = _create_profile(nick, name, email, password, again)
    PROFILES.update(lambda stored: replace(_add_profile(stored, profile), signed_in=profile.nick))


def register_remote(nick: str, password: str) -> None:
    """Create a profile for a player at another machine, without signing it in.

    Raises ``InvalidProfile`` if a value is invalid or the nick is taken, and ``FileError`` if the profiles cannot be
    saved.
    """
    profile = _create_profile(nick, "", "", password, password)
    PROFILES.update(lambda stored: _add_profile(stored, profile))


def undo_registration(profile: Profile) -> None:
    """Delete a profile that was just created, unless it has changed since.

    Raises ``FileError`` if the profiles cannot be saved.
    """
    PROFILES.update(lambda stored: stored.with_changed(profile, None) if profile in stored.players else stored)


def _create_profile(nick: str, name: str, email: str, password: str, repeated: str) -> Profile:
    nick = seating.normalize_nick(nick)
    name, email = [normalize("NFC", text.strip()) for text in (name, email)]
    if wrong := find_profile_error(nick, name, email) or find_new_password_error(password, repeated):
        raise wrong
    _check_nick_free(read(), nick)
    stored = passwords.hash_password(password) if password else None
    return Profile(nick, os.urandom(8).hex(), name=name, email=email, password=stored)


def _add_profile(profile_store: ProfileStore, profile: Profile) -> ProfileStore:
    _check_nick_free(profile_store, profile.nick)
    return replace(profile_store, players=(*profile_store.players, profile))


def _check_nick_free(profile_store: ProfileStore, nick: str, exclude_nick: str = "") -> None:
    """Raise ``InvalidProfile`` if a nick can be mistaken for the nick of another player.

    It is also raised if there are too many profiles for a new one. ``exclude_nick`` is the nick of the profile that is
    being renamed, and is not treated as taken; it is ``""`` for a new player.
    """
    taken = seating.find_confusable(
        nick, (player.nick for player in profile_store.players if player.nick != exclude_nick)
    )
    if taken is not None:
        raise InvalidProfile("nick", f"there is already a player {taken}; choose another nick")
    if not exclude_nick and len(profile_store.players) >= MAX_PROFILES:
        raise InvalidProfile("nick", f"there are already {MAX_PROFILES} players; remove one first")


def sign_in(nick: str | None) -> None:
    """Sign in a player, or a guest if ``nick`` is ``None``. The password is not checked.

    Raises ``InvalidProfile`` if there is no such player, and ``FileError`` if the profiles cannot be saved.
    """
    PROFILES.update(lambda stored: replace(stored, signed_in=nick and _require_profile(stored, nick).nick))


def update_profile(nick: str, new_nick: str, name: str, email: str) -> None:
    """Change a player's nick to ``new_nick``, and the real name and e-mail address.

    Journals retain the nick at the time of play. Raises ``InvalidProfile`` if a value is invalid, the nick is taken, or
    the player is unknown, and ``FileError`` if the profiles cannot be saved.
    """
    new_nick = seating.normalize_nick(new_nick)
    name, email = [normalize("NFC", text.strip()) for text in (name, email)]
    if wrong := find_profile_error(new_nick, name, email):
        raise wrong
    _check_nick_allowed(new_nick, nick)

    def apply_changes(profile_store: ProfileStore) -> ProfileStore:
        before = _require_profile(profile_store, nick)
        _check_nick_free(profile_store, new_nick, exclude_nick=nick)
        first = before.first_nick or nick
        changed = replace(before, nick=new_nick, first_nick="" if first == new_nick else first, name=name, email=email)
        return profile_store.with_changed(before, changed)

    PROFILES.update(apply_changes)


def remove(nick: str, password: str) -> None:
    """Delete the profile of a player with its credits, after verifying the password. The sessions remain.

    Raises ``InvalidProfile`` if the password is wrong or the player is unknown, and ``FileError`` if the profiles
    cannot be saved.
    """
    if reason := verify_password(nick, password):
        raise InvalidProfile("old", reason)
    PROFILES.update(lambda stored: stored.with_changed(_require_profile(stored, nick), None))


def remove_unchecked(nick: str) -> None:
    """Delete the profile of a player with its credits, on behalf of the owner of the files; there may be none.

    Raises ``FileError`` if the profiles cannot be saved.
    """

    def remove_profile(profile_store: ProfileStore) -> ProfileStore:
        profile = profile_store.find_same(nick)
        return profile_store.with_changed(profile, None) if profile else profile_store

    PROFILES.update(remove_profile)


def set_password(nick: str, old: str, password: str, repeated: str) -> None:
    """Change a player's password after verifying the old one.

    Raises ``InvalidProfile`` if a password is wrong or not acceptable, and ``FileError`` if the profiles cannot be
    saved.
    """
    _check_new_password(password, repeated)
    if reason := verify_password(nick, old):
        raise InvalidProfile("old", reason)
    reset_password(nick, password, repeated)


def remove_password(nick: str, old: str) -> None:
    """Remove a player's password after verifying it.

    Raises ``InvalidProfile`` if it is wrong, and ``FileError`` if the profiles cannot be saved.
    """
    if reason := verify_password(nick, old):
        raise InvalidProfile("old", reason)
    clear_password(nick)


def reset_password(nick: str, password: str, repeated: str) -> None:
    """Change a player's password without the old one, on behalf of the owner of the files.

    Raises ``InvalidProfile`` if the password is not acceptable or the player is unknown, and ``FileError`` if the
    profiles cannot be saved.
    """
    _check_new_password(password, repeated)
    _store_password(nick, passwords.hash_password(password))


def clear_password(nick: str) -> None:
    """Remove a player's password without asking for it, on behalf of the owner of the files.

    Raises ``InvalidProfile`` if the player is unknown, and ``FileError`` if the profiles cannot be saved.
    """
    _store_password(nick, None)


def _check_new_password(password: str, repeated: str) -> None:
    if not password and not repeated:
        raise InvalidProfile("password", "no new password was typed, so nothing has changed")
    if wrong := find_new_password_error(password, repeated):
        raise wrong


def _store_password(nick: str, password: passwords.PasswordHash | None) -> None:
    PROFILES.update(lambda stored: stored.with_profile(replace(_require_profile(stored, nick), password=password)))


def replace_password(profile: Profile, password: str) -> None:
    """Change the password of a player whose present one has been verified elsewhere.

    Raises ``InvalidProfile`` if the new password is not acceptable, or the password or id of the player is not that of
    ``profile`` any more, and ``FileError`` if the profiles cannot be saved.
    """
    _check_new_password(password, password)
    stored = passwords.hash_password(password)

    def apply_change(profile_store: ProfileStore) -> ProfileStore:
        current = _require_profile(profile_store, profile.nick)
        if (current.id, current.password) != (profile.id, profile.password):
            raise InvalidProfile("old", "the password has been changed meanwhile")
        return profile_store.with_profile(replace(current, password=stored))

    PROFILES.update(apply_change)


def set_ask_once(nick: str, *, once: bool) -> None:
    """Set whether a player at a hot seat enters the password only once, or each time before the hand is shown.

    Raises ``InvalidProfile`` if the player is unknown, and ``FileError`` if the profiles cannot be saved.
    """
    PROFILES.update(lambda stored: stored.with_profile(replace(_require_profile(stored, nick), ask_once=once)))


def _require_profile(profile_store: ProfileStore, nick: str) -> Profile:
    """Return the profile with this nick. Raises ``InvalidProfile`` if there is none any more."""
    profile = profile_store.find(nick)
    if profile is None:
        raise InvalidProfile("nick", f"there is no player {nick} any more")
    return profile


def _compute_id_digest(id_: str) -> Digest:
    """Return the digest of a profile id, which remains after the player's data have been erased."""
    return compute_digest(id_.encode())


def format_now() -> str:
    """Return the current time in UTC, in the format of the ledger."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def map_current_nicks(profile_store: ProfileStore, header: Header) -> dict[Seat, str]:
    """Map the seats of human players to their current nicks.

    A player without a profile keeps the name in the journal.
    """
    return {
        seat: profile.nick if profile else header.seats[seat].name
        for seat, profile in _find_people(profile_store, header)
    }


def find_seats(profile_store: ProfileStore, nick: str, header: Header) -> list[Seat]:
    """Return the seats of a player.

    ``nick`` is the current nick of a profile. If no profile has it, the seats of people without a profile are returned
    whose name in the journal it is.
    """
    people, player = _find_people(profile_store, header), profile_store.find_same(nick)
    if player:
        return [seat for seat, profile in people if profile and profile.nick == player.nick]
    return [seat for seat, profile in people if profile is None and is_same_nick(header.seats[seat].name, nick)]


def map_profile_nicks(header: Header) -> dict[Seat, str]:
    """Map seats to the current nicks of their profiles. Seats of robots and guests are left out."""
    return {seat: profile.nick for seat, profile in _find_people(load()[0], header) if profile}


def list_rematch_occupants(header: Header) -> tuple[Occupant, ...]:
    """Return the occupants for another session with the same people and robots, under their current nicks."""
    players = {seat: profile for seat, profile in _find_people(load()[0], header) if profile}
    return tuple(
        [
            Occupant(players[seat].nick, player=players[seat].id)
            if seat in players
            else Occupant(occupant.name, occupant.robot)
            for seat, occupant in enumerate(header.seats)
        ]
    )


def _find_people(profile_store: ProfileStore, header: Header) -> list[tuple[Seat, Profile | None]]:
    return [(seat, _find_profile(profile_store, header.seats[seat], header)) for seat in header.people]


def _find_profile(profile_store: ProfileStore, occupant: Occupant, header: Header) -> Profile | None:
    """Return the profile of a human player in a journal, or ``None`` if there is none.

    A guest in a local session is identified with the profile that has the same nick today, unless its player has
    another seat.
    """
    if occupant.player is None:
        profile = None if header.club else profile_store.find_same(occupant.name)
        return None if profile and profile.id in [seated.player for seated in header.seats] else profile
    return next((player for player in profile_store.players if player.is_occupant(occupant)), None)
