"""Requests of clients: their execution, by one function for each message."""

from collections.abc import Callable
from typing import Final

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import AccountGranted, AnyClientMessage, RequestFailed
from cardtable.club.server.account_store import format_registered_nick
from cardtable.club.server.admission import DEVICE_WORD_SECONDS, format_word
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.request_checks import (
    AtOwnSeat,
    Master,
    MasterInPlay,
    SignedIn,
    at_table,
    execute_request,
    handles,
    master,
    master_in_play,
    own_seat,
    signed_in,
)
from cardtable.engine.text_format import sanitize, to_one_line
from cardtable.session.message_log import MAX_TALK_LENGTH

LOGGED_OUT: Final = "Your password was changed on another device; join again with the new one."
"""Reason for which the other devices of a player are disconnected."""


async def handle_request(lobby: ClubLobby, client: ConnectedClient, message: AnyClientMessage) -> None:
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
    text = to_one_line(message.text.strip(), MAX_TALK_LENGTH)
    if not sanitize(text).strip():
        raise RequestRefused("type something to say")
    lobby.check_talk(client)
    if message.table:
        seat = registry.get_seat(client, message.table)
        session = await registry.open_session(client, message.table)
        await session.say(text, client.nick if seat is None else seat)
    else:
        lobby.announce(text, client.nick)


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
    for each in lobby.clients:
        if each.nick == client.nick and each is not client:
            each.end_connection(format_reason(each.origin))


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
async def ask_journal(request: SignedIn, message: protocol.AskJournal) -> protocol.PastJournal:
    journal = await request.lobby.finished_sessions.read_journal(request.client.person, message.session)
    return protocol.PastJournal(message.session, journal)


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


# Coming to a table, and leaving it


@handles(protocol.OpenTable, signed_in)
async def open_table(request: SignedIn, message: protocol.OpenTable) -> None:
    request.lobby.table_manager.open_table(request.client, message)


@handles(protocol.SitDown, signed_in)
async def sit_down(request: SignedIn, message: protocol.SitDown) -> None:
    await request.lobby.table_manager.sit_down(request.client, message.table, message.seat)


@handles(protocol.LookOn, signed_in)
async def look_on(request: SignedIn, message: protocol.LookOn) -> None:
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


@handles(protocol.Ready, own_seat)
async def acknowledge_round(player: AtOwnSeat, message: protocol.Ready) -> None:
    await player.session.people.acknowledge_round(player.seat, message.round)


@handles(protocol.AskRounds, at_table)
async def ask_rounds(session: HostedSession, message: protocol.AskRounds) -> protocol.Rounds:
    return protocol.Rounds(message.table, await session.read_finished_rounds())


@handles(protocol.StandIn, own_seat)
async def vote_substitute(player: AtOwnSeat, message: protocol.StandIn) -> None:
    await player.session.people.vote_substitute(message.seat, player.seat)


@handles(protocol.PlayAgain, own_seat)
async def vote_rematch(player: AtOwnSeat, message: protocol.PlayAgain) -> None:
    await player.lobby.table_manager.vote_rematch(
        player.client, player.seat, player.session, message.table, lot=message.lot
    )


@handles(protocol.DeclineAgain, own_seat)
async def decline_rematch(player: AtOwnSeat, _message: protocol.DeclineAgain) -> None:
    """Withdraw the offer of another session as the game master, or decline it; the offer lapses for all."""
    if not player.session.people.rematch_offered or player.session.people.rematch_agreed:
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
