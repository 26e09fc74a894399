"""Fixture that runs a command in plain text over a pipe."""

import io
import sys
from dataclasses import dataclass

import pytest

from cardtable.cli import main as cli


@dataclass
class CommandResult:
    """Result of a command: exit code and both outputs."""

    code: int
    out: str
    err: str

    @property
    def lines(self):
        """Printed lines."""
        return self.out.splitlines()


@pytest.fixture
def plain(capfd, monkeypatch):
    """Return a function that runs a command line with ``--plain`` and types lines into a pipe."""

    def run(*arguments, typed=()):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join([f"{line}\n" for line in typed])))
        code = cli.run([*map(str, arguments), "--plain"])
        out, err = capfd.readouterr()
        return CommandResult(code, out, err)

    return run
