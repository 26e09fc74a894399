"""Review page: cost of each decision, keys and mouse, reviewed player, review in progress."""

import asyncio
from time import time

import msgspec
import pytest
from textual.app import App

from cardtable.engine import journal
from cardtable.engine.bidding import Bid
from cardtable.engine.journal import Occupant
from cardtable.records import review_worker
from cardtable.records.review import Alternative, DecisionEvaluation, Review, count_runs, load_reviewed_session
from cardtable.session.round_replay import SessionReplay
from cardtable.store import paths
from cardtable.store.archive_index import compute_fingerprint
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.replay import ReplayPage
from cardtable.ui.review import ReviewModel, ReviewPage, create_screen
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests import golden_files
from tests.journal_times import set_last_played
from tests.records.review_journals import record_session
from tests.ui.current_screen import is_shown
from tests.ui.recording_context import RecordingContext
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import wait_until

SIZES = [(80, 24), (120, 40), (60, 18)]


class Host(App[None]):
    """App that shows one review."""

    def __init__(self, path, me="Anna", confirm=True, **settings):
        super().__init__()
        self.context = RecordingContext(self, Preferences(Settings(confirm=confirm, **settings)), me=me)
        self.review_screen = create_screen(self.context, path)

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
    aim = "you make it" if isinstance(decision.action, Bid) else "you make your bid"
    return DecisionEvaluation(cost, 0.5 if cost else 0.0, 300 if cost else 16, choices, aim, False, explanation)


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


async def wait_until_reviewed(pilot, app):
    await wait_until(pilot, lambda: app.page.error or (app.model and app.model.is_complete))
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("key", "house"),
    [("rikiki", {"length": "short"}), ("gurka", {}), ("rummy", {}), ("king", {}), ("bridge", {})],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_review_golden(key, house, size):
    path = archive_journal(record_session(key, "steady", **house))
    save_review(path)
    app = Host(path)
    async with app.run_test(size=size) as pilot:
        await wait_until_reviewed(pilot, app)
        golden_files.check_golden(f"review_{key}_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_keys_move_cursor_and_reorder_list():
    path = archive_journal(record_session("gurka", "steady"))
    session, review = save_review(path)
    costs = [one.cost for one in review.judged]
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        assert app.model.current.judgement.cost == max(costs)
        await pilot.press("down", "down")
        assert app.model.cursor_row == 2
        await pilot.press("f")
        assert [one.decision.decisions for one in app.model.lines] == [one.decisions for one in session.decisions]
        assert app.model.current.judgement.cost == sorted(costs, reverse=True)[2], "the cursor stays with its decision"
        await pilot.press("home")
        assert app.model.cursor_row == 0
        await pilot.press("end", "down")
        assert app.model.cursor_row == len(costs) - 1
        await pilot.press("pageup", "up")
        assert app.model.cursor_row < len(costs) - 2


async def test_click_selects_and_second_click_replays(reviewed_gurka):
    app = Host(reviewed_gurka)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        await pilot.click(offset=(10, 6))
        assert app.model.cursor_row == 2
        await pilot.click(offset=(10, 6))
        await wait_until(pilot, lambda: app.requests)
        assert app.requests[0][0] == "replay"
        app.page.on_wheel(1, 0)
        assert app.model.cursor_row == 3


async def test_enter_opens_replay_and_g_starts_session(reviewed_gurka):
    app = Host(reviewed_gurka, confirm=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        decision = app.model.current.decision
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.requests)
        name, opened_path, number, step, *_ = app.requests[0]
        assert (name, opened_path, number) == ("replay", reviewed_gurka, decision.round)
        replay_step = SessionReplay(reviewed_gurka).get_round(number).steps[step]
        assert (replay_step.view, replay_step.event) == (decision.view, decision.action)
        await pilot.press("g")
        await wait_until(pilot, lambda: app.started_sessions)
        [session] = app.started_sessions
        assert session.referee.turn == 0
        assert session.referee.view(0) == decision.view
        assert session.header.origin.id == "s"
        session.close()


async def test_new_session_asks_for_confirmation(reviewed_gurka):
    app = Host(reviewed_gurka)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("escape")
        await wait_until(pilot, lambda: is_shown(app, ReviewPage))
        assert not app.started_sessions


@pytest.mark.parametrize("confirm", [True, False])
async def test_g_opens_new_session_in_program(reviewed_gurka, confirm):
    app = CardtableApp(Preferences(Settings(confirm=confirm)), page=("review", reviewed_gurka))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: is_shown(app, ReviewPage) and app.screen.page.model)
        await wait_until(pilot, lambda: app.screen.page.model.is_complete)
        await pilot.press("g")
        if confirm:
            await wait_until(pilot, lambda: isinstance(app.screen, Dialog))
            await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.header.origin.id == "s"


async def test_missing_session_is_reported(reviewed_gurka):
    app = Host(reviewed_gurka)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        reviewed_gurka.unlink()
        await pilot.press("enter")
        await wait_until(pilot, lambda: "s.jsonl" in " ".join(list_notices(app)))
        assert not app.requests


async def test_heading_fits_longest_nick(monkeypatch):
    monkeypatch.setattr(ReviewModel, "player_name", property(lambda _: "Konstant"))
    path = archive_journal(record_session("gurka", "steady", people=(0, 2)))
    save_review(path, 0)
    app = Host(path, me="Anna")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        app.model.is_current_player = False
        app.page.repaint()
        await pilot.pause()
        assert "Decisions of Konstant" in screen_text(app)


async def test_tab_switches_reviewed_player():
    path = archive_journal(record_session("gurka", "steady", people=(0, 2)))
    save_review(path, 0)
    save_review(path, 2)
    app = Host(path, me="Cy")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        assert app.model.session.seat == 2
        assert "Your decisions" in screen_text(app)
        await pilot.press("tab")
        await wait_until(pilot, lambda: app.model.session.seat == 0 and app.model.is_complete)
        await pilot.pause()
        assert "Decisions of Anna" in screen_text(app)
        assert "Same deals: Anna" in screen_text(app)


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
    app = Host(archive_journal(record_session("gurka", "steady", people=(0, 2))), me="Cy")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: begun and app.model)
        for _ in range(3):
            app.page.action_whose(1)
            await asyncio.sleep(0)
        await wait_until(pilot, lambda: len(begun) > 1)
        app.page.action_whose(1)
        await asyncio.sleep(0)
    assert set(ended) == set(begun)


async def test_replay_and_continue_take_reviewed_seat():
    path = archive_journal(record_session("gurka", "steady", people=(0, 2)))
    save_review(path, 0)
    save_review(path, 2)
    app = CardtableApp(Preferences(Settings(confirm=False, robot_pace=0)), page=("review", path))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: is_shown(app, ReviewPage) and app.screen.page.model)
        await pilot.press("tab")
        await wait_until(pilot, lambda: app.screen.page.model.session.seat == 2 and app.screen.page.model.is_complete)
        await pilot.press("enter")
        await wait_until(pilot, lambda: is_shown(app, ReplayPage) and app.screen.page.model)
        replay = app.screen.page.model
        assert (replay.bottom_seat, replay.view_name) == (2, "all hands")
        await pilot.press("v")
        assert (replay.bottom_seat, replay.view_name) == (2, "Cy's view"), (
            "the first single view is that of the reviewed seat"
        )
        await pilot.press("v", "v", "v", "v")
        assert (replay.bottom_seat, replay.view_name) == (2, "all hands")
        await pilot.press("g")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.header.people == [2]


async def test_keys_work_during_review_and_progress_is_saved():
    path = archive_journal(record_session("gurka", "steady", limit=21))
    session, _ = save_review(path, most=4)
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.model and len(app.model.lines) > 4)
        await pilot.press("down")
        assert app.model.cursor_row == 1
        assert not app.model.is_complete
        assert "% done" in screen_text(app)
        await pilot.press("escape")
        await wait_until(pilot, lambda: not is_shown(app, ReviewPage))
    saved_review = review_worker.load(path, compute_fingerprint(path.stat()), session)
    assert saved_review.done_count >= 5


async def test_abandoned_session_is_reviewed_and_marked():
    lines = record_session("gurka", "steady", rounds=2).splitlines(keepends=True)
    app = Host(archive_journal(b"".join(lines[:-3])))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        assert "abandoned with " in screen_text(app)
        await wait_until(pilot, lambda: app.model.is_complete)
        assert {one.decision.round for one in app.model.lines} == {1, 2}


async def test_unfinished_session_is_not_reviewed(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(record_session("gurka", "steady", rounds=1))
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until_reviewed(pilot, app)
        text = screen_text(app)
        assert "not over" in text
        await pilot.press("enter", "g", "f", "tab", "down")
        assert not app.requests


async def test_hostile_nicks_and_small_sizes():
    data = record_session("rikiki", "steady", length="short").split(b"\n")
    read = journal.read(b"\n".join(data))
    hostile = (Occupant("[b]\x1b[31mX\u202e" * 9), *read.header.seats[1:])
    header = msgspec.structs.replace(read.header, seats=hostile)
    path = archive_journal(journal.encode(header, [entry.line for entry in read.entries]))
    save_review(path)
    app = Host(path, me="Guest")
    async with app.run_test(size=(120, 40)) as pilot:
        await wait_until_reviewed(pilot, app)
        for width, height in ((80, 24), (60, 18), (30, 9), (200, 60), (81, 25)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            text = screen_text(app)
            assert "\x1b" not in text
            assert "\u202e" not in text
        await asyncio.sleep(0)
