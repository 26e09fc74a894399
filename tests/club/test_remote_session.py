"""A session at a host, as the guest's program has it: what answers what she did, and what only comes meanwhile."""

import asyncio

import pytest
from msgspec import Raw
from msgspec.structs import replace

from cardtable.club.client.connection import NotConnectedError
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import Seated
from cardtable.engine.errors import CardtableError
from cardtable.engine.log_entries import CustomLogEntry, Said
from cardtable.session.session_events import AwaitingNextRound, AwaitingPlayer, AwaitingRemote, Stage
from tests.club.guests import Table

pytestmark = pytest.mark.asyncio


async def test_talk_that_comes_while_a_decision_is_under_way_does_not_answer_it():
    async with Table("rikiki") as table:
        anna = await table.guest(0)
        await anna.until(lambda: anna.asked)
        loop, asked = asyncio.get_running_loop(), anna.now

        def send(message):
            run.on_update(replace(asked, steps=(), whole=False, notes=(Said(1, "Well?"),)))
            asyncio.run_coroutine_threadsafe(answer(message), loop)

        async def answer(message):
            await table.playing.act(0, message.at, message.action)
            await anna.until(lambda: anna.now.at > message.at)
            run.on_update(anna.now)

        run = RemoteSession(Seated("t", table.session.header, 0), send, lambda _run: None)
        run.on_update(asked)
        run.apply_next()
        assert run.pending == AwaitingPlayer(0)
        await asyncio.to_thread(run.play, anna.view.legal[0])
        assert run.pending == AwaitingRemote(1), "she is not asked again what she has decided"
        run.apply_next()
        assert run.progress[1] == 1


async def test_whose_last_word_did_not_come_through_is_asked_again_whether_she_has_looked_at_the_points():
    async with Table("rikiki") as table:
        anna = await table.guest(0)
        await anna.until(lambda: anna.asked)
        points = replace(anna.now, whole=True, stage=Stage.ROUND_END, waits_for=(0,))

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


@pytest.mark.parametrize("view", [b"7", b"{}", b'{"seat":"x"}'])
async def test_view_that_cannot_be_read(view):
    async with Table("rikiki") as table:
        anna = await table.guest(0)
        await anna.until(lambda: anna.asked)
        run = RemoteSession(Seated("t", table.session.header, 0), lambda _message: None, lambda _run: None)
        run.on_update(replace(anna.now, steps=(replace(anna.now.steps[-1], view=Raw(view)),)))
        with pytest.raises(CardtableError, match="the host sent something that cannot be read"):
            run.apply_next()


async def test_nobody_acts_while_the_host_cannot_save():
    async with Table("rikiki") as table:
        anna = await table.guest(0)
        await anna.until(lambda: anna.asked)
        run = RemoteSession(Seated("t", table.session.header, 0), lambda _message: None, lambda _run: None)
        run.on_update(anna.now)
        run.apply_next()
        waiting = replace(anna.now, steps=(), whole=False, notes=(), saving="full")
        for _ in range(2):
            run.on_update(waiting)
            run.apply_next()
        assert (run.pending, run.spectator_reason) == (AwaitingRemote(0), "The table waits: the club's disk is full.")
        told = CustomLogEntry(None, "The table waits: the club's disk is full")
        assert [note for note in run.get_messages(0) if note == told] == [told]
        run.on_update(replace(waiting, saving=""))
        assert not run.spectator_reason
        run.apply_next()
        assert run.pending == AwaitingPlayer(0)
