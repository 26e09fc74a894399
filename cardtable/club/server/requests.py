"""Requests of clients: one function for each message, registered with the check that its sender must pass."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import (
    AccountGranted,
    ClientMessage,
    RequestFailed,
    ServerMessage,
    TableMessage,
)
from cardtable.club.server.account_store import format_registered_nick
from cardtable.club.server.admission import DEVICE_WORD_SECONDS, format_word
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_file import compute_device_id
from cardtable.club.server.club_table import ClubTable
from cardtable.club.server.host_events import create_denial, create_fault
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.limits import LoginError, RequestRefused
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.session_changes import PROGRAM_FAULT
from cardtable.club.server.table_phases import refuse_others
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import allows_aids
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import sanitize, to_one_line
from cardtable.session.session_events import MAX_TALK_LENGTH
from cardtable.store.errors import format_os_error


class Sender:
    """Sender of requests, whose role is that of the connection."""

    def __init__(self, lobby: ClubLobby) -> None:
        self.lobby: Final = lobby

    def log_fault(self, error: Exception, tag: str) -> None:
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


class Master(Struct, frozen=True):
    """Client who is the game master of a table, whether its session has begun or not."""

    lobby: ClubLobby
    client: ConnectedClient
    table: ClubTable


class MasterInPlay(Master, frozen=True):
    """Client who is the game master of a table in play, which belongs to no tournament."""

    session: HostedSession


async def signed_in(sender: Sender, _message: ClientMessage) -> SignedIn:
    assert isinstance(sender, SignedIn), "the endpoint for commands reads no other requests"
    return sender


async def at_table(sender: Sender, message: TableMessage) -> HostedSession:
    client = (await signed_in(sender, message)).client
    return await sender.lobby.table_manager.registry.open_session(client, message.table)


async def own_seat(sender: Sender, message: TableMessage) -> AtOwnSeat:
    client, registry = (await signed_in(sender, message)).client, sender.lobby.table_manager.registry
    seat = registry.get_seat(client, message.table)
    if seat is None:
        raise RequestRefused("you are only watching at that table")
    return AtOwnSeat(sender.lobby, client, await registry.open_session(client, message.table), seat)


async def master_in_play(sender: Sender, message: TableMessage) -> MasterInPlay:
    player = await own_seat(sender, message)
    table = sender.lobby.table_manager.registry.find_visible(player.client, message.table)
    table.refuse_in_tournament()
    refuse_others(table.master, player.client.nick)
    return MasterInPlay(sender.lobby, player.client, table, player.session)


async def master(sender: Sender, message: TableMessage) -> Master:
    client, registry = (await signed_in(sender, message)).client, sender.lobby.table_manager.registry
    gathering = registry.find_gathering(client, message.table)
    if gathering is None:
        return await master_in_play(sender, message)
    refuse_others(gathering.master, client.nick)
    return Master(sender.lobby, client, registry.tables[message.table])


LOGGED_OUT: Final = "Your password was changed on another device; join again with the new one."
"""Reason for which the other devices of a player are disconnected."""
DEVICE_WITHDRAWN: Final = "This device has been withdrawn on another one."


async def handle_request(lobby: ClubLobby, client: ConnectedClient, message: ClientMessage) -> None:
    """Execute a request of a client; if it is refused or fails, answer with the reason.

    Requests of a client whose connection is ending are ignored.
    """
    if client.is_ending:
        return
    answer = await execute_request(SignedIn(lobby, client), message)
    if isinstance(answer, RequestFailed):
        answer = RequestFailed(sanitize(answer.why, MAX_TALK_LENGTH))
    if answer is not None:
        client.queue_answer(answer)
    lobby.broadcaster.send_missed_news(client)


# People and their accounts


@handles(protocol.Say, signed_in)
async def say(request: SignedIn, message: protocol.Say) -> None:
    lobby, client, registry = request.lobby, request.client, request.lobby.table_manager.registry
    text = _normalize_talk(message.text)
    lobby.check_talk(client)
    if message.table:
        seat = registry.get_seat(client, message.table)
        if not registry.find_visible(client, message.table).tournament_setting:
            lobby.tournament_manager.talk.check_not_playing(client.person)
        session = await registry.open_session(client, message.table)
        await session.say(text, client.nick if seat is None else seat)
    elif not lobby.tournament_manager.talk.hold(client, lambda: lobby.announce(text, client.nick)):
        lobby.announce(text, client.nick)


def _normalize_talk(typed: str) -> str:
    """Return a chat message in one line. Raises ``RequestRefused`` if it is empty."""
    text = to_one_line(typed.strip(), MAX_TALK_LENGTH)
    if not sanitize(text).strip():
        raise RequestRefused("type something to say")
    return text


@handles(protocol.SayTo, signed_in)
async def say_to(request: SignedIn, message: protocol.SayTo) -> None:
    request.lobby.say_to(request.client, message.nick, _normalize_talk(message.text))


@handles(protocol.Report, signed_in)
async def report(request: SignedIn, message: protocol.Report) -> None:
    await request.lobby.report(request.client, message.nick)


@handles(protocol.Register, signed_in)
async def register(request: SignedIn, message: protocol.Register) -> AccountGranted:
    lobby, client = request.lobby, request.client
    token = await lobby.authenticator.register(client.nick, message.password, client.origin)
    _end_other_connections(lobby, client, lambda origin: format_registered_nick(client.nick, origin))
    return AccountGranted(client.nick, token)


@handles(protocol.SignIn, signed_in)
async def sign_in(request: SignedIn, message: protocol.SignIn) -> AccountGranted:
    return AccountGranted(
        *await request.lobby.authenticator.sign_in(message.nick, message.password, request.client.origin)
    )


@handles(protocol.ChangePassword, signed_in)
async def change_password(request: SignedIn, message: protocol.ChangePassword) -> protocol.PasswordChanged:
    lobby, client = request.lobby, request.client
    token = await lobby.authenticator.change_password(
        client.nick, message.old, message.password, client.origin, revoke_others=message.revoke_others
    )
    if message.revoke_others:
        _end_other_connections(lobby, client, lambda _origin: LOGGED_OUT)
    return protocol.PasswordChanged(token)


def _end_other_connections(
    lobby: ClubLobby, client: ConnectedClient, format_reason: Callable[[ConnectionOrigin], str]
) -> None:
    """End the connections of a person's other devices, which have to log in anew, each with a reason."""
    for other in lobby.clients:
        if other.nick == client.nick and other is not client:
            other.end_connection(format_reason(other.origin))


@handles(protocol.RenameSelf, signed_in)
async def rename_self(request: SignedIn, message: protocol.RenameSelf) -> None:
    request.lobby.check_talk(request.client)  # everybody reads the new nick
    request.lobby.tournament_manager.talk.check_not_playing(request.client.person)
    await request.lobby.rename(request.client.nick, message.nick, is_own_wish=True)


@handles(protocol.AskDevices, signed_in)
async def ask_devices(request: SignedIn, _message: protocol.AskDevices) -> protocol.Devices:
    return _list_devices(request)


@handles(protocol.WithdrawDevice, signed_in)
async def withdraw_device(request: SignedIn, message: protocol.WithdrawDevice) -> protocol.Devices:
    if compute_device_id(request.client.credential) == message.device:
        raise RequestRefused("that is this device; withdraw it on another one")
    await request.lobby.withdraw_device(request.client.nick, message.device, DEVICE_WITHDRAWN)
    return _list_devices(request)


def _list_devices(request: SignedIn) -> protocol.Devices:
    account = request.lobby.accounts.find_person(request.client.nick)
    return protocol.Devices(account.list_devices(request.client.credential))


@handles(protocol.AskDeviceWord, signed_in)
async def ask_device_word(request: SignedIn, _message: protocol.AskDeviceWord) -> protocol.DeviceWord:
    lobby, client = request.lobby, request.client
    word = await lobby.administration.create_device_word(client.nick)
    return protocol.DeviceWord(
        format_word(word), DEVICE_WORD_SECONDS, lobby.format_personal_invitation(client.nick, word)
    )


# Sessions and seasons


@handles(protocol.AskFinished, signed_in)
async def ask_finished(request: SignedIn, _message: protocol.AskFinished) -> protocol.Finished:
    return protocol.Finished(await request.lobby.finished_sessions.list_ids(request.client.person))


@handles(protocol.AskJournal, signed_in)
async def ask_journal(request: SignedIn, message: protocol.AskJournal) -> protocol.FinishedJournal:
    journal = await request.lobby.finished_sessions.read_journal(request.client.person, message.session)
    return protocol.FinishedJournal(message.session, journal)


@handles(protocol.AskSeasons, signed_in)
async def ask_seasons(request: SignedIn, _message: protocol.AskSeasons) -> protocol.Seasons:
    return protocol.Seasons(await request.lobby.seasons.list_all())


@handles(protocol.AskSeason, signed_in)
async def ask_season(request: SignedIn, message: protocol.AskSeason) -> protocol.SeasonTables:
    return await request.lobby.seasons.read_tables(request.client.nick, message.name)


@handles(protocol.AskUnfinished, signed_in)
async def ask_unfinished(request: SignedIn, _message: protocol.AskUnfinished) -> protocol.Unfinished:
    return protocol.Unfinished(await request.lobby.table_manager.registry.list_unfinished(request.client.person))


@handles(protocol.ResumeSession, signed_in)
async def resume_session(request: SignedIn, message: protocol.ResumeSession) -> None:
    await request.lobby.table_manager.resume_session(request.client, message.session)


# Tournaments


@handles(protocol.CheckIn, signed_in)
async def check_in(request: SignedIn, message: protocol.CheckIn) -> None:
    await request.lobby.tournament_manager.check_in(request.client, message.tournament)


# Coming to a table, and leaving it


@handles(protocol.OpenTable, signed_in)
async def open_table(request: SignedIn, message: protocol.OpenTable) -> None:
    if message.name or message.invited:
        request.lobby.tournament_manager.talk.check_not_playing(request.client.person)
    await request.lobby.table_manager.open_table(request.client, message)


@handles(protocol.SitDown, signed_in)
async def sit_down(request: SignedIn, message: protocol.SitDown) -> None:
    await request.lobby.table_manager.sit_down(request.client, message.table, message.seat)


@handles(protocol.Watch, signed_in)
async def watch(request: SignedIn, message: protocol.Watch) -> None:
    await request.lobby.table_manager.watch(request.client, message.table)


@handles(protocol.Leave, signed_in)
async def leave(request: SignedIn, message: protocol.Leave) -> None:
    await request.lobby.table_manager.leave_table(request.client, message.table)


@handles(protocol.Start, signed_in)
async def start(request: SignedIn, message: protocol.Start) -> None:
    await request.lobby.table_manager.start(request.client, message.table, message.level)


# Players and spectators at a table in play


@handles(protocol.Act, own_seat)
async def act(player: AtOwnSeat, message: protocol.Act) -> None:
    await player.session.act(player.seat, message.at, message.action)
    player.lobby.table_manager.registry.note_arrival(player.client.nick, message.table)


@handles(protocol.AcknowledgeRound, own_seat)
async def acknowledge_round(player: AtOwnSeat, message: protocol.AcknowledgeRound) -> None:
    await player.session.people.acknowledge_round(player.seat, message.round)


@handles(protocol.AskRounds, at_table)
async def ask_rounds(session: HostedSession, message: protocol.AskRounds) -> protocol.Rounds:
    if not allows_aids(session.public_header.terms, is_over=session.is_over):
        raise RequestRefused("the last deal is not shown at this table before the end")
    return protocol.Rounds(message.table, await session.read_finished_rounds())


@handles(protocol.VoteSubstitute, own_seat)
async def vote_substitute(player: AtOwnSeat, message: protocol.VoteSubstitute) -> None:
    await player.session.people.vote_substitute(message.seat, player.seat)


@handles(protocol.VoteRematch, own_seat)
async def vote_rematch(player: AtOwnSeat, message: protocol.VoteRematch) -> None:
    await player.lobby.table_manager.vote_rematch(
        player.client, player.seat, player.session, message.table, draws_seats=message.draws_seats
    )


@handles(protocol.DeclineRematch, own_seat)
async def decline_rematch(player: AtOwnSeat, _message: protocol.DeclineRematch) -> None:
    """Withdraw the offer of another session as the game master, or decline it; the offer lapses for all."""
    if not player.session.people.rematch.votes or player.session.people.rematch_agreed:
        raise RequestRefused("no other session is offered")
    await player.session.people.cancel_rematch()


# The game master of a table


@handles(protocol.EndWait, master_in_play)
async def end_wait(request: MasterInPlay, _message: protocol.EndWait) -> None:
    await request.session.people.end_wait()


@handles(protocol.GiveSeat, master_in_play)
async def give_seat(request: MasterInPlay, message: protocol.GiveSeat) -> None:
    await request.lobby.table_manager.give_seat(request.client, request.table, request.session, message)


@handles(protocol.InviteToTable, master)
async def invite(request: Master, message: protocol.InviteToTable) -> None:
    request.lobby.tournament_manager.talk.check_not_playing(request.client.person)
    invitations = request.lobby.table_manager.invitations
    change_invitation = invitations.withdraw if message.withdrawn else invitations.invite
    await change_invitation(request.client.nick, request.table, message.nick)


@handles(protocol.SendAway, master)
async def send_away(request: Master, message: protocol.SendAway) -> None:
    await request.lobby.table_manager.invitations.send_away(request.client.nick, request.table, message.nick)


@handles(protocol.AdmitSpectators, master)
async def admit_spectators(request: Master, message: protocol.AdmitSpectators) -> None:
    invitations = request.lobby.table_manager.invitations
    await invitations.admit_spectators(request.client.nick, request.table, admitted=message.admitted)
