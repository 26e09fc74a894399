"""Check that the end of a round and of a session, and the score sheet, can be painted at every size."""

from random import Random
from typing import Final

from cardtable.engine.game import Seat
from cardtable.engine.journal import Line
from cardtable.engine.referee import Referee
from cardtable.session.session_events import Stage
from cardtable.testing.cases import Case, play_random_action
from cardtable.testing.input_checks import SIZES, choose_game_view, create_canvas
from cardtable.testing.session_checks import assert_not_endless
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.paint.score_sheet import has_reverse_side, paint_contracts, paint_sheet
from cardtable.ui.table.paint.table_view import paint_table

_FIRST_ROUNDS: Final = 2
"""Number of rounds whose end is painted; after the last one, the end of the session is."""


def check_round_ends(case: Case, seed: int) -> None:
    """Play a session, and paint what each seat sees after its first rounds and at its end."""
    lines: list[Line] = []
    rng, referee, painted = Random(f"round ends {case} {seed}"), case.create_referee(seed, lines.append), 0
    while not referee.ended:
        play_random_action(referee, rng)
        assert_not_endless(lines)
        if painted < len(referee.scores) <= _FIRST_ROUNDS or referee.ended:
            painted = len(referee.scores)
            for seat in range(case.seats):
                _paint_everything(_create_frame(case, referee, seat))


def _create_frame(case: Case, referee: Referee, seat: Seat) -> TableViewState:
    """Return what a seat sees after a round."""
    return TableViewState(
        view=referee.view(seat),
        game=case.game,
        game_view=choose_game_view(case.game),
        names=[f"Seat{number}" for number in range(case.seats)],
        stage=Stage.SESSION_END if referee.ended else Stage.ROUND_END,
        scores=tuple(referee.scores),
        ranks=referee.ranks if referee.ended else None,
        results=referee.totals if referee.ended else None,
    )


def _paint_everything(frame: TableViewState) -> None:
    """Paint the table and the score sheet, with its reverse side, at every size."""
    for size in SIZES:
        paint_table(create_canvas(size), frame)
        paint_sheet(create_canvas(size), frame, 0)
        if has_reverse_side(canvas := create_canvas(size), frame):
            paint_contracts(canvas, frame)
