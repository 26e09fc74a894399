"""Garbage is collected once keys pause."""

import asyncio
import gc
import weakref

import pytest

from cardtable.ui import app
from cardtable.ui.app import GarbageCollection


class Node:
    """An object that refers to itself, which only the collector frees."""

    def __init__(self):
        self.me = self


@pytest.fixture
def old_garbage():
    """A reference to garbage of the oldest generation."""
    node = Node()
    gc.collect()
    return weakref.ref(node)


@pytest.fixture
def collection():
    """A garbage collection as the program begins it."""
    before = gc.get_threshold()
    begun = GarbageCollection()
    begun.begin()
    yield begun
    gc.unfreeze()
    gc.set_threshold(*before)


async def wait_for_timers():
    for _ in range(3):
        await asyncio.sleep(0)


async def test_old_garbage_is_freed_once_keys_pause(monkeypatch, collection, old_garbage):
    gc.unfreeze()
    monkeypatch.setattr(app, "COLLECTION_PAUSE", 0)
    collection.note_input()
    assert old_garbage() is not None
    await wait_for_timers()
    assert old_garbage() is None


async def test_every_key_postpones_the_collection(monkeypatch, collection, old_garbage):
    gc.unfreeze()
    monkeypatch.setattr(app, "COLLECTION_PAUSE", 0)
    collection.note_input()
    monkeypatch.setattr(app, "COLLECTION_PAUSE", 3600)
    collection.note_input()
    await wait_for_timers()
    assert old_garbage() is not None
