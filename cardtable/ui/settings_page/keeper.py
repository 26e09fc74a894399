"""Settings on the screen and in their file: what is chosen is painted and written, what is wrong is told."""

import asyncio

from cardtable.ui.draw.canvas import Painting
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen


class SettingsKeeper:
    """Wakes up where the preferences change, and tells each thing that is wrong with files once."""

    def __init__(self, room: Room) -> None:
        self._app, self._room, self._preferences = room.app, room, room.preferences
        self._told: set[str] = set()
        room.preferences.worn, room.preferences.changed = self._wear, self._keep

    def tell_complaints(self) -> None:
        """What is wrong with settings, theme and keys, as far as it was not told yet; it stays until it is closed.

        It lies over what tells that play is not saved, and so tells that first.
        """
        found = [*self._preferences.complaints, *self._room.player.unread]
        new = [each for each in found if each not in self._told]
        self._told.update(new)
        if new:
            from cardtable.ui.page.complaints import ComplaintsPage  # noqa: PLC0415 - seldom there

            self._app.push_screen(PageScreen(ComplaintsPage(self._room, [*self._room.leaving.troubles(), *new])))

    def _wear(self) -> None:
        """Other settings are in force: every screen is painted anew."""
        self._repaint()
        self._app.refresh_css(animate=False)
        self.tell_complaints()

    def _repaint(self) -> None:
        for screen in self._app.screen_stack:
            for painting in screen.query(Painting):
                painting.wear(self._preferences.look)
            for widget in screen.walk_children():
                widget.refresh()

    def _keep(self) -> None:
        """Something was chosen: the file is written."""
        saved = asyncio.get_running_loop().run_in_executor(None, self._preferences.save)
        self._app.run_worker(self._tell_trouble(saved), group="settings")

    async def _tell_trouble(self, saved: asyncio.Future[str]) -> None:
        """That settings cannot be saved is said once; they are in force all the same."""
        trouble = await asyncio.shield(saved)  # also where the program is left meanwhile
        new = trouble != self._preferences.trouble
        self._preferences.saved(trouble)
        self._repaint()
        if new and trouble:
            self._app.notify(trouble, markup=False, severity="error")
