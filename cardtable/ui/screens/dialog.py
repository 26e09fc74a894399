"""A short question over a screen, answered by Enter or by a line of text."""

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from cardtable.ui.look import Look
from cardtable.ui.sizing import LatestSize


class Dialog(LatestSize, ModalScreen[str | None]):
    """Asks; the result is the line that was typed ("" if none is asked for), or ``None`` for no.

    ``field``: what stands in the line to begin with; ``None`` where none is to be typed.  An empty
    line is no answer, unless it ``may_be_empty``; with ``most`` it has no more characters; a
    ``secret`` is not shown.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; background: #081c15 62%; }
    Dialog Vertical { width: 72; max-width: 92%; height: auto; padding: 1 3; }
    Dialog Static { height: auto; margin-bottom: 1; }
    Dialog Horizontal { height: 1; }
    Dialog Horizontal Static { width: auto; margin: 0 3 0 0; }
    Dialog Input, Dialog Input:focus { border: none; height: 1; padding: 0 1; margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer", id="yes"),
        Binding("escape", "refuse", id="no"),
    ]

    def __init__(
        self,
        look: Look,
        title: str,
        text: str,
        yes: str,
        *,
        field: str | None = None,
        may_be_empty: bool = False,
        most: int = 0,
        secret: bool = False,
    ) -> None:
        super().__init__()
        self._may_be_empty, self._most, self._secret = may_be_empty, most, secret
        self._theme, self._heading, self._text, self._yes, self._field = look.theme, title, text, yes, field

    def compose(self) -> ComposeResult:
        """The question, the line, and what the keys do."""
        inks = self._theme.inks
        with Vertical():
            yield Static(Text(self._heading, style=f"bold {inks.text}"))
            yield Static(Text(self._text, style=inks.soft))
            if self._field is not None:
                yield Input(self._field, max_length=self._most, password=self._secret)
            with Horizontal():
                for name, key, word in (("yes", "Enter", self._yes), ("no", "Esc", "leave it")):
                    yield Static(Text.assemble((key, f"bold {inks.text}"), (f" {word}", inks.muted)), id=name)

    def on_mount(self) -> None:
        """The colours of the theme."""
        self.query_one(Vertical).styles.background = self._theme.grounds.mat
        for line in self.query(Input):
            line.styles.background = self._theme.grounds.panel
            line.styles.color = self._theme.inks.text
            line.focus()

    def action_answer(self) -> None:
        """Enter: yes."""
        self._answer("")

    def action_refuse(self) -> None:
        """Escape: no."""
        self._answer(None)

    def _answer(self, answer: str | None) -> None:
        """Answer once, whatever keys come before the screen below is there."""
        if self.app.screen is self:
            self.dismiss(answer)

    async def on_click(self, event: events.Click) -> None:
        """A click on what the keys do does it."""
        name = self.get_widget_at(event.screen_x, event.screen_y)[0].id
        if name == "no":
            self._answer(None)
        elif name == "yes" and self._field is None:
            self._answer("")
        elif name == "yes":
            await self.query_one(Input).action_submit()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the line: what was typed."""
        said = event.value.strip()
        self._answer(said if said or self._may_be_empty else None)
