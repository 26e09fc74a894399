"""Logins of client programs: their tickets, other versions, several devices of a person."""

import json
from contextlib import AsyncExitStack
from random import Random

import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

from cardtable import games
from cardtable.club import protocol
from cardtable.club.client.connection import Login
from cardtable.engine.game import INTERFACE_VERSION
from cardtable.store import club_tokens, profiles
from tests.club.account_logins import CODE, read_refused_login, running_client, visit
from tests.club.bad_lines import FaultyProxy
from tests.club.loopback_club import Guest, club, enter_once, joined, play_until, read_refusal, table_of


async def test_guest_recognized_at_another_club_address(monkeypatch):
    async with club(code=CODE) as (room, url):
        await visit(url, "Bob", code=CODE)
        for nick in ("", "Bob", "bob"):
            assert (await visit(url.replace("localhost", "127.0.0.1"), nick)).nick == "Bob"
        assert [ticket.club for ticket in club_tokens.load()[0].tickets] == [room.accounts.id]
    async with club(code=CODE) as (_, url):
        await visit(url, "Bob")  # at another port


async def test_two_guests_share_one_home():
    async with club() as (_, url):
        for nick in ("Anna", "Bob", "Anna", "Bob", "Anna"):
            assert (await visit(url, nick)).nick == nick
        assert (await visit(url, "")).nick == "Anna", "who was there last"


async def test_ticket_lookup_prefers_signed_in_player(home):
    profiles.register("Anna")
    profiles.register("Bob")
    club_tokens.store_ticket("c1", "Bob", "b")
    assert club_tokens.find_ticket("c1", "", "Anna") == club_tokens.ClubToken("Anna", "")
    club_tokens.store_ticket("c1", "Stranger", "s")
    assert club_tokens.find_ticket("c1", "", "Anna") == club_tokens.ClubToken("Stranger", "s")
    club_tokens.store_ticket("c1", "Anna", "a")
    assert club_tokens.find_ticket("c1", "", "Anna") == club_tokens.ClubToken("Anna", "a")
    assert club_tokens.find_ticket("c2", "", "Guest") == club_tokens.ClubToken("", "")


async def test_refused_ticket_is_not_used_again():
    """The same nick can be entered again, as a new guest."""
    async with club() as (room, url):
        club_tokens.store_ticket(room.accounts.id, "Bob", "of another time")
        bob = await read_refused_login(url, "Bob")
        assert bob.required_credential == "nick"
        await visit(url, Login("Bob", refused_tokens=(bob.connection.login.token,)))
        assert club_tokens.find_ticket(room.accounts.id, "Bob", "Guest").token != "of another time"


async def save_nothing(*_):
    """Replace the saving of the accounts of another host."""


async def test_host_imitating_another_club():
    """The tokens of a false host do not replace the right one: the guest can still enter the right club."""
    async with club() as (room, url):
        await visit(url, "Bob")
        async with club() as (pretending, other):
            pretending.accounts.id, pretending.accounts.save_all = room.accounts.id, save_nothing
            pretending.accounts._accounts.clear()
            bob = await read_refused_login(other, "Bob")
            await visit(other, Login("Bob", refused_tokens=(bob.connection.login.token,)))
        assert len({ticket.token for ticket in club_tokens.load()[0].tickets}) == 2
        await visit(url, "Bob")


def test_ticket_limit_does_not_evict_other_clubs(monkeypatch):
    monkeypatch.setattr(club_tokens, "MAX_TICKETS", 6)
    club_tokens.store_ticket("right", "Bob", "b")
    for number in range(10):
        club_tokens.store_ticket("hostile", f"Bob{number}", str(number))
    assert club_tokens.find_ticket("right", "Bob", "Guest").token == "b"
    for number in range(10):
        club_tokens.store_ticket("hostile", "Bob", str(number))
    tickets = club_tokens.load()[0].tickets
    assert [ticket.token for ticket in tickets if ticket.club == "hostile" and ticket.nick == "Bob"][-1] == "9"
    assert club_tokens.find_ticket("right", "Bob", "Guest").token == "b"


async def test_unrequested_tokens_are_not_stored():
    async with club() as (room, url), running_client(url, "Bob") as bob:
        await bob.wait_until(lambda: bob.client.connection.is_connected)
        before = club_tokens.load()[0]
        bob.client.handle_message(protocol.AccountGranted("Anna", "another"))
        bob.client.handle_message(replace(make_welcome(room, "Bob"), nick="Anna"))
        assert club_tokens.load()[0] == before


def make_welcome(room, nick):
    """Return the Welcome that a club would send to a nick."""
    lobby_state = room.present_nicks, room.tables, INTERFACE_VERSION, games.list_packages(), ()
    return protocol.Welcome(room.name, nick, "another", False, *lobby_state)


async def test_token_is_sent_once():
    async with club(code=CODE) as (_, url):
        recorder = FaultyProxy(url, Random(0))
        async with recorder.open() as between:
            async with joined(between, "Anna", code=CODE) as anna:
                token = anna.welcome.token
                await anna.disconnect()
            anna = await enter_once(between, "Anna", token=token)
        assert len([frame for frame in recorder.frames if token in frame]) == 1
        assert len([frame for frame in recorder.frames if CODE in frame]) == 1
        hellos = [json.loads(frame) for frame in recorder.frames if '"hello"' in frame]
        assert len({hello["proof"] for hello in hellos}) == 3
        for hello in hellos[1:]:  # what was heard lets nobody in
            async with connect(url, subprotocols=[protocol.SUBPROTOCOL]) as connection:
                await connection.recv()
                await connection.send(json.dumps(hello))
                assert json.loads(await connection.recv())["type"] == "request_failed"


async def test_another_club_at_the_same_address_gets_no_code():
    async with club(code=CODE) as (room, url), joined(url, "Anna", code=CODE) as anna:
        room.accounts.id = "another"
        await anna.disconnect()
        assert anna.link.end_reason == "another club answers at that address now; leave and join again"


@pytest.mark.parametrize("subprotocols", [None, [f"cardtable.{protocol.PROTOCOL_VERSION - 1}"]], ids=["1", "before"])
async def test_client_of_an_older_version_is_refused_with_reason(subprotocols):
    """One of version 1 sends the first message; that of the version before hears of none that it understands."""
    async with club() as (_, url), connect(url, subprotocols=subprotocols) as old:
        assert old.subprotocol == (subprotocols and subprotocols[0])
        if subprotocols is None:
            await old.send('{"type":"hello","wire":1,"nick":"Anna","code":"","password":"","token":""}')
        message = json.loads(await old.recv())
        assert (message["type"], message["missing"]) == ("request_failed", "")
        assert message["why"] == "this club uses version 4 of the protocol: update your cardtable to join"


async def test_host_of_version_1_is_reported():
    async def silent(connection):
        await connection.recv()

    async with serve(silent, "localhost", 0) as server:
        url = f"ws://localhost:{server.sockets[0].getsockname()[1]}"
        message = "this club runs an older version of cardtable; ask its host to update it"
        assert await read_refusal(url, "Anna") == message


async def test_two_clients_of_one_player_stay_in_step():
    async with club() as (_, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        async with joined(url, "anna", token=anna.link.login.token) as also:
            await also.send(protocol.SitDown(table), until=lambda: also.view == anna.view)
            assert (also.seated.seat, also.nick) == (0, "anna")
            await play_until(lambda: anna.view.legal and also.view == anna.view, anna, bob)
            at, actions = anna.update.at, list(map(str, anna.view.legal))
            await also.send(protocol.Act(table, at, actions[-1]), until=lambda: anna.update.at > at)
            await anna.send(protocol.Act(table, at, actions[0]))
            await anna.wait_until(lambda: any("meantime" in each or "since" in each for each in anna.refused))
            await also.wait_until(lambda: also.update.at == anna.update.at)
            assert set(also.people) == set(anna.people) == {"Anna", "Bob"}
        await bob.send(protocol.Say("Hello", table))
        await anna.wait_until(lambda: any(getattr(note, "text", "") == "Hello" for note in anna.notes))
        assert not anna.update.absences


async def test_third_client_disconnects_the_oldest(set_limit):
    set_limit("connections", number=2)
    async with club(max_guests=1) as (room, url), AsyncExitStack() as stack:
        first = await stack.enter_async_context(Guest(url, "Anna"))
        await first.wait_until(lambda: first.welcome)
        for _ in range(2):
            other = await stack.enter_async_context(Guest(url, "Anna", token=first.welcome.token))
            await other.wait_until(lambda other=other: other.welcome)
        await first.wait_until(lambda: first.link.end_reason == "you have joined with 2 other programs since")
        assert room.present_nicks == ("Anna",)
