"""Fixtures of the store's tests."""

from tests.store.conftest import short, two_disks

__all__ = ["short", "two_disks"]
