"""Fixtures of the store's tests."""

from tests.store.conftest import short

__all__ = ["short"]
