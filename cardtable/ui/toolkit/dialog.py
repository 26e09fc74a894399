"""Modal dialog over a screen: a question that is answered with Enter or Escape, or with a line of text."""

from math import inf
from time import monotonic
from typing import Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from cardtable.ui.keys.bindings import QUESTION
from cardtable.ui.keys.input_guard import AcceptsForwardedKeys, find_clicked_widget, is_shown
from cardtable.ui.terminal.input_parser import note_waiting_input
from cardtable.ui.terminal.textual_fixes import ResizeFix
from cardtable.ui.toolkit.page import find_key_name
from cardtable.ui.toolkit.painting.canvas import Canvas, CanvasWidget
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

MAX_ANSWER_LENGTH: Final = 1000
"""Default maximum length of the answer in characters."""


class _Line(CanvasWidget):
    """Widget that paints the text input of a dialog."""

    DEFAULT_CSS = "_Line { height: 1; margin-bottom: 1; }"

    def __init__(self, appearance: Appearance, text_input: TextInput) -> None:
        super().__init__(appearance)
        self._input = text_input

    def paint(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height, self.appearance)
        paint_text_input(canvas, 0, 0, width, self._input, "")
        return canvas


class GuardedQuestion(ResizeFix, AcceptsForwardedKeys):
    """Modal screen with a question that ignores keys and clicks from before it was shown."""

    _shown_at = inf
    """Monotonic time, in seconds, at which the question was shown; infinite until then."""

    def on_mount(self) -> None:
        """Record the time at which the question is shown.

        Input that already waits at the terminal is recorded, too, since it is no answer. If none waits once the
        question has been painted, later input is an answer, even if a busy machine reads it late.
        """
        note_waiting_input(self.app)
        self._shown_at = monotonic()
        self.call_after_refresh(note_waiting_input, self.app)

    def is_early(self, event: events.InputEvent) -> bool:
        return event.time < self._shown_at


class Dialog(GuardedQuestion, ModalScreen[str | None]):
    """Dialog with a question; its result is the typed line ("" without a text input), or ``None`` for no.

    ``yes_label`` and ``no_label`` describe the effects of the two keys, as in "deal the cards" and "keep playing".
    ``initial_text`` is the text in the text input; ``None`` for a dialog without one. An empty line cannot be submitted
    unless ``empty_label`` describes its effect. ``max_length`` limits the characters, and ``masked`` hides them.
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
        appearance: Appearance,
        title: str,
        text: str,
        yes_label: str,
        no_label: str,
        *,
        initial_text: str | None = None,
        empty_label: str = "",
        max_length: int = MAX_ANSWER_LENGTH,
        masked: bool = False,
    ) -> None:
        super().__init__()
        self._appearance, self._heading, self._text = appearance, title, text
        self._yes_label, self._no_label, self._empty_label = yes_label, no_label, empty_label
        self._has_input = initial_text is not None
        self._input = TextInput(max_length, initial_text or "", masked=masked)
        self._line = _Line(appearance, self._input)

    def compose(self) -> ComposeResult:
        inks = self._appearance.theme.inks
        box = Vertical()
        box.styles.background = self._appearance.theme.grounds.mat
        with box:
            yield Static(Text(self._heading, style=f"bold {inks.text}"))
            yield Static(Text(self._text, style=inks.soft))
            if self._has_input:
                yield self._line
            with Horizontal():
                yield Static(self._format_key("play", self._play_label), id="play")
                yield Static(Text(" · ", inks.muted))
                yield Static(self._format_key("leave", self._no_label), id="leave")
            if self._has_input:
                with Horizontal():
                    yield Static(self._format_key("clear", "clear the line"), id="clear")

    def _format_key(self, name: str, label: str) -> Text:
        inks = self._appearance.theme.inks
        return Text.assemble((self._appearance.keys.format_label(name), f"bold {inks.text}"), (f" {label}", inks.muted))

    @property
    def _play_label(self) -> str:
        return self._yes_label if self._input.text.strip() or not self._empty_label else self._empty_label

    def _update_input(self) -> None:
        self._line.repaint()
        if self._empty_label:
            self.query_one("#play", Static).update(self._format_key("play", self._play_label))

    async def on_key(self, event: events.Key) -> None:
        """Edit the text input or answer the question; keys after the answer are ignored."""
        if not is_shown(self):
            return
        key = self._appearance.keys.find(QUESTION, find_key_name(event))
        if self._has_input and self._input.handle_key(event.key, event.character, key):
            pass
        elif key is not None:
            if key.name != "play" or not self.is_early(event):
                await self.app.run_action(key.action, self)
        else:
            return
        self._update_input()
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        if not is_shown(self):
            return
        self._input.insert(event.text)
        self._update_input()
        event.stop()

    def action_edit_line(self, key: str) -> None:
        self._input.edit(key)
        self._update_input()

    def action_answer(self) -> None:
        """Answer yes, or submit the typed line; an empty line is refused unless it has a meaning."""
        answer = self._input.text.strip()
        if answer or self._empty_label or not self._has_input:
            self._submit_answer(answer)

    def action_refuse(self) -> None:
        self._submit_answer(None)

    def _submit_answer(self, answer: str | None) -> None:
        """Close with this answer.

        Only the first answer counts: further keys may arrive before the screen below is active.
        """
        if is_shown(self):
            self.dismiss(answer)

    async def on_click(self, event: events.Click) -> None:
        widget = None if self.is_early(event) else find_clicked_widget(event, self)
        for key in QUESTION.keys:
            if widget is not None and widget.id == key.name:
                await self.app.run_action(key.action, self)
