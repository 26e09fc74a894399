"""Value of the contracts that a dealer of King has still to name: the tables ``FUTURE_POINTS`` and
``SHORT_FUTURE_POINTS`` of ``king/expert``.

    python benchmarks/king_contracts.py [--hands N] [--worlds W] [--seed S]   # the tables: --hands 1200 --worlds 30

Many random hands are played out in every contract in sampled worlds.  Backwards from the end of a session (dynamic
programming), the value of a set of contracts is the mean over the hands of the best choice: the points of the contract
plus the value of the remaining set.  In a short session the values of all sets with the same number of contracts of
each kind are averaged.  Printed are the tables, and the totals of dealers who choose by them, by the mean points of the
contract alone, and at random.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from statistics import fmean, stdev

from cardtable.games.king.expert import SEARCH_SPEC, SINGLE_CONTRACTS
from cardtable.games.king.rules.actions import FULL_SESSION, NAMINGS, SHORT_SESSION, Options, Quota
from cardtable.games.king.rules.contracts import CONTRACTS, Kind
from cardtable.games.king.rules.state import KingState
from cardtable.robots.arena import SESSIONS_PER_SEED

POSITIVE = len(SINGLE_CONTRACTS)
"""Index of the best positive contract among the results of a hand."""
Price = Callable[["Left", int], float]
"""Cost of using up a contract, by the contracts left and its index."""


def brought(seed: int, worlds: int) -> list[float]:
    """Return the points of a hand above the mean of the others in each single contract and in the best positive one."""
    rng, state = Random(seed), KingState(Options())
    state.apply(state.draw_chance(rng))
    view = state.view(state.dealer)
    points, rollout = [0.0] * len(CONTRACTS), SEARCH_SPEC.rollouts(view)
    for world in islice(SEARCH_SPEC.sample_worlds(view, rng), worlds):
        for place, naming in enumerate(NAMINGS):
            twin = world.copy()
            twin.apply(naming)
            points[place] += SEARCH_SPEC.value(view, rollout(twin, 0.0)) / worlds
    by_contract = dict(zip(CONTRACTS, points, strict=True))
    positive = max([worth for contract, worth in by_contract.items() if contract.kind is Kind.POSITIVE])
    return [*[by_contract[contract] for contract in SINGLE_CONTRACTS], positive]


Left = tuple[int, Quota]
"""Single contracts that were not named yet (bits), and the number of contracts of each kind still to be named."""
KINDS = [*[contract.kind for contract in SINGLE_CONTRACTS], Kind.POSITIVE]
"""Kind of each result of a hand."""


def choices(left: Left) -> list[int]:
    """Return the indices of the contracts that may be named."""
    singles, quota = left
    unnamed = [place for place in range(POSITIVE) if singles >> place & 1]
    return [place for place in [*unnamed, POSITIVE] if quota.get_number(KINDS[place])]


def after(left: Left, place: int) -> Left:
    """Return the remaining contracts after one was named."""
    singles, quota = left
    named = CONTRACTS[-1] if place == POSITIVE else SINGLE_CONTRACTS[place]
    return singles & ~(1 << place), quota.count_left([named])


def worth(hands: Sequence[Sequence[float]], quota: Quota) -> dict[Left, float]:
    """Return the value of each set of contracts before the hand is seen."""
    table: dict[Left, float] = {}

    def value(left: Left) -> float:
        if left not in table:
            then = [(place, value(after(left, place))) for place in choices(left)]
            table[left] = (
                fmean([max([hand[place] + later for place, later in then]) for hand in hands]) if then else 0.0
            )
        return table[left]

    value(start(quota))
    return table


def start(quota: Quota) -> Left:
    return (1 << POSITIVE) - 1, quota


def by_number(table: dict[Left, float]) -> dict[Quota, float]:
    """Return the mean value of the sets with the same number of contracts of each kind."""
    values: dict[Quota, list[float]] = {}
    for (_, quota), value in table.items():
        values.setdefault(quota, []).append(value)
    return {quota: fmean(values[quota]) for quota in sorted(values)}


def made(hands: Sequence[Sequence[float]], price: Price, quota: Quota, sessions: int = 4000) -> list[float]:
    """Return the totals of dealers in their own deals."""
    rng, totals = Random(1), []
    for _ in range(sessions):
        left, total = start(quota), 0.0
        while any(left[1]):
            hand = rng.choice(hands)
            place = max(choices(left), key=lambda place: hand[place] - price(left, place))
            left, total = after(left, place), total + hand[place]
        totals.append(total * 3 / 4)  # above the mean of all players, which is 0 in a full session
    return totals


def prices(table: dict[Left, float], usual: Sequence[float]) -> dict[str, Price]:
    """Return ways of choosing a contract, by ``table`` or by the mean points ``usual`` of each contract."""
    rng, few = Random(2), by_number(table)
    return {
        "by the set of contracts left (of the other hands)": lambda left, place: (
            table[left] - table[after(left, place)]
        ),
        "by the number of each kind": lambda left, place: few[left[1]] - few[after(left, place)[1]],
        "above the contract's mean": lambda _left, place: usual[place],
        "at random": lambda *_: 1e6 * rng.random(),
    }


def main() -> None:
    """Print the tables and the totals of dealers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    hands = [brought(SESSIONS_PER_SEED * chosen.seed + number, chosen.worlds) for number in range(chosen.hands)]
    table = worth(hands, FULL_SESSION)
    for positives in range(FULL_SESSION.positive + 1):
        print(tuple([round(value) for (_, quota), value in sorted(table.items()) if quota.positive == positives]))
    print({tuple(quota): round(value) for quota, value in by_number(worth(hands, SHORT_SESSION)).items()})
    usual = [fmean([hand[place] for hand in hands]) for place in range(POSITIVE + 1)]
    for name, quota in {"full": FULL_SESSION, "short": SHORT_SESSION}.items():
        half = worth(hands[::2], quota)
        for how, price in prices(half, usual).items():
            totals = made(hands[1::2], price, quota)
            error = stdev(totals) / len(totals) ** 0.5
            print(f"# {name}, {how}: {fmean(totals):.0f} +- {error:.0f} points in {sum(quota)} own deals")


if __name__ == "__main__":
    main()
