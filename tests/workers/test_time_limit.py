"""Time limit for code of other packages in this process."""

import gc
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from random import Random
from subprocess import PIPE, Popen
from time import monotonic, sleep
from traceback import extract_tb

import pytest

from cardtable.engine.errors import GameFailed
from cardtable.engine.plugin_guard import create_game_failure, guard_game
from cardtable.workers import time_limit
from cardtable.workers.time_limit import TimeLimit, TimeLimitExceeded
from tests.budgets import get_trials
from tests.engine.toy import GAME
from tests.overriding import override


@pytest.fixture(autouse=True)
def short_limit(monkeypatch):
    """Shorten the limit, so that the tests need not wait for it."""
    monkeypatch.setattr(time_limit, "LIMIT_SECONDS", 0.05)
    monkeypatch.setattr(time_limit, "_SCAN_SECONDS", 0.01)


@contextmanager
def switch_threads_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    gc.disable()  # Hypothesis measures collections in a callback, which swallows an interruption
    try:
        yield
    finally:
        gc.enable()
        sys.setswitchinterval(before)


def loop_forever():
    while True:
        pass


def test_endless_loop_is_interrupted():
    with pytest.raises(TimeLimitExceeded, match=r"no answer within 0\.05 s") as caught:
        TimeLimit().call(loop_forever)
    assert extract_tb(caught.value.__traceback__)[-1].name == "loop_forever"


def test_loop_in_another_thread_is_interrupted():
    with ThreadPoolExecutor(1) as threads, pytest.raises(TimeLimitExceeded):
        threads.submit(TimeLimit().call, loop_forever).result()


def test_code_that_catches_exceptions_is_interrupted():
    def ignore_all():
        while True:
            with suppress(Exception):
                loop_forever()

    with pytest.raises(TimeLimitExceeded):
        TimeLimit().call(ignore_all)


def test_arguments_results_and_exceptions_pass():
    limit = TimeLimit()
    assert limit.call(sorted, [2, 1], reverse=True) == [2, 1]
    with pytest.raises(ZeroDivisionError):
        limit.call(divmod, 1, 0)


def test_inner_call_shares_the_time_of_the_outer_one():
    outer, inner = TimeLimit(), TimeLimit()
    with pytest.raises(TimeLimitExceeded):
        outer.call(lambda: inner.call(loop_forever))
    assert not inner._was_exceeded


def test_package_that_was_late_has_less_time(monkeypatch):
    monkeypatch.setattr(time_limit, "REPEATED_SECONDS", 0.01)
    limit = TimeLimit()
    for expected in ("0.05 s", "0.01 s", "0.01 s"):
        with pytest.raises(TimeLimitExceeded, match=expected):
            limit.call(loop_forever)
    assert limit.call(int) == 0


def test_no_limit_if_another_process_has_one(monkeypatch):
    monkeypatch.setattr(time_limit, "_is_enabled", False)
    end = monotonic() + 3 * time_limit.LIMIT_SECONDS

    def compute():
        while monotonic() < end:
            pass
        return "done"

    assert TimeLimit().call(compute) == "done"


STOPPED_CALL = """
import sys
from threading import Thread
from time import sleep
from cardtable.workers import time_limit

time_limit.LIMIT_SECONDS = 1.0
typed = []

def compute():
    print("computing", flush=True)
    while not typed:
        sleep(0.01)

Thread(target=lambda: typed.append(sys.stdin.readline())).start()
time_limit.TimeLimit().call(compute)
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals there")
def test_time_in_which_the_program_is_stopped_does_not_count():
    with Popen([sys.executable, "-c", STOPPED_CALL], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as program:
        assert program.stdout.readline() == "computing\n"
        program.send_signal(signal.SIGSTOP)
        sleep(1.5)
        program.send_signal(signal.SIGCONT)
        assert program.communicate("\n") == ("", "")


def test_no_interruption_arrives_after_the_call(monkeypatch):
    """Calls that end just when their time is over: each returns or is interrupted, and the code after it is not."""
    monkeypatch.setattr(time_limit, "_SCAN_SECONDS", 0.00001)
    monkeypatch.setattr(time_limit, "LIMIT_SECONDS", 0.00001)
    monkeypatch.setattr(time_limit, "REPEATED_SECONDS", 0.00001)
    rng, limit, interrupted = Random(1), TimeLimit(), 0

    def compute(steps):
        [call] = time_limit._watch._calls
        while call.remaining_scans > 0:
            pass
        for _ in range(steps):
            pass

    with switch_threads_often():
        for _ in range(get_trials("interruptions")):
            try:
                limit.call(compute, rng.randrange(20_000))
            except TimeLimitExceeded:
                interrupted += 1
            assert sum([number % 7 for number in range(1000)]) == 2997  # code that an interruption could hit
    assert 0 < interrupted < get_trials("interruptions")


PROFILED_AFTER_LATE_CALL = """
import sys, threading
from cardtable.workers import time_limit

time_limit.LIMIT_SECONDS = time_limit._SCAN_SECONDS = 0.01

def end_late():
    [call] = time_limit._watch._calls
    sys.setswitchinterval(1e6)  # no other thread runs unless this one waits
    while not call.is_settled:
        threading.Event().wait(0.001)

try:
    time_limit.TimeLimit().call(end_late)
except time_limit.TimeLimitExceeded:
    pass
calls = []
sys.setprofile(lambda *_: calls.append(1))
(lambda: None)()
sys.setprofile(None)
"""


def test_profiler_works_after_a_call_that_ended_late():
    """In Python 3.11 a profiler hangs after an exception for a thread has been withdrawn."""
    subprocess.run([sys.executable, "-c", PROFILED_AFTER_LATE_CALL], check=True, timeout=60)


@pytest.mark.parametrize("name", ["scene", "explain_illegal", "narrate", "imagine", "start"])
def test_game_without_an_answer_is_named_with_the_place(name):
    game = override(GAME, **{name: lambda *_: loop_forever()})
    guarded = guard_game(game, partial(create_game_failure, "Mixing", "mixing 1.0", __name__), TimeLimit().call)
    line = loop_forever.__code__.co_firstlineno + 2
    with pytest.raises(GameFailed) as failed:
        getattr(guarded, name)(None, None)
    assert str(failed.value).startswith("Mixing (mixing 1.0) has failed: no answer within 0.05 s in test_time_limit.py")
    assert f"line {line}" in str(failed.value) or f"line {line - 1}" in str(failed.value)
