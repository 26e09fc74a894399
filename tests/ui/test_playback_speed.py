"""Playback speed: delays of robots, tricks, rounds and forced moves."""

import asyncio

import pytest

from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.table.model.controller import CancellableTimer
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, AtOnce, Host, asked, session, until

SMALL = (80, 24)
A_WHILE = 0.25
"""Seconds within which a robot without delay would have acted."""


class Held(AtOnce):
    """Robots that choose once `gate` is set."""

    def __init__(self):
        super().__init__()
        self.gate, self.chosen = asyncio.Event(), 0

    async def choose(self, request):
        await self.gate.wait()
        self.chosen += 1
        return await super().choose(request)


def decisions(app):
    return app.table.session.referee.decisions


def settings(**values):
    return Settings(**{"pace": 0, "trick_pause": 0, **values})


async def until_asked(pilot, app, holds):
    """Press Enter until the player is asked in a position that satisfies `holds`."""
    for _ in range(3000):
        await asked(pilot, app)
        if holds(app.table.frame):
            return
        app.table.table_keys.action_commit()
    raise AssertionError("the position never came")


@pytest.mark.promise("The table", "The delay of robots and the time that a finished trick stays can be set.")
async def test_a_robot_answers_after_the_pace_and_at_once_when_that_is_set_to_nothing():
    thinker = Held()
    thinker.gate.set()
    app = Host(session("rikiki", 11), settings(pace=2), thinker)
    async with app.run_test(size=SMALL) as pilot:
        await asked(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: thinker.chosen == 1)
        stands = decisions(app)
        await pilot.pause(A_WHILE)
        assert decisions(app) == stands, "it has chosen, and waits"
        app.preferences.change(pace=0)
        await until(pilot, lambda: decisions(app) > stands + 1)


async def test_a_robot_that_thought_longer_waits_no_more():
    wait = CancellableTimer(lambda: 2.0, "chosen", asyncio.get_running_loop().time() - 3)
    assert await wait.wait() == "chosen"


@pytest.mark.promise("The table", "While a robot thinks its nameplate shows it, and every key works.")
async def test_while_a_robot_thinks_its_plate_says_so_and_every_key_works():
    thinker = Held()
    app = Host(session("rikiki", 11), QUICK, thinker)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.thinking_robot is not None)
        await pilot.press("enter")
        await until(pilot, lambda: app.table.frame.thinking_robot is not None)
        name = app.table.frame.names[app.table.frame.thinking_robot]
        assert "thinking" in screen_text(app)
        assert f"{name} thinks" in screen_text(app)
        await pilot.press("s")
        assert "Score sheet" in screen_text(app)
        await pilot.press("escape", "m")
        assert "Messages" in screen_text(app)
        await pilot.press("escape", "h")
        assert "It is not your turn" in screen_text(app)
        await pilot.press("escape", "enter", "5", "left")
        assert thinker.chosen == 0
        await pilot.press("escape")
        await until(pilot, lambda: app.told)


async def test_a_trick_stays_as_long_as_the_setting_says_at_that_moment():
    app = Host(session("rikiki", 11), settings(trick_pause=10))
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
        while not app.table.frame.shows_trick:
            await pilot.press("enter")
            await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
        await pilot.pause(A_WHILE)
        assert app.table.frame.shows_trick
        assert "takes the trick" in screen_text(app) or "take the trick" in screen_text(app)
        app.preferences.change(trick_pause=0)
        await until(pilot, lambda: not app.table.frame.shows_trick)
        await until_asked(pilot, app, lambda frame: frame.view.round == 4)


async def test_a_trick_that_waits_for_a_key_goes_on_when_it_is_given_a_time():
    app = Host(session("rikiki", 11), settings(trick_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
        while not app.table.frame.shows_trick:
            await pilot.press("enter")
            await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
        app.preferences.change(trick_pause=0.01)
        await until(pilot, lambda: not app.table.frame.shows_trick)


@pytest.mark.promise(
    "The table",
    "The end of a round shows points and a plot of totals, until a key is pressed or a set time has passed.",
)
@pytest.mark.parametrize("pause", ["key", 10])
async def test_a_rounds_end_stays_for_a_key_or_a_time_and_either_can_be_changed(pause):
    app = Host(session("rikiki", 11), settings(round_pause=pause))
    async with app.run_test(size=SMALL) as pilot:
        await until_asked(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
        await pilot.pause(A_WHILE)
        assert app.table.frame.stage is Stage.ROUND_END
        await pilot.press("enter")
        await until_asked(pilot, app, lambda frame: frame.stage is Stage.ROUND_END and frame.view.finished == 2)
        app.preferences.change(round_pause=0)
        await until(pilot, lambda: app.table.frame.view.round == 3)


async def test_without_a_pause_a_round_follows_on_the_other():
    app = Host(session("rikiki", 11), settings(round_pause=0))
    async with app.run_test(size=SMALL) as pilot:
        while app.table.frame.view.round < 4:
            await until(pilot, lambda: app.table.frame.waiting)  # for a card or a bid, not for the next round
            stands = decisions(app)
            app.table.table_keys.action_commit()
            await until(pilot, lambda stands=stands: decisions(app) > stands)


def forced(frame):
    return frame.waiting and len(frame.view.legal) == 1


@pytest.mark.promise(
    "The table", "With automatic play switched on, forced moves are played automatically, and no others."
)
async def test_autoplay_plays_forced_moves_and_no_others():
    app = Host(session("rikiki", 11), settings(autoplay=True))
    async with app.run_test(size=SMALL) as pilot:
        while app.view.round < 7:
            await asked(pilot, app)
            stands = decisions(app)
            if forced(app.table.frame):
                await until(pilot, lambda stands=stands: decisions(app) > stands)
            else:
                await pilot.pause()
                assert decisions(app) == stands, "it waits where there is a choice"
                app.table.table_keys.action_commit()


async def test_autoplay_can_be_switched_on_over_a_forced_move_and_off_before_it_is_made():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await until_asked(pilot, app, forced)
        stands = decisions(app)
        app.preferences.change(pace=2, autoplay=True)
        await pilot.pause(A_WHILE)
        assert decisions(app) == stands, "a forced move takes the pace of a robot"
        app.preferences.change(pace=0, autoplay=False)
        await pilot.pause(A_WHILE)
        assert decisions(app) == stands
        app.preferences.change(autoplay=True)
        await until(pilot, lambda: decisions(app) > stands)


async def test_take_back_goes_past_what_was_played_by_itself():
    app = Host(session("rikiki", 11), settings(autoplay=True))
    async with app.run_test(size=SMALL) as pilot:
        me = app.table.frame.seat

        def after_a_forced_move(frame):
            table = app.table.session.referee
            return frame.waiting and 0 < table.compute_undo_distance(me) < table.compute_undo_distance(me, 2)

        await until_asked(pilot, app, after_a_forced_move)
        table = app.table.session.referee
        left = table.decisions - table.compute_undo_distance(me, 2)
        await pilot.press("u")
        await until(pilot, lambda: table.undone and app.table.frame.waiting)
        assert table.decisions == left
        assert len(app.view.legal) > 1
