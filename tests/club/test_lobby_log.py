"""What a host tells of its club, a line a happening; and that nobody misses what changes when another one comes."""

import asyncio

import pytest

from cardtable.club import protocol
from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server import lobby
from cardtable.club.server.lobby import table_events
from tests.club.over_loopback import Guest, club
from tests.club.test_websocket_server import opened


async def test_a_table_that_was_just_opened_is_told_of_also_when_somebody_comes_in_at_once():
    async with club() as (here, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        await anna.say(protocol.OpenTable("rikiki", 4))
        while not here.table_manager.rows():
            await anna.say(protocol.Say("?"))
            await anna.until(lambda: anna.talk)
        async with Guest(url, "Bob") as bob:
            await bob.until(lambda: bob.welcome)
            await anna.until(lambda: anna.rows)


@pytest.fixture
def quick(monkeypatch):
    """Nobody waits long for what has changed in the lobby."""
    monkeypatch.setattr(lobby, "SOON", 0.01)


async def test_a_line_for_who_comes_and_goes_and_for_what_happens_at_tables(quick):
    lines = []
    async with club(tell=lines.append) as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        async with Guest(url, "Bob") as bob:
            table = await opened(anna, bob)
            await anna.until(lambda: anna.rows[table].playing)
        await anna.until(lambda: anna.rows[table].places[1].away)
        await anna.say(protocol.Leave(table))
        await anna.until(lambda: not anna.rows)
    assert lines == [
        "Anna comes in",
        "Bob comes in",
        f"Anna opens a table of Rikiki: {table}",
        f"the session {table} is played by Anna, Bob, Ada (robot), Bo (robot)",
        "Bob leaves",
        f"everybody has left the table {table}",
        "Anna leaves",
    ]


async def test_a_line_for_the_end_of_a_session_and_for_a_table_that_is_closed(quick):
    lines = []
    async with club(tell=lines.append) as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob, length="short")
        await asyncio.gather(anna.play(), bob.play())
        await anna.until(lambda: anna.rows[table].over)
        await asyncio.gather(*[who.say(protocol.Leave(table)) for who in (anna, bob)])
        await anna.until(lambda: not anna.rows)
    assert lines[4:6] == [f"the session {table} is over", f"the table {table} is closed"]


def test_a_line_for_a_robot_that_stands_in_and_for_who_comes_back():
    def row(*places):
        return {"T": TableInfo("T", "rikiki", {}, places, "Anna", playing=True)}

    anna, bob = SeatInfo("Anna"), SeatInfo("Bob")
    away, stood_in = SeatInfo("Bob", away=True), SeatInfo("Bob", robot=True, away=True)
    assert [*table_events(row(anna, bob), row(anna, away))] == []
    assert [*table_events(row(anna, away), row(anna, stood_in))] == [("Anna", "a robot plays for Bob in the session T")]
    assert [*table_events(row(anna, stood_in), row(anna, bob))] == [("Anna", "Bob is back in the session T")]


async def test_a_table_that_was_played_before_is_told_of_only_when_something_happens_there(quick):
    async with club() as (_, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        tokens = {who.nick: who.welcome.token for who in (anna, bob)}
    lines = []
    async with club(tell=lines.append) as (_, url), Guest(url, "Anna", token=tokens["Anna"]) as anna:
        await anna.until(lambda: anna.welcome)
        await anna.say(protocol.SitDown(table))
        seats = [False, True, False, False]
        await anna.until(lambda: table in anna.rows and [place.away for place in anna.rows[table].places] == seats)
    assert lines[:2] == ["Anna comes in", f"the session {table} is played by Anna, Bob, Ada (robot), Bo (robot)"]
