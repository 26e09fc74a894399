"""Storage of a club's accounts, bans and invitations in the club's file, which every change of them ends with."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from time import time
from typing import Final

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, LoginIdentity, TransportKind, is_loopback_network
from cardtable.club.server import club_file
from cardtable.club.server.admission import BanList, InvitationList, NewcomerQueue
from cardtable.club.server.club_file import ClubState, KnownGuest, SavedTable
from cardtable.club.server.limits import DAY, LIMITS, LoginError
from cardtable.club.server.table_access import Person
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.text_format import find_name, sanitize
from cardtable.store import passwords, profiles, seating
from cardtable.store.profiles import Profile
from cardtable.workers.tasks import run_uninterrupted

DISK_RETRY_SECONDS: Final = 30
"""Seconds after which a client may repeat a login that failed because the host could not read or save its files."""
GUEST_EXPIRY: Final = 7 * DAY
"""Seconds of absence after which the nick of a guest who never sat at a table in play is free again."""


class AccountObserver:
    """Open club, as its accounts ask and tell it; this base class is a club that is closed."""

    @property
    def present_nicks(self) -> tuple[str, ...]:
        return ()

    async def has_seat(self, nick: str) -> bool:  # noqa: ARG002 - of an open club
        return False

    def forget_former_person(self, person: Person) -> None:
        """Withdraw whatever another person had under the nick that ``person`` is about to get."""

    def rename_person(self, former: Person, nick: str) -> None:
        """Use the present nick of a person, given as they were, who logs in after a change of the nick."""

    def rename_master(self, nick: str, name: str) -> None:
        """Replace the nick of a game master whose data is erased."""

    def notice_newcomer(self, nick: str, address: str) -> None:
        """Learn of a newcomer who begins to wait for the host's approval."""

    def notice_save_failure(self) -> None:
        """Learn that the accounts could not be saved."""


class AccountStore:
    """Accounts, bans, invitations and saved tables of one club, kept in the club's file."""

    def __init__(
        self,
        code: str = "",
        *,
        clock: Callable[[], float] = time,
        observer: AccountObserver | None = None,
        own_networks: tuple[str, ...] = (),
    ) -> None:
        """Load accounts and tables from the club's file.

        ``code`` is the access code of the club; if it is empty, none is required. ``clock`` returns the time in seconds
        since 1970-01-01T00:00Z. ``observer`` is the open club; without one the club is closed. For ``own_networks`` see
        ``BanList``.

        Raises ``CardtableError`` if the club's file or the host's profiles cannot be read: without them, nicks of known
        people could be given to others.
        """
        profiles.read()  # raises if it is not readable
        saved = club_file.read_club_file()
        self.id: Final = saved.id or secrets.token_hex(16)
        self.owner_token: Final = saved.owner_token or secrets.token_urlsafe(24)
        contents = replace(
            saved,
            id=self.id,
            id_since=saved.id_since or int(time()),
            owner_token=self.owner_token,
            code=code or saved.code,
        )
        self.clock: Final = clock
        self.observer: Final = observer or AccountObserver()
        self.tables: tuple[SavedTable, ...] = saved.tables
        self.state: Final = ClubState(contents, code, clock)
        self._accounts: Final = self.state.accounts
        self.bans: Final = BanList(self.state, own_networks)
        self.newcomers: Final = NewcomerQueue(self.state, self.observer.notice_newcomer)
        self.invitations: Final = InvitationList(self.state)
        self.erased_nicks: set[str] = set()
        """Keys of the nicks whose data is being erased."""
        self._write_lock = asyncio.Lock()
        self._change_count = 0
        """Number of changes so far."""
        self._saved_change_count = 0
        """Number of changes that are saved."""
        self.save_error: str | None = None
        """Reason given by the operating system why the last save failed; ``None`` if it succeeded."""

    # Accounts

    @property
    def code(self) -> str:
        """Access code; empty if none is required. It is changed by ``change_code``."""
        return self.state.code

    @property
    def accounts(self) -> Collection[KnownGuest]:
        return self._accounts.values()

    def find_account(self, nick: str) -> KnownGuest | None:
        """Return the account of the person with a nick, or else of the one who has given it up."""
        if account := self._accounts.get(seating.compute_nick_key(nick)):
            return account
        renamed = (account for account in self.accounts if account.former_nicks)
        return next(
            (account for account in renamed if any(seating.is_same_nick(nick, own) for own in account.former_nicks)),
            None,
        )

    def find_player_account(self, player: str) -> KnownGuest | None:
        return next((account for account in self._accounts.values() if account.player == player), None)

    def put_account(self, person: KnownGuest) -> KnownGuest:
        """Store an account under its nick, in place of an earlier one, and return it.

        A player who replaces another person takes over nothing of theirs, unless they have registered as this guest.
        """
        replaced = self.find_account(person.nick)
        if replaced and person.is_member and person.guest_nick is None:
            is_same = replaced.player == person.player
            person = replace(person, guest_nick=replaced.guest_nick if is_same else "")
            if not is_same:
                self.observer.forget_former_person(person.person)
        self._accounts[seating.compute_nick_key(person.nick)] = person
        return person

    def remove_account(self, nick: str) -> None:
        self._accounts.pop(seating.compute_nick_key(nick), None)

    def pop_player_account(self, profile: Profile) -> KnownGuest:
        """Remove and return the account of a player, found by the id of the profile and renamed to its present nick.

        If the profile has no account yet, a new one is returned. The caller stores the result, which replaces the
        account of a guest under the same nick, so that the guest's tokens and keys are dropped.
        """
        previous = self.find_player_account(profile.id) or KnownGuest("")
        self.remove_account(previous.nick)
        player = replace(previous.rename(profile.nick), player=profile.id)
        self._note_rename(previous, player)
        return player

    def _note_rename(self, previous: KnownGuest, player: KnownGuest) -> None:
        if previous.nick and previous.nick != player.nick:
            self.bans.rename(previous.person, player.nick)
            self.invitations.rename(previous.person, player.nick)
            self.observer.rename_person(previous.person, player.nick)

    def rename_account(self, previous: KnownGuest, renamed: KnownGuest) -> KnownGuest:
        """Store an account under another nick, and return it; nobody else can take the former one."""
        self.remove_account(previous.nick)
        self._note_rename(previous, renamed)
        return self.put_account(renamed)

    def rename_players(self, profile_store: profiles.ProfileStore) -> list[KnownGuest]:
        """Store the accounts of players whose profiles have other nicks under these, and return them.

        A nick that belongs to another account changes hands only when the player logs in with it.
        """
        renamed = []
        for account in [*self.accounts]:
            profile = profile_store.find_by_id(account.player) if account.player else None
            if profile is None or profile.nick == account.nick:
                continue
            if (self.find_account(profile.nick) or account).player == account.player:
                renamed.append(self.rename_account(account, account.rename(profile.nick)))
                self.mark_changed()
        return renamed

    def record_use(self, person: KnownGuest, credential: str = "", transport: TransportKind = "join") -> KnownGuest:
        """Store an account, and return it with the time of its last use, which is exact to a day.

        ``credential`` is the token hash or key fingerprint of the device; empty if it is not known.
        """
        previous = person.player and self.find_player_account(person.player)
        if previous and previous.nick != person.nick:
            self.remove_account(previous.nick)
            self._note_rename(previous, person)
        if self.clock() - person.seen > DAY:
            person = replace(person, seen=int(self.clock()))
        return self.put_account(person.record_device(credential, transport, int(self.clock())))

    def create_occupant(self, nick: str) -> Occupant:
        """Return the person with an account under a nick as the occupant of a new seat."""
        account = self.find_account(nick)
        return account.person.occupant if account else Occupant(nick)

    def list_own_nicks(self, owners: Iterable[Occupant]) -> list[str]:
        """Return the nicks of owners of seats, except those that belong to another person by now."""
        accounts = [(owner, self.find_account(owner.name)) for owner in owners]
        return [owner.name for owner, account in accounts if account is None or account.person.owns(owner)]

    def map_former_guests(self) -> dict[str, Occupant]:
        """Return the guests who have registered or changed the nick, by the keys of the nicks that they had."""
        return {
            seating.compute_nick_key(nick): guest.person.occupant
            for guest in self.accounts
            if guest.guest_nick or guest.former_nicks
            for nick in guest.person.guest_nicks
        }

    def find_guest(self, nick: str) -> KnownGuest | None:
        person = self.find_account(nick)
        return person if person and not person.is_member else None

    async def check_new_nick(self, nick: str, own: KnownGuest | None = None) -> None:
        """Raise ``LoginError`` if a newcomer, or the person with the account ``own``, cannot take a nick.

        It is invalid, taken, easily confused with that of another person, or named by an unfinished session.
        """
        self._check_unknown_nick(nick, own)
        if own and any(seating.is_same_nick(nick, former) for former in own.all_nicks):
            return
        has_seat = await self.observer.has_seat(nick)
        if has_seat and seating.compute_nick_key(nick) not in self.state.contents.freed:
            raise LoginError(
                f"{nick} has a seat in an unfinished session here; choose another nick, or ask the host to free it",
                "nick",
            )
        self._check_unknown_nick(nick, own)  # another newcomer may have taken it during the search

    def _check_unknown_nick(self, nick: str, own: KnownGuest | None) -> None:
        if wrong := seating.find_new_nick_error(nick):
            raise LoginError(wrong, "nick")
        self.forget_expired_guests()
        if self.find_account(nick) not in (None, own):
            raise LoginError(f"{nick} has been here before; choose another nick", "nick")
        own_nicks = own.all_nicks if own else ()
        if seating.find_confusable(nick, [invited for invited in self.invitations.nicks if invited not in own_nicks]):
            raise LoginError(f"{nick} is reserved for somebody else; choose another nick", "nick")
        accounts = [account for account in self.accounts if account != own]
        known = [other for account in accounts for other in account.all_nicks]
        known += [player.nick for player in read_profiles().players if player.nick not in own_nicks]
        if alike := seating.find_confusable(nick, known):
            raise LoginError(f"{nick} looks like {alike}, who has been here; choose another nick", "nick")

    def check_room_for(self, identity: LoginIdentity) -> None:
        """Raise ``LoginError`` if the network of a newcomer has as many accounts as are still free."""
        own = sum(person.network == identity.wide_network for person in self.accounts)
        if LIMITS.accounts.is_used_up(own, len(self.accounts)):
            raise LoginError(LIMITS.accounts.share_refusal, identity.origin.alternative)

    def find_registration_network(self, identity: LoginIdentity) -> str:
        """Return the network for which a new player counts.

        It is the network of the guest's first login, or the present one if that is unknown. Raises ``LoginError`` if
        this network already has as many players as there are profiles left, so that no network can use up all of them.
        """
        guest = self.find_account(identity.nick)
        network = (guest and guest.network) or identity.wide_network
        own = sum(person.is_member and person.network == network for person in self.accounts)
        if LIMITS.players.is_used_up(own, len(read_profiles().players)):
            raise LoginError(LIMITS.players.share_refusal)
        return network

    def forget_expired_guests(self) -> None:
        """Forget guests who never sat at a table in play and have been absent for over ``GUEST_EXPIRY`` seconds."""
        present_keys = set(map(seating.compute_nick_key, self.observer.present_nicks))
        for key, person in [*self._accounts.items()]:
            is_new = not (person.is_member or person.has_played or key in present_keys)
            if is_new and self.clock() - person.seen > GUEST_EXPIRY:
                del self._accounts[key]

    def mark_played(self, nicks: Iterable[str]) -> None:
        """Record that people sit at a table in play; ``save_all`` writes it. Nicks without an account are ignored."""
        for key in map(seating.compute_nick_key, nicks):
            if key in self._accounts:
                self._accounts[key] = replace(self._accounts[key], has_played=True)

    def remove_person(self, nick: str, player: str) -> list[KnownGuest]:
        """Remove and return the accounts of a person, and withdraw their invitations.

        ``player`` is the id of the player's profile, who may have accounts under former nicks; empty for a guest.
        """
        own = [
            account
            for account in self.accounts
            if seating.is_same_nick(account.nick, nick) or (player and account.player == player)
        ]
        for account in own:
            self.remove_account(account.nick)
        self.invitations.withdraw(nick, player)
        return own

    def get_network(self, nick: str) -> str:
        """Return the network from which a nick first logged in; a guest who registers keeps it.

        The result is empty if the network is unknown, and for loopback addresses, since a proxy on this machine may
        stand for many people.
        """
        person = self.find_account(nick)
        return person.network if person and not is_loopback_network(person.network) else ""

    def resolve_nick(self, typed: str) -> str:
        """Return the nick that is meant by a typed one: that of a known or invited person, or else a new one."""
        nick = seating.normalize_nick(typed)
        return find_name(nick, [*self.known_nicks, *self.invitations.nicks]) or nick

    def find_known_nick(self, nick: str) -> str | None:
        """Return the present form of the nick of a guest or player; ``None`` if the club knows nobody with the nick.

        Raises ``LoginError`` if the profiles cannot be read.
        """
        nick = self.resolve_nick(nick)
        known = find_profile(nick) or self.find_account(nick)
        return known.nick if known else None

    def is_guest(self, nick: str) -> bool:
        """Return True if a nick belongs to no player; also for nicks without an account."""
        person = self.find_account(nick)
        return person is None or not person.is_member

    @property
    def known_nicks(self) -> tuple[str, ...]:
        """Nicks of the accounts, and of the host's players, who can have one; empty if the players cannot be read."""
        try:
            players = read_profiles().players
        except LoginError:
            return ()
        return tuple(dict.fromkeys([account.nick for account in self.accounts] + [player.nick for player in players]))

    def find_person(self, nick: str) -> KnownGuest:
        """Return the account of a guest or player, which is a new one for a player without an account.

        Raises ``CardtableError`` if the club does not know the nick, or the profiles cannot be read.
        """
        known_nick = self.resolve_nick(nick)
        try:
            profile = find_profile(known_nick)
        except LoginError as error:
            raise CardtableError(str(error)) from None
        if profile:
            account = self.find_player_account(profile.id)
            return account.rename(profile.nick) if account else KnownGuest(profile.nick, profile.id)
        if account := self.find_account(known_nick):
            return account
        raise CardtableError(f"nobody called {sanitize(nick, 40)} has been in the club")

    def find_returning_account(self, nick: str) -> KnownGuest | None:
        """Return the account that can log in again under a nick, or ``None`` if there is none.

        The account of a player counts only if the profile has a password. A player whose nick has changed since is also
        found under the former one. ``None`` is also returned if the profiles cannot be read.
        """
        person = self.find_account(nick)
        try:
            profile = find_profile(nick) or (
                read_profiles().find_by_id(person.player) if person and person.player else None
            )
        except LoginError:
            return None
        if profile is None:
            return person if person and not person.is_member else None
        person = self.find_player_account(profile.id)
        return person.rename(profile.nick) if person and profile.password else None

    def is_invited(self, nick: str) -> bool:
        return any(seating.is_same_nick(invited, nick) for invited in self.invitations.nicks)

    def check_ban(self, person: KnownGuest, origin: ConnectionOrigin) -> None:
        """Raise ``LoginError`` if a person or the address of their connection is banned."""
        self.bans.check(LoginIdentity(origin, person.nick, person.player))
        if seating.compute_nick_key(person.nick) in self.erased_nicks:
            raise LoginError("your data is being erased", retry_after=DISK_RETRY_SECONDS)

    def is_muted(self, nick: str) -> bool:
        return self.bans.is_muted(nick)

    def drop_credentials(self, person: KnownGuest) -> None:
        """Remove tokens and keys from the account of a person, if they have one."""
        account = self.find_player_account(person.player) if person.player else None
        if account := account or self.find_account(person.nick):
            self.put_account(account.drop(*account.credentials))

    # Saving

    def mark_changed(self) -> None:
        """Note a change that the next ``save_pending`` or ``save_all`` writes."""
        self._change_count += 1

    @asynccontextmanager
    async def saving(self) -> AsyncIterator[None]:
        """Return a context that saves what its body, which has no ``await``, changes in ``state``.

        Raises ``CardtableError`` if the host cannot save, or whatever the body raises; the change has then been undone.
        """
        before = self.state.take_snapshot()
        try:
            yield
        except BaseException:
            self.state.revert(before, self.state.take_snapshot())
            raise
        await self.save_all(partial(self.state.revert, before, self.state.take_snapshot()))

    async def save_all(self, undo: Callable[[], None] = lambda: None) -> None:
        """Save the accounts and the tables; concurrent calls share one write.

        The write completes even if the caller is cancelled. Raises ``CardtableError`` if the host cannot save, after a
        call of ``undo``.
        """
        self.mark_changed()
        await run_uninterrupted(self._write_changes(self._change_count, undo))

    async def save_pending(self) -> None:
        """Save changes that ``save_all`` has not saved, such as logins; do nothing if there are none.

        A failure is ignored, since the next ``save_all`` retries.
        """
        if self._saved_change_count < self._change_count:
            with suppress(OSError, CardtableError):
                await run_uninterrupted(self._write_changes(self._change_count))

    async def _write_changes(self, change_count: int, undo: Callable[[], None] = lambda: None) -> None:
        """Write all changes unless the one with this number has been written; call ``undo`` if that fails."""
        async with self._write_lock:
            if self._saved_change_count < change_count:
                included_count = self._change_count
                played = {key for key, person in self._accounts.items() if person.has_played}
                self.state.change(freed=tuple([key for key in self.state.contents.freed if key not in played]))
                contents = replace(
                    self.state.contents,
                    people=tuple(self._accounts.values()),
                    tables=self.tables,
                    bans=self.bans.bans,
                    mutes=self.bans.mutes,
                    invitations=self.invitations.invitations,
                    decisions=self.newcomers.decisions,
                )
                try:
                    await asyncio.to_thread(club_file.update_club_file, lambda _: contents)
                except CardtableError as error:
                    undo()
                    self.save_error = error.cause if isinstance(error, club_file.ClubNotSaved) else error.reason
                    self.observer.notice_save_failure()
                    raise
                self._saved_change_count, self.save_error = included_count, None


def format_occupied_nick(nick: str, origin: ConnectionOrigin) -> str:
    """Return the refusal of a nick that a newcomer cannot take, if neither password nor word was given."""
    safely = "" if origin.is_private else ", by ssh or with TLS"
    return (
        f"{nick} is not free; if it is yours, give your password{safely}, or a word from your other device "
        f'("Join on another device") or the host, else choose another nick'
    )


def format_taken_nick(nick: str) -> str:
    return f"{nick} is now a player of this club; choose another nick"


def format_registered_nick(nick: str, origin: ConnectionOrigin) -> str:
    """Return the message for a guest who has registered on another device than the one at ``origin``."""
    safely = "" if origin.is_private else ", by ssh or with TLS"
    return f"{nick} is a player of this club now; join again with the password{safely}"


def find_profile(nick: str) -> Profile | None:
    """Return the profile of a nick, or ``None`` if the nick belongs to no player.

    Raises ``LoginError`` if the profiles cannot be read, since the nick of a player must not be taken for a free one.
    """
    return read_profiles().find_same(nick)


def read_profiles() -> profiles.ProfileStore:
    try:
        return profiles.read()
    except CardtableError:
        raise LoginError(
            "the host cannot read its list of players; try again later", retry_after=DISK_RETRY_SECONDS
        ) from None


def check_has_password(profile: Profile) -> passwords.PasswordHash:
    """Return the password hash of a player. Raises ``LoginError`` if the player has no password."""
    if profile.password is None:
        nick = profile.nick
        raise LoginError(
            f"{nick} is a player here; choose another nick, or first set a password for {nick} at the host", "nick"
        )
    return profile.password
