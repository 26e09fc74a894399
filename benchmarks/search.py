"""Time per decision of the experts, and overhead of the searcher over its rollouts.

    python benchmarks/search.py [--views N] [--seed S] [GAME ...]

In views from sessions of steady robots the expert chooses; then a bare loop samples as many worlds from the same random
numbers and plays the same candidates out in them.  For this comparison no trees are grown.  Times are processor time.
"""

import argparse
import time
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from statistics import fmean

from msgspec.structs import replace

from cardtable.engine.game import OVER, Action, View
from cardtable.engine.referee import Referee, ignore_event
from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.robot import decide, load_search_spec, make_robot, no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.robots.kit.search_spec import AnySearchSpec, Candidate, no_tree

SAMPLE_INTERVAL = 17
"""One view in this many is taken; a prime, so that every phase of a game occurs."""


def iter_views(key: str, number: int, seed: int) -> Iterator[View]:
    """Yield ``number`` views with more than one legal action."""
    game, robot = GAMES[key], make_robot("steady", key)
    while True:
        table = Referee(game, game.about.usual_seats, game.options(), seed, ignore_event)
        while table.turn != OVER:
            table.advance()
            while table.turn >= 0:
                view = table.view(table.turn)
                if len(view.legal) > 1 and table.decisions % SAMPLE_INTERVAL == 0:
                    yield view
                    number -= 1
                    if not number:
                        return
                table.play(table.turn, decide(robot, view, seed, table.decisions))
        seed += 1


def run_bare_loop(spec: AnySearchSpec, view: View, rng: Random, budgets: list[tuple[Action, int]]) -> float:
    """Run only the rollouts of a search: each candidate in its number of worlds; return the sum of all points."""
    total, seat, number, worlds, rollout = 0.0, view.seat, 0, spec.sample_worlds(view, rng), spec.rollouts(view)
    while budgets:
        world, luck = next(worlds), rng.random()
        number += 1
        for action, _ in budgets:
            clone = world.copy()
            clone.apply(action)
            total += rollout(clone, luck)[seat]
        budgets = [(action, worlds) for action, worlds in budgets if worlds > number]
    return total


def compare(spec: AnySearchSpec, view: View, seed: int) -> tuple[float, float, float, list[Candidate]]:
    """Return the seconds of the expert, of the bare loop and of the searcher without trees, and the candidates of the
    last.

        Caches of the game are filled before the last two are measured.
    """
    flat_spec, times = replace(spec, tree_config=no_tree), [time.thread_time()]
    MonteCarloSearch(spec).compare(view, Random(seed), no_time_limit)
    times.append(time.thread_time())
    candidates = MonteCarloSearch(flat_spec).compare(view, Random(seed), no_time_limit)
    times.append(time.thread_time())
    visits = [(candidate.action, len(candidate.values)) for candidate in candidates if candidate.values]
    run_bare_loop(flat_spec, view, Random(seed), visits)
    times.append(time.thread_time())
    MonteCarloSearch(flat_spec).compare(view, Random(seed), no_time_limit)
    times.append(time.thread_time())
    expert, _, loop, searcher = (after - before for before, after in pairwise(times))
    return expert, loop, searcher, candidates


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", metavar="GAME", default=KEYS, help="all of them where none is named")
    parser.add_argument("--views", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("game      ms a decision    most  candidates  rollouts    a second   searcher / bare loop")
    for key in options.games:
        spec = load_search_spec(key)
        runs = [compare(spec, view, seed) for seed, view in enumerate(iter_views(key, options.views, options.seed))]
        expert_times = [run[0] for run in runs]
        sampled_runs = [run for run in runs if not run[-1][0].in_all_worlds]
        _, loops, searcher, candidate_lists = zip(*sampled_runs, strict=True)
        rollouts = [sum([len(candidate.values) for candidate in candidates]) for candidates in candidate_lists]
        print(
            f"{key:9} {1e3 * fmean(expert_times):13.1f} {1e3 * max(expert_times):7.1f} "
            f"{fmean(map(len, candidate_lists)):11.1f}"
            f" {fmean(rollouts):9.0f} {sum(rollouts) / sum(loops):11,.0f}   {sum(searcher) / sum(loops):.2f}"
        )


if __name__ == "__main__":
    main()
