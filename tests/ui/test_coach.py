"""Coach at the table: what the last decision cost, shown at the next prompt, with the offer to take it back."""

import asyncio
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from cardtable.records.review import CoachVerdict
from cardtable.session.robot_client import CoachClient
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, TableApp, create_session, open_table, play_until, wait_for_input, wait_until

SIZES = [(80, 24), (120, 40), (60, 18)]
BIG = CoachVerdict(6.5, True, True, "9S", "5S", "takes the trick", "loses the trick")
SMALL = replace(BIG, cost=0.8, is_big=False)


@pytest.fixture
def coach(monkeypatch):
    """Return the script of the coach: its `verdict` (an error, a future, `None`: a new future) and `questions`."""
    script = SimpleNamespace(verdict=BIG, questions=[])

    async def ask(_client, decision):
        script.questions.append(decision)
        answer = asyncio.Future() if script.verdict is None else script.verdict
        script.last_answer = answer
        if isinstance(answer, Exception):
            raise answer
        return await answer if isinstance(answer, asyncio.Future) else answer

    async def start(_client):
        pass

    monkeypatch.setattr(CoachClient, "_ask", ask)
    monkeypatch.setattr(CoachClient, "_start", start)
    return script


def create_app(level="big", **how):
    return TableApp(create_session("rikiki", 11, **how), settings=replace(QUICK, coach=level))


async def reach_bid(pilot, app, number=5):
    """Play to the bid of a round, with Enter."""
    await play_until(pilot, app, lambda frame: frame.waiting and frame.view.round == number and frame.decision)


async def wait_for_decision(pilot, app):
    await wait_until(pilot, lambda: app.table.frame.waiting and app.table.controller.is_awaiting_input)


@pytest.mark.parametrize("size", SIZES)
async def test_golden_verdict_at_next_prompt(coach, size):
    app = create_app()
    async with app.run_test(size=size) as pilot:
        coach.verdict = SMALL
        await reach_bid(pilot, app)
        before, coach.verdict = app.view, BIG
        await pilot.press("enter")
        await wait_until(pilot, lambda: "points lost" in screen_text(app))
        await wait_until(pilot, lambda: app.table.frame.waiting)
        golden_files.check_golden(f"coach_{size[0]}x{size[1]}.txt", screen_text(app))
        await pilot.press("u")
        await wait_until(pilot, lambda: app.view == before)
        assert app.table.session.referee.coached


@pytest.mark.parametrize(("level", "is_shown"), [("off", False), ("big", False), ("all", True)])
async def test_small_mistake_needs_level_all(coach, level, is_shown):
    coach.verdict = SMALL
    app = create_app(level)
    async with app.run_test(size=(80, 24)) as pilot:
        await reach_bid(pilot, app)
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        await pilot.pause()
        assert ("0.8 points lost" in screen_text(app)) == is_shown
        assert bool(coach.questions) == app.table.session.referee.coached == (level != "off")


async def test_verdict_after_next_decision_is_dropped(coach):
    app = create_app()
    async with app.run_test(size=(80, 24)) as pilot:
        coach.verdict = SMALL
        await reach_bid(pilot, app)
        coach.verdict = late = asyncio.Future()
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        coach.verdict = SMALL
        assert "points lost" not in screen_text(app)
        await pilot.press("enter")
        await wait_until(pilot, late.cancelled)
        await wait_for_input(pilot, app)
        assert "points lost" not in screen_text(app)


async def test_verdict_after_deal_explains_missing_undo(coach):
    app = create_app()
    async with app.run_test(size=(80, 24)) as pilot:
        coach.verdict = SMALL
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
        app.table.table_keys.action_take_back()
        await wait_for_decision(pilot, app)
        coach.verdict = late = asyncio.Future()
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.ROUND_END)
        await pilot.press("enter")
        await wait_for_decision(pilot, app)
        late.set_result(BIG)
        await wait_until(
            pilot, lambda: "Can't undo it: new cards have been dealt" in " ".join(screen_text(app).split())
        )


async def test_dead_process_of_coach_changes_nothing(coach):
    coach.verdict = ChildProcessError("died")
    app = create_app("all")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach_bid(pilot, app, 2)
        assert len(coach.questions) > 0
        assert "points lost" not in screen_text(app)


async def test_key_switches_coach_and_says_rating_ends(coach):
    app = TableApp(create_session("rikiki", 11), settings=QUICK)
    async with open_table(app, (80, 24)) as pilot:
        await pilot.press("g")
        assert "not rated" in " ".join(screen_text(app).split())
        assert app.table.session.referee.coached is False
        assert app.preferences.settings.coach == "big"
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.session.referee.coached)
        await pilot.press("g", "g")
        assert app.preferences.settings.coach == "off"


async def test_no_coach_at_hot_seat(coach):
    app = create_app("all", people=2)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.CURTAIN)
        await pilot.press("g")
        assert app.preferences.settings.coach == "all"
        assert app.table.controller._coach is None
        assert Settings().coach == "off"


async def test_verdict_on_last_decision_cannot_be_taken_back(coach):
    coach.verdict = None
    app = TableApp(create_session("gurka", 12), settings=replace(QUICK, coach="big"))
    async with app.run_test(size=(80, 24)) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.SESSION_END)
        coach.last_answer.set_result(BIG)
        await wait_until(pilot, lambda: "Can't undo it: the session is over" in " ".join(screen_text(app).split()))
