"""The program of a guest at the lobby page of a club."""

from contextlib import asynccontextmanager

from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.screen_text import screen_text


@asynccontextmanager
async def lobby_app(url, nick="Anna", size=(80, 24), code="", token="", is_hosted_client=False):
    """Run the program of a guest that joins a club; yield the app and its pilot.

    ``is_hosted_client``: the program runs at the host, for a guest by ssh or browser.
    """
    app = CardtableApp(
        Preferences(Settings(robot_pace=0, trick_pause=0)), page=("club", url, nick, code, token, is_hosted_client)
    )
    async with app.run_test(size=size) as pilot:
        yield app, pilot


def shows(app, *texts):
    """Return a predicate that is true if all texts are on the screen."""
    return lambda: all(text in screen_text(app) for text in texts)
