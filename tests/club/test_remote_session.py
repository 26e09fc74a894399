"""Remote session: updates that answer the guest's own request, and updates that do not."""

import asyncio
from threading import Event, Timer

import pytest
from msgspec.structs import replace

from cardtable.club.client import remote_session
from cardtable.club.client.connection import NotConnectedError
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import Seated, SeatInfo
from cardtable.engine.log_entries import CustomLogEntry, Said, SeatChanged
from cardtable.session.session_events import AwaitingNextRound, AwaitingPlayer, AwaitingRemote, ObservedEvent, Stage
from tests.club.guests import HostedTable


async def test_talk_does_not_answer_a_pending_decision():
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        loop, asked = asyncio.get_running_loop(), anna.update

        def send(message):
            run.on_update(replace(asked, steps=(), whole=False, notes=(Said(1, "Well?"),)))
            asyncio.run_coroutine_threadsafe(answer(message), loop)

        async def answer(message):
            await table.hosted.act(0, message.at, message.action)
            await anna.wait_until(lambda: anna.update.at > message.at)
            run.on_update(anna.update)

        run = RemoteSession(Seated("t", table.session.header, 0), send, lambda _run: None)
        run.on_update(asked)
        run.apply_next()
        assert run.pending == AwaitingPlayer(0)
        events = await asyncio.to_thread(run.play, anna.view.legal[0])
        assert run.progress[1] == 1, "the decision is applied, although the talk came before"
        assert any(isinstance(event, ObservedEvent) for event in events)


@pytest.mark.parametrize("is_refused", [True, False])
async def test_talk_does_not_answer_a_request_for_a_robot(is_refused):
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        away = replace(anna.update, steps=(), whole=False, absences={1: 0})

        def send(_message):
            run.on_update(replace(away, notes=(Said(2, "Well?"),)))
            Timer(0.05, answer).start()

        def answer():
            if is_refused:
                run.on_refusal("Bob has another 9 s to come back")
            else:
                run.on_update(replace(away, substitute_votes={1: (0,)}))

        run = RemoteSession(Seated("t", table.session.header, 0), send, lambda _run: None)
        run.on_update(anna.update)
        run.apply_next()
        reason = await asyncio.to_thread(run.request_substitute, 1)
        assert reason == ("Bob has another 9 s to come back" if is_refused else "")
        while run._queue:
            run.apply_next()
        assert run._substitute_votes == (frozenset() if is_refused else {1})


async def test_talk_does_not_answer_an_acknowledgement():
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        points = replace(anna.update, whole=True, stage=Stage.ROUND_END, waits_for=(0, 1))

        def send(_message):
            run.on_update(replace(points, steps=(), whole=False, notes=(Said(2, "Well?"),)))
            Timer(0.05, lambda: run.on_update(replace(points, steps=(), whole=False, waits_for=(1,)))).start()

        run = RemoteSession(Seated("t", table.session.header, 0), send, lambda _run: None)
        run.on_update(points)
        run.apply_next()
        await asyncio.to_thread(run.advance)
        assert run._queue[-1].update.waits_for == (1,)


async def test_leaving_the_table_ends_the_wait_for_an_answer(monkeypatch):
    monkeypatch.setattr(remote_session, "RESPONSE_TIMEOUT", 3600.0)
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        sent = Event()
        run = RemoteSession(Seated("t", table.session.header, 0), lambda _message: sent.set(), lambda _run: None)
        run.on_update(anna.update)
        run.apply_next()
        playing = asyncio.create_task(asyncio.to_thread(run.play, anna.view.legal[0]))
        await asyncio.to_thread(sent.wait)
        run.stop_waiting()
        assert await playing == []


async def test_votes_for_a_robot_are_known_after_a_reconnection():
    async with HostedTable("rikiki", people=3) as table:
        anna, _ = await table.join(0), await table.join(2)
        await table.hosted.people.end_wait()
        await table.hosted.people.vote_substitute(1, 0)
        await anna.wait_until(lambda: anna.update.substitute_votes)
        run = RemoteSession(Seated("t", table.session.header, 0), lambda _message: None, lambda _run: None)
        run.on_update(replace(anna.update, whole=True))
        run.apply_next()
        assert run._substitute_votes == {1}


async def test_talk_stays_hidden_when_a_robot_takes_the_seat():
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        people = SeatInfo("Anna"), SeatInfo("Bob"), SeatInfo("Ada", robot=True), SeatInfo("Bo", robot=True)
        talk = Said(1, "Buy!")
        run = RemoteSession(Seated("t", table.session.header, 0), print, print, {"Bob"}.__contains__)
        run.on_update(replace(anna.update, seats=people, notes=(talk,)))
        taken = SeatChanged(None, "Cy", "steady", "Bob", 1)
        robots = *people[:1], SeatInfo("Cy", robot=True), *people[2:]
        answer = Said(1, "No")
        run.on_update(replace(anna.update, whole=False, steps=(), seats=robots, notes=(taken, answer)))
        for _ in range(2):
            run.apply_next()
            assert talk not in run.get_messages(0)
        assert run.get_messages(0) == (taken, answer)


async def test_spectator_who_comes_and_goes_is_announced_once():
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        run = RemoteSession(Seated("t", table.session.header, 0), print, print)
        run.on_update(anna.update)
        run.apply_next()
        for nicks in (("Kay",), (), ("Kay",), ("Kay", "Lea"), (), ("Lea",)):
            run.on_update(replace(anna.update, whole=False, steps=(), notes=(), spectators=nicks))
            run.apply_next()
        assert run.get_messages(0)[-2:] == tuple(CustomLogEntry(None, f"{nick} is watching") for nick in ("Kay", "Lea"))


async def test_round_end_shown_again_after_lost_acknowledgement():
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        points = replace(anna.update, whole=True, stage=Stage.ROUND_END, waits_for=(0,))

        def send(_message):
            raise NotConnectedError("cut")

        run = RemoteSession(Seated("t", table.session.header, 0), send, lambda _run: None)
        run.on_update(points)
        run.apply_next()
        assert run.pending == AwaitingNextRound()
        run.advance()
        run.on_update(points)
        run.apply_next()
        assert run.pending == AwaitingNextRound()


async def test_no_input_while_the_host_cannot_save():
    async with HostedTable("rikiki") as table:
        anna = await table.join(0)
        await anna.wait_until(lambda: anna.is_on_turn)
        run = RemoteSession(Seated("t", table.session.header, 0), lambda _message: None, lambda _run: None)
        run.on_update(anna.update)
        run.apply_next()
        waiting = replace(anna.update, steps=(), whole=False, notes=(), saving="full")
        for _ in range(2):
            run.on_update(waiting)
            run.apply_next()
        assert (run.pending, run.spectator_reason) == (AwaitingRemote(0), "The table waits: the club's disk is full.")
        notice = CustomLogEntry(None, "The table waits: the club's disk is full")
        assert [note for note in run.get_messages(0) if note == notice] == [notice]
        run.on_update(replace(waiting, saving=""))
        assert not run.spectator_reason
        run.apply_next()
        assert run.pending == AwaitingPlayer(0)
