"""Hot seat with two to six people: the curtain between them and its contents."""

import re

import pytest

from cardtable.session.session_events import Stage
from cardtable.store import sessions
from cardtable.ui.game_view.hand_cursor import PointCard
from cardtable.ui.table.overlays import PublicMessages, ScoreSheet
from cardtable.wording.formatting import format_card
from cardtable.wording.log_entries import get_sender
from tests import golden_files
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, open_table, wait_for_input, wait_until

SIZES = [(80, 24), (120, 40), (60, 18)]
SMALL = SIZES[0]


def choose_action(view, *kinds):
    """Return the first legal action of the first kind that is possible, or else the first legal action."""
    actions = [a for kind in kinds for a in view.legal if str(a).startswith(kind)]
    return (actions or [*view.legal])[0]


async def play_until(pilot, app, condition, *kinds):
    """Let all players take the first action, preferably of these kinds, until a condition of the frame is true."""
    for _ in range(2000):
        await wait_for_input(pilot, app)
        if condition(app.table.frame):
            return
        if app.table.frame.stage is Stage.PLAY:
            app.table.controller.submit(choose_action(app.table.frame.view, *kinds))
        else:
            app.table.controller.proceed()
    raise AssertionError("it never came")


def is_curtain(frame, *, round_=1, seat=None):
    return (
        frame.stage is Stage.CURTAIN
        and frame.view.round == round_
        and frame.handover_seat in ({seat} - {None} or {0, 1, 2})
    )


async def check_curtain_in_all_sizes(pilot, app, key):
    for width, height in SIZES:
        await pilot.resize_terminal(width, height)
        await pilot.pause()
        golden_files.check_golden(f"curtain_{key}_{width}x{height}.txt", screen_text(app))


async def test_golden_curtain_of_trick_game():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_curtain(frame, round_=7, seat=1))
        await check_curtain_in_all_sizes(pilot, app, "rikiki")


async def test_golden_curtain_of_rummy():
    app = TableApp(create_session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=SMALL) as pilot:
        turns = ("meld", "add", "drop", "take 2", "stock")
        await play_until(pilot, app, lambda frame: is_curtain(frame) and frame.view.table, *turns)
        await check_curtain_in_all_sizes(pilot, app, "rummy")


async def test_no_curtain_between_own_actions():
    app = TableApp(create_session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting)
        seat = app.view.seat
        for kind in ("stock", "drop"):
            assert (app.table.frame.stage, app.view.seat) == (Stage.PLAY, seat)
            app.table.controller.submit(choose_action(app.view, kind))
            await wait_for_input(pilot, app)
        assert (app.table.frame.stage, app.table.frame.handover_seat) == (Stage.CURTAIN, 1 - seat)


async def test_no_curtain_against_robots():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.CURTAIN or frame.view.round == 4)
        assert app.table.frame.stage is not Stage.CURTAIN


async def test_curtain_after_every_round():
    app = TableApp(create_session("rikiki", 12, people=2))
    async with app.run_test(size=SMALL) as pilot:
        repeated_calls = 0
        for round_ in range(1, 8):
            await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
            last = app.view.seat
            app.table.controller.proceed()
            await wait_for_input(pilot, app)
            assert app.table.frame.stage is Stage.CURTAIN
            assert app.view.round == round_ + 1
            repeated_calls += app.table.frame.handover_seat == last
        assert repeated_calls


async def test_score_sheet_and_messages_at_curtain():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_curtain(frame, round_=5))
        text = screen_text(app)
        for key, cover in (("s", ScoreSheet), ("m", PublicMessages)):
            await pilot.press(key)
            assert isinstance(app.table.view.overlay, cover)
            assert screen_text(app) != text
            await pilot.press("enter")
            assert screen_text(app) == text, "Enter closes the overlay and shows no hand"
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)


async def test_curtain_shows_only_public_messages():
    """The previous player may read them before leaving the keyboard."""
    app = TableApp(create_session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=(120, 40)) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting)
        anna = app.view.seat
        app.table.controller.submit(choose_action(app.view, "stock"))
        await wait_for_input(pilot, app)
        drawn = format_card(app.view.drawn)
        assert f"draws {drawn}" in screen_text(app)
        app.table.controller.submit(choose_action(app.view, *[f"drop {card}" for card in ("2", "3", "4", "5")]))
        await play_until(pilot, app, lambda frame: is_curtain(frame, seat=anna), "stock", "drop")
        assert "Since your last turn" in screen_text(app)
        assert "draws a card and discards" in screen_text(app)
        await pilot.press("m")
        assert f"draws {drawn}" not in screen_text(app)
        await pilot.press("enter", "enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        await pilot.press("m")
        assert f"draws {drawn}" in screen_text(app), "the player reads private messages on their own turn"


@pytest.mark.parametrize("key", ["m", "l", "h"])
async def test_curtain_closes_overlay(key):
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.game_view.previous_trick(frame.view))
        await pilot.press(key)
        assert app.table.view.overlay
        while app.table.frame.stage is Stage.PLAY:
            app.table.controller.submit(choose_action(app.view))
            await wait_for_input(pilot, app)
        assert app.table.frame.stage is Stage.CURTAIN
        assert app.table.view.overlay is None


async def test_curtain_cancels_drag():
    app = TableApp(create_session("rummy", 11, seats=2, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.drew, "stock")
        await pilot.pause()
        spots = app.table.view.canvas.hit_boxes
        spot = next(spot for spot in spots if spot.target == PointCard(app.table.frame.hand.cards[0]))
        await pilot.mouse_down(offset=(spot.x, spot.y + 1))
        await pilot.hover(offset=(30, 10))
        assert app.table.view.shown_sprites
        app.table.controller.submit(choose_action(app.view, "drop"))
        await wait_for_input(pilot, app)
        await pilot.hover(offset=(31, 10))
        assert app.table.frame.stage is Stage.CURTAIN
        assert not app.table.view.shown_sprites
        await pilot.press("enter")
        await wait_until(pilot, lambda: app.table.frame.waiting)
        await pilot.hover(offset=(32, 10))
        assert not app.table.view.shown_sprites


async def test_resumed_curtain_shows_same_messages():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, lambda frame: is_curtain(frame, round_=5) and len(frame.missed.messages) > 3)
        before, path = app.table.frame.missed, app.table.session.path
        handover_seat = app.table.frame.handover_seat
    again = TableApp(sessions.resume(path))
    async with open_table(again, SMALL) as pilot:
        assert (again.table.frame.stage, again.table.frame.handover_seat) == (Stage.CURTAIN, handover_seat)
        assert (again.table.frame.missed.has_acted, again.table.frame.missed.messages) == (
            before.has_acted,
            before.messages,
        )
        assert again.table.frame.missed.since is None, "the time of the last turn is not stored"


async def test_curtain_while_robots_act_first():
    app = TableApp(create_session("rikiki", 11, people=2))
    frames = []
    async with app.run_test(size=SMALL) as pilot:
        show = app.table.view_model.on_change

        def watch():
            show()
            frames.append((app.table.frame.stage, app.table.frame.handover_seat, screen_text(app)))

        app.table.view_model.on_change = watch
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END and frame.view.round == 6)
        frames.clear()
        app.table.controller.proceed()
        await wait_for_input(pilot, app)
        assert any(handover_seat is None for _, handover_seat, _ in frames), (
            "some frames are from before a player was called"
        )
        for stage, handover_seat, text in frames:
            assert stage is Stage.CURTAIN
            assert ("press Enter" in text) == (handover_seat is not None)


async def test_all_people_are_called_by_name():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        assert app.table.frame.names[:2] == ["Anna", "Bob"]
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.round == 5 and not frame.decision)
        assert {get_sender(note, app.table.frame.names) for note in app.table.frame.messages} == {
            "****",
            "Anna",
            "Bob",
            "Ada",
            "Bo",
        }
        for key in ("m", "s"):
            await pilot.press(key)
            text = screen_text(app)
            assert "Anna" in text
            assert "You" not in re.sub(r"You (lead|have your bid|must)", "", text)
            await pilot.press(key)


@pytest.mark.parametrize("size", SIZES)
async def test_undo_is_refused_with_several_people(size):
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=size) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting)
        await pilot.pause()
        await pilot.press("u")
        await pilot.pause()
        assert "Can't undo: several people are playing" in screen_text(app)
        assert app.table.session.referee.undone == 0


async def test_undo_at_curtain_does_nothing():
    app = TableApp(create_session("rikiki", 11, people=2))
    async with app.run_test(size=SMALL) as pilot:
        await play_until(pilot, app, is_curtain)
        await pilot.pause()
        before = screen_text(app)
        await pilot.press("u")
        await pilot.pause()
        assert screen_text(app) == before
