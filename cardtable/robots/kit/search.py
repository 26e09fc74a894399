"""Monte Carlo search over determinizations: choose the action with the best mean value in imagined worlds.

The searcher samples worlds that fit the view, plays each candidate out in all of them by a cheap rule policy
(determinized rollouts; compare perfect information Monte Carlo, Ginsberg, 2001), and takes the best mean value for its
own seat. With few candidates, those that fall clearly behind in paired differences are dropped on the way; if rollouts
are expensive, sequential halving (Karnin, Koren and Somekh, 2013) spends a fixed number of them. Optionally each
candidate grows an information set tree (ISMCTS). The budget is counted in worlds and rollouts, so that the same view
and generator give the same choice on every machine; ``stop`` is only a safety net.
"""

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, log, sqrt
from operator import mul, sub
from random import Random
from statistics import fmean
from typing import Final, Generic, NamedTuple, TypeAlias

from cardtable.engine.cards import Card, iter_cards
from cardtable.engine.game import CHANCE, Action, AnyGame, S, Seat, State, V, View


class _Branch:
    """Node of the search tree: an action and its statistics."""

    __slots__ = ("after", "made", "possible", "total")

    def __init__(self) -> None:
        self.after: defaultdict[Action, _Branch] = defaultdict(_Branch)
        self.made = 0
        """Number of times that the action was chosen."""
        self.possible = 0
        """Number of times that the action was available (legal when its node was visited)."""
        self.total = 0.0
        """Summed results of the seat that chose the action, each relative to the mean of the other seats."""


class Tree(Generic[S]):
    """Information set tree below one candidate: single-observer ISMCTS (Cowling, Powley and Whitehouse, 2012)."""

    def __init__(self, rollout: Callable[[S, float], Sequence[float]], explore: float) -> None:
        self._rollout, self._explore, self._root = rollout, explore, _Branch()

    def play_out(self, state: S, luck: float) -> Sequence[float]:
        """Descend the tree in one world, add one node, finish by rollout, and return the points of the round by seat.

        Changes ``state``. The descent ends early if chance is to act or the round ends.
        """
        branch, path, known = self._root, list[tuple[Seat, _Branch]](), True
        while known and state.playing and state.turn != CHANCE:
            legal = state.legal()
            action = legal[0] if len(legal) == 1 else self._choice(branch, legal)
            branch = branch.after[action]
            known = branch.made > 0 or len(legal) == 1
            path.append((state.turn, branch))
            state.apply(action)
        points = self._rollout(state, luck)
        total, others = sum(points), len(points) - 1
        for seat, branch in path:
            branch.made += 1
            branch.total += points[seat] - (total - points[seat]) / others
        return points

    def _choice(self, branch: _Branch, legal: Sequence[Action]) -> Action:
        """Return an untried action, else the one with the best UCB1 value (Auer et al., 2002).

        The counts in UCB1 are availability counts: worlds in which the action was legal.
        """
        best, most = legal[0], -inf
        for action in legal:
            choice = branch.after[action]
            choice.possible += 1
            worth = inf
            if choice.made:
                worth = choice.total / choice.made + self._explore * sqrt(log(choice.possible) / choice.made)
            if worth > most:
                best, most = action, worth
        return best


FIRST_LOOK: Final = 16
"""Number of worlds before the first candidates may be dropped."""
FIRST_DEEP_LOOK: Final = 64
"""Number of worlds before the first candidates may be dropped if candidates grow trees."""
EVERY: Final = 8
"""Number of worlds between two checks for candidates to drop."""
BEHIND: Final = 3.0
"""Default number of standard errors behind the best candidate at which a candidate is dropped."""
CAUTION: Final = 1.0
"""Standard errors by which the best candidate must lead the choice by rule to replace it: +6 ± 3 points a round of
Rifki.
"""
MOST: Final = 16
"""Largest number of candidates compared by sequential halving; more are first reduced by a preselection."""


def every_action(view: View) -> Sequence[Action]:
    """Return all legal actions as candidates."""
    return view.legal


def ahead(view: View, points: Sequence[float]) -> float:
    """Return the points of the view's seat above the mean of the other seats."""
    own = points[view.seat]
    return own - (sum(points) - own) / (len(points) - 1)


def ahead_of_other_sides(game: AnyGame) -> Callable[[View, Sequence[float]], float]:
    """Return a function for the points of a seat above the mean of the seats that are not on its side."""

    def ahead_with_partners(view: View, points: Sequence[float]) -> float:
        partners = next(side for side in game.sides_of(view) if view.seat in side)
        others = [each for seat, each in enumerate(points) if seat not in partners]
        return points[view.seat] - sum(others) / len(others)

    return ahead_with_partners


def no_future_value(_view: View, _action: Action) -> float:
    """Return 0: the action has no value beyond this round."""
    return 0.0


def identity(_view: View, value: float) -> float:
    """Return ``value`` unchanged: values are points."""
    return value


def no_policy(_view: View) -> Action | None:
    """Return no preferred action."""
    return None


def nothing_dominated(_view: View) -> Sequence[Action]:
    """Return no dominated actions."""
    return ()


def not_enumerable(_view: View, _action: Action) -> None:
    """Return None: the outcomes of the action cannot be enumerated."""


def independent_samples(imagine: Callable[[V, Random], S]) -> Callable[[V, Random], Iterator[S]]:
    """Return a generator function of independent samples, drawn by ``imagine``."""

    def worlds(view: V, rng: Random) -> Iterator[S]:
        while True:
            yield imagine(view, rng)

    return worlds


Rollout: TypeAlias = Callable[[S, float], Sequence[float]]
"""Function that plays a state on by a rule policy (changing it) and returns the points of the round by seat, larger
being better. It draws chance, if any, from ``Random(luck)``: the same luck for all candidates in a world.
"""


def fixed_rollout(rollout: Rollout[S]) -> Callable[[View], Rollout[S]]:
    """Return a rollout chooser that returns ``rollout`` for every view."""
    return lambda _view: rollout


class Outcome(NamedTuple):
    """Possible outcome of an action."""

    chance: float
    """Probability, from 0 to 1."""
    points: Sequence[float]
    """Points of the round by seat."""


class TreeSearchConfig(NamedTuple):
    """Parameters of the information set trees that grow below each candidate."""

    times: int
    """Factor for the number of worlds."""
    explore: float
    """Exploration constant of UCB1, in points."""


def no_tree(_view: View) -> None:
    """Return None: no trees."""


@dataclass(frozen=True, slots=True)
class SearchSpec(Generic[S, V]):
    """Functions and numbers of one game that the searcher uses."""

    imagine: Callable[[V, Random], Iterator[S]]
    """Endless samples of worlds that fit the view, likelier ones more often."""
    rollouts: Callable[[V], Rollout[S]]
    """Rollout for the worlds of a view."""
    worlds: int
    """Number of worlds per decision."""
    candidates: Callable[[V], Sequence[Action]] = every_action
    """Actions worth comparing, at least one; of equivalent actions one is enough."""
    value: Callable[[V, Sequence[float]], float] = ahead
    """Value of the points of a round to the view's seat, given the state of the session."""
    future_value: Callable[[V, Action], float] = no_future_value
    """Value of an action beyond the round, in the unit of ``value``."""
    rule: Callable[[V], Action | None] = no_policy
    """Candidate preferred by rule, chosen unless another candidate is clearly better, not just by chance."""
    dominated: Callable[[V], Sequence[Action]] = nothing_dominated
    """Candidates that another one beats for certain, although the sampled worlds may be too few to show this."""
    enumerate_outcomes: Callable[[V, Action], Sequence[Outcome] | None] = not_enumerable
    """All outcomes of a candidate with their probabilities, if they can be enumerated; replaces sampling."""
    budget: Callable[[V, Random], int] | None = None
    """Total number of rollouts for a decision, by sequential halving; ``None``: up to ``worlds`` for each candidate."""
    in_points: Callable[[V, float], float] = identity
    """Conversion of a value to points of the totals above the mean of the other seats; strictly increasing."""
    drop_threshold: float = BEHIND
    """Standard errors behind the best candidate at which a candidate is dropped."""
    tree_config: Callable[[V], TreeSearchConfig | None] = no_tree
    """Parameters of the trees for a view; ``None``: plain rollouts."""


AnySearchSpec: TypeAlias = SearchSpec[State[View], View]
"""Search spec of a game that was looked up by its key."""


@dataclass(slots=True)
class Candidate:
    """Action with its results by world; no results if there was no other candidate."""

    action: Action
    later: float
    values: list[float] = field(default_factory=list)
    """Value of each outcome."""
    points: list[Sequence[float]] = field(default_factory=list)
    """Points of the round by seat, for each outcome."""
    chances: list[float] = field(default_factory=list)
    """Probability of each outcome if the outcomes were enumerated; else empty, and all worlds have equal weight."""

    @property
    def mean(self) -> float:
        """Mean value of the action, the later rounds included."""
        if self.chances:
            return self.later + sum([chance * value for chance, value in zip(self.chances, self.values, strict=True)])
        return self.later + sum(self.values) / max(1, len(self.values))

    def share(self, reached: Callable[[Sequence[float]], bool], first: int | None = None) -> float:
        """Return the share of outcomes, from 0 to 1, whose points satisfy ``reached``; ``first``: first worlds only."""
        found = [reached(points) for points in self.points[:first]]
        if self.chances:
            return sum([chance for chance, so in zip(self.chances, found, strict=True) if so])
        return fmean(found)

    def points_of(self, seats: Sequence[int], first: int | None = None) -> float:
        """Return the mean points of the round of ``seats``; ``first``: only the first worlds."""
        found = [sum([points[seat] for seat in seats]) / len(seats) for points in self.points[:first]]
        return sum(map(mul, self.chances, found)) if self.chances else fmean(found)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean difference of two candidates over the same worlds (paired differences)."""

    mean: float
    error: float
    """Standard error of ``mean``."""

    def clear(self, errors: float) -> bool:
        """Return True if the difference is positive and more than ``errors`` standard errors."""
        return self.mean > 0 and self.mean > errors * self.error


def paired_difference(best: Candidate, other: Candidate) -> PairedDifference:
    """Return the lead of ``best`` over ``other`` in the worlds that both have seen.

    The error is 0 if the outcomes of both were enumerated, and infinite with fewer than two common worlds.
    """
    if best.chances and other.chances:
        return PairedDifference(best.mean - other.mean, 0.0)
    worlds, head = min(len(best.values), len(other.values)), best.later - other.later
    gaps = list(map(sub, best.values, other.values))
    total = sum(gaps)
    if worlds < 2:
        return PairedDifference(head + total, inf)
    variance = (sum(map(mul, gaps, gaps)) - total * total / worlds) / (worlds - 1)
    return PairedDifference(head + total / worlds, sqrt(max(0.0, variance) / worlds))


class _Comparison:
    """Evaluation of candidates in the same worlds, world by world."""

    def __init__(
        self, guide: AnySearchSpec, view: View, actions: Sequence[Action], rng: Random, deep: TreeSearchConfig | None
    ) -> None:
        self._guide, self._view, self._rng = guide, view, rng
        self._worlds = guide.imagine(view, rng)
        rollout = guide.rollouts(view)
        self._play_out = {action: Tree(rollout, deep.explore).play_out if deep else rollout for action in actions}
        self.candidates = [Candidate(action, guide.future_value(view, action)) for action in actions]

    def add_world(self, candidates: Sequence[Candidate]) -> None:
        """Evaluate the candidates in one more world."""
        self.evaluate_in(candidates, next(self._worlds), self._rng.random())

    def evaluate_in(self, candidates: Sequence[Candidate], world: State[View], luck: float) -> None:
        """Evaluate the candidates in a given world with a given luck."""
        value = self._guide.value
        for candidate in candidates:
            twin = world.copy()
            twin.apply(candidate.action)
            points = self._play_out[candidate.action](twin, luck)
            candidate.points.append(points)
            candidate.values.append(value(self._view, points))


def evaluate_all(
    guide: AnySearchSpec, view: View, actions: Sequence[Action], worlds: int, rng: Random
) -> list[Candidate]:
    """Evaluate all actions in the same ``worlds`` worlds, dropping none."""
    comparison = _Comparison(guide, view, actions, rng, guide.tree_config(view))
    if not _enumerate(guide, view, comparison.candidates):
        for _ in range(worlds):
            comparison.add_world(comparison.candidates)
    return comparison.candidates


def draw_worlds(guide: AnySearchSpec, view: View, rng: Random) -> Iterator[tuple[State[View], float]]:
    """Yield worlds with their luck, equal to those of a search that starts with the same generator."""
    for world in guide.imagine(view, rng):
        yield world, rng.random()


def evaluate_in_worlds(
    guide: AnySearchSpec, view: View, actions: Sequence[Action], worlds: Sequence[tuple[State[View], float]]
) -> list[Candidate]:
    """Evaluate actions in given worlds, or exactly if their outcomes can be enumerated."""
    comparison = _Comparison(guide, view, actions, Random(0), guide.tree_config(view))
    if not _enumerate(guide, view, comparison.candidates):
        with _gc_paused():
            for world, luck in worlds:
                comparison.evaluate_in(comparison.candidates, world, luck)
    return comparison.candidates


def _enumerate(guide: AnySearchSpec, view: View, candidates: Sequence[Candidate]) -> bool:
    """Evaluate the candidates by enumeration; return False if the outcomes of one of them cannot be enumerated."""
    for candidate in candidates:
        outcomes = guide.enumerate_outcomes(view, candidate.action)
        if outcomes is None:
            return False
        candidate.chances = [outcome.chance for outcome in outcomes]
        candidate.points = [outcome.points for outcome in outcomes]
        candidate.values = [guide.value(view, points) for points in candidate.points]
    return True


@contextmanager
def _gc_paused() -> Iterator[None]:
    """Pause the garbage collector: a search makes no reference cycles, and collecting costs a quarter more time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class MonteCarloSearch:
    """Robot that chooses by Monte Carlo search."""

    def __init__(self, guide: AnySearchSpec) -> None:
        self._guide = guide

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        return self.compare(view, rng, stop)[0].action

    def compare(self, view: View, rng: Random, stop: Callable[[], bool], also: Action | None = None) -> list[Candidate]:
        """Return the candidates, best first; candidates dropped early follow, then dominated candidates.

        ``also`` is evaluated as well, even if it is not a candidate. If there are very many candidates, only the
        preselected ones and ``also`` are returned.
        """
        with _gc_paused():
            found = self._compare(view, rng, stop, also)  # the trees are freed before the collector runs
        dominated = self._guide.dominated(view)
        return sorted(found, key=lambda candidate: candidate.action in dominated) if dominated else found

    def _compare(self, view: View, rng: Random, stop: Callable[[], bool], also: Action | None) -> list[Candidate]:
        guide, actions = self._guide, self._guide.candidates(view)
        if guide.budget and len(actions) > 1:
            return _sequential_halving(guide, view, guide.budget(view, rng), rng, stop, also)
        if also is not None and also not in actions:
            actions = [*actions, also]
        deep = guide.tree_config(view)
        comparison = _Comparison(guide, view, actions, rng, deep)
        running, dropped = comparison.candidates, list[Candidate]()
        if len(running) > 1 and _enumerate(guide, view, running):
            return sorted(running, key=lambda candidate: -candidate.mean)
        worlds = guide.worlds * (deep.times if deep else 1)
        first = FIRST_DEEP_LOOK if deep else FIRST_LOOK
        for number in range(1, worlds + 1):
            if len(running) == 1 or (number > 1 and stop()):
                break
            comparison.add_world(running)
            if number >= first and number % EVERY == 0:
                running, out = _drop_behind(running, guide.drop_threshold)
                dropped = [*out, *dropped]
        running.sort(key=lambda candidate: -candidate.mean)
        return [*_prefer_rule(running, guide.rule(view)), *dropped]


def _prefer_rule(running: Sequence[Candidate], rule: Action | None) -> list[Candidate]:
    """Return the candidates, best first; the choice by rule is in front unless the best one is clearly better."""
    for candidate in running[1:]:
        if candidate.action == rule:
            lag = paired_difference(running[0], candidate)
            if lag.mean < CAUTION * lag.error:
                return [candidate, *[other for other in running if other is not candidate]]
    return list(running)


def _drop_behind(running: Sequence[Candidate], errors: float) -> tuple[list[Candidate], list[Candidate]]:
    """Split the candidates into those that may still be the best and those clearly behind, the latter best first."""
    best = max(running, key=lambda candidate: candidate.mean)
    stay: list[Candidate] = []
    out: list[Candidate] = []
    for candidate in running:
        (out if candidate is not best and _behind(candidate, best, errors) else stay).append(candidate)
    return stay, sorted(out, key=lambda candidate: -candidate.mean)


def _behind(candidate: Candidate, best: Candidate, errors: float) -> bool:
    """Return True if ``best`` leads by more than ``errors`` standard errors, or both are equal in every world."""
    lag = paired_difference(best, candidate)
    return lag.mean > errors * lag.error or (not lag.mean and not lag.error)


def _sequential_halving(
    guide: AnySearchSpec, view: View, playouts: int, rng: Random, stop: Callable[[], bool], also: Action | None
) -> list[Candidate]:
    """Return the candidates, best first, by sequential halving: each stage uses an equal share of the rollouts."""
    actions = guide.candidates(view)
    playouts = min(playouts, guide.worlds * len(actions))
    if len(actions) > MOST:
        playouts //= 2
        actions = _preselect(guide, view, actions, playouts, rng)
    if also is not None and also not in actions:
        actions = [*actions, also]
    comparison = _Comparison(guide, view, actions, rng, deep=None)
    running = comparison.candidates
    share = playouts // (len(running) - 1).bit_length()
    dropped: list[Candidate] = []
    while len(running) > 1:
        for _ in range(max(1, share // len(running))):
            if running[0].values and stop():
                break
            comparison.add_world(running)
        running.sort(key=lambda candidate: -candidate.mean)
        half = (len(running) + 1) // 2
        running, dropped = running[:half], [*running[half:], *dropped]
    return [*running, *dropped]


def _preselect(guide: AnySearchSpec, view: View, actions: Sequence[Action], playouts: int, rng: Random) -> list[Action]:
    """Return the ``MOST`` most promising of very many actions.

    Each action is played out at most once, in one world with a few others; its result is credited to its cards, and an
    action is ranked by the mean results of its cards.
    """
    made: dict[Card | Action, list[float]] = defaultdict(list)
    order = rng.sample(actions, max(MOST, min(playouts, len(actions))))
    comparison = _Comparison(guide, view, order, rng, deep=None)
    for at in range(0, len(order), MOST):
        group = comparison.candidates[at : at + MOST]
        comparison.add_world(group)
        mean = sum([candidate.mean for candidate in group]) / len(group)
        for candidate in group:
            for part in _parts_of(candidate.action):
                made[part].append(candidate.mean - mean)
    worth = {part: sum(gains) / len(gains) for part, gains in made.items()}

    def promise(action: Action) -> float:
        return sum([worth.get(part, 0.0) for part in _parts_of(action)])

    return sorted(actions, key=lambda action: -promise(action))[:MOST]


def _parts_of(action: Action) -> Sequence[Card | Action]:
    """Return the cards that an action uses; the action itself if it uses none."""
    return iter_cards(action.cards_used()) or [action]
