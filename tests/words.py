"""Texts of the program by screen and game: ``python -m tests.words`` lists them for review."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import cardtable
from cardtable.games import ABOUT

PACKAGE = Path(cardtable.__file__).parent

_TITLES = {key: about.title for key, about in ABOUT.items()}
SECTIONS = {
    "cli": "Commands",
    "club": "The club",
    "plain": "Plain lines",
    "plain/club": "The club in plain lines",
    "ui/game_view": "The table in all games",
    "ui/table": "The table in all games",
    "ui/round_view": "Finished rounds, looked at again",
    "ui/terminal": "All screens",
    "ui/toolkit": "All screens",
    "ui/keys": "Keys",
    "ui": "All screens",
}
"""Section of the list for each folder and those below; another screen's folder is a section of its own, and all
other files are "Everywhere"."""
_NOT_WORDS = re.compile(r"[\W\d]*|[a-z0-9]+([_./:-][a-z0-9_./:-]+)+|[a-z]?")
"""Texts without a letter, or for the program only: a key, a path, a file name."""


class TextEntry(NamedTuple):
    """Text of the program; expressions of an f-string stand in braces."""

    section: str
    file: str
    line: int
    text: str


def iter_texts() -> Iterator[TextEntry]:
    """Yield every text of the program and every line of the rules pages."""
    for file in sorted(PACKAGE.rglob("*.py")):
        name = str(file.relative_to(PACKAGE))
        yield from [
            TextEntry(get_section(name), name, line, text)
            for line, text in extract_texts(file.read_text(encoding="utf-8"))
        ]
    for file in sorted(PACKAGE.rglob("*.md")):
        name = str(file.relative_to(PACKAGE))
        lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        yield from [TextEntry(get_section(name), name, line, text) for line, text in lines if text.strip()]


def get_section(name: str) -> str:
    """Return the section of the list for a file."""
    folder = next((str(folder) for folder in PurePosixPath(name).parents if str(folder) in SECTIONS), "")
    match name.split("/"):
        case ["games", key, *_] if key in _TITLES:
            return _TITLES[key]
        case ["ui", page, _, *_] if folder == "ui":
            return f"Screen: {page.replace('_', ' ')}"
    return SECTIONS.get(folder, "Everywhere")


def extract_texts(source: str) -> list[tuple[int, str]]:
    """Return the texts of a module with their line numbers, without docstrings, annotations and identifiers."""
    tree = ast.parse(source)
    apart = {id(part) for node in ast.walk(tree) for part in _iter_other_nodes(node)}
    constants = [node for node in ast.walk(tree) if id(node) not in apart]
    texts = [(node.lineno, _text(node)) for node in constants if isinstance(node, ast.Constant | ast.JoinedStr)]
    return sorted((line, text) for line, text in texts if not _NOT_WORDS.fullmatch(text))


def _iter_other_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes below a node that are no texts, or parts of a text."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    for below in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        yield from ast.walk(below) if below else ()
    if isinstance(node, ast.JoinedStr):
        yield from [part for part in ast.walk(node) if part is not node]


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = [part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}" for part in node.values]
    return "".join(parts)


if __name__ == "__main__":
    by_place: dict[str, list[TextEntry]] = defaultdict(list)
    for words in iter_texts():
        by_place[words.section].append(words)
    for section_name in sorted(by_place):
        print(f"\n== {section_name} ==")
        for file in dict.fromkeys(words.file for words in by_place[section_name]):
            print(f"\n{file}")
            for words in by_place[section_name]:
                if words.file == file:
                    print(f"{words.line:5} {words.text!r}")
