"""Input guard at the table: a key or click intended for the previous prompt does nothing."""

from math import inf

import pytest

from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import passwords, profiles
from cardtable.store.settings import Settings
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.table import screen as table
from cardtable.ui.table.last_deal import LastDeal
from cardtable.ui.table.overlays import PublicMessages
from tests.ui.screen_text import screen_text
from tests.ui.table_host import (
    QUICK,
    TableApp,
    create_session,
    play_until_trick_pause,
    wait_for_curtain,
    wait_for_input,
    wait_for_input_or_trick,
    wait_until,
)

SMALL = (80, 24)
GUARD_SECONDS = 0.3
MOMENT = 0.01


class ManualClock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    """A manual clock; events have no age, however busy the machine is."""
    monkeypatch.setattr(table, "compute_event_age", lambda _event: 0.0)
    return ManualClock()


class TestGuard:
    """The guard alone, without a screen."""

    @pytest.fixture
    def guard(self, clock):
        return InputGuard(lambda: GUARD_SECONDS, clock)

    def test_key_held_while_the_program_waits_for_the_processor(self, guard, clock):
        """Of input that is read late only the earliest time is known at which it can have been typed."""
        assert not guard.is_repeat("enter", clock())
        clock.advance(0.09)
        assert guard.is_repeat("enter", clock())
        typed_at = clock()
        clock.advance(0.2)
        assert guard.is_repeat("enter", typed_at)
        clock.advance(0.08)
        assert guard.is_repeat("enter", clock()), "0.28 s after the earliest possible time"
        clock.advance(0.25)
        assert not guard.is_repeat("enter", clock()), "after a longer gap the key was released"

    def test_keys_count_after_prompt_was_visible(self, guard, clock):
        assert guard.accepts(clock())
        guard.on_new_prompt()
        clock.advance(5)
        assert not guard.accepts(clock()), "the prompt is not painted yet"
        guard.on_painted()
        assert not guard.accepts(clock() + GUARD_SECONDS - MOMENT)
        assert guard.accepts(clock() + GUARD_SECONDS)
        assert not guard.is_blocked(clock()), "other keys are not blocked"

    def test_prompt_caused_by_player_has_no_delay(self, guard, clock):
        guard.on_new_prompt(caused_by_player=True)
        assert not guard.accepts(clock()), "the prompt is not painted yet"
        clock.advance(1)
        guard.on_painted()
        assert not guard.accepts(clock() - MOMENT)
        assert guard.accepts(clock())
        assert not guard.accepts(clock(), click=True), "a second click would hit something else"
        assert guard.accepts(clock() + GUARD_SECONDS, click=True)

    def test_repainting_does_not_restart_delay(self, guard, clock):
        guard.on_new_prompt()
        guard.on_painted()
        clock.advance(GUARD_SECONDS)
        guard.on_painted()
        assert guard.accepts(clock())

    def test_curtain_blocks_all_keys_for_longer(self, guard, clock):
        guard.on_new_prompt(curtain=True)
        assert guard.is_blocked(clock())
        guard.on_painted()
        for moment, deaf in ((0, True), (0.59, True), (0.61, False)):
            assert guard.is_blocked(clock() + moment) is deaf
            assert guard.accepts(clock() + moment) is not deaf

    def test_late_key_is_judged_by_time_of_press(self, guard, clock):
        guard.on_new_prompt()
        guard.on_painted()
        clock.advance(0.5)
        assert not guard.accepts(guard.compute_time(0.4))
        assert guard.accepts(guard.compute_time(0.1))

    @pytest.mark.parametrize("gap", [0.03, 0.06, 0.092, 0.11])
    def test_held_key_is_a_repeat(self, guard, clock, gap):
        assert not guard.is_repeat("enter", clock())
        for _ in range(100):
            clock.advance(gap)
            assert guard.is_repeat("enter", clock())

    @pytest.mark.parametrize("gap", [0.13, 0.25, 0.5])
    def test_second_press_is_no_repeat(self, guard, clock, gap):
        for _ in range(5):
            assert not guard.is_repeat("enter", clock())
            clock.advance(gap)

    def test_repeat_lasts_until_silence(self, guard, clock):
        guard.is_repeat("enter", clock())
        for gap, repeats in ((0.1, True), (0.2, True), (0.24, True), (0.26, False), (0.2, False)):
            clock.advance(gap)
            assert guard.is_repeat("enter", clock()) is repeats

    def test_another_key_is_no_repeat(self, guard, clock):
        assert not guard.is_repeat("up", clock())
        assert not guard.is_repeat("down", clock())

    def test_infinite_clock_accepts_everything(self):
        guard = InputGuard(lambda: GUARD_SECONDS, lambda: inf)
        guard.on_new_prompt(curtain=True)
        assert guard.accepts(guard.compute_time(0))
        assert not guard.is_repeat("enter", guard.compute_time(0))
        assert not guard.is_repeat("enter", guard.compute_time(0))


def create_app(clock, key="rikiki", *, settings=QUICK, seed=11, **session_options):
    return TableApp(create_session(key, seed, **session_options), settings, clock=clock)


async def wait_until_painted(pilot, app):
    """Wait until the current prompt, or the finished trick, is painted."""
    await wait_until(pilot, lambda: app.table.guard._painted_at < inf)


async def wait_until_visible(pilot, app):
    """Wait until the player must act and the prompt is painted."""
    await wait_for_input(pilot, app)
    await wait_until_painted(pilot, app)


async def press(pilot, clock, *keys, every=0.0):
    """Press keys one after another and wait for their effects."""
    for key in keys:
        await pilot.press(key)
        clock.advance(every)
    await pilot.pause()


def count_decisions(app):
    return app.table.session.referee.decisions


@pytest.mark.parametrize("key", ["enter", "space"])
async def test_key_right_after_prompt_plays_nothing(clock, key):
    app = create_app(clock)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        before = count_decisions(app)
        clock.advance(GUARD_SECONDS - 0.1)
        await press(pilot, clock, key)
        assert count_decisions(app) == before
        clock.advance(1)
        await press(pilot, clock, key)
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_delay_is_a_setting(clock):
    app = create_app(clock, settings=Settings(robot_pace=0, trick_pause=0, key_guard=0))
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        before = count_decisions(app)
        clock.advance(MOMENT)
        await press(pilot, clock, "enter")
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_digits_and_arrows_work_at_once(clock):
    app = create_app(clock, "ten_down")
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        await press(pilot, clock, "3")
        assert str(app.table.frame.decision.options[app.table.frame.option].action) == "bid 3"
        await press(pilot, clock, "right")
        assert str(app.table.frame.decision.options[app.table.frame.option].action) == "bid 4"
        await press(pilot, clock, "s")
        assert app.table.view.overlay is not None


async def end_trick_pause(pilot, app):
    before = app.view
    app.table.controller.skip_pause()
    await wait_until(pilot, lambda: app.view is not before)


async def test_enter_right_after_pause_plays_nothing(clock):
    app = create_app(clock, settings=Settings(robot_pace=0, trick_pause="key", round_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(6):
            await play_until_trick_pause(pilot, app)
            await wait_until_painted(pilot, app)
            clock.advance(1)
            await end_trick_pause(pilot, app)
            await wait_for_input_or_trick(pilot, app)
            await wait_until_painted(pilot, app)
            before, stage, view = count_decisions(app), app.table.frame.stage, app.view
            await press(pilot, clock, "enter")
            assert (count_decisions(app), app.table.frame.stage) == (before, stage)
            assert app.view is view, "Enter had no effect at all"


@pytest.mark.parametrize("every", [0.03, 0.06, 0.092])
@pytest.mark.parametrize("key", ["enter", "space"])
async def test_held_key_plays_once_and_at_first_repeat(clock, key, every):
    app = create_app(clock, "gurka")
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        clock.advance(1)
        await press(pilot, clock, key)
        await wait_until_visible(pilot, app)
        assert count_own_plays(app) == 1
        clock.advance(0.4)
        await press(pilot, clock, *[key] * 20, every=every)
        await wait_until_visible(pilot, app)
        assert count_own_plays(app) == 2


async def test_held_up_plays_one_card_in_bridge(clock):
    app = create_app(clock, "bridge", seats=2)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        await press(pilot, clock, *["up"] * 20, every=0.06)
        await wait_until_visible(pilot, app)
        assert count_own_plays(app) == 1


FAST_INTERVAL = 0.13
"""Seconds between presses of a player who expects the next prompt."""


async def play_until_choice(pilot, app):
    """Press Enter until the player must choose an action and the prompt is painted."""
    while not (app.table.frame.waiting and app.table.controller.is_awaiting_input):
        await wait_for_input_or_trick(pilot, app)
        if not app.table.frame.waiting:
            app.table.table_keys.action_commit()
        await pilot.pause()
    await wait_until_visible(pilot, app)


async def confirm_choice(pilot, app):
    """Confirm the selected action with Enter; return True if the player is immediately on turn again."""
    before = count_decisions(app)
    await pilot.press("enter")
    await wait_until(pilot, lambda: count_decisions(app) > before)
    await wait_for_input_or_trick(pilot, app)
    await wait_until_painted(pilot, app)
    return app.table.frame.waiting and count_decisions(app) == before + 1


@pytest.mark.parametrize("key", ["bridge", "king"])
async def test_follow_up_of_own_action_has_no_delay(clock, key):
    """Bridge: a card and another of its rank. King: a contract and the first lead."""
    app = create_app(clock, key, seats=GAMES[key].about.usual_seats)
    followed = 0
    async with app.run_test(size=SMALL) as pilot:
        while followed < 3:
            await play_until_choice(pilot, app)
            clock.advance(1)
            while await confirm_choice(pilot, app):
                followed += 1
                clock.advance(FAST_INTERVAL)


async def test_enter_waits_after_drawing_unseen_card(clock):
    app = create_app(clock, "rummy", seats=2)
    async with app.run_test(size=SMALL) as pilot:
        await play_until_choice(pilot, app)
        clock.advance(1)
        before = count_decisions(app)
        await pilot.press("down")
        await wait_until(pilot, lambda: count_decisions(app) == before + 1 and app.table.controller.is_awaiting_input)
        await wait_until_painted(pilot, app)
        clock.advance(FAST_INTERVAL)
        await press(pilot, clock, "enter")
        assert count_decisions(app) == before + 1
        clock.advance(1)
        await press(pilot, clock, "enter")
        await wait_until(pilot, lambda: count_decisions(app) >= before + 2)


async def test_enter_waits_after_box_opens(clock):
    """After a jack, Bridge asks for the suit to follow."""
    app = create_app(clock, "bridge", seats=4)
    async with app.run_test(size=SMALL) as pilot:
        again = False
        while not (again and app.table.frame.in_box):
            await play_until_choice(pilot, app)
            clock.advance(1)
            again = await confirm_choice(pilot, app)
        before = count_decisions(app)
        clock.advance(FAST_INTERVAL)
        await press(pilot, clock, "enter")
        assert count_decisions(app) == before


async def test_enter_works_at_once_after_skipped_pause(clock):
    app = create_app(clock, settings=Settings(robot_pace=0, trick_pause="key", round_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        while True:
            await play_until_trick_pause(pilot, app)
            await wait_until_painted(pilot, app)
            clock.advance(1)
            before = count_decisions(app)
            await press(pilot, clock, "enter")
            await wait_for_input_or_trick(pilot, app)
            if app.table.frame.waiting and count_decisions(app) == before:
                break
        await wait_until_visible(pilot, app)
        clock.advance(FAST_INTERVAL)
        await press(pilot, clock, "enter")
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_enter_waits_after_deal(clock):
    app = create_app(clock, settings=Settings(robot_pace=0, trick_pause=0, round_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        while app.table.frame.stage is not Stage.ROUND_END:
            await wait_for_input(pilot, app)
            app.table.table_keys.action_commit()
            await pilot.pause()
        await wait_until_visible(pilot, app)
        clock.advance(1)
        await press(pilot, clock, "enter")
        await wait_until_visible(pilot, app)
        clock.advance(FAST_INTERVAL)
        before = count_decisions(app)
        await press(pilot, clock, "enter")
        assert count_decisions(app) == before


@pytest.mark.parametrize(("closing", "takes"), [("s", True), ("escape", True), ("enter", False), ("space", False)])
async def test_enter_after_closing_score_sheet(clock, closing, takes):
    app = create_app(clock)
    async with app.run_test(size=SMALL) as pilot:
        await play_until_choice(pilot, app)
        clock.advance(1)
        await press(pilot, clock, "s", closing, every=FAST_INTERVAL)
        assert app.table.view.overlay is None
        before = count_decisions(app)
        await press(pilot, clock, "enter")
        assert (count_decisions(app) > before) is takes


async def test_double_click_on_score_sheet_plays_nothing(clock):
    app = create_app(clock, "gurka")
    async with app.run_test(size=SMALL) as pilot:
        await play_until_choice(pilot, app)
        clock.advance(1)
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        spot = next(spot for spot in app.table.view.canvas.hit_boxes if spot.target == PointCard(card))
        await pilot.click(offset=(spot.x, spot.y + 1))
        await press(pilot, clock, "s", every=1)
        before = count_decisions(app)
        await pilot.click(offset=(spot.x, spot.y + 1), times=2)
        await pilot.pause()
        assert app.table.view.overlay is None
        assert count_decisions(app) == before


def count_own_plays(app):
    """Return the number of cards that the person in seat 0 has played."""
    return app.table.session.path.read_text(encoding="utf-8").count('"seat":0,"action":"play')


@pytest.mark.parametrize("every", [0.03, 0.13, 0.15])
async def test_keys_after_play_do_not_open_next_curtain(clock, every):
    app = create_app(clock, "gurka", people=3)
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(3):
            await take_keyboard(pilot, app, clock)
            clock.advance(1)
            await pilot.press("enter")
            await wait_for_curtain(pilot, app)
            await wait_until_visible(pilot, app)
            before = count_decisions(app)
            clock.advance(every)
            await press(pilot, clock, "enter", "s", "m", "enter", "ctrl+p", "escape", "space", every=every / 2)
            assert app.table.frame.stage is Stage.CURTAIN
            assert (count_decisions(app), app.table.view.overlay, app.requests, app.screen) == (
                before,
                None,
                [],
                app.table,
            )


async def take_keyboard(pilot, app, clock):
    """Confirm the curtain once it can be read."""
    await wait_until_visible(pilot, app)
    assert app.table.frame.stage is Stage.CURTAIN
    clock.advance(1)
    await pilot.press("enter")
    await wait_until(pilot, lambda: app.table.frame.waiting)
    await wait_until_visible(pilot, app)


async def test_click_never_opens_curtain(clock):
    app = create_app(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        footer = screen_text(app).split("\n")[23]
        clock.advance(10)
        for at in ((40, 10), (40, 5), (footer.index("show my hand"), 23)):
            await pilot.click(offset=at, times=2)
            assert app.table.frame.stage is Stage.CURTAIN
        await pilot.click(offset=(footer.index("score"), 23))
        assert app.table.view.overlay is not None, "the public score sheet can be clicked"
        await pilot.click(offset=(40, 10))
        assert (app.table.view.overlay, app.table.frame.stage) == (None, Stage.CURTAIN)


async def test_closing_overlay_restarts_curtain_delay(clock):
    """A bouncing Enter that has closed an overlay must not open the curtain."""
    app = create_app(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        clock.advance(1)
        await press(pilot, clock, "s")
        clock.advance(1)
        await press(pilot, clock, "enter")
        assert app.table.view.overlay is None
        clock.advance(0.5)
        await press(pilot, clock, "enter")
        assert app.table.frame.stage is Stage.CURTAIN
        await press(pilot, clock, "s")
        assert app.table.view.overlay is not None, "only Enter is delayed"
        clock.advance(1)
        await press(pilot, clock, "escape")
        assert app.table.view.overlay is None
        clock.advance(0.7)
        await press(pilot, clock, "enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)


async def test_typing_over_curtain_messages_does_nothing(clock):
    app = create_app(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        clock.advance(1)
        order = app.preferences.settings.hand_order
        await press(pilot, clock, *"mhello", "space", *"zn=,?m")
        assert app.table.frame.stage is Stage.CURTAIN
        assert app.preferences.settings.hand_order == order
        assert app.requests == []
        assert isinstance(app.table.view.overlay, PublicMessages)
        assert app.screen is app.table
        clock.advance(1)
        await press(pilot, clock, "enter")
        assert app.table.view.overlay is None


async def test_typing_continues_when_curtain_falls(clock):
    app = create_app(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await take_keyboard(pilot, app, clock)
        clock.advance(1)
        await pilot.press(*"mhe")
        app.table.controller.submit(app.view.legal[0])
        await wait_until(pilot, lambda: app.table.frame.handover_seat is not None)
        await press(pilot, clock, *"llo")
        assert app.table.view.overlay.text_input.text == "hello"
        await press(pilot, clock, "enter")
        await wait_until(pilot, lambda: app.table.view.overlay is None)
        clock.advance(0.5)
        await press(pilot, clock, "enter")
        assert app.table.frame.stage is Stage.CURTAIN


async def test_password_input_starts_once_visible(clock, monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    for nick in ("Anna", "Bob"):
        profiles.register(nick, password="sesame77", again="sesame77")
    app = create_app(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        clock.advance(0.5)
        await press(pilot, clock, *"ses")
        assert app.table.view.overlay.text_input.text == ""
        clock.advance(0.2)
        await press(pilot, clock, *"ses")
        assert app.table.view.overlay.text_input.text == "ses"


async def test_clicks_right_after_prompt_do_nothing(clock):
    app = create_app(clock, "gurka")
    async with app.run_test(size=SMALL) as pilot:
        await wait_until_visible(pilot, app)
        before = count_decisions(app)
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        spot = next(spot for spot in app.table.view.canvas.hit_boxes if spot.target == PointCard(card))
        at = (spot.x, spot.y + 1)
        await pilot.click(offset=at, times=3)
        assert count_decisions(app) == before
        clock.advance(1)
        await pilot.click(offset=at, times=2)
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_enter_does_not_close_late_last_deal(clock):
    app = create_app(clock, settings=Settings(robot_pace=0, trick_pause=0))
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(50):
            await wait_until_visible(pilot, app)
            if app.table.frame.scores and app.table.frame.waiting:
                break
            app.table.table_keys.action_commit()
        clock.advance(1)
        await pilot.press("d")
        await wait_until(pilot, lambda: isinstance(app.table.view.overlay, LastDeal))
        await press(pilot, clock, "enter")
        assert isinstance(app.table.view.overlay, LastDeal)
        assert app.screen is app.table
