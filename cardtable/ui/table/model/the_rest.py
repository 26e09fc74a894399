"""The rest of a round at the table: it is played out at once where it cannot change the points any more."""

import asyncio
from collections.abc import Callable

from cardtable.engine.table import Table
from cardtable.engine.the_rest import Verdict
from cardtable.ui.table.model.sight import Sight


class TheRest:
    """Asks whether it is decided, while keys go on being answered."""

    def __init__(self, table: Table, sight: Sight, go_on: Callable[[], None], show: Callable[[], None]) -> None:
        self._table, self._sight, self._go_on, self._show = table, sight, go_on, show
        self.decided = False
        """Whether the rest is to be played out now."""

    async def ask(self) -> None:
        """Have it played out, or say why not; nothing where play has gone on meanwhile."""
        sight, view = self._sight, self._sight.view
        if not sight.waiting or self.decided:
            return
        sight.reason = "Looking at every way to play on"
        self._show()
        found = await asyncio.to_thread(self._table.rest(view.seat))
        if sight.view is not view or not sight.waiting:
            return
        self.decided = found is Verdict.DECIDED
        sight.reason = found.value
        if self.decided:
            self._go_on()
        else:
            self._show()

    def taken(self) -> bool:
        """Whether the rest is to be played out, which is done now."""
        decided, self.decided = self.decided, False
        return decided
