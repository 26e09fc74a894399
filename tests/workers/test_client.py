"""Client of a worker process that computes without an end."""

import asyncio
from select import select

import pytest

from cardtable.workers.client import WorkerProcess, WorkerTimeout
from tests.workers.endless_worker import EchoRequest, EndlessRequest, LateRequest, StuckRequest


@pytest.fixture
def started(monkeypatch):
    """Return the list of processes that are started from now on."""
    processes, start = [], asyncio.create_subprocess_exec

    async def start_and_note(*command, **options):
        processes.append(await start(*command, **options))
        return processes[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_and_note)
    return processes


@pytest.fixture
async def process():
    """Yield a worker process that is stopped afterwards."""
    made = WorkerProcess("tests.workers.endless_worker")
    yield made
    await made.stop()


async def test_process_without_an_answer_is_ended_and_started_anew(process, started):
    assert await process.ask_once(EchoRequest("one"), 60) == "one"
    with pytest.raises(WorkerTimeout):
        await process.ask_once(EndlessRequest(), 0.01)
    assert await process.ask_once(EchoRequest("two"), 60) == "two"
    assert [each.returncode is None for each in started] == [False, True]


async def test_process_that_notices_that_it_is_late_answers_the_next_request(process, started):
    with pytest.raises(WorkerTimeout):
        await process.ask_once(LateRequest())
    assert await process.ask_once(EchoRequest("two")) == "two"
    assert len(started) == 1


async def test_process_that_cannot_be_interrupted_is_late(process, started):
    with pytest.raises(WorkerTimeout):
        await process.ask_once(StuckRequest())
    assert await process.ask_once(EchoRequest("two")) == "two"
    assert len(started) == 2


async def test_start_does_not_wait_for_a_request(process, started):
    """The app handles no keys while it starts the process in advance."""
    asked = asyncio.create_task(process.ask_once(EndlessRequest()))
    while not started:
        await asyncio.sleep(0)
    await process.start()
    assert not asked.done()
    asked.cancel()
    await asyncio.wait([asked])


async def test_time_in_which_the_program_is_stopped_does_not_count(process, started):
    """The worker answers while the program is stopped, such as by Ctrl+Z."""
    assert await process.ask_once(EchoRequest("one"), 60) == "one"
    asked = asyncio.create_task(process.ask_once(EchoRequest("two"), 0.01))
    await asyncio.sleep(0)
    pipe = started[0].stdout._transport.get_extra_info("pipe")
    assert select([pipe], [], [], 60)[0], "the worker has not answered within a minute"
    assert await asked == "two"


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_process_that_is_stopped_while_it_starts_is_ended(process, started, is_cancelled):
    """The program may be left right after it has begun."""
    asked = asyncio.create_task(process.ask_once(EchoRequest("one")))
    await asyncio.sleep(0)
    if is_cancelled:
        asked.cancel()
    await process.stop()
    assert [each.returncode is None for each in started] == [False]
    with pytest.raises(asyncio.CancelledError if is_cancelled else ChildProcessError):
        await asked


async def test_stopped_process_is_not_started_again(process, started):
    asked = asyncio.create_task(process.ask_once(EndlessRequest()))
    while not started:
        await asyncio.sleep(0)
    await process.stop()
    assert started[0].returncode is not None
    for request in (asked, process.ask_once(EchoRequest("one"))):
        with pytest.raises(ChildProcessError):
            await request
    assert len(started) == 1
