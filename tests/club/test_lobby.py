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
from cardtable.ui.toolkit.form import Arrow
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import (
    Guest,
    club,
    connected_guests,
    create_host_session,
    joined,
    play_round_with_substitute,
    start_table,
    table_of,
)
from tests.toy.game_plugins import break_plugin
from tests.ui.table_host import wait_until


async def play_with(anna, bob):
    """Let Anna sit down at a table of Bob, whose session then begins."""
    await bob.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
    await anna.sees("Bob, ")
    await anna.press("home enter", "Bob, Anna")
    await bob.send(protocol.Start(*bob.tables))
    await anna.sees("round 1", "You")


async def test_open_fill_and_begin_a_table_by_keys():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url) as anna:
        await anna.sees("The club", "Bob", "No table is open yet")
        await anna.press("n", "New table", "Rikiki")
        await anna.press("right enter", "King", "Anna, free, free, free", "you start it")
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.send(protocol.SitDown(table))
        await anna.sees("Anna, Bob, free, free")
        await anna.press("enter")
        await bob.wait_until(lambda: bob.view)
        await anna.sees("round 1", "Bob", "You")
        await anna.wait_until(lambda: bob.view.playing)
        await anna.press("escape", "Tables", "A new table")
        await bob.wait_until(lambda: any(info.away for info in bob.tables[table].seats))
        await anna.press("home enter", "round 1", "Bob", "You")


async def test_returns_to_the_table_after_a_restart():
    async with club() as (_, url), joined(url, "Bob") as bob:
        async with lobby_app(url) as anna:
            await anna.sees("here: Bob")
            await play_with(anna, bob)
        async with lobby_app(url) as anna:  # as after a refresh of the browser's page
            await anna.sees("round 1", "You")
            await anna.press("escape", "A new table", "Bob, Anna (away)")
        async with lobby_app(url) as anna:
            await anna.sees("here: Bob", "Anna (away)")
            assert not anna.page.client.return_table


@pytest.mark.parametrize(("grows", "offered"), [(False, False), (True, True)])
async def test_full_table_that_fills_offers_a_seat_only_if_it_grows(grows, offered):
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo", "Dora", "Emil") as guests:
        await guests[0].send(protocol.OpenTable("gurka", 4, grows=grows))
        for guest in guests[1:]:
            await guest.wait_until(lambda guest=guest: guest.tables)
            await guest.send(protocol.SitDown(*guest.tables))
        async with lobby_app(url) as anna:
            await anna.sees("Bob, ", "Cleo", "Dora", "Emil", "Bob starts it")
            await anna.press("home")
            assert ("Enter sit down" in anna.text) is offered
            assert "which seat" not in anna.text


async def test_cursor_follows_its_table():
    async with (
        club() as (room, url),
        connected_guests(url, "Bob", "Cleo", "Dan", "Emil") as (bob, cleo, dan, emil),
        lobby_app(url) as anna,
    ):
        tables = []
        for guest in (bob, cleo, dan):
            await guest.send(protocol.OpenTable("rikiki", 4, {}, draws_seats=False))
            await anna.sees(f"{guest.nick}, ")
            tables.append(next(row.table for row in room.tables if row.master == guest.nick))
        await anna.press("home down")
        await bob.send(protocol.Leave(tables[0]))
        await emil.send(protocol.OpenTable("king", 4, {}, draws_seats=False))
        await anna.sees("Emil, free")
        assert anna.page.cursor == tables[1], "others come and go"
        await emil.send(protocol.SitDown(tables[1]))
        await anna.sees("Cleo, Emil")
        await anna.press("enter", "Cleo, Emil, Anna")
        await anna.press("down")
        for guest in (cleo, emil):
            await guest.send(protocol.Leave(tables[1]))
        await anna.sees("Anna, free")
        assert anna.page.cursor == tables[2], "to become game master moves nothing"
        await dan.send(protocol.Leave(tables[2]), until=lambda: tables[2] not in anna.page.client.tables)
        assert anna.page.current_row.name not in (tables[1], "new"), "the table below"


async def test_talk_and_input_history():
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url, size=(120, 40)) as anna:
        await anna.sees("The club", "Bob")
        await bob.send(protocol.Say("A game of King?"))
        await anna.sees("Bob: A game of King?")
        await anna.press("tab")
        await anna.enter("not now")
        await bob.wait_until(lambda: ("Anna", "not now") in bob.talk)
        await anna.sees("Anna: not now")
        await anna.write("later")
        await anna.press("up")
        assert anna.page.text_input.text == "not now", "recalled, and then the line that was begun"
        await anna.press("down")
        assert anna.page.text_input.text == "later"
        await anna.press("up up")
        assert anna.page.text_input is None, "above what was said first are the tables"


async def test_escape_leaves_the_chat_before_the_club():
    async with club() as (_, url), lobby_app(url, is_hosted_client=True) as anna:
        await anna.sees("The club", "Anna")
        await anna.press("tab")
        await anna.write("hello")
        await anna.sees("hello", "Esc tables")
        await anna.press("escape", "hello", "Esc leave")
        assert anna.page.cursor == "new"
        await anna.press("escape")
        await wait_until(anna.pilot, lambda: anna.app.return_code is not None)


async def test_enter_on_a_table_that_closes_reaches_no_other_table():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as guests, lobby_app(url) as anna:
        for guest, game in zip(guests, ("king", "rikiki"), strict=True):
            await guest.send(protocol.OpenTable(game, 4, draws_seats=False))
            await guest.wait_until(lambda guest=guest: any(each.master == guest.nick for each in guest.tables.values()))
        bob, cleo = guests
        await anna.sees("King", "Rikiki")
        page = anna.page
        king, rikiki = page.client.tables
        page.move_cursor_to(king)
        await bob.send(protocol.Leave(king), until=lambda: king not in page.client.tables)
        await anna.press("enter", "King", "This table has closed.")
        await anna.press("enter w s")
        await cleo.send(protocol.Say("Anna?"))
        await anna.sees("Cleo: Anna?")
        assert [info.name for info in page.client.tables[rikiki].seats] == ["Cleo", "", "", ""]
        assert anna.page is page
        await anna.press("down")
        await anna.sees_no_more("This table has closed.")
        assert page.cursor == rikiki
        await anna.press("enter")
        await anna.wait_until(lambda: page.client.tables[rikiki].seats[1].name == "Anna")


async def test_asks_known_guest_for_the_new_code():
    async with club(code="kmnpqrst") as (lobby, url):
        async with lobby_app(url, code="kmnpqrst") as anna:
            await anna.sees("here: Anna")
        await lobby.administration.change_code("another1", everybody=True)
        async with lobby_app(url) as anna:
            await anna.sees("What is the code of the club?", "The club has a new code")
            await anna.enter("wrong", "What is the code of the club?", "That is not the code")
            await anna.enter("another1", "here: Anna")
        async with lobby_app(url) as anna:
            await anna.sees("here: Anna")


async def test_returning_guest_is_recognized_by_token():
    async with club() as (_, url):
        async with lobby_app(url) as anna:
            await anna.sees("here: Anna")
        for nick in ("Anna", "anna", ""):
            async with lobby_app(url, nick) as anna:
                await anna.sees("here: Anna")
        paths.club_tokens_file().unlink()
        async with lobby_app(url) as anna:
            await anna.sees("What is your password, or your word?", "Anna is not free")
            await anna.press("enter", "What is your nick here?")
            await anna.press("end")
            await anna.enter("bel", "here: Annabel")


async def test_waits_for_unreachable_host():
    async with lobby_app("ws://localhost:9") as anna:
        await anna.sees("connecting")
        await anna.press("escape")
        await anna.sees_no_more("connecting")


@pytest.mark.parametrize(
    ("url", "warnings"), [("ws://192.0.2.1:1", True), ("wss://192.0.2.1:1", False), ("ws://[::1]:1", False)]
)
def test_warns_about_readable_connection(url, warnings):
    talk = ClubClient(url, Login("Anna"), ClubObserver()).talk
    assert [each.text.startswith("Others on the network can read") for each in talk] == [True] * warnings


@pytest.mark.parametrize(
    ("packages", "notice"),
    [({"rikiki": "cardtable 9.0"}, "needs cardtable 1.0.0, you have cardtable 9.0"), ({}, "needs cardtable 1.0.0")],
)
async def test_table_of_another_game_version_cannot_be_entered(monkeypatch, packages, notice):
    async with club() as (_, url), joined(url, "Bob") as bob, Guest(url, "Cleo") as cleo:
        await bob.send(protocol.OpenTable("rikiki", 4), until=lambda: cleo.tables)
        async with lobby_app(url) as anna:
            await anna.sees("Bob, [free], free, free")
            monkeypatch.setattr(games, "list_packages", lambda: packages)
            await anna.press("end home enter w", "Rikiki", notice)
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
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url, size=(120, 40)) as anna:
        await anna.sees("Bob (guest)", "Anna (guest)")
        await bob.send(
            protocol.OpenTable("rikiki", 4, {"length": "short", "open_hands": "on"}, "Fridays", draws_seats=False)
        )
        await anna.sees("Rikiki", "Fridays", "length (16 rounds), open hands (on)", "since")
        await anna.press("home right right enter")
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.wait_until(lambda: bob.tables[table].seats[3].name == "Anna")
        await anna.press("right enter")
        await bob.wait_until(lambda: bob.tables[table].seats[2].name == "Anna")
        await anna.press("i")
        await anna.sees_no_more("Fridays")
        assert "house rule at this table" in anna.text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_room_of_felts_with_free_seats_to_click(size):
    async with (
        club() as (_, url),
        connected_guests(url, "Bob", "Cleo", "Dora") as (bob, cleo, dora),
        lobby_app(url, size=size) as anna,
    ):
        await anna.sees("No table is open yet", "free")
        table = await start_table(bob, cleo)
        await anna.sees("Bob (guest), at Rikiki", "Cleo (guest), at Rikiki", "Anna (guest), you", "(robot)", "round 1")
        assert "sit here" not in anna.text, "no seat is free"
        await anna.press("home", "Enter watch")
        await bob.send(protocol.Leave(table))
        await anna.sees("Bob (away)")
        await dora.send(protocol.OpenTable("gurka", 6, name="Sixpack", draws_seats=False))
        await anna.sees("Sixpack", "Dora (guest), at Gurka")
        await anna.press("tab", "send")
        await anna.press("escape down", "[sit here]", "which seat")
        (gurka,) = (each.table for each in anna.page.client.tables.values() if each.game == "gurka")
        await anna.click_on(Arrow(gurka, 3))
        assert not anna.page.client.tables[gurka].seats[4].name, "a click selects the seat"
        await anna.press("enter", "Anna (guest), you, at Gurka")
        assert anna.page.client.tables[gurka].seats[4].name == "Anna"


async def test_game_master_chooses_robot_level():
    async with club() as (room, url), lobby_app(url) as anna:
        await anna.sees("The club")
        await anna.press("n enter", "you start it; steady robots take free seats")
        await anna.press("home right", "you start it; expert robots take free seats")
        await anna.press("enter")
        (table,) = room.table_manager.registry.tables.values()
        await anna.wait_until(lambda: table.hosted_session)
        assert {occupant.robot for occupant in table.hosted_session.public_header.seats} == {None, "expert"}


async def create_session_of_guests():
    """Create an unfinished session of Anna and Bob, whose nicks anybody may take; return its id."""
    session = create_host_session("Anna", "Bob")
    for nick in ("Anna", "Bob"):
        await ClubAccounts().administration.forget(nick)
    return session


async def test_resume_unfinished_session_from_the_lobby():
    session = await create_session_of_guests()
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url) as anna:
        await anna.sees("Your unfinished sessions", "Rikiki", "Anna, Bob, Ada, Bo", "played")
        await anna.press("end up up up up", "call the others back")
        await anna.press("enter", "waiting for Bob; it continues with robots")
        await bob.wait_until(lambda: bob.talk == [("", "Anna calls you back to your session of Rikiki.")])
        await anna.press("home enter", "round 1", "Bob's robot")
        await bob.sit_down(session)


async def test_called_player_sits_down():
    session = await create_session_of_guests()
    async with club() as (_, url), Guest(url, "Bob") as bob, lobby_app(url) as anna:
        await bob.wait_until(lambda: "Anna" in bob.people)
        await bob.send(protocol.ResumeSession(session))
        await anna.sees("Bob calls you back to it", "**** Bob calls you")
        await anna.press("home enter")
        await bob.wait_until(lambda: bob.view)


async def test_guest_registers_from_the_lobby():
    async with club() as (lobby, url), lobby_app(url, size=(120, 40)) as anna:
        await anna.sees("Anna (guest), you", "Become a player here")
        lobby.announce("Good evening")
        await anna.sees("Good evening")
        await anna.press("tab")
        assert "new table" not in anna.text.splitlines()[-1], "n is written there"
        await anna.choose("register", "Choose a password")
        await anna.enter("sesame", "A new password has at least 8 characters.")
        await anna.enter("sesame77", "Repeat the password")
        await anna.enter("sesame78", "The two passwords differ; type the same one twice.")
        await anna.enter("sesame77", "Repeat the password")
        await anna.enter("sesame77", "Anna, you")
        await anna.sees_no_more("Become")
        assert "Good evening" in anna.text, "what was said before stays there"
        assert anna.page.cursor == NEW_TABLE_ROW
        assert profiles.find("Anna").password
        assert {ticket.nick for ticket in club_tokens.load()[0].tickets} == {"Anna"}


async def test_guest_signs_in_from_the_lobby():
    profiles.register_remote("Ida", "sesame77")
    async with club() as (_, url), lobby_app(url, size=(120, 40)) as anna:
        await anna.sees("Sign in as the player you are")
        await anna.choose("sign in", "Who are you?")
        await anna.enter("Ida", "What is your password?")
        await anna.enter("sesame77", "Ida, you")
        await anna.sees_no_more("Sign in")
        assert [ticket.nick for ticket in club_tokens.load()[0].tickets] == ["Anna", "Ida"]


async def test_take_offered_seat_from_the_lobby():
    async with club() as (_, url), table_of(url, "Cleo", "Bob") as (table, cleo, bob), lobby_app(url) as anna:
        await asyncio.gather(*[guest.play(lambda: cleo.update.stage is Stage.ROUND_END) for guest in (cleo, bob)])
        await bob.send(protocol.Leave(table), until=lambda: cleo.update.absences)
        await play_round_with_substitute(cleo, table, 1)
        await cleo.send(protocol.GiveSeat(table, 1, "Anna"))
        await anna.wait_until(lambda: anna.text.count("Cleo offers you Bob's seat") == 2)  # talk and table
        await anna.press("home enter")
        await cleo.wait_until(lambda: cleo.seats[1].name == "Anna" and not cleo.update.absences)


async def test_key_after_quit_dialog_goes_to_the_lobby():
    async with club() as (_, url), lobby_app(url) as anna:
        await anna.sees("here: Anna")
        await anna.press("ctrl+c", "Quit?")
        for _ in range(2):
            anna.app.post_message(events.Key("escape", None))
        await anna.sees_no_more("here: Anna")


async def test_palette_of_a_hosted_client(monkeypatch):
    monkeypatch.setenv(club_tokens.ADMISSION_TOKEN_VARIABLE, "token")
    async with club() as (_, url), lobby_app(url, size=(120, 40), is_hosted_client=True) as anna:
        await anna.sees("Anna (guest), you")
        context = anna.app.context
        commands = *list_commands(context, anna.app.screen), *list_more_commands(context)
        offered = [command.name for command in commands]
        assert {"Rules of King", "Settings", "A new table"} <= set(offered)
        own = [name for name in offered if ": " not in name]  # not the values of settings
        assert not [name for name in own if name.startswith(("Play ", "New table for", "Players", "Open"))]
        assert not [name for name in offered if name.startswith(("Continue ", "Statistics of"))]


async def test_settings_of_a_hosted_client_show_no_folder(monkeypatch, home):
    monkeypatch.setenv(club_tokens.ADMISSION_TOKEN_VARIABLE, "token")
    async with club() as (_, url), lobby_app(url, size=(120, 40), is_hosted_client=True) as anna:
        await anna.sees("Anna (guest), you")
        anna.app.context.show("settings")
        await anna.sees("Settings", "Files")
        paths.settings_file().mkdir(parents=True)
        anna.app.preferences.change(robot_pace=1)
        await anna.press(str(len(TABS)), "at the club, for this visit", "not a regular file")
        assert home.name not in anna.text


@pytest.mark.parametrize("size", [(80, 24), (110, 30)])
async def test_return_word_shown_until_confirmed(monkeypatch, size):
    monkeypatch.setenv(club_tokens.RETURN_WORD_VARIABLE, "abcd-efgh-jkmn-pqrs")
    word = ("To come back as Anna use this word:", "abcd-efgh-jkmn-pqrs", "Write it down, then press Enter here.")
    async with club() as (_, url), lobby_app(url, size=size) as anna:
        await anna.sees(*word)
        await anna.press("enter")  # too early: it is for the line below
        await anna.sees("New table")
        await anna.press("escape", *word)
        await anna.press("home", "I have written it down")
        await anna.press("enter")
        await anna.sees_no_more(word[0])
        assert club_tokens.find_pending_word() == ""


async def test_private_table_by_keys():
    async with (
        club() as (_, url),
        connected_guests(url, "Bob", "Cleo", "Dora") as (bob, cleo, dora),
        lobby_app(url) as anna,
    ):
        await anna.sees("The club", "Dora")
        await anna.press("n right right right", "Gurka", "up to 6 seats", "everybody")
        await anna.press(
            "down down down down down down down down right", "people you invite", "nicks, or later at the table"
        )
        await anna.press("down")
        await anna.enter("bob", "Gurka  private", "Anna, free, free, free, up to 6 seats")
        await bob.wait_until(lambda: bob.tables)
        await anna.press("v", "who may come to this private table", "Anna, game master", "Bob", "Cleo")
        await anna.press("down enter")
        await cleo.wait_until(lambda: cleo.tables)
        await anna.sees("withdraw the invitation")
        await anna.press("end")
        await anna.enter("zoe", "nobody called Zoe has been here yet")
        await anna.press("home enter")
        await bob.wait_until(lambda: not bob.tables)
        assert not dora.tables
        await anna.press("escape", "Gurka  private")


async def test_hidden_people_address_nobody():
    async with club() as (_, url), connected_guests(url, "Bob") as (bob,), lobby_app(url) as anna:
        await anna.sees("The club", "Bob (guest)")
        await anna.press("p home space escape")
        await bob.send(protocol.OpenTable("rikiki", 4, private=True, invited=("Anna",), name="Come here"))
        await bob.send(protocol.OpenTable("king", 4, name="Come there"))
        await anna.sees("Rikiki  private", "King")
        await bob.send(protocol.Watch("no table"), until=lambda: bob.refused)
        assert not [text for text in ("invites", "Come here", "Come there") if text in anna.text]


async def test_hide_talk_by_keys():
    async with club() as (_, url), connected_guests(url, "Bob", "Cleo") as (bob, cleo), lobby_app(url) as anna:
        await anna.sees("The club", "Cleo")
        for guest in (bob, cleo):
            await guest.send(protocol.Say(f"Hello from {guest.nick}"))
        await anna.sees("Bob: Hello from Bob", "Cleo: Hello from Cleo")
        await anna.press("p", "People", "Anna (you)", "Bob (guest)")
        await anna.press("home space", "Bob (guest), talk hidden")
        await anna.press("escape", "Cleo: Hello from Cleo")
        assert "Bob: Hello" not in anna.text
    async with club() as (_, url), lobby_app(url) as anna:
        await anna.sees("The club")
        await anna.press("p", "Not here", "Bob, talk hidden")
        await anna.press("home space")
        await anna.sees_no_more("Not here")
        assert club_tokens.load()[0].hidden is msgspec.UNSET
