"""Log of a host: one line for each event in the lobby."""

import asyncio

from cardtable.club import protocol
from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server import lobby
from cardtable.club.server.lobby import iterate_table_events
from tests.club.loopback_club import Guest, club, joined, start_table


async def test_new_table_announced_when_newcomer_arrives_at_once(monkeypatch):
    """The newcomer arrives before the news of the table are sent."""
    monkeypatch.setattr(lobby, "NEWS_DELAY", 0.25)
    async with club() as (room, url), joined(url, "Anna") as anna:
        await anna.send(protocol.OpenTable("rikiki", 4))
        while not room.table_manager.registry.list_lobby_tables():
            await anna.send(protocol.Say("?"))
            await anna.wait_until(lambda: anna.talk)
        async with joined(url, "Bob"):
            await anna.wait_until(lambda: anna.tables)


async def test_logs_arrivals_departures_and_tables():
    lines = []
    async with club(log=lines.append) as (_, url), joined(url, "Anna") as anna:
        async with Guest(url, "Bob") as bob:
            table = await start_table(anna, bob)
            await anna.wait_until(lambda: anna.tables[table].playing)
        await anna.wait_until(lambda: anna.tables[table].seats[1].away)
        await anna.send(protocol.Leave(table))
        await anna.wait_until(lambda: not anna.tables)
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


async def test_resumed_table_logged_only_when_active_again():
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await start_table(anna, bob)
        tokens = {guest.nick: guest.welcome.token for guest in (anna, bob)}
    lines = []
    async with club(log=lines.append) as (_, url), joined(url, "Anna", token=tokens["Anna"]) as anna:
        await anna.send(protocol.SitDown(table))
        seats = [False, True, False, False]
        await anna.wait_until(
            lambda: table in anna.tables and [info.away for info in anna.tables[table].seats] == seats
        )
    assert lines[:2] == ["Anna joins", f"the session {table} is played by Anna, Bob, Ada (robot), Bo (robot)"]
