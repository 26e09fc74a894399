"""A short question over a screen, answered by Enter or by a line of text."""

from math import inf
from time import monotonic
from typing import Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.terminal.terminal_driver import ResizeFix
from cardtable.ui.toolkit.keys.bindings import QUESTION
from cardtable.ui.toolkit.keys.input_guard import ForwardsKeys, clicked, is_shown
from cardtable.ui.toolkit.page import pressed
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

MOST_TYPED: Final = 1000
"""Characters of a line for which nothing else is said."""


class _Line(CanvasWidget):
    """Paints the line that is typed."""

    DEFAULT_CSS = "_Line { height: 1; margin-bottom: 1; }"

    def __init__(self, look: Appearance, text_input: TextInput) -> None:
        super().__init__(look)
        self._input = text_input

    def paint(self, width: int, height: int) -> Canvas:
        """One row."""
        canvas = Canvas(width, height, self.look)
        paint_text_input(canvas, 0, 0, width, self._input, "")
        return canvas


class GuardedQuestion(ResizeFix, ForwardsKeys):
    """A screen with a question; a key or click from before it was asked does not answer it."""

    _asked_at = inf
    """When it was asked."""

    def on_mount(self) -> None:
        """Ask; what waits at the terminal was not meant for it."""
        note_waiting_input(self.app)
        self._asked_at = monotonic()

    def is_early(self, event: events.InputEvent) -> bool:
        """Return whether the question was not asked yet."""
        return event.time < self._asked_at


class Dialog(GuardedQuestion, ModalScreen[str | None]):
    """Asks; the result is the line that was typed ("" if none is asked for), or ``None`` for no.

    ``yes`` and ``no``: what their keys do, in verbs of their own: "deals the cards", "keeps playing".
    ``field``: what stands in the line to begin with; ``None`` where none is to be typed.  An empty
    line answers nothing, unless it has a meaning of its own (``empty``, in the words of its key);
    with ``most`` it has no more characters; a ``secret`` is not shown.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; background: #081c15 62%; }
    Dialog Vertical { width: 72; max-width: 92%; height: auto; padding: 1 2; }
    Dialog Static { height: auto; margin-bottom: 1; }
    Dialog Horizontal { height: 1; }
    Dialog Horizontal Static { width: auto; margin: 0; }
    """

    def __init__(
        self,
        look: Appearance,
        title: str,
        text: str,
        yes: str,
        no: str,
        *,
        field: str | None = None,
        empty: str = "",
        most: int = MOST_TYPED,
        secret: bool = False,
    ) -> None:
        super().__init__()
        self._look, self._heading, self._text = look, title, text
        self._yes, self._no, self._empty = yes, no, empty
        self._asks = field is not None
        self._input = TextInput(most, field or "", masked=secret)
        self._line = _Line(look, self._input)

    def compose(self) -> ComposeResult:
        """The question, the line, and what the keys do."""
        inks = self._look.theme.inks
        box = Vertical()
        box.styles.background = self._look.theme.grounds.mat
        with box:
            yield Static(Text(self._heading, style=f"bold {inks.text}"))
            yield Static(Text(self._text, style=inks.soft))
            if self._asks:
                yield self._line
            with Horizontal():
                yield Static(self._key("play", self._yes), id="play")
                yield Static(Text(" · ", inks.muted))
                yield Static(self._key("leave", self._no), id="leave")
            if self._asks:
                with Horizontal():
                    yield Static(self._key("clear", "clears the line"), id="clear")

    def _key(self, name: str, word: str) -> Text:
        inks = self._look.theme.inks
        return Text.assemble((self._look.keys.label(name), f"bold {inks.text}"), (f" {word}", inks.muted))

    def _changed(self) -> None:
        """Show the line as it is, and what it means."""
        self._line.repaint()
        if self._empty:
            word = self._yes if self._input.text.strip() else self._empty
            self.query_one("#play", Static).update(self._key("play", word))

    async def on_key(self, event: events.Key) -> None:
        """Type, move in the line, or answer; once that is done nothing is for it any more."""
        if not is_shown(self):
            return
        key = self._look.keys.find(QUESTION, pressed(event))
        if self._asks and self._input.press(event.key, event.character, key):
            pass
        elif key is not None:
            if key.name != "play" or not self.is_early(event):
                await self.app.run_action(key.does, self)
        else:
            return
        self._changed()
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is typed at once."""
        if not is_shown(self):
            return
        self._input.insert(event.text)
        self._changed()
        event.stop()

    def action_edit_line(self, key: str) -> None:
        """Do what an editing key does in the line."""
        self._input.edit(key)
        self._changed()

    def action_answer(self) -> None:
        """Yes, or what is typed; where a line is needed the question stands until there is one."""
        said = self._input.text.strip()
        if said or self._empty or not self._asks:
            self._answer(said)

    def action_refuse(self) -> None:
        """No."""
        self._answer(None)

    def _answer(self, answer: str | None) -> None:
        """Answer once, whatever keys come before the screen below is there."""
        if is_shown(self):
            self.dismiss(answer)

    async def on_click(self, event: events.Click) -> None:
        """A click on what a key does does it."""
        widget = None if self.is_early(event) else clicked(event, self)
        for key in QUESTION:
            if widget is not None and widget.id == key.name:
                await self.app.run_action(key.does, self)
