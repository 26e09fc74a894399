"""Clocks at the upper right: they run only while people must act, also below another screen."""

import re

import pytest
from textual.screen import Screen

from cardtable.engine.log_entries import DEALT_AGAIN, SystemLogEntry
from cardtable.session.session_events import Stage
from cardtable.wording.formatting import format_clock
from tests.ui.driver import SIZES, at_table, sit_at
from tests.ui.table_host import QUICK, GatedRobots, TableApp, create_session

RUMMY_TURN = ("drop", "stock")


class Watch:
    """Time source of a session that stands still unless it is moved."""

    seconds = 100.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def watch(monkeypatch):
    monkeypatch.setattr("cardtable.ui.table.model.controller.CLOCK_INTERVAL", 0.02)
    return Watch()


def create_timed_session(watch, key="rikiki", seed=11, **options):
    session = create_session(key, seed, **options)
    session.clocks.set_time_source(watch)
    return session


def list_clocks(table):
    """Return the times in the first row."""
    return re.findall(r"\d+:\d\d", table.text.splitlines()[0])


@pytest.mark.parametrize("size", SIZES)
async def test_round_clock_is_at_upper_right(size, watch):
    async with sit_at(create_timed_session(watch, round_clock=10), size) as table:
        for seconds, shown in ((0, "10:00"), (120, "8:00"), (10, "7:50")):
            watch.seconds += seconds
            await table.wait_until(lambda shown=shown: table.text.splitlines()[0].endswith(f"  {shown}"))


@pytest.mark.parametrize("how", [{"key": "rikiki"}, {"key": "rummy", "people": 0, "clock": 5, "round_clock": 5}])
async def test_no_clock_without_option_or_people(how, watch):
    async with at_table(TableApp(create_timed_session(watch, **how))) as table:
        await table.wait_until(lambda: table.view.playing)
        assert list_clocks(table) == []


async def test_clock_stops_while_robot_thinks(watch):
    robots = GatedRobots()
    session = create_timed_session(watch, round_clock=10)
    async with at_table(TableApp(session, QUICK, robots)) as table:
        await table.wait_for_thinking_robot()
        watch.seconds += 3600
        await table.pilot.pause(0.05)
        assert list_clocks(table) == ["10:00"]
        robots.gate.set()
        await table.wait_for_input()
        assert table.view.round == 1
        assert session.clocks.round_time_left == 600


async def test_clock_of_next_player_runs_at_curtain(watch):
    session = create_timed_session(watch, "rummy", seats=2, people=2, clock=10)
    async with sit_at(session) as table:
        await table.act_until(lambda frame: frame.waiting)
        first = table.view.seat
        await table.act_until(lambda frame: frame.stage is Stage.CURTAIN, *RUMMY_TURN)
        assert list_clocks(table) == [], "the curtain hides the clocks"
        watch.seconds += 60
        await table.act_until(lambda frame: frame.waiting and frame.view.seat != first)
        table.act(*RUMMY_TURN)
        await table.wait_for_input()
        assert [session.clocks.get_seat_time_left(seat) for seat in (first, 1 - first)] == [600, 540]


async def test_clock_runs_out_below_another_screen(watch):
    session = create_timed_session(watch, round_clock=10)
    async with sit_at(session, until=lambda frame: frame.view.round == 4 and frame.waiting) as table:
        hand = table.view.hand
        await table.app.push_screen(Screen())
        watch.seconds += 601
        await table.wait_until(lambda: table.view.hand != hand)
        table.app.pop_screen()
        await table.wait_for_input()
        assert table.view.round == 4
        assert DEALT_AGAIN in table.frame.messages


async def test_rummy_timeout_loses_session(watch):
    session = create_timed_session(watch, "rummy", seats=2, clock=5)
    async with sit_at(session, until=lambda frame: frame.waiting) as table:
        watch.seconds += 299.5
        await table.wait_until(lambda: list_clocks(table) == ["0:00"])
        watch.seconds += 1
        await table.wait_until(lambda: table.frame.stage is Stage.SESSION_END)
        assert any(isinstance(note, SystemLogEntry) and note.what == "lost" for note in table.frame.messages)
        assert list_clocks(table) == ["0:00"], "the clock stays at zero"


def test_clock_is_never_negative():
    assert [format_clock(left) for left in (61, 59.99, 0.4, 0, -7)] == ["1:01", "0:59", "0:00", "0:00", "0:00"]
