"""Remote session: updates that answer the guest's own request; attempts to connect."""

import asyncio
from contextlib import asynccontextmanager
from threading import Event, Timer

import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosedError

from cardtable.club.client import remote_session
from cardtable.club.client.connection import ClubConnection, Ended, Login, NotConnectedError, Online
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import Say, Seated, SeatInfo
from cardtable.engine.log_entries import CustomLogEntry, Said, SeatChanged
from cardtable.session.session_events import AwaitingNextRound, AwaitingPlayer, AwaitingRemote, ObservedEvent, Stage
from tests.club.guests import hosted_table


@asynccontextmanager
async def anna_at_table(send=print, is_hidden=lambda _nick: False):
    """Yield a table at which Anna is on turn, Anna, and her remote session, whose messages ``send`` gets."""
    async with hosted_table("rikiki", 0) as (table, anna):
        await anna.wait_until(lambda: anna.is_on_turn)
        run = RemoteSession(Seated("t", table.session.header, 0), send, print, is_hidden)
        take(run, anna.update)
        yield table, anna, run


def take(run, update):
    """Let a remote session receive an update and apply it."""
    run.on_update(update)
    run.apply_next()


def make_news(update, **changes):
    """Return an update without a step, which changes something else."""
    return replace(update, **{"steps": (), "whole": False, "notes": (), **changes})


async def test_talk_does_not_answer_a_pending_decision():
    def send(message):
        run.on_update(make_news(anna.update, notes=(Said(1, "Well?"),)))
        asyncio.run_coroutine_threadsafe(answer(message), loop)

    async def answer(message):
        await table.hosted.act(0, message.at, message.action)
        await anna.wait_until(lambda: anna.update.at > message.at)
        run.on_update(anna.update)

    loop = asyncio.get_running_loop()
    async with anna_at_table(send) as (table, anna, run):
        assert run.pending == AwaitingPlayer(0)
        events = await asyncio.to_thread(run.play, anna.view.legal[0])
        assert run.progress[1] == 1, "the decision is applied, although the talk came before"
        assert any(isinstance(event, ObservedEvent) for event in events)


@pytest.mark.parametrize("is_refused", [True, False])
async def test_talk_does_not_answer_a_request_for_a_robot(is_refused):
    def send(_message):
        run.on_update(make_news(anna.update, absences={1: 0}, notes=(Said(2, "Well?"),)))
        Timer(0.05, answer).start()

    def answer():
        if is_refused:
            run.on_refusal("Bob has another 9 s to come back")
        else:
            run.on_update(make_news(anna.update, absences={1: 0}, substitute_votes={1: (0,)}))

    async with anna_at_table(send) as (_, anna, run):
        reason = await asyncio.to_thread(run.request_substitute, 1)
        assert reason == ("Bob has another 9 s to come back" if is_refused else "")
        while run._queue:
            run.apply_next()
        assert run.snapshot(0).substitute_votes == (frozenset() if is_refused else {1})


async def test_talk_does_not_answer_an_acknowledgement():
    def send(_message):
        run.on_update(make_news(points, notes=(Said(2, "Well?"),)))
        Timer(0.05, lambda: run.on_update(make_news(points, waits_for=(1,)))).start()

    async with anna_at_table(send) as (_, anna, run):
        points = replace(anna.update, whole=True, stage=Stage.ROUND_END, waits_for=(0, 1))
        take(run, points)
        await asyncio.to_thread(run.advance)
        assert run._queue[-1].update.waits_for == (1,)


async def test_leaving_the_table_ends_the_wait_for_an_answer(monkeypatch):
    monkeypatch.setattr(remote_session, "RESPONSE_TIMEOUT", 3600.0)
    sent = Event()
    async with anna_at_table(lambda _message: sent.set()) as (_, anna, run):
        playing = asyncio.create_task(asyncio.to_thread(run.play, anna.view.legal[0]))
        await asyncio.to_thread(sent.wait)
        run.stop_waiting()
        assert await playing == []


async def test_votes_for_a_robot_are_known_after_a_reconnection():
    async with hosted_table("rikiki", 0, 2, people=3) as (table, anna, _):
        await table.hosted.people.end_wait()
        await table.hosted.people.vote_substitute(1, 0)
        await anna.wait_until(lambda: anna.update.substitute_votes)
        run = RemoteSession(Seated("t", table.session.header, 0), print, print)
        take(run, replace(anna.update, whole=True))
        assert run.snapshot(0).substitute_votes == {1}


async def test_talk_stays_hidden_when_a_robot_takes_the_seat():
    async with anna_at_table(is_hidden={"Bob"}.__contains__) as (_, anna, run):
        people = SeatInfo("Anna"), SeatInfo("Bob"), SeatInfo("Ada", robot=True), SeatInfo("Bo", robot=True)
        robots = *people[:1], SeatInfo("Cy", robot=True), *people[2:]
        talk, answer, taken = Said(1, "Buy!"), Said(1, "No"), SeatChanged(None, "Cy", "steady", "Bob", 1)
        take(run, replace(anna.update, whole=True, seats=people, notes=(talk,)))
        assert talk not in run.get_messages(0)
        take(run, make_news(anna.update, seats=robots, notes=(taken, answer)))
        assert run.get_messages(0) == (taken, answer)


async def test_spectator_who_comes_and_goes_is_announced_once():
    async with anna_at_table() as (_, anna, run):
        for nicks in (("Kay",), (), ("Kay",), ("Kay", "Lea"), (), ("Lea",)):
            take(run, make_news(anna.update, spectators=nicks))
        assert run.get_messages(0)[-2:] == tuple(CustomLogEntry(None, f"{nick} is watching") for nick in ("Kay", "Lea"))


async def test_round_end_shown_again_after_lost_acknowledgement():
    def send(_message):
        raise NotConnectedError("cut")

    async with anna_at_table(send) as (_, anna, run):
        points = replace(anna.update, whole=True, stage=Stage.ROUND_END, waits_for=(0,))
        take(run, points)
        run.advance()
        take(run, points)
        assert run.pending == AwaitingNextRound()


async def test_no_input_while_the_host_cannot_save():
    async with anna_at_table() as (_, anna, run):
        for _ in range(2):
            take(run, make_news(anna.update, saving="full"))
        assert (run.pending, run.spectator_reason) == (AwaitingRemote(0), "The table waits: the club's disk is full.")
        assert run.get_messages(0).count(CustomLogEntry(None, "The table waits: the club's disk is full")) == 1
        run.on_update(make_news(anna.update))
        assert not run.spectator_reason
        run.apply_next()
        assert run.pending == AwaitingPlayer(0)


@pytest.fixture
def link():
    return ClubConnection("ws://localhost:7036", Login("Anna"), lambda _message: None, lambda: None)


async def test_delays_between_attempts_grow_and_the_last_repeats(link, monkeypatch):
    waited = []

    async def note_delay(seconds):
        waited.append(seconds)

    async def refuse():
        if len(waited) == 9:
            link.state = Ended("that is enough")
        raise ConnectionRefusedError

    monkeypatch.setattr(link, "_connect", refuse)
    monkeypatch.setattr(asyncio, "sleep", note_delay)
    await link.run()
    assert waited == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


async def test_message_on_a_connection_that_breaks(link):
    class BreakingConnection:
        async def send(self, _frame):
            raise ConnectionClosedError(None, None)

    link.state = Online(BreakingConnection())
    with pytest.raises(NotConnectedError, match="the program reconnects by itself"):
        await link.send(Say("hello"))
