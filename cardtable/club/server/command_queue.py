"""Changes of a session that several want: one task does them one after the other."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Final, TypeAlias, TypeVar

from cardtable.engine.errors import CardtableError
from cardtable.engine.referee import IllegalAction
from cardtable.session.session_events import SessionEvent

Change: TypeAlias = Callable[[], Sequence[SessionEvent]]
CLOSED: Final = "the table is closed"


class CommandQueue:
    """What is wanted and not done yet."""

    def __init__(self, do: Callable[[Change], Awaitable[None]]) -> None:
        """``do`` does a change."""
        self._do = do
        self._wanted: deque[tuple[Change, asyncio.Future[None]]] = deque()
        self.news: Final = asyncio.Event()
        """Set while something is wanted."""
        self._closed = False

    async def submit(self, change: Change) -> None:
        """Have a change done.  Raises what it raises, and ``CardtableError`` where none is done any more."""
        if self._closed:
            raise CardtableError(CLOSED)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wanted.append((change, done))
        self.news.set()
        await done

    async def run_next(self, seconds: float | None) -> bool:
        """Do the next thing that somebody wants; whether anything was, within so many seconds."""
        try:
            await asyncio.wait_for(self.news.wait(), seconds)
        except TimeoutError:
            return False
        await self.run_next_now()
        return True

    async def run_next_now(self) -> None:
        """Do the next thing that somebody wants; there is one."""
        change, done = self._wanted.popleft()
        if not self._wanted:
            self.news.clear()
        try:
            await self._do(change)
        except (IllegalAction, CardtableError) as error:
            _answer(done, error)
        except BaseException:
            _answer(done, CardtableError(CLOSED))
            raise
        _answer(done)

    def close(self) -> None:
        """Nothing is done any more."""
        self._closed = True
        for _, done in self._wanted:
            _answer(done, CardtableError(CLOSED))


def _answer(done: "asyncio.Future[None]", error: Exception | None = None) -> None:
    """Tell who waits for it that something is done, or why not."""
    if done.done():
        return
    if error:
        done.set_exception(error)
    else:
        done.set_result(None)


T = TypeVar("T")


async def run_uninterrupted(doing: Coroutine[object, object, T]) -> T:
    """Do something; where this is cancelled meanwhile, that counts once it is done."""
    task = asyncio.ensure_future(doing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # nobody is there who could be told
        raise
