"""Export page: selection of a format, and the name of the saved file."""

import asyncio
from collections.abc import Hashable
from functools import partial
from pathlib import Path
from typing import Final

from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MAX_PATH_LENGTH, sanitize
from cardtable.store import exports, summaries
from cardtable.store.errors import StillPlayed
from cardtable.ui.keys.bindings import EXPORT, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.ui.toolkit.questions import run_with_questions
from cardtable.ui.toolkit.scroll_list import GAP_BLOCK, Block, BlockArea, paint_column
from cardtable.wording.export_formats import SUFFIXES, ExportFormat, export_session
from cardtable.wording.tables import FINISHED_ONLY, format_table_title

_FORMATS: Final[dict[ExportFormat, tuple[str, str]]] = {
    "markdown": ("Markdown", "players, sheet, rounds with all hands"),
    "csv": ("Score sheet", "as CSV, a line for each round"),
    "journal": ("Session file", "to continue on another machine"),
}
_IN_PLAY: Final = "This game is still going on. The file reveals all hands of the round in play."
_NAME_WIDTH: Final = 16
"""Width of a format's name, in columns."""


class ExportPage(Page):
    """Page with a row for each export format, and the result of the export below."""

    SCOPE = EXPORT

    def __init__(self, context: PageContext, path: Path) -> None:
        super().__init__(context)
        self._path, self._summary = path, summaries.summarize(path)
        self._cursor = 0
        self.status = ""
        """Message with the name of the saved file, or the reason why the export has failed."""

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        forms = [Block(1, partial(_paint_format, form), i) for i, form in enumerate(_FORMATS)]
        room = canvas.width - 2 * MARGIN
        result = [Block(1, partial(_paint_result, line)) for line in wrap(self.status, room - 3)]
        blocks = [GAP_BLOCK, *forms, GAP_BLOCK, *result]
        paint_column(canvas, blocks, MARGIN, room, cursor=self._cursor, offset=0, follow_cursor=True)
        paint_page_header(canvas, "Export", format_table_title(self._summary), self._summary.id)
        return self.SCOPE.footer

    def action_move(self, step: int) -> None:
        """Move the cursor by ``step`` formats, wrapping around at the ends."""
        self._cursor = (self._cursor + step) % len(_FORMATS)
        self.repaint()

    def action_end(self, item: int) -> None:
        """Move the cursor to the first format (``item`` 0) or the last one (-1)."""
        self._cursor = item % len(_FORMATS)
        self.repaint()

    def action_save(self) -> None:
        self._save([*_FORMATS][self._cursor])

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
            path = await asyncio.to_thread(exports.save_export, f"{self._summary.id}{SUFFIXES[export_format]}", data)
            self.status = f"Saved as {sanitize(str(path), MAX_PATH_LENGTH)}"
            if self._summary.is_club_only:
                self.status = f"{self.status}. {FINISHED_ONLY}"
        except StillPlayed:
            self.status = ""
            await run_with_questions(self.app, self._ask_to_open, export_format)
        except CardtableError as error:
            self.status = error.full_message
        self.repaint()

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked format. If the cursor is already there, export the session."""
        if target == self._cursor:
            self.action_save()
        elif isinstance(target, int):
            self._cursor = target
            self.repaint()


def _paint_format(export_format: ExportFormat, area: BlockArea) -> None:
    name, description = _FORMATS[export_format]
    area.write(3, 0, name, area.name_ink, bold=area.has_cursor)
    area.write(3 + _NAME_WIDTH, 0, description, area.muted_ink)


def _paint_result(line: str, area: BlockArea) -> None:
    area.write(3, 0, line, area.canvas.theme.inks.text)


def create_export_screen(context: PageContext, path: Path) -> PageScreen:
    return PageScreen(ExportPage(context, path))
