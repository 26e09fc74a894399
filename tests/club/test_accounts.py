"""Admission to a club: accounts, tokens, limits of wrong attempts and of new nicks."""

import asyncio
import json
import queue
import threading
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

import msgspec
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

from cardtable import games
from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, compute_client_network
from cardtable.club.client import connection as link
from cardtable.club.client.client import ClubClient
from cardtable.club.client.connection import Login
from cardtable.club.server import account_store, accounts, authenticator, club_file, limits, websocket_server
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.limits import LoginError, LoginThrottle
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import INTERFACE_VERSION
from cardtable.store import club_tokens, passwords, paths, profiles
from tests.club.bad_lines import FaultyProxy
from tests.club.loopback_club import Guest, club, enter_once, joined, play_until, poll_until, read_refusal, start_table
from tests.club.plain_guest import PlainGuest
from tests.club.test_lobby import lobby_app, shows
from tests.ui.table_host import wait_until

CODE = "kmnpqrst"
ORIGIN, OTHER_ORIGIN, NEIGHBOUR = (ConnectionOrigin(address) for address in ("192.0.2.1", "198.51.100.1", "192.0.2.2"))


async def log_in(book, nick, origin=ORIGIN, *, code="", password="", token=""):
    if not token:
        return await book.authenticator.log_in(nick, origin, code=code, password=password)
    proof = protocol.compute_token_proof(protocol.hash_token(token), book.store.id, "host", "guest")
    return book.authenticator.log_in_by_proof(protocol.Hello(nick, code, nonce="guest", proof=proof), "host", origin)


def hash_hex(token):
    return protocol.hash_token(token).hex()


async def assert_refused(book, nick, origin=ORIGIN, **credentials):
    with pytest.raises(LoginError) as refusal:
        await log_in(book, nick, origin, **credentials)
    return refusal.value


class ClientProgram:
    """A guest's client, which finds its tickets."""

    def __init__(self, url, login):
        self.client = ClubClient(url, login)
        self.client._connection._delays = (0.0, 0.01)
        self.news = asyncio.Event()
        self.client.on_change = self.news.set

    async def wait_until(self, condition):
        async with asyncio.timeout(20):
            while not condition():
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def running_client(url, login, code=""):
    """Run a client of this home at a club."""
    program = ClientProgram(url, Login(login, code=code) if isinstance(login, str) else login)
    task = asyncio.create_task(program.client.run())
    try:
        yield program
    finally:
        task.cancel()
        await asyncio.wait([task])


# --- players of the host


@pytest.mark.parametrize("nick", ["Anna", "ANNA", "Ａｎｎａ"])
async def test_player_without_password_is_refused(nick):
    profiles.register("Anna")
    book = ClubAccounts(CODE)
    refusal = await assert_refused(book, nick, code=CODE)
    assert str(refusal) == ("Anna is a player here; choose another nick, or first set a password for Anna at the host")
    assert refusal.missing == "nick"
    await assert_refused(book, nick, code=CODE, password="anything")
    profiles.set_password("Anna", "", "sesame77", "sesame77")
    person, _ = await log_in(book, nick, code=CODE, password="sesame77")
    assert (person.nick, person.is_member) == ("Anna", True)


@pytest.mark.parametrize("nick", ["Anna", "Tom"])
async def test_all_logins_fail_while_profiles_are_unreadable(nick, anna_with_password):
    """No nick of a player is free meanwhile, and logins work again once the file can be read."""
    book = ClubAccounts()
    _, token = await log_in(book, "Coco")
    whole = paths.profiles_file().read_bytes()
    paths.profiles_file().write_bytes(b"{")
    for credentials in ({}, {"password": "sesame77"}, {"token": token}):
        refusal = await assert_refused(book, nick, **credentials)
        assert str(refusal) == "the host cannot read its list of players; try again later"
        assert refusal.retry_after
    assert book.store.find_returning_account(nick) is None
    with pytest.raises(LoginError, match="cannot read"):
        await book.authenticator.sign_in(nick, "sesame77", ORIGIN)
    with pytest.raises(LoginError, match="cannot read"):
        await book.authenticator.register("Coco", "sesame77", ORIGIN)
    paths.profiles_file().write_bytes(whole)
    await log_in(book, "Anna", password="sesame77")


async def test_owner_token_replaces_a_missing_password():
    profiles.register("Anna")
    profiles.register("Bob", password="sesame77", again="sesame77")
    book = ClubAccounts(CODE)
    await book.store.save_all(())
    token = club_file.read_club_file().owner_token
    assert (await log_in(book, "Anna", token=token))[0].nick == "Anna"
    assert (accounts.get_owner_token("Anna", token), accounts.get_owner_token("Bob", token)) == (token, "")
    await assert_refused(book, "Bob", token=token)
    await assert_refused(book, "Cleo", token=token)
    await assert_refused(book, "Anna", token=token + "x")
    profiles.set_password("Anna", "", "sesame77", "sesame77")
    await assert_refused(book, "Anna", token=token)


async def test_token_invalid_after_password_change(anna_with_password):
    book = ClubAccounts()
    _, token = await log_in(book, "Anna", password="sesame77")
    profiles.set_password("Anna", "sesame77", "", "")
    await assert_refused(book, "Anna", token=token)


async def test_token_belongs_to_profile_not_to_nick(anna_with_password):
    book = ClubAccounts()
    _, token = await log_in(book, "Anna", password="sesame77")
    profiles.update_profile("Anna", "Hanna", "", "")
    assert (await log_in(book, "Hanna", token=token))[0].nick == "Hanna"
    profiles.register("Anna", password="other777", again="other777")
    await assert_refused(book, "Anna", token=token)
    person, other = await log_in(book, "Anna", password="other777")
    assert person.tokens == (hash_hex(other),)
    profiles.remove("Hanna", "sesame77")
    await assert_refused(book, "Hanna", token=token)


async def test_devices_of_a_renamed_player_log_in_under_the_former_nick(anna_with_password):
    """Each device uses the former nick once: the welcome tells it the present one."""
    book = ClubAccounts()
    tokens = [(await log_in(book, "Anna", password="sesame77"))[1] for _ in range(2)]
    profiles.update_profile("Anna", "Hanna", "", "")
    for token in tokens:
        assert (await log_in(book, "Anna", token=token))[0].nick == "Hanna"
    await assert_refused(book, "Anna", token="another")
    await book.administration.forget("Hanna")
    for nick in ("Anna", "Hanna"):
        await assert_refused(book, nick, token=tokens[0])
    await log_in(book, "Hanna", password="sesame77")


async def test_former_nick_of_a_player_is_free_only_after_the_player_has_used_the_new_one(anna_with_password):
    book = ClubAccounts()
    await log_in(book, "Anna", password="sesame77")
    profiles.update_profile("Anna", "Hanna", "", "")
    assert str(await assert_refused(book, "Anna")).startswith("Anna has been here before")
    await log_in(book, "Hanna", password="sesame77")
    await log_in(book, "Anna")


async def test_club_file_version_1_is_migrated(home, anna_with_password):
    """Tokens of players without a password are dropped: anyone who knew the code could get one."""
    profiles.register("Tom")
    hashed = hash_hex("token")
    people = [
        {"nick": nick, "member": nick != "Cleo", "tokens": [hashed], "keys": ["SHA256:x"]}
        for nick in ("Anna", "Tom", "Cleo", "Gone")
    ]
    table = {"session": "20261120-083728-rikiki-7f3a", "master": "Cleo", "grace": 60, "given": [1]}
    before = json.dumps({"club": 1, "code": CODE, "people": people, "tables": [table]}).encode()
    paths.club_file().write_bytes(before)
    book = ClubAccounts()
    await book.store.save_all(book.store.tables)
    assert paths.club_file().with_name("club.json.bak").read_bytes() == before
    file = club_file.read_club_file()
    assert (file.club, file.code) == (2, CODE)
    assert file.tables == (club_file.SavedTable("20261120-083728-rikiki-7f3a", "Cleo", 60, (1,)),)
    assert [(person.nick, person.is_member, len(person.tokens), person.keys) for person in file.people] == [
        ("Anna", True, 1, ("SHA256:x",)),
        ("Tom", True, 0, ("SHA256:x",)),
        ("Cleo", False, 1, ("SHA256:x",)),
        ("Gone", True, 0, ("SHA256:x",)),
    ]
    for _ in range(2):
        for nick in ("Anna", "Cleo"):
            assert (await log_in(book, nick, token="token"))[0].nick == nick
        for nick in ("Tom", "Gone"):
            await assert_refused(book, nick, token="token")
        book = ClubAccounts()  # started again


async def test_club_id_is_created_once(home):
    book = ClubAccounts()
    await book.store.save_all(())
    assert len(book.store.id) == 32
    assert (ClubAccounts().store.id, club_file.read_club_file().id) == (book.store.id, book.store.id)


# --- wrong tries


async def test_token_works_after_many_wrong_attempts():
    """Wrong attempts from the same address, or with the same nick, do not delay a guest with a token."""
    book = ClubAccounts(CODE)
    _, token = await log_in(book, "Anna", code=CODE)
    for _ in range(50):
        await assert_refused(book, "Anna", code="wrong")
        await assert_refused(book, "Anna", token="wrong")
    assert (await log_in(book, "Anna", token=token))[0].nick == "Anna"


async def test_wrong_codes_block_only_codes_from_their_address():
    profiles.register("Bob", password="sesame77", again="sesame77")
    book = ClubAccounts(CODE)
    for _ in range(limits.FREE_TRIES):
        await assert_refused(book, "Eve", code="wrong")
    refusal = await assert_refused(book, "Anna", code=CODE)
    assert (str(refusal), refusal.retry_after) == ("too many wrong tries; try again in 10 seconds", 10)
    await log_in(book, "Anna", NEIGHBOUR, code=CODE)
    await book.authenticator.sign_in("Bob", "sesame77", ORIGIN)


async def test_missing_code_does_not_count_as_wrong():
    book = ClubAccounts(CODE)
    for _ in range(50):
        assert (await assert_refused(book, "Anna")).missing == "code"
    await log_in(book, "Anna", code=CODE)


async def test_wrong_passwords_elsewhere_do_not_lock_out_a_player(anna_with_password):
    profiles.register("Bob", password="sesame77", again="sesame77")
    book = ClubAccounts()
    for _ in range(limits.FREE_TRIES):
        await assert_refused(book, "Anna", OTHER_ORIGIN, password="wrong")
    refusal = await assert_refused(book, "anna", OTHER_ORIGIN, password="sesame77")
    assert (str(refusal), refusal.retry_after) == ("too many wrong tries; try again in 10 seconds", 10)
    await log_in(book, "Anna", ORIGIN, password="sesame77")
    await log_in(book, "Bob", OTHER_ORIGIN, password="sesame77")


class Clock:
    """A clock that is set by the test."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


def is_refused(refuse, *arguments):
    try:
        refuse(*arguments)
    except LoginError:
        return True
    return False


def test_limit_of_wrong_passwords_per_address():
    throttle = LoginThrottle(clock := Clock())
    for number in range(limits.FREE_PASSWORDS):
        assert not is_refused(throttle.check_password_delay, "192.0.2.1", "Anna")
        throttle.add_wrong_password("192.0.2.1", f"Nick{number}")
    assert is_refused(throttle.check_password_delay, "192.0.2.1", "Anna")
    assert not is_refused(throttle.check_password_delay, "192.0.2.2", "Anna")
    clock.now += limits.RETRY_DELAY
    assert not is_refused(throttle.check_password_delay, "192.0.2.1", "Anna")
    throttle.add_wrong_password("192.0.2.1", "Anna")
    assert is_refused(throttle.check_password_delay, "192.0.2.1", "Bob")


def test_wrong_attempts_expire():
    throttle = LoginThrottle(clock := Clock())
    for _ in range(limits.FREE_TRIES):
        throttle.add_wrong_code("192.0.2.1")
    clock.now += limits.FORGET_SECONDS + 1
    throttle.add_wrong_code("192.0.2.1")
    assert not is_refused(throttle.check_code_delay, "192.0.2.1")


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
def test_addresses_of_one_network_are_throttled_together(one, other, same):
    throttle = LoginThrottle()
    for _ in range(limits.FREE_TRIES):
        throttle.add_wrong_code(one)
    assert is_refused(throttle.check_code_delay, other) is same
    assert (compute_client_network(one) == compute_client_network(other)) is same


def test_throttle_records_of_others_survive_a_flood(monkeypatch):
    monkeypatch.setattr(limits, "MAX_ADDRESSES", 100)
    throttle = LoginThrottle()
    honest = [f"192.0.{number}.1" for number in range(40)]
    for address in honest * limits.FREE_TRIES:
        throttle.add_wrong_code(address)
    for number in range(1000):
        throttle.add_wrong_code(f"2001:db8:1:{number:x}::1")
        for nick in range(limits.MAX_NICKS if number < 10 else 1):
            throttle.add_wrong_password("2001:db8:1:1::1", f"Nick{number}{nick}")
    assert all(is_refused(throttle.check_code_delay, address) for address in honest)
    networks = throttle._networks.values()
    assert sum(map(len, networks)) == throttle._address_count == limits.MAX_ADDRESSES
    assert max(len(record.by_nick) for known in networks for record in known.values()) == limits.MAX_NICKS


async def test_password_checks_are_queued_per_address(monkeypatch, anna_with_password):
    """A flood from one address delays no other address and occupies one check."""
    book, may_go_on, checking = ClubAccounts(), threading.Event(), []
    right = passwords.is_correct

    def slow(stored, password):
        checking.append(password)
        if password == "wrong":
            may_go_on.wait(10)
        return right(stored, password)

    monkeypatch.setattr(passwords, "is_correct", slow)
    flood = [asyncio.create_task(assert_refused(book, "Anna", OTHER_ORIGIN, password="wrong")) for _ in range(5)]
    await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED)
    await log_in(book, "Anna", ORIGIN, password="sesame77")
    assert checking == ["wrong", "sesame77"]
    may_go_on.set()
    refusals = [await each for each in flood]
    message = "other passwords from your address are being checked; try again in 1 second"
    assert sorted((str(each), each.retry_after) for each in refusals) == [
        *[("That is not the password", None)] * 2,
        *[(message, 1)] * 3,
    ]
    assert not book.authenticator._password_queue._locks


async def test_cancelled_password_check_keeps_its_slot(monkeypatch, anna_with_password):
    """Clients that disconnect cannot start more checks at once than allowed."""
    book, may_go_on, checking = ClubAccounts(), threading.Event(), []

    def slow(_stored, password):
        checking.append(password)
        return may_go_on.wait(10)

    monkeypatch.setattr(passwords, "is_correct", slow)
    for number in range(4):
        coming = asyncio.create_task(log_in(book, "Anna", ConnectionOrigin(f"192.0.2.{number}"), password="sesame77"))
        await asyncio.sleep(0)
        coming.cancel()
        await asyncio.sleep(0)
    assert len(checking) <= limits.MAX_CONCURRENT_CHECKS
    may_go_on.set()
    await log_in(book, "Anna", ORIGIN, password="sesame77")


async def use_up_attempts(club_authenticator):
    """Enter wrong codes from this machine until codes are delayed."""
    for address in ("::1", "127.0.0.1"):
        for _ in range(limits.FREE_TRIES):
            with pytest.raises(LoginError):
                await club_authenticator.log_in("Eve", ConnectionOrigin(address), code="wrong")


async def test_client_retries_after_temporary_refusal(monkeypatch):
    monkeypatch.setattr(limits, "RETRY_DELAY", 0.1)
    monkeypatch.setattr(link, "MAX_RETRY_DELAY", 0.01)
    async with club(code=CODE) as (room, url):
        await use_up_attempts(room.authenticator)
        async with Guest(url, "Anna", code=CODE) as anna:
            await anna.wait_until(lambda: anna.link.connection_error or anna.welcome)
            assert anna.link.connection_error == "too many wrong tries; try again in 1 second"
            await anna.wait_until(lambda: anna.welcome)
            assert (anna.link.end_reason, anna.link.connection_error, anna.link.retry_seconds) == ("", "", 0)


async def test_client_enters_when_a_place_is_free(monkeypatch):
    monkeypatch.setattr(link, "MAX_RETRY_DELAY", 0.01)
    async with club(max_guests=1) as (_, url), AsyncExitStack() as stack, AsyncExitStack() as first:
        await first.enter_async_context(joined(url, "Anna"))
        bob = await stack.enter_async_context(Guest(url, "Bob"))
        await bob.wait_until(lambda: bob.link.connection_error == "1 guests are here, and the club is full")
        await first.aclose()
        await bob.wait_until(lambda: bob.welcome)


async def test_lobby_page_shows_reason_for_waiting():
    async with club(code=CODE) as (room, url):
        await use_up_attempts(room.authenticator)
        async with lobby_app(url, code=CODE) as (app, pilot):
            has_reason = shows(app, "Too many wrong tries; try again in 10 seconds. The program keeps trying.")
            await wait_until(pilot, has_reason)


async def test_plain_text_shows_reason_for_waiting(tmp_path):
    async with (
        club(code=CODE, max_guests=1) as (_, url),
        joined(url, "Anna", code=CODE),
        PlainGuest(tmp_path, url, "Bob", "--code", CODE) as bob,
    ):
        await bob.read_until("1 guests are here, and the club is full. The program keeps trying.")


# --- the same club at another address, and the wire of another version


async def test_guest_recognized_at_another_club_address(monkeypatch):
    async with club(code=CODE) as (room, url):
        async with running_client(url, "Bob", code=CODE) as bob:
            await bob.wait_until(lambda: bob.client.is_connected)
        other = url.replace("localhost", "127.0.0.1")
        for nick in ("", "Bob", "bob"):
            async with running_client(other, nick) as bob:
                await bob.wait_until(lambda bob=bob: bob.client.is_connected)
                assert bob.client.nick == "Bob"
        assert [ticket.club for ticket in club_tokens.load()[0].tickets] == [room.accounts.id]
    async with club(code=CODE) as (_, url), running_client(url, "Bob") as bob:  # at another port
        await bob.wait_until(lambda: bob.client.is_connected)


async def test_two_guests_share_one_home():
    async with club() as (_, url):
        for nick in ("Anna", "Bob"):
            async with running_client(url, nick) as guest:
                await guest.wait_until(lambda guest=guest: guest.client.is_connected)
        for nick in ("Anna", "Bob", "Anna"):
            async with running_client(url, nick) as guest:
                await guest.wait_until(lambda guest=guest: guest.client.is_connected)
                assert guest.client.nick == nick
        async with running_client(url, "") as guest:
            await guest.wait_until(lambda: guest.client.is_connected)
            assert guest.client.nick == "Anna", "who was there last"


async def test_ticket_lookup_prefers_signed_in_player(home):
    profiles.register("Anna")
    profiles.register("Bob")
    club_tokens.store_ticket("c1", "ws://a:1", "Bob", "b")
    assert club_tokens.find_ticket("c1", "ws://a:1", "", "Anna") == club_tokens.ClubToken("Anna", "")
    club_tokens.store_ticket("c1", "ws://a:1", "Stranger", "s")
    assert club_tokens.find_ticket("c1", "ws://a:1", "", "Anna") == club_tokens.ClubToken("Stranger", "s")
    club_tokens.store_ticket("c1", "ws://a:1", "Anna", "a")
    assert club_tokens.find_ticket("c1", "ws://a:1", "", "Anna") == club_tokens.ClubToken("Anna", "a")
    assert club_tokens.find_ticket("c2", "ws://a:1", "", "Guest") == club_tokens.ClubToken("", "")


async def test_ticket_by_address_is_converted_to_club_id(home):
    async with club(code=CODE) as (room, url):
        _, token = await room.authenticator.log_in("Bob", ConnectionOrigin(), code=CODE)
        home.mkdir(exist_ok=True)
        paths.club_tokens_file().write_text(json.dumps({url: {"nick": "Bob", "token": token}}))
        async with running_client(url, "") as bob:
            await bob.wait_until(lambda: bob.client.is_connected)
        tickets = club_tokens.load()[0]
        assert (tickets.tickets, tickets.by_address) == ((club_tokens.ClubTicket(room.accounts.id, "Bob", token),), {})


async def test_refused_ticket_is_not_used_again():
    """The same nick can be entered again, as a new guest."""
    async with club() as (room, url):
        club_tokens.store_ticket(room.accounts.id, url, "Bob", "of another time")
        async with running_client(url, "Bob") as bob:
            await bob.wait_until(lambda: bob.client.end_reason)
            assert bob.client.required_credential == "nick"
            again = Login("Bob", refused_tokens=(bob.client.login.token,))
        async with running_client(url, again) as bob:
            await bob.wait_until(lambda: bob.client.is_connected)
        assert club_tokens.find_ticket(room.accounts.id, url, "Bob", "Guest").token != "of another time"


async def save_nothing(_tables):
    """Replace the saving of the accounts of another host."""


async def test_host_imitating_another_club():
    """The tokens of a false host do not replace the right one: the guest can still enter the right club."""
    async with club() as (room, url):
        async with running_client(url, "Bob") as bob:
            await bob.wait_until(lambda: bob.client.is_connected)
        async with club() as (pretending, other):
            pretending.accounts.id, pretending.accounts.save_all = room.accounts.id, save_nothing
            pretending.accounts._accounts.clear()
            async with running_client(other, "Bob") as bob:
                await bob.wait_until(lambda: bob.client.end_reason)
                again = Login("Bob", refused_tokens=(bob.client.login.token,))
            async with running_client(other, again) as bob:
                await bob.wait_until(lambda: bob.client.is_connected)
        assert len({ticket.token for ticket in club_tokens.load()[0].tickets}) == 2
        async with running_client(url, "Bob") as bob:
            await bob.wait_until(lambda: bob.client.is_connected or bob.client.end_reason)
            assert bob.client.is_connected


def test_ticket_limit_does_not_evict_other_clubs(monkeypatch):
    monkeypatch.setattr(club_tokens, "MAX_TICKETS", 6)
    club_tokens.store_ticket("right", "ws://a:1", "Bob", "b")
    for number in range(10):
        club_tokens.store_ticket("hostile", "ws://b:1", f"Bob{number}", str(number))
    assert club_tokens.find_ticket("right", "ws://a:1", "Bob", "Guest").token == "b"
    for number in range(10):
        club_tokens.store_ticket("hostile", "ws://b:1", "Bob", str(number))
    tickets = club_tokens.load()[0].tickets
    assert [ticket.token for ticket in tickets if ticket.club == "hostile" and ticket.nick == "Bob"][-1] == "9"
    assert club_tokens.find_ticket("right", "ws://a:1", "Bob", "Guest").token == "b"


async def test_unrequested_tokens_are_not_stored():
    async with club() as (room, url), running_client(url, "Bob") as bob:
        await bob.wait_until(lambda: bob.client.is_connected)
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


async def test_client_of_version_1_is_refused_with_reason():
    hello = '{"type":"hello","wire":1,"nick":"Anna","code":"","password":"","token":""}'
    async with club() as (_, url), connect(url) as old:
        await old.send(hello)
        message = json.loads(await old.recv())
        assert (message["type"], message["missing"]) == ("request_failed", "")
        assert message["why"] == "this club uses version 3 of the protocol: update your cardtable to join"


async def test_host_of_version_1_is_reported():
    async def silent(connection):
        await connection.recv()

    async with serve(silent, "localhost", 0) as server:
        url = f"ws://localhost:{server.sockets[0].getsockname()[1]}"
        message = "this club runs an older version of cardtable; ask its host to update it"
        assert await read_refusal(url, "Anna") == message


# --- the same person more than once


async def test_two_clients_of_one_player_stay_in_step():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await start_table(anna, bob)
        async with joined(url, "anna", token=anna.link.login.token) as also:
            await also.send(protocol.SitDown(table))
            await also.wait_until(lambda: also.view == anna.view)
            assert (also.seated.seat, also.nick) == (0, "anna")
            await play_until(lambda: anna.view.legal and also.view == anna.view, anna, bob)
            at, actions = anna.update.at, list(map(str, anna.view.legal))
            await also.send(protocol.Act(table, at, actions[-1]))
            await anna.wait_until(lambda: anna.update.at > at)
            await anna.send(protocol.Act(table, at, actions[0]))
            await anna.wait_until(lambda: any("meantime" in each or "since" in each for each in anna.refused))
            await also.wait_until(lambda: also.update.at == anna.update.at)
            assert set(also.people) == set(anna.people) == {"Anna", "Bob"}
        await bob.send(protocol.Say("Hello", table))
        await anna.wait_until(lambda: any(getattr(note, "text", "") == "Hello" for note in anna.notes))
        assert not anna.update.away


async def test_third_client_disconnects_the_oldest(monkeypatch):
    monkeypatch.setattr(websocket_server, "MAX_CONNECTIONS_PER_PERSON", 2)
    async with club(max_guests=1) as (room, url), AsyncExitStack() as stack:
        first = await stack.enter_async_context(Guest(url, "Anna"))
        await first.wait_until(lambda: first.welcome)
        for _ in range(2):
            other = await stack.enter_async_context(Guest(url, "Anna", token=first.welcome.token))
            await other.wait_until(lambda other=other: other.welcome)
        await first.wait_until(lambda: first.link.end_reason == "you have joined with 2 other programs since")
        assert room.present_nicks == ("Anna",)


# --- new nicks, and those that are forgotten


@pytest.mark.parametrize(
    ("nick", "message"),
    [
        ("Аnna", "use letters of one alphabet in a nick"),
        ("Annα", "use letters of one alphabet in a nick"),
        ("Сосо", "Сосо looks like Coco, who has been here; choose another nick"),
        ("BiIl", "BiIl looks like Bill, who has been here; choose another nick"),
        ("ЕVA", "use letters of one alphabet in a nick"),
    ],
)
async def test_rejects_nick_that_looks_like_another(nick, message):
    """Neither the nick of a guest nor that of a player of the host can be imitated."""
    profiles.register("Bill")
    book = ClubAccounts()
    for known in ("Anna", "Coco"):
        await log_in(book, known)
    refusal = await assert_refused(book, nick)
    assert (str(refusal), refusal.missing) == (message, "nick")
    assert book.store.find_returning_account(nick) is None


async def test_existing_mixed_alphabet_nicks_stay_valid(home):
    """Guests and players with such nicks can log in, and a guest can register."""
    people = [
        {"nick": nick, "player": "", "tokens": [protocol.hash_token("token").hex()]}
        for nick in ("Аnna", "Coco", "Сосо")
    ]
    paths.create_folder(paths.home())
    paths.club_file().write_text(json.dumps({"club": 2, "people": people}))
    players = [{"nick": "Вob", "id": "0123456789abcdef", "password": passwords.hash_password("sesame77")}]
    paths.profiles_file().write_bytes(msgspec.json.encode({"profiles": profiles.VERSION, "players": players}))
    book = ClubAccounts()
    for nick in ("Аnna", "Coco", "Сосо"):
        await log_in(book, nick, token="token")
    await log_in(book, "Вob", password="sesame77")
    await book.authenticator.register("Аnna", "sesame77", ORIGIN)
    assert profiles.find("Аnna")
    profiles.update_profile("Вob", "Вob", "Robert", "")
    assert profiles.find("Вob").name == "Robert"


def make_nicks(letter, number):
    """Return different nicks that begin with a letter."""
    return [f"{letter}{chr(97 + each // 26)}{chr(97 + each % 26)}" for each in range(number)]


async def test_limit_of_new_nicks_per_address_and_hour():
    book = ClubAccounts(max_new_nicks=3, clock=(clock := Clock()))
    tokens = []
    for nick in make_nicks("A", 3):
        tokens.append((await log_in(book, nick))[1])
        clock.now += 60
    refusal = await assert_refused(book, "Late", ConnectionOrigin("::ffff:192.0.2.1"))
    assert (str(refusal), refusal.retry_after) == (
        "too many new nicks came from your address; try again in 57 minutes",
        3420,
    )
    for nick, token in zip(make_nicks("A", 3), tokens, strict=True):
        await log_in(book, nick, token=token)
    await log_in(book, "Other", NEIGHBOUR)
    clock.now += 3420
    await log_in(book, "Late")
    await assert_refused(book, "Later")
    assert len(book.authenticator._new_nick_times) == 2
    clock.now += authenticator.HOUR
    await log_in(book, "Later", OTHER_ORIGIN)
    assert len(book.authenticator._new_nick_times) == 1


class ControlledSaves:
    """Saves of the accounts, each of which blocks until the test decides its result."""

    def __init__(self, monkeypatch):
        self._results, self._save = queue.Queue(), club_file.write_club_file
        monkeypatch.setattr(club_file, "write_club_file", self._wait)

    def _wait(self, contents):
        if self._results.get(timeout=10) == "fails":
            raise CardtableError("the disk is full")
        self._save(contents)

    def finish(self, *results):
        for result in results:
            self._results.put(result)


@pytest.fixture
def controlled_saves(monkeypatch):
    return ControlledSaves(monkeypatch)


async def start_login(book, nick, origin=ORIGIN, **credentials):
    """Start a login and let it run up to the save."""
    task = asyncio.create_task(log_in(book, nick, origin, **credentials))
    for _ in range(3):
        await asyncio.sleep(0)
    return task


@pytest.mark.parametrize("later", [30, authenticator.HOUR + 1])
async def test_failed_save_uncounts_only_its_own_nick(controlled_saves, later):
    book = ClubAccounts(max_new_nicks=1 if later > authenticator.HOUR else 2, clock=(clock := Clock()))
    anna = await start_login(book, "Anna")
    clock.now += later
    bob = await start_login(book, "Bob")
    controlled_saves.finish("fails", "works")
    with pytest.raises(LoginError, match="the disk is full"):
        await anna
    await bob
    clock.now += authenticator.HOUR - 1
    controlled_saves.finish("works")
    if later < authenticator.HOUR:
        await log_in(book, "Cleo")
    assert "too many new nicks" in str(await assert_refused(book, "Dora"))


async def test_save_of_new_nick_fails_after_an_hour(controlled_saves):
    book = ClubAccounts(clock=(clock := Clock()))
    anna = await start_login(book, "Anna")
    clock.now += authenticator.HOUR + 1
    bob = await start_login(book, "Bob", NEIGHBOUR)
    controlled_saves.finish("fails", "works", "works")
    with pytest.raises(LoginError, match="the disk is full"):
        await anna
    await bob
    await log_in(book, "Anna", NEIGHBOUR)


@pytest.mark.parametrize("results", [("fails", "fails"), ("fails", "works"), ("works", "works")])
async def test_unsaved_token_is_unknown(controlled_saves, results, anna_with_password):
    """The other tokens of the player stay valid."""
    book, tokens = ClubAccounts(), []
    for _ in range(authenticator.MAX_TOKENS):
        controlled_saves.finish("works")
        tokens.append((await log_in(book, "Anna", password="sesame77"))[1])
    first = asyncio.create_task(log_in(book, "Anna", password="sesame77"))
    await poll_until(lambda: book.store._change_count == authenticator.MAX_TOKENS + 1)
    second = asyncio.create_task(log_in(book, "Anna", NEIGHBOUR, password="sesame77"))
    await poll_until(lambda: book.store._change_count == authenticator.MAX_TOKENS + 2)
    controlled_saves.finish(*results)
    ends = await asyncio.gather(first, second, return_exceptions=True)
    new = [end[1] for end in ends if not isinstance(end, LoginError)]
    assert len(new) == results.count("works")
    known = book.store.find_returning_account("Anna").tokens
    assert len(known) == authenticator.MAX_TOKENS
    assert {hash_hex(token) for token in new} == {*known} - {hash_hex(token) for token in tokens}
    controlled_saves.finish("works")
    await book.store.save_all(())
    assert {*ClubAccounts().store.find_returning_account("Anna").tokens} == {*known}


async def test_failed_save_without_new_token_keeps_the_others(controlled_saves, anna_with_password):
    """A player who enters by ssh with a password gets no token."""
    book = ClubAccounts()
    controlled_saves.finish("works", "fails", "works")
    _, token = await log_in(book, "Anna", password="sesame77")
    with pytest.raises(LoginError, match="the disk is full"):
        await book.authenticator.log_in("Anna", ORIGIN, password="sesame77", new_token=lambda _person: "")
    assert book.authenticator.log_in_by_token("Anna", token, ORIGIN).nick == "Anna"
    await book.store.save_all(())
    assert ClubAccounts().authenticator.log_in_by_token("Anna", token, ORIGIN).nick == "Anna"


async def test_second_first_login_survives_failed_save(controlled_saves, anna_with_password):
    book = ClubAccounts()
    first = asyncio.create_task(log_in(book, "Anna", password="sesame77"))
    await poll_until(lambda: book.store._change_count == 1)
    second = asyncio.create_task(log_in(book, "Anna", NEIGHBOUR, password="sesame77"))
    await poll_until(lambda: book.store._change_count == 2)
    controlled_saves.finish("fails", "works")
    with pytest.raises(LoginError):
        await first
    _, token = await second
    await log_in(book, "Anna", token=token)
    await log_in(ClubAccounts(), "Anna", token=token)


async def test_ssh_key_unknown_if_it_cannot_be_saved(controlled_saves):
    """A new guest without other credentials is forgotten."""
    book = ClubAccounts()
    controlled_saves.finish("works", "works")
    await book.authenticator.log_in("Anna", ORIGIN, new_token=lambda _person: "")
    await book.authenticator.log_in("Bob", NEIGHBOUR)
    controlled_saves.finish("fails", "fails")
    for nick in ("Anna", "Bob"):
        with pytest.raises(CardtableError, match="the disk is full"):
            await book.authenticator.add_ssh_keys(nick, ("SHA256:x",))
    assert book.store.find_returning_account("Anna") is None
    assert book.store.find_returning_account("Bob").keys == ()
    controlled_saves.finish("works", "works")
    await book.authenticator.log_in("Anna", NEIGHBOUR)


async def test_one_network_cannot_use_up_known_people(monkeypatch):
    monkeypatch.setattr(authenticator, "MAX_ACCOUNTS", 20)
    book = ClubAccounts()
    addresses = [ConnectionOrigin(f"2001:db8:7:{number:x}::1") for number in range(30)]
    for nick, address in zip(make_nicks("E", 10), addresses[:10], strict=True):
        await log_in(book, nick, address)
    for nick, address in zip(make_nicks("F", 20), addresses[10:], strict=True):
        assert "knows too many people to take a new nick" in str(await assert_refused(book, nick, address))
    for nick in make_nicks("H", 3):
        await log_in(book, nick, ORIGIN)


async def test_one_network_cannot_use_up_profiles(monkeypatch):
    monkeypatch.setattr(profiles, "MAX_PROFILES", 5)
    book, registered = ClubAccounts(), 0
    for nick in make_nicks("M", 4):
        await log_in(book, nick)
        if registered < 3:
            await book.authenticator.register(nick, "sesame77", ORIGIN)
            registered += 1
        else:
            with pytest.raises(LoginError, match="too many players to take a new one from you; stay a guest"):
                await book.authenticator.register(nick, "sesame77", ORIGIN)
    await log_in(book, "Anna", OTHER_ORIGIN)
    await book.authenticator.register("Anna", "sesame77", OTHER_ORIGIN)


async def test_unused_nick_is_freed_after_a_week():
    book = ClubAccounts(clock=(clock := Clock()))
    for nick in ("Anna", "Bob", "Cleo", "Dora"):
        await log_in(book, nick)
    book.store.mark_played(["bob"])
    _, token = await log_in(book, "Eric")
    book.store.get_present_nicks = lambda: ("Cleo",)
    clock.now += account_store.GUEST_EXPIRY - 1
    await assert_refused(book, "Anna", NEIGHBOUR)
    await log_in(book, "Eric", token=token)
    await book.store.save_pending()
    clock.now += 2
    for nick in ("Bob", "Cleo", "Eric"):
        await assert_refused(book, nick, NEIGHBOUR)
    await log_in(book, "Anna", NEIGHBOUR)
    assert [person.nick for person in club_file.read_club_file().people] == ["Bob", "Cleo", "Eric", "Anna"]


async def test_sitting_down_marks_a_guest_as_played():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        await start_table(anna, bob)
        await cleo.wait_until(lambda: cleo.tables)
        known = {person.nick: person.has_played for person in club_file.read_club_file().people}
        assert known == {"Anna": True, "Bob": True, "Cleo": False}


async def test_forget_person_while_the_club_is_open():
    profiles.register("Dora", password="sesame77", again="sesame77")
    book, tokens = ClubAccounts(), {}
    for nick, password in (("Anna", ""), ("Bob", ""), ("Dora", "sesame77")):
        _, tokens[nick] = await log_in(book, nick, password=password)
    for nick in ("anna", "Dora"):
        club_file.forget_account(nick)
        await assert_refused(book, nick, token=tokens[nick.title()])
    await log_in(book, "Bob", token=tokens["Bob"])
    person, token = await log_in(book, "Anna")
    assert len(person.tokens) == 1
    await log_in(book, "Dora", password="sesame77")
    await log_in(ClubAccounts(), "Anna", token=token)


async def test_reports_home_lock_that_cannot_be_opened(home):
    """All functions that change the file raise the same error, without a path."""
    book = ClubAccounts()
    await log_in(book, "Anna")
    (home / "home.lock").unlink(missing_ok=True)
    (home / "home.lock").mkdir()
    for change in (lambda: club_file.forget_account("Anna"), lambda: asyncio.run(book.store.save_all(()))):
        with pytest.raises(CardtableError, match="the club's host cannot save: ") as refusal:
            await asyncio.to_thread(change)
        assert str(home) not in str(refusal.value)


async def test_forget_person_during_a_save(monkeypatch):
    book = ClubAccounts()
    await log_in(book, "Anna")
    right = club_file.merge_and_write

    def forgotten_meanwhile(*arguments):
        club_file.forget_account("Anna")
        return right(*arguments)

    monkeypatch.setattr(club_file, "merge_and_write", forgotten_meanwhile)
    await log_in(book, "Bob")
    assert [person.nick for person in club_file.read_club_file().people] == ["Bob"]
    assert book.store.find_returning_account("Anna") is None


async def test_no_profile_id_reaches_a_client(anna_with_password):
    player = profiles.find("Anna").id
    async with club() as (_, url):
        recorder = FaultyProxy(url, Random(0))
        async with recorder.open() as between, joined(between, "Anna", password="sesame77") as anna:
            table = await start_table(anna)
            await anna.send(protocol.AskRounds(table))
            await poll_until(lambda: any('"rounds"' in frame for frame in recorder.frames))
    assert [frame for frame in recorder.frames if player in frame] == []
