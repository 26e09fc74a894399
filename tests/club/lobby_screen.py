"""The program of a guest at the lobby page of a club."""

from contextlib import asynccontextmanager

from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.club.table_screen import ClubTableScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.driver import Driver


class ClubDriver(Driver):
    """Person at the screen of a program that is in a club, or opens one."""

    async def press(self, keys, *texts):
        """Press keys, separated by blanks; if there are texts, wait until all are on the screen."""
        await super().press(keys)
        if texts:
            await self.sees(*texts)

    async def enter(self, line, *texts):
        """Type a line and press Enter; if there are texts, wait until all are on the screen."""
        await self.write(line)
        await self.press("enter", *texts)

    async def choose(self, row, *texts):
        """Move the cursor to a row of the page, by its name, and press Enter, likewise."""
        self.page.move_cursor_to(row)
        await self.press("enter", *texts)

    async def is_told(self, text):
        """Wait until a notice contains a text."""
        await self.wait_until(lambda: any(text in notice for notice in self.notices))

    @property
    def page(self):
        """Page on the screen."""
        return self.app.screen.page

    @property
    def table(self):
        """Table screen, which may be below other screens."""
        return next(screen for screen in reversed(self.app.screen_stack) if isinstance(screen, ClubTableScreen))

    @property
    def frame(self):
        """What the table shows."""
        return self.table.frame

    @property
    def is_awaited(self):
        """True if the person must act or continue."""
        return self.table.controller.is_awaiting_input


LIST_SIZE = (79, 24)
"""Size of a terminal in which the lobby lists people and tables in lines."""


@asynccontextmanager
async def running_app(size=LIST_SIZE, page=None):
    """Run the program; yield the person at it."""
    app = CardtableApp(Preferences(Settings(robot_pace=0, trick_pause=0, key_guard=0)), page=page)
    async with app.run_test(size=size) as pilot:
        person = ClubDriver(app, pilot)
        if page is None:
            await person.sees("Rikiki")
        yield person


def lobby_app(url, nick="Anna", size=LIST_SIZE, code="", token="", is_hosted_client=False):
    """Run the program of a guest that joins a club; yield the person at it.

    ``is_hosted_client``: the program runs at the host, for a guest by ssh or browser.
    """
    return running_app(size, ("club", url, nick, code, token, is_hosted_client))
