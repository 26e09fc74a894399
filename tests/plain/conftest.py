"""Fixture that runs a command in plain text over a pipe."""

import io
import sys

import pytest

from cardtable.plain import players
from tests.command_results import CommandRunner


@pytest.fixture
def plain(capfd, monkeypatch):
    """Yield a function that runs a command line with ``--plain`` and types lines into a pipe."""
    with CommandRunner(capfd) as runner:

        def run(*arguments, typed=(), may_fail=False):
            monkeypatch.setattr(sys, "stdin", io.StringIO("".join([f"{line}\n" for line in typed])))
            return runner.run(*arguments, "--plain", may_fail=may_fail)

        yield run


@pytest.fixture
def type_passwords(cheap_passwords, monkeypatch):
    """Return a function that simulates a terminal at which these passwords are typed."""

    def simulate(*lines):
        typed = iter(lines)
        monkeypatch.setattr(players, "is_on_terminal", lambda: True)
        monkeypatch.setattr(players, "getpass", lambda _prompt: next(typed))

    return simulate
