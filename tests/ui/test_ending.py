"""Termination by signal: the program ends even if its loop or its saving hangs."""

import signal
import subprocess
import sys

import pytest

TIMEOUT_SECONDS = 30
_PROGRAM = """
import asyncio, os, signal, time
from cardtable.ui.terminal import signals
signals.GRACE_SECONDS = 1

def kept():
    return True

def stands_still():
    time.sleep(1000)

async def held_up():
    signals.install_termination_handlers(lambda code: None, {at_once})
    print("ready", flush=True)
    if {loop_ends}:
        return
    while True:
        time.sleep(1000)

asyncio.run(held_up())
print("over", flush=True)
for _ in range({asked}):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.5)
time.sleep(1000)
"""


@pytest.mark.parametrize(("at_once", "code"), [("kept", 143), ("stands_still", -signal.SIGALRM)])
def test_sigterm_ends_blocked_program(at_once, code):
    program = _PROGRAM.format(at_once=at_once, loop_ends=False, asked=0)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(TIMEOUT_SECONDS) == code
        finally:
            process.kill()


def test_repeated_sigterm_after_event_loop():
    program = _PROGRAM.format(at_once="kept", loop_ends=True, asked=1000)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    assert (done.returncode, done.stderr) == (143, b"")
