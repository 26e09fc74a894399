"""Unfinished sessions of a club that their players resume, and what is saved with them."""

import asyncio

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.protocol import SeatInfo
from cardtable.club.server import club_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.engine import journal
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.session.session_events import Stage
from cardtable.store import paths, sessions, summaries
from tests.club.loopback_club import (
    Guest,
    club,
    connected_guests,
    create_host_session,
    list_seat_changes,
    start_table,
    wait_for_all,
)


async def test_resumed_session_begins_when_all_players_return():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        session = create_host_session("Bob", "Anna")
        await anna.send(protocol.AskUnfinished())
        await anna.wait_until(lambda: anna.unfinished)
        (row,) = anna.unfinished
        assert (row.table, row.game, row.round) == (session, "rikiki", 0)
        assert [(info.name, info.robot, info.away) for info in row.seats] == [
            ("Bob", False, False), ("Anna", False, False), ("Ada", True, False), ("Bo", True, False)
        ]  # fmt: skip
        await anna.send(protocol.ResumeSession(session))
        await bob.wait_until(lambda: session in bob.tables)
        row = bob.tables[session]
        assert (row.playing, row.resuming, row.master) == (False, True, "Anna")
        assert [info.away for info in row.seats] == [True, False, False, False]
        await bob.wait_until(lambda: ("", "Anna calls you back to your session of Rikiki.") in bob.talk)
        assert not cleo.talk
        assert await cleo.get_refusal(protocol.SitDown(session)) == "that session is not yours"
        assert not anna.view
        await bob.send(protocol.SitDown(session))
        await anna.wait_until(lambda: anna.view)
        await bob.wait_until(lambda: bob.view)
        assert (anna.seated.seat, bob.seated.seat) == (1, 0)
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await cleo.send(protocol.AskUnfinished())
        await cleo.wait_until(lambda: cleo.unfinished == ())


async def test_robots_replace_the_absent_if_all_present_agree():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        await room.administration.forget("Cleo")
        assert await anna.get_refusal(protocol.Start(session)) == "that table has already started"
        await anna.send(protocol.ResumeSession(session))
        await bob.wait_until(lambda: session in bob.tables)
        assert await bob.get_refusal(protocol.Start(session)) == "sit down at that table first"
        await bob.send(protocol.SitDown(session))
        await bob.send(protocol.Start(session, "novice"))
        await anna.wait_until(lambda: not anna.tables[session].seats[1].away)
        assert not anna.view, "Bob alone has agreed"
        await anna.send(protocol.Start(session, "novice"))
        await anna.wait_until(lambda: anna.seats and anna.seats[2] == SeatInfo("Cleo", True, True))
        async with connected_guests(url, "Cleo") as (cleo,):
            await cleo.send(protocol.SitDown(session))
            await cleo.wait_until(lambda: cleo.view)
            await anna.wait_until(lambda: anna.seats[2] == SeatInfo("Cleo"))
        for guest in (anna, bob):
            await guest.send(protocol.Leave(session))
        await anna.wait_until(lambda: not anna.tables)
    assert list_seat_changes(summaries.find_path(session)) == [(2, "Ada", "novice"), (2, "Cleo", None)]


@pytest.mark.parametrize("ending", ["leaves", "is cut off"])
async def test_session_resumes_if_the_last_player_to_agree_to_robots_goes(ending):
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,), Guest(url, "Bob") as bob:
        await bob.wait_until(lambda: bob.welcome)
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        await anna.send(protocol.ResumeSession(session))
        await bob.wait_until(lambda: session in bob.tables)
        await bob.send(protocol.SitDown(session))
        await anna.wait_until(lambda: not anna.tables[session].seats[1].away)
        await anna.send(protocol.Start(session, "novice"))
        if ending == "leaves":
            await bob.send(protocol.Leave(session))
        else:
            await bob.__aexit__()
        expected = (SeatInfo("Anna"), SeatInfo("Bob", True, True), SeatInfo("Cleo", True, True), SeatInfo("Bo", True))
        await anna.wait_until(lambda: anna.seats == expected)


async def test_disconnected_player_is_shown_as_away_from_a_table_to_resume():
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,), Guest(url, "Bob") as bob:
        await bob.wait_until(lambda: bob.welcome)
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        await bob.send(protocol.ResumeSession(session))
        await anna.send(protocol.ResumeSession(session))
        await anna.wait_until(
            lambda: session in anna.tables and not any(info.away for info in anna.tables[session].seats[:2])
        )
        await bob.__aexit__()
        await anna.wait_until(lambda: anna.tables[session].seats[1].away)


async def test_resume_session_that_everyone_left():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        for guest in (anna, bob):
            await guest.send(protocol.Leave(table))
        await bob.wait_until(lambda: not bob.tables)
        await bob.send(protocol.ResumeSession(table))
        await anna.wait_until(lambda: anna.tables and anna.tables[table].resuming)
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: not anna.tables)
        await anna.send(protocol.AskUnfinished())
        await anna.wait_until(lambda: anna.unfinished)
        anna.update = bob.update = None
        for guest in (anna, bob):
            await guest.send(protocol.ResumeSession(table))
        await wait_for_all((anna, bob), lambda guest: guest.update)


async def test_cannot_resume_foreign_or_locked_session():
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,):
        foreign = create_host_session("Bob", "Cleo")
        assert await anna.get_refusal(protocol.ResumeSession(foreign)) == "that is not one of your unfinished sessions"
        session = create_host_session("Anna", robots=("Ada", "Bo", "Cy"))
        elsewhere = sessions.resume(summaries.find_path(session))
        assert "cannot be played here" in await anna.get_refusal(protocol.ResumeSession(session))
        elsewhere.close()
        await anna.send(protocol.ResumeSession(session))
        await anna.wait_until(lambda: anna.view)


async def test_session_with_unreadable_creation_time():
    session = create_host_session("Anna", "Bob")
    path = paths.sessions_folder() / f"{session}.jsonl"
    path.write_bytes(journal.encode(replace(journal.read(path.read_bytes()).header, created="yesterday")))
    await ClubAccounts().administration.forget("Anna")
    async with club() as (_, url), connected_guests(url, "Anna", "Kay") as (anna, kay):
        await anna.send(protocol.ResumeSession(session))
        await anna.send(protocol.Start(session, "novice"))
        await kay.wait_until(lambda: session in kay.tables and kay.tables[session].playing)
        assert kay.tables[session].since == 0


async def test_club_session_stores_club_id_and_revelation():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        for guest in (anna, bob):
            await guest.send(protocol.Leave(table))
        await bob.wait_until(lambda: not bob.tables)
        path = summaries.find_path(table)
        assert journal.read(path.read_bytes()).header.host == room.accounts.id == club_file.read_club_file().id
        assert summaries.summarize(path).is_club_only
        sessions.reveal_hands(path)
        assert not summaries.summarize(path).is_club_only
        await anna.send(protocol.ResumeSession(table))
        await bob.wait_until(lambda: table in bob.tables)
        await bob.send(protocol.SitDown(table))
        await wait_for_all(
            (anna, bob), lambda guest: CustomLogEntry(None, journal.SENTENCES["hands-revealed"]) in guest.notes
        )
    assert len(club_file.read_club_file().id) == 32
    async with club() as (again, _):
        assert again.accounts.id == room.accounts.id
        assert club_file.read_club_file().id_since == room.accounts.state.contents.id_since


async def test_table_name_is_saved_with_its_session():
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,):
        await anna.send(protocol.OpenTable("rikiki", 4, {}, "Fridays"))
        await anna.wait_until(lambda: anna.tables)
        (table,) = anna.tables
        await anna.send(protocol.Start(table))
        await anna.wait_until(lambda: anna.view and anna.tables[table].playing)
        assert anna.tables[table].name == "Fridays"
        await anna.send(protocol.Leave(table))
        await anna.wait_until(lambda: not anna.tables)
        await anna.send(protocol.AskUnfinished())
        await anna.wait_until(lambda: anna.unfinished)
        assert anna.unfinished[0].name == "Fridays"
