"""Gain of the offers of King's expert: a round with an offer is also played on with the best card in its place.

    python benchmarks/king_offers.py [--deals N] [--seed S]

A negative contract is named at random; all seats play and answer by the rule policy, except for the offer and the card
in its place.  Printed is the mean gain of the offers above the other seats, in points of the totals.
"""

import argparse
from collections.abc import Iterator
from random import Random
from statistics import fmean, stdev
from typing import cast

from msgspec.structs import replace

from cardtable.engine.game import Action
from cardtable.games.king.expert import OFFER_THRESHOLD, SEARCH_SPEC, list_candidates
from cardtable.games.king.policy import make_knowledge, steady
from cardtable.games.king.rules import KingState
from cardtable.games.king.rules.actions import NAMINGS, OFFERS, Kind, Options
from cardtable.robots.arena import SESSIONS_PER_SEED
from cardtable.robots.kit.robot import no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.robots.kit.search_spec import AnySearchSpec

NEGATIVE = [naming for naming in NAMINGS if naming.contract.kind is Kind.NEGATIVE]
EXPERT = MonteCarloSearch(cast(AnySearchSpec, SEARCH_SPEC))
_SILENT_SPEC = replace(
    SEARCH_SPEC, candidates=lambda view: [action for action in list_candidates(view) if action not in OFFERS]
)
SILENT = MonteCarloSearch(cast(AnySearchSpec, _SILENT_SPEC))


def iter_gains(seed: int) -> Iterator[float]:
    """Yield the gain of each offer of a round, at most one for each seat."""
    rng, state, offered = Random(seed), KingState(Options()), set[int]()
    state.apply(state.draw_chance(rng))
    state.apply(rng.choice(NEGATIVE))
    while state.playing:
        view, seat = state.view(state.turn), state.turn
        knowledge = view.contract and make_knowledge(view, view.contract, sum(view.played))
        if (
            knowledge
            and OFFERS[0] in view.legal
            and seat not in offered
            and knowledge.estimate_loss() > OFFER_THRESHOLD * view.points_left
        ):
            offer = EXPERT.choose(view, Random(seed), no_time_limit)
            if offer in OFFERS:
                offered.add(seat)
                yield evaluate_action(state, offer) - evaluate_action(
                    state, SILENT.choose(view, Random(seed), no_time_limit)
                )
        state.apply(steady(view, rng) if len(view.legal) > 1 else view.legal[0])


def evaluate_action(state: KingState, action: Action) -> float:
    """Apply an action, play on by rule, and return the seat's points above the others, as the totals count them."""
    world, seat = state.copy(), state.turn
    world.apply(action)
    while world.playing:
        view = world.view(world.turn)
        world.apply(steady(view, Random(0)) if len(view.legal) > 1 else view.legal[0])
    assert world.score is not None
    return SEARCH_SPEC.value(state.view(seat), world.score.points)


def main() -> None:
    """Play the deals; print the mean."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    results = [
        gain for number in range(options.deals) for gain in iter_gains(SESSIONS_PER_SEED * options.seed + number)
    ]
    error = stdev(results) / len(results) ** 0.5
    print(f"king: an offer brings {fmean(results):+.2f} +- {error:.2f}, {len(results)} offers in {options.deals} deals")


if __name__ == "__main__":
    main()
