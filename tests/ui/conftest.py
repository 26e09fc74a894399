"""Pilots wait for what a key leads to, here too."""

from tests.settling import settling

__all__ = ["settling"]
