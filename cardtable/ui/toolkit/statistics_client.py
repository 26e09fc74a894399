"""Client of the worker process that computes ratings and statistics."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
    from cardtable.workers.client import WorkerProcess

STOP_TIMEOUT: Final = 1.0
"""Number of seconds in which the worker process may write its cache before it is stopped."""


class StatisticsWorker:
    """Starter of a worker process for each request of a page; stores the last records received."""

    def __init__(self) -> None:
        self.records: AggregatedRecords | None = None
        """Last records received; ``None`` before the first ones."""
        self._processes: set[WorkerProcess] = set()
        """Processes that have not ended yet."""

    async def compute_records(self, report: "Callable[[AggregationProgress], None]") -> None:
        """Compute the records in a worker process, which is stopped at the end, also if the caller is cancelled.

        ``report`` is called with each message of progress. Raises ``OSError`` if the worker process cannot be started
        or fails.
        """
        from cardtable.records.aggregation import AggregationRequest  # noqa: PLC0415 - lazy: startup
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - lazy: startup

        process = WorkerProcess("cardtable.records.aggregation", STOP_TIMEOUT)
        self._processes.add(process)
        try:
            async with aclosing(process.ask(AggregationRequest())) as messages:
                async for message in messages:
                    self.records = message.records or self.records
                    report(message)
        finally:
            ending = asyncio.create_task(process.stop())
            ending.add_done_callback(lambda _: self._processes.discard(process))

    async def stop(self) -> None:
        """Stop all worker processes, and wait until they have ended."""
        for process in list(self._processes):
            await process.stop()
