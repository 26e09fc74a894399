"""Differences that hints state, compared with those in eight times as many other worlds, and the time of a hint.

    python benchmarks/hints.py [GAME ...] [--decisions N] [--seed S] [--raw]

For each game, N decisions of steady robots are drawn at random from their sessions, and the expert gives a hint for
each. Every choice that a hint calls worse is then compared with the best one in other worlds, eight times as many as
the search of the expert has. Printed are the ratio of the mean stated difference to the mean one in these worlds, how
many stated differences are more than double, how many are too large by more than two standard errors, and how many
choices are better than the best one by more than two. ``--raw`` prints every pair.
"""

import argparse
from collections.abc import Iterator
from itertools import islice
from math import hypot
from random import Random
from statistics import fmean, median
from time import process_time
from typing import Final, NamedTuple

from benchmarks.coach import draw_decisions
from cardtable.engine.game import View
from cardtable.games import KEYS
from cardtable.robots.hints import Advice, AdviceLine, advise, compute_error_in_points
from cardtable.robots.kit.robot import load_search_spec, no_time_limit
from cardtable.robots.kit.search import RULE_MARGIN, draw_worlds, evaluate_in_worlds
from cardtable.robots.kit.search_spec import compute_paired_difference

DEEPER: Final = 8
"""Factor by which the differences are compared in more worlds than the expert's."""
ERRORS: Final = 2.0


class Pair(NamedTuple):
    """Choice that a hint calls worse than the best one."""

    stated: float
    """Points by which it is worse by the hint."""
    stated_error: float
    """Standard error of ``stated``."""
    measured: float
    """Points by which it is worse in many other worlds."""
    measured_error: float
    is_next: bool
    """True if it is the next choice, with which the sentence of the hint compares the best one."""

    @property
    def is_too_large(self) -> bool:
        return self.stated - self.measured > ERRORS * hypot(self.stated_error, self.measured_error)


def iter_pairs(key: str, view: View, advice: Advice, rng: Random) -> Iterator[Pair]:
    """Yield the choices that a hint calls worse, measured in worlds drawn from ``rng``."""
    spec, lines = load_search_spec(key), advice.lines
    worse = [line for line in lines[1:] if not line.is_as_good]
    if not worse:
        return
    tree = spec.tree_config(view)
    worlds = list(islice(draw_worlds(spec, view, rng), DEEPER * spec.worlds * (tree.world_factor if tree else 1)))
    best, *others = evaluate_in_worlds(spec, view, [lines[0].action, *[line.action for line in worse]], worlds)
    for line, other in zip(worse, others, strict=True):
        lag = compute_paired_difference(best, other)
        points = spec.in_points(view, best.mean) - spec.in_points(view, best.mean - lag.mean)
        error = compute_error_in_points(spec, view, lag)
        yield Pair(compute_lag(lines[0], line), line.error / RULE_MARGIN, points, error, line is lines[1])


def compute_lag(best: AdviceLine, line: AdviceLine) -> float:
    assert best.value is not None
    assert line.value is not None
    return best.value - line.value


def format_row(pairs: list[Pair]) -> str:
    if not pairs:
        return "no choice is called worse"
    ratio = fmean(pair.stated for pair in pairs) / fmean(pair.measured for pair in pairs)
    double = sum(pair.stated > 2 * pair.measured for pair in pairs)
    large = sum(pair.is_too_large for pair in pairs)
    wrong = sum(pair.measured < -ERRORS * pair.measured_error for pair in pairs)
    return f"{ratio:.3f} times as large in {len(pairs)} pairs; double {double}, too large {large}, wrong {wrong}"


def main() -> None:
    """Measure the hints of each game, and print the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=KEYS)
    parser.add_argument("--decisions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--raw", action="store_true")
    arguments = parser.parse_args()
    for key in arguments.games:
        pairs, times = list[Pair](), list[float]()
        drawn = draw_decisions(key, arguments.decisions, arguments.seed)
        for number, (_, decision) in enumerate(drawn[: arguments.decisions]):
            started_at = process_time()
            advice = advise(key, decision.view, Random(f"hint {key} {arguments.seed} {number}"), no_time_limit)
            times.append(process_time() - started_at)
            for pair in iter_pairs(key, decision.view, advice, Random(f"deeper {key} {arguments.seed} {number}")):
                pairs.append(pair)
                if arguments.raw:
                    print(key, number, *pair, flush=True)
        print(f"{key}: next choice {format_row([pair for pair in pairs if pair.is_next])}")
        print(f"{key}: all {format_row(pairs)}")
        print(f"{key}: a hint {1000 * median(times):.0f} ms (median), mean {1000 * fmean(times):.0f} ms", flush=True)


if __name__ == "__main__":
    main()
