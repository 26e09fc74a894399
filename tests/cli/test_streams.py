"""Closed pipes, full disks, closed streams, input that is no text, and an impossible time zone."""

import io
import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from cardtable.cli import launch
from cardtable.plain import console
from tests.cli.playing import PROGRAM, write_session
from tests.records.review_journals import record_session

SIMULATE_COMMAND = "simulate rikiki --sessions 1 --seed 1 --seats random,random,random,random"
PRINTING_COMMANDS = [
    "--version", "trace one.jsonl", "replay one.jsonl", "rules king",
    f"{SIMULATE_COMMAND} --output -", "arena rikiki --a random --b random --deals 1 --seed 1",
    "play rikiki --plain --seed 1", "review short.jsonl",
]  # fmt: skip


@pytest.fixture(autouse=True)
def session_files():
    """Write a finished session of all its rounds, and one that a review is soon done with."""
    write_session(Path("one.jsonl"), rounds=28)
    Path("short.jsonl").write_bytes(record_session("gurka", "novice", limit=21))


def run_in_shell(command, script='exec "$@"', **streams):
    """Run a command in a shell; return its exit code and standard error."""
    ended = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *PROGRAM, *command.split()],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        **streams,
    )
    return ended.returncode, ended.stderr.decode()


@pytest.mark.parametrize("command", PRINTING_COMMANDS)
def test_closed_pipe_is_quiet(command):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        assert run_in_shell(command, stdout=output) == (1, "")


@pytest.mark.parametrize("command", ["--version", "rules king", "play rikiki --plain --seed 1"])
def test_full_disk_is_reported(command):
    with Path("/dev/full").open("wb", buffering=0) as output:
        assert run_in_shell(command, stdout=output) == (1, "cardtable: No space left on device\n")


@pytest.mark.parametrize("command", ["--version", "rules king", f"{SIMULATE_COMMAND} --output -"])
def test_closed_output(command):
    assert run_in_shell(command, 'exec "$@" >&-') == (0, "")


def test_closed_standard_error():
    assert run_in_shell(SIMULATE_COMMAND, 'exec "$@" 2>&- >told') == (0, "")
    assert "rikiki sessions=1" in Path("told").read_text()


def test_error_with_closed_standard_error():
    assert run_in_shell("show nothing", 'exec "$@" 2>&- >told') == (1, "")
    assert Path("told").read_text() == ""


@pytest.mark.parametrize("command", ["show nothing", "play", "verify one.jsonl nothing"])
@pytest.mark.parametrize("output", ["/dev/full", "told"])
def test_error_on_a_full_disk(cardtable, command, output):
    code = cardtable(*command.split()).code
    assert code
    assert run_in_shell(command, f'exec "$@" 2>/dev/full >{output}') == (code, "")


def test_files_do_not_replace_closed_streams():
    program = (
        "from cardtable.cli.launch import run_command\n"
        "def open_two(): print(*[open(name, 'w').fileno() > 2 for name in 'ab'], file=open('told', 'w'))\n"
        "run_command(open_two)"
    )
    script = 'exec "$@" <&- >&- 2>&-'
    subprocess.run(["/bin/sh", "-c", script, "sh", sys.executable, "-c", program], check=True)
    assert Path("told").read_text() == "True True\n"


def test_system_error_without_file(capsys):
    def command():
        raise ChildProcessError("a process that played the match has died")

    assert launch.run_command(command) == 1
    assert capsys.readouterr().err == "cardtable: a process that played the match has died\n"


COMMANDS = [
    *("verify", "show", "show --json", "trace", "replay", "replay --svg -"),
    *("export --format csv", "export --format svg"),
]
PIPES = ['cat one.jsonl | "$@" -', 'cat one.jsonl | "$@" /dev/stdin', '"$@" /dev/fd/7 7<one.jsonl']


@pytest.mark.parametrize(
    ("command", "script"),
    [*[(command, '"$@" - <one.jsonl') for command in COMMANDS], *[("show", script) for script in PIPES]],
)
def test_session_from_a_pipe(cardtable, command, script):
    with Path("piped").open("wb") as piped:
        assert run_in_shell(command, script, stdout=piped) == (0, "")
    assert Path("piped").read_text() == cardtable(*command.split(), "one.jsonl").read_output() != ""


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ('"$@" /dev/fd/9 9<&-', "/dev/fd/9: Bad file descriptor\n"),
        ('head -c 70000000 /dev/zero | "$@" -', "-: more than 64 MiB; give the name of a file instead\n"),
        ('"$@" - </dev/null', "input-0.jsonl:1: the file is empty\n"),
    ],
)
def test_no_session_from_a_pipe(script, message):
    code, error = run_in_shell("show", script)
    assert code == 1
    assert error.endswith(message)
    assert error.count("\n") == 1


def test_undecodable_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y\xe9s\n"), "utf-8"))
    assert launch.run_command(lambda: print(ascii(input()))) == 0
    assert capsys.readouterr().out == "'y\\ufffds'\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_input_without_byte_order_mark_ends(monkeypatch, encoding):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"quit\n"), encoding))
    with pytest.raises(console.QuitRequested):
        console.read_line()


@pytest.mark.skipif(sys.platform == "win32", reason="TZ sets no zone there")
@pytest.mark.parametrize("zone", ["UTC-99", "UTC+24", "ABC0DEF-30,M3.2.0,M11.1.0"])
def test_impossible_time_zone_is_utc(set_zone, zone):
    set_zone(zone)
    assert launch.run_command(lambda: print(datetime.now().astimezone().tzname())) == 0
    assert time.tzname[0] == "UTC"
