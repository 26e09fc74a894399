"""docs/architecture.md and docs/glossary.md: their names exist in the code."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import cardtable
from cardtable.session.session_events import PendingInput

PACKAGE = Path(cardtable.__file__).parent
DOCS = PACKAGE.parent / "docs"
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")
GLOSSARY = re.findall(
    r"^\| ([^|`]+) \| [^|]+ \| `(\w+)` \|$", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
)


def iter_defined_names():
    """Yield the names of classes and annotated constants of the package, one for each definition."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield node.target.id


def test_glossary_names_existing_classes():
    assert len(GLOSSARY) > 40
    defined = set(iter_defined_names())
    assert [name for _, name in GLOSSARY if name not in defined] == []


def test_glossary_has_no_duplicates():
    for column in zip(*GLOSSARY, strict=True):
        assert [name for name, times in Counter(column).items() if times > 1] == []


def test_diagrams_name_existing_classes():
    defined = set(iter_defined_names())
    participants = re.findall(r"participant \w+ as (.+)", PAGE)
    boxes = re.findall(r'\w\["([^"(]+?)(?: \(\w+\))?"\]', PAGE)
    assert participants
    assert boxes
    assert [name for each in participants + boxes for name in each.split(", ") if name not in defined] == []


def test_every_pending_input_is_described():
    section = PAGE[PAGE.index("## What a running session waits for") :]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [kind.__name__ for kind in get_args(PendingInput)]


def test_every_package_is_described():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages == set(re.findall(r"^\| `cardtable/(\w+)/` \|", PAGE, re.MULTILINE))


REPLACED = {
    "door": "transport", "filling": "gathering", "keeper": "administrator",
    "kibitzer": "spectator", "looker": "spectator", "trouble": "error", "visiting": "client", "watcher": "spectator",
}  # fmt: skip
"""Words that no class and no public function has, with the words of the glossary for them."""


def iter_definitions():
    """Yield the public classes and functions of the package."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
                yield node


def split_words(name):
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)]


def test_names_have_the_words_of_the_glossary():
    names = {node.name for node in iter_definitions()}
    assert {name: REPLACED[word] for name in names for word in split_words(name) if word in REPLACED} == {}


def test_views_are_of_a_seat_or_a_game():
    """A class called a view is what a seat knows, or a game's part of the table screen."""
    for node in iter_definitions():
        if isinstance(node, ast.ClassDef) and node.name.endswith("View") and node.name not in ("View", "GameView"):
            bases = [ast.unparse(base).partition("[")[0] for base in node.bases]
            assert any(base.endswith("View") for base in bases), node.name


def test_places_are_ranks():
    """A class is not called a place; positions on a screen, of cards and of programs have words of their own."""
    assert [
        node.name
        for node in iter_definitions()
        if {"place", "places"} & {*split_words(node.name)[1:]}
        and (isinstance(node, ast.ClassDef) or split_words(node.name)[0] in ("reserve", "exchange", "find", "describe"))
    ] == []
