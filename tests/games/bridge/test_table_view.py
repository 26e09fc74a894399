"""The table of Bridge at the moments when words decide: eights, jacks, bridge or not."""

import pytest

from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.paint.table_view import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas
from tests import golden_files
from tests.games.bridge.test_rules import sitting, two_jacks_out
from tests.ui.painted import APPEARANCE, make_view_frame

NAMES = ("You", "Ada", "Bo")
MOMENTS = {
    "eights": lambda: sitting().deal("8C 8D 8H").do("play 8C, play 8D"),
    "jacks": two_jacks_out,
    "call": lambda: sitting().deal("9C 9D 9H 9S").do("play 9C, play 9D, play 9H, play 9S"),
}


def asked(game, size):
    """The table as the seat to act sees it, which is called You."""
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
def test_what_words_decide_looks_as_drawn(moment, size):
    text = asked(MOMENTS[moment](), size)
    golden_files.check_golden(f"bridge_{moment}_{size[0]}x{size[1]}.txt", text)
