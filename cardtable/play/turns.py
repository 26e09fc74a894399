"""Whose turn it is to think on a machine that others share."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from cardtable.store import disk
from cardtable.store.club_tokens import TURN_VARIABLE

LOOKS: Final = 0.05
"""Seconds after which it is looked again whether somebody else is still thinking."""


@asynccontextmanager
async def own_turn() -> AsyncIterator[None]:
    """Wait until no other one of the programs that a host runs for its guests thinks; at home nobody waits."""
    file = os.environ.get(TURN_VARIABLE)
    if file is None:
        yield
        return
    descriptor = disk.open_regular(Path(file), os.O_RDWR | os.O_CREAT)
    try:
        while not disk.lock(descriptor):
            await asyncio.sleep(LOOKS)
        yield
    finally:
        disk.let_go(descriptor)
