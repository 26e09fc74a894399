"""Pages of statistics and of rankings, and the process that computes them."""

import asyncio
from contextlib import asynccontextmanager
from datetime import date

import pytest

from cardtable.games import ABOUT, KEYS
from cardtable.records.aggregation import ALL_GAMES, AggregatedRecords
from cardtable.records.ratings import Player
from cardtable.records.statistics import DEEDS, First, PlayerStatistics
from cardtable.store import paths
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.records import rankings_page, statistics_page
from cardtable.ui.records.rankings_page import GameTab, RankingsPage, paint_tabs
from cardtable.ui.records.statistics_page import StatisticsModel, StatisticsPage, paint_statistics, split_into_screens
from cardtable.ui.toolkit.context import StatisticsWorker
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from tests.records.archive_sessions import archive_random_session
from tests.ui.canvas_rendering import APPEARANCE, get_rows
from tests.ui.current_screen import is_shown
from tests.ui.driver import SMALL, TINY, at_screen
from tests.ui.records_host import PageApp, write_sample_sessions


@pytest.fixture(autouse=True)
def fixed_today(monkeypatch):
    """Runs of days are counted up to the last of the sample sessions."""

    class FixedDate(date):
        @classmethod
        def today(cls):
            return cls(2026, 9, 23)

    monkeypatch.setattr(statistics_page, "date", FixedDate)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Provide a home with some sessions, shared by all tests that only read it."""
    patch = pytest.MonkeyPatch()
    patch.setenv("CARDTABLE_HOME", str(tmp_path_factory.mktemp("filled")))
    write_sample_sessions()
    yield
    patch.undo()


@pytest.fixture
def few(filled, home, tmp_path_factory, monkeypatch):
    """Use the shared home of `filled`."""
    monkeypatch.setenv("CARDTABLE_HOME", str(next(tmp_path_factory.getbasetemp().glob("filled*"))))


@asynccontextmanager
async def open_page(create_page, *about, size=SMALL, **options):
    """Open a page of the records, and wait until they are computed; ``options`` are of ``PageApp``."""
    async with at_screen(PageApp(create_page, *about, **options), size) as screen:
        await screen.wait_until(lambda: screen.app.page.is_mounted and screen.app.page.page.records is not None)
        yield screen


@pytest.mark.usefixtures("few")
class TestLooks:
    @pytest.mark.parametrize("game", ["ten_down", "king", "rummy", pytest.param(ALL_GAMES, id="all")])
    async def test_statistics_golden(self, game):
        async with open_page(statistics_page.StatisticsPage, "Guest" if game == "rummy" else "Anna", game) as screen:
            await screen.check_golden_in_sizes(f"statistics_{game or 'all'}")

    @pytest.mark.parametrize(("more", "lines"), [(0, 7), (1, 8), (6, 8)])
    async def test_list_without_room_includes_played_games(self, more, lines, monkeypatch):
        games = (*["gurka"] * more, *KEYS)
        monkeypatch.setattr(statistics_page, "list_keys", lambda: games)
        async with open_page(statistics_page.StatisticsPage, "Anna", ALL_GAMES, size=TINY) as screen:
            rows = screen.rows
            top = next(y for y, row in enumerate(rows) if "rating" in row)
            listed = [row.split("  ")[1].strip() for row in rows[top + 1 : 17] if row.strip()]
            assert len(listed) == lines
            assert {"Rikiki", "King", "Ten Down"} <= set(listed)

    async def test_other_parts_golden(self):
        async with open_page(statistics_page.StatisticsPage, "Anna", "ten_down") as screen:
            await screen.press("v")
            await screen.check_golden_in_sizes("statistics_more")

    async def test_statistics_in_ascii_and_mono_golden(self):
        async with open_page(statistics_page.StatisticsPage, "Anna", "ten_down", ascii=True, mono=True) as screen:
            screen.check_golden("statistics_ascii")
            assert screen.text.isascii()


@pytest.mark.usefixtures("few")
class TestKeys:
    @pytest.mark.parametrize("key", ["p", "tab"])
    async def test_player_list_keys_choose_player(self, key):
        async with open_page(statistics_page.StatisticsPage) as screen:
            await screen.press(key, "down")
            assert screen.page.model.player == screen.page.model.players[1] != Player("Anna")
            await screen.press("end")
            assert screen.page.model.player == Player("random", True)
            await screen.sees("Random")
            await screen.press(key, "down")
            assert screen.page.model.game == "rikiki"

    async def test_players_are_ordered_self_people_robots(self):
        async with open_page(statistics_page.StatisticsPage, me="Lea") as screen:
            players = screen.page.model.players
            assert players[0] == Player("Lea")
            assert [player.robot for player in players] == sorted(player.robot for player in players)
            assert [player.name for player in players if player.robot] == ["expert", "steady", "novice", "random"]

    async def test_r_opens_rankings_of_game_a_and_enter_archive_of_person(self):
        async with open_page(statistics_page.StatisticsPage, "Anna", "king") as screen:
            await screen.press("r home r a enter p end a enter")
            assert screen.app.requests == [("rankings", "king"), ("rankings",), *[("archive", "Anna")] * 2]


@pytest.mark.parametrize("size", [SMALL, TINY])
def test_all_firsts_fit_beside_game_and_day(size):
    firsts = {deed: First(1_797_400_000, "ten_down") for deed in DEEDS}
    records = AggregatedRecords(statistics={(Player("Ida"), "ten_down"): PlayerStatistics(sessions=1, firsts=firsts)})
    model = StatisticsModel(records, "Ida", Player("Ida"))
    canvas = Canvas(*size, APPEARANCE)
    model.chart_screen = len(split_into_screens(canvas, model)) - 1
    paint_statistics(canvas, model)
    assert [deed for deed in DEEDS if f" First {deed}  " not in str(canvas)] == []


async def test_empty_statistics_golden():
    async with open_page(statistics_page.StatisticsPage, me="Guest") as screen:
        screen.check_golden("statistics_empty")
        await screen.press("v p down r end")
        assert screen.app.is_running


@pytest.mark.usefixtures("few")
class TestLooksOfRankings:
    async def test_rankings_golden(self):
        async with open_page(rankings_page.RankingsPage, "ten_down") as screen:
            await screen.check_golden_in_sizes("rankings")

    @pytest.mark.parametrize("size", [SMALL, TINY])
    async def test_plot_replaces_list_without_room(self, size):
        async with open_page(rankings_page.RankingsPage, "ten_down", size=size) as screen:
            text = screen.text
            await screen.press("p")
            screen.check_golden("rankings_plot")
            await screen.press("escape")
            assert screen.text == text
            await screen.press("escape")
            await screen.wait_until(lambda: screen.app.screen is not screen.app.page)


@pytest.mark.usefixtures("few")
class TestKeysOfRankings:
    async def test_cursor_starts_at_self_and_enter_opens_statistics(self):
        async with open_page(rankings_page.RankingsPage, "ten_down") as screen:
            assert screen.page.model.cursor == Player("Anna")
            await screen.press("enter home enter")
            first = screen.page.model.rows[0][1]
            assert screen.app.requests == [("statistics", player, "ten_down") for player in (Player("Anna"), first)]


async def test_top_ten_and_self_are_listed():
    people = ["Anna", *[f"Nick{number:02}" for number in range(12)]]
    for number, nick in enumerate(people[1:]):
        archive_random_session("ten_down", f"{nick} Anna", id_=nick, seed=number, room=5)
    async with open_page(rankings_page.RankingsPage, "ten_down") as screen:
        every = [player for player, _ in screen.page.model.ratings.rank_players()]
        listed = [player for _, player, _ in screen.page.model.rows]
        assert listed[:10] == every[:10]
        assert set(listed[10:]) <= {Player("Anna")}
        assert Player("Anna") in listed


async def test_empty_rankings_golden():
    archive_random_session("ten_down", "Guest steady", room=5)
    async with open_page(rankings_page.RankingsPage, "king", me="Guest") as screen:
        await screen.check_golden_in_sizes("rankings_empty")
        await screen.press("up end p")
        assert screen.app.requests == []
        await screen.press("enter")
        assert screen.app.requests == [("players",)]


@pytest.mark.parametrize("game", KEYS)
@pytest.mark.parametrize("width", [40, 60, 80])
def test_selected_tab_is_complete_without_room(game, width):
    canvas = Canvas(width, 5, APPEARANCE)
    paint_tabs(canvas, game)
    title = ABOUT[game].title
    assert title in str(canvas)
    assert canvas.hit_test(get_rows(canvas)[2].index(title), 2) == GameTab(game)


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
    async with at_screen(PageApp(statistics_page.StatisticsPage, statistics_client=StatisticsWorker())) as screen:
        await screen.sees("could not be read")
        await screen.press("down p v r escape")


async def test_keys_work_before_records_arrive():
    class Never(StatisticsWorker):
        async def compute_records(self, tell):
            await asyncio.Event().wait()

    async with at_screen(PageApp(statistics_page.StatisticsPage, statistics_client=Never())) as screen:
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
