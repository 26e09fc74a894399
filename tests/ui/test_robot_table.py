"""Table of robots: play without a person, pause, single steps, speed, view from any seat."""

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import iter_cards
from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.store.settings import Settings
from cardtable.ui.table.model.view_model import SPEED_SECONDS, PlaybackControls
from cardtable.wording.formatting import format_card
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, GatedRobots, TableApp, create_session, wait_until
from tests.ui.test_hint import ScriptedAdvisor

SMALL, LARGE, TINY = (80, 24), (120, 40), (60, 18)
SLOW = Settings(robot_pace=2, animation=False)


def create_robot_session(key="king", seed=5, *, seats=4, **options):
    return create_session(key, seed, seats=seats, people=0, **options)


def count_decisions(app):
    return app.table.session.referee.decisions


async def pause_after_deal(pilot, app):
    """Pause with the first cards on the table."""
    await wait_until(pilot, lambda: app.table.frame.view.playing)
    await pilot.press("p")
    await wait_until(pilot, lambda: app.table.frame.active_robot is None)


async def test_robots_play_whole_session(monkeypatch, home):
    monkeypatch.setattr("cardtable.ui.table.model.view_model._MIN_ROUND_SECONDS", 0)
    app = TableApp(create_robot_session("gurka", limit=21), QUICK)
    stages = set()
    async with app.run_test(size=SMALL) as pilot:
        show = app.table.view_model.on_change
        app.table.view_model.on_change = lambda: (stages.add(app.table.frame.stage), show())
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.SESSION_END)
        assert Stage.ROUND_END in stages
        assert app.table.frame.ranks
        await pilot.press("enter")
        assert app.requests, "Enter leaves the page"
    assert list((home / "archive").glob("*.jsonl"))


async def test_p_pauses_and_continues():
    app = TableApp(create_robot_session(), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await pause_after_deal(pilot, app)
        assert "Paused." in screen_text(app)
        count = count_decisions(app)
        await pilot.pause(0.3)
        assert count_decisions(app) == count
        await pilot.press("p")
        await wait_until(pilot, lambda: count_decisions(app) > count + 3)
        assert "Speed 5 of 5" in screen_text(app)


async def test_step_makes_one_decision_and_pauses():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.view.playing)
        for number in range(1, 12):
            await pilot.press(".")
            await wait_until(pilot, lambda number=number: count_decisions(app) == number)
            assert app.table.frame.playback.paused


async def test_step_at_round_end_deals_next_round():
    app = TableApp(create_robot_session("rikiki"), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.view.playing)
        await pilot.press(*"....")
        await wait_until(pilot, lambda: app.table.frame.shows_trick)
        await pilot.press(".")
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.ROUND_END)
        assert "Round 1 is over" in screen_text(app)
        await pilot.press(".")
        await wait_until(pilot, lambda: app.table.frame.view.round == 2)
        assert app.table.frame.stage is Stage.PLAY
        assert count_decisions(app) == 4


async def test_finished_trick_stays_while_paused():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.view.playing)
        while not app.table.frame.shows_trick:
            before = count_decisions(app)
            await pilot.press(".")
            await wait_until(pilot, lambda before=before: count_decisions(app) > before)
            await pilot.pause(0.02)
        assert "takes the trick" in screen_text(app)
        before = count_decisions(app)
        await pilot.press(".")
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_plus_and_minus_change_speed():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.view.playing)
        assert "Speed 2 of 5." in screen_text(app)
        await pilot.press("-", "-")
        assert "Speed 1 of 5." in screen_text(app)
        await pilot.press(*"+++++")
        assert "Speed 5 of 5" in screen_text(app)
        await wait_until(pilot, lambda: count_decisions(app) > 10)


def test_speeds_range_from_slow_to_immediate():
    watch = PlaybackControls.from_pace(0.6, paused=False)
    assert watch.compute_seconds() == 0.4
    assert watch.change_speed(9).compute_seconds() == 0
    assert watch.change_speed(9).change_speed(-9).compute_seconds() == SPEED_SECONDS[0] == max(SPEED_SECONDS)


@pytest.mark.parametrize("size", [SMALL, LARGE, TINY])
async def test_paused_table_with_open_hands_golden(size):
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=size) as pilot:
        await wait_until(pilot, lambda: app.table.frame.view.playing)
        app.table.table_keys.action_open_hands()
        for number in range(1, 4):
            app.table.table_keys.action_step()
            await wait_until(
                pilot,
                lambda number=number: count_decisions(app) == number and app.table.frame.thinking_robot is not None,
            )
        await wait_until(pilot, lambda: "Cy is next" in screen_text(app))
        golden_files.check_golden(f"watching_{size[0]}x{size[1]}.txt", screen_text(app))


async def test_setting_message_yields_to_playback_status():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await pause_after_deal(pilot, app)
        await pilot.press("o")
        assert "Paused." not in screen_text(app)
        await pilot.press("+")
        assert "Paused." in screen_text(app)


async def test_left_right_and_tab_change_seat():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await pause_after_deal(pilot, app)
        names = list(app.table.frame.names)
        hands = []
        for key in ("right", "tab", "right", "right", "left"):
            await pilot.press(key)
            own = screen_text(app).splitlines()[15]
            assert own.strip().startswith(names[app.table.frame.seat])
            hands.append(app.table.frame.view.hand)
        assert [names[0], names[3]] == [names[(app.table.frame.seat + 1) % 4], names[app.table.frame.seat]]
        assert len({*hands[:4]}) == 4


async def test_v_toggles_all_hands():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await pause_after_deal(pilot, app)
        closed = screen_text(app)
        await pilot.press("v")
        text = screen_text(app)
        for view in app.table.frame.others.values():
            hand = [label[:-1] for label in format_cards(view.hand)]
            assert all(rank in text for rank in hand)
        await pilot.press("v")
        assert screen_text(app) == closed


def format_cards(cards):
    return [format_card(card) for card in iter_cards(cards)]


async def test_spectator_never_acts():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await pause_after_deal(pilot, app)
        count = count_decisions(app)
        await pilot.press("enter", "space", "down", "5", "t", "u", "shift+right", "backspace")
        await pilot.click(offset=(28, 20))
        await pilot.pause(0.15)
        assert count_decisions(app) == count
        assert app.table.frame.playback.paused


async def test_resumed_session_is_paused():
    app = TableApp(create_robot_session(), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: count_decisions(app) > 5)
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.requests)
    path = app.table.session.path
    app = TableApp(sessions.resume(path), QUICK)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: "Paused" in screen_text(app))
        count = count_decisions(app)
        assert count > 5
        await wait_until(pilot, lambda: app.table.frame.messages)
        await pilot.press("p")
        await wait_until(pilot, lambda: count_decisions(app) > count)


async def test_key_sheet_and_footer_list_playback_keys():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=LARGE) as pilot:
        await pause_after_deal(pilot, app)
        assert all(word in screen_text(app) for word in ("p continue", ". step", "- + speed", "v hands"))
        await pilot.press("?")
        text = screen_text(app)
        assert all(word in text for word in ("one step", "faster", "slower", "another seat"))
        assert "play or choose" not in text, "no prompt asks for an action"


async def test_keys_work_while_robot_thinks():
    robots = GatedRobots()
    app = TableApp(create_robot_session(), QUICK, robots)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until(pilot, lambda: app.table.frame.thinking_robot is not None)
        assert "is thinking" in screen_text(app)
        await pilot.press("right")
        assert app.table.frame.seat == 1
        await pilot.press("p")
        assert "is next" in screen_text(app)
        robots.gate.set()
        await pilot.pause(0.2)
        assert count_decisions(app) == 0, "the robot's choice waits until play continues"
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.requests)


async def test_hint_is_for_robot_on_turn():
    app = TableApp(create_robot_session(), SLOW)
    async with app.run_test(size=SMALL) as pilot:
        await pause_after_deal(pilot, app)
        await pilot.press(".")
        await wait_until(pilot, lambda: count_decisions(app) == 1)
        await pilot.press("right", "h")
        await wait_until(pilot, lambda: app.table.frame.advice)
        assert app.table.frame.seat == app.table.frame.view.turn
        assert app.table.frame.advice.lines[0].action in app.table.frame.view.legal
        await pilot.press("enter")
        assert count_decisions(app) == 1
        await pilot.press(".")
        await wait_until(pilot, lambda: count_decisions(app) == 2)


async def test_hint_for_spectator_names_robot():
    app = TableApp(create_robot_session("rikiki", 11), SLOW, robot_client=ScriptedAdvisor())
    async with app.run_test(size=LARGE) as pilot:
        await pause_after_deal(pilot, app)
        await pilot.press("h")
        await wait_until(pilot, lambda: app.table.frame.advice)
        await pilot.pause()
        text = screen_text(app)
        assert f"Hint for {app.table.frame.names[app.table.frame.view.turn]}" in text
        assert "they make their bid in 70%" in text
        assert "your" not in text
        app.table.view_model.show(view=replace(app.view, turn=-1, legal=()))
        await pilot.press("h")
        assert "Hint for" not in screen_text(app), "it is nobody's turn"


async def test_v_lists_all_hands_over_small_table():
    app = TableApp(create_robot_session("gurka", seats=6), SLOW)
    async with app.run_test(size=TINY) as pilot:
        await pause_after_deal(pilot, app)
        await pilot.press("v")
        assert "All hands" in screen_text(app)
        for view in app.table.frame.others.values():
            assert all(label in screen_text(app) for label in format_cards(view.hand))
        await pilot.press(".")
        await wait_until(pilot, lambda: count_decisions(app) == 1)
        assert "All hands" in screen_text(app)
        await pilot.press("v")
        assert "All hands" not in screen_text(app)
