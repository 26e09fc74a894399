"""Server of a worker process, which answers requests from a pipe until the parent process closes it.

Requests and answers are pickles. Each is preceded by a header with its kind and length. The process ends at once when
the pipe is closed, even during a computation, because the parent has then ended or wants no more answers.
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
from cardtable.workers.time_limit import TimeLimitExceeded, end_process_if_stuck

A = TypeVar("A")
Q = TypeVar("Q")

ANSWER, DONE, FAILURE, LATE = b"+", b".", b"-", b"?"
"""Kinds of messages: an answer, the end of the answers to a request, the reason of a refusal (UTF-8 text), and the news
that code of another package has exceeded its time limit."""
LEAVE: Final = b"!"
"""Kind of the last message to a process: it may finish the present answer, and then has to end by itself."""
MESSAGE_HEADER: Final = struct.Struct(">cI")
"""Header of each message: its kind, and the length of its body in bytes."""
PATH_VARIABLE: Final = "CARDTABLE_PATH"
"""Environment variable with entries of ``sys.path``, one per line; the process removes it when it starts."""
_SET_PATH: Final = (
    f"path = os.environ.pop('{PATH_VARIABLE}', ''); sys.path[:] = dict.fromkeys([*path.splitlines(), *sys.path])"
)


BACKGROUND_NICENESS: Final = 10
"""Nice value added to a process whose answers can wait; the program and the robots' process have priority."""


_PR_SET_PDEATHSIG: Final = 1
"""Option of prctl(2): the signal that the process receives when its parent has ended."""


class WorkerRequest(msgspec.Struct, Generic[A], frozen=True):
    """Base class of requests to a worker process; ``A`` is the type of the answers."""


def encode_message(kind: bytes, body: bytes = b"") -> bytes:
    return MESSAGE_HEADER.pack(kind, len(body)) + body


def build_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command line that runs ``main`` of a module in a new process with the packages of this one.

    The process needs the environment from ``build_environment``, which contains their paths.
    """
    code = f"import os, sys; {_SET_PATH}; from {module} import main; sys.exit(main())"
    return sys.executable, "-P", "-c", code, *arguments


def build_environment(base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return ``base`` with the package paths of this process, for a process started with ``build_command``.

    The paths are the absolute entries of ``sys.path``, to which a wrapper may have added some. The working directory is
    left out unless PYTHONPATH names it, because it may contain modules of other people.
    """
    python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    absolute = [entry for entry in sys.path if Path(entry).is_absolute()]
    entries = [entry for entry in absolute if entry in python_path or not _is_working_directory(entry)]
    return {**base, PATH_VARIABLE: "\n".join(entries)}


def _is_working_directory(entry: str) -> bool:
    with suppress(OSError):  # the working directory may have been deleted
        return Path(entry).samefile(Path.cwd())
    return False


Answers: TypeAlias = Callable[[Q], Generator[object, None, None]]
"""Function that yields the answers to a request. The generator is closed early if no more answers are wanted."""


def serve(answers: Answers[Q], nice_increment: int = 0) -> None:
    """Answer requests on the standard input until it ends; the main loop of a worker process.

    ``nice_increment``: added to the nice value of the process, on systems that have one. SIGINT is ignored, on
    Windows also SIGBREAK, because the parent process handles it.
    """
    _end_with_parent()
    end_process_if_stuck()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems without process groups
    if sys.platform == "win32":
        signal.signal(signal.SIGBREAK, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(nice_increment)
    input_fd, output_fd = os.dup(0), os.dup(1)
    _redirect_standard_streams()
    with (
        suppress(BrokenPipeError),  # the parent has ended
        # unbuffered: the reading thread would hold a buffer's lock when the process ends
        open(input_fd, "rb", buffering=0, closefd=False) as requests,
        os.fdopen(output_fd, "wb") as out,
    ):
        answer_all(answers, requests, out, lambda: os._exit(0))


def _end_with_parent() -> None:
    """Let Linux kill this process when its parent ends, even during a computation that no Python thread interrupts.

    The parent is the thread that has started this process. On other systems, the end of the input has to do.
    """
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):  # a Python without ctypes, a C library without prctl
            import ctypes  # noqa: PLC0415 - lazy: optional, Linux only

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _redirect_standard_streams() -> None:
    """Redirect the standard output to the standard error, and the standard input to the null device.

    Games and robots may print or read, which must not disturb the pipe.
    """
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)


def answer_all(
    answers: Answers[Q], requests: FileIO, out: BinaryIO, on_closed: Callable[[], object] = lambda: None
) -> None:
    """Answer requests in order. After a ``LEAVE`` message, or once the input ends, stop after the next answer.

    ``on_closed``: called, in another thread, when the input ends without such a message.

    Garbage is collected between requests, and all surviving objects are frozen (``gc.freeze``), because automatic
    collections of the cached objects took up to 0.4 s of an answer.
    """
    from queue import SimpleQueue  # noqa: PLC0415 - lazy: startup

    pending: SimpleQueue[bytes | None] = SimpleQueue()
    input_ended = Event()

    def listen() -> None:
        try:
            while True:
                kind, size = MESSAGE_HEADER.unpack(_read_exactly(requests, MESSAGE_HEADER.size))
                if kind == LEAVE:
                    break
                pending.put(_read_exactly(requests, size))
        except EOFError:
            on_closed()
        input_ended.set()
        pending.put(None)

    Thread(target=listen, daemon=True).start()
    while (body := pending.get()) is not None:
        for message in _answer_messages(answers, body, input_ended):
            out.write(message)
            out.flush()
        gc.collect()
        gc.freeze()


def _read_exactly(pipe: FileIO, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = pipe.read(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _answer_messages(answers: Answers[Q], body: bytes, input_ended: Event) -> Iterator[bytes]:
    """Yield the messages that answer a pickled request; an exception becomes a message of the kind ``FAILURE``, or
    ``LATE`` if it is a ``TimeLimitExceeded``."""
    try:
        from cardtable.games import convert_plugin_errors  # noqa: PLC0415 - lazy: startup

        with convert_plugin_errors(), closing(answers(pickle.loads(body))) as results:  # noqa: S301 - data of our own parent process
            try:
                for answer in results:
                    yield encode_message(ANSWER, pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))
                    if input_ended.is_set():
                        break
                yield encode_message(DONE)
            except TimeLimitExceeded:
                yield encode_message(LATE)
    except Exception as error:
        reason = str(error) if isinstance(error, CardtableError) else f"{type(error).__name__}: {error}"
        yield encode_message(FAILURE, reason.encode(errors="replace"))
