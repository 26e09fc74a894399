"""Outcomes of mutants in a file of the repository, verdicts on survivors, and the report that lists them."""

import tomllib
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).parents[3]
FILE: Final = Path(__file__).parent / "outcomes.jsonl"
VERDICTS: Final = Path(__file__).parent / "verdicts.toml"
SEED: Final = 1
COUNT: Final = 300

HEAD: Final = """\
# Mutation testing

A mutant is the program with one small fault, such as `<` for `<=`, an inverted condition, or a missing call. Good tests
fail for it: they kill it. Mutants at random places in the engine, the store and the club's protocol show how good the
tests of these parts are. [Tests and measurements](../../docs/testing.md#mutation-testing) explains how they are run,
and what is not mutated.
"""


class Result(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    """A test failed."""
    HUNG = "hung"
    """A test that is usually quick did not end; in a usual run it would fail after five minutes."""
    SURVIVED = "survived"
    """All tests that run its lines passed."""
    TIME_LIMIT = "time limit"
    """No test failed in the time, which ended before the tests."""
    NOT_RUN = "not run"
    """No test runs its lines."""


KILLS: Final = (Result.KILLED, Result.HUNG)


class Outcome(msgspec.Struct, frozen=True):
    """Outcome of one mutant."""

    id: str
    module: str
    line: int
    operator: str
    before: str
    """Lines that are changed, without indentation."""
    after: str
    result: Result
    test: str
    """Test that failed or hung; empty if there is none."""
    seconds: float
    """Time that the tests took."""
    tests: int
    """Number of tests that were begun."""
    fingerprint: str
    """Digest of the module."""
    day: str
    """Date of the run."""


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was found out about a mutant that survived at first."""

    kind: str
    """``test``: a test was missing; ``equivalent``: it does the same; ``harmless``: what it does matters to nobody."""
    reason: str


def load_outcomes(path: Path = FILE) -> list[Outcome]:
    """Return all outcomes, in the order in which they were stored."""
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=Outcome) for line in lines]


def store_outcome(outcome: Outcome, path: Path = FILE) -> None:
    """Append an outcome to the file."""
    with path.open("ab") as file:
        file.write(msgspec.json.encode(outcome) + b"\n")


def load_verdicts(path: Path = VERDICTS) -> dict[str, Verdict]:
    """Return the verdicts, by the ids of the mutants."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return msgspec.convert(rows, dict[str, Verdict])


def find_latest(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the latest outcome of each mutant."""
    return list({outcome.id: outcome for outcome in outcomes}.values())


def format_page(outcomes: Iterable[Outcome], verdicts: dict[str, Verdict]) -> str:
    """Return the report: figures, then the mutants that live, then those for which a test was written."""
    latest = find_latest(outcomes)
    living = [each for each in latest if each.result not in KILLS]
    parts = [HEAD, format_figures(latest, verdicts)]
    for title, kind in (
        ("Not killed, without a difference", "equivalent"),
        ("Not killed, without harm", "harmless"),
        ("Not killed, and a test is missing", "test"),
        ("Not killed, and not looked at", ""),
    ):
        rows = [each for each in living if get_kind(each, verdicts) == kind]
        if rows:
            parts += [f"## {title}\n", format_mutants(rows, verdicts)]
    mended = [each for each in latest if each.result in KILLS and each.id in verdicts]
    if mended:
        parts += ["## Killed by tests that were written for them\n", format_mutants(mended, verdicts)]
    return "\n".join(parts)


def get_kind(outcome: Outcome, verdicts: dict[str, Verdict]) -> str:
    """Return the kind of the verdict on a mutant; empty if there is none."""
    return verdicts[outcome.id].kind if outcome.id in verdicts else ""


def format_figures(outcomes: list[Outcome], verdicts: dict[str, Verdict]) -> str:
    """Return how many mutants were killed, by the parts of the program."""
    lines = ["| part | mutants | killed | hung | survived | time limit | not run | killed or hung |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    parts = sorted({find_part(each) for each in outcomes})
    for part in [*parts, "all"]:
        counts = Counter(each.result for each in outcomes if part in (find_part(each), "all"))
        total = sum(counts.values())
        share = sum(counts[result] for result in KILLS) / max(total, 1)
        figures = " | ".join(str(counts[result]) for result in Result)
        lines.append(f"| {part} | {total} | {figures} | {share:.1%} |")
    mended = sum(each.id in verdicts and each.result in KILLS for each in outcomes)
    if mended:
        lines.append(f"\n{mended} of the mutants that are killed survived until tests were written for them.")
    return "\n".join(lines) + "\n"


def find_part(outcome: Outcome) -> str:
    """Return the package of the program that a mutant is in."""
    return f"`{'/'.join(outcome.module.split('/')[:2])}/`"


def format_mutants(outcomes: list[Outcome], verdicts: dict[str, Verdict]) -> str:
    """Return a list of mutants with the verdicts on them."""
    lines = []
    for each in sorted(outcomes, key=lambda outcome: (outcome.module, outcome.line)):
        verdict = verdicts.get(each.id)
        lines.append(f"- `{each.id}` {each.module}:{each.line}, {each.operator}, {each.result.value}")
        lines.append(f"  - before: `{each.before}`")
        lines.append(f"  - mutant: `{each.after}`")
        if verdict:
            lines.append(f"  - {verdict.reason}")
    return "\n".join(lines) + "\n"
