"""The table of a guest: what the host tells is shown as at home, what she does is sent."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from textual.app import App

from cardtable.club import protocol
from cardtable.club.client.client import ClubClient
from cardtable.club.client.connection import Login
from cardtable.engine.log_entries import Said
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.club.guest_table import GuestTable
from cardtable.ui.toolkit.preferences import Preferences
from tests.club.over_loopback import Guest, club, play_on
from tests.club.test_lobby import lobby, shows
from tests.club.test_table_manager import people
from tests.club.test_websocket_server import opened
from tests.ui.rooms import RecordingContext
from tests.ui.screen_text import screen_text
from tests.ui.table_host import InProcessRobotClient, infinite_clock, wait_until


class Away(App):
    """Shows the tables of one guest."""

    def __init__(self, url, nick, **settings):
        super().__init__()
        self.preferences = Preferences(Settings(**{"pace": 0, "trick_pause": 0, **settings}))
        self.context = RecordingContext(self, self.preferences, InProcessRobotClient())
        self.visiting = ClubClient(url, Login(nick))
        self.visiting._link._delays = (0.0, 0.01)
        self.visiting.on_table_ready = self.sit
        self.visiting.on_table_update = lambda run: self.table.controller.on_remote_data()
        self.table = None

    def sit(self, run):
        self.table = GuestTable(self.context, run, self.visiting, self.visiting._send, infinite_clock)
        self.push_screen(self.table)

    async def on_mount(self):
        self.run_worker(self.visiting.run())

    @property
    def frame(self):
        return self.table.frame


@asynccontextmanager
async def at_a_table(game="rikiki", seats=4, look_on=False, options=None, **settings):
    """Anna at her program, Bob who plays by himself, at one table."""
    async with club() as (room, url), Guest(url, "Bob") as bob:
        app = Away(url, "Cleo" if look_on else "Anna", **settings)
        async with app.run_test(size=(80, 24)) as pilot:
            visiting = app.visiting
            await wait_until(pilot, lambda: visiting.club)
            await bob.until(lambda: bob.welcome)
            await bob.say(protocol.OpenTable(game, seats, options or {}, lot=False))
            await wait_until(pilot, lambda: visiting.tables)
            (table,) = visiting.tables
            if not look_on:
                await visiting.ask(protocol.SitDown(table))
                await bob.until(lambda: table in bob.rows and bob.rows[table].places[1].name == "Anna")
            await bob.say(protocol.Start(table))
            await bob.until(lambda: bob.view)
            if look_on:
                await visiting.ask(protocol.LookOn(table))
            await wait_until(pilot, lambda: app.table and app.frame.view.round)
            app.club = room
            yield app, pilot, bob


async def together(app, pilot, bob, holds):
    """Play on, both, until something holds."""
    playing = asyncio.create_task(bob.play(holds))
    while not holds():
        await wait_until(
            pilot, lambda: app.table.controller.is_awaiting_input or holds() or app.frame.stage is Stage.SESSION_END
        )
        if not holds() and app.table.controller.is_awaiting_input:
            app.table.controller.submit(app.frame.view.legal[0] if app.frame.stage is Stage.PLAY else None)
        await pilot.pause()
    bob.wake()
    await playing


@pytest.mark.parametrize("game", ["rikiki", "king", "bridge", "ten_down"])
async def test_a_round_is_played_from_the_keyboard_of_a_guest(game):
    async with at_a_table(game) as (app, pilot, bob):
        await wait_until(pilot, lambda: "Bob" in screen_text(app))
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.ROUND_END)
        assert app.frame.scores == tuple(bob.scores)
        await together(app, pilot, bob, lambda: app.frame.view.round == 2 or app.frame.stage is Stage.SESSION_END)


async def test_a_bid_by_keys_is_on_the_other_s_table():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.waiting and not app.frame.view.trick)
        await pilot.press("enter")
        await bob.until(lambda: bob.view.bids[1] is not None)


@pytest.mark.promise("The club", "A spectator in a club sees no hand, and can talk to the table.")
async def test_who_looks_on_sees_the_table_and_no_hand():
    async with at_a_table(look_on=True) as (app, pilot, _):
        await wait_until(pilot, lambda: app.frame.spectator_reason == "You are watching.")
        assert app.frame.view.hand == 0
        await pilot.press("enter", "left", "1")
        await wait_until(pilot, lambda: "Bob" in screen_text(app))


async def test_a_cut_connection_is_told_and_made_again():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.waiting)
        view = app.frame.view
        link = app.visiting._link
        link._delays = (0.2,)
        await link._connection.close()
        await wait_until(pilot, lambda: "the club cannot be reached" in app.frame.banner)
        await wait_until(pilot, lambda: app.frame.waiting and not app.frame.banner)
        assert app.frame.view == view
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.ROUND_END)


async def test_return_to_a_table_that_was_closed_meanwhile():
    async with at_a_table() as (app, pilot, bob):
        link, tables = app.visiting._link, app.club.table_manager.active_tables
        url, link._url = link._url, "ws://localhost:9"
        await link._connection.close()
        await wait_until(pilot, lambda: "the club cannot be reached" in app.frame.banner)
        await bob.say(protocol.Leave(bob.now.table))
        await wait_until(pilot, lambda: not tables[bob.now.table].open_session)
        del tables[bob.now.table]  # as if its session had ended
        link._url = url
        await wait_until(pilot, lambda: app.frame.banner.endswith("that table is closed"))


async def test_who_looks_on_talks_to_all_at_the_table():
    async with at_a_table(look_on=True) as (app, pilot, bob):
        await wait_until(pilot, lambda: app.frame.spectator_reason == "You are watching.")
        await pilot.press("m", *"hello", "enter")
        await bob.until(lambda: Said(None, "Cleo: hello") in bob.notes)
        await wait_until(pilot, lambda: "Cleo: hello" in screen_text(app))


async def test_a_robot_plays_for_who_is_away_once_one_wants_it():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.PLAY and app.frame.view.turn == 0)
        await bob.say(protocol.Leave(bob.now.table))
        await wait_until(pilot, lambda: "Bob is away" in screen_text(app))
        assert "y has a robot play" in screen_text(app)
        await pilot.press("y")
        await wait_until(pilot, lambda: "Bob has another" in screen_text(app))


async def test_the_last_deal_is_looked_at_without_the_round_that_is_played():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.view.round == 2 and app.frame.waiting)
        await pilot.press("d")
        await wait_until(pilot, lambda: "Last deal" in screen_text(app))
        await pilot.press("r", "enter", "escape")
        await wait_until(pilot, lambda: "round 2" in screen_text(app))
        told = app.table.controller.playable._rounds
        assert told.count("deal") == 1
        assert '"seed":0' in told


async def test_a_club_that_closes_says_so_at_every_table():
    async with at_a_table() as (app, pilot, bob):
        await together(app, pilot, bob, lambda: app.frame.waiting)
        await app.club.close("The club closes for tonight")
        await wait_until(pilot, lambda: "The club closes for tonight" in app.frame.banner)
        assert bob.link.refused == "The club closes for tonight"


@asynccontextmanager
async def from_the_lobby(url, size=(80, 24), nick="Anna"):
    """The program of somebody in the lobby, whose tables have their pages."""
    async with lobby(url, nick, size) as (app, pilot):
        await wait_until(pilot, shows(app, "The club"))
        yield app, pilot


async def test_another_session_is_offered_and_played_by_those_who_stay():
    async with club() as (_, url), people(url, "Bob") as (bob,):
        async with Guest(url, "Anna") as anna:
            table = await opened(bob, anna, length="short")
            await play_on(lambda: False, bob, anna)
        await bob.until(lambda: bob.now.stage is Stage.SESSION_END)
        async with lobby(url, "Anna", token=anna.welcome.token) as (app, pilot):
            await wait_until(pilot, shows(app, "the session is over"))
            await pilot.press("home", "enter")
            await wait_until(pilot, lambda: isinstance(app.screen, GuestTable))
            await offered_again(app, pilot, bob, table)


async def offered_again(app, pilot, bob, table):
    """Bob offers another session to Anna, whose program shows that the one at the table is over."""
    shown = app.screen
    await bob.say(protocol.Say("Once more?", table))
    await wait_until(pilot, lambda: Said(0, "Once more?") in shown.frame.messages)
    await pilot.press("n")
    await wait_until(pilot, shows(app, "Bob can offer another session"))
    await bob.say(protocol.PlayAgain(table))
    await wait_until(pilot, shows(app, "Play another session"))
    await pilot.press("escape")
    await wait_until(pilot, shows(app, "Another session is offered: n plays it, Esc leaves"))
    await pilot.press("n", "enter")
    await bob.until(lambda: bob.seated.instead == table)
    await wait_until(pilot, lambda: isinstance(app.screen, GuestTable) and app.screen is not shown)
    await wait_until(pilot, shows(app, "round 1"))


async def test_the_game_master_gives_a_seat_away_between_two_rounds():
    async with club() as (_, url), people(url, "Bob", "Cleo") as (bob, cleo), from_the_lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "Cleo"))
        await pilot.press("n", "right", "right", "right", "left", "left", "left", "down", "down", "right", "enter")
        await wait_until(pilot, shows(app, "you begin it"))
        await bob.until(lambda: bob.rows)
        (table,) = bob.rows
        await bob.say(protocol.SitDown(table))
        await wait_until(pilot, shows(app, "Anna, Bob"))
        await pilot.press("home", "enter")
        await wait_until(pilot, lambda: isinstance(app.screen, GuestTable))
        app.table = app.screen
        await cleo.say(protocol.LookOn(table))
        await wait_until(pilot, lambda: app.screen.frame.spectators == ("Cleo",))
        assert "Cleo is watching" in screen_text(app)
        type(app).frame = property(lambda self: self.table.frame)
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.ROUND_END)
        del type(app).frame
        await bob.say(protocol.Leave(table))
        await wait_until(pilot, lambda: app.screen.frame.disconnected)
        await pilot.press("w")
        await wait_until(pilot, shows(app, "Anna, game master", "Bob, away, the table waits another", "Watching"))
        await pilot.press("down", "right", "right", "right")
        await wait_until(pilot, shows(app, "offered to Cleo"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "Bob has another"))


async def test_who_is_away_and_her_robot_are_called_so():
    async with at_a_table() as (app, pilot, bob):
        table = bob.now.table
        await together(app, pilot, bob, lambda: app.frame.stage is Stage.PLAY and app.frame.view.turn == 0)
        await bob.say(protocol.Leave(table))
        await wait_until(pilot, lambda: app.frame.disconnected and app.frame.names[0] == "Bob")
        await wait_until(pilot, lambda: app.frame.spectator_reason.startswith("Bob is away ("))
        told = app.frame.spectator_reason
        await wait_until(pilot, lambda: app.frame.spectator_reason != told)
        assert app.frame.spectator_reason.startswith("Bob is away (")
        await app.visiting.ask(protocol.EndWait(table))
        await wait_until(pilot, lambda: app.frame.spectator_reason == "Bob is away")
        await pilot.press("y")
        await wait_until(pilot, lambda: app.frame.names[0] == "Bob's robot")
        await bob.say(protocol.SitDown(table))
        await wait_until(pilot, lambda: app.frame.names[0] == "Bob")


async def test_who_looks_on_sees_all_hands_where_the_house_rule_opens_them():
    async with at_a_table(look_on=True, options={"open_hands": "on"}) as (app, pilot, bob):
        await wait_until(pilot, lambda: app.frame.view.hand and len(app.frame.others) == 3)
        assert app.frame.shows_open_hands
        await together(app, pilot, bob, lambda: bob.view.legal)
        assert not app.frame.waiting


async def test_who_looks_on_sits_down_in_a_seat_that_she_is_offered():
    async with club() as (_, url), people(url, "Cleo", "Bob") as (cleo, bob), from_the_lobby(url) as (app, pilot):
        table = await opened(cleo, bob)
        await wait_until(pilot, shows(app, "to act"))
        await pilot.press("home", "w")
        await wait_until(pilot, lambda: isinstance(app.screen, GuestTable))
        looked_on = app.screen
        await play_on(lambda: cleo.now.stage is Stage.ROUND_END, cleo, bob)
        await bob.say(protocol.Leave(table))
        await cleo.until(lambda: cleo.now.away)
        await cleo.say(protocol.EndWait(table))
        await cleo.until(lambda: cleo.now.stage is Stage.PLAY)
        await cleo.say(protocol.StandIn(table, 1))
        await play_on(lambda: cleo.now.stage is Stage.ROUND_END, cleo)
        await cleo.say(protocol.GiveSeat(table, 1, "Anna"))
        await wait_until(pilot, shows(app, "You are offered a seat: w"))
        await pilot.press("w")
        await wait_until(pilot, shows(app, "Sit down in Bob's seat"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, GuestTable) and app.screen is not looked_on)
        await cleo.until(lambda: cleo.places[1].name == "Anna" and not cleo.now.looking_on)
        assert app.screen.frame.seat == 1


async def test_the_keys_say_that_the_way_out_leads_to_the_lobby():
    async with at_a_table() as (app, pilot, _):
        await wait_until(pilot, lambda: "Bob" in screen_text(app))
        await pilot.press("question_mark")
        await wait_until(pilot, shows(app, "Keys", "to the lobby"))
