"""Playback speed: delays of robots, tricks, rounds and forced moves."""

import asyncio

import pytest

from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.table.model.controller import Wait
from tests.ui.driver import at_table, sit_at
from tests.ui.table_host import QUICK, GatedRobots, TableApp, create_session

SHORT_WAIT = 0.25
"""Seconds within which a robot without delay would have acted."""


def make_settings(**values):
    return Settings(**{"robot_pace": 0, "trick_pause": 0, **values})


async def test_robot_waits_for_pace():
    robots = GatedRobots()
    robots.gate.set()
    async with sit_at(create_session("rikiki", 11), settings=make_settings(robot_pace=2), robot_client=robots) as table:
        await table.press("enter")
        await table.wait_until(lambda: robots.choice_count == 1)
        count = table.decisions
        await table.pilot.pause(SHORT_WAIT)
        assert table.decisions == count, "the robot has chosen, but the pace delays its action"
        table.app.preferences.change(robot_pace=0)
        await table.wait_until(lambda: table.decisions > count + 1)


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
    async with at_table(TableApp(create_session("rikiki", 11), QUICK, robots)) as table:
        await table.wait_for_thinking_robot()
        name = table.frame.names[table.frame.thinking_robot]
        await table.sees("thinking", f"{name} is thinking")
        await table.press("s")
        await table.sees("Score sheet")
        await table.press("escape m")
        await table.sees("Messages")
        await table.press("escape h")
        await table.sees("It is not your turn")
        await table.press("escape enter 5 left")
        assert robots.choice_count == 0
        await table.press("escape")
        await table.wait_until(lambda: table.app.requests)


@pytest.mark.parametrize("pause", ["key", 10])
async def test_trick_pause_follows_changed_setting(pause):
    async with sit_at(create_session("rikiki", 11), settings=make_settings(trick_pause=pause)) as table:
        await table.play_until_trick_pause()
        await table.pilot.pause(SHORT_WAIT)
        assert table.frame.shows_trick
        assert "takes the trick" in table.text or "take the trick" in table.text
        table.app.preferences.change(trick_pause=0)
        await table.wait_until(lambda: not table.frame.shows_trick)
        await table.play_until(lambda frame: frame.view.round == 4)


@pytest.mark.parametrize("pause", ["key", 10])
async def test_round_pause_can_be_key_or_time(pause):
    async with sit_at(create_session("rikiki", 11), settings=make_settings(round_pause=pause)) as table:
        await table.play_until(lambda frame: frame.stage is Stage.ROUND_END)
        await table.pilot.pause(SHORT_WAIT)
        assert table.frame.stage is Stage.ROUND_END
        await table.press("enter")
        await table.play_until(lambda frame: frame.stage is Stage.ROUND_END and frame.view.finished == 2)
        table.app.preferences.change(round_pause=0)
        await table.wait_until(lambda: table.frame.view.round == 3)


def is_forced(frame):
    return frame.waiting and len(frame.view.legal) == 1


async def test_autoplay_plays_only_forced_moves():
    async with sit_at(create_session("rikiki", 11), settings=make_settings(autoplay=True)) as table:
        while table.view.round < 7:
            await table.wait_for_input()
            count = table.decisions
            if is_forced(table.frame):
                await table.wait_until(lambda count=count: table.decisions > count)
            else:
                await table.pilot.pause()
                assert table.decisions == count, "a real choice is not played automatically"
                table.screen.table_keys.action_commit()


async def test_take_back_skips_automatic_moves():
    async with sit_at(create_session("rikiki", 11), settings=make_settings(autoplay=True)) as table:
        me, referee = table.frame.seat, table.referee

        def after_a_forced_move(frame):
            return frame.waiting and 0 < referee.compute_undo_distance(me) < referee.compute_undo_distance(me, 2)

        await table.play_until(after_a_forced_move)
        left = table.decisions - referee.compute_undo_distance(me, 2)
        await table.press("u enter")
        await table.wait_until(lambda: referee.undone and table.frame.waiting)
        assert table.decisions == left
        assert len(table.view.legal) > 1
