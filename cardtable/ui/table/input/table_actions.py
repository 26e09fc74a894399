"""Actions of the table's key bindings: cursor, overlays and playback."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace
from textual.geometry import Size

from cardtable.store.settings import SETTINGS, HandOrder
from cardtable.ui.keys.bindings import ActionDispatcher
from cardtable.ui.table.input.table_guard import TableGuard
from cardtable.ui.table.model.view_state import CardTexts, PlaybackControls, TableViewState
from cardtable.ui.table.overlays.stack import OverlayStack
from cardtable.ui.table.paint import board
from cardtable.ui.toolkit.painting.layout import compute_layout, list_fitting_sizes
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording.log_entries import NOT_RATED_FROM_NOW


def advance_setting(
    preferences: Preferences, name: str, size: tuple[int, int], hand_orders: Sequence[HandOrder]
) -> str:
    """Change a setting to its next value, and return a description of that value.

    ``size`` is the terminal's size in columns and rows; card sizes that do not fit are skipped, and so are orders of
    the hand that the game does not know.
    """
    setting, current = SETTINGS[name], getattr(preferences.chosen, name)
    largest = ""
    if name == "card_size":
        largest, *smaller = list_fitting_sizes(*size)
        setting = replace(setting, values=("auto", *smaller))
        current = current if current in smaller else "auto"
    elif name == "hand_order":
        setting = replace(setting, values=hand_orders)
        current = current if current in hand_orders else "usual"
    value = setting.step_value(current, 1)
    preferences.change(**{name: value})
    text = f"{setting.label}: {setting.format_value(value)}"
    return f"{text}, here {setting.format_value(largest)}" if value == "auto" else text


MAX_ROWS: Final = 1_000_000
"""More rows than any overlay has, to scroll to its end."""


class TableKeys(ActionDispatcher):
    """Actions of the key bindings that stay on the table; those that open other screens belong to ``TableScreen``."""

    def __init__(self, overlays: OverlayStack, guard: TableGuard, leave: Callable[[], None]) -> None:
        """``leave`` closes the table at the end of a session."""
        self._overlays, self._guard, self._leave = overlays, guard, leave
        self._controller, self._view_model = overlays.controller, overlays.controller.view_model
        self._cursor = self._view_model.cursor

    @property
    def _frame(self) -> TableViewState:
        return self._view_model.frame

    @property
    def _size(self) -> Size:
        return self._overlays.view.size

    def action_move(self, step: int) -> None:
        """Move the cursor left (-1) or right (1).

        While robots are watched, the viewing seat changes instead; at the end of a round, play continues.
        """
        if self._frame.playback:
            self._view_model.move_viewing_seat(step)
        elif self._frame.is_round_over:
            self.action_commit()
        else:
            self._controller.submit(self._cursor.move(step))

    def action_walk(self, step: int) -> None:
        """Move the cursor among all cards of the hand, including forbidden ones."""
        self._cursor.move_any(step)

    def action_end(self, step: int) -> None:
        """Move to the first (-1) or last (1) playable card or option, or scroll an overlay to its end."""
        if self._overlays.keys_reach_table:
            self._cursor.move_to_end(step)
        else:
            self._overlays.scroll(step * MAX_ROWS)

    def action_climb(self, step: int) -> None:
        """Move up (-1) or down (1) in the hint or the decision box, perform the game's action, or scroll an overlay."""
        if self._overlays.has_hint:
            self._controller.hint_task.move_selection(step)
        elif self._overlays.keys_reach_table:
            action = self._cursor.move_vertical(step)
            if not self._guard.is_key_held:
                self._controller.submit(action)
        else:
            self._overlays.scroll(step)

    def action_page(self, step: int) -> None:
        """Scroll an overlay by half the screen, up (-1) or down (1)."""
        self._overlays.scroll(step * (self._size[1] // 2))

    def action_rank(self, rank: int) -> None:
        self._cursor.go_to_rank(rank)

    def action_switch(self) -> None:
        """Move between decision box and hand, turn an overlay over, or view the next seat while robots are watched."""
        if not self._overlays.keys_reach_table:
            self._overlays.turn_over()
        elif self._frame.playback:
            self._view_model.move_viewing_seat(1)
        else:
            self._cursor.switch_area()

    def action_choose(self) -> None:
        """Choose the card under the cursor in games with actions of several cards; else do the same as Enter."""
        if (
            self._overlays.has_hint
            and self._cursor.waiting
            and not self._cursor.in_box
            and self._cursor.hand.selects_cards
        ):
            self._overlays.close_hint()
            self._controller.submit(self._cursor.toggle_card())
        elif not self._continue() and not self._perform_hint():
            self._controller.submit(self._cursor.toggle_card())

    def action_commit(self) -> None:
        """Continue after a pause, perform the selected choice of a hint, or play the cards or option at the cursor."""
        if not self._continue() and not self._perform_hint():
            self._controller.submit(self._cursor.confirm())

    def _perform_hint(self) -> bool:
        """Perform the selected action of an open hint, if advice has arrived; return False if no hint is open."""
        if self._overlays.has_hint:
            self._controller.submit(self._frame.hint_action)
        return self._overlays.has_hint

    def _continue(self) -> bool:
        """End a pause, or continue at a curtain, after a round, a session, a text or a robot's failure.

        Returns False if the table was not waiting in this way.
        """
        if self._controller.skip_pause():
            return True
        frame = self._frame
        is_paused = not frame.is_in_play or frame.robot_failed or frame.is_reading
        if frame.is_over:
            self._leave()
        elif is_paused:
            self._controller.proceed()
        return is_paused

    def action_clear(self) -> None:
        self._cursor.clear_selection()

    def action_take_back(self) -> None:
        self._controller.take_back()

    def action_give_card(self) -> None:
        self._controller.submit(self._controller.local.give_card, decisions=1)

    def action_finish_round(self) -> None:
        self._controller.submit(self._controller.local.finish_round)

    def action_look_at(self, name: str) -> None:
        self._overlays.toggle_overlay(name)

    def action_uncover(self) -> None:
        self._overlays.pop()

    def action_step_back(self) -> None:
        self._overlays.close_innermost()

    def action_messages(self) -> None:
        self._overlays.open_messages()

    def action_explain_card(self) -> None:
        """Hide the line on the card under the cursor, or show it for each card if there is none."""
        self._view_model.show(card_texts=CardTexts.NONE if self._frame.card_text else CardTexts.ALL)

    def action_turn(self, name: str) -> None:
        """Change a setting to its next value, and show that value in the prompt."""
        self._cursor.show_message(self._advance_setting(name))

    def _advance_setting(self, name: str) -> str:
        return advance_setting(self._view_model.preferences, name, self._size, self._frame.game_view.hand_orders)

    def action_coach(self) -> None:
        """Switch the coach to its next level, and show whether the session stays rated."""
        text = self._advance_setting("coach")
        unrated = self._view_model.preferences.settings.coach != "off" and self._controller.local.is_rated_so_far
        self._cursor.show_message(f"{text}. {NOT_RATED_FROM_NOW}" if unrated else text)

    def action_open_hands(self) -> None:
        """Show or hide open hands on the table; on a screen without room for them, open or close an overlay."""
        has_room = board.has_room_for_hands(compute_layout(*self._size), len(self._frame.names))
        self._view_model.show(shows_open_hands=not (has_room and self._frame.shows_open_hands))
        if not has_room:
            self._overlays.toggle_overlay("open_hands")

    def action_pause(self) -> None:
        self._controller.change_playback(PlaybackControls.toggle_pause)

    def action_step(self) -> None:
        """End the current pause and let the watched robots make one more decision, then pause."""
        self._controller.skip_pause()
        self._controller.change_playback(PlaybackControls.request_step)

    def action_faster(self, by: int) -> None:
        self._controller.change_playback(partial(PlaybackControls.change_speed, by=by))
