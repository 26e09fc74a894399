"""Fixture that makes the program believe that it runs on Windows."""

import pytest

from tests.store.conftest import short
from tests.windows.fake_windows import FakeWindows

__all__ = ["short", "windows"]


@pytest.fixture
def windows(tmp_path, home):
    """Replace what differs on Windows during a test."""
    with pytest.MonkeyPatch.context() as patch:
        yield FakeWindows(patch, tmp_path)
