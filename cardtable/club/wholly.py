"""What is done to its end once it has begun."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


async def wholly(doing: Coroutine[object, object, T]) -> T:
    """Do something; where this is cancelled meanwhile, that counts once it is done."""
    task = asyncio.ensure_future(doing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # nobody is there who could be told
        raise
