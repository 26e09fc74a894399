"""The robots' process: answers, errors, time limits, end."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import weakref
from contextlib import contextmanager
from io import BytesIO
from random import Random

import msgspec
import pytest

from cardtable.robots import worker
from cardtable.robots.kit import robot
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.workers import server
from cardtable.workers.client import WorkerError
from cardtable.workers.server import ANSWER, DONE, FAILURE, LEAVE, MESSAGE_HEADER, answer_all, encode_message
from tests.robots.positions import ROBOTS, select_positions
from tests.waiting import TIMEOUT

COMMAND = [*server.build_command("cardtable.robots.worker")]
UNLIMITED_COMMAND = [
    sys.executable,
    "-c",
    "from cardtable.robots import worker; worker.MAX_CHOICE_SECONDS = worker.MAX_HINT_SECONDS = 1e9; worker.main()",
]
"""Command of a worker without time limits, for busy machines."""


@contextmanager
def run_worker(command=COMMAND, **environment):
    """Run a worker; at the end of its input check that it ends and wrote nothing else."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **environment}) as process:
        yield process
        rest, complaints = process.communicate(timeout=TIMEOUT)
        assert (rest, complaints, process.returncode) == (b"", b"", 0)


def pack_request(request):
    """Return a request, or any bytes, as a message of the pipe."""
    return encode_message(ANSWER, request if isinstance(request, bytes) else pickle.dumps(request))


def send_request(process, request):
    """Send a request and return the worker's answer."""
    process.stdin.write(pack_request(request))
    process.stdin.flush()
    return read_answer(process.stdout)


def read_answer(pipe):
    """Read an answer and its end; raise the worker's error."""
    kind, body = read_message(pipe)
    if kind == FAILURE:
        raise WorkerError(body.decode())
    assert (kind, read_message(pipe)) == (ANSWER, (DONE, b""))
    return pickle.loads(body)


def read_message(pipe):
    kind, size = MESSAGE_HEADER.unpack(pipe.read(MESSAGE_HEADER.size))
    return kind, pipe.read(size)


def sample_requests(key, level, number):
    positions = select_positions(level, key)
    return [
        worker.ChooseRequest(key, level, *each)
        for each in Random(number).sample(positions, min(number, len(positions)))
    ]


@pytest.fixture(scope="module")
def unlimited_worker():
    """Worker without time limits whose hashes differ from those of this process."""
    with run_worker(UNLIMITED_COMMAND, PYTHONHASHSEED="1") as process:
        yield process


@pytest.mark.parametrize(("level", "key"), ROBOTS)
def test_worker_and_local_robot_choose_alike(unlimited_worker, level, key):
    for request in sample_requests(key, level, 1 if level == "expert" else 2):
        choice = decide(make_robot(level, key), request.view, request.seed, request.decisions)
        assert send_request(unlimited_worker, request) == str(choice)


def test_worker_hint_is_experts_choice(unlimited_worker):
    for request in sample_requests("rikiki", "expert", 3):
        question = worker.HintRequest("rikiki", request.view, request.seed, request.decisions)
        advice = send_request(unlimited_worker, question)
        assert str(advice.lines[0].action) == send_request(unlimited_worker, request)
    with pytest.raises(WorkerError, match="snap"):
        send_request(unlimited_worker, msgspec.structs.replace(question, game="snap"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "EOFError"),
        (b"no pickle", "UnpicklingError"),
        (b"N.", "AttributeError"),
        (b"csys\nno_such_name\n.", "AttributeError"),
    ],
    ids=["nothing", "noise", "none", "unknown"],
)
def test_malformed_request_is_reported_and_skipped(unlimited_worker, body, message):
    (request,) = sample_requests("rikiki", "steady", 1)
    with pytest.raises(WorkerError, match=message):
        send_request(unlimited_worker, body)
    assert send_request(unlimited_worker, request) in map(str, request.view.legal)


def test_unknown_level_or_game_is_reported(unlimited_worker):
    (request,) = sample_requests("rikiki", "steady", 1)
    with pytest.raises(WorkerError, match="no level is called 'clever'"):
        send_request(unlimited_worker, msgspec.structs.replace(request, level="clever"))
    with pytest.raises(WorkerError, match="no game is called 'snap'"):
        send_request(unlimited_worker, msgspec.structs.replace(request, game="snap"))


class EndlessRobot:
    """Robot that thinks, a second of the processor at a time, until it is stopped."""

    def __init__(self, clock):
        self.clock = clock

    def choose(self, view, rng, stop):
        while not stop():
            self.clock[0] += 1
        return view.legal[int(self.clock[0]) % len(view.legal)]


class CyclicGarbage:
    """Object in a reference cycle, which only the collector frees."""

    def __init__(self):
        self.own = self


def test_garbage_is_collected_then_frozen_after_request():
    knots = []

    def create_garbage(_request):
        knot = CyclicGarbage()
        knots.append(weakref.ref(knot))
        yield 1

    gc.unfreeze()
    answer_all(create_garbage, BytesIO(pack_request(0)), BytesIO())
    try:
        assert knots[0]() is None
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_each_request_has_own_time_limit(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(robot, "thread_time", lambda: clock[0])
    monkeypatch.setattr(worker, "_get_robot", lambda level, game, worlds: EndlessRobot(clock))
    asked, answers = sample_requests("rikiki", "steady", 2), BytesIO()
    answer_all(worker.answer_request, BytesIO(b"".join(map(pack_request, asked))), answers)
    assert clock == [104]
    answers.seek(0)
    assert [read_answer(answers), read_answer(answers)] == [
        str(request.view.legal[end % len(request.view.legal)]) for end, request in zip((102, 104), asked, strict=True)
    ]


def test_incomplete_last_request_is_ignored():
    (request,) = sample_requests("bridge", "steady", 1)
    with run_worker() as process:
        process.stdin.write(pack_request(request)[:-5])


def test_worker_ignores_sigint():
    (request,) = sample_requests("bridge", "steady", 1)
    with run_worker() as process:
        send_request(process, request)
        process.send_signal(signal.SIGINT)
        assert send_request(process, request)


PRINTING_WORKER = """
from cardtable.workers import server

def answers(request):
    print("thinking")
    try:
        yield input()
    except EOFError:
        yield request

server.serve(answers)
"""


def test_worker_prints_to_stderr_and_reads_nothing():
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PRINTING_WORKER], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert [send_request(process, text) for text in ("one", "two")] == ["one", "two"]
        lines = b"thinking\nthinking\n".replace(b"\n", os.linesep.encode())
        assert process.communicate(timeout=TIMEOUT) == (b"", lines)


def test_worker_ends_silently_on_closed_output():
    (request,) = sample_requests("rikiki", "steady", 1)
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        process.stdin.write(pack_request(request))
        process.stdin.close()
        assert process.stderr.read() == b""
        process.wait(timeout=TIMEOUT)


ABANDONED_WORKER = """
import itertools
from cardtable.workers import server

def answers(request):
    yield "begun"
    {loop}

server.serve(answers)
"""
LOOPS = ["while True: pass", *(["sum(itertools.repeat(0))"] if sys.platform == "linux" else [])]
"""Computations without an end; the second runs no Python code, and only Linux ends a process in it."""
PARENT_OF_BUSY_WORKER = """
import subprocess, sys
from cardtable.workers.server import ANSWER, encode_message
import pickle
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
child.stdin.write(encode_message(ANSWER, pickle.dumps(0)))
child.stdin.flush()
sys.stdin.read()
"""


@pytest.mark.parametrize("loop", LOOPS)
def test_busy_worker_ends_when_parent_is_killed(loop):
    command = [sys.executable, "-c", PARENT_OF_BUSY_WORKER, ABANDONED_WORKER.format(loop=loop)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert read_message(parent.stdout) == (ANSWER, pickle.dumps("begun", pickle.HIGHEST_PROTOCOL))
        parent.kill()
        parent.communicate(timeout=TIMEOUT)  # the end of the output, which the worker holds as well


@pytest.mark.parametrize(("last", "expected"), [(encode_message(LEAVE), []), (b"", ["closed"])])
def test_closed_input_is_reported_unless_worker_leaves(last, expected):
    def answer_request(request):
        yield request

    closed, answers = [], BytesIO()
    answer_all(answer_request, BytesIO(pack_request("one") + last), answers, lambda: closed.append("closed"))
    answers.seek(0)
    assert (read_answer(answers), closed) == ("one", expected)
