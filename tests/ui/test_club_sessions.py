"""Sessions of this home's club on pages of the host: no hand of the round in progress is visible."""

import pytest

from cardtable.games import KEYS
from cardtable.store import paths
from cardtable.ui import review
from cardtable.ui.app import CardtableApp
from cardtable.ui.archive.screen import ArchivePage, ExportPage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.replay import ReplayPage
from cardtable.ui.toolkit.preferences import Preferences
from tests.cli.test_club_sessions import ID, create_lines, write_journal
from tests.ui.current_screen import is_shown, wait_for_screen
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import wait_until

LARGE = (120, 40)


async def wait_until_loaded(app, pilot):
    """Wait until all background reading has ended."""
    await pilot.pause()
    await app.workers.wait_for_complete()
    await pilot.pause()


async def collect_pages(size):
    """Return all notifications, pages and exports on which the host meets the only session of the home."""
    app, pages = CardtableApp(Preferences.load()), []

    async def press(*keys):
        await pilot.press(*keys)
        await wait_until_loaded(app, pilot)
        pages.append(screen_text(app))

    async with app.run_test(size=size) as pilot:
        await wait_for_screen(pilot, Picker)
        await wait_until_loaded(app, pilot)
        await press(*["down"] * len(KEYS))
        await press("enter")
        assert is_shown(app, Picker)
        notices = list_notices(app)
        app.clear_notifications()
        await press("w")
        assert is_shown(app, Picker)
        await press("a")
        await wait_until(pilot, lambda: is_shown(app, ArchivePage))
        await press()
        await press("enter")
        await wait_until(pilot, lambda: is_shown(app, ReplayPage))
        await press()
        await press("end")
        await press("escape")
        await wait_until(pilot, lambda: is_shown(app, ArchivePage))
        await press("e")
        await wait_until(pilot, lambda: is_shown(app, ExportPage))
        await press("enter")
    return notices, pages, [each.read_bytes() for each in paths.exports_folder().glob("*")]


@pytest.mark.parametrize("key", KEYS)
async def test_no_page_shows_round_in_progress(key):
    results = []
    for world in (1, 2):
        write_journal(paths.sessions_folder() / f"{ID.format(key)}.jsonl", create_lines(key, world))
        results.append(await collect_pages((80, 24) if key != "gurka" else LARGE))
        for exported in paths.exports_folder().glob("*"):
            exported.unlink()
    (notices, pages, exported), others = results
    assert notices == [
        "this session is played at the club: open the club to continue (cardtable host, or Open to others with Ctrl+P)"
    ]
    assert (notices, pages, exported) == others
    assert len(exported) == 1
    assert "at the club; open it to play" in pages[0]
    assert "how to continue" in pages[0]


def test_review_of_abandoned_club_session():
    sessions = []
    for world in (1, 2):
        path = write_journal(paths.archive_folder() / f"{ID.format('gurka')}.jsonl", create_lines("gurka", world))
        sessions.append(review.load_review(path, 0, "Anna").session)
    assert sessions[0].is_abandoned
    assert [each.line for each in sessions[0].decisions] == [each.line for each in sessions[1].decisions]
    assert {each.round for session in sessions for each in session.decisions} == {1}
    assert [len(session.deals) for session in sessions] == [1, 1]
