"""How a level of robot fares in Gurka among the simplest ones that make sense.

    python benchmarks/gurka_simple.py [--level LEVEL] [--seats N] [--deals N] [--seed S]

The others lead their highest card, head with their highest, and else play their lowest.  Each deal
is played with the robot in every seat; printed are the points that it took a round, and the others.
"""

import argparse
from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean, stdev

from cardtable.engine import options
from cardtable.engine.cards import RANK
from cardtable.engine.contract import Action, View
from cardtable.engine.table import Table, forget
from cardtable.games import GAMES
from cardtable.robots.kit.robot import Robot, make
from cardtable.robots.simulation import play_round


class Simple:
    """Plays the highest card that it may."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """The highest rank."""
        return max(view.legal, key=lambda play: RANK[play.uses().bit_length() - 1])


def penalties(robots: Sequence[Robot], seed: int) -> tuple[int, ...]:
    """The points of a first round, by seat."""
    game, seats = GAMES["gurka"], len(robots)
    table = Table(game, seats, options.read(game.options, {}, seats), seed, forget)
    play_round(table, robots)
    return table.scores[0].points


def main() -> None:
    """Play the deals; print the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--level", default="expert")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    robot, own, others = make(chosen.level, "gurka"), [], []
    for number in range(chosen.deals):
        taken, left = [], []
        for place in range(chosen.seats):
            robots = [robot if seat == place else Simple() for seat in range(chosen.seats)]
            points = penalties(robots, 1_000_000 * chosen.seed + number)
            taken.append(points[place])
            left.append((sum(points) - points[place]) / (chosen.seats - 1))
        own.append(fmean(taken))
        others.append(fmean(left))
    error = stdev(own) / len(own) ** 0.5
    print(
        f"gurka {chosen.level} among {chosen.seats - 1} simple robots: takes {fmean(own):.2f} +- {error:.2f} a round,"
        f" the others {fmean(others):.2f}, {chosen.deals} deals"
    )


if __name__ == "__main__":
    main()
