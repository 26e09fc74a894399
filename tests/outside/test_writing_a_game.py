"""The pages for authors of games and the package of ``new-game``: their code works."""

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from msgspec.structs import replace

from cardtable.engine.card_order import sort_in_order
from cardtable.engine.cards import cards, iter_cards, names
from cardtable.engine.log_entries import TookTrick
from cardtable.games import KEYS
from cardtable.plain import position_text
from cardtable.testing import GameTests
from cardtable.testing.cases import iter_random_positions, list_cases

DOCS = Path(__file__).parent.parent.parent / "docs"
TUTORIAL = DOCS / "writing-a-game.md"
AUTHORS = DOCS / "authors"
OTHER_PAGES = ("without-tricks", "how-to", "faces", "learning", "stock")
"""Pages with code, in the order in which it is run."""
FILES = {"Robots": "cardtable_blackout/policy.py", "Tests": "tests/test_blackout.py"}
"""File of the package for the code of a section of the tutorial; that of all others is ``__init__.py``."""


def run_cardtable(home, *words):
    environment = {**os.environ, "CARDTABLE_HOME": str(home / "home")}
    return subprocess.run([sys.executable, "-m", "cardtable", *words], cwd=home, env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Create the package of the page's game with ``new-game``."""
    folder = tmp_path_factory.mktemp("author")
    result = run_cardtable(folder, "new-game", "blackout")
    assert result.stdout.startswith("Blackout is in cardtable-blackout."), result.stderr
    return folder / "cardtable-blackout"


def test_generated_package_passes_its_tests(package):
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    ended = subprocess.run(words, cwd=package, env={**os.environ, "PYTHONPATH": str(package)},
                           capture_output=True, text=True, check=False)  # fmt: skip
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["King"], 2, "a key is 2 to 20 lower-case letters, digits and _"),
        ([KEYS[0]], 2, f"there is already a game {KEYS[0]}"),
        (["spoons", "."], 1, "already exists"),
    ],
)
def test_rejects_invalid_key_or_existing_folder(tmp_path, words, code, message):
    result = run_cardtable(tmp_path, "new-game", *words)
    assert result.returncode == code
    assert message in result.stderr


def read_code_blocks(page):
    """Return the code blocks of a page, each with the heading of its section."""
    heading, blocks = "", []
    for match in re.finditer(r"^## ([^\n]*)|^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        heading = match[1] or heading
        if match[2]:
            blocks.append((heading, match[2]))
    return blocks


def list_names(node):
    """Return the names that a statement defines."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case _:
            return []


def insert_code(body, block):
    """Insert a code block of the tutorial into the statements of a module or class, as the page says.

    A docstring and imports come first, existing names are replaced, and ``...`` in a class stands for what it has.
    """
    for node in block:
        place = next((i for i, old in enumerate(body) if set(list_names(node)) & set(list_names(old))), None)
        if isinstance(node, ast.ClassDef) and ast.unparse(node.body[0]) == "...":
            insert_code(body[place].body, node.body[1:])
        elif place is not None:
            body[place] = node
        elif isinstance(node, ast.Expr):
            body[0] = node
        elif isinstance(node, ast.ImportFrom | ast.Import):
            body.insert(1, node)
        elif isinstance(node, ast.FunctionDef):
            body.append(node)
        else:
            body.insert(next(i for i, old in enumerate(body) if isinstance(old, ast.ClassDef | ast.FunctionDef)), node)


@pytest.fixture(scope="module")
def blackout(package):
    """Follow the tutorial in the package; return the module of the game."""
    module = package / "cardtable_blackout" / "__init__.py"
    source = ast.parse(module.read_text())
    for heading, block in read_code_blocks(TUTORIAL):
        if heading in FILES:
            (package / FILES[heading]).write_text(block)
        else:
            insert_code(source.body, ast.parse(block).body)
    module.write_text(ast.unparse(source))
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(package)
        patched.setattr(position_text, "import_submodule", lambda _key, _name: None)  # the game is not installed
        yield importlib.import_module("cardtable_blackout")
        sys.modules.pop("cardtable_blackout")


def check_game(laws):
    assert isinstance(laws, GameTests)
    for name in dir(laws):
        if name.startswith("test_"):
            getattr(laws, name)()


def test_game_of_the_tutorial_is_valid(package, blackout):
    tests = {}
    exec((package / FILES["Tests"]).read_text(), tests)
    check_game(tests["TestBlackout"]())
    tests["test_both_queens_cost_20_or_nothing"]()
    state = blackout.GAME.start(4, blackout.Options())
    state.apply(state.draw_chance(Random(1)))
    assert position_text.describe_own_hand(blackout.GAME, state.view(state.turn))


def test_policy_of_the_tutorial_chooses_legal_actions(blackout):
    policy, rng = importlib.import_module("cardtable_blackout.policy"), Random(1)
    for position in iter_random_positions(list_cases(blackout.GAME)[0], 0):
        if position.state.turn >= 0:
            view = position.state.view(position.state.turn)
            assert {policy.steady(view, rng), policy.novice(view, rng)} <= {*view.legal}


@pytest.fixture
def made(blackout, monkeypatch):
    """Run the code of the other pages with the names of the tutorial and of the pages before; return all names."""
    module = ModuleType("pages")
    monkeypatch.setitem(sys.modules, "pages", module)
    made = vars(module)
    made.update(vars(blackout), __name__="pages")
    for name in OTHER_PAGES:
        for _, block in read_code_blocks(AUTHORS / f"{name}.md"):
            exec(compile(block, name, "exec"), made)
    return made


def test_game_without_tricks_is_valid(made):
    assert {page.stem for page in AUTHORS.glob("*.md") if "```python" in page.read_text()} == {*OTHER_PAGES}
    shed = made["ShedByJacks"]()
    assert names(sort_in_order(iter_cards(cards("AS JD 2H")), shed.card_order(None))) == "JD 2H AS"
    shed.about = replace(shed.about, faces=made["HUNGARIAN"])
    check_game(type("TestShed", (GameTests,), {"game": shed})())


def test_trick_game_with_a_stock_is_valid(made):
    check_game(type("TestGermanWhist", (GameTests,), {"game": made["GermanWhist"]()})())


def test_only_the_last_13_tricks_of_26_count(made):
    game, takers, rng = made["GermanWhist"](), [], Random(1)
    state = game.start(2, made["Options"]())
    state.apply(state.draw_chance(rng))
    while state.playing:
        before, action = state.view(0), rng.choice(state.legal())
        state.apply(action)
        assert game.trick(before).number == len(takers) + 1
        takers += [note.seat for note in game.narrate(action, before, state.view(0)) if isinstance(note, TookTrick)]
    assert len(takers) == 26
    assert state.score.points == (takers[13:].count(0), takers[13:].count(1))
