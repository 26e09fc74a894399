"""Overlay with messages and table talk, and a text input for chat."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.log_entries import Said
from cardtable.engine.text_format import sanitize
from cardtable.session.message_log import MAX_TALK_LENGTH
from cardtable.ui.keys.bindings import AnyKeyBinding
from cardtable.ui.keys.table_keys import MESSAGES
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import TextInputOverlay
from cardtable.ui.table.paint import panel
from cardtable.ui.toolkit import overlay
from cardtable.ui.toolkit.page import paint_footer
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import get_layout
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.formatting import YOU

_INPUT_ROWS: Final = 2
"""Rows of the text input, including the empty row above it."""
_COUNTDOWN_FROM: Final = 50
"""Number of remaining characters below which the number is displayed."""
_TOO_LONG: Final = f"A message has at most {MAX_TALK_LENGTH} characters"


class Drafts:
    """Unsent chat text of each player at this terminal, so that closing the overlay loses none."""

    def __init__(self) -> None:
        self._inputs: dict[Seat, TextInput] = {}

    def find_input(self, frame: TableViewState) -> TextInput:
        """Return the text input of the viewing seat, created at the first call.

        The history of the text input is what the player has said in the session until then.
        """
        seat = frame.seat
        if seat not in self._inputs:
            chat_history = [note.text for note in frame.messages if isinstance(note, Said) and note.seat == seat]
            self._inputs[seat] = TextInput(MAX_TALK_LENGTH, history=chat_history)
        return self._inputs[seat]


class Messages(TextInputOverlay):
    """All messages, and a text input for chat with the whole table.

    The overlay belongs to the player who opened it. If it contains text, it stays open over a curtain and shows only
    messages for all players; Enter then sends the text and does not reveal the next player's hand.
    """

    scope = MESSAGES

    def __init__(self, controller: TableController, drafts: Drafts) -> None:
        self._controller, frame = controller, controller.frame
        self.seat = frame.seat
        super().__init__(drafts.find_input(frame))
        self.is_mute = frame.is_local and bool(frame.spectator_reason)
        """True if the player cannot chat, because another program plays the session."""
        self.error = ""
        """Why the text could not be sent or inserted; "" if it could."""
        self._rows_back = 0

    def can_cover_curtain(self) -> bool:
        """Return True if the text input contains text; over a curtain the overlay shows public messages only."""
        return bool(self.text_input.text)

    @property
    def can_clear(self) -> bool:
        """True if messages can be cleared from the screen."""
        frame = self._controller.frame
        return bool(frame.messages) and not frame.has_curtain

    def handle_key(self, key: str, character: str | None, binding: AnyKeyBinding | None) -> bool:
        """Apply a key to the text input, unless chat is impossible.

        A character beyond the maximum length shows an error.
        """
        is_full = self.text_input.remaining <= 0 and self.text_input.can_type(key, character)
        is_handled = not self.is_mute and super().handle_key(key, character, binding)
        if is_handled:
            self.error = _TOO_LONG if is_full else ""
        return is_handled

    def paste(self, text: str) -> bool:
        """Insert text into the text input, unless chat is impossible.

        Text that does not fit is truncated, which shows an error.
        """
        if not self.is_mute:
            self.error = "" if self.text_input.insert(text) else _TOO_LONG
        return not self.is_mute

    async def action_say(self) -> None:
        """Send the text; if that fails, show the error and retain the text."""
        if not sanitize(self.text_input.text).strip():
            return
        try:
            await self._controller.say(self.text_input.text, self.seat)
        except CardtableError as error:
            self.error = str(error)
        else:
            self.text_input.add_to_history()
            self._rows_back = 0

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint the text input, and above it the newest messages that fit, or earlier ones after scrolling."""
        width, height = overlay.measure_text_area(canvas)
        rows = _wrap_messages(canvas, frame, width)
        max_rows = max(height - _INPUT_ROWS, 1)
        self._rows_back = max(min(self._rows_back, len(rows) - max_rows), 0)
        end = len(rows) - self._rows_back
        name = frame.names[self.seat]
        subtitle = "" if self.is_mute else "talk to the table" if name == YOU else f"{name} talks to the table"
        box = overlay.paint_frame(canvas, "Messages", subtitle, max_rows + _INPUT_ROWS)
        x, y = box.x + overlay.INDENT, box.y + 3
        shown_rows = rows[max(end - max_rows, 0) : end]
        for row, (sender, text, ink) in enumerate(shown_rows, y + max_rows - len(shown_rows)):
            after = canvas.write(x, row, sender, canvas.theme.inks.soft) + 1
            card_faces.paint_text(canvas, after, row, text, ink, max_width=box.right - after)
        if not self.is_mute:
            self._paint_input(canvas, x, y + max_rows + 1, width)
        hidden_keys = {
            "play": self.is_mute,
            "up down": self.is_mute or not self.text_input.has_history,
            "page_up page_down": len(rows) <= max_rows,
            "clear_messages": not self.can_clear,
        }
        keys = {names: word for names, word in self.scope.footer.items() if not hidden_keys.get(names)}
        paint_footer(canvas, keys, get_layout(canvas).margin, self.error, with_help=False)

    def _paint_input(self, canvas: Canvas, x: int, y: int, width: int) -> None:
        end = x + width
        if self.text_input.remaining < _COUNTDOWN_FROM:
            countdown = f"{self.text_input.remaining} left"
            end = canvas.write_right(end - 1, y, countdown, canvas.theme.inks.soft) - 1
        paint_text_input(canvas, x, y, end - x, self.text_input, "Type a message")

    def scroll(self, rows: int) -> bool:
        """Scroll to later messages, or to earlier ones if ``rows`` is negative."""
        self._rows_back = max(0, self._rows_back - rows)
        return True


def _wrap_messages(canvas: Canvas, frame: TableViewState, width: int) -> Sequence[tuple[str, str, str]]:
    """Return the sender, the text and the ink of each row; the program's own messages are muted."""
    inks = canvas.theme.inks
    rows = [
        (row.sender, row.text, inks.muted if row.is_muted else inks.text)
        for message in panel.wrap_messages(frame, width)
        for row in message
    ]
    return rows or [("", "No messages yet", inks.soft)]
