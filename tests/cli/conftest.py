"""Run commands in an empty home."""

import pytest

from tests.command_results import CommandRunner


@pytest.fixture(autouse=True)
def home(home, tmp_path, monkeypatch):
    """Give each test an empty home and a working directory of its own."""
    monkeypatch.chdir(tmp_path)
    return home


@pytest.fixture
def cardtable(capfd):
    """Yield a function that runs a command line as the program does."""
    with CommandRunner(capfd) as runner:
        yield runner.run
