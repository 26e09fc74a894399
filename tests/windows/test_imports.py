"""Every module of the program can be imported on Windows, whose modules and calls are fewer."""

import subprocess
import sys

POSIX_ONLY = "cardtable.ui.terminal.terminal_driver"

IMPORT_ALL = f"""
import os, pkgutil, signal, sys
from importlib import import_module
import cardtable
from tests.windows.fake_windows import MISSING_CALLS, MISSING_MODULES, MISSING_SIGNAL_CALLS, SIGNALS

names = [found.name for found in pkgutil.walk_packages(cardtable.__path__, "cardtable.")]
names = [name for name in names if not name.endswith("__main__") and ".skeleton" not in name]
for name in names:  # the libraries, which have other modules on Windows, are loaded first
    import_module(name)
for name in [*names, "textual.drivers.linux_driver"]:
    del sys.modules[name]

sys.platform = "win32"
for name in (*MISSING_MODULES, "textual.drivers.linux_driver"):
    sys.modules[name] = None
for name in MISSING_CALLS:
    if hasattr(os, name):
        delattr(os, name)
for number in signal.Signals:
    if number.name not in SIGNALS and hasattr(signal, number.name):
        delattr(signal, number.name)
for name in MISSING_SIGNAL_CALLS:
    if hasattr(signal, name):
        delattr(signal, name)
for name in names:
    if name != {POSIX_ONLY!r}:
        import_module(name)
assert len(names) > 300, len(names)
"""


def test_every_module_is_imported_on_windows():
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
