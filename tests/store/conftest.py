"""Some tests need neither a real flush nor a long session."""

import os

import pytest

from cardtable.games.rikiki.rules import scoring as rikiki


@pytest.fixture
def quick(monkeypatch):
    """No flushes: for tests that open thousands of files and ask nothing about durability."""
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, lambda descriptor: None, raising=False)


@pytest.fixture
def short(monkeypatch):
    """Sessions of Rikiki with two rounds, of 2 cards and of 1."""
    monkeypatch.setattr(rikiki, "FULL", (2, 1))
