"""Mouse at the table: select, play, draw from the stock, right button, click on the title."""

import pytest

from cardtable.games import KEYS
from cardtable.games.bridge.rules.actions import DONE, DRAW
from cardtable.ui.game_view.hand_cursor import MAT, HintRow, PointAction, PointCard, PointOption
from cardtable.ui.toolkit.page import KeyTarget
from tests.ui.bursts import click_events, send
from tests.ui.driver import sit_at
from tests.ui.table_host import create_session


def find_click_point(view, target):
    """Return a point in the middle of the target's cells that nothing else covers."""
    canvas = view.canvas
    points = [(x, y) for y in range(canvas.height) for x in range(canvas.width) if canvas.hit_test(x, y) == target]
    assert points, f"no {target} in\n{canvas}"
    return points[len(points) // 2]


async def click(table, target, **how):
    await table.pilot.click(table.screen.view, offset=find_click_point(table.screen.view, target), **how)


CARD_GAMES = ["rikiki", "gurka", "king", "bridge"]


def is_free_bid(frame):
    return frame.in_box and len(frame.view.legal) > 5


def is_card_choice(frame):
    """Return true if the player has to choose one of several cards."""
    return frame.waiting and not frame.in_box and sum(map(frame.hand.can_select, frame.hand.cards)) > 1


@pytest.mark.parametrize(
    ("key", "is_reached", "keys", "get_target", "prompt"),
    [
        *[(key, is_card_choice, "", lambda frame: PointCard(frame.hand.at), " to play it") for key in CARD_GAMES],
        ("gurka", is_card_choice, "left h", lambda frame: PointCard(frame.hand.at), ""),
        *[("gurka", is_card_choice, "h", lambda _, row=row: HintRow(row), "") for row in (0, 1)],
        ("rikiki", is_free_bid, "", lambda frame: PointOption(frame.option), " to bid"),
    ],
    ids=[*CARD_GAMES, "hinted card", "first row of a hint", "second row of a hint", "bid"],
)
async def test_preselected_choice_needs_two_clicks(key, is_reached, keys, get_target, prompt):
    async with sit_at(create_session(key, 11), until=is_reached) as table:
        before = table.decisions
        await table.press(keys)
        if "h" in keys:
            await table.wait_until(lambda: table.frame.advice)
        target = get_target(table.frame)
        await click(table, target)
        assert (table.decisions, get_target(table.frame)) == (before, target)
        assert not isinstance(target, HintRow) or table.frame.hint_row == target.index
        await table.sees(f"Click again{prompt}")
        await click(table, target)
        await table.wait_for_decision(before + 1)


async def test_keyboard_selected_card_needs_one_click():
    async with sit_at(create_session("gurka", 11), until=is_card_choice) as table:
        before = table.decisions
        await table.press("right")
        await click(table, PointCard(table.frame.hand.at))
        await table.wait_for_decision(before + 1)
        await table.play_until(is_card_choice)
        before = table.decisions
        await click(table, PointCard(table.frame.hand.at), times=2)
        await table.wait_for_decision(before + 1)


async def test_click_on_down_key_of_hint():
    async with sit_at(create_session("rummy", 11)) as table:
        await table.act_until(lambda frame: "add" in frame.hand.bar)
        before = table.decisions
        await table.press("h")
        await table.wait_until(lambda: table.frame.advice is not None)
        await click(table, KeyTarget("down"))
        assert table.decisions == before
        assert table.frame.hint_row == 1


async def test_click_on_box_of_decision_just_made_is_ignored():
    async with sit_at(create_session("rikiki", 11), until=is_free_bid) as table:
        before = table.decisions
        point = find_click_point(table.screen.view, PointOption(table.frame.option))
        table.screen.controller.submit(table.frame.box_actions[0])
        send(table.app, [*click_events(*point)])
        await table.wait_for_decision(before + 1)


@pytest.mark.parametrize("key", ["king", "rikiki", "bridge", "rifki", "ten_down"])
async def test_click_on_mat_plays_nothing(key):
    async with sit_at(create_session(key, **{"offers": "off"} if key == "king" else {})) as table:
        await table.play_until(lambda frame: frame.waiting and len(frame.view.legal) == 1)
        before = table.decisions
        await click(table, MAT, times=2)
        await table.pilot.pause()
        assert table.decisions == before


async def test_click_on_stock_draws():
    async with sit_at(create_session("bridge", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and frame.view.legal == (DRAW,))
        before = table.decisions
        await click(table, PointAction(DRAW))
        await table.wait_for_decision(before + 1)


async def test_click_on_stock_explains_refusal():
    async with sit_at(create_session("bridge", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and DRAW not in frame.view.legal)
        before = table.decisions
        await click(table, PointAction(DRAW))
        assert table.frame.reason == table.frame.game.explain_illegal(table.view, 0) != ""
        await table.sees(table.frame.reason)
        assert table.decisions == before


def can_end_turn(frame):
    """Return true if the turn can be ended or continued."""
    return frame.waiting and frame.in_box and DONE in frame.view.legal and frame.hand.selectable


async def test_right_button_ends_bridge_turn():
    async with sit_at(create_session("bridge", 3), until=can_end_turn) as table:
        before = table.decisions
        await table.press("right")
        assert not table.frame.in_box
        await click(table, MAT, button=3)
        await table.wait_for_decision(before + 1)
        assert DONE not in table.frame.view.legal


@pytest.mark.parametrize("key", ["gurka", "rikiki", "rummy"])
async def test_right_button_plays_nothing_in_other_games(key):
    async with sit_at(create_session(key, 11)) as table:
        before = table.decisions
        for spot in [*table.screen.view.canvas.hit_boxes]:
            if not isinstance(spot.target, KeyTarget):
                await table.pilot.click(table.screen.view, offset=(spot.x, spot.y), button=3, times=2)
        assert table.decisions == before
        await table.press("right")
        assert table.decisions == before


@pytest.mark.parametrize("key", KEYS)
async def test_click_on_title_opens_rules(key):
    async with sit_at(create_session(key, 11)) as table:
        await table.click(3, 0)
        await table.wait_until(lambda: table.app.requests)
        assert table.app.requests == [("rules", key, table.referee.options)]
