"""Review page: cost of each decision, keys and mouse, reviewed player, review in progress."""

import asyncio
from contextlib import asynccontextmanager
from time import time

import msgspec
import pytest
from textual.app import App

from cardtable.engine import journal
from cardtable.engine.journal import Occupant
from cardtable.records import review_worker
from cardtable.records.review import Alternative, DecisionEvaluation, Review, count_runs, load_reviewed_session
from cardtable.session.round_replay import SessionReplay
from cardtable.store import paths
from cardtable.store.archive_index import compute_fingerprint
from cardtable.store.settings import Settings
from cardtable.ui.replay import ReplayPage
from cardtable.ui.review import ReviewPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.journal_times import set_last_played
from tests.records.review_journals import record_session
from tests.ui.current_screen import is_shown
from tests.ui.driver import LARGE, SMALL, Driver, start_program
from tests.ui.recording_context import RecordingContext


class Host(App[None]):
    """App that shows one review."""

    def __init__(self, path, me="Anna", confirm=True, **settings):
        super().__init__()
        self.context = RecordingContext(self, Preferences(Settings(confirm=confirm, **settings)), me=me)
        self.review_screen = PageScreen(ReviewPage(self.context, path))

    @property
    def started_sessions(self):
        return [about[0] for name, *about in self.context.requests if name == "sit down"]

    @property
    def requests(self):
        return [asked for asked in self.context.requests if asked[0] != "sit down"]

    def on_mount(self):
        self.push_screen(self.review_screen)

    @property
    def page(self):
        return self.review_screen.page

    @property
    def model(self):
        return self.page.model


def archive_journal(data):
    paths.archive_folder().mkdir(parents=True, exist_ok=True)
    path = paths.archive_folder() / "s.jsonl"
    path.write_bytes(data)
    set_last_played(path, time())
    return path


def make_evaluation(decision, cost):
    """Return an evaluation in which another action is better by `cost`, or the decision is best if `cost` is 0."""
    legal = [str(action) for action in decision.view.legal]
    own = str(decision.action)
    other = next(text for text in legal if text != own)
    best = [Alternative(own, 5.0, True, 0.7)] if not cost else []
    worse = [] if not cost else [Alternative(own, 5.0 - cost, False, 0.3)]
    choices = (*best, Alternative(other, 5.0 if cost else 4.0, True, 0.5), *worse)
    explanation = (
        "JS: takes the trick in 70%, keeps 4D, and you make your bid in 60% of similar deals",
        "9H: loses the trick",
    )
    error, worlds = (0.5, 300) if cost else (0.0, 16)
    return DecisionEvaluation(cost, error, worlds, choices, "you make your bid", False, explanation)


def save_review(path, seat=0, most=1000):
    """Save a made-up review; costs of decisions rise from 0 in cycles of eight."""
    session = load_reviewed_session(journal.read(path.read_bytes()), seat)
    judged = [make_evaluation(one, number % 8 * 0.7) for number, one in enumerate(session.decisions)]
    dealt = [(points + 3,) * count_runs(session) for points in session.points]
    whole = most >= len(judged)
    review = Review(judged[:most], dealt if whole else [])
    review_worker.save(path, compute_fingerprint(path.stat()), seat, review)
    return session, review


@pytest.fixture
def reviewed_gurka():
    """Archive a session of Gurka with a saved review of Anna's decisions; return its path."""
    path = archive_journal(record_session("gurka", "steady"))
    save_review(path)
    return path


class ReviewDriver(Driver[Host]):
    """Person who reads a review."""

    @property
    def model(self):
        return self.app.model

    async def is_complete(self):
        await self.wait_until(lambda: self.app.page.error or (self.model and self.model.is_complete))


@asynccontextmanager
async def open_review(path, size=SMALL, *, is_complete=True, **options):
    """Open a review, and wait until all decisions are judged."""
    app = Host(path, **options)
    async with app.run_test(size=size) as pilot:
        review = ReviewDriver(app, pilot)
        if is_complete:
            await review.is_complete()
        yield review


@pytest.mark.parametrize(
    ("key", "house"),
    [("rikiki", {"length": "short"}), ("gurka", {}), ("rummy", {}), ("king", {}), ("bridge", {})],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_review_golden(key, house):
    path = archive_journal(record_session(key, "steady", **house))
    save_review(path)
    async with open_review(path) as screen:
        await screen.check_golden_in_sizes(f"review_{key}")


async def test_keys_move_cursor_and_reorder_list():
    path = archive_journal(record_session("gurka", "steady"))
    session, review = save_review(path)
    costs = [one.cost for one in review.judged]
    async with open_review(path) as screen:
        assert screen.model.current.judgement.cost == max(costs)
        await screen.press("down down")
        assert screen.model.cursor_row == 2
        await screen.press("f")
        assert [one.decision.decisions for one in screen.model.lines] == [one.decisions for one in session.decisions]
        assert screen.model.current.judgement.cost == sorted(costs, reverse=True)[2], (
            "the cursor stays with its decision"
        )
        await screen.press("home")
        assert screen.model.cursor_row == 0
        await screen.press("end down")
        assert screen.model.cursor_row == len(costs) - 1
        await screen.press("pageup up")
        assert screen.model.cursor_row < len(costs) - 2


async def test_enter_opens_replay_and_g_starts_session(reviewed_gurka):
    async with open_review(reviewed_gurka, confirm=False) as screen:
        decision = screen.model.current.decision
        await screen.press("enter")
        await screen.wait_until(lambda: screen.app.requests)
        name, opened_path, number, step, *_ = screen.app.requests[0]
        assert (name, opened_path, number) == ("replay", reviewed_gurka, decision.round)
        replay_step = SessionReplay(reviewed_gurka).get_round(number).steps[step]
        assert (replay_step.view, replay_step.event) == (decision.view, decision.action)
        await screen.press("g")
        await screen.wait_until(lambda: screen.app.started_sessions)
        [session] = screen.app.started_sessions
        assert session.referee.turn == 0
        assert session.referee.view(0) == decision.view
        assert session.header.origin.id == "s"
        session.close()


async def test_tab_switches_reviewed_player():
    path = archive_journal(record_session("gurka", "steady", people=(0, 2)))
    save_review(path, 0)
    save_review(path, 2)
    async with open_review(path, me="Cy") as screen:
        assert screen.model.session.seat == 2
        await screen.sees("Your decisions")
        await screen.press("tab")
        await screen.wait_until(lambda: screen.model.session.seat == 0 and screen.model.is_complete)
        await screen.sees("Decisions of Anna", "Same deals: Anna")


async def test_switching_and_leaving_stop_all_processes(monkeypatch):
    begun, ended = [], []
    begin = asyncio.create_subprocess_exec

    async def slow_to_end(*command, **how):
        process = await begin(*command, **how)
        end = process.communicate

        async def communicate(*rest):
            await asyncio.sleep(0.05)
            await end(*rest)
            ended.append(process)

        process.communicate = communicate
        begun.append(process)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slow_to_end)
    path = archive_journal(record_session("gurka", "steady", people=(0, 2)))
    async with open_review(path, me="Cy", is_complete=False) as screen:
        await screen.wait_until(lambda: begun and screen.model)
        for _ in range(3):
            screen.app.page.action_whose(1)
            await asyncio.sleep(0)
        await screen.wait_until(lambda: len(begun) > 1)
        screen.app.page.action_whose(1)
        await asyncio.sleep(0)
    assert set(ended) == set(begun)


async def test_replay_and_continue_take_reviewed_seat():
    path = archive_journal(record_session("gurka", "steady", people=(0, 2)))
    save_review(path, 0)
    save_review(path, 2)
    async with start_program(page=("review", path), confirm=False, robot_pace=0) as screen:
        await screen.wait_until(lambda: is_shown(screen.app, ReviewPage) and screen.page.model)
        await screen.press("tab")
        await screen.wait_until(lambda: screen.page.model.session.seat == 2 and screen.page.model.is_complete)
        await screen.press("enter")
        await screen.wait_until(lambda: is_shown(screen.app, ReplayPage) and screen.page.model)
        replay = screen.page.model
        assert (replay.bottom_seat, replay.view_name) == (2, "all hands")
        await screen.press("v")
        assert (replay.bottom_seat, replay.view_name) == (2, "Cy's view")
        await screen.press("v v v v")
        assert (replay.bottom_seat, replay.view_name) == (2, "all hands")
        await screen.press("g")
        await screen.is_at(TableScreen)
        assert screen.app.screen.session.header.people == [2]


async def test_keys_work_during_review_and_progress_is_saved():
    path = archive_journal(record_session("gurka", "steady", limit=21))
    session, _ = save_review(path, most=4)
    async with open_review(path, is_complete=False) as screen:
        await screen.wait_until(lambda: screen.model and len(screen.model.lines) > 4)
        await screen.press("down")
        assert screen.model.cursor_row == 1
        assert not screen.model.is_complete
        await screen.sees("% done")
        await screen.press("escape")
        await screen.wait_until(lambda: not is_shown(screen.app, ReviewPage))
    saved_review = review_worker.load(path, compute_fingerprint(path.stat()), session)
    assert saved_review.done_count >= 5


async def test_abandoned_session_is_reviewed_and_marked():
    lines = record_session("gurka", "steady", rounds=2).splitlines(keepends=True)
    path = archive_journal(b"".join(lines[:-3]))
    save_review(path)
    async with open_review(path) as screen:
        await screen.sees("abandoned with ")
        assert {one.decision.round for one in screen.model.lines} == {1, 2}


async def test_unfinished_session_is_not_reviewed(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(record_session("gurka", "steady", rounds=1))
    async with open_review(path) as screen:
        await screen.sees("not over")
        await screen.press("enter g f tab down")
        assert not screen.app.requests


async def test_hostile_nicks_and_small_sizes():
    read = journal.read(record_session("rikiki", "steady", length="short"))
    hostile = (Occupant("[b]\x1b[31mX\u202e" * 9), *read.header.seats[1:])
    header = msgspec.structs.replace(read.header, seats=hostile)
    path = archive_journal(journal.encode(header, [entry.line for entry in read.entries]))
    save_review(path)
    async with open_review(path, LARGE, me="Guest") as screen:
        for width, height in ((80, 24), (60, 18), (30, 9), (200, 60), (81, 25)):
            await screen.resize(width, height)
            assert not {"\x1b", "\u202e"} & set(screen.text)
