"""Input guard at the table: a key or click intended for the previous prompt does nothing."""

from math import inf

import pytest

from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import passwords, profiles
from cardtable.store.settings import Settings
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.table import screen as table
from cardtable.ui.table.overlays.last_deal import LastDeal
from cardtable.ui.table.overlays.simple import PublicMessages
from cardtable.ui.toolkit.keys.input_guard import InputGuard
from tests.ui.screen_text import screen_text
from tests.ui.table_host import QUICK, Host, asked, session, until

SMALL = (80, 24)
WAIT = 0.3
A_BIT = 0.01


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def goes_on(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    """A manual clock; events have no age, however busy the machine is."""
    monkeypatch.setattr(table, "compute_event_age", lambda _event: 0.0)
    return Clock()


class TestGuard:
    """The guard alone, without a screen."""

    @pytest.fixture
    def guard(self, clock):
        return InputGuard(lambda: WAIT, clock)

    def test_nothing_counts_before_what_is_asked_for_could_be_seen_for_a_while(self, guard, clock):
        assert guard.accepts(clock())
        guard.on_new_prompt()
        clock.goes_on(5)
        assert not guard.accepts(clock()), "nobody has seen it"
        guard.on_painted()
        assert not guard.accepts(clock() + WAIT - A_BIT)
        assert guard.accepts(clock() + WAIT)
        assert not guard.is_blocked(clock()), "other keys count at once"

    def test_what_the_own_key_has_led_to_counts_once_it_is_seen(self, guard, clock):
        guard.on_new_prompt(caused_by_player=True)
        assert not guard.accepts(clock()), "nobody has seen it"
        clock.goes_on(1)
        guard.on_painted()
        assert not guard.accepts(clock() - A_BIT)
        assert guard.accepts(clock())
        assert not guard.accepts(clock(), click=True), "it comes twice, and something else lies there now"
        assert guard.accepts(clock() + WAIT, click=True)

    def test_it_is_shown_once(self, guard, clock):
        guard.on_new_prompt()
        guard.on_painted()
        clock.goes_on(WAIT)
        guard.on_painted()
        assert guard.accepts(clock())

    def test_at_a_curtain_no_key_counts_for_longer(self, guard, clock):
        guard.on_new_prompt(curtain=True)
        assert guard.is_blocked(clock())
        guard.on_painted()
        for moment, deaf in ((0, True), (0.59, True), (0.61, False)):
            assert guard.is_blocked(clock() + moment) is deaf
            assert guard.accepts(clock() + moment) is not deaf

    def test_what_is_handled_late_is_judged_by_when_it_was_pressed(self, guard, clock):
        guard.on_new_prompt()
        guard.on_painted()
        clock.goes_on(0.5)
        assert not guard.accepts(guard.compute_time(0.4))
        assert guard.accepts(guard.compute_time(0.1))

    @pytest.mark.parametrize("gap", [0.03, 0.06, 0.092, 0.11])
    def test_a_key_that_is_held_down_is_pressed_once(self, guard, clock, gap):
        assert not guard.is_repeat("enter", clock())
        for _ in range(100):
            clock.goes_on(gap)
            assert guard.is_repeat("enter", clock())

    @pytest.mark.parametrize("gap", [0.13, 0.25, 0.5])
    def test_a_second_press_is_one_of_its_own(self, guard, clock, gap):
        for _ in range(5):
            assert not guard.is_repeat("enter", clock())
            clock.goes_on(gap)

    def test_what_follows_a_repeated_key_without_silence_is_repeated(self, guard, clock):
        guard.is_repeat("enter", clock())
        for gap, repeats in ((0.1, True), (0.2, True), (0.24, True), (0.26, False), (0.2, False)):
            clock.goes_on(gap)
            assert guard.is_repeat("enter", clock()) is repeats

    def test_keys_are_told_apart(self, guard, clock):
        assert not guard.is_repeat("up", clock())
        assert not guard.is_repeat("down", clock())

    def test_with_all_the_time_there_is_everything_counts(self):
        guard = InputGuard(lambda: WAIT, lambda: inf)
        guard.on_new_prompt(curtain=True)
        assert guard.accepts(guard.compute_time(0))
        assert not guard.is_repeat("enter", guard.compute_time(0))
        assert not guard.is_repeat("enter", guard.compute_time(0))


def person(clock, key="rikiki", *, settings=QUICK, seed=11, **who):
    return Host(session(key, seed, **who), settings, clock=clock)


async def seen(pilot, app):
    """Wait until the player must act and the prompt is painted."""
    await asked(pilot, app)
    await until(pilot, lambda: app.table.guard._painted_at < inf)


async def pressed(pilot, clock, *keys, every=0.0):
    """Press keys one after another and wait for their effects."""
    for key in keys:
        await pilot.press(key)
        clock.goes_on(every)
    await pilot.pause()


def decisions(app):
    return app.table.session.referee.decisions


@pytest.mark.promise(
    "Keys and mouse", "Enter, Space and clicks right after a new prompt do nothing; digits and arrows work at once."
)
@pytest.mark.parametrize("key", ["enter", "space"])
async def test_a_key_that_comes_as_soon_as_the_prompt_plays_nothing(clock, key):
    app = person(clock)
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        before = decisions(app)
        clock.goes_on(WAIT - 0.1)
        await pressed(pilot, clock, key)
        assert decisions(app) == before
        clock.goes_on(1)
        await pressed(pilot, clock, key)
        await until(pilot, lambda: decisions(app) > before)


async def test_the_wait_is_a_setting(clock):
    app = person(clock, settings=Settings(pace=0, trick_pause=0, guard=0))
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        before = decisions(app)
        clock.goes_on(A_BIT)
        await pressed(pilot, clock, "enter")
        await until(pilot, lambda: decisions(app) > before)


@pytest.mark.promise(
    "Keys and mouse", "Enter, Space and clicks right after a new prompt do nothing; digits and arrows work at once."
)
async def test_digits_and_arrows_wait_for_nothing(clock):
    app = person(clock, "ten_down")
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        await pressed(pilot, clock, "3")
        assert str(app.table.frame.decision.options[app.table.frame.option].action) == "bid 3"
        await pressed(pilot, clock, "right")
        assert str(app.table.frame.decision.options[app.table.frame.option].action) == "bid 4"
        await pressed(pilot, clock, "s")
        assert app.table.view.overlay is not None


async def to_a_pause(pilot, app, clock):
    """Play until the pause after a complete trick, and wait until it is painted."""
    for _ in range(200):
        await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
        if app.table.frame.shows_trick:
            break
        app.table.table_keys.action_commit()
    await until(pilot, lambda: app.table.guard._painted_at < inf)


async def the_pause_ends_by_itself(pilot, app):
    looked_at = app.view
    app.table.controller.skip_pause()
    await until(pilot, lambda: app.view is not looked_at)


@pytest.mark.promise(
    "Keys and mouse", "Enter, Space and clicks right after a new prompt do nothing; digits and arrows work at once."
)
async def test_enter_that_comes_when_the_pause_has_ended_by_itself_plays_no_card(clock):
    app = person(clock, settings=Settings(pace=0, trick_pause="key", round_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(6):
            await to_a_pause(pilot, app, clock)
            clock.goes_on(1)
            await the_pause_ends_by_itself(pilot, app)
            await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
            await until(pilot, lambda: app.table.guard._painted_at < inf)
            before, stage, view = decisions(app), app.table.frame.stage, app.view
            await pressed(pilot, clock, "enter")
            assert (decisions(app), app.table.frame.stage) == (before, stage)
            assert app.view is view, "neither a card, nor the round's end, nor a deal or a bid"


@pytest.mark.promise(
    "Keys and mouse", "A key that is held down plays one card, one more at its first repeat, and then none."
)
@pytest.mark.parametrize("every", [0.03, 0.06, 0.092])
@pytest.mark.parametrize("key", ["enter", "space"])
async def test_a_key_that_is_held_down_plays_one_card_and_with_its_first_repeat_another(clock, key, every):
    app = person(clock, "gurka")
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        clock.goes_on(1)
        await pressed(pilot, clock, key)
        await seen(pilot, app)
        assert mine(app) == 1
        clock.goes_on(0.4)
        await pressed(pilot, clock, *[key] * 20, every=every)
        await seen(pilot, app)
        assert mine(app) == 2


async def test_in_bridge_up_that_is_held_down_plays_one_card(clock):
    app = person(clock, "bridge", seats=2)
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        await pressed(pilot, clock, *["up"] * 20, every=0.06)
        await seen(pilot, app)
        assert mine(app) == 1


QUICKLY = 0.13
"""Seconds between presses of a player who expects the next prompt."""


async def choosing(pilot, app):
    """Press Enter until the player must choose an action and the prompt is painted."""
    while not (app.table.frame.waiting and app.table.controller.is_awaiting_input):
        await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
        if not app.table.frame.waiting:
            app.table.table_keys.action_commit()
        await pilot.pause()
    await seen(pilot, app)


async def decides(pilot, app):
    """Confirm the selected action with Enter; return True if the player is immediately on turn again."""
    before = decisions(app)
    await pilot.press("enter")
    await until(pilot, lambda: decisions(app) > before)
    await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
    await until(pilot, lambda: app.table.guard._painted_at < inf)
    return app.table.frame.waiting and decisions(app) == before + 1


@pytest.mark.parametrize("key", ["bridge", "king"])
async def test_what_follows_from_the_own_choice_is_done_as_quickly_as_the_person_does_it(clock, key):
    """Bridge: a card and another of its rank. King: a contract and the first lead."""
    app = person(clock, key, seats=GAMES[key].about.usual_seats)
    followed = 0
    async with app.run_test(size=SMALL) as pilot:
        while followed < 3:
            await choosing(pilot, app)
            clock.goes_on(1)
            while await decides(pilot, app):
                followed += 1
                clock.goes_on(QUICKLY)


async def test_a_card_that_is_drawn_unseen_is_looked_at_before_enter_drops_one(clock):
    app = person(clock, "rummy", seats=2)
    async with app.run_test(size=SMALL) as pilot:
        await choosing(pilot, app)
        clock.goes_on(1)
        before = decisions(app)
        await pilot.press("down")
        await until(pilot, lambda: decisions(app) == before + 1 and app.table.controller.is_awaiting_input)
        await until(pilot, lambda: app.table.guard._painted_at < inf)
        clock.goes_on(QUICKLY)
        await pressed(pilot, clock, "enter")
        assert decisions(app) == before + 1
        clock.goes_on(1)
        await pressed(pilot, clock, "enter")
        await until(pilot, lambda: decisions(app) >= before + 2)


async def test_a_box_that_opens_is_looked_at_before_enter_says_what_is_in_it(clock):
    """After a jack, Bridge asks for the suit to follow."""
    app = person(clock, "bridge", seats=4)
    async with app.run_test(size=SMALL) as pilot:
        again = False
        while not (again and app.table.frame.in_box):
            await choosing(pilot, app)
            clock.goes_on(1)
            again = await decides(pilot, app)
        before = decisions(app)
        clock.goes_on(QUICKLY)
        await pressed(pilot, clock, "enter")
        assert decisions(app) == before


async def test_a_pause_that_the_own_key_ends_leads_to_the_next_card_at_once(clock):
    app = person(clock, settings=Settings(pace=0, trick_pause="key", round_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        while True:
            await to_a_pause(pilot, app, clock)
            clock.goes_on(1)
            before = decisions(app)
            await pressed(pilot, clock, "enter")
            await until(pilot, lambda: app.table.controller.is_awaiting_input or app.table.frame.shows_trick)
            if app.table.frame.waiting and decisions(app) == before:
                break
        await seen(pilot, app)
        clock.goes_on(QUICKLY)
        await pressed(pilot, clock, "enter")
        await until(pilot, lambda: decisions(app) > before)


async def test_cards_that_are_dealt_are_looked_at_before_enter_counts(clock):
    app = person(clock, settings=Settings(pace=0, trick_pause=0, round_pause="key"))
    async with app.run_test(size=SMALL) as pilot:
        while app.table.frame.stage is not Stage.ROUND_END:
            await asked(pilot, app)
            app.table.table_keys.action_commit()
            await pilot.pause()
        await seen(pilot, app)
        clock.goes_on(1)
        await pressed(pilot, clock, "enter")
        await seen(pilot, app)
        clock.goes_on(QUICKLY)
        before = decisions(app)
        await pressed(pilot, clock, "enter")
        assert decisions(app) == before


@pytest.mark.parametrize(("closing", "takes"), [("s", True), ("escape", True), ("enter", False), ("space", False)])
async def test_after_the_score_sheet_enter_plays_at_once_unless_it_was_enter_that_put_it_away(clock, closing, takes):
    app = person(clock)
    async with app.run_test(size=SMALL) as pilot:
        await choosing(pilot, app)
        clock.goes_on(1)
        await pressed(pilot, clock, "s", closing, every=QUICKLY)
        assert app.table.view.overlay is None
        before = decisions(app)
        await pressed(pilot, clock, "enter")
        assert (decisions(app) > before) is takes


async def test_a_click_that_puts_the_score_sheet_away_and_comes_twice_plays_nothing(clock):
    app = person(clock, "gurka")
    async with app.run_test(size=SMALL) as pilot:
        await choosing(pilot, app)
        clock.goes_on(1)
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        spot = next(spot for spot in app.table.view.canvas.hit_boxes if spot.target == PointCard(card))
        await pilot.click(offset=(spot.x, spot.y + 1))
        await pressed(pilot, clock, "s", every=1)
        before = decisions(app)
        await pilot.click(offset=(spot.x, spot.y + 1), times=2)
        await pilot.pause()
        assert app.table.view.overlay is None
        assert decisions(app) == before


def mine(app):
    """Return the number of cards that the person in seat 0 has played."""
    return app.table.session.path.read_text(encoding="utf-8").count('"seat":0,"action":"play')


@pytest.mark.promise(
    "Hot seat and hidden cards",
    "Keys and clicks from before a curtain have no effect behind it, and no click opens a curtain.",
)
@pytest.mark.parametrize("every", [0.03, 0.13, 0.15])
async def test_after_the_press_that_plays_nothing_opens_the_next_curtain(clock, every):
    app = person(clock, "gurka", people=3)
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(3):
            await take_the_keyboard(pilot, app, clock)
            clock.goes_on(1)
            await pilot.press("enter")
            await until(
                pilot, lambda: app.table.frame.stage is Stage.CURTAIN and app.table.controller.is_awaiting_input
            )
            await seen(pilot, app)
            before = decisions(app)
            clock.goes_on(every)
            await pressed(pilot, clock, "enter", "s", "m", "enter", "ctrl+p", "escape", "space", every=every / 2)
            assert app.table.frame.stage is Stage.CURTAIN
            assert (decisions(app), app.table.view.overlay, app.told, app.screen) == (before, None, [], app.table)


async def take_the_keyboard(pilot, app, clock):
    """Confirm the curtain once it can be read."""
    await seen(pilot, app)
    assert app.table.frame.stage is Stage.CURTAIN
    clock.goes_on(1)
    await pilot.press("enter")
    await until(pilot, lambda: app.table.frame.waiting)
    await seen(pilot, app)


@pytest.mark.promise(
    "Hot seat and hidden cards",
    "Keys and clicks from before a curtain have no effect behind it, and no click opens a curtain.",
)
async def test_a_click_never_opens_a_curtain(clock):
    app = person(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        footer = screen_text(app).split("\n")[23]
        clock.goes_on(10)
        for at in ((40, 10), (40, 5), (footer.index("show my hand"), 23)):
            await pilot.click(offset=at, times=2)
            assert app.table.frame.stage is Stage.CURTAIN
        await pilot.click(offset=(footer.index("score"), 23))
        assert app.table.view.overlay is not None, "what all may see can be clicked"
        await pilot.click(offset=(40, 10))
        assert (app.table.view.overlay, app.table.frame.stage) == (None, Stage.CURTAIN)


async def test_a_curtain_that_is_seen_again_has_just_fallen(clock):
    """A bouncing Enter that has closed an overlay must not open the curtain."""
    app = person(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        clock.goes_on(1)
        await pressed(pilot, clock, "s")
        clock.goes_on(1)
        await pressed(pilot, clock, "enter")
        assert app.table.view.overlay is None
        clock.goes_on(0.5)
        await pressed(pilot, clock, "enter")
        assert app.table.frame.stage is Stage.CURTAIN
        clock.goes_on(0.5)
        await pressed(pilot, clock, "enter")
        await until(pilot, lambda: app.table.frame.waiting)


@pytest.mark.promise(
    "Hot seat and hidden cards",
    "Keys and clicks from before a curtain have no effect behind it, and no click opens a curtain.",
)
async def test_letters_that_are_typed_over_the_messages_at_a_curtain_do_nothing(clock):
    app = person(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        clock.goes_on(1)
        order = app.preferences.settings.hand_order
        await pressed(pilot, clock, *"mhello", "space", *"zn=,?m")
        assert app.table.frame.stage is Stage.CURTAIN
        assert app.preferences.settings.hand_order == order
        assert app.told == []
        assert isinstance(app.table.view.overlay, PublicMessages)
        assert app.screen is app.table
        clock.goes_on(1)
        await pressed(pilot, clock, "enter")
        assert app.table.view.overlay is None


async def test_a_line_that_is_typed_while_a_curtain_falls_is_typed_on(clock):
    app = person(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await take_the_keyboard(pilot, app, clock)
        clock.goes_on(1)
        await pilot.press(*"mhe")
        app.table.controller.submit(app.view.legal[0])
        await until(pilot, lambda: app.table.frame.handover_seat is not None)
        await pressed(pilot, clock, *"llo")
        assert app.table.view.overlay.text_input.text == "hello"
        await pressed(pilot, clock, "enter")
        await until(pilot, lambda: app.table.view.overlay is None)
        clock.goes_on(0.5)
        await pressed(pilot, clock, "enter")
        assert app.table.frame.stage is Stage.CURTAIN


async def test_at_a_hot_seat_a_password_begins_when_its_line_has_been_seen(clock, monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    for nick in ("Anna", "Bob"):
        profiles.register(nick, password="sesame77", again="sesame77")
    app = person(clock, people=2)
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        clock.goes_on(0.5)
        await pressed(pilot, clock, *"ses")
        assert app.table.view.overlay.text_input.text == ""
        clock.goes_on(0.2)
        await pressed(pilot, clock, *"ses")
        assert app.table.view.overlay.text_input.text == "ses"


@pytest.mark.promise(
    "Keys and mouse", "Enter, Space and clicks right after a new prompt do nothing; digits and arrows work at once."
)
async def test_clicks_that_are_meant_for_what_stood_there_before_do_nothing(clock):
    app = person(clock, "gurka")
    async with app.run_test(size=SMALL) as pilot:
        await seen(pilot, app)
        before = decisions(app)
        card = next(card for card in app.table.frame.hand.cards if app.table.frame.hand.can_select(card))
        spot = next(spot for spot in app.table.view.canvas.hit_boxes if spot.target == PointCard(card))
        at = (spot.x, spot.y + 1)
        await pilot.click(offset=at, times=3)
        assert decisions(app) == before
        clock.goes_on(1)
        await pilot.click(offset=at, times=2)
        await until(pilot, lambda: decisions(app) > before)


async def test_the_last_deal_that_comes_late_takes_no_enter_that_was_meant_for_the_table(clock):
    app = person(clock, settings=Settings(pace=0, trick_pause=0))
    async with app.run_test(size=SMALL) as pilot:
        for _ in range(50):
            await seen(pilot, app)
            if app.table.frame.scores and app.table.frame.waiting:
                break
            app.table.table_keys.action_commit()
        clock.goes_on(1)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.table.view.overlay, LastDeal))
        await pressed(pilot, clock, "enter")
        assert isinstance(app.table.view.overlay, LastDeal)
        assert app.screen is app.table
