"""All that can be laid over the table: what lies there now, and what opens and closes it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from cardtable.engine.errors import CardtableError
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_events import Stage
from cardtable.ui.table.input import enabled_actions
from cardtable.ui.table.model.controller import TableController
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.overlays.base import Overlay
from cardtable.ui.table.paint.table_view import TableView
from cardtable.ui.toolkit.keys.bindings import TABLE, KeyBinding, KeyBindings

if TYPE_CHECKING:  # the first picture is there sooner without it
    from cardtable.ui.table.overlays.last_deal import LastDealLoader
    from cardtable.ui.table.overlays.messages import Drafts


class OverlayStack:
    """Lays covers over the widget of a table, one at a time, and takes them away."""

    def __init__(
        self, view: TableView, driver: TableController, thinker: RobotClient, show: Callable[[], None]
    ) -> None:
        """``show`` shows the table, and what lies over it, as they are now."""
        self._view, self._driver, self._thinker, self.show = view, driver, thinker, show
        self._drafts: Drafts | None = None
        self._back: LastDealLoader | None = None

    @property
    def top(self) -> Overlay | None:
        """What lies over the table."""
        return self._view.cover

    @property
    def has_hint(self) -> bool:
        """Return True while a hint lies over the table, whose first line is what Enter does."""
        return self.top is not None and self.top.view is not None

    @property
    def scope(self) -> KeyBindings:
        """The keys that can be pressed now."""
        return TABLE if self.top is None else self.top.scope

    @property
    def playing_on(self) -> bool:
        """Whether nothing is laid over the table that holds the keys."""
        return self.top is None or self.top.view is not None

    @property
    def at_the_table(self) -> bool:
        """Whether keys are for the table or its curtain, so that nothing hides what is asked for."""
        return self.top is None or self.top.view is not None or self.top.at_curtain

    def follow(self, frame: TableViewState) -> None:
        """Take away what the play below it has left behind; over a curtain lies the line for a password."""
        cover = self.top
        gone_on = cover is not None and cover.view is not None and cover.view is not frame.view
        if cover and (gone_on or (frame.stage is Stage.CURTAIN and not cover.over_curtain())):
            self._cover(None)
        asks = frame.stage is Stage.CURTAIN and frame.called is not None and bool(frame.asked)
        if asks and self.top is None:
            from cardtable.ui.table.overlays.simple import PasswordLine  # noqa: PLC0415 - not for everybody

            self._view.cover = PasswordLine(self._driver.give, lambda: self._driver.submit(None))
        elif not asks and self.top is not None and self.top.at_curtain:
            self._view.cover = None

    def push(self, cover: Overlay | None) -> None:
        """Lay it over the table; of the same kind as what lies there it only takes that away."""
        self._cover(None if type(self.top) is type(cover) else cover)
        self.show()

    def pop(self) -> None:
        """Put away what is laid over the table, or over something else."""
        self._cover(self.top.below if self.top else None)
        self.show()

    def close_hint(self) -> None:
        """Put a hint away: something else is chosen below it."""
        if self.has_hint:
            self.pop()

    def _cover(self, cover: Overlay | None) -> None:
        self._view.cover = cover
        if not self.has_hint:  # advice that is still to come must not move the cursor
            self._driver.adviser.forget()

    def step_back(self) -> None:
        """Put away the innermost of what is laid over the table."""
        if self.top is not None and self.top.step_back():
            self.show()
        else:
            self.pop()

    def scroll(self, rows: int) -> None:
        """Scroll by rows, where it can be."""
        if self.top is not None and self.top.scroll(rows):
            self.show()

    def turn(self) -> None:
        """The other side up, where there is one."""
        if self.top is not None and self.top.turn():
            self.show()

    def look_at(self, name: str) -> None:
        """Look at something of the table; the same again puts it away."""
        from cardtable.ui.table.overlays import simple  # noqa: PLC0415 - after the first picture

        self.push(simple.make(name, self._driver.frame))

    def help(self) -> None:
        """The keys that work now."""
        from cardtable.ui.table.overlays import simple  # noqa: PLC0415 - after the first picture

        below = self.top if self.scope is not TABLE else None
        self.push(simple.Keys(self._works, below))

    def _works(self, key: KeyBinding) -> bool:
        return enabled_actions.is_enabled(key, self._driver.frame)

    def hint(self) -> None:
        """What the expert would do, and why; for the robot to act, which stands still then."""
        if self._driver.pacing.watch and self.top is None:
            self._driver.look_at_turn()
        self.look_at("hint")
        if self.top is not None:
            self._driver.adviser.advise()

    def messages(self) -> None:
        """What was said and done, and a line to say something, for who sits at the keyboard."""
        if self._driver.frame.stage is Stage.CURTAIN:
            self.look_at("told")
            return
        from cardtable.ui.table.overlays import messages  # noqa: PLC0415 - after the first picture

        driver, self._drafts = self._driver, self._drafts or messages.Drafts()
        self.push(messages.Messages(lambda: driver.frame, self._drafts, driver.say))

    async def last_deal(self) -> bool:
        """All hands of the round before, and what was done with them; whether that could be laid over the table."""
        from cardtable.ui.table.overlays.last_deal import LastDealLoader  # noqa: PLC0415 - after the first picture

        driver = self._driver
        self._back = self._back or LastDealLoader(driver, self._thinker, self.show)
        try:
            found = await self._back.last_deal(len(driver.frame.scores), driver.undone)
        except CardtableError:  # the host cannot be reached, which the table tells
            return False
        if found is None or not self.playing_on or self._driver.frame.stage is Stage.CURTAIN:
            return False
        self.push(found)
        return True

    def stop(self) -> None:
        """Nothing more is to come."""
        if self._back:
            self._back.stop()
