"""The table screen of a club's client: it shows the host's updates as at home and sends the player's actions."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from textual.app import App

from cardtable.club import protocol
from cardtable.club.client.client import ClubClient, ClubObserver
from cardtable.club.client.connection import Login
from cardtable.engine.journal import ActionLine
from cardtable.engine.log_entries import Said
from cardtable.session.session_events import Stage
from cardtable.store import session_files
from cardtable.store.settings import Settings
from cardtable.ui.club.table_screen import ClubTableScreen, PeoplePage
from cardtable.ui.table.model import controller
from cardtable.ui.toolkit.preferences import Preferences
from tests.club.lobby_screen import lobby_app, shows
from tests.club.loopback_club import Guest, club, connected_guests, play_round_with_substitute, play_until, start_table
from tests.games.bridge.sessions import begin_session
from tests.journal_lines import select_lines
from tests.ui.recording_context import RecordingContext
from tests.ui.screen_text import screen_text
from tests.ui.table_host import InProcessRobotClient, infinite_clock, take_first_action, wait_until


class GuestApp(App, ClubObserver):
    """App that shows the tables of one guest."""

    def __init__(self, url, nick, **settings):
        super().__init__()
        self.preferences = Preferences(Settings(**{"robot_pace": 0, "trick_pause": 0, **settings}))
        self.context = RecordingContext(self, self.preferences, InProcessRobotClient())
        self.club_client = ClubClient(url, Login(nick), self)
        self.club_client.connection._delays = (0.0, 0.01)
        self.table = None

    def handle_table_update(self, _run):
        self.table.controller.on_remote_data()

    def handle_table_ready(self, run):
        self.table = ClubTableScreen(
            self.context, run, self.club_client, self.club_client._send_from_thread, infinite_clock
        )
        self.push_screen(self.table)

    async def on_mount(self):
        self.run_worker(self.club_client.run())

    @property
    def frame(self):
        return self.table.frame


@asynccontextmanager
async def guest_at_table(game="rikiki", seats=4, as_spectator=False, third_guest=False, options=None, **settings):
    """Open a table with Bob, a guest that plays automatically, and the app of Anna, or of Cleo as spectator.

    With ``third_guest`` Dan sits there, too.
    """
    async with club() as (room, url), Guest(url, "Bob") as bob, Guest(url, "Dan") as dan:
        app = GuestApp(url, "Cleo" if as_spectator else "Anna", **settings)
        async with app.run_test(size=(80, 24)) as pilot:
            client = app.club_client
            await wait_until(pilot, lambda: client.lobby.club_name)
            await bob.wait_until(lambda: bob.welcome)
            await bob.send(protocol.OpenTable(game, seats, options or {}, draws_seats=False))
            await wait_until(pilot, lambda: client.tables)
            (table,) = client.tables
            if not as_spectator:
                await client.send_request(protocol.SitDown(table))
                await bob.wait_until(lambda: table in bob.tables and bob.tables[table].seats[1].name == "Anna")
            if third_guest:
                await dan.send(protocol.SitDown(table))
                await bob.wait_until(lambda: bob.tables[table].seats[2].name == "Dan")
            await bob.send(protocol.Start(table))
            await bob.wait_until(lambda: bob.view)
            if as_spectator:
                await client.send_request(protocol.Watch(table))
            await wait_until(pilot, lambda: app.table and app.frame.view.round)
            app.club = room
            yield app, pilot, bob


async def play_together_until(app, pilot, bob, condition):
    """Play at the app and as Bob until a condition is true."""
    playing = asyncio.create_task(bob.play(condition))
    while not condition():
        await wait_until(
            pilot, lambda: app.table.controller.is_awaiting_input or condition() or app.frame.stage is Stage.SESSION_END
        )
        assert condition() or app.frame.stage is not Stage.SESSION_END, "the session has ended before"
        if not condition() and app.table.controller.is_awaiting_input:
            take_first_action(app.table)
        await pilot.pause()
    bob.wake()
    await playing


@pytest.mark.parametrize("game", ["rikiki", "king", "bridge", "ten_down"])
async def test_guest_plays_a_round(game):
    async with guest_at_table(game) as (app, pilot, bob):
        await wait_until(pilot, lambda: "Bob" in screen_text(app))
        # a round of Bridge can end the session
        ended = Stage.ROUND_END, Stage.SESSION_END
        await play_together_until(app, pilot, bob, lambda: app.frame.stage in ended)
        assert app.frame.scores == tuple(bob.scores)
        await play_together_until(
            app, pilot, bob, lambda: app.frame.view.round == 2 or app.frame.stage is Stage.SESSION_END
        )


async def test_bid_by_key_reaches_the_other_player():
    async with guest_at_table() as (app, pilot, bob):
        await play_together_until(app, pilot, bob, lambda: app.frame.waiting and not app.frame.view.trick)
        await pilot.press("enter")
        await bob.wait_until(lambda: bob.view.bids[1] is not None)


async def test_spectator_sees_no_hand():
    async with guest_at_table(as_spectator=True) as (app, pilot, _):
        await wait_until(pilot, lambda: app.frame.spectator_reason == "You are watching.")
        assert app.frame.view.hand == 0
        await pilot.press("enter", "left", "1")
        await wait_until(pilot, lambda: "Bob" in screen_text(app))


async def test_reconnects_after_a_cut_connection():
    async with guest_at_table() as (app, pilot, bob):
        await play_together_until(app, pilot, bob, lambda: app.frame.waiting)
        view = app.frame.view
        link = app.club_client.connection
        link._delays = (0.2,)
        await link.socket.close()
        await wait_until(pilot, lambda: "the club cannot be reached" in app.frame.banner)
        await wait_until(pilot, lambda: app.frame.waiting and not app.frame.banner)
        assert app.frame.view == view
        await play_together_until(app, pilot, bob, lambda: app.frame.stage is Stage.ROUND_END)


async def test_table_closed_during_disconnection():
    async with guest_at_table() as (app, pilot, bob):
        link, tables = app.club_client.connection, app.club.table_manager.registry.tables
        url, link.url = link.url, "ws://localhost:9"
        await link.socket.close()
        await wait_until(pilot, lambda: "the club cannot be reached" in app.frame.banner)
        await bob.send(protocol.Leave(bob.update.table))
        await wait_until(pilot, lambda: not tables[bob.update.table].hosted_session)
        del tables[bob.update.table]  # as if its session had ended
        link.url = url
        await wait_until(pilot, lambda: app.frame.banner.endswith("that table is closed"))


async def test_table_closed_by_the_host():
    async with guest_at_table() as (app, pilot, bob):
        await play_together_until(app, pilot, bob, lambda: app.frame.waiting)
        await app.club.table_manager.close_table(
            bob.update.table, "The host has closed the table of Rikiki: it is late."
        )
        await wait_until(
            pilot, lambda: app.frame.banner.endswith("The host has closed the table of Rikiki: it is late.")
        )
        assert not app.club_client.remote_sessions


async def test_spectator_talks_to_the_table():
    async with guest_at_table(as_spectator=True) as (app, pilot, bob):
        await wait_until(pilot, lambda: app.frame.spectator_reason == "You are watching.")
        await pilot.press("m", *"hello", "enter")
        await bob.wait_until(lambda: Said(None, "Cleo: hello") in bob.notes)
        await wait_until(pilot, lambda: "Spectator Cleo: hello" in screen_text(app))
        assert "Somebody" not in screen_text(app)


async def test_request_robot_for_absent_player(monkeypatch):
    async with guest_at_table() as (app, pilot, bob):
        hosted = next(iter(app.club.table_manager.registry.tables.values())).hosted_session
        await play_together_until(app, pilot, bob, lambda: app.frame.stage is Stage.PLAY and app.frame.view.turn == 0)
        await bob.send(protocol.Leave(bob.update.table))
        await wait_until(pilot, lambda: "Bob is away" in screen_text(app))
        assert "then y lets a robot play" in screen_text(app)
        await pilot.press("y")
        await wait_until(pilot, lambda: "Bob has another" in screen_text(app))
        monkeypatch.setattr(controller, "MESSAGE_SECONDS", 0)
        monkeypatch.setattr(controller, "TEXT_INTERVAL", 0.01)
        await wait_until(pilot, lambda: "Bob is away" in screen_text(app))
        assert "Bob has another" not in screen_text(app)
        await app.club_client.send_request(protocol.EndWait(bob.update.table))
        await wait_until(pilot, lambda: "Bob is away  y lets a robot play" in screen_text(app))
        async with app.table.controller._session_lock:  # the screen reads nothing until Anna is to act
            await app.club_client.send_request(protocol.VoteSubstitute(bob.update.table, 0))
            await wait_until(pilot, lambda: hosted.turn == 1)
            decisions = hosted.session.referee.decisions
            await wait_until(pilot, lambda: app.table._remote_session._newest.at == decisions)
        await wait_until(pilot, lambda: app.frame.waiting)
        assert not app.frame.spectator_reason


async def test_prompt_after_vote_for_a_robot():
    async with guest_at_table(third_guest=True) as (app, pilot, bob):
        await play_together_until(app, pilot, bob, lambda: app.frame.stage is Stage.PLAY and app.frame.view.turn == 0)
        await bob.send(protocol.Leave(bob.update.table))
        await wait_until(pilot, lambda: "Bob is away" in screen_text(app))
        await app.club_client.send_request(protocol.EndWait(bob.update.table))
        await wait_until(pilot, lambda: "Bob is away  y lets a robot play" in screen_text(app))
        await pilot.press("y")
        await wait_until(pilot, lambda: "Bob is away; the others must agree, too" in screen_text(app))
        assert "lets a robot play" not in screen_text(app)


async def test_last_deal_excludes_round_in_progress():
    async with guest_at_table() as (app, pilot, bob):
        await play_together_until(app, pilot, bob, lambda: app.frame.view.round == 2 and app.frame.waiting)
        await pilot.press("d")
        await wait_until(pilot, lambda: "Last deal" in screen_text(app))
        await pilot.press("r", "enter", "escape")
        await wait_until(pilot, lambda: "round 2" in screen_text(app))
        round_texts = app.table.controller.playable._reply.rounds
        assert round_texts.count("deal") == 1
        assert '"seed":0' in round_texts


async def test_closing_reason_shown_at_the_table():
    async with guest_at_table() as (app, pilot, bob):
        await play_together_until(app, pilot, bob, lambda: app.frame.waiting)
        await app.club.close("The club closes for tonight")
        await wait_until(pilot, lambda: "The club closes for tonight" in app.frame.banner)
        assert bob.link.end_reason == "The club closes for tonight"


@asynccontextmanager
async def app_in_lobby(url, size=(80, 24), nick="Anna"):
    """Run the whole program of a guest that is in the lobby."""
    async with lobby_app(url, nick, size) as (app, pilot):
        await wait_until(pilot, shows(app, "The club"))
        yield app, pilot


async def test_remaining_players_begin_another_session():
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,):
        async with Guest(url, "Anna") as anna:
            table = await start_table(bob, anna, length="short")
            await play_until(lambda: False, bob, anna)
        await bob.wait_until(lambda: bob.update.stage is Stage.SESSION_END)
        async with lobby_app(url, "Anna", token=anna.welcome.token) as (app, pilot):
            await wait_until(pilot, shows(app, "the session is over"))
            await pilot.press("home", "enter")
            await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen))
            await accept_another_session(app, pilot, bob, table)


async def accept_another_session(app, pilot, bob, table):
    """Let Bob offer another session after the end, and accept it at the app."""
    old_screen = app.screen
    await bob.send(protocol.Say("Once more?", table))
    await wait_until(pilot, lambda: Said(0, "Once more?") in old_screen.frame.messages)
    await pilot.press("n")
    await wait_until(pilot, shows(app, "Bob can offer another session"))
    await bob.send(protocol.VoteRematch(table))
    await wait_until(pilot, shows(app, "Play another session"))
    await pilot.press("escape")
    await wait_until(pilot, shows(app, "A new session is offered: n plays it, Esc leaves"))
    await pilot.press("n", "enter")
    await bob.wait_until(lambda: bob.seated.instead == table)
    await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen) and app.screen is not old_screen)
    await wait_until(pilot, shows(app, "round 1"))


async def test_game_master_offers_seat_between_rounds():
    async with (
        club() as (_, url),
        connected_guests(url, "Bob", "Cleo") as (bob, cleo),
        app_in_lobby(url) as (app, pilot),
    ):
        await wait_until(pilot, shows(app, "Cleo"))
        await pilot.press("n", "right", "right", "right", "left", "left", "left", "down", "down", "right", "enter")
        await wait_until(pilot, shows(app, "you start it"))
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.send(protocol.SitDown(table))
        await wait_until(pilot, shows(app, "Anna, Bob"))
        await pilot.press("home", "enter")
        await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen))
        app.table = app.screen
        await cleo.send(protocol.Watch(table))
        await wait_until(pilot, lambda: app.screen.frame.spectators == ("Cleo",))
        assert "Cleo is watching" in screen_text(app)
        type(app).frame = property(lambda self: self.table.frame)
        await play_together_until(app, pilot, bob, lambda: app.frame.stage is Stage.ROUND_END)
        del type(app).frame
        await bob.send(protocol.Leave(table))
        await wait_until(pilot, lambda: app.screen.frame.disconnected)
        await pilot.press("w")
        await wait_until(pilot, shows(app, "Anna, game master", "Bob, away, the table waits another", "Watching"))
        await pilot.press("down", "right", "right", "right")
        await wait_until(pilot, shows(app, "offered to Cleo"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "Bob has another"))


async def test_names_of_absent_player_and_robot():
    async with guest_at_table() as (app, pilot, bob):
        table = bob.update.table
        await play_together_until(app, pilot, bob, lambda: app.frame.stage is Stage.PLAY and app.frame.view.turn == 0)
        await bob.send(protocol.Leave(table))
        await wait_until(pilot, lambda: app.frame.disconnected and app.frame.names[0] == "Bob")
        await wait_until(pilot, lambda: app.frame.spectator_reason.startswith("Bob is away ("))
        reason = app.frame.spectator_reason
        await wait_until(pilot, lambda: app.frame.spectator_reason != reason)
        assert app.frame.spectator_reason.startswith("Bob is away (")
        await app.club_client.send_request(protocol.EndWait(table))
        await wait_until(pilot, lambda: app.frame.spectator_reason == "Bob is away")
        await pilot.press("y")
        await wait_until(pilot, lambda: app.frame.names[0] == "Bob's robot")
        await bob.send(protocol.SitDown(table))
        await wait_until(pilot, lambda: app.frame.names[0] == "Bob")


async def test_spectator_sees_all_hands_with_open_hands():
    async with guest_at_table(as_spectator=True, options={"open_hands": "on"}) as (app, pilot, bob):
        await wait_until(pilot, lambda: app.frame.view.hand and len(app.frame.others) == 3)
        assert app.frame.shows_open_hands
        await play_together_until(app, pilot, bob, lambda: bob.view.legal)
        assert not app.frame.waiting


async def test_keys_of_practice_are_not_offered_at_a_club():
    async with guest_at_table("bridge", options={"open_hands": "on"}) as (app, pilot, bob):
        await play_together_until(app, pilot, bob, lambda: app.frame.waiting and app.frame.view.practice_actions)
        before = app.frame.view
        await pilot.press("D", "F", "?")
        text = screen_text(app)
        assert "open hands" in text
        assert "extra card" not in text
        assert "finish the round" not in text
        assert app.frame.view is before
        act = protocol.Act(app.table.controller.playable.table, app.frame.view.round, "give")
        await app.club_client.send_request(act)
        await bob.play(lambda: True)
        assert app.frame.view is before


async def test_bridge_and_eights_are_confirmed_once_at_a_club():
    async with club() as (_, url):
        app = GuestApp(url, "Anna")
        async with app.run_test(size=(80, 24)) as pilot:
            await wait_until(pilot, lambda: app.club_client.lobby.club_name)
            session = begin_session("8C 8D 8H 8S AS", 4)
            session.close()
            await app.club_client.send_request(protocol.ResumeSession(session.header.id))
            await wait_until(pilot, lambda: app.table and app.frame.decision and app.frame.decision.is_joint)
            await pilot.press("right", "down", "right", "enter")
            await wait_until(pilot, lambda: app.frame.stage is Stage.ROUND_END)
            lines = [line.action for line in select_lines(ActionLine, session_files.load_journal(session.path))]
            assert lines[-2:] == ["bridge", "eights share"]


async def test_game_master_decides_about_spectators():
    """Enter on a spectator sends them away, and a row closes the table to the others."""
    async with (
        club() as (_, url),
        connected_guests(url, "Cleo", "Dora") as (cleo, dora),
        app_in_lobby(url) as (app, pilot),
    ):
        await cleo.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
        await wait_until(pilot, shows(app, "Cleo starts it"))
        await pilot.press("n", "enter")
        await wait_until(pilot, shows(app, "you start it"))
        own = next(row.table for row in app.screen.page.client.tables.values() if row.master == "Anna")
        await pilot.press("w")
        await wait_until(pilot, shows(app, "Rikiki  no spectators"))
        await pilot.press("w")
        await wait_until(pilot, lambda: "no spectators" not in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen))
        for spectator in (cleo, dora):
            await spectator.send(protocol.Watch(own))
        await wait_until(pilot, lambda: app.screen.frame.spectators == ("Cleo", "Dora"))
        await pilot.press("w")
        await wait_until(pilot, shows(app, "Watching", "Close the table to spectators"))
        await pilot.press("up")
        await wait_until(pilot, shows(app, "Enter send away for good"))
        await pilot.press("enter")
        await dora.wait_until(lambda: dora.update.closed == "Anna has sent you away from the table.")
        await wait_until(pilot, lambda: "Dora" not in screen_text(app))
        await pilot.press("end", "enter")
        await cleo.wait_until(lambda: cleo.update.closed == "Anna has closed the table to spectators.")
        await wait_until(pilot, shows(app, "Open the table to spectators"))


async def test_spectator_who_is_sent_away_reads_why():
    async with (
        club() as (_, url),
        connected_guests(url, "Cleo", "Bob") as (cleo, bob),
        app_in_lobby(url) as (app, pilot),
    ):
        table = await start_table(cleo, bob)
        await wait_until(pilot, shows(app, "to act"))
        await pilot.press("home", "w")
        await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen))
        await cleo.send(protocol.SendAway(table, "Anna"))
        await wait_until(pilot, shows(app, "Cleo has sent you away from the table."))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Tables", "Enter watch"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "you have been sent away from that table"))
        await cleo.send(protocol.AdmitSpectators(table, admitted=False))
        await wait_until(pilot, lambda: "no spectators" in screen_text(app) and "Enter watch" not in screen_text(app))


async def test_spectator_takes_offered_seat():
    async with (
        club() as (_, url),
        connected_guests(url, "Cleo", "Bob") as (cleo, bob),
        app_in_lobby(url) as (app, pilot),
    ):
        table = await start_table(cleo, bob)
        await wait_until(pilot, shows(app, "to act"))
        await pilot.press("home", "w")
        await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen))
        looked_on = app.screen
        await play_until(lambda: cleo.update.stage is Stage.ROUND_END, cleo, bob)
        await bob.send(protocol.Leave(table))
        await cleo.wait_until(lambda: cleo.update.absences)
        await play_round_with_substitute(cleo, table, 1)
        await cleo.send(protocol.GiveSeat(table, 1, "Anna"))
        await wait_until(pilot, shows(app, "You are offered a seat: w"))
        await pilot.press("w")
        await wait_until(pilot, shows(app, "Sit down in Bob's seat"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen) and app.screen is not looked_on)
        await cleo.wait_until(lambda: cleo.seats[1].name == "Anna" and not cleo.update.spectators)
        assert app.screen.frame.seat == 1
        await pilot.press("s")
        await wait_until(pilot, shows(app, "Score sheet", "Bob 1, Cy 2"))


async def test_offer_of_a_hidden_player_has_no_banner():
    async with guest_at_table() as (app, pilot, bob):
        (session,) = app.club_client.remote_sessions.values()
        app.club_client.set_hidden("Bob", is_hidden=True)
        await bob.send(protocol.VoteRematch(session.table))
        await wait_until(pilot, lambda: session.rematch_seats == (0,))
        await bob.send(protocol.DeclineRematch(session.table))
        await wait_until(pilot, lambda: not session.rematch_seats)
        assert not [text for text in ("session is offered", "another session") if text in screen_text(app)]


async def test_mistake_of_the_program_above_a_table_is_not_the_hosts(monkeypatch):
    """A page above the table shows no position, so that the program ends as after any mistake of its own."""
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as (bob, cleo):
        await start_table(bob, cleo)
        monkeypatch.setattr(PeoplePage, "build_columns", lambda *_: [].pop())
        with pytest.raises(IndexError):  # noqa: PT012 - it comes while the app runs
            async with lobby_app(url) as (app, pilot):
                await wait_until(pilot, shows(app, "to act"))
                await pilot.press("home", "enter")
                await wait_until(pilot, lambda: isinstance(app.screen, ClubTableScreen))
                await pilot.press("w")
                await wait_until(pilot, lambda: app.unhandled_error)
        assert isinstance(app.unhandled_error, IndexError)


async def test_key_sheet_names_the_lobby_as_exit():
    async with guest_at_table() as (app, pilot, _):
        await wait_until(pilot, lambda: "Bob" in screen_text(app))
        await pilot.press("question_mark")
        await wait_until(pilot, shows(app, "Keys", "to the lobby"))


async def test_new_session_is_answered_at_the_table():
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,), lobby_app(url) as (app, pilot):
        await bob.send(protocol.OpenTable("rikiki", 4, draws_seats=False))
        await wait_until(pilot, shows(app, "Bob, "))
        await pilot.press("home", "enter")
        await wait_until(pilot, shows(app, "Bob, Anna"))
        await bob.send(protocol.Start(*bob.tables))
        await wait_until(pilot, shows(app, "round 1"))
        for keys in (["down"], []):
            await bob.wait_until(lambda: bob.view and not bob.update.rematch_seats)
            await bob.send(protocol.VoteRematch(bob.seated.table))
            await wait_until(pilot, shows(app, "A new session is offered, this one unfinished"))
            await pilot.press("n")
            await wait_until(pilot, shows(app, "Play another session; this one stays unfinished", "Rather play on"))
            await pilot.press(*keys, "enter")
            if keys:
                await bob.wait_until(lambda: not bob.update.rematch_seats)
                await pilot.press("escape")
                await wait_until(pilot, lambda: "A new session is offered" not in screen_text(app))
        await bob.wait_until(lambda: bob.seated.instead and bob.update)
        await wait_until(pilot, lambda: "another session" not in screen_text(app))


async def test_game_master_offers_a_new_session_and_withdraws_it():
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Bob"))
        await pilot.press("n", "enter")
        await bob.wait_until(lambda: bob.tables)
        await bob.send(protocol.SitDown(*bob.tables))
        await wait_until(pilot, shows(app, "Anna, Bob"))
        await pilot.press("home", "enter")
        await wait_until(pilot, shows(app, "round 1"))
        await pilot.press("n")
        await wait_until(pilot, shows(app, "Another session", "this one stays unfinished"))
        await pilot.press("enter")
        await bob.wait_until(lambda: bob.update.rematch_seats)
        await wait_until(pilot, shows(app, "Withdraw the offer"))
        await pilot.press("enter")
        await bob.wait_until(lambda: not bob.update.rematch_seats)


async def test_talk_hidden_at_the_table():
    async with guest_at_table() as (app, pilot, bob):
        await bob.send(protocol.Say("Hello", bob.seated.table))
        await wait_until(pilot, lambda: any(note == Said(0, "Hello") for note in app.frame.messages))
        await pilot.press("w", "home", "space")
        await wait_until(pilot, shows(app, "Bob", "talk hidden"))
        await bob.send(protocol.Say("Anybody?", bob.seated.table))
        await bob.wait_until(lambda: Said(0, "Anybody?") in bob.notes)
        await pilot.press("escape", "m")
        await wait_until(
            pilot, lambda: app.frame.messages and not [n for n in app.frame.messages if isinstance(n, Said)]
        )
