"""Thread pool for blocking work: files, journals, passwords."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


class ReusingExecutor(ThreadPoolExecutor):
    """Thread pool that continues with its present threads if the system refuses to start more.

    The first thread is started at once. Raises ``RuntimeError`` if that fails.
    """

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="cardtable")
        self.submit(int)

    def _adjust_thread_count(self) -> None:
        """Start a thread if possible; the submitted work is already queued, and an existing thread runs it if not."""
        try:
            super()._adjust_thread_count()
        except (RuntimeError, MemoryError):
            if not any(thread.is_alive() for thread in self._threads):
                raise


def use_reusing_executor() -> None:
    """Set a ``ReusingExecutor`` as the default executor of the running event loop (``asyncio.to_thread``)."""
    asyncio.get_running_loop().set_default_executor(ReusingExecutor())
