"""The line on the curtain's plate into which the person who is called types her password."""

from collections.abc import Awaitable, Callable

from cardtable.store.passwords import MOST_CHARACTERS
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.entry import Entry
from cardtable.ui.draw.layout import grid_of
from cardtable.ui.keys.scopes import PASSWORD, Key
from cardtable.ui.page.footer import paint_footer
from cardtable.ui.page.page import too_small
from cardtable.ui.table.model.frame import Frame
from cardtable.ui.table.overlays.cover import LineCover
from cardtable.ui.table.paint.curtain import paint_password
from cardtable.ui.table.paint.table_view import paint_table


class PasswordLine(LineCover):
    """Lies over the curtain until the password is given; nothing of it is shown but how long it is."""

    scope = PASSWORD
    alone = True
    at_curtain = True

    def __init__(self, give: Callable[[str], Awaitable[str]], come_in: Callable[[], None]) -> None:
        """``give`` tries a password and says why it is not taken; once it is, ``come_in`` is called."""
        super().__init__(Entry(MOST_CHARACTERS))
        self.said = ""
        """Why the last one was not taken."""
        self._give, self._come_in = give, come_in

    def over_curtain(self) -> bool:
        """It is made for it."""
        return True

    def works(self, key: Key) -> bool:
        """An empty line can be neither tried nor taken away."""
        return super().works(key) and (key.name != "clear" or bool(self.entry.text))

    def typed(self, text: str) -> bool:
        """All that can be printed goes into the line."""
        self.entry.insert(text)
        self.said = ""
        return True

    def action_clear(self) -> None:
        """Begin anew."""
        self.entry.clear()

    async def action_give(self) -> None:
        """Try what is typed."""
        if not self.entry.text:
            return
        self.said = await self._give(self.entry.text)
        self.entry.clear()
        if not self.said:
            self._come_in()

    def pointed_at(self, _target: object) -> bool:
        """A click beside the keys does nothing."""
        return True

    def paint(self, canvas: Canvas, frame: Frame) -> None:
        """The curtain with the line."""
        if too_small(canvas):
            return
        paint_table(canvas, frame)
        paint_password(canvas, self.entry, self.said)
        keys = [("play", "show my hand"), ("leave", "leave, all is kept")]
        paint_footer(canvas, keys, grid_of(canvas).margin, frame.banner, sheet=False)
