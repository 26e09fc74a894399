"""Playback speed: delays of robots, tricks, rounds and forced moves."""

import asyncio

import pytest

from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.table.model.controller import Wait
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    QUICK,
    GatedRobots,
    TableApp,
    create_session,
    open_table,
    play_until,
    play_until_trick_pause,
    wait_for_input,
    wait_for_thinking_robot,
    wait_until,
)

SMALL = (80, 24)
SHORT_WAIT = 0.25
"""Seconds within which a robot without delay would have acted."""


def count_decisions(app):
    return app.table.session.referee.decisions


def make_settings(**values):
    return Settings(**{"robot_pace": 0, "trick_pause": 0, **values})


async def test_robot_waits_for_pace():
    robots = GatedRobots()
    robots.gate.set()
    app = TableApp(create_session("rikiki", 11), make_settings(robot_pace=2), robots)
    async with open_table(app, SMALL) as pilot:
        await pilot.press("enter")
        await wait_until(pilot, lambda: robots.choice_count == 1)
        count = count_decisions(app)
        await pilot.pause(SHORT_WAIT)
        assert count_decisions(app) == count, "the robot has chosen, but the pace delays its action"
        app.preferences.change(robot_pace=0)
        await wait_until(pilot, lambda: count_decisions(app) > count + 1)


async def test_thinking_time_counts_towards_pace():
    assert await Wait(lambda: 2.0, "chosen", asyncio.get_running_loop().time() - 3).run() == "chosen"


async def test_choice_counts_if_the_time_runs_out_with_it():
    wait = Wait(lambda: 0.0, "forced")
    asyncio.get_running_loop().call_soon(wait.outcome.set_result, "chosen")
    assert await wait.run() == "chosen"


async def test_settings_may_change_after_a_wait():
    wait = Wait(lambda: 0.0, "forced")
    assert await wait.run() == "forced"
    wait.restart()


async def test_plate_shows_thinking_and_keys_work():
    robots = GatedRobots()
    app = TableApp(create_session("rikiki", 11), QUICK, robots)
    async with app.run_test(size=SMALL) as pilot:
        await wait_for_thinking_robot(pilot, app)
        name = app.table.frame.names[app.table.frame.thinking_robot]
        assert "thinking" in screen_text(app)
        assert f"{name} is thinking" in screen_text(app)
        await pilot.press("s")
        assert "Score sheet" in screen_text(app)
        await pilot.press("escape", "m")
        assert "Messages" in screen_text(app)
        await pilot.press("escape", "h")
        assert "It is not your turn" in screen_text(app)
        await pilot.press("escape", "enter", "5", "left")
        assert robots.choice_count == 0
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.requests)


async def test_trick_pause_follows_changed_setting():
    app = TableApp(create_session("rikiki", 11), make_settings(trick_pause=10))
    async with app.run_test(size=SMALL) as pilot:
        await play_until_trick_pause(pilot, app)
        await pilot.pause(SHORT_WAIT)
        assert app.table.frame.shows_trick
        assert "takes the trick" in screen_text(app) or "take the trick" in screen_text(app)
        app.preferences.change(trick_pause=0)
        await wait_until(pilot, lambda: not app.table.frame.shows_trick)
        await play_until(pilot, app, lambda frame: frame.view.round == 4)


async def test_trick_waiting_for_key_obeys_new_time():
    app = TableApp(create_session("rikiki", 11), make_settings(trick_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        await play_until_trick_pause(pilot, app)
        app.preferences.change(trick_pause=0.01)
        await wait_until(pilot, lambda: not app.table.frame.shows_trick)


@pytest.mark.parametrize("pause", ["key", 10])
async def test_round_pause_can_be_key_or_time(pause):
    app = TableApp(create_session("rikiki", 11), make_settings(round_pause=pause))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
        await pilot.pause(SHORT_WAIT)
        assert app.table.frame.stage is Stage.ROUND_END
        await pilot.press("enter")
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END and frame.view.finished == 2)
        app.preferences.change(round_pause=0)
        await wait_until(pilot, lambda: app.table.frame.view.round == 3)


async def test_no_round_pause_continues_immediately():
    app = TableApp(create_session("rikiki", 11), make_settings(round_pause=0))
    async with app.run_test(size=SMALL) as pilot:
        while app.table.frame.view.round < 4:
            await wait_until(pilot, lambda: app.table.frame.waiting)  # for a card or a bid, not for the next round
            count = count_decisions(app)
            app.table.table_keys.action_commit()
            await wait_until(pilot, lambda count=count: count_decisions(app) > count)


def is_forced(frame):
    return frame.waiting and len(frame.view.legal) == 1


async def test_autoplay_plays_only_forced_moves():
    app = TableApp(create_session("rikiki", 11), make_settings(autoplay=True))
    async with app.run_test(size=SMALL) as pilot:
        while app.view.round < 7:
            await wait_for_input(pilot, app)
            count = count_decisions(app)
            if is_forced(app.table.frame):
                await wait_until(pilot, lambda count=count: count_decisions(app) > count)
            else:
                await pilot.pause()
                assert count_decisions(app) == count, "a real choice is not played automatically"
                app.table.table_keys.action_commit()


async def test_autoplay_can_be_toggled_before_forced_move():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, is_forced)
        count = count_decisions(app)
        app.preferences.change(robot_pace=2, autoplay=True)
        await pilot.pause(SHORT_WAIT)
        assert count_decisions(app) == count, "a forced move is delayed like a robot's move"
        app.preferences.change(robot_pace=0, autoplay=False)
        await pilot.pause(SHORT_WAIT)
        assert count_decisions(app) == count
        app.preferences.change(autoplay=True)
        await wait_until(pilot, lambda: count_decisions(app) > count)


async def test_take_back_skips_automatic_moves():
    app = TableApp(create_session("rikiki", 11), make_settings(autoplay=True))
    async with app.run_test(size=SMALL) as pilot:
        me = app.table.frame.seat

        def after_a_forced_move(frame):
            table = app.table.session.referee
            return frame.waiting and 0 < table.compute_undo_distance(me) < table.compute_undo_distance(me, 2)

        await play_until(pilot, app, after_a_forced_move)
        table = app.table.session.referee
        left = table.decisions - table.compute_undo_distance(me, 2)
        await pilot.press("u")
        await wait_until(pilot, lambda: table.undone and app.table.frame.waiting)
        assert table.decisions == left
        assert len(app.view.legal) > 1
