"""Rules page, which shows the rules of a game as scrollable text."""

from typing import Final

from cardtable.engine.options import Options
from cardtable.games import GAMES
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.keys.bindings import RULES, FooterKeys
from cardtable.ui.toolkit.page import Page, PageScreen, paint_page_header
from cardtable.ui.toolkit.painting import markup_text
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar
from cardtable.wording.rules_page import mark_options, read_rules

MAX_TEXT_WIDTH: Final = 84
"""Maximum width of the text in columns; longer lines are hard to read."""
WHEEL_ROWS: Final = 3
"""Number of rows by which one notch of the mouse wheel scrolls."""


class RulesPage(Page):
    """Page with the rules of one game, in Markdown."""

    SCOPE = RULES

    def __init__(self, context: PageContext, text: str) -> None:
        super().__init__(context)
        title, _, self._text = text.partition("\n")
        self._title = title.lstrip("# ")
        self._rows: list[markup_text.Row] = []
        self._width = 0
        self._offset = 0

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        measure = min(canvas.width - 2 * MARGIN, MAX_TEXT_WIDTH)
        if measure != self._width:
            self._wrap_text(measure)
        room = canvas.height - 3
        self._offset = max(0, min(self._offset, len(self._rows) - room))
        for y, row in enumerate(self._rows[self._offset : self._offset + room], 2):
            markup_text.paint_row(canvas, (canvas.width - measure) // 2, y, row)
        paint_scroll_bar(canvas, canvas.width - 1, self._offset, len(self._rows) + 1)
        paint_page_header(canvas, self._title, "rules", "• in force")
        return self.SCOPE.footer

    def _wrap_text(self, width: int) -> None:
        """Wrap the text to a new width, keeping about the same passage in sight."""
        before = max(len(self._rows), 1)
        self._rows, self._width = markup_text.layout_rows(self._text, width), width
        self._offset = self._offset * len(self._rows) // before

    def action_scroll_rows(self, rows: int) -> None:
        """Scroll by a number of rows, negative for up."""
        self._offset += rows
        self.repaint()

    def action_page(self, step: int) -> None:
        """Scroll by a page, up (-1) or down (1); one row of the previous page stays in sight."""
        self.action_scroll_rows(step * (self.size.height - 4))

    def action_end(self, last: int) -> None:
        """Scroll to the beginning (0) or the end (1) of the text."""
        self._offset = last * len(self._rows)
        self.repaint()

    def on_wheel(self, step: int, _x: int) -> None:
        self.action_scroll_rows(step * WHEEL_ROWS)


def create_screen(context: PageContext, game_key: str, options: Options | None = None) -> PageScreen:
    """Return the rules page of a game, with ``options`` marked as in force.

    With ``None``, the game's default options.
    """
    return PageScreen(RulesPage(context, mark_options(read_rules(game_key), options or GAMES[game_key].options())))
