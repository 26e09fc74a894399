"""Archive page, which opens the replay, the table or the review of a session, and the page that exports one."""

import asyncio
from collections.abc import Hashable, Sequence
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, sanitize
from cardtable.games import KEYS
from cardtable.records.archive import SORTS, ArchivedSession, SessionCourse, read_course
from cardtable.store import home_folder, profiles, summaries
from cardtable.store.archive_index import Archive, ReadingProgress
from cardtable.store.errors import StillPlayed
from cardtable.store.profiles import ProfileStore
from cardtable.ui.archive.model import (
    PANEL_WIDTH,
    ArchiveModel,
    ColumnHeading,
    FilterStep,
    ListedRow,
    SearchField,
    count_visible_rows,
    has_panel,
    paint_archive,
    paint_panel,
)
from cardtable.ui.keys.bindings import ARCHIVE, EXPORT, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.form import EMPTY_ROW, FormPage, FormRow
from cardtable.ui.toolkit.page import Page, paint_page_header, run_with_questions
from cardtable.ui.toolkit.painting.canvas import Canvas, wrap
from cardtable.ui.toolkit.painting.layout import MARGIN, TEXT_WHEEL_ROWS, Box
from cardtable.ui.toolkit.scroll_list import INDENT, BlockArea
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording import archive_rows
from cardtable.wording.export_formats import SUFFIXES, ExportFormat, export_session
from cardtable.wording.formatting import get_local_time
from cardtable.wording.tables import FINISHED_ONLY, format_table_title

READ_SLICE: Final = 0.2
"""Duration of one call that reads journals, in seconds. Reading can be cancelled between two calls."""
UPDATE_INTERVAL: Final = 1.0
"""Interval between two updates of the list while journals are being read, in seconds."""
AGE_INTERVAL: Final = 30
"""Interval between two updates of the ages in the list, in seconds."""
REST_TIME: Final = 0.15
"""Time for which the cursor must stay on a session before its journal is read, in seconds."""
MAX_COURSES: Final = 64
"""Maximum number of session courses that are cached."""


class ArchivePage(Page):
    """Archive page, which reads new sessions in the background."""

    SCOPE = ARCHIVE

    def __init__(self, context: PageContext, nick: str = "") -> None:
        super().__init__(context)
        self.model = ArchiveModel(get_local_time(), nick)
        self._index: Archive | None = None
        self._rows: dict[Path, ArchivedSession] = {}
        self._profile_store = ProfileStore()
        """Profiles with which the rows were created."""
        self._courses: dict[Path, SessionCourse | None] = {}

    def on_mount(self) -> None:
        self.set_interval(AGE_INTERVAL, self.repaint)

    def on_resumed(self) -> None:
        """List the sessions again. New ones are read in the background, while the page responds to keys."""
        self._courses.clear()
        self._read_sessions()

    @work(group="archive", exclusive=True)
    async def _read_sessions(self) -> None:
        if self._index is None:
            self._index = await asyncio.to_thread(Archive)
        slices, updated_at = self._index.read(READ_SLICE), -inf
        while (progress := await asyncio.to_thread(next, slices, None)) is not None:
            if not progress.left or monotonic() - updated_at > UPDATE_INTERVAL:
                await self._update_list(self._index, progress)
                updated_at = monotonic()

    async def _update_list(self, index: Archive, progress: ReadingProgress) -> None:
        model, profile_store = self.model, profiles.load()[0]
        before = self._rows if profile_store == self._profile_store else {}
        self._rows = await asyncio.to_thread(_create_rows, index, before, self.context.nick, profile_store)
        self._profile_store = profile_store
        if progress.unread:
            model.progress = f"{progress.unread:,} still to be read"
        else:
            model.progress = f"{progress.half_read:,} to be read in full" if progress.half_read else ""
        model.now = get_local_time()
        model.replace_sessions([*self._rows.values()])
        self._handle_change()

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        model, width, height = self.model, canvas.width, canvas.height
        model.now = get_local_time()
        paint_archive(canvas, model)
        row = model.row
        if has_panel(canvas):
            box = Box(width - PANEL_WIDTH, 1, PANEL_WIDTH, height - 2)
            labels = {"play": self._enter_label, "review": "review", "export": "export"}
            course = self._courses.get(row.summary.path) if row else None
            paint_panel(canvas, box, row, course, [*ARCHIVE.filter_footer(labels, self).items()])
        figure, words = model.format_count()
        paint_page_header(canvas, "Archive", model.progress, f"{figure} {words}")
        start = width - MARGIN - len(f"{figure} {words}")
        canvas.write(start, 0, figure, canvas.theme.inks.text, bold=True)
        if model.is_searching:
            return {"up down": "choose", "play": "to the list", "leave": "clear"}
        return {**self.SCOPE.footer, "play": self._enter_label}

    @property
    def is_empty(self) -> bool:
        """True if everything has been read, and there is no session."""
        return not self.model.sessions and not self.model.progress

    @property
    def _enter_label(self) -> str:
        if self.is_empty:
            return "new table"
        return "continue" if self.can_continue else "replay"

    @property
    def can_continue(self) -> bool:
        """True if the session at the cursor can be continued here."""
        row = self.model.row
        if row is None or row.summary.header is None:
            return False
        return row.summary.state == "open" and not row.summary.is_club_only

    @property
    def has_readable_session(self) -> bool:
        return self.model.row is not None and self.model.row.summary.header is not None

    @property
    def can_open(self) -> bool:
        return self.model.is_searching or self.has_readable_session or self.is_empty

    @property
    def can_review(self) -> bool:
        """True if the session at the cursor has ended and was dealt by this program."""
        row = self.model.row
        return row is not None and row.summary.state != "open" and not row.summary.real_cards

    @property
    def can_show_all(self) -> bool:
        return self.model.is_filtered and not self.model.is_searching

    @property
    def text_input(self) -> TextInput | None:
        return self.model.search_input if self.model.is_searching else None

    def on_edited(self, _before: str) -> None:
        self.model.apply_filters()
        self._handle_change()

    def _handle_change(self) -> None:
        """Repaint the page. If the panel is visible, read the course of the session at the cursor."""
        self.repaint()
        row = self.model.row
        if row and has_panel(self.canvas) and row.summary.header and row.summary.path not in self._courses:
            self._read_course(row)

    @work(group="course", exclusive=True)
    async def _read_course(self, row: ArchivedSession) -> None:
        await asyncio.sleep(REST_TIME)
        course = await asyncio.to_thread(read_course, row.summary)
        if len(self._courses) >= MAX_COURSES:
            self._courses.clear()
        self._courses[row.summary.path] = course
        self.repaint()

    def action_move(self, step: int) -> None:
        """Move the cursor by ``step`` sessions, but not beyond the ends."""
        self.model.move_cursor(self.model.cursor + step)
        self._handle_change()

    def action_end(self, line: int) -> None:
        """Move the cursor to the first session (``line`` 0) or the last one (-1)."""
        self.model.move_cursor(line % max(len(self.model.matches), 1))
        self._handle_change()

    def action_page(self, step: int) -> None:
        self.action_move(step * max(count_visible_rows(self.canvas) - 1, 1))

    def action_step(self, step: int) -> None:
        """Select the next (``step`` 1) or previous (-1) value of the current filter.

        Nothing happens in the search field.
        """
        if not self.model.is_searching:
            self.model.step_filter(self.model.current_filter, step)
            self._handle_change()

    def action_turn_to(self, step: int) -> None:
        """Let the Left and Right keys change the next (``step`` 1) or previous (-1) filter."""
        self.model.is_searching = False
        self.model.select_filter(step)
        self.repaint()

    def action_sort(self) -> None:
        self.model.sort_by(SORTS[(SORTS.index(self.model.sort) + 1) % len(SORTS)])
        self._handle_change()

    def action_find(self) -> None:
        """Open the search field, with the cursor at the end of its text."""
        self.model.is_searching = True
        self.model.search_input.edit("end")
        self.repaint()

    def action_rub_out(self) -> None:
        """Clear the search text and all filters."""
        self.model.clear_filters()
        self._handle_change()

    async def action_leave(self) -> None:
        """Leave the page. In the search field, clear the search text and return to the list instead."""
        if not self.model.is_searching:
            await super().action_leave()
            return
        self.model.is_searching = False
        self.model.search_input.clear()
        self.on_edited("")

    def action_open(self) -> None:
        """Replay the session at the cursor, or continue it if it is unfinished; without any, open a new table.

        In the search field, return to the list.
        """
        row = self.model.row
        if self.model.is_searching:
            self.model.is_searching = False
            self.repaint()
        elif self.can_continue:
            self.action_go_on()
        elif self.is_empty:
            self.show("new_table", KEYS[0])
        elif row is not None:
            self.show("score_table" if row.summary.real_cards else "replay", row.summary.path)

    def action_go_on(self) -> None:
        """Continue the session at the cursor at its table, or open its score table."""
        row = self.model.row
        if row is None:
            return
        path = row.summary.path
        if row.summary.real_cards:
            self.show("score_table", path)
        else:
            self.navigate(partial(self.context.resume_session, path))

    def action_review(self) -> None:
        if self.model.row:
            self.show("review", self.model.row.summary.path)

    def action_export(self) -> None:
        if self.model.row:
            self.show("export", self.model.row.summary.path)

    @work(group="open")
    async def _open_selected(self) -> None:
        await self.press(ARCHIVE.find("play"))

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Select the clicked row, or open it if the cursor is on it.

        Clicks on headings, filters and the search field work as the keys do.
        """
        if isinstance(target, ListedRow) and target.number == self.model.cursor:
            self._open_selected()
            return
        self.model.is_searching = isinstance(target, SearchField)
        if isinstance(target, ListedRow):
            self.model.move_cursor(target.number)
        elif isinstance(target, FilterStep):
            self.model.step_filter(*target)
        elif isinstance(target, ColumnHeading):
            self.model.sort_by("oldest" if target.sort == self.model.sort == "newest" else target.sort)
        elif isinstance(target, SearchField):
            self.model.search_input.edit("end")
        self._handle_change()

    def on_wheel(self, step: int, _x: int) -> None:
        self.model.scroll(step * TEXT_WHEEL_ROWS)
        self.repaint()


def _create_rows(
    index: Archive, previous: dict[Path, ArchivedSession], me: str, profile_store: ProfileStore
) -> dict[Path, ArchivedSession]:
    """Return the rows of all sessions by path of the journal.

    Rows in ``previous`` whose sessions are unchanged are reused.
    """
    rows = {}
    for summary in index.list_sessions():
        row = previous.get(summary.path)
        if row is None or row.summary != summary:
            row = archive_rows.create_row(summary, me, profile_store)
        rows[summary.path] = row
    return rows


_FORMATS: Final[dict[ExportFormat, tuple[str, str]]] = {
    "markdown": ("Markdown", "players, sheet, rounds with all hands"),
    "csv": ("Score sheet", "as CSV, a line for each round"),
    "journal": ("Session file", "to continue on another machine"),
}
_IN_PLAY: Final = "This game is still going on. The file reveals all hands of the round in play."
_NAME_WIDTH: Final = 16
"""Width of a format's name, in columns."""


class ExportPage(FormPage):
    """Page with a row for each export format, and the result of the export below."""

    SCOPE = EXPORT

    def __init__(self, context: PageContext, path: Path) -> None:
        super().__init__(context)
        self._path, self._summary = path, summaries.summarize(path)
        self.status = ""
        """Message with the name of the saved file, or the reason why the export has failed."""

    @property
    def header_texts(self) -> tuple[str, str, str]:
        return "Export", format_table_title(self._summary), self._summary.id

    def list_rows(self) -> list[FormRow]:
        lines = wrap(self.status, self.canvas.width - 2 * MARGIN - INDENT)
        result = FormRow(draw=partial(_paint_result, lines=lines), rows=len(lines))
        return [EMPTY_ROW, *map(self._create_row, _FORMATS), EMPTY_ROW, result]

    def _create_row(self, export_format: ExportFormat) -> FormRow:
        draw = partial(_paint_format, export_format=export_format)
        return FormRow(name=export_format, draw=draw, on_press=partial(self._save, export_format))

    async def _ask_to_open(self, export_format: ExportFormat) -> None:
        """Ask for confirmation before the cards of a session that human players have not finished are exported."""
        if await self.context.confirm("Export an unfinished game?", _IN_PLAY, "save it", "go back"):
            self._save(export_format, as_open=True)

    @work(exclusive=True)
    async def _save(self, export_format: ExportFormat, *, as_open: bool = False) -> None:
        self.status = "..."
        self.repaint()
        try:
            data = await asyncio.to_thread(partial(export_session, self._path, export_format, as_open=as_open))
            path = await asyncio.to_thread(
                home_folder.save_export, f"{self._summary.id}{SUFFIXES[export_format]}", data
            )
            self.status = f"Saved as {sanitize(str(path), MAX_PATH_LENGTH)}"
            if self._summary.is_club_only:
                self.status = f"{self.status}. {FINISHED_ONLY}"
        except StillPlayed:
            self.status = ""
            await run_with_questions(self.app, self._ask_to_open, export_format)
        except CardtableError as error:
            self.status = error.full_message
        self.repaint()


def _paint_format(area: BlockArea, export_format: ExportFormat) -> None:
    name, description = _FORMATS[export_format]
    area.write(INDENT, 0, name, area.name_ink, bold=area.has_cursor)
    area.write(INDENT + _NAME_WIDTH, 0, description, area.muted_ink)


def _paint_result(area: BlockArea, lines: Sequence[str]) -> None:
    for row, line in enumerate(lines):
        area.write(INDENT, row, line, area.canvas.theme.inks.text)
