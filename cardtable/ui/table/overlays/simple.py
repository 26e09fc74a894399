"""Simple overlays: hint, previous trick, score sheet, public messages, open hands, key sheet and password."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from cardtable.engine.game import View
from cardtable.session.session_events import Stage
from cardtable.store.passwords import MAX_CHARACTERS
from cardtable.ui.keys.bindings import MOVE_TOPIC, AnyKeyBinding
from cardtable.ui.keys.table_keys import PASSWORD, PUBLIC_MESSAGES, TABLE, TableKeyState
from cardtable.ui.table.input import key_labels
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import Overlay, TextInputOverlay
from cardtable.ui.table.paint import score_sheet
from cardtable.ui.table.paint.board import format_hand
from cardtable.ui.table.paint.curtain import paint_password
from cardtable.ui.table.paint.hint import paint_hint
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit import overlay
from cardtable.ui.toolkit.page import paint_footer
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import get_layout
from cardtable.ui.toolkit.text_input import TextInput
from cardtable.wording.log_entries import format_messages

SHARE_NOTE: Final = "If your terminal does not allow that, type cardtable share."


class PreviousTrick(Overlay):
    """Table as it was at the end of the previous trick."""

    hides_table = True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
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
        """Return True, since the score sheet is public."""
        return True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
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
        """Show the other side, with the remaining contracts; no effect if there is none."""
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
        """Return True, since the messages are public."""
        return True

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint the newest messages that fit, or earlier ones after scrolling."""
        lines = [
            f"{sender} {text}"
            for sender, text, _ in format_messages(frame.messages, frame.names, joins=frame.game_view.joins_messages)
        ]
        self._lines_back = max(min(self._lines_back, len(lines) - 1), 0)
        overlay.paint_box(canvas, "Messages", lines[: len(lines) - self._lines_back] or ["No messages yet"])
        paint_footer(canvas, self.scope.footer, get_layout(canvas).margin, with_help=False)

    def scroll(self, rows: int) -> bool:
        """Scroll to later messages, or to earlier ones if ``rows`` is negative."""
        self._lines_back = max(0, self._lines_back - rows)
        return True


class OpenHands(Overlay):
    """All hands as lines of text, for screens on which the table has no room for open hands."""

    non_closing_keys = frozenset({"open_hands", "pause", "step", "faster", "slower"})

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint a line for each player, wrapped; without cards if their hand is hidden."""
        lines = []
        for seat, name in enumerate(frame.names):
            cards = frame.own_cards if seat == frame.seat else frame.find_open_hand(seat)
            lines.append(f"{name}  {format_hand(cards or (), canvas.faces, by_suit=frame.has_suit_gaps)}")
        overlay.paint_box(canvas, "All hands", lines)


class ShareOverlay(Overlay):
    """Result of a deal of the day, which has just been copied."""

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        lines = frame.end_lines.share if frame.end_lines else ()
        overlay.paint_box(canvas, "Copied to the clipboard", [*lines, "", SHARE_NOTE])


class Hint(Overlay):
    """Overlay with the expert's advice; the table below stays playable, and the next event closes the overlay."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._has_more = self._shows_deals = False
        """``_has_more``: True if the key of the hint shows the sample of deals now."""

    def is_closed_by(self, name: str) -> bool:
        """Return True for Escape, and for the hint's key unless it shows the sample of deals now."""
        return name == "leave" or (name == "hint" and not self._has_more)

    def turn_over(self) -> bool:
        """Show the sample of deals in place of points and reasons."""
        self._shows_deals, self._has_more = True, False
        return True

    def should_yield_to(self, name: str) -> bool:
        """Return True for keys that choose an action on the table; Up and Down choose one of the hint."""
        moves_cursor = TABLE.find(name).topic == MOVE_TOPIC and name not in ("up", "down")
        return moves_cursor or name == "rub_out"

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        """Paint the advice on the mat; hand, prompt and panel stay visible."""
        paint_hint(canvas, frame, shows_deals=self._shows_deals)
        self._has_more = frame.advice is not None and len(frame.advice.lines) > 1 and not self._shows_deals
        keys = {
            "play": "do it" if frame.hint_action is not None else "",
            "up down": "choice" if frame.advice is not None and len(frame.advice.lines) > 1 else "",
            "hint": "more" if self._has_more else "",
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

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        keys, title = canvas.appearance.keys, frame.game.about.title
        if self.below:
            self.below.paint(canvas, frame)
        if self.below and self.below.scope:
            location, enabled = self.below.scope.location, self.below.scope.list_enabled(self.below)
            groups = overlay.build_key_groups(keys, enabled, is_typing=isinstance(self.below, TextInputOverlay))
        else:
            at = TableKeyState(frame, in_hint=self.below is not None)
            labels = key_labels.build_labels(frame, in_hint=at.in_hint)
            location, groups = TABLE.location, overlay.build_key_groups(keys, TABLE.list_enabled(at), labels)
        self._sheet.paint(canvas, f"{location}, {title}", groups)


_OVERLAYS: Final[Mapping[str, Callable[[], Overlay]]] = {
    "previous_trick": PreviousTrick,
    "sheet": ScoreSheet,
    "open_hands": OpenHands,
    "public_messages": PublicMessages,
    "share": ShareOverlay,
}


def create_overlay(name: str, frame: TableViewState) -> Overlay | None:
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

    def paint(self, canvas: Canvas, frame: TableViewState) -> None:
        paint_table(canvas, frame)
        paint_password(canvas, self.text_input, self.error)
        paint_footer(canvas, self.scope.footer, get_layout(canvas).margin, frame.banner, with_help=False)
