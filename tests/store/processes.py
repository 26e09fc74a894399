"""Ids of ended processes."""

import subprocess
import sys


def get_ended_pid():
    """Return the id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid
