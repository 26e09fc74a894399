"""Overlays on the table: hint, previous trick, score sheet, messages, open hands, key sheet and password."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat, View
from cardtable.engine.log_entries import Said
from cardtable.engine.text_format import sanitize
from cardtable.session.session_events import MAX_TALK_LENGTH, Stage
from cardtable.store.passwords import MAX_CHARACTERS
from cardtable.ui.keys.bindings import MOVE_TOPIC, AnyKeyBinding
from cardtable.ui.keys.table_keys import MESSAGES, PASSWORD, PUBLIC_MESSAGES, TABLE, TableKeyState, build_labels
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint import panel, score_sheet
from cardtable.ui.table.paint.advice import paint_hint
from cardtable.ui.table.paint.board import format_hand
from cardtable.ui.table.paint.curtain import paint_password
from cardtable.ui.table.paint.table_widget import Overlay, TextInputOverlay, paint_table
from cardtable.ui.toolkit import overlay
from cardtable.ui.toolkit.page import paint_footer
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import get_layout
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording.formatting import YOU
from cardtable.wording.log_entries import format_messages

SHARE_NOTE: Final = "If your terminal does not allow that, type cardtable share."


class PreviousTrick(Overlay):
    """Table as it was at the end of the previous trick."""

    hides_table = True

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        view = frame.game_view.previous_trick(frame.view)
        if view is None:  # new cards have been dealt
            paint_table(canvas, frame)
            return
        then = replace(frame, view=view, stage=Stage.PLAY, waiting=False, decision=None, reason="The previous trick")
        paint_table(canvas, then)
        paint_footer(canvas, {"leave": "back to the table"}, get_layout(canvas).margin, with_help=False)


class ScoreSheet(Overlay):
    """Score sheet on the whole screen, with the remaining contracts on its other side in games that have them."""

    hides_table = True
    non_closing_keys = frozenset({"up", "down", "page_up", "page_down", "first", "last", "sheet"})

    def __init__(self) -> None:
        self._offset: int | None = None
        self._max_offset = 0
        self._shows_reverse = False
        """True if the player has turned the sheet over."""
        self._has_reverse = False

    def is_closed_by(self, name: str) -> bool:
        return super().is_closed_by(name) and not (name == "switch" and self._has_reverse)

    def can_cover_curtain(self) -> bool:
        return True

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        if self._offset is None:
            self._offset = score_sheet.compute_opening_scroll(canvas, frame)
        self._has_reverse = score_sheet.has_reverse_side(canvas, frame)
        if self._shows_reverse and self._has_reverse:
            score_sheet.paint_contracts(canvas, frame)
            return
        self._max_offset = score_sheet.paint_sheet(canvas, frame, self._offset)

    def scroll(self, rows: int) -> bool:
        self._offset = max(0, min((self._offset or 0) + rows, self._max_offset))
        return True

    def turn_over(self) -> bool:
        self._shows_reverse = not self._shows_reverse
        return True


class PublicMessages(Overlay):
    """Messages for all players, shown at a curtain; without chat, since the player may not have been identified."""

    scope = PUBLIC_MESSAGES

    def __init__(self) -> None:
        self._lines_back = 0

    def is_closed_by(self, _name: str) -> bool:
        return False

    def handle_key(self, _key: str, character: str | None, _binding: AnyKeyBinding | None) -> bool:
        """Swallow typed characters, which the overlay with chat inserts, so that none of them runs a key binding."""
        return character is not None and character.isprintable()

    def can_cover_curtain(self) -> bool:
        return True

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        """Paint the newest messages that fit, or earlier ones after scrolling."""
        messages = format_messages(frame.messages, frame.names, joins=frame.game_view.joins_messages)
        lines = [f"{message.sender} {message.text}" for message in messages]
        self._lines_back = max(min(self._lines_back, len(lines) - 1), 0)
        overlay.paint_box(canvas, "Messages", lines[: len(lines) - self._lines_back] or ["No messages yet"])
        paint_footer(canvas, self.scope.footer, get_layout(canvas).margin, with_help=False)

    def scroll(self, rows: int) -> bool:
        self._lines_back = max(0, self._lines_back - rows)
        return True


class OpenHands(Overlay):
    """All hands as lines of text, for screens on which the table has no room for open hands."""

    non_closing_keys = frozenset({"open_hands", "pause", "step", "faster", "slower"})

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        """Paint a line for each player, wrapped; without cards if their hand is hidden."""
        lines = []
        for seat, name in enumerate(frame.names):
            cards = frame.own_cards if seat == frame.seat else frame.find_open_hand(seat)
            lines.append(f"{name}  {format_hand(cards or (), canvas.faces, by_suit=frame.has_suit_gaps)}")
        overlay.paint_box(canvas, "All hands", lines)


class ShareOverlay(Overlay):
    """Result of a deal of the day, which has just been copied."""

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        lines = frame.end_lines.share if frame.end_lines else ()
        overlay.paint_box(canvas, "Copied to the clipboard", [*lines, "", SHARE_NOTE])


class Hint(Overlay):
    """Overlay with the expert's advice; the table below stays playable, and the next event closes the overlay."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._has_more = self._shows_figures = False
        """``_has_more``: True if the key of the hint shows the figures of all choices now."""

    def is_closed_by(self, name: str) -> bool:
        return name == "leave" or (name == "hint" and not self._has_more)

    def turn_over(self) -> bool:
        self._shows_figures, self._has_more = True, False
        return True

    def should_yield_to(self, name: str) -> bool:
        """Return True for keys that choose an action on the table; Up and Down choose one of the hint."""
        moves_cursor = TABLE.find(name).topic == MOVE_TOPIC and name not in ("up", "down")
        return moves_cursor or name in ("choose", "rub_out")

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        """Paint the advice above the prompt; hand, prompt and decision box stay visible."""
        paint_hint(canvas, frame, shows_figures=self._shows_figures)
        has_choices = frame.advice is not None and len(frame.advice.lines) > 1
        is_pending = frame.advice is None and frame.can_request_hint
        self._has_more = (has_choices or is_pending) and not self._shows_figures
        keys = {
            "play": "do it" if frame.hint_action is not None else "",
            "up down": "choice" if has_choices else "",
            "hint": "more" if self._has_more and has_choices else "",
            "leave": "back",
        }
        paint_footer(canvas, keys, get_layout(canvas).margin, frame.banner)


class KeySheetOverlay(Overlay):
    """Key sheet of the table or of another overlay."""

    def __init__(self, below: Overlay | None = None) -> None:
        """``below`` is the overlay whose keys are listed instead of the table's."""
        self.below = below
        self.hides_table = below is not None and below.hides_table
        self._sheet = overlay.KeySheet()

    def can_cover_curtain(self) -> bool:
        return self.below is None or self.below.can_cover_curtain()

    def is_closed_by(self, name: str) -> bool:
        return not self._sheet.is_scrolled_by(name)

    def scroll(self, rows: int) -> bool:
        self._sheet.scroll(rows)
        return True

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        keys, title = canvas.appearance.keys, frame.game.about.title
        if self.below:
            self.below.paint(canvas, frame)
        if self.below and self.below.scope:
            location, enabled = self.below.scope.location, self.below.scope.list_enabled(self.below)
            groups = overlay.build_key_groups(keys, enabled, is_typing=isinstance(self.below, TextInputOverlay))
        else:
            state = TableKeyState(frame, in_hint=self.below is not None)
            labels = build_labels(frame, in_hint=state.in_hint)
            location, groups = TABLE.location, overlay.build_key_groups(keys, TABLE.list_enabled(state), labels)
        self._sheet.paint(canvas, f"{location}, {title}", groups)


_OVERLAYS: Final[Mapping[str, Callable[[], Overlay]]] = {
    "previous_trick": PreviousTrick,
    "sheet": ScoreSheet,
    "open_hands": OpenHands,
    "public_messages": PublicMessages,
    "share": ShareOverlay,
}


def create_overlay(name: str, frame: TableFrame) -> Overlay | None:
    """Return a new overlay by name; ``None`` for the previous trick if there is none."""
    if name == "previous_trick" and frame.game_view.previous_trick(frame.view) is None:
        return None
    return Hint(frame.view) if name == "hint" else _OVERLAYS[name]()


class PasswordOverlay(TextInputOverlay):
    """Password input on the curtain; each character is shown as a dot."""

    scope = PASSWORD
    hides_table = True
    is_password_input = True

    def __init__(self, controller: TableController) -> None:
        super().__init__(TextInput(MAX_CHARACTERS, masked=True))
        self.error: str | None = None
        """Why the last password was refused; ``None`` if none was, or after another key."""
        self._controller = controller

    def can_cover_curtain(self) -> bool:
        return True

    def handle_key(self, key: str, character: str | None, binding: AnyKeyBinding | None) -> bool:
        """Apply a key to the text input, and clear the error of the last password."""
        is_handled = super().handle_key(key, character, binding)
        if is_handled:
            self.error = None
        return is_handled

    async def action_give(self) -> None:
        """Check the typed password; ignored while the text input is empty."""
        if not self.text_input.text:
            return
        self.error = await self._controller.submit_password(self.text_input.text)
        self.text_input.clear()
        if not self.error:
            self._controller.proceed()

    def handle_click(self, _target: object) -> bool:
        """Return True for any target, so that a click beside the keys does not close the overlay."""
        return True

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
        paint_table(canvas, frame)
        paint_password(canvas, self.text_input, self.error)
        paint_footer(canvas, self.scope.footer, get_layout(canvas).margin, frame.banner, with_help=False)


_INPUT_ROWS: Final = 2
"""Rows of the text input, including the empty row above it."""
_COUNTDOWN_FROM: Final = 50
"""Number of remaining characters below which the number is displayed."""
_TOO_LONG: Final = f"A message has at most {MAX_TALK_LENGTH} characters"


class Messages(TextInputOverlay):
    """All messages, and a text input for chat with the whole table.

    The overlay belongs to the player who opened it. If it contains text, it stays open over a curtain and shows only
    messages for all players; Enter then sends the text and does not reveal the next player's hand.
    """

    scope = MESSAGES

    def __init__(self, controller: TableController, drafts: dict[Seat, TextInput]) -> None:
        """``drafts`` keeps the unsent text of each player at this terminal, so that closing the overlay loses none.

        The history of a new text input is what the player has said in the session until then.
        """
        self._controller, frame = controller, controller.frame
        self.seat = frame.seat
        if self.seat not in drafts:
            said = [note.text for note in frame.messages if isinstance(note, Said) and note.seat == self.seat]
            drafts[self.seat] = TextInput(MAX_TALK_LENGTH, history=said)
        super().__init__(drafts[self.seat])
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

    def paint(self, canvas: Canvas, frame: TableFrame) -> None:
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
        self._rows_back = max(0, self._rows_back - rows)
        return True


def _wrap_messages(canvas: Canvas, frame: TableFrame, width: int) -> Sequence[tuple[str, str, str]]:
    """Return the sender, the text and the ink of each row; the program's own messages are muted."""
    inks = canvas.theme.inks
    rows = [row for message in panel.wrap_messages(frame, width) for row in message]
    shown_rows = [(row.sender, row.text, inks.muted if row.is_muted else inks.text) for row in rows]
    return shown_rows or [("", "No messages yet", inks.soft)]
