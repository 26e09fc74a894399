"""Run commands in an empty home."""

import pytest

from cardtable.cli import main as cli
from tests.cli.playing import parse_error


class CommandResult:
    """Result of a command: exit code and both outputs."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def read_error(self, code, *, prints=False):
        """Check the exit code and that one line of error came, beside something else if ``prints``; return its text."""
        assert (self.code, bool(self.out)) == (code, prints), self.err
        return parse_error(self.err)

    def read_output(self):
        """Check that the command has succeeded without an error; return what it printed."""
        assert (self.code, self.err) == (0, "")
        return self.out


@pytest.fixture(autouse=True)
def home(home, tmp_path, monkeypatch):
    """Give each test an empty home and a working directory of its own."""
    monkeypatch.chdir(tmp_path)
    return home


@pytest.fixture
def cardtable(capfd):
    """Return a function that runs a command line as the program does."""

    def run(*arguments):
        code = cli.run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return CommandResult(code, out, err)

    return run
