"""The screen around a page."""

from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from cardtable.ui.draw.outlasting import Outlasting
from cardtable.ui.keys.early_keys import TakesEarlyKeys
from cardtable.ui.page.page import Page
from cardtable.ui.terminal.window_size import LatestSize


class PageScreen(Outlasting, LatestSize, TakesEarlyKeys, Screen[Any]):
    """One page, and nothing beside it."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.set_reactive(Screen.focused, page)  # keys are for it, also before it is there, in their order

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self.page

    async def on_key(self, event: events.Key) -> None:
        """Without the focus the page has the keys all the same; with it they come here once it had no use for them."""
        if self.focused is not self.page:
            await self.page.on_key(event)

    def on_screen_resume(self) -> None:
        """What the page tells of may have changed meanwhile."""
        self.page.resumed()
