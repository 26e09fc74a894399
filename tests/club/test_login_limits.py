"""Logins: limits of tries, new nicks and places; tickets of programs, older versions, several devices."""

import asyncio
import json
import threading
from contextlib import AsyncExitStack
from random import Random
from unittest.mock import AsyncMock

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

from cardtable import games
from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.client import connection as link
from cardtable.club.client.connection import Login
from cardtable.club.server import limits
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.limits import LIMITS, Budget, LoginError
from cardtable.engine.game import INTERFACE_VERSION
from cardtable.store import club_tokens, passwords, profiles
from tests.club.account_logins import (
    CODE,
    NEIGHBOUR,
    ORIGIN,
    OTHER_ORIGIN,
    Clock,
    assert_refused,
    log_in,
    make_nicks,
    read_refused_login,
    running_client,
    visit,
)
from tests.club.bad_lines import FaultyProxy
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import Guest, club, enter_once, joined, play_until, read_refusal, table_of


async def test_token_works_after_many_wrong_attempts():
    """Wrong attempts from the same address, or with the same nick, do not delay a guest with a token."""
    accounts = ClubAccounts(CODE)
    _, token = await log_in(accounts, "Anna", code=CODE)
    for _ in range(50):
        await assert_refused(accounts, "Anna", code="wrong")
        await assert_refused(accounts, "Anna", token="wrong")
    assert (await log_in(accounts, "Anna", token=token))[0].nick == "Anna"


async def test_wrong_codes_block_only_codes_from_their_address():
    profiles.register("Bob", password="sesame77", again="sesame77")
    accounts = ClubAccounts(CODE)
    for _ in range(50):  # a missing code is not a wrong one
        assert (await assert_refused(accounts, "Eve")).missing == "code"
    for _ in range(LIMITS.wrong_codes.number):
        await assert_refused(accounts, "Eve", code="wrong")
    refusal = await assert_refused(accounts, "Anna", code=CODE)
    assert (str(refusal), refusal.retry_after) == ("too many wrong tries; try again in 10 seconds", 10)
    await log_in(accounts, "Anna", NEIGHBOUR, code=CODE)
    await accounts.authenticator.sign_in("Bob", "sesame77", ORIGIN)


async def test_wrong_passwords_elsewhere_do_not_lock_out_a_player(anna_with_password):
    profiles.register("Bob", password="sesame77", again="sesame77")
    accounts = ClubAccounts()
    for _ in range(LIMITS.wrong_codes.number):
        await assert_refused(accounts, "Anna", OTHER_ORIGIN, password="wrong")
    refusal = await assert_refused(accounts, "anna", OTHER_ORIGIN, password="sesame77")
    assert (str(refusal), refusal.retry_after) == ("too many wrong tries; try again in 10 seconds", 10)
    await log_in(accounts, "Anna", ORIGIN, password="sesame77")
    await log_in(accounts, "Bob", OTHER_ORIGIN, password="sesame77")


def is_delayed(budget, consumer):
    try:
        budget.check_delay(consumer)
    except LoginError:
        return True
    return False


def count_tries(budget, consumer):
    """Make wrong tries until the next one is delayed; return how many."""
    tries = 0
    while not is_delayed(budget, consumer):
        budget.spend(consumer)
        tries += 1
    return tries


@pytest.mark.parametrize(
    ("limit", "free"), [("wrong_codes", 5), ("wrong_passwords", 20), ("wrong_passwords_of_one", 5)]
)
def test_after_the_free_tries_one_in_ten_seconds_is_allowed(clock, limit, free):
    budget = Budget(getattr(LIMITS, limit))
    assert count_tries(budget, "192.0.2.1") == free
    assert not is_delayed(budget, "192.0.2.2")
    for _ in range(3):
        clock[0] += 9.9
        assert is_delayed(budget, "192.0.2.1")
        clock[0] += 0.1
        assert count_tries(budget, "192.0.2.1") == 1
    clock[0] += 10 * free
    assert count_tries(budget, "192.0.2.1") == free


async def test_wrong_passwords_for_many_nicks_delay_their_address(clock, anna_with_password):
    accounts = ClubAccounts()
    for nick in make_nicks("E", 20):
        await assert_refused(accounts, nick, password="wrong")
    assert "too many wrong tries" in str(await assert_refused(accounts, "Anna", password="sesame77"))
    await log_in(accounts, "Anna", NEIGHBOUR, password="sesame77")
    clock[0] += 10
    await log_in(accounts, "Anna", password="sesame77")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::1", "127.0.0.1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("", "", True),
    ],
)
async def test_addresses_of_one_network_are_delayed_together(clock, one, other, same):
    accounts = ClubAccounts(CODE)
    for _ in range(LIMITS.wrong_codes.number):
        await assert_refused(accounts, "Eve", ConnectionOrigin(one), code="wrong")
    refusal = await assert_refused(accounts, "Eve", ConnectionOrigin(other), code="wrong")
    assert (refusal.retry_after == 10) is same


async def test_password_checks_are_queued_per_address(monkeypatch, anna_with_password):
    """A flood from one address delays no other address and occupies one check."""
    accounts, released, checking = ClubAccounts(), threading.Event(), []
    is_correct = passwords.is_correct

    def check_slowly(stored, password):
        checking.append(password)
        if password == "wrong":
            released.wait(10)
        return is_correct(stored, password)

    monkeypatch.setattr(passwords, "is_correct", check_slowly)
    flood = [asyncio.create_task(assert_refused(accounts, "Anna", OTHER_ORIGIN, password="wrong")) for _ in range(5)]
    await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED)
    await log_in(accounts, "Anna", ORIGIN, password="sesame77")
    assert checking == ["wrong", "sesame77"]
    released.set()
    refusals = [await each for each in flood]
    message = "other passwords from your address are being checked; try again in 1 second"
    assert sorted((str(each), each.retry_after) for each in refusals) == [
        *[("That is not the password", None)] * 2,
        *[(message, 1)] * 3,
    ]


async def test_cancelled_password_check_keeps_its_slot(monkeypatch, anna_with_password):
    """Clients that disconnect cannot start more checks at once than allowed."""
    accounts, released, checking = ClubAccounts(), threading.Event(), []

    def check_slowly(_stored, password):
        checking.append(password)
        return released.wait(10)

    monkeypatch.setattr(passwords, "is_correct", check_slowly)
    for number in range(4):
        login = asyncio.create_task(
            log_in(accounts, "Anna", ConnectionOrigin(f"192.0.2.{number}"), password="sesame77")
        )
        await asyncio.sleep(0)
        login.cancel()
        await asyncio.sleep(0)
    assert len(checking) <= limits.MAX_CONCURRENT_CHECKS
    released.set()
    await log_in(accounts, "Anna", ORIGIN, password="sesame77")


async def test_client_retries_after_temporary_refusal(monkeypatch, clock):
    monkeypatch.setattr(link, "MAX_RETRY_DELAY", 0.01)
    async with club(code=CODE) as (room, url):
        for address in ["::1", "127.0.0.1"] * LIMITS.wrong_codes.number:
            with pytest.raises(LoginError):
                await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(address), "Eve"), code="wrong")
        async with Guest(url, "Anna", code=CODE) as anna:
            await anna.wait_until(lambda: anna.link.connection_error or anna.welcome)
            assert anna.link.connection_error == "too many wrong tries; try again in 10 seconds"
            clock[0] += LIMITS.wrong_codes.every
            await anna.wait_until(lambda: anna.welcome)
            assert anna.link.is_connected


async def test_client_enters_when_a_place_is_free(monkeypatch):
    monkeypatch.setattr(link, "MAX_RETRY_DELAY", 0.01)
    async with club(max_guests=1) as (_, url), AsyncExitStack() as stack, AsyncExitStack() as first:
        await first.enter_async_context(joined(url, "Anna"))
        bob = await stack.enter_async_context(Guest(url, "Bob", waits=True))
        await bob.wait_until(lambda: bob.link.connection_error == "1 guests are here, and the club is full")
        await first.aclose()
        await bob.wait_until(lambda: bob.welcome)


async def test_full_club_asks_for_a_password_before_waiting(anna_with_password):
    async with club(max_guests=1) as (_, url), joined(url, "Bob"):
        for nick, typed, outcome in (("Anna", "sesame77", "here: Bob (guest), Anna"), ("Cleo", "", "keeps trying")):
            async with lobby_app(url, nick) as screen:
                await screen.sees("What is your password", "the club is full", "Enter wait for a place")
                await screen.enter(typed, outcome)


async def test_limit_of_new_nicks_per_address_and_hour():
    accounts = ClubAccounts(max_new_nicks=3, clock=(clock := Clock()))
    tokens = []
    for nick in make_nicks("A", 3):
        tokens.append((await log_in(accounts, nick))[1])
        clock.now += 60
    refusal = await assert_refused(accounts, "Late", ConnectionOrigin("::ffff:192.0.2.1"))
    assert str(refusal) == "too many new nicks came from your address; try again in 57 minutes"
    for nick, token in zip(make_nicks("A", 3), tokens, strict=True):
        await log_in(accounts, nick, token=token)
    await log_in(accounts, "Other", NEIGHBOUR)
    clock.now += 3420
    await log_in(accounts, "Late")
    await assert_refused(accounts, "Later")


async def test_one_network_cannot_use_up_known_people(set_limit):
    set_limit("accounts", number=20)
    accounts = ClubAccounts()
    addresses = [ConnectionOrigin(f"2001:db8:7:{number:x}::1") for number in range(30)]
    for nick, address in zip(make_nicks("E", 10), addresses[:10], strict=True):
        await log_in(accounts, nick, address)
    for nick, address in zip(make_nicks("F", 20), addresses[10:], strict=True):
        assert "knows too many people to take a new nick" in str(await assert_refused(accounts, nick, address))
    for nick in make_nicks("H", 3):
        await log_in(accounts, nick, ORIGIN)


async def test_one_network_cannot_use_up_profiles(set_limit):
    set_limit("players", number=5)
    accounts, registered = ClubAccounts(), 0
    for nick in make_nicks("M", 4):
        await log_in(accounts, nick)
        if registered < 3:
            await accounts.authenticator.register(nick, "sesame77", ORIGIN)
            registered += 1
        else:
            with pytest.raises(LoginError, match="too many players to take a new one from you; stay a guest"):
                await accounts.authenticator.register(nick, "sesame77", ORIGIN)
    await log_in(accounts, "Anna", OTHER_ORIGIN)
    await accounts.authenticator.register("Anna", "sesame77", OTHER_ORIGIN)


async def test_guest_recognized_at_another_club_address(monkeypatch):
    async with club(code=CODE) as (room, url):
        await visit(url, "Bob", code=CODE)
        for nick in ("", "Bob", "bob"):
            assert (await visit(url.replace("localhost", "127.0.0.1"), nick)).nick == "Bob"
        assert [ticket.club for ticket in club_tokens.load()[0].tickets] == [room.accounts.id]
    async with club(code=CODE) as (_, url):
        await visit(url, "Bob")  # at another port


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


async def test_host_imitating_another_club():
    """The tokens of a false host do not replace the right one: the guest can still enter the right club."""
    async with club() as (room, url):
        await visit(url, "Bob")
        async with club() as (pretending, other):
            pretending.accounts.id, pretending.accounts.save_all = room.accounts.id, AsyncMock()
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
        bob.client.handle_message(protocol.AccountGranted("Anna", "another"))
        lobby_state = room.present_nicks, room.tables, INTERFACE_VERSION, games.list_packages(), ()
        bob.client.handle_message(protocol.Welcome(room.name, "Anna", "another", False, *lobby_state))
        assert "another" not in [ticket.token for ticket in club_tokens.load()[0].tickets]


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
        version = f"version {protocol.PROTOCOL_VERSION} of the protocol"
        assert message["why"] == f"this club uses {version}: update your cardtable to join"


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
        first = await stack.enter_async_context(joined(url, "Anna"))
        for _ in range(2):
            await stack.enter_async_context(joined(url, "Anna", token=first.welcome.token))
        await first.wait_until(lambda: first.link.end_reason == "you have joined with 2 other programs since")
        assert room.present_nicks == ("Anna",)
