"""Clocks at the upper right: they run only while people must act, also below another screen."""

import asyncio

import pytest
from textual.screen import Screen

from cardtable.engine.log_entries import DEALT_AGAIN, SystemLogEntry
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.wording.formatting import format_clock
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    QUICK,
    GatedRobots,
    TableApp,
    create_session,
    open_table,
    wait_for_input,
    wait_for_thinking_robot,
    wait_until,
)

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)


@pytest.fixture(autouse=True)
def let_time_pass(monkeypatch):
    """Return a function that lets seconds pass for the clocks, which stand still otherwise, and tick fast."""
    passed = []
    monkeypatch.setattr("cardtable.store.clocks.monotonic", lambda: sum(passed))
    monkeypatch.setattr("cardtable.ui.table.model.controller.CLOCK_INTERVAL", 0.023)
    return passed.append


def read_upper_right(app):
    return screen_text(app).splitlines()[0].split()[-1]


def get_round_time_left(app):
    """Return the seconds left on the round clock."""
    return app.table.session.clocks.round_time_left


async def wait_for_clock(pilot, app, time):
    """Wait until the clock shows this time."""
    await wait_until(pilot, lambda: read_upper_right(app) == time)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_round_clock_is_at_upper_right(size, let_time_pass):
    app = TableApp(create_session("rikiki", 11, round_clock=10))
    async with open_table(app, size) as pilot:
        await wait_for_clock(pilot, app, "10:00")
        let_time_pass(120)
        await wait_for_clock(pilot, app, "8:00")


async def test_no_clock_without_option():
    app = TableApp(create_session("rikiki", 11))
    async with open_table(app, SMALL):
        assert ":" not in screen_text(app).splitlines()[0]


async def test_clock_stops_while_robot_thinks(let_time_pass):
    robots = GatedRobots()
    app = TableApp(create_session("rikiki", 11, round_clock=10), QUICK, robots)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_thinking_robot(pilot, app)
        text = read_upper_right(app)
        let_time_pass(3600)
        await pilot.pause(0.05)
        assert read_upper_right(app) == text
        robots.gate.set()
        await wait_for_input(pilot, app)
        assert app.view.round == 1
        assert get_round_time_left(app) == 600


async def test_clock_stops_between_rounds(let_time_pass):
    app = TableApp(create_session("rikiki", 11, round_clock=10))
    async with app.run_test(size=SMALL) as pilot:
        while app.table.frame.stage is not Stage.ROUND_END:
            await wait_for_input(pilot, app)
            if app.table.frame.stage is Stage.PLAY:
                app.table.table_keys.action_commit()
            await asyncio.sleep(0.002)
        let_time_pass(3600)
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        assert get_round_time_left(app) == 600
        assert app.view.round == 2


async def test_resumed_session_keeps_time_left(let_time_pass):
    begun = create_session("rikiki", 11, round_clock=10)
    app = TableApp(begun)
    async with app.run_test(size=SMALL) as pilot:
        while app.view.round < 3 or not app.table.frame.waiting:
            await wait_for_input(pilot, app)
            if app.view.round < 3:
                app.table.table_keys.action_commit()
            await asyncio.sleep(0.002)
        let_time_pass(60)
        table = begun.referee
        decisions = table.decisions
        await pilot.press("enter")
        await wait_until(pilot, lambda: table.decisions > decisions and app.table.frame.waiting)
        assert get_round_time_left(app) == 540
    app = TableApp(sessions.resume(begun.path))
    async with open_table(app, SMALL) as pilot:
        await wait_for_clock(pilot, app, "9:00")


async def play_until(app, condition):
    """Draw, discard and continue until a condition of the frame is true."""
    for _ in range(10_000):
        await asyncio.sleep(0.002)
        if condition(app.table.frame):
            return
        if app.table.controller.is_awaiting_input:
            app.table.table_keys.action_climb(1)
            app.table.table_keys.action_commit()
    raise AssertionError("the condition did not become true")


async def test_clock_of_next_player_runs_at_curtain(let_time_pass):
    app = TableApp(create_session("rummy", 11, seats=2, people=2, clock=10))
    async with app.run_test(size=SMALL):
        await play_until(app, lambda frame: frame.waiting)
        first = app.view.seat
        await play_until(app, lambda frame: frame.stage is Stage.CURTAIN)
        assert ":" not in screen_text(app).splitlines()[0], "the curtain hides the clocks"
        let_time_pass(60)
        await play_until(app, lambda frame: frame.waiting)
        assert app.view.seat != first
        assert app.table.session.clocks.get_seat_time_left(1 - first) == 540
        assert app.table.session.clocks.get_seat_time_left(first) == 600


async def test_rummy_has_a_clock_for_each_person():
    app = TableApp(create_session("rummy", 11, seats=2, clock=5))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.waiting)
        await wait_until(pilot, lambda: "5:00" in screen_text(app))
        assert screen_text(app).splitlines()[0].count(":") == 1
    app = TableApp(create_session("rummy", 12, seats=2, people=2, clock=5))
    async with open_table(app, SMALL) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        assert screen_text(app).splitlines()[0].count(":") == 2


async def test_running_clock_is_gold():
    robots = GatedRobots()
    app = TableApp(create_session("rummy", 12, seats=2, clock=5), QUICK, robots)
    canvas = app.table.query_one
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.waiting or app.table.frame.thinking_robot is not None)
        robots.gate.set()
        await wait_until(pilot, lambda: app.table.frame.waiting)
        gold = app.preferences.appearance.theme.inks.gold

        def ink():
            picture = canvas("#table").canvas
            return picture.inks[0][str(picture).split("\n")[0].index(":")]

        await pilot.pause()
        assert ink() == gold
        robots.gate.clear()
        await play_until(app, lambda frame: frame.thinking_robot is not None)
        await pilot.pause()
        assert ink() != gold


async def test_clock_runs_out_below_another_screen(let_time_pass):
    app = TableApp(create_session("rikiki", 11, round_clock=10))
    async with app.run_test(size=SMALL) as pilot:
        while app.view.round < 4 or not app.table.frame.waiting:
            await wait_for_input(pilot, app)
            if app.view.round < 4:
                app.table.table_keys.action_commit()
            await asyncio.sleep(0.002)
        hand = app.view.hand
        await app.push_screen(Screen())
        let_time_pass(601)
        await wait_until(pilot, lambda: app.view.hand != hand)
        app.pop_screen()
        await wait_for_input(pilot, app)
        assert app.view.round == 4
        assert DEALT_AGAIN in app.table.frame.messages


async def test_rummy_timeout_loses_session(let_time_pass):
    app = TableApp(create_session("rummy", 11, seats=2, clock=5))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.waiting)
        let_time_pass(299.2)
        await wait_until(pilot, lambda: "0:00" in screen_text(app).splitlines()[0])
        let_time_pass(1)
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.SESSION_END)
        assert any(isinstance(note, SystemLogEntry) and note.what == "lost" for note in app.table.frame.messages)
        await pilot.pause()
        assert "0:00" in screen_text(app).splitlines()[0], "the clock stays at zero"


def test_clock_is_never_negative():
    assert [format_clock(left) for left in (61, 59.99, 0.4, 0, -7)] == ["1:01", "0:59", "0:00", "0:00", "0:00"]


async def test_no_clock_at_table_of_robots():
    app = TableApp(create_session("rummy", 11, seats=2, people=0, clock=5, round_clock=5))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.view.playing)
        assert ":" not in screen_text(app).splitlines()[0]
