"""The club in plain text: lobby, rounds, absent players, wrong input."""

import asyncio
import re
import sys
from random import Random

import pytest

from cardtable.club import protocol
from cardtable.club.client.client import CREDENTIAL_QUESTIONS, ClubClient
from cardtable.club.client.connection import Login
from cardtable.plain.club.client_thread import ClientThread, InputMux
from cardtable.plain.club.lobby import LEFT_CLUB, NO_TABLE_OPEN
from cardtable.plain.console import QuitRequested
from cardtable.store import seasons
from cardtable.store.seasons import Season
from tests.club.bad_lines import FaultyProxy
from tests.club.loopback_club import Guest, club, joined, poll_until
from tests.club.plain_guest import PlainGuest
from tests.pty.terminal import Terminal
from tests.records.archive_sessions import archive_random_session


async def open_table(anna, line="open rikiki length=short lot=off"):
    """Open a table as the guest."""
    anna.type_lines(line)
    await anna.read_until("New: Table 1: ")


async def test_two_guests_play_a_round_one_from_a_script(tmp_path):
    lines = ["wait", "sit 1", "wait", "1", "1"]
    async with (
        club() as (_, url),
        PlainGuest(tmp_path, url, "Anna") as anna,
        PlainGuest(tmp_path, url, "Bob", input_lines=lines) as bob,
    ):
        await bob.read_until("Type help")
        await open_table(anna)
        assert await bob.read_until(
            "New: Table 1: Rikiki. Seats: 1 Anna, 2 free, 3 free, 4 free. House rules: length (16 rounds)."
        )
        await anna.read_until("Bob sits down at table 1, seat 2.")
        anna.type_lines("begin", *["1"] * 4)
        assert await bob.read_until("Rikiki. Around the table, clockwise: ") == (
            "Rikiki. Around the table, clockwise: You, Ada, Bo, Anna."
        )
        for guest in (anna, bob):
            await guest.read_until("Round 1: 1 card each, ", "Round 1 is over. Totals: ")
            assert any(line.startswith("The last trick: ") for line in guest.lines), "it played itself"
        assert await bob.wait_for_exit() == (0, "")
        assert bob.lines[-1] == LEFT_CLUB
        await anna.read_until("Bob is away. The table waits ")


async def test_robot_substitutes_until_the_player_returns(tmp_path):
    async with club() as (_, url), PlainGuest(tmp_path, url, "Anna") as anna:
        async with PlainGuest(tmp_path, url, "Bob") as bob:
            await open_table(anna, "open gurka lot=off")
            await bob.read_until("Table 1: Gurka.")
            bob.type_lines("1")
            await anna.read_until("Bob sits down at table 1")
            anna.type_lines("begin novice")
            await bob.read_until("Gurka. Around the table")  # and is killed: it is Anna who is to act
        await anna.read_until("Bob is away")
        await anna.ask("robot", "Bob has another")
        anna.type_lines("end wait", "robot Bob")
        await anna.read_until("'s seat")
        await anna.ask("who", "Seat 2: Bob, away, a robot plays.")
        async with PlainGuest(tmp_path, url, "Bob") as bob:
            await bob.read_until("You are back at table 1.", "Gurka. Around the table, clockwise: You, Ada, Bo, Anna.")
            await anna.read_until("Bob takes ")


async def test_host_closes_a_table_and_then_the_club(tmp_path):
    async with club() as (room, url), PlainGuest(tmp_path, url, "Anna") as anna:
        await open_table(anna)
        await anna.ask("begin", "Rikiki. Around the table")
        (table,) = room.table_manager.registry.tables
        await room.table_manager.close_table(table, "The host has closed the table of Rikiki.")
        room.schedule_news()
        await anna.read_until("The host has closed the table of Rikiki.", "The club. You are Anna, a guest.")
        await anna.read_until("Session 1: Rikiki, round 1, ")
        anna.type_lines("go on 7", "go on 1")
        await anna.read_until("Type go on and the number", "Rikiki. Around the table")
        await room.close("The club has closed.")
        assert await anna.wait_for_exit() == (0, "")
        assert anna.lines[-1] == "The club has closed."


async def test_talk_in_the_lobby_and_at_the_table(tmp_path):
    async with club() as (_, url), Guest(url, "Bob") as bob, PlainGuest(tmp_path, url, "Anna") as anna:
        await open_table(anna)
        await anna.ask("talk  A game?", "You: A game?")
        await bob.wait_until(lambda: ("Anna", "A game?") in bob.talk)
        await bob.send(protocol.SitDown(*bob.tables))
        await anna.read_until("Bob sits down")
        await anna.ask("begin", "Around the table")
        await bob.wait_until(lambda: bob.view)
        await bob.send(protocol.Say("Hello", bob.seated.table))
        await bob.send(protocol.Say("Hello all"))
        await anna.read_until(": Hello", ": Hello")
        assert {"Bob: Hello", "In the lobby, Bob: Hello all"} < set(anna.lines)
        async with Guest(url, "Cleo") as cleo:
            await cleo.wait_until(lambda: cleo.tables)
            await cleo.send(protocol.Watch(*cleo.tables))
            await anna.read_until("Cleo is watching.")


async def test_new_nick_is_no_departure_and_talk_stays_hidden(tmp_path):
    async with club() as (_, url), joined(url, "Bob") as bob, PlainGuest(tmp_path, url, "Anna") as anna:
        await anna.read_until("Type help")
        await anna.ask("hide bob", "Hidden: ")
        await bob.send(protocol.RenameSelf("Rob"))
        await anna.read_until("Bob is called Rob now.")
        await anna.ask("nick Ann", "Anna is called Ann now.")
        await anna.ask("who", "No table is open yet.")
        assert await anna.ask("hide", "Hidden: ") == ["Hidden: Rob."]
        assert [line for line in anna.lines if line.endswith(("joins.", "leaves."))] == []


async def test_game_master_decides_about_spectators(tmp_path):
    async with (
        club() as (_, url),
        joined(url, "Cleo") as cleo,
        PlainGuest(tmp_path / "anna", url, "Anna") as anna,
        PlainGuest(tmp_path / "dora", url, "Dora") as dora,
    ):
        await dora.read_until("Type help")
        await open_table(anna, "open rikiki lot=off")
        await dora.read_until("New: Table 1: Rikiki.")
        assert await anna.ask("spectators", "Type spectators off") == ["Type spectators off, or spectators on."]
        await anna.ask("spectators off", "Table 1 is closed to spectators now.")
        await dora.read_until("Table 1 is closed to spectators now.")
        assert (await dora.ask("who", "Table 1: Rikiki."))[-1].count("It is closed to spectators.")
        await anna.ask("begin", "Around the table")
        await dora.read_until("Table 1 has started.")
        assert await dora.ask("watch 1", "closed to spectators.") == ["That table is closed to spectators."]
        await anna.ask("who", "This table is closed to spectators.")
        await anna.ask("spectators on", "This table is open to spectators.")
        await dora.read_until("Table 1 is open to spectators now.")
        await dora.ask("watch 1", "You are watching.")
        await cleo.send(protocol.Watch(*cleo.tables))
        await anna.read_until("Cleo is watching.")
        await anna.ask("send away dora", "You have sent Dora away.")
        await dora.read_until("Anna has sent you away from the table.")
        assert (await dora.ask("watch 1", "sent away"))[-1] == "You have been sent away from that table."
        await anna.ask("send away Zoe", "Nobody called Zoe watches that table.")
        await anna.ask("spectators off", "This table is closed to spectators.")
        await cleo.wait_until(lambda: cleo.update.closed == "Anna has closed the table to spectators.")


async def test_spectator_reads_the_game_but_no_hand(tmp_path):
    async with club() as (_, url), joined(url, "Bob") as bob, PlainGuest(tmp_path, url, "Anna") as anna:
        await bob.send(protocol.OpenTable("rikiki", 4, {"length": "short"}))
        await anna.read_until("Table 1: Rikiki.")
        await anna.ask("watch 1", "There is nothing to watch before it starts.")
        await bob.send(protocol.Start(*bob.tables))
        await anna.read_until("Table 1 has started.")
        await anna.ask("watch 1", "You are watching.")
        await bob.play()
        await anna.read_until("The session is over.", "1st: ")
        assert not [line for line in anna.lines if "our hand" in line]
        await anna.read_until("You are Anna, a guest.")


async def test_private_table_and_new_session(tmp_path):
    async with (
        club() as (_, url),
        joined(url, "Cleo") as cleo,
        joined(url, "Bob") as bob,
        PlainGuest(tmp_path, url, "Anna") as anna,
    ):
        anna.type_lines("open gurka private invite=Bob lot=off")
        assert await anna.read_until("New: Table 1: ") == (
            "New: Table 1: Gurka. Seats: 1 you, 2 free, 3 free, 4 free. If more people come, it has up to 6 seats. "
            "It is private: only Anna, Bob can see it. You start it; steady robots take free seats."
        )
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.send(protocol.SitDown(table))
        await anna.read_until("Bob sits down at table 1")
        assert await anna.ask("invite Cleo", "Cleo is invited") == ["Cleo is invited to table 1."]
        await cleo.wait_until(lambda: cleo.tables)
        await anna.ask("uninvite cleo", "Cleo is not invited to table 1 any more.")
        for typed, answer in {
            "invite": "Add the nick of a person.",
            "invite Cleo 2": "You have no such private table; open GAME private opens one.",
            "invite Zoe": "Nobody called Zoe has been here yet.",
            "uninvite Cleo": "Cleo is not invited to that table.",
            "open gurka grow=yes": "Grow is on, for more seats if more people come, or off.",
        }.items():
            assert await anna.ask(typed, answer) == [answer]
        await anna.ask("begin", "Around the table")
        await bob.wait_until(lambda: bob.view)
        await anna.ask("invite Cleo", "Only Anna, Bob, Cleo can see this table.")
        await cleo.wait_until(lambda: cleo.tables)
        await cleo.send(protocol.Watch(table))
        await anna.read_until("Cleo is watching.")
        # a new session needs everybody's agreement
        await anna.ask("new", "You offer another session.")
        await bob.wait_until(lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.DeclineRematch(table))
        await anna.read_until("The offer of another session has lapsed.")
        anna.type_lines("end wait", "new")
        await anna.read_until("You offer another session.")
        await bob.send(protocol.VoteRematch(table))
        await anna.read_until("Gurka. Around the table")
        assert bob.tables.keys() >= {table}


async def test_hidden_people_are_remembered(tmp_path):
    async with club() as (_, url), joined(url, "Bob") as bob:
        async with PlainGuest(tmp_path, url, "Anna") as anna:
            await anna.ask("hide Bob", "Hidden: Bob.")
            for typed, answer in {
                "hide anna": "You cannot hide yourself.",
                "hide B": "A nick is one word of 3 to 8 letters or digits.",
                "show": 'I don\'t know "show" here. Type help.',
            }.items():
                assert await anna.ask(typed, answer) == [answer]
            anna.type_lines("quit")
            await anna.wait_for_exit()
        async with PlainGuest(tmp_path, url, "Anna") as anna:
            await anna.ask("hide", "Hidden: Bob.")
            await bob.send(protocol.Say("Psst"))
            await bob.send(protocol.OpenTable("rikiki", 4))
            await anna.read_until("New: Table 1")
            await anna.ask("show bob", "What Bob says is shown.")
            await bob.send(protocol.Say("Hello"))
            await anna.read_until("Bob: Hello")
            assert "Bob: Psst" not in anna.lines


async def test_invalid_commands_get_a_one_line_answer(tmp_path):
    async with club() as (_, url), PlainGuest(tmp_path, url, "Anna") as anna:
        await anna.read_until(NO_TABLE_OPEN)
        await anna.read_until("Type help")
        for typed, answer in {
            "hello": 'I don\'t know "hello" here. Type help.',
            "1": "No table has the number 1; an empty line lists them.",
            "sit": "Type the number of the table as well.",
            "begin": "You are not at a table that has yet to start; sit down at one, or open one.",
            "go on 1": "You have no unfinished session here.",
            "stand up": "You are not at a table that has yet to start; sit down at one, or open one.",
            "open": "Name a game, such as open rikiki seats=4 length=short: ",
            "open whist": "No game is called 'whist'; the games are rikiki, ",
            "open rikiki seats=9": "Rikiki has 4 seats, not 9.",
            "open rikiki length=long": "Option length cannot be 'long'; it can be ",
            "open rikiki grace=1": "Grace is a number of seconds from 5 to 3600, not 1.",
            "open rikiki short": "'short' is not NAME=VALUE, such as open_hands=on.",
            "talk": "Type what you want to say after talk, such as talk Good evening.",
            "talk " + "x" * 201: "That has 201 characters; at most 200 can be said at once.",
            "report": "Add the nick of a person: report NICK.",
            "withdraw": "Add one of your devices: withdraw DEVICE.",
            "password": "Only players of the club have a password; register first.",
            "sign in Bob": "Bob has a password, which cannot be asked for through a pipe; use a terminal.",
            "register": "A password cannot be typed unseen through a pipe; no password was set.",
        }.items():
            assert (await anna.ask(typed, answer))[0].startswith(answer)
        await anna.read_until("You stay a guest.")
        await open_table(anna)
        for typed, answer in {
            "1": "You already sit there.",
            "sit 1 5": "Table 1 has seats 1 to 4.",
            "begin clever": "Robot levels are novice, steady or expert.",
        }.items():
            assert await anna.ask(typed, answer) == [answer]
        await anna.ask("begin", "Your hand: ")
        await anna.read_until("Bid 0")
        for typed, answer in {
            "bid 9": 'I don\'t know "bid 9" here. Type help.',
            "play": 'I don\'t know "play" here. Type help.',
            "deal": "No round is over yet.",
            "why": "No round is over yet.",
            "previous": "No trick has been taken in this round yet.",
            "hands": "The other hands are hidden.",
            "undo": 'I don\'t know "undo" here. Type help.',
            "robot": "Nobody is away here.",
            "robot Zoe": "Nobody at this table is called Zoe; who lists them.",
            "robot Ada": "The player of that seat is here.",
            "give Ada to robot": "",
            "again": "The session is not over yet.",
            "talk": "Nothing has been said yet.",
        }.items():
            assert len(await anna.ask(typed, answer)) == 1


async def test_asks_for_missing_nick_and_code(tmp_path):
    async with club(code="sesame77") as (lobby, url):
        async with PlainGuest(tmp_path, url, "", input_lines=["anna", "wrong", "sesame77"]) as anna:
            assert await anna.wait_for_exit() == (0, "")
            assert anna.lines[:5] == [
                " ".join(CREDENTIAL_QUESTIONS["nick"]),
                "This club has a code; ask its host.",
                " ".join(CREDENTIAL_QUESTIONS["code"]),
                "That is not the code of this club; ask its host.",
                " ".join(CREDENTIAL_QUESTIONS["code"]),
            ]
            assert "The club. You are Anna, a guest." in anna.lines
        await lobby.administration.change_code("another1", everybody=True)
        async with PlainGuest(tmp_path, url, "", input_lines=["another1", "quit"]) as anna:
            assert await anna.wait_for_exit() == (0, ""), "she is known here"
            assert anna.lines[0] == "The club has a new code; ask its host for it."
            assert "The club. You are Anna, a guest." in anna.lines
        await lobby.administration.change_code("sesame77")
        async with PlainGuest(tmp_path, url, "Bo", "--code", "sesame77", input_lines=[""]) as robot:
            assert await robot.wait_for_exit() == (0, "")
            assert robot.lines == [
                "A nick is one word of 3 to 8 letters or digits.",
                " ".join(CREDENTIAL_QUESTIONS["nick"]),
                LEFT_CLUB,
            ]
    async with PlainGuest(tmp_path, url, "Anna", input_lines=[]) as anna:
        assert await anna.wait_for_exit() == (
            1,
            "cardtable: the club cannot be reached: nothing answers at that address; ask whether the club is open\n",
        )


async def test_connection_that_is_cut(tmp_path):
    """The program connects again by itself; the second time the table is closed."""
    async with (
        club() as (room, url),
        (line := FaultyProxy(url, Random(0))).open() as bad,
        PlainGuest(tmp_path, bad, "Anna") as anna,
    ):
        await open_table(anna)
        await anna.ask("begin", "Your hand: ")
        for is_closed in (False, True):
            line.odds["cut"] = 1
            await anna.ask("talk Where are you?", "The club cannot be reached; the program keeps trying.")
            if is_closed:
                await poll_until(lambda: not room.present_nicks)
                room.table_manager.registry.tables.clear()  # as if the session had ended
            line.odds["cut"] = 0
            await anna.read_until("You are back at the club.")
            await anna.read_until("That table is closed." if is_closed else "Your hand: ")
        await anna.ask("1", "That table is closed.")
        await anna.ask("leave", "You are Anna, a guest.")


def test_missing_stdin_quits(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(QuitRequested):
        InputMux().wait_for_input(needs_line=True)


def test_client_error_is_raised_to_the_caller(monkeypatch):
    monkeypatch.setattr(ClubClient, "run", lambda _client: 1 / 0)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ZeroDivisionError):
        ClientThread("ws://localhost:1", InputMux()).connect(Login("Anna"))


async def test_ctrl_c_leaves_the_club(tmp_path):
    def leave(url):
        with Terminal(tmp_path / "home", "join", url, "--plain", "--nick", "Anna") as terminal:
            terminal.wait("Type help for what can be typed.")
            terminal.send("\x03")
            assert terminal.wait_for_end() == 130
            assert terminal.output.decode().rstrip().endswith(f"^C\r\n{LEFT_CLUB}")
            assert terminal.modes == terminal.modes_before

    async with club() as (_, url):
        await asyncio.to_thread(leave, url)


async def test_register_sign_in_and_change_unseen_password(tmp_path):
    def register(url):
        with Terminal(tmp_path / "one", "join", url, "--plain", "--nick", "Anna") as terminal:
            terminal.wait("You are Anna, a guest.")
            terminal.send("register\r")
            terminal.wait("Password (it is not shown), or an empty line to change nothing:")
            terminal.send("sesame77\r")
            terminal.wait("The same again:")
            terminal.send("sesame77\r")
            terminal.wait("You are Anna.")
        with Terminal(tmp_path / "two", "join", url, "--plain", "--nick", "Anna") as terminal:
            terminal.wait("Anna is not free")
            terminal.wait("Password or word of Anna (it is not shown), or an empty line for another nick:")
            terminal.send("sesame77\r")
            terminal.wait("You are Anna.")
            terminal.send("password\r")
            for prompt, typed in (
                ("Your present password (it is not shown):", "sesame77"),
                ("Password (it is not shown), or an empty line to change nothing:", "another77"),
                ("The same again:", "another77"),
                ("Type y to log out your other devices", "y"),
            ):
                terminal.wait(prompt)
                terminal.send(f"{typed}\r")
            terminal.wait("Your password is changed.")
            assert b"sesame77" not in terminal.output
            assert b"another77" not in terminal.output

    async with club() as (_, url):
        await asyncio.to_thread(register, url)


async def test_finished_session_is_saved_and_another_follows(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text("round_pause = 0\n")

    def play(url):
        with Terminal(tmp_path / "home", "join", url, "--plain", "--nick", "Anna", size=(120, 40)) as terminal:
            terminal.wait("Type help")
            terminal.send("open ten-down seats=2\r")
            terminal.wait("New: Table 1")
            terminal.send("begin\r")
            while b"The session is over." not in terminal.output:
                terminal.wait(lambda: re.search(rb"(Bid|1: play) [^.]*\.\r\n$|session is over", terminal.output))
                asked = terminal.output.count(b"Your hand: ")
                terminal.send("1\r")
                terminal.wait(
                    lambda asked=asked: (
                        terminal.output.count(b"Your hand: ") > asked or b"The session is over." in terminal.output
                    )
                )
            terminal.wait("Press Enter to go to the lobby.")
            terminal.wait("The session is saved here, too: cardtable replay ")
            terminal.send("again\r")
            terminal.wait(lambda: terminal.output.count(b"Ten Down. Around the table") == 2)
            terminal.send("quit\r")
            assert terminal.wait_for_end() == 0

    async with club() as (_, url):
        await asyncio.to_thread(play, url)


async def test_seasons_are_listed_and_read(tmp_path):
    archive_random_session("gurka", "~Anna ~Bob steady steady", host="club")
    async with club() as (_, url), PlainGuest(tmp_path, url, "Anna") as anna:
        await anna.read_until("Type help")
        anna.type_lines("season", "season Winter")
        assert await anna.read_until("The club has") == "The club has no seasons or tournaments."
        assert await anna.read_until("No season is") == "No season is called 'Winter'; there is none."
        seasons.add(Season("Autumn", ("gurka",)))
        anna.type_lines("season", "season autumn")
        await anna.read_until("Autumn: Gurka.", "Type season and the name of one for its tables.", "Autumn.")
        await anna.read_until("Gurka: 1 session.")
        assert re.fullmatch(
            r"Anna \(guest\): \S+, played 1, won \d, beaten [\d.]+%, points \d+, average [\d.]+\.",
            await anna.read_until("Anna (guest)"),
        )
