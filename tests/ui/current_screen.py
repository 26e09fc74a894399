"""The current screen or page."""

from cardtable.ui.toolkit.page import PageScreen
from tests.ui.table_host import wait_until


def is_shown(app, screen_class):
    """Return True if a screen or page of this class is shown."""
    screen = app.screen
    return isinstance(screen.page if isinstance(screen, PageScreen) else screen, screen_class) or isinstance(
        screen, screen_class
    )


async def wait_for_screen(pilot, screen_class):
    """Wait until a screen or page of this class is shown, and return the screen."""
    await wait_until(pilot, lambda: is_shown(pilot.app, screen_class) and pilot.app.screen.is_mounted)
    return pilot.app.screen
