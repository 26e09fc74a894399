"""Registry of the functions that execute requests, each with the check that the sender of its message must pass."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias, TypeVar

from cardtable.club.protocol import ClientMessage, RequestFailed, ServerMessage, TableMessage
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.host_events import create_denial, create_fault
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.limits import LoginError, RequestRefused
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.session_changes import PROGRAM_FAULT
from cardtable.club.server.tables import ClubTable
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.referee import IllegalAction
from cardtable.store.errors import format_os_error


class Sender:
    """Sender of requests, whose role is that of the connection."""

    def __init__(self, lobby: ClubLobby) -> None:
        self.lobby: Final = lobby

    def log_fault(self, error: Exception, tag: str) -> None:
        """Log a fault of the program in the handler of the message with this tag."""
        raise NotImplementedError

    def suggest_name(self, _message: ClientMessage) -> str:
        """Return a question with a name similar to one in a request that is refused; empty if there is none."""
        return ""


class SignedIn(Sender):
    """Client who is signed in at an endpoint for guests."""

    def __init__(self, lobby: ClubLobby, client: ConnectedClient) -> None:
        super().__init__(lobby)
        self.client: Final = client

    def log_fault(self, error: Exception, tag: str) -> None:
        nick = self.client.nick
        self.lobby.emit(create_fault(error, f"a request {tag} of {nick}", nick=nick))


M = TypeVar("M", bound=ClientMessage)
S = TypeVar("S")
Check: TypeAlias = Callable[[Sender, M], Awaitable[S]]
"""Function that returns what the handler of a message gets, or raises ``CardtableError`` for a sender who may not."""


class RequestHandler(NamedTuple):
    """Function that executes the requests of one type, and the name of the check that it begins with."""

    check: str
    execute: Callable[[Sender, ClientMessage], Awaitable[ServerMessage | None]]


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
        async def execute(sender: Sender, message: ClientMessage) -> ServerMessage | None:
            assert isinstance(message, message_type)
            return await function(await check(sender, message), message)

        HANDLERS[message_type] = RequestHandler(check.__name__, execute)
        return function

    return register


async def execute_request(sender: Sender, message: ClientMessage) -> ServerMessage | None:
    """Execute a request, and return the answer: that of its handler, or why it is refused or has failed."""
    tag = str(message.__struct_config__.tag)
    try:
        handler = HANDLERS.get(type(message))
        if handler is None:
            raise RequestRefused("you have already joined")
        return await handler.execute(sender, message)
    except (CardtableError, IllegalAction, LoginError) as error:
        sender.lobby.emit(create_denial(tag, error))
        reason = error.reason if isinstance(error, CardtableError) else str(error)
        return RequestFailed(f"{reason}{sender.suggest_name(message)}")
    except OSError as error:
        sender.lobby.emit(create_denial(tag, error))
        return RequestFailed(f"the club cannot do that now: {format_os_error(error)}")
    except Exception as error:
        sender.log_fault(error, tag)
        return RequestFailed(PROGRAM_FAULT)
    finally:
        sender.lobby.schedule_news()


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


async def signed_in(sender: Sender, _message: ClientMessage) -> SignedIn:
    assert isinstance(sender, SignedIn), "the endpoint for commands reads no other requests"
    return sender


async def at_table(sender: Sender, message: TableMessage) -> HostedSession:
    client = (await signed_in(sender, message)).client
    return await sender.lobby.table_manager.registry.open_session(client, message.table)


async def own_seat(sender: Sender, message: TableMessage) -> AtOwnSeat:
    client = (await signed_in(sender, message)).client
    session, seat = await sender.lobby.table_manager.registry.open_as_player(client, message.table)
    return AtOwnSeat(sender.lobby, client, session, seat)


async def master_in_play(sender: Sender, message: TableMessage) -> MasterInPlay:
    client = (await signed_in(sender, message)).client
    table, session = await sender.lobby.table_manager.registry.open_as_master(client, message.table)
    return MasterInPlay(sender.lobby, client, table, session)


async def master(sender: Sender, message: TableMessage) -> Master:
    client = (await signed_in(sender, message)).client
    return Master(sender.lobby, client, await sender.lobby.table_manager.registry.find_as_master(client, message.table))
