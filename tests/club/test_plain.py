"""A club in plain lines: the way to a table, a round, who is away and back, and the obvious wrong things."""

import asyncio
import re
import sys
from contextlib import asynccontextmanager
from random import Random

import pytest

from cardtable.club import protocol
from cardtable.club.client.client import QUESTIONS, ClubClient
from cardtable.club.client.connection import Login
from cardtable.plain.club.client_thread import ClientThread, InputMux
from cardtable.plain.club.lobby import LEFT_CLUB, NO_TABLE
from cardtable.plain.console import QuitRequested
from tests.club.bad_lines import BadLine
from tests.club.over_loopback import Guest, club
from tests.club.plain_guest import PlainGuest
from tests.pty.terminal import Terminal

SHORT = "open rikiki length=short lot=off"


async def opened(anna, line=SHORT):
    """A table of hers."""
    anna.types(line)
    await anna.hears("New: Table 1: ")


async def test_two_play_a_round_one_of_them_by_lines_given_in_advance(tmp_path):
    lines = ["wait", "sit 1", "wait", "1", "1"]
    async with (
        club() as (_, url),
        PlainGuest(tmp_path, url, "Bob", given=lines) as bob,
        PlainGuest(tmp_path, url, "Anna") as anna,
    ):
        await opened(anna)
        assert await bob.hears(
            "New: Table 1: Rikiki. Seats: 1 Anna, 2 free, 3 free, 4 free. House rules: length short."
        )
        await anna.hears("Bob sits down at table 1, seat 2.")
        anna.types("begin", *["1"] * 4)
        assert await bob.hears("Rikiki. Around the table, clockwise: ") == (
            "Rikiki. Around the table, clockwise: You, Ada, Bo, Anna."
        )
        for guest in (anna, bob):
            await guest.hears("Round 1: 1 card each, ")
            await guest.hears("Round 1 is over. Totals: ")
            assert any(line.startswith("The last trick: ") for line in guest.heard), "it played itself"
        assert await bob.ends() == (0, "")
        assert bob.heard[-1] == LEFT_CLUB
        await anna.hears("Bob is away. The table waits ")


async def test_a_robot_plays_for_who_has_gone_until_he_is_back(tmp_path):
    async with club() as (_, url), PlainGuest(tmp_path, url, "Anna") as anna:
        async with PlainGuest(tmp_path, url, "Bob") as bob:
            await opened(anna, "open gurka lot=off")
            await bob.hears("Table 1: Gurka.")
            bob.types("1")
            await anna.hears("Bob sits down at table 1")
            anna.types("begin novice")
            await bob.hears("Gurka. Around the table")
            bob.types("quit")
            assert await bob.ends() == (0, "")
        await anna.hears("Bob is away")
        anna.types("robot")
        await anna.hears("Bob has another")
        anna.types("end wait", "robot Bob")
        await anna.hears("sits down")
        anna.types("who")
        await anna.hears("Seat 2: Bob, away, a robot plays.")
        async with PlainGuest(tmp_path, url, "Bob") as bob:
            while "Seats: 1 Anna, 2 you, 3 Ada (robot), 4 Bo (robot)." not in await bob.hears("Table 1: Gurka."):
                bob.types("")  # the lobby is told some times a second only
            bob.types("1")
            await bob.hears("Gurka. Around the table, clockwise: You, Ada, Bo, Anna.")
            await anna.hears("Bob sits down where ")


async def test_talk_is_heard_in_the_lobby_and_at_the_table(tmp_path):
    async with club() as (_, url), Guest(url, "Bob") as bob, PlainGuest(tmp_path, url, "Anna") as anna:
        await opened(anna)
        anna.types("talk  A game?")
        await anna.hears("You: A game?")
        await bob.until(lambda: ("Anna", "A game?") in bob.talk)
        await bob.say(protocol.SitDown(*bob.rows))
        await anna.hears("Bob sits down")
        anna.types("begin")
        await anna.hears("Around the table")
        await bob.until(lambda: bob.view)
        await bob.say(protocol.Say("Hello", bob.seated.table))
        await bob.say(protocol.Say("Hello all"))
        await anna.hears(": Hello")
        await anna.hears(": Hello")
        assert {"Bob: Hello", "In the lobby, Bob: Hello all"} < set(anna.heard)
        async with Guest(url, "Cleo") as cleo:
            await cleo.until(lambda: cleo.rows)
            await cleo.say(protocol.LookOn(*cleo.rows))
            await anna.hears("Cleo is watching.")


async def test_who_looks_on_hears_the_game_and_no_hand(tmp_path):
    async with club() as (_, url), Guest(url, "Bob") as bob, PlainGuest(tmp_path, url, "Anna") as anna:
        await bob.until(lambda: bob.welcome)
        await bob.say(protocol.OpenTable("rikiki", 4, {"length": "short"}))
        await anna.hears("Table 1: Rikiki.")
        anna.types("watch 1")
        await anna.hears("There is nothing to watch before it begins.")
        await bob.say(protocol.Start(*bob.rows))
        await anna.hears("Table 1 has begun.")
        anna.types("watch 1")
        await anna.hears("You are watching.")
        await bob.play()
        await anna.hears("The session is over.")
        await anna.hears("Place 1: ")
        assert not [line for line in anna.heard if "our hand" in line]
        await anna.hears("You are Anna, a guest.")


async def test_a_session_is_left_and_taken_up_again(tmp_path):
    async with club() as (_, url), PlainGuest(tmp_path, url, "Anna") as anna:
        await opened(anna, "open ten-down seats=2 lot=off")
        anna.types("begin")
        await anna.hears("Your hand: ")
        anna.types("leave")
        await anna.hears("You are Anna")
        await anna.hears("Session 1: Ten Down, round 1, played ")
        anna.types("go on 7", "go on 1")
        await anna.hears("Say go on and the number")
        await anna.hears("Ten Down. Around the table, clockwise: You, Ada.")
        await anna.hears("Your hand: ")


async def test_what_cannot_be_is_said_in_a_line(tmp_path):
    async with club() as (_, url), PlainGuest(tmp_path, url, "Anna") as anna:
        await anna.hears(NO_TABLE)
        await anna.hears("Type help")
        for typed, answer in {
            "hello": "There is no hello here. Type help.",
            "1": "No table has the number 1; an empty line lists them.",
            "sit": "Say which table, by its number.",
            "begin": "You do not sit at a table that is still to begin; sit down at one, or open one.",
            "go on 1": "You have no unfinished session here.",
            "stand up": "You do not sit at a table that is still to begin; sit down at one, or open one.",
            "open": "Say which game, such as open rikiki seats=4 length=short: ",
            "open whist": "No game is called 'whist'; the games are rikiki, ",
            "open rikiki seats=9": "Rikiki has 4 seats, not 9.",
            "open rikiki length=long": "Option length cannot be 'long'; it can be ",
            "open rikiki grace=1": "Grace is a number of seconds from 5 to 3600, not 1.",
            "open rikiki short": "'short' is not NAME=VALUE, such as open_hands=on.",
            "talk": "Type what you want to say after talk, such as talk Good evening.",
            "talk " + "x" * 201: "At most 200 characters can be said at once; these are 201.",
            "sign in Bob": "Bob has a password, which cannot be asked for through a pipe; use a terminal.",
            "register": "A password cannot be typed unseen through a pipe; there is none.",
        }.items():
            assert (await anna.told(typed, answer))[0].startswith(answer)
        await anna.hears("You stay a guest.")
        await opened(anna)
        for typed, answer in {
            "1": "You already sit there.",
            "sit 1 5": "Table 1 has seats 1 to 4.",
            "begin clever": "Robots are novice, steady or expert.",
        }.items():
            assert await anna.told(typed, answer) == [answer]
        anna.types("begin")
        await anna.hears("Your hand: ")
        await anna.hears("Bid 0")
        for typed, answer in {
            "bid 9": "I do not understand: bid 9. Type help.",
            "play": "I do not understand: play. Type help.",
            "deal": "No round is over yet.",
            "why": "No round is over yet.",
            "previous": "No trick has been taken in this round.",
            "hands": "The hands of the others are closed.",
            "undo": "I do not understand: undo. Type help.",
            "robot": "Nobody is away here.",
            "robot Zoe": "Nobody at this table is called Zoe; who lists them.",
            "robot Ada": "Nobody is away from that seat.",
            "give Ada to robot": "",
            "again": "The session is not over yet.",
            "talk": "Nothing has been said yet.",
        }.items():
            assert len(await anna.told(typed, answer)) == 1


async def test_at_the_door_it_is_said_what_is_missing(tmp_path):
    async with club(code="sesame77") as (_, url):
        async with PlainGuest(tmp_path, url, "", given=["anna", "wrong", "sesame77"]) as anna:
            assert await anna.ends() == (0, "")
            assert anna.heard[:5] == [
                " ".join(QUESTIONS["nick"]),
                "This club has a code; its host can tell you.",
                " ".join(QUESTIONS["code"]),
                "That is not the code of this club; its host can tell you.",
                " ".join(QUESTIONS["code"]),
            ]
            assert "The club. You are Anna, a guest." in anna.heard
        async with PlainGuest(tmp_path, url, "", given=["quit"]) as anna:
            assert await anna.ends() == (0, ""), "she is known here"
            assert "The club. You are Anna, a guest." in anna.heard
        async with PlainGuest(tmp_path, url, "Bo", "--code", "sesame77", given=[""]) as robot:
            assert await robot.ends() == (0, "")
            assert robot.heard == [
                "A nick is one word of 3 to 8 letters or digits.",
                " ".join(QUESTIONS["nick"]),
                LEFT_CLUB,
            ]
    async with PlainGuest(tmp_path, url, "Anna", given=[]) as anna:
        assert await anna.ends() == (
            1,
            "cardtable: the club cannot be reached: nothing answers at that address; ask whether the club is open\n",
        )


@asynccontextmanager
async def cut_off(tmp_path):
    """A club, a line to it that is cut, and a guest in plain text who plays at a table and has been told so."""
    async with (
        club() as (room, url),
        (line := BadLine(url, Random(0))).open() as bad,
        PlainGuest(tmp_path, bad, "Anna") as anna,
    ):
        await opened(anna)
        anna.types("begin")
        await anna.hears("Your hand: ")
        line.odds["cut"] = 1
        anna.types("talk Where are you?")
        await anna.hears("The club cannot be reached; the program keeps trying.")
        yield room, line, anna


async def test_a_cut_connection_is_told_and_made_again(tmp_path):
    async with cut_off(tmp_path) as (_, line, anna):
        line.odds["cut"] = 0
        await anna.hears("You are at the club again.")
        await anna.hears("Your hand: ")


async def test_return_to_a_table_that_was_closed_meanwhile(tmp_path):
    async with cut_off(tmp_path) as (room, line, anna):
        while room.people:
            await asyncio.sleep(0.01)
        room.table_manager.active_tables.clear()  # as if the session had ended
        line.odds["cut"] = 0
        await anna.hears("That table is closed.")
        anna.types("1")
        await anna.hears("That table is closed.")
        anna.types("leave")
        await anna.hears("You are Anna, a guest.")


async def test_the_end_of_the_club_is_the_end_of_the_program(tmp_path):
    async with club() as (room, url), PlainGuest(tmp_path, url, "Anna") as anna:
        await opened(anna)
        anna.types("wait")
        await room.close("The club has closed.")
        assert await anna.ends() == (0, "")
        assert anna.heard[-1] == "The club has closed."


def test_who_cannot_type_leaves(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(QuitRequested):
        InputMux().wait_for_input(needs_line=True)


def test_a_fault_of_the_program_is_no_endless_wait(monkeypatch):
    monkeypatch.setattr(ClubClient, "run", lambda _visiting: 1 / 0)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ZeroDivisionError):
        ClientThread("ws://localhost:1", InputMux()).connect(Login("Anna"))


async def test_ctrl_c_leaves_with_a_line(tmp_path):
    def leave(url):
        with Terminal(tmp_path / "home", "join", url, "--plain", "--nick", "Anna") as terminal:
            terminal.wait("Type help for what can be typed.")
            terminal.send("\x03")
            assert terminal.wait_for_end() == 130
            assert terminal.output.decode().rstrip().endswith(f"^C\r\n{LEFT_CLUB}")
            assert terminal.modes == terminal.modes_before

    async with club() as (_, url):
        await asyncio.to_thread(leave, url)


async def test_a_guest_becomes_a_player_and_signs_in_by_a_password_that_nobody_sees(tmp_path):
    def register(url):
        with Terminal(tmp_path / "one", "join", url, "--plain", "--nick", "Anna") as terminal:
            terminal.wait("You are Anna, a guest.")
            terminal.send("register\r")
            terminal.wait("Password (it is not shown), or an empty line for none:")
            terminal.send("sesame77\r")
            terminal.wait("The same once more:")
            terminal.send("sesame77\r")
            terminal.wait("You are Anna.")
        with Terminal(tmp_path / "two", "join", url, "--plain", "--nick", "Anna") as terminal:
            terminal.wait("Anna has a password.")
            terminal.wait("Password of Anna (it is not shown):")
            terminal.send("sesame77\r")
            terminal.wait("You are Anna.")
            assert b"sesame77" not in terminal.output

    async with club() as (_, url):
        await asyncio.to_thread(register, url)


async def test_after_a_session_it_is_at_home_and_another_one_follows(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text("round_pause = 0\n")

    def play(url):
        with Terminal(tmp_path / "home", "join", url, "--plain", "--nick", "Anna", size=(120, 40)) as terminal:
            terminal.wait("Type help")
            terminal.send("open ten-down seats=2\r")
            terminal.wait("New: Table 1")
            terminal.send("begin\r")
            while b"The session is over." not in terminal.output:
                terminal.wait(lambda: re.search(rb"(Bid|Play) [^.]*\.\r\n$|session is over", terminal.output))
                asked = terminal.output.count(b"Your hand: ")
                terminal.send("1\r")
                terminal.wait(
                    lambda asked=asked: (
                        terminal.output.count(b"Your hand: ") > asked or b"The session is over." in terminal.output
                    )
                )
            terminal.wait("Press Enter to go to the lobby.")
            terminal.wait("The session is kept at home, too: cardtable replay ")
            terminal.send("again\r")
            terminal.wait(lambda: terminal.output.count(b"Ten Down. Around the table") == 2)
            terminal.send("quit\r")
            assert terminal.wait_for_end() == 0

    async with club() as (_, url):
        await asyncio.to_thread(play, url)
