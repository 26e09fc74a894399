"""Mouse at the table: select, play, draw from the stock, right button, click on the title."""

import pytest

from cardtable.games import GAMES, KEYS
from cardtable.games.bridge.rules.actions import DONE, DRAW
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.decision import BID_COLUMNS
from cardtable.ui.game_view.hand_cursor import MAT, PointAction, PointCard, PointOption
from cardtable.ui.toolkit.footer import KeyTarget
from tests.ui.screen_text import screen_text
from tests.ui.table_host import Host, asked, session, until
from tests.ui.test_hot_seat import play_until

SIZE = (80, 24)


def table(key, seed=11, **options):
    return Host(session(key, seed, seats=GAMES[key].about.usual_seats, **options))


def place(app, target):
    """Return a point in the middle of the target's cells that nothing else covers."""
    canvas = app.table.view.canvas
    found = [(x, y) for y in range(canvas.height) for x in range(canvas.width) if canvas.hit_test(x, y) == target]
    assert found, f"no {target} in\n{canvas}"
    return found[len(found) // 2]


async def click(pilot, app, target, **how):
    await pilot.click(app.table.view, offset=place(app, target), **how)


def decisions(app):
    return app.table.session.referee.decisions


def to_play(frame):
    """Return true if the player has to choose one of several cards."""
    return frame.waiting and not frame.in_box and sum(map(frame.hand.can_select, frame.hand.cards)) > 1


@pytest.mark.promise(
    "Keys and mouse",
    "The preselected card, too, takes two clicks; the mat plays nothing; a click on the title opens the rules.",
)
@pytest.mark.parametrize("key", ["rikiki", "gurka", "king", "bridge"])
async def test_a_click_on_the_card_that_the_program_points_at_selects_it_and_a_second_one_plays(key):
    app = table(key)
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, to_play, "play")
        before = decisions(app)
        card = app.table.frame.hand.at
        await click(pilot, app, PointCard(card))
        assert (decisions(app), app.table.frame.hand.at) == (before, card)
        assert "Click again to play it" in screen_text(app)
        await click(pilot, app, PointCard(card))
        await until(pilot, lambda: decisions(app) > before)


async def test_a_card_that_keys_have_gone_to_is_played_by_one_click_and_any_other_by_a_double_click():
    app = table("gurka")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, to_play, "play")
        before = decisions(app)
        await pilot.press("right")
        await click(pilot, app, PointCard(app.table.frame.hand.at))
        await until(pilot, lambda: decisions(app) > before)
        await play_until(pilot, app, to_play, "play")
        before = decisions(app)
        await click(pilot, app, PointCard(app.table.frame.hand.at), times=2)
        await until(pilot, lambda: decisions(app) > before)


async def test_a_hint_points_too_and_its_card_is_clicked_twice():
    app = table("gurka")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, to_play, "play")
        before = decisions(app)
        await pilot.press("left", "h")
        await until(pilot, lambda: app.table.frame.advice is not None)
        card = app.table.frame.hand.at
        await click(pilot, app, PointCard(card))
        assert decisions(app) == before
        await click(pilot, app, PointCard(card))
        await until(pilot, lambda: decisions(app) > before)


async def test_so_is_a_bid_that_the_box_begins_on():
    app = table("rikiki")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.box and len(frame.view.legal) > BID_COLUMNS)
        before = decisions(app)
        await click(pilot, app, PointOption(app.table.frame.option))
        assert decisions(app) == before
        assert "Click again to bid" in screen_text(app)
        await click(pilot, app, PointOption(app.table.frame.option))
        await until(pilot, lambda: decisions(app) > before)


@pytest.mark.promise(
    "Keys and mouse",
    "The preselected card, too, takes two clicks; the mat plays nothing; a click on the title opens the rules.",
)
@pytest.mark.parametrize("key", ["king", "rikiki", "bridge", "rifki", "ten_down"])
async def test_a_click_on_the_mat_plays_nothing_where_one_play_is_legal(key):
    app = table(key, **{"offers": "off"} if key == "king" else {})
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and len(frame.view.legal) == 1, "play")
        before = decisions(app)
        await click(pilot, app, MAT, times=2)
        await pilot.pause()
        assert decisions(app) == before


@pytest.mark.promise(
    "Keys and mouse",
    "In Bridge a click on the blind draws or explains why not; Right or the right button ends the turn.",
)
async def test_a_click_on_the_blind_draws():
    app = table("bridge")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and frame.view.legal == (DRAW,))
        before = decisions(app)
        await click(pilot, app, PointAction(DRAW))
        await until(pilot, lambda: decisions(app) > before)


@pytest.mark.promise(
    "Keys and mouse",
    "In Bridge a click on the blind draws or explains why not; Right or the right button ends the turn.",
)
async def test_a_click_on_the_blind_says_why_nothing_is_drawn():
    app = table("bridge")
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.waiting and DRAW not in frame.view.legal)
        before = decisions(app)
        await click(pilot, app, PointAction(DRAW))
        assert app.table.frame.reason == app.table.frame.game.explain_illegal(app.view, 0) != ""
        assert app.table.frame.reason in screen_text(app)
        assert decisions(app) == before


def ends(frame):
    """Return true if the turn can be ended or continued."""
    return frame.waiting and frame.in_box and DONE in frame.view.legal and frame.hand.selectable


@pytest.mark.promise(
    "Keys and mouse",
    "In Bridge a click on the blind draws or explains why not; Right or the right button ends the turn.",
)
@pytest.mark.parametrize("how", ["right", "right button"])
async def test_in_bridge_right_ends_the_turn_and_left_leads_to_the_cards(how):
    app = table("bridge", 3)
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, ends, "play")
        before = decisions(app)
        assert "Enter →" in screen_text(app).split("\n")[-2]
        await pilot.press("left")
        assert not app.table.frame.in_box
        await pilot.press("right")
        assert decisions(app) == before, "among the cards it moves"
        await pilot.press("tab")
        await (pilot.press("right") if how == "right" else click(pilot, app, MAT, button=3))
        await until(pilot, lambda: decisions(app) > before)
        assert DONE not in app.table.frame.view.legal


@pytest.mark.parametrize("how", ["right", "right button"])
async def test_in_bridge_right_goes_on_after_a_round(how):
    app = table("bridge", 3)
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.stage is Stage.ROUND_END)
        await (pilot.press("right") if how == "right" else pilot.click(offset=(10, 10), button=3))
        await until(pilot, lambda: app.table.frame.stage is Stage.PLAY)


@pytest.mark.parametrize("key", ["gurka", "rikiki", "rummy"])
async def test_in_other_games_the_right_button_plays_nothing(key):
    app = table(key)
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app)
        before = decisions(app)
        for spot in [*app.table.view.canvas.hit_boxes]:
            if not isinstance(spot.target, KeyTarget):
                await pilot.click(app.table.view, offset=(spot.x, spot.y), button=3, times=2)
        assert decisions(app) == before
        await pilot.press("right")
        assert decisions(app) == before


@pytest.mark.promise(
    "Keys and mouse",
    "The preselected card, too, takes two clicks; the mat plays nothing; a click on the title opens the rules.",
)
@pytest.mark.parametrize("key", KEYS)
async def test_a_click_on_the_title_opens_the_rules(key):
    app = table(key)
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app)
        await pilot.click(offset=(3, 0))
        await until(pilot, lambda: app.told)
        assert app.told == [("rules", key, app.table.session.referee.options)]
