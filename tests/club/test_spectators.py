"""Spectators whom the game master sends away, and tables that are closed to them."""

import pytest

from cardtable.club import protocol
from cardtable.club.server import club_file
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.table_access import TableAccess
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import TalkLine
from cardtable.engine.log_entries import CustomLogEntry, Said
from cardtable.store import session_files, summaries
from tests.club.test_private_tables import leave_all_tables, list_tables, people_in_a_club
from tests.journal_lines import HOSTILE_TALK, select_lines

SENT_AWAY = "you have been sent away from that table"
CLOSED = "that table is closed to spectators"


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
            assert await person.ask(protocol.Watch(table)) == CLOSED
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
        not_master = "Anna is the game master, and nobody else can do that"
        assert await bob.ask(protocol.AdmitSpectators(table, admitted=False)) == not_master
        assert await anna.ask(protocol.AdmitSpectators(table, admitted=False)) == ""
        assert await anna.ask(protocol.Start(table)) == ""
        assert await bob.ask(protocol.Watch(table)) == CLOSED


async def test_only_the_game_master_decides_about_spectators():
    async with people_in_a_club("Anna", "Bob", "Cleo", "Dora") as (anna, bob, cleo, dora):
        table = await begin_table(anna, bob)
        await cleo.ask(protocol.Watch(table))
        not_master = "Anna is the game master, and nobody else can do that"
        for person, refusal in (
            (bob, not_master),
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
        assert await dora.ask(protocol.Watch(closed)) == CLOSED
        await leave_all_tables(dora)
        assert await bob.ask(protocol.ResumeSession(closed)) == ""
        assert await dora.ask(protocol.Watch(closed)) == CLOSED


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


async def test_spectator_stays_if_that_cannot_be_saved(monkeypatch):
    def refuse(_contents):
        raise CardtableError("the disk is full")

    async with people_in_a_club("Anna", "Cleo") as (anna, cleo):
        table = await begin_table(anna)
        await cleo.ask(protocol.Watch(table))
        with monkeypatch.context() as patched:
            patched.setattr(club_file, "update_club_file", refuse)
            for request in (protocol.SendAway(table, "Cleo"), protocol.AdmitSpectators(table, admitted=False)):
                assert await anna.ask(request) == "the disk is full"
        assert await cleo.ask(protocol.Say("Still here", table)) == ""
        await cleo.ask(protocol.Leave(table))
        assert await cleo.ask(protocol.Watch(table)) == ""


async def test_nobody_can_type_a_mark(set_limit):
    set_limit("talk", number=1_000_000)
    set_limit("address_talk", number=1_000_000)
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
