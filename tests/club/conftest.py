"""Fixtures of the club's tests: cheap passwords, and news of the lobby almost at once."""

import pytest

from cardtable.club.server import lobby
from tests.settling import settling

__all__ = ["settling"]


@pytest.fixture(autouse=True)
def quick_club(monkeypatch, cheap_passwords):
    monkeypatch.setattr(lobby, "NEWS_DELAY", 0.01)
