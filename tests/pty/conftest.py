"""Home with settings without pauses."""

from pathlib import Path

import pytest


@pytest.fixture
def home(home: Path) -> Path:
    """Create a home whose settings have no pauses; the store in this process uses it, too."""
    home.mkdir()
    (home / "settings.toml").write_text("robot_pace = 0\ntrick_pause = 0\nkey_guard = 0\n")
    return home
