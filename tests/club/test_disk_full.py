"""Disk errors of a host: nothing is shown before it is saved, and play continues once saving works."""

import asyncio
import errno
import os
import shutil
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from random import Random
from time import monotonic

import pytest

from cardtable.club import protocol
from cardtable.club.server import club_file, hosted_session, lobby, session_changes
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ActionLine, ChanceLine, TalkLine
from cardtable.engine.log_entries import Said
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import paths, profiles
from cardtable.store.errors import NotSaved
from tests.club.guests import HostedTable
from tests.club.loopback_club import (
    TIMEOUT,
    Guest,
    club,
    enter_once,
    hosted_guest,
    joined,
    play_until,
    poll_until,
    start_table,
    table_of,
    wait_for_all,
)
from tests.journal_lines import select_lines
from tests.store.disk_faults import FaultyDisk, failing_file

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
def fast_retries(monkeypatch):
    """Retry changes almost at once."""
    monkeypatch.setattr(hosted_session, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(session_changes, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(lobby, "RETRY_SECONDS", 0.01)


@pytest.fixture
def disk(monkeypatch):
    return FaultyDisk(monkeypatch)


@contextmanager
def failing_disk(disk, fault):
    number, calls = FAULTS[fault]
    with disk.failing(0, number, lasting=True, only=calls):
        yield


def read_decisions(path):
    """Return the decisions in the complete lines of a journal."""
    return select_lines(ActionLine, journal.read(path.read_bytes()))


class DurableTable(HostedTable):
    """A hosted session that requires durable saves, and can check that guests see only what is saved."""

    def __init__(self, key, **named):
        super().__init__(key, clock=monotonic, **named)
        self.session.require_durable()

    def check_durability(self, guests):
        """Assert that the journal on the disk has everything that the guests see."""
        for guest in guests:
            guest.read_update()
        read = journal.read(self.session.path.read_bytes())
        deals = [line for line in select_lines(ChanceLine, read) if line.is_deal]
        for guest in guests:
            if guest.update:
                assert guest.update.at <= len(select_lines(ActionLine, read))
                assert sum(isinstance(note, Said) for note in guest.notes) <= len(select_lines(TalkLine, read))
                assert guest.view.round <= len(deals)


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("fault", FAULTS)
async def test_nothing_is_shown_before_saving(disk, fault, key):
    async with DurableTable(key).joined_by(0, 1) as (table, anna, bob):
        guests = [anna, bob]
        await wait_for_all(guests, lambda guest: guest.view)
        async with asyncio.timeout(TIMEOUT):
            while not (anna.is_on_turn or bob.is_on_turn):
                await asyncio.sleep(0)
                table.check_durability(guests)
        actor = anna if anna.is_on_turn else bob
        before, view = table.session.path.read_bytes(), actor.view
        decided = [(line.seat, line.action) for line in read_decisions(table.session.path)]
        with failing_disk(disk, fault):
            await actor.act(actor.view.legal[0])
            newcomer, kibitzer = await table.join(actor.seat), await table.join(None)
            guests += [newcomer, kibitzer]
            await wait_for_all(guests, lambda guest: guest.update.saving)
            assert {guest.update.saving for guest in guests} == {KINDS.get(fault, "broken")}
            assert newcomer.view == view == actor.view
            assert disk.failed
            assert table.session.referee.decisions == actor.update.at
        assert table.session.path.read_bytes().startswith(before)
        await wait_for_all(guests, lambda guest: not guest.update.saving and guest.update.at > len(decided))
        table.check_durability(guests)
        assert [(line.seat, line.action) for line in read_decisions(table.session.path)[: len(decided) + 1]] == [
            *decided,
            (actor.seat, str(view.legal[0])),
        ]


@pytest.mark.parametrize("key", ["rikiki", "rummy"])
async def test_views_never_ahead_of_a_flaky_disk(disk, key):
    rng = Random(key)
    async with DurableTable(key).joined_by(0, 1, None) as (table, *guests):
        disk.fail_randomly(rng)
        while not (disk.failed > 30 and guests[0].update.at > 30):
            await asyncio.sleep(0)
            if any(guest.news.is_set() for guest in guests):
                table.check_durability(guests)
            guest = rng.choice(guests[:2])
            with suppress(CardtableError, IllegalAction):
                if guest.update and guest.update.stage is Stage.ROUND_END:
                    await table.hosted.people.acknowledge_round(guest.seat, guest.view.round)
                elif guest.is_on_turn:
                    await guest.act()
                elif rng.random() < 0.2:
                    await table.hosted.say("Well", guest.seat)


async def test_talk_keeps_its_order_while_saving_fails(disk):
    """The disk works again before the first message is retried."""
    async with DurableTable("rikiki").joined_by(0, 1) as (table, anna, bob):
        with failing_disk(disk, "full"):
            await table.hosted.say("Hello", 0)
        with pytest.raises(NotSaved, match="No space left on device"):
            await table.hosted.say("Hello, Anna", 1)
        await anna.wait_until(lambda: not anna.update.saving)
        await table.hosted.say("Good evening", 1)
        await bob.wait_until(lambda: Said(1, "Good evening") in bob.notes)
        assert [note for note in bob.notes if isinstance(note, Said)] == [Said(0, "Hello"), Said(1, "Good evening")]


async def test_no_new_session_while_a_move_waits_for_the_disk(disk):
    async with DurableTable("rikiki").joined_by(0, 1) as (table, anna, _):
        await anna.wait_until(lambda: anna.is_on_turn)
        with failing_disk(disk, "full"):
            await anna.act()
            await anna.wait_until(lambda: anna.update.saving)
            with pytest.raises(NotSaved):
                await table.hosted.people.vote_rematch(0)
        await anna.wait_until(lambda: not anna.update.saving)
        for seat in (0, 1):
            await table.hosted.people.vote_rematch(seat)
        assert table.hosted.people.rematch_agreed
        with pytest.raises(IllegalAction):
            await anna.act("bid 0")


async def test_clocks_pause_while_the_disk_is_full(disk):
    now = 0.0
    async with DurableTable("rikiki", round_clock=5) as table:
        table.session.clocks.set_time_source(lambda: now)
        anna, bob = await table.join(0), await table.join(1)
        await anna.wait_until(lambda: anna.is_on_turn)
        now = 100.0
        with failing_disk(disk, "full"):
            await anna.act()
            await bob.wait_until(lambda: bob.update.saving)
            now = 1000.0
            assert table.session.clocks.round_time_left == 200.0
        await bob.wait_until(lambda: not bob.update.saving and bob.is_on_turn)
        assert bob.update.round_left == 200.0


@asynccontextmanager
async def table_with_substitute():
    """Yield a table at which a robot plays for the absent Anna, and Bob, whose turn it is."""
    async with DurableTable("rikiki", grace=0).joined_by(1) as (table, bob):
        await bob.wait_until(lambda: bob.view)
        await table.hosted.people.vote_substitute(0, 1)
        await bob.wait_until(lambda: bob.is_on_turn)
        yield table, bob


async def test_return_to_seat_while_the_disk_is_full(disk):
    """The owner sees the table at once; the robot leaves the seat when that can be saved."""
    async with table_with_substitute() as (table, bob):
        with failing_disk(disk, "full"):
            anna = await table.join(0)
            await wait_for_all((anna, bob), lambda guest: guest.update.saving)
            assert (anna.view.seat, anna.update.seats[0].robot) == (0, True)
        await bob.wait_until(lambda: not bob.update.saving)
        assert table.session.header.seats[0].robot is None
        await asyncio.gather(anna.play(2), bob.play(2))


async def test_many_reconnections_queue_one_seat_change(disk):
    async with table_with_substitute() as (table, bob):
        with failing_disk(disk, "full"):
            for _ in range(100):
                anna = await table.join(0)
                await anna.leave()
            assert table.hosted.changes.unsaved_count == 1
            anna = await table.join(0)
            await bob.wait_until(lambda: bob.update.saving)
        await bob.wait_until(lambda: not bob.update.saving)
        assert table.session.header.seats[0].robot is None
        sitters = [seat for seat, _ in journal.list_later_occupants(journal.read(table.session.path.read_bytes()))]
        assert sitters.count(0) == 2  # the robot, and its owner
        await asyncio.gather(anna.play(1), bob.play(1))


async def test_robot_keeps_seat_if_owner_left_again(disk):
    async with table_with_substitute() as (table, bob):
        with failing_disk(disk, "full"):
            await (await table.join(0)).leave()
            await bob.wait_until(lambda: bob.update.saving)
        await bob.wait_until(lambda: not bob.update.saving)
        assert table.session.header.seats[0].robot


@pytest.mark.parametrize("deleted", [False, True])
async def test_sessions_folder_missing_for_a_while(deleted):
    async with DurableTable("rikiki").joined_by(0, 1) as (table, anna, bob):
        await anna.wait_until(lambda: anna.is_on_turn)
        folder = paths.sessions_folder()
        away = folder.rename(folder.with_name("away"))
        await anna.act()
        await bob.wait_until(lambda: bob.update.saving == "gone")
        if deleted:
            shutil.rmtree(away)
            folder.mkdir()
        else:
            away.rename(folder)
        await bob.wait_until(lambda: not bob.update.saving and bob.is_on_turn)
        assert len(read_decisions(table.session.path)) == bob.update.at == 1
        await asyncio.gather(anna.play(1), bob.play(1))


# The transports


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
async def test_new_nick_while_accounts_cannot_be_saved(number):
    """The newcomer and the log get one line each, and the nick is free again."""
    lines = []
    async with club(max_new_nicks=2, log=lines.append) as (room, url), joined(url, "Anna"):
        await poll_until(lambda: not room._news_timer)  # nothing else happens then
        with failing_file("club.json", number):
            for _ in range(3):
                async with Guest(url, "Bob") as bob:
                    await bob.wait_until(lambda bob=bob: bob.link.connection_error)
                    assert (
                        bob.link.connection_error
                        == f"the club's host cannot save: {os.strerror(number)}; try again later"
                    )
                    assert not bob.link.end_reason
            assert room.accounts.find_returning_account("Bob") is None
            await poll_until(lambda: f"saving fails: {os.strerror(number)}; tables wait until it works" in lines)
        await poll_until(lambda: "saving works again" in lines)
        async with joined(url, "bob") as another:
            assert another.welcome.nick == "Bob"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("club.json", "the club's host cannot save: {}; try again later"),
        ("profiles.json", "the players cannot be saved: {}"),
    ],
)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES])
async def test_registration_while_accounts_cannot_be_saved(number, file, message):
    """The guest is still known by the earlier token and can register later."""
    async with club() as (room, url), joined(url, "Anna") as anna:
        with failing_file(file, number):
            assert await anna.get_refusal(protocol.Register("sesame-seed")) == message.format(os.strerror(number))
            assert (anna.account, profiles.find("Anna")) == (None, None)
            assert room.accounts.is_guest("Anna")
            await enter_once(url, "Anna", token=anna.welcome.token)
        await anna.send(protocol.Register("sesame-seed"), until=lambda: anna.account)
        async with joined(url, "Anna", password="sesame-seed") as player:
            assert player.welcome.member


async def test_registration_in_a_hosted_program_while_accounts_cannot_be_saved():
    """The device stays known as that of the guest."""
    async with club() as (room, url):
        token = (await enter_once(url, "Anna")).welcome.token
        async with hosted_guest(room, "Anna", credential=protocol.hash_token(token).hex()) as anna:
            with failing_file("club.json", errno.ENOSPC):
                await anna.send(protocol.Register("sesame-seed"), until=lambda: anna.refused)
        assert room.accounts.is_guest("Anna")
        async with joined(url, "Anna", token=token) as guest:
            assert not guest.welcome.member


@pytest.mark.parametrize("fault", FAULTS)
async def test_table_begins_only_after_saving(disk, fault):
    async with club() as (_, url), joined(url, "Anna") as anna:
        table = await anna.open_table("rikiki", 4)
        with failing_disk(disk, fault):
            await anna.send(protocol.Start(table), until=lambda: anna.refused)
            assert anna.refused[0].startswith("it cannot be saved: ")
            assert anna.seated is None
        assert not [*paths.sessions_folder().glob("*.jsonl")]
        await anna.send(protocol.Start(table), until=lambda: anna.view)


async def test_log_has_one_line_per_change_of_saving_state(disk):
    lines = []
    async with club(log=lines.append) as (room, url), Guest(url, "Anna") as anna, Guest(url, "Bob") as bob:
        await start_table(anna, bob)
        await play_until(lambda: anna.update.at > 3, anna, bob)
        with failing_disk(disk, "full"):
            anna.unread = bob.unread = True
            await play_until(lambda: anna.update.saving, anna, bob)
            await bob.wait_until(lambda: bob.update.saving)
            await poll_until(lambda: disk.failed >= 10)
            assert room.save_error == "No space left on device"
        await bob.wait_until(lambda: not bob.update.saving)
        await poll_until(lambda: lines[-1] == "saving works again" and not room.save_error)
    assert [line for line in lines if line.startswith("saving")] == [
        "saving fails: No space left on device; tables wait until it works",
        "saving works again",
    ]


@pytest.mark.parametrize("ending", ["host ends", "all leave"])
async def test_lost_changes_are_logged(disk, ending):
    """There is one line for each table that closes before its changes are saved."""
    lines, expected = [], []
    with ExitStack() as full:
        async with club(log=lines.append) as (room, url), table_of(url, "Anna", "Bob") as (table, anna, bob):
            await play_until(lambda: anna.view.legal or bob.view.legal, anna, bob)
            actor = anna if anna.view.legal else bob
            full.enter_context(failing_disk(disk, "full"))
            await actor.send(protocol.Act(table, actor.update.at, str(actor.view.legal[0])))
            await bob.wait_until(lambda: bob.update.saving)
            if ending == "all leave":
                for guest in (anna, bob):
                    await guest.send(protocol.Leave(table))
                await poll_until(lambda: not room.table_manager.registry.list_lobby_tables())
            expected = [f"1 change at the table {table} was not saved and is lost: No space left on device"]
            assert [line for line in lines if "lost" in line] == (expected if ending == "all leave" else [])
    assert [line for line in lines if "lost" in line] == expected


async def test_saving_is_tried_again_after_a_mistake_of_the_program(disk, monkeypatch):
    failed, write = asyncio.Event(), club_file.update_club_file

    def fail_once(_change):
        monkeypatch.setattr(club_file, "update_club_file", write)
        raise ZeroDivisionError

    asyncio.get_running_loop().set_exception_handler(lambda *_: failed.set())
    async with club() as (room, _):
        with failing_disk(disk, "full"):
            await room.table_manager.registry.save()
            room.schedule_news()
            await poll_until(lambda: room.save_error)
            monkeypatch.setattr(club_file, "update_club_file", fail_once)
            async with asyncio.timeout(TIMEOUT):
                await failed.wait()
        await poll_until(lambda: not room.save_error)
