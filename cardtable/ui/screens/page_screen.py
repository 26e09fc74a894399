"""The screen around a page."""

from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from cardtable.ui.early_keys import TakesEarlyKeys
from cardtable.ui.sizing import LatestSize
from cardtable.ui.widgets.page import Page


class PageScreen(LatestSize, TakesEarlyKeys, Screen[Any]):
    """One page, and nothing beside it."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page

    def compose(self) -> ComposeResult:
        """One widget."""
        yield self.page

    async def on_key(self, event: events.Key) -> None:
        """Keys that were pressed before the page had the focus are for it, too; what it has done with stops there."""
        await self.page.on_key(event)

    def on_screen_resume(self) -> None:
        """What the page tells of may have changed meanwhile."""
        self.page.resumed()
