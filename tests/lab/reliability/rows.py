"""Rows of the long run, from ``rows.toml``: a promise each, with the tests or the command that tries it."""

import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from tests.budgets import BUDGETS, Budget


class Row(NamedTuple):
    """Promise that a long run tries: either ``tests``, or ``arguments``, ``size`` and ``unit``, are given."""

    name: str
    """Word by which the row is picked."""
    promise: str
    tests: tuple[str, ...] = ()
    """Files of tests, or tests in them, as pytest is given them."""
    arguments: tuple[str, ...] = ()
    """Arguments of Python for a command; ``{size}`` stands for the size."""
    size: int = 0
    """Size of the long run of the command."""
    unit: str = ""

    @property
    def budgets(self) -> list[Budget]:
        """Budgets of random trials that the tests of this row use."""
        return [budget for budget in BUDGETS.values() if self.uses(budget)]

    def uses(self, budget: Budget) -> bool:
        """Return True if tests of this row use a budget."""
        return any(budget.test_prefix.startswith(test) or test.startswith(budget.test_prefix) for test in self.tests)

    def compute_size(self, share: float) -> int:
        """Return the size of a run of the command with a part of the long size, at least 1."""
        return max(round(self.size * share), 1)

    def describe_size(self, share: float, case_count: int | None = None) -> str:
        """Return the size of a run of a part of the long size, in words.

        ``case_count`` is the number of tests that ran; it is the size if no test of the row is randomised.
        """
        if self.arguments:
            return f"{self.compute_size(share):,} {self.unit}"
        if self.budgets:
            return "; ".join(f"{budget.count_trials(share):,} {budget.unit}" for budget in self.budgets)
        return "every case" if case_count is None else f"every case: {case_count:,} tests"


ROWS: Final = tuple(
    Row(name, **row) for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
)
"""All rows, in the order of the page."""


def find_rows(names: list[str]) -> list[Row]:
    """Return the rows of these names, or all rows if there are no names. Raises ValueError for an unknown name."""
    known = {row.name: row for row in ROWS}
    for name in names:
        if name not in known:
            raise ValueError(f"no row is named {name!r}; the rows are {', '.join(known)}")
    return [known[name] for name in names] or list(ROWS)
