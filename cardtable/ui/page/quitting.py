"""Whether to quit, asked by Ctrl+C on the last row of whatever screen is shown."""

from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.screen import ModalScreen

from cardtable.ui.draw.canvas import Canvas, Painting
from cardtable.ui.draw.layout import MARGIN
from cardtable.ui.draw.look import Look
from cardtable.ui.keys.early_keys import copied
from cardtable.ui.keys.scopes import QUESTION
from cardtable.ui.page.dialog import GuardedQuestion
from cardtable.ui.page.footer import Press, paint_footer
from cardtable.ui.page.page import pressed

_ASKED = "Quit?"


class QuitLine(Painting):
    """Paints the question in the place of the keys, which do nothing now."""

    DEFAULT_CSS = "QuitLine { dock: bottom; height: 1; }"

    def paint(self, width: int, height: int) -> Canvas:
        """One row."""
        canvas = Canvas(width, height, self.look)
        keys = [("play", "quits, all is kept"), ("leave", "stays")]
        paint_footer(canvas, keys, MARGIN + len(_ASKED) + 3, sheet=False)
        canvas.text(MARGIN, 0, _ASKED, canvas.theme.inks.gold, bold=True)
        return canvas


class Quitting(GuardedQuestion, ModalScreen[bool]):
    """The question; what is not its yes or no is not for the screen below either."""

    DEFAULT_CSS = "Quitting { background: transparent; }"

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._line = QuitLine(look)

    def compose(self) -> ComposeResult:
        """The line, below all that can be needed."""
        yield self._line

    def on_key(self, event: events.Key) -> None:
        """Answer; what is pressed once it is answered is for the screen below."""
        event.stop()
        event.prevent_default()
        if self.app.screen is not self:
            (self.app.focused or self.app.screen).post_message(copied(event))
            return
        key = self._line.look.keys.find(QUESTION, pressed(event))
        if key is not None and (key.name == "leave" or (key.name == "play" and not self.is_early(event))):
            self.answer(yes=key.name == "play")

    def on_click(self, event: events.Click) -> None:
        """A click on an answer gives it; one anywhere else is no."""
        on_it = self._line.region.contains(event.screen_x, event.screen_y)
        target = self._line.canvas.at(event.screen_x, 0) if on_it else None
        self.answer(yes=target == Press("play"))

    def answer(self, *, yes: bool) -> None:
        """Answer once, whatever keys come before the screen below is there."""
        if self.app.screen is self:
            self.dismiss(yes)


def ask(app: App[Any], look: Look, leave: Callable[[], Awaitable[None]]) -> None:
    """Ask whether to quit; asked already, it is a yes."""

    async def answered(yes: bool | None) -> None:
        if yes:
            await leave()

    if isinstance(app.screen, Quitting):
        app.screen.answer(yes=True)
    else:
        app.push_screen(Quitting(look), answered)
