"""A match shared out among processes; what comes of it does not depend on how many there are.

Each process is given the number of a session and sends what came of its deals, one by one, until
there are no more sessions.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator

from cardtable.pipes.child import Child
from cardtable.pipes.serving import Asks, serve
from cardtable.robots.arena import Match, Outcome, play


class Deals(Asks[Outcome], frozen=True):
    """Asks what comes of the deals of a session."""

    match: Match
    session: int


def _played(asked: Deals) -> Generator[Outcome, None, None]:
    yield from play(asked.match, asked.session)


def main() -> None:
    """Play for the program that started this process."""
    serve(_played)


def played(match: Match, workers: int) -> Iterator[Outcome]:
    """The outcomes as they come, with ``workers`` processes in whatever order.

    Raises ``ChildProcessError`` if one of the processes dies.
    """
    if min(workers, match.sessions) == 1:
        for session in range(match.sessions):
            yield from play(match, session)
        return
    coming = _shared(match, min(workers, match.sessions))
    with asyncio.Runner() as runner:
        try:
            while outcome := runner.run(_next(coming)):
                yield outcome
        finally:
            runner.run(coming.aclose())


async def _next(coming: AsyncGenerator[Outcome, None]) -> Outcome | None:
    return await anext(coming, None)


async def _shared(match: Match, number: int) -> AsyncGenerator[Outcome, None]:
    """What so many processes send."""
    sessions = iter(range(match.sessions))
    children = [Child("cardtable.robots.arena_workers") for _ in range(number)]
    streams = [_asked(child, match, sessions) for child in children]
    waiting = {asyncio.create_task(_next(stream)): stream for stream in streams}
    try:
        while waiting:
            ready, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for each in ready:
                coming = waiting.pop(each)
                if outcome := each.result():
                    waiting[asyncio.create_task(_next(coming))] = coming
                    yield outcome
    finally:
        for each in waiting:
            each.cancel()
        for child in children:
            await child.stop()


async def _asked(child: Child, match: Match, sessions: Iterator[int]) -> AsyncGenerator[Outcome, None]:
    """What one of them sends, while there are sessions to be played."""
    for session in sessions:
        async for outcome in child.ask(Deals(match, session)):
            yield outcome
