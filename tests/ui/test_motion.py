"""Animation of cards: start and destination; nothing waits for it."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.engine.game import CHANCE
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import Play
from cardtable.games import GAMES
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.store.settings import Settings
from cardtable.ui.game_view import motion
from cardtable.ui.toolkit.painting.canvas import Canvas, Sprite
from cardtable.ui.toolkit.painting.layout import compute_layout, compute_trick_positions
from tests.ui.canvas_rendering import APPEARANCE, make_view_frame, render_table
from tests.ui.driver import SMALL as SIZE
from tests.ui.driver import at_table, sit_at
from tests.ui.table_host import TableApp, create_session

ANIMATED = Settings(robot_pace=0.01, trick_pause=0.6)


def paint_view(game, view, size=SIZE):
    return render_table(make_view_frame(GAMES[game], view), size)


def animate_between(game, before, after, taker=None):
    return motion.animate_moves(paint_view(game, before), paint_view(game, after), before.turn, taker)


def get_plate_area(canvas, seat):
    place = canvas.card_bounds[motion.format_plate_key(seat)]
    return range(place.x - 2, place.x + place.width), range(place.y - 2, place.y + place.height)


def play_until_trick_card(seat=0):
    """Return the views of seat 0 in Rikiki before and after ``seat`` plays a card, and the card."""
    game, robot = GAMES["rikiki"], make_robot("random", "rikiki")
    table = Referee(game, 4, game.options(), 3)
    while True:
        if table.turn == CHANCE:
            table.advance()
            continue
        before, view = table.view(0), table.view(table.turn)
        action = decide(robot, view, 1, table.decisions)
        acts = table.turn
        table.play(acts, action)
        if isinstance(action, Play) and acts == seat and view.cards > 4 and table.view(0).trick:
            return before, table.view(0), action.card


def test_own_card_moves_from_hand_to_trick():
    before, after, card = play_until_trick_card(seat=0)
    (flight,) = animate_between("rikiki", before, after)
    hand = paint_view("rikiki", before).card_bounds[card]
    assert flight.start == (hand.x, hand.y)
    assert flight.end == compute_trick_positions(compute_layout(*SIZE))[0]


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_card_of_other_seat_starts_at_its_plate(seat):
    before, after, _ = play_until_trick_card(seat)
    (flight,) = animate_between("rikiki", before, after)
    columns, rows = get_plate_area(paint_view("rikiki", before), seat)
    assert flight.start[0] in columns
    assert flight.start[1] in rows
    assert flight.end == compute_trick_positions(compute_layout(*SIZE))[seat]


def test_trick_moves_to_winner():
    _, after, _ = play_until_trick_card(seat=3)
    cards = (0, 14, 28, 42)
    full = replace(after, trick=cards, leader=1, turn=-1, hand=0)
    gathered = animate_between("rikiki", full, replace(after, trick=(), turn=2, hand=0), taker=2)
    assert len(gathered) == 4
    columns, rows = get_plate_area(paint_view("rikiki", after), 2)
    assert all(flight.end[0] in columns and flight.end[1] in rows for flight in gathered)
    assert [flight.start for flight in gathered] == [
        compute_trick_positions(compute_layout(*SIZE))[seat] for seat in (1, 2, 3, 0)
    ]


def test_sprites_leave_canvas_unchanged():
    canvas = Canvas(20, 5, APPEARANCE)
    canvas.write(0, 2, "what lies below", APPEARANCE.theme.inks.text)
    small = Canvas(4, 3, APPEARANCE)
    small.write(0, 1, "card", APPEARANCE.theme.inks.text)
    for x, seen in ((2, "whcardies below"), (-2, "rdat lies below"), (18, "what lies below   ca")):
        strip = canvas.render_row(2, [Sprite(x, 1, small)])
        assert strip.text.rstrip() == seen
        assert strip.cell_length == 20
    assert canvas.render_row(2).text.rstrip() == "what lies below"


# At the table


@asynccontextmanager
async def sit_at_moving_card():
    """Open a table and wait until a card moves, confirming every request meanwhile."""
    async with at_table(TableApp(create_session("rikiki", 11), ANIMATED)) as table:
        while not table.screen.view.shown_sprites:
            if table.screen.controller.is_awaiting_input:
                await table.press("enter")
            await asyncio.sleep(0.002)
        yield table


async def test_key_ends_animation_and_has_effect():
    async with sit_at_moving_card() as table:
        await table.press("m")
        assert not table.screen.view.shown_sprites
        assert table.overlay is not None


@pytest.mark.parametrize("still", [{"animation": False}, {"robot_pace": 0.0}, {"trick_pause": 0.0}])
async def test_no_animation_without_delays(still, monkeypatch):
    monkeypatch.setattr(motion, "create_sprites", lambda *_: pytest.fail("a card moves"))
    settings = Settings(**{"robot_pace": 0.01, "trick_pause": 0.01, **still})
    async with sit_at(create_session("rikiki", 11), settings=settings) as table:
        await table.play_until(lambda frame: frame.stage is Stage.ROUND_END)
