"""A page context that records requests instead of carrying them out."""

from cardtable.store.settings import Settings
from cardtable.ui.toolkit.context import PageContext, SessionEvaluator
from cardtable.ui.toolkit.preferences import Preferences


class NoEvaluation(SessionEvaluator):
    """Session evaluator whose processes cannot be started, for tests of other subjects."""

    async def find_achievements(self, _path, _seats):
        raise OSError


class RecordingContext(PageContext):
    """Records each request as its name and arguments."""

    def __init__(self, app, preferences=None, robot_client=None, statistics_client=None, me=None):
        super().__init__(app, preferences or Preferences(Settings()))
        self.robot_client, self.statistics_client = (
            robot_client or self.robot_client,
            statistics_client or self.statistics_client,
        )
        self.session_evaluator = NoEvaluation()
        self.player.nick = me or self.player.nick
        self.requests = []

    def show(self, page, *arguments):
        self.requests.append((page, *arguments))

    def leave(self, screen):
        self.requests.append(("leave", screen))

    def begin(self, setup):
        self.requests.append(("begin", setup))

    def resume_session(self, path):
        self.requests.append(("go on", path))

    def open_session(self, opener):
        self.requests.append(("sit down", opener()))

    def show_error(self, error):
        self.requests.append(("complain", str(error)))
