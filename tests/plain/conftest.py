"""Running a command over a pipe, in an empty home."""

import io
import sys
from dataclasses import dataclass

import pytest

from cardtable.cli import main as cli


@dataclass
class Told:
    """What a command left: its exit code, and the text of both streams."""

    code: int
    out: str
    err: str

    @property
    def lines(self):
        """What was printed, line by line."""
        return self.out.splitlines()


@pytest.fixture
def plain(capfd, monkeypatch):
    """Run a command line with ``--plain``, lines being typed into a pipe."""

    def run(*arguments, typed=()):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join([f"{line}\n" for line in typed])))
        code = cli.run([*map(str, arguments), "--plain"])
        out, err = capfd.readouterr()
        return Told(code, out, err)

    return run
