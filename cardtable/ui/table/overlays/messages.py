"""Overlay with messages and table talk, and a text input for chat."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.log_entries import Said
from cardtable.engine.text_format import sanitize
from cardtable.session.message_log import MAX_TALK_LENGTH
from cardtable.session.session_events import Stage
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import LineCover
from cardtable.ui.table.paint import panel
from cardtable.ui.toolkit import overlay
from cardtable.ui.toolkit.footer import paint_footer
from cardtable.ui.toolkit.keys.bindings import MESSAGES, KeyBinding
from cardtable.ui.toolkit.page import paint_if_too_small
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import grid_of
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input

_LINE_ROWS: Final = 2
"""Rows of the text input, including the empty row above it."""
_NEAR: Final = 50
"""Number of remaining characters below which the number is displayed."""
_TOO_LONG: Final = f"At most {MAX_TALK_LENGTH} characters can be said at once"


class Drafts:
    """Unsent chat text of each player at this terminal, so that closing the overlay loses none."""

    def __init__(self) -> None:
        self._of: dict[Seat, TextInput] = {}

    def of(self, frame: TableViewState) -> TextInput:
        """Return the text input of the viewing seat, created at the first call.

        The history of the text input is what the player has said in the session until then.
        """
        seat = frame.seat
        if seat not in self._of:
            said = [note.text for note in frame.messages if isinstance(note, Said) and note.seat == seat]
            self._of[seat] = TextInput(MAX_TALK_LENGTH, history=said)
        return self._of[seat]


class Messages(LineCover):
    """All messages, and a text input for chat with the whole table.

    The overlay belongs to the player who opened it. If it contains text, it stays open over a curtain and shows only
    messages for all players; Enter then sends the text and does not reveal the next player's hand.
    """

    scope = MESSAGES

    def __init__(
        self,
        look: Callable[[], TableViewState],
        drafts: Drafts,
        say: Callable[[str, Seat], Awaitable[None]],
    ) -> None:
        """``send`` sends a chat message from a seat to the table; it raises ``CardtableError`` if that fails."""
        frame = look()
        self._look, self._say = look, say
        self.seat = frame.seat
        super().__init__(drafts.of(frame))
        self.mute = frame.is_local and bool(frame.spectator_reason)
        """True if the player cannot chat, because another program plays the session."""
        self.trouble = ""
        """Why the text could not be sent or inserted; "" if it could."""
        self._back = 0

    def over_curtain(self) -> bool:
        """Return True if the text input contains text; over a curtain the overlay shows public messages only."""
        return bool(self.line.text)

    def works(self, key: KeyBinding) -> bool:
        if key.name == "clear_messages":
            return can_clear(self._look())
        return super().works(key)

    def press(self, key: str, character: str | None, bound: KeyBinding | None) -> bool:
        """Apply a key to the text input, unless chat is impossible.

        A character beyond the maximum length shows an error.
        """
        is_full = self.line.remaining <= 0 and self.line.is_typed_by(key, character)
        pressed = not self.mute and super().press(key, character, bound)
        if pressed:
            self.trouble = _TOO_LONG if is_full else ""
        return pressed

    def paste(self, text: str) -> bool:
        """Insert text into the text input, unless chat is impossible.

        Text that does not fit is truncated, which shows an error.
        """
        if not self.mute:
            self.trouble = "" if self.line.insert(text) else _TOO_LONG
        return not self.mute

    async def action_say(self) -> None:
        """Send the text; if that fails, show the error and retain the text."""
        if not sanitize(self.line.text).strip():
            return
        try:
            await self._say(self.line.text, self.seat)
        except CardtableError as error:
            self.trouble = str(error)
        else:
            self.line.remember()
            self._back = 0

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint the text input, and above it the newest messages that fit, or earlier ones after scrolling."""
        if paint_if_too_small(canvas):
            return
        width, height = overlay.room(canvas)
        rows = _wrapped_rows(canvas, frame, width)
        most = max(height - _LINE_ROWS, 1)
        self._back = max(min(self._back, len(rows) - most), 0)
        end = len(rows) - self._back
        to = "" if self.mute else f"{frame.names[self.seat]} to everybody"
        box = overlay.block(canvas, "Messages", to, most + _LINE_ROWS)
        x, y = box.x + overlay.INDENT, box.y + 3
        shown = rows[max(end - most, 0) : end]
        for row, (who, what, ink) in enumerate(shown, y + most - len(shown)):
            after = canvas.text(x, row, who, canvas.theme.inks.soft) + 1
            card_faces.paint_text(canvas, after, row, what, ink, most=box.right - after)
        keys = [("leave", "close")]
        if not self.mute:
            self._paint_line(canvas, x, y + most + 1, width)
            keys.insert(0, ("play", "say it"))
            keys += [("up down", "said before")] if self.line.has_history else []
        keys += [("page_up page_down", "scroll")] if len(rows) > most else []
        keys += [("clear_messages", "clear all")] if can_clear(frame) else []
        paint_footer(canvas, keys, grid_of(canvas).margin, self.trouble, sheet=False)

    def _paint_line(self, canvas: Canvas, x: int, y: int, width: int) -> None:
        near = f"{self.line.remaining} left" if self.line.remaining < _NEAR else ""
        paint_text_input(canvas, x, y, width - len(near) - bool(near), self.line, "Type something to say")
        canvas.right(x + width - 1, y, near, canvas.theme.inks.soft)

    def scroll(self, rows: int) -> bool:
        """Scroll to later messages, or to earlier ones if ``rows`` is negative."""
        self._back = max(0, self._back - rows)
        return True


def can_clear(frame: TableViewState) -> bool:
    """Return True if messages are shown and no curtain covers the table."""
    return bool(frame.messages) and frame.stage is not Stage.CURTAIN


def _wrapped_rows(canvas: Canvas, frame: TableViewState, width: int) -> Sequence[tuple[str, str, str]]:
    """Return the sender, the text and the ink of each row; the program's own messages are muted."""
    inks = canvas.theme.inks
    rows = [
        (row.who, row.what, inks.muted if row.quiet else inks.text)
        for message in panel.folded(frame, width)
        for row in message
    ]
    return rows or [("Nothing", "has been said yet", inks.soft)]
