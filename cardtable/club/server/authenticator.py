"""Checks of codes, passwords, tokens and keys at a login, and what people change themselves.

Accounts are stored in the club's file, so that they survive a restart of the host; passwords are stored with the
profiles.
"""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from hmac import compare_digest
from typing import Final, TypeAlias

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, HostedOrigin, LoginIdentity
from cardtable.club.protocol import Hello, compute_token_proof, hash_token
from cardtable.club.server import account_store
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.admission import generate_word, is_code, is_word, normalize_word
from cardtable.club.server.club_file import MAX_KEYS, MAX_TOKENS, Invitation, KnownGuest
from cardtable.club.server.limits import LIMITS, LoginError, LoginThrottle, NewNicks
from cardtable.club.server.table_access import Person
from cardtable.engine.errors import CardtableError
from cardtable.store import passwords, profiles, seating
from cardtable.store.profiles import Profile
from cardtable.workers.tasks import run_uninterrupted

NEW_CODE: Final = "the club has a new code; ask its host for it"
"""Reason why people who have been here need the code."""
UNKNOWN_DEVICE: Final = (
    "this club does not know your device under that nick; join again, with your password if you have one"
)
"""Reason why a token or key is refused, the same for every nick."""
WRONG_WORD: Final = "that word is not good for your nick, or not any more; ask the host"
LOGGED_OUT: Final = "you are logged out; join again"
"""Reason why a client program that the host runs cannot log in any more."""


ReserveSlot: TypeAlias = Callable[[KnownGuest | None], AbstractContextManager[None]]
"""Function that reserves a place in the club during a login; see ``Authenticator.log_in``."""


class Authenticator:
    """Checks of credentials at a login, and the changes that people make to their own."""

    def __init__(self, store: AccountStore, *, max_new_nicks: int = LIMITS.new_nicks.number) -> None:
        """Log people in to the accounts of ``store``.

        ``max_new_nicks`` is the maximum number of new nicks from one address within an hour.
        """
        self._store: Final = store
        self._hosted_tokens: dict[HostedOrigin, tuple[bytes, Person]] = {}
        """Hash of the token of each client program that the host runs, and the person whom it logs in."""
        self._unconfirmed_nicks: set[str] = set()
        """Keys of new nicks that got a typed token in this run of the host, and nothing that logs them in since."""
        self._new_nicks = NewNicks(max_new_nicks, store.clock)
        self._throttle = LoginThrottle()

    async def log_in(
        self,
        identity: LoginIdentity,
        *,
        code: str = "",
        password: str = "",
        reserve_slot: ReserveSlot = lambda _: nullcontext(),
    ) -> tuple[KnownGuest, str]:
        """Log in by the club's code, and for a known nick also by password; return the account and its token.

        An unknown nick without a password becomes a new guest. ``code`` is ignored if the club has none. In place of
        either, the word of an invitation for the nick needs no other credential and no approval, and is used up. So
        does the word by which a guest comes back, but it stays good, and is the token returned. A suspended credential
        needs the code alone; the token returned is then empty, as it is for an ssh key.

        ``reserve_slot`` is called with a guest who is known by a word, or ``None`` for a newcomer; it returns a
        context for the rest of the login, and raises ``LoginError`` if there is no place.

        Before the code is known, nothing depends on the nick. Afterwards a nick is refused for the same reason, and in
        the same time, whoever has it; that it is free is seen only by taking it, within the limit of new nicks.

        Raises ``LoginError`` if a credential is missing or wrong, a password would be sent over a connection that
        others can read, the nick cannot be taken, the person or address is banned, a limit of the address is exceeded,
        the host has to approve the newcomer, or the host cannot read or save its files.
        """
        self._store.bans.check(LoginIdentity(identity.origin))
        identity = replace(identity, nick=self._store.resolve_nick(identity.nick))
        known: tuple[KnownGuest, str] | None = None
        for word, other in ((password, code), (code, password)):
            if invitation := self._store.invitations.find(identity.nick, word):
                return await self._log_in_by_invitation(invitation, identity, reserve_slot)
            if word and (known := self._log_in_by_word(identity, word, other)):
                break
        if known is None and self.is_suspended(identity):
            person = self._store.find_returning_account(identity.nick)
            assert person is not None
            identity = replace(identity, player=person.player)
            self._store.bans.check(identity)
            known = self._record_login(self._restore_credential(person, identity, code), identity), ""
        if known:
            with reserve_slot(known[0]):
                await self._store.save_pending()
                return known
        self._check_code(code, identity)
        if not password:
            return await self._admit_newcomer(identity, reserve_slot)
        profile = await self._check_password(identity, password)
        return await self._save_login(partial(self._store.pop_player_account, profile), identity)

    async def _admit_newcomer(self, identity: LoginIdentity, reserve_slot: ReserveSlot) -> tuple[KnownGuest, str]:
        """Give a newcomer with the right code a new nick; see ``log_in``."""
        missing, newcomers = identity.origin.alternative, self._store.newcomers
        if wrong := seating.find_new_nick_error(identity.nick):
            raise LoginError(wrong, "nick" if seating.find_nick_error(identity.nick) else missing)
        with reserve_slot(None):
            if not (self._store.state.contents.approval and newcomers.has_asked(identity)):
                self._new_nicks.check(identity)
                self._store.check_room_for(identity)
            if not await self._is_nick_free(identity):
                raise LoginError(account_store.format_occupied_nick(identity.nick, identity.origin), missing)
            if not self._store.state.contents.approval:
                self._store.check_room_for(identity)
                with self._new_nicks.counted(identity):
                    return await self._save_login(lambda: self._create_guest(identity), identity)

            def begin_waiting() -> None:  # who asks has taken the nick as far as the limit is concerned
                self._store.check_room_for(identity)
                self._new_nicks.count(identity)

            approval = newcomers.require_approval(identity, begin_waiting)

            def admit() -> KnownGuest:
                newcomers.use(approval)
                return self._create_guest(identity)

            return await self._save_login(admit, identity)

    async def _is_nick_free(self, identity: LoginIdentity) -> bool:
        """Return True if a newcomer can take a nick. Raises ``LoginError`` if the host cannot read its files."""
        try:
            self._store.bans.check(identity)
            await self._store.check_new_nick(identity.nick)
        except LoginError as error:
            if error.retry_after is not None:
                raise
            return False
        return True

    def _check_code(
        self, code: str, identity: LoginIdentity, missing_reason: str = "this club has a code; ask its host"
    ) -> None:
        """Raise ``LoginError`` if the club has a code, and ``code`` is another one or the address has to wait.

        ``missing_reason`` is the reason if ``code`` is empty.
        """
        if not self._store.code:
            return
        self._throttle.codes.check_delay(identity.network)
        if not code.strip():
            raise LoginError(missing_reason, "code")
        if not is_code(code, self._store.code):
            self._throttle.codes.spend(identity.network)
            wrong = WRONG_WORD if is_word(code) else "that is not the code of this club; ask its host"
            raise LoginError(wrong, "code")

    async def _log_in_by_invitation(
        self, invitation: Invitation, identity: LoginIdentity, reserve_slot: ReserveSlot
    ) -> tuple[KnownGuest, str]:
        """Log in the person whom an invitation names, and use it up; return the account and its new token.

        A known person gets a token for another device, and a newcomer an account. Raises ``LoginError`` if the nick has
        been taken by a player meanwhile, or the account cannot be saved. The invitation can then be used again.
        """
        nick, profile = invitation.nick, account_store.find_profile(invitation.nick)
        identity = replace(identity, nick=nick, player=invitation.player)
        self._store.bans.check(identity)
        if (profile.id if profile else "") != invitation.player:
            raise LoginError(f"{nick} is another player here now; ask the host", "nick")
        if profile:
            account_store.check_has_password(profile)
        guest = self._store.find_guest(nick)
        with reserve_slot(KnownGuest(nick, profile.id) if profile else guest):
            if not profile and not guest:
                self._store.forget_expired_guests()
                if len(self._store.accounts) >= LIMITS.accounts.number:
                    raise LoginError(LIMITS.accounts.refusal)

            def accept() -> KnownGuest:
                self._store.invitations.use(invitation)
                if profile:
                    return self._store.pop_player_account(profile)
                return self._store.find_guest(nick) or self._create_guest(identity)

            return await self._save_login(accept, identity)

    def _create_guest(self, identity: LoginIdentity) -> KnownGuest:
        """Return the account of a newcomer, who takes nothing over from whoever had the nick before."""
        guest = KnownGuest(identity.nick, network=identity.wide_network, has_played=False)
        self._store.observer.forget_former_person(guest.person)
        return guest

    def log_in_by_token(self, identity: LoginIdentity, token: str) -> KnownGuest:
        """Log in the bearer of a token; wrong attempts by others never delay such a login.

        Raises ``LoginError`` if ``token`` is not valid for the nick or needs the club's code, the person is banned, or
        the profiles cannot be read.
        """
        return self._require_known(self._log_in_by_hash(identity, partial(compare_digest, hash_token(token))))

    def is_suspended(self, identity: LoginIdentity) -> bool:
        """Return True if the credential of somebody is good for the nick, but only together with the club's code."""
        person = self._store.find_returning_account(identity.nick)
        return person is not None and bool(self._store.code) and identity.credential in person.suspended

    def _restore_credential(self, person: KnownGuest, identity: LoginIdentity, code: str) -> KnownGuest:
        """Return an account with a token or key that is no longer suspended.

        Raises ``LoginError`` if it is suspended and ``code`` is not the club's code.
        """
        if identity.credential not in person.suspended:
            return person
        self._check_code(code, identity, NEW_CODE)
        self._store.mark_changed()
        return _resume(person, identity.credential)

    def log_in_by_proof(self, hello: Hello, nonce: str, origin: ConnectionOrigin) -> tuple[KnownGuest, str]:
        """Log in a client that proves possession of a token; return the account and the credential of the device.

        ``nonce`` is the random value that the host has sent on this connection. A client program that the host runs has
        no other token than its own, which is good for its own listener only. Wrong attempts by others never delay such
        a login. Raises ``LoginError`` if no token of the nick matches the proof or the profiles cannot be read.
        """

        def matches_proof(token_hash: bytes) -> bool:
            proof = compute_token_proof(token_hash, self._store.id, nonce, hello.nonce)
            return compare_digest(proof.encode(), hello.proof.encode())

        if isinstance(origin, HostedOrigin):
            return self._log_in_hosted_client(origin, matches_proof), origin.credential
        person = self._require_known(self._log_in_by_hash(LoginIdentity(origin, hello.nick), matches_proof, hello.code))
        return person, next((token for token in person.tokens if matches_proof(bytes.fromhex(token))), "")

    @staticmethod
    def _require_known(person: KnownGuest | None) -> KnownGuest:
        """Return the owner of a credential. Raises ``LoginError``, for the same reason whoever has the nick."""
        if person is None:
            raise LoginError(UNKNOWN_DEVICE, "nick")
        return person

    def _log_in_hosted_client(self, origin: HostedOrigin, matches_hash: Callable[[bytes], bool]) -> KnownGuest:
        """Log in the person of a client program that the host runs, by the program's own token."""
        issued = self._hosted_tokens.get(origin)
        if issued is None or not matches_hash(issued[0]):
            raise LoginError(LOGGED_OUT)
        admitted = issued[1]
        person = self._find_admitted_account(admitted.nick)
        if person.player != admitted.player:
            raise LoginError(account_store.format_registered_nick(person.nick, origin))
        self._store.check_ban(person, origin)
        return self._record_login(person, LoginIdentity(origin, credential=origin.credential))

    def _log_in_by_hash(
        self, identity: LoginIdentity, matches_hash: Callable[[bytes], bool], code: str = ""
    ) -> KnownGuest | None:
        """Log in under a nick with any token whose hash satisfies ``matches_hash``; return ``None`` if there is none.

        The owner's token is tried first if the nick belongs to a player without a password, then the tokens of the
        account, of which a suspended one needs the club's ``code``. Raises ``LoginError`` if the person is banned, the
        code is missing or wrong, or the profiles cannot be read.
        """
        nick, origin = self._store.resolve_nick(identity.nick), identity.origin
        profile = account_store.find_profile(nick)
        if profile and not profile.password and matches_hash(hash_token(self._store.owner_token)):
            identity = LoginIdentity(origin, profile.nick, profile.id)
            self._store.bans.check(identity)
            return self._record_login(self._store.pop_player_account(profile), identity)
        returning = self._store.find_returning_account(nick)
        matching = [token for token in returning.tokens if matches_hash(bytes.fromhex(token))] if returning else []
        if not (returning and matching):
            return None
        identity = LoginIdentity(origin, returning.nick, returning.player, matching[0])
        self._store.bans.check(identity)
        return self._record_login(self._restore_credential(returning, identity, code), identity)

    def _log_in_by_word(self, identity: LoginIdentity, typed: str, code: str) -> tuple[KnownGuest, str] | None:
        """Log in by a typed token, in upper or lower case, with or without spaces and hyphens; return it as stored.

        This confirms that the token has been noted, see ``forget_unconfirmed_guest``. ``code`` and the other results
        are those of ``_log_in_by_hash``.
        """
        for word in (typed.strip(), normalize_word(typed)):  # tokens of older versions have capitals and hyphens
            token_hash = hash_token(word)
            if person := self._log_in_by_hash(identity, partial(compare_digest, token_hash), code):
                self._unconfirmed_nicks.discard(seating.compute_nick_key(identity.nick))
                if key := _get_ssh_key(identity):
                    person = self._record_login(_add_key(person, key), identity)
                return person, word
        return None

    async def _save_login(
        self, take_account: Callable[[], KnownGuest], identity: LoginIdentity
    ) -> tuple[KnownGuest, str]:
        """Save the account that ``take_account`` returns, and return it with the token of the device.

        By ssh the device is known by a key that has signed, a player by the password, and any other guest by a token
        that is short enough to be typed. A client program that the host runs gets a token that is forgotten with the
        program, and others get a random one.

        Raises ``LoginError`` if the account cannot be saved; what ``take_account`` has changed is then undone, too, and
        also if a guest leaves meanwhile who has not learnt the token.
        """
        origin, key, token = identity.origin, _get_ssh_key(identity), ""
        guest: KnownGuest | None = None
        before = after = self._store.state.take_snapshot()
        try:
            async with self._store.saving():
                person = take_account()
                is_new = self._store.find_account(person.nick) is None
                if key:
                    person = _add_key(person, key)
                elif not isinstance(origin, HostedOrigin):
                    if origin.transport != "ssh":
                        token = secrets.token_urlsafe(24)
                    elif not person.is_member:
                        token = generate_word()
                    if token:
                        person = replace(person, tokens=(hash_token(token).hex(), *person.tokens)[:MAX_TOKENS])
                person = self._store.record_use(person, key or hash_token(token).hex(), origin.transport)
                guest, after = person if token else None, self._store.state.take_snapshot()
        except CardtableError as error:
            raise LoginError(f"{error.reason}; try again later", retry_after=account_store.DISK_RETRY_SECONDS) from None
        except asyncio.CancelledError:
            if guest and self._store.find_guest(guest.nick) is guest:  # nobody has learnt the token
                self._store.state.revert(before, after)
                self._store.mark_changed()
            raise
        nick_key = seating.compute_nick_key(person.nick)
        if not is_new:  # the account has other credentials
            self._unconfirmed_nicks.discard(nick_key)
        elif token and origin.transport == "ssh":
            self._unconfirmed_nicks.add(nick_key)
        if isinstance(origin, HostedOrigin) and origin in self._hosted_tokens:  # else the program has ended
            token = self.issue_hosted_token(person.nick, origin)
        return person, token

    def _record_login(self, person: KnownGuest, identity: LoginIdentity) -> KnownGuest:
        """Store an account with the time of its login, and return it; ``save_pending`` writes the change."""
        known = self._store.record_use(person, identity.credential, identity.origin.transport)
        if known != person:
            self._store.mark_changed()
        return known

    # What people change themselves

    async def sign_in(self, nick: str, password: str, origin: ConnectionOrigin) -> tuple[str, str]:
        """Check a player's password, and return the player's nick and a new token.

        The client has logged in as a guest, and logs in again with the token. Raises ``LoginError`` if the password is
        not that of a player ``nick``, or cannot be checked now, or the token cannot be saved.
        """
        identity = LoginIdentity(origin, self._store.resolve_nick(nick))
        profile = await self._check_password(identity, password)
        person, token = await self._save_login(partial(self._store.pop_player_account, profile), identity)
        return person.nick, token

    async def register(self, nick: str, password: str, origin: ConnectionOrigin) -> str:
        """Create a profile with a password for a guest, and return a token for the new player.

        Raises ``LoginError`` if others can read the connection, ``nick`` belongs to a player, the password is not
        acceptable, a limit is reached or the account cannot be saved, and ``CardtableError`` if the profile cannot be
        created. The person then remains a guest. Of the guest's tokens and keys, only the one of the device at which
        the host runs the client program stays good.
        """
        identity = LoginIdentity(origin, nick)
        _check_private_connection(origin)
        self._store.bans.check(identity)
        if not self._store.is_guest(nick):
            raise LoginError(f"{nick} is already a player here; sign in")
        if wrong := passwords.find_password_error(password, password):
            raise LoginError(wrong)
        network = self._store.find_registration_network(identity)
        await self._throttle.queue.run(identity, lambda: profiles.register_remote(nick, password))
        profile = account_store.find_profile(nick)
        if profile is None:
            raise LoginError(f"{nick} is no longer a player; register again")

        def become_player() -> KnownGuest:
            guest = self._store.find_account(nick)
            own = {origin.credential} if isinstance(origin, HostedOrigin) else set[str]()
            return replace(
                self._store.pop_player_account(profile),
                former_nicks=guest.former_nicks if guest else (),
                renamed=guest.renamed if guest else 0,
                settings=guest.settings if guest else "",
                network=network,
                guest_nick=nick,
                tokens=tuple(own.intersection(guest.tokens if guest else ())),
                keys=tuple(own.intersection(guest.keys if guest else ())),
            )

        try:
            return (await self._save_login(become_player, identity))[1]
        except LoginError:
            with suppress(CardtableError):
                await run_uninterrupted(asyncio.to_thread(profiles.undo_registration, profile))
            raise

    async def change_password(
        self, nick: str, old: str, password: str, origin: ConnectionOrigin, *, revoke_others: bool = False
    ) -> str:
        """Change the password of a player who knows the old one.

        With ``revoke_others`` all tokens and ssh keys of the player become invalid, and a new token is returned; else
        the result is empty. Raises ``LoginError`` if others can read the connection, the player has no password, a
        password is wrong or not acceptable, or the address has to wait, and ``CardtableError`` if the host cannot save.
        """
        _check_private_connection(origin)
        profile = account_store.find_profile(nick)
        if profile is None or not profile.password:
            raise LoginError("only players of the club have a password; register first")
        if wrong := passwords.find_password_error(password, password):
            raise LoginError(wrong)
        identity = LoginIdentity(origin, nick)
        profile = await self._check_password(identity, old)
        await self._throttle.queue.run(identity, lambda: profiles.replace_password(profile, password))
        if not revoke_others:
            return ""

        def drop_credentials() -> KnownGuest:
            player = self._store.pop_player_account(profile)
            return player.drop(*player.credentials)

        try:
            _, token = await self._save_login(drop_credentials, identity)
        except LoginError as error:
            raise LoginError(f"the password is changed, but your other devices are not logged out: {error}") from None
        self.log_out_hosted(nick, lambda other: other is not origin)
        return token

    def log_out_hosted(self, nick: str, is_concerned: Callable[[HostedOrigin], bool]) -> None:
        """Keep client programs that the host runs for a person from logging in again."""
        for origin, (_, admitted) in self._hosted_tokens.items():
            if is_concerned(origin) and seating.is_same_nick(admitted.nick, nick):
                self.issue_hosted_token(nick, origin)  # nobody learns it

    async def _check_password(self, identity: LoginIdentity, password: str) -> Profile:
        """Return the player with a nick and this password.

        It takes as long if there is none. Raises ``LoginError`` if there is none, the person is banned, others can read
        the connection, or the address has to wait.
        """
        _check_private_connection(identity.origin)
        profile = account_store.find_profile(identity.nick)
        stored = (profile and profile.password) or passwords.create_unmatched_hash()
        is_correct = await self._throttle.check_password(identity, lambda: passwords.is_correct(stored, password))
        if profile is None or not is_correct:
            raise LoginError(WRONG_WORD if is_word(password) else passwords.WRONG_PASSWORD, "password")
        self._store.bans.check(LoginIdentity(identity.origin, profile.nick, profile.id))
        return profile

    def issue_hosted_token(self, nick: str, origin: HostedOrigin) -> str:
        """Return the token by which a client program that the host runs logs in a person who has been let in.

        It replaces the program's earlier token, and is valid until ``revoke_hosted_token``.
        """
        token = secrets.token_urlsafe(24)
        self._hosted_tokens[origin] = hash_token(token), self._find_admitted_account(nick).person
        return token

    def get_hosted_nick(self, origin: HostedOrigin) -> str:
        return self._hosted_tokens[origin][1].nick

    def rename_hosted(self, former: Person, person: Person) -> None:
        """Use the present nick of a person, given as they were, in the client programs that the host runs for them."""
        for origin, (token_hash, admitted) in self._hosted_tokens.items():
            if admitted.is_same(former):
                self._hosted_tokens[origin] = token_hash, person

    def revoke_hosted_token(self, origin: HostedOrigin) -> None:
        self._hosted_tokens.pop(origin, None)

    def _find_admitted_account(self, nick: str) -> KnownGuest:
        """Return the account of a person whom another endpoint lets in under a nick."""
        return self._store.find_returning_account(nick) or self._store.find_account(nick) or KnownGuest(nick)

    async def forget_unconfirmed_guest(self, nick: str) -> None:
        """Forget a guest who lost the connection before noting their typed token, so that the nick can be used again.

        Nothing changes if the person has used the token, has ever sat at a table in play, or is a player.
        """
        key = seating.compute_nick_key(nick)
        person = self._store.find_account(nick)
        if key in self._unconfirmed_nicks and person and not person.has_played and not person.is_member:
            self._store.remove_account(nick)
            self._unconfirmed_nicks.discard(key)
            with suppress(CardtableError):  # the next save removes the nick from the file
                await self._store.save_all()


def _check_private_connection(origin: ConnectionOrigin) -> None:
    if not origin.is_private:
        raise LoginError("others could read your password on this connection; join by ssh or with TLS")


def _get_ssh_key(identity: LoginIdentity) -> str:
    """Return the fingerprint of the key by which the device at an ssh connection is known; empty if there is none."""
    is_by_ssh = identity.origin.transport == "ssh" and not isinstance(identity.origin, HostedOrigin)
    return identity.credential if is_by_ssh else ""


def _add_key(person: KnownGuest, key: str) -> KnownGuest:
    """Return an account with a further ssh key, as the newest of at most ``MAX_KEYS``."""
    keys = tuple(dict.fromkeys((key, *person.keys)))[:MAX_KEYS]
    return replace(_resume(person, key), keys=keys)


def _resume(person: KnownGuest, credential: str) -> KnownGuest:
    """Return an account with a credential that needs no code."""
    return replace(person, suspended=tuple([other for other in person.suspended if other != credential]))
