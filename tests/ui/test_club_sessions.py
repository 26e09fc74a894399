"""Sessions of this home's club on pages of the host: no hand of the round in progress is visible."""

import pytest

from cardtable.games import KEYS
from cardtable.store import paths
from cardtable.ui import review
from cardtable.ui.archive.screen import ArchivePage, ExportPage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.replay import ReplayPage
from tests.cli.test_club_sessions import ID, create_lines, write_journal
from tests.ui.driver import LARGE, SMALL, start_program


async def collect_pages(size):
    """Return all notifications, pages and exports on which the host meets the only session of the home."""
    pages = []

    async def press(keys, page):
        await program.press(keys)
        await program.is_at(page)
        await program.app.workers.wait_for_complete()
        await program.pilot.pause()
        pages.append(program.text)

    async with start_program(size=size) as program:
        await program.app.workers.wait_for_complete()
        await press("down " * len(KEYS), Picker)
        await press("enter", Picker)
        notices = program.notices
        program.app.clear_notifications()
        for keys, page in (
            *[("w", Picker), ("a", ArchivePage), ("enter", ReplayPage), ("end", ReplayPage)],
            *[("escape", ArchivePage), ("e", ExportPage), ("enter", ExportPage)],
        ):
            await press(keys, page)
    return notices, pages, [each.read_bytes() for each in paths.exports_folder().glob("*")]


@pytest.mark.parametrize("key", KEYS)
async def test_no_page_shows_round_in_progress(key):
    results = []
    for world in (1, 2):
        write_journal(paths.sessions_folder() / f"{ID.format(key)}.jsonl", create_lines(key, world))
        results.append(await collect_pages(LARGE if key == "gurka" else SMALL))
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
