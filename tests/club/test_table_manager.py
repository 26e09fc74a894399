"""Tables of a club: resuming sessions, giving seats away, another session at the same table."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec
import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import SeatInfo
from cardtable.club.server import club_file, invitations, lobby
from cardtable.club.server.finished_sessions import FinishedSessions
from cardtable.club.server.limits import LoginError
from cardtable.club.server.tables import PendingTable, RequestRefused
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import CustomLogEntry, Said
from cardtable.games import GAMES
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.session.session_events import Stage
from cardtable.store import club_sessions, passwords, paths, profiles, sessions, summaries
from cardtable.store.session_setup import SessionSetup
from tests.club.guests import make_person
from tests.club.loopback_club import (
    PASSWORD,
    Guest,
    club,
    connected_guests,
    joined,
    paused_session_setup,
    play_round_with_substitute,
    poll_until,
    repeat_random_ids,
    start_table,
)
from tests.session.session_player import NOW


def create_host_session(*people, robots=("Ada", "Bo"), game="rikiki"):
    """Create a session at the host's own machine and return its id."""
    seats = [*[Occupant(nick) for nick in people], *[Occupant(name, "random") for name in robots]]
    session = sessions.create(GAMES[game], seats, GAMES[game].options(), 7, now=NOW)
    session.close()
    return session.header.id


def list_seat_changes(path):
    """Return the seat changes in an unfinished journal: seat, name and level of the robot, or None for a person."""
    assert path.parent == paths.sessions_folder()
    entries = journal.read(path.read_bytes()).entries
    changes = [(entry.line.sit, entry.line.name, entry.line.robot) for entry in entries]
    return [each for each in changes if each[0] is not None]


@pytest.mark.promise(
    "The club", "A session of the same people can be resumed, with robots for the absent if all present agree."
)
async def test_resumed_session_begins_when_all_players_return():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        session = create_host_session("Bob", "Anna")
        await anna.send(protocol.AskUnfinished())
        await anna.wait_until(lambda: anna.unfinished)
        (row,) = anna.unfinished
        assert (row.table, row.game, row.round) == (session, "rikiki", 0)
        assert [(place.name, place.robot, place.away) for place in row.places] == [
            ("Bob", False, False), ("Anna", False, False), ("Ada", True, False), ("Bo", True, False)
        ]  # fmt: skip
        await anna.send(protocol.ResumeSession(session))
        await bob.wait_until(lambda: session in bob.tables)
        row = bob.tables[session]
        assert (row.playing, row.taken_up, row.master) == (False, True, "Anna")
        assert [place.away for place in row.places] == [True, False, False, False]
        await bob.wait_until(lambda: ("", "Anna calls you back to your session of Rikiki.") in bob.talk)
        assert not cleo.talk
        await cleo.send(protocol.SitDown(session))
        await cleo.wait_until(lambda: "that session is not yours" in cleo.refused)
        assert not anna.view
        await bob.send(protocol.SitDown(session))
        await anna.wait_until(lambda: anna.view)
        await bob.wait_until(lambda: bob.view)
        assert (anna.seated.seat, bob.seated.seat) == (1, 0)
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await cleo.send(protocol.AskUnfinished())
        await cleo.wait_until(lambda: cleo.unfinished == ())


@pytest.mark.promise(
    "The club", "A session of the same people can be resumed, with robots for the absent if all present agree."
)
async def test_robots_replace_the_absent_if_all_present_agree():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        club_file.forget_account("Cleo")
        await anna.send(protocol.Start(session))
        await anna.wait_until(lambda: "that table has already started" in anna.refused)
        await anna.send(protocol.ResumeSession(session))
        await bob.wait_until(lambda: session in bob.tables)
        await bob.send(protocol.Start(session))
        await bob.wait_until(lambda: "sit down at that table first" in bob.refused)
        await bob.send(protocol.SitDown(session))
        await bob.send(protocol.Start(session, "novice"))
        await anna.wait_until(lambda: not anna.tables[session].places[1].away)
        assert not anna.view, "Bob alone has agreed"
        await anna.send(protocol.Start(session, "novice"))
        await anna.wait_until(lambda: anna.places and anna.places[2] == SeatInfo("Cleo", True, True))
        async with connected_guests(url, "Cleo") as (cleo,):
            await cleo.send(protocol.SitDown(session))
            await cleo.wait_until(lambda: cleo.view)
            await anna.wait_until(lambda: anna.places[2] == SeatInfo("Cleo"))
        for guest in (anna, bob):
            await guest.send(protocol.Leave(session))
        await anna.wait_until(lambda: not anna.tables)
    assert list_seat_changes(summaries.find_path(session)) == [(2, "Ada", "novice"), (2, "Cleo", None)]


@pytest.mark.parametrize("is_private", [False, True])
async def test_renamed_player_returns_to_seat_and_game_masters_rights(is_private):
    profiles.register("Anna", password=PASSWORD, again=PASSWORD)
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        request = protocol.OpenTable("rikiki", 4, lot=False, private=is_private, invited=("Bob",) if is_private else ())
        await anna.send(request)
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.send(protocol.SitDown(table))
        await anna.wait_until(lambda: anna.tables[table].places[1].name == "Bob")
        await anna.send(protocol.Start(table))
        await anna.wait_until(lambda: anna.view)
        profiles.update_profile("Anna", "Hanna", "", "")
        await anna.disconnect()
        await anna.send(protocol.SitDown(table))
        await anna.wait_until(lambda: anna.view)
        assert anna.welcome.nick == "Hanna"
        await bob.wait_until(lambda: bob.places[0] == SeatInfo("Hanna"))
        await bob.wait_until(lambda: bob.tables[table].master == "Hanna")


@pytest.mark.parametrize("ending", ["leaves", "is cut off"])
async def test_session_resumes_if_the_last_player_to_agree_to_robots_goes(ending):
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,), Guest(url, "Bob") as bob:
        await bob.wait_until(lambda: bob.welcome)
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        await anna.send(protocol.ResumeSession(session))
        await bob.wait_until(lambda: session in bob.tables)
        await bob.send(protocol.SitDown(session))
        await anna.wait_until(lambda: not anna.tables[session].places[1].away)
        await anna.send(protocol.Start(session, "novice"))
        if ending == "leaves":
            await bob.send(protocol.Leave(session))
        else:
            await bob.__aexit__()
        expected = (SeatInfo("Anna"), SeatInfo("Bob", True, True), SeatInfo("Cleo", True, True), SeatInfo("Bo", True))
        await anna.wait_until(lambda: anna.places == expected)


async def test_disconnected_player_is_shown_as_away_from_a_table_to_resume():
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,), Guest(url, "Bob") as bob:
        await bob.wait_until(lambda: bob.welcome)
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        await bob.send(protocol.ResumeSession(session))
        await anna.send(protocol.ResumeSession(session))
        await anna.wait_until(
            lambda: session in anna.tables and not any(place.away for place in anna.tables[session].places[:2])
        )
        await bob.__aexit__()
        await anna.wait_until(lambda: anna.tables[session].places[1].away)


async def test_resume_session_that_everyone_left():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        for guest in (anna, bob):
            await guest.send(protocol.Leave(table))
        await bob.wait_until(lambda: not bob.tables)
        await bob.send(protocol.ResumeSession(table))
        await anna.wait_until(lambda: anna.tables and anna.tables[table].taken_up)
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: not anna.tables)
        await anna.send(protocol.AskUnfinished())
        await anna.wait_until(lambda: anna.unfinished)
        anna.update = bob.update = None
        for guest in (anna, bob):
            await guest.send(protocol.ResumeSession(table))
        for guest in (anna, bob):
            await guest.wait_until(lambda guest=guest: guest.update)


NICK_TAKEN = "has a seat in an unfinished session here; choose another nick, or ask the host to free it"


async def assert_nick_taken(authenticator, nick):
    """Assert that a newcomer cannot take a nick that an unfinished session names."""
    with pytest.raises(LoginError, match=NICK_TAKEN) as refusal:
        await authenticator.log_in(nick, ConnectionOrigin())
    assert refusal.value.missing == "nick"


@pytest.mark.promise(
    "The club", "A nick that an unfinished session names belongs to nobody new, unless the host frees it."
)
async def test_nick_in_unfinished_session_is_taken():
    """The nicks belong to hot-seat players and removed profiles; the session may be closed, called back or in play."""
    profiles.register("Emil")
    session = create_host_session("Anna", "Bob", "Emil", robots=("Ada",))
    profiles.remove("Emil", "")
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (room, url), connected_guests(url, "Anna") as (anna,):
        for nick in ("Bob", "emil", "ＢＯＢ"):
            await assert_nick_taken(room.authenticator, nick)
        await anna.send(protocol.ResumeSession(session))
        await anna.wait_until(lambda: session in anna.tables)
        await assert_nick_taken(room.authenticator, "Bob")
        await anna.send(protocol.Start(session))
        await anna.wait_until(lambda: anna.view)
        await assert_nick_taken(room.authenticator, "Bob")
        await room.authenticator.log_in("Cleo", ConnectionOrigin())
        club_file.forget_account("bob")
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (_, bob):
        await assert_nick_taken(room.authenticator, "Emil")
        assert club_file.read_club_file().freed == ("bob",)
        await bob.send(protocol.ResumeSession(session))
        await bob.wait_until(lambda: session in bob.tables)
        await bob.send(protocol.Start(session))
        await bob.wait_until(lambda: bob.view and bob.seated.seat == 1)
        await room.table_manager._save_tables()
        assert club_file.read_club_file().freed == msgspec.UNSET
    with pytest.raises(CardtableError, match="nobody called Cora has been in the club, and no unfinished session"):
        club_file.forget_account("Cora")


async def test_freed_nick_stays_free_after_unconfirmed_guest():
    """The host need not free the nick again."""
    create_host_session("Anna", "Bob")
    club_file.forget_account("Bob")
    async with club() as (room, _):
        await room.authenticator.log_in(
            "Bob", ConnectionOrigin(), new_token=lambda _person: invitations.generate_word()
        )
        await room.authenticator.forget_unconfirmed_guest("Bob")
    async with club() as (room, _):
        await room.authenticator.log_in("Bob", ConnectionOrigin())
        await assert_nick_taken(room.authenticator, "Anna")


async def test_concurrent_requests_for_a_freed_nick():
    create_host_session("Anna", "Bob")
    club_file.forget_account("Bob")
    async with club() as (room, _):
        entering = [room.authenticator.log_in("Bob", ConnectionOrigin()) for _ in range(2)]
        results = await asyncio.gather(*entering, return_exceptions=True)
        assert sorted(isinstance(each, LoginError) for each in results) == [False, True]


async def test_cannot_resume_foreign_or_locked_session():
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,):
        await anna.send(protocol.ResumeSession(create_host_session("Bob", "Cleo")))
        await anna.wait_until(lambda: "that is not one of your unfinished sessions" in anna.refused)
        session = create_host_session("Anna", robots=("Ada", "Bo", "Cy"))
        elsewhere = sessions.resume(summaries.find_path(session))
        await anna.send(protocol.ResumeSession(session))
        await anna.wait_until(lambda: any("cannot be played here" in refusal for refusal in anna.refused))
        elsewhere.close()
        await anna.send(protocol.ResumeSession(session))
        await anna.wait_until(lambda: anna.view)


@asynccontextmanager
async def finished_round(url):
    """Play to the end of a round, with Anna present, Bob absent and Cleo as spectator."""
    async with connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.LookOn(table))
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.away)
        yield table, anna, bob, cleo


async def test_give_seat_to_robot_permanently_between_rounds():
    async with club() as (_, url), finished_round(url) as (table, anna, bob, cleo):
        await anna.send(protocol.GiveSeat(table, 1, level="novice"))
        await anna.wait_until(lambda: any("to come back" in refusal for refusal in anna.refused))
        await anna.send(protocol.EndWait(table))
        await anna.wait_until(lambda: anna.update.stage is Stage.PLAY)
        await anna.send(protocol.GiveSeat(table, 1, level="novice"))
        await anna.wait_until(lambda: "a seat can only be given away between rounds" in anna.refused)
        await anna.send(protocol.StandIn(table, 1))
        await anna.play(lambda: anna.update.stage is Stage.ROUND_END)
        await anna.send(protocol.GiveSeat(table, 1, level="novice"))
        await anna.wait_until(lambda: not anna.update.away)
        assert anna.places[1].robot
        await bob.send(protocol.SitDown(table))
        await bob.wait_until(lambda: "no seat is free at that table" in bob.refused)
        await anna.send(protocol.Leave(table))
        await cleo.send(protocol.Leave(table))
        await bob.wait_until(lambda: not bob.tables)
        await bob.send(protocol.ResumeSession(table))
        await bob.wait_until(lambda: "that is not one of your unfinished sessions" in bob.refused)
    assert [change[2] for change in list_seat_changes(summaries.find_path(table))] == ["steady", "novice"]


async def test_failed_save_does_not_give_the_seat_away(monkeypatch):
    """A later save that works does not give the seat away either."""

    def refuse_to_save(_contents):
        raise CardtableError("the disk is full")

    async with club() as (room, url), finished_round(url) as (table, anna, bob, _):
        await play_round_with_substitute(anna, table, 1)
        write = club_file.write_club_file
        monkeypatch.setattr(club_file, "write_club_file", refuse_to_save)
        await anna.send(protocol.GiveSeat(table, 1, level="novice"))
        await anna.wait_until(lambda: "the disk is full" in anna.refused)
        monkeypatch.setattr(club_file, "write_club_file", write)
        await room.accounts.save_all(room.accounts.tables)
        assert [saved_table.given for saved_table in club_file.read_club_file().tables] == [()]
        await bob.send(protocol.SitDown(table))
        await bob.wait_until(lambda: bob.view and not anna.update.away)


async def test_give_seat_to_a_present_guest():
    for nick in ("Anna", "Dora"):
        profiles.register_remote(nick, PASSWORD)
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Dora") as (anna, bob, dora):
        table = await start_table(anna, bob, length="short")
        await dora.send(protocol.LookOn(table))
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.away)
        await dora.send(protocol.EndWait(table))
        await dora.wait_until(lambda: "you are only watching at that table" in dora.refused)
        await play_round_with_substitute(anna, table, 1)
        await anna.send(protocol.GiveSeat(table, 1, "Eric"))
        await anna.wait_until(lambda: "nobody called Eric is here" in anna.refused)
        await anna.send(protocol.GiveSeat(table, 1, "Dora"))
        await dora.wait_until(lambda: ("", "Anna offers you Bob's seat.") in dora.talk)
        await dora.wait_until(lambda: dora.places[1].offered == "Dora")
        await anna.send(protocol.Ready(table, anna.view.round))
        await dora.send(protocol.SitDown(table, 1))
        await dora.wait_until(lambda: dora.seated.seat == 1 and dora.view and dora.view.seat == 1)
        assert dora.view.round == anna.view.round, "the next round has waited for her"
        await asyncio.gather(anna.play(), dora.play())
        assert (dora.update.results, dora.scores) == (anna.update.results, anna.scores)
    (path,) = [path for path in paths.archive_folder().glob("*.jsonl") if path.stem == table]
    seats = KnownPlayers(profiles.load()[0]).find_players(summaries.summarize(path))
    assert seats[:2] == [Player("Anna"), None], "a seat that changed hands is not rated"


@pytest.mark.parametrize("lot", [False, True])
async def test_game_master_offers_another_session(lot):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob, length="short")
        await cleo.send(protocol.LookOn(table))
        await asyncio.gather(anna.play(), bob.play())
        await bob.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: "Anna is the game master, and nobody else can do that" in bob.refused)
        await anna.send(protocol.PlayAgain(table, lot))
        await bob.wait_until(lambda: bob.update.again == (0,))
        await bob.send(protocol.PlayAgain(table))
        for guest in (anna, bob, cleo):
            await guest.wait_until(lambda guest=guest: guest.seated.instead == table and guest.update)
        assert cleo.seated.seat is None
        names = [place.name for place in anna.places]
        assert sorted(names) == ["Ada", "Anna", "Bo", "Bob"]
        assert lot or names[:2] == ["Anna", "Bob"]
        assert (names[anna.seated.seat], names[bob.seated.seat]) == ("Anna", "Bob")
        for guest in (anna, bob, cleo):
            await guest.send(protocol.Leave(anna.seated.table))
        await anna.wait_until(lambda: not anna.tables)


@pytest.mark.promise("The club", "A session that all present leave for a new one stays unfinished.")
async def test_new_session_before_the_end_of_the_present_one():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.LookOn(table))
        await cleo.wait_until(lambda: cleo.view)
        # the offer lapses if a player declines, the game master withdraws it, or a player leaves
        for guest, message in ((bob, protocol.DeclineAgain), (anna, protocol.DeclineAgain), (bob, protocol.Leave)):
            await anna.send(protocol.PlayAgain(table))
            await bob.wait_until(lambda: bob.update.again == (0,))
            await guest.send(message(table))
            await anna.wait_until(lambda: anna.update.again == ())
        await anna.send(protocol.DeclineAgain(table))
        await anna.wait_until(lambda: "no other session is offered" in anna.refused)
        # nobody is left out while the table waits for them
        await anna.send(protocol.PlayAgain(table))
        await anna.wait_until(lambda: any(refusal.startswith("Bob has another ") for refusal in anna.refused))
        await bob.send(protocol.SitDown(table))
        await anna.wait_until(lambda: not anna.update.away)
        await bob.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: "Anna is the game master, and nobody else can do that" in bob.refused)
        decisions = anna.update.at
        await anna.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: bob.update.again == (0,))
        await bob.send(protocol.PlayAgain(table))
        for guest in (anna, bob, cleo):
            await guest.wait_until(lambda guest=guest: guest.seated.instead == table and guest.update)
        assert (cleo.seated.seat, [place.name for place in anna.places]) == (None, ["Anna", "Bob", "Ada", "Bo"])
        # the old session can be called again, as it was
        await poll_until(lambda: room.table_manager.active_tables[table].is_asleep)
        for guest in (anna, bob):
            await guest.send(protocol.Leave(anna.seated.table))
            await guest.send(protocol.AskUnfinished())
            await guest.wait_until(
                lambda guest=guest: guest.unfinished and table in {row.table for row in guest.unfinished}
            )
        for guest in (anna, bob):
            await guest.send(protocol.ResumeSession(table))
        await anna.wait_until(lambda: anna.seated.table == table and anna.update and anna.update.at == decisions)
        await anna.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: bob.update and bob.update.again == (0,))
        await bob.send(protocol.PlayAgain(table))
        await anna.wait_until(lambda: anna.seated.instead == table)


async def test_new_session_leaves_out_a_player_after_the_wait():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.away)
        await anna.send(protocol.EndWait(table))
        await anna.send(protocol.PlayAgain(table))
        await anna.wait_until(lambda: anna.seated.instead == table and anna.places and anna.places[1].name == "Cy")
        await poll_until(lambda: room.table_manager.active_tables[table].is_asleep)
        await bob.send(protocol.AskUnfinished())
        await bob.wait_until(lambda: bob.unfinished and bob.unfinished[0].table == table)


async def test_new_session_that_cannot_be_saved_is_not_begun(monkeypatch):
    def refuse(*_arguments, **_options):
        raise CardtableError("no credits")

    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        monkeypatch.setattr(SessionSetup, "begin", refuse)
        await anna.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: bob.update.again == (0,))
        await bob.send(protocol.PlayAgain(table))
        for guest in (anna, bob):
            await guest.wait_until(lambda guest=guest: "no credits" in guest.refused and not guest.update.again)
        assert anna.seated.table == table


async def test_club_closes_while_a_session_begins(monkeypatch):
    async with club() as (room, url), connected_guests(url, "Anna") as (anna,):
        await anna.send(protocol.OpenTable("rikiki", 4))
        await anna.wait_until(lambda: anna.tables)
        with paused_session_setup(monkeypatch) as wait_until_tried:
            await anna.send(protocol.Start(*anna.tables))
            assert await wait_until_tried()
            closing = asyncio.create_task(room.close("The club has closed."))
            await asyncio.sleep(0)
        await closing
        session = sessions.resume_at_club(summaries.find_path(*anna.tables))
        session.close()
        assert not session.read_only_reason


async def test_table_whose_next_session_is_beginning_cannot_be_closed(monkeypatch):
    """Otherwise the session would begin without anybody, and take stakes."""
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        await anna.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: bob.update.again)
        with paused_session_setup(monkeypatch) as wait_until_tried:
            await bob.send(protocol.PlayAgain(table))
            assert await wait_until_tried()
            with pytest.raises(RequestRefused, match="another session is just beginning at that table; try again"):
                await room.close_table(table, "it is late")
        for guest in (anna, bob):
            await guest.wait_until(lambda guest=guest: guest.seated.instead == table)
        await poll_until(lambda: not room.table_manager.active_tables[table].rematch)
        await room.close_table(anna.seated.table, "it is late")
        await anna.wait_until(lambda: anna.update.closed == "it is late")


@pytest.mark.parametrize("is_resumed", [False, True])
async def test_table_begins_on_the_device_that_plays_at_no_other_table(is_resumed):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        async with joined(url, "Anna", token=anna.welcome.token) as phone:
            if is_resumed:
                session = create_host_session("Anna", "Cleo")
                await phone.send(protocol.ResumeSession(session))
                await cleo.wait_until(lambda: session in cleo.tables)
                await cleo.send(protocol.ResumeSession(session))
                await phone.wait_until(lambda: phone.view)
            else:
                await start_table(phone, cleo)
            assert phone.seated.table != anna.seated.table == table
            await anna.send(protocol.Say("Still here", table))
            await anna.wait_until(lambda: Said(0, "Still here") in anna.notes)
            assert anna.seated.table == table


async def test_offer_of_another_session_that_everybody_leaves():
    """Spectators do not begin a session of robots."""
    async with club() as (room, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob, length="short")
        await cleo.send(protocol.LookOn(table))
        await asyncio.gather(anna.play(), bob.play())
        await anna.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: bob.update.again == (0,))
        for guest in (anna, bob):
            await guest.send(protocol.Leave(table))
        await cleo.wait_until(lambda: [place.away for place in cleo.places[:2]] == [True, True])
        await cleo.send(protocol.Say("Bye", table))
        await cleo.wait_until(lambda: Said(None, "Cleo: Bye") in cleo.notes)
        assert [*room.table_manager.active_tables] == [table]


async def test_another_session_without_a_player_that_left():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob, length="short")
        await asyncio.gather(anna.play(), bob.play())
        await anna.send(protocol.PlayAgain(table))
        await bob.wait_until(lambda: bob.update.again == (0,))
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.seated.instead == table)
        await anna.wait_until(lambda: anna.places and anna.places[1].robot)
        assert anna.places[1].name == "Cy"


async def test_game_master_ends_wait_for_absent_player():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        await bob.send(protocol.EndWait(table))
        await bob.wait_until(lambda: "Anna is the game master, and nobody else can do that" in bob.refused)
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.away)
        await anna.send(protocol.EndWait(table))
        await anna.wait_until(lambda: anna.update.away == {1: 0})
        await anna.send(protocol.StandIn(table, 1))
        await anna.wait_until(lambda: anna.places[1] == SeatInfo("Bob", True, True))


async def test_first_present_player_is_acting_game_master():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.LookOn(table))
        await bob.wait_until(lambda: bob.update.looking_on == ("Cleo",))
        await anna.send(protocol.Leave(table))
        await bob.wait_until(lambda: bob.tables[table].master == "Bob")
        await bob.send(protocol.EndWait(table))
        await bob.wait_until(lambda: bob.update.away == {0: 0})


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


async def test_another_session_takes_stakes_of_players(monkeypatch):
    profiles.register_remote("Anna", "sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())  # the host was started since
    async with club() as (_, url), joined(url, "Anna", password="sesame77") as anna:
        table = await start_table(anna, game="ten_down", seats=2, room=50)
        await anna.play()
        await anna.send(protocol.PlayAgain(table))
        await anna.wait_until(lambda: anna.seated.instead == table)


async def test_session_with_unreadable_creation_time():
    session = create_host_session("Anna", "Bob")
    path = paths.sessions_folder() / f"{session}.jsonl"
    path.write_bytes(journal.encode([replace(journal.read(path.read_bytes()).header, created="yesterday")]))
    club_file.forget_account("Anna")
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
        for guest in (anna, bob):
            await guest.wait_until(lambda guest=guest: CustomLogEntry(None, club_sessions.REVEALED) in guest.notes)
    assert len(club_file.read_club_file().id) == 32
    async with club() as (again, _):
        assert again.accounts.id == room.accounts.id
        assert club_file.read_club_file().id_since == room.accounts._id_since


@pytest.mark.parametrize(
    ("game", "seats", "grows", "moves", "seated"),
    [
        ("gurka", 4, None, "+A +B +C +D", "Kay A B C D -"),
        ("gurka", 4, None, "+A +B +C +D +E", "Kay A B C D E"),
        ("gurka", 4, None, "+A +B +C +D +E +F", "no seat is free at that table"),
        ("gurka", 4, None, "+A +B +C +D -B", "Kay A D C"),
        ("gurka", 4, None, "+A +B +C +D -Kay -A", "D - B C"),
        ("gurka", 4, False, "+A +B +C +D", "no seat is free at that table"),
        ("gurka", 6, None, "+A -A", "Kay - - - - -"),
        ("ten_down", 2, None, "+A +B", "no seat is free at that table"),
        ("ten_down", 2, True, "+A +B", "Kay A B"),
        ("ten_down", 2, True, "+A +B +C -A -B", "Kay C"),
        ("rikiki", 4, True, "+A +B +C +D", "no seat is free at that table"),
    ],
)
def test_table_grows_and_shrinks_with_its_players(game, seats, grows, moves, seated):
    table = PendingTable(protocol.OpenTable(game, seats, grows=grows), "Kay", "")
    refusal = ""
    for move in moves.split():
        try:
            table.sit_down(make_person(move[1:]), None) if move[0] == "+" else table.leave(move[1:])
        except RequestRefused as refused:
            refusal = str(refused)
    assert (refusal or " ".join([nick or "-" for nick in table.seated_nicks])) == seated


async def test_table_does_not_replace_one_with_the_same_id(monkeypatch):
    repeat_random_ids(monkeypatch)
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as guests:
        for guest in guests:
            await guest.send(protocol.OpenTable("rikiki", 4))
        await guests[0].wait_until(lambda: len(guests[0].tables) == 2)
        assert {row.master for row in room.table_manager.list_lobby_tables().values()} == {"Anna", "Bob"}


async def test_gurka_begins_with_as_many_seats_as_people_need():
    nicks = ("Anna", "Bob", "Cleo", "Dan", "Emil")
    async with club() as (_, url), connected_guests(url, *nicks) as guests:
        anna, *others = guests
        await anna.send(protocol.OpenTable("gurka", 4, {"limit": 21}, lot=False))
        await anna.wait_until(lambda: anna.tables)
        (table,) = anna.tables
        assert anna.tables[table].grows_to == 6
        for number, guest in enumerate(others, 2):
            await guest.send(protocol.SitDown(table))
            await anna.wait_until(
                lambda number=number: sum(bool(place.name) for place in anna.tables[table].places) == number
            )
        row = anna.tables[table]
        assert (len(row.places), row.options["seats"], row.options["limit"], row.grows_to) == (6, 6, 21, 0)
        await anna.send(protocol.Start(table))
        await others[-1].wait_until(lambda: others[-1].view)
        assert [occupant.name for occupant in anna.seated.header.seats] == [*nicks, "Ada"]
        assert anna.seated.header.options["seats"] == 6


# --- another person with the same nick


async def play_short_session(*guests):
    """Play a session to its end, leave its table, and return its id."""
    table = await start_table(*guests, length="short")
    await asyncio.gather(*[guest.play() for guest in guests])
    for guest in guests:
        await guest.send(protocol.Leave(table))
        guest.view = None
    for guest in guests:
        await guest.wait_until(lambda guest=guest: not guest.tables)
    return table


@pytest.mark.parametrize("logs_in", [False, True])
async def test_rematch_does_not_seat_a_player_who_took_the_nick_of_a_guest(logs_in):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        profiles.register("Bob", password=PASSWORD, again=PASSWORD)
        async with AsyncExitStack() as stack:
            if logs_in:
                player = await stack.enter_async_context(joined(url, "Bob", password=PASSWORD))
                await player.send(protocol.SitDown(table))
                await player.wait_until(lambda: "no seat is free at that table" in player.refused)
                await bob.wait_until(lambda: bob.link.end_reason)
                assert bob.link.end_reason == "Bob is now a player of this club; choose another nick"
                await anna.send(protocol.EndWait(table))
            await anna.send(protocol.PlayAgain(table))
            if not logs_in:
                await anna.wait_until(lambda: anna.update.again)
                await bob.send(protocol.PlayAgain(table))
            await anna.wait_until(lambda: anna.seated.instead == table)
    people = summaries.summarize(summaries.find_path(anna.seated.table)).header.seats[:2]
    assert [person.player for person in people] == [None, None]
    assert bool(people[1].robot) == logs_in


@pytest.mark.parametrize("nicks", [("Anna", "Bob"), ("Bob", "Anna")])
async def test_player_renamed_to_the_nick_of_a_guest_keeps_their_own_seat(nicks):
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (_, url), connected_guests(url, *nicks) as guests:
        anna, bob = sorted(guests, key=lambda guest: guest.nick)
        table = await start_table(bob, anna)
        profiles.update_profile("Anna", "Bob", "", "")
        await anna.disconnect()
        await bob.wait_until(lambda: bob.link.end_reason == "Bob is now a player of this club; choose another nick")
        await anna.send(protocol.SitDown(table))
        await anna.wait_until(lambda: anna.view)
        assert (anna.welcome.nick, anna.seated.seat) == ("Bob", 1)
        await anna.send(protocol.EndWait(table))
        await anna.send(protocol.PlayAgain(table))
        await anna.wait_until(lambda: anna.seated.instead == table)
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
            for request in (protocol.SitDown(unfinished), protocol.ResumeSession(unfinished)):
                await player.send(request)
            await player.wait_until(lambda: len(player.refused) == 2)
            await player.send(protocol.AskUnfinished())
            await player.wait_until(lambda: player.unfinished is not None)
            assert player.unfinished == ()
            assert player.welcome.last_table == ""
            (client,) = room.clients
            assert await FinishedSessions().list_ids(client.person) == ()
            assert await FinishedSessions().read_journal(client.person, over) == ""


async def test_seat_of_a_removed_player_does_not_belong_to_another_one_with_the_nick():
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (_, url):
        async with connected_guests(url, "Anna", "Bob") as (anna, bob):
            table = await start_table(anna, bob)
        profiles.remove_unchecked("Anna")
        profiles.register("Anna", password=PASSWORD, again=PASSWORD)
        async with connected_guests(url, "Anna") as (other,):
            for request in (protocol.SitDown(table), protocol.ResumeSession(table)):
                await other.send(request)
            await other.wait_until(lambda: len(other.refused) == 2)


async def test_player_who_took_the_nick_of_a_guest_sees_no_private_table_of_theirs():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        await anna.send(protocol.OpenTable("rikiki", 4, private=True, invited=("Bob",)))
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        await bob.send(protocol.SitDown(table))
        await anna.wait_until(lambda: anna.tables[table].places[1].name == "Bob")
        await anna.send(protocol.Start(table))
        for guest in (anna, bob):
            await guest.wait_until(lambda guest=guest: guest.view)
            await guest.send(protocol.Leave(table))
        await anna.wait_until(lambda: not anna.tables)
        profiles.register("Bob", password=PASSWORD, again=PASSWORD)
        async with joined(url, "Bob", password=PASSWORD) as player:
            anna.view = None
            await anna.send(protocol.ResumeSession(table))
            await anna.send(protocol.Start(table, "novice"))
            await anna.wait_until(lambda: anna.view)
            await player.send(protocol.LookOn(table))
            await player.wait_until(lambda: player.refused or player.view)
            assert player.refused == ["that table is closed"]
            assert player.tables == {}


async def test_registered_guest_keeps_all_seats_and_sessions():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        over = await play_short_session(anna, bob)
        table = await start_table(anna, bob)
        await bob.send(protocol.Register(PASSWORD))
        await bob.wait_until(lambda: bob.account)
        profiles.update_profile("Bob", "Robert", "", "")
        async with joined(url, "Bob", token=bob.account.token) as player:
            await player.send(protocol.SitDown(table))
            await player.wait_until(lambda: player.view and player.seated.seat == 1)
            assert await FinishedSessions().list_ids(room.clients[-1].person) == (over,)
            await anna.send(protocol.PlayAgain(table))
            await player.wait_until(lambda: player.update.again)
            await player.send(protocol.PlayAgain(table))
            await player.wait_until(lambda: player.seated.instead == table)
        header = summaries.summarize(summaries.find_path(player.seated.table)).header
        assert header.seats[1].player == profiles.find("Robert").id


async def test_renamed_player_finds_unfinished_sessions_under_the_new_nick():
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (_, url):
        async with connected_guests(url, "Anna") as (anna,):
            session = await start_table(anna)
            await anna.send(protocol.Leave(session))
            await anna.send(protocol.AskUnfinished())
            await anna.wait_until(lambda: anna.unfinished)
        profiles.update_profile("Anna", "Hanna", "", "")
        async with connected_guests(url, "Hanna") as (hanna,):
            await hanna.send(protocol.AskUnfinished())
            await hanna.wait_until(lambda: hanna.unfinished)
            assert hanna.unfinished[0].places[0].name == "Hanna"


async def test_former_nick_of_a_connected_player_is_taken():
    """The player's other device is disconnected and keeps its seat under the new nick."""
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        profiles.update_profile("Anna", "Hanna", "", "")
        async with joined(url, "Hanna", password=PASSWORD) as hanna, joined(url, "Anna") as guest:
            await anna.wait_until(lambda: anna.link.end_reason == lobby.NICK_CHANGED)
            for request in (protocol.SitDown(table), protocol.ResumeSession(table)):
                await guest.send(request)
            await guest.wait_until(lambda: guest.refused == ["no seat is free at that table"] * 2)
            await hanna.send(protocol.SitDown(table))
            await hanna.wait_until(lambda: hanna.view and hanna.seated.seat == 0)
