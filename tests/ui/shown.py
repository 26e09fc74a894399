"""Which screen or page is shown."""

from cardtable.ui.toolkit.page import PageScreen
from tests.ui.table_host import until


def shows(app, kind):
    """Whether a screen or a page of this kind is shown."""
    screen = app.screen
    return isinstance(screen.page if isinstance(screen, PageScreen) else screen, kind) or isinstance(screen, kind)


async def at(pilot, kind):
    """Wait for a screen or a page of this kind."""
    await until(pilot, lambda: shows(pilot.app, kind) and pilot.app.screen.is_mounted)
    return pilot.app.screen
