"""Accounts of a club, and the checks of codes, passwords and tokens at a login.

Accounts are stored in the club's file, so that they survive a restart of the host; passwords are stored with the
profiles.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from hmac import compare_digest
from math import ceil
from time import time
from typing import Final

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, compute_client_network, is_loopback_network
from cardtable.club.protocol import Hello, compute_token_proof, hash_token
from cardtable.club.server import club_file
from cardtable.club.server.club_file import ClubFile, FileSignature, KnownGuest, SavedTable
from cardtable.club.server.command_queue import run_uninterrupted
from cardtable.club.server.limits import LoginError, LoginThrottle, PasswordQueue, compute_wide_network
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_count
from cardtable.store import passwords, profiles, seating
from cardtable.store.profiles import Profile

CODE_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters of codes and typed tokens, without letters and digits that are easily mistaken for each other."""
CODE_LENGTH: Final = 8
TYPED_TOKEN_LENGTH: Final = 16
"""Length of a token that a guest types, in characters; it carries about 80 bits."""
MAX_ACCOUNTS: Final = 5000
"""Maximum number of accounts that a club stores.

A network gets no new account once it has as many as are still free, so that no network can use up all of them.
"""
MAX_NEW_NICKS: Final = 20
"""Default maximum of the number of new nicks from one address within an hour."""
DISK_RETRY_SECONDS: Final = 30
"""Seconds after which a client may repeat a login that failed because the host could not read or save its files."""
HOUR: Final = 3600
DAY: Final = 24 * HOUR
GUEST_EXPIRY: Final = 7 * DAY
"""Seconds of absence after which the nick of a guest who never sat at a table in play is free again."""
MAX_KEYS: Final = 8
"""Maximum number of ssh keys stored for one account; a new key replaces the oldest."""
MAX_TOKENS: Final = 8
"""Maximum number of tokens stored for one account, one for each client program; a new token replaces the oldest."""


def generate_code() -> str:
    """Return a random access code for a club."""
    return _generate_random_text(CODE_LENGTH)


def _generate_random_text(length: int) -> str:
    return "".join([secrets.choice(CODE_ALPHABET) for _ in range(length)])


def generate_typed_token() -> str:
    """Return a random token that is short enough to be written down and typed."""
    return _generate_random_text(TYPED_TOKEN_LENGTH)


def format_typed_token(token: str) -> str:
    """Format a token from ``generate_typed_token`` in groups of four characters, separated by hyphens."""
    return "-".join(token[start : start + 4] for start in range(0, len(token), 4))


def _normalize_typed_token(typed: str) -> str:
    """Return a typed token in lower case, without spaces and hyphens."""
    return "".join(typed.lower().replace("-", "").split())


def _generate_token(_person: "KnownGuest") -> str:
    return secrets.token_urlsafe(24)


class AccountStore:
    """Accounts and saved tables of one club, kept in the club's file."""

    def __init__(
        self, code: str = "", *, max_new_nicks: int = MAX_NEW_NICKS, clock: Callable[[], float] = time
    ) -> None:
        """Load accounts and tables from the club's file.

        ``code`` is the access code that ``log_in`` requires; if it is empty, no code is required. ``max_new_nicks`` is
        the maximum number of new nicks from one address within an hour. ``clock`` returns the time in seconds since
        1970-01-01T00:00Z.

        Raises ``CardtableError`` if the club's file or the host's profiles cannot be read: without them, nicks of known
        people could be given to others.
        """
        if any(not player.id for player in profiles.read().players):
            profiles.change(lambda book: book)  # a write assigns missing ids
        saved = club_file.read_club_file()
        self.id: Final = saved.id or secrets.token_hex(16)
        self.code: Final = code
        self._id_since = saved.id_since or int(time())
        self.tables: tuple[SavedTable, ...] = saved.tables
        self.owner_token: Final = saved.owner_token or secrets.token_urlsafe(24)
        self._accounts: dict[str, KnownGuest] = {
            seating.compute_nick_key(person.nick): person for person in saved.people
        }
        self._saved_code = code or saved.code
        self._temporary_tokens: dict[bytes, tuple[str, ConnectionOrigin]] = {}
        """Nick and origin for each token issued by ``issue_temporary_token``, by the token's hash."""
        self.get_present_nicks: Callable[[], Collection[str]] = tuple
        """Callback that returns the nicks of the people in the club; set by the lobby."""
        self.has_seat: Callable[[str], Awaitable[bool]] = _has_no_seat
        """Asynchronous callback that returns True if an unfinished session names a nick as the owner of a seat."""
        self.on_save_failure: Callable[[], None] = lambda: None
        """Callback that is called after each failed save."""
        self._unconfirmed_nicks: set[str] = set()
        """Keys of nicks that got a typed token in this run of the host and have not used it since."""
        self._max_new_nicks, self._clock = max_new_nicks, clock
        self._new_nick_times: dict[str, list[float]] = {}
        """Times at which new nicks came within the last hour, by address."""
        self._throttle, self._password_queue = LoginThrottle(), PasswordQueue()
        self._known_on_disk, self._file_signature = frozenset(self._accounts), club_file.read_file_signature()
        self._write_lock, self._change_count, self._saved_change_count = asyncio.Lock(), 0, 0
        """Number of changes so far, and number of changes that are saved."""
        self.save_error = ""
        """Reason given by the operating system why the last save failed; empty if it succeeded."""

    async def log_in(
        self,
        nick: str,
        origin: ConnectionOrigin,
        *,
        code: str = "",
        password: str = "",
        new_token: Callable[[KnownGuest], str] = _generate_token,
    ) -> tuple[KnownGuest, str]:
        """Log in by the club's code, and for a player also by password; return the account and its new token.

        An unknown nick becomes a new guest. ``code`` is ignored if the club has none, and ``password`` if the nick
        belongs to no player. ``new_token`` returns the token to issue for an account, or an empty string to issue none.

        Raises ``LoginError`` if a credential is missing or wrong, a password would be sent over a connection that
        others can read, the nick cannot be taken, a limit of the address is exceeded, or the host cannot read or save
        its files.
        """
        self._drop_removed_accounts()
        nick = seating.normalize_nick(nick)
        if self.code:
            self._throttle.check_code_delay(origin.address)
            if not code:
                raise LoginError("this club has a code; ask its host", "code")
            if not compare_digest(code.encode(), self.code.encode()):
                self._throttle.add_wrong_code(origin.address)
                raise LoginError("that is not the code of this club; ask its host", "code")
        profile = _find_profile(nick)
        if profile is not None:
            await self._check_password(profile, password, origin)
            player = self._pop_player_account(profile)
            return await self._save_with_token(player, new_token(player))
        self._check_new_nick(nick)
        if await self.has_seat(nick):
            await _check_nick_freed(nick)
        self._check_new_nick(nick)  # another newcomer may have taken it during the search
        counted_at = self._count_new_nick(origin.address)
        guest = KnownGuest(nick, network=compute_wide_network(origin.address), has_played=False)
        try:
            return await self._save_with_token(guest, new_token(guest))
        except LoginError:
            self._uncount_new_nick(origin.address, counted_at)
            raise

    def log_in_by_token(self, nick: str, token: str) -> KnownGuest:
        """Log in the bearer of a token.

        Wrong attempts by others never delay such a login. Raises ``LoginError`` if ``token`` is not valid for ``nick``
        or the profiles cannot be read.
        """
        return self._log_in_by_hash(nick, lambda key: compare_digest(key, hash_token(token)))[0]

    def log_in_by_proof(self, hello: Hello, nonce: str) -> tuple[KnownGuest, ConnectionOrigin | None]:
        """Log in a client that proves possession of a token; return the account, and the origin of a temporary token.

        ``nonce`` is the random value that the host has sent on this connection. The origin is the one passed to
        ``issue_temporary_token``, or ``None`` for any other token. Wrong attempts by others never delay such a login.
        Raises ``LoginError`` if no token of the nick matches the proof or the profiles cannot be read.
        """

        def matches_proof(token_hash: bytes) -> bool:
            proof = compute_token_proof(token_hash, self.id, nonce, hello.nonce)
            return compare_digest(proof.encode(), hello.proof.encode())

        return self._log_in_by_hash(hello.nick, matches_proof)

    def _log_in_by_hash(
        self, nick: str, matches_hash: Callable[[bytes], bool]
    ) -> tuple[KnownGuest, ConnectionOrigin | None]:
        """Log in under a nick with any token whose hash satisfies ``matches_hash``.

        Temporary tokens are tried first, then the owner's token if the nick belongs to a player without a password,
        then the tokens of the account. Returns the account, and the origin for a temporary token or else ``None``.
        Raises ``LoginError`` if no token matches or the profiles cannot be read.
        """
        self._drop_removed_accounts()
        nick = seating.normalize_nick(nick)
        nick_key = seating.compute_nick_key(nick)
        for token_hash, (admitted, origin) in self._temporary_tokens.items():
            if seating.compute_nick_key(admitted) == nick_key and matches_hash(token_hash):
                return self._record_login(
                    self.find_returning_account(admitted) or self._accounts.get(nick_key) or KnownGuest(admitted)
                ), origin
        profile, guest = _find_profile(nick), self._accounts.get(nick_key)
        if profile and not profile.password and matches_hash(hash_token(self.owner_token)):
            return self._record_login(self._pop_player_account(profile)), None
        person = self.find_returning_account(nick)
        if person and any(matches_hash(bytes.fromhex(each)) for each in person.tokens):
            return self._record_login(person), None
        if profile and guest and not guest.is_member:
            raise LoginError(f"{profile.nick} is now a player of this club; choose another nick", "nick")
        raise LoginError("this club does not know you under that nick any more; type a nick to join again", "nick")

    def log_in_by_typed_token(self, nick: str, typed: str) -> KnownGuest:
        """Log in by a typed token, in upper or lower case, with or without spaces and hyphens.

        This confirms that the token has been noted, see ``forget_unconfirmed_guest``. Raises ``LoginError`` if the
        token is not valid for ``nick`` or the profiles cannot be read.
        """
        candidates = (
            typed.strip(),
            _normalize_typed_token(typed),
        )  # tokens of older versions have capital letters and hyphens
        person, _ = self._log_in_by_hash(
            nick, lambda key: any(compare_digest(key, hash_token(word)) for word in candidates)
        )
        self._unconfirmed_nicks.discard(seating.compute_nick_key(nick))
        return person

    async def _save_with_token(self, person: KnownGuest, token: str) -> tuple[KnownGuest, str]:
        """Save an account with a new token, or with none if ``token`` is empty; return both.

        Raises ``LoginError`` if the account cannot be saved; the change is then undone.
        """
        key, previous = seating.compute_nick_key(person.nick), self._accounts.get(seating.compute_nick_key(person.nick))
        added = (_hash_token_hex(token),) if token else ()
        tokens = (*added, *person.tokens)
        person = self._store_account(replace(person, tokens=tokens[:MAX_TOKENS]))
        try:
            await self.save_all(self.tables)
        except CardtableError as error:
            self._undo_change(key, previous, added, tokens[MAX_TOKENS:])
            raise LoginError(f"{error.why}; try again later", retry_after=DISK_RETRY_SECONDS) from None
        if len(token) == TYPED_TOKEN_LENGTH:
            self._unconfirmed_nicks.add(key)
        return person, token

    def _undo_change(
        self, key: str, previous: KnownGuest | None, added: tuple[str, ...], dropped: tuple[str, ...]
    ) -> None:
        """Undo the change of an account that could not be saved, but keep changes made to the account meanwhile.

        ``previous`` is the account stored under ``key`` before, or ``None`` if there was none. ``added`` holds the new
        token, if one was issued, and ``dropped`` the tokens that had to make room for it because of ``MAX_TOKENS``.
        """
        person = self._accounts.get(key)
        if person is None:
            return
        kept_tokens = (*[token for token in person.tokens if token not in added], *dropped)
        if kept_tokens or person.keys or (previous and previous.player == person.player):
            self._accounts[key] = replace(person, tokens=kept_tokens[:MAX_TOKENS])
        elif previous:
            self._accounts[key] = previous
        else:
            del self._accounts[key]

    def _store_account(self, person: KnownGuest) -> KnownGuest:
        if self._clock() - person.seen > DAY:
            person = replace(person, seen=int(self._clock()))
        self._accounts[seating.compute_nick_key(person.nick)] = person
        return person

    def _record_login(self, person: KnownGuest) -> KnownGuest:
        """Store an account with the time of its login, and return it; ``save_pending`` writes the change."""
        known = self._store_account(person)
        self._change_count += known != person
        return known

    # New nicks, and nicks that expire

    def _check_new_nick(self, nick: str) -> None:
        """Raise ``LoginError`` if a newcomer's nick is invalid, taken, or easily confused with a known one."""
        if wrong := seating.find_new_nick_error(nick):
            raise LoginError(wrong, "nick")
        self._forget_expired_guests()
        if seating.compute_nick_key(nick) in self._accounts:
            raise LoginError(f"{nick} is already the nick of somebody else here; choose another", "nick")
        known = (
            *[person.nick for person in self._accounts.values()],
            *[each.nick for each in _read_profiles().players],
        )
        if alike := seating.find_confusable(nick, known):
            raise LoginError(f"{nick} looks like {alike}, who has been here; choose another nick", "nick")

    def _count_new_nick(self, address: str) -> float:
        """Count a new nick from an address, and return the time at which it was counted.

        Raises ``LoginError`` if the address has brought too many new nicks within an hour, or if its network has as
        many accounts as are still free.
        """
        now, client = self._clock(), compute_client_network(address)
        self._new_nick_times = {
            each: recent for each, times in self._new_nick_times.items() if (recent := _filter_last_hour(times, now))
        }
        times = self._new_nick_times.get(client, [])
        if len(times) >= self._max_new_nicks:
            minutes = ceil((times[-self._max_new_nicks] + HOUR - now) / 60)
            raise LoginError(
                f"too many new nicks came from your address; try again in {format_count(minutes, 'minute')}",
                retry_after=60 * minutes,
            )
        network = compute_wide_network(address)
        if sum(person.network == network for person in self._accounts.values()) >= MAX_ACCOUNTS - len(self._accounts):
            raise LoginError("the club knows too many people to take a new nick from you; ask its host to forget some")
        self._new_nick_times[client] = [*times, now]
        return now

    def _uncount_new_nick(self, address: str, counted_at: float) -> None:
        """Undo the count of a new nick whose account could not be saved.

        ``counted_at`` is the result of ``_count_new_nick``; if that count has expired, nothing changes.
        """
        times = self._new_nick_times.get(compute_client_network(address), [])
        if counted_at in times:
            times.remove(counted_at)

    def _forget_expired_guests(self) -> None:
        """Forget guests who never sat at a table in play and have been absent for over ``GUEST_EXPIRY`` seconds."""
        present_keys = set(map(seating.compute_nick_key, self.get_present_nicks()))
        for key, person in [*self._accounts.items()]:
            is_new = not (person.is_member or person.has_played or key in present_keys)
            if is_new and self._clock() - person.seen > GUEST_EXPIRY:
                del self._accounts[key]

    def mark_played(self, nicks: Iterable[str]) -> None:
        """Record that people sit at a table in play; ``save_all`` writes it. Nicks without an account are ignored."""
        for key in map(seating.compute_nick_key, nicks):
            if key in self._accounts:
                self._accounts[key] = replace(self._accounts[key], has_played=True)

    def _drop_removed_accounts(self) -> None:
        """Forget accounts that another program has removed from the club's file with ``forget_account``."""
        signature = club_file.read_file_signature()
        if signature != self._file_signature:
            self._apply_removals(club_file.find_removed_keys(self._known_on_disk, club_file.read_if_valid()), signature)

    def _apply_removals(self, removed_keys: Iterable[str], signature: FileSignature) -> None:
        for key in removed_keys:
            self._accounts.pop(key, None)
        self._known_on_disk, self._file_signature = frozenset(self._known_on_disk).difference(removed_keys), signature

    def _pop_player_account(self, profile: Profile) -> KnownGuest:
        """Remove and return the account of a player, found by the id of the profile and renamed to its present nick.

        If the profile has no account yet, a new one is returned. The caller stores the result, which replaces the
        account of a guest under the same nick, so that the guest's tokens and keys are dropped.
        """
        previous = next((each for each in self._accounts.values() if each.player == profile.id), KnownGuest(""))
        self._accounts.pop(seating.compute_nick_key(previous.nick), None)
        return replace(previous, nick=profile.nick, player=profile.id)

    async def sign_in(self, nick: str, password: str, origin: ConnectionOrigin) -> tuple[str, str]:
        """Check a player's password, and return the player's nick and a new token.

        The client has logged in as a guest, and logs in again with the token. Raises ``LoginError`` if ``nick`` is no
        player with a password, the password is wrong or cannot be checked now, or the token cannot be saved.
        """
        nick = seating.normalize_nick(nick)
        profile = _find_profile(nick)
        if profile is None or not profile.password:
            raise LoginError(f"there is no player {nick} with a password here; check the nick")
        await self._check_password(profile, password, origin)
        player = self._pop_player_account(profile)
        person, token = await self._save_with_token(player, _generate_token(player))
        return person.nick, token

    async def register(self, nick: str, password: str, origin: ConnectionOrigin) -> str:
        """Create a profile with a password for a guest, and return a token for the new player.

        Raises ``LoginError`` if others can read the connection, ``nick`` belongs to a player, the password is not
        acceptable, a limit is reached or the account cannot be saved, and ``CardtableError`` if the profile cannot be
        created. The person then remains a guest.
        """
        _check_private_connection(origin)
        if not self.is_guest(nick):
            raise LoginError(f"{nick} is already a player here; sign in")
        if wrong := passwords.find_password_error(password, password):
            raise LoginError(wrong)
        network = self._find_registration_network(nick, origin)

        def register_profile() -> bool:
            profiles.register_remote(nick, password)
            return True

        await self._password_queue.run(origin.address, register_profile)
        profile = _find_profile(nick)
        if profile is None:
            raise LoginError(f"{nick} is no longer a player; register again")
        player = replace(self._pop_player_account(profile), network=network)
        try:
            return (await self._save_with_token(player, _generate_token(player)))[1]
        except LoginError:
            with suppress(CardtableError):
                await run_uninterrupted(asyncio.to_thread(profiles.undo_registration, profile))
            raise

    def _find_registration_network(self, nick: str, origin: ConnectionOrigin) -> str:
        """Return the network for which a new player counts.

        It is the network of the guest's first login, or of ``origin`` if that is unknown. Raises ``LoginError`` if this
        network already has as many players as there are profiles left, so that no network can use up all of them.
        """
        guest = self._accounts.get(seating.compute_nick_key(nick))
        network = guest.network if guest and guest.network else compute_wide_network(origin.address)
        own = sum(person.is_member and person.network == network for person in self._accounts.values())
        if own >= profiles.MAX_PROFILES - len(_read_profiles().players):
            raise LoginError("the host has too many players to take a new one from you; stay a guest")
        return network

    def get_network(self, nick: str) -> str:
        """Return the network from which a nick first logged in; a guest who registers keeps it.

        The result is empty if the network is unknown, and for loopback addresses, since a proxy on this machine may
        stand for many people.
        """
        person = self._accounts.get(seating.compute_nick_key(nick))
        return person.network if person and not is_loopback_network(person.network) else ""

    def is_guest(self, nick: str) -> bool:
        """Return True if a nick belongs to no player; also for nicks without an account."""
        person = self._accounts.get(seating.compute_nick_key(nick))
        return person is None or not person.is_member

    async def _check_password(self, profile: Profile, password: str, origin: ConnectionOrigin) -> None:
        """Raise ``LoginError`` unless ``password`` is the password of the profile.

        It is also raised if the profile has no password, others can read the connection, or the address has to wait.
        """
        stored, nick = profile.password, profile.nick
        if stored is None:
            raise LoginError(
                f"{nick} is a player here; choose another nick, or first set a password for {nick} at the host", "nick"
            )
        _check_private_connection(origin)
        if not password:
            raise LoginError(f"{nick} has a password", "password")
        self._throttle.check_password_delay(origin.address, nick)
        if not await self._password_queue.run(origin.address, lambda: passwords.is_correct(stored, password)):
            self._throttle.add_wrong_password(origin.address, nick)
            raise LoginError(passwords.WRONG_PASSWORD, "password")
        self._throttle.forgive_password(origin.address, nick)

    def issue_temporary_token(self, nick: str, origin: ConnectionOrigin) -> str:
        """Return a token for a client that another endpoint has let in; it is valid until ``revoke_temporary_token``.

        ``origin`` is the origin of the connection to that endpoint; ``log_in_by_proof`` returns it.
        """
        token = secrets.token_urlsafe(24)
        self._temporary_tokens[hash_token(token)] = nick, origin
        return token

    def revoke_temporary_token(self, token: str) -> None:
        """Invalidate a token from ``issue_temporary_token``."""
        del self._temporary_tokens[hash_token(token)]

    def find_returning_account(self, nick: str) -> KnownGuest | None:
        """Return the account that can log in again under a nick, or ``None`` if there is none.

        The account of a player counts only if the profile has a password. ``None`` is also returned if the profiles
        cannot be read.
        """
        try:
            profile, person = _find_profile(nick), self._accounts.get(seating.compute_nick_key(nick))
        except LoginError:
            return None
        if profile is None:
            return person if person and not person.is_member else None
        person = next((each for each in self._accounts.values() if each.player == profile.id), None)
        return replace(person, nick=profile.nick) if person and profile.password else None

    async def forget_unconfirmed_guest(self, nick: str) -> None:
        """Forget a guest who lost the connection before noting their typed token, so that the nick can be used again.

        Nothing changes if the person has used the token, has ever sat at a table in play, or is a player.
        """
        key = seating.compute_nick_key(nick)
        person = self._accounts.get(key)
        if key in self._unconfirmed_nicks and person and not person.has_played and not person.is_member:
            del self._accounts[key]
            self._unconfirmed_nicks.discard(key)
            with suppress(CardtableError):  # the next save removes the nick from the file
                await self.save_all(self.tables)

    async def add_ssh_keys(self, nick: str, keys: tuple[str, ...]) -> None:
        """Store further ssh keys that log a person in.

        ``keys`` are fingerprints; beyond ``MAX_KEYS``, the oldest ones of the account are dropped. Raises
        ``CardtableError`` if they cannot be saved. They are then removed again, and with them the account of a guest
        who has no other credentials and never sat at a table in play.
        """
        nick_key = seating.compute_nick_key(nick)
        before = self._accounts[nick_key]
        self._accounts[nick_key] = replace(before, keys=tuple(dict.fromkeys((*keys, *before.keys)))[:MAX_KEYS])
        try:
            await self.save_all(self.tables)
        except CardtableError:
            if person := self._accounts.get(nick_key):
                self._accounts[nick_key] = replace(person, keys=before.keys)
                if not (person.tokens or before.keys or person.is_member or person.has_played):
                    del self._accounts[nick_key]
            raise

    async def save_all(self, tables: tuple[SavedTable, ...]) -> None:
        """Save the accounts and the given tables; concurrent calls share one write.

        The write completes even if the caller is cancelled. Raises ``CardtableError`` if the host cannot save.
        """
        self.tables = tables
        self._change_count += 1
        await run_uninterrupted(self._write_changes(self._change_count))

    async def save_pending(self) -> None:
        """Save changes that ``save_all`` has not saved, such as logins; do nothing if there are none.

        A failure is ignored, since the next ``save_all`` retries.
        """
        if self._saved_change_count < self._change_count:
            with suppress(OSError, CardtableError):
                await run_uninterrupted(self._write_changes(self._change_count))

    async def _write_changes(self, change_count: int) -> None:
        async with self._write_lock:
            if self._saved_change_count < change_count:
                included_count, known = self._change_count, dict(self._accounts)
                contents = ClubFile(
                    id=self.id,
                    id_since=self._id_since,
                    owner_token=self.owner_token,
                    code=self._saved_code,
                    tables=self.tables,
                )
                try:
                    forgotten, signature = await asyncio.to_thread(
                        club_file.merge_and_write, contents, known, self._known_on_disk
                    )
                except CardtableError as error:
                    self.save_error = error.why.removeprefix(club_file.CANNOT_SAVE)
                    self.on_save_failure()
                    raise
                self._known_on_disk = frozenset(known)
                self._apply_removals(forgotten, signature)
                self._saved_change_count, self.save_error = included_count, ""


async def _has_no_seat(_nick: str) -> bool:
    return False


async def _check_nick_freed(nick: str) -> None:
    """Raise ``LoginError`` unless the host has freed a nick that an unfinished session names.

    It is also raised if the club's file cannot be read.
    """
    try:
        saved = await asyncio.to_thread(club_file.read_club_file)
    except CardtableError:
        raise LoginError(
            "the host cannot read its list of people; try again later", retry_after=DISK_RETRY_SECONDS
        ) from None
    if seating.compute_nick_key(nick) not in club_file.get_freed_nicks(saved):
        raise LoginError(
            f"{nick} has a seat in an unfinished session here; choose another nick, or ask the host to free it", "nick"
        )


def _find_profile(nick: str) -> Profile | None:
    """Return the profile of a nick, or ``None`` if the nick belongs to no player.

    Raises ``LoginError`` if the profiles cannot be read, since the nick of a player must not be taken for a free one.
    """
    return _read_profiles().find(nick)


def _read_profiles() -> profiles.ProfileStore:
    try:
        return profiles.read()
    except CardtableError:
        raise LoginError(
            "the host cannot read its list of players; try again later", retry_after=DISK_RETRY_SECONDS
        ) from None


def _check_private_connection(origin: ConnectionOrigin) -> None:
    if not origin.is_private:
        raise LoginError("others could read your password on this connection; join by ssh or with TLS")


def _hash_token_hex(token: str) -> str:
    return hash_token(token).hex()


def _filter_last_hour(times: Sequence[float], now: float) -> list[float]:
    return [each for each in times if now - each < HOUR]


def get_owner_token(nick: str, owner_token: str) -> str:
    """Return ``owner_token`` if ``nick`` belongs to a player without a password, and otherwise an empty string.

    All others need their own credentials, even on the host's machine.
    """
    profile = profiles.find(nick)
    return owner_token if profile and not profile.password else ""
