"""Clocks at the upper right: they run only while people must act, also below another screen."""

import asyncio

import pytest
from textual.screen import Screen

from cardtable.engine.log_entries import DEALT_AGAIN, SystemLogEntry
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.wording.formatting import format_clock
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, AtOnce, Host, asked, session, until

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))
    monkeypatch.setattr("cardtable.ui.table.model.controller.CLOCK_INTERVAL", 0.02)
    return tmp_path


class Held(AtOnce):
    """Robots that think until their gate is opened."""

    def __init__(self):
        super().__init__()
        self.gate = asyncio.Event()

    async def choose(self, request):
        await self.gate.wait()
        return await super().choose(request)


def passes(app, seconds):
    """Let `seconds` pass for the clocks of the open session."""
    app.table.session.clocks._start_time -= seconds


def upper_right(app):
    return screen_text(app).splitlines()[0].split()[-1]


def left(app):
    """Return the seconds left on the round clock."""
    return app.table.session.clocks.round_time_left


async def read(pilot, app, *told):
    """Wait until the clock shows one of these times."""
    await until(pilot, lambda: upper_right(app) in told)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_the_clock_of_the_round_stands_at_the_upper_right(size):
    app = Host(session("rikiki", 11, round_clock=10))
    async with app.run_test(size=size) as pilot:
        await asked(pilot, app)
        await read(pilot, app, "10:00", "9:59")
        passes(app, 120)
        await read(pilot, app, "8:00", "7:59", "7:58")


async def test_without_the_option_there_is_no_clock():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        assert ":" not in screen_text(app).splitlines()[0]


async def test_what_robots_think_costs_nothing():
    thinker = Held()
    app = Host(session("rikiki", 11, round_clock=10), QUICK, thinker)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.thinking_robot is not None)
        if app.table.controller.is_awaiting_input:
            await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.thinking_robot is not None)
        shown = upper_right(app)
        passes(app, 3600)
        await pilot.pause(0.05)
        assert upper_right(app) == shown
        thinker.gate.set()
        await asked(pilot, app)
        assert app.view.round == 1
        assert app.table.session.clocks._usage.used_in_round < 5


async def test_between_rounds_no_clock_runs():
    app = Host(session("rikiki", 11, round_clock=10))
    async with app.run_test(size=SMALL) as pilot:
        while app.table.frame.stage is not Stage.ROUND_END:
            await asked(pilot, app)
            if app.table.frame.stage is Stage.PLAY:
                app.table.table_keys.action_commit()
            await asyncio.sleep(0.002)
        passes(app, 3600)
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.waiting)
        assert left(app) > 590
        assert app.view.round == 2


async def test_a_session_gone_on_with_has_the_time_that_was_left():
    begun = session("rikiki", 11, round_clock=10)
    app = Host(begun)
    async with app.run_test(size=SMALL) as pilot:
        while app.view.round < 3 or not app.table.frame.waiting:
            await asked(pilot, app)
            if app.view.round < 3:
                app.table.table_keys.action_commit()
            await asyncio.sleep(0.002)
        passes(app, 60)
        table = begun.referee
        decisions = table.decisions
        await pilot.press("enter")
        await until(pilot, lambda: table.decisions > decisions and app.table.frame.waiting)
        assert 535 < left(app) < 541
    app = Host(sessions.resume(begun.path))
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        assert 530 < left(app) < 541
        await read(pilot, app, *[f"8:5{digit}" for digit in range(10)])


async def play_on(app, holds):
    """Draw, discard and continue until a condition of the frame is true."""
    for _ in range(10_000):
        await asyncio.sleep(0.002)
        if holds(app.table.frame):
            return
        if app.table.controller.is_awaiting_input:
            app.table.table_keys.action_climb(1)
            app.table.table_keys.action_commit()
    raise AssertionError("it never held")


async def test_the_time_of_who_comes_to_the_curtain_runs_and_nobody_elses():
    app = Host(session("rummy", 11, seats=2, people=2, clock=10))
    async with app.run_test(size=SMALL):
        await play_on(app, lambda frame: frame.waiting)
        first = app.view.seat
        await play_on(app, lambda frame: frame.stage is Stage.CURTAIN)
        assert ":" not in screen_text(app).splitlines()[0], "nothing of the table is drawn"
        passes(app, 60)
        await play_on(app, lambda frame: frame.waiting)
        assert app.view.seat != first
        assert 535 < app.table.session.clocks.get_seat_time_left(1 - first) < 541
        assert app.table.session.clocks.get_seat_time_left(first) > 590


async def test_rummy_has_a_clock_for_each_person_and_none_for_a_robot():
    app = Host(session("rummy", 11, seats=2, clock=5))
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.frame.waiting)
        await until(pilot, lambda: "4:59" in screen_text(app) or "5:00" in screen_text(app))
        assert screen_text(app).splitlines()[0].count(":") == 1
    app = Host(session("rummy", 12, seats=2, people=2, clock=5))
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.waiting)
        assert screen_text(app).splitlines()[0].count(":") == 2


async def test_a_clock_is_gold_while_it_runs_only():
    thinker = Held()
    app = Host(session("rummy", 12, seats=2, clock=5), QUICK, thinker)
    canvas = app.table.query_one
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.frame.waiting or app.table.frame.thinking_robot is not None)
        thinker.gate.set()
        await until(pilot, lambda: app.table.frame.waiting)
        gold = app.preferences.appearance.theme.inks.gold

        def ink():
            picture = canvas("#table").canvas
            return picture.inks[0][str(picture).split("\n")[0].index(":")]

        await pilot.pause()
        assert ink() == gold
        thinker.gate.clear()
        await play_on(app, lambda frame: frame.thinking_robot is not None)
        await pilot.pause()
        assert ink() != gold


async def test_the_clock_runs_out_while_another_screen_lies_over_the_table():
    app = Host(session("rikiki", 11, round_clock=10))
    async with app.run_test(size=SMALL) as pilot:
        while app.view.round < 4 or not app.table.frame.waiting:
            await asked(pilot, app)
            if app.view.round < 4:
                app.table.table_keys.action_commit()
            await asyncio.sleep(0.002)
        hand = app.view.hand
        await app.push_screen(Screen())
        passes(app, 601)
        await until(pilot, lambda: app.view.hand != hand)
        app.pop_screen()
        await asked(pilot, app)
        assert app.view.round == 4
        assert DEALT_AGAIN in app.table.frame.messages


async def test_at_nothing_left_the_session_of_rummy_is_lost():
    app = Host(session("rummy", 11, seats=2, clock=5))
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.frame.waiting)
        passes(app, 299.2)
        await until(pilot, lambda: "0:00" in screen_text(app).splitlines()[0])
        await until(pilot, lambda: app.table.frame.stage is Stage.SESSION_END)
        assert any(isinstance(note, SystemLogEntry) and note.what == "lost" for note in app.table.frame.messages)
        await pilot.pause()
        assert "0:00" in screen_text(app).splitlines()[0], "it stays there"


def test_a_clock_never_shows_less_than_nothing():
    assert [format_clock(left) for left in (61, 59.99, 0.4, 0, -7)] == ["1:01", "0:59", "0:00", "0:00", "0:00"]


async def test_who_watches_robots_sees_no_clock():
    app = Host(session("rummy", 11, seats=2, people=0, clock=5, round_clock=5))
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.frame.view.playing)
        assert ":" not in screen_text(app).splitlines()[0]
