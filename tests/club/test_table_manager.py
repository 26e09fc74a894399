"""The tables of a club: sessions are taken up again, seats change hands, another session follows."""

import asyncio
from contextlib import asynccontextmanager

import msgspec
import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import SeatInfo
from cardtable.club.server import accounts
from cardtable.club.server.limits import LoginError
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import Said
from cardtable.games import GAMES
from cardtable.records.ratings import KnownPlayers, Player
from cardtable.session.session_events import Stage
from cardtable.store import club_sessions, passwords, paths, profiles, sessions, summaries
from tests.club.over_loopback import Guest, club
from tests.club.test_websocket_server import opened
from tests.session.session_player import NOW


def at_home(*people, robots=("Ada", "Bo"), game="rikiki"):
    """A session that was begun at the host's own machine: its id."""
    seats = [*[Occupant(nick) for nick in people], *[Occupant(name, "random") for name in robots]]
    session = sessions.create(GAMES[game], seats, GAMES[game].options(), 7, now=NOW)
    session.close()
    return session.header.id


PASSWORD = "sesame77"
"""Of everybody who has a profile."""


@asynccontextmanager
async def people(url, *nicks):
    """Guests who have come in."""
    guests = [Guest(url, nick, password=PASSWORD if profiles.find(nick) else "") for nick in nicks]
    for guest in guests:
        await guest.__aenter__()
        await guest.until(lambda guest=guest: guest.welcome)
    try:
        yield guests
    finally:
        for guest in guests:
            await guest.__aexit__()


def sits(path):
    """Who sat down where, by the journal."""
    assert path.parent == paths.sessions_folder()
    entries = journal.read(path.read_bytes()).entries
    with_who = [(entry.line.sit, entry.line.name, entry.line.robot) for entry in entries]
    return [each for each in with_who if each[0] is not None]


@pytest.mark.promise(
    "The club", "A session of the same people can be resumed, with robots for the absent if all present agree."
)
async def test_a_session_of_the_same_people_is_taken_up_and_goes_on_when_all_are_there():
    async with club() as (_, url), people(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        session = at_home("Bob", "Anna")
        await anna.say(protocol.AskUnfinished())
        await anna.until(lambda: anna.unfinished)
        (row,) = anna.unfinished
        assert (row.table, row.game, row.round) == (session, "rikiki", 0)
        assert [(place.name, place.robot, place.away) for place in row.places] == [
            ("Bob", False, False), ("Anna", False, False), ("Ada", True, False), ("Bo", True, False)
        ]  # fmt: skip
        await anna.say(protocol.ResumeSession(session))
        await bob.until(lambda: session in bob.rows)
        row = bob.rows[session]
        assert (row.playing, row.taken_up, row.master) == (False, True, "Anna")
        assert [place.away for place in row.places] == [True, False, False, False]
        await bob.until(lambda: ("", "Anna calls you back to your session of Rikiki.") in bob.talk)
        assert not cleo.talk
        await cleo.say(protocol.SitDown(session))
        await cleo.until(lambda: "that session is not yours" in cleo.refused)
        assert not anna.view
        await bob.say(protocol.SitDown(session))
        await anna.until(lambda: anna.view)
        await bob.until(lambda: bob.view)
        assert (anna.seated.seat, bob.seated.seat) == (1, 0)
        await asyncio.gather(*[who.play(lambda: anna.now.stage is Stage.ROUND_END) for who in (anna, bob)])
        await cleo.say(protocol.AskUnfinished())
        await cleo.until(lambda: cleo.unfinished == ())


@pytest.mark.promise(
    "The club", "A session of the same people can be resumed, with robots for the absent if all present agree."
)
async def test_it_goes_on_with_robots_for_those_who_do_not_come_if_all_who_have_come_agree():
    async with club() as (_, url), people(url, "Anna", "Bob") as (anna, bob):
        session = at_home("Anna", "Bob", "Cleo", robots=("Bo",))
        accounts.forget_person("Cleo")
        await anna.say(protocol.Start(session))
        await anna.until(lambda: "that table has begun already" in anna.refused)
        await anna.say(protocol.ResumeSession(session))
        await bob.until(lambda: session in bob.rows)
        await bob.say(protocol.Start(session))
        await bob.until(lambda: "sit down at that table first" in bob.refused)
        await bob.say(protocol.SitDown(session))
        await bob.say(protocol.Start(session, "novice"))
        await anna.until(lambda: not anna.rows[session].places[1].away)
        assert not anna.view, "Bob alone has agreed"
        await anna.say(protocol.Start(session, "novice"))
        await anna.until(lambda: anna.places and anna.places[2] == SeatInfo("Cleo", True, True))
        async with people(url, "Cleo") as (cleo,):
            await cleo.say(protocol.SitDown(session))
            await cleo.until(lambda: cleo.view)
            await anna.until(lambda: anna.places[2] == SeatInfo("Cleo"))
        for who in (anna, bob):
            await who.say(protocol.Leave(session))
        await anna.until(lambda: not anna.rows)
    assert sits(sessions.find_path(session)) == [(2, "Ada", "novice"), (2, "Cleo", None)]


async def test_a_session_that_all_have_left_is_taken_up_again():
    async with club() as (_, url), people(url, "Anna", "Bob") as (anna, bob):
        table = await opened(anna, bob)
        for who in (anna, bob):
            await who.say(protocol.Leave(table))
        await bob.until(lambda: not bob.rows)
        await bob.say(protocol.ResumeSession(table))
        await anna.until(lambda: anna.rows and anna.rows[table].taken_up)
        await bob.say(protocol.Leave(table))
        await anna.until(lambda: not anna.rows)
        await anna.say(protocol.AskUnfinished())
        await anna.until(lambda: anna.unfinished)
        anna.now = bob.now = None
        for who in (anna, bob):
            await who.say(protocol.ResumeSession(table))
        for who in (anna, bob):
            await who.until(lambda who=who: who.now)


TAKEN = "has a seat in an unfinished session here; choose another nick, or ask the host to free it"


async def is_refused(members, nick):
    """Assert that a newcomer cannot have a nick that an unfinished session names."""
    with pytest.raises(LoginError, match=TAKEN) as refusal:
        await members.log_in(nick, ConnectionOrigin())
    assert refusal.value.missing == "nick"


@pytest.mark.promise(
    "The club", "A nick that an unfinished session names belongs to nobody new, unless the host frees it."
)
async def test_nicks_of_unfinished_sessions_are_taken():
    """They are names of the hot seat and of removed players; the session may be closed, called back or in play."""
    profiles.register("Emil")
    session = at_home("Anna", "Bob", "Emil", robots=("Ada",))
    profiles.remove("Emil", "")
    profiles.register_remote("Anna", PASSWORD)
    async with club() as (room, url), people(url, "Anna") as (anna,):
        for nick in ("Bob", "emil", "ＢＯＢ"):
            await is_refused(room.members, nick)
        await anna.say(protocol.ResumeSession(session))
        await anna.until(lambda: session in anna.rows)
        await is_refused(room.members, "Bob")
        await anna.say(protocol.Start(session))
        await anna.until(lambda: anna.view)
        await is_refused(room.members, "Bob")
        await room.members.log_in("Cleo", ConnectionOrigin())
        accounts.forget_person("bob")
    async with club() as (room, url), people(url, "Anna", "Bob") as (_, bob):
        await is_refused(room.members, "Emil")
        assert accounts.read().freed == ("bob",)
        await bob.say(protocol.ResumeSession(session))
        await bob.until(lambda: session in bob.rows)
        await bob.say(protocol.Start(session))
        await bob.until(lambda: bob.view and bob.seated.seat == 1)
        await room.table_manager._save()
        assert accounts.read().freed == msgspec.UNSET
    with pytest.raises(CardtableError, match="nobody called Cora has been in the club, and no unfinished session"):
        accounts.forget_person("Cora")


async def test_freed_nick_of_a_guest_who_never_sat_down():
    """The host need not free it again."""
    at_home("Anna", "Bob")
    accounts.forget_person("Bob")
    async with club() as (room, _):
        await room.members.log_in("Bob", ConnectionOrigin(), new_token=lambda _person: accounts.new_word())
        await room.members.forget_unconfirmed_guest("Bob")
    async with club() as (room, _):
        await room.members.log_in("Bob", ConnectionOrigin())
        await is_refused(room.members, "Anna")


async def test_two_newcomers_want_a_freed_nick_at_once():
    at_home("Anna", "Bob")
    accounts.forget_person("Bob")
    async with club() as (room, _):
        entering = [room.members.log_in("Bob", ConnectionOrigin()) for _ in range(2)]
        results = await asyncio.gather(*entering, return_exceptions=True)
        assert sorted(isinstance(each, LoginError) for each in results) == [False, True]


async def test_nobody_takes_up_a_session_of_others_or_one_that_is_played_elsewhere():
    async with club() as (_, url), people(url, "Anna") as (anna,):
        await anna.say(protocol.ResumeSession(at_home("Bob", "Cleo")))
        await anna.until(lambda: "that is none of your unfinished sessions" in anna.refused)
        session = at_home("Anna", robots=("Ada", "Bo", "Cy"))
        elsewhere = sessions.resume(sessions.find_path(session))
        await anna.say(protocol.ResumeSession(session))
        await anna.until(lambda: any("cannot be played here" in why for why in anna.refused))
        elsewhere.close()
        await anna.say(protocol.ResumeSession(session))
        await anna.until(lambda: anna.view)


@asynccontextmanager
async def after_a_round(url, *, away="Bob", **options):
    """Anna looks at the points of a round; somebody else is away, and Cleo looks on."""
    async with people(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await opened(anna, bob, **options)
        await cleo.say(protocol.LookOn(table))
        await asyncio.gather(*[who.play(lambda: anna.now.stage is Stage.ROUND_END) for who in (anna, bob)])
        await bob.say(protocol.Leave(table))
        await anna.until(lambda: anna.now.away)
        yield table, anna, bob, cleo


async def test_between_rounds_the_game_master_gives_the_seat_of_who_has_left_to_a_robot_for_good():
    async with club() as (_, url), after_a_round(url) as (table, anna, bob, cleo):
        await anna.say(protocol.GiveSeat(table, 1, level="novice"))
        await anna.until(lambda: any("to come back" in why for why in anna.refused))
        await anna.say(protocol.EndWait(table))
        await anna.until(lambda: anna.now.stage is Stage.PLAY)
        await anna.say(protocol.GiveSeat(table, 1, level="novice"))
        await anna.until(lambda: "a seat can be given away between two rounds only" in anna.refused)
        await anna.say(protocol.StandIn(table, 1))
        await anna.play(lambda: anna.now.stage is Stage.ROUND_END)
        await anna.say(protocol.GiveSeat(table, 1, level="novice"))
        await anna.until(lambda: not anna.now.away)
        assert anna.places[1].robot
        await bob.say(protocol.SitDown(table))
        await bob.until(lambda: "no seat is free at that table" in bob.refused)
        await anna.say(protocol.Leave(table))
        await cleo.say(protocol.Leave(table))
        await bob.until(lambda: not bob.rows)
        await bob.say(protocol.ResumeSession(table))
        await bob.until(lambda: "that is none of your unfinished sessions" in bob.refused)
    assert [who[2] for who in sits(sessions.find_path(table))] == ["steady", "novice"]


async def test_seat_that_cannot_be_given_for_good(monkeypatch):
    """A robot has a seat for good only if the game master was told so; the next save does not make it so."""

    def refuse_to_save(_kept):
        raise CardtableError("the disk is full")

    async with club() as (room, url), after_a_round(url) as (table, anna, bob, _):
        await anna.say(protocol.EndWait(table))
        await anna.until(lambda: anna.now.stage is Stage.PLAY)
        await anna.say(protocol.StandIn(table, 1))
        await anna.play(lambda: anna.now.stage is Stage.ROUND_END)
        write = accounts._write
        monkeypatch.setattr(accounts, "_write", refuse_to_save)
        await anna.say(protocol.GiveSeat(table, 1, level="novice"))
        await anna.until(lambda: "the disk is full" in anna.refused)
        monkeypatch.setattr(accounts, "_write", write)
        await room.members.save_all(room.members.tables)
        assert [kept.given for kept in accounts.read().tables] == [()]
        await bob.say(protocol.SitDown(table))
        await bob.until(lambda: bob.view and not anna.now.away)


async def test_a_seat_is_given_to_somebody_who_is_present_and_agrees():
    for nick in ("Anna", "Dora"):
        profiles.register_remote(nick, PASSWORD)
    async with club() as (_, url), people(url, "Anna", "Bob", "Dora") as (anna, bob, dora):
        table = await opened(anna, bob, length="short")
        await dora.say(protocol.LookOn(table))
        await asyncio.gather(*[who.play(lambda: anna.now.stage is Stage.ROUND_END) for who in (anna, bob)])
        await bob.say(protocol.Leave(table))
        await anna.until(lambda: anna.now.away)
        await dora.say(protocol.EndWait(table))
        await dora.until(lambda: "you are only watching at that table" in dora.refused)
        await anna.say(protocol.EndWait(table))
        await anna.play(lambda: anna.now.stage is Stage.PLAY)
        await anna.say(protocol.StandIn(table, 1))
        await anna.play(lambda: anna.now.stage is Stage.ROUND_END)
        await anna.say(protocol.GiveSeat(table, 1, "Eric"))
        await anna.until(lambda: "nobody called Eric is here" in anna.refused)
        await anna.say(protocol.GiveSeat(table, 1, "Dora"))
        await dora.until(lambda: ("", "Anna offers you Bob's seat.") in dora.talk)
        await dora.until(lambda: dora.places[1].offered == "Dora")
        await anna.say(protocol.Ready(table, anna.view.round))
        await dora.say(protocol.SitDown(table, 1))
        await dora.until(lambda: dora.seated.seat == 1 and dora.view and dora.view.seat == 1)
        assert dora.view.round == anna.view.round, "the next round has waited for her"
        await asyncio.gather(anna.play(), dora.play())
        assert (dora.now.results, dora.scores) == (anna.now.results, anna.scores)
    (path,) = [path for path in paths.archive_folder().glob("*.jsonl") if path.stem == table]
    seats = KnownPlayers(profiles.load()[0]).find_players(summaries.summarize(path))
    assert seats[:2] == [Player("Anna"), None], "a seat that changed hands is not rated"


@pytest.mark.parametrize("lot", [False, True])
async def test_after_a_session_the_game_master_offers_another_one(lot):
    async with club() as (_, url), people(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await opened(anna, bob, length="short")
        await cleo.say(protocol.LookOn(table))
        await anna.say(protocol.PlayAgain(table))
        await anna.until(lambda: "the session is not over yet" in anna.refused)
        await asyncio.gather(anna.play(), bob.play())
        await bob.say(protocol.PlayAgain(table))
        await bob.until(lambda: "Anna is the game master, and nobody else can do that" in bob.refused)
        await anna.say(protocol.PlayAgain(table, lot))
        await bob.until(lambda: bob.now.again == (0,))
        await bob.say(protocol.PlayAgain(table))
        for who in (anna, bob, cleo):
            await who.until(lambda who=who: who.seated.instead == table and who.now)
        assert cleo.seated.seat is None
        names = [place.name for place in anna.places]
        assert sorted(names) == ["Ada", "Anna", "Bo", "Bob"]
        assert lot or names[:2] == ["Anna", "Bob"]
        assert (names[anna.seated.seat], names[bob.seated.seat]) == ("Anna", "Bob")
        for who in (anna, bob, cleo):
            await who.say(protocol.Leave(anna.seated.table))
        await anna.until(lambda: not anna.rows)


async def test_who_leaves_does_not_play_another_session():
    async with club() as (_, url), people(url, "Anna", "Bob") as (anna, bob):
        table = await opened(anna, bob, length="short")
        await asyncio.gather(anna.play(), bob.play())
        await anna.say(protocol.PlayAgain(table))
        await bob.until(lambda: bob.now.again == (0,))
        await bob.say(protocol.Leave(table))
        await anna.until(lambda: anna.seated.instead == table)
        await anna.until(lambda: anna.places and anna.places[1].robot)
        assert anna.places[1].name == "Cy"


async def test_who_is_away_is_waited_for_no_longer_than_the_game_master_wants():
    async with club() as (_, url), people(url, "Anna", "Bob") as (anna, bob):
        table = await opened(anna, bob)
        await bob.say(protocol.EndWait(table))
        await bob.until(lambda: "Anna is the game master, and nobody else can do that" in bob.refused)
        await bob.say(protocol.Leave(table))
        await anna.until(lambda: anna.now.away)
        await anna.say(protocol.EndWait(table))
        await anna.until(lambda: anna.now.away == {1: 0})
        await anna.say(protocol.StandIn(table, 1))
        await anna.until(lambda: anna.places[1] == SeatInfo("Bob", True, True))


async def test_those_who_look_on_are_named_and_the_first_who_is_there_is_game_master_while_she_is_away():
    async with club() as (_, url), people(url, "Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await opened(anna, bob)
        await cleo.say(protocol.LookOn(table))
        await bob.until(lambda: bob.now.looking_on == ("Cleo",))
        await anna.say(protocol.Leave(table))
        await bob.until(lambda: bob.rows[table].master == "Bob")
        await bob.say(protocol.EndWait(table))
        await bob.until(lambda: bob.now.away == {0: 0})


async def test_the_name_of_a_table_stays_with_its_session():
    async with club() as (_, url), people(url, "Anna") as (anna,):
        await anna.say(protocol.OpenTable("rikiki", 4, {}, "Fridays"))
        await anna.until(lambda: anna.rows)
        (table,) = anna.rows
        await anna.say(protocol.Start(table))
        await anna.until(lambda: anna.view and anna.rows[table].playing)
        assert anna.rows[table].name == "Fridays"
        await anna.say(protocol.Leave(table))
        await anna.until(lambda: not anna.rows)
        await anna.say(protocol.AskUnfinished())
        await anna.until(lambda: anna.unfinished)
        assert anna.unfinished[0].name == "Fridays"


async def test_another_session_takes_the_stakes_of_those_who_have_come_in(monkeypatch):
    profiles.register_remote("Anna", "sesame77")
    monkeypatch.setattr(passwords, "_GATE", passwords.PasswordGate())  # the host was started since
    async with club() as (_, url), Guest(url, "Anna", password="sesame77") as anna:
        await anna.until(lambda: anna.welcome)
        await anna.say(protocol.OpenTable("ten_down", 2, {"room": 50}, lot=False))
        await anna.until(lambda: anna.rows)
        (table,) = anna.rows
        await anna.say(protocol.Start(table))
        await anna.until(lambda: anna.view)
        await anna.play()
        await anna.say(protocol.PlayAgain(table))
        await anna.until(lambda: anna.seated.instead == table)


async def test_session_whose_header_has_no_time():
    session = at_home("Anna", "Bob")
    path = paths.sessions_folder() / f"{session}.jsonl"
    path.write_bytes(journal.encode([replace(journal.read(path.read_bytes()).header, created="yesterday")]))
    accounts.forget_person("Anna")
    async with club() as (_, url), people(url, "Anna", "Kay") as (anna, kay):
        await anna.say(protocol.ResumeSession(session))
        await anna.say(protocol.Start(session, "novice"))
        await kay.until(lambda: session in kay.rows and kay.rows[session].playing)
        assert kay.rows[session].since == 0


async def test_club_session_has_the_id_of_the_club_and_tells_that_it_was_revealed():
    async with club() as (room, url), people(url, "Anna", "Bob") as (anna, bob):
        table = await opened(anna, bob)
        for who in (anna, bob):
            await who.say(protocol.Leave(table))
        await bob.until(lambda: not bob.rows)
        path = sessions.find_path(table)
        assert journal.read(path.read_bytes()).header.host == room.members.id == accounts.read().id
        assert summaries.summarize(path).is_club_only
        sessions.reveal_hands(path)
        assert not summaries.summarize(path).is_club_only
        await anna.say(protocol.ResumeSession(table))
        await bob.until(lambda: table in bob.rows)
        await bob.say(protocol.SitDown(table))
        for who in (anna, bob):
            await who.until(lambda who=who: Said(None, club_sessions.REVEALED) in who.notes)
    assert len(accounts.read().id) == 32
    async with club() as (again, _):
        assert again.members.id == room.members.id
        assert accounts.read().id_since == room.members._id_since
