"""Coach at the table: what the last decision cost, shown at the next prompt, with the offer to take it back."""

import asyncio
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from cardtable.records.review import CoachVerdict
from cardtable.session.robot_client import CoachClient
from cardtable.session.session_events import Stage
from tests.ui.driver import SIZES, sit_at
from tests.ui.table_host import QUICK, create_session

BIG = CoachVerdict(6.5, 0.8, True, True, "9S", "5S", "takes the trick", "loses the trick")
LITTLE = replace(BIG, cost=0.8, is_big=False)


@pytest.fixture
def coach(monkeypatch):
    """Return the script of the coach: its `verdict` (an error, a future, `None`: a new future) and `questions`."""
    script = SimpleNamespace(verdict=LITTLE, questions=[])

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


def is_bid(frame, round_=5):
    return frame.waiting and frame.view.round == round_ and frame.decision


def sit_with_coach(level="big", key="rikiki", seed=11, until=is_bid, **how):
    return sit_at(create_session(key, seed), settings=replace(QUICK, coach=level), until=until, **how)


@pytest.mark.parametrize("size", SIZES)
async def test_golden_verdict_at_next_prompt(coach, size):
    async with sit_with_coach(size=size) as table:
        before, coach.verdict = table.view, BIG
        await table.press("enter")
        await table.sees("points lost")
        await table.wait_until(lambda: table.frame.waiting)
        table.check_golden("coach")
        await table.press("u")
        await table.wait_until(lambda: table.view == before)
        assert table.referee.coached


@pytest.mark.parametrize(("level", "is_shown"), [("off", False), ("big", False), ("all", True)])
async def test_little_mistake_needs_level_all(coach, level, is_shown):
    async with sit_with_coach(level) as table:
        await table.press("enter")
        await table.wait_for_input()
        assert ("0.8 points lost" in table.text) == is_shown
        assert bool(coach.questions) == table.referee.coached == (level != "off")


async def test_verdict_after_next_decision_is_dropped(coach):
    async with sit_with_coach() as table:
        coach.verdict = late = asyncio.Future()
        await table.press("enter")
        await table.wait_for_input()
        coach.verdict = LITTLE
        assert "points lost" not in table.text
        await table.press("enter")
        await table.wait_until(late.cancelled)
        await table.wait_for_input()
        assert "points lost" not in table.text


async def test_verdict_after_deal_explains_missing_undo(coach):
    async with sit_with_coach(until=lambda frame: frame.stage is Stage.ROUND_END) as table:
        await table.press("u")
        await table.wait_until(lambda: table.frame.waiting)
        coach.verdict = late = asyncio.Future()
        await table.press("enter")
        await table.wait_until(lambda: table.frame.stage is Stage.ROUND_END)
        await table.press("enter")
        await table.wait_until(lambda: table.frame.waiting)
        late.set_result(BIG)
        await table.reads("Can't undo it: new cards have been dealt")


async def test_dead_process_of_coach_changes_nothing(coach):
    coach.verdict = ChildProcessError("died")
    async with sit_with_coach("all", until=lambda frame: is_bid(frame, 2)) as table:
        assert len(coach.questions) > 0
        assert "points lost" not in table.text


async def test_key_switches_coach_and_says_rating_ends(coach):
    async with sit_at(create_session("rikiki", 11)) as table:
        await table.press("g")
        await table.reads("do not count in the rankings")
        assert table.referee.coached is False
        assert table.app.preferences.settings.coach == "big"
        await table.press("enter")
        await table.wait_until(lambda: table.referee.coached)
        await table.press("g g")
        assert table.app.preferences.settings.coach == "off"


async def test_no_coach_at_hot_seat(coach):
    session = create_session("rikiki", 11, people=2)
    async with sit_at(session, settings=replace(QUICK, coach="all"), until=is_bid) as table:
        await table.press("g")
        assert table.app.preferences.settings.coach == "all"
        assert not coach.questions
        assert not table.referee.coached
