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

Hidden hands are sampled in proportion to their likelihood, by rejection or by a Metropolis sampler (Metropolis et al.,
1953), which swaps two unseen cards between hands, and accepts the swap with probability min(1, ratio of the
likelihoods). After enough swaps, each distribution of the cards is sampled in proportion to its likelihood.
"""

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from math import exp, fsum, inf, log, sqrt
from random import Random
from time import thread_time
from typing import Final, Generic, TypeVar

from cardtable.engine.cards import BIT, OF_SUIT, SUIT, Card, Cards, iter_cards
from cardtable.engine.game import CHANCE, Action, S, Seat, State, View
from cardtable.engine.tricks import Order
from cardtable.robots.kit.search_spec import AnySearchSpec, Candidate, TreeSearchConfig, compute_paired_difference

BURN_IN_SWAPS: Final = 80
"""Number of proposed swaps before the first sample (burn-in)."""
SWAPS_BETWEEN_SAMPLES: Final = 10
"""Number of proposed swaps between two samples."""


def iter_metropolis_hands(
    hands: Sequence[Cards],
    seat: Seat,
    undealt: Cards,
    excluded_cards: Sequence[Cards],
    log_likelihood: Callable[[Seat, Cards], float],
    rng: Random,
) -> Iterator[list[Cards]]:
    """Yield samples of the hands of all seats without end, each as a new list.

    The hand of ``seat`` is the same in all of them.

    The Markov chain starts from ``hands``, with the cards of ``undealt`` in no hand. The hand of seat ``i`` never holds
    a card of ``excluded_cards[i]``. ``log_likelihood(i, hand)`` is the logarithm of the likelihood of a hand of seat
    ``i``, up to a constant.
    """
    nobody = len(hands)
    parts, free = [*hands, undealt], [*excluded_cards, 0]
    holders = {card: holder for holder, part in enumerate(parts) if holder != seat for card in iter_cards(part)}
    cards, draw = [*holders], rng.random
    worth = [log_likelihood(holder, part) if holder != seat else 0.0 for holder, part in enumerate(hands)] + [0.0]
    exchanges = BURN_IN_SWAPS
    while True:
        for _ in range(exchanges if cards else 0):
            one, other = cards[int(draw() * len(cards))], cards[int(draw() * len(cards))]
            a, b = holders[one], holders[other]
            if a == b or free[a] & BIT[other] or free[b] & BIT[one]:
                continue
            both = BIT[one] | BIT[other]
            of_a = 0.0 if a == nobody else log_likelihood(a, parts[a] ^ both)
            of_b = 0.0 if b == nobody else log_likelihood(b, parts[b] ^ both)
            gain = of_a + of_b - worth[a] - worth[b]
            if gain >= 0 or draw() < exp(gain):
                parts[a], parts[b], worth[a], worth[b] = parts[a] ^ both, parts[b] ^ both, of_a, of_b
                holders[one], holders[other] = b, a
        yield parts[:nobody]
        exchanges = SWAPS_BETWEEN_SAMPLES


W = TypeVar("W")


def sample_by_rejection(sample: Callable[[], tuple[float, W]], rng: Random, max_tries: int) -> W:
    """Return a world drawn by rejection sampling (von Neumann, 1951), or the likeliest of ``max_tries`` rejected
    worlds.

    ``sample`` returns a world, preceded by the likelihood of the observed bids and plays in it, from 0 to 1. Requires
    ``max_tries`` of at least 1.
    """
    best, most = None, -1.0
    for _ in range(max_tries):
        likeness, world = sample()
        if rng.random() < likeness:
            return world
        if likeness > most:
            best, most = world, likeness
    assert best is not None
    return best


PASSED_OVER: Final = -0.49
"""Log-likelihood added for each group of cards that a seat passed over and of which its hand still holds a card.

The value was fitted to rounds of Rikiki with 10 cards, played by robots of several styles.
"""


def iter_unplayed_groups(trick: Sequence[Card], leader: Seat, order: Order, seats: int) -> Iterator[tuple[Seat, Cards]]:
    """Yield the groups of cards that the seats passed over in a trick, each with its seat.

    A seat that follows suit passes over three groups: the cards of the suit below both its card and the card that
    headed the trick, the cards between these two, and, if its card does not head the trick, the cards above the heading
    one. If the trick has been ruffed, the groups are the cards below and above its card. A seat that leads, discards or
    ruffs passes over the lower cards of the suit it plays. ``leader`` led to the trick, which ``order`` decides.
    """
    best = trick[0]
    for index, card in enumerate(trick):
        seat, suit = (leader + index) % seats, OF_SUIT[SUIT[card]]
        below, above = suit & BIT[card] - 1, suit & -BIT[card] & ~BIT[card]
        if index and SUIT[card] == SUIT[best]:
            under_best, over_best = suit & BIT[best] - 1, suit & -BIT[best] & ~BIT[best]
            groups = [below & under_best, (below & over_best) or (above & under_best)]
            if card < best:
                groups.append(over_best)
        elif index and SUIT[card] == SUIT[trick[0]]:
            groups = [below, above]
        else:
            groups = [below]
        yield from [(seat, group) for group in groups if group]
        if index and order.winner((best, card)):
            best = card


MEMO_SIZE: Final = 1 << 12
"""Maximum number of entries of a ``Memo``."""

T = TypeVar("T")


class Memo(dict[int, T]):
    """Cache of a function with an integer argument, filled on first access and cleared when it has ``MEMO_SIZE``
    entries.
    """

    def __init__(self, compute: Callable[[int], T]) -> None:
        self._compute = compute

    def __missing__(self, key: int) -> T:
        if len(self) >= MEMO_SIZE:
            self.clear()
        self[key] = value = self._compute(key)
        return value


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
        node, path, known = self._root, list[tuple[Seat, _TreeNode]](), True
        while known and state.playing and state.turn != CHANCE:
            legal = state.legal()
            action = legal[0] if len(legal) == 1 else self._select_action(node, legal)
            node = node.children[action]
            known = node.visits > 0 or len(legal) == 1
            path.append((state.turn, node))
            state.apply(action)
        points = self._rollout(state, luck)
        total, others = sum(points), len(points) - 1
        for seat, node in path:
            node.visits += 1
            node.total_lead += points[seat] - (total - points[seat]) / others
        return points

    def _select_action(self, node: _TreeNode, legal: Sequence[Action]) -> Action:
        """Return an untried action if there is one, otherwise the action with the highest UCB1 value (Auer et al.,
        2002).

        The visits of the parent node are replaced by the number of visits in which the action was legal, as ISMCTS
        requires.
        """
        best, most = legal[0], -inf
        for action in legal:
            child = node.children[action]
            child.availability += 1
            worth = inf
            if child.visits:
                worth = child.total_lead / child.visits + self._exploration * sqrt(
                    log(child.availability) / child.visits
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
RULE_MARGIN: Final = 1.0
"""Lead, in standard errors of the paired difference, that the best candidate needs over the action preferred by rule to
be chosen instead of it.
"""
MAX_CANDIDATES: Final = 16
"""Maximum number of candidates in sequential halving; a larger number is first reduced to this one by a preselection.
"""


class _Comparison:
    """Evaluation of candidates, each in the same worlds and with the same luck."""

    def __init__(
        self,
        spec: AnySearchSpec,
        view: View,
        actions: Sequence[Action],
        rng: Random,
        tree_config: TreeSearchConfig | None,
    ) -> None:
        self._spec, self._view, self._rng = spec, view, rng
        self._worlds = spec.sample_worlds(view, rng)
        rollout = spec.rollouts(view)
        self._play_out = {
            action: Tree(rollout, tree_config.exploration).play_out if tree_config else rollout for action in actions
        }
        self.candidates = [Candidate(action, spec.future_value(view, action)) for action in actions]

    def add_world(self, candidates: Sequence[Candidate]) -> None:
        self.evaluate_in(candidates, next(self._worlds), self._rng.random())

    def evaluate_in(self, candidates: Sequence[Candidate], world: State[View], luck: float) -> None:
        """Evaluate ``candidates`` in copies of ``world``; chance is drawn from ``Random(luck)``."""
        value = self._spec.value
        for candidate in candidates:
            clone = world.copy()
            clone.apply(candidate.action)
            points = self._play_out[candidate.action](clone, luck)
            candidate.points.append(points)
            candidate.values.append(value(self._view, points))


def evaluate_all(
    spec: AnySearchSpec, view: View, actions: Sequence[Action], worlds: int, rng: Random
) -> list[Candidate]:
    """Evaluate every action in the same ``worlds`` worlds, or in all worlds if the game lists them."""
    return evaluate_in_worlds(spec, view, actions, islice(draw_worlds(spec, view, rng), worlds))


def draw_worlds(spec: AnySearchSpec, view: View, rng: Random) -> Iterator[tuple[State[View], float]]:
    """Yield pairs of a world and its luck, the same ones that a search draws from an equal generator."""
    for world in spec.sample_worlds(view, rng):
        yield world, rng.random()


def evaluate_in_worlds(
    spec: AnySearchSpec, view: View, actions: Sequence[Action], worlds: Iterable[tuple[State[View], float]]
) -> list[Candidate]:
    """Evaluate ``actions`` in pairs of a world and its luck, or in all worlds if the game lists them."""
    listed = spec.list_worlds(view, spec.worlds)
    if listed is not None:
        worlds = ((world, 0.5) for world in listed)
    comparison = _Comparison(spec, view, actions, Random(0), spec.tree_config(view))
    with _pause_gc():
        for world, luck in worlds:
            comparison.evaluate_in(comparison.candidates, world, luck)
    for candidate in comparison.candidates:
        candidate.in_all_worlds = listed is not None
    return comparison.candidates


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


DECISION_SECONDS: Final = 0.25
"""Processor time of a first decision with all candidates; the mean decision of a round takes half of it or less."""
_MEASURING_SECONDS: Final = 0.03
"""Processor time of the measurement itself, which begins with one more rollout."""


def measure_worlds(spec: AnySearchSpec, view: View, rng: Random) -> int:
    """Return in how many worlds a search can compare the actions of ``view`` within ``DECISION_SECONDS``.

    The result is at least 1 and at most ``spec.worlds``. It depends on the speed of this machine.
    """
    actions, deep = spec.candidates(view), spec.tree_config(view)
    comparison = _Comparison(spec, view, actions, rng, deep)
    comparison.add_world(comparison.candidates[:1])  # it may import modules and fill caches
    rollouts_of_all_worlds = len(actions) * spec.worlds * (deep.world_factor if deep else 1)
    if spec.budget:
        rollouts_of_all_worlds = max(1, spec.budget(view, rng))
    start, rollouts, seconds = thread_time(), 0, 0.0
    while rollouts < spec.worlds and seconds < _MEASURING_SECONDS:
        comparison.add_world([comparison.candidates[rollouts % len(actions)]])
        rollouts, seconds = rollouts + 1, thread_time() - start
    seconds_of_all_worlds = max(seconds, 1e-6) / rollouts * rollouts_of_all_worlds
    return max(1, min(spec.worlds, int(spec.worlds * DECISION_SECONDS / seconds_of_all_worlds)))


class MonteCarloSearch:
    """Robot that chooses its actions by Monte Carlo search."""

    def __init__(self, spec: AnySearchSpec) -> None:
        self._spec = spec

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return the best candidate found until ``stop()`` returns True."""
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
            candidates = self._compare(view, rng, stop, extra_action)  # the trees are freed before the collector runs
        dominated = self._spec.dominated(view)
        return sorted(candidates, key=lambda candidate: candidate.action in dominated) if dominated else candidates

    def _compare(
        self, view: View, rng: Random, stop: Callable[[], bool], extra_action: Action | None
    ) -> list[Candidate]:
        spec, actions = self._spec, self._spec.candidates(view)
        if spec.budget and len(actions) > 1:
            return _run_sequential_halving(spec, view, spec.budget(view, rng), rng, stop, extra_action)
        if extra_action is not None and extra_action not in actions:
            actions = [*actions, extra_action]
        deep = spec.tree_config(view)
        comparison = _Comparison(spec, view, actions, rng, deep)
        running, dropped = comparison.candidates, list[Candidate]()
        if len(running) > 1 and spec.list_worlds(view, spec.worlds) is not None:
            return sorted(evaluate_in_worlds(spec, view, actions, ()), key=lambda candidate: -candidate.mean)
        worlds = spec.worlds * (deep.world_factor if deep else 1)
        first = MIN_TREE_WORLDS if deep else MIN_WORLDS
        for number in range(1, worlds + 1):
            if len(running) == 1 or (number > 1 and stop()):
                break
            comparison.add_world(running)
            if number >= first and number % DROP_INTERVAL == 0:
                running, out = _split_behind(running, spec.drop_threshold)
                dropped = [*out, *dropped]
        running.sort(key=lambda candidate: -candidate.mean)
        return [*_prefer_rule(running, spec.rule(view)), *dropped]


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
    spec: AnySearchSpec, view: View, playouts: int, rng: Random, stop: Callable[[], bool], extra_action: Action | None
) -> list[Candidate]:
    """Return the candidates, best first, compared by sequential halving.

    Each stage spends an equal share of ``playouts`` rollouts on the remaining candidates and keeps the better half of
    them. The number of rollouts is limited to ``worlds`` for each action of the game's candidates.
    """
    actions = spec.candidates(view)
    playouts = min(playouts, spec.worlds * len(actions))
    if len(actions) > MAX_CANDIDATES:
        playouts //= 2
        actions = _preselect(spec, view, actions, playouts, rng, stop)
    if extra_action is not None and extra_action not in actions:
        actions = [*actions, extra_action]
    comparison = _Comparison(spec, view, actions, rng, spec.tree_config(view))
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


def _preselect(
    spec: AnySearchSpec, view: View, actions: Sequence[Action], playouts: int, rng: Random, stop: Callable[[], bool]
) -> list[Action]:
    """Return the ``MAX_CANDIDATES`` most promising of many actions.

    At most ``playouts`` random actions are played out once, each in the same world as a few others. The result of an
    action, relative to the mean of that world, is credited to the cards it uses. All actions are then ranked by the sum
    of the mean results of their cards.
    """
    made: dict[Card | Action, list[float]] = defaultdict(list)
    order = rng.sample(actions, max(MAX_CANDIDATES, min(playouts, len(actions))))
    comparison = _Comparison(spec, view, order, rng, tree_config=None)
    for start in range(0, len(order), MAX_CANDIDATES):
        if made and stop():
            break
        group = comparison.candidates[start : start + MAX_CANDIDATES]
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
