"""Outcomes of rows that were run, in a file of the repository, and the report that lists them."""

import json
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from tests.lab.reliability.rows import ROWS, Row

ROOT: Final = Path(__file__).parents[3]
FILE: Final = Path(__file__).parent / "outcomes.jsonl"
CODE: Final = ("cardtable", "tests", "benchmarks", "pyproject.toml", f":!{FILE.relative_to(ROOT)}")
"""Paths, for git, on which an outcome depends."""
UNKNOWN_COMMIT: Final = "unknown"

HEAD: Final = """\
# Reliability

What long runs have tried, and what they found. A row without a date has not been run yet, and the size is the one that
was run. `make test-long` runs what is missing; [Tests and measurements](../../docs/testing.md#long-runs) explains how.
The commit is the last one that changed the program or its tests before the run.
"""
TITLES: Final = ("row", "promise", "size run", "long size", "failures", "time", "command", "date", "commit")


class Outcome(msgspec.Struct, frozen=True):
    """Outcome of one run of a row, to its end."""

    row: str
    share: float
    """Part of the long size that was run."""
    size: str
    """Size that was run, in words."""
    failures: int
    """Number of tests that failed; 1 for a command that failed."""
    seconds: float
    ended: datetime
    commit: str
    result: str = ""
    """Last line that a command has written."""

    @property
    def day(self) -> str:
        """Date of its end."""
        return f"{self.ended:%Y-%m-%d}"


def load_outcomes(path: Path = FILE) -> list[Outcome]:
    """Return all outcomes, in the order in which they were stored."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=Outcome) for line in lines]


def store_outcome(outcome: Outcome, path: Path = FILE) -> None:
    """Append an outcome to the file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(msgspec.to_builtins(outcome), ensure_ascii=False) + "\n")


def find_commit() -> str:
    """Return the short id of the last commit that changed the code, or ``unknown`` without git.

    A "+" follows if the code has changed since.
    """
    try:
        commit = _run_git("log", "-1", "--format=%h", "--", *CODE)
        changes = _run_git("status", "--porcelain", "--", *CODE)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN_COMMIT
    return f"{commit}{'+' if changes else ''}" if commit else UNKNOWN_COMMIT


def _run_git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def has_passed(row: Row, share: float, commit: str, outcomes: list[Outcome]) -> bool:
    """Return True if a row has passed for a commit, at a part of its long size or more.

    Changes that are not committed have no name, so that they are always tried again.
    """
    return (
        commit != UNKNOWN_COMMIT
        and not commit.endswith("+")
        and any(
            each.row == row.name and each.commit == commit and each.share >= share and not each.failures
            for each in outcomes
        )
    )


def find_latest(outcomes: list[Outcome]) -> dict[str, Outcome]:
    """Return the latest outcome of each row that has been run, by its name, in the order of the rows."""
    latest = {outcome.row: outcome for outcome in outcomes}
    return {row.name: latest[row.name] for row in ROWS if row.name in latest}


def format_page(outcomes: list[Outcome]) -> str:
    """Return the report, with the latest outcome of each row."""
    latest = find_latest(outcomes)
    rows = [_format_row(row, latest.get(row.name)) for row in ROWS]
    parts = [HEAD, f"{len(latest)} of {len(ROWS)} rows have been run.\n", format_table(TITLES, rows)]
    results = [
        (f"`{row.name}`", latest[row.name].result) for row in ROWS if row.name in latest and latest[row.name].result
    ]
    if results:
        parts += ["## Results of measurements\n", format_table(("row", "result"), results)]
    return "\n".join(parts)


def format_table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table of Markdown."""
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def _format_row(row: Row, outcome: Outcome | None) -> tuple[str, ...]:
    head, full = (f"`{row.name}`", row.promise), row.describe_size(1)
    if outcome is None:
        return (*head, "not run yet", full, "", "", f"`make test-long ARGS={row.name}`", "", "")
    return (
        *head,
        outcome.size,
        full,
        str(outcome.failures),
        format_seconds(outcome.seconds),
        f"`make test-long ARGS={row.name}{'' if outcome.share == 1 else f' SHARE={outcome.share:g}'}`",
        outcome.day,
        outcome.commit,
    )


def format_seconds(seconds: float) -> str:
    """Return a duration in seconds, without fractions."""
    return f"{seconds:,.0f} s"
