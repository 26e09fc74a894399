"""Owners of seats at a club: nicks that are taken, freed, changed, or used by another person."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.protocol import SeatInfo
from cardtable.club.server import club_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.hosted_clients import HostedClients
from cardtable.club.server.limits import LoginError
from cardtable.club.server.stored_sessions import FinishedSessions
from cardtable.engine.errors import CardtableError
from cardtable.store import profiles, summaries
from cardtable.store.club_tokens import NICK_VARIABLE
from tests.club.account_logins import BY_SSH
from tests.club.loopback_club import (
    PASSWORD,
    always_run,
    club,
    connected_guests,
    create_host_session,
    hosted_guest,
    joined,
    leave_table,
    list_seat_changes,
    play_round_with_substitute,
    poll_until,
    start_table,
    table_of,
    wait_for_all,
)

NO_SEAT = "no seat is free at that table"
NOT_OWN_SESSION = "that is not one of your unfinished sessions"


async def assert_nick_taken(authenticator, nick):
    """Assert that a newcomer cannot take a nick that an unfinished session names."""
    with pytest.raises(LoginError, match="is not free"):
        await authenticator.log_in(LoginIdentity(ConnectionOrigin(), nick))


async def test_nick_in_unfinished_session_is_taken():
    """The nicks belong to hot-seat players and removed profiles; the session may be closed, called back or in play."""
    profiles.register("Emil")
    session = create_host_session("Anna", "Bob", "Emil", robots=("Ada",))
    profiles.remove("Emil", "")
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (room, url), connected_guests(url, "Anna") as (anna,):
        for nick in ("Bob", "emil", "ＢＯＢ"):
            await assert_nick_taken(room.authenticator, nick)
        await anna.send(protocol.ResumeSession(session), until=lambda: session in anna.tables)
        await assert_nick_taken(room.authenticator, "Bob")
        await anna.send(protocol.Start(session), until=lambda: anna.view)
        await assert_nick_taken(room.authenticator, "Bob")
        await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Cleo"))
        await room.administration.forget("bob")
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (_, bob):
        await assert_nick_taken(room.authenticator, "Emil")
        assert club_file.read_club_file().freed == ("bob",)
        await bob.send(protocol.ResumeSession(session), until=lambda: session in bob.tables)
        await bob.send(protocol.Start(session), until=lambda: bob.view and bob.seated.seat == 1)
        await room.table_manager.registry.save()
        assert club_file.read_club_file().freed == ()
    with pytest.raises(CardtableError, match="nobody called Cora has been in the club, and no unfinished session"):
        await ClubAccounts().administration.forget("Cora")


async def test_freed_nick_stays_free_after_unconfirmed_guest():
    """The host need not free the nick again."""
    create_host_session("Anna", "Bob")
    await ClubAccounts().administration.forget("Bob")
    async with club() as (room, _):
        await room.authenticator.log_in(LoginIdentity(BY_SSH, "Bob"))
        await room.authenticator.forget_unconfirmed_guest("Bob")
    async with club() as (room, _):
        await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Bob"))
        await assert_nick_taken(room.authenticator, "Anna")


async def test_concurrent_requests_for_a_freed_nick():
    create_host_session("Anna", "Bob")
    await ClubAccounts().administration.forget("Bob")
    async with club() as (room, _):
        entering = [room.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Bob")) for _ in range(2)]
        results = await asyncio.gather(*entering, return_exceptions=True)
        assert sorted(isinstance(each, LoginError) for each in results) == [False, True]


async def test_renamed_player_returns_to_a_private_table(anna_with_password):
    async with club() as (_, url), table_of(url, "Anna", "Bob", private=True) as (table, anna, bob):
        profiles.update_profile("Anna", "Hanna", "", "")
        await anna.disconnect()
        await anna.sit_down(table)
        assert anna.welcome.nick == "Hanna"
        await bob.wait_until(lambda: bob.seats[0] == SeatInfo("Hanna"))
        await bob.wait_until(lambda: bob.tables[table].master == "Hanna")


async def test_player_is_renamed_everywhere_at_once(anna_with_password):
    """Another program renames Anna, who is game master of a table in play and of one that waits."""
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        await anna.send(protocol.OpenTable("king", 4), until=lambda: anna.tables)
        table = await start_table(anna, bob)
        profiles.update_profile("Anna", "Hanna", "", "")
        await anna.wait_until(lambda: anna.welcome.nick == "Hanna")
        await cleo.wait_until(lambda: {"Hanna", "Bob", "Cleo"} == {*cleo.people})
        assert cleo.guests == ("Bob", "Cleo")
        await cleo.wait_until(lambda: [row.master for row in cleo.tables.values()] == ["Hanna", "Hanna"])
        assert [row.seats[0] for row in cleo.tables.values()] == [SeatInfo("Hanna"), SeatInfo("Hanna")]
        await bob.wait_until(lambda: bob.seats[0] == SeatInfo("Hanna"))
        await anna.send(protocol.Say("Hello"), until=lambda: ("Hanna", "Hello") in cleo.talk)
        await anna.send(protocol.VoteRematch(table), until=lambda: bob.update.rematch_seats == (0,))
        await anna.disconnect(abort=True)
        await anna.sit_down(table)


async def test_player_is_renamed_as_spectator_and_at_a_table_that_is_resumed(anna_with_password):
    async with club() as (room, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        resumed, watched = await start_table(anna, bob), await start_table(cleo)
        for guest in (anna, bob):
            await guest.send(protocol.Leave(resumed))
        await poll_until(lambda: resumed not in room.table_manager.registry.list_lobby_tables())
        await anna.send(protocol.ResumeSession(resumed))
        await anna.send(protocol.Watch(watched), until=lambda: cleo.update.spectators == ("Anna",))
        profiles.update_profile("Anna", "Hanna", "", "")
        await cleo.wait_until(lambda: cleo.update.spectators == ("Hanna",))
        row = room.table_manager.registry.list_lobby_tables()[resumed]
        assert (row.master, row.seats[0]) == ("Hanna", SeatInfo("Hanna"))
        await bob.send(protocol.ResumeSession(resumed))
        await anna.wait_until(lambda: anna.seated.table == resumed and anna.seated.seat == 0)


async def rename_anna(*guests):
    """Let another program rename Anna, and wait until her devices are told."""
    profiles.update_profile("Anna", "Hanna", "", "")
    await wait_for_all(guests, lambda guest: guest.welcome.nick == "Hanna")


async def test_session_begins_after_a_player_is_renamed(anna_with_password):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await bob.open_table("king", 4)
        await anna.send(protocol.SitDown(table))
        await rename_anna(anna)
        await bob.send(protocol.Start(table))
        await wait_for_all((anna, bob), lambda guest: guest.view)
        assert {"Hanna", "Bob"} < {info.name for info in bob.seats}


async def test_renamed_player_takes_the_seat_offered_before(anna_with_password):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(bob, cleo)
        await cleo.send(protocol.Leave(table))
        await play_round_with_substitute(bob, table, 1)
        await bob.send(protocol.GiveSeat(table, 1, "Anna"), until=lambda: bob.seats[1].offered == "Anna")
        await rename_anna(anna)
        await bob.wait_until(lambda: bob.seats[1].offered == "Hanna")
        await anna.send(protocol.SitDown(table, 1))
        await bob.wait_until(lambda: bob.seats[1].name == "Hanna" and not bob.seats[1].offered)


async def test_programs_of_a_renamed_player_at_the_host(anna_with_password):
    """They are found by the new nick, and log in although another player has the former one."""
    async with club() as (room, url), connected_guests(url, "Anna") as (anna,):
        programs = HostedClients(room.club_accounts, always_run())
        reasons = []

        async def end(reason):
            reasons.append(reason)

        async with hosted_guest(room, "Anna", credential="cookie") as tab:
            async with programs.reserve_slot("Anna", ConnectionOrigin("192.0.2.1"), "key", end) as program:
                await rename_anna(anna, tab)
                ending = asyncio.create_task(programs.end_processes("Hanna", "The host has disconnected you."))
                await poll_until(lambda: reasons or ending.done())
            await ending
            assert (program.environment[NICK_VARIABLE], reasons) == ("Anna", ["The host has disconnected you."])
            profiles.register_remote("Anna", PASSWORD)
            async with connected_guests(url, "Hanna", "Anna"):
                await tab.disconnect()
                assert (tab.link.end_reason, tab.welcome.nick) == ("", "Hanna")
            await anna.send(protocol.ChangePassword(PASSWORD, "another77", revoke_others=True))
            await tab.wait_until(lambda: tab.link.end_reason)


async def test_ban_and_invitation_of_a_renamed_player(anna_with_password):
    async with club(code="kmnpqrst") as (room, url):
        async with joined(url, "Anna", code="kmnpqrst", password=PASSWORD) as anna:
            word = await room.administration.create_invitation("Anna")
            await room.administration.ban("Anna")
            await rename_anna(anna)
        assert [ban.nick for ban in room.accounts.bans.bans] == ["Hanna"]
        await room.administration.unban("Hanna")
        async with joined(url, "Hanna", code=word) as hanna:
            assert hanna.welcome.member


async def play_short_session(*guests):
    """Play a session to its end, leave its table, and return its id."""
    table = await start_table(*guests, length="short")
    await asyncio.gather(*[guest.play() for guest in guests])
    for guest in guests:
        await guest.send(protocol.Leave(table))
        guest.view = None
    await wait_for_all(guests, lambda guest: not guest.tables)
    return table


@pytest.mark.parametrize("logs_in", [False, True])
async def test_rematch_does_not_seat_a_player_who_took_the_nick_of_a_guest(logs_in):
    async with club() as (_, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        profiles.register("Bob", password=PASSWORD, again=PASSWORD)
        async with AsyncExitStack() as stack:
            if logs_in:
                player = await stack.enter_async_context(joined(url, "Bob", password=PASSWORD))
                assert await player.get_refusal(protocol.SitDown(table)) == NO_SEAT
                await bob.wait_until(lambda: bob.link.end_reason)
                assert bob.link.end_reason == "Bob is now a player of this club; choose another nick"
                await anna.send(protocol.EndWait(table))
            await anna.send(protocol.VoteRematch(table))
            if not logs_in:
                await anna.wait_until(lambda: anna.update.rematch_seats)
                await bob.send(protocol.VoteRematch(table))
            await anna.wait_until(lambda: anna.seated.instead == table)
    people = summaries.summarize(summaries.find_path(anna.seated.table)).header.seats[:2]
    assert [person.player for person in people] == [None, None]
    assert bool(people[1].robot) == logs_in


@pytest.mark.parametrize("nicks", [("Anna", "Bob"), ("Bob", "Anna")])
async def test_player_renamed_to_the_nick_of_a_guest_keeps_their_own_seat(nicks, anna_with_password):
    async with club() as (_, url), connected_guests(url, *nicks) as guests:
        anna, bob = sorted(guests, key=lambda guest: guest.nick)
        table = await start_table(bob, anna)
        profiles.update_profile("Anna", "Bob", "", "")
        await anna.disconnect()
        await bob.wait_until(lambda: bob.link.end_reason == "Bob is now a player of this club; choose another nick")
        await anna.sit_down(table)
        assert (anna.welcome.nick, anna.seated.seat) == ("Bob", 1)
        await anna.send(protocol.EndWait(table))
        await anna.send(protocol.VoteRematch(table), until=lambda: anna.seated.instead == table)
    header = summaries.summarize(summaries.find_path(anna.seated.table)).header
    assert header.people == [1]
    assert header.seats[1].player == profiles.find("Bob").id


async def test_player_who_took_the_nick_of_a_guest_sees_none_of_their_sessions():
    async with club() as (room, url):
        async with connected_guests(url, "Anna", "Bob") as (anna, bob):
            over = await play_short_session(anna, bob)
            unfinished = await start_table(anna, bob)
        profiles.register("Bob", password=PASSWORD, again=PASSWORD)
        async with joined(url, "Bob", password=PASSWORD) as player:
            assert await player.get_refusal(protocol.SitDown(unfinished)) == NO_SEAT
            assert await player.get_refusal(protocol.ResumeSession(unfinished)) == NOT_OWN_SESSION
            assert await player.list_unfinished() == ()
            assert player.welcome.last_table == ""
            (client,) = room.clients
            assert await FinishedSessions().list_ids(client.person) == ()
            assert await FinishedSessions().read_journal(client.person, over) == ""


async def test_seat_of_a_removed_player_does_not_belong_to_another_one_with_the_nick(anna_with_password):
    async with club() as (_, url):
        async with table_of(url, "Anna", "Bob") as (table, *_):
            pass
        profiles.remove_unchecked("Anna")
        profiles.register("Anna", password=PASSWORD, again=PASSWORD)
        async with connected_guests(url, "Anna") as (other,):
            assert await other.get_refusal(protocol.SitDown(table)) == NO_SEAT
            assert await other.get_refusal(protocol.ResumeSession(table)) == NOT_OWN_SESSION


async def test_player_who_took_the_nick_of_a_guest_sees_no_private_table_of_theirs():
    async with club() as (_, url), table_of(url, "Anna", "Bob", private=True) as (table, anna, bob):
        await leave_table(table, anna, bob)
        profiles.register("Bob", password=PASSWORD, again=PASSWORD)
        async with joined(url, "Bob", password=PASSWORD) as player:
            anna.view = None
            await anna.send(protocol.ResumeSession(table))
            await anna.send(protocol.Start(table, "novice"), until=lambda: anna.view)
            await player.send(protocol.Watch(table), until=lambda: player.refused or player.view)
            assert player.refused == ["that table is closed"]
            assert player.tables == {}


async def test_registered_guest_keeps_all_seats_and_sessions():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        over = await play_short_session(anna, bob)
        table = await start_table(anna, bob)
        await bob.send(protocol.Register(PASSWORD), until=lambda: bob.account)
        profiles.update_profile("Bob", "Robert", "", "")
        async with joined(url, "Bob", token=bob.account.token) as player:
            await player.send(protocol.SitDown(table), until=lambda: player.view and player.seated.seat == 1)
            assert await FinishedSessions().list_ids(room.clients[-1].person) == (over,)
            await anna.send(protocol.VoteRematch(table), until=lambda: player.update.rematch_seats)
            await player.send(protocol.VoteRematch(table), until=lambda: player.seated.instead == table)
        header = summaries.summarize(summaries.find_path(player.seated.table)).header
        assert header.seats[1].player == profiles.find("Robert").id


async def test_seat_of_a_registered_guest_is_renamed_at_once():
    async with club() as (_, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await bob.send(protocol.Register(PASSWORD), until=lambda: bob.account)
        async with joined(url, "Bob", token=bob.account.token) as player:
            await player.sit_down(table)
            for nick in ("Robert", "Bob"):
                profiles.update_profile(player.welcome.nick, nick, "", "")
                await anna.wait_until(lambda nick=nick: anna.seats[1] == SeatInfo(nick))
                await player.wait_until(lambda nick=nick: player.welcome.nick == nick)
            await player.disconnect(abort=True)
            await player.send(protocol.SitDown(table))
            await player.wait_until(lambda: player.seated.seat == 1 and player.seats[1] == SeatInfo("Bob"))


async def test_seat_of_a_registered_guest_has_the_new_nick_after_a_restart():
    """Nobody was at the table while Bob was renamed, so that its session is read from its file."""
    async with club() as (_, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await bob.send(protocol.Register(PASSWORD), until=lambda: bob.account)
    profiles.update_profile("Bob", "Robert", "", "")
    async with club() as (room, url), joined(url, "Anna", token=anna.welcome.token) as anna:
        await assert_nick_taken(room.authenticator, "Bob")
        assert (await anna.list_unfinished())[0].seats[1].name == "Robert"
        await anna.sit_down(table)
        assert anna.seats[1] == SeatInfo("Robert", away=True)
        await assert_nick_taken(room.authenticator, "Bob")
        async with joined(url, "Robert", password=PASSWORD) as player:
            await player.send(protocol.SitDown(table), until=lambda: player.view and player.seated.seat == 1)
        assert list_seat_changes(summaries.find_path(table)) == [], "nobody else has decided for the seat"


async def test_former_nick_of_a_connected_player_is_taken(anna_with_password):
    """The player's other device goes on under the new nick."""
    async with club() as (_, url), table_of(url, "Anna", "Bob") as (table, anna, _bob):
        profiles.update_profile("Anna", "Hanna", "", "")
        profiles.register_remote("Anna", PASSWORD)
        async with connected_guests(url, "Hanna", "Anna") as (hanna, guest):
            await anna.wait_until(lambda: anna.welcome.nick == "Hanna")
            for request in (protocol.SitDown(table), protocol.ResumeSession(table)):
                assert await guest.get_refusal(request) == NO_SEAT
            await hanna.send(protocol.SitDown(table), until=lambda: hanna.view and hanna.seated.seat == 0)
