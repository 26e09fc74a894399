"""Generic robots for games without a policy or an expert: search with rollouts to the end of the round.

The cost of a rollout is counted in events and listed actions, not in seconds, so that equal views and equal random
generators give the same choice on every machine.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import msgspec

from cardtable.engine.game import CHANCE, Action, AnyGame, State, View
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.robots.kit.search_spec import (
    AnySearchSpec,
    SearchSpec,
    make_rollout_chooser,
    make_sampler,
    make_side_lead,
)

RARE_ACTION_WEIGHT: Final = 0.02
"""Relative weight, in random play, of an action that ends a round early; other kinds of action have weight 1."""


class RandomRobot:
    """Robot that draws the kind of action first, and then an action of this kind.

    In this way a large number of playable cards does not crowd out other kinds of action.
    """

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        kinds: dict[str, list[Action]] = {}
        for action in view.legal:
            kinds.setdefault(action.kind, []).append(action)
        (kind,) = rng.choices(
            list(kinds), [RARE_ACTION_WEIGHT if alike[0].rare_in_random_play else 1.0 for alike in kinds.values()]
        )
        return rng.choice(kinds[kind])


class PolicyRobot(msgspec.Struct, frozen=True):
    """Robot that follows a policy, a function from a view and a random generator to an action."""

    policy: Callable[[View, Random], Action]

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        return self.policy(view, rng)


class BlunderingRobot(msgspec.Struct, frozen=True):
    """Robot that searches, but sometimes plays at random."""

    searcher: MonteCarloSearch
    blunder_probability: float = 0.2
    """Probability of a random action."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        return (RandomRobot() if rng.random() < self.blunder_probability else self.searcher).choose(view, rng, stop)


WORLDS: Final = {"novice": 4, "steady": 16, "expert": 128}
"""Maximum number of worlds per decision, by level."""
EVENT_COST: Final = 8
"""Cost of applying an event; each legal action that was listed before it adds 1."""
COST_PER_WORLD: Final = 5_000
"""Cost of the rollouts of a decision, for each world of the level: about 2.5 ms in trick-taking games."""
MAX_EVENTS: Final = 2_000
"""Number of events after which a rollout is cut off; all seats then score 0."""


def choose_at_random(state: State[View], rng: Random) -> Action:
    """Return a random legal action; an action that ends the round early is chosen with a low probability."""
    legal = state.legal()
    action = legal[int(rng.random() * len(legal))]
    return rng.choice(legal) if action.rare_in_random_play and rng.random() > RARE_ACTION_WEIGHT else action


def adapt_policy(policy: Callable[[View, Random], Action]) -> Callable[[State[View], Random], Action]:
    """Convert a policy to a function of the full state, which gives the policy the view of the seat to act."""
    return lambda state, rng: policy(state.view(state.turn), rng)


def make_generic_search_spec(
    game: AnyGame, level: str, choose: Callable[[State[View], Random], Action] = choose_at_random
) -> AnySearchSpec:
    """Return the search specification of a level for a game without an expert.

    ``choose`` chooses the actions of all seats in rollouts. One rollout is played in advance to determine how many the
    budget allows.
    """

    def run_rollout(state: State[View], luck: float) -> Sequence[float]:
        rng = Random(luck)
        for _ in range(MAX_EVENTS):
            if not state.playing:
                assert state.score is not None
                return [(-points if game.lowest_wins else points) for points in state.score.points]
            state.apply(state.draw_chance(rng) if state.turn == CHANCE else choose(state, rng))
        return [0.0] * len(state.totals)

    def compute_budget(view: View, rng: Random) -> int:
        world, cost = game.imagine(view, rng), 0
        for _ in range(MAX_EVENTS):
            if not world.playing:
                break
            cost += EVENT_COST + (len(world.legal()) if world.turn != CHANCE else 0)
            world.apply(world.draw_chance(rng) if world.turn == CHANCE else choose(world, rng))
        return COST_PER_WORLD * WORLDS[level] // max(cost, 1)

    return SearchSpec(
        make_sampler(game.imagine),
        make_rollout_chooser(run_rollout),
        WORLDS[level],
        value=make_side_lead(game),
        budget=compute_budget,
    )
