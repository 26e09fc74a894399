"""Administration of a club: one function for each command of the host, which also logs what it does.

The endpoint takes the commands of programs that can read the files of the host's home.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from difflib import get_close_matches
from hmac import compare_digest
from time import time
from typing import Final, Literal

import msgspec
from msgspec.structs import asdict
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from cardtable.club import administration, protocol
from cardtable.club.administration import (
    MAX_FRAME_BYTES,
    Done,
    FollowLog,
    LogLine,
    Proof,
    Restriction,
    compute_proof,
    decode_command,
    format_moment,
    list_fields,
    shorten_table_id,
)
from cardtable.club.server import connections
from cardtable.club.server.admission import INVITATION_SECONDS, format_end
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_file import KnownGuest, format_forgotten
from cardtable.club.server.host_events import EventStream, HostAct, HostActed, HostEvent, LogEvent, create_fault
from cardtable.club.server.limits import LoginError, RequestRefused
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.requests import Sender, execute_request, handles
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
from cardtable.store.seating import is_same_nick, normalize_nick
from cardtable.wording import seasons as season_texts
from cardtable.workers.tasks import run_uninterrupted, start_task, stop_task

END_TIMEOUT: Final = 5.0
"""Maximum time to wait until the connections of a person have ended, in seconds."""
MAX_REASON_LENGTH: Final = 120
MAX_ANNOUNCEMENT_LENGTH: Final = 180


async def _end_no_processes(_nick: str, _reason: str) -> None:
    """End no processes, in a club without endpoints that start any."""


async def administrator(sender: Sender, _message: protocol.ClientMessage) -> "Administration":
    if not isinstance(sender, Administration):
        raise RequestRefused("only the host of the club can do that")
    return sender


class Administration(Sender):
    """Host of one club, as the sender of commands; only the programs of the host's home act through it."""

    def __init__(
        self,
        lobby: ClubLobby,
        end_processes: Callable[[str, str], Awaitable[None]] = _end_no_processes,
    ) -> None:
        """Act in the club of a lobby.

        ``end_processes`` ends the client processes that the host runs for a nick, with a message for the guest, and
        returns once they have ended.
        """
        super().__init__(lobby)
        self._end_processes = end_processes
        self._accounts, self._administration = lobby.accounts, lobby.administration

    def log_fault(self, error: Exception, tag: str) -> None:
        self.lobby.emit(create_fault(error, f"the administrator's command {tag}"))

    def suggest_name(self, message: protocol.ClientMessage) -> str:
        """Return a question with a name similar to one in a command, to append to a refusal.

        The result is empty if the name was known, none is similar, or the refusal asks already.
        """
        for field in list_fields(type(message)) if isinstance(message, administration.HostCommand) else ():
            kind = field.parameter.names
            if kind not in ("", "table") and not field.parameter.may_be_new:
                known, typed = self._list_names(kind), asdict(message)[field.name]
                if any(is_same_nick(name, typed) for name in known):
                    return ""
                if similar := _find_similar(typed, known):
                    return f"; did you mean {similar}?"
                return f"; here: {', '.join(known) or 'nobody'}" if kind == "present" else ""
        return ""

    def _list_names(self, kind: administration.NameKind) -> Sequence[str]:
        """Return the names that a parameter takes."""
        match kind:
            case "present":
                return self.lobby.present_nicks
            case "known":
                return [*self._accounts.known_nicks, *self.lobby.present_nicks]
            case "waiting":
                return [newcomer.nick for newcomer in self._accounts.newcomers.waiting]
            case "banned":
                return [ban.nick or ban.networks[0] for ban in self._accounts.bans.bans]
            case "muted":
                return [mute.nick for mute in self._accounts.bans.mutes]
            case "invited":
                return self._accounts.invitations.nicks
            case "table":
                return [*map(shorten_table_id, self.lobby.table_manager.registry.list_lobby_tables())]
            case _:
                return ()

    @handles(administration.ListNames, administrator)
    async def list_names(self, command: administration.ListNames) -> administration.Names:
        return administration.Names(tuple(self._list_names(command.kind)))

    # People

    @handles(administration.FollowLog, administrator)
    async def follow_log(self, _command: administration.FollowLog) -> Done:
        return Done("")

    @handles(administration.ListPeople, administrator)
    async def list_people(self, _command: administration.ListPeople) -> administration.People:
        return administration.People(
            tuple([self._describe_person(nick) for nick in self.lobby.present_nicks]), self._get_approval()
        )

    def _describe_person(self, nick: str) -> administration.PresentPerson:
        account = self._accounts.find_returning_account(nick)
        return administration.PresentPerson(
            nick=nick,
            is_member=not self._accounts.is_guest(nick),
            connections=tuple(
                [
                    administration.GuestConnection(client.origin.transport, client.origin.address, client.connected_at)
                    for client in self._find_clients(nick)
                ]
            ),
            tables=tuple(sorted(self.lobby.table_manager.limits.list_joined_tables(nick))),
            is_muted=self._accounts.is_muted(nick),
            tokens=len(account.tokens) if account else 0,
            keys=len(account.keys) if account else 0,
        )

    def _find_clients(self, nick: str) -> list[ConnectedClient]:
        return [client for client in self.lobby.clients if is_same_nick(client.nick, nick)]

    @handles(administration.Kick, administrator)
    async def kick(self, command: administration.Kick) -> Done:
        nick, reason = find_name(command.nick, self.lobby.present_nicks), _normalize_reason(command.reason)
        if nick is None:
            raise CardtableError(f"nobody here is called {sanitize(command.nick, 20)}")
        count = len(self._find_clients(nick))
        self.lobby.emit(HostActed(HostAct.KICK, nick, reason))
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
                    *[self._end_processes(nick, reason) for nick in people],
                    *[client.ended.wait() for client in clients],
                )

    # Bans and mutes

    @handles(administration.BanPerson, administrator)
    async def ban(self, command: administration.BanPerson) -> Done:
        target, reason = command.target.strip(), _normalize_reason(command.reason)
        until = time() + command.seconds if command.seconds else None
        if _is_network(target):
            ban = await self._administration.ban_network(target, until)
            name = ", ".join(network.removesuffix("/128" if ":" in network else "/32") for network in ban.networks)
        else:
            clients = self._find_clients(self._accounts.resolve_nick(target)) if command.address else []
            addresses = {client.origin.address for client in clients}
            ban = await self._administration.ban(target, until, networks=sorted(addresses))
            name = ban.nick
        period = format_end(ban.until) or "for ever"
        self.lobby.emit(HostActed(HostAct.BAN, name, reason, period))
        concerned = [nick for nick in self.lobby.present_nicks if self._is_banned(nick)]
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

    @handles(administration.Unban, administrator)
    async def unban(self, command: administration.Unban) -> Done:
        name = sanitize(command.target) if _is_network(command.target) else normalize_nick(command.target)
        await self._administration.unban(command.target)
        self.lobby.emit(HostActed(HostAct.UNBAN, name))
        return Done(f"{name} may come back.")

    @handles(administration.ListBans, administrator)
    async def list_bans(self, _command: administration.ListBans) -> administration.Bans:
        bans = self._accounts.bans
        return administration.Bans(
            tuple([Restriction(", ".join(filter(None, (ban.nick, *ban.networks))), ban.until) for ban in bans.bans]),
            tuple([Restriction(mute.nick, mute.until) for mute in bans.mutes]),
        )

    @handles(administration.MutePerson, administrator)
    async def mute(self, command: administration.MutePerson) -> Done:
        mute = await self._administration.mute(command.nick, time() + command.seconds if command.seconds else None)
        period = format_end(mute.until) or "until further notice"
        self.lobby.emit(HostActed(HostAct.MUTE, mute.nick, period=period))
        self._tell(mute.nick, f"The host has muted you {period}: nobody gets what you say.")
        return Done(f"{mute.nick} is muted {period}.")

    @handles(administration.Unmute, administrator)
    async def unmute(self, command: administration.Unmute) -> Done:
        nick = self._accounts.resolve_nick(command.nick)
        await self._administration.unmute(nick)
        self.lobby.emit(HostActed(HostAct.UNMUTE, nick))
        self._tell(nick, "The host lets you talk again.")
        return Done(f"{nick} can talk again.")

    @handles(administration.ListReports, administrator)
    async def list_reports(self, _command: administration.ListReports) -> administration.Reports:
        reports = self._administration.reports
        return administration.Reports(
            tuple([administration.ReportInfo(report.by, report.nick, report.texts) for report in reports])
        )

    def _tell(self, nick: str, text: str) -> None:
        """Send a message of the club itself to a person."""
        for client in self._find_clients(nick):
            client.queue_talk(protocol.Talk(text))

    # Accounts

    @handles(administration.RevokeTokens, administrator)
    async def revoke_tokens(self, command: administration.RevokeTokens) -> Done:
        nick = self._accounts.find_person(command.nick).nick
        if command.device:
            await self.lobby.withdraw_device(nick, command.device, "The host has withdrawn this device.")
            self.lobby.emit(HostActed(HostAct.REVOKE_DEVICE, nick))
            return Done(f"The device of {nick} is withdrawn.")
        needs_invitation = await self._administration.revoke_tokens(nick)
        self.lobby.emit(HostActed(HostAct.REVOKE, nick))
        await self._disconnect([nick], "The host has ended your visit on all devices. Ask the host how to come back.")
        remark = f"an invitation lets them back: invite {nick}" if needs_invitation else "they come back by password"
        return Done(f"The tokens and ssh keys of {nick} are revoked; {remark}.")

    @handles(administration.ListDevices, administrator)
    async def list_devices(self, command: administration.ListDevices) -> administration.KnownDevices:
        return administration.KnownDevices(self._accounts.find_person(command.nick).list_devices())

    @handles(administration.ChangeCode, administrator)
    async def change_code(self, command: administration.ChangeCode) -> Done:
        if command.code is not None and (wrong := administration.find_code_error(command.code)):
            raise CardtableError(wrong)
        spared = [nick for nick in self.lobby.present_nicks if is_same_nick(nick, command.except_nick)]
        code = await self._administration.change_code(command.code, everybody=command.everybody, except_nicks=spared)
        if not command.everybody:
            self.lobby.emit(HostActed(HostAct.CHANGE_CODE))
            return Done(f"The code is {code}. People who have been here come back without it.")
        self.lobby.emit(HostActed(HostAct.DISCONNECT_EVERYBODY))
        others = [nick for nick in self.lobby.present_nicks if nick not in spared]
        await self._disconnect(others, "The club has a new code; ask its host for it, and join again.")
        return Done(
            f"The code is {code}. Disconnected: {', '.join(others) or 'nobody'}. "
            "Everybody comes back on their devices by the new code."
        )

    def _get_approval(self) -> administration.Approval:
        waiting = [
            administration.Newcomer(newcomer.nick, newcomer.address, newcomer.since)
            for newcomer in self._accounts.newcomers.waiting
        ]
        return administration.Approval(self._accounts.state.contents.approval, tuple(waiting))

    @handles(administration.SetApproval, administrator)
    async def set_approval(self, command: administration.SetApproval) -> Done | administration.Approval:
        if command.state is None:
            return self._get_approval()
        await self._change_setting("approval", command.state == "on", HostAct.END_APPROVAL, HostAct.REQUIRE_APPROVAL)
        is_required = self._accounts.state.contents.approval
        asks = "with the right code wait until you approve them" if is_required else "come in by the code alone"
        return Done(f"Newcomers {asks}.")

    async def _change_setting(self, name: str, value: bool, *acts: HostAct) -> None:
        """Set a member of the club's file, and log the first or second act for false or true."""
        await self._administration.change_settings(**{name: value})
        self.lobby.emit(HostActed(acts[value]))

    @handles(administration.SetAids, administrator)
    async def set_aids(self, command: administration.SetAids) -> Done:
        if command.state is not None:
            await self._change_setting("no_aids", command.state == "off", HostAct.AIDS, HostAct.NO_AIDS)
        allowed = "No table may allow" if self._accounts.state.contents.no_aids else "Tables may allow"
        return Done(f"{allowed} hints, the coach and the open review.")

    @handles(administration.SetOneNetwork, administrator)
    async def set_one_network(self, command: administration.SetOneNetwork) -> Done:
        if command.state is not None:
            acts = HostAct.NETWORKS_DIFFER, HostAct.ONE_NETWORK
            await self._change_setting("one_network", command.state == "on", *acts)
        count = "count" if self._accounts.state.contents.one_network else "do not count"
        return Done(f"Sessions played from a single network {count}.")

    @handles(administration.Approve, administrator)
    async def approve(self, command: administration.Approve) -> Done:
        nick = normalize_nick(command.nick)
        await self._administration.approve(command.nick, command.address)
        self.lobby.emit(HostActed(HostAct.APPROVE, nick))
        return Done(f"{nick} may come in; their program asks again within seconds.")

    @handles(administration.Reject, administrator)
    async def reject(self, command: administration.Reject) -> Done:
        nick = normalize_nick(command.nick)
        await self._administration.reject(command.nick, command.address)
        self.lobby.emit(HostActed(HostAct.REJECT, nick))
        return Done(f"{nick} is refused for an hour.")

    @handles(administration.Invite, administrator)
    async def invite(self, command: administration.Invite) -> Done:
        seconds = command.seconds or INVITATION_SECONDS
        until = int(time()) + seconds
        word = await self._administration.create_invitation(command.nick, seconds)
        nick = self._accounts.resolve_nick(command.nick)
        self.lobby.emit(HostActed(HostAct.INVITE, nick))
        text = f"For {sanitize(nick)} alone, good once and until {format_moment(until)}:"
        return Done(text, self.lobby.format_personal_invitation(nick, word))

    @handles(administration.ListInvitations, administrator)
    async def list_invitations(self, _command: administration.ListInvitations) -> administration.Invitations:
        invited = self._accounts.invitations.invitations
        restrictions = [Restriction(invitation.nick, invitation.until) for invitation in invited]
        return administration.Invitations(tuple(restrictions))

    @handles(administration.WithdrawInvitation, administrator)
    async def withdraw_invitation(self, command: administration.WithdrawInvitation) -> Done:
        nick = self._accounts.resolve_nick(command.nick)
        await self._administration.withdraw_invitation(nick)
        self.lobby.emit(HostActed(HostAct.WITHDRAW, nick))
        return Done(f"The invitation of {nick} is no longer good.")

    @handles(administration.ResetPassword, administrator)
    async def reset_password(self, command: administration.ResetPassword) -> Done:
        nick = self._accounts.resolve_nick(command.nick)
        if profiles.find_same(nick) is None:
            raise CardtableError(
                f"{sanitize(nick, 20)} is no player; a guest comes back by an invitation: invite {nick}"
            )
        password = await self._administration.reset_password(nick)
        self.lobby.emit(HostActed(HostAct.RESET_PASSWORD, nick))
        return Done(f"The new password of {sanitize(nick)} is {password}")

    @handles(administration.RenamePerson, administrator)
    async def rename(self, command: administration.RenamePerson) -> Done:
        former, nick = await self.lobby.rename(command.nick, command.new_nick)
        self.lobby.emit(HostActed(HostAct.RENAME, f"{former} to {nick}"))
        return Done(f"{former} is called {nick} now.")

    @handles(administration.Forget, administrator)
    async def forget(self, command: administration.Forget) -> Done:
        person = await self._administration.forget(command.nick)
        nick = sanitize(person.nick)
        self.lobby.emit(HostActed(HostAct.FORGET, nick))
        await self._disconnect([person.nick], "The host has ended your visit on all devices. Join again.")
        return Done(format_forgotten(person))

    @handles(administration.Erase, administrator)
    async def erase(self, command: administration.Erase) -> Done:
        nick = self._accounts.resolve_nick(command.nick)
        erasure = await self.lobby.erase(nick)
        self.lobby.emit(HostActed(HostAct.ERASE, erasure.name))
        return describe_erasure(nick, erasure)

    # Tables

    @handles(administration.ListTables, administrator)
    async def list_tables(self, _command: administration.ListTables) -> administration.Tables:
        return administration.Tables(tuple(self.lobby.table_manager.registry.list_lobby_tables().values()))

    def _find_table(self, typed: str) -> protocol.TableInfo:
        """Return the open table whose id or short name, or an unambiguous beginning or end of it, is ``typed``.

        Raises ``CardtableError`` if there is none or there are several.
        """
        tables = self.lobby.table_manager.registry.list_lobby_tables()
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

    @handles(administration.CloseTable, administrator)
    async def close_table(self, command: administration.CloseTable) -> Done:
        table, reason = self._find_table(command.table), _normalize_reason(command.reason)
        game = ABOUT[table.game].title
        self.lobby.emit(HostActed(HostAct.CLOSE, table.table, reason))
        reason = f"The host has closed the table of {game}{_format_reason(reason)}."
        await self.lobby.table_manager.close_table(table.table, reason)
        name = shorten_table_id(table.table)
        if not table.playing:
            return Done(f"The table {name} is closed; it had not started.")
        if table.over:
            return Done(f"The table {name} is closed; its session was over.")
        return Done(f"The table {name} is closed. Its session is unfinished, and its players can resume it.")

    @handles(administration.SetSpectators, administrator)
    async def set_spectators(self, command: administration.SetSpectators) -> Done:
        table, admitted = self._find_table(command.table), command.state == "on"
        manager = self.lobby.table_manager
        await manager.invitations.admit_spectators("The host", manager.registry.tables[table.table], admitted=admitted)
        self.lobby.emit(HostActed(HostAct.SPECTATORS if admitted else HostAct.NO_SPECTATORS, table.table))
        return Done(f"The table {shorten_table_id(table.table)} is {'open' if admitted else 'closed'} to spectators.")

    # Tournaments

    @handles(administration.NewTournament, administrator)
    async def open_tournament(self, command: administration.NewTournament) -> Done:
        opened = await self.lobby.tournament_manager.create(command)
        return Done(
            f"The tournament {opened.name} is open. The SHA-256 of the key of its deals is {opened.commitment}.",
            tuple(season_texts.iter_tournament_lines(opened, self._accounts.is_guest)),
        )

    @handles(administration.StartTournament, administrator)
    async def start_tournament(self, command: administration.StartTournament) -> Done:
        return await self._begin_tournament_round(command.name)

    @handles(administration.NextTournamentRound, administrator)
    async def begin_next_tournament_round(self, command: administration.NextTournamentRound) -> Done:
        return await self._begin_tournament_round(command.name)

    async def _begin_tournament_round(self, name: str) -> Done:
        tournament, index = await self.lobby.tournament_manager.begin_round(name)
        round_, subject = tournament.rounds[index], f"Round {index + 1} of {tournament.name}"
        if round_.state == "calling":
            return Done(f"{subject} is called; its people have {tournament.check_in} s to check in.")
        return Done(f"{subject} begins; checked in: {', '.join([person.name for person in round_.checked_in])}.")

    @handles(administration.PauseTournament, administrator)
    async def pause_tournament(self, command: administration.PauseTournament) -> Done:
        return Done(await self.lobby.tournament_manager.set_paused(command.name, paused=True))

    @handles(administration.ResumeTournament, administrator)
    async def resume_tournament(self, command: administration.ResumeTournament) -> Done:
        return Done(await self.lobby.tournament_manager.set_paused(command.name, paused=False))

    @handles(administration.EndTournament, administrator)
    async def end_tournament(self, command: administration.EndTournament) -> Done:
        return await self._end_tournament(command.name, "ended")

    @handles(administration.CancelTournament, administrator)
    async def cancel_tournament(self, command: administration.CancelTournament) -> Done:
        return await self._end_tournament(command.name, "cancelled")

    async def _end_tournament(self, name: str, state: Literal["ended", "cancelled"]) -> Done:
        ended = await self.lobby.tournament_manager.end(name, state)
        return Done(f"The tournament {ended.name} is {ended.state}. The key of its deals is {ended.key or 'lost'}.")

    # Messages

    @handles(administration.Announce, administrator)
    async def announce(self, command: administration.Announce) -> Done:
        text = _normalize_text(command.text, MAX_ANNOUNCEMENT_LENGTH)
        if not sanitize(text).strip():
            raise CardtableError("type something to say")
        self.lobby.emit(HostActed(HostAct.SAY, text=text))
        self.lobby.announce(f"The host says: {text}")
        return Done(f"Sent to all who are here: {', '.join(self.lobby.present_nicks) or 'nobody'}.")


def describe_erasure(nick: str, erasure: Erasure) -> Done:
    """Return the result of an erasure for the host."""
    sessions = format_count(len(erasure.sessions), "session")
    text = f"The data of {sanitize(nick)} is erased. In {sessions} the name is {erasure.name} now."
    if not erasure.unchanged_files:
        return Done(text)
    return Done(f"{text} These files may still contain the nick:", tuple(map(shorten_path, erasure.unchanged_files)))


def _normalize_text(text: str, max_length: int) -> str:
    """Return typed text in one line. Raises ``CardtableError`` if it has more than ``max_length`` characters."""
    normalized = to_one_line(" ".join(text.split()))
    if len(normalized) > max_length:
        raise CardtableError(f"that has {len(normalized)} characters; {max_length} are allowed")
    return normalized


def _normalize_reason(reason: str) -> str:
    return _normalize_text(reason, MAX_REASON_LENGTH).rstrip(".")


def _is_network(target: str) -> bool:
    return any(sign in target for sign in ".:/")


def _format_reason(reason: str) -> str:
    return f": {reason}" if reason else ""


def _find_similar(typed: str, known: Sequence[str]) -> str | None:
    """Return the known nick that is most similar to a typed one, or ``None`` if none is similar."""
    by_folded_nick = {fold(nick): nick for nick in known}
    near = get_close_matches(fold(typed[:40]), by_folded_nick, 1)
    return by_folded_nick[near[0]] if near else None


LOGIN_TIMEOUT: Final = 10.0
"""Time in seconds allowed for the proof."""
LOOPBACK: Final = "127.0.0.1"
MAX_LOG_LINES: Final = 200
"""Maximum number of log lines that wait for one program; beyond it the oldest ones are dropped."""


class AdministrationEndpoint:
    """Endpoint that executes the commands of programs that know the owner token of the club's accounts.

    It listens on the loopback interface only. Other users of the machine can connect, too, but neither give commands
    nor read the log.
    """

    def __init__(self, commands: Administration, events: EventStream) -> None:
        self._administration, self._events = commands, events
        accounts = commands.lobby.accounts
        self._club_id, self._owner_token = accounts.id, accounts.owner_token

    def serve(self) -> AbstractAsyncContextManager[Server]:
        """Return a context manager that listens on a free port. Connections from web pages are refused."""

        class Connection(_Connection):
            pending_connections, tls, proxies = connections.PendingConnections(), None, connections.TrustedProxies()

        async def handle(connection: ServerConnection) -> None:
            assert isinstance(connection, Connection)
            with suppress(ConnectionClosed, TimeoutError, msgspec.MsgspecError):
                if await self._authenticate(connection):
                    with connection.pending.suspend_counting():
                        await self._execute_commands(connection)

        return serve(
            handle,
            LOOPBACK,
            0,
            create_connection=Connection,
            origins=[None],
            compression=None,
            server_header=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=16,
            open_timeout=LOGIN_TIMEOUT,
            ping_interval=None,
            close_timeout=connections.CLOSE_TIMEOUT,
            backlog=connections.compute_max_pending(),
        )

    async def _authenticate(self, connection: ServerConnection) -> bool:
        """Exchange proofs with a program; return False if its proof is wrong.

        Raises ``TimeoutError`` if the proof does not arrive in time, and ``MsgspecError`` if the frame is invalid.
        """
        nonce, port = secrets.token_urlsafe(24), connection.local_address[1]
        await connection.send(protocol.encode(protocol.Challenge(protocol.PROTOCOL_VERSION, self._club_id, nonce)))
        async with asyncio.timeout(LOGIN_TIMEOUT):
            hello = protocol.decode_client(await connection.recv())
        if not isinstance(hello, protocol.Hello):
            return False
        nonces = nonce, hello.nonce
        expected = compute_proof(self._owner_token, self._club_id, "administrator", port, nonces)
        if not compare_digest(expected.encode(), hello.proof.encode()):
            await connection.send(
                protocol.encode(protocol.RequestFailed("this program cannot read the files of the club's home"))
            )
            return False
        proof = compute_proof(self._owner_token, self._club_id, "host", port, nonces)
        await connection.send(protocol.encode(Proof(proof)))
        return True

    async def _execute_commands(self, connection: ServerConnection) -> None:
        """Execute the commands of a program one after the other; commands in progress are completed."""
        follower: asyncio.Task[None] | None = None
        try:
            async for frame in connection:
                try:
                    command = decode_command(frame)
                except msgspec.MsgspecError as error:
                    await connection.send(protocol.encode(protocol.RequestFailed(f"that cannot be read: {error}")))
                    continue
                if isinstance(command, FollowLog) and follower is None:
                    follower = start_task(self._send_log(connection))
                answer = await run_uninterrupted(execute_request(self._administration, command))
                assert answer is not None, "each command has a result"
                await connection.send(protocol.encode(answer))
        finally:
            await stop_task(follower)

    async def _send_log(self, connection: ServerConnection) -> None:
        """Send each new line of the log; if the program is too slow, the oldest line that waits is left out."""
        lines = deque[str](maxlen=MAX_LOG_LINES)
        has_lines = asyncio.Event()

        def add(event: HostEvent) -> None:
            if isinstance(event, LogEvent):
                lines.append(str(event))
                has_lines.set()

        with suppress(ConnectionClosed), self._events.listen(add):
            while True:
                await has_lines.wait()
                await connection.send(protocol.encode(LogLine(lines.popleft())))
                if not lines:
                    has_lines.clear()


class _Connection(connections.PendingProtocol, ServerConnection):
    """Connection that counts as pending until its program has proved that it may give commands."""
