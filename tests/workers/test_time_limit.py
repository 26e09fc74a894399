"""Time limit for code of other packages in this process."""

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from random import Random
from time import sleep, thread_time
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


def sleep_until(is_over):
    while not is_over():
        sleep(0.001)


def test_endless_loop_is_interrupted():
    with pytest.raises(TimeLimitExceeded, match=r"no answer within 0\.05 s") as caught:
        TimeLimit().call(loop_forever)
    assert extract_tb(caught.value.__traceback__)[-1].name == "loop_forever"


def test_loop_in_another_thread_is_interrupted():
    with ThreadPoolExecutor(1) as threads, pytest.raises(TimeLimitExceeded):
        threads.submit(TimeLimit().call, loop_forever).result()


def test_limit_outlives_a_thread_that_ends_during_a_scan():
    with ThreadPoolExecutor(1) as threads:
        ended = threads.submit(time_limit._Call, 1.0, int).result()
    time_limit._watch.begin(ended)
    with pytest.raises(TimeLimitExceeded):
        TimeLimit().call(loop_forever)
    time_limit._watch.finish(ended)


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
    with pytest.raises(TimeLimitExceeded, match=r"0\.05 s"):  # not less, as if it had been late before
        inner.call(loop_forever)


def test_package_that_was_late_has_less_time(monkeypatch):
    monkeypatch.setattr(time_limit, "REPEATED_SECONDS", 0.01)
    limit = TimeLimit()
    for expected in ("0.05 s", "0.01 s", "0.01 s"):
        with pytest.raises(TimeLimitExceeded, match=expected):
            limit.call(loop_forever)
    assert limit.call(int) == 0


def test_limit_counts_processor_time(monkeypatch):
    processor, scans = [0.0], []
    monkeypatch.setattr(time_limit, "_make_thread_clock", lambda: lambda: processor[0])

    def use_more_time_at_the_20th_scan():
        while len(scans) < 20:
            pass
        processor[0] = 0.06
        loop_forever()

    with pytest.raises(TimeLimitExceeded):
        TimeLimit(on_scan=lambda: scans.append(1)).call(use_more_time_at_the_20th_scan)
    assert len(scans) >= 20


def test_clock_of_a_thread_is_read_in_another_one():
    clock, before = time_limit._make_thread_clock(), thread_time()
    with ThreadPoolExecutor(1) as threads:
        read = threads.submit(clock).result()
    assert before <= read
    assert read <= thread_time() or sys.platform != "linux"


def test_code_that_sleeps_without_end_is_interrupted():
    with pytest.raises(TimeLimitExceeded):
        TimeLimit().call(sleep_until, lambda: False)


class LoopsWhenDeleted:
    """Object at whose deletion Python swallows each exception."""

    def __del__(self):
        loop_forever()


def swallow_when_deleted():
    LoopsWhenDeleted()


def swallow_in_collection():
    def loop_once(_phase, _facts):
        gc.callbacks.remove(loop_once)
        loop_forever()

    gc.callbacks.append(loop_once)
    gc.collect(0)


def swallow_all():
    with suppress(BaseException):
        loop_forever()


@pytest.mark.parametrize("swallow", [swallow_when_deleted, swallow_in_collection, swallow_all])
def test_swallowed_interruption_is_raised_again(swallow, monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)

    def swallow_and_loop():
        swallow()
        loop_forever()

    with pytest.raises(TimeLimitExceeded) as caught:
        TimeLimit().call(swallow_and_loop)
    assert [frame.name for frame in extract_tb(caught.value.__traceback__)][-2:] == ["swallow_and_loop", "loop_forever"]


def test_time_in_which_the_program_is_stopped_does_not_count(monkeypatch):
    """The watching thread does not run then: each of its scans takes a thousand times as long here."""
    scans = []
    monkeypatch.setattr(time_limit, "_SCAN_SECONDS", 0.0001)
    monkeypatch.setattr(time_limit, "LIMIT_SECONDS", 0.0001)
    monkeypatch.setattr(time_limit, "sleep", lambda seconds: sleep(1000 * seconds))
    monkeypatch.setattr(time_limit, "_make_thread_clock", lambda: float)
    assert TimeLimit(on_scan=lambda: scans.append(1)).call(lambda: sleep_until(lambda: len(scans) > 5)) is None


def test_no_interruption_arrives_after_the_call(monkeypatch):
    """Calls that end just when their time is over: each returns or is interrupted, and the code after it is not."""
    monkeypatch.setattr(time_limit, "_SCAN_SECONDS", 0.00001)
    monkeypatch.setattr(time_limit, "LIMIT_SECONDS", 0.00001)
    monkeypatch.setattr(time_limit, "REPEATED_SECONDS", 0.00001)
    rng, limit, interrupted = Random(1), TimeLimit(), 0

    def compute(steps):
        [call] = time_limit._watch._calls
        while not call.interruptions and not call.is_late():
            pass
        for _ in range(steps):
            pass

    with switch_threads_often():
        for number in range(get_trials("interruptions")):
            try:
                limit.call(compute, rng.randrange(20_000) if number else 10**12)
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
    while not call.interruptions:
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
