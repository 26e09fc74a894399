"""A home for the program, in which nothing is waited for."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home but for settings without pauses; also that of the store in this process."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "settings.toml").write_text("pace = 0\ntrick_pause = 0\n")
    monkeypatch.setenv("CARDTABLE_HOME", str(folder))
    return folder
