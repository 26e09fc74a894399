"""Registry of the functions that execute requests, each with the check that the sender of its message must pass."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias, TypeVar

from cardtable.club.protocol import ClientMessage, ServerMessage, TableMessage
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.tables import ClubTable
from cardtable.engine.game import Seat

M = TypeVar("M", bound=ClientMessage)
S = TypeVar("S")
Check: TypeAlias = Callable[[ClubLobby, ConnectedClient, M], Awaitable[S]]
"""Function that returns what the handler of a message gets, or raises ``CardtableError`` for a client who may not."""


class RequestHandler(NamedTuple):
    """Function that executes the requests of one type, and the name of the check that it begins with."""

    check: str
    execute: Callable[[ClubLobby, ConnectedClient, ClientMessage], Awaitable[ServerMessage | None]]


HANDLERS: Final[dict[type[ClientMessage], RequestHandler]] = {}
"""Handler of each message, registered by ``handles``."""


def handles(
    message_type: type[M], check: "Check[M, S]"
) -> Callable[[Callable[[S, M], Awaitable[ServerMessage | None]]], Callable[[S, M], Awaitable[ServerMessage | None]]]:
    """Return a decorator that registers a function as the handler of a message.

    The function gets what ``check`` returns, and the message; it returns the answer, or ``None`` if there is none.
    """

    def register(
        function: Callable[[S, M], Awaitable[ServerMessage | None]],
    ) -> Callable[[S, M], Awaitable[ServerMessage | None]]:
        async def execute(lobby: ClubLobby, client: ConnectedClient, message: ClientMessage) -> ServerMessage | None:
            assert isinstance(message, message_type)
            return await function(await check(lobby, client, message), message)

        HANDLERS[message_type] = RequestHandler(check.__name__, execute)
        return function

    return register


class SignedIn(NamedTuple):
    """Client who is signed in."""

    lobby: ClubLobby
    client: ConnectedClient


class AtTable(NamedTuple):
    """Client at a table in play, as a player or a spectator."""

    lobby: ClubLobby
    client: ConnectedClient
    session: HostedSession


class AtOwnSeat(NamedTuple):
    """Client who owns a seat at a table in play."""

    lobby: ClubLobby
    client: ConnectedClient
    session: HostedSession
    seat: Seat


class MasterInPlay(NamedTuple):
    """Client who is the game master of a table in play, which belongs to no tournament."""

    lobby: ClubLobby
    client: ConnectedClient
    table: ClubTable
    session: HostedSession


class Master(NamedTuple):
    """Client who is the game master of a table, whether its session has begun or not."""

    lobby: ClubLobby
    client: ConnectedClient
    table: ClubTable


async def signed_in(lobby: ClubLobby, client: ConnectedClient, _message: ClientMessage) -> SignedIn:
    return SignedIn(lobby, client)


async def at_table(lobby: ClubLobby, client: ConnectedClient, message: TableMessage) -> AtTable:
    return AtTable(lobby, client, await lobby.table_manager.registry.open_session(client, message.table))


async def own_seat(lobby: ClubLobby, client: ConnectedClient, message: TableMessage) -> AtOwnSeat:
    return AtOwnSeat(lobby, client, *await lobby.table_manager.registry.open_as_player(client, message.table))


async def master_in_play(lobby: ClubLobby, client: ConnectedClient, message: TableMessage) -> MasterInPlay:
    return MasterInPlay(lobby, client, *await lobby.table_manager.registry.open_as_master(client, message.table))


async def master(lobby: ClubLobby, client: ConnectedClient, message: TableMessage) -> Master:
    return Master(lobby, client, await lobby.table_manager.registry.find_as_master(client, message.table))
