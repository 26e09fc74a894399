"""Mistakes that the coach names, and good decisions that it criticises, judged by a deeper search.

    python benchmarks/coach.py [GAME ...] [--decisions N] [--seed S] [--raw]
    python benchmarks/coach.py --waits [GAME ...] [--decisions N]

For each game, N decisions of steady robots are drawn at random from their sessions (steady play), and N more of which
each is replaced by another legal action, drawn at random (planted mistakes). The coach evaluates them as it does at
the table. Independently, a search of eight times the worlds finds the best action, and this one and the decision are
compared in 1,500 other worlds. By that comparison a decision is

- costly if it loses at least the points that make a big mistake in this game, by more than two standard errors,
- good if it loses less than half of these points, or nothing within two standard errors.

Decisions between the two are neither. Printed are the costly decisions that the coach names as big mistakes, and the
good ones that it criticises, at the levels "big mistakes" and "all". ``--raw`` prints every decision.

``--waits`` measures, on one core, the time of expert robots and hints while the coach evaluates another decision, and
the processor time that the coach takes meanwhile. Somebody waits for the coach if an answer comes later than the usual
pace of robots only because of that time. Linux only.
"""

import argparse
import asyncio
import os
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import Header, Line, Occupant
from cardtable.games import GAMES, KEYS
from cardtable.records.review import CoachRequest, PastDecision, judge_choice, load_reviewed_session
from cardtable.robots import worker
from cardtable.robots.arena import play_session
from cardtable.robots.hints import compute_error_in_points
from cardtable.robots.kit.robot import load_search_spec, no_time_limit
from cardtable.robots.kit.search import MonteCarloSearch, evaluate_all
from cardtable.robots.kit.search_spec import compute_paired_difference
from cardtable.store.settings import Settings
from cardtable.workers.client import WorkerProcess

DEEPER: Final = 8
"""Factor by which the independent search has more worlds than the expert."""
COMPARED_WORLDS: Final = 1500
GOOD_SHARE: Final = 0.5
"""Share of the points of a big mistake below which a decision is good."""
ERRORS: Final = 2.0
"""Number of standard errors by which a decision is costly, or within which it is good."""
PACE: Final = Settings().robot_pace
"""Usual time in seconds that a robot takes."""
SESSIONS: Final = 4
"""Number of sessions from which the decisions of a game are drawn, at least."""


class Judgement(NamedTuple):
    """A decision with the judgement of the deeper search and of the coach."""

    planted: bool
    loss: float
    """Points that the decision loses by the deeper search."""
    error: float
    """Standard error of ``loss``."""
    cost: float
    """Points that it costs by the coach; 0 if it is as good as the best."""
    is_named: bool
    """True if the coach calls it a big mistake."""
    is_mentioned: bool
    """True if the coach speaks of it at the level "all"."""
    seconds: float
    """Processor time of the coach."""


def iter_sessions(key: str, seed: int) -> Iterator[list[PastDecision]]:
    """Yield the decisions of the first seat in one session of steady robots after another."""
    game = GAMES[key]
    options = game.options().for_seats(game.seats_for(game.options()))
    levels = ["steady"] * game.seats_for(options)
    occupants = tuple([Occupant(f"R{seat}", robot) for seat, robot in enumerate(levels)])
    for number in count(seed):
        header = Header(
            cardtable=3, id="x", game=key, created="", seed=number, options=options.to_dict(), seats=occupants
        )
        lines: list[Line] = []
        play_session(game, levels, options, number, lines.append)
        yield list(load_reviewed_session(journal.read(journal.encode(header, lines)), 0).decisions)


def draw_decisions(key: str, count: int, seed: int) -> list[tuple[bool, PastDecision]]:
    """Return ``count`` decisions of steady play and as many planted mistakes, each marked True if it is planted."""
    rng, pool = Random(f"coach {key} {seed}"), list[PastDecision]()
    for number, decisions in enumerate(iter_sessions(key, seed), 1):
        pool += decisions
        if number >= SESSIONS and len(pool) >= 2 * count:
            break
    drawn = rng.sample(pool, 2 * count)
    planted = [
        replace(decision, action=rng.choice([action for action in decision.view.legal if action != decision.action]))
        for decision in drawn[count:]
    ]
    return [(False, decision) for decision in drawn[:count]] + [(True, decision) for decision in planted]


def search_deeper(key: str, decision: PastDecision, rng: Random) -> tuple[float, float]:
    """Return the points that a decision loses by a deeper search, and their standard error."""
    spec, view, own = load_search_spec(key), decision.view, decision.action
    candidates = MonteCarloSearch(replace(spec, worlds=DEEPER * spec.worlds)).compare(view, rng, no_time_limit, own)
    if candidates[0].action == own:
        return 0.0, 0.0
    best, chosen = evaluate_all(spec, view, [candidates[0].action, own], COMPARED_WORLDS, rng)
    lag = compute_paired_difference(best, chosen)
    loss = spec.in_points(view, best.mean) - spec.in_points(view, best.mean - lag.mean)
    return loss, compute_error_in_points(spec, view, lag)


def judge(key: str, decisions: Sequence[tuple[bool, PastDecision]], seed: int) -> Iterator[Judgement]:
    """Yield the judgement of each decision."""
    for number, (planted, decision) in enumerate(decisions):
        started_at = process_time()
        verdict = judge_choice(CoachRequest(key, seed, decision))
        seconds = process_time() - started_at
        loss, error = search_deeper(key, decision, Random(f"deeper {key} {seed} {number}"))
        yield Judgement(planted, loss, error, verdict.cost, verdict.is_big, verdict.is_clear, seconds)


class Counts(NamedTuple):
    """Counts of decisions, for one game or all of them."""

    costly: int = 0
    named: int = 0
    good: int = 0
    criticised: int = 0
    mentioned: int = 0
    neither: int = 0

    def format_row(self) -> str:
        """Return the counts in words."""
        return (
            f"{self.named} of {self.costly} costly decisions named, {self.criticised} of "
            f"{self.good} good ones criticised "
            f"({self.mentioned} at the level all), {self.neither} neither"
        )


def count_judged(judgements: Sequence[Judgement], big: float) -> Counts:
    """Return the counts, where ``big`` is the number of points that make a big mistake."""
    costly = [judgement for judgement in judgements if judgement.loss - ERRORS * judgement.error >= big]
    good = [
        judgement
        for judgement in judgements
        if judgement.loss < GOOD_SHARE * big or judgement.loss <= ERRORS * judgement.error
    ]
    good = [judgement for judgement in good if judgement not in costly]
    return Counts(
        len(costly),
        sum(judgement.is_named for judgement in costly),
        len(good),
        sum(judgement.is_named for judgement in good),
        sum(judgement.is_mentioned for judgement in good),
        len(judgements) - len(costly) - len(good),
    )


async def measure_waits(key: str, decisions: Sequence[PastDecision]) -> None:
    """Print the times of robots and hints while the coach is at work on the same core, and what it takes of them."""
    robots, coach = WorkerProcess("cardtable.robots.worker"), WorkerProcess("cardtable.records.review")
    await coach.start()
    process = coach._process
    assert process is not None
    schedstat = Path(f"/proc/{process.pid}/schedstat")

    def read_seconds() -> float:
        """Return the processor time of the coach."""
        return int(schedstat.read_text().split()[0]) / 1e9

    async def measure(
        request: worker.ChooseRequest | worker.HintRequest, decision: PastDecision
    ) -> tuple[float, float]:
        """Return the seconds until the answer to ``request``, and those that the coach took meanwhile."""
        task = asyncio.create_task(coach.ask_once(CoachRequest(key, 7, decision)))
        await asyncio.sleep(0.01)  # the coach has begun
        started_at, before = perf_counter(), read_seconds()
        if isinstance(request, worker.HintRequest):
            await robots.ask_once(request)
        else:
            await robots.ask_once(request)
        times = perf_counter() - started_at, read_seconds() - before
        await task
        return times

    await robots.ask_once(worker.HintRequest(key, decisions[0].view, 7, decisions[0].decisions))  # it has started
    for kind in ("robot", "hint"):
        times = list[tuple[float, float]]()
        for decision, next_decision in pairwise(decisions):
            hint = worker.HintRequest(key, decision.view, 7, decision.decisions)
            choice = worker.ChooseRequest(key, "expert", decision.view, 7, decision.decisions)
            times.append(await measure(choice if kind == "robot" else hint, next_decision))
        waits = sum(seconds > PACE >= seconds - coach_seconds for seconds, coach_seconds in times)
        share = sum(coach_seconds for _, coach_seconds in times) / sum(seconds for seconds, _ in times)
        print(
            f"{key}, {kind}: median {1000 * median(seconds for seconds, _ in times):.0f} ms, of which the coach took "
            f"{100 * share:.1f} %, at most {1000 * max(coach_seconds for _, coach_seconds in times):.1f} ms; "
            f"{waits} of {len(times)} waited",
            flush=True,
        )
    await asyncio.gather(robots.stop(), coach.stop())


def main() -> None:
    """Judge decisions of each game, and print the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=KEYS)
    parser.add_argument("--decisions", type=int, default=45)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--waits", action="store_true")
    arguments = parser.parse_args()
    if arguments.waits:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        for key in arguments.games:
            drawn = draw_decisions(key, arguments.decisions, arguments.seed)
            asyncio.run(measure_waits(key, [one for planted, one in drawn if not planted]))
        return
    rows = list[Counts]()
    for key in arguments.games:
        judgements = list[Judgement]()
        for one in judge(key, draw_decisions(key, arguments.decisions, arguments.seed), arguments.seed):
            judgements.append(one)
            if arguments.raw:
                print(key, *one, flush=True)
        rows.append(count_judged(judgements, load_search_spec(key).big_mistake))
        times = sorted(one.seconds for one in judgements)
        print(f"{key}: {rows[-1].format_row()}; {times[len(times) // 2]:.2f} s a decision, at most {times[-1]:.2f}")
    print(f"all: {Counts(*map(sum, zip(*rows, strict=True))).format_row()}")


if __name__ == "__main__":
    main()
