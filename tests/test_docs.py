"""Documents name the options, commands, keys and files that exist."""

import re
import shlex
import textwrap
import tomllib
from functools import cache
from pathlib import Path

import pytest
from click import Context, Group

import cardtable
from cardtable.cli.main import commands
from cardtable.engine.options import list_choices
from cardtable.games import GAMES, KEYS
from cardtable.store.seating import find_nick_error
from cardtable.store.settings import parse_values
from cardtable.ui.keys.keymap import build_keymap
from docs import tables
from tests import promises
from tests.every_game import GAMES_WITH_RULES

ROOT = Path(__file__).parent.parent
SOURCE = Path(cardtable.__file__).parent
MODULES = [path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))]
GAMES_FOLDER = SOURCE / "games"
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "INSTALL.md").read_text(encoding="utf-8")
MANUAL = tables.MANUAL.read_text(encoding="utf-8")
CLUB = (ROOT / "docs" / "club.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
TESTING = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = [
    page for folder in ("", "docs/**/", "benchmarks/", "cardtable/**/") for page in sorted(ROOT.glob(f"{folder}*.md"))
]
ROBOTS = (ROOT / "docs" / "robots.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^    cardtable (.+)$", MANUAL + ROBOTS, re.MULTILINE)


def test_readme_begins_with_picture_and_make_commands():
    title, _, picture, commands_to_begin = README.split("\n\n")[:4]
    assert title == "# cardtable"
    assert "docs/pictures/session.svg" in picture
    assert [line.split("#")[0].strip() for line in commands_to_begin.splitlines()][-2:] == ["make play", "make test"]


@pytest.mark.parametrize("key", GAMES_WITH_RULES)
class TestRulesPage:
    def test_names_every_option_and_value(self, key):
        page = (GAMES_FOLDER / key / "rules.md").read_text(encoding="utf-8")
        for option in list_choices(GAMES[key].options):
            assert f"`{option.name}`" in page
            assert [value for value in option.values if f"`{value}`" not in page] == [], option.name

    def test_begins_with_title(self, key):
        page = (GAMES_FOLDER / key / "rules.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {GAMES[key].about.title}")


@pytest.mark.parametrize("key", KEYS)
class TestGame:
    def test_readme_has_one_row(self, key):
        game = GAMES[key]
        rows = re.findall(rf"^\| {game.about.title} \|.*$", README, re.MULTILINE)
        assert len(rows) == 1, "the table of games in README.md has no row for it"
        assert f"cardtable/games/{key}/rules.md" in rows[0]
        assert f"| {game.about.length} |" in rows[0]

    def test_has_tests(self, key):
        assert list((ROOT / "tests" / "games" / key).glob("test_*.py")), f"tests/games/{key}/ has none"


@pytest.mark.parametrize("line", EXAMPLES)
def test_example_is_valid(line):
    name, command, arguments = commands.resolve_command(Context(commands), shlex.split(line.split(" > ")[0]))
    with command.make_context(name, arguments) as context:
        parameters = context.params
    game = GAMES.get(parameters.get("game", ""))
    known = {option.name: option for option in list_choices(game.options)} if game else {}
    for option, value in (text.split("=") for text in parameters.get("options", ())):
        assert value in map(str, known[option].values)


def list_anchors(page):
    """Return the anchors of a page's headings, as links write them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_targets(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if not target.startswith("http"):
            name, _, place = target.partition("#")
            other = page.parent / name if name else page
            assert other.exists(), target
            assert not place or place in list_anchors(other), target


def test_make_targets_in_documents_exist():
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))
    for page in (README, INSTALL, MANUAL, CONTRIBUTING, TESTING):
        named = set(re.findall(r"(?:`|^    )make ([\w-]+)", page, re.MULTILINE))
        assert named
        assert named <= targets


def test_benchmarks_in_makefile_exist():
    (scripts,) = re.findall(r"for script in (.+);", MAKEFILE)
    assert [name for name in scripts.split() if not (ROOT / "benchmarks" / f"{name}.py").is_file()] == []


def select_quoted(pattern):
    """Return the texts in backticks of CONTRIBUTING and architecture that match a pattern, outside blocks of code."""
    prose = re.sub(r"^ *```.*?^ *```", "", CONTRIBUTING + ARCHITECTURE, flags=re.MULTILINE | re.DOTALL)
    return sorted({text for text in re.findall(r"`([^`\n]+)`", prose) if re.fullmatch(pattern, text)})


@pytest.mark.parametrize("name", select_quoted(r"[\w.*-]*/[\w./*-]*"))
def test_path_in_documents_exists(name):
    """A path is relative to the repository, or to a package of the program; those in build/ are of the Makefile."""
    path = name.rstrip("/")
    assert [*ROOT.glob(path), *SOURCE.rglob(path)] or (path.startswith("build/") and path in MAKEFILE)


@cache
def index_definitions():
    """Return the texts of the modules that define each class, function or constant, by its name."""
    index = {}
    for text in MODULES:
        found = re.findall(r"^ *(?:class|def|async def) (\w+)|^(\w+)\b.* = ", text, re.MULTILINE)
        for name in {function or constant for function, constant in found}:
            index.setdefault(name, []).append(text)
    return index


@pytest.mark.parametrize("name", select_quoted(r"_?[A-Z]\w+|(?:[A-Z]\w+\.)?\w+\(\)|_\w+|[A-Z]\w+\.(?!md)\w+"))
def test_name_of_code_in_documents_exists(name):
    """A class, constant or function is defined; the module that defines a class has the attribute, too."""
    owner, _, attribute = name.removesuffix("()").rpartition(".")
    modules = index_definitions().get(owner or attribute, [])
    assert modules
    assert not owner or any(
        re.search(rf"\bdef {attribute}\b|^    {attribute}: |self\.{attribute}\b.* = ", text, re.MULTILINE)
        for text in modules
    )


def test_manual_lists_every_file_of_the_home():
    in_home = r'(?:(?<!Path\.)\bhome\(\) /|\(_get_path,) "([\w.-]+)"'
    names = {name for text in MODULES for name in re.findall(in_home, text)}
    assert "profiles.json" in names
    files = MANUAL.split("\n## Files\n")[1]
    assert [name for name in sorted(names) if not re.search(rf"`{re.escape(name)}[`/]", files)] == []


def test_nicks_of_tournament_example_are_valid():
    (nicks,) = re.findall(r"--players (\w+(?:,\w+)+)", CLUB)
    assert {nick: find_nick_error(nick) for nick in nicks.split(",") if find_nick_error(nick)} == {}


def list_options(command, context):
    """Yield the long options of a command and of its subcommands."""
    for parameter in command.params:
        yield from (name for name in [*parameter.opts, *parameter.secondary_opts] if name.startswith("--"))
    if isinstance(command, Group):
        for name in command.list_commands(context):
            _, subcommand, _ = command.resolve_command(context, [name])
            yield from list_options(subcommand, Context(subcommand, parent=context, info_name=name))


def test_documents_name_every_option():
    pages = MANUAL + CLUB
    options = set(list_options(commands, Context(commands)))
    assert [name for name in sorted(options) if not re.search(rf"(?<![\w-]){name}(?![\w-])", pages)] == []


def test_tables_of_documents_are_current():
    pages = MANUAL + tables.REFERENCE.read_text(encoding="utf-8")
    assert tables.insert_tables(pages) == pages, "run python -m docs.tables"
    assert all(f"<!-- table: {name} -->" in pages for name in tables.TABLES)


def test_settings_example_is_valid():
    [example] = re.findall(r"^    theme = .+?(?=\n\n\w)", MANUAL, re.MULTILINE | re.DOTALL)
    values = tomllib.loads(textwrap.dedent(example))
    chosen, complaints = parse_values(values)
    assert complaints == []
    assert build_keymap(chosen.key_preset, chosen.keys)[1] == []


def test_holders_of_promises_exist():
    holders = [name for section in promises.load_promises().values() for names in section.values() for name in names]
    assert [name for name in holders if not promises.is_holder(name)] == []


@pytest.mark.parametrize(
    "name", ["ui/test_none.py", "test_docs.py::test_none", "test_docs.py::promises", "benchmarks/none.py"]
)
def test_holder_of_a_promise_is_missing(name):
    assert not promises.is_holder(name)


def test_each_promise_is_in_one_section():
    texts = [text for section in promises.load_promises().values() for text in section]
    assert len(texts) == len(set(texts))
