"""What the shape of the code comes to in numbers: ``python -m tests.measures`` prints them."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "cardtable"
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip


def sources() -> dict[str, str]:
    """The text of every module, by its name."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {_name(file): file.read_text(encoding="utf-8") for file in files}


def _name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def code_lines(text: str) -> int:
    """Lines that hold code: neither blank nor comments nor docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


def names_of_several(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Public classes of one name, by that name; a game's own words are its own."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, text in texts.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and ".games." not in module:
                found[node.name].append(module)
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def guesses(texts: Mapping[str, str]) -> list[str]:
    """Where a view, options or a game is taken for anything, or asked by name whether it has something."""
    wanted = re.compile(
        r"\b_?view: Any\b|Game\[Any, Any\]|options: Any\b"
        r"|\b(?:has|get)attr\((?:\w+\.)*(?:view|options|_view|before|after)\b"
    )
    return [f"{module}: {match[0]}" for module, text in texts.items() for match in wanted.finditer(text)]


def imports(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """The modules of the package that each module imports, also within functions; not what types alone need."""
    return {
        module: {name for name in _imported(ast.parse(text), texts) if name != module} for module, text in texts.items()
    }


def _imported(node: ast.AST, known: Mapping[str, str]) -> Iterator[str]:
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            if inner in known or node.module in known:
                yield inner if inner in known else node.module
    for child in ast.iter_child_nodes(node):
        yield from _imported(child, known)


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import one another, however many are between (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        path.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in path:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = path.index(node)
            if len(path) - at > 1:
                found.append(path[at:])
            del path[at:]

    for node in graph:
        if node not in number:
            visit(node)
    return found


def folders_of_ui(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The same of the folders of ``ui/``."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, others in graph.items():
        here = module.split(".")[1:3]
        if here[:1] == ["ui"] and len(here) == 2:
            found[here[1]] |= {o.split(".")[2] for o in others if o.startswith("cardtable.ui.")} - {here[1]}
    return found


def measured() -> dict[str, int]:
    """What is measured, and what it comes to."""
    texts = sources()
    graph = imports(texts)
    return {
        "modules loose in `ui/`": len([f for f in (PACKAGE / "ui").glob("*.py") if f.name != "__init__.py"]),
        "lines of `ui/app.py`": len(texts["cardtable.ui.app"].splitlines()),
        "lines of the longest file": max(len(text.splitlines()) for text in texts.values()),
        "lines of code, without blank lines, comments and docstrings": sum(map(code_lines, texts.values())),
        "`Any`, `getattr`, `hasattr` for views, options, games": len(guesses(texts)),
        "names that several public classes have": len(names_of_several(texts)),
        "circles of imports between files": len(circles(graph)),
        "circles of imports between folders of `ui/`": len(circles(folders_of_ui(graph))),
    }


if __name__ == "__main__":
    for what, figure in measured().items():
        print(f"{figure:>7}  {what}")
