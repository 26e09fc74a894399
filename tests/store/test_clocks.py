"""Clocks: the time that people use."""

import pytest

from cardtable.engine.journal import (
    ActionLine,
    ChanceLine,
    ForfeitLine,
    NameLine,
    Occupant,
    OccupantLine,
    TalkLine,
    UndoLine,
    VoidLine,
)
from cardtable.store.session_clocks import TimeUsage

SEATS = (Occupant("Anna"), Occupant("Bo", "steady"), Occupant("Tom"))
DEAL = "deal AS"
LINES = {
    "talk": lambda seconds: TalkLine(text="well", seat=0, at=seconds),
    "name": lambda seconds: NameLine("Friday", at=seconds),
    "void": lambda seconds: VoidLine("clock", at=seconds),
    "forfeit": lambda seconds: ForfeitLine(0, "clock", at=seconds),
    "deal": lambda seconds: ChanceLine(DEAL, at=seconds),
    "Anna": lambda seconds: ActionLine(0, "stock", at=seconds),
    "Bo": lambda seconds: ActionLine(1, "stock", at=seconds),
    "Tom": lambda seconds: ActionLine(2, "stock", at=seconds),
    "undo": lambda seconds: UndoLine(decisions=1, at=seconds),
    "undo-3": lambda seconds: UndoLine(decisions=3, at=seconds),
    "undo-Anna": lambda seconds: UndoLine(decisions=1, seat=0, at=seconds),
    "sit-Max": lambda seconds: OccupantLine(0, "Max", at=seconds),
    "sit-Bo": lambda seconds: OccupantLine(0, "Bo", robot="steady", at=seconds),
    "sit-Anna": lambda seconds: OccupantLine(0, "Anna", at=seconds),
}


def compute_usage(lines):
    """Return the clock after lines such as ``Anna 5``: a line of that kind, after five seconds."""
    clock = TimeUsage(SEATS)
    for line in lines.split(", "):
        kind, _, seconds = line.partition(" ")
        clock.add_line(LINES[kind](float(seconds) if seconds else None))
    return clock


@pytest.mark.parametrize(
    ("lines", "in_round", "used"),
    [
        pytest.param("deal 1, Anna 5.5", 4.5, (4.5, 0), id="since the previous line"),
        pytest.param("deal 1, Bo 5, Anna 7", 2, (2, 0), id="robots use no time"),
        pytest.param("deal 1, talk 3, Anna 7", 6, (6, 0), id="talk on the own turn"),
        pytest.param("deal 1, name 3, Anna 7", 6, (6, 0), id="name on the own turn"),
        pytest.param("deal 1, talk 4, Bo 6, Anna 7", 1, (1, 0), id="talk on a robot's turn"),
        pytest.param("deal 1, Anna 7, void 8", 0, (6, 0), id="void round"),
        pytest.param("deal 1, Anna 7, deal 8, Anna 10", 2, (8, 0), id="next deal"),
        pytest.param("deal 1, Anna", 0, (0, 0), id="lines without time"),
        pytest.param("deal 1, Anna 4, Tom 4.5, void 5, deal 5, Anna 7", 2, (5, 0.5), id="deals reset no session time"),
        # the last undo takes back what a robot has done
        pytest.param("deal 1, Anna 3, Bo 4, Bo 5, undo-3 65, Anna 66, Bo 67, undo 99", 63, (63, 0), id="undo"),
        pytest.param("deal 0, Anna 5, Tom 7, undo-Anna 10, Anna 11", 11, (9, 2), id="choice taken back by its seat"),
        pytest.param("deal 0, Anna 4, Tom 10, forfeit 306", 306, (300, 6), id="forfeit"),
        pytest.param("deal 0, Anna 7, sit-Max 10", 7, (0, 0), id="new occupant"),
        pytest.param("deal 0, Anna 7, sit-Max 10, Anna 12, sit-Bo 12", 9, (None, 0), id="robot in the seat"),
        pytest.param(
            "deal 0, Anna 7, sit-Max 10, Anna 12, sit-Bo 12, Anna 20, sit-Anna 21", 9, (7, 0), id="returning occupant"
        ),
    ],
)
def test_time_used_in_round_and_session(lines, in_round, used):
    clock = compute_usage(lines)
    assert clock.used_in_round == in_round
    assert (clock.get_time_used(0), clock.get_time_used(2)) == used
    assert clock.get_time_used(1) is None, "a robot has no clock"
