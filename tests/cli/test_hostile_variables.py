"""Hostile environment variables: every command answers as without them, or says why in one line."""

import os
import re
import subprocess
import sys
from functools import cache
from random import Random

import pytest

from cardtable.engine.text_format import replace_control_chars
from cardtable.wording.formatting import to_ascii_text
from tests.budgets import get_trials
from tests.cli.playing import PROGRAM, write_session

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sets what shells of POSIX set")
MAX_COMBINED = 5
"""Maximum number of variables, or groups of them, that are set at once."""
COMMANDS = dict.fromkeys(
    [
        *("--version", "version", "--help", "help club ban", "games", "list", "list --json", "show one.jsonl"),
        *("trace one.jsonl", "verify one.jsonl", "replay one.jsonl --round 1", "export one.jsonl"),
        *("export one.jsonl --format svg", "rules gurka", "schema list", "statistics", "rankings", "doctor", "share"),
        *("puzzles --list", "club", "club season list", "play nothing", "show nothing"),
        "simulate gurka --sessions 1 --seed 1 --workers 2 --seats random,random,random,random",
        "arena gurka --a random --b random --deals 2 --seed 1 --json",
    ],
    "",
) | {
    "learn gurka --plain": "1\nquit\n",
    "play gurka --plain --seed 7": "1\nsheet\nprevious\nquit\n",
    "play rummy --plain --seed 7 --seats me,random": "help\n1\nquit\n",
    "--plain": "players\nrules king\nstatistics\nquit\n",
    "score gurka --plain": "quit\n",
}
"""Command lines with what is typed into each."""
TERMS = (
    *("dumb", "unknown", "", "vt100", "linux", "xterm-16color", "xterm-256color"),
    *("screen", "no-such-kind", "a" * 999),
)
SETTINGS = [
    *[{"TERM": value} for value in TERMS],
    *[
        {f"{scheme}_proxy": proxy, f"{scheme.upper()}_PROXY": proxy}
        for scheme in ("http", "https", "ws", "wss", "socks", "all", "ftp")
        for proxy in ("http://127.0.0.1:9", "socks5h://127.0.0.1:9", "nonsense")
    ],
    *[{"COLUMNS": size, "LINES": size} for size in ("0", "1", "7", "-3", "99999", "wide", "", "٣")],
    *[
        {"TZ": zone}
        for zone in ("", ":", "Nowhere/Land", "UTC-99", "Pacific/Kiritimati", "EST5EDT,M3.2.0,M11.1.0", "\x01")
    ],
    *[{name: locale} for locale in ("tr_TR.UTF-8", "C", "POSIX", "xx_YY.nothing") for name in ("LANG", "LC_ALL")],
    *[{"PYTHONIOENCODING": encoding} for encoding in ("ascii", "latin-1", "utf-8:strict", "ascii:strict")],
    {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    *[{"PYTHONOPTIMIZE": level} for level in ("1", "2")],
    *[{"PYTHONWARNINGS": action} for action in ("error", "always", "nonsense")],
    {"PYTHONDEVMODE": "1"},
    {"PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
    {"PYTHONINSPECT": ""},
    *[{"HOME": folder} for folder in (None, "", "relative", "/dev/null", "/nonexistent")],
    *[
        dict.fromkeys(
            ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), value
        )
        for value in ("relative", "/dev/null", "/nonexistent", "~")
    ],
    *[dict.fromkeys(("TMPDIR", "TEMP", "TMP"), value) for value in ("/nonexistent", "relative", "/dev/null")],
    *[{name: "1"} for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")],
    {"CLICOLOR": "0", "COLORTERM": "nonsense", "TERM_PROGRAM": "nonsense", "COLORFGBG": "x;y"},
    dict.fromkeys(("USER", "LOGNAME", "USERNAME", "SHELL", "PATH", "PWD", "OLDPWD", "EDITOR", "PAGER")),
    dict.fromkeys(
        ("TEXTUAL", "TEXTUAL_DEBUG", "TEXTUAL_ANIMATIONS", "TEXTUAL_FPS", "ESCDELAY", "RICH_THEME"), "nonsense"
    ),
]
"""Variables that are set together, or removed (``None``)."""
UMASK = 0o077
MOMENTARY = re.compile(r'\d{8}-\d{6}-[a-z]+-[0-9a-f]{4}|"ms_\w+":[\d.]+|dealoftheday,\w+')


@pytest.fixture
def run(tmp_path):
    """Return functions that run a command with variables set or removed, and without, in a home that has a session.

    They return the exit code and both outputs.
    """
    home, folder = tmp_path / "home", tmp_path / "folder"
    write_session(folder / "one.jsonl", rounds=28)
    write_session(home / "archive" / "20261120-083728-rikiki-7f3a.jsonl", rounds=28)
    before = {path: path.read_bytes() for path in home.rglob("*.jsonl")}

    def run_command(command, variables, umask=-1):
        for path in [*home.rglob("*")]:
            if path.is_file():
                path.unlink()
        for path, data in before.items():
            path.write_bytes(data)
        settings = {**os.environ, "CARDTABLE_HOME": str(home), "LANG": "C.UTF-8", **variables}
        ended = subprocess.run(
            [*PROGRAM, *command.split()],
            cwd=folder,
            env={name: value for name, value in settings.items() if value is not None},
            input=COMMANDS[command].encode(),
            capture_output=True,
            check=False,
            umask=umask,
        )
        return ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace")

    return run_command, cache(lambda command: run_command(command, {}))


def normalise(text):
    """Return the words of an answer in ASCII, joined: lines are as wide as COLUMNS says, and an encoding lacks suits.

    Ids of new sessions, durations and the game of the day are left out.
    """
    return MOMENTARY.sub("", "".join(to_ascii_text(text).split()))


def choose_trials():
    """Return each command with variables: first every group of them once, then several at random."""
    rng = Random(54)
    single = [(rng.choice([*COMMANDS]), variables) for variables in SETTINGS]
    rng.shuffle(single)
    trials = get_trials("variables")
    for _ in range(trials - len(single)):
        chosen = rng.sample(SETTINGS, rng.randint(1, MAX_COMBINED))
        single.append((rng.choice([*COMMANDS]), {name: value for each in chosen for name, value in each.items()}))
    return single[:trials]


@pytest.mark.parametrize("part", range(4))
def test_answers_as_without(run, part):
    run_with, run_without = run
    for command, variables in choose_trials()[part::4]:
        told = f"{command}: {variables}"
        code, out, err = run_without(command)
        odd_code, odd_out, odd_err = run_with(command, variables, UMASK)
        if "PYTHONWARNINGS" in variables or "PYTHONDEVMODE" in variables:  # Python's own lines
            odd_err = "".join([line for line in odd_err.splitlines(keepends=True) if line.startswith("cardtable: ")])
        assert "Traceback" not in odd_err, told
        assert "crashed" not in odd_err, told
        is_cut = command == "--help" and "COLUMNS" in variables  # a line for each command, as wide as the terminal
        if odd_code == code and command != "doctor" and not is_cut:
            assert normalise(odd_out) == normalise(out), told
            assert normalise(odd_err) == normalise(err), told
        elif odd_code != code:
            assert odd_err.startswith("cardtable: "), told
            assert odd_err.count("\n") == 1, told
        assert replace_control_chars(odd_err.replace("\n", "")) == odd_err.replace("\n", ""), told
