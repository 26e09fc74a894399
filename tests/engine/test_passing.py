"""Play or pass."""

import pytest

from cardtable.engine.passing import begin_passing

ALL = (True,) * 4


def record(*moves, reopens=False):
    """Record of a pile after moves such as ``0 plays`` and ``1 passes``."""
    passing = begin_passing(4)
    for move in moves:
        seat, cards = move.split()
        passing = passing.with_pass(int(seat)) if cards == "passes" else passing.with_play(int(seat), reopens=reopens)
    return passing


@pytest.mark.parametrize(
    ("moves", "reopens", "active", "following"),
    [
        (["0 plays"], False, ALL, 1),
        (["0 plays", "1 passes"], False, ALL, 2),
        (["0 plays", "1 passes", "2 plays", "3 passes"], False, ALL, 0),
        (["0 plays", "1 passes", "2 plays", "3 passes", "0 passes"], False, ALL, None),
        (["0 plays", "1 passes", "2 plays", "3 passes", "0 passes"], True, ALL, 1),
        (["0 plays", "1 passes", "2 passes", "3 passes"], False, ALL, None),
        (["0 plays"], False, (False, False, True, True), 2),
        (["0 plays", "2 passes"], False, (False, False, True, True), 3),
        (["0 plays", "2 passes", "3 passes"], False, (False, False, True, True), None),
        (["0 plays"], False, (True, False, False, False), None),
    ],
)
def test_next_seat_is_active_and_has_not_passed(moves, reopens, active, following):
    last = int(moves[-1].split()[0])
    assert record(*moves, reopens=reopens).find_next_seat(active, last) == following


@pytest.mark.parametrize(
    ("active", "leader"), [(ALL, 2), ((True, True, False, True), 3), ((True, True, False, False), 0)]
)
def test_pile_belongs_to_the_seat_that_played_last(active, leader):
    assert record("1 plays", "2 plays", "3 passes", "0 passes", "1 passes").find_leader(active) == leader
