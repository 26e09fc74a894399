"""Table of robots: play without a person, pause, single steps, speed, view from any seat."""

from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import iter_cards
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.store.settings import Settings
from cardtable.ui.table.model.view_model import SPEED_SECONDS, PlaybackControls
from cardtable.wording.formatting import format_card
from tests.ui.driver import LARGE, SIZES, SMALL, TINY, at_table
from tests.ui.table_host import QUICK, GatedRobots, TableApp, create_session
from tests.ui.test_hint import ScriptedAdvisor

SLOW = Settings(robot_pace=2, animation=False)


def create_robot_session(key="king", seed=5, *, seats=4, **options):
    return create_session(key, seed, seats=seats, people=0, **options)


@asynccontextmanager
async def open_paused(key="king", seed=5, seats=4, size=SMALL, settings=SLOW, **options):
    """Open a table of robots, paused with the first cards on the table."""
    async with at_table(TableApp(create_robot_session(key, seed, seats=seats), settings, **options), size) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        await table.press("p")
        await table.wait_until(lambda: table.frame.active_robot is None)
        yield table


async def step(table):
    """Let the next robot act."""
    before = table.decisions
    await table.press(".")
    await table.wait_for_decision(before + 1)


async def test_robots_play_whole_session(monkeypatch, home):
    monkeypatch.setattr("cardtable.ui.table.model.view_model._MIN_ROUND_SECONDS", 0)
    stages = set()
    async with at_table(TableApp(create_robot_session("gurka", limit=21), QUICK)) as table:
        show = table.screen.view_model.on_change
        table.screen.view_model.on_change = lambda: (stages.add(table.frame.stage), show())
        await table.wait_until(lambda: table.frame.stage is Stage.SESSION_END)
        assert Stage.ROUND_END in stages
        assert table.frame.ranks
        await table.press("enter")
        assert table.app.requests, "Enter leaves the page"
    assert list((home / "archive").glob("*.jsonl"))


async def test_p_pauses_and_continues():
    async with open_paused(settings=QUICK) as table:
        await table.sees("Paused.")
        count = table.decisions
        await table.pilot.pause(0.3)
        assert table.decisions == count
        await table.press("p")
        await table.wait_until(lambda: table.decisions > count + 3)
        await table.sees("Speed 5 of 5")


async def test_step_makes_one_decision_and_pauses():
    async with at_table(TableApp(create_robot_session(), SLOW)) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        for number in range(1, 12):
            await step(table)
            assert (table.decisions, table.frame.playback.paused) == (number, True)


async def test_step_at_round_end_deals_next_round():
    async with at_table(TableApp(create_robot_session("rikiki"), SLOW)) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        await table.press(*"....")
        await table.wait_until(lambda: table.frame.shows_trick)
        await table.press(".")
        await table.wait_until(lambda: table.frame.stage is Stage.ROUND_END)
        await table.sees("Round 1 is over")
        await table.press(".")
        await table.wait_until(lambda: table.frame.view.round == 2)
        assert table.frame.stage is Stage.PLAY
        assert table.decisions == 4


async def test_finished_trick_stays_while_paused():
    async with at_table(TableApp(create_robot_session(), SLOW)) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        while not table.frame.shows_trick:
            await step(table)
            await table.pilot.pause(0.02)
        await table.sees("takes the trick")
        await step(table)


async def test_plus_and_minus_change_speed():
    async with at_table(TableApp(create_robot_session(), SLOW)) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        await table.sees("Speed 2 of 5.")
        await table.press("- -")
        await table.sees("Speed 1 of 5.")
        await table.press(*"+++++")
        await table.sees("Speed 5 of 5")
        await table.wait_until(lambda: table.decisions > 10)


def test_speeds_range_from_slow_to_immediate():
    watch = PlaybackControls.from_pace(0.6, paused=False)
    assert watch.compute_seconds() == 0.4
    assert watch.change_speed(9).compute_seconds() == 0
    assert watch.change_speed(9).change_speed(-9).compute_seconds() == SPEED_SECONDS[0] == max(SPEED_SECONDS)


@pytest.mark.parametrize("size", SIZES)
async def test_paused_table_with_open_hands_golden(size):
    async with at_table(TableApp(create_robot_session(), SLOW), size) as table:
        await table.wait_until(lambda: table.frame.view.playing)
        table.screen.table_keys.action_open_hands()
        for number in range(1, 4):
            table.screen.table_keys.action_step()
            await table.wait_until(
                lambda number=number: table.decisions == number and table.frame.thinking_robot is not None
            )
        await table.sees("Cy is next")
        table.check_golden("watching")


async def test_setting_message_yields_to_playback_status():
    async with open_paused() as table:
        await table.press("o")
        assert "Paused." not in table.text
        await table.press("+")
        await table.sees("Paused.")


async def test_left_right_and_tab_change_seat():
    async with open_paused() as table:
        names, hands = table.frame.names, []
        for key in ("right", "tab", "right", "right", "left"):
            await table.press(key)
            assert table.rows[15].strip().startswith(names[table.frame.seat])
            hands.append(table.frame.view.hand)
        assert [names[0], names[3]] == [names[(table.frame.seat + 1) % 4], names[table.frame.seat]]
        assert len({*hands[:4]}) == 4


async def test_v_toggles_all_hands():
    async with open_paused() as table:
        closed = table.text
        await table.press("v")
        for view in table.frame.others.values():
            assert all(label[:-1] in table.text for label in format_cards(view.hand))
        await table.press("v")
        assert table.text == closed


def format_cards(cards):
    return [format_card(card) for card in iter_cards(cards)]


async def test_spectator_never_acts():
    async with open_paused() as table:
        count = table.decisions
        await table.press("enter space down 5 t u shift+right backspace")
        await table.click(28, 20)
        await table.pilot.pause(0.15)
        assert table.decisions == count
        assert table.frame.playback.paused


async def test_resumed_session_is_paused():
    async with at_table(TableApp(create_robot_session(), QUICK)) as table:
        await table.wait_until(lambda: table.decisions > 5)
        await table.press("escape")
        await table.wait_until(lambda: table.app.requests)
    path = table.screen.session.path
    async with at_table(TableApp(sessions.resume(path), QUICK)) as table:
        await table.sees("Paused")
        count = table.decisions
        assert count > 5
        await table.wait_until(lambda: table.frame.messages)
        await table.press("p")
        await table.wait_until(lambda: table.decisions > count)


async def test_key_sheet_and_footer_list_playback_keys():
    async with open_paused(size=LARGE) as table:
        await table.sees("p continue", ". step", "- + speed", "v hands")
        await table.press("?")
        await table.sees("one step", "faster", "slower", "another seat")
        assert "play or choose" not in table.text, "no prompt asks for an action"


async def test_keys_work_while_robot_thinks():
    robots = GatedRobots()
    async with at_table(TableApp(create_robot_session(), QUICK, robots)) as table:
        await table.wait_until(lambda: table.frame.thinking_robot is not None)
        await table.sees("is thinking")
        await table.press("right")
        assert table.frame.seat == 1
        await table.press("p")
        await table.sees("is next")
        robots.gate.set()
        await table.pilot.pause(0.2)
        assert table.decisions == 0, "the robot's choice waits until play continues"
        await table.press("escape")
        await table.wait_until(lambda: table.app.requests)


async def test_hint_is_for_robot_on_turn():
    async with open_paused() as table:
        await step(table)
        await table.press("right h")
        await table.wait_until(lambda: table.frame.advice)
        assert table.frame.seat == table.frame.view.turn
        assert table.frame.advice.lines[0].action in table.frame.view.legal
        await table.press("enter")
        assert table.decisions == 1
        await step(table)


async def test_hint_for_spectator_names_robot():
    async with open_paused("rikiki", 11, size=LARGE, robot_client=ScriptedAdvisor()) as table:
        await table.press("h")
        await table.wait_until(lambda: table.frame.advice)
        await table.sees(f"Hint for {table.frame.names[table.frame.view.turn]}", "they will probably make their bid")
        assert "your" not in table.text
        table.screen.view_model.show(view=replace(table.view, turn=-1, legal=()))
        await table.press("h")
        assert "Hint for" not in table.text, "it is nobody's turn"


async def test_v_lists_all_hands_over_small_table():
    async with open_paused("gurka", seats=6, size=TINY) as table:
        await table.press("v")
        await table.sees("All hands")
        for view in table.frame.others.values():
            assert all(label in table.text for label in format_cards(view.hand))
        await step(table)
        await table.sees("All hands")
        await table.press("v")
        assert "All hands" not in table.text
