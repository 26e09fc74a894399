"""Client of the worker process that computes ratings and statistics."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
    from cardtable.workers.client import WorkerProcess

PATIENCE: Final = 1.0
"""Seconds that the worker process has for writing its cache before it is stopped."""


class StatisticsWorker:
    """Starts a worker process for each request of a page, and stores the last records received."""

    def __init__(self) -> None:
        self.records: AggregatedRecords | None = None
        """``None`` before the first result."""
        self._children: list[WorkerProcess] = []

    async def reckon(self, tell: "Callable[[AggregationProgress], None]") -> None:
        """Compute the records, passing progress messages to ``tell``; if cancelled, the worker process ends.

        Raises ``OSError`` if the worker process cannot be started or fails.
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
        """Wait until all worker processes have ended."""
        for child in self._children:
            await child.stop()
