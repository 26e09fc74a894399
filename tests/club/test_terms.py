"""Terms of a table: clocks and lost seats at the client, and aids that every door refuses."""

import asyncio

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.client import remote_session
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import Seated
from cardtable.engine.errors import CardtableError
from cardtable.session.round_replay import SessionReplay
from cardtable.session.session_events import AwaitingPlayer, AwaitingRemote, ClockLeft, Stage
from cardtable.store import paths
from cardtable.ui.club.table_screen import ClubTableScreen
from cardtable.ui.command_palette import PaletteScreen
from cardtable.wording.terms import LATE_MESSAGE, LOSS_MESSAGES, NO_AIDS, describe_leaving
from tests.club.guests import hosted_table
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import club, joined
from tests.club.plain_guest import PlainGuest
from tests.club.test_remote_session import make_news, take
from tests.club.test_table_screen import guest_at_table, play_together_until
from tests.ui.screen_text import list_notices

CLOCKS = (ClockLeft(30, 300), ClockLeft(30, 300), None, None)


async def test_clock_of_the_seat_to_act_runs_into_the_reserve(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(remote_session, "monotonic", lambda: now[0])
    async with hosted_table("rikiki", 0) as (table, anna):
        await anna.wait_until(lambda: anna.is_on_turn)
        run = RemoteSession(Seated("t", table.session.header, 0), print, print)
        take(run, replace(anna.update, clocks=CLOCKS))
        now[0] = 24.0
        assert run.get_time_left().clocks == (ClockLeft(6, 300), *CLOCKS[1:])
        assert run.seconds_left == 306
        now[0] = 40.0
        assert run.get_time_left().clocks == (ClockLeft(0, 290), *CLOCKS[1:])
        now[0] = 999.0
        assert run.get_time_left().clocks == (ClockLeft(0, 0), *CLOCKS[1:])
        assert run.pending == AwaitingPlayer(0), "the host, not the client, declares that the time is up"
        take(run, make_news(anna.update, clocks=(ClockLeft(0, 0), *CLOCKS[1:])))
        assert (run.pending, run.spectator_reason) == (AwaitingRemote(0), LATE_MESSAGE)


async def test_player_who_has_lost_decides_and_votes_no_more():
    async with hosted_table("rikiki", 0) as (table, anna):
        await anna.wait_until(lambda: anna.is_on_turn)
        run = RemoteSession(Seated("t", table.session.header, 0), print, print)
        first, *others = table.hosted.people.seat_infos
        take(run, replace(anna.update, seats=(replace(first, lost="clock"), *others)))
        assert (run.pending, run.spectator_reason) == (AwaitingRemote(0), LOSS_MESSAGES["clock"])
        take(run, make_news(anna.update, stage=Stage.ROUND_END))
        assert run.pending == AwaitingRemote(0)
        assert run.snapshot(0).lost == {0: "clock"}


async def test_reason_why_the_deal_waits():
    async with hosted_table("rikiki", 0) as (table, anna):
        await anna.wait_until(lambda: anna.is_on_turn)
        run = RemoteSession(Seated("t", table.session.header, 0), print, print)
        take(run, replace(anna.update, held="the other tables are at an earlier deal", stage=Stage.ROUND_END))
        assert run.spectator_reason == "The other tables are at an earlier deal"


async def test_program_refuses_aids_before_the_end():
    async with guest_at_table(rated=True) as (anna, bob):
        await play_together_until(anna, bob, lambda: anna.frame.waiting)
        assert "round 1 of 28 · rated" in anna.text
        assert "hint" not in anna.text.splitlines()[-1]
        await anna.press("h", NO_AIDS)
        await anna.press("right")
        assert NO_AIDS not in anna.text
        await anna.press("ctrl+p")
        await anna.is_at(PaletteScreen)
        await anna.enter("Hint and reasons", NO_AIDS)
        await play_together_until(anna, bob, lambda: anna.frame.stage is Stage.ROUND_END)
        assert "last deal" not in anna.text
        await anna.press("d", NO_AIDS)


async def test_plain_text_refuses_aids_before_the_end(tmp_path):
    async with club() as (_, url), joined(url, "Bob") as bob, PlainGuest(tmp_path, url, "Anna") as anna:
        table = await bob.open_table("rikiki", 4, {}, draws_seats=False, rated=True, grace=90)
        await anna.read_until("Table 1")
        anna.type_lines("sit 1")
        await bob.wait_until(lambda: bob.tables[table].seats[1].name == "Anna")
        await bob.send(protocol.Start(table), until=lambda: bob.view)
        await anna.read_until(
            "It is rated.",
            "Each player has 60 seconds for a decision, and 10 minutes in reserve.",
            "There are no hints and no last deal before its end.",
        )
        playing = asyncio.create_task(bob.play())
        await anna.read_until("Bid 0 or 1.")
        for typed in ("hint", "more", "deal", "why 1"):
            assert await anna.ask(typed, NO_AIDS) == [NO_AIDS]
        await anna.ask("leave", describe_leaving(90))
        playing.cancel()
        anna.type_lines("quit")
        await anna.read_until(f"You have left the club. {describe_leaving(90)}")


async def test_host_refuses_the_last_deal():
    async with club() as (_, url), joined(url, "Bob") as bob:
        table = await bob.open_table("rikiki", 4, {}, aids=False)
        await bob.send(protocol.Start(table), until=lambda: bob.view)
        assert "not shown at this table" in await bob.get_refusal(protocol.AskRounds(table))
        (path,) = paths.sessions_folder().glob("*.jsonl")
        with pytest.raises(CardtableError, match="played without aids"):
            SessionReplay(path)


async def test_leaving_a_rated_session_asks_first():
    async with guest_at_table(rated=True) as (anna, _):
        await anna.wait_until(lambda: anna.frame.view.playing)
        await anna.press("escape", "Leave a rated session?", "Your seat is kept for 1 minute.")
        await anna.press("escape")
        await anna.is_at(ClubTableScreen)
        await anna.press("escape", "Leave a rated session?")
        await anna.press("enter", "A new table")


async def test_loss_closes_the_question_and_shows_everywhere():
    async with guest_at_table(rated=True) as (anna, _):
        await anna.wait_until(lambda: anna.frame.view.playing)
        await anna.press("escape", "Leave a rated session?")
        [table] = anna.club.table_manager.registry.tables.values()
        session = table.hosted_session
        await session.people.changes.submit(lambda: session._runner.lose(1, "clock"))
        await anna.is_at(ClubTableScreen)
        await anna.sees(LOSS_MESSAGES["clock"][:20])
        await anna.press("s", "Score sheet", "lost on time")
        await anna.press("escape w", "lost on time, a robot plays on")
        await anna.press("escape escape", "Bob, Anna (lost on time, a robot plays)")


async def test_check_in_with_one_enter(monkeypatch):
    async with club() as (_, url), lobby_app(url) as anna:
        await anna.sees("No table is open yet")
        sent, lobby = [], anna.page
        monkeypatch.setattr(lobby, "_send", sent.append)
        lobby.client.handle_message(protocol.RoundCall("Friday Cup", 2, 180))
        await anna.sees("Round 2 of Friday Cup is called.", "Enter check in", "check in within 180 seconds")
        await anna.press("enter")
        assert sent == [protocol.CheckIn("Friday Cup")]
        lobby.client.handle_message(protocol.RoundCall("Friday Cup", 2, 0))
        await anna.sees("You have checked in; wait here.")
        await anna.press("down")
        assert "is called." not in anna.text.split("Talk")[0]
        await anna.press("n", "New table")
        lobby.client.handle_message(protocol.RoundCall("Friday Cup", 3, 180))
        notice = "Round 3 of Friday Cup is called. Check in in the lobby."
        await anna.wait_until(lambda: list_notices(anna.app) == [notice])
        await anna.press("escape", "Press Enter here to check in.")
        lobby.client.handle_message(protocol.RoundCall("Friday Cup", 3, 0))
        await anna.sees("The call has ended, or you checked in elsewhere.")
        for seconds, tournament in ((180, "Cup"), (180, "League"), (0, "Cup")):
            lobby.client.handle_message(protocol.RoundCall(tournament, 1, seconds))
        await anna.sees("Round 1 of League is called.", "Press Enter here to check in.")


async def test_nobody_offers_another_session_in_a_tournament():
    async with guest_at_table() as (anna, _):
        [row] = anna.client.tables.values()
        assert anna.frame.can_play_again
        anna.client.handle_message(protocol.LobbyNews(None, (replace(row, master=""),)))
        anna.table.show()
        await anna.press("n")
        assert isinstance(anna.app.screen, ClubTableScreen)
        assert not anna.frame.can_play_again
