"""The line on the curtain's plate into which the person who is called types her password."""

from collections.abc import Awaitable, Callable

from cardtable.store.passwords import MOST_CHARACTERS
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import grid_of
from cardtable.ui.keys.scopes import PASSWORD, Key
from cardtable.ui.page.footer import paint_footer
from cardtable.ui.page.page import too_small
from cardtable.ui.table.model.frame import Frame
from cardtable.ui.table.overlays.cover import LineCover
from cardtable.ui.table.paint.curtain import paint_password
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit.text_input import TextInput


class PasswordLine(LineCover):
    """Lies over the curtain until the password is given; nothing of it is shown but how long it is."""

    scope = PASSWORD
    alone = True
    at_curtain = True

    def __init__(self, give: Callable[[str], Awaitable[str]], come_in: Callable[[], None]) -> None:
        """``give`` tries a password and says why it is not taken; once it is, ``come_in`` is called."""
        super().__init__(TextInput(MOST_CHARACTERS, masked=True))
        self.said = ""
        """Why the last one was not taken."""
        self._give, self._come_in = give, come_in

    def over_curtain(self) -> bool:
        """It is made for it."""
        return True

    def press(self, key: str, character: str | None, bound: Key | None) -> bool:
        """Apply a key to the line; why the last password was not taken is no longer shown then."""
        pressed = super().press(key, character, bound)
        if pressed:
            self.said = ""
        return pressed

    async def action_give(self) -> None:
        """Try what is typed."""
        if not self.line.text:
            return
        self.said = await self._give(self.line.text)
        self.line.clear()
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
        paint_password(canvas, self.line, self.said)
        keys = [("play", "show my hand"), ("leave", "leave, all is kept")]
        paint_footer(canvas, keys, grid_of(canvas).margin, frame.banner, sheet=False)
