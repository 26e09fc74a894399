"""Hosted session: views, decisions, absent players, errors, and games in which seats choose at once."""

import asyncio
import gc
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import Seated, decode_server, encode
from cardtable.club.server import hosted_session, session_people
from cardtable.club.server.session_changes import SessionChanges
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import CustomLogEntry, Drew, SeatChanged
from cardtable.engine.referee import IllegalAction
from cardtable.games import GAMES, KEYS
from cardtable.session.session_events import AwaitingPlayer, AwaitingRemote, ObservedEvent, Stage
from cardtable.session.session_runner import SessionRunner
from cardtable.store import paths, sessions, visibility
from cardtable.testing.cases import Case
from cardtable.wording.players import format_wait
from tests.club.guests import HostedTable, choose_randomly, hosted_table
from tests.club.loopback_club import TIMEOUT, wait_for_all
from tests.club.recorded_frames import assert_leak_detected, change_unseen_decision, compare_frames
from tests.failing_game import create_failing_game
from tests.session.session_player import NOW, create_session
from tests.toy import blind
from tests.toy.game_plugins import plug_in


@pytest.mark.parametrize("key", KEYS)
async def test_two_players_and_robots_finish_a_session(key):
    async with hosted_table(key, 0, 1) as (table, anna, bob):
        await asyncio.gather(anna.play(), bob.play())
        assert anna.update.results == bob.update.results
        assert anna.scores == bob.scores
        assert len(anna.scores) == anna.view.finished
        assert all(encode(decode_server(frame)) == frame for frame in anna.frames + bob.frames)
    assert table.session.path.parent == paths.archive_folder()


async def test_rejects_stale_foreign_and_illegal_actions():
    async with hosted_table("rikiki", 0, 1) as (table, anna, bob):
        await anna.wait_until(lambda: anna.is_on_turn)
        for seat, at, text in ((1, 0, "bid 0"), (0, 1, "bid 0"), (0, 0, "bid 9"), (0, 0, "play AS"), (0, 0, "")):
            with pytest.raises(IllegalAction):
                await table.hosted.act(seat, at, text)
        await anna.act(anna.view.legal[0])
        with pytest.raises(IllegalAction, match="the table has changed in the meantime; choose again"):
            await table.hosted.act(0, 0, "bid 0")
        await bob.wait_until(lambda: bob.is_on_turn)
        assert bob.update.at == 1


async def test_round_of_the_future_cannot_be_acknowledged():
    async with hosted_table("rikiki", 0, 1) as (table, anna, bob):
        await asyncio.gather(anna.play(1), bob.play(1))
        with pytest.raises(IllegalAction, match="the table has no such seat"):
            await table.hosted.people.vote_substitute(4, 0)
        with pytest.raises(IllegalAction, match="that round has not been dealt yet"):
            await table.hosted.people.acknowledge_round(0, 2)
        await asyncio.gather(anna.play(2), bob.play(2))


async def test_reading_and_watching_refresh_no_other_client(monkeypatch):
    monkeypatch.setattr(session_people, "SPECTATOR_NEWS_DELAY", 3600)
    async with hosted_table("rikiki", 0, 1) as (table, anna, bob):
        await anna.wait_until(lambda: anna.is_on_turn)
        anna.read_update()
        for _ in range(3):
            kay = await table.join(None)
            kay.read_update()
            assert kay.update.whole
            assert kay.update.spectators == ("Kay",)
            await table.hosted.read_finished_rounds()
            assert anna.subscriber.drain() is None
            assert kay.subscriber.drain() is None
            await kay.leave()
        assert anna.subscriber.drain() is None
        await asyncio.gather(anna.play(1), bob.play(1))


async def test_spectators_who_come_and_go_are_told_together(monkeypatch):
    monkeypatch.setattr(session_people, "SPECTATOR_NEWS_DELAY", 0)
    async with hosted_table("rikiki", 0) as (table, anna):
        kay = await table.join(None)
        await anna.wait_until(lambda: anna.update.spectators == ("Kay",))
        await kay.leave()
        await anna.wait_until(lambda: anna.update.spectators == ())


async def test_finished_rounds_are_read_once(monkeypatch):
    """However many people read them, the session computes them once in each round."""
    reads = []
    encode = visibility.encode_finished_rounds
    monkeypatch.setattr(visibility, "encode_finished_rounds", lambda read: reads.append(1) or encode(read))
    async with hosted_table("rikiki", 0, 1) as (table, anna, bob):
        lengths = []
        for number in (1, 2):
            await asyncio.gather(anna.play(number), bob.play(number))
            (text,) = {await table.hosted.read_finished_rounds() for _ in range(5)}
            assert text == encode(table.session.journal())
            assert (text.count('"deal '), '"seed":0' in text) == (number, True), "not the round in progress"
            lengths.append(len(text))
    assert len(reads) == 2
    assert lengths[0] < lengths[1]


def list_draws(guest):
    return [note for note in guest.notes if isinstance(note, Drew)]


async def test_spectator_of_a_single_player_sees_no_drawn_card():
    game = GAMES["rummy"]
    opened = sessions.create(game, [Occupant("Anna"), Occupant("Bo", "random")], game.options(), 7, now=NOW)
    async with hosted_table("rummy", 0, None, existing_session=opened) as (_table, anna, cleo):
        await anna.wait_until(lambda: anna.is_on_turn)
        await anna.act(next(action for action in anna.view.legal if str(action) == "stock"))
        await wait_for_all((anna, cleo), list_draws)
        assert list_draws(anna)[0].cards
        assert list_draws(cleo) == [Drew(0, 1)]


async def test_failing_game_is_reported_and_not_recorded():
    game = create_failing_game("apply")
    seats = [Occupant("Anna"), *[Occupant(name, "random") for name in ("Bo", "Cy", "Dee")]]
    async with HostedTable("gurka", existing_session=sessions.create(game, seats, game.options(), 1, now=NOW)) as table:
        anna, begun = await table.join(0), table.session.path.read_bytes()
        for times in (1, 2):
            await anna.wait_until(
                lambda times=times: len([1 for note in anna.notes if isinstance(note, CustomLogEntry)]) == times
            )
            await table.hosted.say("Oh", "Kay")
        assert anna.notes[0].third_person.startswith("Gurka (cardtable-gurka 1.0) has failed")
        lines = table.session.path.read_bytes().removeprefix(begun).splitlines()
        assert all(b'"say":"Kay: Oh"' in line for line in lines)


async def test_pauses_while_no_player_is_present():
    async with hosted_table("rikiki", None) as (table, cleo):
        await asyncio.sleep(0.02)
        cleo.read_update()
        assert cleo.view.round == 0, "who looks on does not make it begin"
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        await anna.leave()
        assert table.session.referee.decisions == 0


async def test_robot_substitutes_until_the_player_returns():
    now = 0.0
    async with hosted_table("rikiki", 0, 1, clock=lambda: now) as (table, anna, bob):
        await anna.wait_until(lambda: anna.is_on_turn)
        await anna.leave()
        await bob.wait_until(lambda: bob.update.absences == {0: 60})
        with pytest.raises(IllegalAction, match="Anna has another 60 s to come back"):
            await table.hosted.people.vote_substitute(0, 1)
        with pytest.raises(IllegalAction, match="the player of that seat is here"):
            await table.hosted.people.vote_substitute(1, 1)
        now = 60.0
        await table.hosted.people.vote_substitute(0, 1)
        await bob.wait_until(lambda: bob.is_on_turn)
        robot = table.session.header.seats[0]
        assert (robot.name, robot.robot) not in [
            (occupant.name, occupant.robot) for occupant in table.session.header.seats[1:]
        ]
        assert SeatChanged(None, robot.name, "steady", "Anna", 0) in bob.notes
        back = await table.join(0)
        await back.wait_until(lambda: True)
        assert (back.view.seat, back.update.absences) == (0, {})
        await bob.wait_until(lambda: SeatChanged(None, "Anna", None, robot.name, 0) in bob.notes)
        await asyncio.gather(back.play(2), bob.play(2))


async def test_robot_substitutes_once_the_last_player_without_a_vote_leaves():
    async with hosted_table("rikiki", 1, 2, people=3, grace=0) as (table, bob, cleo):
        await bob.wait_until(lambda: bob.update.absences == {0: 0})
        await table.hosted.people.vote_substitute(0, 1)
        await bob.wait_until(lambda: bob.update.substitute_votes == {0: (1,)})
        assert not table.hosted.people.is_substituted(0)
        await cleo.leave()
        assert table.hosted.people.is_substituted(0)
        await bob.leave()
        assert not table.hosted.people.is_substituted(2), "nobody has voted"


async def test_player_stays_absent_if_the_seat_cannot_change(monkeypatch):
    def full(*_):
        raise CardtableError("the session is full")

    async with hosted_table("rikiki", 1, grace=0) as (table, bob):
        await bob.wait_until(lambda: bob.update.absences == {0: 0})
        await table.hosted.people.vote_substitute(0, 1)
        with monkeypatch.context() as broken:
            broken.setattr(SessionRunner, "change_occupant", full)
            with pytest.raises(CardtableError, match="the session is full"):
                await table.join(0)
        await bob.wait_until(lambda: True)
        assert (table.hosted.people.present_seats, bob.update.absences) == ({1}, {0: 0})


async def test_absent_player_keeps_seat_over_host_restart():
    async with hosted_table("rikiki", 1, grace=0) as (table, bob):
        await bob.wait_until(lambda: True)
        await table.hosted.people.vote_substitute(0, 1)
        await bob.wait_until(lambda: bob.is_on_turn)
        at = bob.update.at
    async with hosted_table("rikiki", 0, 1, existing_session=sessions.resume(table.session.path)) as (table, anna, bob):
        await bob.wait_until(lambda: bob.is_on_turn)
        assert bob.update.at == at
        await asyncio.gather(anna.play(2), bob.play(2))


async def test_next_round_starts_when_all_present_acknowledge():
    async with hosted_table("rikiki", 0, 1, None) as (table, anna, bob, cleo):
        await asyncio.gather(anna.play(1), bob.play(1))
        await table.hosted.people.acknowledge_round(0, 1)
        await anna.wait_until(lambda: anna.update.waits_for == (1,))
        assert anna.update.stage is Stage.ROUND_END
        await bob.leave()
        await anna.wait_until(lambda: anna.view.round == 2)
        await cleo.wait_until(lambda: cleo.view.round == 2)
        assert (cleo.view.hand, cleo.view.legal) == (0, ())


async def test_slow_subscriber_gets_one_full_update():
    async with hosted_table("rikiki", 0, 1, None) as (_table, anna, bob, slow):
        await asyncio.gather(anna.play(12), bob.play(12))
        slow.read_update()
        assert slow.update.whole
        assert len(slow.steps) == 1
        assert slow.scores == anna.scores


@pytest.mark.parametrize("seat", [0, None])
async def test_invalidated_subscriber_gets_full_update(seat):
    async with hosted_table("rikiki", 0, 1, seat) as (table, anna, bob, first):
        await asyncio.gather(anna.play(3), bob.play(3))
        first.read_update()
        first.subscriber.invalidate()
        await table.hosted.say("Where were we?", 1)
        before = first.view, first.scores
        first.read_update()
        assert first.update.whole
        assert (first.view, first.scores) == before


async def test_acknowledgement_of_a_round_times_out():
    now = 0.0
    async with hosted_table("rikiki", 0, 1, clock=lambda: now) as (table, anna, bob):
        await asyncio.gather(anna.play(1), bob.play(1))
        now = hosted_session.ACKNOWLEDGE_TIMEOUT
        await table.hosted.people.acknowledge_round(0, 1)
        await anna.wait_until(lambda: anna.view.round == 2)


async def test_retries_failed_robot_requests(monkeypatch):
    monkeypatch.setattr(hosted_session, "RETRY_SECONDS", 0.0)
    failed = []

    async def think(request):
        if len(failed) < 3:
            failed.append(request)
            raise CardtableError("the robots' process does not answer")
        return await choose_randomly(request)

    async with hosted_table("rikiki", 0, 1, think=think) as (_table, anna, bob):
        await asyncio.gather(anna.play(1), bob.play(1))
    assert len(failed) == 3


async def test_stand_in_for_a_late_robot_is_announced_and_plays_on():
    late = []

    async def think(request):
        choice = await choose_randomly(request)
        if late:
            return choice
        late.append(request)
        return choice._replace(notice="Rikiki (rikiki-game 1.0) gave no answer within 10 seconds")

    async with hosted_table("rikiki", 0, 1, think=think, length="short") as (_table, anna, bob):
        await asyncio.gather(anna.play(), bob.play())
    sentences = [note.third_person for note in anna.notes if isinstance(note, CustomLogEntry)]
    assert sentences.count("Rikiki (rikiki-game 1.0) gave no answer within 10 seconds") == 1


@pytest.mark.parametrize("ticks", range(6))
async def test_cancellation_is_not_lost_to_an_arriving_change(ticks):
    """The cancellation arrives after each possible number of steps of the event loop."""

    async def run_changes(changes):
        while True:
            await changes.run_next(TIMEOUT)

    changes = SessionChanges(create_session("rikiki"), lambda: 0.0, lambda _: None)
    task = asyncio.create_task(run_changes(changes))
    await asyncio.sleep(0.01)
    submission = asyncio.create_task(changes.submit(list))
    for _ in range(ticks):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task], timeout=TIMEOUT)
    was_cancelled = task.done()
    task.cancel()
    submission.cancel()
    assert was_cancelled


async def test_close_during_a_robots_decision_leaves_no_task(caplog):
    thinking = asyncio.Event()

    async def think(_request):
        thinking.set()
        await asyncio.Event().wait()

    async with hosted_table("rikiki", 0, 1, think=think) as (table, *players):
        playing = [asyncio.create_task(player.play()) for player in players]
        async with asyncio.timeout(TIMEOUT):
            await thinking.wait()
        for each in playing:
            each.cancel()
    del table, players, playing, each
    gc.collect()
    assert not caplog.records


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, blind)


def is_choosing(guest):
    """Return True if a guest sees seats that can choose."""
    return guest.view is not None and any(guest.view.choosing)


@asynccontextmanager
async def choosing_table(*seats, people=3, **options):
    """Run a session in which seats choose at once; yield it and guests at these seats, once all can choose."""
    async with hosted_table("blind", *seats, people=people, **options) as (table, *guests):
        await wait_for_all(guests, is_choosing)
        yield table, *guests


async def test_guests_choose_in_any_order():
    async with choosing_table(0, 1, 2, None, seats=3) as (table, anna, bob, cleo, kay):
        assert anna.is_on_turn
        assert bob.is_on_turn
        assert cleo.is_on_turn
        for guest in (cleo, anna):  # both have seen the position before any choice
            await table.hosted.act(guest.seat, 0, str(guest.view.legal[0]))
        await bob.wait_until(lambda: bob.view.chosen == (True, False, True))
        assert bob.update.waits_for == (1,)
        await kay.wait_until(lambda: kay.view.chosen == (True, False, True))
        assert not kay.view.choice
        await anna.wait_until(lambda: bool(anna.view.choice))
        assert anna.view.legal == ()
        await bob.act()
        await anna.wait_until(lambda: any(anna.view.shown))


async def test_choice_after_decisions_of_the_future_is_refused():
    async with choosing_table(0, 1, 2, seats=3) as (table, anna, bob, _):
        await bob.act()
        for at in (2, 7, 10**9):
            with pytest.raises(IllegalAction, match="the table has changed in the meantime"):
                await table.hosted.act(anna.seat, at, str(anna.view.legal[0]))
        await table.hosted.act(anna.seat, 0, str(anna.view.legal[0]))
        with pytest.raises(IllegalAction, match="the table has changed in the meantime"):  # nobody chooses twice
            await table.hosted.act(anna.seat, 0, str(anna.view.legal[0]))


async def test_open_hands_do_not_show_choices():
    async with HostedTable("blind", people=3, seats=3) as table:
        table.hosted._runner.hands_open = True
        anna, bob, kay = [await table.join(seat) for seat in (0, 1, None)]
        await wait_for_all((anna, bob, kay), is_choosing)
        assert (kay.view.seat, kay.view.hand, kay.view.legal) == (0, anna.view.hand, ())
        await anna.act()
        await wait_for_all((anna, bob, kay), lambda guest: guest.view.chosen[0])
        assert anna.view.choice
        assert [(view.hand, view.choice) for view in (bob.others[0], kay.view)] == [(0, None)] * 2
        assert bob.others[2].hand


async def test_choice_of_another_does_not_answer_a_pending_choice():
    async with choosing_table(0, 1, seats=3) as (table, anna, bob):
        loop = asyncio.get_running_loop()

        def send(message):
            asyncio.run_coroutine_threadsafe(answer(message), loop)

        async def answer(message):
            await bob.act()
            await anna.wait_until(lambda: anna.view.chosen[1])
            run.on_update(anna.update)
            await table.hosted.act(0, message.at, message.action)
            await anna.wait_until(lambda: anna.view.chosen[0])
            run.on_update(anna.update)

        run = RemoteSession(Seated("t", table.session.header, 0), send, lambda _run: None)
        run.on_update(anna.update)
        run.apply_next()
        assert run.pending == AwaitingPlayer(0)
        events = await asyncio.to_thread(run.play, anna.view.legal[0])
        assert len([event for event in events if isinstance(event, ObservedEvent)]) == 2
        assert run.pending == AwaitingRemote(0)
        assert format_wait(run.snapshot(0).view, ("You", "Bob", "Cleo")) == "Waiting for Cleo"


async def test_absence_of_any_awaited_guest_is_announced():
    async with choosing_table(0, 1, 2, seats=3) as (table, anna, _, cleo):
        await anna.act()
        await cleo.leave()
        await anna.wait_until(lambda: anna.view.chosen[0] and 2 in anna.update.absences)
        run = RemoteSession(Seated("t", table.session.header, 0), lambda _message: None, lambda _run: None)
        late = await table.join(0)
        await late.wait_until(lambda: late.view is not None)
        run.on_update(late.update)
        run.apply_next()
        assert run.spectator_reason == "Cleo is away (60 s)"


def test_choices_of_others_change_no_byte_sent():
    case, pairs = Case(blind.GAME, 3, blind.Options(length=1)), 0
    for seed in range(6):
        pairs += compare_frames(case, seed, change_unseen_decision)
    assert pairs


def test_choice_shown_to_spectators_is_detected(monkeypatch):
    monkeypatch.setattr(blind.BlindView, "public_view", lambda view: replace(view, hand=0, legal=(), drawn=None))
    assert_leak_detected(Case(blind.GAME, 3, blind.Options(length=1)), change_unseen_decision)


async def test_choice_of_an_earlier_position_is_stale():
    async with choosing_table(0, 1, people=2, seats=2) as (table, anna, bob):
        await asyncio.gather(anna.play(rounds=1), bob.play(rounds=1))
        for guest in (anna, bob):
            await table.hosted.people.acknowledge_round(guest.seat, 1)
        await anna.wait_until(lambda: anna.view.round == 2 and anna.is_on_turn)
        with pytest.raises(IllegalAction, match="the table has changed in the meantime"):
            await table.hosted.act(0, 0, str(anna.view.legal[0]))


async def test_guests_choose_while_a_robot_thinks():
    thinks = asyncio.Event()

    async def think(request):
        await thinks.wait()
        return await choose_randomly(request)

    async with choosing_table(0, 1, people=2, seats=3, think=think) as (_, anna, bob):
        await anna.act()
        await bob.act()
        await anna.wait_until(lambda: anna.view.chosen == (True, True, False))
        thinks.set()
        await anna.wait_until(lambda: any(anna.view.shown))
