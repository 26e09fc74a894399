"""Thread pool for blocking work such as files, journals and passwords."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


class ReusingExecutor(ThreadPoolExecutor):
    """Thread pool that makes do with its present threads if the system refuses to start more.

    The first thread is started at once; raises ``RuntimeError`` if that fails.
    """

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="cardtable")
        self.submit(int)

    def _adjust_thread_count(self) -> None:
        """Start a thread if possible. Otherwise an existing thread runs the work, which is already queued."""
        try:
            super()._adjust_thread_count()
        except (RuntimeError, MemoryError):
            if not any(thread.is_alive() for thread in self._threads):
                raise


def use_reusing_executor() -> None:
    """Make a ``ReusingExecutor`` the default executor of the running event loop, used by ``asyncio.to_thread``."""
    asyncio.get_running_loop().set_default_executor(ReusingExecutor())
