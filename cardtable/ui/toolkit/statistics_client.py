"""Ratings and statistics for the pages that show them, reckoned in a process of its own."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
    from cardtable.workers.client import WorkerProcess

PATIENCE: Final = 1.0
"""Seconds in which a process may write down what it knows."""


class StatisticsWorker:
    """Has records reckoned whenever a page asks for them, and remembers those that it told last."""

    def __init__(self) -> None:
        self.records: AggregatedRecords | None = None
        """``None`` until they were reckoned for the first time."""
        self._children: list[WorkerProcess] = []

    async def reckon(self, tell: "Callable[[AggregationProgress], None]") -> None:
        """Tell how far things are until all is reckoned; if this is cancelled, the process ends.

        Raises ``OSError`` where there can be no process, or where it fails.
        """
        from cardtable.records.aggregation import AggregationRequest  # noqa: PLC0415 - after the first picture
        from cardtable.workers.client import WorkerProcess  # noqa: PLC0415 - after the first picture

        child = WorkerProcess("cardtable.records.aggregation", PATIENCE)
        self._children.append(child)
        try:
            async with aclosing(child.ask(AggregationRequest())) as coming:
                async for message in coming:
                    self.records = message.records or self.records
                    tell(message)
        finally:
            child.part()

    async def stop(self) -> None:
        """Wait until all processes have ended."""
        for child in self._children:
            await child.stop()
