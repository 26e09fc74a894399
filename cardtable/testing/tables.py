"""A table and its journal: what is written can be read again, and what is not allowed changes nothing."""

import json
from collections.abc import Callable, Iterable
from functools import partial

from cardtable.engine import journal, replay
from cardtable.engine.contract import CHANCE, OVER, Action, ranked
from cardtable.engine.journal import End, Line
from cardtable.engine.table import IllegalAction, Table
from cardtable.testing.sessions import Case, facts


def reloaded(case: Case, lines: Iterable[Line]) -> Table:
    """The table that the written journal gives."""
    return replay.load(journal.read(written(case, lines)), {case.game.about.key: case.game})


def written(case: Case, lines: Iterable[Line]) -> bytes:
    """The journal of a session as bytes."""
    seats = tuple(journal.SeatOf(f"Seat{seat}", "random") for seat in range(case.seats))
    header = journal.Header(
        cardtable=1,
        id="soak",
        created="2000-01-01T00:00:00Z",
        game=case.game.about.key,
        seed=0,
        options=case.options.items(),
        seats=seats,
    )
    return journal.write([header, *lines])


def told(table: Table) -> str:
    """The line that ``trace`` prints, but for its number."""
    return json.dumps({**replay.trace(0, table), "turn": table.turn})


def known(table: Table) -> tuple[object, ...]:
    """All that a table knows of a session."""
    return (
        facts(table._state),
        tuple(table.scores),
        table.decisions,
        table.undone,
        table.ended,
        table._drawn,
        table._voids,
    )


def refused(table: Table, attempt: Callable[[], object]) -> None:
    """What is not allowed raises, and changes nothing."""
    before = known(table)
    try:
        attempt()
    except IllegalAction:
        assert known(table) == before, "what was refused changed something"
    else:
        raise AssertionError("it was not refused")


def only_what_is_legal_can_be_done(table: Table, other_actions: Iterable[Action]) -> None:
    """Nobody acts out of turn, illegally, or for chance."""
    turn, legal = table.turn, table._state.legal() if table.turn >= 0 else ()
    for seat in range(-2, table.seats + 1):
        for action in [*legal[:2], *other_actions]:
            if seat != turn or action not in legal:
                refused(table, partial(table.play, seat, action))
                refused(table, partial(table.take, Line(seat=seat, action=str(action))))
    if turn != CHANCE:
        refused(table, lambda: table.take(Line(chance="deal AS")))
        refused(table, lambda: table.take(Line(chance="first 0")))
    if turn != OVER:
        totals = table.totals
        refused(table, lambda: table.take(Line(end=End(totals, ranked(totals), table.undone))))
    if not table.playing:
        refused(table, lambda: table.void("clock"))
    back = len(table._before)
    refused(table, lambda: table.undo(back + 1))
    refused(table, lambda: table.undo(0))
