"""What importing the store costs, and what it needs of the system."""

import subprocess
import sys

LIGHT = """
import sys
import cardtable.store.sessions, cardtable.store.settings, cardtable.store.seating
heavy = {"portalocker", "asyncio", "platformdirs", "tomli_w", "difflib", "textual", "click"} & set(sys.modules)
assert not heavy, heavy
"""

ELSEWHERE = """
import os, sys
for name in ("fcntl", "termios", "pwd", "grp", "resource"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "O_NONBLOCK", "fdatasync", "mkfifo", "geteuid", "getuid", "fchmod"):
    delattr(os, name)
import cardtable.store.sessions, cardtable.store.settings, cardtable.store.seating
"""


def run(code):
    """Run a program of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_takes_time_is_imported_when_it_is_needed():
    run(LIGHT)


def test_nothing_of_one_system_is_needed_to_import():
    run(ELSEWHERE)
