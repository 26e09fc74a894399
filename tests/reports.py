"""Reports for the site, in ``build/reports/``, and docs/results.md: ``python -m tests.reports`` writes them."""

from collections.abc import Callable
from pathlib import Path
from textwrap import fill
from typing import Final

from tests import promises, public_words
from tests.lab.mutation import outcomes as mutation
from tests.lab.reliability import outcomes as reliability
from tests.lab.reliability.rows import ROWS

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "build" / "reports"
RESULTS: Final = ROOT / "docs" / "results.md"
REPORTS: Final[dict[str, Callable[[], str]]] = {
    "promises": promises.render_page,
    "reliability": lambda: reliability.format_page(reliability.load_outcomes()),
    "mutation": lambda: mutation.format_page(mutation.load_outcomes(), mutation.load_verdicts()),
    "public-words": public_words.render_page,
}
"""Text of each report, by the name of its file."""

HEAD: Final = """\
# Results

What the tests hold, and what the latest long runs have found. `make docs` puts the reports in full on the site:
promises, long runs, mutants and public words. [Tests and measurements](testing.md) explains how each is made;
`python -m tests.reports` writes this page. Speed is in [Benchmarks](../benchmarks/README.md), the capacity of a club in
its [reference](club-reference.md#capacity).
"""


def render_results() -> str:
    """Return the text of docs/results.md."""
    sections = promises.load_promises().values()
    holders = {name for section in sections for names in section.values() for name in names}
    benchmarks = sum(name.startswith("benchmarks/") for name in holders)
    latest = reliability.find_latest(reliability.load_outcomes())
    counted = [outcome for outcome in latest.values() if not outcome.size.startswith("every case")]
    whole = [f"`{name}`" for name, outcome in latest.items() if outcome not in counted]
    missing = [f"`{row.name}`" for row in ROWS if row.name not in latest]
    mutants = mutation.find_latest(mutation.load_outcomes())
    days = sorted(outcome.day for outcome in mutants)
    return "\n".join([
        HEAD,
        "## Promises\n",
        f"{sum(map(len, sections))} promises to players and maintainers. Each names what fails if it is broken: "
        f"{len(holders) - benchmarks} tests or files of tests, {benchmarks} benchmarks.\n",
        "## Long runs\n",
        fill(
            f"{len(latest)} of {len(ROWS)} rows have been run (not yet: {', '.join(missing) or 'none'}); in the latest "
            f"run of each, {sum(outcome.failures for outcome in latest.values())} tests failed. These rows try every "
            f"case: {', '.join(whole)}. The others try random cases:\n",
            120,
            break_on_hyphens=False,
        ),
        "",
        reliability.format_table(
            ("row", "tried", "failures", "date"),
            [(f"`{each.row}`", each.size, str(each.failures), each.day) for each in counted],
        ),
        "## Mutants\n",
        f"Small faults planted in the program, from {days[0]} to {days[-1]}, and what the tests made of them:\n",
        mutation.format_figures(mutants, mutation.load_verdicts()),
    ])  # fmt: skip


def write_results() -> None:
    RESULTS.write_text(render_results(), encoding="utf-8")


def write_reports(folder: Path = FOLDER) -> None:
    """Write all reports into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, render in REPORTS.items():
        (folder / f"{name}.md").write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    write_reports()
    write_results()
