"""What the searcher costs beyond the rollouts it asks for, and how long experts think.

    python benchmarks/search.py [--views N] [--seed S] [GAME ...]

In views from sessions of steady robots the expert chooses; then a bare loop imagines as many worlds from
the same numbers and plays the same candidates out in them, and does nothing else.  Times are those of
the processor.
"""

import argparse
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from random import Random
from statistics import fmean

from cardtable.engine.contract import OVER, Action, View
from cardtable.engine.table import Table, forget
from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.robot import decide, make, never
from cardtable.robots.kit.search import Candidate, Guide, Searcher

EVERY = 17
"""One view of so many is taken: prime, so that it meets every phase."""


def views(key: str, number: int, seed: int) -> Iterator[View]:
    """So many views in which there is something to choose."""
    game, robot = GAMES[key], make("steady", key)
    while True:
        table = Table(game, game.about.usual_seats, game.options(), seed, forget)
        while table.turn != OVER:
            table.go_on()
            while table.turn >= 0:
                view = table.view(table.turn)
                if len(view.legal) > 1 and table.decisions % EVERY == 0:
                    yield view
                    number -= 1
                    if not number:
                        return
                table.play(table.turn, decide(robot, view, seed, table.decisions))
        seed += 1


def bare(guide: Guide, view: View, rng: Random, looked_at: list[tuple[Action, int]]) -> float:
    """The rollouts of a search and nothing else: of each candidate in so many worlds; the sum of all points."""
    total, seat, number, worlds = 0.0, view.seat, 0, guide.imagine(view, rng)
    while looked_at:
        world, luck = next(worlds), rng.random()
        number += 1
        for action, _ in looked_at:
            twin = world.copy()
            twin.apply(action)
            total += guide.rollout(twin, luck)[seat]
        looked_at = [(action, worlds) for action, worlds in looked_at if worlds > number]
    return total


def compare(guide: Guide, view: View, seed: int) -> tuple[float, float, float, list[Candidate]]:
    """Seconds of the searcher, of the bare loop and of the searcher once more, and what was found.

    What the first one has made games remember is there for the other two.
    """
    search, times = Searcher(guide), [time.thread_time()]
    found = search.compare(view, Random(seed), never)
    times.append(time.thread_time())
    bare(guide, view, Random(seed), [(each.action, len(each.values)) for each in found if each.values])
    times.append(time.thread_time())
    search.compare(view, Random(seed), never)
    times.append(time.thread_time())
    first, loop, again = (after - before for before, after in pairwise(times))
    return first, loop, again, found


def main() -> None:
    """Print a line a game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*", metavar="GAME", default=KEYS, help="all of them where none is named")
    parser.add_argument("--views", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print("game      ms a decision    most  candidates  rollouts    a second   searcher / bare loop")
    for key in chosen.games:
        guide: Guide = import_module(f"cardtable.games.{key}").GUIDE
        runs = [compare(guide, view, seed) for seed, view in enumerate(views(key, chosen.views, chosen.seed))]
        spent, loops, again, found = zip(*runs, strict=True)
        rollouts = [sum([len(each.values) for each in candidates]) for candidates in found]
        print(
            f"{key:9} {1e3 * fmean(spent):13.1f} {1e3 * max(spent):7.1f} {fmean(map(len, found)):11.1f}"
            f" {fmean(rollouts):9.0f} {sum(rollouts) / sum(loops):11,.0f}   {sum(again) / sum(loops):.2f}"
        )


if __name__ == "__main__":
    main()
