"""No process or thread can be started, as with ``ulimit -u``: play goes on, or one line gives the reason."""

import sys
from itertools import islice, product
from time import monotonic

from cardtable.engine import journal
from tests.budgets import get_trials
from tests.pty.playing import create_session, read_lines
from tests.pty.terminal import TIMEOUT, Terminal, run_in_parallel
from tests.pty.test_signals import is_restored

_LIMITED_PROGRAM = """
import itertools, subprocess, sys, threading
first, is_single = int(sys.argv[1]), sys.argv[2] == "single"
starts = itertools.count(1)

def limit(kind, name, error):
    start = getattr(kind, name)
    def start_or_fail(*args, **kwargs):
        number = next(starts)
        if number == first or number > first and not is_single:
            raise error
        return start(*args, **kwargs)
    setattr(kind, name, start_or_fail)

limit(threading.Thread, "start", RuntimeError("can't start new thread"))
limit(subprocess.Popen, "__init__", BlockingIOError(11, "Resource temporarily unavailable"))
sys.argv[1:] = sys.argv[3:]
from cardtable.__main__ import main
sys.exit(main())
"""
"""Program in which one start of a process or thread fails, or all from that one on."""
LIMITS = list(islice(product(range(1, 13), ["lasting", "single"]), get_trials("start failures")))


def shows_table(terminal):
    """Wait until the table is shown or the program has ended; return True if it is shown."""
    end = monotonic() + TIMEOUT
    while "? help" not in terminal.text and terminal.process.poll() is None:
        assert monotonic() < end, terminal.text
        terminal.read(0.05)
    return terminal.process.poll() is None


def test_failing_starts_of_processes_and_threads(home):
    def play(limit):
        session = create_session()
        path = home / "sessions" / f"{session}.jsonl"
        program = [sys.executable, "-c", _LIMITED_PROGRAM, *map(str, limit)]
        with Terminal(home, "resume", session, program=program) as terminal:
            if shows_table(terminal):
                stops = "lasting" in limit  # if the robots' process cannot be started
                terminal.wait(
                    lambda: len(read_lines(path)) > 8 or (stops and "Enter try again" in terminal.rows[-1]),
                    press="enter",
                    quick=True,
                )
                terminal.send("h")
                terminal.wait_until_quiet()
                terminal.send("escape")
                code = terminal.quit()
            else:
                code = terminal.wait_for_end()
            assert b"\x1b[?1049h" not in terminal.output or is_restored(terminal), limit
            if code:
                assert code == 1, limit
                assert b"cardtable: the system has no memory or no threads left" in terminal.output, limit
        assert not journal.read(path.read_bytes()).torn

    run_in_parallel(play, LIMITS)
