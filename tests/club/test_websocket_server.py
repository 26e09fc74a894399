"""Guests over the network: they join, play, lose the connection and return; limits and passwords."""

import asyncio
import threading
from contextlib import AsyncExitStack

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedOK

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.client import connection as client_connection
from cardtable.club.server import account_store, authenticator, club_file, limits, websocket_endpoint
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.client_outbox import TableSubscriber
from cardtable.club.server.club_table import ClubTable
from cardtable.club.server.host_events import ConnectionDropped
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.requests import handle_request
from cardtable.club.server.session_changes import PROGRAM_FAULT
from cardtable.club.server.session_people import SessionPeople
from cardtable.club.server.table_manager import TableManager
from cardtable.club.server.table_registry import TableRegistry
from cardtable.session.session_runner import SessionRunner
from cardtable.store import passwords, profiles
from tests.club.account_logins import add_keys
from tests.club.loopback_club import (
    Guest,
    club,
    enter_once,
    hosted_guest,
    hosted_listener,
    joined,
    leave_table,
    play_until,
    read_refusal,
    start_table,
    table_of,
)


class RecordedDelays(tuple):
    """Delays of a client that record which of them were used."""

    def __new__(cls, *delays):
        made = super().__new__(cls, delays)
        made.used = []
        return made

    def __getitem__(self, place):
        self.used.append(place)
        return super().__getitem__(place)


@pytest.mark.parametrize("ending", ["closed", "cut"])
@pytest.mark.parametrize(("steady", "used"), [(0.0, [0, 0, 0]), (3600.0, [0, 1, 2])])
async def test_steady_connection_resets_reconnect_delay(monkeypatch, ending, steady, used):
    """Delays grow only after connections that end soon after the login."""
    monkeypatch.setattr(client_connection, "STABLE_SECONDS", steady)
    delays = RecordedDelays(0.0, 0.0, 0.0, 0.0)
    async with club() as (_, url), joined(url, "Anna", delays=delays) as anna:
        for _ in used[1:]:
            await anna.disconnect(abort=ending == "cut")
        assert delays.used == used


async def test_cut_connection_has_its_own_error_text():
    async with club() as (_, url), joined(url, "Anna", delays=(0.0, 3600.0)) as anna:
        anna.link.socket.transport.abort()
        await anna.wait_until(lambda: anna.link.connection_error == "the connection was cut")


async def test_failed_handshake_text_depends_on_earlier_login():
    async with await asyncio.start_server(lambda _, writer: writer.close(), "localhost", 0) as server:
        anna = Guest(f"ws://localhost:{server.sockets[0].getsockname()[1]}", "Anna")
        async with anna:
            await anna.wait_until(lambda: anna.link.connection_error)
            assert anna.link.connection_error == "what answers at that address is not a club; check the port"
            anna.link.club_id = "of an earlier login"
            await anna.wait_until(lambda: anna.link.connection_error == "the club does not answer")


async def test_concurrent_starts_begin_one_session():
    async with club() as (room, _):
        first, second = [room.add_client(club_file.KnownGuest("Anna"), "", ConnectionOrigin()) for _ in range(2)]
        await handle_request(room, first, protocol.OpenTable("rikiki", 4))
        (table,) = room.table_manager.registry.list_lobby_tables()
        await asyncio.gather(*[handle_request(room, client, protocol.Start(table)) for client in (first, second)])
        assert [row.playing for row in room.table_manager.registry.list_lobby_tables().values()] == [True]


async def test_limit_of_waiting_tables_per_player():
    async with club() as (_, url), joined(url, "Anna") as anna:
        for _ in range(LIMITS.waiting_tables.number + 1):
            await anna.send(protocol.OpenTable("rikiki", 4))
        await anna.wait_until(
            lambda: anna.refused == ["3 of your tables are already waiting for players; start one first"]
        )
        await anna.wait_until(lambda: len(anna.tables) == LIMITS.waiting_tables.number)
        await anna.send(protocol.Start(min(anna.tables)), until=lambda: anna.view)
        await anna.send(protocol.OpenTable("king", 4))
        await anna.send(protocol.Leave(anna.seated.table))
        await anna.wait_until(lambda: "king" in {row.game for row in anna.tables.values()})


@pytest.fixture
def delayed_talk(monkeypatch):
    """Block talk at a table until the event is set."""
    released, say = threading.Event(), SessionRunner.say

    def wait_and_say(*arguments):
        released.wait(10)
        return say(*arguments)

    monkeypatch.setattr(SessionRunner, "say", wait_and_say)
    return released


async def yield_one_frame(message):
    """Yield one frame, then block, as an idle connection does."""
    yield protocol.encode(message)
    await asyncio.Event().wait()


async def test_client_cut_while_joining_is_not_present(delayed_talk):
    async with club() as (room, url), table_of(url, "Anna", "Bob") as (table, _anna, bob):
        playing = room.table_manager.registry.tables[table].hosted_session
        await bob.send(protocol.Say("Wait", table))
        client = room.add_client(club_file.KnownGuest("Cleo"), "", ConnectionOrigin())
        endpoint = websocket_endpoint.WebSocketEndpoint(room)
        receiving = asyncio.create_task(endpoint._receive_frames(yield_one_frame(protocol.Watch(table)), client))
        while not playing.changes.not_empty.is_set():
            await asyncio.sleep(0)
        receiving.cancel()
        delayed_talk.set()
        await asyncio.wait([receiving])
        await room.remove_client(client)
        await playing.read_finished_rounds()
        assert playing.people.spectator_count == 0


async def seat_two_players(room):
    """Return clients of Anna and Bob, and the id of Anna's table, at which both sit and which has not begun."""
    anna, bob = [room.add_client(club_file.KnownGuest(nick), "", ConnectionOrigin()) for nick in ("Anna", "Bob")]
    await handle_request(room, anna, protocol.OpenTable("rikiki", 4, draws_seats=False))
    (table,) = room.table_manager.registry.tables
    await handle_request(room, bob, protocol.SitDown(table))
    return anna, bob, table


async def test_all_players_present_when_a_table_begins(monkeypatch):
    """The first updates show no player as absent."""
    absences, refresh = [], TableSubscriber.refresh
    monkeypatch.setattr(
        TableSubscriber, "refresh", lambda self, around: absences.append(around.absences) or refresh(self, around)
    )
    async with club() as (room, _):
        anna, _, table = await seat_two_players(room)
        await handle_request(room, anna, protocol.Start(table))
        assert absences[:2] == [{}, {}]
        assert room.table_manager.registry.tables[table].hosted_session.people.present_seats == {0, 1}


def block_first_call(monkeypatch, owner, name):
    """Block the first call of a method; return an event set when it is reached, and one that releases it."""
    reached, released, original = asyncio.Event(), asyncio.Event(), getattr(owner, name)

    async def wait_first(*arguments, **named):
        if not reached.is_set():
            reached.set()
            await released.wait()
        return await original(*arguments, **named)

    monkeypatch.setattr(owner, name, wait_first)
    return reached, released


async def test_table_stays_in_the_lobby_while_it_begins(monkeypatch):
    """News that are sent meanwhile do not show it as closed."""
    async with club() as (room, _):
        anna, _, table = await seat_two_players(room)
        reached, released = block_first_call(monkeypatch, ClubTable, "begin")
        starting = asyncio.create_task(handle_request(room, anna, protocol.Start(table)))
        await reached.wait()
        listed = room.table_manager.registry.list_lobby_tables()
        released.set()
        await starting
        assert table in listed


async def request_seat(room, visitor, table):
    await handle_request(room, visitor, protocol.SitDown(table))


async def watch_briefly(room, visitor, table):
    await handle_request(room, visitor, protocol.Watch(table))
    await handle_request(room, visitor, protocol.Leave(table))


@pytest.mark.parametrize("visit", [request_seat, watch_briefly])
@pytest.mark.parametrize("step", [(account_store.AccountStore, "save_all"), (SessionPeople, "subscribe")])
async def test_visitor_does_not_close_a_starting_table(monkeypatch, visit, step):
    async with club() as (room, _):
        anna, bob, table = await seat_two_players(room)
        cleo = room.add_client(club_file.KnownGuest("Cleo"), "", ConnectionOrigin())
        reached, released = block_first_call(monkeypatch, *step)
        starting = asyncio.create_task(handle_request(room, anna, protocol.Start(table)))
        await reached.wait()
        await visit(room, cleo, table)
        released.set()
        await starting
        assert table in anna.subscriptions
        assert table in bob.subscriptions
        assert [row.playing for row in room.table_manager.registry.list_lobby_tables().values()] == [True]


@pytest.mark.parametrize("visit", [request_seat, watch_briefly])
async def test_visitor_does_not_close_a_table_being_rejoined(monkeypatch, visit):
    async with club() as (room, _):
        anna, bob, table = await seat_two_players(room)
        cleo = room.add_client(club_file.KnownGuest("Cleo"), "", ConnectionOrigin())
        await handle_request(room, anna, protocol.Start(table))
        for player in (anna, bob):
            await handle_request(room, player, protocol.Leave(table))
        reached, released = block_first_call(monkeypatch, SessionPeople, "subscribe")
        returning = asyncio.create_task(handle_request(room, anna, protocol.SitDown(table)))
        await reached.wait()
        await visit(room, cleo, table)
        released.set()
        await returning
        assert table in anna.subscriptions


async def test_player_who_calls_others_back_joins_one_who_has_returned(monkeypatch):
    async with club() as (room, _):
        anna, bob, table = await seat_two_players(room)
        await handle_request(room, anna, protocol.Start(table))
        for player in (anna, bob):
            await handle_request(room, player, protocol.Leave(table))
        find_unfinished = TableRegistry.find_unfinished

        async def let_bob_return_after_the_search(*arguments):
            found = await find_unfinished(*arguments)
            await handle_request(room, bob, protocol.SitDown(table))
            return found

        monkeypatch.setattr(TableRegistry, "find_unfinished", let_bob_return_after_the_search)
        await handle_request(room, anna, protocol.ResumeSession(table))
        assert room.table_manager.registry.tables[table].hosted_session.people.present_seats == {0, 1}


@pytest.mark.parametrize("step", [(ClubTable, "begin"), (SessionPeople, "subscribe")])
async def test_player_leaving_during_start_is_absent(monkeypatch, step):
    async with club() as (room, _):
        anna, bob, table = await seat_two_players(room)
        original = getattr(*step)

        async def disconnect_bob_meanwhile(*arguments, **named):
            running = asyncio.create_task(original(*arguments, **named))
            await asyncio.sleep(0)
            if bob.nick in room.present_nicks:
                await room.remove_client(bob)
            return await running

        with monkeypatch.context() as patch:
            patch.setattr(*step, disconnect_bob_meanwhile)
            await handle_request(room, anna, protocol.Start(table))
        assert room.table_manager.registry.tables[table].hosted_session.people.present_seats == {0}


async def test_crashed_table_is_logged_and_goes_on_by_itself(monkeypatch):
    lines = []
    async with club(log=lines.append) as (_, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await play_until(lambda: anna.view.trick and anna.view.legal, anna, bob)
        view, anna.update = anna.view, None
        with monkeypatch.context() as patch:
            patch.setattr(SessionRunner, "say", lambda *_: 1 / 0)
            assert await bob.get_refusal(protocol.Say("Hello", table)) == PROGRAM_FAULT
        await anna.wait_until(lambda: anna.update)
        assert (anna.view, anna.update.absences) == (view, {})
        assert [line for line in lines if line.startswith(f"the session {table} has failed: ZeroDivisionError in ")]
        await play_until(lambda: anna.view.round > 2, anna, bob)


async def test_failing_request_is_answered_and_logged(monkeypatch):
    lines = []
    async with club(log=lines.append) as (_, url), joined(url, "Anna") as anna:
        with monkeypatch.context() as patch:
            patch.setattr(TableManager, "open_table", lambda *_: 1 / 0)
            assert await anna.get_refusal(protocol.OpenTable("rikiki", 4)) == PROGRAM_FAULT
        assert lines[-1].startswith("a request open_table of Anna has failed: ZeroDivisionError in requests.py, line ")
        await anna.send(protocol.OpenTable("rikiki", 4), until=lambda: anna.tables)


async def test_table_opens_after_a_failed_attempt(monkeypatch):
    async with club() as (room, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await leave_table(table, anna, bob)
        with monkeypatch.context() as broken:
            broken.setattr(HostedSession, "load_messages", lambda _: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                await room.table_manager.registry.tables[table].open()
        anna.update = None
        await anna.sit_down(table)


async def test_lobby_lists_people_and_cleans_talk():
    async with club() as (_, url), Guest(url, "Anna") as anna:
        await anna.wait_until(lambda: anna.people == ("Anna",))
        async with Guest(url, "Bob") as bob:
            await anna.wait_until(lambda: anna.people == ("Anna", "Bob"))
            await bob.send(protocol.Say("  Good\tevening\x1b[2J "))
            await anna.wait_until(lambda: anna.talk == [("Bob", "Good evening[2J")])
            await bob.send(protocol.Say("می\u200cروم 👩\u200d💻"))
            await anna.wait_until(lambda: anna.talk[1:] == [("Bob", "می\u200cروم 👩\u200d💻")])
            await bob.send(protocol.Say("\u200d\x07"), until=lambda: bob.refused == ["type something to say"])
        await anna.wait_until(lambda: anna.people == ("Anna",))


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        ({}, "this club has a code; ask its host"),
        ({"code": "abcdefgh"}, "that is not the code of this club; ask its host"),
        ({"token": "mine"}, authenticator.UNKNOWN_DEVICE),
    ],
)
async def test_rejects_wrong_or_missing_code(hello, message):
    async with club(code="kmnpqrst") as (room, url):
        assert (await read_refusal(url, "Anna", **hello), room.present_nicks) == (message, ())


async def test_passwords_at_host_and_club_are_independent(monkeypatch, anna_with_password):
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    async with club() as (_, url):
        await enter_once(url, "Anna", password="sesame77")
        assert profiles.find("Anna").is_locked
        for _ in range(passwords.ATTEMPTS_BEFORE_DELAY):
            assert await read_refusal(url, "Anna", password="wrong")
        assert profiles.verify_password("Anna", "sesame77") is None
        async with Guest(url, "Anna") as other:
            await other.wait_until(lambda: other.link.end_reason)
            assert other.link.state.missing_credential == "password"


async def test_connection_without_hello_times_out(monkeypatch):
    monkeypatch.setattr(websocket_endpoint, "LOGIN_TIMEOUT", 0.05)
    events = []
    async with club(listener=events.append) as (_, url), connect(url, subprotocols=[protocol.SUBPROTOCOL]) as silent:
        await silent.recv()
        with pytest.raises(ConnectionClosedOK):
            await silent.recv()
    assert ConnectionDropped("join") in events


async def test_concurrent_newcomers_respect_the_guest_limit(monkeypatch):
    """A place is reserved from the first check on, so that a refused newcomer uses up no nick."""
    save_started, released = asyncio.Event(), asyncio.Event()

    async def block_save(*_):
        save_started.set()
        await released.wait()

    async with club(max_guests=1) as (room, url):
        monkeypatch.setattr(room.accounts, "save_all", block_save)
        async with Guest(url, "Anna") as anna:
            await save_started.wait()
            async with Guest(url, "Bob", waits=True) as bob:
                try:
                    await bob.wait_until(lambda: bob.link.connection_error == "1 guests are here, and the club is full")
                finally:
                    released.set()
                await anna.wait_until(lambda: anna.welcome)
            assert (room.present_nicks, room.accounts.find_returning_account("Bob")) == (("Anna",), None)


async def test_newcomers_of_one_address_get_half_of_the_places(monkeypatch):
    """Returning guests of the address come in all the same."""
    monkeypatch.setattr(websocket_endpoint, "is_local", lambda _: False)
    async with club(max_guests=6) as (room, url), AsyncExitStack() as stack:
        _, token = await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Dora"))
        for nick in ("Anna", "Bob", "Cleo"):
            await stack.enter_async_context(joined(url, nick))
        late = await stack.enter_async_context(Guest(url, "Emil", waits=True))
        await late.wait_until(
            lambda: late.link.connection_error == "3 guests are here from your address; there is no room for more"
        )
        await stack.enter_async_context(joined(url, "Dora", token=token))
    assert [LIMITS.all_programs.compute_share(others) for others in (0, 16, 24, 31)] == [16, 8, 4, 2]


async def test_full_club_admits_players_and_seat_holders():
    profiles.register_remote("Flo", "sesame77")
    async with club(max_guests=2) as (_, url), Guest(url, "Bob") as bob, AsyncExitStack() as stack:
        async with Guest(url, "Anna") as anna:
            await start_table(anna, bob)
        await bob.wait_until(lambda: bob.update and bob.update.absences)
        await stack.enter_async_context(joined(url, "Cleo"))
        dora = await stack.enter_async_context(Guest(url, "Dora", waits=True))
        await dora.wait_until(lambda: dora.link.connection_error == "2 guests are here, and the club is full")
        for login in ({"nick": "Anna", "token": anna.welcome.token}, {"nick": "Flo", "password": "sesame77"}):
            await stack.enter_async_context(joined(url, **login))
        # 4 people are here now, and a stranger is still refused
        emil = await stack.enter_async_context(Guest(url, "Emil", waits=True))
        await emil.wait_until(lambda: emil.link.connection_error == "2 guests are here, and the club is full")


async def test_flooding_client_is_disconnected(monkeypatch, set_limit):
    set_limit("messages", number=60)
    monkeypatch.setattr(websocket_endpoint, "CLOSE_TIMEOUT", 0.1)
    reason = "too many messages came at once: 20 a second are allowed"
    async with club() as (_, url), joined(url, "Anna") as anna, joined(url, "Anna", token=anna.welcome.token) as other:
        for _ in range(45):
            for device in (anna, other):
                await device.send(protocol.Say("spam"))
        await anna.wait_until(lambda: reason in (anna.link.end_reason, other.link.end_reason))


async def test_guest_registers_as_player():
    async with club(code="kmnpqrst") as (_, url), joined(url, "Anna", code="kmnpqrst") as anna:
        assert (anna.welcome.member, anna.guests) == (False, ("Anna",))
        await anna.send(protocol.Register(""))
        await anna.wait_until(lambda: anna.refused == ["a new password has at least 8 characters"])
        await anna.send(protocol.Register("sesame77"), until=lambda: anna.account)
        await anna.wait_until(lambda: anna.guests == ())
        assert profiles.get_current_nick() == "Guest", "who plays at the host's own machine stays"
        assert await anna.get_refusal(protocol.Register("another7")) == "Anna is already a player here; sign in"
        async with joined(url, "Anna", token=anna.account.token) as also:
            assert also.welcome.member
        await enter_once(url, "Anna", code="kmnpqrst", password="sesame77")
        assert await read_refusal(url, "Anna", token=anna.welcome.token)


REGISTERED = "Anna is a player of this club now; join again with the password"


async def test_other_devices_of_a_guest_need_the_password_after_registration(home):
    async with club() as (room, url), joined(url, "Anna") as anna, joined(url, "Bob") as bob:
        table = await start_table(anna, bob)
        async with (
            joined(url, "Anna", token=anna.welcome.token) as other,
            hosted_guest(room, "Anna", is_private=False) as program,
        ):
            for guest in (other, program):
                await guest.send(protocol.SitDown(table), until=lambda guest=guest: guest.view)
            await anna.send(protocol.Register("sesame77"), until=lambda: anna.account)
            await other.wait_until(lambda: other.link.end_reason == REGISTERED)
            await program.wait_until(lambda: program.link.end_reason == f"{REGISTERED}, by ssh or with TLS")
            assert anna.link.is_connected, "it connects again by itself"
        async with Guest(url, "Anna", token=anna.welcome.token) as other:
            await other.wait_until(lambda: other.link.end_reason == authenticator.UNKNOWN_DEVICE)
            assert other.link.state.missing_credential == "nick"
        async with joined(url, "Anna", password="sesame77") as other:
            await other.send(protocol.SitDown(table), until=lambda: other.view and other.seated.seat == 0)


@pytest.mark.parametrize("kind", ["token", "key"])
async def test_device_that_registers_in_a_hosted_program_stays_known(kind):
    """It is known by the browser's cookie or the ssh key; the guest's other devices are not."""
    origin = ConnectionOrigin("192.0.2.1")
    async with club(code="kmnpqrst") as (room, _):
        accounts = room.authenticator
        tokens = [(await accounts.log_in(LoginIdentity(origin, "Anna"), code="kmnpqrst"))[1]]
        word = await room.administration.create_invitation("Anna")
        tokens.append((await accounts.log_in(LoginIdentity(origin, "Anna"), code=word))[1])
        add_keys(room.club_accounts, "Anna", "SHA256:own", "SHA256:other")
        credential = protocol.hash_token(tokens[0]).hex() if kind == "token" else "SHA256:own"
        async with hosted_guest(room, "Anna", credential=credential) as program:
            await program.send(protocol.Register("sesame77"), until=lambda: program.account)
        if kind == "token":
            assert accounts.log_in_by_token(LoginIdentity(origin, "Anna"), tokens[0]).is_member
        player = room.accounts.find_account("Anna")
        assert (*player.tokens, *player.keys) == (credential,)


async def test_no_registration_over_readable_connection():
    accounts, origin = ClubAccounts(), ConnectionOrigin("192.0.2.1", is_private=False)
    profiles.register_remote("Anna", "sesame77")
    person, _ = await accounts.authenticator.log_in(LoginIdentity(origin, "Cleo"))
    for attempt in (
        accounts.authenticator.register(person.nick, "sesame77", origin),
        accounts.authenticator.sign_in("Anna", "sesame77", origin),
    ):
        with pytest.raises(limits.LoginError, match="others could read your password on this connection"):
            await attempt


async def test_hosted_program_keeps_original_address():
    for nick in ("Anna", "Flo"):
        profiles.register_remote(nick, "sesame77")
    async with club() as (room, _):
        for nick in ("Bob", "Cleo", "Dora"):
            await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(), nick))
        async with (
            hosted_guest(room, "Bob", "192.0.2.1") as bob,
            hosted_guest(room, "Cleo", "192.0.2.2") as cleo,
            hosted_guest(room, "Dora", "192.0.2.3", is_private=False) as dora,
        ):
            for _ in range(LIMITS.wrong_passwords_of_one.number + 1):
                await bob.send(protocol.SignIn("Eve", "wrong"))
                await bob.send(protocol.SignIn("Anna", "wrong"))
            await bob.wait_until(lambda: any("too many wrong tries" in each for each in bob.refused))
            assert await cleo.get_refusal(protocol.SignIn("Eve", "sesame77")) == "That is not the password"
            assert "others could read your password" in await dora.get_refusal(protocol.SignIn("Flo", "sesame77"))


async def test_hosted_program_of_a_guest_is_not_that_of_a_player_with_the_nick():
    async with club() as (room, url):
        await enter_once(url, "Anna")
        async with hosted_listener(room, "Anna") as (own_url, token):
            profiles.register_remote("Anna", "sesame77")
            async with joined(own_url, "Anna", token=token) as guest:
                assert not guest.welcome.member
            await enter_once(url, "Anna", password="sesame77")
            assert await read_refusal(own_url, "Anna", token=token)


async def test_listener_of_a_hosted_program_is_for_its_own_token_alone():
    """Otherwise another program of the machine could pass for a guest's address, or a program for its machine."""
    profiles.register_remote("Flo", "sesame77")
    async with club() as (room, url):
        bob = await enter_once(url, "Bob")
        async with hosted_listener(room, "Anna") as (own_url, token), hosted_listener(room, "Bob") as (other_url, _):
            for nick, login in (
                *(("Bob", {"token": bob.welcome.token}), ("Flo", {"password": "sesame77"}), ("Cleo", {})),
                ("Anna", {"token": "guessed"}),
            ):
                async with Guest(own_url, nick, **login) as guest:
                    await guest.wait_until(lambda guest=guest: guest.link.end_reason)
                    assert guest.link.state == client_connection.Ended(authenticator.LOGGED_OUT)
            for elsewhere in (url, other_url):
                assert await read_refusal(elsewhere, "Anna", token=token)
            await enter_once(own_url, "Anna", token=token)
        assert room.accounts.find_account("Cleo") is None


@pytest.mark.parametrize("request_", [protocol.Register("sesame77"), protocol.SignIn("Flo", "sesame77")])
async def test_origin_after_login_anew_in_a_hosted_program(request_):
    profiles.register_remote("Flo", "sesame77")
    async with club() as (room, url), hosted_listener(room, "Anna") as (own_url, token):
        await room.authenticator.log_in(LoginIdentity(ConnectionOrigin("192.0.2.1"), "Anna"))
        async with joined(own_url, "Anna", token=token) as anna:
            await anna.send(request_)
            await anna.wait_until(lambda: anna.account)
        nick, granted = anna.account.nick, anna.account.token
        async with joined(own_url, nick, token=granted) as player:
            (client,) = room.clients
            assert player.welcome.member
            assert (client.origin.address, client.origin.transport) == ("192.0.2.1", "browser")
        assert room.accounts.find_account(nick).tokens == (), "no device keeps the token of the program"
        assert await read_refusal(url, nick, token=granted)
        await room.administration.ban_network("192.0.2.1")
        assert "banned" in await read_refusal(own_url, nick, token=granted)
