"""Sessions that go on elsewhere, since they could not be saved in their place, are offered when the program begins."""

import asyncio
from pathlib import Path

from cardtable.engine.errors import CardtableError
from cardtable.store import strays
from cardtable.store.strays import Stray
from cardtable.store.summaries import Summary
from cardtable.ui.page.room import Room
from cardtable.wording.tables import OVER, elsewhere


class StrayOffers:
    """Asks of one after the other whether it is to be gone on with."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._left: list[Stray] = []

    def begin(self) -> None:
        """Look for them, and ask of the first."""
        for complaint in strays.put_aside():
            self._room.app.notify(complaint, markup=False, severity="warning")
        self._left = strays.offered()
        self._ask()

    def _ask(self) -> None:
        if not self._left:
            return
        from cardtable.ui.page.dialog import Dialog  # noqa: PLC0415 - seldom asked

        stray = self._left.pop(0)

        async def answered(answer: str | None) -> None:
            if answer is None:
                self._ask()
                return
            try:
                path = await asyncio.to_thread(strays.bring_back, stray)
            except CardtableError as error:
                self._room.complain(error)
            else:
                self._go_on(stray.session, path)

        title = "A session is kept elsewhere"
        dialog = Dialog(self._room.preferences.look, title, elsewhere(stray), "goes on with it", "keeps it for later")
        self._room.app.push_screen(dialog, answered)

    def _go_on(self, session: Summary, path: Path) -> None:
        """Go on with a session that has come back into its place."""
        if session.state == "over":
            self._room.app.notify(OVER)
        elif session.real_cards:
            self._room.show("score_table", path)
        else:
            self._room.go_on(path)
