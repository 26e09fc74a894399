"""Names of eight letters that differ in the last one: complete where there is room, otherwise distinct."""

import re

import pytest
from msgspec.structs import replace

from cardtable.engine.game import competition_ranks
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.ui.round_view.playhead import RoundCursor, RowSnapshot
from cardtable.ui.round_view.round_list import paint_finished
from cardtable.ui.table.paint.table_widget import paint_table
from cardtable.ui.toolkit.painting.canvas import Canvas, join_names, shorten_names_to_fit
from cardtable.ui.toolkit.painting.layout import compute_layout
from tests.every_game import TRICK_GAMES
from tests.session.test_round_replay import RecordedSession
from tests.ui.canvas_rendering import APPEARANCE, get_rows, make_view_frame, render_sheet
from tests.ui.positions import reach_position

NAMES = ("You", "Ferdinan", "Ferdinal", "Ferdinar", "Ferdinas", "Ferdinat")
SIZES = [(60, 18), (80, 24), (120, 40)]
FIXED_ROUNDS = {"rikiki": 28, "king": 40, "rifki": 20, "ten_down": 10}
"""Number of rounds of the games that have a fixed one."""


def paint_long_names(key, size):
    seen = reach_position(key, seats=6 if key == "gurka" else None)
    seen = replace(seen, names=NAMES[: len(seen.names)])
    canvas = Canvas(*size, APPEARANCE)
    paint_table(canvas, seen)
    return canvas, seen


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("key", GAMES)
def test_names_are_complete_at_table_and_in_panel(key, size):
    canvas, seen = paint_long_names(key, size)
    panel = compute_layout(*size).panel
    for name in seen.names[1:]:
        assert any(name in row[: panel.x] for row in get_rows(canvas)[1:]), canvas
        assert not panel.width or any(name in row[panel.x :] for row in get_rows(canvas)[1:]), canvas


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_plate_opposite_fits_its_text(size):
    _, seen = paint_long_names("rifki", size)
    canvas = Canvas(*size, APPEARANCE)
    paint_table(canvas, replace(seen, thinking_robot=2))
    y, row = next((y, row) for y, row in enumerate(get_rows(canvas)) if "thinking" in row)
    start, end = row.index("Ferdinal"), row.index("thinking") + len("thinking")
    assert len({canvas.grounds[y][x] for x in range(start - 1, end + 1)}) == 1
    assert canvas.grounds[y][start - 2] != canvas.grounds[y][start] or size == (120, 40)


@pytest.mark.parametrize("size", SIZES, ids=str)
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


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("key", GAMES)
def test_header_shows_round_and_names_of_equal_length(key, size):
    canvas, seen = paint_long_names(key, size)
    row = get_rows(canvas)[0]
    assert f"round {seen.view.round}{f' of {FIXED_ROUNDS[key]}' if key in FIXED_ROUNDS else ''} " in row
    names = re.findall(r"(\S+) \u2212?\d+(?= |$)", row[row.index("You") :])
    others = names[1:]
    assert len(set(others)) == len(seen.names) - 1, row
    assert len({len(name) for name in others}) == 1, row
    assert size == (60, 18) or key == "gurka" or others == list(seen.names[1:]), row


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("key", GAMES)
def test_names_are_complete_in_last_deal(key, size):
    seats = 6 if key == "gurka" else GAMES[key].about.usual_seats
    cursor = RoundCursor(RecordedSession(key, seats).play_through_round(1).replay())
    canvas = Canvas(*size, APPEARANCE)
    paint_finished(canvas, RowSnapshot(cursor, NAMES[:seats], 0), ())
    panel = compute_layout(*size).panel
    heads = "\n".join(row[: panel.x] for row in get_rows(canvas)[1 : 2 * seats + 1 if size == (60, 18) else None])
    assert all(name in heads for name in NAMES[:seats]), canvas
    assert (
        size == (60, 18)
        or key in TRICK_GAMES
        or "Ferdinan" in "\n".join(row[panel.x :] for row in get_rows(canvas)[3:])
    )


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("size", SIZES[1:], ids=str)
@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("key", GAMES)
def test_names_are_complete_at_round_and_session_end(key, over, size, rounds):
    seats = 6 if key == "gurka" else GAMES[key].about.usual_seats
    state = RecordedSession(key, seats).play_through_round(rounds).table
    places = competition_ranks(state.totals, lowest_wins=state.game.lowest_wins) if over else None
    stage = Stage.SESSION_END if over else Stage.ROUND_END
    seen = make_view_frame(
        GAMES[key], state.view(0), NAMES[:seats], scores=tuple(state.scores), ranks=places, stage=stage
    )
    canvas = Canvas(*size, APPEARANCE)
    paint_table(canvas, seen)
    board = compute_layout(*size).panel.x
    halves = [row[:board] for row in get_rows(canvas)[1:]], [row[board:] for row in get_rows(canvas)[1:]]
    assert all(any(name in row for row in part) for part in halves for name in NAMES[:seats]), canvas


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
