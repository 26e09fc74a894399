"""Imports of the store: only light modules, and none that some systems lack."""

import subprocess
import sys

CHECK_HEAVY_IMPORTS = """
import sys
import cardtable.store.sessions, cardtable.store.settings, cardtable.store.seating
heavy = {"asyncio", "platformdirs", "tomli_w", "difflib", "textual", "click"} & set(sys.modules)
assert not heavy, heavy
"""

CHECK_PORTABLE_IMPORTS = """
import os, sys
for name in ("fcntl", "termios", "pwd", "grp", "resource"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "O_NONBLOCK", "fdatasync", "mkfifo", "geteuid", "getuid", "fchmod"):
    delattr(os, name)
import cardtable.store.sessions, cardtable.store.settings, cardtable.store.seating
"""


def run_code(code):
    """Run the code in a new interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_heavy_modules_are_imported_lazily():
    run_code(CHECK_HEAVY_IMPORTS)


def test_import_without_posix_modules():
    run_code(CHECK_PORTABLE_IMPORTS)
