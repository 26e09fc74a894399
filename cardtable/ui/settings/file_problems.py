"""Page with the problems in the player's own files."""

from collections.abc import Sequence
from typing import Final

from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.keys.bindings import FILE_PROBLEMS, FooterKeys
from cardtable.ui.toolkit.page import TextPage, paint_page_header
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.text_fit import wrap

_BULLET: Final = "• "
_NOTE: Final = "Wrong settings, keys and themes are left out. The settings page lists them again under Files."


class FileProblemsPage(TextPage):
    """Page with a scrollable list of problems."""

    SCOPE = FILE_PROBLEMS

    def __init__(self, context: PageContext, problems: Sequence[str]) -> None:
        super().__init__(context)
        self._problems = problems

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        rows = self._wrap_problems(canvas.width - 2 * MARGIN - 1)
        scrolls = self.paint_rows(canvas, rows, lambda y, row: canvas.write(MARGIN, y, *row))
        paint_page_header(canvas, "Wrong in your files", right=str(len(self._problems)))
        return {"up down": "scroll" if scrolls else "", "leave": "close"}

    def _wrap_problems(self, width: int) -> list[tuple[str, str]]:
        """Return all rows with their inks; an empty row follows each problem."""
        inks, rows = self.appearance.theme.inks, []
        for complaint in self._problems:
            for place, line in enumerate(wrap(complaint, width - len(_BULLET))):
                rows.append(((" " * len(_BULLET) if place else _BULLET) + line, inks.text))
            rows.append(("", inks.text))
        return rows + [(line, inks.muted) for line in wrap(_NOTE, width)]
