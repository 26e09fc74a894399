"""The process in which robots think: what it answers, and when it ends."""

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
from types import SimpleNamespace

import msgspec
import pytest

from cardtable.robots import worker
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.workers import server
from cardtable.workers.client import WorkerError
from cardtable.workers.server import ANSWER, DONE, MESSAGE_HEADER, TROUBLE, answer_all, encode_message
from tests.robots.positions import ROBOTS, positions_for

COMMAND = [*server.build_command("cardtable.robots.worker")]
PATIENT = [
    sys.executable,
    "-c",
    "from cardtable.robots import worker; worker.MAX_CHOICE_SECONDS = worker.MAX_HINT_SECONDS = 1e9; worker.main()",
]
"""A worker that nothing stops, however busy the machine."""
PARENT = f"""
import subprocess, sys
child = subprocess.Popen({COMMAND!r}, stdin=subprocess.PIPE)
print(child.pid, flush=True)
sys.stdin.read()
"""


@contextmanager
def running(command=COMMAND, **environment):
    """A worker, and a check that it ends at the end of its input and has said nothing else."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **environment}) as process:
        yield process
        rest, complaints = process.communicate(timeout=20)
        assert (rest, complaints, process.returncode) == (b"", b"", 0)


def packed(request):
    """A request, or any bytes, as it goes through the pipe."""
    return encode_message(ANSWER, request if isinstance(request, bytes) else pickle.dumps(request))


def ask(process, request):
    """The answer of a worker."""
    process.stdin.write(packed(request))
    process.stdin.flush()
    return answered(process.stdout)


def answered(pipe):
    """An answer and its end, or why there is none."""
    kind, body = message(pipe)
    if kind == TROUBLE:
        raise WorkerError(body.decode())
    assert (kind, message(pipe)) == (ANSWER, (DONE, b""))
    return pickle.loads(body)


def message(pipe):
    kind, size = MESSAGE_HEADER.unpack(pipe.read(MESSAGE_HEADER.size))
    return kind, pipe.read(size)


def requests(key, level, number):
    found = positions_for(level, key)
    return [worker.ChooseRequest(key, level, *each) for each in Random(number).sample(found, min(number, len(found)))]


@pytest.mark.promise("For maintainers", "The same view and seed give the same choice, in every process.")
@pytest.mark.parametrize(("level", "key"), ROBOTS)
def test_the_worker_chooses_as_the_robot_does_in_this_process(level, key):
    with running(PATIENT, PYTHONHASHSEED="1") as process:
        for request in requests(key, level, 4):
            robot = make_robot(level, key)
            assert ask(process, request) == str(decide(robot, request.view, request.seed, request.decisions))


def test_the_worker_advises_what_the_expert_would_do():
    with running(PATIENT, PYTHONHASHSEED="1") as process:
        for request in requests("rikiki", "expert", 3):
            question = worker.HintRequest("rikiki", request.view, request.seed, request.decisions)
            advice = ask(process, question)
            assert str(advice.lines[0].action) == ask(process, request)
        with pytest.raises(WorkerError, match="snap"):
            ask(process, msgspec.structs.replace(question, game="snap"))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "EOFError"),
        (b"no pickle", "UnpicklingError"),
        (b"N.", "AttributeError"),
        (b"csys\nno_such_name\n.", "AttributeError"),
    ],
    ids=["nothing", "noise", "none", "unknown"],
)
def test_a_request_that_cannot_be_read_is_answered_and_the_next_one_too(body, why):
    (request,) = requests("rikiki", "steady", 1)
    with running() as process:
        with pytest.raises(WorkerError, match=why):
            ask(process, body)
        assert ask(process, request) in map(str, request.view.legal)


def test_a_robot_or_game_that_does_not_exist_is_answered_in_words():
    (request,) = requests("rikiki", "steady", 1)
    with running() as process:
        with pytest.raises(WorkerError, match="no level is called 'clever'"):
            ask(process, msgspec.structs.replace(request, level="clever"))
        with pytest.raises(WorkerError, match="no game is called 'snap'"):
            ask(process, msgspec.structs.replace(request, game="snap"))


class Ponderer:
    """Thinks on, a second at a time, until it is stopped; then takes what it has come to."""

    def __init__(self, clock):
        self.clock = clock

    def choose(self, view, rng, stop):
        while not stop():
            self.clock[0] += 1
        return view.legal[int(self.clock[0]) % len(view.legal)]


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self):
        self.own = self


def test_what_stays_between_requests_is_looked_through_for_garbage_once():
    knots = []

    def answers(_request):
        knot = Knot()
        knots.append(weakref.ref(knot))
        yield 1

    gc.unfreeze()
    answer_all(answers, BytesIO(packed(0)), BytesIO())
    try:
        assert knots[0]() is None
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_thinking_is_stopped_after_a_while_and_the_next_one_has_as_long(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(worker, "monotonic", lambda: clock[0])
    monkeypatch.setattr(worker, "_get_robot", lambda level, game: Ponderer(clock))
    asked, answers = requests("rikiki", "steady", 2), BytesIO()
    answer_all(worker.answer_request, BytesIO(b"".join(map(packed, asked))), answers)
    assert clock == [100 + 2 * worker.MAX_CHOICE_SECONDS]
    answers.seek(0)
    assert [answered(answers), answered(answers)] == [
        str(request.view.legal[now % len(request.view.legal)]) for now, request in zip((102, 104), asked, strict=True)
    ]


def test_outside_this_process_nothing_stops_a_robot():
    (request,) = requests("rikiki", "steady", 1)
    view, asked = request.view, []
    robot = SimpleNamespace(choose=lambda view, rng, stop: asked.append(stop()) or view.legal[0])
    assert decide(robot, view, request.seed, request.decisions) == view.legal[0]
    assert asked == [False]


def test_half_a_request_at_the_end_is_no_request():
    (request,) = requests("bridge", "steady", 1)
    with running() as process:
        process.stdin.write(packed(request)[:-5])


def test_ctrl_c_in_the_terminal_is_not_for_the_worker():
    (request,) = requests("bridge", "steady", 1)
    with running() as process:
        ask(process, request)
        process.send_signal(signal.SIGINT)
        assert ask(process, request)


LOUD = """
from cardtable.workers import server

def answers(request):
    print("thinking")
    try:
        yield input()
    except EOFError:
        yield request

server.serve(answers)
"""


def test_what_is_printed_there_goes_where_errors_go_and_nothing_can_be_read():
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", LOUD], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert [ask(process, text) for text in ("one", "two")] == ["one", "two"]
        assert process.communicate(timeout=20) == (b"", b"thinking\nthinking\n".replace(b"\n", os.linesep.encode()))


def test_a_worker_whose_answer_nobody_reads_ends_in_silence():
    (request,) = requests("rikiki", "steady", 1)
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        process.stdin.write(packed(request))
        process.stdin.close()
        assert process.stderr.read() == b""
        process.wait(timeout=20)


def test_the_worker_ends_when_its_parent_is_killed():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert int(parent.stdout.readline())
        parent.kill()
        parent.communicate(timeout=20)  # the end of the output, which the worker holds as well
