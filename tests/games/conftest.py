"""Fixture that makes pilots wait for the result of each key."""

from tests.settling import settling

__all__ = ["settling"]
