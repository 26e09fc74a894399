"""A match shared out among processes; what comes of it does not depend on how many there are.

Each process is given the number of a session and sends what came of its deals, one by one, until
there are no more sessions.  It ignores Ctrl+C, which is meant for the parent, and does not outlive
that.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread

from cardtable.robots.arena import Match, Outcome, play


def played(match: Match, workers: int) -> Iterator[Outcome]:
    """The outcomes as they come, with ``workers`` processes in whatever order.

    Raises ``ChildProcessError`` if one of the processes dies.
    """
    sessions = iter(range(match.sessions))
    if min(workers, match.sessions) == 1:
        for session in sessions:
            yield from play(match, session)
        return
    children, pipes = _started(match, min(workers, match.sessions))
    try:
        yield from _gathered(pipes, sessions)
    except (EOFError, ConnectionError):
        raise ChildProcessError("a process that played the match has died") from None
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.join()


def _started(match: Match, number: int) -> tuple[list[BaseProcess], list[Connection]]:
    """So many processes, and a pipe to each."""
    os.environ["PYTHONSAFEPATH"] = "1"  # modules of the folder that one is in are none of theirs
    context = get_context("spawn")
    children: list[BaseProcess] = []
    pipes: list[Connection] = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # what they begin with
    try:
        for _ in range(number):
            ours, theirs = context.Pipe()
            child = context.Process(target=_serve, args=(match, theirs), daemon=True)
            child.start()
            theirs.close()
            children.append(child)
            pipes.append(ours)
    finally:
        signal.signal(signal.SIGINT, before)
    return children, pipes


def _gathered(pipes: list[Connection], sessions: Iterator[int]) -> Iterator[Outcome]:
    """What comes through the pipes, while there are sessions to be played."""
    playing = [pipe for pipe in pipes if _asked(pipe, sessions)]
    while playing:
        ready = wait(playing)
        for pipe in [each for each in playing if each in ready]:
            outcome = pipe.recv()
            if outcome is not None:
                yield outcome
            elif not _asked(pipe, sessions):
                playing.remove(pipe)


def _asked(pipe: Connection, sessions: Iterator[int]) -> bool:
    """Ask for one more session, if there is one; tell whether there was."""
    for session in sessions:
        pipe.send(session)
        return True
    return False


def _serve(match: Match, pipe: Connection) -> None:
    """Play the sessions that are asked for, while somebody asks and listens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            for outcome in play(match, pipe.recv()):
                pipe.send(outcome)
            pipe.send(None)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
