"""Forms of a score table: moving and typing in one, and the names of one that is open."""

from collections.abc import Hashable
from typing import Generic

from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.keys.scopes import NAMES
from cardtable.ui.page.footer import Keys
from cardtable.ui.page.page import Page, paint_page_header
from cardtable.ui.page.room import Room
from cardtable.ui.score_table.setup import PlayerNames
from cardtable.ui.score_table.setup_paint import Form, S, paint_names


class FormPage(Page, Generic[S]):
    """Moves in a form and types into it."""

    def __init__(self, room: Room, form: Form[S]) -> None:
        super().__init__(room)
        self._form = form

    def typed(self, character: str) -> bool:
        """Letters and digits go into a name."""
        taken = self._form.setup.type(self._form.cursor, character)
        if taken:
            self.repaint()
        return taken

    def action_move(self, step: int) -> None:
        """To the next line, round the ends."""
        lines = self._form.setup.lines
        at = lines.index(self._form.cursor) if self._form.cursor in lines else 0
        self._form.go(lines[(at + step) % len(lines)])
        self.repaint()

    def action_end(self, line: int) -> None:
        """To the first (0) or the last (-1) line."""
        self._form.go(self._form.setup.lines[line])
        self.repaint()

    def action_rub_out(self) -> None:
        """Take back the last character of a name."""
        self._form.setup.rub_out(self._form.cursor)
        self.repaint()

    @property
    def _fits(self) -> bool:
        """Whether nothing is wrong; else it is pointed at."""
        wrong = self._form.setup.wrong
        if wrong:
            self._form.go(wrong.line)
            self._form.insisted = True
            self.repaint()
        return wrong is None

    def pointed_at(self, target: Hashable | None) -> None:
        """A click goes to a line."""
        if target in self._form.setup.lines:
            self._form.go(target)
            self.repaint()


class NamesPage(FormPage[PlayerNames]):
    """Paints the names of a score table, to be changed; the result of its screen are the new ones."""

    ABOUT = "at the names of a score table"
    SCOPE = NAMES

    def fill(self, canvas: Canvas) -> Keys:
        """The form."""
        paint_names(canvas, self._form)
        paint_page_header(canvas, "Score table", "names of the players")
        return [("up down", "choose"), ("play", "keep names"), ("leave", "back"), ("rub_out", "rub out")]

    def action_keep(self) -> None:
        """Have them called so, if nothing is wrong."""
        if self._fits and not self._covered:
            self.screen.dismiss(self._form.setup.names)
