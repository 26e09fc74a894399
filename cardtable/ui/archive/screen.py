"""The archive: every session, finished or not, found by words and filters; a replay or the table is a key away."""

import asyncio
from collections.abc import Hashable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from textual import work

from cardtable.store import profiles
from cardtable.store.archive_index import Archive
from cardtable.store.profiles import ProfileStore
from cardtable.ui.archive.model import ArchiveList
from cardtable.ui.archive.paint import (
    PANEL,
    FilterStep,
    Find,
    Head,
    ListedRow,
    paint_archive,
    paint_panel,
    rows_of,
    wide,
)
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import ARCHIVE, KeyBinding, named
from cardtable.ui.toolkit.page import Page, PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN, Box
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording import archive_rows
from cardtable.wording.archive_rows import ArchivedSession, SessionCourse

WHEEL: Final = 3
"""Rows that the mouse wheel scrolls at once."""
SLICE: Final = 0.2
"""Seconds for which journals are read before it is asked whether anybody still wants that."""
SHOWN_EACH: Final = 1.0
"""Seconds after which what has been found out is shown."""
AGEING: Final = 30
"""Seconds after which ages are told anew."""
RESTS: Final = 0.15
"""Seconds for which the cursor rests on a session before its journal is read."""
MOST_COURSES: Final = 64
"""Sessions of which it is remembered how they went."""


class ArchivePage(Page):
    """Paints the list, sends keys and mouse to it, and reads what is not known yet in the background."""

    ABOUT = "in the archive"
    SCOPE = ARCHIVE

    def __init__(self, room: PageContext, nick: str = "") -> None:
        super().__init__(room)
        self.archive = ArchiveList(_now(), nick)
        self._found: Archive | None = None
        self._rows: dict[Path, ArchivedSession] = {}
        self._book = ProfileStore()
        """All players, as the rows have them."""
        self._courses: dict[Path, SessionCourse | None] = {}

    def on_mount(self) -> None:
        """Ages are told anew."""
        self.set_interval(AGEING, self.repaint)

    def resumed(self) -> None:
        """Look which sessions there are, and find out about those that are new; keys work meanwhile."""
        self._courses.clear()
        self._read()

    @work(group="archive", exclusive=True)
    async def _read(self) -> None:
        if self._found is None:
            self._found = await asyncio.to_thread(Archive)
        found = self._found
        await asyncio.to_thread(found.look)
        await self._show(found)
        more, shown = True, monotonic()
        while more:
            more = await asyncio.to_thread(found.read, SLICE)
            if not more or monotonic() - shown > SHOWN_EACH:
                await self._show(found)
                shown = monotonic()

    async def _show(self, found: Archive) -> None:
        book = profiles.load()[0]
        before = self._rows if book == self._book else {}
        self._book, self._rows = book, await asyncio.to_thread(_rows, found, before, self.room.me, book)
        archive = self.archive
        archive.progress = _progress(found)
        archive.now = _now()
        archive.renew([*self._rows.values()])
        self._changed()

    def paint_body(self, canvas: Canvas) -> Keys:
        """The list, and at its right the session under the cursor."""
        archive, width, height = self.archive, canvas.width, canvas.height
        archive.now = _now()
        paint_archive(canvas, archive)
        row = archive.row
        if wide(canvas):
            box = Box(width - PANEL, 1, PANEL, height - 2)
            keys = [(name, word) for name, word in self._here() if row]
            paint_panel(canvas, box, row, self._courses.get(row.summary.path) if row else None, keys)
        figure, words = archive.number()
        paint_page_header(canvas, "Archive", archive.progress, f"{figure} {words}")
        start = width - MARGIN - len(f"{figure} {words}")
        canvas.text(start, 0, figure, canvas.theme.inks.text, bold=True)
        return self._footer()

    def _here(self) -> list[tuple[str, str]]:
        """What keys do with the session under the cursor."""
        words = {"play": "go on" if self._open else "replay", "review": "review", "export": "export"}
        return [(key.name, words[key.name]) for key in ARCHIVE if key.name in words and self.is_enabled(key)]

    def _footer(self) -> list[tuple[str, str]]:
        if self.archive.typing:
            return [("up down", "choose"), ("play", "to the list"), ("leave", "clear")]
        every = [("rub_out", "show all")] * self.archive.filtered
        moves = [("find", "find"), ("left right", "filter"), ("next_field", "next"), ("sort", "sort")]
        here = [(name, word) for name, word in self._here() if name != "export"]
        return [*here, *every, *moves, ("leave", "back")]

    @property
    def _open(self) -> bool:
        """Whether the session under the cursor can be gone on with."""
        row = self.archive.row
        if row is None or row.summary.header is None:
            return False
        return row.summary.state == "open" and not row.summary.is_club_only

    def is_enabled(self, key: KeyBinding) -> bool:
        """Whether the key does something now."""
        row, typing = self.archive.row, self.archive.typing
        if key.name == "rub_out":
            return self.archive.filtered and not typing
        if key.name in ("play", "choose") and not typing:
            return row is not None and row.summary.header is not None
        if key.name == "go_on":
            return self._open
        if key.name == "export":
            return row is not None and row.summary.header is not None
        if key.name == "review":
            return row is not None and row.summary.state != "open" and not row.summary.real_cards
        return True

    @property
    def text_input(self) -> TextInput | None:
        """Return the line with what is looked for, once it is open."""
        return self.archive.entry if self.archive.typing else None

    def edited(self, _before: str) -> None:
        """Look for what is typed."""
        self.archive.typed()
        self._changed()

    def _changed(self) -> None:
        """Paint, and read how the session under the cursor went if it is seen."""
        self.repaint()
        row = self.archive.row
        if row and wide(self.canvas) and row.summary.header and row.summary.path not in self._courses:
            self._tell(row)

    @work(group="course", exclusive=True)
    async def _tell(self, row: ArchivedSession) -> None:
        await asyncio.sleep(RESTS)
        course = await asyncio.to_thread(archive_rows.course, row.summary)
        if len(self._courses) >= MOST_COURSES:
            self._courses.clear()
        self._courses[row.summary.path] = course
        self.repaint()

    def action_move(self, step: int) -> None:
        """To the next session, no further than the ends."""
        self.archive.go(self.archive.cursor + step)
        self._changed()

    def action_end(self, line: int) -> None:
        """To the first (0) or the last (-1) session."""
        self.archive.go(line % max(len(self.archive.shown), 1))
        self._changed()

    def action_page(self, step: int) -> None:
        """A screen up or down."""
        self.action_move(step * max(rows_of(self.canvas) - 1, 1))

    def action_step(self, step: int) -> None:
        """Another value of the filter."""
        if not self.archive.typing:
            self.archive.step(self.archive.filter, step)
            self._changed()

    def action_turn_to(self, step: int) -> None:
        """The arrows change the next filter, or the one before."""
        self.archive.typing = False
        self.archive.turn_to(step)
        self.repaint()

    def action_sort(self) -> None:
        """Another order."""
        self.archive.sort_next()
        self._changed()

    def action_find(self) -> None:
        """Keys go to the line with what is looked for."""
        self.archive.typing = True
        self.archive.entry.edit("end")
        self.repaint()

    def action_rub_out(self) -> None:
        """Show all sessions again."""
        self.archive.clear()
        self._changed()

    def action_leave(self) -> None:
        """Back; from the line with what is looked for to the list, with nothing in it."""
        if not self.archive.typing:
            super().action_leave()
            return
        self.archive.typing = False
        self.archive.entry.clear()
        self.edited("")

    def action_open(self) -> None:
        """Close the line that is typed; else replay the session, or go on with it."""
        row = self.archive.row
        if self.archive.typing:
            self.archive.typing = False
            self.repaint()
        elif self._open:
            self.action_go_on()
        elif row is not None:
            self.show("score_table" if row.summary.real_cards else "replay", row.summary.path)

    def action_go_on(self) -> None:
        """Sit down at the session."""
        row = self.archive.row
        if row is None:
            return
        path = row.summary.path
        if row.summary.real_cards:
            self.show("score_table", path)
        else:
            self.navigate(partial(self.room.go_on, path))

    def action_review(self) -> None:
        """What the expert would have done in it."""
        if self.archive.row:
            self.show("review", self.archive.row.summary.path)

    def action_export(self) -> None:
        """As a sheet, as Markdown, as it is."""
        if self.archive.row:
            self.show("export", self.archive.row.summary.path)

    @work(group="open")
    async def _open_clicked(self) -> None:
        await self.press(named(ARCHIVE, "play"))

    def pointed_at(self, target: Hashable | None) -> None:
        """A click chooses, a second one opens; it changes filters and the order, and opens the line to type in."""
        if isinstance(target, ListedRow) and target.number == self.archive.cursor:
            self._open_clicked()
            return
        self.archive.typing = isinstance(target, Find)
        if isinstance(target, ListedRow):
            self.archive.go(target.number)
        elif isinstance(target, FilterStep):
            self.archive.step(*target)
        elif isinstance(target, Head):
            again = target.sort == self.archive.sort == "newest"
            self.archive.sort_by("oldest" if again else target.sort)
        elif isinstance(target, Find):
            self.archive.entry.edit("end")
        self._changed()

    def wheel(self, step: int, _x: int) -> None:
        """The wheel scrolls the list."""
        self.archive.scroll(step * WHEEL)
        self.repaint()


def screen(room: PageContext, nick: str = "") -> PageScreen:
    """The archive; with ``nick`` at first the sessions of this person only."""
    return PageScreen(ArchivePage(room, nick))


def _now() -> datetime:
    """The time, in the zone of who looks."""
    return datetime.now(UTC).astimezone()


def _rows(
    found: Archive, before: dict[Path, ArchivedSession], me: str, book: ProfileStore
) -> dict[Path, ArchivedSession]:
    """The rows of all sessions; those that are as before are not made anew."""
    rows = {}
    for summary in found.sessions():
        known = before.get(summary.path)
        same = known is not None and known.summary == summary
        rows[summary.path] = known if known is not None and same else archive_rows.row(summary, me, book)
    return rows


def _progress(found: Archive) -> str:
    """What is still being found out, in words."""
    if found.unread:
        return f"{found.unread:,} still to be looked at"
    return f"{found.half_read:,} still to be read in full" if found.half_read else ""
