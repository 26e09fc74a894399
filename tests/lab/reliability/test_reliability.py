"""Rows of the long run, their outcomes, and how a run is stopped and continued."""

import ast
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.budgets import BUDGETS
from tests.lab.reliability.outcomes import ROOT, Outcome, has_passed
from tests.lab.reliability.rows import ROWS, Row, find_rows

TODAY = datetime(2026, 11, 27, tzinfo=UTC)


def create_outcome(**changes) -> Outcome:
    return replace(Outcome("kills", 0.1, "100 kills", 0, 60.0, TODAY, "abc"), **changes)


class TestRows:
    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
    def test_names_existing_tests(self, row):
        assert bool(row.tests) != bool(row.arguments)
        for test in row.tests:
            file, _, name = test.partition("::")
            defined = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
            names = {node.name for node in defined if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
            assert not name or name in names
        if row.arguments:
            first, module = row.arguments[:2]
            path = Path(first) if first != "-m" else Path(module.replace(".", "/"))
            assert (ROOT / path).exists() or (ROOT / path).with_suffix(".py").exists()

    def test_names_are_unique(self):
        assert len({row.name for row in ROWS}) == len(ROWS)

    @pytest.mark.parametrize("name", BUDGETS)
    def test_tests_of_each_budget_belong_to_one_row(self, name):
        tests = [test for row in ROWS if row.uses(BUDGETS[name]) for test in row.tests]
        assert tests
        assert not [test for test in tests if sum(each.startswith(test) for each in tests) > 1]

    def test_size_is_that_of_the_share(self):
        (kills,) = find_rows(["kills"])
        assert kills.describe_size(1) == "1,000 kills at any moment"
        assert kills.describe_size(0.1) == "100 kills at any moment"
        assert kills.describe_size(0.001) == "4 kills at any moment", "that of make test at least"
        assert Row("tried", "It works.", (), ("-c", "{size}"), 100, "tries").describe_size(0.001) == "1 tries"


class TestContinuing:
    def test_passed_row_is_skipped_for_its_commit(self):
        (row,) = find_rows(["kills"])
        passed = [create_outcome()]
        assert has_passed(row, 0.1, "abc", passed)
        assert has_passed(row, 0.05, "abc", passed)
        assert not has_passed(row, 0.2, "abc", passed), "less was run"
        assert not has_passed(row, 0.1, "abd", passed)
        assert not has_passed(row, 0.1, "abc", [create_outcome(failures=1)])
        assert not has_passed(row, 0.1, "abc+", [create_outcome(commit="abc+")]), "changes have no name"
        assert not has_passed(row, 0.1, "unknown", [create_outcome(commit="unknown")])
