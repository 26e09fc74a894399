"""Seating of duplicate tournaments: everybody meets everybody as far as possible, in all seats."""

from collections import Counter
from itertools import combinations

import pytest

from cardtable.club.server.tournament_seating import create_seating


def count_meetings(seating, people):
    """Return how many pairs of people meet never, once, twice and so on."""
    met = Counter(
        pair
        for groups in seating
        for group in groups
        for pair in combinations(sorted(person for person in group if person < people), 2)
    )
    return Counter(met[pair] for pair in combinations(range(people), 2))


@pytest.mark.parametrize(
    ("people", "seats", "rounds", "meetings"),
    [
        (8, 4, 2, {0: 8, 1: 16, 2: 4}),  # of four people, two pairs meet again at one of two tables
        (8, 4, 7, {3: 28}),
        (12, 4, 2, {0: 33, 1: 30, 2: 3}),
        (12, 4, 5, {0: 6, 1: 30, 2: 30}),
        (16, 4, 5, {1: 120}),
        (20, 4, 5, {0: 40, 1: 150}),
        (9, 4, 3, {0: 9, 1: 27}),
        (9, 3, 4, {1: 36}),
        (7, 2, 7, {1: 21}),
    ],
)
def test_people_meet_others(people, seats, rounds, meetings):
    seating = create_seating(people, seats, rounds)
    assert count_meetings(seating, people) == meetings
    tables = -(-people // seats)
    sat = Counter()
    for groups in seating:
        assert sorted(person for group in groups for person in group) == [*range(tables * seats)]
        assert max(sum(person >= people for person in group) for group in groups) <= 1, "robots are spread"
        sat.update((person, seat) for group in groups for seat, person in enumerate(group))
    for person in range(people):
        times = [sat[person, seat] for seat in range(seats)]
        assert max(times) - min(times) <= 1
