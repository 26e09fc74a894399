"""Model of the archive page: filters, sort order and cursor."""

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
"""Text of each filter while it matches every session."""
MOST_TYPED: Final = 40
"""Maximum length of the search text, in characters."""
MOST_NICKS: Final = 100
"""Maximum number of people in the filter by player. Others can be found by the search text."""


class ArchiveList:
    """Rows of the archive after filtering and sorting, with a cursor."""

    def __init__(self, now: datetime, nick: str = "") -> None:
        """Create an empty list. ``nick`` is the initial filter by player, or ``""`` for none."""
        self.now = now
        self.all: Sequence[ArchivedSession] = ()
        """All sessions, the one played last first."""
        self.shown: Sequence[ArchivedSession] = ()
        """Sessions that match the search text and all filters, in the selected order."""
        self.entry = TextInput(MOST_TYPED)
        self.typing = False
        """True if keys go to the search field."""
        self.chosen = dict.fromkeys(FILTERS, "")
        self.chosen["player"] = nick
        self.filter = FILTERS[0]
        """Name of the filter that the Left and Right keys change."""
        self.sort: Sort = "newest"
        self.cursor = 0
        self.offset = 0
        """Index of the first visible row."""
        self.follow = True
        """True if the list is scrolled so that the cursor is visible. The mouse wheel sets it to False."""
        self.progress = "looking for sessions"
        """Text about the progress of reading, or ``""`` once everything has been read."""
        self._nicks: list[str] = []
        self._years: list[str] = []

    @property
    def row(self) -> ArchivedSession | None:
        """Row at the cursor, or ``None`` if no session matches."""
        return self.shown[self.cursor] if self.shown else None

    @property
    def filtered(self) -> bool:
        """True if there is a search text, or a filter that does not match every session."""
        return bool(self.entry.text.strip()) or any(self.chosen.values())

    def renew(self, rows: Sequence[ArchivedSession]) -> None:
        """Replace all sessions. The cursor stays on its session if that still matches."""
        self.all = rows
        self._nicks, self._years = archive_rows.nicks(rows)[:MOST_NICKS], archive_rows.years(rows)
        self._select(self._at)

    @property
    def _at(self) -> Path | None:
        return self.row.summary.path if self.row and self.cursor else None

    def _select(self, at: Path | None = None) -> None:
        """Apply search text, filters and order.

        The cursor moves to the session with the journal ``path``, or to the first row if it does not match.
        """
        wanted = ArchiveFilter(self.entry.text, *[self._wanted(name) for name in FILTERS])
        self.shown = archive_rows.sort_rows(archive_rows.filter_rows(self.all, wanted, self.now.date()), self.sort)
        paths = [row.summary.path for row in self.shown] if at else []
        self.cursor = paths.index(at) if at in paths else 0
        self.follow = True

    def _wanted(self, name: str) -> str:
        value = self.chosen[name]
        return next((key for key, about in ABOUT.items() if about.title == value), value) if name == "game" else value

    def values(self, name: str) -> list[str]:
        """Return the values of a filter in order. The first one, ``""``, matches every session."""
        return {
            "game": ["", *[about.title for about in ABOUT.values()]],
            "player": ["", *self._nicks],
            "when": ["", TODAY, WEEK, MONTH, *self._years],
            "result": ["", *RESULTS],
        }[name]

    def said(self, name: str) -> str:
        """Return the text of a filter's selected value."""
        return self.chosen[name] or ANY[name]

    def step(self, name: str, step: int) -> None:
        """Select the value ``step`` positions further in a filter, wrapping around at the ends.

        The Left and Right keys change this filter from now on.
        """
        self.filter = name
        values, value = self.values(name), self.chosen[name]
        at = values.index(value) if value in values else 0
        self.chosen[name] = values[(at + step) % len(values)]
        self._select(self._at)

    def turn_to(self, step: int) -> None:
        """Let the Left and Right keys change the filter ``step`` positions further, wrapping around at the ends."""
        self.filter = FILTERS[(FILTERS.index(self.filter) + step) % len(FILTERS)]

    def typed(self) -> None:
        """Apply the search text after it has changed."""
        self._select(self._at)

    def clear(self) -> None:
        """Clear the search text and all filters."""
        self.entry.clear()
        self.chosen = dict.fromkeys(FILTERS, "")
        self._select(self._at)

    def sort_by(self, sort: Sort) -> None:
        """Change the sort order, and move the cursor to the first row."""
        self.sort = sort
        self._select()

    def sort_next(self) -> None:
        """Change to the next sort order in ``SORTS``, and move the cursor to the first row."""
        self.sort_by(SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)])

    def go(self, line: int) -> None:
        """Move the cursor to the row ``index``, which is limited to the existing rows."""
        self.cursor = max(0, min(line, len(self.shown) - 1))
        self.follow = True

    def scroll(self, rows: int) -> None:
        """Scroll the list by a number of rows, without moving the cursor."""
        self.offset += rows
        self.follow = False

    def number(self) -> tuple[str, str]:
        """Return the number of matching sessions as text, and the words that follow it."""
        if len(self.shown) < len(self.all):
            return f"{len(self.shown):,}", f"of {len(self.all):,} sessions"
        figure, word = with_count(len(self.all), "session").split()
        return f"{int(figure):,}", word
