"""The searcher: choose what does best on average in worlds that may be the true one.

It imagines worlds from the view, plays each candidate out in all of them by a cheap rule policy,
and takes the best mean of what it is worth to the own seat.  Candidates that fall behind clearly
are dropped on the way; where playouts are dear, half of them after each share of what can be
afforded.  Worlds and playouts are its budget, so that the same view and the same generator give
the same choice on every machine; ``stop`` is a safety net.
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
    """A choice, and what came of it."""

    __slots__ = ("after", "made", "possible", "total")

    def __init__(self) -> None:
        self.after: defaultdict[Action, _Branch] = defaultdict(_Branch)
        self.made = 0
        """How often it was made, ..."""
        self.possible = 0
        """... how often it might have been, ..."""
        self.total = 0.0
        """... and what it has brought in all to who made it, above the mean of the others."""


class Tree(Generic[S]):
    """What follows on one action."""

    def __init__(self, rollout: Callable[[S, float], Sequence[float]], explore: float) -> None:
        self._rollout, self._explore, self._root = rollout, explore, _Branch()

    def play_out(self, state: S, luck: float) -> Sequence[float]:
        """The points of the round by seat; the state is played on, up to where chance comes in or the tree ends."""
        branch, path, known = self._root, list[tuple[Seat, _Branch]](), True
        while known and state.playing and state.turn != CHANCE:
            legal = state.legal()
            action = legal[0] if len(legal) == 1 else self._choice(branch, legal)
            branch = branch.after[action]
            known = branch.made > 0 or len(legal) == 1
            path.append((state.turn, branch))
            state.apply(action)
        points = self._rollout(state, luck)
        whole, others = sum(points), len(points) - 1
        for seat, branch in path:
            branch.made += 1
            branch.total += points[seat] - (whole - points[seat]) / others
        return points

    def _choice(self, branch: _Branch, legal: Sequence[Action]) -> Action:
        """What was never tried, else what is best as far as that is known (upper confidence bounds)."""
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
"""Worlds before anything is dropped, ..."""
FIRST_DEEP_LOOK: Final = 64
"""... and where trees are to grow before."""
EVERY: Final = 8
"""Worlds from one look to the next."""
BEHIND: Final = 3.0
"""Standard errors by which a candidate may usually fall behind the best one."""
CAUTION: Final = 1.0
"""Standard errors by which the best one must be ahead of what is chosen by rule: +6 ± 3 points a round of Rifki."""
MOST: Final = 16
"""Candidates that are compared where playouts are dear; more are looked at once before."""


def every_action(view: View) -> Sequence[Action]:
    """All that is legal is a candidate."""
    return view.legal


def ahead(view: View, points: Sequence[float]) -> float:
    """What the seat of ``view`` has above the mean of the others."""
    own = points[view.seat]
    return own - (sum(points) - own) / (len(points) - 1)


def ahead_of_other_sides(game: AnyGame) -> Callable[[View, Sequence[float]], float]:
    """What a seat has above the mean of those who are not on its side."""

    def ahead_with_partners(view: View, points: Sequence[float]) -> float:
        partners = next(side for side in game.sides_of(view) if view.seat in side)
        others = [each for seat, each in enumerate(points) if seat not in partners]
        return points[view.seat] - sum(others) / len(others)

    return ahead_with_partners


def no_future_value(_view: View, _action: Action) -> float:
    """Nothing beyond this round."""
    return 0.0


def identity(_view: View, value: float) -> float:
    """Values are points."""
    return value


def no_policy(_view: View) -> Action | None:
    """Nothing is to be preferred."""
    return None


def nothing_dominated(_view: View) -> Sequence[Action]:
    """Leave it to the worlds which candidate is the best."""
    return ()


def not_enumerable(_view: View, _action: Action) -> None:
    """What may come of it cannot be counted."""


def independent_samples(imagine: Callable[[V, Random], S]) -> Callable[[V, Random], Iterator[S]]:
    """Worlds of which none has to do with the one before."""

    def worlds(view: V, rng: Random) -> Iterator[S]:
        while True:
            yield imagine(view, rng)

    return worlds


Rollout: TypeAlias = Callable[[S, float], Sequence[float]]
"""What tells the points of the round by seat, larger being better, when a rule policy plays on from a state, which it
may change.  Chance is drawn from ``Random(luck)``, where it needs any: the same luck for all candidates."""


def fixed_rollout(rollout: Rollout[S]) -> Callable[[View], Rollout[S]]:
    """A rollout that plays on in the same way whatever the view shows."""
    return lambda _view: rollout


class Outcome(NamedTuple):
    """What may come of an action."""

    chance: float
    """How likely it is."""
    points: Sequence[float]
    """The points of the round by seat."""


class TreeSearchConfig(NamedTuple):
    """How to look deeper than one choice: each candidate gets a tree, in which all learn what to do after it."""

    times: int
    """How many times as many worlds are looked at."""
    explore: float
    """How much is tried that does not look best, in points."""


def no_tree(_view: View) -> None:
    """No deeper than that."""


@dataclass(frozen=True, slots=True)
class SearchSpec(Generic[S, V]):
    """What the searcher asks of a game."""

    imagine: Callable[[V, Random], Iterator[S]]
    """Worlds that fit the view, one after another without end, the likelier ones more often."""
    rollouts: Callable[[V], Rollout[S]]
    """How to play on in all the worlds that fit a view."""
    worlds: int
    """How many are looked at."""
    candidates: Callable[[V], Sequence[Action]] = every_action
    """What is worth a look, never nothing; of actions that come to the same one is enough."""
    value: Callable[[V, Sequence[float]], float] = ahead
    """What such points are worth to the seat of the view, as the session stands."""
    future_value: Callable[[V, Action], float] = no_future_value
    """What an action is worth beyond the round, in the unit of ``value``."""
    rule: Callable[[V], Action | None] = no_policy
    """The candidate that is chosen by rule, where there is a good one: better than a best one which chance made."""
    dominated: Callable[[V], Sequence[Action]] = nothing_dominated
    """Candidates that another one beats beyond doubt, which the worlds looked at may be too few to show."""
    enumerate_outcomes: Callable[[V, Action], Sequence[Outcome] | None] = not_enumerable
    """All that may come of a candidate, where that can be counted instead of imagined."""
    budget: Callable[[V, Random], int] | None = None
    """How many playouts a decision may take in all, where that is not ``worlds`` of each candidate."""
    in_points: Callable[[V, float], float] = identity
    """Such a value in points of the totals: how far ahead of the mean of the others is worth as much.  It rises evenly
    with the value."""
    drop_threshold: float = BEHIND
    """Standard errors by which a candidate may fall behind the best one."""
    deep: Callable[[V], TreeSearchConfig | None] = no_tree
    """Whether to look deeper than rollouts do by themselves."""


AnyGuide: TypeAlias = SearchSpec[State[View], View]
"""That of a game which was looked up by its key."""


@dataclass(slots=True)
class Candidate:
    """An action and what came of it, world by world; nothing, if no other was to be compared with."""

    action: Action
    later: float
    values: list[float] = field(default_factory=list)
    """What the outcomes were worth."""
    points: list[Sequence[float]] = field(default_factory=list)
    """The points of the round by seat."""
    chances: list[float] = field(default_factory=list)
    """How likely each of these is, where all that may come of it was counted; else they are alike."""

    @property
    def mean(self) -> float:
        """What the action is worth, on average."""
        if self.chances:
            return self.later + sum([chance * value for chance, value in zip(self.chances, self.values, strict=True)])
        return self.later + sum(self.values) / max(1, len(self.values))

    def share(self, reached: Callable[[Sequence[float]], bool], first: int | None = None) -> float:
        """How often points are so, from 0 to 1; in the first worlds, if so many are told."""
        found = [reached(points) for points in self.points[:first]]
        if self.chances:
            return sum([chance for chance, so in zip(self.chances, found, strict=True) if so])
        return fmean(found)

    def points_of(self, seats: Sequence[int], first: int | None = None) -> float:
        """Return the mean points of the round of some seats; in the first worlds, if their number is given."""
        found = [sum([points[seat] for seat in seats]) / len(seats) for points in self.points[:first]]
        return sum(map(mul, self.chances, found)) if self.chances else fmean(found)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How far one candidate is ahead of another in the same worlds."""

    mean: float
    error: float
    """The standard error of that."""

    def clear(self, errors: float) -> bool:
        """Whether it is ahead by more than so many standard errors."""
        return self.mean > 0 and self.mean > errors * self.error


def paired_difference(best: Candidate, other: Candidate) -> PairedDifference:
    """How far ``best`` is ahead, in the worlds that both have seen."""
    if best.chances and other.chances:
        return PairedDifference(best.mean - other.mean, 0.0)
    worlds, head = min(len(best.values), len(other.values)), best.later - other.later
    gaps = list(map(sub, best.values, other.values))
    whole = sum(gaps)
    if worlds < 2:
        return PairedDifference(head + whole, inf)
    variance = (sum(map(mul, gaps, gaps)) - whole * whole / worlds) / (worlds - 1)
    return PairedDifference(head + whole / worlds, sqrt(max(0.0, variance) / worlds))


class _Comparison:
    """Candidates that are tried out in the same worlds, one world after another."""

    def __init__(
        self, guide: AnyGuide, view: View, actions: Sequence[Action], rng: Random, deep: TreeSearchConfig | None
    ) -> None:
        self._guide, self._view, self._rng = guide, view, rng
        self._worlds = guide.imagine(view, rng)
        rollout = guide.rollouts(view)
        self._play_out = {action: Tree(rollout, deep.explore).play_out if deep else rollout for action in actions}
        self.candidates = [Candidate(action, guide.future_value(view, action)) for action in actions]

    def go_on(self, candidates: Sequence[Candidate]) -> None:
        """See what comes of these candidates in one world more."""
        self.look_at(candidates, next(self._worlds), self._rng.random())

    def look_at(self, candidates: Sequence[Candidate], world: State[View], luck: float) -> None:
        """See what comes of these candidates in this world, with this luck."""
        value = self._guide.value
        for candidate in candidates:
            twin = world.copy()
            twin.apply(candidate.action)
            points = self._play_out[candidate.action](twin, luck)
            candidate.points.append(points)
            candidate.values.append(value(self._view, points))


def evaluate_all(guide: AnyGuide, view: View, actions: Sequence[Action], worlds: int, rng: Random) -> list[Candidate]:
    """What comes of these actions in so many worlds, the same for all; none is dropped on the way."""
    comparison = _Comparison(guide, view, actions, rng, guide.deep(view))
    if not _count(guide, view, comparison.candidates):
        for _ in range(worlds):
            comparison.go_on(comparison.candidates)
    return comparison.candidates


def draw_worlds(guide: AnyGuide, view: View, rng: Random) -> Iterator[tuple[State[View], float]]:
    """Yield the worlds that a search sees which begins with the same generator, each with its luck."""
    for world in guide.imagine(view, rng):
        yield world, rng.random()


def weigh_in(
    guide: AnyGuide, view: View, actions: Sequence[Action], worlds: Sequence[tuple[State[View], float]]
) -> list[Candidate]:
    """Return what comes of these actions in worlds that were drawn, or all that may come if it can be counted."""
    comparison = _Comparison(guide, view, actions, Random(0), guide.deep(view))
    if not _count(guide, view, comparison.candidates):
        with _nothing_collected():
            for world, luck in worlds:
                comparison.look_at(comparison.candidates, world, luck)
    return comparison.candidates


def _count(guide: AnyGuide, view: View, candidates: Sequence[Candidate]) -> bool:
    """Whether all that may come of the candidates can be counted; then it is."""
    for candidate in candidates:
        outcomes = guide.enumerate_outcomes(view, candidate.action)
        if outcomes is None:
            return False
        candidate.chances = [outcome.chance for outcome in outcomes]
        candidate.points = [outcome.points for outcome in outcomes]
        candidate.values = [guide.value(view, points) for points in candidate.points]
    return True


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """A search makes no garbage that refers to itself, and looking for some would be a fourth of its time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class MonteCarloSearch:
    """Chooses by search."""

    def __init__(self, guide: AnyGuide) -> None:
        self._guide = guide

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """The action that did best."""
        return self.compare(view, rng, stop)[0].action

    def compare(self, view: View, rng: Random, stop: Callable[[], bool], also: Action | None = None) -> list[Candidate]:
        """The candidates, the best first; those dropped on the way have seen fewer worlds and stand behind the others.

        Behind them stand those that another one beats beyond doubt.

        If there are very many, only those worth a closer look are there, and ``also`` in any case.
        """
        with _nothing_collected():
            found = self._compare(view, rng, stop, also)  # what was learnt is gone before it might be looked through
        dominated = self._guide.dominated(view)
        return sorted(found, key=lambda candidate: candidate.action in dominated) if dominated else found

    def _compare(self, view: View, rng: Random, stop: Callable[[], bool], also: Action | None) -> list[Candidate]:
        guide, actions = self._guide, self._guide.candidates(view)
        if guide.budget and len(actions) > 1:
            return _halved(guide, view, guide.budget(view, rng), rng, stop, also)
        if also is not None and also not in actions:
            actions = [*actions, also]
        deep = guide.deep(view)
        comparison = _Comparison(guide, view, actions, rng, deep)
        running, dropped = comparison.candidates, list[Candidate]()
        if len(running) > 1 and _count(guide, view, running):
            return sorted(running, key=lambda candidate: -candidate.mean)
        worlds = guide.worlds * (deep.times if deep else 1)
        first = FIRST_DEEP_LOOK if deep else FIRST_LOOK
        for number in range(1, worlds + 1):
            if len(running) == 1 or (number > 1 and stop()):
                break
            comparison.go_on(running)
            if number >= first and number % EVERY == 0:
                running, out = _clear(running, guide.drop_threshold)
                dropped = [*out, *dropped]
        running.sort(key=lambda candidate: -candidate.mean)
        return [*_preferred(running, guide.rule(view)), *dropped]


def _preferred(running: Sequence[Candidate], rule: Action | None) -> list[Candidate]:
    """The candidates, best first, what is chosen by rule before them unless the best one is better than that."""
    for candidate in running[1:]:
        if candidate.action == rule:
            lag = paired_difference(running[0], candidate)
            if lag.mean < CAUTION * lag.error:
                return [candidate, *[other for other in running if other is not candidate]]
    return list(running)


def _clear(running: Sequence[Candidate], errors: float) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates that may still be the best, and those that clearly fall behind it in the same worlds."""
    best = max(running, key=lambda candidate: candidate.mean)
    stay: list[Candidate] = []
    out: list[Candidate] = []
    for candidate in running:
        (out if candidate is not best and _behind(candidate, best, errors) else stay).append(candidate)
    return stay, sorted(out, key=lambda candidate: -candidate.mean)


def _behind(candidate: Candidate, best: Candidate, errors: float) -> bool:
    """Whether the best one is ahead by more than chance explains, or the two have been the same in every world."""
    lag = paired_difference(best, candidate)
    return lag.mean > errors * lag.error or (not lag.mean and not lag.error)


def _halved(
    guide: AnyGuide, view: View, playouts: int, rng: Random, stop: Callable[[], bool], also: Action | None
) -> list[Candidate]:
    """The candidates, the best first: half of them stay after each equal share of so many playouts."""
    actions = guide.candidates(view)
    playouts = min(playouts, guide.worlds * len(actions))
    if len(actions) > MOST:
        playouts //= 2
        actions = _promising(guide, view, actions, playouts, rng)
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
            comparison.go_on(running)
        running.sort(key=lambda candidate: -candidate.mean)
        half = (len(running) + 1) // 2
        running, dropped = running[:half], [*running[half:], *dropped]
    return [*running, *dropped]


def _promising(guide: AnyGuide, view: View, actions: Sequence[Action], playouts: int, rng: Random) -> list[Action]:
    """The actions that seem best among very many.

    Each is played out at most once, beside a few others in the same world; what came of it counts for its cards.
    """
    made: dict[Card | Action, list[float]] = defaultdict(list)
    order = rng.sample(actions, max(MOST, min(playouts, len(actions))))
    comparison = _Comparison(guide, view, order, rng, deep=None)
    for at in range(0, len(order), MOST):
        tried = comparison.candidates[at : at + MOST]
        comparison.go_on(tried)
        usual = sum([one.mean for one in tried]) / len(tried)
        for one in tried:
            for of_it in _made_of(one.action):
                made[of_it].append(one.mean - usual)
    worth = {of_it: sum(gains) / len(gains) for of_it, gains in made.items()}

    def seems(action: Action) -> float:
        return sum([worth.get(of_it, 0.0) for of_it in _made_of(action)])

    return sorted(actions, key=lambda action: -seems(action))[:MOST]


def _made_of(action: Action) -> Sequence[Card | Action]:
    """The cards of an action; itself where it has none."""
    return iter_cards(action.cards_used()) or [action]
