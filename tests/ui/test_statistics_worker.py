"""Statistics process: progress, end, and stored results."""

import asyncio
import gc
from weakref import ref

import pytest

from cardtable.records.ratings import Player
from cardtable.store import paths
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.records import statistics_page
from cardtable.ui.records.rankings_page import RankingsPage
from cardtable.ui.records.statistics_page import StatisticsPage
from cardtable.ui.toolkit.context import StatisticsWorker
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.workers import client
from tests.pty.test_hostile_text import NAMES
from tests.records.archive_sessions import archive_random_session
from tests.ui.current_screen import is_shown
from tests.ui.driver import at_screen, start_program
from tests.ui.records_host import PageApp
from tests.ui.test_everywhere import is_harmless, paint_in_many_sizes

ANNA = Player("Anna")


async def test_reports_index_first_and_everything_last():
    archive_random_session("ten_down", "Anna Bob", room=5)
    progress, reckoner = [], StatisticsWorker()
    await reckoner.compute_records(progress.append)
    await reckoner.stop()
    assert [(each.read, each.sessions) for each in (progress[0], progress[-1])] == [(0, 1), (1, 1)]
    first, last = (each.records.statistics[ANNA, "ten_down"] for each in (progress[0], progress[-1]))
    assert (first.sessions, first.rounds.rounds) == (1, 0)
    assert (last.sessions, last.rounds.rounds) == (1, 5)
    assert reckoner.records is progress[-1].records
    assert paths.statistics_file().exists()


async def test_finished_requests_are_released(monkeypatch):
    made = []

    class Remembered(client.WorkerProcess):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(ref(self))

    monkeypatch.setattr(client, "WorkerProcess", Remembered)
    archive_random_session("ten_down", "Anna Bob", room=5)
    reckoner = StatisticsWorker()
    for _ in range(2):
        await reckoner.compute_records(lambda _progress: None)
        await reckoner.stop()
    gc.collect()
    assert made[0]() is None


async def test_cancellation_ends_process():
    archive_random_session("ten_down", "Anna Bob", room=5)
    processes, reckoner = [], StatisticsWorker()
    begin = asyncio.create_subprocess_exec

    async def start_process(*command, **options):
        processes.append(await begin(*command, **options))
        return processes[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "create_subprocess_exec", start_process)
        reckoning = asyncio.create_task(reckoner.compute_records(lambda _progress: None))
        while not processes:
            await asyncio.sleep(0.01)
        reckoning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reckoning
    await reckoner.stop()
    assert processes[0].returncode is not None


async def test_process_start_failure_is_shown(monkeypatch):
    async def refused(*_command, **_options):
        raise OSError("no more processes")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refused)
    async with at_screen(PageApp(statistics_page.create_screen, statistics_client=StatisticsWorker())) as screen:
        await screen.sees("could not be read")
        await screen.press("down p v r escape")


async def test_keys_work_before_records_arrive():
    class Never(StatisticsWorker):
        async def compute_records(self, tell):
            await asyncio.Event().wait()

    async with at_screen(PageApp(statistics_page.create_screen, statistics_client=Never())) as screen:
        await screen.sees("Reading the sessions")
        await screen.press("down p v left end r")
        assert screen.app.requests == [("rankings", "rikiki")]
        await screen.press("escape")
        await screen.wait_until(lambda: screen.app.screen is not screen.app.page)


@pytest.mark.parametrize(("key", "kind"), [("t", StatisticsPage), ("r", RankingsPage)])
async def test_opens_from_picker_and_escape_returns(key, kind):
    archive_random_session("ten_down", "Anna Bob", room=5)
    async with at_screen(CardtableApp(Preferences.load())) as screen:
        await screen.is_at(Picker)
        await screen.press(key)
        await screen.wait_until(lambda: is_shown(screen.app, kind) and screen.page.records is not None)
        await screen.press("escape")
        await screen.is_at(Picker)


@pytest.mark.usefixtures("in_process_statistics")
async def test_enter_and_r_alternate_without_growing_stack():
    archive_random_session("ten_down", "Anna Bob", room=5)
    async with start_program() as screen:
        await screen.press("r")
        for _ in range(3):
            await screen.wait_until(lambda: is_shown(screen.app, RankingsPage) and screen.page.records is not None)
            await screen.press("enter")
            await screen.is_at(StatisticsPage)
            assert screen.page.model.game == "ten_down"
            await screen.press("r")
        assert len(screen.app.screen_stack) <= 4


@pytest.mark.usefixtures("in_process_statistics")
@pytest.mark.parametrize("page", ["statistics", "rankings"])
async def test_hostile_nicks_at_every_size(page):
    for number in range(0, len(NAMES) - 1, 2):
        names = NAMES[number : number + 2]
        archive_random_session("ten_down", "Anna Bob steady expert", id_=f"h{number}", seed=number, names=names, room=5)
    async with start_program() as screen:
        screen.app.context.show(page, *["ten_down"] * (page == "rankings"))
        await screen.is_at(StatisticsPage | RankingsPage)
        await screen.wait_until(lambda: screen.page.records is not None)
        for _ in range(6):
            await screen.press("p down p down")
            assert is_harmless(screen.text)
        paint_in_many_sizes(screen.app, 60)
