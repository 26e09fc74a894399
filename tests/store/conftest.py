"""Fixtures of the store's tests."""

import pytest

from cardtable.games.rikiki import rules as rikiki


@pytest.fixture
def short(monkeypatch):
    """Sessions of Rikiki with two rounds, of 2 cards and of 1."""
    monkeypatch.setattr(rikiki, "FULL_SESSION", (2, 1))
