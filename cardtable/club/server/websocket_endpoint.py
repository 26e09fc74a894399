"""WebSocket endpoint of a club, to which client programs connect."""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace
from websockets import Subprotocol
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, HostedOrigin, LoginIdentity, compute_client_network, is_local
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_file import KnownGuest
from cardtable.club.server.connections import (
    CLOSE_TIMEOUT,
    NO_PROXIES,
    PendingConnection,
    PendingConnections,
    PendingProtocol,
    TrustedProxies,
    compute_max_pending,
)
from cardtable.club.server.host_events import ConnectionDropped, LoggedIn, RequestDenied, create_login_refusal
from cardtable.club.server.limits import LIMITS, Budget, LoginError, ReadingTurns, RequestRefused
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.requests import handle_request
from cardtable.club.server.server_options import Certificate
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.store.seating import is_same_nick
from cardtable.workers.tasks import run_beside, run_uninterrupted

LOGIN_TIMEOUT: Final = 10.0
"""Time in seconds allowed for the login."""
PING_SECONDS: Final = 20.0
"""Time in seconds between pings of a connection, and until a missing answer ends it."""
FULL_RETRY_SECONDS: Final = 30
"""Time in seconds after which a client that a full club has refused tries again."""
READING_REQUESTS: Final = (
    protocol.AskFinished,
    protocol.AskJournal,
    protocol.AskRounds,
    protocol.AskSeason,
    protocol.AskSeasons,
    protocol.AskUnfinished,
    protocol.RenameSelf,
)
"""Requests that read files, or are answered with a long text."""
COMPRESSION_WINDOW_BITS: Final = 12
"""Size of the compression window, as the base-2 logarithm of the number of bytes.

A window of 4 kB is affordable for a host with hundreds of clients.
"""


class WebSocketEndpoint:
    """Endpoint that admits client programs to one club and exchanges their messages."""

    def __init__(self, lobby: ClubLobby, *, max_guests: int = LIMITS.guests.number) -> None:
        """Create the endpoint of a club; ``serve`` opens it at an address.

        ``max_guests`` is the maximum number of people in the club, beyond which only those with a profile, a seat or
        another connection are admitted.
        """
        self.lobby: Final = lobby
        self._guests = replace(LIMITS.guests, number=max_guests)
        self._connections: dict[ConnectedClient, PendingConnection] = {}
        """Connections of the clients that have been admitted."""
        self._newcomer_networks: list[str] = []
        """Networks of the newcomers for whom places are reserved during their login, one item for each newcomer."""
        self._messages, self._address_messages = Budget(LIMITS.messages), Budget(LIMITS.address_messages)
        self._reading_turns = ReadingTurns()

    def serve(
        self,
        host: str,
        port: int,
        certificate: Certificate | None = None,
        trusted_proxies: TrustedProxies = NO_PROXIES,
        *,
        hosted_origin: HostedOrigin | None = None,
    ) -> AbstractAsyncContextManager[Server]:
        """Return a context manager that listens at an address, with TLS if ``certificate`` is given.

        A connection from one of ``trusted_proxies`` counts for the client that it names. With ``hosted_origin`` the
        listener is for this client program alone, for whose person all connections count. Connections from web pages,
        which have an ``Origin`` header, are refused.
        """
        deflate = ServerPerMessageDeflateFactory(
            server_max_window_bits=COMPRESSION_WINDOW_BITS,
            client_max_window_bits=COMPRESSION_WINDOW_BITS,
            compress_settings={"memLevel": 5},
        )

        class Connection(_Connection):
            pending_connections = PendingConnections(on_drop=partial(self.lobby.emit, ConnectionDropped("join")))
            tls, proxies = certificate, trusted_proxies

        async def handle(connection: ServerConnection) -> None:
            assert isinstance(connection, Connection)
            assert connection.request is not None
            origin = hosted_origin or trusted_proxies.create_origin(
                connection.remote_address[0],
                connection.request.headers.get_all,
                is_encrypted=connection.transport.get_extra_info("ssl_object") is not None,
            )
            connection.pending.count_for(origin.address)
            await self._handle_connection(connection, connection.pending, origin)

        return serve(
            handle,
            host,
            port,
            create_connection=Connection,
            origins=[None],
            select_subprotocol=_select_subprotocol,
            extensions=[deflate],
            compression=None,
            server_header=None,
            max_size=protocol.MAX_CLIENT_FRAME_BYTES,
            max_queue=16,
            open_timeout=LOGIN_TIMEOUT,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            close_timeout=CLOSE_TIMEOUT,
            backlog=compute_max_pending(),
        )

    async def _handle_connection(
        self, connection: ServerConnection, pending: PendingConnection, origin: ConnectionOrigin
    ) -> None:
        with suppress(ConnectionClosed, TimeoutError):  # a client whose login is late retries
            try:
                client = await self._log_in(connection, pending, origin)
            except TimeoutError:
                self.lobby.emit(ConnectionDropped("join"))
                raise
            except LoginError as error:
                self.lobby.emit(create_login_refusal("join", error))
                await connection.send(
                    protocol.encode(protocol.RequestFailed(str(error), error.missing, error.retry_after))
                )
                return
            self._end_oldest_connection(client.nick)
            self._connections[client] = pending
            try:
                with pending.suspend_counting():
                    await self._exchange(connection, client)
            finally:
                del self._connections[client]
                await self.lobby.remove_client(client)

    def _check_capacity(self, origin: ConnectionOrigin, person: KnownGuest | None) -> None:
        """Raise ``LoginError`` if the club is full; ``person`` is ``None`` for a newcomer.

        Players with a profile, a seat at an open table or another connection are admitted anyway.
        """
        if len(self._nicks) + len(self._newcomer_networks) >= self._guests.number and not self._may_exceed_limit(
            person
        ):
            raise _create_capacity_error(self._guests.format_refusal(), origin, person)

    @property
    def _nicks(self) -> set[str]:
        return {client.nick for client in self._connections}

    def _may_exceed_limit(self, person: KnownGuest | None) -> bool:
        """Return True if a person has a profile, another connection or a seat at an open table."""
        if person is None or person.is_member:
            return person is not None
        rows = self.lobby.table_manager.registry.list_lobby_tables().values()
        seated = [info.name for row in rows for info in row.seats]
        return any(is_same_nick(person.nick, nick) for nick in [*self._nicks, *seated])

    @contextmanager
    def _reserve_slot(self, origin: ConnectionOrigin, person: KnownGuest | None) -> Iterator[None]:
        """Reserve a place in the club during a login; ``person`` is ``None`` for a newcomer.

        Raises ``LoginError`` if the club is full or the network has its share of the places.
        """
        self._check_capacity(origin, person)
        network = compute_client_network(origin.address)
        networks_by_nick = {client.nick: client.network for client in self._connections}
        networks = [*networks_by_nick.values(), *self._newcomer_networks]
        own_count = networks.count(network)
        if own_count >= self._guests.compute_share(len(networks) - own_count) and not (
            is_local(origin.address) or self._may_exceed_limit(person)
        ):
            raise _create_capacity_error(self._guests.share_refusal.format(own=own_count), origin, person)
        self._newcomer_networks.append(network)
        try:
            yield
        finally:
            self._newcomer_networks.remove(network)

    def _end_oldest_connection(self, nick: str) -> None:
        """End the oldest connection of a person who has the maximum number of connections."""
        own = [client for client in self._connections if client.nick == nick and not client.is_ending]
        if len(own) >= LIMITS.connections.number:
            own[0].end_connection(LIMITS.connections.format_refusal())
            self._connections[own[0]].count()

    async def _log_in(
        self, connection: ServerConnection, pending: PendingConnection, origin: ConnectionOrigin
    ) -> ConnectedClient:
        """Exchange challenge and login with a client, and add it to the lobby.

        Raises ``LoginError`` if the client is refused, and ``TimeoutError`` if its login does not arrive in time.
        """
        if connection.subprotocol is None:
            with suppress(TimeoutError):  # clients of version 1 send first, and cannot read an earlier message
                async with asyncio.timeout(LOGIN_TIMEOUT):
                    await connection.recv()
        if connection.subprotocol != protocol.SUBPROTOCOL:
            raise LoginError(
                f"this club uses version {protocol.PROTOCOL_VERSION} of the protocol: update your cardtable to join"
            )
        accounts, authenticator, nonce = self.lobby.accounts, self.lobby.authenticator, secrets.token_urlsafe(24)
        await connection.send(protocol.encode(protocol.Challenge(protocol.PROTOCOL_VERSION, accounts.id, nonce)))
        try:
            async with asyncio.timeout(LOGIN_TIMEOUT):
                hello = protocol.decode_client(await connection.recv())
        except msgspec.MsgspecError:
            raise LoginError("say who you are first") from None
        if not isinstance(hello, protocol.Hello):
            raise LoginError("say who you are first")
        with pending.suspend_counting():
            is_hosted = isinstance(origin, HostedOrigin)
            if hello.proof or is_hosted:
                authenticator.log_in_by_proof(hello, nonce, origin)
                with suppress(CardtableError):  # the lobby retries
                    await accounts.save_pending()
                # it may have been revoked meanwhile
                person, credential = authenticator.log_in_by_proof(hello, nonce, origin)
                self._check_capacity(origin, person)
                if not is_hosted:  # the endpoint of a hosted program has counted its login
                    self.lobby.emit(LoggedIn("join", "token"))
                return self.lobby.add_client(person, "", origin, credential)
            person, token = await authenticator.log_in(
                LoginIdentity(origin, hello.nick),
                code=hello.code,
                password=hello.password,
                reserve_slot=partial(self._reserve_slot, origin),
            )
            self.lobby.emit(LoggedIn("join", "password" if person.is_member and hello.password else "code"))
            return self.lobby.add_client(person, token, origin, protocol.hash_token(token).hex())

    async def _exchange(self, connection: ServerConnection, client: ConnectedClient) -> None:
        """Receive the frames of a client and send its messages until one of the two ends."""
        async with (
            run_beside(self._receive_frames(connection, client)) as receiving,
            run_beside(_send_frames(connection, client)) as sending,
            run_beside(_wait_for_end(client)) as ending,
        ):
            await asyncio.wait([receiving, sending, ending], return_when=asyncio.FIRST_COMPLETED)
        if client.is_sending:  # nobody reads that, and it would stay in memory until a close frame is answered
            connection.transport.abort()

    async def _receive_frames(self, connection: ServerConnection, client: ConnectedClient) -> None:
        async for frame in connection:
            try:
                self._messages.take(client.nick)
            except RequestRefused as error:
                self.lobby.emit(RequestDenied("frame", "rate"))
                client.end_connection(error.reason)
                await asyncio.sleep(LOGIN_TIMEOUT)  # leaves time to send the reason
                return
            await self._address_messages.wait(client.budget_key)
            try:
                message = protocol.decode_client(frame)
            except msgspec.MsgspecError as error:
                self.lobby.emit(RequestDenied("frame", "invalid"))
                client.queue_answer(protocol.RequestFailed(sanitize(f"that cannot be read: {error}")))
                continue
            if isinstance(message, protocol.Disconnect):
                return
            is_reading = isinstance(message, READING_REQUESTS)
            async with self._reading_turns.take(client.budget_key) if is_reading else nullcontext():
                await run_uninterrupted(handle_request(self.lobby, client, message))


def _create_capacity_error(reason: str, origin: ConnectionOrigin, person: KnownGuest | None) -> LoginError:
    """Return a temporary refusal; a nick without credentials may still belong to somebody who is admitted with them."""
    missing: protocol.MissingCredential = "password" if person is None and origin.is_private else ""
    return LoginError(reason, missing, retry_after=FULL_RETRY_SECONDS)


class _Connection(PendingProtocol, ServerConnection):
    """Connection that counts as pending until its client is admitted."""


async def _send_frames(connection: ServerConnection, client: ConnectedClient) -> None:
    while frame := await client.wait_for_frame():
        await connection.send(frame, text=True)


async def _wait_for_end(client: ConnectedClient) -> None:
    """Wait until the connection of a client is ending, and has had time to send the reason or is dropped."""
    await client.ending.wait()
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_TIMEOUT):
            await client.dropped.wait()


def _select_subprotocol(_connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the newest subprotocol that the client offers and this host knows; ``None`` if it offers none.

    A client of an older version is accepted with its own, so that it can read why it is refused.
    """
    known = [f"cardtable.{version}" for version in range(protocol.PROTOCOL_VERSION, 1, -1)]
    return next((Subprotocol(name) for name in known if name in offered), None)
