"""Model of the archive page: filters, sort order, cursor."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from cardtable.engine.text_format import with_count
from cardtable.games import ABOUT
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording import archive_rows
from cardtable.wording.archive_rows import MONTH, RESULTS, SORTS, TODAY, WEEK, ArchivedSession, ArchiveFilter, Sort

FILTERS: Final = ("game", "player", "when", "result")
ANY: Final = {"game": "any game", "player": "anyone", "when": "any time", "result": "any result"}
"""Text of each filter that matches every session."""
MOST_TYPED: Final = 40
"""Characters of the search text at most."""
MOST_NICKS: Final = 100
"""People in the filter's list at most; others are found by typing."""


class ArchiveList:
    """Filtered and sorted rows of the archive, with a cursor."""

    def __init__(self, now: datetime, nick: str = "") -> None:
        """Prepare an empty list; `nick` is the initial filter for a person, if any."""
        self.now = now
        self.all: Sequence[ArchivedSession] = ()
        """All sessions, from newest to oldest."""
        self.shown: Sequence[ArchivedSession] = ()
        """Sessions that pass the filter, sorted."""
        self.entry = TextInput(MOST_TYPED)
        self.typing = False
        """True if keys go to the search field."""
        self.chosen = dict.fromkeys(FILTERS, "")
        self.chosen["player"] = nick
        self.filter = FILTERS[0]
        """Name of the filter that Left and Right change."""
        self.sort: Sort = "newest"
        self.cursor = 0
        self.offset = 0
        """Scrolled rows."""
        self.follow = True
        """True if the list scrolls to the cursor; False after the mouse wheel was turned."""
        self.progress = "looking for sessions"
        """Text on the progress of reading; empty once everything is read."""
        self._nicks: list[str] = []
        self._years: list[str] = []

    @property
    def row(self) -> ArchivedSession | None:
        """Row under the cursor."""
        return self.shown[self.cursor] if self.shown else None

    @property
    def filtered(self) -> bool:
        """True if a search text or filter is set."""
        return bool(self.entry.text.strip()) or any(self.chosen.values())

    def renew(self, rows: Sequence[ArchivedSession]) -> None:
        """Replace all sessions; the cursor stays on its session."""
        self.all = rows
        self._nicks, self._years = archive_rows.nicks(rows)[:MOST_NICKS], archive_rows.years(rows)
        self._select(self._at)

    @property
    def _at(self) -> Path | None:
        return self.row.summary.path if self.row and self.cursor else None

    def _select(self, at: Path | None = None) -> None:
        """Apply filter and order; move the cursor to the session of the file `at`, or to the first row."""
        wanted = ArchiveFilter(self.entry.text, *[self._wanted(name) for name in FILTERS])
        self.shown = archive_rows.sort_rows(archive_rows.filter_rows(self.all, wanted, self.now.date()), self.sort)
        paths = [row.summary.path for row in self.shown] if at else []
        self.cursor = paths.index(at) if at in paths else 0
        self.follow = True

    def _wanted(self, name: str) -> str:
        value = self.chosen[name]
        return next((key for key, about in ABOUT.items() if about.title == value), value) if name == "game" else value

    def values(self, name: str) -> list[str]:
        """Return the values of a filter in order; the first matches every session."""
        return {
            "game": ["", *[about.title for about in ABOUT.values()]],
            "player": ["", *self._nicks],
            "when": ["", TODAY, WEEK, MONTH, *self._years],
            "result": ["", *RESULTS],
        }[name]

    def said(self, name: str) -> str:
        """Return the chosen value of a filter as text."""
        return self.chosen[name] or ANY[name]

    def step(self, name: str, step: int) -> None:
        """Step through the values of a filter, which Left and Right change from now on."""
        self.filter = name
        values, value = self.values(name), self.chosen[name]
        at = values.index(value) if value in values else 0
        self.chosen[name] = values[(at + step) % len(values)]
        self._select(self._at)

    def turn_to(self, step: int) -> None:
        """Let Left and Right change another filter, `step` filters on."""
        self.filter = FILTERS[(FILTERS.index(self.filter) + step) % len(FILTERS)]

    def typed(self) -> None:
        """Apply the changed search text."""
        self._select(self._at)

    def clear(self) -> None:
        """Clear search text and filters."""
        self.entry.clear()
        self.chosen = dict.fromkeys(FILTERS, "")
        self._select(self._at)

    def sort_by(self, sort: Sort) -> None:
        """Change the order; the cursor moves to the first row."""
        self.sort = sort
        self._select()

    def sort_next(self) -> None:
        """Change to the next order."""
        self.sort_by(SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)])

    def go(self, line: int) -> None:
        """Move the cursor to a row, not past the ends."""
        self.cursor = max(0, min(line, len(self.shown) - 1))
        self.follow = True

    def scroll(self, rows: int) -> None:
        """Scroll the list without moving the cursor."""
        self.offset += rows
        self.follow = False

    def number(self) -> tuple[str, str]:
        """Return the number of sessions, and the words to follow it."""
        if len(self.shown) < len(self.all):
            return f"{len(self.shown):,}", f"of {len(self.all):,} sessions"
        figure, word = with_count(len(self.all), "session").split()
        return f"{int(figure):,}", word
