"""Fixtures of the club's tests: cheap passwords, news of the lobby and further tries to connect almost at once."""

from functools import partial

import pytest
from msgspec.structs import replace

from cardtable.club.client import connection
from cardtable.club.client.connection import ClubConnection
from cardtable.club.server import limits, lobby
from cardtable.club.server.limits import LIMITS
from cardtable.store import profiles
from tests.idle_waiter import idle_waiter
from tests.stylesheet_cache import stylesheet_cache

__all__ = ["idle_waiter", "stylesheet_cache"]


@pytest.fixture
def set_limit(monkeypatch):
    """Return a function that changes figures of a limit for clubs that are opened after it."""

    def set_figures(name, **figures):
        monkeypatch.setattr(LIMITS, name, replace(getattr(LIMITS, name), **figures))

    return set_figures


@pytest.fixture
def clock(monkeypatch):
    """Seconds of a clock of the budgets, which the test advances."""
    seconds = [0.0]
    monkeypatch.setattr(limits, "monotonic", lambda: seconds[0])
    return seconds


@pytest.fixture(autouse=True)
def quick_club(monkeypatch, cheap_passwords, set_limit):
    monkeypatch.setattr(lobby, "NEWS_DELAY", 0.01)
    monkeypatch.setattr(connection, "ClubConnection", partial(ClubConnection, delays=(0.0, 0.01)))
    set_limit("messages", number=1_000_000)
    set_limit("address_messages", number=1_000_000)


@pytest.fixture
def anna_with_password(home, quick_club):
    """Register the player Anna with the password sesame77."""
    profiles.register("Anna", password="sesame77", again="sesame77")
