"""The claim at the table: the rest is played out at once where it cannot change the points any more."""

import asyncio
from collections.abc import Callable

from cardtable.engine.claiming import Verdict
from cardtable.engine.table import Table
from cardtable.ui.sight import Sight


class Claims:
    """Asks whether the person may claim, while keys go on being answered."""

    def __init__(self, table: Table, sight: Sight, grant: Callable[[], None], show: Callable[[], None]) -> None:
        self._table, self._sight, self._grant, self._show = table, sight, grant, show
        self.granted = False
        """Whether the rest is to be played out now."""

    async def claim(self) -> None:
        """Grant the claim, or say why not; nothing where play has gone on meanwhile."""
        sight, view = self._sight, self._sight.view
        if not sight.waiting or self.granted:
            return
        sight.reason = "Looking at every way to play on"
        self._show()
        found = await asyncio.to_thread(self._table.claim(view.seat))
        if sight.view is not view or not sight.waiting:
            return
        self.granted = found is Verdict.GRANTED
        sight.reason = found.value
        if self.granted:
            self._grant()
        else:
            self._show()

    def taken(self) -> bool:
        """Whether a claim was granted, and is to be done now."""
        granted, self.granted = self.granted, False
        return granted
