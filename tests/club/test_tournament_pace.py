"""Tournaments in play: tables in step, pauses, and talk that is held back until the round has finished."""

import asyncio

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.administration import Done, EndTournament, MutePerson, PauseTournament, ResumeTournament
from cardtable.club.protocol import RequestFailed
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.requests import execute_request
from cardtable.engine.journal import Occupant, PlayerClock, Terms
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from tests.club.guests import hosted_table
from tests.club.loopback_club import joined, play_until, poll_until, start_table, wait_for_all
from tests.club.tournament_club import CUP, NEXT_ROUND, NICKS, begin_round, check_in, load_cup, open_cup, play, sit_down
from tests.session.session_player import NOW

DUEL = replace(CUP, game="ten_down", options=(), rounds=1, players=NICKS[:4], seats=2)
"""Tournament of two tables of two."""
WAITING = "waiting for the other tables"


@pytest.mark.parametrize("ahead", [1, 2])
async def test_table_waits_for_the_slowest_one(ahead):
    async with open_cup(replace(DUEL, ahead=ahead)) as (_, administration, people, _, _):
        await begin_round(administration, people)
        first, second = await sit_down(people, 1)
        playing = asyncio.create_task(play(*first))
        await wait_for_all(first, lambda guest: guest.update.held == WAITING)
        assert [len(guest.scores) for guest in (*first, *second)] == [ahead, ahead, 0, 0]
        await play_until(lambda: second[0].scores, *second)
        await first[0].wait_until(lambda: first[0].view.round == ahead + 1)
        for guest in second:  # some have read their last update, but not answered it
            guest.unread = True
        await play(*second)
        await playing
        await poll_until(lambda: load_cup().state == "ended")


async def test_paused_tournament_finishes_the_boards_in_play():
    async with open_cup(DUEL) as (_, administration, people, _, _):
        await begin_round(administration, people)
        tables = await sit_down(people, 1)
        paused = "The tournament Cup pauses after the deals in play."
        assert await execute_request(administration, PauseTournament("cup")) == Done(paused)
        assert await execute_request(administration, PauseTournament("cup")) == RequestFailed("Cup is paused already")
        playing = asyncio.create_task(play(*people.values()))
        await wait_for_all(people.values(), lambda guest: guest.update.held == "the tournament is paused")
        assert {len(guest.scores) for table in tables for guest in table} == {1}
        assert await execute_request(administration, ResumeTournament("cup")) == Done("The tournament Cup goes on.")
        assert await execute_request(administration, ResumeTournament("cup")) == RequestFailed("Cup is not paused")
        await playing
        await poll_until(lambda: load_cup().state == "ended")


async def test_round_that_is_called_begins_after_the_pause():
    async with open_cup(DUEL) as (_, administration, people, _, _):
        await execute_request(administration, NEXT_ROUND)
        await execute_request(administration, PauseTournament("cup"))
        await check_in(people.values())
        assert await execute_request(administration, NEXT_ROUND) == RequestFailed("Cup is paused; resume it first")
        assert load_cup().rounds[0].state == "calling"
        await execute_request(administration, ResumeTournament("cup"))
        await wait_for_all(people.values(), lambda guest: guest.seated)


async def test_talk_of_players_is_held_back_until_the_round_has_finished():
    async with open_cup(DUEL) as (_, administration, people, url, _), joined(url, "Kay") as kay:
        casual = await start_table(kay)
        await begin_round(administration, people)
        await sit_down(people, 1)
        anna, bob, cleo, dan = people.values()
        held = ("", "That is held back until the round of Cup has finished.")
        messages = [protocol.Say("hearts split badly"), protocol.Say("I know"), protocol.Say("spam")]
        for guest, message in zip((anna, bob, cleo, dan), [*messages, protocol.SayTo("Kay", "psst")], strict=True):
            await guest.send(message)
            await wait_for_all([guest], lambda guest: held in guest.talk)
        await anna.send(protocol.Say("good evening", anna.seated.table))
        await dan.send(protocol.Watch(casual))
        await dan.wait_until(lambda: dan.seated.table == casual)
        refusal = "you cannot do that before the round of Cup has finished"
        for request in (
            protocol.Say("hearts split badly", casual),
            protocol.OpenTable("gurka", 4, name="hearts split badly"),
            protocol.OpenTable("gurka", 4, private=True, invited=("Kay",)),
            protocol.RenameSelf("Hearts"),
        ):
            assert await dan.get_refusal(request) == refusal
        await kay.send(protocol.Say("anybody?"))
        await wait_for_all([anna, kay], lambda guest: ("Kay", "anybody?") in guest.talk)
        assert [who for who, _ in kay.talk if who] == ["Kay"]
        await execute_request(administration, MutePerson("Cleo"))
        await execute_request(administration, EndTournament("Cup"))
        await kay.wait_until(lambda: ("Dan", "psst") in kay.talk)
        assert [talk for talk in kay.talk if talk[0]] == [
            ("Kay", "anybody?"), ("Anna", "hearts split badly"), ("Bob", "I know"), ("Dan", "psst"),
        ]  # fmt: skip
        await anna.send(protocol.Say("good night"))
        await kay.wait_until(lambda: ("Anna", "good night") in kay.talk)


async def test_club_holds_back_only_so_much():
    async with open_cup(DUEL) as (room, administration, people, _, _):
        await begin_round(administration, people)
        [anna] = [client for client in room.clients if client.nick == "Anna"]
        for _ in range(LIMITS.held_talk.number):
            assert room.tournament_manager.talk.hold(anna, lambda: None)
        refusal = await people["Anna"].get_refusal(protocol.Say("one more"))
        assert refusal == "20 of your messages wait for the end of the round; the club holds back no more"


# Players who are away or too slow, at a table without others


def create_rated_session(people):
    """Create a session of Gurka as a tournament does, in which each decision has a minute."""
    game, terms = GAMES["gurka"], Terms(rated=True, aids=False, clock=PlayerClock(60))
    seats = [Occupant(f"Seat {seat}", None if seat < people else "random") for seat in range(4)]
    return sessions.create(game, seats, game.options(limit=21), 7, now=NOW, terms=terms)


async def test_players_who_leave_lose_although_nobody_is_left():
    now = [0.0]
    async with hosted_table(
        "gurka", 0, existing_session=create_rated_session(2), find_hold=lambda _: "", clock=lambda: now[0]
    ) as (table, anna):
        await anna.wait_until(lambda: anna.view.round == 1)
        now[0] = 60.0
        await table.hosted.say("Where is Bob?", 0)
        await anna.wait_until(lambda: table.hosted.people.seat_infos[1].lost == "left")
        await anna.play(1)
        await anna.leave()
        now[0] = 120.0
        await table.hosted.changes.submit(lambda: ())
        await poll_until(lambda: table.hosted.is_over)
        assert {*table.session.referee.occupants.lost} == {0, 1}


async def test_only_player_at_a_table_loses_on_time():
    now, session = [0.0], create_rated_session(1)
    session.clocks.set_time_source(lambda: now[0])
    async with hosted_table("gurka", 0, existing_session=session, find_hold=lambda _: "") as (table, anna):
        before = None
        for _ in range(3):
            await anna.wait_until(lambda before=before: anna.is_on_turn and anna.update.at != before)
            before = anna.update.at
            now[0] += 60.0
            await table.hosted.changes.submit(lambda: ())
        await anna.wait_until(lambda: table.hosted.people.seat_infos[0].lost == "clock")
        await poll_until(lambda: table.hosted.is_over or anna.update.stage is Stage.ROUND_END)
