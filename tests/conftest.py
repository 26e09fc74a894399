"""No test touches the home of the person who runs it."""

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty home, not there yet."""
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
