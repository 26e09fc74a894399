"""Keeper of a club: executes the commands by which the host keeps order, and logs them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import Final, assert_never

from cardtable.club import keeper_protocol
from cardtable.club.keeper_protocol import (
    AnyKeeperCommand,
    AnyResult,
    Done,
    Door,
    GuestConnection,
    People,
    Person,
    Refused,
    Tables,
    shorten_table_id,
)
from cardtable.club.protocol import TableInfo
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.lobby import ClubLobby
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import format_count, format_unknown_name, sanitize, to_one_line
from cardtable.games import ABOUT
from cardtable.store.errors import format_os_error
from cardtable.store.seating import is_same_nick

END_TIMEOUT: Final = 5.0
"""Maximum time to wait until the connections of a person have ended, in seconds."""
MAX_REASON_LENGTH: Final = 120
MAX_ANNOUNCEMENT_LENGTH: Final = 180
MAX_LOG_LINES: Final = 200
"""Maximum number of log lines that wait for a program of the keeper; beyond it the oldest ones are dropped."""
_DOORS: Final[dict[str, Door]] = {"": "join", "by ssh": "ssh", "in a browser": "browser"}
"""Door of each kind of connection; see ``ConnectionOrigin.kind``."""


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
            follower.put_nowait(line)

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

    async def execute(self, command: AnyKeeperCommand) -> AnyResult:
        """Execute a command, and return its result, which is ``Refused`` if that is impossible."""
        try:
            return await self._execute(command)
        except CardtableError as error:
            return Refused(error.why)
        except OSError as error:
            return Refused(f"the club cannot do that now: {format_os_error(error)}")

    async def _execute(self, command: AnyKeeperCommand) -> AnyResult:
        match command:
            case keeper_protocol.ListPeople():
                return People(self._list_people())
            case keeper_protocol.ListTables():
                return Tables(tuple(self._lobby.table_manager.list_lobby_tables().values()))
            case keeper_protocol.FollowLog():
                return Done("")
            case keeper_protocol.Kick(nick, reason):
                return await self._kick(nick, _normalize_reason(reason))
            case keeper_protocol.CloseTable(table, reason):
                return await self._close_table(table, _normalize_reason(reason))
            case keeper_protocol.Announce(text):
                return self._announce(_normalize_text(text, MAX_ANNOUNCEMENT_LENGTH))
            case _:
                assert_never(command)

    # People

    def _list_people(self) -> tuple[Person, ...]:
        return tuple([self._describe_person(nick) for nick in self._lobby.present_nicks])

    def _describe_person(self, nick: str) -> Person:
        lobby = self._lobby
        account = lobby.accounts.find_returning_account(nick)
        return Person(
            nick,
            not lobby.accounts.is_guest(nick),
            tuple(
                [
                    GuestConnection(_DOORS.get(each.origin.kind, "join"), each.origin.address, each.connected_at)
                    for each in self._find_clients(nick)
                ]
            ),
            tuple(sorted(lobby.table_manager.list_joined_tables(nick))),
            len(account.tokens) if account else 0,
            len(account.keys) if account else 0,
        )

    def _find_clients(self, nick: str) -> list[ConnectedClient]:
        return [client for client in self._lobby.clients if is_same_nick(client.nick, nick)]

    def _find_present_nick(self, typed: str) -> str:
        """Return the nick of a person who is here as it is written in the club.

        Raises ``CardtableError`` with a suggestion if nobody here has the nick.
        """
        here = self._lobby.present_nicks
        for nick in here:
            if is_same_nick(nick, typed):
                return nick
        raise CardtableError(_format_unknown_nick(typed, here, "here"))

    async def _kick(self, typed: str, reason: str) -> Done:
        nick = self._find_present_nick(typed)
        count = len(self._find_clients(nick))
        self._log(f"the keeper disconnects {nick}{_format_reason(reason)}")
        await self._disconnect(nick, f"The host has disconnected you{_format_reason(reason)}.")
        return Done(f"{nick} is disconnected ({format_count(count, 'connection')}), and may come back.")

    async def _disconnect(self, nick: str, reason: str) -> None:
        """End all connections and client processes of a person, and wait until they have ended."""
        clients = self._find_clients(nick)
        for client in clients:
            client.end_connection(reason)
        with suppress(TimeoutError):
            async with asyncio.timeout(END_TIMEOUT):
                await asyncio.gather(self._end_processes(nick, reason), *[client.ended.wait() for client in clients])

    # Tables

    def _find_table(self, typed: str) -> TableInfo:
        """Return the open table whose id, or an unambiguous beginning or end of it, is ``typed``.

        Raises ``CardtableError`` if there is none or there are several.
        """
        tables = self._lobby.table_manager.list_lobby_tables()
        text = typed.strip().lower()
        found = [id_ for id_ in tables if id_ == text] or [
            id_ for id_ in tables if text and (id_.startswith(text) or id_.endswith(text))
        ]
        if len(found) == 1:
            return tables[found[0]]
        if not tables:
            raise CardtableError("no table is open")
        names = {shorten_table_id(id_): id_ for id_ in found or tables}
        if found:
            raise CardtableError(f"several tables are called {sanitize(typed, 30)!r}: {', '.join(names)}")
        raise CardtableError(format_unknown_name("table", typed, names))

    async def _close_table(self, typed: str, reason: str) -> Done:
        table = self._find_table(typed)
        game = ABOUT[table.game].title
        self._log(f"the keeper closes the table {table.table}{_format_reason(reason)}")
        await self._lobby.close_table(table.table, f"The host has closed the table of {game}{_format_reason(reason)}.")
        name = shorten_table_id(table.table)
        if not table.playing:
            return Done(f"The table {name} is closed; it had not started.")
        if table.over:
            return Done(f"The table {name} is closed; its session was over.")
        return Done(f"The table {name} is closed. Its session is unfinished, and its players can resume it.")

    # Messages

    def _announce(self, text: str) -> Done:
        if not sanitize(text).strip():
            raise CardtableError("type something to say")
        self._log(f"the keeper says: {text}")
        self._lobby.announce(f"The host says: {text}")
        return Done(f"Sent to all who are here: {', '.join(self._lobby.present_nicks) or 'nobody'}.")


def _normalize_text(text: str, max_length: int) -> str:
    """Return typed text in one line. Raises ``CardtableError`` if it has more than ``max_length`` characters."""
    normalized = to_one_line(" ".join(text.split()))
    if len(normalized) > max_length:
        raise CardtableError(f"that has {len(normalized)} characters; {max_length} are allowed")
    return normalized


def _normalize_reason(reason: str) -> str:
    """Return a reason in the form in which it ends a sentence."""
    return _normalize_text(reason, MAX_REASON_LENGTH).rstrip(".")


def _format_reason(reason: str) -> str:
    return f": {reason}" if reason else ""


def _format_unknown_nick(typed: str, known: Sequence[str], where: str) -> str:
    """Return the error message for a nick that is not among ``known``, with a similar nick or all of them.

    ``where`` describes the people with the known nicks, such as ``here``.
    """
    name, by_folded_nick = sanitize(typed, 20), {nick.casefold(): nick for nick in known}
    near = get_close_matches(typed[:40].casefold(), by_folded_nick, 1)
    if near:
        return f"nobody {where} is called {name}; did you mean {by_folded_nick[near[0]]}?"
    return f"nobody {where} is called {name}; {where}: {', '.join(known) or 'nobody'}"
