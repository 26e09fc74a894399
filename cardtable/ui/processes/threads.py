"""Threads for what would hold up the screen: files, journals, passwords."""

from concurrent.futures import ThreadPoolExecutor


class ReusingExecutor(ThreadPoolExecutor):
    """Pool that makes do with the threads it has where the system lets no more be started.

    Its first thread is started at once.  Raises ``RuntimeError`` where even that cannot be.
    """

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="cardtable")
        self.submit(int)

    def _adjust_thread_count(self) -> None:
        try:
            super()._adjust_thread_count()
        except RuntimeError:
            if not any(thread.is_alive() for thread in self._threads):
                raise
