"""Table of promises, in promises.toml, and the report that lists them."""

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parent

HEAD: Final = """\
# What cardtable promises

Each promise names the tests that fail if it is broken, below `tests/`, or the benchmark that measures it. The table is
`tests/promises.toml`.
"""

TAIL: Final = """
Not available yet: changing a player's real name and e-mail address in plain text.
"""


def load_promises() -> dict[str, dict[str, list[str]]]:
    """Return the tests and benchmarks that hold each promise, by section and text."""
    return tomllib.loads((TESTS / "promises.toml").read_text(encoding="utf-8"))


def is_holder(name: str) -> bool:
    """Return True if a file of tests or a benchmark, or ``::`` a test or a class of tests in it, exists."""
    path, _, test = name.partition("::")
    file = TESTS.parent / path if path.startswith("benchmarks/") else TESTS / path
    return file.is_file() and (not test or test in _list_definitions(file))


@cache
def _list_definitions(file: Path) -> set[str]:
    """Return the names of all functions and classes in a file."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


def render_page() -> str:
    """Return the report."""
    parts = [HEAD]
    for section, promises in load_promises().items():
        rows = [f"| {text} | {', '.join(f'`{name}`' for name in names)} |\n" for text, names in promises.items()]
        parts.append(f"\n## {section}\n\n| promise | held by |\n| --- | --- |\n{''.join(rows)}")
    return "".join([*parts, TAIL])
