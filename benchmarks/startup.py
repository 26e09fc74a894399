"""How long the program takes to start, beside the least that any such program takes.

Prints ``cardtable --version`` as a multiple of ``python -c pass``, and the first frame of the
picker on an 80x24 pseudo-terminal as a multiple of that of a Textual app with one ``Static``.
Both of a pair run in turns, so that a busy machine slows both; medians are compared.

    python benchmarks/startup.py [RUNS]
"""

import fcntl
import os
import pty
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

NOTHING = [sys.executable, "-c", "pass"]
VERSION = [str(Path(sys.executable).with_name("cardtable")), "--version"]
PICKER = VERSION[:1]
BARE = [
    sys.executable,
    "-c",
    """
from textual.app import App
from textual.widgets import Static

class Bare(App):
    def compose(self):
        yield Static("Rikiki")

Bare().run()
""",
]


def whole_run(command: Sequence[str]) -> float:
    """Seconds from the start of a program to its end."""
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def first_frame(command: Sequence[str]) -> float:
    """Seconds from the start of a program to the word ``Rikiki`` on its terminal."""
    begun = time.perf_counter()
    process, terminal = pty.fork()
    if not process:
        os.environ["TERM"] = "xterm-256color"
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown = b""
    try:
        while b"Rikiki" not in shown:
            shown += os.read(terminal, 65536)
        return time.perf_counter() - begun
    except OSError:
        raise SystemExit(f"{command[0]} ended without a frame: {shown[-2000:]!r}") from None
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def compare(title: str, measure: Callable[[Sequence[str]], float], ours: Sequence[str], least: Sequence[str]) -> None:
    """Measure two commands in turns and print their medians and ratio."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    measure(ours), measure(least)
    pairs = [(measure(ours), measure(least)) for _ in range(runs)]
    mine, bare = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
    print(f"{title}: {mine:.1f} ms, {mine / bare:.2f} times the {bare:.1f} ms of the least")


def main() -> None:
    """Measure in an empty home."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["CARDTABLE_HOME"] = home
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as a person starts it, compiled once
        compare("--version", whole_run, VERSION, NOTHING)
        compare("first frame of the picker", first_frame, PICKER, BARE)


if __name__ == "__main__":
    main()
