"""Fixture that runs a command in plain text over a pipe."""

import io
import sys

import pytest

from tests.command_results import CommandRunner


@pytest.fixture
def plain(capfd, monkeypatch):
    """Yield a function that runs a command line with ``--plain`` and types lines into a pipe."""
    with CommandRunner(capfd) as runner:

        def run(*arguments, typed=(), may_fail=False):
            monkeypatch.setattr(sys, "stdin", io.StringIO("".join([f"{line}\n" for line in typed])))
            return runner.run(*arguments, "--plain", may_fail=may_fail)

        yield run
