"""Pilots wait until the app is idle in these tests too."""

from tests.settling import settling

__all__ = ["settling"]
