"""Fixtures of the club's tests: cheap passwords, and news of the lobby almost at once."""

import pytest

from cardtable.club.server import lobby
from cardtable.store import profiles
from tests.idle_waiter import idle_waiter
from tests.stylesheet_cache import stylesheet_cache

__all__ = ["idle_waiter", "stylesheet_cache"]


@pytest.fixture(autouse=True)
def quick_club(monkeypatch, cheap_passwords):
    monkeypatch.setattr(lobby, "NEWS_DELAY", 0.01)


@pytest.fixture
def anna_with_password(home, quick_club):
    """Register the player Anna with the password sesame77."""
    profiles.register("Anna", password="sesame77", again="sesame77")
