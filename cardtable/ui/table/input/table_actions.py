"""Actions of the table's key bindings: cursor, overlays and playback."""

from collections.abc import Callable
from functools import partial
from typing import Final

from cardtable.session.session_events import Stage
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.cursor import Cursor
from cardtable.ui.table.model.view_state import PlaybackSpeed, TableViewState
from cardtable.ui.table.overlays.stack import OverlayStack
from cardtable.ui.table.paint import board
from cardtable.ui.toolkit.keys.bindings import ActionDispatcher
from cardtable.ui.toolkit.painting.layout import compute_layout, fitting
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.settings_catalogue import SETTINGS


def next_setting_value(preferences: Preferences, name: str, size: tuple[int, int]) -> str:
    """Change a setting to its next value, and return a description of that value.

    ``size`` is the terminal's size in columns and rows; card sizes that do not fit are skipped.
    """
    setting, now = SETTINGS[name], getattr(preferences.settings, name)
    largest = ""
    if name == "card_size":
        largest, *smaller = fitting(*size)
        setting = setting._replace(values=("auto", *smaller))
        now = now if now in smaller else "auto"
    value = setting.after(now, 1)
    preferences.change(**{name: value})
    text = f"{setting.label}: {setting.told(value)}"
    return f"{text}, here {setting.told(largest)}" if value == "auto" else text


MOST_ROWS: Final = 1_000_000
"""More rows than any overlay has, to scroll to its end."""
Size = tuple[int, int]
"""Size of the terminal in columns and rows."""


class TableKeys(ActionDispatcher):
    """Actions of the key bindings that stay on the table; those that open other screens belong to ``TableScreen``."""

    def __init__(
        self,
        driver: TableController,
        cursor: Cursor,
        covers: OverlayStack,
        preferences: Preferences,
        size: Callable[[], Size],
        leave: Callable[[], None],
    ) -> None:
        """``size`` returns the terminal's size, and ``leave`` closes the table at the end of a session."""
        self._driver, self._cursor, self._covers = driver, cursor, covers
        self._preferences, self._size, self._leave = preferences, size, leave

    @property
    def _frame(self) -> TableViewState:
        return self._driver.frame

    def action_move(self, step: int) -> None:
        """Move the cursor left (-1) or right (1).

        While robots are watched, the viewing seat changes instead; at the end of a round, play continues.
        """
        if self._frame.watch:
            self._driver.look_from(step)
        elif self._frame.stage is Stage.ROUND_END:
            self.action_commit()
        else:
            self._cursor.move(step)

    def action_walk(self, step: int) -> None:
        """Move the cursor among all cards of the hand, including forbidden ones."""
        self._cursor.move_any(step)

    def action_end(self, step: int) -> None:
        """Move to the first (-1) or last (1) playable card or option, or scroll an overlay to its end."""
        if self._covers.keys_reach_table:
            self._cursor.end(step)
        else:
            self._covers.scroll(step * MOST_ROWS)

    def action_climb(self, step: int) -> None:
        """Move up (-1) or down (1) in the decision box, perform the game's action for the key, or scroll an overlay."""
        if self._covers.keys_reach_table:
            self._cursor.move_vertical(step)
        else:
            self._covers.scroll(step)

    def action_page(self, step: int) -> None:
        """Scroll an overlay by half the screen, up (-1) or down (1)."""
        self._covers.scroll(step * (self._size()[1] // 2))

    def action_rank(self, rank: int) -> None:
        self._cursor.rank(rank)

    def action_switch(self) -> None:
        """Move between decision box and hand, turn an overlay over, or view the next seat while robots are watched."""
        if not self._covers.keys_reach_table:
            self._covers.turn()
        elif self._frame.watch:
            self._driver.look_from(1)
        else:
            self._cursor.switch()

    def action_choose(self) -> None:
        """Choose the card under the cursor in games with actions of several cards; else do the same as Enter."""
        if (
            self._covers.has_hint
            and self._cursor.waiting
            and not self._cursor.in_box
            and self._cursor.hand.has_multi_card_actions
        ):
            self._covers.close_hint()
            self._cursor.toggle()
        elif not self._continue() and not self._take_hint():
            self._cursor.toggle()

    def action_commit(self) -> None:
        """Continue after a pause, perform the action of an open hint, or play the cards or option under the cursor."""
        if not self._continue() and not self._take_hint():
            self._cursor.confirm()

    def _take_hint(self) -> bool:
        """Perform the recommended action of an open hint, if advice has arrived; return False if no hint is open."""
        hinted = self._frame.hint_action
        if self._covers.has_hint and hinted is not None:
            self._cursor.take(hinted)
        return self._covers.has_hint

    def _continue(self) -> bool:
        """End a pause, or continue at a curtain, after a round, a session or a robot's failure.

        Returns False if the table was not waiting in this way.
        """
        if self._driver.skip_pause():
            return True
        stage = self._frame.stage
        if stage is Stage.SESSION_END:
            self._leave()
        elif stage is not Stage.PLAY or self._frame.failed:
            self._driver.submit(None)
        return stage is not Stage.PLAY or self._frame.failed

    def action_clear(self) -> None:
        self._cursor.clear()

    def action_take_back(self) -> None:
        self._driver.take_back()

    def action_look_at(self, name: str) -> None:
        """Open the overlay of this name, or close it if it is open."""
        self._covers.look_at(name)

    def action_uncover(self) -> None:
        self._covers.pop()

    def action_step_back(self) -> None:
        """Close the innermost open part of the overlay, or the overlay itself."""
        self._covers.step_back()

    def action_messages(self) -> None:
        self._covers.messages()

    def action_hint(self) -> None:
        self._covers.hint()

    def action_turn(self, name: str) -> None:
        """Change a setting to its next value, and show that value in the prompt."""
        self._cursor.say(next_setting_value(self._preferences, name, self._size()))

    def action_open_hands(self) -> None:
        """Show or hide open hands on the table; on a screen without room for them, open or close an overlay."""
        showing, fits = self._driver.view_model, board.fits(compute_layout(*self._size()), len(self._frame.names))
        showing.open_hands = not (fits and showing.open_hands)
        if fits:
            self._covers.show()
        else:
            self._covers.look_at("open_hands")

    def action_pause(self) -> None:
        """Pause or resume the robots that are watched."""
        self._driver.watch(PlaybackSpeed.toggled)

    def action_step(self) -> None:
        """End the current pause and let the watched robots make one more decision, then pause."""
        self._driver.skip_pause()
        self._driver.watch(PlaybackSpeed.stepping)

    def action_faster(self, by: int) -> None:
        """Make playback faster by ``by`` speeds, or slower if negative."""
        self._driver.watch(partial(PlaybackSpeed.faster, by=by))
