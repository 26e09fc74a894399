"""Clocks: the time that people use."""

import pytest

from cardtable.engine.journal import Line, Occupant
from cardtable.store.clocks import TimeUsage

PERSON, ROBOT = 0, 1
SEATS = (Occupant("Anna"), Occupant("Bo", "steady"))


DEAL = Line(chance="deal AS", at=1)
PLAYED = Line(seat=PERSON, action="bid 1", at=7)


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        pytest.param([Line(seat=PERSON, action="bid 1", at=5.5)], 4.5, id="since the previous line"),
        pytest.param([Line(seat=ROBOT, action="bid 1", at=5), PLAYED], 2, id="robots use no time"),
        pytest.param([Line(say="well", seat=PERSON, at=3), PLAYED], 6, id="talk on the own turn"),
        pytest.param([Line(name="Friday", at=3), PLAYED], 6, id="name on the own turn"),
        pytest.param(
            [Line(say="well", seat=PERSON, at=4), Line(seat=ROBOT, action="bid 1", at=6), PLAYED],
            1,
            id="talk on a robot's turn",
        ),
        pytest.param([PLAYED, Line(void="clock", at=8)], 0, id="void round"),
        pytest.param(
            [PLAYED, Line(chance="deal AS", at=8), Line(seat=PERSON, action="bid 0", at=10)], 2, id="next deal"
        ),
        pytest.param([Line(seat=PERSON, action="bid 1")], 0, id="lines without time"),
    ],
)
def test_time_used_in_round(lines, seconds):
    clock = TimeUsage(SEATS)
    for line in (DEAL, *lines):
        clock.add_line(line)
    assert clock.used_in_round == seconds


def test_latest_time_includes_talk():
    clock = TimeUsage(SEATS)
    for line in (DEAL, Line(say="bye", seat=PERSON, at=8)):
        clock.add_line(line)
    assert (clock.decision_start, clock.latest_time) == (1, 8)


def test_undo_returns_no_time():
    clock = TimeUsage(SEATS)
    for line in (
        Line(chance="deal AS", at=1),
        Line(seat=PERSON, action="drop AS", at=3),
        Line(seat=ROBOT, action="stock", at=4),
        Line(seat=ROBOT, action="drop 2S", at=5),
        Line(undo=3, at=65),
        Line(seat=PERSON, action="drop 3S", at=66),
        Line(seat=ROBOT, action="stock", at=67),
        Line(undo=1, at=99),
    ):
        clock.add_line(line)
    assert (clock.get_time_used(PERSON), clock.get_time_used(ROBOT)) == (63, None), (
        "the last one took back what a robot had done"
    )
    assert clock.used_in_round == 63


def test_session_time_is_not_reset_by_deals():
    clock = TimeUsage([Occupant("Anna"), Occupant("Tom")])
    for line in (
        Line(chance="deal AS", at=1),
        Line(seat=0, action="stock", at=4),
        Line(seat=1, action="stock", at=4.5),
        Line(void="clock", at=5),
        Line(chance="deal AS", at=5),
        Line(seat=0, action="stock", at=7),
    ):
        clock.add_line(line)
    assert (clock.get_time_used(0), clock.get_time_used(1)) == (5, 0.5)
    assert clock.used_in_round == 2


def test_new_occupant_has_own_time_and_returning_one_continues():
    clock = TimeUsage([Occupant("Anna"), Occupant("Tom")])
    for line in (Line(chance="deal AS", at=0), Line(seat=0, action="stock", at=7), Line(sit=0, name="Max", at=10)):
        clock.add_line(line)
    assert clock.get_time_used(0) == 0
    for line in (Line(seat=0, action="drop AS", at=12), Line(sit=0, name="Bo", robot="steady", at=12)):
        clock.add_line(line)
    assert clock.get_time_used(0) is None
    for line in (Line(seat=0, action="stock", at=20), Line(sit=0, name="Anna", at=21)):
        clock.add_line(line)
    assert clock.get_time_used(0) == 7
    assert clock.used_in_round == 9, "nobody pays for the time until somebody has sat down, nor for the robot's"


def test_clock_stops_at_forfeit():
    clock = TimeUsage([Occupant("Anna"), Occupant("Tom")])
    for line in (
        Line(chance="deal AS", at=0),
        Line(seat=0, action="stock", at=4),
        Line(seat=1, action="stock", at=10),
        Line(forfeit=0, why="clock", at=306),
    ):
        clock.add_line(line)
    assert (clock.get_time_used(0), clock.get_time_used(1)) == (300, 6)
