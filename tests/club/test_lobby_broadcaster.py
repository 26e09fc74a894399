"""News of the lobby, everything or the own table, and the log of the host."""

import asyncio

from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import LobbyNews, SeatInfo, TableInfo, decode_server
from cardtable.club.server import lobby
from cardtable.club.server.client_outbox import MAX_LOBBY_NEWS, ConnectedClient, TableSubscriber
from cardtable.club.server.lobby import LobbyBroadcaster, iterate_table_events
from tests.club.guests import make_person
from tests.club.loopback_club import Guest, club, joined, start_table
from tests.club.messages import TABLE_INFO

OURS, THEIRS = replace(TABLE_INFO, playing=True), replace(TABLE_INFO, table="u", playing=True)
PEOPLE, GUESTS = ("Anna", "Bob"), ("Bob",)


class LobbyWithTwoClients:
    """A broadcaster with two clients, Anna and Bob."""

    def __init__(self):
        self.table = TableSubscriber(None, "t", "Kay", 0, lambda: None)
        self.broadcaster, self.anna, self.bob = (
            LobbyBroadcaster(),
            ConnectedClient(make_person("Anna"), ConnectionOrigin()),
            ConnectedClient(make_person("Bob"), ConnectionOrigin()),
        )

    def broadcast(self, *rows, people=PEOPLE):
        self.broadcaster.broadcast([self.anna, self.bob], people, GUESTS, {row.table: row for row in rows})


def read_messages(visit):
    return [decode_server(frame) for frame in iter(visit.take_frame, b"")]


def test_sends_only_changes_to_clients_in_the_lobby():
    lobby = LobbyWithTwoClients()
    lobby.broadcast(OURS, THEIRS)
    turned, more = replace(OURS, turn="Bob"), ("Anna", "Bob", "Cleo")
    lobby.broadcast(turned, THEIRS)
    lobby.broadcast(turned, THEIRS)
    lobby.broadcast(turned, people=more)
    assert (
        read_messages(lobby.anna)
        == read_messages(lobby.bob)
        == [
            LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS),
            LobbyNews(None, (turned,)),
            LobbyNews(more, (), ("u",), GUESTS),
        ]
    )


def test_client_at_a_table_gets_news_of_that_table_only():
    lobby = LobbyWithTwoClients()
    lobby.broadcast(OURS, THEIRS)
    read_messages(lobby.anna)
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.broadcast(replace(OURS, turn="Bob", round=2), replace(THEIRS, spectator_count=1))
    assert read_messages(lobby.anna) == []
    watched = replace(OURS, spectator_count=1)
    lobby.broadcast(watched, THEIRS)
    assert read_messages(lobby.anna) == [LobbyNews(None, (watched,))]


def test_client_back_in_the_lobby_gets_everything_at_once():
    lobby = LobbyWithTwoClients()
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.broadcast(OURS, THEIRS)
    del lobby.anna.subscriptions["t"]
    lobby.broadcaster.send_missed_news(lobby.anna)
    lobby.broadcast(OURS)
    assert read_messages(lobby.anna) == [
        LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS, whole=True),
        LobbyNews(None, (), ("u",)),
    ]


def test_client_removed_from_a_table_gets_everything():
    lobby = LobbyWithTwoClients()
    lobby.anna.subscriptions["t"] = lobby.table
    lobby.broadcast(OURS, THEIRS)
    del lobby.anna.subscriptions["t"]
    lobby.broadcast(OURS, THEIRS)
    assert read_messages(lobby.anna) == [LobbyNews(PEOPLE, (OURS, THEIRS), (), GUESTS, whole=True)]


def test_resends_people_if_a_newcomer_left_at_once():
    lobby = LobbyWithTwoClients()
    lobby.broadcast()
    lobby.broadcaster.resend_people()
    lobby.broadcast()
    assert read_messages(lobby.anna) == [LobbyNews(PEOPLE, (), (), GUESTS)] * 2


def test_slow_client_gets_current_state_only():
    lobby = LobbyWithTwoClients()
    for number in range(MAX_LOBBY_NEWS + 1):
        last = replace(OURS, round=number)
        lobby.broadcast(last, THEIRS)
    assert read_messages(lobby.anna) == [LobbyNews(PEOPLE, (last, THEIRS), (), GUESTS, whole=True)]


async def test_new_table_announced_when_newcomer_arrives_at_once(monkeypatch):
    """The newcomer arrives before the news of the table are sent."""
    monkeypatch.setattr(lobby, "NEWS_DELAY", 0.25)
    async with club() as (room, url), joined(url, "Anna") as anna:
        await anna.send(protocol.OpenTable("rikiki", 4))
        while not room.table_manager.registry.list_lobby_tables():
            await anna.send(protocol.Say("?"), until=lambda: anna.talk)
        async with joined(url, "Bob"):
            await anna.wait_until(lambda: anna.tables)


async def test_logs_arrivals_departures_and_tables():
    lines = []
    async with club(log=lines.append) as (_, url), joined(url, "Anna") as anna:
        async with Guest(url, "Bob") as bob:
            table = await start_table(anna, bob)
            await anna.wait_until(lambda: anna.tables[table].playing)
        await anna.wait_until(lambda: anna.tables[table].seats[1].away)
        await anna.send(protocol.Leave(table), until=lambda: not anna.tables)
    assert lines == [
        "Anna joins",
        "Bob joins",
        f"Anna opens a table of Rikiki: {table}",
        f"the session {table} is played by Anna, Bob, Ada (robot), Bo (robot)",
        "Bob leaves",
        f"everybody has left the table {table}",
        "Anna leaves",
    ]


async def test_logs_session_end_and_closed_table():
    lines = []
    async with club(log=lines.append) as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await start_table(anna, bob, length="short")
        await asyncio.gather(anna.play(), bob.play())
        await anna.wait_until(lambda: anna.tables[table].over)
        await asyncio.gather(*[guest.send(protocol.Leave(table)) for guest in (anna, bob)])
        await anna.wait_until(lambda: not anna.tables)
    assert lines[4:6] == [f"the session {table} is over", f"the table {table} is closed"]


def test_logs_stand_in_and_return():
    def row(*places):
        return {"T": TableInfo("T", "rikiki", {}, places, "Anna", playing=True)}

    anna, bob = SeatInfo("Anna"), SeatInfo("Bob")
    away, stood_in = SeatInfo("Bob", away=True), SeatInfo("Bob", robot=True, away=True)
    assert [*iterate_table_events(row(anna, bob), row(anna, away))] == []
    (event,) = iterate_table_events(row(anna, away), row(anna, stood_in))
    assert (event.cause, str(event)) == ("Anna", "a robot plays for Bob in the session T")
    (event,) = iterate_table_events(row(anna, stood_in), row(anna, bob))
    assert (event.cause, str(event)) == ("Anna", "Bob is back in the session T")
