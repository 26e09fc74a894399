"""Plants small faults in the program, one at a time, and runs the tests that should find them.

Ctrl+C, SIGTERM or a kill loses only the mutants in progress; the next start goes on with those that have no outcome.
"""

import argparse
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, Queue

from tests.lab.mutation.mutants import Mutant, choose_mutants
from tests.lab.mutation.outcomes import COUNT, KILLS, ROOT, SEED, Outcome, find_latest, load_outcomes, store_outcome
from tests.lab.mutation.runner import (
    COLLECTING,
    FOLDER,
    MutantRunner,
    RunStopped,
    compute_fingerprint,
    load_coverage,
    measure_lines,
)
from tests.reports import write_results

HIGH_LOAD = 6.0
"""Load of the machine above which one mutant is run at a time."""


def main() -> int:
    """Parse the arguments and run mutants; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab.mutation", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="mutants to run, again if need be; all if none is given")
    parser.add_argument("--count", type=int, default=COUNT, help=f"number of mutants ({COUNT})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"choice of mutants ({SEED})")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time (2)")
    parser.add_argument("--living", action="store_true", help="run mutants again that were not killed")
    parser.add_argument(
        "--measure", nargs="*", metavar="TESTS", help="measure which lines tests run; all if none is given"
    )
    parser.add_argument("--check", action="store_true", help="run the tests that have killed, without mutants")
    parser.add_argument("--list", action="store_true", help="list the mutants, and run nothing")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(128 + signal.SIGTERM))
    if chosen.measure is not None:
        measure_lines(chosen.workers, *([tuple(chosen.measure)] if chosen.measure else []))
        return 0
    if chosen.check:
        return check_kills()
    mutants = choose_mutants(ROOT, chosen.count, chosen.seed)
    if chosen.ids:
        mutants = [mutant for mutant in mutants if mutant.id in chosen.ids]
    else:
        latest = {outcome.id: outcome for outcome in load_outcomes()}
        mutants = [mutant for mutant in mutants if not is_done(mutant, latest.get(mutant.id), living=chosen.living)]
    if chosen.list:
        for mutant in mutants:
            print(f"{mutant.id} {mutant.module}:{mutant.line} {mutant.operator}\n  {mutant.before}\n  {mutant.after}")
        return 0
    try:
        run_mutants(mutants, chosen.workers)
    except KeyboardInterrupt:
        print("stopped; the next start goes on", flush=True)
        return 130
    finally:
        write_results()
    return 0


def check_kills() -> int:
    """Run the tests that have killed mutants on the program as it is; return 1 if one of them fails."""
    latest = find_latest(load_outcomes())
    tests = sorted({each.test for each in latest if each.result in KILLS and not each.test.endswith(COLLECTING)})
    failing = MutantRunner(0, load_coverage(), threading.Event()).find_failing_tests(tests)
    print(f"{len(tests)} tests have killed mutants; without a mutant {len(failing)} of them fail", *failing, sep="\n")
    return 1 if failing else 0


def is_done(mutant: Mutant, outcome: Outcome | None, *, living: bool) -> bool:
    """Return True if a mutant has an outcome for its module as it is; ``living`` lets only kills count."""
    if outcome is None or outcome.fingerprint != compute_fingerprint(ROOT / mutant.module):
        return False
    return outcome.result in KILLS or not living


def run_mutants(mutants: list[Mutant], workers: int) -> None:
    """Run mutants, ``workers`` at a time, and store each outcome."""
    if not list(FOLDER.glob("lines-*")):
        print("measuring which lines each test runs, which takes some minutes", flush=True)
        measure_lines(workers)
    lines = load_coverage()
    print(f"{len(lines.seconds)} tests; not run, as they fail without a mutant: {' '.join(lines.failed) or 'none'}")
    waiting: Queue[Mutant] = Queue()
    stop = threading.Event()
    for mutant in mutants:
        waiting.put(mutant)

    def work(number: int) -> None:
        runner = MutantRunner(number, lines, stop)
        while not stop.is_set():
            while number and os.getloadavg()[0] > HIGH_LOAD and not stop.is_set():
                time.sleep(1)
            try:
                mutant = waiting.get_nowait()
                outcome = runner.run_mutant(mutant)
            except (Empty, RunStopped):
                return
            store_outcome(outcome)
            print(
                f"{mutant.id} {outcome.result.value} {outcome.seconds:.1f} s, {outcome.tests} tests, "
                f"{mutant.module}:{mutant.line} {outcome.test} ({waiting.qsize()} left)",
                flush=True,
            )

    with ThreadPoolExecutor(workers) as pool:
        try:
            for future in [pool.submit(work, number) for number in range(workers)]:
                future.result()
        except BaseException:
            stop.set()
            raise


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)
    sys.exit(main())
