"""Limits of what one person can use of a club: requests, talk, log lines, connections, tables."""

import asyncio
import shutil
from collections import Counter
from contextlib import AsyncExitStack, closing, suppress
from random import Random
from types import SimpleNamespace

import pytest

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.server import account_store, connections, disk_space, limits, websocket_endpoint
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.club_file import KnownGuest
from cardtable.club.server.connections import PendingConnections
from cardtable.club.server.disk_space import DiskUse, measure_use
from cardtable.club.server.host_events import DiskFills, EventStream, PersonJoined, PersonLeft
from cardtable.club.server.limits import LIMITS, Budget, Limit, ReadingTurns, RequestRefused, TalkBudget
from cardtable.club.server.requests import handle_request
from cardtable.engine.log_entries import Said
from cardtable.engine.referee import IllegalAction
from cardtable.store import sessions
from tests.club.guests import HostedTable, hosted_table
from tests.club.loopback_club import (
    club,
    connected_guests,
    joined,
    open_lobby,
    poll_until,
    silent_connection,
    start_table,
    wait_until_closed,
)
from tests.club.test_server import create_certificate
from tests.session.session_player import create_session

WORDS = "all of it " * 20
TWENTY_A_SECOND = Limit("messages", "person", 60, "too many messages", every=1 / 20)


def count_taken(budget, consumer):
    """Take from a budget until it refuses; return how often."""
    taken = 0
    with suppress(RequestRefused):
        while not budget.take(consumer):
            taken += 1
    return taken


def test_budget_remembers_only_who_has_used_it_lately(clock):
    """A flood from ever new addresses fills no memory: each is forgotten once it may do everything again."""
    budget = Budget(LIMITS.wrong_codes)
    for number in range(20_000):
        budget.spend(f"2001:db8:{number:x}::/64")
        clock[0] += 0.05
    assert len(budget._full_at) < 2 * LIMITS.wrong_codes.every / 0.05 + 100


def test_flood_of_others_neither_uses_nor_restores_a_budget(clock):
    budget = Budget(TWENTY_A_SECOND)
    assert count_taken(budget, "Anna") == 60
    for number in range(1000):
        budget.take(f"Guest{number}")
    assert count_taken(budget, "Anna") == 0
    clock[0] += 1
    assert count_taken(budget, "Anna") == 20


async def test_requests_beyond_the_budget_of_a_network_wait_in_order(clock, monkeypatch):
    waits = []

    async def note_wait(seconds):
        waits.append(seconds)

    monkeypatch.setattr(limits.asyncio, "sleep", note_wait)
    budget = Budget(Limit("messages", "address", 3, every=0.5))
    for _ in range(5):
        await budget.wait("address")
    assert waits == [0.5, 1]
    clock[0] += 1.5
    await budget.wait("address")
    assert waits == [0.5, 1]


async def test_network_reads_one_file_at_a_time(monkeypatch):
    monkeypatch.setattr(limits, "MIN_READING_PAUSE", 0)
    turns, begun, running = ReadingTurns(), [], Counter()

    async def read(network):
        async with turns.take(network):
            begun.append(network)
            running[network] += 1
            assert running[network] == 1
            await asyncio.sleep(0)
            running[network] -= 1

    await asyncio.gather(*[read(network) for network in ("flood", "flood", "flood", "other")])
    assert begun == ["flood", "other", "flood", "flood"]


def create_pending_connections(maximum):
    """Return pending connections, a function that adds one, and the names of the aborted ones."""
    connections, aborted = PendingConnections(maximum), []

    def add(name, address):
        return connections.add(address, lambda: aborted.append(name))

    return connections, add, aborted


@pytest.mark.parametrize(("second", "aborted_names"), [("2001:db8::ffff:1", ["a"]), ("2001:db8:0:1::1", [])])
def test_oldest_connection_of_a_network_is_aborted(second, aborted_names):
    connections, add, aborted = create_pending_connections(4)
    for name, address in (("a", "2001:db8::1"), ("b", second), ("c", "2001:db8::1"), ("d", second)):
        add(name, address)
    assert (aborted, connections.total) == (aborted_names, 4 - len(aborted_names))


def test_connections_that_make_room_are_counted():
    dropped = []
    connections = PendingConnections(2, lambda: dropped.append("one"))
    for number in range(4):
        connections.add(f"192.0.2.{number}", lambda: None)
    assert dropped == ["one", "one"]


def test_busiest_network_loses_connections_first():
    _, add, aborted = create_pending_connections(8)
    for number in range(6):
        add(f"flood {number}", "192.0.2.1")
    for number in range(5):
        add(f"guest {number}", f"198.51.100.{number}")
    assert aborted == ["flood 0", "flood 1", "flood 2"]


def test_exempt_connection_counts_as_the_newest_afterwards():
    connections, add, aborted = create_pending_connections(2)
    first = add("first", "192.0.2.1")
    with first.suspend_counting():
        assert connections.total == 0
        second = add("second", "192.0.2.1")
        second.close()
        add("third", "192.0.2.2")
    add("fourth", "192.0.2.3")
    assert aborted == ["third"]
    first.close()
    first.count()
    assert connections.total == 1


@pytest.mark.parametrize(("files", "most"), [(40, 5), (256, 32), (1024, 128), (-1, 128)])
def test_pending_connections_leave_files_for_guests(monkeypatch, files, most):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert connections.compute_max_pending() == most


@pytest.mark.parametrize("has_tls", [False, True])
async def test_returning_guest_enters_despite_silent_connections(set_limit, tmp_path, has_tls):
    """With TLS, silent connections do not begin the handshake."""
    set_limit("pending", number=8)
    host, guests = create_certificate(tmp_path) if has_tls else (None, None)
    async with club(certificate=host) as (_, url), joined(url, "Anna", ssl=guests) as anna, AsyncExitStack() as stack:
        port = int(url.rpartition(":")[2])
        silent = [await stack.enter_async_context(silent_connection(port)) for _ in range(20)]
        async with joined(url, "Anna", ssl=guests, token=anna.welcome.token) as again:
            await anna.send(protocol.Say("Hello"), until=lambda: again.talk)
        for reader in silent[:14]:
            await wait_until_closed(reader)


# The log of the host


def test_log_lines_about_one_person_are_limited():
    now, lines = [0.0], []
    events = EventStream(lambda event: lines.append(str(event)), lambda: now[0])
    for _ in range(100):
        events.emit(PersonJoined("Mallory", "join"))
    events.emit(PersonJoined("Anna", "join"))
    assert lines == ["Mallory joins"] * 10 + ["Anna joins"]
    now[0] = 60.0
    events.emit(PersonLeft("Anna"))
    assert lines[11:] == ["90 more lines about Mallory left out", "Anna leaves"]
    events.emit(PersonJoined("Mallory", "join"))
    events.close()
    assert lines[13:] == ["Mallory joins"]


# Talk at a table


def fill_budget(budget, speaker):
    """Talk until the budget refuses; return the number of bytes used."""
    used = 0
    with suppress(IllegalAction):
        while not budget.check_room(WORDS, speaker):
            budget.add(WORDS, speaker)
            used += len(WORDS)
    return used


def create_talk_budget(network_of=lambda _nick: ""):
    with closing(create_session("rikiki", people=2)) as begun:
        return TalkBudget(begun.journal(), network_of)


def test_all_talk_budgets_fit_half_a_mebibyte():
    budget = create_talk_budget()
    of_kay = fill_budget(budget, "Kay")
    others = sum(fill_budget(budget, nick) for nick in ("Lea", "Mia", "Nora", "Olga", "Pia"))
    seats = [fill_budget(budget, seat) for seat in range(4)]
    assert 5 * of_kay > others > 2 * of_kay
    assert min(seats) == max(seats) > 60_000
    assert 350_000 < of_kay + others + sum(seats) < 2**19


def test_nicks_of_one_network_leave_talk_for_others():
    budget = create_talk_budget({"kay": "192.0.2.0/24", "lea": "192.0.2.0/24", "mia": "192.0.2.0/24"}.get)
    of_one_person = [fill_budget(budget, nick) for nick in ("Kay", "Lea", "Mia")]
    of_another = fill_budget(budget, "Nora")
    assert of_one_person[:2] == [of_one_person[0]] * 2
    assert of_one_person[2] == 0
    assert of_another == of_one_person[0] > 20_000


def test_each_further_network_can_still_talk():
    budget = create_talk_budget(lambda nick: f"192.0.{nick[4:]}.0/24")
    for number in range(5):
        assert fill_budget(budget, f"kay {number}") > 0


def test_talk_budget_counts_existing_talk_of_a_journal():
    with closing(create_session("rikiki", people=2)) as begun:
        begun.referee.say(f"Kay: {WORDS}")
        begun.referee.say(f"KAY: {WORDS}")
        begun.referee.say(WORDS, 1)
        read = begun.journal()
    counted = TalkBudget(read, lambda _nick: "")
    expected = create_talk_budget()
    for text, speaker in ((f"Kay: {WORDS}", "Kay"), (f"Kay: {WORDS}", "Kay"), (WORDS, 1)):
        expected.add(text, speaker)
    for seat_or_nick in ("Kay", 1, "Lea", 0):
        assert fill_budget(counted, seat_or_nick) == fill_budget(expected, seat_or_nick)


async def test_many_nicks_cannot_silence_other_spectators(monkeypatch, set_limit):
    monkeypatch.setattr(account_store, "is_loopback_network", lambda _network: False)
    set_limit("spectators_talk", number=6)
    set_limit("spectator_talk", number=2)
    set_limit("talk", number=1000)
    set_limit("address_talk", number=1000)
    async with club() as (_, url), joined(url, "Anna") as anna:
        table = await start_table(anna)
        for nick in ("Kay", "Lea", "Mia"):
            async with joined(url, nick) as kibitzer:
                await kibitzer.send(protocol.Watch(table), until=lambda guest=kibitzer: guest.view)
                while not kibitzer.refused:
                    await kibitzer.send(protocol.Say(WORDS, table))
                    await asyncio.sleep(0)
                await kibitzer.send(protocol.Leave(table))
        said = Counter([note.text[:3] for note in anna.notes if isinstance(note, Said)])
        assert said.keys() == {"Kay", "Lea"}, "Mia is of their network; the rest is for others"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.0.1", "::1", "::ffff:127.0.0.1"])
async def test_talk_of_spectators_behind_a_proxy(address):
    """A proxy on the host's machine stands for many people, so each nick has a budget of its own."""
    accounts = ClubAccounts()
    for nick in ("Kay", "Lea", "Mia"):
        await accounts.authenticator.log_in(LoginIdentity(ConnectionOrigin(address), nick))
    await accounts.authenticator.log_in(LoginIdentity(ConnectionOrigin("192.0.2.1"), "Nora"))
    budget = create_talk_budget(accounts.store.get_network)
    accepted = {nick: fill_budget(budget, nick) for nick in ("Kay", "Lea", "Mia", "Nora")}
    assert accepted["Kay"] == accepted["Lea"] == accepted["Mia"]
    assert accepted["Nora"]


async def talk_until_refused(table, text, speaker):
    while True:
        await table.hosted.say(text, speaker)


async def test_session_continues_after_talk_is_used_up(set_limit):
    set_limit("seats_talk", number=12)
    set_limit("spectators_talk", number=4)
    set_limit("spectator_talk", number=1)
    async with hosted_table("rikiki", 0, 1) as (table, anna, bob):
        for speaker in (0, 1, *(f"Kay{number}" for number in range(6))):
            with pytest.raises(IllegalAction, match="you have said as much as this session can hold"):
                await talk_until_refused(table, WORDS, speaker)
        assert table.session.size < 20_000
        await asyncio.gather(anna.play(1), bob.play(1))
    opened = sessions.resume(table.session.path)
    async with HostedTable("rikiki", existing_session=opened) as table:
        with pytest.raises(IllegalAction):
            await table.hosted.say(WORDS, 0)


async def test_limit_of_stand_ins_per_session(set_limit):
    set_limit("substitutions", number=3)
    async with hosted_table("rikiki", 1, grace=0) as (table, bob):
        for _ in range(3):
            await table.hosted.people.vote_substitute(0, 1)
            anna = await table.join(0)
            await anna.leave()
        with pytest.raises(IllegalAction, match="robots have stood in too often in this session"):
            await table.hosted.people.vote_substitute(0, 1)
        anna = await table.join(0)
        await asyncio.gather(anna.play(1), bob.play(1))


# Tables


async def test_limit_of_joined_tables(set_limit):
    set_limit("joined_tables", number=2)
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        for guest in (bob, cleo):
            await guest.send(protocol.OpenTable("rikiki", 4))
        await anna.wait_until(lambda: len(anna.tables) == 2)
        first, second = anna.tables
        await anna.send(protocol.SitDown(first))
        await anna.send(protocol.SitDown(second))
        await anna.send(protocol.OpenTable("king", 4))
        await anna.wait_until(lambda: anna.refused == ["you are already at 2 tables; leave one first"])
        await anna.send(protocol.SitDown(second))
        await anna.send(protocol.Leave(first))
        await anna.send(protocol.OpenTable("king", 4), until=lambda: len(anna.tables) == 3)
        assert len(anna.refused) == 1


class Visitor:
    """A person connected to a lobby from an address."""

    def __init__(self, room, nick, address):
        self.room, self.client = room, room.add_client(KnownGuest(nick), "", ConnectionOrigin(address))

    async def ask(self, message):
        """Make a request; return the reason of its refusal, or an empty string."""
        self.read_answers()
        await handle_request(self.room, self.client, message)
        return next((each.why for each in self.read_answers() if isinstance(each, protocol.RequestFailed)), "")

    def read_answers(self):
        """Return the messages that have been sent since the last call."""
        return [protocol.decode_server(frame) for frame in iter(self.client.take_frame, b"")]

    async def open_table(self):
        """Open a table; return its id or the refusal."""
        before = list_ids(self.room)
        refusal = await self.ask(protocol.OpenTable("rikiki", 4))
        return refusal or next(iter(list_ids(self.room) - before))

    async def begin_table(self):
        """Open a table and begin its session with robots; return its id or the refusal."""
        table = await self.open_table()
        await self.ask(protocol.Start(table))
        return table

    async def leave(self):
        """Disconnect from the lobby."""
        await self.room.remove_client(self.client)


def list_ids(room):
    """Return the ids of the tables in the lobby."""
    return room.table_manager.registry.list_lobby_tables().keys()


LONG_ANSWER = protocol.Rounds("t", "x" * 2**20)


@pytest.mark.parametrize("nicks", [1, 4])
async def test_unread_answers_of_one_network_are_limited(nicks):
    async with open_lobby(8) as room:
        anna, bob = Visitor(room, "Anna", "192.0.2.1"), Visitor(room, "Bob", "198.51.100.1")
        silent = [Visitor(room, f"Nick{number % nicks}", f"192.0.2.{number}") for number in range(20)]
        for number in range(40):
            anna.read_answers()
            for each in (anna, bob)[: 2 if number < 8 else 1]:
                each.client.queue_answer(LONG_ANSWER)
            silent[number % 20].client.queue_answer(LONG_ANSWER)
        waiting = sum(sum(map(len, iter(each.client.take_frame, b""))) for each in silent)
        assert waiting <= 2**24
        assert LONG_ANSWER in anna.read_answers()
        assert bob.read_answers().count(LONG_ANSWER) == 8


async def test_connection_that_reads_nothing_is_aborted(monkeypatch, set_limit):
    """A frame on its way counts until it is read, and no time is left for the reason."""
    set_limit("unread", number=1)
    monkeypatch.setattr(websocket_endpoint, "CLOSE_TIMEOUT", 1e9)
    answer = protocol.Rounds("t", Random(1).randbytes(2**18).hex())
    async with club() as (room, url), joined(url, "Anna") as anna, joined(url, "Mallory", delays=(0.0, 1e9)) as mallory:
        (_, client), mallory_connection = room.clients, mallory.link.socket
        mallory_connection.transport.pause_reading()
        while not client.is_ending:
            client.queue_answer(answer)
            await asyncio.sleep(0)
        await poll_until(lambda: room.present_nicks == ("Anna",))
        await anna.send(protocol.Say("Still here"), until=lambda: ("Anna", "Still here") in anna.talk)
        mallory_connection.transport.abort()


@pytest.mark.parametrize("addresses", [["192.0.2.1"] * 13, [f"2001:db8::{number:x}" for number in range(1, 14)]])
async def test_many_nicks_cannot_open_all_tables(addresses):
    async with open_lobby(20) as room:
        for number, address in enumerate(addresses):
            visitor = Visitor(room, f"Nick{number}", address)
            while not (await visitor.open_table()).endswith(("first", "later")):
                pass
        assert len(list_ids(room)) == 10
        for number in range(1, 4):
            assert await Visitor(room, f"Guest{number}", f"198.51.100.{number}").open_table() in list_ids(room)


async def test_many_nicks_cannot_reopen_all_tables():
    """Closed tables are reopened only within the share of the address."""
    async with open_lobby(8) as room:
        slept = []
        for number in range(6):
            visitor = Visitor(room, f"Nick{number}", "192.0.2.1")
            for _ in range(4):
                slept.append((visitor, await visitor.begin_table()))
                assert await visitor.ask(protocol.Leave(slept[-1][1])) == ""
        assert list_ids(room) == set()
        for visitor, table in slept:
            await visitor.ask(protocol.SitDown(table))
        assert len(list_ids(room)) == 4 + 5, "half of the tables, and the first of everybody else"
        for visitor, table in slept:
            await visitor.ask(protocol.ResumeSession(table))
        assert len(list_ids(room)) == 4 + 5
        for number, visitor in enumerate(
            [Visitor(room, f"Guest{number}", f"198.51.100.{number}") for number in range(3)]
        ):
            assert await visitor.open_table() in list_ids(room), number


async def test_watching_reopens_an_abandoned_table():
    async with open_lobby(2) as room:
        anna, bob, kay = (
            Visitor(room, nick, f"192.0.2.{number}") for number, nick in enumerate(["Anna", "Bob", "Kay"])
        )
        table = await anna.begin_table()
        await anna.ask(protocol.Leave(table))
        for _ in range(2):
            await bob.ask(protocol.Leave(await bob.begin_table()))
        for nick, address in (("Cleo", "192.0.2.7"), ("Dora", "192.0.2.8")):
            assert await Visitor(room, nick, address).open_table() in list_ids(room)
        full = "2 tables are open, and the club has room for no more; try again later"
        assert await kay.ask(protocol.Watch(table)) == full
        assert await kay.ask(protocol.SitDown(table)) == "no seat is free at that table"
        assert await anna.ask(protocol.SitDown(table)) == ""
        assert await kay.ask(protocol.Watch(table)) == ""


async def test_reopening_tables_is_rate_limited(clock, monkeypatch):
    """Loading a session is expensive for the host. A player may still reopen all their own tables at once."""
    loaded = []
    load = sessions.resume_at_club
    monkeypatch.setattr(sessions, "resume_at_club", lambda path: loaded.append(path) or load(path))
    async with open_lobby() as room:
        anna, bob = Visitor(room, "Anna", "192.0.2.1"), Visitor(room, "Bob", "192.0.2.2")
        table = await anna.begin_table()
        await anna.ask(protocol.Leave(table))
        for request in (protocol.SitDown, protocol.Watch):
            loaded.clear()
            clock[0] += 60
            for _ in range(12):
                refusal = await bob.ask(request(table))
                await bob.ask(protocol.Leave(table))
            assert refusal == "you are opening tables too fast; wait a few seconds"
            assert len(loaded) == LIMITS.reopened_tables.number
        assert await anna.ask(protocol.SitDown(table)) == ""
        clock[0] += 1
        assert await bob.ask(protocol.Watch(table)) == ""
        await bob.ask(protocol.Leave(table))
        for _ in range(LIMITS.reopened_tables.number):
            await anna.ask(protocol.Leave(table))
            assert await anna.ask(protocol.ResumeSession(table)) == ""
        await anna.ask(protocol.Leave(table))
        assert await anna.ask(protocol.ResumeSession(table)) == "you are opening tables too fast; wait a few seconds"


async def test_watching_is_rate_limited_for_a_network(clock):
    async with open_lobby() as room:
        anna = Visitor(room, "Anna", "192.0.2.1")
        table = await anna.begin_table()
        flood = [Visitor(room, f"Nick{number}", "192.0.2.2") for number in range(6)]
        refusals = []
        for number in range(2 * LIMITS.watched_tables.number):
            refusals.append(await flood[number % 6].ask(protocol.Watch(table)))
            await flood[number % 6].ask(protocol.Leave(table))
        too_many = "too many people on your network come to watch; wait a few seconds"
        assert refusals == [""] * LIMITS.watched_tables.number + [too_many] * LIMITS.watched_tables.number
        assert await Visitor(room, "Bob", "192.0.2.3").ask(protocol.Watch(table)) == ""
        clock[0] += 2
        assert await flood[0].ask(protocol.Watch(table)) == ""


@pytest.mark.parametrize(("nicks", "accepted"), [(1, LIMITS.talk.number), (6, LIMITS.address_talk.number)])
async def test_talk_is_rate_limited_for_a_person_and_for_a_network(clock, nicks, accepted):
    async with open_lobby() as room:
        flood = [Visitor(room, f"Nick{number}", "192.0.2.2") for number in range(nicks)]
        refusals = [await flood[number % nicks].ask(protocol.Say("Hello")) for number in range(36)]
        assert refusals == [""] * accepted + ["you are talking too fast; wait a few seconds"] * (36 - accepted)
        assert await Visitor(room, "Bob", "192.0.2.3").ask(protocol.Say("Hello")) == ""


async def test_limit_of_unfinished_sessions_per_network(set_limit):
    """One person with many nicks cannot fill the home with sessions, which slow down every list."""
    set_limit("all_unfinished", number=8)
    set_limit("unfinished", number=3)
    async with open_lobby() as room:
        refusals = []
        for number, address in enumerate(["192.0.2.1", "192.0.2.2", "192.0.2.1", "198.51.100.1", "127.0.0.1"]):
            nick = f"Nick{chr(ord('a') + number)}"
            await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(address), nick))
            visitor = Visitor(room, nick, address)
            refusals.append((await begin_until_refused(visitor))[1])
        begun = Counter(table.opened_by for table in room.table_manager.registry.tables.values())
    of_network = "too many sessions of people on your network are not over yet; finish one of yours first"
    of_person = "3 of your sessions are not over yet; finish one of them first"
    assert refusals == [of_person, *[of_network] * 3, of_person]
    assert [*begun.values()] == [3, 1, 2, 3]


SMALL_DISK = 300_000
"""Maximum size of the sessions, a hundredth of which is that of a few sessions without any play."""


def measure_sessions():
    return measure_use(SMALL_DISK).used


async def begin_until_refused(visitor):
    """Begin tables and leave them; return the ids, and the refusal of another one."""
    tables = []
    while len(table := await visitor.begin_table()) < 40:
        await visitor.ask(protocol.Leave(table))
        tables.append(table)
    return tables, table


async def test_tables_of_one_person_leave_room_on_the_disk(clock):
    async with open_lobby(max_disk_bytes=SMALL_DISK) as room:
        anna, bob = Visitor(room, "Anna", "192.0.2.1"), Visitor(room, "Bob", "192.0.2.1")
        tables, refusal = await begin_until_refused(anna)
        assert refusal == "the tables of Anna have filled their part of the club's disk for today; try again later"
        assert measure_sessions() < SMALL_DISK / 50
        for request in (protocol.SitDown, protocol.ResumeSession):
            assert await anna.ask(request(tables[0])) == refusal
        assert await bob.open_table() in list_ids(room)
        clock[0] += 24 * 3600
        assert await anna.ask(protocol.SitDown(tables[0])) == ""
        assert await anna.open_table() in list_ids(room)


async def test_nicks_of_one_network_leave_room_on_the_disk(clock):
    async with open_lobby(max_disk_bytes=SMALL_DISK) as room:
        refusals = []
        for number in range(30):
            nick, address = f"Nick{number:02}", f"192.0.2.{number}"
            await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(address), nick))
            refusals.append((await begin_until_refused(Visitor(room, nick, address)))[1])
        assert measure_sessions() < SMALL_DISK / 8
        assert refusals[-1] == (
            "the tables of people on the network of Nick29 have filled their part of the club's disk for today; "
            "try again later"
        )
        await room.authenticator.log_in(LoginIdentity(ConnectionOrigin("198.51.100.1"), "Bob"))
        assert await Visitor(room, "Bob", "198.51.100.1").open_table() in room.table_manager.registry.tables


async def test_tables_go_on_at_the_limit_of_the_disk(home, monkeypatch):
    monkeypatch.setattr(disk_space, "MEASURE_SECONDS", 0.01)
    events = []
    async with open_lobby(emit=events.append, max_disk_bytes=SMALL_DISK) as room:
        anna, bob = Visitor(room, "Anna", "192.0.2.1"), Visitor(room, "Bob", "192.0.2.2")
        playing, waiting = await anna.begin_table(), await bob.open_table()
        (home / "archive").mkdir(exist_ok=True)
        for stage, size in (("warning", 81), ("error", 100)):
            assert await Visitor(room, "Cleo", "192.0.2.3").open_table() in list_ids(room)
            (home / "archive" / "old.jsonl").write_bytes(b"x" * (SMALL_DISK * size // 100))
            await poll_until(lambda stage=stage: room.disk_space.use.stage == stage)
        full = "the club has stored as much as it can; no new table can begin"
        assert await bob.open_table() == await bob.ask(protocol.Start(waiting)) == full
        assert await anna.ask(protocol.VoteRematch(playing)) == full
        before = measure_sessions()
        assert await anna.ask(protocol.Say("Still here", playing)) == ""
        assert measure_sessions() > before
        await anna.ask(protocol.Leave(playing))
        assert await anna.ask(protocol.SitDown(playing)) == ""
    assert [str(event) for event in events if isinstance(event, DiskFills)] == [
        "the sessions take up 0 of 0 MB; at the limit no new table can begin",
        "the sessions take up 0 of 0 MB; no new table can begin",
    ]


def test_limit_of_the_disk_leaves_a_tenth_of_it_free(home, monkeypatch):
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "a.jsonl").write_bytes(b"x" * 1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=9000))
    assert measure_use(SMALL_DISK) == DiskUse(1000, 9000)
    assert measure_use(5000) == DiskUse(1000, 5000)


@pytest.mark.parametrize("request_type", [protocol.SitDown, protocol.ResumeSession])
async def test_return_to_own_tables_in_a_full_club(request_type):
    tables = {}
    for is_restarted in (False, True):
        async with open_lobby(4) as room:
            if not is_restarted:
                for nick in ("Anna", "Bob"):
                    visitor = Visitor(room, nick, "192.0.2.1")
                    tables[nick] = await visitor.begin_table()
                    await visitor.leave()
            for number in range(4):
                other = Visitor(room, f"Guest{number}", f"198.51.100.{number}")
                assert await other.begin_table() in list_ids(room)
            for nick, table in tables.items():
                visitor = Visitor(room, nick, "192.0.2.1")
                assert await visitor.ask(request_type(table)) == ""
                assert visitor.client.subscriptions.keys() == {table}
            assert await Visitor(room, "Cleo", "192.0.2.1").open_table() == (
                "4 tables are open, and the club has room for no more; try again later"
            )


async def test_one_household_can_open_tables_despite_abuse(set_limit):
    """Twenty people at one address can play even if one of them opens tables under many nicks."""
    set_limit("waiting_tables", number=8)
    async with open_lobby() as room:
        for number in range(13):
            hostile = Visitor(room, f"Nick{number}", "127.0.0.1")
            for _ in range(8):
                await hostile.open_table()
        tables = len(list_ids(room))
        assert tables < 40
        for number in range(10):
            assert await Visitor(room, f"Guest{number}", "127.0.0.1").open_table() in list_ids(room)
