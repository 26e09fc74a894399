"""Base class of the rankings and statistics pages, which aggregates all sessions and shows the progress."""

from datetime import UTC, datetime

from textual import work

from cardtable.records.aggregation import AggregatedRecords, AggregationProgress
from cardtable.records.ratings import Player
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.wording.formatting import format_day

AGGREGATION_FAILED = "The sessions could not be read. cardtable doctor lists problems in files; Esc goes back."
READING = "Reading the sessions ..."


class RecordsPage(Page):
    """Base class of pages that show aggregated records.

    Opening the page starts the aggregation; records that are already known are shown at once.
    """

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.progress = ""
        """Progress of the aggregation in words; empty once it is complete."""
        self.error: str | None = None

    @property
    def records(self) -> AggregatedRecords | None:
        """Records aggregated so far; ``None`` before the first aggregation."""
        return self.context.statistics_client.records

    @property
    def player(self) -> Player | None:
        """Player whose sessions the page can list; ``None`` if there is none. Subclasses must implement this."""
        raise NotImplementedError

    @property
    def can_list_sessions(self) -> bool:
        """True if the player's sessions can be listed; those of robots cannot: the archive is searched by nick."""
        return self.player is not None and not self.player.robot

    def action_sessions(self) -> None:
        """Open the archive, filtered by the player's name."""
        if self.player is not None:
            self.show("archive", self.player.name)

    def on_mount(self) -> None:
        self._aggregate()

    @work(exclusive=True)
    async def _aggregate(self) -> None:
        try:
            await self.context.statistics_client.compute_records(self._handle_progress)
        except OSError:
            self.error = AGGREGATION_FAILED
        if self.records is None:
            self.error = AGGREGATION_FAILED
        self.progress = ""
        self.update_records()
        self.repaint()

    def _handle_progress(self, progress: AggregationProgress) -> None:
        self.progress = (
            f"{progress.read} of {progress.sessions} sessions {progress.stage}"
            if progress.read < progress.sessions
            else ""
        )
        if progress.records:
            self.update_records()
        self.repaint()

    def update_records(self) -> None:
        """Adopt new records; called during and after the aggregation."""


def format_date(seconds: float) -> str:
    """Format a POSIX timestamp as a local date with its year."""
    then = _to_local_time(seconds)
    return f"{format_day(then)} {then.year}"


def format_dates(first: float, last: float) -> tuple[str, str]:
    """Format two POSIX timestamps as local dates, with their years if these differ."""
    start, end = _to_local_time(first), _to_local_time(last)
    return (format_day(start), format_day(end)) if start.year == end.year else (format_date(first), format_date(last))


def _to_local_time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def paint_message(canvas: Canvas, x: int, y: int, width: int, text: str, *hints: str) -> None:
    """Paint a message where figures are missing, and hints below it, wrapped to ``width`` columns."""
    inks = canvas.theme.inks
    for line in wrap(text, width):
        canvas.write(x, y, line, inks.text)
        y += 1
    for line in [line for hint in hints for line in ["", *wrap(hint, width)]]:
        canvas.write(x, y, line, inks.muted)
        y += 1
