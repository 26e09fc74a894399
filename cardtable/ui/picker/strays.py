"""Sessions that go on elsewhere, since they could not be saved in their place, are offered when the program begins."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.app import App

from cardtable.store import strays
from cardtable.store.errors import CardtableError
from cardtable.store.strays import Stray
from cardtable.store.summaries import Summary
from cardtable.ui.settings.preferences import Preferences
from cardtable.wording.strays import elsewhere


class StrayOffers:
    """Asks of one after the other whether it is to be gone on with."""

    def __init__(
        self, app: App[Any], preferences: Preferences, go_on: Callable[[Summary, Path], Awaitable[None]]
    ) -> None:
        """``go_on`` gets the session that was brought back, and where it is."""
        self._app, self._preferences, self._go_on = app, preferences, go_on
        self._left: list[Stray] = []

    def begin(self) -> None:
        """Look for them, and ask of the first."""
        for complaint in strays.put_aside():
            self._app.notify(complaint, markup=False, severity="warning")
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
                self._app.notify(error.whole, markup=False, severity="error")
            else:
                await self._go_on(stray.session, path)

        title = "A session goes on elsewhere"
        dialog = Dialog(self._preferences.look, title, elsewhere(stray), "go on with it", no="leave it there")
        self._app.push_screen(dialog, answered)
