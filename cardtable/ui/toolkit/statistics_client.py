"""Client of the worker process that computes ratings and statistics."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
    from cardtable.workers.client import WorkerProcess

PATIENCE: Final = 1.0
"""Number of seconds in which the worker process may write its cache before it is stopped."""


class StatisticsWorker:
    """Starter of a worker process for each request of a page; stores the last records received."""

    def __init__(self) -> None:
        self.records: AggregatedRecords | None = None
        """Last records received; ``None`` before the first ones."""
        self._children: list[WorkerProcess] = []

    async def reckon(self, tell: "Callable[[AggregationProgress], None]") -> None:
        """Compute the records in a worker process, which is stopped at the end, also if the caller is cancelled.

        ``report`` is called with each message of progress. Raises ``OSError`` if the worker process cannot be started
        or fails.
        """
        from cardtable.records.aggregation import AggregationRequest  # noqa: PLC0415 - lazy: startup
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - lazy: startup

        child = WorkerProcess("cardtable.records.aggregation", PATIENCE)
        self._children.append(child)
        try:
            async with aclosing(child.ask(AggregationRequest())) as messages:
                async for message in messages:
                    self.records = message.records or self.records
                    tell(message)
        finally:
            child.kill()

    async def stop(self) -> None:
        """Stop all worker processes, and wait until they have ended."""
        for child in self._children:
            await child.stop()
