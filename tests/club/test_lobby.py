"""The lobby page: people, tables, talk, and the keys that lead to a table."""

import asyncio

import msgspec
import pytest
from textual import events

from cardtable import games
from cardtable.club import protocol
from cardtable.club.client.client import ClubClient, ClubObserver, Lobby
from cardtable.club.client.connection import Login
from cardtable.club.open_table import parse_open_table
from cardtable.club.server.accounts import ClubAccounts
from cardtable.session.session_events import Stage
from cardtable.store import club_tokens, paths, profiles
from cardtable.ui.club.lobby import NEW_TABLE_ROW
from cardtable.ui.command_palette import list_commands, list_more_commands
from cardtable.ui.settings import TABS
from tests.club.lobby_screen import lobby_app, shows
from tests.club.loopback_club import (
    PASSWORD,
    Guest,
    club,
    connected_guests,
    create_host_session,
    enter_once,
    hosted_guest,
    joined,
    play_round_with_substitute,
    start_table,
)
from tests.toy.game_plugins import break_plugin
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until


async def test_open_fill_and_begin_a_table_by_keys():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Bob", "No table is open yet"))
        await pilot.press("n")
        await wait_until(pilot, shows(app, "New table", "Rikiki"))
        await pilot.press("right", "enter")
        await wait_until(pilot, shows(app, "King", "Anna, free, free, free", "you start it"))
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.send(protocol.SitDown(table))
        await wait_until(pilot, shows(app, "Anna, Bob, free, free"))
        await pilot.press("enter")
        await bob.wait_until(lambda: bob.view)
        await wait_until(pilot, shows(app, "round 1", "Bob", "You"))
        await wait_until(pilot, lambda: bob.view.playing)
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Tables", "A new table"))
        await bob.wait_until(lambda: any(info.away for info in bob.tables[table].seats))
        await pilot.press("home", "enter")
        await wait_until(pilot, shows(app, "round 1", "Bob", "You"))


async def test_returns_to_the_table_after_a_restart():
    async with club() as (_, url), joined(url, "Bob") as bob:
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "here: Bob"))
            await bob.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
            await wait_until(pilot, shows(app, "Bob, "))
            await pilot.press("home", "enter")
            await wait_until(pilot, shows(app, "Bob, Anna"))
            await bob.send(protocol.Start(*bob.tables))
            await wait_until(pilot, shows(app, "round 1", "You"))
        async with lobby_app(url) as (app, pilot):  # as after a refresh of the browser's page
            await wait_until(pilot, shows(app, "round 1", "You"))
            await pilot.press("escape")
            await wait_until(pilot, shows(app, "A new table", "Bob, Anna (away)"))
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "here: Bob", "Anna (away)"))
            assert not app.screen.page.client.return_table


async def test_cursor_begins_on_a_table_with_a_free_seat():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo", "Dan") as (bob, cleo, dan):
        await start_table(bob, cleo)
        await bob.send(protocol.OpenTable("king", 4, {}, draws_seats=False))
        await dan.wait_until(lambda: len(dan.tables) == 2)
        (king,) = (row.table for row in dan.tables.values() if row.game == "king")
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "King", "A new table", "Enter sit down"))
            assert app.screen.page.cursor == king
            await dan.send(protocol.OpenTable("rifki", 4, {}, draws_seats=False))
            await wait_until(pilot, shows(app, "Rifki"))
            assert app.screen.page.cursor == king, "once the player has seen the tables, the cursor stays"


async def test_cursor_begins_on_the_own_table():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as (bob, cleo):
        async with lobby_app(url) as (app, pilot):
            await bob.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
            await wait_until(pilot, shows(app, "Bob, "))
            await pilot.press("home", "enter")
            await wait_until(pilot, shows(app, "Bob, Anna"))
            await bob.send(protocol.Start(*bob.tables))
            await wait_until(pilot, shows(app, "round 1", "You"))
            await pilot.press("escape")
            await wait_until(pilot, shows(app, "Anna (away)"))
        await cleo.send(protocol.OpenTable("king", 4, {}, draws_seats=False))
        await cleo.wait_until(lambda: len(cleo.tables) == 2)
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "Anna (away)", "King", "Enter continue"))


async def test_cursor_returns_to_the_own_table():
    """The session was closed while nobody was there, and another table had a free seat as the visit began."""
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as (bob, cleo):
        async with lobby_app(url) as (app, pilot):
            await bob.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
            await wait_until(pilot, shows(app, "Bob, "))
            await pilot.press("home", "enter")
            await wait_until(pilot, shows(app, "Bob, Anna"))
            await bob.send(protocol.Start(*bob.tables))
            await wait_until(pilot, shows(app, "round 1", "You"))
        await cleo.send(protocol.OpenTable("king", 4))
        await bob.send(protocol.Leave(bob.seated.table))
        await cleo.wait_until(lambda: [row.game for row in cleo.tables.values()] == ["king"])
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "round 1", "You"))
            await pilot.press("escape")
            await wait_until(pilot, shows(app, "King", "Enter call the others back"))


async def test_cursor_begins_on_the_own_unfinished_session():
    """The host was restarted while Anna sat at the table, and knows it from the file of the session alone."""
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,), lobby_app(url) as (app, pilot):
        await bob.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
        await wait_until(pilot, shows(app, "Bob, "))
        await pilot.press("home", "enter")
        await wait_until(pilot, shows(app, "Bob, Anna"))
        await bob.send(protocol.Start(*bob.tables))
        await wait_until(pilot, shows(app, "round 1", "You"))
    async with club() as (_, url), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "No table is open yet", "Enter call the others back"))
        assert app.screen.page.cursor == bob.seated.table


async def test_enter_on_a_full_table_watches_it():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as (bob, cleo), lobby_app(url) as (app, pilot):
        await start_table(bob, cleo)
        await wait_until(pilot, shows(app, "to act"))
        await pilot.press("home")
        await wait_until(pilot, shows(app, "Enter watch"))
        await pilot.press("enter")
        await bob.wait_until(lambda: bob.update.spectators == ("Anna",))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Enter watch"))


@pytest.mark.parametrize(("grows", "offered"), [(False, False), (True, True)])
async def test_full_table_that_fills_offers_a_seat_only_if_it_grows(grows, offered):
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo", "Dora", "Emil") as guests:
        await guests[0].send(protocol.OpenTable("gurka", 4, grows=grows))
        for guest in guests[1:]:
            await guest.wait_until(lambda guest=guest: guest.tables)
            await guest.send(protocol.SitDown(*guest.tables))
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "Bob, ", "Cleo", "Dora", "Emil", "Bob starts it"))
            await pilot.press("home")
            assert ("Enter sit down" in screen_text(app)) is offered
            assert "which seat" not in screen_text(app)


async def test_renamed_player_reads_the_new_nick_at_once():
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (_, url):
        async with joined(url, "Anna", password=PASSWORD) as anna:
            token = anna.link.login.token
        async with joined(url, "Bob") as bob, lobby_app(url, "Anna", token=token) as (app, pilot):
            await wait_until(pilot, shows(app, "Bob (guest), Anna"))
            await bob.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
            await wait_until(pilot, shows(app, "Bob, "))
            await pilot.press("home", "enter")
            await wait_until(pilot, shows(app, "Bob, Anna"))
            profiles.update_profile("Anna", "Hanna", "", "")
            await wait_until(pilot, shows(app, "Bob (guest), Hanna", "Bob, Hanna", "to that seat"))
            assert "Anna" not in screen_text(app)


async def test_cursor_follows_its_table():
    async with (
        club() as (room, url),
        connected_guests(url, "Bob", "Cleo", "Dan", "Emil") as (bob, cleo, dan, emil),
        lobby_app(url) as (app, pilot),
    ):
        tables = []
        for guest in (bob, cleo, dan):
            await guest.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
            await wait_until(pilot, shows(app, f"{guest.nick}, "))
            tables.append(next(row.table for row in room.tables if row.master == guest.nick))
        await pilot.press("home", "down")
        await bob.send(protocol.Leave(tables[0]))
        await emil.send(protocol.OpenTable("king", 4, {}, draws_seats=False))
        await wait_until(pilot, shows(app, "Emil, free"))
        assert app.screen.page.cursor == tables[1], "others come and go"
        await emil.send(protocol.SitDown(tables[1]))
        await wait_until(pilot, shows(app, "Cleo, Emil"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "Cleo, Emil, Anna"))
        await pilot.press("down")
        for guest in (cleo, emil):
            await guest.send(protocol.Leave(tables[1]))
        await wait_until(pilot, shows(app, "Anna, free"))
        assert app.screen.page.cursor == tables[2], "to become game master moves nothing"
        await dan.send(protocol.Leave(tables[2]))
        await wait_until(pilot, lambda: tables[2] not in app.screen.page.client.tables)
        assert app.screen.page.current_row.name not in (tables[1], "new"), "the table below"


async def test_discarding_a_changed_new_table_needs_confirmation():
    async with club() as (_, url), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "No table is open yet"))
        await pilot.press("n", "escape")
        await wait_until(pilot, shows(app, "No table is open yet"))
        await pilot.press("n", "right", "escape")
        await wait_until(pilot, shows(app, "Discard it?"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "New table", "King"))
        await pilot.press("escape", "enter")
        await wait_until(pilot, shows(app, "No table is open yet"))


async def test_talk_and_input_history():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Bob"))
        await bob.send(protocol.Say("A game of King?"))
        await wait_until(pilot, shows(app, "Bob: A game of King?"))
        await pilot.press("tab", *"not now", "enter")
        await bob.wait_until(lambda: ("Anna", "not now") in bob.talk)
        await wait_until(pilot, shows(app, "Anna: not now"))
        await pilot.press(*"later", "up")
        assert app.screen.page.text_input.text == "not now", "recalled, and then the line that was begun"
        await pilot.press("down")
        assert app.screen.page.text_input.text == "later"
        await pilot.press("up", "up")
        assert app.screen.page.text_input is None, "above what was said first are the tables"


async def test_escape_leaves_the_chat_before_the_club():
    async with club() as (_, url), lobby_app(url, is_hosted_client=True) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Anna"))
        await pilot.press("tab", *"hello")
        await wait_until(pilot, shows(app, "hello", "Esc tables"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "hello", "Esc leave"))
        assert app.screen.page.cursor == "new"
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.return_code is not None)


async def test_asks_for_the_club_code():
    async with club(code="kmnpqrst") as (_, url), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "What is the code of the club?"))
        await pilot.press(*"kmnpqrst", "enter")
        await wait_until(pilot, shows(app, "here: Anna"))


async def test_enter_on_a_table_that_closes_reaches_no_other_table():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as guests, lobby_app(url) as (app, pilot):
        for guest, game in zip(guests, ("king", "rikiki"), strict=True):
            await guest.send(protocol.OpenTable(game, 4, draws_seats=False))
            await guest.wait_until(lambda guest=guest: any(each.master == guest.nick for each in guest.tables.values()))
        bob, cleo = guests
        await wait_until(pilot, shows(app, "King", "Rikiki"))
        page = app.screen.page
        king, rikiki = page.client.tables
        page.move_cursor_to(king)
        await bob.send(protocol.Leave(king))
        await wait_until(pilot, lambda: king not in page.client.tables)
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "King", "This table has closed."))
        await pilot.press("enter", "w", "s")
        await cleo.send(protocol.Say("Anna?"))
        await wait_until(pilot, shows(app, "Cleo: Anna?"))
        assert [info.name for info in page.client.tables[rikiki].seats] == ["Cleo", "", "", ""]
        assert app.screen.page is page
        await pilot.press("down")
        await wait_until(pilot, lambda: "This table has closed." not in screen_text(app))
        assert page.cursor == rikiki
        await pilot.press("enter")
        await wait_until(pilot, lambda: page.client.tables[rikiki].seats[1].name == "Anna")


async def test_asks_known_guest_for_the_new_code():
    async with club(code="kmnpqrst") as (lobby, url):
        async with lobby_app(url, code="kmnpqrst") as (app, pilot):
            await wait_until(pilot, shows(app, "here: Anna"))
        await lobby.administration.change_code("another1", everybody=True)
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "What is the code of the club?", "The club has a new code"))
            await pilot.press(*"wrong", "enter")
            await wait_until(pilot, shows(app, "What is the code of the club?", "That is not the code"))
            await pilot.press(*"another1", "enter")
            await wait_until(pilot, shows(app, "here: Anna"))
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "here: Anna"))


async def test_returning_guest_is_recognized_by_token():
    async with club() as (_, url):
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "here: Anna"))
        for nick in ("Anna", "anna", ""):
            async with lobby_app(url, nick) as (app, pilot):
                await wait_until(pilot, shows(app, "here: Anna"))
        paths.club_tokens_file().unlink()
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "What is your password, or your word?", "Anna is not free"))
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "What is your nick here?"))
            await pilot.press("end", *"bel", "enter")
            await wait_until(pilot, shows(app, "here: Annabel"))


async def test_word_for_another_device_in_place_of_a_password():
    async with club(code="kmnpqrst") as (lobby, url):
        await enter_once(url, "Anna", code="kmnpqrst")
        word = await lobby.administration.create_device_word("Anna")
        async with lobby_app(url, code="kmnpqrst") as (app, pilot):
            await wait_until(pilot, shows(app, "What is your password, or your word?"))
            await pilot.press(*word, "enter")
            await wait_until(pilot, shows(app, "here: Anna"))


async def test_waits_for_unreachable_host():
    async with lobby_app("ws://localhost:9") as (app, pilot):
        await wait_until(pilot, shows(app, "connecting"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "connecting" not in screen_text(app))


@pytest.mark.parametrize(
    ("url", "warnings"), [("ws://192.0.2.1:1", True), ("wss://192.0.2.1:1", False), ("ws://[::1]:1", False)]
)
def test_warns_about_readable_connection(url, warnings):
    talk = ClubClient(url, Login("Anna"), ClubObserver()).talk
    assert [each.text.startswith("Others on the network can read") for each in talk] == [True] * warnings


async def test_leaving_a_hosted_client_ends_the_program():
    async with club() as (_, url), lobby_app(url, is_hosted_client=True) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Anna"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.return_code is not None)


@pytest.mark.parametrize(
    ("packages", "notice"),
    [
        ({"rikiki": "cardtable 9.0"}, "needs cardtable 1.0.0, you have cardtable 9.0"),
        ({}, "needs cardtable 1.0.0"),
    ],
)
async def test_table_of_another_game_version_cannot_be_entered(monkeypatch, packages, notice):
    async with club() as (_, url), joined(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        await bob.send(protocol.OpenTable("rikiki", 4))
        await cleo.wait_until(lambda: cleo.tables)
        async with lobby_app(url, size=(120, 40)) as (app, pilot):
            await wait_until(pilot, shows(app, "Bob, [free], free, free"))
            monkeypatch.setattr(games, "list_packages", lambda: packages)
            await pilot.press("end", "home", "enter", "w")
            await wait_until(pilot, shows(app, "Rikiki", notice))
        (row,) = cleo.tables.values()
        assert [info.name for info in row.seats] == ["Bob", "", "", ""]


def test_needed_package_that_cannot_be_loaded(monkeypatch):
    client = ClubClient("ws://192.0.2.1:1", Login("Anna"), ClubObserver())
    client.lobby = Lobby(packages={"hearts": "cardtable-hearts 1.0"})
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan({}, ()))
    assert client.find_missing_requirement("hearts") == "needs cardtable-hearts 1.0"
    break_plugin(monkeypatch, "hearts")
    assert client.find_missing_requirement("hearts") == "needs cardtable-hearts 1.0; yours cannot be loaded"


def test_table_of_a_game_that_cannot_be_loaded(monkeypatch):
    break_plugin(monkeypatch, "hearts")
    with pytest.raises(ValueError, match=r"^the game 'hearts' of cardtable-hearts 1\.0 cannot be loaded: SyntaxError"):
        parse_open_table(["Hearts"])
    monkeypatch.setenv(club_tokens.ADMISSION_TOKEN_VARIABLE, "token")
    with pytest.raises(ValueError, match=r"^the club cannot load the game hearts; its host can see why$"):
        parse_open_table(["Hearts"])


async def test_choose_seat_and_show_house_rules():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "Bob (guest)", "Anna (guest)"))
        await bob.send(
            protocol.OpenTable("rikiki", 4, {"length": "short", "open_hands": "on"}, "Fridays", draws_seats=False)
        )
        await wait_until(pilot, shows(app, "Rikiki", "Fridays", "length (16 rounds), open hands (on)", "since"))
        await pilot.press("home", "right", "right", "enter")
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.wait_until(lambda: bob.tables[table].seats[3].name == "Anna")
        await pilot.press("right", "enter")
        await bob.wait_until(lambda: bob.tables[table].seats[2].name == "Anna")
        await pilot.press("i")
        await wait_until(pilot, lambda: "Fridays" not in screen_text(app))
        assert "house rule at this table" in screen_text(app)


async def test_game_master_chooses_robot_level():
    async with club() as (room, url), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club"))
        await pilot.press("n", "enter")
        await wait_until(pilot, shows(app, "you start it; steady robots take free seats"))
        await pilot.press("home", "right")
        await wait_until(pilot, shows(app, "you start it; expert robots take free seats"))
        await pilot.press("enter")
        await wait_until(
            pilot, lambda: [table for table in room.table_manager.registry.tables.values() if table.hosted_session]
        )
        (table,) = room.table_manager.registry.tables.values()
        assert {occupant.robot for occupant in table.hosted_session.public_header.seats} == {None, "expert"}


async def test_resume_unfinished_session_from_the_lobby():
    session = create_host_session("Anna", "Bob")
    for nick in ("Anna", "Bob"):
        await ClubAccounts().administration.forget(nick)
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "Your unfinished sessions", "Rikiki", "Anna, Bob, Ada, Bo", "played"))
        await pilot.press("end", "up", "up", "up", "up")
        await wait_until(pilot, shows(app, "call the others back"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "waiting for Bob; it continues with robots"))
        await bob.wait_until(lambda: bob.talk == [("", "Anna calls you back to your session of Rikiki.")])
        await pilot.press("home", "enter")
        await wait_until(pilot, shows(app, "round 1", "Bob's robot"))
        await bob.send(protocol.SitDown(session))
        await bob.wait_until(lambda: bob.view)


async def test_called_player_sits_down():
    session = create_host_session("Anna", "Bob")
    for nick in ("Anna", "Bob"):
        await ClubAccounts().administration.forget(nick)
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url) as (app, pilot):
        await bob.wait_until(lambda: "Anna" in bob.people)
        await bob.send(protocol.ResumeSession(session))
        await wait_until(pilot, shows(app, "Bob calls you back to it", "**** Bob calls you"))
        await pilot.press("home", "enter")
        await bob.wait_until(lambda: bob.view)


async def test_guest_registers_from_the_lobby():
    async with club() as (lobby, url), lobby_app(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna (guest)", "Become a player of this club"))
        lobby.announce("Good evening")
        await wait_until(pilot, shows(app, "Good evening"))
        await pilot.press("tab")
        assert "new table" not in screen_text(app).splitlines()[-1], "n is written there"
        await pilot.press("end", "up")
        await wait_until(pilot, shows(app, "become a player of this club"))
        await pilot.press("enter")
        await wait_until(pilot, shows(app, "Choose a password"))
        await pilot.press(*"sesame", "enter")
        await wait_until(pilot, shows(app, "A new password has at least 8 characters."))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, shows(app, "Repeat the password"))
        await pilot.press(*"sesame78", "enter")
        await wait_until(pilot, shows(app, "The two passwords differ; type the same one twice."))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, shows(app, "Repeat the password"))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: "here: Anna" in screen_text(app) and "Become" not in screen_text(app))
        assert "Good evening" in screen_text(app), "what was said before stays there"
        assert app.screen.page.cursor == NEW_TABLE_ROW
        assert profiles.find("Anna").password
        assert {ticket.nick for ticket in club_tokens.load()[0].tickets} == {"Anna"}


async def test_device_of_a_guest_who_has_registered_elsewhere_asks_for_the_password():
    async with club() as (room, url), joined(url, "Bob") as bob:
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "here: Bob (guest), Anna (guest)"))
            async with hosted_guest(room, "Anna") as phone:
                await phone.send(protocol.Register("sesame77"))
                await wait_until(pilot, shows(app, "Anna is a player of this club now; join again with the password"))
        async with lobby_app(url) as (app, pilot):
            await wait_until(pilot, shows(app, "What is your nick here?", "with your password if you have one"))
            await pilot.press("enter")
            await wait_until(pilot, shows(app, "What is your password, or your word?"))
            await pilot.press(*"sesame77", "enter")
            await wait_until(pilot, shows(app, "here: Bob (guest), Anna"))
        await bob.wait_until(lambda: bob.guests == ("Bob",))


async def test_guest_signs_in_from_the_lobby():
    profiles.register_remote("Ida", "sesame77")
    async with club() as (_, url), lobby_app(url, size=(120, 40)) as (app, pilot):
        await wait_until(pilot, shows(app, "Sign in as the player you are"))
        await pilot.press("end", "enter")
        await wait_until(pilot, shows(app, "Who are you?"))
        await pilot.press(*"Ida", "enter")
        await wait_until(pilot, shows(app, "What is your password?"))
        await pilot.press(*"sesame77", "enter")
        await wait_until(pilot, lambda: "here: Ida" in screen_text(app) and "Sign in" not in screen_text(app))
        assert [ticket.nick for ticket in club_tokens.load()[0].tickets] == ["Anna", "Ida"]


async def test_take_offered_seat_from_the_lobby():
    async with club() as (_, url), connected_guests(url, "Cleo", "Bob") as (cleo, bob), lobby_app(url) as (app, pilot):
        table = await start_table(cleo, bob)
        await asyncio.gather(*[guest.play(lambda: cleo.update.stage is Stage.ROUND_END) for guest in (cleo, bob)])
        await bob.send(protocol.Leave(table))
        await cleo.wait_until(lambda: cleo.update.absences)
        await play_round_with_substitute(cleo, table, 1)
        await cleo.send(protocol.GiveSeat(table, 1, "Anna"))
        await wait_until(pilot, lambda: screen_text(app).count("Cleo offers you Bob's seat") == 2)  # talk and table
        await pilot.press("home", "enter")
        await cleo.wait_until(lambda: cleo.seats[1].name == "Anna" and not cleo.update.absences)


async def test_key_after_quit_dialog_goes_to_the_lobby():
    async with club() as (_, url), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna"))
        await pilot.press("ctrl+c")
        await wait_until(pilot, shows(app, "Quit?"))
        for _ in range(2):
            app.post_message(events.Key("escape", None))
        await wait_until(pilot, lambda: "here: Anna" not in screen_text(app))


async def test_palette_of_a_hosted_client(monkeypatch):
    monkeypatch.setenv(club_tokens.ADMISSION_TOKEN_VARIABLE, "token")
    async with club() as (_, url), lobby_app(url, size=(120, 40), is_hosted_client=True) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna"))
        offered = [
            command.name for command in (*list_commands(app.context, app.screen), *list_more_commands(app.context))
        ]
        assert {"Rules of King", "Settings", "A new table"} <= set(offered)
        own = [name for name in offered if ": " not in name]  # not the values of settings
        assert not [name for name in own if name.startswith(("Play ", "New table for", "Players", "Open"))]
        assert not [name for name in offered if name.startswith(("Continue ", "Statistics of"))]


async def test_settings_of_a_hosted_client_show_no_folder(monkeypatch, home):
    monkeypatch.setenv(club_tokens.ADMISSION_TOKEN_VARIABLE, "token")
    async with club() as (_, url), lobby_app(url, size=(120, 40), is_hosted_client=True) as (app, pilot):
        await wait_until(pilot, shows(app, "here: Anna"))
        app.context.show("settings")
        await wait_until(pilot, shows(app, "Settings", "Files"))
        paths.settings_file().mkdir(parents=True)
        app.preferences.change(robot_pace=1)
        await pilot.press(str(len(TABS)))
        await wait_until(pilot, shows(app, "at the club, for this visit", "not a regular file"))
        assert home.name not in screen_text(app)


@pytest.mark.parametrize("size", [(80, 24), (110, 30)])
async def test_return_word_shown_until_confirmed(monkeypatch, size):
    monkeypatch.setenv(club_tokens.RETURN_WORD_VARIABLE, "abcd-efgh-jkmn-pqrs")
    word = ("To come back as Anna you need this word:", "abcd-efgh-jkmn-pqrs", "Write it down, then press Enter here.")
    async with club() as (_, url), lobby_app(url, size=size) as (app, pilot):
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


async def test_private_table_by_keys():
    async with (
        club() as (_, url),
        connected_guests(url, "Bob", "Cleo", "Dora") as (bob, cleo, dora),
        lobby_app(url) as (app, pilot),
    ):
        await wait_until(pilot, shows(app, "The club", "Dora"))
        await pilot.press("n", *["right"] * 3)
        await wait_until(pilot, shows(app, "Gurka", "up to 6 seats", "everybody"))
        await pilot.press("down", "down", "down", "down", "down", "right")
        await wait_until(pilot, shows(app, "people you invite", "nicks, or later at the table"))
        await pilot.press("down", *"bob", "enter")
        await wait_until(pilot, shows(app, "Gurka  private", "Anna, free, free, free, up to 6 seats"))
        await bob.wait_until(lambda: bob.tables)
        await pilot.press("v")
        await wait_until(pilot, shows(app, "who may come to this private table", "Anna, game master", "Bob", "Cleo"))
        await pilot.press("down", "enter")
        await cleo.wait_until(lambda: cleo.tables)
        await wait_until(pilot, shows(app, "withdraw the invitation"))
        await pilot.press("end", *"zoe", "enter")
        await wait_until(pilot, shows(app, "nobody called Zoe has been here yet"))
        await pilot.press("home", "enter")
        await bob.wait_until(lambda: not bob.tables)
        assert not dora.tables
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Gurka  private"))


async def test_hidden_people_address_nobody():
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Bob (guest)"))
        await pilot.press("p", "home", "space", "escape")
        await bob.send(protocol.OpenTable("rikiki", 4, private=True, invited=("Anna",), name="Come here"))
        await bob.send(protocol.OpenTable("king", 4, name="Come there"))
        await wait_until(pilot, shows(app, "Rikiki  private", "King"))
        await bob.send(protocol.Watch("no table"))
        await bob.wait_until(lambda: bob.refused)
        assert not [text for text in ("invites", "Come here", "Come there") if text in screen_text(app)]


async def test_hide_talk_by_keys():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as (bob, cleo), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club", "Cleo"))
        for guest in (bob, cleo):
            await guest.send(protocol.Say(f"Hello from {guest.nick}"))
        await wait_until(pilot, shows(app, "Bob: Hello from Bob", "Cleo: Hello from Cleo"))
        await pilot.press("p")
        await wait_until(pilot, shows(app, "People", "Anna (you)", "Bob (guest)"))
        await pilot.press("home", "space")
        await wait_until(pilot, shows(app, "Bob (guest), talk hidden"))
        await pilot.press("escape")
        await wait_until(pilot, shows(app, "Cleo: Hello from Cleo"))
        assert "Bob: Hello" not in screen_text(app)
    async with club() as (_, url), lobby_app(url) as (app, pilot):
        await wait_until(pilot, shows(app, "The club"))
        await pilot.press("p")
        await wait_until(pilot, shows(app, "Not here", "Bob, talk hidden"))
        await pilot.press("home", "space")
        await wait_until(pilot, lambda: "Not here" not in screen_text(app))
        assert club_tokens.load()[0].hidden is msgspec.UNSET
