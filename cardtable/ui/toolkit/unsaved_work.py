"""Ways out of play that is not on the disk: what is open is asked about once before it is left."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from textual import events
from textual.app import App, ComposeResult
from textual.screen import ModalScreen, Screen

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MOST_PATH, sanitize
from cardtable.store.journal_file import JournalFile
from cardtable.ui.toolkit.dialog import GuardedQuestion
from cardtable.ui.toolkit.footer import Press, paint_footer
from cardtable.ui.toolkit.keys.bindings import QUESTION
from cardtable.ui.toolkit.keys.input_guard import copied
from cardtable.ui.toolkit.page import pressed
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget
from cardtable.ui.toolkit.painting.layout import MARGIN
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.ui.toolkit.preferences import Preferences

Going: TypeAlias = Callable[[], Awaitable[object]]
"""What is done once nothing holds a person back."""


class HasUnsavedWork(Protocol):
    """A session or a score table that is open on a screen."""

    @property
    def file(self) -> JournalFile:
        """Where each line goes."""

    async def save(self) -> str:
        """Try again to save what is not saved yet; what still is not, in words."""

    async def save_into(self, folder: Path) -> None:
        """Go on in another folder.  Raises ``CardtableError`` where that fails, too."""


class UnsavedWorkGuard:
    """Knows what is open on the screens of an app, and asks before it is left with something unsaved."""

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        self._app, self._preferences = app, preferences
        self._open: list[tuple[Screen[Any], HasUnsavedWork]] = []
        self._asking = False
        self._trying = asyncio.Lock()

    def opened(self, screen: Screen[Any], it: HasUnsavedWork) -> None:
        """Something was opened; what was left since, with all kept, is forgotten."""
        self._open = [(where, before) for where, before in self._open if not before.file.closed_cleanly]
        self._open.append((screen, it))

    async def confirm_then(self, go: Going, screens: Sequence[Screen[Any]] | None = None) -> None:
        """Leave these screens, or all, and ``go``; what of them is unsaved is asked about first, and she may stay."""
        async with self._trying:
            unsaved = [] if self._asking else await self._unsaved(screens)
            if unsaved:
                self._ask(*unsaved[0], lambda: self.confirm_then(go, screens))
            if self._asking:
                return
        await go()

    async def has_unsaved(self) -> bool:
        """Whether something that is open cannot be saved now."""
        return bool(await self._unsaved())

    def troubles(self) -> list[str]:
        """Why what is open cannot be saved, a line for each thing."""
        return [it.file.trouble for _, it in self._open if it.file.trouble]

    def stay(self) -> None:
        """Nobody has left after all: what was given up for that is not."""
        for _, it in self._open:
            it.file.accept_loss = False

    async def _unsaved(self, screens: Sequence[Screen[Any]] | None = None) -> list[tuple[HasUnsavedWork, str]]:
        """What cannot be saved though it is tried, in words, too; but for what the person has given up.

        What failed and was saved by a line of the play that came after it counts as saved.
        """
        asked = [it for screen, it in self._open if screens is None or screen in screens]
        tried = [(it, await it.save()) for it in asked]
        return [(it, unsaved) for it, unsaved in tried if unsaved and it.file.trouble and not it.file.accept_loss]

    def _ask(self, it: HasUnsavedWork, unsaved: str, go: Going, said: str = "") -> None:
        """Where it is to be saved before it is left.  ``said``: why it cannot be saved in the last folder."""
        from cardtable.ui.toolkit.dialog import Dialog  # noqa: PLC0415 - seldom asked

        async def answered(folder: str | None) -> None:
            self._asking = False
            if folder is None:
                return
            if not folder:
                it.file.accept_loss = True
            else:
                try:
                    await it.save_into(Path(folder))
                except CardtableError as error:
                    self._ask(it, unsaved, go, error.whole)
                    return
                self._app.notify(f"All of it is saved as {sanitize(str(it.file.path), MOST_PATH)}", markup=False)
            await go()

        text = (
            f"{said or it.file.trouble}. In which folder is all of it to be saved before you leave? "
            "With an empty line it is not saved, and what is not on the disk is lost."
        )
        title = f"Not on the disk: {unsaved}"
        empty, home = "leaves unsaved", str(Path.home())
        dialog = Dialog(self._preferences.look, title, text, "saves and leaves", "stays", field=home, empty=empty)
        self._asking = True
        self._app.push_screen(dialog, answered)

    def ask_folder(self, trouble: str, save_into: Callable[[Path], Awaitable[None]]) -> None:
        """In which folder a session goes on that is not left."""
        from cardtable.ui.toolkit.dialog import Dialog  # noqa: PLC0415 - seldom asked

        async def answered(folder: str | None) -> None:
            if folder is None:
                return
            try:
                await save_into(Path(folder))
            except CardtableError as error:
                self._app.notify(error.whole, markup=False, severity="error")

        text = f"{trouble}. In which folder is the session to go on? All of it is written there."
        title, home = "Saving has failed", str(Path.home())
        dialog = Dialog(self._preferences.look, title, text, "saves it there", "goes back", field=home)
        self._app.push_screen(dialog, answered)

    def keep_elsewhere(self) -> bool:
        """Write at once, where writing works, what is not in its place; whether there was nothing of the kind."""
        for _, it in self._open:
            it.file.keep_elsewhere()
        return not any(it.file.loss_message for _, it in self._open)

    def end(self) -> list[str]:
        """Let go of all that a fault of the program has left open; a line for each thing that was not kept."""
        for _, it in self._open:
            it.file.finalize()
        return [it.file.loss_message for _, it in self._open if it.file.loss_message]


_ASKED = "Quit?"


class QuitLine(CanvasWidget):
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

    def __init__(self, look: Appearance) -> None:
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
        target = self._line.canvas.hit_test(event.screen_x, 0) if on_it else None
        self.answer(yes=target == Press("play"))

    def answer(self, *, yes: bool) -> None:
        """Answer once, whatever keys come before the screen below is there."""
        if self.app.screen is self:
            self.dismiss(yes)


def ask(app: App[Any], look: Appearance, leave: Callable[[], Awaitable[None]]) -> None:
    """Ask whether to quit; asked already, it is a yes."""

    async def answered(yes: bool | None) -> None:
        if yes:
            await leave()

    if isinstance(app.screen, Quitting):
        app.screen.answer(yes=True)
    else:
        app.push_screen(Quitting(look), answered)
