"""Time of a full repaint of the table at 120x40, step by step, and of a frame of motion.

    python benchmarks/repaint.py

The screen has a hand of thirteen cards of which some may be played, three cards of a trick, panel and messages.  The
time that the terminal library needs to turn the same rows into bytes is printed separately; for a frame of motion it
is included, since no other rows are sent.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from random import Random

from msgspec.structs import replace
from rich.console import Console
from textual.geometry import Region, Size

from cardtable.engine.game import CHANCE
from cardtable.engine.log_entries import MadeBid
from cardtable.engine.referee import Referee
from cardtable.engine.tricks import TrickView
from cardtable.games import GAMES
from cardtable.store import paths
from cardtable.ui.game_view import motion
from cardtable.ui.game_view.hand_cursor import HandCursor
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.table_widget import TableWidget, paint_table
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas, find_changed_regions
from cardtable.ui.toolkit.painting.themes import Appearance

WIDTH, HEIGHT = 120, 40
MAX_MS, MAX_FRAME_MS = 8, 3
RUNS = 200
FRAMES = 6
"""Frames of one motion."""
FULL_ROUND = 13


def create_view_state() -> TableFrame:
    """Return the view state of the largest round, with three cards on the table and the player to follow."""
    game, rng = GAMES["rikiki"], Random(5)
    table = Referee(game, 4, game.options(), 7)
    while True:
        if table.turn == CHANCE:
            table.advance()
            continue
        view = table.view(table.turn)
        assert isinstance(view, TrickView)
        if table.round == FULL_ROUND and len(view.trick) == 3 and len(view.legal) > 1:
            break
        table.play(table.turn, rng.choice(view.legal))
    names = ["Ada", "Bo", "Cy", "Dee"]
    names[table.turn] = "You"
    game_view = get_game_view("rikiki")
    return TableFrame(
        view=view,
        game=game,
        game_view=game_view,
        names=names,
        scores=tuple(table.scores),
        messages=tuple(MadeBid(seat % 4, seat) for seat in range(20)),
        waiting=True,
        hand=HandCursor().with_hand(game_view.order(view), view.legal),
    )


def paint_canvas(view_state: TableFrame, appearance: Appearance) -> Canvas:
    """Paint the table on a new canvas."""
    canvas = Canvas(WIDTH, HEIGHT, appearance)
    paint_table(canvas, view_state)
    return canvas


def measure_median(step: Callable[[], object]) -> float:
    """Return the milliseconds of a step."""
    times = []
    for _ in range(RUNS):
        started_at = time.perf_counter()
        step()
        times.append(time.perf_counter() - started_at)
    return 1000 * statistics.median(times)


class Board(TableWidget):
    """The table's widget without a terminal: it records the regions to refresh."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.appearance)
        self.canvas = canvas
        self.sent: tuple[Region, ...] = ()

    @property
    def size(self) -> Size:
        return Size(WIDTH, HEIGHT)

    def refresh(self, *regions: Region, **_: object) -> "Board":
        """Record the regions to refresh."""
        self.sent = regions
        return self


def create_frame_step(
    canvas: Canvas, flights: Sequence[motion.Motion], console: Console
) -> tuple[Callable[[], int], int]:
    """Return a step from one frame to the next, and the maximum number of bytes it sends."""
    board, number, seconds = Board(canvas), 0, max(flight.end_time for flight in flights)

    def step() -> int:
        nonlocal number
        number += 1
        board.set_sprites(motion.create_sprites(flights, number % FRAMES * seconds / FRAMES))
        rows = [board.render_line(region.y).crop(region.x, region.right).render(console) for region in board.sent]
        return sum(map(len, rows))

    return step, max(step() for _ in range(FRAMES))


def main() -> None:
    """Measure each step on the same screen."""
    appearance = Appearance(themes.load_theme("classic", paths.theme_files())[0])
    view_state = create_view_state()
    before, after = (
        paint_canvas(view_state, appearance),
        paint_canvas(replace(view_state, hand=view_state.hand.move(1)), appearance),
    )
    console = Console(color_system="truecolor", force_terminal=True)

    def list_strips() -> list:
        return [before.render_row(y) for y in range(HEIGHT)]

    paint_ms, strip_ms, diff_ms = (
        measure_median(lambda: paint_canvas(view_state, appearance)),
        measure_median(list_strips),
        measure_median(lambda: find_changed_regions(before, after)),
    )
    encode_ms = measure_median(lambda: [strip.render(console) for strip in list_strips()]) - strip_ms
    print(f"paint {paint_ms:.1f} ms, rows to strips {strip_ms:.1f} ms: {paint_ms + strip_ms:.1f} ms (at most {MAX_MS})")
    print(
        f"find what differs where the cursor has moved {diff_ms:.1f} "
        f"ms, in {len(find_changed_regions(before, after))} rows"
    )
    hand = motion.animate_hand(before)
    flights_by_name = {
        "a card": hand[:1],
        "four cards": hand[:4],
        f"a hand of {len(hand)}": hand,
        "a deal": motion.animate_deal(before, range(1, 4)),
    }
    for cards, flights in flights_by_name.items():
        step, max_bytes = create_frame_step(before, flights, console)
        print(
            f"a frame of {cards} on the way {measure_median(step):.1f} ms (at most {MAX_FRAME_MS}), "
            f"{max_bytes} bytes at most"
        )
    print(
        f"the library, strips to bytes {encode_ms:.1f} ms: "
        f"painting takes {(paint_ms + strip_ms) / encode_ms:.1f} times that"
    )


if __name__ == "__main__":
    main()
