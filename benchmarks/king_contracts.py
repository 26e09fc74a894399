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
from cardtable.games.king.rules import KingState
from cardtable.games.king.rules.actions import CONTRACTS, FULL_SESSION, NAMINGS, SHORT_SESSION, Kind, Options, Quota
from cardtable.robots.arena import SESSIONS_PER_SEED

POSITIVE = len(SINGLE_CONTRACTS)
"""Index of the best positive contract among the results of a hand."""
Price = Callable[["RemainingContracts", int], float]
"""Cost of using up a contract, by the contracts left and its index."""


def evaluate_hand(seed: int, worlds: int) -> list[float]:
    """Return the points of a hand above the mean of the others in each single contract and in the best positive one."""
    rng, state = Random(seed), KingState(Options())
    state.apply(state.draw_chance(rng))
    view = state.view(state.dealer)
    points, rollout = [0.0] * len(CONTRACTS), SEARCH_SPEC.rollouts(view)
    for world in islice(SEARCH_SPEC.sample_worlds(view, rng), worlds):
        for place, naming in enumerate(NAMINGS):
            clone = world.copy()
            clone.apply(naming)
            points[place] += SEARCH_SPEC.value(view, rollout(clone, 0.0)) / worlds
    by_contract = dict(zip(CONTRACTS, points, strict=True))
    positive = max([value for contract, value in by_contract.items() if contract.kind is Kind.POSITIVE])
    return [*[by_contract[contract] for contract in SINGLE_CONTRACTS], positive]


RemainingContracts = tuple[int, Quota]
"""Single contracts that were not named yet (bits), and the number of contracts of each kind still to be named."""
KINDS = [*[contract.kind for contract in SINGLE_CONTRACTS], Kind.POSITIVE]
"""Kind of each result of a hand."""


def list_choices(remaining: RemainingContracts) -> list[int]:
    """Return the indices of the contracts that may be named."""
    singles, quota = remaining
    unnamed = [place for place in range(POSITIVE) if singles >> place & 1]
    return [place for place in [*unnamed, POSITIVE] if quota.get_number(KINDS[place])]


def remove_contract(remaining: RemainingContracts, place: int) -> RemainingContracts:
    """Return the remaining contracts after one was named."""
    singles, quota = remaining
    named = CONTRACTS[-1] if place == POSITIVE else SINGLE_CONTRACTS[place]
    return singles & ~(1 << place), quota.count_left([named])


def compute_values(hands: Sequence[Sequence[float]], quota: Quota) -> dict[RemainingContracts, float]:
    """Return the value of each set of contracts before the hand is seen."""
    table: dict[RemainingContracts, float] = {}

    def value(remaining: RemainingContracts) -> float:
        if remaining not in table:
            later_values = [(place, value(remove_contract(remaining, place))) for place in list_choices(remaining)]
            table[remaining] = (
                fmean([max([hand[place] + later for place, later in later_values]) for hand in hands])
                if later_values
                else 0.0
            )
        return table[remaining]

    value(get_initial_contracts(quota))
    return table


def get_initial_contracts(quota: Quota) -> RemainingContracts:
    return (1 << POSITIVE) - 1, quota


def average_by_number(table: dict[RemainingContracts, float]) -> dict[Quota, float]:
    """Return the mean value of the sets with the same number of contracts of each kind."""
    values: dict[Quota, list[float]] = {}
    for (_, quota), value in table.items():
        values.setdefault(quota, []).append(value)
    return {quota: fmean(values[quota]) for quota in sorted(values)}


def play_dealers(hands: Sequence[Sequence[float]], price: Price, quota: Quota, sessions: int = 4000) -> list[float]:
    """Return the totals of dealers in their own deals."""
    rng, totals = Random(1), []
    for _ in range(sessions):
        remaining, total = get_initial_contracts(quota), 0.0
        while any(remaining[1]):
            hand = rng.choice(hands)
            place = max(list_choices(remaining), key=lambda place: hand[place] - price(remaining, place))
            remaining, total = remove_contract(remaining, place), total + hand[place]
        totals.append(total * 3 / 4)  # above the mean of all players, which is 0 in a full session
    return totals


def create_prices(table: dict[RemainingContracts, float], means: Sequence[float]) -> dict[str, Price]:
    """Return ways of choosing a contract, by ``table`` or by the mean points ``means`` of each contract."""
    rng, values_by_number = Random(2), average_by_number(table)
    return {
        "by the set of contracts left (of the other hands)": lambda remaining, place: (
            table[remaining] - table[remove_contract(remaining, place)]
        ),
        "by the number of each kind": lambda remaining, place: (
            values_by_number[remaining[1]] - values_by_number[remove_contract(remaining, place)[1]]
        ),
        "above the contract's mean": lambda _remaining, place: means[place],
        "at random": lambda *_: 1e6 * rng.random(),
    }


def main() -> None:
    """Print the tables and the totals of dealers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    hands = [
        evaluate_hand(SESSIONS_PER_SEED * options.seed + number, options.worlds) for number in range(options.hands)
    ]
    table = compute_values(hands, FULL_SESSION)
    for positives in range(FULL_SESSION.positive + 1):
        print(tuple([round(value) for (_, quota), value in sorted(table.items()) if quota.positive == positives]))
    print(
        {tuple(quota): round(value) for quota, value in average_by_number(compute_values(hands, SHORT_SESSION)).items()}
    )
    means = [fmean([hand[place] for hand in hands]) for place in range(POSITIVE + 1)]
    for name, quota in {"full": FULL_SESSION, "short": SHORT_SESSION}.items():
        training_values = compute_values(hands[::2], quota)
        for method, price in create_prices(training_values, means).items():
            totals = play_dealers(hands[1::2], price, quota)
            error = stdev(totals) / len(totals) ** 0.5
            print(f"# {name}, {method}: {fmean(totals):.0f} +- {error:.0f} points in {sum(quota)} own deals")


if __name__ == "__main__":
    main()
