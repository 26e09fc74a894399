"""Hidden cards at a hot seat: no screen and no motion depends on cards that the player at the keyboard cannot see.

A session is played twice with two hidden cards exchanged, and the screens must be the same.
"""

import asyncio
from random import Random

import pytest

from cardtable.engine.game import CHANCE
from cardtable.games import ABOUT, GAMES
from cardtable.robots.hints import Advice
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_events import RobotChoice, Stage
from cardtable.store.settings import Settings
from cardtable.testing.cases import Case, choose_action, iter_random_positions
from cardtable.ui.game_view import motion
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.table.paint.table_widget import TableWidget
from tests.budgets import get_trials
from tests.exchanged_cards import apply_events, swap_hidden_in_events
from tests.laws.sessions import is_waiting
from tests.ui.table_host import TableApp, create_session, wait_for_input, wait_until

SEAT_COUNTS = {key: max(about.seats) for key, about in ABOUT.items()}
PEOPLE_COUNTS = {"gurka": 6}
"""Number of people by game; 2 in the others."""
OVERLAYS = ("sheet", "messages", "hint", "previous_trick", "help", "open_hands")
"""Overlays to open, by the names of their keys, where a game has them."""
OVERLAY_INTERVAL = 8
"""Number of decisions after which all overlays are opened; also at the end."""
PAIRS = get_trials("screen pairs")
"""Number of pairs of indistinguishable rounds for each game."""


def count_people(key):
    return PEOPLE_COUNTS.get(key, 2)


def iter_indistinguishable_rounds(key):
    """Yield a seat, a state before a deal, scores, and two pasts that the seat cannot distinguish."""
    game, count = GAMES[key], 0
    rng = Random(f"screens {key}")
    options = game.options().for_seats(SEAT_COUNTS[key])
    for seed in range(500 * PAIRS):
        scores = []
        for position in iter_random_positions(Case(game, SEAT_COUNTS[key], options), f"screens {seed}"):
            state = position.state
            if state.finished > len(scores):
                scores.append(state.score)
            if state.turn < 0 or len(position.events) < 6 or rng.random() > 0.03:
                continue
            seat, other = rng.sample(range(count_people(key)), 2)
            past = swap_hidden_in_events(game, position, seat, rng)
            world = past and apply_events(position.state_before_deal.copy(), past, state.turn)
            pasts = [list(position.events), past]
            if (
                world
                and world.view(other) != state.view(other)
                and have_same_choices(game, position.state_before_deal, pasts)
            ):
                yield seat, position.state_before_deal.copy(), scores[: state.finished], pasts
                count += 1
                if count == PAIRS:
                    return


def have_same_choices(game, begun, pasts):
    """Return True if the same players have a choice in both pasts, and somebody has one at the end.

    Without a choice the action is taken silently, at once, which everybody sees.
    """
    one, other = begun.copy(), begun.copy()
    for (_, event), (_, other_event) in zip(*pasts, strict=True):
        one.apply(event)
        other.apply(other_event)
        if is_waiting(game, one) != is_waiting(game, other):
            return False
    return is_waiting(game, one)


class ReplayingRobots(RobotClient):
    """Robots that repeat recorded actions; hints depend on the view only."""

    def __init__(self, actions):
        self.actions = actions

    async def choose(self, request):
        if request.decisions == len(self.actions):
            await asyncio.Event().wait()
        return RobotChoice(self.actions[request.decisions])

    async def advise(self, question):
        return Advice(f"{question.view}"[-60:], (), "")


class RecordedGame:
    """A round played as recorded; collects every painted frame with the seat at the keyboard."""

    def __init__(self, key, begun, scores, events, monkeypatch):
        self.actions = [event for turn, event in events if turn != CHANCE]
        self.chances = [event for turn, event in events if turn == CHANCE]
        self.app = TableApp(
            create_session(key, seats=SEAT_COUNTS[key], people=count_people(key)),
            Settings(robot_pace=0.001, trick_pause=0.001),  # as short as possible, since nothing moves without pauses
            robot_client=ReplayingRobots(self.actions),
        )
        self.table = self.app.table.session.referee
        self.table._state, self.table.scores = begun.copy(), list(scores)
        self.table._draw_chance = self.draw_chance
        self.draw_chance()
        self.keyboard, self.frames, self.moved = None, [], False
        self.record_frames(monkeypatch)
        self.record_motions(monkeypatch)

    def draw_chance(self):
        outcome = self.chances.pop(0)
        self.table._apply_chance(outcome, self.table._compute_next_state(outcome))

    def record_frames(self, monkeypatch):
        paint = TableWidget.paint

        def record(view, width, height):
            canvas = paint(view, width, height)
            stage = view.frame.stage
            assert not view.shown_sprites if stage is Stage.CURTAIN else self.keyboard is not None
            frame = str(canvas), canvas.inks, canvas.grounds
            viewer = None if stage is Stage.CURTAIN else self.keyboard
            if not self.frames or self.frames[-1] != (viewer, frame):
                self.frames.append((viewer, frame))
            return canvas

        monkeypatch.setattr(TableWidget, "paint", record)

    def record_motions(self, monkeypatch):
        create_sprites = motion.create_sprites

        def record(motions, time):
            if time == 0:
                covers = [move.cover.canvas for move in motions if move.cover]
                canvases = [*covers, *[picture for move in motions for picture in move.pictures]]
                ways = [(move.start, move.end, move.delay, move.seconds) for move in motions]
                pictures = [(str(canvas), canvas.inks, canvas.grounds) for canvas in canvases]
                self.frames.append((self.keyboard, (ways, pictures)))
                self.moved = True
            return create_sprites(motions, time)

        monkeypatch.setattr(motion, "create_sprites", record)

    def list_frames_seen_by(self, seat):
        """Return the frames painted and the motions begun while `seat` is at the keyboard, and the curtains."""
        return [frame for viewer, frame in self.frames if viewer in (seat, None)]

    async def play(self):
        """Play all recorded events and open the overlays when a person is asked."""
        async with self.app.run_test(size=(80, 24)) as pilot:
            driver = self.app.table.controller
            while True:
                await wait_until(
                    pilot,
                    lambda: driver.is_awaiting_input or (self.is_finished and driver.frame.thinking_robot is not None),
                )
                frame = driver.frame
                if self.is_finished or self.table.decisions % OVERLAY_INTERVAL == 0:
                    await self.open_overlays()
                if driver.is_awaiting_input and frame.stage is Stage.CURTAIN:
                    self.keyboard = frame.handover_seat
                    driver.proceed()
                elif driver.is_awaiting_input and not self.is_finished:
                    assert self.keyboard == self.table.turn
                    driver.submit(self.actions[self.table.decisions])
                else:
                    return

    @property
    def is_finished(self):
        """True if all recorded actions have been played."""
        return self.table.decisions == len(self.actions)

    async def open_overlays(self):
        """Open and close every overlay."""
        for key in TABLE.keys:
            if key.name in OVERLAYS:
                await self.app.table.press(key)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                if self.app.table.view.overlay:
                    self.app.table.table_keys.action_uncover()


@pytest.mark.parametrize("key", GAMES)
async def test_hidden_cards_change_no_screen(key, monkeypatch):
    viewers, moved = set(), False
    for seat, begun, scores, pasts in iter_indistinguishable_rounds(key):
        seen = []
        for past in pasts:
            with monkeypatch.context() as patched:
                recorded_game = RecordedGame(key, begun, scores, past, patched)
                await recorded_game.play()
            viewers |= {viewer for viewer, _ in recorded_game.frames}
            moved |= recorded_game.moved
            seen.append(recorded_game.list_frames_seen_by(seat))
        for one, other in zip(*seen, strict=False):
            assert one[0] == other[0], f"seat {seat} sees what it must not:\n{one[0]}\n{other[0]}"
        assert seen[0] == seen[1]
    assert viewers > {None}, "only curtains were compared"
    assert moved, "nothing has moved"


@pytest.mark.parametrize("key", GAMES)
async def test_hands_are_shown_only_after_curtain(key, monkeypatch):
    app = TableApp(create_session(key, seats=SEAT_COUNTS[key], people=count_people(key)))
    rng, keyboard, painted = Random(key), [None], TableWidget.paint

    def paint(view, width, height):
        frame = view.frame
        if frame.stage is Stage.PLAY:
            assert frame.view.seat == keyboard[0], "a hand is shown before the curtain falls"
        elif frame.stage is Stage.CURTAIN:
            assert not frame.hand.cards
        return painted(view, width, height)

    monkeypatch.setattr(TableWidget, "paint", paint)
    async with app.run_test(size=(80, 24)) as pilot:
        while app.table.session.referee.decisions < 150 and app.view.round < 3:
            await wait_for_input(pilot, app)
            frame, driver = app.table.frame, app.table.controller
            stage = frame.stage
            if stage is Stage.CURTAIN:
                assert frame.handover_seat == app.table.session.referee.turn != keyboard[0]
                keyboard[0] = frame.handover_seat
                driver.proceed()
            elif stage is Stage.PLAY:
                assert keyboard[0] == app.table.session.referee.turn, "another player is on turn, but no curtain fell"
                driver.submit(choose_action(frame.view.legal, rng))
            elif stage is Stage.SESSION_END:
                return
            else:
                keyboard[0] = None
                driver.proceed()
