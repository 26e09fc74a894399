"""Puzzles on the screens: the list, the search for new ones, and the table at which one is solved."""

import asyncio
from datetime import timedelta

import pytest

from cardtable.games import KEYS
from cardtable.records.puzzles import SearchProgress
from cardtable.session.puzzle_session import PuzzleSession
from cardtable.store import paths, puzzle_files
from cardtable.store.puzzle_files import get_today
from cardtable.store.settings import Settings
from cardtable.ui import learning
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.learning import PuzzleTable
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from tests.puzzles import add_puzzle, make_puzzle, spoil_view
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import InProcessRobotClient, wait_until

SIZES = [(60, 18), (80, 24), (120, 40)]
YESTERDAY = get_today() - timedelta(days=1)


class FakeSearch:
    """Stand-in for the evaluator that searches in a worker process."""

    def __init__(self):
        self.progress = asyncio.Queue()
        self.is_stopped = False
        FakeSearch.last = self

    async def search_puzzles(self, _nick):
        while isinstance(progress := await self.progress.get(), SearchProgress):
            yield progress
        if progress:
            raise progress

    async def stop(self):
        self.is_stopped = True


@pytest.fixture(autouse=True)
def searching(monkeypatch):
    monkeypatch.setattr(learning, "SessionEvaluator", FakeSearch)
    monkeypatch.setattr(InputGuard, "accepts", lambda *_args, **_named: True)  # a player who waits before each key
    monkeypatch.setattr(InputGuard, "is_repeat", lambda *_args: False)


def create_app(*page):
    app = CardtableApp(Preferences.load(), None, page)
    app.context.robot_client = InProcessRobotClient()
    app.preferences.change(robot_pace=0, trick_pause=0, key_guard=0, animation=False)
    return app


def is_solving(app, text):
    return isinstance(app.screen, PuzzleTable) and text in screen_text(app)


async def test_picker_to_verdict():
    first = add_puzzle("Guest", YESTERDAY)
    add_puzzle("Guest", get_today(), "gurka", 2)
    app = CardtableApp(Preferences.load())
    app.preferences.change(key_guard=0, animation=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "P 2 puzzles due" in screen_text(app))
        await pilot.press("P")
        await wait_until(pilot, lambda: "2 due, 2 puzzles" in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_solving(app, "Puzzle: what is best here?"))
        # the question again, and back to it
        await pilot.press("h")
        await wait_until(pilot, lambda: is_solving(app, "Choose what you think is best"))
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_solving(app, "Puzzle: what is best here?"))
        best = puzzle_files.load_file(puzzle_files.get_path(first)).choices[0].action
        await pilot.press(best.split()[1], "enter")
        await wait_until(pilot, lambda: is_solving(app, f"Right: {best} is best."))
        assert "In the session you chose" in screen_text(app)
        assert app.screen.label_for(TABLE.find("leave")) == "to the puzzles"
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_solving(app, "It comes again tomorrow."))
        await pilot.press("enter")
        # the next one that is due is offered
        await wait_until(pilot, lambda: "1 more puzzle is due." in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_solving(app, "Gurka"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: "1 due, 2 puzzles, 1 of 1 attempt right" in screen_text(app))
    assert puzzle_files.load("Guest")[0].puzzles[first].solved == 1


async def test_search_in_the_background():
    app = create_app("puzzles")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "No puzzles yet" in screen_text(app))
        search = FakeSearch.last
        search.progress.put_nowait(SearchProgress(2, 40, 7))
        await wait_until(pilot, lambda: "2 sessions to look through, decision 7 of 40" in screen_text(app))
        add_puzzle("Guest", get_today())
        search.progress.put_nowait(SearchProgress(1, puzzle_count=1))
        await wait_until(pilot, lambda: "1 due, 1 puzzle" in screen_text(app))
        search.progress.put_nowait(ChildProcessError("a process has died"))
        await wait_until(pilot, lambda: "search for new puzzles has stopped: a process has died" in screen_text(app))
        await pilot.press("escape")
        await wait_until(pilot, lambda: search.is_stopped)


async def test_export_and_remove():
    puzzle = add_puzzle("Guest", YESTERDAY)
    app = create_app("puzzles")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "1 due" in screen_text(app))
        await pilot.press("e")
        exported = paths.exports_folder() / f"puzzle-{puzzle}.json"
        await wait_until(pilot, exported.exists)
        assert puzzle_files.parse(exported.read_bytes()).id == puzzle
        await pilot.press("d")
        await wait_until(pilot, lambda: "Remove the puzzle" in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: "No puzzles yet" in screen_text(app))
        await pilot.press("e", "d", "enter")
        assert "No puzzles yet" in screen_text(app)
    assert not puzzle_files.load("Guest")[0].puzzles


@pytest.mark.parametrize(("members", "message"), [({"hand": 1}, "not a possible position"), ({"won": []}, "displayed")])
async def test_invalid_puzzle_is_reported(members, message):
    spoil_view(add_puzzle("Guest", YESTERDAY, "gurka"), **members)
    app = create_app("puzzles")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "1 due" in screen_text(app))
        await pilot.press("enter")
        await wait_until(pilot, lambda: any(message in text for text in list_notices(app)))


@pytest.mark.parametrize("key", KEYS)
def test_texts_fit_every_size(key):
    position = puzzle_files.open_position(make_puzzle(key))
    session = PuzzleSession(position, "Guest", is_own=True, count_attempt=lambda _: "It comes again in 3 days.")
    session.play(position.chosen)
    preferences = Preferences(Settings())
    view_model = TableViewModel(session, preferences)
    for text in ("In the session you chose the same.", "It comes again in 3 days."):
        view_model.refresh()
        for size in SIZES:
            canvas = Canvas(*size, preferences.appearance)
            paint_table(canvas, view_model.frame)
            assert text in str(canvas)
        session.advance()
