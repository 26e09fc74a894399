"""A short question over a screen, answered by Enter or by a line of text."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from cardtable.ui.look import Look


class Dialog(ModalScreen[str | None]):
    """Asks; the result is the line that was typed ("" if none is asked for), or ``None`` for no.

    ``field``: what stands in the line to begin with; ``None`` where none is to be typed.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; background: #081c15 62%; }
    Dialog Vertical { width: 72; max-width: 92%; height: auto; padding: 1 3; }
    Dialog Static { height: auto; margin-bottom: 1; }
    Dialog #keys { margin-bottom: 0; }
    Dialog Input { border: none; height: 1; padding: 0 1; margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer", id="yes"),
        Binding("escape", "dismiss(None)", id="no"),
    ]

    def __init__(self, look: Look, title: str, text: str, yes: str, *, field: str | None = None) -> None:
        super().__init__()
        self._theme, self._heading, self._text, self._yes, self._field = look.theme, title, text, yes, field

    def compose(self) -> ComposeResult:
        """The question, the line, and what the keys do."""
        inks = self._theme.inks
        with Vertical():
            yield Static(Text(self._heading, style=f"bold {inks.text}"))
            yield Static(Text(self._text, style=inks.soft))
            if self._field is not None:
                yield Input(self._field)
            keys = Text.assemble(
                ("Enter", f"bold {inks.text}"), (f" {self._yes}   ", inks.muted),
                ("Esc", f"bold {inks.text}"), (" leave it", inks.muted),
            )  # fmt: skip
            yield Static(keys, id="keys")

    def on_mount(self) -> None:
        """The colours of the theme."""
        self.query_one(Vertical).styles.background = self._theme.grounds.mat
        for line in self.query(Input):
            line.styles.background = self._theme.grounds.panel
            line.styles.color = self._theme.inks.text
            line.focus()

    def action_answer(self) -> None:
        """Enter: yes."""
        self.dismiss("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the line: what was typed."""
        self.dismiss(event.value.strip() or None)
