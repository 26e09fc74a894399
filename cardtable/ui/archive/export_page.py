"""Export page: selection of a format, and the name of the saved file."""

import asyncio
from collections.abc import Hashable
from functools import partial
from pathlib import Path
from typing import Final

from textual import work

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MOST_PATH, sanitize
from cardtable.store import folder_checks, summaries
from cardtable.store.errors import StillPlayed
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import EXPORT
from cardtable.ui.toolkit.page import Page, PageScreen, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.ui.toolkit.scroll_list import GAP, Block, Place, paint_column
from cardtable.wording.export_formats import ENDINGS, Form, exported
from cardtable.wording.tables import FINISHED_ONLY, title

_FORMS: Final[dict[Form, tuple[str, str]]] = {
    "markdown": ("Markdown", "players, sheet, rounds with all hands"),
    "csv": ("Score sheet", "as CSV, a line for each round"),
    "journal": ("Session's file", "as it is kept, to play on elsewhere"),
}
_IN_PLAY: Final = "People still play this session. The file shows everybody's cards in the round that is being played."
_NAMES: Final = 16
"""Width of a format's name, in columns."""


class ExportPage(Page):
    """Page with a row for each export format, and the result of the export below."""

    ABOUT = "in the export"
    SCOPE = EXPORT

    def __init__(self, context: PageContext, path: Path) -> None:
        super().__init__(context)
        self._path, self._summary = path, summaries.summarize(path)
        self._cursor = 0
        self.said = ""
        """Message with the name of the saved file, or the reason why the export has failed."""

    def paint_body(self, canvas: Canvas) -> Keys:
        forms = [Block(1, partial(_paint, form), i) for i, form in enumerate(_FORMS)]
        room = canvas.width - 2 * MARGIN
        result = [Block(1, partial(_paint_result, line)) for line in wrap(self.said, room - 3)]
        blocks = [GAP, *forms, GAP, *result]
        paint_column(canvas, blocks, MARGIN, room, cursor=self._cursor, offset=0, follow=True)
        paint_page_header(canvas, "Export", title(self._summary), self._summary.id)
        return [("up down", "choose"), ("play", "save"), ("leave", "back")]

    def action_move(self, step: int) -> None:
        """Move the cursor by ``step`` formats, wrapping around at the ends."""
        self._cursor = (self._cursor + step) % len(_FORMS)
        self.repaint()

    def action_end(self, item: int) -> None:
        """Move the cursor to the first format (``item`` 0) or the last one (-1)."""
        self._cursor = item % len(_FORMS)
        self.repaint()

    def action_save(self) -> None:
        """Export the session in the format at the cursor, in a background task."""
        self._save([*_FORMS][self._cursor])

    def _ask(self, form: Form) -> None:
        """Ask for confirmation before the cards of a session that human players have not finished are exported."""

        def answered(answer: str | None) -> None:
            if answer is not None:
                self._save(form, as_open=True)

        self.app.push_screen(
            Dialog(self.look, "Export a session in play?", _IN_PLAY, "saves it", "goes back"), answered
        )

    @work(exclusive=True)
    async def _save(self, form: Form, *, as_open: bool = False) -> None:
        self.said = "..."
        self.repaint()
        try:
            data = await asyncio.to_thread(partial(exported, self._path, form, as_open=as_open))
            path = await asyncio.to_thread(folder_checks.save, f"{self._summary.id}{ENDINGS[form]}", data)
            self.said = f"Saved as {sanitize(str(path), MOST_PATH)}"
            if self._summary.is_club_only:
                self.said = f"{self.said}. {FINISHED_ONLY}"
        except StillPlayed:
            self.said = ""
            self._ask(form)
        except CardtableError as error:
            self.said = error.whole
        self.repaint()

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Move the cursor to the clicked format. If the cursor is already there, export the session."""
        if target == self._cursor:
            self.action_save()
        elif isinstance(target, int):
            self._cursor = target
            self.repaint()


def _paint(form: Form, area: Place) -> None:
    name, what = _FORMS[form]
    area.text(3, 0, name, area.name, bold=area.at)
    area.text(3 + _NAMES, 0, what, area.muted)


def _paint_result(line: str, area: Place) -> None:
    area.text(3, 0, line, area.canvas.theme.inks.text)


def screen(context: PageContext, path: Path) -> PageScreen:
    """Return the export page for the session of a journal."""
    return PageScreen(ExportPage(context, path))
