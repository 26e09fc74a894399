"""Tables of a club: how they begin, grow and close, seats given away, other sessions, resumed sessions."""

import asyncio
from contextlib import asynccontextmanager, closing

import pytest

from cardtable.club import protocol
from cardtable.club.protocol import SeatInfo
from cardtable.club.server import club_file
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.table_phases import FreeSeats
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import CustomLogEntry, Said
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.session.session_events import Stage
from cardtable.store import passwords, paths, profiles, sessions, summaries
from cardtable.store.session_setup import SessionSetup
from tests.club.guests import make_person
from tests.club.loopback_club import (
    PASSWORD,
    club,
    connected_guests,
    create_host_session,
    full_disk,
    joined,
    leave_table,
    list_seat_changes,
    paused_session_setup,
    play_round_with_substitute,
    poll_until,
    repeat_random_ids,
    start_table,
    table_of,
    wait_for_all,
)
from tests.toy.game_plugins import break_plugin


@asynccontextmanager
async def finished_round(url):
    """Play to the end of a round, with Anna present, Bob absent and Cleo as spectator."""
    async with connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.Watch(table))
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table), until=lambda: anna.update.absences)
        yield table, anna, bob, cleo


async def test_give_seat_to_robot_permanently_between_rounds():
    async with club() as (_, url), finished_round(url) as (table, anna, bob, cleo):
        assert "to come back" in await anna.get_refusal(protocol.GiveSeat(table, 1, level="novice"))
        await anna.send(protocol.EndWait(table), until=lambda: anna.update.stage is Stage.PLAY)
        assert (
            await anna.get_refusal(protocol.GiveSeat(table, 1, level="novice"))
            == "a seat can only be given away between rounds"
        )
        await anna.send(protocol.VoteSubstitute(table, 1))
        await anna.play(lambda: anna.update.stage is Stage.ROUND_END)
        await anna.send(protocol.GiveSeat(table, 1, level="novice"), until=lambda: not anna.update.absences)
        assert anna.seats[1].robot
        assert anna.seats[1].former == ("Bob", "Cy")
        assert await bob.get_refusal(protocol.SitDown(table)) == "no seat is free at that table"
        await anna.send(protocol.Leave(table))
        await cleo.send(protocol.Leave(table), until=lambda: not bob.tables)
        assert await bob.get_refusal(protocol.ResumeSession(table)) == "that is not one of your unfinished sessions"
    assert [change[2] for change in list_seat_changes(summaries.find_path(table))] == ["steady", "novice"]


async def test_failed_save_does_not_give_the_seat_away():
    """A later save that works does not give the seat away either."""

    async with club() as (room, url), finished_round(url) as (table, anna, bob, _):
        await play_round_with_substitute(anna, table, 1)
        with full_disk():
            assert await anna.get_refusal(protocol.GiveSeat(table, 1, level="novice")) == "the disk is full"
        await room.accounts.save_all()
        assert [saved_table.given for saved_table in club_file.read_club_file().tables] == [()]
        await bob.send(protocol.SitDown(table), until=lambda: bob.view and not anna.update.absences)


async def test_offer_of_a_seat_invites_nobody_before_it_is_saved():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Dora") as (anna, bob, dora):
        table = await start_table(anna, bob, length="short", private=True)
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table), until=lambda: anna.update.absences)
        await play_round_with_substitute(anna, table, 1)
        offer = protocol.GiveSeat(table, 1, "Dora")
        with full_disk():
            assert await anna.get_refusal(offer) == "the disk is full"
        await dora.wait_until(lambda: table not in dora.tables)
        assert not dora.talk
        await anna.send(offer, until=lambda: dora.talk and table in dora.tables)
        assert [saved_table.invited for saved_table in club_file.read_club_file().tables] == [("Anna", "Bob", "Dora")]


async def test_give_seat_to_a_present_guest():
    for nick in ("Anna", "Dora"):
        profiles.register_remote(nick, PASSWORD)
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Dora") as (anna, bob, dora):
        table = await start_table(anna, bob, length="short")
        await dora.send(protocol.Watch(table))
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await bob.send(protocol.Leave(table), until=lambda: anna.update.absences)
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
        await anna.send(protocol.OpenTable("rikiki", 4), until=lambda: anna.tables)
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
                await phone.send(protocol.ResumeSession(session), until=lambda: session in cleo.tables)
                await cleo.send(protocol.ResumeSession(session), until=lambda: phone.view)
            else:
                await start_table(phone, cleo)
            assert phone.seated.table != anna.seated.table == table
            await anna.send(protocol.Say("Still here", table), until=lambda: Said(0, "Still here") in anna.notes)
            assert anna.seated.table == table


async def test_game_that_the_host_cannot_load(monkeypatch):
    break_plugin(monkeypatch, "hearts")
    async with club() as (_, url), joined(url, "Anna") as anna:
        reason = await anna.get_refusal(protocol.OpenTable("hearts", 4))
        assert reason == "the club cannot load the game hearts; its host can see why"
        assert (await anna.get_refusal(protocol.OpenTable("herts", 4))).startswith("no game is called 'herts'")


async def test_first_present_player_is_acting_game_master():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.Watch(table), until=lambda: bob.update.spectators == ("Cleo",))
        await anna.send(protocol.Leave(table), until=lambda: bob.tables[table].master == "Bob")
        await bob.send(protocol.EndWait(table), until=lambda: bob.update.absences == {0: 0})


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
        table = await anna.open_table("gurka", 4, {"limit": 21}, draws_seats=False)
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


NOT_GAME_MASTER = "Anna is the game master, and nobody else can do that"


@pytest.mark.parametrize("lot", [False, True])
async def test_game_master_offers_another_session(lot):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob, length="short")
        await cleo.send(protocol.Watch(table))
        await asyncio.gather(anna.play(), bob.play())
        assert await bob.get_refusal(protocol.VoteRematch(table)) == NOT_GAME_MASTER
        await anna.send(protocol.VoteRematch(table, lot), until=lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table))
        await wait_for_all((anna, bob, cleo), lambda guest: guest.seated.instead == table and guest.update)
        assert cleo.seated.seat is None
        names = [info.name for info in anna.seats]
        assert sorted(names) == ["Ada", "Anna", "Bo", "Bob"]
        assert lot or names[:2] == ["Anna", "Bob"]
        assert (names[anna.seated.seat], names[bob.seated.seat]) == ("Anna", "Bob")
        await leave_table(anna.seated.table, anna, bob, cleo)


async def test_new_session_before_the_end_of_the_present_one(set_limit):
    set_limit("invitations_of_one", number=10)
    async with club() as (room, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await start_table(anna, bob)
        await cleo.send(protocol.Watch(table), until=lambda: cleo.view)
        # the offer lapses if a player declines, the game master withdraws it, or a player leaves
        for guest, message in ((bob, protocol.DeclineRematch), (anna, protocol.DeclineRematch), (bob, protocol.Leave)):
            await anna.send(protocol.VoteRematch(table), until=lambda: bob.update.rematch_seats == (0,))
            await guest.send(message(table))
            await anna.wait_until(lambda: anna.update.rematch_seats == ())
        assert await anna.get_refusal(protocol.DeclineRematch(table)) == "no other session is offered"
        # nobody is left out while the table waits for them
        assert (await anna.get_refusal(protocol.VoteRematch(table))).startswith("Bob has another ")
        await bob.send(protocol.SitDown(table), until=lambda: not anna.update.absences)
        assert await bob.get_refusal(protocol.VoteRematch(table)) == NOT_GAME_MASTER
        decisions = anna.update.at
        await anna.send(protocol.VoteRematch(table), until=lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table))
        await wait_for_all((anna, bob, cleo), lambda guest: guest.seated.instead == table and guest.update)
        assert (cleo.seated.seat, [info.name for info in anna.seats]) == (None, ["Anna", "Bob", "Ada", "Bo"])
        # the old session can be called again, as it was
        await poll_until(lambda: room.table_manager.registry.tables[table].is_asleep)
        for guest in (anna, bob):
            await guest.send(protocol.Leave(anna.seated.table))
            assert table in {row.table for row in await guest.list_unfinished()}
        for guest in (anna, bob):
            await guest.send(protocol.ResumeSession(table))
        await anna.wait_until(lambda: anna.seated.table == table and anna.update and anna.update.at == decisions)
        await anna.send(protocol.VoteRematch(table), until=lambda: bob.update and bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table), until=lambda: anna.seated.instead == table)


async def test_new_session_leaves_out_a_player_after_the_wait():
    async with club() as (room, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await bob.send(protocol.Leave(table), until=lambda: anna.update.absences)
        await anna.send(protocol.EndWait(table))
        await anna.send(protocol.VoteRematch(table))
        await anna.wait_until(lambda: anna.seated.instead == table and anna.seats and anna.seats[1].name == "Cy")
        await poll_until(lambda: room.table_manager.registry.tables[table].is_asleep)
        await bob.send(protocol.AskUnfinished(), until=lambda: bob.unfinished and bob.unfinished[0].table == table)


async def test_new_session_that_cannot_be_saved_is_not_begun(monkeypatch):
    def refuse(*_arguments, **_options):
        raise CardtableError("no credits")

    async with club() as (_, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        monkeypatch.setattr(SessionSetup, "begin", refuse)
        await anna.send(protocol.VoteRematch(table), until=lambda: bob.update.rematch_seats == (0,))
        await bob.send(protocol.VoteRematch(table))
        await wait_for_all((anna, bob), lambda guest: "no credits" in guest.refused and not guest.update.rematch_seats)
        assert anna.seated.table == table


async def test_table_whose_next_session_is_beginning_cannot_be_closed(monkeypatch):
    """Otherwise the session would begin without anybody, and take stakes."""
    async with club() as (room, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await anna.send(protocol.VoteRematch(table), until=lambda: bob.update.rematch_seats)
        with paused_session_setup(monkeypatch) as wait_until_tried:
            await bob.send(protocol.VoteRematch(table))
            assert await wait_until_tried()
            with pytest.raises(RequestRefused, match="another session is just beginning at that table; try again"):
                await room.table_manager.close_table(table, "it is late")
        await wait_for_all((anna, bob), lambda guest: guest.seated.instead == table)
        await poll_until(lambda: not room.table_manager.registry.tables[table].hosted_session)
        await room.table_manager.close_table(anna.seated.table, "it is late")
        await anna.wait_until(lambda: anna.update.closed == "it is late")


async def test_another_session_takes_stakes_of_players(monkeypatch, anna_with_password):
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())  # the host was started since
    async with club() as (_, url), joined(url, "Anna", password="sesame77") as anna:
        table = await start_table(anna, game="ten_down", seats=2, room=50)
        await anna.play()
        await anna.send(protocol.VoteRematch(table), until=lambda: anna.seated.instead == table)


async def test_resumed_session_begins_when_all_players_return():
    async with club() as (_, url), connected_guests(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        session = create_host_session("Bob", "Anna")
        (row,) = await anna.list_unfinished()
        assert (row.table, row.game, row.round) == (session, "rikiki", 0)
        assert [(info.name, info.robot, info.away) for info in row.seats] == [
            ("Bob", False, False), ("Anna", False, False), ("Ada", True, False), ("Bo", True, False)
        ]  # fmt: skip
        await anna.send(protocol.ResumeSession(session), until=lambda: session in bob.tables)
        row = bob.tables[session]
        assert (row.playing, row.resuming, row.master) == (False, True, "Anna")
        assert [info.away for info in row.seats] == [True, False, False, False]
        await bob.wait_until(lambda: ("", "Anna calls you back to your session of Rikiki.") in bob.talk)
        assert not cleo.talk
        assert await cleo.get_refusal(protocol.SitDown(session)) == "that session is not yours"
        assert not anna.view
        await bob.send(protocol.SitDown(session), until=lambda: anna.view)
        await bob.wait_until(lambda: bob.view)
        assert (anna.seated.seat, bob.seated.seat) == (1, 0)
        await asyncio.gather(*[guest.play(lambda: anna.update.stage is Stage.ROUND_END) for guest in (anna, bob)])
        await cleo.send(protocol.AskUnfinished(), until=lambda: cleo.unfinished == ())


async def test_robots_replace_the_absent_if_all_present_agree():
    async with club() as (room, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        await room.administration.forget("Cleo")
        assert await anna.get_refusal(protocol.Start(session)) == "that table has already started"
        await anna.send(protocol.ResumeSession(session), until=lambda: session in bob.tables)
        assert await bob.get_refusal(protocol.Start(session)) == "sit down at that table first"
        await bob.send(protocol.SitDown(session))
        await bob.send(protocol.Start(session, "novice"), until=lambda: not anna.tables[session].seats[1].away)
        assert not anna.view, "Bob alone has agreed"
        await anna.send(protocol.Start(session, "novice"))
        await anna.wait_until(lambda: anna.seats and anna.seats[2] == SeatInfo("Cleo", True, True))
        async with connected_guests(url, "Cleo") as (cleo,):
            await cleo.sit_down(session)
            await anna.wait_until(lambda: anna.seats[2] == SeatInfo("Cleo"))
        await leave_table(session, anna, bob)
    assert list_seat_changes(summaries.find_path(session)) == [(2, "Ada", "novice"), (2, "Cleo", None)]


@pytest.mark.parametrize("ending", ["leaves", "is cut off"])
async def test_session_resumes_if_the_last_player_to_agree_to_robots_goes(ending):
    async with club() as (_, url), connected_guests(url, "Anna", "Bob") as (anna, bob):
        session = create_host_session("Anna", "Bob", "Cleo", robots=("Bo",))
        await anna.send(protocol.ResumeSession(session), until=lambda: session in bob.tables)
        await bob.send(protocol.SitDown(session), until=lambda: not anna.tables[session].seats[1].away)
        await anna.send(protocol.Start(session, "novice"))
        if ending == "leaves":
            await bob.send(protocol.Leave(session))
        else:
            await bob.__aexit__()
        expected = (SeatInfo("Anna"), SeatInfo("Bob", True, True), SeatInfo("Cleo", True, True), SeatInfo("Bo", True))
        await anna.wait_until(lambda: anna.seats == expected)


async def test_cannot_resume_foreign_or_locked_session():
    async with club() as (_, url), connected_guests(url, "Anna") as (anna,):
        foreign = create_host_session("Bob", "Cleo")
        assert await anna.get_refusal(protocol.ResumeSession(foreign)) == "that is not one of your unfinished sessions"
        session = create_host_session("Anna", robots=("Ada", "Bo", "Cy"))
        elsewhere = sessions.resume(summaries.find_path(session))
        assert "cannot be played here" in await anna.get_refusal(protocol.ResumeSession(session))
        elsewhere.close()
        await anna.send(protocol.ResumeSession(session), until=lambda: anna.view)


async def test_club_session_stores_club_id_and_revelation():
    async with club() as (room, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
        await leave_table(table, anna, bob)
        path = summaries.find_path(table)
        assert journal.read(path.read_bytes()).header.host == room.accounts.id == club_file.read_club_file().id
        assert summaries.summarize(path).is_club_only
        sessions.reveal_hands(path)
        assert not summaries.summarize(path).is_club_only
        await anna.send(protocol.ResumeSession(table), until=lambda: table in bob.tables)
        await bob.send(protocol.SitDown(table))
        await wait_for_all(
            (anna, bob), lambda guest: CustomLogEntry(None, journal.SENTENCES["hands-revealed"]) in guest.notes
        )
    assert len(club_file.read_club_file().id) == 32
    async with club() as (again, _):
        assert again.accounts.id == room.accounts.id
        assert club_file.read_club_file().id_since == room.accounts.state.contents.id_since
