"""A session that guests play: each is told what she may know, decisions count once, who is away is waited for."""

import asyncio

import pytest

from cardtable.club.server import hosted_session
from cardtable.club.server.command_queue import CommandQueue
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import CustomLogEntry, Drew, Said, SeatChanged
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES, KEYS
from cardtable.session.session_events import Stage
from cardtable.session.session_runner import SessionRunner
from cardtable.store import paths, sessions
from tests.brittle import brittle
from tests.club.guests import Table, at_random
from tests.club.over_loopback import PATIENCE
from tests.session.session_player import NOW

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("key", KEYS)
async def test_two_people_and_robots_play_a_session_to_its_end(key):
    async with Table(key) as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await asyncio.gather(anna.play(), bob.play())
        assert anna.now.results == bob.now.results
        assert anna.scores == bob.scores
        assert len(anna.scores) == anna.view.finished
    assert table.session.path.parent == paths.archive_folder()


async def test_an_action_that_is_stale_or_another_s_or_not_legal_changes_nothing():
    async with Table("rikiki") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await anna.until(lambda: anna.asked)
        for seat, at, text in ((1, 0, "bid 0"), (0, 1, "bid 0"), (0, 0, "bid 9"), (0, 0, "play AS"), (0, 0, "")):
            with pytest.raises(IllegalAction):
                await table.playing.act(seat, at, text)
        await anna.act(anna.view.legal[0])
        with pytest.raises(IllegalAction, match="something has happened at the table meanwhile; choose again"):
            await table.playing.act(0, 0, "bid 0")
        await bob.until(lambda: bob.asked)
        assert bob.now.at == 1


async def test_talk_is_heard_by_all_and_written():
    async with Table("rikiki") as table:
        anna, cleo = await table.guest(0), await table.guest(None)
        await table.playing.say("Hello", 0)
        await table.playing.say("Good evening", "Kay")
        for who in (anna, cleo):
            await who.until(lambda who=who: Said(None, "Kay: Good evening") in who.notes)
            assert Said(0, "Hello") in who.notes
    assert '"say":"Hello"' in table.session.path.read_text()


async def test_who_looks_on_at_a_table_of_one_person_hears_what_others_saw():
    game = GAMES["rummy"]
    opened = sessions.create(game, [Occupant("Anna"), Occupant("Bo", "random")], game.options(), 7, now=NOW)
    async with Table("rummy", opened=opened) as table:
        anna, cleo = await table.guest(0), await table.guest(None)
        await anna.until(lambda: anna.asked)
        await anna.act(next(action for action in anna.view.legal if str(action) == "stock"))
        drew = {who: lambda who=who: [note for note in who.notes if isinstance(note, Drew)] for who in (anna, cleo)}
        for who in (anna, cleo):
            await who.until(drew[who])
        assert drew[anna]()[0].cards
        assert drew[cleo]() == [Drew(0, 1)]


async def test_a_game_that_fails_is_told_to_all_and_nothing_of_it_is_written():
    game = brittle("apply")
    seats = [Occupant("Anna"), *[Occupant(name, "random") for name in ("Bo", "Cy", "Dee")]]
    async with Table("gurka", opened=sessions.create(game, seats, game.options(), 1, now=NOW)) as table:
        anna, begun = await table.guest(0), table.session.path.read_bytes()
        for times in (1, 2):
            await anna.until(
                lambda times=times: len([1 for note in anna.notes if isinstance(note, CustomLogEntry)]) == times
            )
            await table.playing.say("Oh", "Kay")
        assert anna.notes[0].third_person.startswith("Gurka (cardtable-gurka 1.0) has failed")
        lines = table.session.path.read_bytes().removeprefix(begun).splitlines()
        assert all(b'"say":"Kay: Oh"' in line for line in lines)


async def test_it_stands_still_while_nobody_is_there():
    async with Table("rikiki") as table:
        cleo = await table.guest(None)
        await asyncio.sleep(0.02)
        cleo.hear()
        assert cleo.view.round == 0, "who looks on does not make it begin"
        anna = await table.guest(0)
        await anna.until(lambda: anna.asked)
        await anna.leave()
        assert table.session.referee.decisions == 0


async def test_a_robot_stands_in_for_who_is_away_until_she_is_back():
    now = 0.0
    async with Table("rikiki", clock=lambda: now) as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await anna.until(lambda: anna.asked)
        await anna.leave()
        await bob.until(lambda: bob.now.away == {0: 60})
        with pytest.raises(IllegalAction, match="Anna has another 60 s to come back"):
            await table.playing.stand_in(0, 1)
        with pytest.raises(IllegalAction, match="nobody is away from that seat"):
            await table.playing.stand_in(1, 1)
        now = 60.0
        await table.playing.stand_in(0, 1)
        await bob.until(lambda: bob.asked)
        robot = table.session.header.seats[0]
        assert (robot.name, robot.robot) not in [(who.name, who.robot) for who in table.session.header.seats[1:]]
        assert SeatChanged(None, robot.name, "steady", "Anna") in bob.notes
        anna = await table.guest(0)
        await anna.until(lambda: True)
        assert (anna.view.seat, anna.now.away) == (0, {})
        await bob.until(lambda: SeatChanged(None, "Anna", None, robot.name) in bob.notes)
        await asyncio.gather(anna.play(2), bob.play(2))


async def test_who_cannot_have_her_seat_back_has_not_come(monkeypatch):
    def full(*_):
        raise CardtableError("the session is full")

    async with Table("rikiki", grace=0) as table:
        bob = await table.guest(1)
        await bob.until(lambda: bob.now.away == {0: 0})
        await table.playing.stand_in(0, 1)
        with monkeypatch.context() as broken:
            broken.setattr(SessionRunner, "change_occupant", full)
            with pytest.raises(CardtableError, match="the session is full"):
                await table.guest(0)
        await bob.until(lambda: True)
        assert (table.playing.present_seats, bob.now.away) == ({1}, {0: 0})


async def test_who_is_away_while_the_host_is_started_again_has_her_seat():
    async with Table("rikiki", grace=0) as table:
        bob = await table.guest(1)
        await bob.until(lambda: True)
        await table.playing.stand_in(0, 1)
        await bob.until(lambda: bob.asked)
        at = bob.now.at
    async with Table("rikiki", opened=sessions.resume(table.session.path)) as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await bob.until(lambda: bob.asked)
        assert bob.now.at == at
        await asyncio.gather(anna.play(2), bob.play(2))


async def test_the_next_round_is_dealt_once_all_who_are_there_have_looked():
    async with Table("rikiki") as table:
        anna, bob, cleo = [await table.guest(seat) for seat in (0, 1, None)]
        await asyncio.gather(anna.play(1), bob.play(1))
        await table.playing.acknowledge_round(0, 1)
        await anna.until(lambda: anna.now.waits_for == (1,))
        assert anna.now.stage is Stage.ROUND_END
        await bob.leave()
        await anna.until(lambda: anna.view.round == 2)
        await cleo.until(lambda: cleo.view.round == 2)
        assert (cleo.view.hand, cleo.view.legal) == (0, ())


async def test_who_reads_slowly_is_told_how_it_stands():
    async with Table("rikiki") as table:
        anna, bob, slow = [await table.guest(seat) for seat in (0, 1, None)]
        await asyncio.gather(anna.play(12), bob.play(12))
        slow.hear()
        assert slow.now.whole
        assert len(slow.steps) == 1
        assert slow.scores == anna.scores


@pytest.mark.parametrize("seat", [0, None])
async def test_who_was_cut_off_is_told_all_anew(seat):
    async with Table("rikiki") as table:
        anna, bob, first = [await table.guest(place) for place in (0, 1, seat)]
        await asyncio.gather(anna.play(3), bob.play(3))
        first.hear()
        first.listener.invalidate()
        await table.playing.say("Where were we?", 1)
        before = first.view, first.scores
        first.hear()
        assert first.now.whole
        assert (first.view, first.scores) == before


async def test_who_does_not_look_at_the_points_holds_nobody_up_for_ever():
    now = 0.0
    async with Table("rikiki", clock=lambda: now) as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await asyncio.gather(anna.play(1), bob.play(1))
        now = hosted_session.LOOK
        await table.playing.acknowledge_round(0, 1)
        await anna.until(lambda: anna.view.round == 2)


async def test_a_robot_that_cannot_choose_is_asked_again(monkeypatch):
    monkeypatch.setattr(hosted_session, "RETRY", 0.0)
    failed = []

    async def think(request):
        if len(failed) < 3:
            failed.append(request)
            raise CardtableError("the robots' process does not answer")
        return await at_random(request)

    async with Table("rikiki", think=think) as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await asyncio.gather(anna.play(1), bob.play(1))
    assert len(failed) == 3


async def test_who_comes_back_when_the_session_is_over_sees_how_it_ended():
    async with Table("rikiki", grace=0, length="short") as table:
        anna, bob = await table.guest(0), await table.guest(1)
        await anna.until(lambda: anna.asked)
        await anna.leave()
        await table.playing.stand_in(0, 1)
        await bob.play()
        anna = await table.guest(0)
        await anna.until(lambda: anna.now.results == bob.now.results)


async def test_who_looks_on_at_open_hands_sees_the_table_from_a_person_s_seat():
    game = GAMES["rikiki"]
    seats = [Occupant("Ada", "random"), Occupant("Anna"), Occupant("Bo", "random"), Occupant("Cy", "random")]
    opened = sessions.create(game, seats, game.options(open_hands="on"), 7, now=NOW)
    async with Table("rikiki", opened=opened) as table:
        anna, cleo = await table.guest(1), await table.guest(None)
        await anna.until(lambda: anna.asked)
        await cleo.until(lambda: cleo.view.hand)
        assert (cleo.view.seat, cleo.view.legal, sorted(cleo.others)) == (1, (), [0, 2, 3])


async def test_a_table_that_cannot_go_on_is_closed_and_nobody_waits_for_it(monkeypatch):
    async with Table("rikiki") as table:
        anna = await table.guest(0)
        await anna.until(lambda: anna.asked)
        monkeypatch.setattr(SessionRunner, "say", lambda *_: 1 / 0)
        with pytest.raises(CardtableError, match="the table is closed"):
            await table.playing.say("Hello", 0)
        with pytest.raises(CardtableError, match="the table is closed"):
            await table.playing.act(0, 0, "bid 0")
        with pytest.raises(ZeroDivisionError):
            await table._task
        table._task = asyncio.create_task(asyncio.sleep(0))


@pytest.mark.parametrize("ticks", range(6))
async def test_closing_as_a_change_arrives(ticks):
    """The cancellation is not lost, however far the event loop is with the change."""

    async def run_changes(queue):
        while True:
            await queue.run_next(PATIENCE)

    async def execute(change):
        change()

    queue = CommandQueue(execute)
    task = asyncio.create_task(run_changes(queue))
    await asyncio.sleep(0.01)
    submission = asyncio.create_task(queue.submit(list))
    for _ in range(ticks):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task], timeout=1)
    was_cancelled = task.done()
    task.cancel()
    submission.cancel()
    assert was_cancelled
