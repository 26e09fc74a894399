"""Talk in the lobby: the last lines for those who come in, and messages to one person, which can be reported."""

import time

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.server import club_file, lobby
from cardtable.club.server.accounts import REPORT_SECONDS, ClubAccounts
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import club, connected_guests, full_disk, joined, start_table
from tests.club.plain_guest import PlainGuest
from tests.club.test_administration import execute, open_club


async def say_to(sender, receiver, text):
    """Say something to another guest alone, and wait until both have it."""
    said = protocol.Talk(text, sender.welcome.nick, to=receiver.welcome.nick)
    await sender.send(protocol.SayTo(receiver.welcome.nick, text), until=lambda: said in sender.messages)
    await receiver.wait_until(lambda: said in receiver.messages)


async def test_newcomer_reads_the_last_lines_but_those_of_muted_people(set_limit):
    set_limit("talk", number=100)
    set_limit("address_talk", number=100)
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        for number in range(52):
            await anna.send(protocol.Say(str(number)), until=lambda number=number: ("Anna", str(number)) in bob.talk)
        await bob.send(protocol.Say("spam"), until=lambda: ("Bob", "spam") in anna.talk)
        await room.administration.mute("Bob")
        async with joined(url, "Cleo") as cleo:
            assert [talk.text for talk in cleo.welcome.talk] == [str(number) for number in range(3, 52)]
            assert all(abs(talk.at - time.time()) < 600 for talk in cleo.welcome.talk)
    async with club() as (_, url), joined(url, "Dora") as dora:
        assert not dora.welcome.talk, "it is not stored"


async def test_last_lines_are_shown_with_their_time_and_once(monkeypatch):
    monkeypatch.setattr(lobby, "time", lambda: 1_800_000_000.0)
    async with club() as (_, url), joined(url, "Bob") as bob:
        await bob.send(protocol.Say("A round?"), until=lambda: bob.talk)
        async with lobby_app(url, size=(120, 40)) as screen:
            await screen.sees("15 Jan Bob: A round?")
            monkeypatch.setattr(lobby, "time", lambda: 1_800_000_001.0)
            await bob.send(protocol.Say("Hello"))
            await screen.sees("Bob: Hello")
            client = screen.page.client
            await client.connection.socket.close()
            await screen.wait_until(lambda: not client.connection.is_connected)
            await screen.wait_until(lambda: client.connection.is_connected)
            assert [talk.text for talk in client.talk if talk.who] == ["A round?", "Hello"]
            assert "Jan Bob: Hello" not in screen.text


async def test_private_message_reaches_all_devices_of_one_person():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        async with joined(url, "Bob", token=bob.welcome.token) as phone:
            await say_to(anna, bob, "Psst")
            await phone.wait_until(lambda: protocol.Talk("Psst", "Anna", to="Bob") in phone.messages)
        await anna.send(protocol.Say("Hello"), until=lambda: ("Anna", "Hello") in cleo.talk)
        assert cleo.talk == [("Anna", "Hello")]
        for nick in ("Dora", "anna"):
            assert await anna.get_refusal(protocol.SayTo(nick, "Psst")) == f"nobody else here is called {nick}"
        assert await anna.get_refusal(protocol.SayTo("Bob", " ")) == "type something to say"
        async with joined(url, "Dora") as dora:
            assert [talk.text for talk in dora.welcome.talk] == ["Hello"]


async def test_people_at_one_table_say_nothing_privately():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await say_to(anna, cleo, "Come and watch")
        await cleo.send(protocol.Watch(table), until=lambda: cleo.view)
        for guest, nick in ((anna, "Bob"), (bob, "Anna"), (cleo, "Bob")):
            refusal = await guest.get_refusal(protocol.SayTo(nick, "I have the ace"))
            assert refusal == f"you are at one table with {nick}; say it there"


async def test_private_messages_are_limited_and_refused_of_muted_people():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, _):
        for _number in range(7):
            await anna.send(protocol.SayTo("Bob", "Psst"))
        await anna.wait_until(lambda: anna.refused == ["you are talking too fast; wait a few seconds"])
        await room.administration.mute("Anna")
        assert await anna.get_refusal(protocol.SayTo("Bob", "Psst")) == "the host has muted you"


async def test_host_reads_reported_messages_and_no_others():
    lines = []
    async with open_club(lines) as (club, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        await say_to(anna, bob, "Give me your password")
        await say_to(cleo, bob, "Good evening")
        assert await bob.get_refusal(protocol.Report("Dora")) == "Dora has said nothing to you alone"
        assert [*(await execute(club, "reports")).iter_lines()] == ["Nobody has reported anything."]
        with full_disk():
            assert await bob.get_refusal(protocol.Report("Anna")) == "the disk is full"
        await bob.send(protocol.Report("anna"))
        await bob.wait_until(lambda: ("", "The host can now read what Anna has said to you.") in bob.talk)
        assert [*(await execute(club, "reports")).iter_lines()] == ["Anna to Bob:", "    Give me your password"]
        assert b"Good evening" not in club_file.paths.club_file().read_bytes()
    assert "Bob reports what Anna has said privately; `club reports` shows it" in lines
    assert not any("password" in line for line in lines)


async def test_report_is_forgotten_after_a_month_or_with_its_people():
    accounts = ClubAccounts()
    await accounts.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Bob"))
    await accounts.administration.report("Bob", "Anna", ("Psst",))
    await accounts.administration.report("Cleo", "Anna", ("Psst",))
    await accounts.administration.erase("Bob")
    later = ClubAccounts(clock=lambda: time.time() + REPORT_SECONDS - 60)
    assert [each.by for each in later.administration.reports] == ["Cleo"]
    assert not ClubAccounts(clock=lambda: time.time() + REPORT_SECONDS).administration.reports


async def test_private_messages_on_the_screen():
    async with club() as (room, url), joined(url, "Bob") as bob, lobby_app(url, size=(80, 24)) as screen:
        await screen.sees("Bob")
        await screen.press("p", "talk to one of them")
        await screen.press("enter", "What do you say to Bob?")
        await screen.enter("Good evening", "talk to one of them")
        await bob.wait_until(lambda: protocol.Talk("Good evening", "Anna", to="Bob") in bob.messages)
        await bob.send(protocol.SayTo("Anna", "Give me your password"))
        await screen.sees("Report to the host what Bob has said to you alone")
        await screen.choose("report Bob", "Report Bob?")
        await screen.press("enter")
        await bob.wait_until(lambda: room.administration.reports)
        await screen.press("escape", "Anna to Bob: Good evening", "Bob to you: Give me your", "The host can now read")


async def test_private_messages_in_plain_text_in_the_lobby_and_at_a_table(tmp_path):
    async with club() as (room, url), joined(url, "Bob") as bob, PlainGuest(tmp_path, url, "Anna") as anna:
        anna.type_lines("tell Bob", "tell bob Good evening")
        await anna.read_until("Add the nick of a person", "You to Bob: Good evening")
        anna.type_lines("open rikiki", "begin")
        await anna.read_until("Rikiki. Around the table")
        await bob.send(protocol.SayTo("Anna", "Give me your password"))
        await anna.read_until("Bob to Anna: Give me your password")
        anna.type_lines("report Bob")
        await anna.read_until("The host can now read what Bob has said to you.")
        assert room.administration.reports
