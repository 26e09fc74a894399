"""Rules page, which shows the rules of a game as text that can be searched, and the page of the words of card games."""

from typing import Final

from cardtable.engine.options import Options
from cardtable.engine.text_format import fold
from cardtable.ui.keys.bindings import RULES, FooterKeys
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import TEXT_TOP, PageScreen, TextPage, paint_page_header
from cardtable.ui.toolkit.painting import markup_text
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.rules_page import mark_options, read_glossary, read_rules

MAX_TEXT_WIDTH: Final = 84
"""Maximum width of the text in columns; longer lines are hard to read."""
CONTEXT_ROWS: Final = 2
"""Number of rows shown above a match."""
MAX_SEARCH_LENGTH: Final = 40


class RulesPage(TextPage):
    """Page with the rules of one game, in Markdown, which can be searched."""

    SCOPE = RULES

    def __init__(self, context: PageContext, text: str, note: str = "", kind: str = "rules") -> None:
        """Create the page; ``note`` and ``kind`` stand in the header, ``kind`` after the title."""
        super().__init__(context)
        title, _, self._text = text.partition("\n")
        self._title, self._note, self._kind = title.lstrip("# "), note, kind
        self._rows: list[markup_text.Row] = []
        self._headings: list[int] = []
        """Indices of the rows in which sections begin."""
        self._width = 0
        self._search: TextInput | None = None
        self._match: int | None = None
        """Index of the row that was found; ``None`` if there is none."""

    def paint_body(self, canvas: Canvas) -> FooterKeys:
        width = min(canvas.width - 2 * MARGIN, MAX_TEXT_WIDTH)
        if width != self._width:
            self._wrap_text(width)
        x = (canvas.width - width) // 2

        def paint_row(y: int, row: markup_text.Row) -> None:
            if self._match is not None and row is self._rows[self._match]:
                canvas.fill(x, y, width, 1, canvas.theme.grounds.bonus)
            markup_text.paint_row(canvas, x, y, row)

        self.paint_rows(canvas, self._rows, paint_row)
        paint_page_header(canvas, self._title, self._kind, self._format_matches() or self._note)
        if self._search is None:
            return self.SCOPE.footer
        canvas.write(x, 1, "Search", canvas.theme.inks.muted)
        paint_text_input(canvas, x + 8, 1, max(width - 8, 2), self._search, "a word of the rules")
        return {"play": "next", "leave": "close"}

    def _wrap_text(self, width: int) -> None:
        """Wrap the text to a new width, keeping about the same passage in sight."""
        before = max(len(self._rows), 1)
        (self._rows, self._headings), self._width = markup_text.layout_sections(self._text, width), width
        self._offset = self._offset * len(self._rows) // before
        self._match = None

    def action_section(self, step: int) -> None:
        """Scroll to the next (1) or previous (-1) heading; from the first one up to the beginning."""
        if step > 0:
            target = next((row for row in self._headings if row > self._offset), self._offset)
        else:
            target = next((row for row in reversed(self._headings) if row < self._offset), 0)
        self._offset = target
        self.repaint()

    async def action_explain_words(self) -> None:
        """Open the page that explains the words of card games; on that page, return."""

        def open_glossary() -> None:
            self.app.push_screen(PageScreen(GlossaryPage(self.context)))

        self.navigate(open_glossary)

    # Search

    @property
    def text_input(self) -> TextInput | None:
        return self._search

    def action_find(self) -> None:
        """Open the search field."""
        self._search = TextInput(MAX_SEARCH_LENGTH)
        self.repaint()

    async def action_confirm(self) -> None:
        """Go to the next match, or leave the page if the search field is closed."""
        if self._search is None:
            await self.action_leave()
        elif matches := self._list_matches():
            last = -1 if self._match is None else self._match
            self._go_to_match(next((row for row in matches if row > last), matches[0]))

    async def action_leave(self) -> None:
        """Close the search field, or leave the page."""
        if self._search is None:
            await super().action_leave()
        else:
            self._search = self._match = None
            self.repaint()

    def on_edited(self, _before: str) -> None:
        """Go to the first match that is in sight or below, or else to the first of all."""
        matches = self._list_matches()
        self._go_to_match(next((row for row in matches if row >= self._offset), matches[0] if matches else None))

    def _list_matches(self) -> list[int]:
        """Return the indices of the rows that contain the search text, ignoring case."""
        search_text = " ".join(fold(self._search.text).split()) if self._search else ""
        if not search_text:
            return []
        texts = [fold(" ".join([piece.text for piece in row])) for row in self._rows]
        return [number for number, text in enumerate(texts) if search_text in " ".join(text.split())]

    def _go_to_match(self, row: int | None) -> None:
        """Highlight a row, and scroll so that it is in sight with some rows above it."""
        self._match = row
        room = self.size.height - TEXT_TOP - 1
        if row is not None and not self._offset <= row < self._offset + room:
            self._offset = max(row - CONTEXT_ROWS, 0)
        self.repaint()

    def _format_matches(self) -> str:
        """Return the number of the highlighted match and of all, or "" if nothing is searched."""
        if self._search is None or not self._search.text.strip():
            return ""
        matches = self._list_matches()
        return f"{matches.index(self._match) + 1} of {len(matches)}" if self._match in matches else "not found"


class GlossaryPage(RulesPage):
    """Page that explains the words of card games."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, read_glossary(), kind="")

    async def action_explain_words(self) -> None:
        await self.action_leave()


def create_screen(context: PageContext, game_key: str, options: Options | None = None) -> PageScreen:
    """Return the rules page of a game; with ``options``, the house rules of a table are marked."""
    text = read_rules(game_key)
    if options is None:
        return PageScreen(RulesPage(context, text))
    return PageScreen(RulesPage(context, mark_options(text, options), "• house rule at this table"))
