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
from cardtable.store.file_cache import compute_fingerprint
from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.replay.screen import ReplayPage
from cardtable.ui.review.model import ReviewModel
from cardtable.ui.review.screen import ReviewPage, create_screen
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests import golden_files
from tests.played_at import played_at
from tests.records.reviewed import recorded
from tests.ui.rooms import AskedRoom
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.shown import shows
from tests.ui.table_host import until

SIZES = [(80, 24), (120, 40), (60, 18)]


class Host(App[None]):
    """App that shows one review."""

    def __init__(self, path, me="Anna", confirm=True, **settings):
        super().__init__()
        self.context = AskedRoom(self, Preferences(Settings(confirm=confirm, **settings)), me=me)
        self.opened = create_screen(self.context, path)

    @property
    def begun(self):
        return [about[0] for way, *about in self.context.asked if way == "sit down"]

    @property
    def shown(self):
        return [asked for asked in self.context.asked if asked[0] != "sit down"]

    def on_mount(self):
        self.push_screen(self.opened)

    @property
    def page(self):
        return self.opened.page

    @property
    def it(self):
        return self.page.model


def archived(data):
    paths.archive_folder().mkdir(parents=True, exist_ok=True)
    path = paths.archive_folder() / "s.jsonl"
    path.write_bytes(data)
    played_at(path, time())
    return path


def judgement(decision, cost):
    """Return an evaluation in which another action is better by `cost`, or the decision is best if `cost` is 0."""
    legal = [str(action) for action in decision.view.legal]
    own = str(decision.action)
    other = next(text for text in legal if text != own)
    best = [Alternative(own, 5.0, True, 0.7)] if not cost else []
    worse = [] if not cost else [Alternative(own, 5.0 - cost, False, 0.3)]
    choices = (*best, Alternative(other, 5.0 if cost else 4.0, True, 0.5), *worse)
    why = (
        "JS: takes the trick in 70 %, keeps 4D, and you make your bid in 60 % of similar deals",
        "9H: loses the trick",
    )
    aim = "you make it" if isinstance(decision.action, Bid) else "you make your bid"
    return DecisionEvaluation(cost, 0.5 if cost else 0.0, 300 if cost else 16, choices, aim, False, why)


def reviewed(path, seat=0, most=1000):
    """Save a made-up review; costs of decisions rise from 0 in cycles of eight."""
    session = load_reviewed_session(journal.read(path.read_bytes()), seat)
    judged = [judgement(one, number % 8 * 0.7) for number, one in enumerate(session.decisions)]
    dealt = [(points + 3,) * count_runs(session) for points in session.points]
    whole = most >= len(judged)
    review = Review(judged[:most], dealt if whole else [])
    review_worker.save(path, compute_fingerprint(path.stat()), seat, review)
    return session, review


async def shown(pilot, app):
    await until(pilot, lambda: app.page._trouble or (app.it and app.it.is_complete))
    await pilot.pause()


@pytest.mark.promise(
    "Archive, replay, review and export",
    "A review lists the player's decisions by their average cost in points, the worst mistake first.",
)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("key", "house"),
    [("rikiki", {"length": "short"}), ("gurka", {}), ("rummy", {}), ("king", {}), ("bridge", {})],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_the_review_looks_as_drawn(key, house, size):
    path = archived(recorded(key, "steady", **house))
    reviewed(path)
    app = Host(path)
    async with app.run_test(size=size) as pilot:
        await shown(pilot, app)
        golden_files.check(f"review_{key}_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_keys_move_the_cursor_and_turn_the_list():
    path = archived(recorded("gurka", "steady"))
    session, review = reviewed(path)
    costs = [one.cost for one in review.judged]
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        assert app.it.current.judgement.cost == max(costs)
        await pilot.press("down", "down")
        assert app.it.cursor_row == 2
        await pilot.press("f")
        assert [one.decision.decisions for one in app.it.lines] == [one.decisions for one in session.decisions]
        assert app.it.current.judgement.cost == sorted(costs, reverse=True)[2], "the cursor stays with its decision"
        await pilot.press("home")
        assert app.it.cursor_row == 0
        await pilot.press("end", "down")
        assert app.it.cursor_row == len(costs) - 1
        await pilot.press("pageup", "up")
        assert app.it.cursor_row < len(costs) - 2


async def test_a_click_puts_the_cursor_there_and_a_second_one_replays_it():
    path = archived(recorded("gurka", "steady"))
    reviewed(path)
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.click(offset=(10, 6))
        assert app.it.cursor_row == 2
        await pilot.click(offset=(10, 6))
        await until(pilot, lambda: app.shown)
        assert app.shown[0][0] == "replay"
        app.page.on_wheel(1, 0)
        assert app.it.cursor_row == 3


async def test_enter_leads_to_the_replay_before_the_decision_and_g_into_a_new_session():
    path = archived(recorded("gurka", "steady"))
    reviewed(path)
    app = Host(path, confirm=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        decision = app.it.current.decision
        await pilot.press("enter")
        await until(pilot, lambda: app.shown)
        name, there, number, step, *_ = app.shown[0]
        assert (name, there, number) == ("replay", path, decision.round)
        found = SessionReplay(path).get_round(number).steps[step]
        assert (found.view, found.event) == (decision.view, decision.action)
        await pilot.press("g")
        await until(pilot, lambda: app.begun)
        [session] = app.begun
        assert session.referee.turn == 0
        assert session.referee.view(0) == decision.view
        assert session.header.origin.id == "s"
        session.close()


async def test_before_a_new_session_begins_it_is_said():
    path = archived(recorded("gurka", "steady"))
    reviewed(path)
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, Dialog))
        await pilot.press("escape")
        await until(pilot, lambda: shows(app, ReviewPage))
        assert not app.begun


@pytest.mark.parametrize("confirm", [True, False])
async def test_from_the_review_the_program_sits_down_at_the_new_session(confirm):
    path = archived(recorded("gurka", "steady"))
    reviewed(path)
    app = CardtableApp(Preferences(Settings(confirm=confirm)), page=("review", path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, ReviewPage) and app.screen.page.model)
        await until(pilot, lambda: app.screen.page.model.is_complete)
        await pilot.press("g")
        if confirm:
            await until(pilot, lambda: isinstance(app.screen, Dialog))
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.header.origin.id == "s"


async def test_a_session_that_has_gone_meanwhile_is_told():
    path = archived(recorded("gurka", "steady"))
    reviewed(path)
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        path.unlink()
        await pilot.press("enter")
        await until(pilot, lambda: "s.jsonl" in " ".join(list_notices(app)))
        assert not app.shown


async def test_the_heading_is_whole_for_the_longest_nick(monkeypatch):
    monkeypatch.setattr(ReviewModel, "player_name", property(lambda _: "Konstant"))
    path = archived(recorded("gurka", "steady", people=(0, 2)))
    reviewed(path, 0)
    app = Host(path, me="Anna")
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        app.it.is_current_player = False
        app.page.repaint()
        await pilot.pause()
        assert "Decisions of Konstant" in screen_text(app)


async def test_whose_decisions_is_chosen_where_several_people_played():
    path = archived(recorded("gurka", "steady", people=(0, 2)))
    reviewed(path, 0)
    reviewed(path, 2)
    app = Host(path, me="Cy")
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        assert app.it.session.seat == 2
        assert "Your decisions" in screen_text(app)
        await pilot.press("tab")
        await until(pilot, lambda: app.it.session.seat == 0 and app.it.is_complete)
        await pilot.pause()
        assert "Decisions of Anna" in screen_text(app)
        assert "Same deals: Anna" in screen_text(app)


async def test_whose_decisions_can_be_changed_and_left_faster_than_a_process_ends(monkeypatch):
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
    app = Host(archived(recorded("gurka", "steady", people=(0, 2))), me="Cy")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: begun and app.it)
        for _ in range(3):
            app.page.action_whose(1)
            await asyncio.sleep(0)
        await until(pilot, lambda: len(begun) > 1)
        app.page.action_whose(1)
        await asyncio.sleep(0)
    assert set(ended) == set(begun)


async def test_from_another_person_s_review_replay_and_going_on_have_her_seat():
    path = archived(recorded("gurka", "steady", people=(0, 2)))
    reviewed(path, 0)
    reviewed(path, 2)
    app = CardtableApp(Preferences(Settings(confirm=False, pace=0)), page=("review", path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, ReviewPage) and app.screen.page.model)
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.page.model.session.seat == 2 and app.screen.page.model.is_complete)
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, ReplayPage) and app.screen.page.state)
        replay = app.screen.page.state
        assert (replay.bottom_seat, replay.view_name) == (2, "all hands")
        await pilot.press("v")
        assert (replay.bottom_seat, replay.view_name) == (2, "Cy's view"), "hers is the first of them"
        await pilot.press("v", "v", "v", "v")
        assert (replay.bottom_seat, replay.view_name) == (2, "all hands")
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.header.people == [2]


@pytest.mark.promise(
    "Archive, replay, review and export",
    "A review answers keys while it runs, and continues later where it was stopped.",
)
async def test_while_it_is_going_on_keys_are_answered_and_leaving_keeps_what_is_done():
    path = archived(recorded("gurka", "steady", limit=21))
    session, _ = reviewed(path, most=4)
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.it and len(app.it.lines) > 4)
        await pilot.press("down")
        assert app.it.cursor_row == 1
        assert not app.it.is_complete
        assert "% done" in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: not shows(app, ReviewPage))
    kept = review_worker.load(path, compute_fingerprint(path.stat()), session)
    assert kept.done_count >= 5


async def test_a_session_that_was_given_up_is_reviewed_and_says_so():
    lines = recorded("gurka", "steady", rounds=2).splitlines(keepends=True)
    app = Host(archived(b"".join(lines[:-3])))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        assert "given up with " in screen_text(app)
        await until(pilot, lambda: app.it.is_complete)
        assert {one.decision.round for one in app.it.lines} == {1, 2}


async def test_a_session_that_is_not_over_says_so(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(recorded("gurka", "steady", rounds=1))
    app = Host(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, app)
        text = screen_text(app)
        assert "not over" in text
        await pilot.press("enter", "g", "f", "tab", "down")
        assert not app.shown


async def test_hostile_nicks_and_small_sizes_are_harmless():
    data = recorded("rikiki", "steady", length="short").split(b"\n")
    read = journal.read(b"\n".join(data))
    hostile = (Occupant("[b]\x1b[31mX\u202e" * 9), *read.header.seats[1:])
    lines = [msgspec.structs.replace(read.header, seats=hostile), *[entry.line for entry in read.entries]]
    path = archived(journal.encode(lines))
    reviewed(path)
    app = Host(path, me="Guest")
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot, app)
        for width, height in ((80, 24), (60, 18), (30, 9), (200, 60), (81, 25)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            text = screen_text(app)
            assert "\x1b" not in text
            assert "\u202e" not in text
        await asyncio.sleep(0)
