"""A host whose disk fails: nothing is shown that is not on the disk, and it goes on by itself."""

import asyncio
import errno
import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from random import Random
from time import monotonic

import pytest

from cardtable.club import protocol
from cardtable.club.server import accounts, hosted_session, lobby
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.log_entries import Said
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import paths, profiles
from cardtable.store.errors import NotSaved
from tests.club.guests import Table
from tests.club.over_loopback import Guest, club, play_on
from tests.club.test_websocket_server import opened
from tests.store.disk_faults import Disk, failing_file

pytestmark = pytest.mark.asyncio
FAULTS = {
    "full": (errno.ENOSPC, ("write", "ftruncate", "open")),
    "quota": (errno.EDQUOT, ("write",)),
    "broken": (errno.EIO, ("write", "fdatasync", "fsync", "ftruncate")),
    "no flush": (errno.EIO, ("fdatasync", "fsync")),
    "no folder flush": (errno.EIO, ("fdatasync", "fsync", "replace")),
    "read-only": (errno.EROFS, ("write", "open", "replace", "rename", "mkdir")),
}
KINDS = {"full": "full", "quota": "full", "read-only": "read-only"}


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Changes are retried at once, and the lobby is told at once."""
    monkeypatch.setattr(hosted_session, "RETRY", 0.01)
    monkeypatch.setattr(lobby, "RETRY", 0.01)
    monkeypatch.setattr(lobby, "SOON", 0.01)


@pytest.fixture
def disk(monkeypatch):
    return Disk(monkeypatch)


@contextmanager
def failing(disk, fault):
    number, calls = FAULTS[fault]
    with disk.failing(0, number, lasting=True, only=calls):
        yield


def decisions(path):
    """Return the decisions in the whole lines of a journal."""
    return [entry.line for entry in journal.read(path.read_bytes()).entries if entry.line.action]


class DurableTable(Table):
    """A table of a host: before each look of a guest the disk has all that is to be seen."""

    def __init__(self, key, **named):
        super().__init__(key, clock=monotonic, **named)
        self.session.require_durable()

    def check(self, guests):
        """Assert that the disk has all that guests see now."""
        for guest in guests:
            guest.hear()
        lines = [entry.line for entry in journal.read(self.session.path.read_bytes()).entries]
        for guest in guests:
            if guest.now:
                assert guest.now.at <= sum(line.action is not None for line in lines)
                assert sum(isinstance(note, Said) for note in guest.notes) <= sum(
                    line.say is not None for line in lines
                )
                assert guest.view.round <= sum((line.chance or "").startswith("deal ") for line in lines)


@pytest.mark.promise("The club", "Nothing is shown to a guest before it is on the host's disk.")
@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("fault", FAULTS)
async def test_nothing_is_shown_before_it_is_on_the_disk(disk, fault, key):
    async with DurableTable(key) as table:
        anna, bob = await table.guest(0), await table.guest(1)
        guests = [anna, bob]
        await asyncio.gather(*[guest.until(lambda guest=guest: guest.view) for guest in guests])
        while not (anna.asked or bob.asked):
            await asyncio.sleep(0)
            table.check(guests)
        actor = anna if anna.asked else bob
        before, view = table.session.path.read_bytes(), actor.view
        decided = [(line.seat, line.action) for line in decisions(table.session.path)]
        with failing(disk, fault):
            await actor.act(actor.view.legal[0])
            newcomer, kibitzer = await table.guest(actor.seat), await table.guest(None)
            guests += [newcomer, kibitzer]
            for guest in guests:
                await guest.until(lambda guest=guest: guest.now.saving)
            assert {guest.now.saving for guest in guests} == {KINDS.get(fault, "broken")}
            assert newcomer.view == view == actor.view
            assert disk.failed
            assert table.session.referee.decisions == actor.now.at
        assert table.session.path.read_bytes().startswith(before)
        for guest in guests:
            await guest.until(lambda guest=guest: not guest.now.saving and guest.now.at > len(decided))
        table.check(guests)
        assert [(line.seat, line.action) for line in decisions(table.session.path)[: len(decided) + 1]] == [
            *decided,
            (actor.seat, str(view.legal[0])),
        ]


@pytest.mark.promise("The club", "Nothing is shown to a guest before it is on the host's disk.")
@pytest.mark.parametrize("key", ["rikiki", "rummy"])
async def test_no_view_is_ahead_of_the_disk_while_it_fails_now_and_then(disk, key):
    rng = Random(key)
    async with DurableTable(key) as table:
        guests = [await table.guest(seat) for seat in (0, 1, None)]
        disk.failing_now_and_then(rng)
        while not (disk.failed > 30 and guests[0].now.at > 30):
            await asyncio.sleep(0)
            if any(guest.news.is_set() for guest in guests):
                table.check(guests)
            guest = rng.choice(guests[:2])
            with suppress(CardtableError, IllegalAction):
                if guest.now and guest.now.stage is Stage.ROUND_END:
                    await table.playing.acknowledge_round(guest.seat, guest.view.round)
                elif guest.asked:
                    await guest.act()
                elif rng.random() < 0.2:
                    await table.playing.say("Well", guest.seat)


async def test_talk_is_heard_once_it_is_saved(disk):
    async with DurableTable("rikiki") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        with failing(disk, "full"):
            await table.playing.say("Hello", 0)
            await bob.until(lambda: bob.now.saving)
            assert Said(0, "Hello") not in bob.notes + anna.notes
            with pytest.raises(CardtableError, match="it cannot be saved: No space left on device"):
                await table.playing.say("Is anybody there?", 1)
        await bob.until(lambda: not bob.now.saving)
        assert [note for note in bob.notes if isinstance(note, Said)] == [Said(0, "Hello")]


async def test_talk_does_not_overtake_talk_that_waits(disk):
    """The disk works again before the first line is tried again."""
    async with DurableTable("rikiki") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        with failing(disk, "full"):
            await table.playing.say("Hello", 0)
        with pytest.raises(NotSaved, match="No space left on device"):
            await table.playing.say("Hello, Anna", 1)
        await anna.until(lambda: not anna.now.saving)
        await table.playing.say("Good evening", 1)
        await bob.until(lambda: Said(1, "Good evening") in bob.notes)
        assert [note for note in bob.notes if isinstance(note, Said)] == [Said(0, "Hello"), Said(1, "Good evening")]


async def test_a_table_waits_also_while_it_tries_again(disk, monkeypatch):
    """Each attempt to save is seen as part of one wait, in the log and by the guests."""
    waits = []
    async with DurableTable("rikiki") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        with failing(disk, "full"):
            await table.playing.say("Hello", 0)
            await bob.until(lambda: bob.now.saving)
            due = disk._due
            monkeypatch.setattr(disk, "_due", lambda name: waits.append(table.playing.unsaved) or due(name))
            before = disk.failed
            while disk.failed < before + 5:
                await asyncio.sleep(0.001)
                anna.hear()
                assert anna.now.saving == "full"
            monkeypatch.setattr(disk, "_due", due)
        await bob.until(lambda: not bob.now.saving)
    assert all(waits)


async def test_clocks_stand_still_while_the_disk_is_full(disk):
    now = 0.0
    async with DurableTable("rikiki", round_clock=5) as table:
        table.session.clocks.set_time_source(lambda: now)
        anna, bob = await table.guest(0), await table.guest(1)
        await anna.until(lambda: anna.asked)
        now = 100.0
        with failing(disk, "full"):
            await anna.act()
            await bob.until(lambda: bob.now.saving)
            now = 1000.0
            assert table.session.clocks.round_time_left == 200.0
        await bob.until(lambda: not bob.now.saving and bob.asked)
        assert bob.now.round_left == 200.0


async def test_a_seat_taken_back_while_the_disk_is_full(disk):
    """The owner of a seat sees the table at once; the robot leaves the seat when that can be written."""
    async with DurableTable("rikiki", grace=0) as table:
        bob = await table.guest(1)
        await bob.until(lambda: bob.view)
        await table.playing.stand_in(0, 1)
        await bob.until(lambda: bob.asked)
        with failing(disk, "full"):
            anna = await table.guest(0)
            for guest in (anna, bob):
                await guest.until(lambda guest=guest: guest.now.saving)
            assert (anna.view.seat, anna.now.places[0].robot) == (0, True)
        await bob.until(lambda: not bob.now.saving)
        assert table.session.header.seats[0].robot is None
        await asyncio.gather(anna.play(2), bob.play(2))


async def test_many_reconnections_leave_one_change(disk):
    async with DurableTable("rikiki", grace=0) as table:
        bob = await table.guest(1)
        await bob.until(lambda: bob.view)
        await table.playing.stand_in(0, 1)
        await bob.until(lambda: bob.asked)
        with failing(disk, "full"):
            for _ in range(100):
                anna = await table.guest(0)
                await anna.leave()
            assert len(table.playing._unsaved) == 1
            anna = await table.guest(0)
            await bob.until(lambda: bob.now.saving)
        await bob.until(lambda: not bob.now.saving)
        assert table.session.header.seats[0].robot is None
        sitters = [entry.line.sit for entry in journal.read(table.session.path.read_bytes()).entries]
        assert sitters.count(0) == 2  # the robot, and its owner
        await asyncio.gather(anna.play(1), bob.play(1))


async def test_seat_of_a_guest_who_left_again(disk):
    """The robot keeps the seat if its owner has left before the disk takes anything again."""
    async with DurableTable("rikiki", grace=0) as table:
        bob = await table.guest(1)
        await bob.until(lambda: bob.view)
        await table.playing.stand_in(0, 1)
        await bob.until(lambda: bob.asked)
        with failing(disk, "full"):
            await (await table.guest(0)).leave()
            await bob.until(lambda: bob.now.saving)
        await bob.until(lambda: not bob.now.saving)
        assert table.session.header.seats[0].robot


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_folder_that_is_missing_for_a_while(deleted):
    async with DurableTable("rikiki") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await anna.until(lambda: anna.asked)
        folder = paths.sessions_folder()
        away = folder.rename(folder.with_name("away"))
        await anna.act()
        await bob.until(lambda: bob.now.saving == "gone")
        if deleted:
            shutil.rmtree(away)
            folder.mkdir()
        else:
            away.rename(folder)
        await bob.until(lambda: not bob.now.saving and bob.asked)
        assert len(decisions(table.session.path)) == bob.now.at == 1
        await asyncio.gather(anna.play(1), bob.play(1))


async def test_a_host_killed_while_the_disk_is_full(disk):
    """The host that is started again has what was shown, and only what was not shown is lost."""
    async with DurableTable("rikiki") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await anna.until(lambda: anna.asked)
        with failing(disk, "full"):
            await anna.act()
            await bob.until(lambda: bob.now.saving)
            left = table.session.path.read_bytes()
    kept = journal.read(left)
    assert sum(bool(entry.line.action) for entry in kept.entries) == anna.now.at == bob.now.at == 0


# The doors


async def test_a_newcomer_is_told_why_nobody_comes_in(disk):
    async with club() as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        with failing(disk, "quota"):
            async with Guest(url, "Bob") as bob:
                await bob.until(lambda: bob.link.refused or bob.link.connection_error)
                why = "the club's host cannot save: Disk quota exceeded; try again later"
                assert why in (bob.link.refused, bob.link.connection_error)
        async with Guest(url, "Bob") as bob:
            await bob.until(lambda: bob.welcome)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
async def test_new_nick_while_the_guest_book_cannot_be_saved(number):
    """The newcomer and the host read a line each, and the nick is free again."""
    lines = []
    async with club(new_nicks=2, tell=lines.append) as (room, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        while room._telling:  # nothing else happens then
            await asyncio.sleep(0.01)
        with failing_file("club.json", number):
            for _ in range(3):
                async with Guest(url, "Bob") as bob:
                    await bob.until(lambda bob=bob: bob.link.connection_error)
                    assert (
                        bob.link.connection_error
                        == f"the club's host cannot save: {os.strerror(number)}; try again later"
                    )
                    assert not bob.link.refused
            assert room.members.find_returning_account("Bob") is None
            while f"saving fails: {os.strerror(number)}; tables wait until it works" not in lines:
                await asyncio.sleep(0.01)
        while "saving works again" not in lines:
            await asyncio.sleep(0.01)
        async with Guest(url, "bob") as another:
            await another.until(lambda: another.welcome)
            assert another.welcome.nick == "Bob"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
async def test_registering_while_the_guest_book_cannot_be_saved(number):
    """The guest stays one, is known by the token of before, and can register later."""
    async with club() as (room, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        with failing_file("club.json", number):
            await anna.say(protocol.Register("sesame-seed"))
            await anna.until(lambda: anna.refused)
            assert anna.refused == [f"the club's host cannot save: {os.strerror(number)}; try again later"]
            assert profiles.find("Anna") is None
            assert room.members.is_guest("Anna")
            async with Guest(url, "Anna", token=anna.welcome.token) as again:
                await again.until(lambda: again.welcome)
        await anna.say(protocol.Register("sesame-seed"))
        await anna.until(lambda: anna.let_in)
        async with Guest(url, "Anna", password="sesame-seed") as player:
            await player.until(lambda: player.welcome)
            assert player.welcome.member


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_table_begins_only_once_it_is_on_the_disk(disk, fault):
    async with club() as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        await anna.say(protocol.OpenTable("rikiki", 4))
        await anna.until(lambda: anna.rows)
        (table,) = anna.rows
        with failing(disk, fault):
            await anna.say(protocol.Start(table))
            await anna.until(lambda: anna.refused)
            assert anna.refused[0].startswith("it cannot be saved: ")
            assert anna.seated is None
        assert not [*paths.sessions_folder().glob("*.jsonl")]
        await anna.say(protocol.Start(table))
        await anna.until(lambda: anna.view)


async def test_nobody_is_a_player_before_that_is_on_the_disk(disk):
    async with club() as (_, url), Guest(url, "Anna") as anna:
        await anna.until(lambda: anna.welcome)
        with failing(disk, "quota"):
            await anna.say(protocol.Register("sesame-seed"))
            await anna.until(lambda: anna.refused)
            assert "Disk quota exceeded" in anna.refused[0]
            assert str(paths.home()) not in anna.refused[0]
            assert anna.let_in is None
            assert profiles.find("Anna") is None
        await anna.say(protocol.Register("sesame-seed"))
        await anna.until(lambda: anna.let_in)
        assert profiles.find("Anna")


async def test_the_keeper_reads_one_line_when_saving_fails_and_one_when_it_works(disk):
    lines = []
    async with (
        club(tell=lines.append) as (room, url),
        Guest(url, "Anna") as anna,
        Guest(url, "Bob") as bob,
    ):
        await opened(anna, bob)
        await play_on(lambda: anna.now.at > 3, anna, bob)
        with failing(disk, "full"):
            anna.unread = bob.unread = True
            await play_on(lambda: anna.now.saving, anna, bob)
            await bob.until(lambda: bob.now.saving)
            while disk.failed < 10:
                await asyncio.sleep(0.01)
            assert room.saving_fails == "No space left on device"
        await bob.until(lambda: not bob.now.saving)
        while room.saving_fails or len(lines) < 2 or not lines[-1].startswith("saving works"):
            await asyncio.sleep(0.01)
    assert [line for line in lines if line.startswith("saving")] == [
        "saving fails: No space left on device; tables wait until it works",
        "saving works again",
    ]


@pytest.mark.parametrize("way", ["host ends", "all leave"])
async def test_changes_lost_with_a_full_disk_are_logged(disk, way):
    """The host writes a line for each table that closes before its changes can be saved."""
    lines, expected = [], []
    with ExitStack() as full:
        async with club(tell=lines.append) as (room, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
            table = await opened(anna, bob)
            await play_on(lambda: anna.view.legal or bob.view.legal, anna, bob)
            actor = anna if anna.view.legal else bob
            full.enter_context(failing(disk, "full"))
            await actor.say(protocol.Act(table, actor.now.at, str(actor.view.legal[0])))
            await bob.until(lambda: bob.now.saving)
            if way == "all leave":
                for who in (anna, bob):
                    await who.say(protocol.Leave(table))
                while room.table_manager.rows():
                    await asyncio.sleep(0.01)
            expected = [f"1 change at the table {table} was not saved and is lost: No space left on device"]
            assert [line for line in lines if "lost" in line] == (expected if way == "all leave" else [])
    assert [line for line in lines if "lost" in line] == expected


async def test_the_list_of_tables_is_saved_once_the_disk_takes_it(disk):
    async with club() as (room, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        table = await opened(anna, bob)
        with failing(disk, "full"):
            await room.table_manager._save()
            room._changed()
            while not room.saving_fails:
                await asyncio.sleep(0.01)
        while room.saving_fails:
            await asyncio.sleep(0.01)
        assert [kept.session for kept in accounts.read().tables] == [table]
