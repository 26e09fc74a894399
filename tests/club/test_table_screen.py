"""The table screen of a club's client: it shows the host's updates as at home and sends the player's actions."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from cardtable.club import protocol
from cardtable.engine.log_entries import Said
from cardtable.session.session_events import Stage
from cardtable.ui.club.table_screen import ClubTableScreen, PeoplePage
from cardtable.ui.table.model import controller
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import (
    Guest,
    club,
    connected_guests,
    joined,
    play_round_with_substitute,
    play_until,
    start_table,
    table_of,
)
from tests.ui.table_host import take_first_action


@asynccontextmanager
async def guest_at_table(game="rikiki", as_spectator=False, third_guest=False, options=None, **terms):
    """Open a table with Bob, a guest that plays automatically, and Anna at the screen, or Cleo as spectator.

    With ``third_guest`` Dan sits there, too; ``terms`` are those that Bob asks for.
    """
    nick = "Cleo" if as_spectator else "Anna"
    async with club() as (room, url), joined(url, "Bob") as bob, Guest(url, "Dan") as dan, lobby_app(url, nick) as anna:
        await anna.sees("The club")
        anna.club, anna.client = room, anna.page.client
        table = await bob.open_table(game, 4, options or {}, draws_seats=False, **terms)
        await anna.wait_until(lambda: anna.client.tables)
        if not as_spectator:
            await anna.client.send_request(protocol.SitDown(table))
            await bob.wait_until(lambda: bob.tables[table].seats[1].name == "Anna")
        if third_guest:
            await dan.send(protocol.SitDown(table), until=lambda: bob.tables[table].seats[2].name == "Dan")
        await bob.send(protocol.Start(table), until=lambda: bob.view)
        if as_spectator:
            await anna.client.send_request(protocol.Watch(table))
        await anna.is_at(ClubTableScreen)
        await anna.wait_until(lambda: anna.frame.view.round)
        yield anna, bob


async def play_together_until(anna, bob, condition):
    """Play at the screen and as Bob until a condition is true."""
    playing = asyncio.create_task(bob.play(condition))
    while not condition():
        await anna.wait_until(lambda: anna.is_awaited or condition() or anna.frame.stage is Stage.SESSION_END)
        assert condition() or anna.frame.stage is not Stage.SESSION_END, "the session has ended before"
        if not condition() and anna.is_awaited:
            take_first_action(anna.table)
        await anna.pilot.pause()
    bob.wake()
    await playing


@pytest.mark.parametrize("game", ["rikiki", "king", "bridge", "ten_down"])
async def test_guest_plays_a_round(game):
    async with guest_at_table(game) as (anna, bob):
        await anna.sees("Bob")
        # a round of Bridge can end the session
        ended = Stage.ROUND_END, Stage.SESSION_END
        await play_together_until(anna, bob, lambda: anna.frame.stage in ended)
        assert anna.frame.scores == tuple(bob.scores)
        await play_together_until(
            anna, bob, lambda: anna.frame.view.round == 2 or anna.frame.stage is Stage.SESSION_END
        )


async def test_reconnects_after_a_cut_connection():
    async with guest_at_table() as (anna, bob):
        await play_together_until(anna, bob, lambda: anna.frame.waiting)
        view = anna.frame.view
        link = anna.client.connection
        url, link.url = link.url, "ws://localhost:9"
        await link.socket.close()
        await anna.wait_until(lambda: "the club cannot be reached" in anna.frame.banner)
        link.url = url
        await anna.wait_until(lambda: anna.frame.waiting and not anna.frame.banner)
        assert anna.frame.view == view
        await play_together_until(anna, bob, lambda: anna.frame.stage is Stage.ROUND_END)


async def test_table_closed_during_disconnection():
    async with guest_at_table() as (anna, bob):
        link, tables = anna.client.connection, anna.club.table_manager.registry.tables
        url, link.url = link.url, "ws://localhost:9"
        await link.socket.close()
        await anna.wait_until(lambda: "the club cannot be reached" in anna.frame.banner)
        await bob.send(protocol.Leave(bob.update.table), until=lambda: not tables[bob.update.table].hosted_session)
        del tables[bob.update.table]  # as if its session had ended
        link.url = url
        await anna.wait_until(lambda: anna.frame.banner.endswith("that table is closed"))


async def test_spectator_talks_to_the_table():
    async with guest_at_table(as_spectator=True) as (anna, bob):
        await anna.wait_until(lambda: anna.frame.spectator_reason == "You are watching.")
        await anna.press("m")
        await anna.enter("hello")
        await bob.wait_until(lambda: Said(None, "Cleo: hello") in bob.notes)
        await anna.sees("Spectator Cleo: hello")
        assert "Somebody" not in anna.text


async def test_request_robot_for_absent_player(monkeypatch):
    async with guest_at_table() as (anna, bob):
        hosted = next(iter(anna.club.table_manager.registry.tables.values())).hosted_session
        await play_together_until(anna, bob, lambda: anna.frame.stage is Stage.PLAY and anna.frame.view.turn == 0)
        await bob.send(protocol.Leave(bob.update.table))
        await anna.sees("Bob is away")
        assert "then y lets a robot play" in anna.text
        await anna.press("y", "Bob has another")
        monkeypatch.setattr(controller, "MESSAGE_SECONDS", 0)
        monkeypatch.setattr(controller, "TEXT_INTERVAL", 0.01)
        await anna.sees("Bob is away")
        assert "Bob has another" not in anna.text
        await anna.client.send_request(protocol.EndWait(bob.update.table))
        await anna.sees("Bob is away  y lets a robot play")
        async with anna.table.controller._session_lock:  # the screen reads nothing until Anna is to act
            await anna.client.send_request(protocol.VoteSubstitute(bob.update.table, 0))
            await anna.wait_until(lambda: hosted.turn == 1)
            decisions = hosted.session.referee.decisions
            await anna.wait_until(lambda: anna.table._remote_session._newest.at == decisions)
        await anna.wait_until(lambda: anna.frame.waiting)
        assert not anna.frame.spectator_reason


async def test_prompt_after_vote_for_a_robot():
    async with guest_at_table(third_guest=True) as (anna, bob):
        await play_together_until(anna, bob, lambda: anna.frame.stage is Stage.PLAY and anna.frame.view.turn == 0)
        await bob.send(protocol.Leave(bob.update.table))
        await anna.sees("Bob is away")
        await anna.client.send_request(protocol.EndWait(bob.update.table))
        await anna.sees("Bob is away  y lets a robot play")
        await anna.press("y", "Bob is away; the others must agree, too")
        assert "lets a robot play" not in anna.text


async def test_last_deal_of_the_round_before():
    async with guest_at_table() as (anna, bob):
        await play_together_until(anna, bob, lambda: anna.frame.view.round == 2 and anna.frame.waiting)
        await anna.press("d", "Last deal")
        await anna.press("r enter escape", "round 2")


async def test_closing_reason_shown_at_the_table():
    async with guest_at_table() as (anna, bob):
        await play_together_until(anna, bob, lambda: anna.frame.waiting)
        await anna.club.close("The club closes for tonight")
        await anna.wait_until(lambda: "The club closes for tonight" in anna.frame.banner)
        assert bob.link.end_reason == "The club closes for tonight"


async def test_remaining_players_begin_another_session():
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,):
        async with Guest(url, "Anna") as anna:
            table = await start_table(bob, anna, length="short")
            await play_until(lambda: False, bob, anna)
        await bob.wait_until(lambda: bob.update.stage is Stage.SESSION_END)
        async with lobby_app(url, "Anna", token=anna.welcome.token) as anna:
            await anna.sees("the session is over")
            await anna.press("home enter")
            await anna.is_at(ClubTableScreen)
            await accept_another_session(anna, bob, table)


async def accept_another_session(anna, bob, table):
    """Let Bob offer another session after the end, and accept it at the app."""
    old_screen = anna.app.screen
    await bob.send(protocol.Say("Once more?", table), until=lambda: Said(0, "Once more?") in old_screen.frame.messages)
    await anna.press("n", "Bob can offer another session")
    await bob.send(protocol.VoteRematch(table))
    await anna.sees("Play another session")
    await anna.press("escape", "A new session is offered: n plays it, Esc leaves")
    await anna.press("n enter")
    await bob.wait_until(lambda: bob.seated.instead == table)
    await anna.wait_until(lambda: isinstance(anna.app.screen, ClubTableScreen) and anna.app.screen is not old_screen)
    await anna.sees("round 1")


async def test_game_master_offers_seat_between_rounds():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as (bob, cleo), lobby_app(url) as anna:
        await anna.sees("Cleo")
        await anna.press("n right right right left left left down down down down down right enter", "you start it")
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.send(protocol.SitDown(table))
        await anna.sees("Anna, Bob")
        await anna.press("home enter")
        await anna.is_at(ClubTableScreen)
        await cleo.send(protocol.Watch(table), until=lambda: anna.frame.spectators == ("Cleo",))
        assert "Cleo is watching" in anna.text
        await play_together_until(anna, bob, lambda: anna.frame.stage is Stage.ROUND_END)
        await bob.send(protocol.Leave(table), until=lambda: anna.frame.disconnected)
        await anna.press("w", "Anna, game master", "Bob, away, the table waits another", "Watching")
        await anna.press("down right right right", "offered to Cleo")
        await anna.press("enter", "Bob has another")


async def test_spectator_sees_all_hands_with_open_hands():
    async with guest_at_table(as_spectator=True, options={"open_hands": "on"}) as (anna, bob):
        await anna.wait_until(lambda: anna.frame.view.hand and len(anna.frame.others) == 3)
        assert anna.frame.shows_open_hands
        await play_together_until(anna, bob, lambda: bob.view.legal)
        assert not anna.frame.waiting


async def test_game_master_decides_about_spectators():
    """Enter on a spectator sends them away, and a row closes the table to the others."""
    async with club() as (_, url), connected_guests(url, "Cleo", "Dora") as (cleo, dora), lobby_app(url) as anna:
        await cleo.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
        await anna.sees("Cleo starts it")
        await anna.press("n enter", "you start it")
        own = next(row.table for row in anna.page.client.tables.values() if row.master == "Anna")
        await anna.press("w", "Rikiki  no spectators")
        await anna.press("w")
        await anna.sees_no_more("no spectators")
        await anna.press("enter")
        await anna.is_at(ClubTableScreen)
        for spectator in (cleo, dora):
            await spectator.send(protocol.Watch(own))
        await anna.wait_until(lambda: anna.frame.spectators == ("Cleo", "Dora"))
        await anna.press("w", "Watching", "Close the table to spectators")
        await anna.press("up", "Enter send away for good")
        await anna.press("enter")
        await dora.wait_until(lambda: dora.update.closed == "Anna has sent you away from the table.")
        await anna.sees_no_more("Dora")
        await anna.press("end enter")
        await cleo.wait_until(lambda: cleo.update.closed == "Anna has closed the table to spectators.")
        await anna.sees("Open the table to spectators")


@asynccontextmanager
async def spectator_at_table():
    """Yield a table of Cleo and Bob, both of them, and Anna at the screen, who watches."""
    async with club() as (_, url), table_of(url, "Cleo", "Bob") as (table, cleo, bob), lobby_app(url) as anna:
        await anna.sees("to act")
        await anna.press("home w")
        await anna.is_at(ClubTableScreen)
        yield table, cleo, bob, anna


async def test_spectator_who_is_sent_away_reads_why():
    async with spectator_at_table() as (table, cleo, _, anna):
        await cleo.send(protocol.SendAway(table, "Anna"))
        await anna.sees("Cleo has sent you away from the table.")
        await anna.press("escape", "Tables", "Enter watch")
        await anna.press("enter", "you have been sent away from that table")
        await cleo.send(protocol.AdmitSpectators(table, admitted=False))
        await anna.wait_until(lambda: "no spectators" in anna.text and "Enter watch" not in anna.text)


async def test_spectator_takes_offered_seat():
    async with spectator_at_table() as (table, cleo, bob, anna):
        looked_on = anna.app.screen
        await play_until(lambda: cleo.update.stage is Stage.ROUND_END, cleo, bob)
        await bob.send(protocol.Leave(table), until=lambda: cleo.update.absences)
        await play_round_with_substitute(cleo, table, 1)
        await cleo.send(protocol.GiveSeat(table, 1, "Anna"))
        await anna.sees("You are offered a seat: w")
        await anna.press("w", "Sit down in Bob's seat")
        await anna.press("enter")
        await anna.wait_until(lambda: isinstance(anna.app.screen, ClubTableScreen) and anna.app.screen is not looked_on)
        await cleo.wait_until(lambda: cleo.seats[1].name == "Anna" and not cleo.update.spectators)
        assert anna.frame.seat == 1
        await anna.press("s", "Score sheet", "Bob 1, Cy 2")


async def test_offer_of_a_hidden_player_has_no_banner():
    async with guest_at_table() as (anna, bob):
        (session,) = anna.client.remote_sessions.values()
        anna.client.set_hidden("Bob", is_hidden=True)
        await bob.send(protocol.VoteRematch(session.table), until=lambda: session.rematch_seats == (0,))
        await bob.send(protocol.DeclineRematch(session.table), until=lambda: not session.rematch_seats)
        assert not [text for text in ("session is offered", "another session") if text in anna.text]


async def test_mistake_of_the_program_above_a_table_is_not_the_hosts(monkeypatch):
    """A page above the table shows no position, so that the program ends as after any mistake of its own."""
    async with club() as (_, url), table_of(url, "Bob", "Cleo"):
        monkeypatch.setattr(PeoplePage, "build_columns", lambda *_: [].pop())
        with pytest.raises(IndexError):  # noqa: PT012 - it comes while the app runs
            async with lobby_app(url) as anna:
                await anna.sees("to act")
                await anna.press("home enter")
                await anna.is_at(ClubTableScreen)
                await anna.press("w")
                await anna.wait_until(lambda: anna.app.unhandled_error)
        assert isinstance(anna.app.unhandled_error, IndexError)


async def test_game_master_offers_a_new_session_and_withdraws_it():
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,), lobby_app(url) as anna:
        await anna.sees("The club", "Bob")
        await anna.press("n enter")
        await bob.wait_until(lambda: bob.tables)
        await bob.send(protocol.SitDown(*bob.tables))
        await anna.sees("Anna, Bob")
        await anna.press("home enter", "round 1")
        await anna.press("n", "Another session", "this one stays unfinished")
        await anna.press("enter")
        await bob.wait_until(lambda: bob.update.rematch_seats)
        await anna.sees("Withdraw the offer")
        await anna.press("enter")
        await bob.wait_until(lambda: not bob.update.rematch_seats)


async def test_talk_hidden_at_the_table():
    async with guest_at_table() as (anna, bob):
        await bob.send(protocol.Say("Hello", bob.seated.table))
        await anna.wait_until(lambda: any(note == Said(0, "Hello") for note in anna.frame.messages))
        await anna.press("w home space", "Bob", "talk hidden")
        await bob.send(protocol.Say("Anybody?", bob.seated.table), until=lambda: Said(0, "Anybody?") in bob.notes)
        await anna.press("escape m")
        await anna.wait_until(
            lambda: anna.frame.messages and not [n for n in anna.frame.messages if isinstance(n, Said)]
        )
