"""Tables of a club: how they begin, grow and close, seats given away, the game master."""

import asyncio
from contextlib import asynccontextmanager, closing

import pytest

from cardtable.club import protocol
from cardtable.club.protocol import SeatInfo
from cardtable.club.server import club_file
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.table_phases import FreeSeats
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import Said
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.session.session_events import Stage
from cardtable.store import paths, profiles, sessions, summaries
from tests.club.guests import make_person
from tests.club.loopback_club import (
    PASSWORD,
    club,
    connected_guests,
    create_host_session,
    joined,
    list_seat_changes,
    paused_session_setup,
    play_round_with_substitute,
    play_until,
    repeat_random_ids,
    start_table,
)
from tests.toy.game_plugins import break_plugin


@asynccontextmanager
async def finished_round(url):
    """Play to the end of a round, with Anna present, Bob absent and Cleo as spectator."""
    async with connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.Watch(table))
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.absences)
        yield table, anna, bob, cleo


async def test_give_seat_to_robot_permanently_between_rounds():
    async with club() as (_, url), finished_round(url) as (table, anna, bob, cleo):
        assert "to come back" in await anna.get_refusal(protocol.GiveSeat(table, 1, level="novice"))
        await anna.send(protocol.EndWait(table))
        await anna.wait_until(lambda: anna.update.stage is Stage.PLAY)
        assert (
            await anna.get_refusal(protocol.GiveSeat(table, 1, level="novice"))
            == "a seat can only be given away between rounds"
        )
        await anna.send(protocol.VoteSubstitute(table, 1))
        await anna.play(lambda: anna.update.stage is Stage.ROUND_END)
        await anna.send(protocol.GiveSeat(table, 1, level="novice"))
        await anna.wait_until(lambda: not anna.update.absences)
        assert anna.seats[1].robot
        assert anna.seats[1].former == ("Bob", "Cy")
        assert await bob.get_refusal(protocol.SitDown(table)) == "no seat is free at that table"
        await anna.send(protocol.Leave(table))
        await cleo.send(protocol.Leave(table))
        await bob.wait_until(lambda: not bob.tables)
        assert await bob.get_refusal(protocol.ResumeSession(table)) == "that is not one of your unfinished sessions"
    assert [change[2] for change in list_seat_changes(summaries.find_path(table))] == ["steady", "novice"]


async def test_failed_save_does_not_give_the_seat_away(monkeypatch):
    """A later save that works does not give the seat away either."""

    def refuse_to_save(_contents):
        raise CardtableError("the disk is full")

    async with club() as (room, url), finished_round(url) as (table, anna, bob, _):
        await play_round_with_substitute(anna, table, 1)
        write = club_file.update_club_file
        monkeypatch.setattr(club_file, "update_club_file", refuse_to_save)
        assert await anna.get_refusal(protocol.GiveSeat(table, 1, level="novice")) == "the disk is full"
        monkeypatch.setattr(club_file, "update_club_file", write)
        await room.accounts.save_all(room.accounts.tables)
        assert [saved_table.given for saved_table in club_file.read_club_file().tables] == [()]
        await bob.send(protocol.SitDown(table))
        await bob.wait_until(lambda: bob.view and not anna.update.absences)


async def test_offer_of_a_seat_invites_nobody_before_it_is_saved(monkeypatch):
    def refuse_to_save(_contents):
        raise CardtableError("the disk is full")

    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Dora") as (anna, bob, dora):
        table = await start_table(anna, bob, length="short", private=True)
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.absences)
        await play_round_with_substitute(anna, table, 1)
        offer = protocol.GiveSeat(table, 1, "Dora")
        with monkeypatch.context() as patched:
            patched.setattr(club_file, "update_club_file", refuse_to_save)
            assert await anna.get_refusal(offer) == "the disk is full"
        assert table not in dora.tables
        await anna.send(offer)
        await dora.wait_until(lambda: table in dora.tables)
        assert [saved_table.invited for saved_table in club_file.read_club_file().tables] == [("Anna", "Bob", "Dora")]


async def test_give_seat_to_a_present_guest():
    for nick in ("Anna", "Dora"):
        profiles.register_remote(nick, PASSWORD)
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Dora") as (anna, bob, dora):
        table = await start_table(anna, bob, length="short")
        await dora.send(protocol.Watch(table))
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.absences)
        assert await dora.get_refusal(protocol.EndWait(table)) == "you are only watching at that table"
        await play_round_with_substitute(anna, table, 1)
        assert await anna.get_refusal(protocol.GiveSeat(table, 1, "Eric")) == "nobody called Eric is here"
        await anna.send(protocol.GiveSeat(table, 1, "Dora"))
        await dora.wait_until(lambda: ("", "Anna offers you Bob's seat.") in dora.talk)
        await dora.wait_until(lambda: dora.seats[1].offered == "Dora")
        await anna.send(protocol.AcknowledgeRound(table, anna.view.round))
        await dora.send(protocol.SitDown(table, 1))
        await dora.wait_until(lambda: dora.seated.seat == 1 and dora.view and dora.view.seat == 1)
        assert dora.view.round == anna.view.round, "the next round has waited for her"
        await asyncio.gather(anna.play(), dora.play())
        assert (dora.update.results, dora.scores) == (anna.update.results, anna.scores)
    (path,) = [path for path in paths.archive_folder().glob("*.jsonl") if path.stem == table]
    seats = KnownPlayers(profiles.load()[0]).find_players(summaries.summarize(path))
    assert seats[:2] == [Player("Anna"), None], "a seat that changed hands is not rated"


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


async def test_player_who_watches_can_sit_down():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        await bob.send(protocol.Leave(table))
        await bob.send(protocol.Watch(table))
        await bob.wait_until(lambda: bob.seated.seat is None)
        assert await bob.get_refusal(protocol.SitDown(table, 0)) == "no seat is free at that table"
        await bob.send(protocol.SitDown(table))
        await bob.wait_until(lambda: bob.seated.seat == 1 and bob.view)
        await play_until(lambda: bob.view and bob.view.round > 1, anna, bob)


async def test_game_that_the_host_cannot_load(monkeypatch):
    break_plugin(monkeypatch, "hearts")
    async with club() as (_, url), joined(url, "Anna") as anna:
        reason = await anna.get_refusal(protocol.OpenTable("hearts", 4))
        assert reason == "the club cannot load the game hearts; its host can see why"
        assert (await anna.get_refusal(protocol.OpenTable("herts", 4))).startswith("no game is called 'herts'")


async def test_requests_at_a_table_that_has_not_begun():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        await anna.send(protocol.OpenTable("rikiki", 4))
        await bob.wait_until(lambda: bob.tables)
        (table,) = bob.tables
        assert await bob.get_refusal(protocol.SitDown(table, 4)) == "the table has no such seat"
        assert await bob.get_refusal(protocol.Watch(table)) == "nobody plays at that table yet"
        assert await bob.get_refusal(protocol.Leave(table)) == "you are not at that table"


async def test_game_master_ends_wait_for_absent_player():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        table = await start_table(anna, bob)
        assert await bob.get_refusal(protocol.EndWait(table)) == "Anna is the game master, and nobody else can do that"
        await bob.send(protocol.Leave(table))
        await anna.wait_until(lambda: anna.update.absences)
        await anna.send(protocol.EndWait(table))
        await anna.wait_until(lambda: anna.update.absences == {1: 0})
        await anna.send(protocol.VoteSubstitute(table, 1))
        await anna.wait_until(lambda: anna.seats[1] == SeatInfo("Bob", True, True))


async def test_first_present_player_is_acting_game_master():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.Watch(table))
        await bob.wait_until(lambda: bob.update.spectators == ("Cleo",))
        await anna.send(protocol.Leave(table))
        await bob.wait_until(lambda: bob.tables[table].master == "Bob")
        await bob.send(protocol.EndWait(table))
        await bob.wait_until(lambda: bob.update.absences == {0: 0})


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
    table = FreeSeats(protocol.OpenTable(game, seats, grows=grows), "Kay")
    refusal = ""
    for move in moves.split():
        try:
            table.sit_down(make_person(move[1:]), None) if move[0] == "+" else table.leave(move[1:])
        except RequestRefused as refused:
            refusal = str(refused)
    assert (refusal or " ".join([nick or "-" for nick in table.seated_nicks])) == seated


@pytest.mark.parametrize(
    ("moves", "came"),
    [
        ("+Bob +Anna:3 +Bob:2", "Kay Bob Anna"),
        ("+Bob +Anna -Bob +Bob", "Kay Anna Bob"),
        ("+Bob +Anna -Kay +Kay", "Bob Anna Kay"),
    ],
)
@pytest.mark.parametrize("lot", [False, True], ids=["chosen seats", "drawn seats"])
def test_session_keeps_the_order_in_which_people_came(lot, moves, came):
    table = FreeSeats(protocol.OpenTable("ten_down", 4, draws_seats=lot), "Kay")
    for move in moves.split():
        nick, _, seat = move[1:].partition(":")
        table.sit_down(make_person(nick), int(seat) if seat else None) if move[0] == "+" else table.leave(nick)
    with closing(table.create_setup(Occupant).begin("a-session")) as session:
        head = session.header
        assert " ".join([head.seats[seat].name for seat in head.arrivals]) == f"{came} Ada"


async def test_table_does_not_replace_one_with_the_same_id(monkeypatch):
    repeat_random_ids(monkeypatch)
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as guests:
        for guest in guests:
            await guest.send(protocol.OpenTable("rikiki", 4))
        await guests[0].wait_until(lambda: len(guests[0].tables) == 2)
        assert {row.master for row in room.table_manager.registry.list_lobby_tables().values()} == {"Anna", "Bob"}


async def test_gurka_begins_with_as_many_seats_as_people_need():
    nicks = ("Anna", "Bob", "Cleo", "Dan", "Emil")
    async with club() as (_, url), connected_guests(url, *nicks) as guests:
        anna, *others = guests
        await anna.send(protocol.OpenTable("gurka", 4, {"limit": 21}, draws_seats=False))
        await anna.wait_until(lambda: anna.tables)
        (table,) = anna.tables
        assert anna.tables[table].grows_to == 6
        for number, guest in enumerate(others, 2):
            await guest.send(protocol.SitDown(table))
            await anna.wait_until(
                lambda number=number: sum(bool(info.name) for info in anna.tables[table].seats) == number
            )
        row = anna.tables[table]
        assert (len(row.seats), row.options["seats"], row.options["limit"], row.grows_to) == (6, 6, 21, 0)
        await anna.send(protocol.Start(table))
        await others[-1].wait_until(lambda: others[-1].view)
        assert [occupant.name for occupant in anna.seated.header.seats] == [*nicks, "Ada"]
        assert anna.seated.header.options["seats"] == 6
