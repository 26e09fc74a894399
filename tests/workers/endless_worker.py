"""Worker that computes without an end for some requests."""

from contextlib import suppress

from cardtable.robots import worker
from cardtable.workers import time_limit
from cardtable.workers.server import WorkerRequest, serve
from cardtable.workers.time_limit import TimeLimit


class EndlessRequest(WorkerRequest[str], frozen=True):
    """Request that is never answered."""


class LateRequest(WorkerRequest[str], frozen=True):
    """Request whose answer exceeds the time limit."""


class StuckRequest(WorkerRequest[str], frozen=True):
    """Request whose answer exceeds the time limit and swallows all interruptions."""


class EchoRequest(WorkerRequest[str], frozen=True):
    """Request that is answered at once."""

    text: str


def loop_forever():
    while True:
        pass


def swallow_interruptions():
    while True:
        with suppress(BaseException):
            loop_forever()


def answer_request(request):
    match request:
        case EndlessRequest():
            loop_forever()
        case LateRequest():
            yield TimeLimit(0.01).call(loop_forever)
        case StuckRequest():
            yield TimeLimit(0.01).call(swallow_interruptions)
        case _:
            yield request.text


def main():
    time_limit._SCAN_SECONDS = 0.01
    serve(answer_request, worker.NICENESS)
