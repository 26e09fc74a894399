"""Table screen of Bridge: golden screens of decisions about eights, jacks and bridge."""

import pytest

from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from tests import golden_files
from tests.games.bridge.test_rules import go_out_with_two_jacks, start_session
from tests.ui.canvas_rendering import APPEARANCE, make_view_frame

NAMES = ("You", "Ada", "Bo")
MOMENTS = {
    "eights": lambda: start_session().deal("8C 8D 8H").do("play 8C, play 8D"),
    "jacks": go_out_with_two_jacks,
    "call": lambda: start_session().deal("9C 9D 9H 9S").do("play 9C, play 9D, play 9H, play 9S"),
}


def paint_decision(game, size):
    """Paint the table as seen by the seat on turn, which is named You."""
    shape, view = get_game_view("bridge"), game.view()
    names = NAMES[-view.seat :] + NAMES[: -view.seat]
    seen = make_view_frame(game.game, view, names, waiting=True, decision=shape.decision(view, names), in_box=True)
    canvas = Canvas(*size, APPEARANCE)
    paint_table(canvas, seen)
    return str(canvas)


@pytest.mark.promise(
    "The table",
    "All games share one table screen: board, side panel, messages, header, and a footer with the available keys.",
)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("moment", MOMENTS)
def test_golden_decisions(moment, size):
    text = paint_decision(MOMENTS[moment](), size)
    golden_files.check_golden(f"bridge_{moment}_{size[0]}x{size[1]}.txt", text)
