"""Fixtures for tests of screens: pilots wait for the result of each key, and style sheets are parsed once."""

from tests.idle_waiter import idle_waiter
from tests.stylesheet_cache import stylesheet_cache

__all__ = ["idle_waiter", "stylesheet_cache"]
