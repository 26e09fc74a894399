"""What keys do at the table itself: cursor, looks at it, pace."""

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
from cardtable.ui.toolkit.painting.layout import fitting, layout
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.settings_catalogue import SETTINGS


def turn(preferences: Preferences, name: str, size: tuple[int, int]) -> str:
    """Take the next value on a terminal of this size; what is in force now."""
    setting, now = SETTINGS[name], getattr(preferences.settings, name)
    largest = ""
    if name == "card_size":
        largest, *smaller = fitting(*size)
        setting = setting._replace(values=("auto", *smaller))
        now = now if now in smaller else "auto"
    value = setting.after(now, 1)
    preferences.change(**{name: value})
    said = f"{setting.label}: {setting.told(value)}"
    return f"{said}, here {setting.told(largest)}" if value == "auto" else said


MOST_ROWS: Final = 1_000_000
"""More than there are to scroll."""
Size = tuple[int, int]
"""Columns and rows."""


class TableKeys(ActionDispatcher):
    """The keys that work wherever the table is; those that lead elsewhere are its screen's."""

    def __init__(
        self,
        driver: TableController,
        cursor: Cursor,
        covers: OverlayStack,
        preferences: Preferences,
        size: Callable[[], Size],
        leave: Callable[[], None],
    ) -> None:
        """``leave``: what going on leads to at the end of a session."""
        self._driver, self._cursor, self._covers = driver, cursor, covers
        self._preferences, self._size, self._leave = preferences, size, leave

    @property
    def _frame(self) -> TableViewState:
        return self._driver.frame

    def action_move(self, step: int) -> None:
        """Left and right: among cards that may be played, or in the grid; from seat to seat for who watches."""
        if self._frame.watch:
            self._driver.look_from(step)
        elif self._frame.stage is Stage.ROUND_END:
            self.action_commit()
        else:
            self._cursor.move(step)

    def action_walk(self, step: int) -> None:
        """Among all cards of the hand."""
        self._cursor.move_any(step)

    def action_end(self, step: int) -> None:
        """To the first or last card that may be played, or option, or to the ends of a cover that scrolls."""
        if self._covers.playing_on:
            self._cursor.end(step)
        else:
            self._covers.scroll(step * MOST_ROWS)

    def action_climb(self, step: int) -> None:
        """Up and down: in the decision box, in a cover, or what the game has for them."""
        if self._covers.playing_on:
            self._cursor.move_vertical(step)
        else:
            self._covers.scroll(step)

    def action_page(self, step: int) -> None:
        """Scroll a cover by half a screen."""
        self._covers.scroll(step * (self._size()[1] // 2))

    def action_rank(self, rank: int) -> None:
        """To a card of a rank."""
        self._cursor.rank(rank)

    def action_switch(self) -> None:
        """From the decision box to the cards and back; a cover's other side; to the next seat for who watches."""
        if not self._covers.playing_on:
            self._covers.turn()
        elif self._frame.watch:
            self._driver.look_from(1)
        else:
            self._cursor.switch()

    def action_choose(self) -> None:
        """Space: choose the card to go with others, where cards go together; else what Enter does."""
        if self._covers.has_hint and self._cursor.waiting and not self._cursor.in_box and self._cursor.hand.several:
            self._covers.close_hint()
            self._cursor.toggle()
        elif not self._goes_on() and not self._take_hint():
            self._cursor.toggle()

    def action_commit(self) -> None:
        """Enter: play the card or the cards, say the bid, or go on."""
        if not self._goes_on() and not self._take_hint():
            self._cursor.confirm()

    def _take_hint(self) -> bool:
        """Do what the hint recommends, nothing while it is still thought of; return False where no hint is shown."""
        hinted = self._frame.hinted
        if self._covers.has_hint and hinted is not None:
            self._cursor.take(hinted)
        return self._covers.has_hint

    def _goes_on(self) -> bool:
        """Whether there was a pause to end, or a picture to go on from."""
        if self._driver.skip_pause():
            return True
        stage = self._frame.stage
        if stage is Stage.SESSION_END:
            self._leave()
        elif stage is not Stage.PLAY or self._frame.failed:
            self._driver.submit(None)
        return stage is not Stage.PLAY or self._frame.failed

    def action_clear(self) -> None:
        """Choose no cards any more."""
        self._cursor.clear()

    def action_take_back(self) -> None:
        """Take back the last own decision, or say why not."""
        self._driver.take_back()

    def action_look_at(self, name: str) -> None:
        """Look at something laid over the table; the same key puts it away."""
        self._covers.look_at(name)

    def action_uncover(self) -> None:
        """Put away what is laid over the table, or over something else."""
        self._covers.pop()

    def action_step_back(self) -> None:
        """Put away the innermost of what is laid over the table."""
        self._covers.step_back()

    def action_messages(self) -> None:
        """What was said and done, and a line to say something, for who sits at the keyboard."""
        self._covers.messages()

    def action_hint(self) -> None:
        """What the expert would do, and why."""
        self._covers.hint()

    def action_turn(self, name: str) -> None:
        """The next value of a setting of the table; the prompt says what is in force now."""
        self._cursor.say(turn(self._preferences, name, self._size()))

    def action_open_hands(self) -> None:
        """Show the hands that lie open, or not; where the table has no room for them, over it."""
        showing, fits = self._driver.showing, board.fits(layout(*self._size()), len(self._frame.names))
        showing.open_hands = not (fits and showing.open_hands)
        if fits:
            self._covers.show()
        else:
            self._covers.look_at("open_hands")

    def action_pause(self) -> None:
        """Let the robots that are watched stand still, or go on."""
        self._driver.watch(PlaybackSpeed.toggled)

    def action_step(self) -> None:
        """One decision of the robots that are watched, or one outcome of chance."""
        self._driver.skip_pause()
        self._driver.watch(PlaybackSpeed.stepping)

    def action_faster(self, by: int) -> None:
        """The robots that are watched go faster, or slower."""
        self._driver.watch(partial(PlaybackSpeed.faster, by=by))
