"""Page with the problems in the player's own files."""

from collections.abc import Sequence
from typing import Final

from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.keys.bindings import FILE_PROBLEMS, FooterKeys
from cardtable.ui.toolkit.page import Page, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar

WHEEL_ROWS: Final = 3
"""Number of rows that one notch of the mouse wheel scrolls."""
_FIRST_ROW: Final = 2
_BULLET: Final = "• "
_NOTE: Final = "Wrong settings, keys and themes are left out. The settings page lists them again under Files."


class FileProblemsPage(Page):
    """Page with a scrollable list of problems."""

    SCOPE = FILE_PROBLEMS

    def __init__(self, context: PageContext, problems: Sequence[str]) -> None:
        super().__init__(context)
        self._problems = problems
        self._rows = 0
        self._offset = 0

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        width, height = canvas.width, canvas.height
        rows = self._wrap_problems(width - 2 * MARGIN - 1)
        room = height - _FIRST_ROW - 1
        self._rows, self._offset = len(rows), max(0, min(self._offset, len(rows) - room))
        for y, (row, ink) in enumerate(rows[self._offset : self._offset + room], _FIRST_ROW):
            canvas.write(MARGIN, y, row, ink)
        paint_scroll_bar(canvas, width - 1, self._offset, len(rows) + 1)
        paint_page_header(canvas, "Wrong in your files", right=str(len(self._problems)))
        return {"up down": "scroll" if len(rows) > room else "", "leave": "close"}

    def _wrap_problems(self, width: int) -> list[tuple[str, str]]:
        """Return all rows with their inks; an empty row follows each problem."""
        inks, rows = self.appearance.theme.inks, []
        for complaint in self._problems:
            for place, line in enumerate(wrap(complaint, width - len(_BULLET))):
                rows.append(((" " * len(_BULLET) if place else _BULLET) + line, inks.text))
            rows.append(("", inks.text))
        return rows + [(line, inks.muted) for line in wrap(_NOTE, width)]

    def action_scroll_rows(self, rows: int) -> None:
        self._offset += rows
        self.repaint()

    def action_page(self, step: int) -> None:
        """Scroll by the visible rows less one, up (-1) or down (1)."""
        self.action_scroll_rows(step * (self.size.height - _FIRST_ROW - 2))

    def action_end(self, to_end: int) -> None:
        """Scroll to the beginning (0) or the end (1)."""
        self._offset = to_end * self._rows
        self.repaint()

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_scroll_rows(step * WHEEL_ROWS)
