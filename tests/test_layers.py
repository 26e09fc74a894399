"""Layers of the package, and modules loaded by each command."""

import ast
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import cardtable

PACKAGE = Path(cardtable.__file__).parent
ROOT = PACKAGE.parent
FILES = sorted(PACKAGE.rglob("*.py"))
PLATFORM_MODULES = {"fcntl", "grp", "msvcrt", "pty", "pwd", "readline", "resource", "termios", "tty", "winreg"}


def iter_imported_names(tree):
    """Yield the full names of modules imported by statements of a syntax tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def list_loaded_modules(program):
    """Run a program in an empty home and return the modules that it has loaded."""
    ending = "\nimport sys; sys.stderr.write('\\0' + '\\n'.join(sys.modules))"
    with TemporaryDirectory() as home:
        result = subprocess.run(
            [sys.executable, "-c", program + ending], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=True, env={**os.environ, "CARDTABLE_HOME": home},
        )  # fmt: skip
    return {
        name.split(".")[0] if not name.startswith("cardtable.") else name
        for name in result.stderr.rpartition("\0")[2].split()
    }


def test_tasks_have_somebody_who_learns_of_their_errors():
    """Other modules use the functions of ``workers.tasks``; one awaits each task in the function that creates it."""
    pattern = re.compile(r"\b(create_task|ensure_future)\(")
    found = {path for path in FILES if pattern.search(path.read_text(encoding="utf-8"))}
    assert found == {PACKAGE / "workers" / "client.py", PACKAGE / "workers" / "tasks.py"}


def test_workers_of_textual_get_functions():
    """A coroutine would never be awaited if the program ends before the worker begins."""
    pattern = re.compile(r"\brun_worker\((?!partial\()[^,()]*\(")
    assert [path for path in FILES if pattern.search(path.read_text(encoding="utf-8"))] == []


def run_import_linter(root):
    """Run the import linter in a folder and return the completed process."""
    linter = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(cache_dir=None))"
    return subprocess.run([sys.executable, "-P", "-c", linter], cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
                          capture_output=True, text=True, check=False)  # fmt: skip


def test_import_contracts_hold():
    result = run_import_linter(ROOT)
    assert result.returncode == 0, result.stdout


FORBIDDEN_IMPORTS = {
    "games/bridge/table_view.py": "cardtable.ui.table.screen",
    "ui/game_view/trick_game.py": "cardtable.ui.table.screen",
    "games/king/rules/actions.py": "cardtable.robots.kit.search",
    "games/king/policy.py": "cardtable.games.king.expert",
    "games/rifki/hints.py": "cardtable.engine.referee",
    "games/ten_down/plain_text.py": "cardtable.plain.position_text",
    "games/rummy/score_sheet.py": "cardtable.store.paths",
    "robots/kit/search.py": "cardtable.robots.arena",
    "engine/referee.py": "cardtable.store.atomic_io",
}


def test_linter_finds_forbidden_imports(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "cardtable", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for path, name in FORBIDDEN_IMPORTS.items():
        file = tmp_path / "cardtable" / path
        file.write_text(f"{file.read_text(encoding='utf-8')}\nimport {name}\n", encoding="utf-8")
    result = run_import_linter(tmp_path)
    assert result.returncode == 1
    for path, name in FORBIDDEN_IMPORTS.items():
        module = f"cardtable.{path.removesuffix('.py').replace('/', '.')}"
        assert f"{module} -> {name}" in " ".join(result.stdout.split()), result.stdout


def read_sources():
    """Return the source of each module of the package, by the module's name."""
    parts = {file: file.relative_to(ROOT).with_suffix("").parts for file in FILES}
    return {
        ".".join(names[:-1] if names[-1] == "__init__" else names): file.read_text(encoding="utf-8")
        for file, names in parts.items()
    }


@cache
def parse_modules():
    """Return the syntax tree of each module of the package, by the module's name."""
    return {module: ast.parse(text) for module, text in read_sources().items()}


def iter_dependencies(tree, known):
    """Yield the modules of `known` that statements of a syntax tree import."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in iter_imported_names(node):
                yield from [module for module in (name, name.rpartition(".")[0]) if module in known][:1]
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            nodes += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]


def find_import_cycle(graph):
    """Return modules that import each other in a cycle, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def build_ui_folder_graph(graph):
    """Return the import graph of the folders of `ui/`."""
    folders = {}
    for module, others in graph.items():
        match module.split("."):
            case [_, "ui", folder, *_]:
                within = {other.split(".")[2] for other in others if other.startswith("cardtable.ui.")}
                folders[folder] = folders.get(folder, set()) | within - {folder}
    return folders


def test_no_import_cycles():
    trees = parse_modules()
    graph = {module: set(iter_dependencies(tree, trees)) - {module} for module, tree in trees.items()}
    assert find_import_cycle(graph) == []
    assert find_import_cycle(build_ui_folder_graph(graph)) == []


def test_views_options_and_games_are_typed():
    """None has the type Any or is asked for an attribute by name."""
    untyped = re.compile(
        r"\b_?view: Any\b|Game\[Any, Any\]|options: Any\b"
        r"|\b(?:has|get)attr\((?:\w+\.)*(?:view|options|_view|before|after)\b"
    )
    assert {module: uses for module, text in read_sources().items() if (uses := untyped.findall(text))} == {}


def test_modules_import_on_every_platform():
    uses = [
        (module, name)
        for module, tree in parse_modules().items()
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in iter_imported_names(node)
    ]
    assert [(module, name) for module, name in uses if name.split(".")[0] in PLATFORM_MODULES] == []


def test_version_imports_nothing_else():
    program = "import sys; sys.argv = ['cardtable', '--version']; from cardtable.__main__ import main; main()"
    names = list_loaded_modules(program)
    assert {name for name in names if name.startswith("cardtable.")} == {"cardtable.__main__"}
    assert not names & {"click", "textual", "rich", "msgspec", "json", "importlib.metadata", "typing"}


@pytest.mark.parametrize(
    "line",
    [
        "--help",
        "play --help",
        "list",
        "rules rikiki",
        "simulate rikiki --sessions 1 --seed 1 --seats random,random,random,random --option length=short",
        "verify gone.jsonl",
        "export gone.jsonl",
        "play rikiki --plain",
        "--plain",
    ],
)
def test_text_commands_load_no_textual(line):
    names = list_loaded_modules(f"from cardtable.cli.main import run; run({line.split()!r})")
    assert not names & {"textual", "rich"}
    assert "asyncio" not in names
    assert not {name for name in names if name.startswith("cardtable.ui")}


COMPLETION = """
from click.shell_completion import ShellComplete
from cardtable.cli.main import commands
assert ShellComplete(commands, {}, "cardtable", "").get_completions(["club"], "ki")[0].value == "kick"
"""


@pytest.mark.parametrize("program", [
    COMPLETION,
    *[f"from cardtable.cli.main import run; run({line.split()!r})"
      for line in ("club --help", "club backup --help", "club season list")],
])  # fmt: skip
def test_commands_without_an_open_club_load_no_messages(program):
    assert not {name for name in list_loaded_modules(program) if name.startswith(("cardtable.club", "cardtable.plain"))}


def test_games_load_on_demand():
    names = list_loaded_modules("import cardtable.games")
    assert "cardtable.games" in names
    assert not names & {"textual", "click", "cardtable.games.rikiki.rules", "cardtable.games.bridge.rules"}
    names = list_loaded_modules("from cardtable.games import GAMES; GAMES['rikiki']")
    assert "cardtable.games.bridge.rules" not in names


def test_picker_loads_no_argument_parser():
    names = list_loaded_modules("import sys; sys.argv = ['cardtable']; from cardtable.__main__ import main; main()")
    assert "click" not in names
    assert "click" not in list_loaded_modules(PICKER_IMPORTS)


def test_picker_loads_no_other_screen_or_game():
    names = list_loaded_modules(PICKER_IMPORTS)
    assert not {name for name in names if name.startswith("cardtable.games.") and name.count(".") > 2}
    parts = {name.split(".")[2] for name in names if name.startswith("cardtable.ui.")}
    assert parts == {"app", "navigator", "picker", "game_view", "toolkit", "keys", "terminal"}
    assert not names & {"cardtable.ui.new_table", "cardtable.ui.toolkit.painting.svg",
                        "cardtable.workers.client",
                        "cardtable.wording.log_entries"}  # fmt: skip


PICKER_IMPORTS = "import cardtable.cli.launch, cardtable.ui.app"
"""Imports needed for the first frame of the picker."""
TABLE_IMPORTS = """
import sys, cardtable.cli.launch, cardtable.ui.app
from cardtable.games import GAMES
GAMES['king']
import cardtable.store.session_setup, cardtable.ui.table.screen, cardtable.ui.picker.model
import cardtable.games.king.table_view
"""
"""Imports needed for the first frame of a table."""


def test_first_table_frame_loads_only_its_modules():
    names = list_loaded_modules(TABLE_IMPORTS)
    assert not names & {"click", "hashlib", "hmac", "getpass", "secrets", "cardtable.workers.client",
                        "cardtable.session.round_replay", "cardtable.wording.missed"}  # fmt: skip
    assert not {name for name in names if name.endswith((".curtain", ".last_deal", ".overlays"))}
    kinds = {name.split(".")[1] for name in names if name.startswith("cardtable.")}
    assert not kinds & {"plain", "records", "scoring", "club"}
    assert not names & {"websockets", "asyncssh", "aiohttp", "prometheus_client", "textual_serve"}
    assert {name for name in names if name.startswith("cardtable.robots.")} == {
        "cardtable.robots.kit",
        "cardtable.robots.kit.levels",
    }
    assert {name.split(".")[2] for name in names if name.startswith("cardtable.games.") and name.count(".") > 2} == {
        "king"
    }
    screens = {name for name in names if name.startswith("cardtable.ui.") and name.endswith(".screen")}
    assert screens == {f"cardtable.ui.{page}.screen" for page in ("picker", "table")}


def test_club_is_loaded_on_demand():
    names = list_loaded_modules(f"{TABLE_IMPORTS}\nimport cardtable.ui.command_palette, cardtable.ui.club.host_page")
    assert not {name for name in names if name.startswith("cardtable.club")}
    names |= list_loaded_modules("import cardtable.ui.club.join_page")
    assert not names & {"websockets", "asyncssh", "aiohttp", "prometheus_client", "textual_serve"}


HANDLERS = {"msgspec.json.decode": {"RecursionError"}, "msgspec.convert": {"ValueError", "msgspec.ValidationError"}}
"""Exceptions of which one must be handled around a call: deep nesting raises no ``ValueError``."""


def test_msgspec_decoding_handles_its_errors():
    unhandled = []
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text if any(call in text for call in HANDLERS) else "")
        for called in ast.walk(tree):
            if isinstance(called, ast.Attribute) and (errors := HANDLERS.get(ast.unparse(called))):
                tries = [node for node in ast.walk(tree) if isinstance(node, ast.Try) and called in ast.walk(node)]
                named = [ast.unparse(handler.type) for node in tries for handler in node.handlers if handler.type]
                if not errors & set(re.findall(r"[\w.]+", " ".join(named))):
                    unhandled.append(f"{file}:{called.lineno}")
    assert unhandled == []
