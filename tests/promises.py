"""Promises to players and rules for maintainers, traced from tests: ``python -m tests.promises`` writes the page.

A test that holds a promise has the marker ``@pytest.mark.promise(section, text)``; a file of tests has it in
``pytestmark``.  The markers are read from the sources, so that no test has to be collected.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "points.md"

SECTIONS = (
    "Starting, leaving and saving",
    "The picker and new tables",
    "Lessons",
    "Player profiles",
    "The table",
    "Keys and mouse",
    "Hot seat and hidden cards",
    "Archive, replay, review and export",
    "Puzzles",
    "Statistics, rankings and credits",
    "Scores of real card games",
    "Settings and display",
    "Plain text",
    "Commands",
    "The club",
    "For maintainers",
)
"""Sections of the page, in its order."""

BENCHMARKS = {
    ("Starting, leaving and saving", "The picker and a table appear without a noticeable delay."): "first_frame",
    ("Starting, leaving and saving", "A program that is left alone does nothing."): "idle",
    (
        "The picker and new tables",
        "The measured strength of the robot levels is shown on a new table, in plain text, help and manual.",
    ): "ladder",
    ("The table", "While a robot thinks its nameplate shows it, and every key works."): "latency",
    (
        "The table",
        "The coach names 90 % of costly decisions, criticises at most 3 % of good ones, and nobody waits for it.",
    ): "coach",
    ("The table", "Played cards are animated; any key ends the animation and still has its effect."): "repaint",
    (
        "Archive, replay, review and export",
        "An archive of 10,000 sessions is opened, searched and sorted without a noticeable delay.",
    ): "archive",
    ("Archive, replay, review and export", "In a review the expert's own choices cost next to nothing."): "review",
    (
        "Statistics, rankings and credits",
        "Records are computed in the background, once per session; a damaged session is left out.",
    ): "records",
}
"""Promises that a script in ``benchmarks/`` measures, with its name; tests may hold the same promise."""

HEAD = """\
# What cardtable promises

Each promise names the tests that fail if it is broken, or the benchmark that measures it. `ui/test_x::y` stands for
`tests/ui/test_x.py::test_y`. `python -m tests.promises` writes this page from the markers of the tests: a promise is
changed there, not here.
"""

TAIL = """
Not available yet: changing a player's real name and e-mail address in plain text.
"""


class Mark(NamedTuple):
    """Marker of a promise, with the short name of the test that has it."""

    section: str
    text: str
    test: str


def iter_marks() -> Iterator[Mark]:
    """Yield the markers of all tests, in the order of paths and lines.

    Raises ValueError for a marker that is not on a test, or that is not a section of the page and a text.
    """
    for path in sorted(TESTS.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "pytest.mark.promise(" in source:
            yield from parse_marks(source, path.relative_to(TESTS).as_posix())


def parse_marks(source: str, path: str) -> Iterator[Mark]:
    """Yield the markers of one file of tests; ``path`` is relative to the tests. Raises ValueError as `iter_marks`
    does.
    """
    tree = ast.parse(source)
    holders = {
        id(marker): holder
        for node in ast.walk(tree)
        for holder, values in _iter_markers(node, path)
        for marker in values
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted([call for call in calls if _is_promise(call)], key=lambda call: call.lineno):
        values = [value.value for value in call.args if isinstance(value, ast.Constant)]
        if id(call) not in holders or call.keywords or len(values) != 2 or values[0] not in SECTIONS:
            raise ValueError(f"tests/{path}:{call.lineno}: no promise(section, text) of a test")
        yield Mark(values[0], values[1], holders[id(call)])


def _is_promise(call: ast.Call) -> bool:
    return ast.unparse(call.func) == "pytest.mark.promise"


def _iter_markers(node: ast.AST, path: str) -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield the short name of the test, class or file that a node marks, with its markers."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test_"):
            yield f"{path.removesuffix('.py')}::{name.removeprefix('test_')}", node.decorator_list
        case ast.ClassDef(name=name) if name.startswith("Test"):
            yield f"{path.removesuffix('.py')}::{name}", node.decorator_list
        case ast.Assign(targets=[ast.Name(id="pytestmark")], value=ast.List(elts=values)):
            yield path, values
        case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
            yield path, [value]


def collect_promises() -> dict[str, dict[str, list[str]]]:
    """Return the holders of each promise, by section and text. Raises ValueError if a promise is in two sections."""
    promises: dict[str, dict[str, list[str]]] = {section: defaultdict(list) for section in SECTIONS}
    for section, text, test in iter_marks():
        promises[section][text].append(test)
    for (section, text), script in BENCHMARKS.items():
        promises[section][text].append(f"benchmarks/{script}.py")
    texts = [text for section in promises.values() for text in section]
    if twice := {text for text in texts if texts.count(text) > 1}:
        raise ValueError(f"in several sections: {', '.join(sorted(twice))}")
    return promises


def render_page() -> str:
    """Return the text of docs/points.md."""
    parts = [HEAD]
    for section, promises in collect_promises().items():
        rows = [f"| {text} | {', '.join(f'`{test}`' for test in tests)} |\n" for text, tests in promises.items()]
        parts.append(f"\n## {section}\n\n| promise | held by |\n| --- | --- |\n{''.join(rows)}")
    return "".join([*parts, TAIL])


def main() -> None:
    """Write docs/points.md."""
    PAGE.write_text(render_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
