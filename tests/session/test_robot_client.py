"""Guests whose programs run on the host think of hints one after the other."""

import asyncio

import pytest

from cardtable.session.robot_client import hold_thinking_lock
from cardtable.store import paths
from cardtable.store.club_tokens import HINT_LOCK_VARIABLE

pytestmark = pytest.mark.asyncio


async def thinkers(number):
    """How many of so many thought at the same time."""
    now = most = 0

    async def think():
        nonlocal now, most
        async with hold_thinking_lock():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            now -= 1

    await asyncio.gather(*[think() for _ in range(number)])
    return most


async def test_at_home_nobody_waits():
    assert await thinkers(3) == 3


async def test_at_a_host_they_think_one_at_a_time(monkeypatch):
    paths.create_folder(paths.home())
    monkeypatch.setenv(HINT_LOCK_VARIABLE, str(paths.hint_lock_file()))
    assert await thinkers(3) == 1
