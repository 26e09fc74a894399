"""Every test has a home of its own; some need neither a real flush nor a long session."""

import os

import pytest

from cardtable.games import rikiki


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty home, not there yet."""
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def quick(monkeypatch):
    """No flushes: for tests that open thousands of files and ask nothing about durability."""
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, lambda descriptor: None, raising=False)


@pytest.fixture
def short(monkeypatch):
    """Sessions of Rikiki with three rounds, of 1, 3 and 2 cards."""
    monkeypatch.setattr(rikiki, "FULL", (1, 3, 2))
