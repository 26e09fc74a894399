"""Termination by signal: the program ends even if its loop or its saving hangs."""

import signal
import subprocess
import sys

import pytest

from tests.waiting import TIMEOUT

_PROGRAM = """
import asyncio, os, signal, time
from cardtable.ui import app
app.GRACE_SECONDS = 1

def save():
    return True

def hang():
    time.sleep(1000)

async def run():
    app.install_termination_handlers(lambda code: None, {save_function})
    print("ready", flush=True)
    if {loop_ends}:
        return
    while True:
        time.sleep(1000)

asyncio.run(run())
print("over", flush=True)
for _ in range({signal_count}):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.5)
time.sleep(1000)
"""


@pytest.mark.parametrize(("save_function", "code"), [("save", 143), ("hang", -signal.SIGALRM)])
def test_sigterm_ends_blocked_program(save_function, code):
    source = _PROGRAM.format(save_function=save_function, loop_ends=False, signal_count=0)
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        program.stdout.readline()
        program.send_signal(signal.SIGTERM)
        try:
            assert program.wait(TIMEOUT) == code
        finally:
            program.kill()


def test_repeated_sigterm_after_event_loop():
    source = _PROGRAM.format(save_function="save", loop_ends=True, signal_count=1000)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, timeout=TIMEOUT, check=False)
    assert (done.returncode, done.stderr) == (143, b"")
