"""Least terminal size, 60x18: the mat shows what has no panel, and boxes cover no played card."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from cardtable.engine.game import OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from tests.ui.canvas_rendering import APPEARANCE, get_rows, make_view_frame

POINTS = r"[0-9]( ×4)? (for|to)|−[0-9]+ ×|all of it|is shared|lapses|all that is left"
SEATS = ("You", "Ada", "Bo", "Cy")


def paint_at_least_size(key, view):
    """Paint the table at 60x18 with its decision box open, if there is one; return the canvas and the decision."""
    decision = get_game_view(key).decision(view, SEATS)
    seen = make_view_frame(GAMES[key], view, SEATS, waiting=True, decision=decision, in_box=decision is not None)
    canvas = Canvas(60, 18, APPEARANCE)
    paint_table(canvas, replace(seen, option=decision.start if decision else 0))
    return canvas, decision


def iter_random_views(key):
    """Yield the view of the seat to act at each decision of some rounds played at random."""
    for seed in range(4):
        table, rng = Referee(GAMES[key], 4, GAMES[key].options(), seed), Random(seed)
        while table.turn != OVER and len(table.scores) < 12:
            table.advance()
            if table.turn >= 0:
                view = replace(table.view(table.turn))
                yield view
                table.play(table.turn, rng.choice(view.legal))


@pytest.mark.parametrize("key", ["king", "rifki"])
def test_box_leaves_trick_visible_and_shows_points(key):
    titles, over_a_trick = set(), 0
    for view in iter_random_views(key):
        canvas, decision = paint_at_least_size(key, view)
        for card in view.trick:
            place = canvas.card_bounds[card]
            left = [canvas.chars[place.y + row][place.x] for row in range(place.height)]
            assert left == ["▏"] * place.height or left == ["★"], str(canvas)
            over_a_trick += decision is not None
        if decision is not None:
            titles.add(decision.title.split()[-2 if "offers" in decision.title else 0])
            below = "\n".join(get_rows(canvas)[3:])
            assert re.search(POINTS, below), below
        if view.trick:
            assert re.search(r"[0-9]( ×4)? for (a |K♥|all six|tricks [0-9, ]+[0-9])", get_rows(canvas)[2]), get_rows(
                canvas
            )[2]
    assert titles >= {"Your"}
    if key == "king":
        assert over_a_trick
        assert len(titles) > 2, "boxes of offers and of answers were painted"
