"""What one person can use of what all share."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress

import pytest

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server import accounts, hosted_session, limits, lobby, table_manager
from cardtable.club.server.accounts import AccountStore, KnownGuest
from cardtable.club.server.limits import HostLog, PendingConnections, RateLimiters, TalkBudget
from cardtable.club.server.lobby import ClubLobby
from cardtable.engine.referee import IllegalAction
from cardtable.store import sessions
from tests.club.guests import Table, at_random
from tests.club.over_loopback import Guest, club, is_closed, silent_connection
from tests.club.test_server import tls
from tests.session.session_player import session

WORDS = "all of it " * 20


@pytest.fixture
def clock(monkeypatch):
    """Seconds that go by as a test says."""
    seconds = [0.0]
    monkeypatch.setattr(limits, "monotonic", lambda: seconds[0])
    return seconds


def test_frames_of_all_connections_of_a_person_count_together(clock):
    paces = RateLimiters(20)
    assert [paces.of("Anna").take() for _ in range(61)].count(True) == 60
    assert paces.of("Bob").take()
    clock[0] += 1
    assert [paces.of("Anna").take() for _ in range(30)].count(True) < 21


def test_paces_of_people_who_have_gone_are_forgotten(clock):
    paces = RateLimiters(20)
    for number in range(1000):
        paces.of(f"Guest{number}").take()
        clock[0] += 1
    assert len(paces._paces) < 5


def test_a_pace_is_not_begun_anew_by_coming_in_again(clock):
    paces = RateLimiters(20)
    while paces.of("Anna").take():
        pass
    paces.of("Bob")
    assert not paces.of("Anna").take()


def door(most):
    """A door, and a function that adds a connection to it; it returns the names of those that were aborted."""
    connections, aborted = PendingConnections(most), []

    def add(name, address):
        return connections.add(address, lambda: aborted.append(name))

    return connections, add, aborted


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("127.0.0.1", "127.0.0.1", True),
    ],
)
def test_oldest_connection_of_a_network_makes_room(first, second, same):
    connections, add, aborted = door(4)
    for name, address in (("a", first), ("b", second), ("c", first), ("d", second)):
        add(name, address)
    assert (aborted, connections.total) == (["a"] if same else [], 3 if same else 4)


def test_busiest_network_makes_room_for_others():
    _, add, aborted = door(8)
    for number in range(6):
        add(f"flood {number}", "192.0.2.1")
    for number in range(5):
        add(f"guest {number}", f"198.51.100.{number}")
    assert aborted == ["flood 0", "flood 1", "flood 2"]


def test_exempt_connection_counts_as_the_newest_afterwards():
    connections, add, aborted = door(2)
    first = add("first", "192.0.2.1")
    with first.exempt():
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
    assert limits.most_pending() == most


@pytest.fixture
def few_pending(monkeypatch):
    """At most eight connections of a door are pending, six of one network."""
    monkeypatch.setattr(limits, "MOST_PENDING", 8)


@pytest.mark.asyncio
@pytest.mark.parametrize("has_tls", [False, True])
async def test_token_comes_in_past_silent_connections(few_pending, tmp_path, has_tls):
    """Also with TLS, where silent connections do not begin the handshake."""
    host, guests = tls(tmp_path) if has_tls else (None, None)
    async with club(ssl=host) as (_, url), Guest(url, "Anna", ssl=guests) as anna, AsyncExitStack() as stack:
        await anna.until(lambda: anna.welcome)
        port = int(url.rpartition(":")[2])
        silent = [await stack.enter_async_context(silent_connection(port)) for _ in range(20)]
        async with Guest(url, "Anna", ssl=guests, token=anna.welcome.token) as again:
            await again.until(lambda: again.welcome)
            await anna.say(protocol.Say("Hello"))
            await again.until(lambda: again.talk)
        for reader in silent[:14]:
            await is_closed(reader)


@pytest.mark.asyncio
async def test_twelve_connections_of_a_person_send_no_more_than_one(monkeypatch):
    monkeypatch.setattr(lobby, "TALK_A_SECOND", 1000)
    async with club(a_second=5) as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        others = [Guest(url, "Anna", token=anna.welcome.token) for _ in range(3)]
        for other in others:
            await other.__aenter__()
            await other.until(lambda other=other: other.welcome)
        for number in range(8):
            for other in others:
                await other.say(protocol.Say(str(number)))
        await anna.until(lambda: any(other.refused for other in others))
        assert len(anna.talk) <= 18
        for other in others:
            await other.__aexit__()


@pytest.mark.asyncio
async def test_talk_of_a_person_in_the_lobby_is_slow():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        await anna.until(lambda: anna.welcome)
        await bob.until(lambda: bob.welcome)
        for number in range(20):
            await anna.say(protocol.Say(str(number)))
        await anna.until(lambda: "you talk too fast; wait a few seconds" in anna.refused)
        await bob.say(protocol.Say("Hello"))
        await anna.until(lambda: ("Bob", "Hello") in anna.talk)
        assert len(anna.talk) < 12


# The log of the host


def test_lines_of_one_person_do_not_fill_the_log():
    now, lines = [0.0], []
    log = HostLog(lines.append, lambda: now[0])
    for _ in range(100):
        log.write("Mallory comes in", "Mallory")
    log.write("Anna comes in", "Anna")
    assert lines == ["Mallory comes in"] * 10 + ["Anna comes in"]
    now[0] = 60.0
    log.write("Anna leaves", "Anna")
    assert lines[11:] == ["90 more lines about Mallory left out", "Anna leaves"]
    log.write("Mallory comes in", "Mallory")
    log.close()
    assert lines[13:] == ["Mallory comes in"]


@pytest.mark.asyncio
async def test_coming_and_going_does_not_fill_the_log():
    lines = []
    async with club(tell=lines.append) as (_, url):
        async with Guest(url, "Anna") as anna:
            await anna.until(lambda: anna.welcome)
        for _ in range(8):
            async with Guest(url, "Anna", token=anna.welcome.token) as again:
                await again.until(lambda again=again: again.welcome)
    assert lines[:10] == ["Anna comes in", "Anna leaves"] * 5
    assert "more lines about Anna left out" in lines[10]


# Talk at a table


def fill(budget, speaker):
    """Talk until there is no more room; return the bytes of text."""
    used = 0
    with suppress(IllegalAction):
        while not budget.refuse(WORDS, speaker):
            budget.add(WORDS, speaker)
            used += len(WORDS)
    return used


def talk_budget(network_of=lambda _nick: ""):
    with closing(session("rikiki", people=2)) as begun:
        return TalkBudget(begun.journal(), network_of)


def test_shares_of_talk_together_are_half_a_mebibyte():
    budget = talk_budget()
    of_kay = fill(budget, "Kay")
    others = sum(fill(budget, nick) for nick in ("Lea", "Mia", "Nora", "Olga", "Pia"))
    seats = [fill(budget, seat) for seat in range(4)]
    assert 5 * of_kay > others > 2 * of_kay
    assert min(seats) == max(seats) > 60_000
    assert 350_000 < of_kay + others + sum(seats) < limits.MOST_TALK_BYTES


def test_nicks_of_one_network_leave_room_for_others():
    budget = talk_budget({"kay": "192.0.2.0/24", "lea": "192.0.2.0/24", "mia": "192.0.2.0/24"}.get)
    of_one_person = [fill(budget, nick) for nick in ("Kay", "Lea", "Mia")]
    of_another = fill(budget, "Nora")
    assert of_one_person[:2] == [of_one_person[0]] * 2
    assert of_one_person[2] == 0
    assert of_another == of_one_person[0] > 20_000


def test_no_number_of_networks_takes_all_talk():
    budget = talk_budget(lambda nick: f"192.0.{nick[4:]}.0/24")
    for number in range(5):
        assert fill(budget, f"kay {number}") > 0


def test_nicks_in_capitals_share_their_talk():
    budget = talk_budget()
    assert fill(budget, "Kay") > 20_000
    assert fill(budget, "KAY") == fill(budget, "kay") == 0


def test_talk_in_a_journal_counts_for_its_speaker():
    with closing(session("rikiki", people=2)) as begun:
        begun.referee.say(f"Kay: {WORDS}")
        begun.referee.say(f"KAY: {WORDS}")
        begun.referee.say(WORDS, 1)
        read = begun.journal()
    counted = TalkBudget(read, lambda _nick: "")
    expected = talk_budget()
    for text, speaker in ((f"Kay: {WORDS}", "Kay"), (f"Kay: {WORDS}", "Kay"), (WORDS, 1)):
        expected.add(text, speaker)
    for who in ("Kay", 1, "Lea", 0):
        assert fill(counted, who) == fill(expected, who)


@pytest.mark.asyncio
async def test_talk_of_nicks_from_one_address(monkeypatch):
    """Nobody can silence the other spectators with more nicks, also when the table was closed meanwhile."""
    monkeypatch.setattr(accounts, "is_loopback", lambda _network: False)
    monkeypatch.setattr(limits, "ONLOOKERS_TALK_BYTES", 6000)
    monkeypatch.setattr(limits, "ONLOOKER_TALK_BYTES", 2000)
    monkeypatch.setattr(lobby, "TALK_A_SECOND", 1000)
    async with club() as (opened, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        await anna.say(protocol.OpenTable("rikiki", 4))
        await anna.until(lambda: anna.rows)
        (table,) = anna.rows
        await anna.say(protocol.Start(table))
        await anna.until(lambda: anna.view)
        for nick in ("Kay", "Lea", "Mia", "Nora"):
            async with Guest(url, nick) as kibitzer:
                await kibitzer.until(lambda who=kibitzer: who.welcome)
                await kibitzer.say(protocol.LookOn(table))
                await kibitzer.until(lambda who=kibitzer: who.view)
                while not kibitzer.refused:
                    await kibitzer.say(protocol.Say(WORDS, table))
                    await asyncio.sleep(0)
                await kibitzer.say(protocol.Leave(table))
        await anna.say(protocol.Leave(table))
        await anna.until(lambda: not anna.rows)
        network_of = opened.members.network_of
        playing = await opened.table_manager.active_tables[table].open()
        with pytest.raises(IllegalAction):
            await playing.say(WORDS, "Nora")
        monkeypatch.setattr(playing._talk, "_network_of", lambda nick: network_of(nick) if nick != "zoe" else "zoe")
        await playing.say(WORDS, "Zoe")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.0.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.asyncio
async def test_talk_of_spectators_behind_a_proxy(address):
    """A proxy on the host's machine stands for many people, so each nick has a budget of its own."""
    book = AccountStore()
    for nick in ("Kay", "Lea", "Mia"):
        await book.log_in(nick, ConnectionOrigin(address))
    await book.log_in("Nora", ConnectionOrigin("192.0.2.1"))
    budget = talk_budget(book.network_of)
    said = {nick: fill(budget, nick) for nick in ("Kay", "Lea", "Mia", "Nora")}
    assert said["Kay"] == said["Lea"] == said["Mia"]
    assert said["Nora"]


async def talk_without_end(table, text, speaker):
    while True:
        await table.playing.say(text, speaker)


@pytest.mark.asyncio
async def test_actions_have_room_after_all_talk_is_used_up(monkeypatch):
    monkeypatch.setattr(limits, "MOST_TALK_BYTES", 16_000)
    monkeypatch.setattr(limits, "ONLOOKERS_TALK_BYTES", 4000)
    monkeypatch.setattr(limits, "ONLOOKER_TALK_BYTES", 1000)
    async with Table("rikiki") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        for speaker in (0, 1, *(f"Kay{number}" for number in range(6))):
            with pytest.raises(IllegalAction, match="there is no room for more of your talk"):
                await talk_without_end(table, WORDS, speaker)
        assert table.session.size < 20_000
        await asyncio.gather(anna.play(1), bob.play(1))
    opened = sessions.resume(table.session.path)
    async with Table("rikiki", opened=opened) as table:
        with pytest.raises(IllegalAction):
            await table.playing.say(WORDS, 0)


@pytest.mark.asyncio
async def test_robots_sit_down_so_often_that_there_is_room_to_play(monkeypatch):
    monkeypatch.setattr(hosted_session, "MOST_STAND_INS", 3)
    async with Table("rikiki", grace=0) as table:
        bob = await table.guest(1)
        for _ in range(3):
            await table.playing.stand_in(0, 1)
            anna = await table.guest(0)
            await anna.leave()
        with pytest.raises(IllegalAction, match="robots have sat down too often in this session"):
            await table.playing.stand_in(0, 1)
        anna = await table.guest(0)
        await asyncio.gather(anna.play(1), bob.play(1))


# Tables


@pytest.mark.asyncio
async def test_nobody_is_at_more_than_a_few_tables(monkeypatch):
    monkeypatch.setattr(table_manager, "MOST_JOINED", 2)
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        await anna.until(lambda: anna.welcome)
        for who in (bob, cleo):
            await who.until(lambda who=who: who.welcome)
            await who.say(protocol.OpenTable("rikiki", 4))
        await anna.until(lambda: len(anna.rows) == 2)
        first, second = anna.rows
        await anna.say(protocol.SitDown(first))
        await anna.say(protocol.SitDown(second))
        await anna.say(protocol.OpenTable("king", 4))
        await anna.until(lambda: anna.refused == ["you are at 2 tables already; leave one first"])
        await anna.say(protocol.SitDown(second))
        await anna.say(protocol.Leave(first))
        await anna.say(protocol.OpenTable("king", 4))
        await anna.until(lambda: len(anna.rows) == 3)
        assert len(anna.refused) == 1


@pytest.mark.asyncio
async def test_nobody_begins_sessions_without_end(monkeypatch):
    monkeypatch.setattr(table_manager, "MOST_BEGUN", 2)
    async with club() as (room, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        for number in range(2):
            await anna.say(protocol.OpenTable("rikiki", 4))
            await anna.until(lambda: anna.rows)
            (table,) = anna.rows
            await anna.say(protocol.Start(table))
            await anna.until(lambda: anna.view)
            await anna.say(protocol.Leave(table))
            await anna.until(lambda: not anna.rows)
            anna.view = None
            assert len(room.table_manager.active_tables) == number + 1
        await anna.say(protocol.OpenTable("rikiki", 4))
        await anna.until(lambda: anna.refused == ["2 sessions of yours are not over yet; finish one of them first"])
        await anna.say(protocol.ResumeSession(table))
        await anna.until(lambda: anna.view)


class Visit:
    """A person connected to a lobby from an address."""

    def __init__(self, room, nick, address):
        self.room, self.client = room, room.enter(KnownGuest(nick), "", ConnectionOrigin(address))

    async def ask(self, message):
        """Make a request, and return the reason of its refusal, or an empty string."""
        self.client._answers.clear()
        await self.room.hear(self.client, message)
        return next((each.why for each in self.client._answers if isinstance(each, protocol.RequestFailed)), "")

    async def open_table(self):
        """Open a table, and return the refusal or its id."""
        before = self.room.table_manager.rows().keys()
        why = await self.ask(protocol.OpenTable("rikiki", 4))
        return why or next(iter(self.room.table_manager.rows().keys() - before))

    async def begin_table(self):
        """Open a table and begin its session with robots; return the refusal or its id."""
        table = await self.open_table()
        await self.ask(protocol.Start(table))
        return table

    async def leave(self):
        """Disconnect."""
        await self.room.leave(self.client)


@asynccontextmanager
async def lobby_with(most_tables):
    """A lobby without connections."""
    room = ClubLobby("The club", AccountStore(), at_random, most_tables=most_tables)
    await room.open()
    yield room
    await room.close("")


@pytest.mark.promise("The club", "One person with many nicks cannot use up the tables of a club.")
@pytest.mark.parametrize(
    "addresses", [["192.0.2.1"] * 13, [f"2001:db8::{number:x}" for number in range(1, 14)], ["::ffff:192.0.2.1"] * 13]
)
@pytest.mark.asyncio
async def test_tables_opened_by_one_person_with_many_nicks(addresses):
    async with lobby_with(20) as room:
        for number, address in enumerate(addresses):
            who = Visit(room, f"Nick{number}", address)
            while not (await who.open_table()).endswith(("first", "later")):
                pass
        assert len(room.table_manager.rows()) == 10
        for number in range(1, 4):
            assert await Visit(room, f"Guest{number}", f"198.51.100.{number}").open_table() in room.table_manager.rows()


@pytest.mark.asyncio
async def test_tables_woken_by_one_person_with_many_nicks():
    """Tables that have been left are opened again only as far as the address has room for them."""
    async with lobby_with(8) as room:
        slept = []
        for number in range(6):
            who = Visit(room, f"Nick{number}", "192.0.2.1")
            for _ in range(4):
                slept.append((who, await who.begin_table()))
                assert await who.ask(protocol.Leave(slept[-1][1])) == ""
        assert room.table_manager.rows() == {}
        for who, table in slept:
            await who.ask(protocol.SitDown(table))
        assert len(room.table_manager.rows()) == 4 + 5, "half of the tables, and the first of everybody else"
        for who, table in slept:
            await who.ask(protocol.ResumeSession(table))
        assert len(room.table_manager.rows()) == 4 + 5
        for number, who in enumerate([Visit(room, f"Guest{number}", f"198.51.100.{number}") for number in range(3)]):
            assert await who.open_table() in room.table_manager.rows(), number


@pytest.mark.asyncio
async def test_watching_a_table_that_all_have_left_opens_it():
    async with lobby_with(2) as room:
        anna, bob, kay = (Visit(room, nick, f"192.0.2.{number}") for number, nick in enumerate(["Anna", "Bob", "Kay"]))
        table = await anna.begin_table()
        await anna.ask(protocol.Leave(table))
        for _ in range(2):
            await bob.ask(protocol.Leave(await bob.begin_table()))
        for nick, address in (("Cleo", "192.0.2.7"), ("Dora", "192.0.2.8")):
            assert await Visit(room, nick, address).open_table() in room.table_manager.rows()
        full = "2 tables are open, and the club has room for no more; try again later"
        assert await kay.ask(protocol.LookOn(table)) == full
        assert await kay.ask(protocol.SitDown(table)) == "no seat is free at that table"
        assert await anna.ask(protocol.SitDown(table)) == ""
        assert await kay.ask(protocol.LookOn(table)) == ""


@pytest.mark.asyncio
async def test_tables_are_opened_again_at_a_slow_pace(clock, monkeypatch):
    """Loading a session takes the host long, so nobody makes it do so without end; all own tables at once are fine."""
    loaded = []
    load = sessions.resume_at_club
    monkeypatch.setattr(sessions, "resume_at_club", lambda path: loaded.append(path) or load(path))
    async with lobby_with(100) as room:
        anna, bob = Visit(room, "Anna", "192.0.2.1"), Visit(room, "Bob", "192.0.2.2")
        table = await anna.begin_table()
        await anna.ask(protocol.Leave(table))
        for request in (protocol.SitDown, protocol.LookOn):
            loaded.clear()
            clock[0] += 60
            for _ in range(12):
                refusal = await bob.ask(request(table))
                await bob.ask(protocol.Leave(table))
            assert refusal == "you open tables too fast; wait a few seconds"
            assert len(loaded) == table_manager.MOST_JOINED
        assert await anna.ask(protocol.SitDown(table)) == ""
        clock[0] += 1
        assert await bob.ask(protocol.LookOn(table)) == ""
        await bob.ask(protocol.Leave(table))
        for _ in range(table_manager.MOST_JOINED):
            await anna.ask(protocol.Leave(table))
            assert await anna.ask(protocol.ResumeSession(table)) == ""
        await anna.ask(protocol.Leave(table))
        assert await anna.ask(protocol.ResumeSession(table)) == "you open tables too fast; wait a few seconds"


@pytest.mark.asyncio
async def test_unfinished_sessions_of_one_network(monkeypatch):
    """One person with many nicks does not fill the home with sessions, which all others' lists are searched for."""
    monkeypatch.setattr(table_manager, "MOST_UNFINISHED", 8)
    monkeypatch.setattr(table_manager, "MOST_BEGUN", 3)
    async with lobby_with(100) as room:
        refusals = []
        for number, address in enumerate(["192.0.2.1", "192.0.2.2", "192.0.2.1", "198.51.100.1", "127.0.0.1"]):
            nick = f"Nick{chr(ord('a') + number)}"
            await room.members.log_in(nick, ConnectionOrigin(address))
            who = Visit(room, nick, address)
            while len(table := await who.begin_table()) < 40:
                await who.ask(protocol.Leave(table))
            refusals.append(table)
        begun = Counter(table.opened_by for table in room.table_manager.active_tables.values())
    of_network = "4 sessions of people from your network are not over yet; finish one of them first"
    of_person = "3 sessions of yours are not over yet; finish one of them first"
    assert refusals == [of_person, of_network, of_network, "2" + of_network[1:], of_person]
    assert [*begun.values()] == [3, 1, 2, 3]


@pytest.mark.promise("The club", "A player returns to a seat at their own table, however many tables others have open.")
@pytest.mark.parametrize("way", [protocol.SitDown, protocol.ResumeSession])
@pytest.mark.asyncio
async def test_return_to_own_tables_in_a_full_club(way):
    tables = {}
    for is_restarted in (False, True):
        async with lobby_with(4) as room:
            if not is_restarted:
                for nick in ("Anna", "Bob"):
                    who = Visit(room, nick, "192.0.2.1")
                    tables[nick] = await who.begin_table()
                    await who.leave()
            for number in range(4):
                other = Visit(room, f"Guest{number}", f"198.51.100.{number}")
                assert await other.begin_table() in room.table_manager.rows()
            for nick, table in tables.items():
                who = Visit(room, nick, "192.0.2.1")
                assert await who.ask(way(table)) == ""
                assert who.client.subscriptions.keys() == {table}
            assert await Visit(room, "Cleo", "192.0.2.1").open_table() == (
                "4 tables are open, and the club has room for no more; try again later"
            )


@pytest.mark.asyncio
async def test_club_of_one_household(monkeypatch):
    """Twenty people at one address play, also with one among them who opens tables under many nicks."""
    monkeypatch.setattr(table_manager, "MOST_OPENED", 8)
    async with lobby_with(100) as room:
        for number in range(13):
            hostile = Visit(room, f"Nick{number}", "127.0.0.1")
            for _ in range(8):
                await hostile.open_table()
        tables = len(room.table_manager.rows())
        assert tables < 40
        for number in range(10):
            assert await Visit(room, f"Guest{number}", "127.0.0.1").open_table() in room.table_manager.rows()
