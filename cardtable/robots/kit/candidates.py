"""Candidates of a search: actions with their results in the sampled worlds, and paired comparisons of them."""

from collections.abc import Callable, Sequence
from math import fsum, inf, sqrt
from operator import mul, sub
from statistics import fmean

import msgspec

from cardtable.engine.game import Action


class Candidate(msgspec.Struct):
    """Action with its result in each world or for each enumerated outcome.

    The lists are empty if there was no other candidate to compare.
    """

    action: Action
    future_value: float
    values: list[float] = msgspec.field(default_factory=list)
    """Value of each result, without ``future_value``."""
    points: list[Sequence[float]] = msgspec.field(default_factory=list)
    """Points scored in the round, by seat, for each result."""
    probabilities: list[float] = msgspec.field(default_factory=list)
    """Probability of each outcome if the outcomes were enumerated.

    Empty if worlds were sampled, which have equal weight.
    """

    @property
    def mean(self) -> float:
        """Mean value of the action, including ``future_value``."""
        if self.probabilities:
            return self.future_value + fsum(
                [chance * value for chance, value in zip(self.probabilities, self.values, strict=True)]
            )
        return self.future_value + fsum(self.values) / max(1, len(self.values))

    def compute_share(self, is_reached: Callable[[Sequence[float]], bool], max_worlds: int | None = None) -> float:
        """Return the share of results, from 0 to 1, for which ``is_reached(points)`` is True.

        If ``max_worlds`` is given, only that many of the first results are used. If worlds were sampled, there must be
        at least one result.
        """
        flags = [is_reached(points) for points in self.points[:max_worlds]]
        if self.probabilities:
            return fsum([chance for chance, flag in zip(self.probabilities, flags, strict=True) if flag])
        return fmean(flags)

    def compute_mean_points(self, seats: Sequence[int], max_worlds: int | None = None) -> float:
        """Return the mean number of points scored in the round, averaged over ``seats`` and over the first
        ``max_worlds`` results (``None``: all).

        If worlds were sampled, there must be at least one result.
        """
        means = [fsum([points[seat] for seat in seats]) / len(seats) for points in self.points[:max_worlds]]
        return fsum(map(mul, self.probabilities, means)) if self.probabilities else fmean(means)


class PairedDifference(msgspec.Struct, frozen=True):
    """Mean difference between two candidates over the worlds in which both were evaluated."""

    mean: float
    error: float
    """Standard error of ``mean``."""

    def is_clear(self, min_errors: float) -> bool:
        """Return True if the difference is positive and larger than ``min_errors`` standard errors."""
        return self.mean > 0 and self.mean > min_errors * self.error


def compute_paired_difference(best: Candidate, other: Candidate) -> PairedDifference:
    """Return the lead of ``best`` over ``other`` in the worlds in which both were evaluated.

    The standard error is 0 if the outcomes of both candidates were enumerated, and infinite with fewer than two common
    worlds.
    """
    if best.probabilities and other.probabilities:
        return PairedDifference(best.mean - other.mean, 0.0)
    worlds, head = min(len(best.values), len(other.values)), best.future_value - other.future_value
    gaps = list(map(sub, best.values, other.values))
    total = fsum(gaps)
    if worlds < 2:
        return PairedDifference(head + total, inf)
    variance = (fsum(map(mul, gaps, gaps)) - total * total / worlds) / (worlds - 1)
    return PairedDifference(head + total / worlds, sqrt(max(0.0, variance) / worlds))
