"""Threads for what would hold up a loop: files, journals, passwords."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


class ReusingExecutor(ThreadPoolExecutor):
    """Pool that makes do with the threads it has where the system lets no more be started.

    Its first thread is started at once.  Raises ``RuntimeError`` where even that cannot be.
    """

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="cardtable")
        self.submit(int)

    def _adjust_thread_count(self) -> None:
        """Start a thread if it can be; what was submitted is in the queue already, and would be run in any case."""
        try:
            super()._adjust_thread_count()
        except (RuntimeError, MemoryError):
            if not any(thread.is_alive() for thread in self._threads):
                raise


def reuse_threads() -> None:
    """Have ``asyncio.to_thread`` in the running loop make do with few threads."""
    asyncio.get_running_loop().set_default_executor(ReusingExecutor())
