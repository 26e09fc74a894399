"""Monte Carlo search over determinizations, which chooses the action with the best mean value in sampled worlds.

The search samples complete states ("worlds") that are consistent with the view. It plays on after each candidate in all
of them with a cheap rule policy (determinized rollouts; compare perfect information Monte Carlo, Ginsberg, 2001), to
the end of the round or until a value function judges the position, and returns the candidate with the best mean value
for its own seat. If there are few candidates, a candidate is dropped as soon as the paired differences show that it is
clearly worse than the best one. If rollouts are expensive, sequential halving (Karnin, Koren and Somekh, 2013) divides
a fixed number of rollouts among the candidates. Optionally an information set tree (ISMCTS) is grown below each
candidate.

Budgets are counted in worlds and rollouts, not in seconds, so that the same view and random generator give the same
choice on every machine. ``stop`` is only a safety net.
"""

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import fsum, inf, log, sqrt
from operator import mul, sub
from random import Random
from statistics import fmean
from typing import Final, Generic, NamedTuple, TypeAlias

import msgspec

from cardtable.engine.cards import Card, iter_cards
from cardtable.engine.game import CHANCE, Action, AnyGame, S, Seat, State, V, View


class _TreeNode:
    """Node of the search tree, with the statistics of the action that leads to it."""

    __slots__ = ("availability", "children", "total_lead", "visits")

    def __init__(self) -> None:
        self.children: defaultdict[Action, _TreeNode] = defaultdict(_TreeNode)
        self.visits = 0
        """Number of times that the action was chosen."""
        self.availability = 0
        """Number of visits to the parent node in which the action was legal."""
        self.total_lead = 0.0
        """Sum of the results of the seat that chose the action.

        A result is that seat's points minus the mean of the other seats' points.
        """


class Tree(Generic[S]):
    """Information set tree below one candidate, grown by single-observer ISMCTS (Cowling, Powley and Whitehouse,
    2012).
    """

    def __init__(self, rollout: Callable[[S, float], Sequence[float]], exploration: float) -> None:
        self._rollout, self._exploration, self._root = rollout, exploration, _TreeNode()

    def play_out(self, state: S, luck: float) -> Sequence[float]:
        """Return the points scored in the round, by seat, after one descent of the tree in the world ``state``, which
        is changed.

        The descent adds at most one node and then continues with a rollout. It ends early if chance is to act or the
        round is over.
        """
        branch, path, known = self._root, list[tuple[Seat, _TreeNode]](), True
        while known and state.playing and state.turn != CHANCE:
            legal = state.legal()
            action = legal[0] if len(legal) == 1 else self._select_action(branch, legal)
            branch = branch.children[action]
            known = branch.visits > 0 or len(legal) == 1
            path.append((state.turn, branch))
            state.apply(action)
        points = self._rollout(state, luck)
        total, others = sum(points), len(points) - 1
        for seat, branch in path:
            branch.visits += 1
            branch.total_lead += points[seat] - (total - points[seat]) / others
        return points

    def _select_action(self, branch: _TreeNode, legal: Sequence[Action]) -> Action:
        """Return an untried action if there is one, otherwise the action with the highest UCB1 value (Auer et al.,
        2002).

        The visits of the parent node are replaced by the number of visits in which the action was legal, as ISMCTS
        requires.
        """
        best, most = legal[0], -inf
        for action in legal:
            choice = branch.children[action]
            choice.availability += 1
            worth = inf
            if choice.visits:
                worth = choice.total_lead / choice.visits + self._exploration * sqrt(
                    log(choice.availability) / choice.visits
                )
            if worth > most:
                best, most = action, worth
        return best


MIN_WORLDS: Final = 16
"""Number of worlds evaluated before the first candidate can be dropped."""
MIN_TREE_WORLDS: Final = 64
"""Number of worlds evaluated before the first candidate can be dropped if trees are grown."""
DROP_INTERVAL: Final = 8
"""Number of worlds between two attempts to drop candidates."""
DROP_THRESHOLD: Final = 3.0
"""Default of ``SearchSpec.drop_threshold``, in standard errors."""
RULE_MARGIN: Final = 1.0
"""Lead, in standard errors of the paired difference, that the best candidate needs over the action preferred by rule to
be chosen instead of it.
"""
MAX_CANDIDATES: Final = 16
"""Maximum number of candidates in sequential halving; a larger number is first reduced to this one by a preselection.
"""


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
        others = [each for seat, each in enumerate(points) if seat not in partners]
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


def not_enumerable(_view: View, _action: Action) -> None:
    """Return ``None``, as outcomes have to be sampled (default of ``SearchSpec.enumerate_outcomes``)."""


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


class Outcome(NamedTuple):
    """Possible outcome of an action, with its probability."""

    probability: float
    points: Sequence[float]
    """Points scored in the round, by seat."""


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
    """Return the actions for which another candidate is certainly better.

    The search puts them last, since a sample of worlds may be too small to show the difference.
    """
    enumerate_outcomes: Callable[[V, Action], Sequence[Outcome] | None] = not_enumerable
    """Return all outcomes of a candidate with their probabilities, or ``None`` if they cannot be enumerated.

    Candidates are compared by enumeration instead of sampling if no result is ``None``.
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
        found = [is_reached(points) for points in self.points[:max_worlds]]
        if self.probabilities:
            return fsum([chance for chance, so in zip(self.probabilities, found, strict=True) if so])
        return fmean(found)

    def compute_mean_points(self, seats: Sequence[int], max_worlds: int | None = None) -> float:
        """Return the mean number of points scored in the round, averaged over ``seats`` and over the first
        ``max_worlds`` results (``None``: all).

        If worlds were sampled, there must be at least one result.
        """
        found = [fsum([points[seat] for seat in seats]) / len(seats) for points in self.points[:max_worlds]]
        return fsum(map(mul, self.probabilities, found)) if self.probabilities else fmean(found)


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


class _Comparison:
    """Evaluation of candidates, each in the same worlds and with the same luck."""

    def __init__(
        self,
        guide: AnySearchSpec,
        view: View,
        actions: Sequence[Action],
        rng: Random,
        tree_config: TreeSearchConfig | None,
    ) -> None:
        self._guide, self._view, self._rng = guide, view, rng
        self._worlds = guide.sample_worlds(view, rng)
        rollout = guide.rollouts(view)
        self._play_out = {
            action: Tree(rollout, tree_config.exploration).play_out if tree_config else rollout for action in actions
        }
        self.candidates = [Candidate(action, guide.future_value(view, action)) for action in actions]

    def add_world(self, candidates: Sequence[Candidate]) -> None:
        """Sample one more world, and evaluate ``candidates`` in it."""
        self.evaluate_in(candidates, next(self._worlds), self._rng.random())

    def evaluate_in(self, candidates: Sequence[Candidate], world: State[View], luck: float) -> None:
        """Evaluate ``candidates`` in copies of ``world``; chance is drawn from ``Random(luck)``."""
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
    """Evaluate every action in the same ``worlds`` worlds, without dropping any.

    Enumerate the outcomes instead if the game can.
    """
    comparison = _Comparison(guide, view, actions, rng, guide.tree_config(view))
    if not _evaluate_exactly(guide, view, comparison.candidates):
        for _ in range(worlds):
            comparison.add_world(comparison.candidates)
    return comparison.candidates


def draw_worlds(guide: AnySearchSpec, view: View, rng: Random) -> Iterator[tuple[State[View], float]]:
    """Yield pairs of a world and its luck, the same ones that a search draws from an equal generator."""
    for world in guide.sample_worlds(view, rng):
        yield world, rng.random()


def evaluate_in_worlds(
    guide: AnySearchSpec, view: View, actions: Sequence[Action], worlds: Sequence[tuple[State[View], float]]
) -> list[Candidate]:
    """Evaluate ``actions`` in the given pairs of a world and its luck.

    Enumerate the outcomes instead if the game can.
    """
    comparison = _Comparison(guide, view, actions, Random(0), guide.tree_config(view))
    if not _evaluate_exactly(guide, view, comparison.candidates):
        with _pause_gc():
            for world, luck in worlds:
                comparison.evaluate_in(comparison.candidates, world, luck)
    return comparison.candidates


def play_out_in_worlds(
    guide: AnySearchSpec, view: View, actions: Sequence[Action], worlds: Iterator[tuple[State[View], float]]
) -> Iterator[list[float]]:
    """Yield the value of each action, later rounds included, in one world after another, by a rollout without trees."""
    comparison = _Comparison(guide, view, actions, Random(0), tree_config=None)
    for world, luck in worlds:
        comparison.evaluate_in(comparison.candidates, world, luck)
        yield [candidate.values[-1] + candidate.future_value for candidate in comparison.candidates]


def _evaluate_exactly(guide: AnySearchSpec, view: View, candidates: Sequence[Candidate]) -> bool:
    """Evaluate the candidates by enumerating their outcomes.

    Return False if the outcomes of one candidate cannot be enumerated; the candidates before it then hold enumerated
    results.
    """
    for candidate in candidates:
        outcomes = guide.enumerate_outcomes(view, candidate.action)
        if outcomes is None:
            return False
        candidate.probabilities = [outcome.probability for outcome in outcomes]
        candidate.points = [outcome.points for outcome in outcomes]
        candidate.values = [guide.value(view, points) for points in candidate.points]
    return True


@contextmanager
def _pause_gc() -> Iterator[None]:
    """Disable the garbage collector for the body of the ``with`` statement, if it was enabled.

    A search creates no reference cycles, and a collection in the middle of it takes a quarter more time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class MonteCarloSearch:
    """Robot that chooses its actions by Monte Carlo search."""

    def __init__(self, guide: AnySearchSpec) -> None:
        self._guide = guide

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        return self.compare(view, rng, stop)[0].action

    def compare(
        self, view: View, rng: Random, stop: Callable[[], bool], extra_action: Action | None = None
    ) -> list[Candidate]:
        """Return the evaluated candidates, best first.

        The last ones are those dropped early and then those known to be dominated.

        ``extra_action`` is evaluated in any case, even if it is not a candidate. With more than ``MAX_CANDIDATES``
        candidates and a budget of rollouts, only the preselected ones and ``extra_action`` are returned. Once
        ``stop()`` returns True, the search ends after the current world.
        """
        with _pause_gc():
            found = self._compare(view, rng, stop, extra_action)  # the trees are freed before the collector runs
        dominated = self._guide.dominated(view)
        return sorted(found, key=lambda candidate: candidate.action in dominated) if dominated else found

    def _compare(
        self, view: View, rng: Random, stop: Callable[[], bool], extra_action: Action | None
    ) -> list[Candidate]:
        guide, actions = self._guide, self._guide.candidates(view)
        if guide.budget and len(actions) > 1:
            return _run_sequential_halving(guide, view, guide.budget(view, rng), rng, stop, extra_action)
        if extra_action is not None and extra_action not in actions:
            actions = [*actions, extra_action]
        deep = guide.tree_config(view)
        comparison = _Comparison(guide, view, actions, rng, deep)
        running, dropped = comparison.candidates, list[Candidate]()
        if len(running) > 1 and _evaluate_exactly(guide, view, running):
            return sorted(running, key=lambda candidate: -candidate.mean)
        worlds = guide.worlds * (deep.world_factor if deep else 1)
        first = MIN_TREE_WORLDS if deep else MIN_WORLDS
        for number in range(1, worlds + 1):
            if len(running) == 1 or (number > 1 and stop()):
                break
            comparison.add_world(running)
            if number >= first and number % DROP_INTERVAL == 0:
                running, out = _split_behind(running, guide.drop_threshold)
                dropped = [*out, *dropped]
        running.sort(key=lambda candidate: -candidate.mean)
        return [*_prefer_rule(running, guide.rule(view)), *dropped]


def _prefer_rule(running: Sequence[Candidate], rule_action: Action | None) -> list[Candidate]:
    """Return the candidates with the one preferred by rule in front, unless the first of ``running``, the best one, is
    clearly better.
    """
    for candidate in running[1:]:
        if candidate.action == rule_action:
            lag = compute_paired_difference(running[0], candidate)
            if lag.mean < RULE_MARGIN * lag.error:
                return [candidate, *[other for other in running if other is not candidate]]
    return list(running)


def _split_behind(running: Sequence[Candidate], min_errors: float) -> tuple[list[Candidate], list[Candidate]]:
    """Split the candidates into those that may still be the best and those that are clearly worse, the latter best
    first.
    """
    best = max(running, key=lambda candidate: candidate.mean)
    stay: list[Candidate] = []
    out: list[Candidate] = []
    for candidate in running:
        (out if candidate is not best and _is_behind(candidate, best, min_errors) else stay).append(candidate)
    return stay, sorted(out, key=lambda candidate: -candidate.mean)


def _is_behind(candidate: Candidate, best: Candidate, min_errors: float) -> bool:
    """Return True if ``best`` leads by more than ``min_errors`` standard errors, or if both candidates are equal in
    every world.
    """
    lag = compute_paired_difference(best, candidate)
    return lag.mean > min_errors * lag.error or (not lag.mean and not lag.error)


def _run_sequential_halving(
    guide: AnySearchSpec, view: View, playouts: int, rng: Random, stop: Callable[[], bool], extra_action: Action | None
) -> list[Candidate]:
    """Return the candidates, best first, compared by sequential halving.

    Each stage spends an equal share of ``playouts`` rollouts on the remaining candidates and keeps the better half of
    them. The number of rollouts is limited to ``worlds`` for each action of the game's candidates.
    """
    actions = guide.candidates(view)
    playouts = min(playouts, guide.worlds * len(actions))
    if len(actions) > MAX_CANDIDATES:
        playouts //= 2
        actions = _preselect(guide, view, actions, playouts, rng)
    if extra_action is not None and extra_action not in actions:
        actions = [*actions, extra_action]
    comparison = _Comparison(guide, view, actions, rng, tree_config=None)
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
    """Return the ``MAX_CANDIDATES`` most promising of many actions.

    At most ``playouts`` random actions are played out once, each in the same world as a few others. The result of an
    action, relative to the mean of that world, is credited to the cards it uses. All actions are then ranked by the sum
    of the mean results of their cards.
    """
    made: dict[Card | Action, list[float]] = defaultdict(list)
    order = rng.sample(actions, max(MAX_CANDIDATES, min(playouts, len(actions))))
    comparison = _Comparison(guide, view, order, rng, tree_config=None)
    for at in range(0, len(order), MAX_CANDIDATES):
        group = comparison.candidates[at : at + MAX_CANDIDATES]
        comparison.add_world(group)
        mean = fsum([candidate.mean for candidate in group]) / len(group)
        for candidate in group:
            for part in _list_parts(candidate.action):
                made[part].append(candidate.mean - mean)
    worth = {part: fsum(gains) / len(gains) for part, gains in made.items()}

    def estimate_promise(action: Action) -> float:
        return fsum([worth.get(part, 0.0) for part in _list_parts(action)])

    return sorted(actions, key=lambda action: -estimate_promise(action))[:MAX_CANDIDATES]


def _list_parts(action: Action) -> Sequence[Card | Action]:
    """Return the cards that an action uses; the action itself if it uses none."""
    return iter_cards(action.cards_used()) or [action]
