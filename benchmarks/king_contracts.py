"""Value of the contracts that a dealer of King has still to name: the table ``WORTH`` of ``king/expert``.

    python benchmarks/king_contracts.py [--hands N] [--worlds W] [--seed S]   # the table: --hands 1200 --worlds 30

Each of many hands is played on in every contract in imagined worlds.  From the ends of sessions backwards a set of
contracts is worth the mean over the hands of the best choice: what the contract brings and what is then left.  Printed
are the table, and what dealers make who choose by it, by the contract's mean alone, and at random.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from statistics import fmean, stdev

from cardtable.games.king.expert import GUIDE, SINGLE
from cardtable.games.king.rules.actions import NAMINGS, POSITIVES, Options
from cardtable.games.king.rules.contracts import CONTRACTS, Kind
from cardtable.games.king.rules.state import KingState
from cardtable.robots.arena import SESSIONS_A_SEED

POSITIVE = len(SINGLE)
"""The place of the best positive contract among what a hand brings."""
Price = Callable[[int, int, int], float]
"""What it costs to use a contract up: by the set of single ones that are left, the number of positives, and which."""


def brought(seed: int, worlds: int) -> list[float]:
    """What a hand brings above the mean of the others, as totals count it: in each single one, in the best positive."""
    rng, state = Random(seed), KingState(Options())
    state.apply(state.draw_chance(rng))
    view = state.view(state.dealer)
    found, rollout = [0.0] * len(CONTRACTS), GUIDE.rollouts(view)
    for world in islice(GUIDE.imagine(view, rng), worlds):
        for place, naming in enumerate(NAMINGS):
            twin = world.copy()
            twin.apply(naming)
            found[place] += GUIDE.value(view, rollout(twin, 0.0)) / worlds
    by_contract = dict(zip(CONTRACTS, found, strict=True))
    positive = max([worth for contract, worth in by_contract.items() if contract.kind is Kind.POSITIVE])
    return [*[by_contract[contract] for contract in SINGLE], positive]


def choices(singles: int, positives: int) -> list[int]:
    """What may be named."""
    return [place for place in range(POSITIVE) if singles >> place & 1] + [POSITIVE] * (positives > 0)


def after(singles: int, positives: int, place: int) -> tuple[int, int]:
    """What is left after one was named."""
    return (singles, positives - 1) if place == POSITIVE else (singles ^ 1 << place, positives)


def worth(hands: Sequence[Sequence[float]]) -> dict[tuple[int, int], float]:
    """What each set of contracts is worth before the hand is seen."""
    table: dict[tuple[int, int], float] = {}
    for singles in range(1 << POSITIVE):
        for positives in range(POSITIVES + 1):
            then = [(place, table[after(singles, positives, place)]) for place in choices(singles, positives)]
            best = [max([hand[place] + later for place, later in then]) for hand in hands if then]
            table[singles, positives] = fmean(best) if best else 0.0
    return table


def made(hands: Sequence[Sequence[float]], price: Price, sessions: int = 4000) -> list[float]:
    """The totals of dealers in ten own deals."""
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
    """Print the table and what dealers make."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    hands = [brought(SESSIONS_A_SEED * chosen.seed + number, chosen.worlds) for number in range(chosen.hands)]
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
