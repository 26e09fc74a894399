"""Input guard at the table: a key or click intended for the previous prompt does nothing."""

from contextlib import asynccontextmanager

import pytest

from cardtable.session.session_events import Stage
from cardtable.store import profiles
from cardtable.store.settings import Settings
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.keys.input_guard import InputGuard
from cardtable.ui.table import screen as table
from cardtable.ui.table.overlays import PublicMessages
from tests.ui.driver import TableDriver, sit_at
from tests.ui.table_host import QUICK, create_session

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

    @pytest.mark.parametrize(
        ("gaps", "repeats"),
        [
            *[([gap] * 100, [True] * 100) for gap in (0.03, 0.06, 0.092, 0.11)],
            *[([gap] * 5, [False] * 5) for gap in (0.13, 0.25, 0.5)],
            ([0.1, 0.2, 0.24, 0.26, 0.2], [True, True, True, False, False]),
        ],
        ids=[*["held"] * 4, *["pressed again"] * 3, "held until silence"],
    )
    def test_repeats_of_a_key(self, guard, clock, gaps, repeats):
        assert not guard.is_repeat("enter", clock())
        for gap, repeat in zip(gaps, repeats, strict=True):
            clock.advance(gap)
            assert guard.is_repeat("enter", clock()) is repeat

    def test_another_key_is_no_repeat(self, guard, clock):
        assert not guard.is_repeat("up", clock())
        assert not guard.is_repeat("down", clock())


WITH_PAUSES = Settings(robot_pace=0, trick_pause="key", round_pause="key")
FAST_INTERVAL = 0.13
"""Seconds between presses of a player who expects the next prompt."""


class TimedTable(TableDriver):
    """A table, and the clock by which keys are judged."""

    def __init__(self, table, clock):
        super().__init__(table.app, table.pilot)
        self.clock = clock

    async def wait_until_painted(self):
        """Wait until the current prompt, or the finished trick, is painted."""
        await self.wait_until(lambda: self.screen.guard.accepts(1e9))

    async def wait_until_visible(self):
        """Wait until the player must act and the prompt is painted."""
        await self.wait_for_input()
        await self.wait_until_painted()

    async def press_after(self, seconds, keys):
        """Press keys after some seconds."""
        self.clock.advance(seconds)
        await self.press(keys)

    async def hold(self, key, every, times=20):
        """Let a key that is held down repeat."""
        for _ in range(times):
            await self.press(key)
            self.clock.advance(every)

    async def play_until_choice(self):
        """Press Enter until the player must choose an action and the prompt is painted."""
        await self.play_until(lambda frame: frame.waiting)
        await self.wait_until_painted()

    async def wait_for_input_or_trick(self):
        """Wait until the player must act or continue, or a finished trick is shown, and it is painted."""
        await self.wait_until(lambda: self.screen.controller.is_awaiting_input or self.frame.shows_trick)
        await self.wait_until_painted()

    async def confirm_choice(self):
        """Confirm the selected action with Enter; return True if the player is immediately on turn again."""
        before = self.referee.decisions
        await self.press("enter")
        await self.wait_for_decision(before + 1)
        await self.wait_for_input_or_trick()
        return self.frame.waiting and self.referee.decisions == before + 1

    async def take_keyboard(self):
        """Confirm the curtain once it can be read."""
        await self.wait_until_visible()
        self.clock.advance(1)
        await self.confirm_curtain()
        await self.wait_until_painted()

    def get_playable_card(self):
        return PointCard(next(card for card in self.frame.hand.cards if self.frame.hand.can_select(card)))

    def count_own_plays(self):
        """Return the number of cards that the person in seat 0 has played."""
        return self.screen.session.path.read_text(encoding="utf-8").count('"seat":0,"action":"play')


@asynccontextmanager
async def sit_with(clock, key="rikiki", *, settings=QUICK, **session_options):
    """Open a table whose keys are judged by this clock, and wait until its first prompt is painted."""
    async with sit_at(create_session(key, 11, **session_options), settings=settings, clock=clock) as table:
        timed = TimedTable(table, clock)
        await timed.wait_until_painted()
        yield timed


async def test_key_right_after_prompt_plays_nothing(clock):
    async with sit_with(clock) as table:
        before = table.referee.decisions
        await table.press_after(GUARD_SECONDS - 0.1, "enter")
        assert table.referee.decisions == before
        await table.press_after(1, "enter")
        await table.wait_for_decision(before + 1)


async def test_digits_and_arrows_work_at_once(clock):
    async with sit_with(clock, "ten_down") as table:
        for key, bid in (("3", "bid 3"), ("right", "bid 4")):
            await table.press(key)
            assert str(table.frame.decision.options[table.frame.option].action) == bid
        await table.press("s")
        assert table.overlay is not None


async def test_enter_right_after_pause_plays_nothing(clock):
    async with sit_with(clock, settings=WITH_PAUSES) as table:
        for _ in range(6):
            await table.play_until_trick_pause()
            await table.wait_until_painted()
            clock.advance(1)
            view = table.view
            table.screen.controller.skip_pause()
            await table.wait_until(lambda view=view: table.view is not view)
            await table.wait_for_input_or_trick()
            before, view = (table.referee.decisions, table.frame.stage), table.view
            await table.press("enter")
            assert (table.referee.decisions, table.frame.stage) == before
            assert table.view is view, "Enter had no effect at all"


@pytest.mark.parametrize(
    ("stage", "pauses"),
    [
        (Stage.PLAY, {"trick_pause": 0.01}),
        (Stage.ROUND_END, {"trick_pause": 0.01}),
        (Stage.PLAY, {"trick_pause": 0, "round_pause": 0.01}),
    ],
    ids=["trick", "last trick", "round"],
)
async def test_enter_meant_for_what_passed_by_itself(clock, stage, pauses):
    async with sit_with(clock, "king", settings=Settings(robot_pace=0, **pauses)) as table:
        passings = 0
        while table.frame.stage is not stage or table.frame.passings == passings:
            passings, view = table.frame.passings, table.view
            table.commit()
            await table.wait_until(lambda view=view: table.view is not view)
            await table.wait_for_input()
        await table.wait_until_painted()
        before = table.frame.stage, table.decisions
        await table.press_after(0.9, "enter")
        assert (table.frame.stage, table.decisions) == before
        await table.press_after(0.2, "enter")
        await table.wait_until(lambda: (table.frame.stage, table.decisions) != before)


async def test_enter_counts_once_another_key_follows_trick_that_passed(clock):
    async with sit_with(clock, "king", settings=Settings(robot_pace=0, trick_pause=0.01)) as table:
        await table.play_until(lambda frame: frame.waiting and frame.passings)
        await table.wait_until_painted()
        decisions = table.decisions
        await table.press_after(0.5, "right enter")
        await table.wait_for_decision(decisions + 1)


@pytest.mark.parametrize("every", [0.03, 0.06, 0.092])
async def test_held_key_plays_once_and_at_first_repeat(clock, every):
    async with sit_with(clock, "gurka") as table:
        await table.press_after(1, "enter")
        await table.wait_until_visible()
        assert table.count_own_plays() == 1
        clock.advance(0.4)
        await table.hold("enter", every)
        await table.wait_until_visible()
        assert table.count_own_plays() == 2


@pytest.mark.parametrize("key", ["bridge", "king"])
async def test_follow_up_of_own_action_has_no_delay(clock, key):
    """Bridge: a card and another of its rank. King: a contract and the first lead."""
    followed = 0
    async with sit_with(clock, key) as table:
        while followed < 3:
            await table.play_until_choice()
            clock.advance(1)
            while await table.confirm_choice():
                followed += 1
                clock.advance(FAST_INTERVAL)


async def test_enter_waits_after_drawing_unseen_card(clock):
    async with sit_with(clock, "rummy", seats=2) as table:
        await table.play_until_choice()
        before = table.referee.decisions
        await table.press("down")
        await table.press_after(1, "enter")
        await table.wait_for_decision(before + 1)
        await table.wait_until_visible()
        await table.press("down")
        await table.press_after(FAST_INTERVAL, "enter")
        assert table.referee.decisions == before + 1
        await table.press_after(1, "enter")
        await table.wait_for_decision(before + 2)


@pytest.mark.parametrize(("closing", "takes"), [("s", True), ("escape", True), ("enter", False)])
async def test_enter_after_closing_score_sheet(clock, closing, takes):
    async with sit_with(clock) as table:
        await table.press_after(1, "s")
        await table.press_after(FAST_INTERVAL, closing)
        assert table.overlay is None
        before = table.referee.decisions
        await table.press_after(FAST_INTERVAL, "enter")
        assert (table.referee.decisions > before) is takes


async def test_clicks_right_after_prompt_do_nothing(clock):
    async with sit_with(clock, "gurka") as table:
        before = table.referee.decisions
        await table.click_on(table.get_playable_card(), times=3)
        assert table.referee.decisions == before
        clock.advance(1)
        await table.click_on(table.get_playable_card(), times=2)
        await table.wait_for_decision(before + 1)


@pytest.mark.parametrize("every", [0.03, 0.13, 0.15])
async def test_keys_after_play_do_not_open_next_curtain(clock, every):
    async with sit_with(clock, "gurka", people=3) as table:
        for _ in range(3):
            await table.take_keyboard()
            await table.press_after(1, "enter")
            await table.wait_until(lambda: table.frame.stage is Stage.CURTAIN)
            await table.wait_until_visible()
            before = table.referee.decisions
            clock.advance(every)
            for key in ("enter", "s", "m", "enter", "ctrl+p", "escape", "space"):
                await table.press(key)
                clock.advance(every / 2)
            assert (table.referee.decisions, table.frame.stage) == (before, Stage.CURTAIN)
            assert (table.overlay, table.app.requests, table.app.screen) == (None, [], table.screen)


async def test_click_never_opens_curtain(clock):
    async with sit_with(clock, people=2) as table:
        footer = table.text.split("\n")[23]
        clock.advance(10)
        for at in ((40, 10), (40, 5), (footer.index("show my hand"), 23)):
            await table.pilot.click(offset=at, times=2)
            assert table.frame.stage is Stage.CURTAIN
        await table.click(footer.index("score"), 23)
        assert table.overlay is not None, "the public score sheet can be clicked"
        await table.click(40, 10)
        assert (table.overlay, table.frame.stage) == (None, Stage.CURTAIN)


async def test_closing_overlay_restarts_curtain_delay(clock):
    """A bouncing Enter that has closed an overlay must not open the curtain."""
    async with sit_with(clock, people=2) as table:
        await table.press_after(1, "s")
        await table.press_after(1, "enter")
        assert table.overlay is None
        await table.press_after(0.5, "enter")
        assert table.frame.stage is Stage.CURTAIN
        await table.press("s")
        assert table.overlay is not None, "only Enter is delayed"
        await table.press_after(1, "escape")
        assert table.overlay is None
        await table.press_after(0.7, "enter")
        await table.wait_until(lambda: table.frame.waiting)


async def test_typing_over_curtain_messages_does_nothing(clock):
    async with sit_with(clock, people=2) as table:
        order = table.app.preferences.settings.hand_order
        await table.press_after(1, "m h e l l o space z n = , ? m")
        assert table.frame.stage is Stage.CURTAIN
        assert table.app.preferences.settings.hand_order == order
        assert table.app.requests == []
        assert isinstance(table.overlay, PublicMessages)
        assert table.app.screen is table.screen
        await table.press_after(1, "enter")
        assert table.overlay is None


async def test_password_input_starts_once_visible(clock, cheap_passwords):
    for nick in ("Anna", "Bob"):
        profiles.register(nick, password="sesame77", again="sesame77")
    async with sit_with(clock, people=2) as table:
        await table.press_after(0.5, "s e s")
        assert table.overlay.text_input.text == ""
        await table.press_after(0.2, "s e s")
        assert table.overlay.text_input.text == "ses"
