"""What the archive's screen lists: the filters, the order, and where the cursor is."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from cardtable.engine.text_format import counted
from cardtable.games import ABOUT
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording import archive_rows
from cardtable.wording.archive_rows import MONTH, RESULTS, SORTS, TODAY, WEEK, ArchivedSession, ArchiveFilter, Sort

FILTERS: Final = ("game", "player", "when", "result")
ANY: Final = {"game": "any game", "player": "anyone", "when": "any time", "result": "any result"}
"""What a filter says that lets all pass."""
MOST_TYPED: Final = 40
"""Characters that can be looked for."""
MOST_NICKS: Final = 100
"""People that can be stepped through; of more the others are found by typing."""


class ArchiveList:
    """Rows out of all that there are."""

    def __init__(self, now: datetime, nick: str = "") -> None:
        """``nick`` is who is wanted at first, if anybody."""
        self.now = now
        self.all: Sequence[ArchivedSession] = ()
        """All sessions, the newest first."""
        self.shown: Sequence[ArchivedSession] = ()
        """Those that are wanted, in the order that is wanted."""
        self.entry = TextInput(MOST_TYPED)
        self.typing = False
        """Whether keys go to the line with what is looked for."""
        self.chosen = dict.fromkeys(FILTERS, "")
        self.chosen["player"] = nick
        self.filter = FILTERS[0]
        """Which filter the arrows change."""
        self.sort: Sort = "newest"
        self.cursor = 0
        self.offset = 0
        """Rows that are scrolled away."""
        self.follow = True
        """Whether the cursor is kept in sight; not while the wheel is turned."""
        self.progress = "looking for sessions"
        """What is still being found out, in words."""
        self._nicks: list[str] = []
        self._years: list[str] = []

    @property
    def row(self) -> ArchivedSession | None:
        """The row under the cursor."""
        return self.shown[self.cursor] if self.shown else None

    @property
    def filtered(self) -> bool:
        """Whether something is looked for."""
        return bool(self.entry.text.strip()) or any(self.chosen.values())

    def renew(self, rows: Sequence[ArchivedSession]) -> None:
        """These are all sessions now; the cursor stays on its own."""
        self.all = rows
        self._nicks, self._years = archive_rows.nicks(rows)[:MOST_NICKS], archive_rows.years(rows)
        self._select(self._at)

    @property
    def _at(self) -> Path | None:
        return self.row.summary.path if self.row and self.cursor else None

    def _select(self, at: Path | None = None) -> None:
        """List what is wanted; the cursor goes to the session of a file, or to the first row."""
        wanted = ArchiveFilter(self.entry.text, *[self._wanted(name) for name in FILTERS])
        self.shown = archive_rows.ordered(archive_rows.select(self.all, wanted, self.now.date()), self.sort)
        paths = [row.summary.path for row in self.shown] if at else []
        self.cursor = paths.index(at) if at in paths else 0
        self.follow = True

    def _wanted(self, name: str) -> str:
        value = self.chosen[name]
        return next((key for key, about in ABOUT.items() if about.title == value), value) if name == "game" else value

    def values(self, name: str) -> list[str]:
        """What a filter steps through; the first lets all pass."""
        return {
            "game": ["", *[about.title for about in ABOUT.values()]],
            "player": ["", *self._nicks],
            "when": ["", TODAY, WEEK, MONTH, *self._years],
            "result": ["", *RESULTS],
        }[name]

    def said(self, name: str) -> str:
        """What a filter lets pass, in words."""
        return self.chosen[name] or ANY[name]

    def step(self, name: str, step: int) -> None:
        """The next value of a filter, which the arrows change from now on."""
        self.filter = name
        values, value = self.values(name), self.chosen[name]
        at = values.index(value) if value in values else 0
        self.chosen[name] = values[(at + step) % len(values)]
        self._select(self._at)

    def turn_to(self, step: int) -> None:
        """Let the arrows change the next filter."""
        self.filter = FILTERS[(FILTERS.index(self.filter) + step) % len(FILTERS)]

    def typed(self) -> None:
        """Something else is looked for."""
        self._select(self._at)

    def clear(self) -> None:
        """Let all pass."""
        self.entry.clear()
        self.chosen = dict.fromkeys(FILTERS, "")
        self._select(self._at)

    def sort_by(self, sort: Sort) -> None:
        """List in this order, from the top."""
        self.sort = sort
        self._select()

    def sort_next(self) -> None:
        """List in the next order."""
        self.sort_by(SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)])

    def go(self, line: int) -> None:
        """Go to a line, no further than the ends."""
        self.cursor = max(0, min(line, len(self.shown) - 1))
        self.follow = True

    def scroll(self, rows: int) -> None:
        """Scroll away from the cursor."""
        self.offset += rows
        self.follow = False

    def number(self) -> tuple[str, str]:
        """How many there are: a number, and the words after it."""
        if len(self.shown) < len(self.all):
            return f"{len(self.shown):,}", f"of {len(self.all):,} sessions"
        figure, word = counted(len(self.all), "session").split()
        return f"{int(figure):,}", word
