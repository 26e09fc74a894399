"""Opening and closing of the overlays of a table."""

from typing import TYPE_CHECKING

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.ui.keys.bindings import AnyKeyBindings
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.cursor import CursorPosition
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.table_widget import Overlay, TableWidget
from cardtable.ui.toolkit.text_input import TextInput

if TYPE_CHECKING:  # shortens the time to the first picture
    from cardtable.ui.table.last_deal import LastDealLoader


class OverlayStack:
    """Manager of the overlays on the table widget; only the top one is shown."""

    def __init__(self, view: TableWidget, controller: TableController) -> None:
        self.view, self.controller = view, controller
        self._drafts: dict[Seat, TextInput] = {}
        """Unsent chat text of each player at this terminal."""
        self._last_deal_loader: LastDealLoader | None = None
        self._position_before_hint: CursorPosition
        """Position of the cursor when the hint was opened."""

    @property
    def top(self) -> Overlay | None:
        return self.view.overlay

    @property
    def has_hint(self) -> bool:
        """True while a hint is open; Enter then performs its selected action."""
        return self.top is not None and self.top.view is not None

    @property
    def scope(self) -> AnyKeyBindings:
        return TABLE if self.top is None or self.top.scope is None else self.top.scope

    @property
    def keys_reach_table(self) -> bool:
        """True if keys are for the table, because no overlay except a hint is open."""
        return self.top is None or self.top.view is not None

    @property
    def shows_prompt(self) -> bool:
        """True if the prompt is visible, so that keys are for the table or for the password input of a curtain."""
        return self.top is None or self.top.view is not None or self.top.is_password_input

    def sync_with_frame(self, frame: TableFrame) -> None:
        """Close an overlay that ``frame`` makes invalid, and open or close the password input.

        A hint is invalid for a new view; an overlay that shows secrets is invalid at a curtain.
        """
        overlay = self.top
        is_outdated = overlay is not None and overlay.view is not None and overlay.view is not frame.view
        if overlay and (is_outdated or (frame.has_curtain and not overlay.can_cover_curtain())):
            self._set_overlay(None)
        needs_password = frame.has_curtain and frame.handover_seat is not None and bool(frame.password_nick)
        if needs_password and self.top is None:
            from cardtable.ui.table.overlays import PasswordOverlay  # noqa: PLC0415 - lazy: startup

            self.view.overlay = PasswordOverlay(self.controller)
        elif not needs_password and self.top is not None and self.top.is_password_input:
            self.view.overlay = None

    def push(self, overlay: Overlay | None) -> None:
        """Open an overlay in place of any other.

        If an overlay of the same class is open, or ``overlay`` is ``None``, the open one is only closed.
        """
        self._set_overlay(None if type(self.top) is type(overlay) else overlay)
        self.controller.view_model.show()

    def pop(self) -> None:
        """Close the overlay on top, and show the one below it, if any.

        The cursor, which a hint has moved, returns to where it was before.
        """
        if self.has_hint:
            self.controller.view_model.cursor.return_to(self._position_before_hint)
        self._set_overlay(self.top.below if self.top else None)
        if self.has_hint and self.controller.frame.advice is None:
            self.controller.hint_task.request_hint()
        self.controller.view_model.show()

    def close_hint(self) -> None:
        """Close the hint, if it is open, because the player moves on from its choice."""
        if self.has_hint:
            self._set_overlay(None)
            self.controller.view_model.show()

    def _set_overlay(self, overlay: Overlay | None) -> None:
        self.view.overlay = overlay
        if not self.has_hint:  # advice that arrives later must not move the cursor
            self.controller.hint_task.forget_request()

    def close_innermost(self) -> None:
        if self.top is not None and self.top.close_innermost():
            self.controller.view_model.show()
        else:
            self.pop()

    def scroll(self, rows: int) -> None:
        if self.top is not None and self.top.scroll(rows):
            self.controller.view_model.show()

    def turn_over(self) -> None:
        if self.top is not None and self.top.turn_over():
            self.controller.view_model.show()

    def toggle_overlay(self, name: str) -> None:
        from cardtable.ui.table import overlays  # noqa: PLC0415 - lazy: startup

        self.push(overlays.create_overlay(name, self.controller.frame))

    def open_key_sheet(self) -> None:
        """Open the key sheet of the table, of an open hint, or of another overlay with keys of its own."""
        from cardtable.ui.table import overlays  # noqa: PLC0415 - lazy: startup

        below = self.top if self.has_hint or self.scope is not TABLE else None
        self.push(overlays.KeySheetOverlay(below))

    def open_hint(self) -> None:
        """Open the hint and request advice, or show its figures if it is open.

        While robots are watched, pause first and view the seat to act.
        """
        if self.top is not None and self.has_hint:
            self.top.turn_over()
            self.controller.view_model.show()
            return
        if self.controller.refuse_aids():
            return
        if self.controller.frame.playback and self.top is None:
            self.controller.view_seat_to_act()
        self._position_before_hint = self.controller.view_model.cursor.position
        self.toggle_overlay("hint")
        if self.top is not None:
            self.controller.hint_task.request_hint()

    def open_messages(self) -> None:
        """Open messages and chat of the viewing seat; at a curtain only the messages for all players."""
        if self.controller.frame.has_curtain:
            self.toggle_overlay("public_messages")
            return
        from cardtable.ui.table import overlays  # noqa: PLC0415 - lazy: startup

        self.push(overlays.Messages(self.controller, self._drafts))

    async def open_last_deal(self) -> bool:
        """Open the last deal; return False if it is refused or cannot be loaded, or the table shows something else."""
        if self.controller.refuse_aids():
            return False
        from cardtable.ui.table.last_deal import LastDealLoader  # noqa: PLC0415 - lazy: startup

        controller = self.controller
        self._last_deal_loader = self._last_deal_loader or LastDealLoader(controller)
        try:
            last_deal = await self._last_deal_loader.load(len(controller.frame.scores))
        except CardtableError:  # the host cannot be reached; the table shows that
            return False
        if last_deal is None or not self.keys_reach_table or self.controller.frame.has_curtain:
            return False
        self.push(last_deal)
        return True

    def stop(self) -> None:
        if self._last_deal_loader:
            self._last_deal_loader.stop()
