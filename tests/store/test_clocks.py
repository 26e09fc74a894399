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
from cardtable.store.sessions import TimeUsage

PERSON, ROBOT = 0, 1
SEATS = (Occupant("Anna"), Occupant("Bo", "steady"))


DEAL = ChanceLine("deal AS", at=1)
PLAYED = ActionLine(PERSON, "bid 1", at=7)


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        pytest.param([ActionLine(PERSON, "bid 1", at=5.5)], 4.5, id="since the previous line"),
        pytest.param([ActionLine(ROBOT, "bid 1", at=5), PLAYED], 2, id="robots use no time"),
        pytest.param([TalkLine(text="well", seat=PERSON, at=3), PLAYED], 6, id="talk on the own turn"),
        pytest.param([NameLine("Friday", at=3), PLAYED], 6, id="name on the own turn"),
        pytest.param(
            [TalkLine(text="well", seat=PERSON, at=4), ActionLine(ROBOT, "bid 1", at=6), PLAYED],
            1,
            id="talk on a robot's turn",
        ),
        pytest.param([PLAYED, VoidLine("clock", at=8)], 0, id="void round"),
        pytest.param(
            [PLAYED, ChanceLine("deal AS", at=8), ActionLine(PERSON, "bid 0", at=10)],
            2,
            id="next deal",
        ),
        pytest.param([ActionLine(PERSON, "bid 1")], 0, id="lines without time"),
    ],
)
def test_time_used_in_round(lines, seconds):
    clock = TimeUsage(SEATS)
    for line in (DEAL, *lines):
        clock.add_line(line)
    assert clock.used_in_round == seconds


def test_latest_time_includes_talk():
    clock = TimeUsage(SEATS)
    for line in (DEAL, TalkLine(text="bye", seat=PERSON, at=8)):
        clock.add_line(line)
    assert (clock.decision_start, clock.latest_time) == (1, 8)


def test_undo_returns_no_time():
    clock = TimeUsage(SEATS)
    for line in (
        ChanceLine("deal AS", at=1),
        ActionLine(PERSON, "drop AS", at=3),
        ActionLine(ROBOT, "stock", at=4),
        ActionLine(ROBOT, "drop 2S", at=5),
        UndoLine(decisions=3, at=65),
        ActionLine(PERSON, "drop 3S", at=66),
        ActionLine(ROBOT, "stock", at=67),
        UndoLine(decisions=1, at=99),
    ):
        clock.add_line(line)
    assert (clock.get_time_used(PERSON), clock.get_time_used(ROBOT)) == (63, None), (
        "the last one took back what a robot had done"
    )
    assert clock.used_in_round == 63


def test_session_time_is_not_reset_by_deals():
    clock = TimeUsage([Occupant("Anna"), Occupant("Tom")])
    for line in (
        ChanceLine("deal AS", at=1),
        ActionLine(0, "stock", at=4),
        ActionLine(1, "stock", at=4.5),
        VoidLine("clock", at=5),
        ChanceLine("deal AS", at=5),
        ActionLine(0, "stock", at=7),
    ):
        clock.add_line(line)
    assert (clock.get_time_used(0), clock.get_time_used(1)) == (5, 0.5)
    assert clock.used_in_round == 2


def test_new_occupant_has_own_time_and_returning_one_continues():
    clock = TimeUsage([Occupant("Anna"), Occupant("Tom")])
    for line in (
        ChanceLine("deal AS", at=0),
        ActionLine(0, "stock", at=7),
        OccupantLine(0, "Max", at=10),
    ):
        clock.add_line(line)
    assert clock.get_time_used(0) == 0
    for line in (ActionLine(0, "drop AS", at=12), OccupantLine(0, "Bo", robot="steady", at=12)):
        clock.add_line(line)
    assert clock.get_time_used(0) is None
    for line in (ActionLine(0, "stock", at=20), OccupantLine(0, "Anna", at=21)):
        clock.add_line(line)
    assert clock.get_time_used(0) == 7
    assert clock.used_in_round == 9, "nobody pays for the time until somebody has sat down, nor for the robot's"


def test_clock_stops_at_forfeit():
    clock = TimeUsage([Occupant("Anna"), Occupant("Tom")])
    for line in (
        ChanceLine("deal AS", at=0),
        ActionLine(0, "stock", at=4),
        ActionLine(1, "stock", at=10),
        ForfeitLine(0, "clock", at=306),
    ):
        clock.add_line(line)
    assert (clock.get_time_used(0), clock.get_time_used(1)) == (300, 6)
