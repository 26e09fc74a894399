"""Puzzles on the screens: the list, the search for new ones, and the table at which one is solved."""

import asyncio
from datetime import timedelta

import pytest

from cardtable.games import KEYS
from cardtable.records.puzzles import SearchProgress, add_shipped_puzzles
from cardtable.session.puzzle_session import PuzzleSession
from cardtable.store import paths, puzzle_files
from cardtable.store.puzzle_files import get_today
from cardtable.store.settings import Settings
from cardtable.ui import learning
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.learning import PuzzleTable
from cardtable.ui.table.model.view_model import TableViewModel
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from tests.puzzles import add_puzzle, make_puzzle, spoil_view
from tests.ui.driver import SIZES, start_program

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


def open_puzzles(*page):
    quick = {"robot_pace": 0, "trick_pause": 0, "key_guard": 0, "animation": False}
    return start_program(page=page or None, **quick)


async def test_picker_to_verdict():
    first = add_puzzle("Guest", YESTERDAY)
    add_puzzle("Guest", get_today(), "gurka", 2)
    async with open_puzzles() as screen:
        await screen.sees("P 2 puzzles due")
        await screen.press("P")
        await screen.sees("2 due, 2 puzzles")
        await screen.press("enter")
        await screen.is_at(PuzzleTable)
        await screen.sees("Puzzle: what is best here?")
        # the question again, and back to it
        await screen.press("h")
        await screen.sees("Choose what you think is best")
        await screen.press("enter")
        await screen.sees("Puzzle: what is best here?")
        best = puzzle_files.load_file(puzzle_files.get_path(first)).choices[0].action
        await screen.press(best.split()[1], "enter")
        await screen.sees(f"Right: {best} is best.")
        await screen.sees("In the session you chose")
        assert screen.app.screen.label_for(TABLE.find("leave")) == "to the puzzles"
        await screen.press("enter")
        await screen.sees("It comes again tomorrow.")
        await screen.press("enter")
        # the next one that is due is offered
        await screen.sees("Next: Gurka, round 2.")
        assert "s score" not in screen.text, "the keys of the table have no effect now"
        await screen.press("enter")
        await screen.sees("Gurka")
        await screen.press("escape")
        await screen.sees("1 due, 2 puzzles, 1 of 1 attempt right")
    assert puzzle_files.load_puzzles("Guest")[0].puzzles[first].solved == 1


async def test_reason_of_a_refusal_stays():
    add_puzzle("Guest", get_today(), "gurka", 7)
    async with open_puzzles("puzzles") as screen:
        await screen.press("enter")
        await screen.sees("Puzzle: what is best here?")
        cursor = screen.app.screen.view_model.cursor
        forbidden = next(card for card in cursor.hand.cards if not cursor.hand.can_select(card))
        cursor.go_to_card(forbidden)
        for _ in range(3):  # a lesson tells the answer after two of them
            await screen.press("enter")
            assert cursor.reason
            assert cursor.hand.at == forbidden


async def test_first_day():
    async with open_puzzles("puzzles") as screen:
        add_shipped_puzzles("Guest", get_today())
        FakeSearch.last.progress.put_nowait(SearchProgress(0, puzzle_count=1))
        await screen.sees("any time", "new")
        assert "due" not in screen.text
        await screen.press("end enter")
        await screen.sees("Puzzle: what is best here?", "You lead")
        await screen.press("escape")
        await screen.sees("any time")
        await screen.press("escape")
        await screen.sees("P puzzles")
        assert "due" not in screen.text


async def test_search_in_the_background():
    async with open_puzzles("puzzles") as screen:
        await screen.sees("looking for sessions")
        search = FakeSearch.last
        search.progress.put_nowait(SearchProgress(2, 40, 7))
        await screen.sees("2 sessions to look through, decision 7 of 40")
        add_puzzle("Guest", get_today())
        search.progress.put_nowait(SearchProgress(1, puzzle_count=1))
        await screen.sees("1 due, 1 puzzle")
        search.progress.put_nowait(ChildProcessError("a process has died"))
        await screen.sees("search for new puzzles has stopped: a process has died")
        await screen.press("escape")
        await screen.wait_until(lambda: search.is_stopped)


async def test_export_and_remove():
    puzzle = add_puzzle("Guest", YESTERDAY)
    async with open_puzzles("puzzles") as screen:
        await screen.sees("1 due")
        await screen.press("e")
        exported = paths.exports_folder() / f"puzzle-{puzzle}.json"
        await screen.wait_until(exported.exists)
        assert puzzle_files.parse(exported.read_bytes()).id == puzzle
        await screen.press("d")
        await screen.sees("Remove the puzzle")
        await screen.press("enter")
        FakeSearch.last.progress.put_nowait(SearchProgress(0))
        await screen.sees("No puzzles here")
        await screen.press("e d")
        await screen.sees("No puzzles here")
        # what fills the list
        await screen.press("enter")
        await screen.sees("New table")
    assert not puzzle_files.load_puzzles("Guest")[0].puzzles


@pytest.mark.parametrize(("members", "message"), [({"hand": 1}, "not a possible position"), ({"won": []}, "displayed")])
async def test_invalid_puzzle_is_reported(members, message):
    spoil_view(add_puzzle("Guest", YESTERDAY, "gurka"), **members)
    async with open_puzzles("puzzles") as screen:
        await screen.sees("1 due")
        await screen.press("enter")
        await screen.wait_until(lambda: any(message in text for text in screen.notices))


@pytest.mark.parametrize("key", KEYS)
def test_texts_fit_every_size(key):
    position = puzzle_files.open_position(make_puzzle(key))
    session = PuzzleSession(position, "Guest", is_own=True, count_attempt=lambda _: "It comes again in 3 days.")
    session.play(position.chosen)
    preferences = Preferences(Settings())
    view_model = TableViewModel(session, preferences)
    for text in ("In the session you chose", "It comes again in 3 days."):
        view_model.refresh()
        for size in SIZES:
            canvas = Canvas(*size, preferences.appearance)
            paint_table(canvas, view_model.frame)
            assert text in str(canvas)
        session.advance()
