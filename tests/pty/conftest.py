"""A home for the program, in which nothing is waited for."""

from pathlib import Path

import pytest


@pytest.fixture
def home(home: Path) -> Path:
    """An empty home but for settings without pauses; also that of the store in this process."""
    home.mkdir()
    (home / "settings.toml").write_text("pace = 0\ntrick_pause = 0\nguard = 0\n")
    return home
