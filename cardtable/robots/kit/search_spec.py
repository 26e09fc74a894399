"""Search specification: the functions and numbers with which a game configures the Monte Carlo search.

The candidates of a search are actions with their results in the sampled worlds.
"""

from collections.abc import Callable, Iterator, Sequence
from math import fsum, inf, sqrt
from operator import mul, sub
from random import Random
from statistics import fmean
from typing import Final, Generic, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.engine.game import Action, AnyGame, S, State, V, View


class Candidate(msgspec.Struct):
    """Action with its result in each world.

    The lists are empty if there was no other candidate to compare.
    """

    action: Action
    future_value: float
    values: list[float] = msgspec.field(default_factory=list)
    """Value of each result, without ``future_value``."""
    points: list[Sequence[float]] = msgspec.field(default_factory=list)
    """Points scored in the round, by seat, for each result."""
    in_all_worlds: bool = False
    """True if the results are those of all worlds that are consistent with the view, not of a sample."""

    @property
    def mean(self) -> float:
        """Mean value of the action, including ``future_value``."""
        return self.future_value + fsum(self.values) / max(1, len(self.values))

    def compute_share(self, is_reached: Callable[[Sequence[float]], bool]) -> float:
        """Return the share of results, at least one, for which ``is_reached(points)`` is True."""
        return fmean([is_reached(points) for points in self.points])

    def compute_mean_points(self, seats: Sequence[int]) -> float:
        """Return the mean number of points scored in the round, over ``seats`` and the results, at least one."""
        return fmean([points[seat] for points in self.points for seat in seats])


class PairedDifference(msgspec.Struct, frozen=True):
    """Mean difference between two candidates over the worlds in which both were evaluated."""

    mean: float
    error: float
    """Standard error of ``mean``."""

    @property
    def shrunk_mean(self) -> float:
        """Estimate of the true difference (positive-part James-Stein shrinkage towards 0, with one difference).

        A difference that is stated because it is large is too large on average, the more so the less certain it is.
        """
        return self.mean * max(0.0, 1 - (self.error / self.mean) ** 2) if self.mean else 0.0

    def is_clear(self, min_errors: float) -> bool:
        """Return True if the difference is positive and larger than ``min_errors`` standard errors."""
        return self.mean > 0 and self.mean > min_errors * self.error


def compute_paired_difference(best: Candidate, other: Candidate) -> PairedDifference:
    """Return the lead of ``best`` over ``other`` in the worlds in which both were evaluated.

    The standard error is 0 in all worlds, and infinite with fewer than two common worlds.
    """
    if best.in_all_worlds and other.in_all_worlds:
        return PairedDifference(best.mean - other.mean, 0.0)
    worlds, head = min(len(best.values), len(other.values)), best.future_value - other.future_value
    gaps = list(map(sub, best.values, other.values))
    total = fsum(gaps)
    if worlds < 2:
        return PairedDifference(head + total, inf)
    variance = (fsum(map(mul, gaps, gaps)) - total * total / worlds) / (worlds - 1)
    return PairedDifference(head + total / worlds, sqrt(max(0.0, variance) / worlds))


DROP_THRESHOLD: Final = 3.0
"""Default of ``SearchSpec.drop_threshold``, in standard errors."""


def list_legal_actions(view: View) -> Sequence[Action]:
    """Return all legal actions (default of ``SearchSpec.candidates``)."""
    return view.legal


def compute_lead(view: View, points: Sequence[float]) -> float:
    """Return the points of the view's seat minus the mean of the other seats' points."""
    own = points[view.seat]
    return own - (fsum(points) - own) / (len(points) - 1)


def make_side_lead(game: AnyGame) -> Callable[[View, Sequence[float]], float]:
    """Return a function like ``compute_lead`` that leaves the partners of the view's seat out of the mean."""

    def compute_side_lead(view: View, points: Sequence[float]) -> float:
        partners = next(side for side in game.sides_of(view) if view.seat in side)
        others = [seat_points for seat, seat_points in enumerate(points) if seat not in partners]
        return points[view.seat] - fsum(others) / len(others)

    return compute_side_lead


def no_future_value(_view: View, _action: Action) -> float:
    """Return 0, as the action has no effect on later rounds (default of ``SearchSpec.future_value``)."""
    return 0.0


def identity(_view: View, value: float) -> float:
    """Return ``value`` unchanged, as values are already points (default of ``SearchSpec.in_points``)."""
    return value


def no_rule_action(_view: View) -> Action | None:
    """Return ``None``, as no action is preferred by rule (default of ``SearchSpec.rule``)."""
    return None


def nothing_dominated(_view: View) -> Sequence[Action]:
    """Return an empty sequence, as no candidate is known to be dominated (default of ``SearchSpec.dominated``)."""
    return ()


def not_listed(_view: View, _max_worlds: int) -> None:
    """Return ``None``, as worlds are always sampled (default of ``SearchSpec.list_worlds``)."""


def make_sampler(imagine: Callable[[V, Random], S]) -> Callable[[V, Random], Iterator[S]]:
    """Return a function that yields independent samples of ``imagine`` without end, for ``SearchSpec``."""

    def sample_worlds(view: V, rng: Random) -> Iterator[S]:
        while True:
            yield imagine(view, rng)

    return sample_worlds


Rollout: TypeAlias = Callable[[S, float], Sequence[float]]
"""Function that plays the rest of the round by a rule policy and returns the points scored in the round, by seat.

It may stop before the end of the round and return estimates, as in Rummy, whose value network judges the position after
a few turns. Larger points are better in every game. The state is changed. Outcomes of chance are drawn from
``Random(luck)``; all candidates get the same ``luck`` in a world.
"""


def make_rollout_chooser(rollout: Rollout[S]) -> Callable[[View], Rollout[S]]:
    """Return a function for ``SearchSpec.rollouts`` that chooses ``rollout`` for every view."""
    return lambda _view: rollout


class TreeSearchConfig(NamedTuple):
    """Parameters of the information set trees."""

    world_factor: int
    """Factor by which ``SearchSpec.worlds`` is multiplied."""
    exploration: float
    """Exploration constant of UCB1, in points; a larger value tries inferior actions more often."""


def no_tree(_view: View) -> None:
    """Return ``None``, as no trees are grown (default of ``SearchSpec.tree_config``)."""


class SearchSpec(msgspec.Struct, Generic[S, V], frozen=True):
    """Functions and numbers with which a game configures the search."""

    sample_worlds: Callable[[V, Random], Iterator[S]]
    """Yield worlds that are consistent with a view, without end; likelier worlds come more often."""
    rollouts: Callable[[V], Rollout[S]]
    """Return the rollout function for the worlds of a view."""
    worlds: int
    """Maximum number of worlds for each decision."""
    candidates: Callable[[V], Sequence[Action]] = list_legal_actions
    """Return the legal actions to compare, at least one. One of several equivalent actions is enough."""
    value: Callable[[V, Sequence[float]], float] = compute_lead
    """Return the value of the points scored in the round to the view's seat, given the state of the session."""
    future_value: Callable[[V, Action], float] = no_future_value
    """Return the value of an action for later rounds, in the unit of ``value``."""
    rule: Callable[[V], Action | None] = no_rule_action
    """Return the candidate preferred by rule, or ``None``.

    Another candidate replaces it only if it is better by at least ``RULE_MARGIN`` standard errors.
    """
    dominated: Callable[[V], Sequence[Action]] = nothing_dominated
    """Return the actions for which another candidate is better by rule.

    The search puts them last, since a sample of worlds may not show the difference.
    """
    list_worlds: Callable[[V, int], Iterator[S] | None] = not_listed
    """Return all worlds that are consistent with a view, or ``None`` if there are more than the given number.

    Candidates are compared in all of them if there are no more than ``worlds``. All are equally likely, and have the
    same luck.
    """
    budget: Callable[[V, Random], int] | None = None
    """Return the total number of rollouts for a decision, which sequential halving divides among the candidates.

    If the field is ``None``, each candidate gets up to ``worlds`` rollouts.
    """
    in_points: Callable[[V, float], float] = identity
    """Convert a value to points of the totals, relative to the mean of the other seats.

    The function must be strictly increasing.
    """
    drop_threshold: float = DROP_THRESHOLD
    """Deficit, in standard errors of the paired difference, at which a candidate is dropped."""
    tree_config: Callable[[V], TreeSearchConfig | None] = no_tree
    """Return the parameters of the trees for a view; ``None`` means rollouts without trees."""
    big_mistake: float = 0.0
    """Points of the totals that a decision has to cost to be a big mistake of a player; 0 if every clear loss is."""


AnySearchSpec: TypeAlias = SearchSpec[State[View], View]
"""Search specification of a game that was looked up by its key."""


def limit_worlds(spec: AnySearchSpec, worlds: int) -> AnySearchSpec:
    """Return the specification of a search in at most ``worlds`` worlds; a budget of rollouts is reduced as much."""
    if worlds >= spec.worlds:
        return spec
    compute_budget = spec.budget
    if not compute_budget:
        return replace(spec, worlds=worlds)
    return replace(spec, worlds=worlds, budget=lambda view, rng: compute_budget(view, rng) * worlds // spec.worlds)
