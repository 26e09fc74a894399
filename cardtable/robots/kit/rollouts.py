"""What robots go by in a game that has no part for them: as many playouts to the end of the round as can be afforded.

What a playout costs is counted in actions listed, not in seconds, so that the same view and generator give the same
choice on every machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from cardtable.engine.game import CHANCE, Action, AnyGame, State, View
from cardtable.robots.kit.search import (
    AnyGuide,
    MonteCarloSearch,
    SearchSpec,
    ahead_of_other_sides,
    fixed_rollout,
    independent_samples,
)

SELDOM: Final = 0.02
"""How often what ends a round early is considered, against 1 for all others."""


class RandomRobot:
    """Draws first the kind of action, so that many cards do not crowd out few words, then one of the kind."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Any legal action."""
        kinds: dict[str, list[Action]] = {}
        for action in view.legal:
            kinds.setdefault(action.kind, []).append(action)
        (kind,) = rng.choices(
            list(kinds), [SELDOM if alike[0].rare_in_random_play else 1.0 for alike in kinds.values()]
        )
        return rng.choice(kinds[kind])


@dataclass(frozen=True, slots=True)
class PolicyRobot:
    """Follows a policy: a function from a view to an action."""

    policy: Callable[[View, Random], Action]

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """What the policy says."""
        return self.policy(view, rng)


@dataclass(frozen=True, slots=True)
class BlunderingRobot:
    """Searches, but now and then plays at random."""

    searcher: MonteCarloSearch
    often: float = 0.2
    """How often, against 1 for all decisions."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """What is found best, or a mistake."""
        return (RandomRobot() if rng.random() < self.often else self.searcher).choose(view, rng, stop)


WORLDS: Final = {"novice": 4, "steady": 16, "expert": 128}
"""How many worlds each level looks at, as far as it can afford that."""
STEP: Final = 8
"""What it costs to go on by one event, beside 1 for each action that is listed."""
BUDGET: Final = 5_000
"""What the playouts of a decision may cost for each of those worlds: in games of tricks some 2.5 ms."""
LONGEST: Final = 2_000
"""Events after which a playout is given up: nobody has made any points."""


def at_random(state: State[View], rng: Random) -> Action:
    """Any legal action; seldom one that ends a round early."""
    legal = state.legal()
    action = legal[int(rng.random() * len(legal))]
    return rng.choice(legal) if action.rare_in_random_play and rng.random() > SELDOM else action


def by(policy: Callable[[View, Random], Action]) -> Callable[[State[View], Random], Action]:
    """What a policy does, for who sees all hands: it is shown its seat's view."""
    return lambda state, rng: policy(state.view(state.turn), rng)


def guide(game: AnyGame, level: str, plays: Callable[[State[View], Random], Action] = at_random) -> AnyGuide:
    """The worlds of a level, in which everybody plays on as ``plays`` says."""

    def rollout(state: State[View], luck: float) -> Sequence[float]:
        rng = Random(luck)
        for _ in range(LONGEST):
            if not state.playing:
                assert state.score is not None
                return [(-points if game.lowest_wins else points) for points in state.score.points]
            state.apply(state.draw_chance(rng) if state.turn == CHANCE else plays(state, rng))
        return [0.0] * len(state.totals)

    def affords(view: View, rng: Random) -> int:
        world, cost = game.imagine(view, rng), 0
        for _ in range(LONGEST):
            if not world.playing:
                break
            cost += STEP + (len(world.legal()) if world.turn != CHANCE else 0)
            world.apply(world.draw_chance(rng) if world.turn == CHANCE else plays(world, rng))
        return BUDGET * WORLDS[level] // max(cost, 1)

    return SearchSpec(
        independent_samples(game.imagine),
        fixed_rollout(rollout),
        WORLDS[level],
        value=ahead_of_other_sides(game),
        budget=affords,
    )
