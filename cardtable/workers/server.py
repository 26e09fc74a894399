"""A process beside the program: it answers requests that come through a pipe, as long as somebody has any.

Requests and answers are pickles, each with its kind and its length before it.
"""

import gc
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from io import FileIO
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO, Final, Generic, TypeAlias, TypeVar

import msgspec

from cardtable.engine.errors import CardtableError

A = TypeVar("A")
Q = TypeVar("Q")

ANSWER, DONE, TROUBLE = b"+", b".", b"-"
"""Kinds of messages: an answer, that there are no more to a request, why it cannot be answered."""
HEAD: Final = struct.Struct(">cI")
"""What stands before each message: its kind, and how long it is."""
PATH_VARIABLE: Final = "CARDTABLE_PATH"
"""Entries of ``sys.path``, a line each, from one process to the next; not for those that it starts in its turn."""
_SET_PATH: Final = (
    f"path = os.environ.pop('{PATH_VARIABLE}', ''); sys.path[:] = dict.fromkeys([*path.splitlines(), *sys.path])"
)


class WorkerRequest(msgspec.Struct, Generic[A], frozen=True):
    """A request; ``A`` is what its answers are."""


def framed(kind: bytes, body: bytes = b"") -> bytes:
    """A message as it goes through the pipe."""
    return HEAD.pack(kind, len(body)) + body


def command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the words that start the ``main`` of a module in a process that finds the same packages as this one.

    It needs the `environment`, which says where those are.
    """
    code = f"import os, sys; {_SET_PATH}; from {module} import main; sys.exit(main())"
    return sys.executable, "-P", "-c", code, *arguments


def environment(given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what is given, and where a process that is started with `command` finds packages.

    The absolute entries of this process's ``sys.path`` come first there, since a wrapper may have added some that the
    interpreter does not know. The working directory is none of them, as anybody's modules may lie in it, unless
    PYTHONPATH names it.
    """
    wanted = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    absolute = [entry for entry in sys.path if Path(entry).is_absolute()]
    entries = [entry for entry in absolute if entry in wanted or not _is_working_directory(entry)]
    return {**given, PATH_VARIABLE: "\n".join(entries)}


def _is_working_directory(entry: str) -> bool:
    with suppress(OSError):  # it may have been removed
        return Path(entry).samefile(Path.cwd())
    return False


Answers: TypeAlias = Callable[[Q], Generator[object, None, None]]
"""What gives the answers to a request, one by one; it is closed where nobody wants any more of them."""


def serve(answers: Answers[Q], gives_way: int = 0) -> None:
    """Answer for the program that started this process, until that has no more requests, or is gone.

    This process's priority is lower by ``gives_way``, where there is such a thing; Ctrl+C is left to its parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where a process cannot have a group of its own
    if hasattr(os, "nice"):
        os.nice(gives_way)
    asked, answered = os.dup(0), os.dup(1)
    _give_up_standard_streams()
    with (
        suppress(BrokenPipeError),  # nobody reads
        # not through a buffer, whose lock a thread would hold when the process ends
        open(asked, "rb", buffering=0, closefd=False) as requests,
        os.fdopen(answered, "wb") as out,
    ):
        answer_all(answers, requests, out)


def _give_up_standard_streams() -> None:
    """What games and robots print goes where errors go, and there is nothing for them to read."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)


def answer_all(answers: Answers[Q], requests: FileIO, out: BinaryIO) -> None:
    """Answer one request after the other; once there are no more, what goes on ends after its next answer.

    What is remembered from one to the next is looked through for garbage once, while nobody waits: to look through all
    of it now and then took up to 0.4 s of an answer.
    """
    from queue import SimpleQueue  # noqa: PLC0415 - who asks does without

    coming: SimpleQueue[bytes | None] = SimpleQueue()
    over = Event()

    def listen() -> None:
        with suppress(EOFError):
            while True:
                _, size = HEAD.unpack(_exactly(requests, HEAD.size))
                coming.put(_exactly(requests, size))
        over.set()
        coming.put(None)

    Thread(target=listen, daemon=True).start()
    while (body := coming.get()) is not None:
        for message in _answered(answers, body, over):
            out.write(message)
            out.flush()
        gc.collect()
        gc.freeze()


def _exactly(pipe: FileIO, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = pipe.read(size - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def _answered(answers: Answers[Q], body: bytes, over: Event) -> Iterator[bytes]:
    """The messages about a request; one that cannot be read or answered is told why."""
    try:
        from cardtable.games import blaming  # noqa: PLC0415 - who asks does without

        with blaming(), closing(answers(pickle.loads(body))) as coming:  # noqa: S301 - from the program that started this one
            for answer in coming:
                yield framed(ANSWER, pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))
                if over.is_set():
                    break
        yield framed(DONE)
    except Exception as error:
        why = str(error) if isinstance(error, CardtableError) else f"{type(error).__name__}: {error}"
        yield framed(TROUBLE, why.encode(errors="replace"))
