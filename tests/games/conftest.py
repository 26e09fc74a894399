"""Fixture that makes pilots wait for the result of each key."""

from tests.idle_waiter import idle_waiter

__all__ = ["idle_waiter"]
