"""Value of the contracts that a dealer of King has still to name: the table ``FUTURE_POINTS`` of ``king/expert``.

    python benchmarks/king_contracts.py [--hands N] [--worlds W] [--seed S]   # the table: --hands 1200 --worlds 30

Many random hands are played out in every contract in sampled worlds.  Backwards from the end of a session (dynamic
programming), the value of a set of contracts is the mean over the hands of the best choice: the points of the contract
plus the value of the remaining set.  Printed are the table, and the totals of dealers who choose by it, by the mean
points of the contract alone, and at random.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from statistics import fmean, stdev

from cardtable.games.king.expert import SEARCH_SPEC, SINGLE_CONTRACTS
from cardtable.games.king.rules.actions import NAMINGS, POSITIVES, Options
from cardtable.games.king.rules.contracts import CONTRACTS, Kind
from cardtable.games.king.rules.state import KingState
from cardtable.robots.arena import SESSIONS_PER_SEED

POSITIVE = len(SINGLE_CONTRACTS)
"""Index of the best positive contract among the results of a hand."""
Price = Callable[[int, int, int], float]
"""Cost of using up a contract, by the set of single contracts left (bits), the number of positives left and its
index."""


def brought(seed: int, worlds: int) -> list[float]:
    """Return the points of a hand above the mean of the others in each single contract and in the best positive one."""
    rng, state = Random(seed), KingState(Options())
    state.apply(state.draw_chance(rng))
    view = state.view(state.dealer)
    found, rollout = [0.0] * len(CONTRACTS), SEARCH_SPEC.rollouts(view)
    for world in islice(SEARCH_SPEC.sample_worlds(view, rng), worlds):
        for place, naming in enumerate(NAMINGS):
            twin = world.copy()
            twin.apply(naming)
            found[place] += SEARCH_SPEC.value(view, rollout(twin, 0.0)) / worlds
    by_contract = dict(zip(CONTRACTS, found, strict=True))
    positive = max([worth for contract, worth in by_contract.items() if contract.kind is Kind.POSITIVE])
    return [*[by_contract[contract] for contract in SINGLE_CONTRACTS], positive]


def choices(singles: int, positives: int) -> list[int]:
    """Return the indices of the contracts that may be named."""
    return [place for place in range(POSITIVE) if singles >> place & 1] + [POSITIVE] * (positives > 0)


def after(singles: int, positives: int, place: int) -> tuple[int, int]:
    """Return the remaining contracts after one was named."""
    return (singles, positives - 1) if place == POSITIVE else (singles ^ 1 << place, positives)


def worth(hands: Sequence[Sequence[float]]) -> dict[tuple[int, int], float]:
    """Return the value of each set of contracts before the hand is seen."""
    table: dict[tuple[int, int], float] = {}
    for singles in range(1 << POSITIVE):
        for positives in range(POSITIVES + 1):
            then = [(place, table[after(singles, positives, place)]) for place in choices(singles, positives)]
            best = [max([hand[place] + later for place, later in then]) for hand in hands if then]
            table[singles, positives] = fmean(best) if best else 0.0
    return table


def made(hands: Sequence[Sequence[float]], price: Price, sessions: int = 4000) -> list[float]:
    """Return the totals of dealers in their own ten deals."""
    rng, totals = Random(1), []
    for _ in range(sessions):
        left, total = ((1 << POSITIVE) - 1, POSITIVES), 0.0
        while left != (0, 0):
            hand = rng.choice(hands)
            place = max(choices(*left), key=lambda place: hand[place] - price(*left, place))
            left, total = after(*left, place), total + hand[place]
        totals.append(total * 3 / 4)  # contracts bring all players together nothing, in ten deals
    return totals


def main() -> None:
    """Print the table and the totals of dealers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    hands = [brought(SESSIONS_PER_SEED * chosen.seed + number, chosen.worlds) for number in range(chosen.hands)]
    table = worth(hands)
    for positives in range(POSITIVES + 1):
        print(tuple([round(table[singles, positives]) for singles in range(1 << POSITIVE)]))
    usual = [fmean([hand[place] for hand in hands]) for place in range(POSITIVE + 1)]
    rng, half = Random(2), worth(hands[::2])
    for name, price in {
        "by the table (of the other hands)": lambda *left: half[left[:2]] - half[after(*left)],
        "above the contract's mean": lambda *left: usual[left[2]],
        "at random": lambda *_: 1e6 * rng.random(),
    }.items():
        totals = made(hands[1::2], price)
        print(f"# {name}: {fmean(totals):.0f} +- {stdev(totals) / len(totals) ** 0.5:.0f} points in ten own deals")


if __name__ == "__main__":
    main()
