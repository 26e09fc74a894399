"""Worker that computes without an end for some requests."""

from cardtable.robots import worker
from cardtable.workers.server import WorkerRequest, serve


class EndlessRequest(WorkerRequest[str], frozen=True):
    """Request that is never answered."""


class EchoRequest(WorkerRequest[str], frozen=True):
    """Request that is answered at once."""

    text: str


def answer_request(request):
    while isinstance(request, EndlessRequest):
        pass
    yield request.text


def main():
    serve(answer_request, worker.NICENESS)
