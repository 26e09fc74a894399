"""Runs rows of the long run, one after the other, and writes docs/results.md: ``make test-long`` starts it.

Ctrl+C, SIGTERM or a kill loses only the row in progress; the next start goes on with the rows that have not passed.
"""

import argparse
import signal
import sys
from datetime import datetime

from tests.lab.reliability.outcomes import (
    Outcome,
    find_commit,
    format_seconds,
    has_passed,
    load_outcomes,
    store_outcome,
)
from tests.lab.reliability.rows import Row, find_rows
from tests.lab.reliability.runner import FOLDER, RowInterrupted, RowUnavailable, run_row
from tests.reports import write_results


def main() -> int:
    """Parse the arguments and run the rows; return the exit code."""
    parser = argparse.ArgumentParser(prog="make test-long ARGS=...", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to run; all if none is given")
    parser.add_argument("--share", type=float, default=1.0, help="part of the long sizes to run (1)")
    parser.add_argument("--workers", type=int, default=2, help="processes for the tests of a row (2)")
    parser.add_argument("--again", action="store_true", help="run rows again that have passed for this commit")
    parser.add_argument("--list", action="store_true", help="list the rows, and run nothing")
    chosen = parser.parse_args()
    try:
        rows = find_rows(chosen.rows)
    except ValueError as error:
        parser.error(str(error))
    if chosen.list:
        print_rows(rows, chosen.share)
        return 0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # processes in the background would ignore it
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(128 + signal.SIGTERM))
    return run_rows(rows, chosen.share, chosen.workers, again=chosen.again)


def print_rows(rows: list[Row], share: float) -> None:
    """Print a line for each row, with its size."""
    commit, outcomes = find_commit(), load_outcomes()
    for row in rows:
        state = "passed" if has_passed(row, share, commit, outcomes) else ""
        print(f"{row.name:26}{state:8}{row.describe_size(share)}")


def run_rows(rows: list[Row], share: float, workers: int, *, again: bool) -> int:
    """Run the rows that have not passed, store each outcome, and write the page after each. Return the exit code."""
    failed = []
    for row in rows:
        commit = find_commit()
        if not again and has_passed(row, share, commit, load_outcomes()):
            print(f"{row.name}: has passed for {commit}", flush=True)
            continue
        print(f"{row.name}: {row.describe_size(share)}, since {datetime.now():%H:%M:%S}", flush=True)  # noqa: DTZ005
        try:
            outcome = run_row(row, share, commit, workers)
        except KeyboardInterrupt:
            print(f"{row.name}: stopped; make test-long goes on with it", flush=True)
            return 130
        except RowInterrupted:
            print(f"{row.name}: ended by a signal; make test-long goes on with it", flush=True)
            return 1
        except RowUnavailable as reason:
            print(f"{row.name}: cannot be run here: {reason}", flush=True)
            continue
        store_outcome(outcome)
        write_results()
        print(describe_outcome(outcome), flush=True)
        if outcome.failures:
            failed.append(row.name)
    if failed:
        print(f"failed: {' '.join(failed)}; their output is in {FOLDER}")
    return 1 if failed else 0


def describe_outcome(outcome: Outcome) -> str:
    """Return an outcome in a line."""
    word = f"{outcome.failures} FAILED" if outcome.failures else "passed"
    return (
        f"{outcome.row}: {word} in {format_seconds(outcome.seconds)}{f': {outcome.result}' if outcome.result else ''}"
    )


if __name__ == "__main__":
    sys.exit(main())
