"""A page context that records requests instead of carrying them out."""

from cardtable.store.settings import Settings
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.preferences import Preferences


class AskedRoom(PageContext):
    """Records each request as its name and arguments."""

    def __init__(self, app, preferences=None, thinker=None, reckoner=None, me=None):
        super().__init__(app, preferences or Preferences(Settings()))
        self.robot_client, self.statistics_client = thinker or self.robot_client, reckoner or self.statistics_client
        self.player.nick = me or self.player.nick
        self.asked = []

    def show(self, page, *about):
        self.asked.append((page, *about))

    def leave(self, screen):
        self.asked.append(("leave", screen))

    def begin(self, how):
        self.asked.append(("begin", how))

    def resume_session(self, path):
        self.asked.append(("go on", path))

    def open_session(self, how):
        self.asked.append(("sit down", how()))

    def show_error(self, error):
        self.asked.append(("complain", str(error)))
