"""Background tasks whose errors are reported at once."""

import asyncio
from collections.abc import Coroutine


def start_task(work: Coroutine[object, None, None]) -> asyncio.Task[None]:
    """Run a coroutine in a task that nobody needs to await.

    The event loop's exception handler is called if the task fails. For a task that ``asyncio.create_task`` has created
    this happens only when the task is deleted, which may be at the end of the program.
    """
    task = asyncio.create_task(work)
    task.add_done_callback(_raise_error)
    return task


def _raise_error(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.result()
