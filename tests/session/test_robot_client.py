"""Thinking lock: hosted clients compute hints one after the other."""

import asyncio

import pytest

from cardtable.session.robot_client import hold_thinking_lock
from cardtable.store import paths
from cardtable.store.club_tokens import HINT_LOCK_VARIABLE

pytestmark = pytest.mark.asyncio


async def count_concurrent_thinkers(number):
    """Return how many of `number` tasks held the thinking lock at the same time."""
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


async def test_no_thinking_lock_at_a_local_table():
    assert await count_concurrent_thinkers(3) == 3


async def test_hosted_clients_think_one_at_a_time(monkeypatch):
    paths.create_folder(paths.home())
    monkeypatch.setenv(HINT_LOCK_VARIABLE, str(paths.hint_lock_file()))
    assert await count_concurrent_thinkers(3) == 1
