"""docs/writing-a-game.md and the package of ``new-game``: their code works."""

import os
import re
import subprocess
import sys
from inspect import get_annotations
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace

from cardtable.engine.card_order import sort_in_order
from cardtable.engine.cards import cards, iter_cards, names
from cardtable.engine.game import Game, GameInfo
from cardtable.engine.plugin_guard import list_overridable_methods
from cardtable.engine.trick_game import TrickGameState
from cardtable.games import KEYS
from cardtable.plain import position_text
from cardtable.testing import GameTests
from cardtable.testing.cases import iter_random_positions, list_cases

PAGE = Path(__file__).parent.parent.parent / "docs" / "writing-a-game.md"
WITHOUT_TRICKS = (
    "Without tricks",
    "Order of the hand",
    "Order of the cards in a trick",
    "Italian, Spanish and German faces",
    "Programs that learn",
)
"""Headings of the page whose code blocks belong to the game without tricks, in their order."""


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


def read_code_blocks(*headings):
    """Return the code blocks below headings of the page."""
    parts = re.split(r"^##+ (.*)\n", PAGE.read_text(), flags=re.MULTILINE)
    texts = dict(zip(parts[1::2], parts[2::2], strict=True))
    return [block for heading in headings for block in re.findall(r"```python\n(.*?)```", texts[heading], re.DOTALL)]


def execute_code_blocks(package, monkeypatch, *headings):
    """Execute the package's module and the page's code blocks; return their names."""
    module = ModuleType("blackout")
    monkeypatch.setitem(sys.modules, "blackout", module)
    made = vars(module)
    source = (package / "cardtable_blackout" / "__init__.py").read_text()
    for block in (source, *read_code_blocks(*headings)):
        exec(compile(block, "page", "exec"), made)
    return made


def list_table_rows(heading):
    """Return the names in the first column of the table below a heading of the page, without ``code`` marks."""
    part = re.split(rf"^### {heading}\n", PAGE.read_text(), flags=re.MULTILINE)[1].split("\n#")[0]
    return re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)


def test_page_lists_every_member_of_a_game():
    assert sorted(list_table_rows("Members of a game")) == sorted(
        [*get_annotations(Game), *list_overridable_methods(Game)]
    )


def test_page_lists_every_fact_about_a_game():
    assert sorted(list_table_rows("Facts about a game")) == sorted(GameInfo.__struct_fields__)


def test_page_lists_only_members_of_states():
    rows = re.split(r"^### Members of a state\n", PAGE.read_text(), flags=re.MULTILINE)[1].split("\n#")[0]
    named = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (.+?) \|", rows, re.MULTILINE)))
    assert "score_round" in named
    assert [name for name in named if not hasattr(TrickGameState, name)] == []


def check_game(laws):
    assert isinstance(laws, GameTests)
    for name in dir(laws):
        if name.startswith("test_"):
            getattr(laws, name)()


def test_code_of_the_page_is_a_valid_game(package, monkeypatch):
    monkeypatch.setattr(position_text, "import_submodule", lambda _key, _name: None)  # the game is not installed
    headings = "The state", "The view", "Messages", "The game", "The laws"
    made = execute_code_blocks(package, monkeypatch, *headings)
    blocks = read_code_blocks(*headings, *WITHOUT_TRICKS)
    assert len(blocks) == PAGE.read_text().count("```python")
    game = made["GAME"]
    check_game(made["TestBlackout"]())
    assert sum(game.start(4, game.options()).score_round()) == 0
    for position in iter_random_positions(list_cases(game)[0], 0):
        if position.state.turn >= 0:
            view = position.state.view(position.state.turn)
            assert position_text.describe_own_hand(game, view)


def test_game_without_tricks_is_valid(package, monkeypatch):
    made = execute_code_blocks(package, monkeypatch, *WITHOUT_TRICKS)
    shed = made["ShedByJacks"]()
    assert names(sort_in_order(iter_cards(cards("AS JD 2H")), shed.card_order(None))) == "JD 2H AS"
    shed.about = replace(shed.about, faces=made["HUNGARIAN"])
    check_game(type("TestShed", (GameTests,), {"game": shed})())
