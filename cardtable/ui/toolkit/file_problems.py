"""Page with the problems in the player's own files."""

from collections.abc import Sequence
from typing import Final

from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.footer import Keys
from cardtable.ui.toolkit.keys.bindings import COMPLAINTS
from cardtable.ui.toolkit.page import Page, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.text_fit import wrap
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar

WHEEL: Final = 3
"""Number of rows that one notch of the mouse wheel scrolls."""
_TOP: Final = 2
_MARK: Final = "• "
_WHERE: Final = "Wrong settings, keys and themes are left out. The settings page lists them again under Files."


class ComplaintsPage(Page):
    """Page with a scrollable list of problems."""

    ABOUT = "at what is wrong with files"
    SCOPE = COMPLAINTS

    def __init__(self, context: PageContext, complaints: Sequence[str]) -> None:
        super().__init__(context)
        self._complaints = complaints
        self._rows = 0
        self._offset = 0

    def paint_body(self, canvas: Canvas) -> Keys:
        width, height = canvas.width, canvas.height
        rows = self._wrap_complaints(width - 2 * MARGIN - 1)
        room = height - _TOP - 1
        self._rows, self._offset = len(rows), max(0, min(self._offset, len(rows) - room))
        for y, (row, ink) in enumerate(rows[self._offset : self._offset + room], _TOP):
            canvas.text(MARGIN, y, row, ink)
        paint_scroll_bar(canvas, width - 1, self._offset, len(rows) + 1)
        paint_page_header(canvas, "Wrong in your files", right=str(len(self._complaints)))
        return [*([("up down", "scroll")] if len(rows) > room else []), ("leave", "close")]

    def _wrap_complaints(self, width: int) -> list[tuple[str, str]]:
        """Return all rows with their inks; an empty row follows each problem."""
        inks, rows = self.look.theme.inks, []
        for complaint in self._complaints:
            for place, line in enumerate(wrap(complaint, width - len(_MARK))):
                rows.append(((" " * len(_MARK) if place else _MARK) + line, inks.text))
            rows.append(("", inks.text))
        return rows + [(line, inks.muted) for line in wrap(_WHERE, width)]

    def action_scroll_rows(self, rows: int) -> None:
        self._offset += rows
        self.repaint()

    def action_page(self, step: int) -> None:
        """Scroll by the visible rows less one, up (-1) or down (1)."""
        self.action_scroll_rows(step * (self.size.height - _TOP - 2))

    def action_end(self, last: int) -> None:
        """Scroll to the beginning (0) or the end (1)."""
        self._offset = last * self._rows
        self.repaint()

    def wheel(self, step: int, _x: int) -> None:
        self.action_scroll_rows(step * WHEEL)
