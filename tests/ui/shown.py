"""The current screen or page."""

from cardtable.ui.toolkit.page import PageScreen
from tests.ui.table_host import until


def shows(app, kind):
    """Return True if a screen or page of this class is shown."""
    screen = app.screen
    return isinstance(screen.page if isinstance(screen, PageScreen) else screen, kind) or isinstance(screen, kind)


async def at(pilot, kind):
    """Wait until a screen or page of this class is shown, and return the screen."""
    await until(pilot, lambda: shows(pilot.app, kind) and pilot.app.screen.is_mounted)
    return pilot.app.screen
