"""The lobby on the screen: who is here, tables, talk; the way to a table by keys."""

from contextlib import asynccontextmanager

import pytest

from cardtable import games
from cardtable.club import wire
from cardtable.club.visiting import Visiting
from cardtable.store import club_tokens
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.settings.preferences import Preferences
from tests.club.over_loopback import Guest, club
from tests.ui.screen_text import screen_text
from tests.ui.table_host import until


@asynccontextmanager
async def lobby(url, nick="Anna", size=(80, 24), code="", token="", alone=False):
    """The program of somebody who joins a club."""
    app = CardtableApp(Preferences(Settings(pace=0, trick_pause=0)), page=("club", url, nick, code, token, alone))
    async with app.run_test(size=size) as pilot:
        yield app, pilot


def shows(app, *texts):
    """Whether all of these are on the screen."""
    return lambda: all(text in screen_text(app) for text in texts)


async def test_a_table_is_opened_filled_and_begun_by_keys():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby(url) as (app, pilot):
        await until(pilot, shows(app, "The club", "Bob", "No table is open yet"))
        await pilot.press("n")
        await until(pilot, shows(app, "New table", "Rikiki"))
        await pilot.press("right", "enter")
        await until(pilot, shows(app, "King", "Anna, free, free, free", "Anna begins it when all are there"))
        (table,) = bob.rows
        await bob.say(wire.SitDown(table))
        await until(pilot, shows(app, "Anna, Bob, free, free"))
        await pilot.press("enter")
        await bob.until(lambda: bob.view)
        await until(pilot, shows(app, "round 1", "Bob", "You"))
        await until(pilot, lambda: bob.view.playing)
        await pilot.press("escape")
        await until(pilot, shows(app, "Tables", "A new table"))
        await bob.until(lambda: any(place.away for place in bob.rows[table].places))
        await pilot.press("home", "enter")
        await until(pilot, shows(app, "round 1", "Bob", "You"))


async def test_what_is_said_is_read_by_all():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby(url, size=(120, 40)) as (app, pilot):
        await until(pilot, shows(app, "The club", "Bob"))
        await bob.say(wire.Say("A game of King?"))
        await until(pilot, shows(app, "Bob: A game of King?"))
        await pilot.press("tab", *"not now", "enter")
        await bob.until(lambda: ("Anna", "not now") in bob.talk)
        await until(pilot, shows(app, "Anna: not now"))


async def test_the_code_is_asked_for_where_the_club_wants_it():
    async with club(code="kmnpqrst") as (_, url), lobby(url) as (app, pilot):
        await until(pilot, shows(app, "What is the code of the club?"))
        await pilot.press(*"kmnpqrst", "enter")
        await until(pilot, shows(app, "here: Anna"))


async def test_who_comes_back_is_the_same():
    async with club() as (_, url):
        async with lobby(url) as (app, pilot):
            await until(pilot, shows(app, "here: Anna"))
        ticket = club_tokens.of(url)
        async with lobby(url, ticket.nick, token=ticket.token) as (app, pilot):
            await until(pilot, shows(app, "here: Anna"))
        async with lobby(url) as (app, pilot):
            await until(pilot, shows(app, "What are you called here?", "Anna has been here before"))


async def test_a_host_that_is_not_there_is_waited_for():
    async with lobby("ws://localhost:9") as (app, pilot):
        await until(pilot, shows(app, "connecting"))
        await pilot.press("escape")
        await until(pilot, lambda: "connecting" not in screen_text(app))


@pytest.mark.parametrize(
    ("url", "told"), [("ws://192.0.2.1:1", True), ("wss://192.0.2.1:1", False), ("ws://[::1]:1", False)]
)
def test_who_can_be_overheard_is_told_so(url, told):
    talk = Visiting(url, wire.Hello(wire.VERSION, "Anna")).talk
    assert [each.text.startswith("Anybody between you and the host can read") for each in talk] == [True] * told


async def test_who_is_at_the_host_s_own_machine_ends_the_program_when_she_leaves():
    async with club() as (_, url), lobby(url, alone=True) as (app, pilot):
        await until(pilot, shows(app, "The club", "Anna"))
        await pilot.press("escape")
        await until(pilot, lambda: app._exit)


@pytest.mark.parametrize(
    ("here", "told"),
    [
        ({"rikiki": "cardtable 9.0"}, "needs cardtable 0.1.0, you have cardtable 9.0"),
        ({}, "needs cardtable 0.1.0"),
    ],
)
async def test_a_table_of_a_game_in_another_version_is_shown_but_not_entered(monkeypatch, here, told):
    async with club() as (_, url), Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        await bob.until(lambda: bob.welcome)
        await bob.say(wire.OpenTable("rikiki", 4))
        await cleo.until(lambda: cleo.rows)
        async with lobby(url, size=(120, 40)) as (app, pilot):
            await until(pilot, shows(app, "Bob, free, free, free"))
            monkeypatch.setattr(games, "packages", lambda: here)
            await pilot.press("home", "enter", "w")
            await until(pilot, shows(app, "Rikiki", told))
        (row,) = cleo.rows.values()
        assert [place.name for place in row.places] == ["Bob", "", "", ""]
