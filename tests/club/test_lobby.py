"""The lobby on the screen: who is here, tables, talk; the way to a table by keys."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from textual import events

from cardtable import games
from cardtable.club import protocol
from cardtable.club.client.client import ClubClient
from cardtable.club.client.connection import Login
from cardtable.club.server import accounts
from cardtable.session.session_events import Stage
from cardtable.store import club_tokens, paths, profiles
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.command_palette import list_commands
from cardtable.ui.toolkit.preferences import Preferences
from tests.club.over_loopback import Guest, club
from tests.club.test_table_manager import at_home, people
from tests.club.test_websocket_server import opened
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until


@asynccontextmanager
async def lobby(url, nick="Anna", size=(80, 24), code="", token="", alone=False):
    """The program of somebody who joins a club."""
    app = CardtableApp(Preferences(Settings(pace=0, trick_pause=0)), page=("club", url, nick, code, token, alone))
    async with app.run_test(size=size) as pilot:
        yield app, pilot


def shows(app, *texts):
    """Whether all of these are on the screen."""
    return lambda: all(text in screen_text(app) for text in texts)


async def test_a_table_is_opened_filled_and_begun_by_keys():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Bob", "No table is open yet"))
        await pilot.press("n")
        await wait_until(pilot, shows(app, "New table", "Rikiki"))
        await pilot.press("right", "enter")
        await wait_until(pilot, shows(app, "King", "Anna, free, free, free", "you begin it"))
        (table,) = bob.rows
        await bob.say(protocol.SitDown(table))
        await wait_until(pilot, shows(app, "Anna, Bob, free, free"))
        await pilot.press("enter")
        await bob.until(lambda: bob.view)
        await wait_until(pilot, shows(app, "round 1", "Bob", "You"))
        await wait_until(pilot, lambda: bob.view.playing)
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Tables", "A new table"))
        await bob.until(lambda: any(place.away for place in bob.rows[table].places))
        await pilot.press("home", "enter")
        await wait_until(pilot, shows(app, "round 1", "Bob", "You"))


async def test_a_new_table_is_not_thrown_away_unasked():
    async with club() as (_, url), lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "No table is open yet"))
        await pilot.press("n", "escape")
        await wait_until(pilot, shows(app, "No table is open yet"))
        await pilot.press("n", "right", "escape")
        await wait_until(pilot, shows(app, "Throw it away?"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "New table", "King"))
        await pilot.press("escape", "enter")
        await wait_until(pilot, shows(app, "No table is open yet"))


async def test_what_is_said_is_read_by_all():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Bob"))
        await bob.say(protocol.Say("A game of King?"))
        await wait_until(pilot, shows(app, "Bob: A game of King?"))
        await pilot.press("tab", *"not now", "enter")
        await bob.until(lambda: ("Anna", "not now") in bob.talk)
        await wait_until(pilot, shows(app, "Anna: not now"))
        await pilot.press(*"later", "up")
        assert app.screen.page.text_input.text == "not now", "recalled, and then the line that was begun"
        await pilot.press("down")
        assert app.screen.page.text_input.text == "later"
        await pilot.press("up", "up")
        assert app.screen.page.text_input is None, "above what was said first are the tables"


async def test_the_code_is_asked_for_where_the_club_wants_it():
    async with club(code="kmnpqrst") as (_, url), lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "What is the code of the club?"))
        await pilot.press(*"kmnpqrst", "enter")
        await wait_until(pilot, shows(app, "here: Anna"))


async def test_who_comes_back_is_the_same():
    async with club() as (_, url):
        async with lobby(url) as (app, pilot):
            await wait_until(pilot, shows(app, "here: Anna"))
        for nick in ("Anna", "anna", ""):
            async with lobby(url, nick) as (app, pilot):
                await wait_until(pilot, shows(app, "here: Anna"))
        paths.club_tokens_file().unlink()
        async with lobby(url) as (app, pilot):
            await wait_until(pilot, shows(app, "What is your nick here?", "Anna is the nick of somebody"))


async def test_a_host_that_is_not_there_is_waited_for():
    async with lobby("ws://localhost:9") as (app, pilot):
        await wait_until(pilot, shows(app, "connecting"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "connecting" not in screen_text(app))


@pytest.mark.parametrize(
    ("url", "told"), [("ws://192.0.2.1:1", True), ("wss://192.0.2.1:1", False), ("ws://[::1]:1", False)]
)
def test_who_can_be_overheard_is_told_so(url, told):
    talk = ClubClient(url, Login("Anna")).talk
    assert [each.text.startswith("Others on the network can read") for each in talk] == [True] * told


async def test_who_is_at_the_host_s_own_machine_ends_the_program_when_she_leaves():
    async with club() as (_, url), lobby(url, alone=True) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Anna"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app._exit)


@pytest.mark.parametrize(
    ("here", "told"),
    [
        ({"rikiki": "cardtable 9.0"}, "needs cardtable 0.1.0, you have cardtable 9.0"),
        ({}, "needs cardtable 0.1.0"),
    ],
)
async def test_a_table_of_a_game_in_another_version_is_shown_but_not_entered(monkeypatch, here, told):
    async with club() as (_, url), Guest(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        await bob.until(lambda: bob.welcome)
        await bob.say(protocol.OpenTable("rikiki", 4))
        await cleo.until(lambda: cleo.rows)
        async with lobby(url, size=(120, 40)) as (app, pilot):
            await wait_until(pilot, shows(app, "Bob, free, free, free"))
            monkeypatch.setattr(games, "list_packages", lambda: here)
            await pilot.press("home", "enter", "w")
            await wait_until(pilot, shows(app, "Rikiki", told))
        (row,) = cleo.rows.values()
        assert [place.name for place in row.places] == ["Bob", "", "", ""]


async def test_a_seat_is_chosen_and_a_table_shows_its_house_rules():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "Bob (guest)", "Anna (guest)"))
        await bob.say(protocol.OpenTable("rikiki", 4, {"length": "short", "open_hands": "on"}, "Fridays", lot=False))
        await wait_until(pilot, shows(app, "Rikiki", "Fridays", "length short, open hands on", "since"))
        await pilot.press("home", "right", "right", "enter")
        (table,) = bob.rows
        await bob.until(lambda: bob.rows[table].places[3].name == "Anna")
        await pilot.press("right", "enter")
        await bob.until(lambda: bob.rows[table].places[2].name == "Anna")
        await pilot.press("i")
        await wait_until(pilot, lambda: "Fridays" not in screen_text(app))
        assert "in force" in screen_text(app)


async def test_the_game_master_chooses_the_level_of_the_robots():
    async with club() as (room, url), lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club"))
        await pilot.press("n", "enter")
        await wait_until(pilot, shows(app, "you begin it; steady robots take free seats"))
        await pilot.press("home", "right")
        await wait_until(pilot, shows(app, "you begin it; expert robots take free seats"))
        await pilot.press("enter")
        await wait_until(
            pilot, lambda: [table for table in room.table_manager.active_tables.values() if table.open_session]
        )
        (table,) = room.table_manager.active_tables.values()
        assert {who.robot for who in table.header.seats} == {None, "expert"}


async def test_an_unfinished_session_is_taken_up_from_the_lobby():
    session = at_home("Anna", "Bob")
    for nick in ("Anna", "Bob"):
        accounts.forget_person(nick)
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "Your unfinished sessions", "Rikiki", "Anna, Bob, Ada, Bo", "played"))
        await pilot.press("end", "up", "up", "up")
        await wait_until(pilot, shows(app, "call the others"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "waits for Bob; it goes on with robots"))
        await bob.until(lambda: bob.talk == [("", "Anna calls you back to your session of Rikiki.")])
        await pilot.press("home", "enter")
        await wait_until(pilot, shows(app, "round 1", "Bob's robot"))
        await bob.say(protocol.SitDown(session))
        await bob.until(lambda: bob.view)


async def test_who_is_called_sits_down():
    session = at_home("Anna", "Bob")
    for nick in ("Anna", "Bob"):
        accounts.forget_person(nick)
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby(url) as (app, pilot):
        await bob.until(lambda: "Anna" in bob.people)
        await bob.say(protocol.ResumeSession(session))
        await wait_until(pilot, shows(app, "Bob calls you back to it", "**** Bob calls you"))
        await pilot.press("home", "enter")
        await bob.until(lambda: bob.view)


async def test_a_guest_becomes_a_player_of_the_club_and_stays():
    async with club() as (_, url), lobby(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna (guest)", "Become a player of this club"))
        await pilot.press("end", "up")
        await wait_until(pilot, shows(app, "become a player of this club"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "Choose a password"))
        await pilot.press(*"sesame", "enter")
        await wait_until(pilot, shows(app, "A new password has at least 8 characters."))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, shows(app, "Once more"))
        await pilot.press(*"sesame78", "enter")
        await wait_until(pilot, shows(app, "The two passwords differ; type the same one twice."))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, shows(app, "Once more"))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: "here: Anna" in screen_text(app) and "Become" not in screen_text(app))
        assert profiles.find("Anna").password
        assert {ticket.nick for ticket in club_tokens.load()[0].tickets} == {"Anna"}


async def test_a_guest_signs_in_as_the_player_she_is():
    profiles.register_remote("Ida", "sesame77")
    async with club() as (_, url), lobby(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "Sign in as the player you are"))
        await pilot.press("end", "enter")
        await wait_until(pilot, shows(app, "Who are you?"))
        await pilot.press(*"Ida", "enter")
        await wait_until(pilot, shows(app, "What is your password?"))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: "here: Ida" in screen_text(app) and "Sign in" not in screen_text(app))
        assert [ticket.nick for ticket in club_tokens.load()[0].tickets] == ["Anna", "Ida"]


async def test_a_seat_that_is_offered_is_taken_from_the_lobby():
    async with club() as (_, url), people(url, "Cleo", "Bob") as (cleo, bob), lobby(url) as (app, pilot):
        table = await opened(cleo, bob)
        await asyncio.gather(*[who.play(lambda: cleo.now.stage is Stage.ROUND_END) for who in (cleo, bob)])
        await bob.say(protocol.Leave(table))
        await cleo.until(lambda: cleo.now.away)
        await cleo.say(protocol.EndWait(table))
        await cleo.until(lambda: cleo.now.stage is Stage.PLAY)
        await cleo.say(protocol.StandIn(table, 1))
        await cleo.play(lambda: cleo.now.stage is Stage.ROUND_END)
        await cleo.say(protocol.GiveSeat(table, 1, "Anna"))
        await wait_until(pilot, shows(app, "a robot plays", "**** Cleo offers you Bob's seat"))
        await pilot.press("home", "enter")
        await cleo.until(lambda: cleo.places[1].name == "Anna" and not cleo.now.away)


async def test_a_key_that_follows_the_answer_whether_to_quit_is_for_the_lobby():
    async with club() as (_, url), lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna"))
        await pilot.press("ctrl+c")
        await wait_until(pilot, shows(app, "Quit?"))
        for _ in range(2):
            app.post_message(events.Key("escape", None))
        await wait_until(pilot, lambda: "here: Anna" not in screen_text(app))


async def test_at_the_host_s_own_machine_the_palette_offers_only_what_stays(monkeypatch):
    monkeypatch.setenv(club_tokens.ADMISSION_TOKEN_VARIABLE, "token")
    async with club() as (_, url), lobby(url, size=(120, 40), alone=True) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna"))
        offered = [command.name for command in list_commands(app.context, app.screen)]
        assert {"Rules of King", "Settings", "A new table"} <= set(offered)
        assert not [name for name in offered if name.startswith(("Play ", "New table for", "Players", "Open"))]


async def test_word_of_a_guest_by_ssh_is_shown_until_she_confirms(monkeypatch):
    monkeypatch.setenv(club_tokens.RETURN_WORD_VARIABLE, "abcd-efgh-jkmn-pqrs")
    word = ("To come back as Anna you need this word:", "abcd-efgh-jkmn-pqrs", "Write it down")
    async with club() as (_, url), lobby(url) as (app, pilot):
        await wait_until(pilot, shows(app, *word))
        await pilot.press("enter")  # too early: it is for the line below
        await wait_until(pilot, shows(app, "New table"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, *word))
        await pilot.press("home")
        await wait_until(pilot, shows(app, "I have written it down"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: word[0] not in screen_text(app))
        assert club_tokens.find_pending_word() == ""
