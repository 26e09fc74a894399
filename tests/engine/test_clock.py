"""Clocks count what people use, and nothing else."""

from cardtable.engine.clock import Clock
from cardtable.engine.journal import Line

PERSON, ROBOT = 0, 1


def used(*lines: Line) -> float:
    clock = Clock([PERSON])
    for line in lines:
        clock.add(line)
    return clock.used


def test_a_persons_lines_cost_the_time_since_the_line_before():
    assert used(Line(chance="deal AS", at=1), Line(seat=PERSON, action="bid 1", at=5.5)) == 4.5


def test_robots_lines_cost_nothing():
    deal = Line(chance="deal AS", at=1)
    assert used(deal, Line(seat=ROBOT, action="bid 1", at=9), Line(seat=PERSON, action="bid 1", at=10)) == 1


def test_talk_in_ones_own_turn_does_not_stop_the_clock():
    deal = Line(chance="deal AS", at=1)
    assert used(deal, Line(say="well", seat=PERSON, at=3), Line(seat=PERSON, action="bid 1", at=4)) == 3
    assert used(deal, Line(name="Friday", at=3), Line(seat=PERSON, action="bid 1", at=4)) == 3


def test_talk_while_a_robot_thinks_costs_nothing():
    talk = Line(say="well", seat=PERSON, at=8)
    robot, person = Line(seat=ROBOT, action="bid 1", at=9), Line(seat=PERSON, action="bid 1", at=10)
    assert used(Line(chance="deal AS", at=1), talk, robot, person) == 1


def test_the_time_goes_on_from_talk_where_it_came_last():
    clock = Clock([PERSON])
    for line in (Line(chance="deal AS", at=1), Line(say="bye", seat=PERSON, at=8)):
        clock.add(line)
    assert (clock.last, clock.latest) == (1, 8)


def test_taking_back_gives_no_time_back_and_costs_its_own():
    clock = Clock([PERSON])
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
        clock.add(line)
    assert clock.spent == {PERSON: 63}, "the last one took back what a robot had done"
    assert clock.used == 63


def test_a_deal_and_a_void_round_begin_anew():
    before = [Line(chance="deal AS", at=0), Line(seat=PERSON, action="bid 1", at=7)]
    assert used(*before, Line(void="clock", at=8)) == 0
    assert used(*before, Line(chance="deal AS", at=8), Line(seat=PERSON, action="bid 0", at=10)) == 2


def test_lines_without_a_time_cost_nothing():
    assert used(Line(chance="deal AS"), Line(seat=PERSON, action="bid 1")) == 0


def test_each_person_has_a_time_for_the_session_that_no_deal_gives_back():
    clock = Clock([0, 1])
    for line in (
        Line(chance="deal AS", at=1),
        Line(seat=0, action="stock", at=4),
        Line(seat=1, action="stock", at=4.5),
        Line(void="clock", at=5),
        Line(chance="deal AS", at=5),
        Line(seat=0, action="stock", at=7),
    ):
        clock.add(line)
    assert clock.spent == {0: 5, 1: 0.5}
    assert clock.used == 2
