"""Accounts of a club, and what its host changes while it is open; each change is saved before it counts, or undone."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from time import time
from typing import Final

from msgspec.structs import replace

from cardtable.club.server import admission, club_file
from cardtable.club.server.account_store import AccountObserver, AccountStore, check_has_password, find_profile
from cardtable.club.server.authenticator import Authenticator
from cardtable.club.server.club_file import Ban, KnownGuest, Mute, StoredReport, compute_device_id
from cardtable.club.server.limits import LIMITS, LoginError
from cardtable.club.server.stored_sessions import find_unfinished
from cardtable.club.server.table_access import has_nick
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.store import paths, profiles, seasons, seating
from cardtable.store.erasure import Erasure, erase_profile, erase_sessions, remove_backup
from cardtable.workers.tasks import run_uninterrupted

RENAMING_SECONDS: Final = 90 * 24 * 3600
"""Time in which a person can change their nick once while no season is open, in seconds."""


REPORT_SECONDS: Final = 30 * 24 * 3600
"""Time for which a report is stored, in seconds."""


MAX_SETTINGS_BYTES: Final = 2048
"""Maximum size of the settings that are kept for one person, which must fit into the club's file 5000 times."""


def generate_code() -> str:
    return admission.generate_random_text(admission.CODE_LENGTH)


class AccountAdministration:
    """Changes of a club's accounts, bans and invitations that its host makes, each saved or undone."""

    def __init__(self, store: AccountStore) -> None:
        self._store: Final = store

    async def ban(self, nick: str, until: float | None = None, *, networks: Sequence[str] = ()) -> Ban:
        """Ban a person with the tokens and keys of their account, in place of an earlier ban of them; return the ban.

        ``until`` is the end of the ban, in seconds since 1970-01-01T00:00Z, or ``None`` if it has none. ``networks``
        are addresses and networks that are banned with the person. Connections that are open are not ended. Raises
        ``CardtableError`` if the club does not know the nick, a network cannot be banned, or the host cannot save.
        """
        person = self._store.find_person(nick)
        end = admission.convert_end(until, self._store.clock())
        networks = tuple(map(admission.parse_network, networks))
        ban = Ban(person.nick, end, person.player, person.tokens, person.keys, networks)
        async with self._store.saving():
            self._store.bans.add(ban)
        return ban

    async def ban_network(self, network: str, until: float | None = None) -> Ban:
        """Ban an address or network, in place of an earlier ban of it; return the ban.

        An IPv6 address stands for its /64. Raises ``CardtableError`` if it cannot be banned or the host cannot save.
        """
        ban = Ban(until=admission.convert_end(until, self._store.clock()), networks=(admission.parse_network(network),))
        async with self._store.saving():
            self._store.bans.add(ban)
        return ban

    async def unban(self, target: str) -> None:
        """End the ban of a nick, address or network.

        Raises ``CardtableError`` if it is not banned or the host cannot save.
        """
        async with self._store.saving():
            self._store.bans.remove(target)

    async def mute(self, nick: str, until: float | None = None) -> Mute:
        """Refuse what a person says, in place of an earlier mute of them; return the mute.

        ``until`` is its end, in seconds since 1970-01-01T00:00Z, or ``None`` if it has none. Raises ``CardtableError``
        if the club does not know the nick, or the host cannot save.
        """
        mute = Mute(self._store.find_person(nick).nick, admission.convert_end(until, self._store.clock()))
        async with self._store.saving():
            self._store.bans.mute(mute)
        return mute

    async def unmute(self, nick: str) -> None:
        """Let a muted person talk again. Raises ``CardtableError`` if they are not muted, or the host cannot save."""
        async with self._store.saving():
            self._store.bans.unmute(nick)

    async def revoke_tokens(self, nick: str) -> bool:
        """Revoke all tokens, ssh keys and invitations of a person; return True if only an invitation brings them back.

        A player logs in again by password; a guest has none. Raises ``CardtableError`` if the club does not know the
        nick, or the host cannot save.
        """
        person = self._store.find_person(nick)
        async with self._store.saving():
            self._store.drop_credentials(person)
            self._store.invitations.withdraw(person.nick, person.player)
        return not person.is_member

    async def withdraw_device(self, nick: str, device: str) -> str:
        """Revoke the token or key with an id of a person, and return it.

        Raises ``CardtableError`` if the club does not know the nick or the device, or the host cannot save.
        """
        person = self._store.find_person(nick)
        credential = next((own for own in person.credentials if compute_device_id(own) == device.strip().lower()), None)
        if credential is None:
            raise CardtableError(f"{person.nick} has no device {sanitize(device, 20)!r}")
        async with self._store.saving():
            self._store.put_account(person.drop(credential))
        return credential

    async def change_code(
        self, code: str | None = None, *, everybody: bool = False, except_nicks: Collection[str] = ()
    ) -> str:
        """Change the access code, and return the new one.

        ``None`` stands for a random code, and an empty one lets everybody in. People who have been here return without
        it. With ``everybody`` each of their tokens and keys needs the new code once, except those of ``except_nicks``,
        and all invitations are withdrawn. Raises ``CardtableError`` if the host cannot save.
        """
        code, state = generate_code() if code is None else code, self._store.state
        async with self._store.saving():
            state.code = code
            state.change(code=code or state.contents.code)
            if everybody:
                spared = set(map(seating.compute_nick_key, except_nicks))
                for person in [*self._store.accounts]:
                    if seating.compute_nick_key(person.nick) not in spared:
                        self._store.put_account(replace(person, suspended=(*person.tokens, *person.keys)))
                state.change(invitations=())
        return code

    async def change_settings(self, **settings: bool) -> None:
        """Change ``approval``, ``no_aids`` or ``one_network`` of the club.

        Raises ``CardtableError`` if the host cannot save.
        """
        async with self._store.saving():
            self._store.state.change(**settings)

    async def store_settings(self, nick: str, settings: str) -> None:
        """Store the settings with which a program of a person at the host has ended; what is too long is ignored.

        Raises ``CardtableError`` if the host cannot save.
        """
        account = self._store.find_account(nick)
        if account and settings != account.settings and len(settings.encode()) <= MAX_SETTINGS_BYTES:
            async with self._store.saving():
                self._store.put_account(replace(account, settings=settings))

    async def approve(self, nick: str, network: str = "") -> None:
        """Let a waiting newcomer in under this nick, from their own network only.

        ``network`` is their address, which is needed if several wait under the nick. Raises ``CardtableError`` if
        nobody waits under it, or the host cannot save.
        """
        async with self._store.saving():
            self._store.newcomers.decide(nick, network, is_approved=True)

    async def reject(self, nick: str, network: str = "") -> None:
        """Refuse a waiting newcomer for an hour; see ``approve``."""
        async with self._store.saving():
            self._store.newcomers.decide(nick, network, is_approved=False)

    async def create_invitation(self, nick: str, seconds: float = admission.INVITATION_SECONDS) -> str:
        """Return a one-time word that logs a person in under a nick; it replaces an earlier invitation of the nick.

        A known person gets another device by it, and a new nick is reserved until it expires after ``seconds``. Raises
        ``CardtableError`` if the nick cannot be invited, or the host cannot save.
        """
        nick = self._store.resolve_nick(nick)
        player = ""
        try:
            if profile := find_profile(nick):
                nick, player = profile.nick, profile.id
                check_has_password(profile)
            elif guest := self._store.find_guest(nick):
                nick = guest.nick
            elif not self._store.is_invited(nick):
                await self._store.check_new_nick(nick)
        except LoginError as error:
            raise CardtableError(str(error)) from None
        async with self._store.saving():
            return self._store.invitations.add(nick, player, seconds)

    async def withdraw_invitation(self, nick: str) -> None:
        """Withdraw all invitations of a nick. Raises ``CardtableError`` if there are none, or the host cannot save."""
        if not self._store.is_invited(nick):
            raise CardtableError(f"{sanitize(nick, 40)} is not invited")
        async with self._store.saving():
            self._store.invitations.withdraw(nick)

    async def create_device_word(self, nick: str) -> str:
        """Return a one-time word by which a guest logs in on another device.

        Raises ``CardtableError`` if the person has a password, has too many words, or the host cannot save.
        """
        if not self._store.is_guest(nick):
            raise CardtableError("on another device you log in with your password")
        network = self._store.get_network(nick)
        async with self._store.saving():
            return self._store.invitations.add_for_device(
                nick, lambda other: bool(network) and self._store.get_network(other) == network
            )

    async def report(self, by: str, nick: str, texts: tuple[str, ...]) -> None:
        """Store what ``nick`` has said to the person ``by`` alone.

        Raises ``CardtableError`` if there are too many reports from this network, or the host cannot save.
        """
        network, reports = self._store.get_network(by), self.reports
        own = sum(report.by == by or network == self._store.get_network(report.by) != "" for report in reports)
        if LIMITS.all_reports.is_used_up(own, len(reports)):
            raise CardtableError(LIMITS.all_reports.share_refusal)
        until = int(self._store.clock()) + REPORT_SECONDS
        async with self._store.saving():
            self._store.state.change(reports=(*reports, StoredReport(by, nick, texts, until)))

    @property
    def reports(self) -> tuple[StoredReport, ...]:
        return self._store.state.drop_ended(self._store.state.contents.reports)

    async def reset_password(self, nick: str) -> str:
        """Give a player a random password, and return it.

        Raises ``CardtableError`` if ``nick`` is no player or the password cannot be saved.
        """
        password = admission.generate_random_text(admission.WORD_LENGTH)
        await run_uninterrupted(asyncio.to_thread(profiles.reset_password, nick, password, password))
        return password

    async def rename(self, nick: str, new_nick: str, *, is_own_wish: bool = False) -> tuple[KnownGuest, KnownGuest]:
        """Give a person another nick, without their password; return the account before and after that.

        Nobody else can take the former nick. ``is_own_wish`` is True if the person asks for it, who can do so once in
        a season. Raises ``CardtableError`` if the club does not know the person, the new nick is not free, or the host
        cannot save.
        """
        before, nick = self._store.find_person(nick), seating.normalize_nick(new_nick)
        now = self._store.clock()
        if is_own_wish and before.renamed >= await asyncio.to_thread(find_renaming_start, now):
            raise CardtableError("you can change your nick once in a season, or in 90 days without one")
        if wrong := seating.find_new_nick_error(nick) or ("that is the present nick" if nick == before.nick else None):
            raise CardtableError(wrong)
        try:
            await self._store.check_new_nick(nick, before)
        except LoginError as error:  # a guest does not learn who else is known
            is_secret = is_own_wish and error.retry_after is None
            raise CardtableError(f"{nick} is not free" if is_secret else str(error)) from None
        if profile := profiles.read().find_by_id(before.player):
            await run_uninterrupted(
                asyncio.to_thread(profiles.update_profile, profile.nick, nick, profile.name, profile.email)
            )
            current = self._store.find_player_account(profile.id) or before
        elif (current := self._store.find_account(before.nick) or before) is not before:
            raise CardtableError("the account has just changed; try again")
        account = replace(current.rename(nick), renamed=int(now) if is_own_wish else current.renamed)
        try:
            async with self._store.saving():
                self._store.rename_account(current, account)
        except CardtableError:
            if not profile:  # else the profile has the new nick for good
                self._store.observer.rename_person(account.person, before.nick)
                raise
        return before, account

    async def forget(self, nick: str) -> KnownGuest:
        """Remove a person's account, and free the nick of a guest in unfinished sessions; return the account.

        Others may use the nick of a guest afterwards; a player has to log in by password again and keeps the nick.
        The result is an empty account if there was none. Raises ``CardtableError`` if there is neither an account nor
        an unfinished session with the nick, or the host cannot read or save its files.
        """
        nick = self._store.find_known_nick(nick) or self._store.resolve_nick(nick)
        account, profile = self._store.find_account(nick), profiles.read().find_same(nick)
        nicks = account.all_nicks if account else (nick,)
        robot_seats = {table.session: table.given for table in self._store.tables}
        has_seat = profile is None and await asyncio.to_thread(
            lambda: any(find_unfinished(lambda owner: any(has_nick(own, owner) for own in nicks), (), robot_seats))
        )
        async with self._store.saving():
            accounts = self._store.remove_person(nick, profile.id if profile else "")
            if not accounts and not has_seat:
                name = sanitize(nick, 40)
                raise CardtableError(
                    f"nobody called {name} has been in the club, and no unfinished session names {name}"
                )
            if has_seat:
                freed = (*self._store.state.contents.freed, *map(seating.compute_nick_key, nicks))
                self._store.state.change(freed=tuple(dict.fromkeys(freed)))
        return next(iter(accounts), KnownGuest(nick))

    async def erase(self, nick: str) -> Erasure:
        """Erase a person's data from this home; return what was done.

        These are the profile, the account, and name and chat in the sessions. Bans remain. The person must be absent,
        and cannot log in meanwhile. It is safe to call it again after an error. Raises ``CardtableError`` if nobody has
        the nick, a session with them is open, or the host cannot read or save its files.
        """
        nick = self._store.find_known_nick(nick) or self._store.resolve_nick(nick)
        await self._store.save_all()  # a full disk refuses before anything is erased
        self._store.erased_nicks.add(seating.compute_nick_key(nick))
        try:
            return await run_uninterrupted(self._erase(nick))
        finally:
            self._store.erased_nicks.discard(seating.compute_nick_key(nick))

    async def _erase(self, nick: str) -> Erasure:
        unknown: CardtableError | None = None
        try:
            person = self._store.find_person(nick)
        except CardtableError as error:  # only the sessions may know the nick
            person, unknown = KnownGuest(nick), error
        erasure = await asyncio.to_thread(erase_sessions, person.nick, *person.former_nicks)
        if unknown and not erasure.sessions:
            raise unknown
        await asyncio.to_thread(erase_profile, person.nick)
        self._store.observer.rename_master(person.nick, erasure.name)
        self._store.tables = club_file.rename_masters(self._store.tables, person.nick, erasure.name)
        async with self._store.saving():
            self._store.remove_person(person.nick, person.player)
            self._store.newcomers.remove(person.nick)
            kept = [report for report in self.reports if {report.by, report.nick}.isdisjoint(person.all_nicks)]
            self._store.state.change(reports=tuple(kept))
            if self._store.is_muted(person.nick):
                self._store.bans.unmute(person.nick)
            key, freed = seating.compute_nick_key(person.nick), self._store.state.contents.freed
            self._store.state.change(freed=tuple([freed_key for freed_key in freed if freed_key != key]))
        await asyncio.to_thread(remove_backup, paths.club_file())
        return erasure


def find_renaming_start(now: float) -> float:
    """Return the beginning of the period in which a person can change their nick once.

    It is that of the latest open season, or 90 days ago. Raises ``FileError`` if the seasons cannot be read.
    """
    begins = [season.begins for season in seasons.load() if season.begins and season.is_open_at(now)]
    return max(begins, default=now - RENAMING_SECONDS)


class ClubAccounts:
    """Accounts of one club, with the objects that log people in and that carry out the host's commands."""

    def __init__(
        self,
        code: str = "",
        *,
        max_new_nicks: int = LIMITS.new_nicks.number,
        clock: Callable[[], float] = time,
        observer: AccountObserver | None = None,
        own_networks: tuple[str, ...] = (),
    ) -> None:
        """Load the accounts; for the parameters and errors see ``AccountStore`` and ``Authenticator``."""
        self.store: Final = AccountStore(code, clock=clock, observer=observer, own_networks=own_networks)
        self.authenticator: Final = Authenticator(self.store, max_new_nicks=max_new_nicks)
        self.administration: Final = AccountAdministration(self.store)


def get_owner_token(nick: str, owner_token: str) -> str:
    """Return ``owner_token`` if ``nick`` belongs to a player without a password, and otherwise an empty string.

    All others need their own credentials, even on the host's machine.
    """
    profile = profiles.find_same(nick)
    return owner_token if profile and not profile.password else ""
