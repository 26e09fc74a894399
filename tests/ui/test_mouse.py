"""Mouse at the table: select, play, draw from the stock, right button, click on the title."""

import pytest

from cardtable.games import GAMES, KEYS
from cardtable.games.bridge.rules.actions import DONE, DRAW
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.decision import BID_COLUMNS
from cardtable.ui.game_view.hand_cursor import MAT, HintRow, PointAction, PointCard, PointOption
from cardtable.ui.toolkit.page import KeyTarget
from tests.ui.bursts import click_events, send
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, open_table, wait_until
from tests.ui.test_hot_seat import play_until

SIZE = (80, 24)


def create_host(key, seed=11, **options):
    return TableApp(create_session(key, seed, seats=GAMES[key].about.usual_seats, **options))


def find_click_point(app, target):
    """Return a point in the middle of the target's cells that nothing else covers."""
    canvas = app.table.view.canvas
    points = [(x, y) for y in range(canvas.height) for x in range(canvas.width) if canvas.hit_test(x, y) == target]
    assert points, f"no {target} in\n{canvas}"
    return points[len(points) // 2]


async def click(pilot, app, target, **how):
    await pilot.click(app.table.view, offset=find_click_point(app, target), **how)


def count_decisions(app):
    return app.table.session.referee.decisions


def is_card_choice(frame):
    """Return true if the player has to choose one of several cards."""
    return frame.waiting and not frame.in_box and sum(map(frame.hand.can_select, frame.hand.cards)) > 1


@pytest.mark.parametrize("key", ["rikiki", "gurka", "king", "bridge"])
async def test_preselected_card_needs_two_clicks(key):
    app = create_host(key)
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, is_card_choice, "play")
        before = count_decisions(app)
        card = app.table.frame.hand.at
        await click(pilot, app, PointCard(card))
        assert (count_decisions(app), app.table.frame.hand.at) == (before, card)
        assert "Click again to play it" in screen_text(app)
        await click(pilot, app, PointCard(card))
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_keyboard_selected_card_needs_one_click():
    app = create_host("gurka")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, is_card_choice, "play")
        before = count_decisions(app)
        await pilot.press("right")
        await click(pilot, app, PointCard(app.table.frame.hand.at))
        await wait_until(pilot, lambda: count_decisions(app) > before)
        await play_until(pilot, app, is_card_choice, "play")
        before = count_decisions(app)
        await click(pilot, app, PointCard(app.table.frame.hand.at), times=2)
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_hinted_card_needs_two_clicks():
    app = create_host("gurka")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, is_card_choice, "play")
        before = count_decisions(app)
        await pilot.press("left", "h")
        await wait_until(pilot, lambda: app.table.frame.advice is not None)
        card = app.table.frame.hand.at
        await click(pilot, app, PointCard(card))
        assert count_decisions(app) == before
        await click(pilot, app, PointCard(card))
        await wait_until(pilot, lambda: count_decisions(app) > before)


@pytest.mark.parametrize("row", [0, 1])
async def test_choice_of_hint_needs_two_clicks(row):
    app = create_host("gurka")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: is_card_choice(frame) and len(frame.view.legal) > 1, "play")
        before = count_decisions(app)
        await pilot.press("h")
        await wait_until(pilot, lambda: app.table.frame.advice is not None)
        await click(pilot, app, HintRow(row))
        assert count_decisions(app) == before
        assert app.table.frame.hint_row == row
        assert "Click again" in screen_text(app)
        await click(pilot, app, HintRow(row))
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_click_on_down_key_of_hint():
    app = create_host("rummy")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.box, "box")
        before = count_decisions(app)
        await pilot.press("h")
        await wait_until(pilot, lambda: app.table.frame.advice is not None)
        await click(pilot, app, KeyTarget("down"))
        assert count_decisions(app) == before
        assert app.table.frame.hint_row == 1


async def test_preselected_bid_needs_two_clicks():
    app = create_host("rikiki")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.box and len(frame.view.legal) > BID_COLUMNS)
        before = count_decisions(app)
        await click(pilot, app, PointOption(app.table.frame.option))
        assert count_decisions(app) == before
        assert "Click again to bid" in screen_text(app)
        await click(pilot, app, PointOption(app.table.frame.option))
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_click_on_box_of_decision_just_made_is_ignored():
    app = create_host("rikiki")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.box and len(frame.view.legal) > BID_COLUMNS)
        before = count_decisions(app)
        point = find_click_point(app, PointOption(app.table.frame.option))
        app.table.controller.submit(app.table.frame.box.actions[0])
        send(app, [*click_events(*point)])
        await wait_until(pilot, lambda: count_decisions(app) > before)


@pytest.mark.parametrize("key", ["king", "rikiki", "bridge", "rifki", "ten_down"])
async def test_click_on_mat_plays_nothing(key):
    app = create_host(key, **{"offers": "off"} if key == "king" else {})
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and len(frame.view.legal) == 1, "play")
        before = count_decisions(app)
        await click(pilot, app, MAT, times=2)
        await pilot.pause()
        assert count_decisions(app) == before


async def test_click_on_stock_draws():
    app = create_host("bridge")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.legal == (DRAW,))
        before = count_decisions(app)
        await click(pilot, app, PointAction(DRAW))
        await wait_until(pilot, lambda: count_decisions(app) > before)


async def test_click_on_stock_explains_refusal():
    app = create_host("bridge")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and DRAW not in frame.view.legal)
        before = count_decisions(app)
        await click(pilot, app, PointAction(DRAW))
        assert app.table.frame.reason == app.table.frame.game.explain_illegal(app.view, 0) != ""
        assert app.table.frame.reason in screen_text(app)
        assert count_decisions(app) == before


def can_end_turn(frame):
    """Return true if the turn can be ended or continued."""
    return frame.waiting and frame.in_box and DONE in frame.view.legal and frame.hand.selectable


@pytest.mark.parametrize("how", ["right", "right button"])
async def test_right_ends_bridge_turn(how):
    app = create_host("bridge", 3)
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, can_end_turn, "play")
        before = count_decisions(app)
        assert "Enter →" in screen_text(app).split("\n")[-2]
        await pilot.press("left")
        assert not app.table.frame.in_box
        await pilot.press("right")
        assert count_decisions(app) == before, "Right only moves the cursor within the hand"
        await pilot.press("tab")
        await (pilot.press("right") if how == "right" else click(pilot, app, MAT, button=3))
        await wait_until(pilot, lambda: count_decisions(app) > before)
        assert DONE not in app.table.frame.view.legal


@pytest.mark.parametrize("how", ["right", "right button"])
async def test_right_continues_bridge_after_round(how):
    app = create_host("bridge", 3)
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
        await (pilot.press("right") if how == "right" else pilot.click(offset=(10, 10), button=3))
        await wait_until(pilot, lambda: app.table.frame.stage is Stage.PLAY)


@pytest.mark.parametrize("key", ["gurka", "rikiki", "rummy"])
async def test_right_button_plays_nothing_in_other_games(key):
    app = create_host(key)
    async with open_table(app, SIZE) as pilot:
        before = count_decisions(app)
        for spot in [*app.table.view.canvas.hit_boxes]:
            if not isinstance(spot.target, KeyTarget):
                await pilot.click(app.table.view, offset=(spot.x, spot.y), button=3, times=2)
        assert count_decisions(app) == before
        await pilot.press("right")
        assert count_decisions(app) == before


@pytest.mark.parametrize("key", KEYS)
async def test_click_on_title_opens_rules(key):
    app = create_host(key)
    async with open_table(app, SIZE) as pilot:
        await pilot.click(offset=(3, 0))
        await wait_until(pilot, lambda: app.requests)
        assert app.requests == [("rules", key, app.table.session.referee.options)]
