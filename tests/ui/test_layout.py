"""Layout of the table: card sizes, positions and whole names at each terminal size."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cardtable.engine.game import OVER
from cardtable.engine.referee import Referee
from cardtable.games import GAMES
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.toolkit.painting.canvas import join_names, shorten_names_to_fit
from cardtable.ui.toolkit.painting.layout import (
    SIZES,
    choose_trick_card_size,
    compute_layout,
    compute_trick_positions,
    list_fitting_sizes,
)
from tests import golden_files
from tests.ui.canvas_rendering import get_rows, make_view_frame, render_sheet, render_table
from tests.ui.driver import TINY
from tests.ui.positions import reach_position

GAMES_AND_SEATS = [(key, game.about.usual_seats) for key, game in GAMES.items()]
CARDS = ("11x9", "9x7", "7x5", "5x3", "line")


def paint_position(key, size, cards="auto", **changes):
    return render_table(reach_position(key, **changes), size, cards=cards)


@pytest.mark.parametrize(
    ("size", "fit"),
    [
        ((60, 18), ("line",)),
        ((79, 20), ("5x3", "line")),
        ((60, 44), ("9x7", "7x5", "5x3", "line")),
        ((80, 24), ("7x5", "5x3", "line")),
        ((120, 40), ("9x7", "7x5", "5x3", "line")),
        ((139, 46), ("9x7", "7x5", "5x3", "line")),
        ((140, 46), ("11x9", "9x7", "7x5", "5x3", "line")),
        ((200, 60), ("11x9", "9x7", "7x5", "5x3", "line")),
    ],
)
def test_larger_terminals_fit_larger_cards(size, fit):
    assert list_fitting_sizes(*size) == fit
    assert compute_layout(*size, "auto") == compute_layout(*size, fit[0])


SCREENS = st.tuples(st.integers(60, 230), st.integers(18, 70))


@given(SCREENS, st.sampled_from(CARDS), st.sampled_from([2, 3, 4, 6]))
@settings(deadline=None)
def test_layout_areas_do_not_overlap(size, cards, seats):
    grid, card = compute_layout(*size, cards), choose_trick_card_size(compute_layout(*size, cards), seats)
    mat, places = grid.mat, compute_trick_positions(grid, seats)
    cells = {(x + i, y + j) for x, y in places for i in range(card.width) for j in range(card.height)}
    assert len(cells) == len(places) * card.width * card.height
    assert all(mat.x <= x <= mat.right and mat.y <= y <= mat.bottom for x, y in cells)
    assert min(y for _, y in places) > mat.y, "no card touches the plate above"
    assert mat.bottom < grid.facts.y <= grid.prompt_row - grid.facts.height
    assert grid.board.x <= mat.x - grid.side_width
    assert mat.right + grid.side_width <= grid.board.right < grid.panel.x
    assert mat.bottom < grid.prompt_row < grid.hand_row - 1
    assert grid.hand_row + grid.card.height == size[1] - 1


@pytest.mark.parametrize("cards", CARDS)
@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40), (160, 50)])
@pytest.mark.parametrize(("key", "seats"), GAMES_AND_SEATS)
def test_hand_cards_have_chosen_size(key, seats, size, cards):
    canvas, grid = paint_position(key, size, cards, seats=seats), compute_layout(*size, cards)
    hand = [
        spot for spot in canvas.hit_boxes if type(spot.target).__name__ == "PointCard" and spot.y >= grid.hand_row - 1
    ]
    assert hand
    assert {spot.height for spot in hand} <= {grid.card.height, grid.card.height + 1}
    assert SIZES[cards if cards in list_fitting_sizes(*size) else list_fitting_sizes(*size)[0]][0] == grid.card


@pytest.mark.parametrize("cards", ["5x3", "line"])
@pytest.mark.parametrize("key", ["rikiki", "bridge", "rummy"])
def test_small_cards_golden(key, cards):
    golden_files.check_golden(f"sizes/{key}_{cards}_80x24.txt", f"{paint_position(key, (80, 24), cards)}\n")


@pytest.mark.parametrize("key", ["king", "rummy"])
def test_phone_held_upright_golden(key):
    golden_files.check_golden(f"sizes/{key}_60x48.txt", f"{paint_position(key, (60, 48))}\n")


@pytest.mark.parametrize("key", ["rikiki", "bridge", "rummy"])
def test_very_large_terminal_golden(key):
    golden_files.check_golden(f"sizes/{key}_200x60.txt", f"{paint_position(key, (200, 60))}\n")


POINTS = r"[0-9]( ×4)? (for|to)|−[0-9]+ ×|all of it|is shared|lapses|all that is left"
SEATS = ("You", "Ada", "Bo", "Cy")


def paint_at_least_size(key, view):
    """Paint the table at 60x18 with its decision box open, if there is one; return the canvas and the decision."""
    decision = get_game_view(key).decision(view, SEATS)
    seen = make_view_frame(GAMES[key], view, SEATS, waiting=True, decision=decision, in_box=decision is not None)
    return render_table(replace(seen, option=decision.start if decision else 0), TINY), decision


def iter_random_views(key):
    """Yield the view of the seat to act at each decision of some rounds played at random."""
    for seed in range(2):
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


LONG_NAMES = ("You", "Ferdinan", "Ferdinal", "Ferdinar", "Ferdinas", "Ferdinat")
WINDOWS = [(60, 18), (80, 24), (120, 40)]


def paint_long_names(key, size):
    seen = reach_position(key, seats=6 if key == "gurka" else None)
    seen = replace(seen, names=LONG_NAMES[: len(seen.names)])
    return render_table(seen, size), seen


@pytest.mark.parametrize("size", WINDOWS, ids=str)
@pytest.mark.parametrize("key", GAMES)
def test_names_are_complete_at_table_and_in_panel(key, size):
    canvas, seen = paint_long_names(key, size)
    panel = compute_layout(*size).panel
    for name in seen.names[1:]:
        assert any(name in row[: panel.x] for row in get_rows(canvas)[1:]), canvas
        assert not panel.width or any(name in row[panel.x :] for row in get_rows(canvas)[1:]), canvas


@pytest.mark.parametrize("size", WINDOWS, ids=str)
@pytest.mark.parametrize("key", GAMES)
def test_names_are_complete_on_score_sheet(key, size):
    _, seen = paint_long_names(key, size)
    sheet = get_rows(render_sheet(seen, None, *size))
    assert seen.view.round == 1 or f"round {seen.view.round}" in sheet[0]
    heads = next(filter(None, (sheet[1].split("  Totals")[0], sheet[2]))).replace("★", "").split()
    assert (key == "gurka" and size == (60, 18)) or set(seen.names) <= set(heads), heads
    assert len(set(heads)) >= len(seen.names), heads
    if key in {"king", "rifki"} and size != (60, 18):
        dealers = {re.match(r"\W*\d+ (\S+)", row)[1] for row in sheet[5:12]}
        assert dealers == set(seen.names), sheet[5:12]


@pytest.mark.parametrize(
    ("room", "shortened"),
    [
        (27, "You Ferdinan Wilhelmi Bo"),
        (21, "You Ferdinan Wilhelmi Bo"),
        (20, "You Ferdin… Wilhel… Bo"),
        (11, "You Fer Wil Bo"),
        (5, "You Fer Wil Bo"),
    ],
)
def test_names_are_shortened_evenly(room, shortened):
    assert shorten_names_to_fit(["You", "Ferdinan", "Wilhelmi", "Bo"], room) == shortened.split()
    assert join_names(["You", "Ferdinan", "Wilhelmi", "Bo"], room + 3) == shortened
