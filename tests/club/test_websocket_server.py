"""Guests at other machines: they come in, sit down, play, are cut off, and come back."""

import asyncio
import threading
from contextlib import AsyncExitStack

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedOK

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.client import connection as client_connection
from cardtable.club.server import accounts, limits, websocket_server
from cardtable.club.server.client_outbox import TableSubscriber
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.limits import network_share
from cardtable.club.server.table_manager import MOST_OPENED
from cardtable.club.server.tables import ActiveTable
from cardtable.engine.log_entries import Said
from cardtable.session.session_events import Stage
from cardtable.session.session_runner import SessionRunner
from cardtable.store import passwords, profiles
from tests.club.over_loopback import Guest, club, play_on


async def opened(anna, bob, game="rikiki", seats=4, **options):
    """A table that Anna has opened, at which Bob sits down; its session has begun."""
    await anna.until(lambda: anna.welcome)
    await bob.until(lambda: bob.welcome)
    await anna.say(protocol.OpenTable(game, seats, options=options, lot=False))
    await bob.until(lambda: bob.rows)
    (table,) = bob.rows
    await bob.say(protocol.SitDown(table))
    await anna.until(lambda: table in anna.rows and anna.rows[table].places[1].name == bob.nick)
    await anna.say(protocol.Start(table))
    for who in (anna, bob):
        await who.until(lambda who=who: who.view)
    return table


async def test_two_people_play_a_session_from_the_lobby_to_its_end():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        await anna.until(lambda: table in anna.rows and anna.rows[table].playing)
        assert [(place.name, place.robot) for place in anna.rows[table].places] == [
            ("Anna", False), ("Bob", False), ("Ada", True), ("Bo", True)
        ]  # fmt: skip
        assert (anna.seated.seat, bob.seated.seat, anna.seated.header.seed) == (0, 1, 0)
        await asyncio.gather(anna.play(), bob.play())
        assert anna.now.results == bob.now.results
        await anna.say(protocol.Leave(table))
        await bob.say(protocol.Leave(table))
        await anna.until(lambda: not anna.rows)


@pytest.mark.promise("The club", "A guest who was cut off in a trick returns to the same seat and position.")
async def test_who_is_cut_off_in_the_middle_of_a_trick_comes_back_and_plays_on():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        await play_on(lambda: anna.view.trick and anna.view.legal, anna, bob)
        view, at = anna.view, anna.now.at
        anna.now, cut = None, anna.link._connection
        await cut.close()
        await anna.until(lambda: anna.link.is_connected and anna.link._connection is not cut)
        await anna.say(protocol.SitDown(table))
        await anna.until(lambda: anna.now)
        assert (anna.now.whole, anna.view, anna.now.at) == (True, view, at)
        await play_on(lambda: anna.view.round > 2, anna, bob)


class RecordedDelays(tuple):
    """Delays of a client that records which of them it uses."""

    def __new__(cls, *delays):
        made = super().__new__(cls, delays)
        made.used = []
        return made

    def __getitem__(self, place):
        self.used.append(place)
        return super().__getitem__(place)


@pytest.mark.parametrize("ending", ["closed", "cut"])
@pytest.mark.parametrize(("steady", "used"), [(0.0, [0, 0, 0]), (3600.0, [0, 1, 2])])
async def test_return_at_once_after_a_steady_connection(monkeypatch, ending, steady, used):
    """Only connections that end soon after the login make the client wait longer and longer."""
    monkeypatch.setattr(client_connection, "STEADY", steady)
    async with club() as (_, url):
        anna = Guest(url, "Anna")
        anna.link._delays = delays = RecordedDelays(0.0, 0.0, 0.0, 0.0)
        async with anna:
            for _ in used[1:]:
                await anna.until(lambda: anna.link.is_connected)
                ended = anna.link._connection
                await ended.close() if ending == "closed" else ended.transport.abort()
                await anna.until(lambda ended=ended: anna.link._connection not in (None, ended))
            assert delays.used == used


async def test_cut_connection_is_not_blamed_on_the_address():
    async with club() as (_, url), Guest(url, "Anna") as anna:
        anna.link._delays = (0.0, 3600.0)
        await anna.until(lambda: anna.link.is_connected)
        anna.link._connection.transport.abort()
        await anna.until(lambda: anna.link.connection_error)
        assert anna.link.connection_error == "the connection was cut"


async def test_known_club_that_ends_the_handshake_is_not_blamed_on_the_port():
    async with await asyncio.start_server(lambda _, writer: writer.close(), "localhost", 0) as server:
        anna = Guest(f"ws://localhost:{server.sockets[0].getsockname()[1]}", "Anna")
        async with anna:
            await anna.until(lambda: anna.link.connection_error)
            assert anna.link.connection_error == "what answers at that address is no club; check its port"
            anna.link.club_id = "of an earlier login"
            await anna.until(lambda: anna.link.connection_error == "the club does not answer")


async def test_a_table_that_is_begun_twice_at_once_begins_once():
    async with club() as (room, _):

        def comes():
            return room.enter(accounts.KnownGuest("Anna"), "", ConnectionOrigin())

        here = comes()
        await room.hear(here, protocol.OpenTable("rikiki", 4))
        also = comes()
        (table,) = room.table_manager.rows()
        await asyncio.gather(*[room.hear(visit, protocol.Start(table)) for visit in (here, also)])
        assert [row.playing for row in room.table_manager.rows().values()] == [True]


async def test_nobody_opens_more_than_a_few_tables_that_wait_for_people():
    async with club() as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        for _ in range(MOST_OPENED + 1):
            await anna.say(protocol.OpenTable("rikiki", 4))
        await anna.until(lambda: anna.refused == ["3 tables of yours are waiting for players already; begin one first"])
        await anna.until(lambda: len(anna.rows) == MOST_OPENED)
        await anna.say(protocol.Start(min(anna.rows)))
        await anna.until(lambda: anna.view)
        await anna.say(protocol.OpenTable("king", 4))
        await anna.say(protocol.Leave(anna.seated.table))
        await anna.until(lambda: "king" in {row.game for row in anna.rows.values()})


@pytest.fixture
def slow_to_say(monkeypatch):
    """What is said at a table is not written before this is set."""
    written, right = threading.Event(), SessionRunner.say

    def say(*given):
        written.wait(10)
        return right(*given)

    monkeypatch.setattr(SessionRunner, "say", say)
    return written


async def one_frame(message):
    """A connection over which one frame comes."""
    yield protocol.encode(message)
    await asyncio.Event().wait()


async def test_whose_connection_is_cut_while_she_comes_to_a_table_is_not_there(slow_to_say):
    async with club() as (room, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        playing = room.table_manager.active_tables[table].open_session
        await bob.say(protocol.Say("Wait", table))
        visit = room.enter(accounts.KnownGuest("Cleo"), "", ConnectionOrigin())
        hearing = asyncio.create_task(
            websocket_server.WebSocketEndpoint(room)._hear(one_frame(protocol.LookOn(table)), visit)
        )
        while not playing._changes._queue:
            await asyncio.sleep(0)
        hearing.cancel()
        slow_to_say.set()
        await asyncio.wait([hearing])
        await room.leave(visit)
        await playing.rounds()
        assert playing.looking_on == 0


async def with_two(room):
    """Anna, Bob, and the table of Anna's at which both sit and which has not begun."""
    anna, bob = [room.enter(accounts.KnownGuest(nick), "", ConnectionOrigin()) for nick in ("Anna", "Bob")]
    await room.hear(anna, protocol.OpenTable("rikiki", 4, lot=False))
    (table,) = room.table_manager._filling
    await room.hear(bob, protocol.SitDown(table))
    return anna, bob, table


async def test_all_come_to_a_table_that_begins_at_once(monkeypatch):
    """Nobody is told that one of them is away, who is only told after her."""
    told, right = [], TableSubscriber.refresh
    monkeypatch.setattr(
        TableSubscriber, "refresh", lambda self, around: told.append(around.away) or right(self, around)
    )
    async with club() as (room, _):
        anna, _, table = await with_two(room)
        await room.hear(anna, protocol.Start(table))
        assert told[:2] == [{}, {}]
        assert room.table_manager.active_tables[table].open_session.present_seats == {0, 1}


def hold_first(monkeypatch, owner, name):
    """Let the first call of a method wait: two events, that it is reached, and that it may go on."""
    reached, released, right = asyncio.Event(), asyncio.Event(), getattr(owner, name)

    async def wait_first(*given):
        if not reached.is_set():
            reached.set()
            await released.wait()
        return await right(*given)

    monkeypatch.setattr(owner, name, wait_first)
    return reached, released


async def refused_seat(room, visitor, table):
    await room.hear(visitor, protocol.SitDown(table))


async def short_look(room, visitor, table):
    await room.hear(visitor, protocol.LookOn(table))
    await room.hear(visitor, protocol.Leave(table))


@pytest.mark.parametrize("visit", [refused_seat, short_look])
@pytest.mark.parametrize("step", [(accounts.AccountStore, "save_all"), (HostedSession, "subscribe")])
async def test_visitor_does_not_close_a_table_that_begins(monkeypatch, visit, step):
    async with club() as (room, _):
        anna, bob, table = await with_two(room)
        cleo = room.enter(accounts.KnownGuest("Cleo"), "", ConnectionOrigin())
        reached, released = hold_first(monkeypatch, *step)
        starting = asyncio.create_task(room.hear(anna, protocol.Start(table)))
        await reached.wait()
        await visit(room, cleo, table)
        released.set()
        await starting
        assert table in anna.subscriptions
        assert table in bob.subscriptions
        assert [row.playing for row in room.table_manager.rows().values()] == [True]


@pytest.mark.parametrize("visit", [refused_seat, short_look])
async def test_visitor_does_not_close_a_table_that_a_player_returns_to(monkeypatch, visit):
    async with club() as (room, _):
        anna, bob, table = await with_two(room)
        cleo = room.enter(accounts.KnownGuest("Cleo"), "", ConnectionOrigin())
        await room.hear(anna, protocol.Start(table))
        for player in (anna, bob):
            await room.hear(player, protocol.Leave(table))
        reached, released = hold_first(monkeypatch, HostedSession, "subscribe")
        returning = asyncio.create_task(room.hear(anna, protocol.SitDown(table)))
        await reached.wait()
        await visit(room, cleo, table)
        released.set()
        await returning
        assert table in anna.subscriptions


@pytest.mark.parametrize("step", [(ActiveTable, "begin"), (HostedSession, "subscribe")])
async def test_who_goes_while_her_table_begins_is_not_there(monkeypatch, step):
    async with club() as (room, _):
        anna, bob, table = await with_two(room)
        right = getattr(*step)

        async def leaves_meanwhile(*given, **named):
            doing = asyncio.create_task(right(*given, **named))
            await asyncio.sleep(0)
            if bob.nick in room.people:
                await room.leave(bob)
            return await doing

        with monkeypatch.context() as changed:
            changed.setattr(*step, leaves_meanwhile)
            await room.hear(anna, protocol.Start(table))
        assert room.table_manager.active_tables[table].open_session.present_seats == {0}


async def test_a_table_that_broke_down_is_opened_again_once_somebody_wants_something_of_it(monkeypatch):
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        await play_on(lambda: anna.view.trick and anna.view.legal, anna, bob)
        with monkeypatch.context() as broken:
            broken.setattr(SessionRunner, "say", lambda *_: 1 / 0)
            await bob.say(protocol.Say("Hello", table))
            await bob.until(lambda: "the table is closed" in bob.refused)
        view, anna.now = anna.view, None
        await bob.say(protocol.Say("Again", table))
        await anna.until(lambda: Said(1, "Again") in anna.notes)
        assert (anna.view, anna.now.away) == (view, {})
        await play_on(lambda: anna.view.round > 2, anna, bob)


async def test_a_table_that_could_not_be_opened_may_be_opened_the_next_time(monkeypatch):
    async with club() as (room, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        for who in (anna, bob):
            await who.say(protocol.Leave(table))
        await anna.until(lambda: not anna.rows)
        with monkeypatch.context() as broken:
            broken.setattr(HostedSession, "load_messages", lambda _: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                await room.table_manager.active_tables[table].open()
        anna.now = None
        await anna.say(protocol.SitDown(table))
        await anna.until(lambda: anna.now)


async def test_who_leaves_a_table_that_broke_down_comes_back_to_it(monkeypatch):
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        await play_on(lambda: anna.view.trick and anna.view.legal, anna, bob)
        with monkeypatch.context() as broken:
            broken.setattr(SessionRunner, "say", lambda *_: 1 / 0)
            await bob.say(protocol.Say("Hello", table))
            await bob.until(lambda: "the table is closed" in bob.refused)
        for who in (anna, bob):
            await who.say(protocol.Leave(table))
            who.now = None
            await who.say(protocol.SitDown(table))
            await who.until(lambda who=who: who.now)
        assert (anna.now.away, bob.now.away) == ({}, {})
        await play_on(lambda: anna.view.round > 2, anna, bob)


@pytest.mark.promise("The club", "A spectator in a club sees no hand, and can talk to the table.")
async def test_who_looks_on_sees_no_hand_and_talks():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        table = await opened(anna, bob)
        await cleo.say(protocol.LookOn(table))
        await cleo.until(lambda: cleo.view)
        assert (cleo.seated.seat, cleo.view.hand, cleo.view.legal) == (None, 0, ())
        await cleo.say(protocol.Say("Good luck", table))
        await anna.until(lambda: Said(None, "Cleo: Good luck") in anna.notes)
        await cleo.say(protocol.Act(table, 0, "bid 0"))
        await cleo.until(lambda: cleo.refused == ["you are only watching at that table"])
        await bob.until(lambda: table in bob.rows and bob.rows[table].looking_on == 1)


async def test_people_in_the_lobby_see_each_other_and_talk():
    async with club() as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.people == ("Anna",))
        async with Guest(url, "Bob") as bob:
            await anna.until(lambda: anna.people == ("Anna", "Bob"))
            await bob.say(protocol.Say("  Good\tevening\x1b[2J "))
            await anna.until(lambda: anna.talk == [("Bob", "Good evening[2J")])
            await bob.say(protocol.Say("می\u200cروم 👩\u200d💻"))
            await anna.until(lambda: anna.talk[1:] == [("Bob", "می\u200cروم 👩\u200d💻")])
            await bob.say(protocol.Say("\u200d\x07"))
            await bob.until(lambda: bob.refused == ["type something to say"])
        await anna.until(lambda: anna.people == ("Anna",))


async def test_a_host_that_is_started_again_has_its_people_and_tables():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        await play_on(lambda: anna.view.trick and anna.view.legal, anna, bob)
        view, tokens = anna.view, {who.nick: who.welcome.token for who in (anna, bob)}
    async with (
        club() as (_, url),
        Guest(url, "Anna", token=tokens["Anna"]) as anna,
        Guest(url, "Bob", token=tokens["Bob"]) as bob,
    ):
        await anna.until(lambda: anna.welcome)
        assert not anna.rows, "nobody is there"
        await anna.say(protocol.SitDown(table))
        await bob.until(lambda: bob.welcome)
        await bob.say(protocol.SitDown(table))
        await anna.until(lambda: anna.view)
        assert anna.view == view
        await bob.until(lambda: bob.view)
        await play_on(lambda: anna.now.stage is Stage.ROUND_END, anna, bob)


@pytest.mark.promise("The club", "Nobody enters a club with a code without knowing it.")
@pytest.mark.parametrize(
    ("hello", "why"),
    [
        ({}, "this club has a code; its host can tell you"),
        ({"code": "abcdefgh"}, "that is not the code of this club; its host can tell you"),
        ({"token": "mine"}, "this club does not know you under that nick any more; type a nick to come in again"),
    ],
)
async def test_who_does_not_know_the_code_is_not_let_in(hello, why):
    async with club(code="kmnpqrst") as (room, url), Guest(url, "Anna", **hello) as anna:
        await anna.until(lambda: anna.link.refused)
        assert (anna.link.refused, room.people) == (why, ())


@pytest.mark.promise("The club", "A nick with a password is only for the player who knows the password.")
async def test_a_nick_with_a_password_is_only_for_who_knows_it():
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with club(code="kmnpqrst") as (_, url):
        for password, why in (("", "Anna has a password"), ("wrong", "That is not the password")):
            async with Guest(url, "Anna", code="kmnpqrst", password=password) as other:
                await other.until(lambda other=other: other.link.refused)
                assert other.link.refused == why
        async with Guest(url, "Anna", code="kmnpqrst", password="sesame77") as anna:
            await anna.until(lambda: anna.welcome)
            assert anna.welcome.member


async def test_what_a_guest_gives_opens_nothing_at_the_host_and_what_is_given_there_lets_nobody_in(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    async with club() as (_, url):
        async with Guest(url, "Anna", password="sesame77") as anna:
            await anna.until(lambda: anna.welcome)
        assert profiles.find("Anna").is_locked
        for _ in range(passwords.ATTEMPTS_BEFORE_DELAY):
            async with Guest(url, "Anna", password="wrong") as other:
                await other.until(lambda other=other: other.link.refused)
        assert profiles.verify_password("Anna", "sesame77") == ""
        async with Guest(url, "Anna") as other:
            await other.until(lambda: other.link.missing == "password")


async def test_who_was_let_in_can_stake_her_credits_without_giving_her_password_at_the_host(monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())
    async with club() as (_, url), Guest(url, "Anna", password="sesame77") as anna:
        await anna.until(lambda: anna.welcome)
        await anna.say(protocol.OpenTable("ten_down", 4, options={"room": 5}))
        await anna.until(lambda: anna.rows)
        (table,) = anna.rows
        await anna.say(protocol.Start(table))
        await anna.until(lambda: anna.view)
    assert [move.change for move in profiles.find("Anna").ledger][-1] == -5


@pytest.mark.parametrize(
    ("player", "guest"), [("Anna", "ANNA"), ("ßeta", "Sseta"), ("ǅemal", "ǄEMAL"), ("Anna", "Ａｎｎａ")]
)
async def test_a_guest_is_not_taken_for_a_player(player, guest):
    """The player of the host's machine has not been in the club yet."""
    profiles.register(player)
    async with club() as (_, url), Guest(url, guest) as other:
        await other.until(lambda: other.link.refused)
        assert other.link.refused.startswith(f"{player} is a player here; choose another nick")


async def test_a_guest_whose_nick_became_a_player_s_chooses_another():
    async with club() as (_, url):
        async with Guest(url, "ANNA") as guest:
            await guest.until(lambda: guest.welcome)
            token = guest.welcome.token
        profiles.register("Anna")
        async with Guest(url, "ANNA", token=token) as again:
            await again.until(lambda: again.link.refused)
            assert again.link.refused == "Anna is now a player of this club; choose another nick"


async def test_a_nick_that_was_here_is_nobody_else_s():
    async with club() as (_, url):
        async with Guest(url, "Anna") as anna:
            await anna.until(lambda: anna.welcome)
        async with Guest(url, "anna".title()) as other:
            await other.until(lambda: other.link.refused)
            assert other.link.refused == "Anna is the nick of somebody who has been here; choose another"


async def test_who_comes_in_at_once_waits_for_one_file_and_holds_nobody_up(monkeypatch):
    disk, written, right = threading.Event(), [], accounts._write

    def write(kept):
        disk.wait(10)
        written.append(len(kept.people))
        right(kept)

    monkeypatch.setattr(accounts, "_write", write)
    book = accounts.AccountStore()
    nicks = ("Anna", "Bob", "Cleo")
    coming = [asyncio.create_task(book.log_in(nick, ConnectionOrigin())) for nick in nicks]
    while book._changes < len(nicks):
        await asyncio.sleep(0)
    assert not [each for each in coming if each.done()]
    disk.set()
    let_in = await asyncio.gather(*coming)
    assert written == [3]
    book = accounts.AccountStore()
    assert [book.enter_by_token(person.nick, token) for person, token in let_in] == [person for person, _ in let_in]


async def test_a_club_knows_so_many_people(monkeypatch):
    monkeypatch.setattr(accounts, "MOST_PEOPLE", 1)
    async with club() as (_, url):
        async with Guest(url, "Anna") as anna:
            await anna.until(lambda: anna.welcome)
        async with Guest(url, "Bob") as bob:
            await bob.until(lambda: bob.link.refused)
            assert bob.link.refused.startswith("the club knows so many people that it takes no new nick from you")
        async with Guest(url, "Anna", token=anna.welcome.token) as anna:
            await anna.until(lambda: anna.welcome)


async def test_whose_first_word_is_late_may_try_again(monkeypatch):
    monkeypatch.setattr(websocket_server, "PATIENCE", 0.05)
    async with club() as (_, url), connect(url, subprotocols=[protocol.SUBPROTOCOL]) as silent:
        await silent.recv()
        with pytest.raises(ConnectionClosedOK):
            await silent.recv()


async def test_there_is_room_for_so_many_guests():
    async with club(most_guests=1) as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        async with Guest(url, "Bob") as bob:
            await bob.until(lambda: bob.link.connection_error)
            assert (bob.link.connection_error, bob.link.refused) == ("1 guests are here, and the club is full", "")


async def test_newcomers_at_the_same_moment_are_not_too_many(monkeypatch):
    """A place is held from the first check on, so that no nick is used up by who is refused."""
    coming, saved = asyncio.Event(), asyncio.Event()

    async def keep(*_):
        coming.set()
        await saved.wait()

    async with club(most_guests=1) as (room, url):
        monkeypatch.setattr(room.members, "save_all", keep)
        async with Guest(url, "Anna") as anna:
            await coming.wait()
            async with Guest(url, "Bob") as bob:
                try:
                    await bob.until(lambda: bob.link.connection_error == "1 guests are here, and the club is full")
                finally:
                    saved.set()
                await anna.until(lambda: anna.welcome)
            assert (room.people, room.members.find_returning_account("Bob")) == (("Anna",), None)


async def test_newcomers_of_one_address_take_half_of_the_places(monkeypatch):
    """Who has been there before comes in all the same."""
    monkeypatch.setattr(websocket_server, "is_local", lambda _: False)
    async with club(most_guests=6) as (room, url), AsyncExitStack() as stack:
        _, token = await room.members.log_in("Dora", ConnectionOrigin())
        for nick in ("Anna", "Bob", "Cleo"):
            guest = await stack.enter_async_context(Guest(url, nick))
            await guest.until(lambda guest=guest: guest.welcome)
        late = await stack.enter_async_context(Guest(url, "Emil"))
        await late.until(
            lambda: late.link.connection_error == "3 guests are here from your address, and more cannot come"
        )
        again = await stack.enter_async_context(Guest(url, "Dora", token=token))
        await again.until(lambda: again.welcome)
    assert [network_share(32, others) for others in (0, 16, 24, 31)] == [16, 8, 4, 2]


async def test_full_club_lets_in_its_players_and_those_with_a_seat():
    profiles.register_remote("Flo", "sesame77")
    async with club(most_guests=2) as (_, url), Guest(url, "Bob") as bob, AsyncExitStack() as stack:
        async with Guest(url, "Anna") as anna:
            await opened(anna, bob)
        await bob.until(lambda: bob.now and bob.now.away)
        cleo = await stack.enter_async_context(Guest(url, "Cleo"))
        await cleo.until(lambda: cleo.welcome)
        dora = await stack.enter_async_context(Guest(url, "Dora"))
        await dora.until(lambda: dora.link.connection_error == "2 guests are here, and the club is full")
        for login in ({"nick": "Anna", "token": anna.welcome.token}, {"nick": "Flo", "password": "sesame77"}):
            guest = await stack.enter_async_context(Guest(url, **login))
            await guest.until(lambda guest=guest: guest.welcome)


async def test_who_says_too_much_is_sent_away():
    async with club(a_second=20) as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        for _ in range(100):
            await anna.say(protocol.Say("spam"))
        await anna.until(lambda: anna.link.refused)
        assert anna.link.refused == "too many messages came at once: 20 a second are allowed"


async def test_a_guest_becomes_a_player_of_the_club():
    async with club(code="kmnpqrst") as (_, url), Guest(url, "Anna", code="kmnpqrst") as anna:
        await anna.until(lambda: anna.welcome)
        assert (anna.welcome.member, anna.guests) == (False, ("Anna",))
        await anna.say(protocol.Register(""))
        await anna.until(lambda: anna.refused == ["a new password has at least 8 characters"])
        await anna.say(protocol.Register("sesame77"))
        await anna.until(lambda: anna.let_in)
        await anna.until(lambda: anna.guests == ())
        assert profiles.get_current_nick() == "Guest", "who plays at the host's own machine stays"
        async with Guest(url, "Anna", token=anna.let_in.token) as also:
            await also.until(lambda: also.welcome)
            assert also.welcome.member
        async with Guest(url, "Anna", code="kmnpqrst", password="sesame77") as also:
            await also.until(lambda: also.welcome)
        async with Guest(url, "Anna", token=anna.welcome.token) as other:
            await other.until(lambda: other.link.refused)
        await anna.say(protocol.Register("another7"))
        await anna.until(lambda: "Anna is already a player here; sign in" in anna.refused)


async def test_who_came_as_a_guest_signs_in_as_the_player_she_is():
    profiles.register_remote("Anna", "sesame77")
    async with club() as (_, url), Guest(url, "Cleo") as cleo:
        await cleo.until(lambda: cleo.welcome)
        for nick, password, why in (
            ("Anna", "wrong", "That is not the password"),
            ("Bob", "wrong", "Bob is no player with a password here; check the nick"),
        ):
            await cleo.say(protocol.SignIn(nick, password))
            await cleo.until(lambda why=why: why in cleo.refused)
        await cleo.say(protocol.SignIn("Anna", "sesame77"))
        await cleo.until(lambda: cleo.let_in)
        async with Guest(url, "Anna", token=cleo.let_in.token) as anna:
            await anna.until(lambda: anna.welcome)
            assert (anna.welcome.member, anna.welcome.guests) == (True, ("Cleo",))


@pytest.mark.promise("The club", "A club accepts no password over a connection that others can read.")
async def test_no_password_goes_where_others_can_read_it():
    book, there = accounts.AccountStore(), ConnectionOrigin("192.0.2.1", secret=False)
    profiles.register_remote("Anna", "sesame77")
    person, _ = await book.log_in("Cleo", there)
    for way in (book.register(person.nick, "sesame77", there), book.sign_in("Anna", "sesame77", there)):
        with pytest.raises(limits.LoginError, match="others could read your password on this connection"):
            await way


async def test_who_has_come_by_another_door_is_where_that_one_saw_her():
    for nick in ("Anna", "Flo"):
        profiles.register_remote(nick, "sesame77")
    async with club() as (room, url):
        for nick in ("Bob", "Cleo", "Dora"):
            await room.members.log_in(nick, ConnectionOrigin())
        places = (
            ConnectionOrigin("192.0.2.1"),
            ConnectionOrigin("192.0.2.2"),
            ConnectionOrigin("192.0.2.3", secret=False),
        )
        bob, cleo, dora = (
            Guest(url, nick, token=room.members.issue_temporary_token(nick, place))
            for nick, place in zip(("Bob", "Cleo", "Dora"), places, strict=True)
        )
        async with bob, cleo, dora:
            for guest in (bob, cleo, dora):
                await guest.until(lambda guest=guest: guest.welcome)
            for _ in range(limits.FREE_TRIES + 1):
                await bob.say(protocol.SignIn("Eve", "wrong"))
                await bob.say(protocol.SignIn("Anna", "wrong"))
            await bob.until(lambda: any("too many wrong tries" in each for each in bob.refused))
            await cleo.say(protocol.SignIn("Eve", "sesame77"))
            await cleo.until(lambda: "Eve is no player with a password here; check the nick" in cleo.refused)
            await dora.say(protocol.SignIn("Flo", "sesame77"))
            await dora.until(lambda: any("others could read your password" in each for each in dora.refused))


async def test_who_signs_in_at_another_program_stays_known_at_the_first():
    profiles.register_remote("Anna", "sesame77")
    tokens = []
    async with club() as (_, url):
        for _ in range(accounts.MOST_TOKENS + 1):
            async with Guest(url, "Anna", password="sesame77") as anna:
                await anna.until(lambda anna=anna: anna.welcome)
                tokens.append(anna.welcome.token)
        for token in tokens[1:]:
            async with Guest(url, "Anna", token=token) as anna:
                await anna.until(lambda anna=anna: anna.welcome)
        async with Guest(url, "Anna", token=tokens[0]) as anna:
            await anna.until(lambda: anna.link.refused)


async def test_what_a_guest_had_proves_nothing_once_her_nick_is_a_player_s():
    async with club() as (_, url):
        async with Guest(url, "Anna") as guest:
            await guest.until(lambda: guest.welcome)
        profiles.register_remote("Anna", "sesame77")
        async with Guest(url, "Anna", token=guest.welcome.token) as guest:
            await guest.until(lambda: guest.link.refused)
            assert guest.link.refused == "Anna is now a player of this club; choose another nick"
