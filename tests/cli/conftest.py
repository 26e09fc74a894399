"""Running a command in an empty home."""

import pytest

from cardtable.cli import main as cli


class Told:
    """What a command left: its exit code, and the text of both streams."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture(autouse=True)
def home(home, tmp_path, monkeypatch):
    """An empty home and a working directory of its own for each test."""
    monkeypatch.chdir(tmp_path)
    return home


@pytest.fixture
def cardtable(capfd):
    """Run a command line as the program does."""

    def run(*arguments):
        code = cli.run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Told(code, out, err)

    return run
