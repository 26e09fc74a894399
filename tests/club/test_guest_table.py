"""The table of a guest: what the host tells is shown as at home, what she does is sent."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from textual.app import App

from cardtable.club import wire
from cardtable.club.visiting import Visiting
from cardtable.engine.notes import Said
from cardtable.play.seen import Stage
from cardtable.store.settings import Settings
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.table.screen import TableScreen
from tests.club.over_loopback import Guest, club
from tests.ui.rooms import AskedRoom
from tests.ui.screen_text import screen_text
from tests.ui.table_host import AtOnce, patient, until


class Away(App):
    """Shows the tables of one guest."""

    def __init__(self, url, nick, **settings):
        super().__init__()
        self.preferences = Preferences(Settings(**{"pace": 0, "trick_pause": 0, **settings}))
        self.room = AskedRoom(self, self.preferences, AtOnce())
        self.visiting = Visiting(url, wire.Hello(wire.VERSION, nick))
        self.visiting._link._delays = (0.0, 0.01)
        self.visiting.seated = self.sit
        self.visiting.told = lambda run: self.table.driver.heard()
        self.table = None

    def sit(self, run):
        self.table = TableScreen(self.room, run, patient)
        self.push_screen(self.table)

    async def on_mount(self):
        self.run_worker(self.visiting.run())

    @property
    def frame(self):
        return self.table.frame


@asynccontextmanager
async def at_a_table(game="rikiki", seats=4, look_on=False, **settings):
    """Anna at her program, Bob who plays by himself, at one table."""
    async with club() as (room, url), Guest(url, "Bob") as bob:
        app = Away(url, "Cleo" if look_on else "Anna", **settings)
        async with app.run_test(size=(80, 24)) as pilot:
            visiting = app.visiting
            await until(pilot, lambda: visiting.club)
            await bob.until(lambda: bob.welcome)
            await bob.say(wire.OpenTable(game, seats, lot=False))
            await until(pilot, lambda: visiting.tables)
            (table,) = visiting.tables
            if not look_on:
                await visiting.ask(wire.SitDown(table))
                await bob.until(lambda: table in bob.rows and bob.rows[table].places[1].name == "Anna")
            await bob.say(wire.Start(table))
            await bob.until(lambda: bob.view)
            if look_on:
                await visiting.ask(wire.LookOn(table))
            await until(pilot, lambda: app.table and app.frame.view.round)
            app.club = room
            yield app, pilot, bob


async def together(app, pilot, bob, holds):
    """Play on, both, until something holds."""
    playing = asyncio.create_task(bob.play(holds))
    while not holds():
        await until(pilot, lambda: app.table.driver.asked or holds() or app.frame.stage is Stage.SESSION_END)
        if not holds() and app.table.driver.asked:
            app.table.driver.act(app.frame.view.legal[0] if app.frame.stage is Stage.PLAY else None)
        await pilot.pause()
    bob.wake()
    await playing


@pytest.mark.parametrize("game", ["rikiki", "king", "bridge", "ten_down"])
async def test_a_round_is_played_from_the_keyboard_of_a_guest(game):
    async with at_a_table(game) as (app, pilot, bob):
        await until(pilot, lambda: "Bob" in screen_text(app))
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.ROUND_END)
        assert app.frame.scores == tuple(bob.scores)
        await together(app, pilot, bob, lambda: app.frame.view.round == 2)


async def test_a_bid_by_keys_is_on_the_other_s_table():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.waiting and not app.frame.view.trick)
        await pilot.press("enter")
        await bob.until(lambda: bob.view.bids[1] is not None)


async def test_who_looks_on_sees_the_table_and_no_hand():
    async with at_a_table(look_on=True) as (app, pilot, _):
        await until(pilot, lambda: app.frame.looking == "You look on.")
        assert app.frame.view.hand == 0
        await pilot.press("enter", "left", "1")
        await until(pilot, lambda: "Bob" in screen_text(app))


async def test_a_cut_connection_is_told_and_made_again():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.waiting)
        view = app.frame.view
        link = app.visiting._link
        link._delays = (0.2,)
        await link._connection.close()
        await until(pilot, lambda: "the club cannot be reached" in app.frame.banner)
        await until(pilot, lambda: app.frame.waiting and not app.frame.banner)
        assert app.frame.view == view
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.ROUND_END)


async def test_who_looks_on_talks_to_all_at_the_table():
    async with at_a_table(look_on=True) as (app, pilot, bob):
        await until(pilot, lambda: app.frame.looking == "You look on.")
        await pilot.press("m", *"hello", "enter")
        await bob.until(lambda: Said(None, "Cleo: hello") in bob.notes)
        await until(pilot, lambda: "Cleo: hello" in screen_text(app))


async def test_a_robot_plays_for_who_is_away_once_one_wants_it():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.PLAY and app.frame.view.turn == 0)
        await bob.say(wire.Leave(bob.now.table))
        await until(pilot, lambda: "Bob is away" in screen_text(app))
        assert "y has a robot play" in screen_text(app)
        await pilot.press("y")
        await until(pilot, lambda: "Bob is waited for, another" in screen_text(app))


async def test_the_last_deal_is_looked_at_without_the_round_that_is_played():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.view.round == 2 and app.frame.waiting)
        await pilot.press("d")
        await until(pilot, lambda: "Last deal" in screen_text(app))
        await pilot.press("r", "enter", "escape")
        await until(pilot, lambda: "round 2" in screen_text(app))
        told = app.table.driver._run._rounds
        assert told.count("deal") == 1
        assert '"seed":0' in told


async def test_a_club_that_closes_says_so_at_every_table():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.waiting)
        await app.club.close("The club closes for tonight")
        await until(pilot, lambda: "The club closes for tonight" in app.frame.banner)
        assert bob.link.refused == "The club closes for tonight"
