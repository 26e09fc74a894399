"""Model of the archive page: filters, sort order and cursor."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from cardtable.engine.text_format import format_count
from cardtable.records.archive import FILTERS, SORTS, ArchivedSession, filter_rows, sort_rows
from cardtable.ui.toolkit.text_input import TextInput

MAX_SEARCH_LENGTH: Final = 40
"""Maximum length of the search text, in characters."""
MAX_VALUES: Final = 100
"""Maximum number of values of a filter. Other players can be found by the search text."""


class ArchiveList:
    """Rows of the archive after filtering and sorting, with a cursor."""

    def __init__(self, now: datetime, nick: str = "") -> None:
        """Create an empty list. ``nick`` is the initial filter by player, or ``""`` for none."""
        self.now = now
        self.sessions: Sequence[ArchivedSession] = ()
        """All sessions, the one played last first."""
        self.matches: Sequence[ArchivedSession] = ()
        """Sessions that match the search text and all filters, in the selected order."""
        self.search_input = TextInput(MAX_SEARCH_LENGTH)
        self.is_searching = False
        """True if keys go to the search field."""
        self.filter_values = dict.fromkeys(FILTERS, "")
        self.filter_values["player"] = nick
        self.current_filter = next(iter(FILTERS))
        """Name of the filter that the Left and Right keys change."""
        self.sort = SORTS[0]
        self.cursor = 0
        self.offset = 0
        """Index of the first visible row."""
        self.follow = True
        """True if the list is scrolled so that the cursor is visible. The mouse wheel sets it to False."""
        self.progress = "looking for sessions"
        """Text about the progress of reading, or ``""`` once everything has been read."""
        self.replace_sessions(())

    @property
    def row(self) -> ArchivedSession | None:
        """Row at the cursor, or ``None`` if no session matches."""
        return self.matches[self.cursor] if self.matches else None

    @property
    def is_filtered(self) -> bool:
        """True if there is a search text, or a filter that does not match every session."""
        return bool(self.search_input.text.strip()) or any(self.filter_values.values())

    def replace_sessions(self, rows: Sequence[ArchivedSession]) -> None:
        """Replace all sessions. The cursor stays on its session if that still matches."""
        self.sessions = rows
        # the first value, "", matches every session
        self._values = {name: ["", *row.list_values(rows)[:MAX_VALUES]] for name, row in FILTERS.items()}
        self._apply_filters(self._cursor_path)

    @property
    def _cursor_path(self) -> Path | None:
        return self.row.summary.path if self.row and self.cursor else None

    def _apply_filters(self, path: Path | None = None) -> None:
        """Apply search text, filters and order.

        The cursor moves to the session with the journal ``path``, or to the first row if it does not match.
        """
        found = filter_rows(self.sessions, self.search_input.text, self.filter_values, self.now.date())
        self.matches = sort_rows(found, self.sort)
        paths = [row.summary.path for row in self.matches] if path else []
        self.cursor = paths.index(path) if path in paths else 0
        self.follow = True

    def format_filter(self, name: str) -> str:
        return self.filter_values[name] or FILTERS[name].any_text

    def step_filter(self, name: str, step: int) -> None:
        """Select the value ``step`` positions further in a filter, wrapping around at the ends.

        The Left and Right keys change this filter from now on.
        """
        self.current_filter = name
        values, value = self._values[name], self.filter_values[name]
        at = values.index(value) if value in values else 0
        self.filter_values[name] = values[(at + step) % len(values)]
        self._apply_filters(self._cursor_path)

    def select_filter(self, step: int) -> None:
        """Move the selection ``step`` filters along, wrapping around at the ends; Left and Right then change that
        filter.
        """
        names = [*FILTERS]
        self.current_filter = names[(names.index(self.current_filter) + step) % len(names)]

    def apply_search(self) -> None:
        self._apply_filters(self._cursor_path)

    def clear_filters(self) -> None:
        """Clear the search text and all filters."""
        self.search_input.clear()
        self.filter_values = dict.fromkeys(FILTERS, "")
        self._apply_filters(self._cursor_path)

    def sort_by(self, sort: str) -> None:
        """Change the sort order, and move the cursor to the first row."""
        self.sort = sort
        self._apply_filters()

    def sort_next(self) -> None:
        self.sort_by(SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)])

    def move_cursor(self, index: int) -> None:
        """Move the cursor to the row ``index``, which is limited to the existing rows."""
        self.cursor = max(0, min(index, len(self.matches) - 1))
        self.follow = True

    def scroll(self, rows: int) -> None:
        """Scroll the list by a number of rows, without moving the cursor."""
        self.offset += rows
        self.follow = False

    def format_count(self) -> tuple[str, str]:
        """Return the number of matching sessions as text, and the words that follow it."""
        if len(self.matches) < len(self.sessions):
            return f"{len(self.matches):,}", f"of {len(self.sessions):,} sessions"
        figure, word = format_count(len(self.sessions), "session").split()
        return f"{int(figure):,}", word
