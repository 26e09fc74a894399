"""Rules page, which shows the rules of a game as scrollable text."""

from typing import Final

from cardtable.engine.options import Options
from cardtable.games import GAMES
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.keys.bindings import RULES, FooterKeys
from cardtable.ui.toolkit.page import PageScreen, TextPage, paint_page_header
from cardtable.ui.toolkit.painting import markup_text
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.wording.rules_page import mark_options, read_rules

MAX_TEXT_WIDTH: Final = 84
"""Maximum width of the text in columns; longer lines are hard to read."""


class RulesPage(TextPage):
    """Page with the rules of one game, in Markdown."""

    SCOPE = RULES

    def __init__(self, context: PageContext, text: str) -> None:
        super().__init__(context)
        title, _, self._text = text.partition("\n")
        self._title = title.lstrip("# ")
        self._rows: list[markup_text.Row] = []
        self._width = 0

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        measure = min(canvas.width - 2 * MARGIN, MAX_TEXT_WIDTH)
        if measure != self._width:
            self._wrap_text(measure)
        x = (canvas.width - measure) // 2
        self.paint_rows(canvas, self._rows, lambda y, row: markup_text.paint_row(canvas, x, y, row))
        paint_page_header(canvas, self._title, "rules", "• in force")
        return self.SCOPE.footer

    def _wrap_text(self, width: int) -> None:
        """Wrap the text to a new width, keeping about the same passage in sight."""
        before = max(len(self._rows), 1)
        self._rows, self._width = markup_text.layout_rows(self._text, width), width
        self._offset = self._offset * len(self._rows) // before


def create_screen(context: PageContext, game_key: str, options: Options | None = None) -> PageScreen:
    """Return the rules page of a game, with ``options`` marked as in force.

    With ``None``, the game's default options.
    """
    return PageScreen(RulesPage(context, mark_options(read_rules(game_key), options or GAMES[game_key].options())))
