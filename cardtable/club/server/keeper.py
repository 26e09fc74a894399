"""Keeper of a club: executes the commands by which the host keeps order, and logs them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from time import time
from typing import Final, assert_never

from cardtable.club import keeper_protocol
from cardtable.club.keeper_protocol import (
    AnyKeeperCommand,
    AnyResult,
    Bans,
    CodeChanged,
    Done,
    Erased,
    GuestConnection,
    Invitations,
    Invited,
    Newcomer,
    PasswordReset,
    People,
    PresentPerson,
    Refused,
    Restriction,
    Tables,
    find_code_error,
    shorten_table_id,
)
from cardtable.club.protocol import TableInfo, Talk
from cardtable.club.server.bans import format_end
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_file import KnownGuest, format_forgotten
from cardtable.club.server.host_log import create_fault_event
from cardtable.club.server.invitations import INVITATION_SECONDS
from cardtable.club.server.limits import LoginError
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.session_changes import PROGRAM_FAULT
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import (
    find_name,
    fold,
    format_count,
    format_unknown_name,
    sanitize,
    shorten_path,
    to_one_line,
)
from cardtable.games import ABOUT
from cardtable.store import profiles
from cardtable.store.erasure import Erasure
from cardtable.store.errors import format_os_error
from cardtable.store.seating import is_same_nick, normalize_nick

END_TIMEOUT: Final = 5.0
"""Maximum time to wait until the connections of a person have ended, in seconds."""
MAX_REASON_LENGTH: Final = 120
MAX_ANNOUNCEMENT_LENGTH: Final = 180
MAX_LOG_LINES: Final = 200
"""Maximum number of log lines that wait for a program of the keeper; beyond it the oldest ones are dropped."""


class LogStream:
    """Lines of the host's log, passed on to its output and to the programs that follow it."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._followers: list[asyncio.Queue[str]] = []

    def write(self, line: str) -> None:
        """Write a line; a follower that is too slow loses its oldest line."""
        self._write(line)
        for follower in self._followers:
            if follower.full():
                follower.get_nowait()
            follower.put_nowait(str(line))

    @contextmanager
    def follow(self) -> Iterator["asyncio.Queue[str]"]:
        """Return a context in which each new line is put into the yielded queue."""
        follower: asyncio.Queue[str] = asyncio.Queue(MAX_LOG_LINES)
        self._followers.append(follower)
        try:
            yield follower
        finally:
            self._followers.remove(follower)


async def _end_no_processes(_nick: str, _reason: str) -> None:
    """End no processes, in a club without endpoints that start any."""


class Keeper:
    """Executor of the keeper's commands in one club."""

    def __init__(
        self,
        lobby: ClubLobby,
        log: Callable[[str], object],
        end_processes: Callable[[str, str], Awaitable[None]] = _end_no_processes,
    ) -> None:
        """Create the keeper of the club with this lobby.

        ``log`` is called with a line for each act. ``end_processes`` ends the client processes that the host runs for a
        nick, with a message for the guest, and returns once they have ended.
        """
        self._lobby, self._log, self._end_processes = lobby, log, end_processes
        self._accounts, self._administration = lobby.accounts, lobby.administration

    async def execute(self, command: AnyKeeperCommand) -> AnyResult:
        """Execute a command, and return its result, which is ``Refused`` if that is impossible."""
        try:
            result = await self._execute(command)
            self._lobby.schedule_news()
            return result
        except CardtableError as error:
            return Refused(f"{error.reason}{self._suggest_nick(command)}")
        except OSError as error:
            return Refused(f"the club cannot do that now: {format_os_error(error)}")
        except Exception as error:
            self._log(create_fault_event(error, f"the keeper's command {command.__struct_config__.tag}"))
            return Refused(PROGRAM_FAULT)

    async def _execute(self, command: AnyKeeperCommand) -> AnyResult:  # noqa: PLR0912 - a branch for each command
        match command:
            case keeper_protocol.ListPeople():
                return self._list_people()
            case keeper_protocol.ListTables():
                return Tables(tuple(self._lobby.table_manager.registry.list_lobby_tables().values()))
            case keeper_protocol.FollowLog():
                return Done("")
            case keeper_protocol.Kick():
                return await self._kick(command)
            case keeper_protocol.BanPerson():
                return await self._ban(command)
            case keeper_protocol.Unban(target):
                name = _format_target(target)
                await self._administration.unban(target)
                self._log(f"the keeper ends the ban of {name}")
                return Done(f"{name} may come back.")
            case keeper_protocol.MutePerson():
                return await self._mute(command)
            case keeper_protocol.Unmute(nick):
                return await self._unmute(nick)
            case keeper_protocol.ListBans():
                return self._list_bans()
            case keeper_protocol.RevokeTokens(nick):
                return await self._revoke_tokens(nick)
            case keeper_protocol.ChangeCode():
                return await self._change_code(command)
            case keeper_protocol.SetApproval(required):
                return await self._set_approval(required)
            case keeper_protocol.Approve(nick, address):
                await self._administration.approve(nick, address)
                self._log(f"the keeper lets {normalize_nick(nick)} in")
                return Done(f"{normalize_nick(nick)} may come in; their program asks again within seconds.")
            case keeper_protocol.Reject(nick, address):
                await self._administration.reject(nick, address)
                self._log(f"the keeper does not let {normalize_nick(nick)} in")
                return Done(f"{normalize_nick(nick)} is refused for an hour.")
            case keeper_protocol.Invite():
                return await self._invite(command)
            case keeper_protocol.ListInvitations():
                invited = [Restriction(each.nick, each.until) for each in self._administration.list_invitations()]
                return Invitations(tuple(invited))
            case keeper_protocol.WithdrawInvitation(nick):
                nick = self._accounts.resolve_nick(nick)
                await self._administration.withdraw_invitation(nick)
                self._log(f"the keeper withdraws the invitation of {nick}")
                return Done(f"The invitation of {nick} is no longer good.")
            case keeper_protocol.ResetPassword(nick):
                return await self._reset_password(nick)
            case keeper_protocol.Forget(nick):
                return await self._forget(nick)
            case keeper_protocol.Erase(nick):
                return await self._erase(nick)
            case keeper_protocol.CloseTable():
                return await self._close_table(command)
            case keeper_protocol.Announce(text):
                return self._announce(_normalize_text(text, MAX_ANNOUNCEMENT_LENGTH))
            case (
                keeper_protocol.NewTournament()
                | keeper_protocol.BeginTournamentRound()
                | keeper_protocol.EndTournament()
            ):
                return await self._conduct_tournament(command)
            case _:
                assert_never(command)

    def _suggest_nick(self, command: AnyKeeperCommand) -> str:
        """Return a question with a similar nick to append to a refusal, if none of the nicks in question was typed.

        The result is empty if it was, none is similar, or the refusal asks already.
        """
        known, typed = list[str](), ""
        match command:
            case keeper_protocol.Approve(nick=typed) | keeper_protocol.Reject(nick=typed):
                known = [each.nick for each in self._administration.waiting_newcomers]
            case keeper_protocol.Unban(target=typed):
                known = [each.nick for each in self._accounts.bans.bans]
            case keeper_protocol.Unmute(nick=typed):
                known = [each.nick for each in self._accounts.bans.mutes]
            case keeper_protocol.WithdrawInvitation(nick=typed):
                known = [each.nick for each in self._administration.list_invitations()]
            case (
                keeper_protocol.MutePerson(nick=typed)
                | keeper_protocol.RevokeTokens(nick=typed)
                | keeper_protocol.ResetPassword(nick=typed)
                | keeper_protocol.Forget(nick=typed)
                | keeper_protocol.Erase(nick=typed)
                | keeper_protocol.BanPerson(target=typed)
            ):
                known = [*self._accounts.known_nicks, *self._lobby.present_nicks]
            case _:
                pass
        similar = None if any(is_same_nick(nick, typed) for nick in known) else _find_similar(typed, known)
        return f"; did you mean {similar}?" if similar else ""

    # People

    def _list_people(self) -> People:
        return People(
            tuple([self._describe_person(nick) for nick in self._lobby.present_nicks]),
            tuple([Newcomer(each.nick, each.address, each.since) for each in self._administration.waiting_newcomers]),
            self._accounts.requires_approval,
        )

    def _describe_person(self, nick: str) -> PresentPerson:
        lobby = self._lobby
        account = self._accounts.find_returning_account(nick)
        return PresentPerson(
            nick=nick,
            is_member=not self._accounts.is_guest(nick),
            connections=tuple(
                [
                    GuestConnection(each.origin.door, each.origin.address, each.connected_at)
                    for each in self._find_clients(nick)
                ]
            ),
            tables=tuple(sorted(lobby.table_manager.limits.list_joined_tables(nick))),
            is_muted=self._accounts.is_muted(nick),
            tokens=len(account.tokens) if account else 0,
            keys=len(account.keys) if account else 0,
        )

    def _find_clients(self, nick: str) -> list[ConnectedClient]:
        return [client for client in self._lobby.clients if is_same_nick(client.nick, nick)]

    def _find_present_nick(self, typed: str) -> str:
        """Return the nick of a person who is here as it is written in the club.

        Raises ``CardtableError`` with a suggestion if nobody here has the nick.
        """
        present_nicks = self._lobby.present_nicks
        nick = find_name(typed, present_nicks)
        if nick is None:
            raise CardtableError(_format_absent_nick(typed, present_nicks))
        return nick

    async def _kick(self, command: keeper_protocol.Kick) -> Done:
        nick, reason = self._find_present_nick(command.nick), _normalize_reason(command.reason)
        count = len(self._find_clients(nick))
        self._log(f"the keeper disconnects {nick}{_format_reason(reason)}")
        await self._disconnect([nick], f"The host has disconnected you{_format_reason(reason)}.")
        return Done(f"{nick} is disconnected ({format_count(count, 'connection')}), and may come back.")

    async def _disconnect(self, nicks: Iterable[str], reason: str) -> None:
        """End all connections and client processes of people, and wait until they have ended."""
        people = [*nicks]
        clients = [client for nick in people for client in self._find_clients(nick)]
        for client in clients:
            client.end_connection(reason)
        with suppress(TimeoutError):
            async with asyncio.timeout(END_TIMEOUT):
                await asyncio.gather(
                    *[self._end_processes(nick, reason) for nick in people], *[each.ended.wait() for each in clients]
                )

    # Bans and mutes

    async def _ban(self, command: keeper_protocol.BanPerson) -> Done:
        target, reason = command.target.strip(), _normalize_reason(command.reason)
        until = time() + command.seconds if command.seconds else None
        if _is_network(target):
            ban = await self._administration.ban_network(target, until)
            name = ", ".join(map(_format_network, ban.networks))
        else:
            clients = self._find_clients(self._accounts.resolve_nick(target)) if command.with_address else []
            addresses = {each.origin.address for each in clients}
            ban = await self._administration.ban(target, until, networks=sorted(addresses))
            name = ban.nick
        period = format_end(ban.until) or "for ever"
        self._log(f"the keeper bans {name} {period}{_format_reason(reason)}")
        concerned = [nick for nick in self._lobby.present_nicks if self._is_banned(nick)]
        await self._disconnect(concerned, f"The host has banned you {period}{_format_reason(reason)}.")
        others = [nick for nick in concerned if nick != ban.nick]
        gone = f" Disconnected: {', '.join(concerned)}." if others else " They are disconnected." if concerned else ""
        return Done(f"{name} is banned {period}.{gone}")

    def _is_banned(self, nick: str) -> bool:
        """Return True if a person who is here, or one of their addresses, is banned."""
        account = self._accounts.find_returning_account(nick) or KnownGuest(nick)
        try:
            for client in self._find_clients(nick):
                self._accounts.check_ban(account, client.origin)
        except LoginError:
            return True
        return False

    def _list_bans(self) -> Bans:
        bans = self._accounts.bans
        return Bans(
            tuple(
                [Restriction(", ".join(filter(None, (each.nick, *each.networks))), each.until) for each in bans.bans]
            ),
            tuple([Restriction(each.nick, each.until) for each in bans.mutes]),
        )

    async def _mute(self, command: keeper_protocol.MutePerson) -> Done:
        mute = await self._administration.mute(command.nick, time() + command.seconds if command.seconds else None)
        period = format_end(mute.until) or "until further notice"
        self._log(f"the keeper mutes {mute.nick} {period}")
        self._tell(mute.nick, f"The host has muted you {period}: nobody gets what you say.")
        return Done(f"{mute.nick} is muted {period}.")

    async def _unmute(self, typed: str) -> Done:
        nick = self._accounts.resolve_nick(typed)
        await self._administration.unmute(nick)
        self._log(f"the keeper lets {nick} talk again")
        self._tell(nick, "The host lets you talk again.")
        return Done(f"{nick} can talk again.")

    def _tell(self, nick: str, text: str) -> None:
        """Send a message of the club itself to a person."""
        for client in self._find_clients(nick):
            client.queue_talk(Talk(text))

    # Accounts

    async def _revoke_tokens(self, typed: str) -> Done:
        nick = self._accounts.resolve_nick(typed)
        needs_invitation = await self._administration.revoke_tokens(nick)
        self._log(f"the keeper revokes the tokens and ssh keys of {nick}")
        await self._disconnect([nick], "The host has ended your visit on all devices. Ask the host how to come back.")
        remark = f"an invitation lets them back: invite {nick}" if needs_invitation else "they come back by password"
        return Done(f"The tokens and ssh keys of {nick} are revoked; {remark}.")

    async def _change_code(self, command: keeper_protocol.ChangeCode) -> CodeChanged:
        if command.code is not None and (wrong := find_code_error(command.code)):
            raise CardtableError(wrong)
        spared = [nick for nick in self._lobby.present_nicks if is_same_nick(nick, command.except_nick)]
        code = await self._administration.change_code(command.code, everybody=command.everybody, except_nicks=spared)
        if not command.everybody:
            self._log("the keeper changes the code")
            return CodeChanged(code, "People who have been here come back without it.")
        self._log("the keeper changes the code and disconnects everybody")
        others = [nick for nick in self._lobby.present_nicks if nick not in spared]
        await self._disconnect(others, "The club has a new code; ask its host for it, and join again.")
        return CodeChanged(
            code,
            f"Disconnected: {', '.join(others) or 'nobody'}. Everybody comes back on their devices by the new code.",
        )

    async def _set_approval(self, required: bool) -> Done:
        await self._administration.set_requires_approval(required)
        if required:
            self._log("the keeper lets newcomers in by hand from now on")
            return Done("Newcomers with the right code wait until you approve them.")
        self._log("newcomers come in by the code alone from now on")
        return Done("Newcomers come in by the code alone.")

    async def _invite(self, command: keeper_protocol.Invite) -> Invited:
        seconds = command.seconds or INVITATION_SECONDS
        until = int(time()) + seconds
        word = await self._administration.create_invitation(command.nick, seconds)
        nick = self._accounts.resolve_nick(command.nick)
        self._log(f"the keeper invites {nick}")
        return Invited(nick, until, self._lobby.format_personal_invitation(nick, word))

    async def _reset_password(self, typed: str) -> PasswordReset:
        nick = self._accounts.resolve_nick(typed)
        if profiles.find_same(nick) is None:
            raise CardtableError(
                f"{sanitize(nick, 20)} is no player; a guest comes back by an invitation: invite {nick}"
            )
        password = await self._administration.reset_password(nick)
        self._log(f"the keeper gives {nick} a new password")
        return PasswordReset(nick, password)

    async def _forget(self, typed: str) -> Done:
        person = await self._administration.forget(typed)
        nick = sanitize(person.nick)
        self._log(f"the keeper forgets {nick}")
        await self._disconnect([person.nick], "The host has ended your visit on all devices. Join again.")
        return Done(format_forgotten(person))

    async def _erase(self, typed: str) -> Erased:
        nick = self._accounts.resolve_nick(typed)
        erasure = await self._lobby.erase(nick)
        self._log(f"the keeper erases the data of {erasure.name}")
        return create_erased(nick, erasure)

    # Tables

    def _find_table(self, typed: str) -> TableInfo:
        """Return the open table whose id or short name, or an unambiguous beginning or end of it, is ``typed``.

        Raises ``CardtableError`` if there is none or there are several.
        """
        tables = self._lobby.table_manager.registry.list_lobby_tables()
        text = typed.strip().lower()
        matches = [id_ for id_ in tables if id_ == text] or [
            id_
            for id_ in tables
            if text and (id_.startswith(text) or id_.endswith(text) or shorten_table_id(id_).startswith(text))
        ]
        if len(matches) == 1:
            return tables[matches[0]]
        if not tables:
            raise CardtableError("no table is open")
        names = {shorten_table_id(id_): id_ for id_ in matches or tables}
        if matches:
            raise CardtableError(f"several tables are called {sanitize(typed, 30)!r}: {', '.join(names)}")
        raise CardtableError(format_unknown_name("table", typed, names))

    async def _close_table(self, command: keeper_protocol.CloseTable) -> Done:
        table, reason = self._find_table(command.table), _normalize_reason(command.reason)
        game = ABOUT[table.game].title
        self._log(f"the keeper closes the table {table.table}{_format_reason(reason)}")
        await self._lobby.close_table(table.table, f"The host has closed the table of {game}{_format_reason(reason)}.")
        name = shorten_table_id(table.table)
        if not table.playing:
            return Done(f"The table {name} is closed; it had not started.")
        if table.over:
            return Done(f"The table {name} is closed; its session was over.")
        return Done(f"The table {name} is closed. Its session is unfinished, and its players can resume it.")

    # Tournaments

    async def _conduct_tournament(self, command: keeper_protocol.AnyTournamentCommand) -> Done:
        manager = self._lobby.tournament_manager
        match command:
            case keeper_protocol.NewTournament():
                opened = await manager.create(command)
                return Done(
                    f"The tournament {opened.name} is open. The SHA-256 of the key of its deals is {opened.commitment}."
                )
            case keeper_protocol.BeginTournamentRound(name):
                tournament, number = await manager.begin_round(name)
                return Done(f"Round {number} of {tournament.name} begins, and its people are called to their tables.")
            case keeper_protocol.EndTournament(name, is_cancelled):
                ended = await manager.end(name, "cancelled" if is_cancelled else "ended")
                return Done(
                    f"The tournament {ended.name} is {ended.state}. The key of its deals is {ended.key or 'lost'}."
                )
            case _:
                assert_never(command)

    # Messages

    def _announce(self, text: str) -> Done:
        if not sanitize(text).strip():
            raise CardtableError("type something to say")
        self._log(f"the keeper says: {text}")
        self._lobby.announce(f"The host says: {text}")
        return Done(f"Sent to all who are here: {', '.join(self._lobby.present_nicks) or 'nobody'}.")


def create_erased(nick: str, erasure: Erasure) -> Erased:
    """Return the result of an erasure for the keeper."""
    files = tuple([shorten_path(path) for path in erasure.unchanged_files])
    return Erased(nick, erasure.name, len(erasure.sessions), files)


def _normalize_text(text: str, max_length: int) -> str:
    """Return typed text in one line. Raises ``CardtableError`` if it has more than ``max_length`` characters."""
    normalized = to_one_line(" ".join(text.split()))
    if len(normalized) > max_length:
        raise CardtableError(f"that has {len(normalized)} characters; {max_length} are allowed")
    return normalized


def _normalize_reason(reason: str) -> str:
    """Return a reason in the form in which it ends a sentence."""
    return _normalize_text(reason, MAX_REASON_LENGTH).rstrip(".")


def _format_network(network: str) -> str:
    """Return a network in CIDR notation, or the address alone if it is the only one in the network."""
    return network.removesuffix("/128") if ":" in network else network.removesuffix("/32")


def _format_target(target: str) -> str:
    """Return the target of a ban as it is shown: an address or network as typed, or else the nick."""
    return sanitize(target) if _is_network(target) else normalize_nick(target)


def _is_network(target: str) -> bool:
    """Return True if a target of a ban is meant as an address or network, which no nick can look like."""
    return any(sign in target for sign in ".:/")


def _format_reason(reason: str) -> str:
    return f": {reason}" if reason else ""


def _format_absent_nick(typed: str, present: Sequence[str]) -> str:
    """Return the error message for a nick that is not among those present, with a similar nick or all of them."""
    name = sanitize(typed, 20)
    if similar := _find_similar(typed, present):
        return f"nobody here is called {name}; did you mean {similar}?"
    return f"nobody here is called {name}; here: {', '.join(present) or 'nobody'}"


def _find_similar(typed: str, known: Sequence[str]) -> str | None:
    """Return the known nick that is most similar to a typed one, or ``None`` if none is similar."""
    by_folded_nick = {fold(nick): nick for nick in known}
    near = get_close_matches(fold(typed[:40]), by_folded_nick, 1)
    return by_folded_nick[near[0]] if near else None
