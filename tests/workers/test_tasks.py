"""Tasks and who learns of their errors."""

import asyncio
import gc

import pytest

from cardtable.workers.tasks import run_beside, start_task, stop_task


async def fail():
    await asyncio.sleep(0)
    raise LookupError


async def wait_for_ever():
    await asyncio.Event().wait()


async def test_error_of_a_task_that_nobody_awaits_is_reported_at_once():
    reported, loop = asyncio.get_running_loop().create_future(), asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: reported.set_result(context["exception"]))
    start_task(fail())
    gc.collect()
    assert isinstance(await reported, LookupError)


async def test_stopped_task_has_ended():
    task = start_task(wait_for_ever())
    await stop_task(task)
    await stop_task(None)
    assert task.cancelled()


async def test_task_of_a_block_ends_with_it():
    async with run_beside(wait_for_ever()) as task:
        pass
    assert task.cancelled()


async def test_task_of_a_block_raises_its_error_at_the_end():
    with pytest.raises(LookupError):
        async with run_beside(fail()) as task:
            await asyncio.wait([task])


async def test_error_of_the_block_precedes_that_of_its_task(caplog):
    async def fail_beside():
        async with run_beside(fail()) as task:
            await asyncio.wait([task])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_beside()
    gc.collect()
    assert not caplog.records
