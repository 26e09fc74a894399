"""Nicks that people or the host change: everything of the person goes with them, and the former nick stays reserved."""

import pytest

from cardtable.club import protocol
from cardtable.club.client.connection import Login
from cardtable.club.protocol import SeatInfo
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.limits import LoginError
from cardtable.engine.errors import CardtableError
from cardtable.store import profiles, seasons, summaries
from cardtable.store.seasons import Season
from tests.club.account_logins import Clock, assert_refused, log_in, running_client
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import (
    PASSWORD,
    club,
    connected_guests,
    enter_once,
    full_disk,
    hosted_guest,
    joined,
    leave_table,
    poll_until,
    read_refusal,
    start_table,
    table_of,
    wait_for_all,
)
from tests.club.plain_guest import PlainGuest
from tests.club.test_administration import execute, open_club

ONCE = "you can change your nick once in a season, or in 90 days without one"


async def rename(guest, nick):
    await guest.send(protocol.RenameSelf(nick), until=lambda: guest.welcome.nick == nick)


async def test_host_renames_a_guest_who_plays():
    lines = []
    async with open_club(lines) as (club, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        token, table = bob.welcome.token, await start_table(anna, bob, private=True)
        async with hosted_guest(club.lobby, "Bob") as tab:
            result = await execute(club, "rename", "bob", "rob")
            assert result.text == "Bob is called Rob now."
            await wait_for_all((bob, tab), lambda device: device.welcome.nick == "Rob")
            await tab.disconnect()
        await anna.wait_until(lambda: anna.seats[1] == SeatInfo("Rob") and ("", "Bob is called Rob now.") in anna.talk)
        await bob.disconnect()
        await bob.sit_down(table)
        await leave_table(table, bob, anna)
        assert [row.table for row in await bob.list_unfinished()] == [table]
    assert "the administrator renames Bob to Rob" in lines
    async with open_club() as (_, url), joined(url, "Bob", token=token) as bob:
        assert bob.welcome.nick == "Rob"
        await bob.send(protocol.ResumeSession(table), until=lambda: table in bob.tables)
        assert bob.tables[table].seats[1] == SeatInfo("Rob")
        assert "Bob is not free" in await read_refusal(url, "Bob")


async def test_nick_changes_once_in_a_season_or_in_90_days():
    clock = Clock()
    accounts = ClubAccounts(clock=clock)
    await log_in(accounts, "Bob")
    rename = accounts.administration.rename
    await rename("Bob", "Rob", is_own_wish=True)
    for since in (None, clock.now - 5):
        seasons.add(Season(f"From {since}", ("rikiki",), begins=since and int(since)))
        clock.now += 89 * 24 * 3600
        with pytest.raises(CardtableError, match=ONCE):
            await rename("Rob", "Hob", is_own_wish=True)
    seasons.add(Season("New", ("rikiki",), begins=int(clock.now) - 1))
    await rename("Rob", "Bob", is_own_wish=True)
    with pytest.raises(CardtableError, match=ONCE):
        await rename("Bob", "Rob", is_own_wish=True)
    assert (await rename("Bob", "Hob"))[1].former_nicks == ("Rob", "Bob"), "the host may do it at any time"


@pytest.mark.parametrize("nick", ["Robot", "Host", "R0bot", "Expert", "Ada"])
async def test_reserved_names_are_no_nicks(nick):
    accounts = ClubAccounts()
    await log_in(accounts, "Bob")
    for is_own_wish in (False, True):
        with pytest.raises(CardtableError, match="choose another nick"):
            await accounts.administration.rename("Bob", nick, is_own_wish=is_own_wish)
    with pytest.raises(CardtableError, match="choose another nick"):
        await accounts.administration.create_invitation(nick)
    with pytest.raises(LoginError, match="choose another nick"):
        await log_in(accounts, nick)
    with pytest.raises(profiles.InvalidProfile, match="choose another nick"):
        profiles.register(nick)


async def test_given_up_nick_belongs_to_its_person_until_they_are_forgotten():
    accounts = ClubAccounts()
    _, token = await log_in(accounts, "Bob")
    await log_in(accounts, "Anna")
    await accounts.administration.ban("Bob")
    await accounts.administration.mute("Bob")
    word = await accounts.administration.create_invitation("Bob")
    await accounts.administration.rename("Bob", "Rob")
    accounts = ClubAccounts()
    assert accounts.store.is_muted("Rob")
    assert not accounts.store.is_muted("Bob")
    assert "you are banned" in str(await assert_refused(accounts, "Bob", token=token))
    await accounts.administration.unban("Rob")
    assert (await log_in(accounts, "Rob", code=word))[0].nick == "Rob"
    assert (await log_in(accounts, "Bob", token=token))[0].nick == "Rob"
    for nick in ("Bob", "bob", "Bоb"):
        assert await assert_refused(accounts, nick)
    with pytest.raises(CardtableError, match="Anna has been here before"):
        await accounts.administration.rename("Bob", "Anna")
    with pytest.raises(CardtableError, match=r"^Anna is not free$"):
        await accounts.administration.rename("Rob", "Anna", is_own_wish=True)
    assert (await accounts.administration.forget("Bob")).nick == "Rob"
    await log_in(accounts, "Bob")


async def test_nick_stays_as_it_was_if_the_disk_is_full():
    async with club() as (room, url), table_of(url, "Anna", "Bob") as (_, anna, bob):
        with full_disk():
            assert await bob.get_refusal(protocol.RenameSelf("Rob")) == "the disk is full"
        assert room.accounts.find_account("Rob") is None
        await anna.wait_until(lambda: anna.seats[1] == SeatInfo("Bob"))
        await rename(bob, "Rob")
        await anna.wait_until(lambda: anna.seats[1] == SeatInfo("Rob"))


async def test_player_changes_the_nick_of_the_profile(anna_with_password):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        token = anna.welcome.token
        await rename(anna, "Hanna")
        await bob.wait_until(lambda: "Hanna" in bob.people)
        assert await anna.get_refusal(protocol.RenameSelf("Anna")) == ONCE
        assert profiles.find("Hanna").first_nick == "Anna"
        await enter_once(url, "Hanna", password=PASSWORD)
        await enter_once(url, "Anna", token=token)


async def test_muted_guest_keeps_the_nick():
    async with club() as (room, url), connected_guests(url, "Bob") as (bob,):
        await room.administration.mute("Bob")
        assert await bob.get_refusal(protocol.RenameSelf("Rob")) == "the host has muted you"


async def test_sessions_under_a_former_nick_are_listed_and_erased():
    async with club() as (room, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await bob.send(protocol.Say("Good evening", table), until=lambda: len(anna.notes) > 1)
        await leave_table(table, bob, anna)
        await rename(bob, "Rob")
        await bob.link.socket.close()
        bob.task.cancel()
        await poll_until(lambda: room.present_nicks == ("Anna",))
        erasure = await room.erase("Rob")
    assert erasure.sessions == (table,)
    assert b"Bob" not in summaries.find_path(table).read_bytes()


async def test_client_comes_back_under_the_new_nick():
    async with club(code="kmnpqrst") as (_, url):
        async with running_client(url, "Bob", "kmnpqrst") as program:
            await program.wait_until(lambda: program.client.connection.is_connected)
            await program.client.send_request(protocol.RenameSelf("Rob"))
            await program.wait_until(lambda: program.client.nick == "Rob")
        async with running_client(url, Login()) as program:
            await program.wait_until(lambda: program.client.nick == "Rob")


async def test_nick_is_changed_on_the_screen():
    async with club() as (_, url), lobby_app(url, size=(120, 40)) as screen:
        await screen.sees("Your nick and devices")
        await screen.choose("account", "Change your nick")
        await screen.choose("nick", "Which nick?")
        await screen.press(" ".join(["backspace"] * 4))
        await screen.enter("hanna", "Hanna")
        await screen.choose("nick", "Which nick?")
        await screen.enter("h", ONCE)
        await screen.press("escape", "Anna is called Hanna now.")


async def test_nick_is_changed_in_plain_text(tmp_path):
    async with club() as (_, url), PlainGuest(tmp_path, url, "Anna") as anna:
        anna.type_lines("nick", "nick hanna")
        await anna.read_until("Add the new nick", "Anna is called Hanna now.")
        await anna.ask("", "You are Hanna, a guest.")
