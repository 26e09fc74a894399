"""Messages of a faulty or hostile host: the client says what is wrong, leaves the table and stays usable."""

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest
from msgspec import Raw
from msgspec.structs import astuple, replace
from websockets import Subprotocol
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from cardtable.club.client import connection as client_connection
from cardtable.club.client.client import MAX_TALK_MESSAGES, ClubClient, ClubObserver
from cardtable.club.client.connection import MAX_LOBBY_ROWS, InvalidMessage, Login, TableMessages
from cardtable.club.protocol import (
    SUBPROTOCOL,
    Challenge,
    Leave,
    LobbyNews,
    Over,
    RequestFailed,
    Say,
    SeasonTables,
    Seated,
    SeatInfo,
    TableInfo,
    Talk,
    Unfinished,
    Welcome,
    decode_client,
    decode_server,
    encode,
)
from cardtable.engine.game import INTERFACE_VERSION, HighTitle, Score
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import Said
from cardtable.engine.tricks import Play
from cardtable.engine.value_checks import decode_view, encode_view
from cardtable.games import GAMES
from cardtable.records.result_rows import ResultsColumn, ResultsRow, ResultsTable
from cardtable.session.session_events import ClockLeft, Stage
from tests.club.guests import hosted_table
from tests.club.loopback_club import poll_until


@asynccontextmanager
async def first_update():
    """Yield the first messages about a table of Rikiki with four seats, for the player in seat 0."""
    async with hosted_table("rikiki", 0) as (table, anna):
        await anna.wait_until(lambda: anna.is_on_turn)
        yield Seated(anna.update.table, table.session.header, 0), anna.update


FORGED_SCORE = Score(HighTitle(12), figures=((), (), (), ()), points=(9,), bonuses=((), (), (), ()), totals=(9,))


@pytest.mark.parametrize(
    "changes",
    [
        *({"at": -1}, {"stage": Stage.CURTAIN}, {"stage": Stage.SESSION_END}, {"steps": ()}),
        *({"seats": (SeatInfo("Anna"),)}, {"seats_left": (1.0,)}, {"round_left": 1e308}),
        *({"ranks": (1,)}, {"results": (0, 0, 0, 10**12)}, {"waits_for": (4,)}),
        *({"absences": {4: 60}}, {"absences": {1: 10**12}}, {"rematch_seats": (-1,)}, {"substitute_votes": {1: (4,)}}),
        *({"notes": (Said(4, "Hello"),)}, {"scores": (FORGED_SCORE,)}),
        *({"clocks": (ClockLeft(1, 1),)}, {"clocks": (ClockLeft(1e308, -1e308), None, None, None)}),
    ],
)
async def test_update_that_no_table_can_have_is_refused(changes):
    async with first_update() as (seated, update):
        TableMessages(seated).check_update(update)
        with pytest.raises(InvalidMessage, match="the club sends something invalid"):
            TableMessages(seated).check_update(replace(update, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        *({"seat": 1}, {"round": 10**8}, {"finished": -(10**9)}, {"cards": 10**9}, {"totals": ()}, {"bids": ()}),
        *({"trick": (1, 2, 3, 4, 5)}, {"hand": -1}),
        {"options": GAMES["rikiki"].options(length="short")},
    ],
)
async def test_view_that_no_table_can_have_is_refused(changes):
    async with first_update() as (seated, update):
        last = update.steps[-1]
        forged = encode_view(replace(decode_view(GAMES["rikiki"], last.view), **changes))
        with pytest.raises(InvalidMessage):
            TableMessages(seated).check_update(replace(update, steps=(replace(last, view=forged),)))


@pytest.mark.parametrize(
    "changes", [{"view": Raw(b"7")}, {"view": Raw(b"{}")}, {"view": Raw(b"[" * 100_000)}, {"play": Play(104)}]
)
async def test_step_that_cannot_be_decoded_is_refused(changes):
    async with first_update() as (seated, update):
        with pytest.raises(InvalidMessage):
            TableMessages(seated).check_update(replace(update, steps=(replace(update.steps[-1], **changes),)))


@pytest.mark.parametrize(
    ("changes", "seat"),
    [
        *(({}, 4), ({}, -1), ({"game": "chess"}, 0)),
        *(({"seats": (Occupant("Anna"),)}, 0), ({"options": {"length": "endless"}}, 0)),
    ],
)
async def test_table_that_cannot_exist_is_refused(changes, seat):
    async with first_update() as (seated, _):
        with pytest.raises(InvalidMessage):
            TableMessages(replace(seated, header=replace(seated.header, **changes), seat=seat))


@asynccontextmanager
async def hostile_host(*frames):
    """Run a host that sends these frames after each login; yield its address and what it receives after the login."""
    received = []

    async def answer(connection):
        await connection.send(encode(Challenge(3, "c" * 32, "nonce")))
        await connection.recv()
        for frame in frames:
            await connection.send(frame)
        with suppress(ConnectionClosed):
            while True:
                received.append(decode_client(await connection.recv()))

    async with serve(answer, "localhost", 0, subprotocols=[Subprotocol(SUBPROTOCOL)]) as server:
        yield f"ws://localhost:{server.sockets[0].getsockname()[1]}", received


@asynccontextmanager
async def visit_to_host(*frames, observer=None):
    """Let a client visit a host that sends these frames after the login; yield the client and what it has sent."""
    async with hostile_host(*frames) as (url, received):
        client = ClubClient(url, Login("Anna"), observer or ClubObserver())
        task = asyncio.create_task(client.run())
        try:
            yield client, received
        finally:
            task.cancel()
            await asyncio.wait([task])


WELCOME = encode(
    Welcome("Club", "Anna", "t", member=False, people=(), tables=(), interface_version=INTERFACE_VERSION, packages={})
)


async def test_faulty_table_is_left_and_the_lobby_stays():
    async with first_update() as (seated, update):
        forged = replace(update, whole=False, waits_for=(9,))
        frames = WELCOME, encode(seated), encode(update), encode(forged), encode(Talk("Good evening"))
        observer, sessions = ClubObserver(), []
        observer.handle_table_ready = sessions.append
        async with visit_to_host(*frames, observer=observer) as (client, received):
            await poll_until(lambda: Talk("Good evening") in client.talk)
            assert client.connection.is_connected
            assert not client.remote_sessions
            assert sessions[0].departure.reason.startswith("You have left the table: the club sends something invalid")
            await client.send_request(Say("Hello"))
            await poll_until(lambda: Say("Hello") in received)
            assert Leave(update.table) in received


@pytest.mark.parametrize("is_seated", [True, False])
async def test_table_that_was_never_shown_is_left_with_a_message(is_seated):
    async with first_update() as (seated, update):
        first = seated if is_seated else replace(seated, seat=9)
        frames = WELCOME, encode(first), encode(replace(update, at=-1)), encode(Talk("Good evening"))
        async with visit_to_host(*frames) as (client, received):
            await poll_until(lambda: Talk("Good evening") in client.talk)
            assert not client.remote_sessions
            assert any("You have left the table" in talk.text for talk in client.talk)
            await poll_until(lambda: Leave(update.table) in received)


async def test_table_that_cannot_be_opened_is_left_with_a_message():
    async with first_update() as (seated, update):
        frames = WELCOME, encode(seated), encode(update), encode(Talk("Good evening"))
        observer = ClubObserver()
        observer.handle_table_ready = lambda _session: [].pop()
        async with visit_to_host(*frames, observer=observer) as (client, received):
            await poll_until(lambda: Talk("Good evening") in client.talk)
            assert client.connection.is_connected
            assert not client.remote_sessions
            assert any("its position cannot be shown (IndexError in" in talk.text for talk in client.talk)
            await poll_until(lambda: Leave(update.table) in received)


@pytest.mark.parametrize("frame", ["{nope", b"\xff", '{"type":"surprise"}', "[" * 100_000])
async def test_frame_that_cannot_be_read_is_explained(frame):
    async with visit_to_host(WELCOME, frame) as (client, _):
        await poll_until(lambda: client.connection.connection_error)
        assert client.connection.connection_error.startswith("the club sends something invalid")
        assert client.loss_reason == f"{client.connection.connection_error}; the program keeps trying"


def create_lobby_frames(count):
    """Return the frames by which a host sends ``count`` people, tables or unfinished sessions."""
    tables = tuple([TableInfo(str(number), "rikiki", {}, (), "Anna") for number in range(count)])
    people = tuple(map(str, range(count)))
    return [
        encode(replace(decode_server(WELCOME), tables=tables)),
        encode(replace(decode_server(WELCOME), people=people)),
        encode(LobbyNews(None, tables)),
        encode(LobbyNews(people)),
        encode(Unfinished(tables)),
    ]


@pytest.mark.parametrize("number", range(5))
async def test_lobby_that_is_too_large_is_explained(number):
    frames = create_lobby_frames(MAX_LOBBY_ROWS + 1)
    async with visit_to_host(*([] if number < 2 else [WELCOME]), frames[number]) as (client, _):
        await poll_until(lambda: client.connection.connection_error)
        assert client.connection.connection_error.startswith("the club sends something invalid: 5001")


COLUMN, ROW = ResultsColumn("sessions", "played"), ResultsRow("Anna", (1,), 1)


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ((replace(COLUMN, decimals=10**9),), (ROW,)),
        ((replace(COLUMN, decimals=-1),), (ROW,)),
        ((replace(COLUMN, heading="A" * 10_000),), (ROW,)),
        ((COLUMN, COLUMN), (ROW,)),
        ((COLUMN,), (replace(ROW, figures=(1e300,)),)),
        ((COLUMN,), (replace(ROW, place=10**12),)),
    ],
)
async def test_season_that_cannot_be_shown_is_explained(columns, rows):
    season = SeasonTables("Autumn", (), (ResultsTable("Rikiki", columns, rows),))
    async with visit_to_host(WELCOME, encode(season)) as (client, _):
        await poll_until(lambda: client.connection.connection_error)
        assert client.connection.connection_error.startswith("the club sends something invalid: ")
        assert client.season_tables is None


async def test_long_texts_are_cut_off():
    text = "\x1b]0;" + "A" * 10_000
    welcome = replace(decode_server(WELCOME), club=text, nick=text)
    frames = [encode(message) for message in (welcome, Talk(text, text, text, text), RequestFailed(text), Over(text))]
    async with visit_to_host(*frames) as (client, _):
        await poll_until(lambda: client.connection.end_reason)
        texts = [client.lobby.club_name, client.nick, client.refusal, *astuple(client.talk.pop())[:4]]
        texts.append(client.connection.end_reason)
        assert all(0 < len(each) <= 400 and each.isprintable() for each in texts)


async def test_host_that_sends_without_a_pause_leaves_time_for_keys():
    async with visit_to_host(WELCOME, *[encode(Talk("Hello"))] * 1000, encode(Talk("Bye"))) as (client, _):
        while not client.talk:
            await asyncio.sleep(0)
        assert len(client.talk) < MAX_TALK_MESSAGES
        await poll_until(lambda: client.talk[-1] == Talk("Bye"))


async def test_connection_is_cut_if_its_closing_is_interrupted(monkeypatch):
    """The program may end while the host does not answer the farewell."""
    closing = asyncio.Event()

    async def close_without_end(*_):
        closing.set()
        await asyncio.sleep(3600)

    async with visit_to_host(WELCOME) as (client, _):
        await poll_until(lambda: client.connection.is_connected)
        connection = client.connection.socket
        monkeypatch.setattr(connection, "close", close_without_end)
        task = next(each for each in asyncio.all_tasks() if each.get_coro().__qualname__ == "ClubClient.run")
        task.cancel()
        await closing.wait()
        task.cancel()
        await asyncio.wait([task])
        assert connection.transport.is_closing()


async def test_frame_that_is_too_large_is_explained():
    async with visit_to_host(WELCOME, encode(Talk("A" * client_connection.MAX_FRAME_BYTES))) as (client, _):
        await poll_until(lambda: client.connection.connection_error)
        assert client.connection.connection_error == "the club sends something invalid: a frame of more than 8 MB"


async def test_host_that_does_not_answer_the_login(monkeypatch):
    monkeypatch.setattr(client_connection, "LOGIN_SECONDS", 0.01)
    async with visit_to_host() as (client, _):
        await poll_until(lambda: client.connection.connection_error == "the club does not answer")
