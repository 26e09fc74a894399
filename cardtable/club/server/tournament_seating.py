"""Seating of duplicate tournaments: who sits at which table, and in which seat, in each round.

The seating depends only on the number of people, the number of seats at a table and the number of rounds. People are
numbered from 0; greater numbers are robots, which fill up the tables. First the groups are chosen, so that people meet
as many others as possible, then the seats, so that everyone sits in each of them equally often.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations, permutations
from math import exp, isqrt
from random import Random
from typing import Final, TypeAlias

Group: TypeAlias = tuple[int, ...]
"""Numbers of those who sit at one table, by seat once the seats have been chosen."""
Groups: TypeAlias = tuple[Group, ...]

_SWAPS: Final = 30_000
"""Number of exchanges that the search tries for the groups."""
_INITIAL_TEMPERATURE: Final = 2.0
_PRECISION: Final = 1e-9
"""Least difference of two costs."""
_SEAT_SWEEPS: Final = 60
"""Number of times that the search goes through all tables for the seats."""
_ROBOT_WEIGHT: Final = 0.1
"""Weight of a meeting with a robot, compared with one of two people."""


def create_seating(people: int, seats: int, rounds: int) -> tuple[Groups, ...]:
    """Return the tables of each round, each as the numbers of those who sit there, by seat.

    The number of tables is the least that has a seat for each of the ``people``. Robots have the numbers from
    ``people`` on, and no two of them sit at the same table if there are enough tables.
    """
    tables = -(-people // seats)
    fixed = [groups for _, groups in zip(range(rounds), _iter_exact_rounds(tables, seats), strict=False)]
    seating = _search_groups(people, tables, seats, rounds, fixed)
    return _choose_seats(seating, seats)


def _iter_exact_rounds(tables: int, seats: int) -> Iterator[Groups]:
    """Yield rounds in which no two have met before, from known constructions.

    For two seats it is the circle method of a round robin. For more, and a prime number of tables, the number
    ``column * tables + row`` sits in round ``m`` at the table ``row - m * column``, modulo the number of tables.
    """
    if seats == 2:
        last = 2 * tables - 1
        for number in range(last):
            others = [((number + step) % last, (number - step) % last) for step in range(1, tables)]
            yield ((last, number), *others)
        return
    if tables < seats or not all(tables % divisor for divisor in range(2, isqrt(tables) + 1)):
        return
    for number in range(tables):
        yield tuple(
            [
                tuple([column * tables + (table + number * column) % tables for column in range(seats)])
                for table in range(tables)
            ]
        )


def _search_groups(people: int, tables: int, seats: int, rounds: int, fixed: list[Groups]) -> list[list[list[int]]]:
    """Return the groups of all rounds: ``fixed`` first, and then rounds found by simulated annealing.

    The cost is the sum of the squares of the numbers of times that each pair meets.
    """
    rng, total = Random(f"{people} {tables} {seats} {rounds}"), tables * seats
    seating = [[[*group] for group in groups] for groups in fixed]
    for _ in range(rounds - len(fixed)):
        order = rng.sample(range(total), total)
        seating.append([order[seats * table : seats * (table + 1)] for table in range(tables)])
    if tables == 1 or len(seating) == len(fixed):
        return seating
    meetings, best, best_cost, cost = _Meetings(seating, people, total), deepcopy(seating), 0.0, 0.0
    for step in range(_SWAPS):
        left, right = rng.sample(seating[rng.randrange(len(fixed), rounds)], 2)
        at, to = rng.randrange(seats), rng.randrange(seats)
        leaver, comer = left[at], right[to]
        change = meetings.compute_change(left, leaver, comer) + meetings.compute_change(right, comer, leaver)
        temperature = _INITIAL_TEMPERATURE * (1 - step / _SWAPS) ** 2
        if change <= 0 or rng.random() < exp(-change / temperature):
            meetings.replace(left, leaver, comer)
            meetings.replace(right, comer, leaver)
            left[at], right[to] = comer, leaver
            cost += change
            if cost < best_cost - _PRECISION:
                best, best_cost = deepcopy(seating), cost
    return best


class _Meetings:
    """Numbers of times that each pair meets, which change as two exchange their tables."""

    def __init__(self, rounds: list[list[list[int]]], people: int, total: int) -> None:
        """Count the meetings; numbers from ``people`` on are robots, and ``total`` is the number of all."""
        self._people, self._total = people, total
        self._met = [[0] * total for _ in range(total)]
        for one, other in [pair for groups in rounds for group in groups for pair in permutations(group, 2)]:
            self._met[one][other] += 1

    def _get_weight(self, one: int, other: int) -> float:
        robots = (one >= self._people) + (other >= self._people)
        return float(self._total) if robots == 2 else _ROBOT_WEIGHT if robots else 1.0

    def compute_change(self, group: list[int], leaver: int, comer: int) -> float:
        """Return the change of the cost if ``comer`` takes the place of ``leaver`` in a group."""
        change = 0.0
        for stays in group:
            if stays != leaver:
                change += self._get_weight(stays, comer) * (2 * self._met[stays][comer] + 1)
                change -= self._get_weight(stays, leaver) * (2 * self._met[stays][leaver] - 1)
        return change

    def replace(self, group: list[int], leaver: int, comer: int) -> None:
        """Count the meetings anew for a group in which ``comer`` takes the place of ``leaver``."""
        for stays in group:
            if stays != leaver:
                for player, number in ((leaver, -1), (comer, 1)):
                    self._met[stays][player] += number
                    self._met[player][stays] += number


def _choose_seats(seating: list[list[list[int]]], seats: int) -> tuple[Groups, ...]:
    """Return the groups with their members in the order of the seats.

    Two members of a table exchange seats as long as this makes the numbers of times that each of them sits in each seat
    more equal.
    """
    rng, sat = Random(len(seating)), Counter[tuple[int, int]]()
    tables = [group for groups in seating for group in groups]
    for group in tables:
        sat.update((player, seat) for seat, player in enumerate(group))
    for sweep in range(_SEAT_SWEEPS):
        is_changed = False
        for group in rng.sample(tables, len(tables)):
            for one, other in combinations(range(seats), 2):
                left, right = group[one], group[other]
                change = sat[left, other] + 1 - sat[left, one] + sat[right, one] + 1 - sat[right, other]
                if change < 0 or (change == 0 and sweep < _SEAT_SWEEPS // 2 and rng.random() < 0.5):
                    is_changed = True
                    sat.subtract([(left, one), (right, other)])
                    sat.update([(left, other), (right, one)])
                    group[one], group[other] = right, left
        if not is_changed:
            break
    return tuple([tuple([tuple(group) for group in groups]) for groups in seating])
