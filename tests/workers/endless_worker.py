"""Worker that computes without an end for some requests."""

from cardtable.robots import worker
from cardtable.workers.server import WorkerRequest, serve
from cardtable.workers.time_limit import TimeLimit


class EndlessRequest(WorkerRequest[str], frozen=True):
    """Request that is never answered."""


class LateRequest(WorkerRequest[str], frozen=True):
    """Request whose answer exceeds the time limit."""


class EchoRequest(WorkerRequest[str], frozen=True):
    """Request that is answered at once."""

    text: str


def loop_forever():
    while True:
        pass


def answer_request(request):
    match request:
        case EndlessRequest():
            loop_forever()
        case LateRequest():
            yield TimeLimit(0.01).call(loop_forever)
        case _:
            yield request.text


def main():
    serve(answer_request, worker.NICENESS)
