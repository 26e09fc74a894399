"""Closed pipes, full disks and closed streams: one line or a quiet end."""

import os
import subprocess
from pathlib import Path

import pytest

from cardtable.cli import launch
from tests.cli.playing import PROGRAM, write

SIMULATE = "simulate rikiki --sessions 1 --seed 1 --seats random,random,random,random"
TELLING = [
    "--version", "--help", "list --json", "trace one.jsonl", "replay one.jsonl", "rules king", "doctor",
    f"{SIMULATE} --out -", "arena rikiki --a random --b random --deals 1 --seed 1", "play rikiki --plain --seed 1",
]  # fmt: skip


@pytest.fixture(autouse=True)
def session_file():
    """Write a finished session."""
    write(Path("one.jsonl"), rounds=28)


def run(command, how='exec "$@"', **streams):
    """Run a command in a shell; return its exit code and standard error."""
    ended = subprocess.run(
        ["/bin/sh", "-c", how, "sh", *PROGRAM, *command.split()],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        **streams,
    )
    return ended.returncode, ended.stderr.decode()


@pytest.mark.promise("Commands", "A closed pipe ends every command quietly; a full disk is reported in one line.")
@pytest.mark.parametrize("command", TELLING)
def test_a_closed_pipe_ends_every_command_quietly(command):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        assert run(command, stdout=output) == (1, "")


@pytest.mark.promise("Commands", "A closed pipe ends every command quietly; a full disk is reported in one line.")
@pytest.mark.parametrize("command", ["--version", "rules king", "play rikiki --plain --seed 1"])
def test_a_full_disk_is_told_in_a_line(command):
    with Path("/dev/full").open("wb", buffering=0) as output:
        assert run(command, stdout=output) == (1, "cardtable: No space left on device\n")


@pytest.mark.parametrize("command", ["--version", "rules king", f"{SIMULATE} --out -"])
def test_without_an_output_nothing_is_told(command):
    assert run(command, 'exec "$@" >&-') == (0, "")


def test_without_a_place_for_progress_the_work_is_done():
    assert run(SIMULATE, 'exec "$@" 2>&- >told') == (0, "")
    assert "rikiki sessions=1" in Path("told").read_text()


def test_an_error_of_the_system_without_a_file_is_told_in_its_own_words(capsys):
    def command():
        raise ChildProcessError("a process that played the match has died")

    assert launch.run_command(command) == 1
    assert capsys.readouterr().err == "cardtable: a process that played the match has died\n"
