"""Another session at the same table: offered, declined, begun, or impossible to begin."""

import asyncio

import pytest

from cardtable.club import protocol
from cardtable.club.server.limits import RequestRefused
from cardtable.engine.errors import CardtableError
from cardtable.engine.log_entries import Said
from cardtable.store import passwords, profiles
from cardtable.store.session_setup import SessionSetup
from tests.club.loopback_club import (
    club,
    connected_guests,
    joined,
    paused_session_setup,
    poll_until,
    start_table,
    wait_for_all,
)

NOT_GAME_MASTER = "Anna is the game master, and nobody else can do that"


@pytest.mark.parametrize("lot", [False, True])
async def test_game_master_offers_another_session(lot):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob, length="short")
        await cleo.send(protocol.Watch(table))
        await asyncio.gather(anna.play(), bob.play())
        assert await bob.get_refusal(protocol.VoteRematch(table)) == NOT_GAME_MASTER
        await anna.send(protocol.VoteRematch(table, lot))
        await bob.wait_until(lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table))
        await wait_for_all((anna, bob, cleo), lambda guest: guest.seated.instead == table and guest.update)
        assert cleo.seated.seat is None
        names = [info.name for info in anna.seats]
        assert sorted(names) == ["Ada", "Anna", "Bo", "Bob"]
        assert lot or names[:2] == ["Anna", "Bob"]
        assert (names[anna.seated.seat], names[bob.seated.seat]) == ("Anna", "Bob")
        for guest in (anna, bob, cleo):
            await guest.send(protocol.Leave(anna.seated.table))
        await anna.wait_until(lambda: not anna.tables)


async def test_new_session_before_the_end_of_the_present_one(set_limit):
    set_limit("invitations_of_one", number=10)
    async with club() as (room, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.Watch(table))
        await cleo.wait_until(lambda: cleo.view)
        # the offer lapses if a player declines, the game master withdraws it, or a player leaves
        for guest, message in ((bob, protocol.DeclineRematch), (anna, protocol.DeclineRematch), (bob, protocol.Leave)):
            await anna.send(protocol.VoteRematch(table))
            await bob.wait_until(lambda: bob.update.rematch_seats == (0,))
            await guest.send(message(table))
            await anna.wait_until(lambda: anna.update.rematch_seats == ())
        assert await anna.get_refusal(protocol.DeclineRematch(table)) == "no other session is offered"
        # nobody is left out while the table waits for them
        assert (await anna.get_refusal(protocol.VoteRematch(table))).startswith("Bob has another ")
        await bob.send(protocol.SitDown(table))
        await anna.wait_until(lambda: not anna.update.absences)
        assert await bob.get_refusal(protocol.VoteRematch(table)) == NOT_GAME_MASTER
        decisions = anna.update.at
        await anna.send(protocol.VoteRematch(table))
        await bob.wait_until(lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table))
        await wait_for_all((anna, bob, cleo), lambda guest: guest.seated.instead == table and guest.update)
        assert (cleo.seated.seat, [info.name for info in anna.seats]) == (None, ["Anna", "Bob", "Ada", "Bo"])
        # the old session can be called again, as it was
        await poll_until(lambda: room.table_manager.registry.tables[table].is_asleep)
        for guest in (anna, bob):
            await guest.send(protocol.Leave(anna.seated.table))
            await guest.send(protocol.AskUnfinished())
            await guest.wait_until(
                lambda guest=guest: guest.unfinished and table in {row.table for row in guest.unfinished}
            )
        for guest in (anna, bob):
            await guest.send(protocol.ResumeSession(table))
        await anna.wait_until(lambda: anna.seated.table == table and anna.update and anna.update.at == decisions)
        await anna.send(protocol.VoteRematch(table))
        await bob.wait_until(lambda: bob.update and bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table))
        await anna.wait_until(lambda: anna.seated.instead == table)


async def test_new_session_leaves_out_a_player_after_the_wait():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.absences)
        await anna.send(protocol.EndWait(table))
        await anna.send(protocol.VoteRematch(table))
        await anna.wait_until(lambda: anna.seated.instead == table and anna.seats and anna.seats[1].name == "Cy")
        await poll_until(lambda: room.table_manager.registry.tables[table].is_asleep)
        await bob.send(protocol.AskUnfinished())
        await bob.wait_until(lambda: bob.unfinished and bob.unfinished[0].table == table)


async def test_new_session_that_cannot_be_saved_is_not_begun(monkeypatch):
    def refuse(*_arguments, **_options):
        raise CardtableError("no credits")

    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        monkeypatch.setattr(SessionSetup, "begin", refuse)
        await anna.send(protocol.VoteRematch(table))
        await bob.wait_until(lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table))
        await wait_for_all((anna, bob), lambda guest: "no credits" in guest.refused and not guest.update.rematch_seats)
        assert anna.seated.table == table


async def test_table_whose_next_session_is_beginning_cannot_be_closed(monkeypatch):
    """Otherwise the session would begin without anybody, and take stakes."""
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        await anna.send(protocol.VoteRematch(table))
        await bob.wait_until(lambda: bob.update.rematch_seats)
        with paused_session_setup(monkeypatch) as wait_until_tried:
            await bob.send(protocol.VoteRematch(table))
            assert await wait_until_tried()
            with pytest.raises(RequestRefused, match="another session is just beginning at that table; try again"):
                await room.table_manager.close_table(table, "it is late")
        await wait_for_all((anna, bob), lambda guest: guest.seated.instead == table)
        await poll_until(lambda: not room.table_manager.registry.tables[table].hosted_session)
        await room.table_manager.close_table(anna.seated.table, "it is late")
        await anna.wait_until(lambda: anna.update.closed == "it is late")


async def test_offer_of_another_session_that_everybody_leaves():
    """Spectators do not begin a session of robots."""
    async with club() as (room, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob, length="short")
        await cleo.send(protocol.Watch(table))
        await asyncio.gather(anna.play(), bob.play())
        await anna.send(protocol.VoteRematch(table))
        await bob.wait_until(lambda: bob.update.rematch_seats == (0,))
        for guest in (anna, bob):
            await guest.send(protocol.Leave(table))
        await cleo.wait_until(lambda: [info.away for info in cleo.seats[:2]] == [True, True])
        await cleo.send(protocol.Say("Bye", table))
        await cleo.wait_until(lambda: Said(None, "Cleo: Bye") in cleo.notes)
        assert [*room.table_manager.registry.tables] == [table]


async def test_another_session_without_a_player_that_left():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob, length="short")
        await asyncio.gather(anna.play(), bob.play())
        await anna.send(protocol.VoteRematch(table))
        await bob.wait_until(lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.seated.instead == table)
        await anna.wait_until(lambda: anna.seats and anna.seats[1].robot)
        assert anna.seats[1].name == "Cy"


async def test_another_session_takes_stakes_of_players(monkeypatch):
    profiles.register_remote("Anna", "sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())  # the host was started since
    async with club() as (_, url), joined(url, "Anna", password="sesame77") as anna:
        table = await start_table(anna, game="ten_down", seats=2, room=50)
        await anna.play()
        await anna.send(protocol.VoteRematch(table))
        await anna.wait_until(lambda: anna.seated.instead == table)
