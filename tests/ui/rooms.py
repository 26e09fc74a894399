"""A room in which ways are asked for instead of gone."""

from cardtable.store.settings import Settings
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.preferences import Preferences


class AskedRoom(PageContext):
    """Keeps what was asked for: the name of the way and what it is about."""

    def __init__(self, app, preferences=None, thinker=None, reckoner=None, me=None):
        super().__init__(app, preferences or Preferences(Settings()))
        self.thinker, self.reckoner = thinker or self.thinker, reckoner or self.reckoner
        self.player.nick = me or self.player.nick
        self.asked = []

    def show(self, page, *about):
        self.asked.append((page, *about))

    def leave(self, screen):
        self.asked.append(("leave", screen))

    def begin(self, how):
        self.asked.append(("begin", how))

    def go_on(self, path):
        self.asked.append(("go on", path))

    def sit_down(self, how):
        self.asked.append(("sit down", how()))

    def complain(self, error):
        self.asked.append(("complain", str(error)))
