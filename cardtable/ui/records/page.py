"""What pages of ratings and statistics have in common: the reckoning behind them, and how far it is."""

from textual import work

from cardtable.records.players import Player
from cardtable.records.reckoning import Reckoned, Records
from cardtable.ui.keys.scopes import Key
from cardtable.ui.page.page import Page
from cardtable.ui.page.room import Room

TROUBLE = "The sessions could not be counted. cardtable doctor says what is wrong with files; Esc goes back."
NOTHING_YET = "Reading the sessions ..."


class RecordsPage(Page):
    """Has all reckoned anew when it opens; what was known before is shown at once."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.progress = ""
        """How far the reading of sessions is, if it is not at its end."""
        self.trouble = ""

    @property
    def records(self) -> Records | None:
        """What is known; ``None`` before anything is."""
        return self.room.reckoner.records

    @property
    def player(self) -> Player | None:
        """Whom the page is about just now."""
        raise NotImplementedError

    def works(self, key: Key) -> bool:
        """Whether the key does something now: the archive finds people by their nicks, but no robots by their level."""
        return key.does != "sessions" or (self.player is not None and not self.player.robot)

    def action_sessions(self) -> None:
        """The sessions of the player, in the archive."""
        if self.player is not None:
            self.show("archive", self.player.name)

    def on_mount(self) -> None:
        """Reckon, while keys work; when the page is left the reckoning ends."""
        self._reckon()

    @work(exclusive=True)
    async def _reckon(self) -> None:
        try:
            await self.room.reckoner.reckon(self._told)
        except OSError:
            self.trouble = TROUBLE
        if self.records is None:
            self.trouble = TROUBLE
        self.progress = ""
        self.renew()
        self.repaint()

    def _told(self, told: Reckoned) -> None:
        self.progress = f"{told.read} of {told.sessions} sessions {told.stage}" if told.read < told.sessions else ""
        if told.records:
            self.renew()
        self.repaint()

    def renew(self) -> None:
        """Other records are known."""
