"""Private tables, which nobody else learns of; tables closed to spectators, and those who are sent away."""

import re
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.protocol import LobbyNews, SeatInfo, TableInfo, decode_server
from cardtable.club.server import club_file
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.limits import LIMITS, RequestRefused
from cardtable.club.server.lobby import LobbyBroadcaster
from cardtable.club.server.requests import handle_request
from cardtable.club.server.table_access import TableAccess
from cardtable.club.server.table_registry import MUTED
from cardtable.engine.journal import TalkLine
from cardtable.engine.log_entries import CustomLogEntry, Said
from cardtable.store import session_files, summaries
from tests.club.guests import make_person
from tests.club.loopback_club import full_disk, open_lobby
from tests.club.offline_club import ScriptedClub
from tests.journal_lines import HOSTILE_TALK, select_lines

INVITED = "Anna invites you to a private table of Rikiki."
WITHDRAWN = "You are not invited to the table of Rikiki any more."
CLOSED = "that table is closed"
NOT_MASTER = "Anna is the game master, and nobody else can do that"


class Person:
    """A person in a lobby, without a network."""

    def __init__(self, room, account):
        self.room, self.nick = room, account.nick
        self.client = room.add_client(account, "", ConnectionOrigin())
        self.tables, self.talk, self.updates = {}, [], []
        self.read()

    def read(self):
        """Read all waiting frames, after the news of the lobby; return the refusals among them."""
        self.room._send_news()
        refusals = []
        for frame in iter(self.client.take_frame, b""):
            match message := decode_server(frame):
                case protocol.Welcome() | LobbyNews(whole=True):
                    self.tables = {row.table: row for row in message.tables}
                case LobbyNews():
                    self.tables |= {row.table: row for row in message.tables}
                    for table in message.gone:
                        del self.tables[table]
                case protocol.Talk():
                    self.talk.append(message.text)
                case protocol.Update():
                    self.updates.append(message)
                case protocol.Unfinished():
                    self.unfinished = message.sessions
                case protocol.RequestFailed():
                    refusals.append(message.why)
        return refusals

    async def ask(self, message):
        """Make a request; return the reason of its refusal, or an empty string."""
        self.read()
        await handle_request(self.room, self.client, message)
        return "".join(self.read())

    async def list_unfinished(self):
        await self.ask(protocol.AskUnfinished())
        return self.unfinished

    def sees(self, table):
        self.read()
        return table in self.tables

    def read_names(self):
        """Return the names of the tables that everybody sees."""
        self.read()
        return [row.name for row in self.tables.values() if not row.private]

    async def invite(self, table, nick, *, withdrawn=False):
        return await self.ask(protocol.InviteToTable(table, nick, withdrawn))


@asynccontextmanager
async def people_in_a_club(*nicks):
    """Open a club with these people; a nick in brackets is known to the club, but not there."""
    async with open_lobby() as room:
        people = []
        for nick in nicks:
            name = nick.strip("()")
            account = room.accounts.find_account(name)
            if account is None:
                account, _ = await room.authenticator.log_in(LoginIdentity(ConnectionOrigin(), name))
            people += [Person(room, account)] if nick == name else []
        yield people


@pytest.fixture(autouse=True)
def no_talk_limit(set_limit):
    set_limit("talk", number=1_000_000)
    set_limit("address_talk", number=1_000_000)


async def open_private_table(master, *invited):
    assert await master.ask(protocol.OpenTable("rikiki", 4, private=True, invited=invited)) == ""
    (table,) = [row.table for row in list_tables(master.room) if row.private and not row.playing]
    return table


async def leave_all_tables(person):
    for row in list_tables(person.room):
        await person.ask(protocol.Leave(row.table))


def list_tables(room):
    return room.table_manager.registry.list_lobby_tables().values()


async def test_invited_people_see_a_private_table_and_sit_down():
    async with people_in_a_club("Anna", "Bob", "Cleo", "(Dora)", "Emil") as (anna, bob, cleo, emil):
        table = await open_private_table(anna, "bob", "Dora")
        assert anna.tables[table].invited == ("Anna", "Bob", "Dora")
        assert bob.sees(table)
        assert (bob.talk, cleo.sees(table), cleo.talk) == ([INVITED], False, [])
        assert await anna.invite(table, "Cleo") == ""
        assert cleo.sees(table)
        assert cleo.talk == [INVITED]
        for guest in (bob, cleo):
            assert await guest.ask(protocol.SitDown(table)) == ""
        # whoever loses the invitation loses the seat
        assert await anna.invite(table, "cleo", withdrawn=True) == ""
        assert not cleo.sees(table)
        assert cleo.talk[-1] == WITHDRAWN
        assert await cleo.ask(protocol.SitDown(table)) == CLOSED
        anna.read()
        assert [info.name for info in anna.tables[table].seats] == ["Anna", "Bob", "", ""]
        # during the session the invited may watch
        assert await anna.ask(protocol.Start(table)) == ""
        assert await emil.ask(protocol.Watch(table)) == CLOSED
        assert await anna.invite(table, "Emil") == ""
        assert await emil.ask(protocol.Watch(table)) == ""
        assert emil.updates[-1].whole
        assert await anna.invite(table, "Emil", withdrawn=True) == ""
        assert not emil.sees(table)
        assert emil.updates[-1].closed == WITHDRAWN
        assert await emil.ask(protocol.Say("Hello", table)) == "you are not at that table"
        # another person can be offered a seat only by an invitation, which the offer is
        for guest in (anna, bob):
            guest.read()
        assert anna.tables[table].invited == ("Anna", "Bob", "Dora")


async def test_refused_invitations():
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        await bob.ask(protocol.OpenTable("rikiki", 4))
        (open_table,) = bob.tables
        table = await open_private_table(anna, "Bob")
        await bob.ask(protocol.SitDown(table))
        for guest, table_id, nick, withdrawn, message in [
            (bob, open_table, "Anna", False, "that table is not private; everybody may come to it"),
            (bob, table, "Cleo", False, NOT_MASTER),
            (bob, table, "Bob", True, NOT_MASTER),
            (anna, table, "Zoe", False, "nobody called Zoe has been here yet"),
            (anna, table, "bob", False, "Bob is already invited"),
            (anna, table, "Cleo", True, "Cleo is not invited to that table"),
            (anna, table, "Anna", True, "Anna belongs to that table"),
            (cleo, table, "Cleo", False, "you are not at that table"),
            (cleo, "no-table", "Cleo", False, "you are not at that table"),
        ]:
            assert await guest.invite(table_id, nick, withdrawn=withdrawn) == message
        assert await anna.ask(protocol.OpenTable("king", 4, private=True, invited=("Zoe",))) == (
            "nobody called Zoe has been here yet"
        )
        await anna.ask(protocol.Start(table))
        assert await anna.invite(table, "Bob", withdrawn=True) == "Bob belongs to that table"


async def test_muted_person_addresses_nobody():
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        await anna.ask(protocol.OpenTable("rikiki", 4, name="Hello all"))
        table = await open_private_table(anna, "Bob")
        assert cleo.read_names() == ["Hello all"]
        bob.read()
        bob.talk.clear()
        await anna.room.administration.mute("Anna")
        assert cleo.read_names() == [""]
        assert await anna.ask(protocol.OpenTable("rikiki", 4, name="And here")) == f"{MUTED}; your tables have no names"
        assert await anna.ask(protocol.OpenTable("rikiki", 4, private=True, invited=("Bob",))) == MUTED
        assert await anna.invite(table, "Cleo") == MUTED
        await bob.ask(protocol.SitDown(table))
        await anna.ask(protocol.Start(table))
        assert await anna.ask(protocol.VoteRematch(table)) == MUTED
        for guest in (anna, bob):
            await guest.ask(protocol.Leave(table))
        assert await anna.ask(protocol.ResumeSession(table)) == ""
        assert (bob.sees(table), bob.talk, cleo.talk) == (True, [], [])


async def test_votes_of_a_muted_person_count_unseen():
    async with people_in_a_club("Anna", "Bob", "Cleo", "Dora") as (anna, bob, cleo, dora):
        await anna.ask(protocol.OpenTable("rikiki", 4, draws_seats=False, name="Ours"))
        (table,) = anna.tables
        for guest in (bob, cleo, dora):
            await guest.ask(protocol.SitDown(table))
        await anna.room.administration.mute("Bob")
        await anna.ask(protocol.Start(table))
        await anna.ask(protocol.VoteRematch(table))
        await bob.ask(protocol.VoteRematch(table))
        for guest, votes in ((anna, (0,)), (bob, (0, 1)), (cleo, (0,)), (dora, (0,))):
            guest.read()
            assert guest.updates[-1].rematch_seats == votes
        await dora.ask(protocol.Leave(table))
        await anna.ask(protocol.EndWait(table))
        await bob.ask(protocol.VoteSubstitute(table, 3))
        for guest, votes in ((anna, {}), (bob, {3: (1,)}), (cleo, {})):
            guest.read()
            assert guest.updates[-1].substitute_votes == votes
        for guest in (anna, cleo):
            await guest.ask(protocol.VoteSubstitute(table, 3))
        (row,) = list_tables(anna.room)
        assert [info.robot for info in row.seats] == [False, False, False, True]


async def test_table_name_of_a_muted_person_among_unfinished_sessions():
    async with people_in_a_club("Anna", "Bob") as (anna, bob):
        await anna.ask(protocol.OpenTable("rikiki", 4, name="Hello all"))
        (table,) = anna.tables
        await bob.ask(protocol.SitDown(table))
        await anna.ask(protocol.Start(table))
        for guest in (anna, bob):
            await guest.ask(protocol.Leave(table))
        assert [row.name for row in await bob.list_unfinished()] == ["Hello all"]
        await anna.room.administration.mute("Anna")
        assert [row.name for row in await bob.list_unfinished()] == [""]


async def test_invitations_have_a_budget_for_each_receiver():
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        for number in range(40):
            refusal = await anna.ask(protocol.OpenTable("rikiki", 4, private=True, invited=("Bob",)))
            assert refusal == (
                "" if number < LIMITS.invitations_of_one.number else "you have asked Bob often enough; wait a minute"
            )
            await leave_all_tables(anna)
        bob.read()
        assert bob.talk == [INVITED] * LIMITS.invitations_of_one.number
        await open_private_table(anna, "Cleo")
        cleo.read()
        assert cleo.talk == [INVITED]


async def test_invitations_have_a_budget_for_each_sender():
    guests = [f"Guest{letter}" for letter in "abcdefgh"]
    async with people_in_a_club("Anna", *[f"({nick})" for nick in guests]) as (anna,):
        for number in range(4):
            refusal = await anna.ask(protocol.OpenTable("rikiki", 4, private=True, invited=tuple(guests)))
            assert refusal == ("" if number < 3 else "you are inviting too many people; wait a minute")
            await leave_all_tables(anna)


async def test_private_table_after_a_restart_of_the_host():
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await open_private_table(anna, "Cleo")
        await anna.ask(protocol.Start(table))
        assert [saved_table.invited for saved_table in club_file.read_club_file().tables] == [("Anna", "Cleo")]
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        for message in (protocol.Watch, protocol.SitDown):
            assert await bob.ask(message(table)) == CLOSED
        await anna.ask(protocol.AskUnfinished())
        assert await anna.ask(protocol.ResumeSession(table)) == ""
        assert anna.sees(table)
        assert (cleo.sees(table), bob.sees(table)) == (True, False)
        # a rematch and a session that is called again stay private
        await anna.ask(protocol.VoteRematch(table))
        (again,) = [row.table for row in list_tables(anna.room)]
        assert again != table
        assert (cleo.sees(again), bob.sees(again)) == (True, False)
        assert {saved_table.invited for saved_table in club_file.read_club_file().tables} == {("Anna", "Cleo")}


async def test_private_session_without_its_invitations():
    """The journal states that the table is private, if the club's file has been restored from a backup."""
    async with people_in_a_club("Anna") as (anna,):
        table = await open_private_table(anna)
        await anna.ask(protocol.Start(table))
    club_file.update_club_file(lambda saved: replace(saved, tables=()))
    async with people_in_a_club("Anna", "Bob") as (anna, bob):
        assert await anna.ask(protocol.ResumeSession(table)) == ""
        assert not bob.sees(table)
        assert [row.invited for row in list_tables(anna.room)] == [("Anna",)]


def test_erased_person_is_not_invited():
    tables = club_file.SavedTable("t", "Anna", 60), club_file.SavedTable("u", "Anna", 60, invited=("Anna", "Bob"))
    renamed = club_file.rename_masters(tables, "anna", "Erased")
    assert [(table.master, table.invited or None) for table in renamed] == [("Erased", None), ("Erased", ("Bob",))]


async def test_invitation_is_not_inherited_with_a_freed_nick():
    async with people_in_a_club("Anna", "(Bob)") as (anna,):
        playing = await open_private_table(anna, "Bob")
        await anna.ask(protocol.Start(playing))
        gathering = await open_private_table(anna, "Bob")
        await anna.room.administration.forget("Bob")
        account, _ = await anna.room.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Bob"))
        bob = Person(anna.room, account)
        assert (bob.sees(playing), bob.sees(gathering)) == (False, False)
        assert [saved_table.invited for saved_table in club_file.read_club_file().tables] == [("Anna",)]


async def test_unsaved_changes_of_invitations_are_undone():
    """A private session does not begin before the disk knows that it is private."""
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await open_private_table(anna, "Bob")
        with full_disk():
            assert await anna.ask(protocol.Start(table)) == "the disk is full"
        await anna.ask(protocol.Start(table))
        with full_disk():
            assert await anna.invite(table, "Cleo") == "the disk is full"
            assert await anna.invite(table, "Bob", withdrawn=True) == "the disk is full"
        assert (bob.sees(table), cleo.sees(table)) == (True, False)
        await anna.room.accounts.save_all()
        assert [saved_table.invited for saved_table in club_file.read_club_file().tables] == [("Anna", "Bob")]


async def test_nobody_sees_a_decision_about_access_before_it_is_saved(monkeypatch):
    async with people_in_a_club("Anna", "Cleo") as (anna, cleo):
        table = await open_private_table(anna)
        await anna.ask(protocol.Start(table))
        manager = anna.room.table_manager
        club_table, invitations, save = manager.registry.tables[table], manager.invitations, club_file.update_club_file
        seen = []

        def look():
            row = manager.registry.list_lobby_tables()[table]
            return row.invited, row.no_spectators, manager.registry.is_in_lobby(cleo.client, table)

        def look_and_save(contents):
            seen.append(look())
            return save(contents)

        monkeypatch.setattr(club_file, "update_club_file", look_and_save)
        await invitations.admit("Anna", club_table, "Cleo")  # what the offer of a seat begins with
        await invitations.withdraw("Anna", club_table, "Cleo")
        await invitations.invite("Anna", club_table, "Cleo")
        await invitations.admit_spectators("Anna", club_table, admitted=False)
        alone, both = (("Anna",), False, False), (("Anna", "Cleo"), False, True)
        assert seen == [alone, both, alone, both]
        assert look() == (("Anna", "Cleo"), True, True)


def test_broadcasts_private_rows_to_the_invited_only():
    """Strangers share one text, and so do the invited."""
    broadcaster = LobbyBroadcaster()
    anna, bob, cleo = clients = [
        ConnectedClient(make_person(nick), ConnectionOrigin()) for nick in ("Anna", "Bob", "Cleo")
    ]
    row = TableInfo("t", "king", {}, (SeatInfo("Anna"),), "Anna", private=True, invited=("Anna", "Bob"))
    ours = TableInfo("u", "king", {}, (SeatInfo("Cleo"),), "Cleo")

    def broadcast(*rows):
        broadcaster.broadcast(clients, ("Anna",), (), {row.table: row for row in rows})
        frames = [[*iter(client.take_frame, b"")] for client in clients]
        assert frames[0] == frames[1]
        return [[decode_server(frame) for frame in each] for each in frames[1:]]

    assert broadcast(row, ours) == [
        [LobbyNews(("Anna",), (row, ours), (), ())],
        [LobbyNews(("Anna",), (ours,), (), ())],
    ]
    started = replace(row, playing=True)
    assert broadcast(started, ours) == [[LobbyNews(None, (started,))], []]
    assert broadcast(ours) == [[LobbyNews(None, (), ("t",))], []]
    assert broadcast(row, ours) == [[LobbyNews(None, (row,))], []]
    assert [row.table for row in broadcaster.list_tables_for(cleo)] == ["u"]
    invited = replace(row, invited=("Cleo",))
    assert broadcast(invited, ours) == [[LobbyNews(None, (), ("t",))], [LobbyNews(None, (invited,))]]
    assert (anna.known_private_tables, bob.known_private_tables) == (set(), set())


# What strangers receive


async def visit_as_strangers(monkeypatch, home, *, private, is_used):
    """Return all frames sent to Cleo in the lobby and to Dora at a table, while Anna and Bob use a table or do not.

    Both strangers guess the id of the table in every kind of request and at every stage of the session.
    """
    monkeypatch.setenv("CARDTABLE_HOME", str(home / f"{is_used}"))
    club = ScriptedClub(monkeypatch, "")
    await club.room.open()
    people = [await club.connect(nick) for nick in ("Anna", "Bob", "Cleo", "Dora")]
    anna, bob, cleo, dora = people
    await club.send(dora, protocol.OpenTable("rikiki", 4, draws_seats=False))
    (other,) = club.room.table_manager.registry.list_lobby_tables()
    await club.send(dora, protocol.Start(other))
    table = "20261120-090000-rikiki-ffff"

    async def use(guest, message):
        if is_used:
            await club.send(guest, message)

    async def guess(line):
        for message in (
            protocol.SitDown(table), protocol.SitDown(table, 1), protocol.Watch(table), protocol.Leave(table),
            protocol.Start(table), protocol.Say("Hello", table), protocol.Act(table, 0, "bid 0"),
            protocol.AcknowledgeRound(table, 1), protocol.AskRounds(table),
            protocol.VoteSubstitute(table, 0), protocol.EndWait(table),
            protocol.GiveSeat(table, 1, "Cleo"), protocol.VoteRematch(table), protocol.DeclineRematch(table),
            protocol.InviteToTable(table, line.name), protocol.ResumeSession(table), protocol.AskUnfinished(),
            protocol.AskFinished(), protocol.AskJournal(table),
        ):  # fmt: skip
            await club.send(line, message)

    await use(
        anna, protocol.OpenTable("rikiki", 4, draws_seats=False, private=private, invited=("Bob",) if private else ())
    )
    if is_used:
        (table,) = club.room.table_manager.registry.list_lobby_tables().keys() - {other}
    await use(bob, protocol.SitDown(table))
    await guess(cleo)
    await guess(dora)
    await use(anna, protocol.Start(table))
    await use(anna, protocol.Say("Between us", table))
    for _ in range(8):
        for guest in (anna, bob):
            if is_used and guest.view.legal:
                await club.send(guest, protocol.Act(table, guest.update.at, str(guest.view.legal[0])))
    await guess(cleo)
    await guess(dora)
    await club.send(dora, protocol.Leave(other))
    await club.send(dora, protocol.SitDown(other))
    for guest in (anna, bob):
        await use(guest, protocol.Leave(table))
    await guess(cleo)
    await use(bob, protocol.ResumeSession(table))
    await guess(cleo)
    late = await club.connect("Emil")
    await guess(late)
    await club.close()
    lines = re.findall(r'^{"to":"(?:Cleo|Dora|Emil)".*', "\n".join(club.lines), re.MULTILINE)
    variable = r'"since":\d+|"created":"[^"]*"|"(?:nonce|token|club_id)":"[^"]*"|"host":"\w+"'
    return [re.sub(variable, "", line.replace(table, "T").replace(other, "O")) for line in lines]


async def test_strangers_receive_nothing_about_a_private_table(monkeypatch, tmp_path):
    with_table, without = [
        await visit_as_strangers(monkeypatch, tmp_path, private=True, is_used=is_used) for is_used in (True, False)
    ]
    assert with_table == without
    assert len(without) > 100


async def test_strangers_receive_news_of_an_open_table(monkeypatch, tmp_path):
    """What is compared for a private table differs for an open one."""
    with_table, without = [
        await visit_as_strangers(monkeypatch, tmp_path, private=False, is_used=is_used) for is_used in (True, False)
    ]
    assert with_table != without


SENT_AWAY = "you have been sent away from that table"
NO_SPECTATORS = "that table is closed to spectators"


async def begin_table(master, *others):
    """Begin the session of a new table, and return its id."""
    before = set(master.room.table_manager.registry.list_lobby_tables())
    assert await master.ask(protocol.OpenTable("rikiki", 4, draws_seats=False)) == ""
    (table,) = master.room.table_manager.registry.list_lobby_tables().keys() - before
    for person in others:
        await person.ask(protocol.SitDown(table))
    assert await master.ask(protocol.Start(table)) == ""
    return table


def list_spectators(person, table):
    """Return the nicks of the spectators, as a person at the table learns them with the next change."""
    person.read()
    return next(update.spectators for update in reversed(person.updates) if update.table == table)


async def test_spectator_is_sent_away_for_good():
    async with people_in_a_club("Anna", "Bob", "Cleo", "Dora") as (anna, bob, cleo, dora):
        table = await begin_table(anna, bob)
        for spectator in (cleo, dora):
            assert await spectator.ask(protocol.Watch(table)) == ""
        assert await anna.ask(protocol.SendAway(table, "cleo")) == ""
        cleo.read()
        assert cleo.updates[-1].closed == "Anna has sent you away from the table."
        assert await cleo.ask(protocol.Say("But", table)) == "you are not at that table"
        assert await cleo.ask(protocol.Watch(table)) == SENT_AWAY
        await anna.ask(protocol.Say("Next", table))
        assert list_spectators(anna, table) == ("Dora",)
        # nor after it was closed to spectators and opened again, nor at the next session
        for admitted in (False, True):
            assert await anna.ask(protocol.AdmitSpectators(table, admitted)) == ""
        assert await cleo.ask(protocol.Watch(table)) == SENT_AWAY
        assert await dora.ask(protocol.Watch(table)) == ""
        for player in (anna, bob):
            assert await player.ask(protocol.VoteRematch(table)) == ""
        (again,) = [row.table for row in list_tables(anna.room)]
        assert again != table
        assert await cleo.ask(protocol.Watch(again)) == SENT_AWAY
        # a seat is another matter
        other = await begin_table(dora)
        assert await cleo.ask(protocol.Watch(other)) == ""


async def test_table_is_closed_to_spectators_and_opened_again():
    async with people_in_a_club("Anna", "Bob", "Cleo", "Dora") as (anna, bob, cleo, dora):
        table = await begin_table(anna, bob)
        await cleo.ask(protocol.Watch(table))
        assert await anna.ask(protocol.AdmitSpectators(table, admitted=False)) == ""
        cleo.read()
        assert cleo.updates[-1].closed == "Anna has closed the table to spectators."
        for person in (cleo, dora):
            person.read()
            assert person.tables[table].no_spectators
            assert await person.ask(protocol.Watch(table)) == NO_SPECTATORS
        # players may still watch and sit down again
        await bob.ask(protocol.Leave(table))
        assert await bob.ask(protocol.Watch(table)) == ""
        assert await anna.ask(protocol.AdmitSpectators(table, admitted=False)) == ""
        assert not bob.updates[-1].closed
        assert await bob.ask(protocol.SitDown(table)) == ""
        assert await anna.ask(protocol.AdmitSpectators(table)) == ""
        assert not dora.tables[table].no_spectators or dora.sees(table)
        assert await dora.ask(protocol.Watch(table)) == ""


async def test_table_is_closed_to_spectators_before_it_begins():
    async with people_in_a_club("Anna", "Bob") as (anna, bob):
        await anna.ask(protocol.OpenTable("rikiki", 4))
        (table,) = anna.tables
        assert await bob.ask(protocol.AdmitSpectators(table, admitted=False)) == NOT_MASTER
        assert await anna.ask(protocol.AdmitSpectators(table, admitted=False)) == ""
        assert await anna.ask(protocol.Start(table)) == ""
        assert await bob.ask(protocol.Watch(table)) == NO_SPECTATORS


async def test_only_the_game_master_decides_about_spectators():
    async with people_in_a_club("Anna", "Bob", "Cleo", "Dora") as (anna, bob, cleo, dora):
        table = await begin_table(anna, bob)
        await cleo.ask(protocol.Watch(table))
        for person, refusal in (
            (bob, NOT_MASTER),
            (cleo, "you are only watching at that table"),
            (dora, "you are not at that table"),
        ):
            assert await person.ask(protocol.SendAway(table, "Cleo")) == refusal
            assert await person.ask(protocol.AdmitSpectators(table, admitted=False)) == refusal
        for nick in ("Bob", "Anna", "Zoe", ""):
            assert await anna.ask(protocol.SendAway(table, nick)) == f"nobody called {nick} watches that table"
        assert list_spectators(cleo, table) == ("Cleo",)


async def test_all_devices_of_a_spectator_are_sent_away():
    async with people_in_a_club("Anna", "Cleo") as (anna, cleo):
        table = await begin_table(anna)
        phone = type(cleo)(cleo.room, anna.room.accounts.find_account("Cleo"))
        for device in (cleo, phone):
            await device.ask(protocol.Watch(table))
        await anna.ask(protocol.SendAway(table, "Cleo"))
        for device in (cleo, phone):
            device.read()
            assert device.updates[-1].closed
            assert await device.ask(protocol.Watch(table)) == SENT_AWAY


async def test_spectators_after_a_restart_of_the_host():
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table, closed = await begin_table(anna), await begin_table(bob)
        await cleo.ask(protocol.Watch(table))
        await anna.ask(protocol.SendAway(table, "Cleo"))
        await bob.ask(protocol.AdmitSpectators(closed, admitted=False))
    async with people_in_a_club("Anna", "Bob", "Cleo", "Dora") as (anna, bob, cleo, dora):
        assert await cleo.ask(protocol.Watch(table)) == SENT_AWAY
        assert await dora.ask(protocol.Watch(table)) == ""
        assert await dora.ask(protocol.Watch(closed)) == NO_SPECTATORS
        await leave_all_tables(dora)
        assert await bob.ask(protocol.ResumeSession(closed)) == ""
        assert await dora.ask(protocol.Watch(closed)) == NO_SPECTATORS


async def test_nick_of_a_spectator_who_was_sent_away():
    """The decision follows a new nick of the person, and nobody inherits it with a nick that has been freed."""
    access = TableAccess()
    access.send_away("Cleo")
    access.rename("CLEO", "Chloe")
    access.check_spectator("Cleo")
    with pytest.raises(RequestRefused, match=SENT_AWAY):
        access.check_spectator("chloe")
    access.withdraw("Chloe")
    access.check_spectator("Chloe")
    saved = club_file.SavedTable("t", "Anna", 60, sent_away=("Bob", "Cleo"))
    (erased,) = club_file.rename_masters([saved], "cleo", "Erased")
    assert erased.sent_away == ("Bob",)


async def test_spectator_stays_if_that_cannot_be_saved():
    async with people_in_a_club("Anna", "Cleo") as (anna, cleo):
        table = await begin_table(anna)
        await cleo.ask(protocol.Watch(table))
        with full_disk():
            for request in (protocol.SendAway(table, "Cleo"), protocol.AdmitSpectators(table, admitted=False)):
                assert await anna.ask(request) == "the disk is full"
        assert await cleo.ask(protocol.Say("Still here", table)) == ""
        await cleo.ask(protocol.Leave(table))
        assert await cleo.ask(protocol.Watch(table)) == ""


async def test_nobody_can_type_a_mark():
    async with people_in_a_club("Anna", "Bob", "Cleo") as (anna, bob, cleo):
        table = await begin_table(anna, bob)
        await cleo.ask(protocol.Watch(table))
        for text in HOSTILE_TALK:
            for person in (anna, cleo):
                assert await person.ask(protocol.Say(text, table)) == ""
        path = summaries.find_path(table)
        talk = select_lines(TalkLine, session_files.load_journal(path))
        assert [(line.seat, line.text[:6] == "Cleo: ") for line in talk] == [(0, False), (None, True)] * len(
            HOSTILE_TALK
        )
        assert summaries.summarize_full(path).marks == set()
        bob.read()
        notes = [note for update in bob.updates for note in update.notes]
        assert sum(isinstance(note, Said) for note in notes) == len(talk)
        assert not [note for note in notes if isinstance(note, CustomLogEntry)]
