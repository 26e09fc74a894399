"""What robots go by in a game that has no part for them: as many playouts to the end of the round as can be afforded.

What a playout costs is counted in actions listed, not in seconds, so that the same view and generator give the same
choice on every machine.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from cardtable.engine.contract import CHANCE, Action, AnyGame, State, View
from cardtable.robots.kit.search import AnyGuide, Guide, ahead_of_other_sides, alike, anew
from cardtable.robots.kit.simple import SELDOM

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
    return rng.choice(legal) if action.seldom and rng.random() > SELDOM else action


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
            state.apply(state.lot(rng) if state.turn == CHANCE else plays(state, rng))
        return [0.0] * len(state.totals)

    def affords(view: View, rng: Random) -> int:
        world, cost = game.imagine(view, rng), 0
        for _ in range(LONGEST):
            if not world.playing:
                break
            cost += STEP + (len(world.legal()) if world.turn != CHANCE else 0)
            world.apply(world.lot(rng) if world.turn == CHANCE else plays(world, rng))
        return BUDGET * WORLDS[level] // max(cost, 1)

    return Guide(anew(game.imagine), alike(rollout), WORLDS[level], value=ahead_of_other_sides(game), affords=affords)
