"""Tests by the lines of the program that they run."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

import coverage
import msgspec

from tests.lab.mutation.mutants import Mutant
from tests.lab.mutation.pytest_plugin import TestEvent

SUITES: Final = tuple(f"tests/{folder}" for folder in (
    "engine", "store", "club", "games", "laws", "session", "records", "scoring", "robots", "workers", "lab/fuzz",
    "lab/store_model", "windows", "cli", "plain",
))  # fmt: skip
"""Tests that are measured, and run for mutants: all but those of screens, of terminals and of documents."""
NOT_MEASURED: Final = (
    "tests/laws/test_failure_messages.py",
    "tests/session/test_robot_client.py::test_late_robot_in_this_process",
)
"""Tests that interrupt endless code, which ends or hangs the process while lines are measured."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class LineCoverage:
    """Lines of the program that each test runs, and how long each test takes."""

    def __init__(self, tree: Path, data_files: list[Path], event_files: list[Path]) -> None:
        self._tree = tree
        self._data: list[tuple[coverage.CoverageData, dict[str, str]]] = []
        for path in data_files:
            data = coverage.CoverageData(str(path))
            data.read()
            self._data.append(
                (data, {f"cardtable{file.rpartition('/cardtable')[2]}": file for file in data.measured_files()})
            )
        self.seconds: dict[str, float] = {}
        """Time in seconds of each test that passed."""
        failed = set()
        for line in (line for path in event_files for line in path.read_bytes().splitlines()):
            event = msgspec.json.decode(line, type=TestEvent)
            if event.phase != "begin":
                self.seconds[event.test] = self.seconds.get(event.test, 0.0) + event.seconds
                if event.outcome == "failed":
                    failed.add(event.test)
        self.failed = sorted(failed)
        """Tests that failed although nothing was mutated; they are not run again."""
        for test in failed:
            del self.seconds[test]
        self._by_line: dict[str, dict[int, set[str]]] = {}

    @cached_property
    def _sources(self) -> dict[str, list[str]]:
        """Lines of all modules, by their paths."""
        return {
            path.relative_to(self._tree).as_posix(): path.read_text(encoding="utf-8").split("\n")
            for path in sorted(self._tree.glob("cardtable/**/*.py"))
        }

    def _get_tests_by_line(self, module: str) -> dict[int, set[str]]:
        if module not in self._by_line:
            by_line: dict[int, set[str]] = {}
            for data, files in self._data:
                for line, tests in data.contexts_by_lineno(files.get(module, "")).items():
                    by_line.setdefault(line, set()).update(test for test in tests if test in self.seconds)
            self._by_line[module] = by_line
        return self._by_line[module]

    def find_tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the lines of a mutant, the nearest first, and the quickest of them first.

        For lines that run as the module is imported, these are the tests that run lines with the name that is defined
        there, and the tests of the module by its name.
        """
        tree = ast.parse("\n".join(self._sources[mutant.module]))
        statement, path = find_statement(tree, mutant.line)
        by_line = self._get_tests_by_line(mutant.module)
        tests: set[str] = set()
        for line in range(statement.lineno, max(find_last_line(statement), mutant.last_line) + 1):
            tests |= by_line.get(line, set())
        if not tests or isinstance(statement, Definition):
            tests |= self._find_tests_of_names(mutant.module, statement, path)
            stem = PurePosixPath(mutant.module).stem
            tests |= {test for test in self.seconds if is_test_of(test, stem)}
        return sorted(tests, key=lambda test: (self._rank(test, mutant), self.seconds[test], test))

    def _find_tests_of_names(self, module: str, statement: ast.stmt, path: list[Definition]) -> set[str]:
        """Return the tests that run a line with one of the names that a statement defines, anywhere in the program."""
        names = set(find_names(statement))
        tests: set[str] = set()
        if not names:
            return tests
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
        for each, lines in self._sources.items():
            if not any(pattern.search(line) for line in lines):
                continue
            by_line = self._get_tests_by_line(each)
            for number, line in enumerate(lines, 1):
                if number in by_line and pattern.search(line):
                    tests |= by_line[number]
        if isinstance(statement, Definition):
            by_line = self._get_tests_by_line(module)
            for number in range(statement.lineno, (statement.end_lineno or 0) + 1):
                tests |= by_line.get(number, set())
        return tests

    @staticmethod
    def _rank(test: str, mutant: Mutant) -> int:
        module, file = PurePosixPath(mutant.module), PurePosixPath(test.partition("::")[0])
        if is_test_of(test, module.stem):
            return 0
        words = {word.rstrip("s") for word in file.stem.split("_")}
        if words.intersection(word.rstrip("s") for word in module.stem.split("_")):
            return 1
        return 2 if file.parent.name == module.parent.name else 3


def is_test_of(test: str, stem: str) -> bool:
    """Return True if a test is in a file that is named after a module."""
    name = PurePosixPath(test.partition("::")[0]).stem
    return name.removeprefix("test_").rstrip("s") == stem.rstrip("s")


def find_statement(tree: ast.Module, line: int) -> tuple[ast.stmt, list[Definition]]:
    """Return the innermost statement at a line, and the functions and classes around it."""
    statement: ast.stmt | None = None
    path: list[Definition] = []
    for node in walk_statements(tree):
        first = min([node.lineno, *[each.lineno for each in getattr(node, "decorator_list", [])]])
        if first <= line <= (node.end_lineno or node.lineno):
            if isinstance(statement, Definition):
                path.append(statement)
            statement = node
    if statement is None:
        raise ValueError(f"no statement at line {line}")
    return statement, path


def walk_statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield all statements, each before those in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        yield from walk_statements(child)


def find_last_line(statement: ast.stmt) -> int:
    """Return the last line of a statement, or of its head if it contains others."""
    inner = [child.lineno for child in walk_statements(statement)]
    last = statement.end_lineno or statement.lineno
    return max(min([last, *[line - 1 for line in inner]]), statement.lineno)


def find_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.AnnAssign(target=ast.Name(name)):
            yield name
