"""Writes the tables of the manual, and of the reference for authors of games, from the declarations of the program.

python -m docs.tables

A comment with the name of a table stands above it on the page.
"""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import Final

import click
import msgspec

from cardtable.cli.main import COMMANDS, FRONT_END_OPTIONS, commands
from cardtable.engine.card_order import CardOrder
from cardtable.engine.game import BiddingState, Bonus, Contract, Game, GameInfo, Mark, State, TrickStatus, View, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt, Drew, MadeBid, MadePoints, PlayedCard, TookTrick
from cardtable.engine.options import list_choices
from cardtable.engine.plugin_guard import list_overridable_methods
from cardtable.engine.round_state import RoundGame, RoundState
from cardtable.engine.secret_choices import ChoosingState
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView, TrickState
from cardtable.games import GAMES, KEYS
from cardtable.store.settings import SETTINGS
from cardtable.ui.keys.keymap import DEFAULT_KEYS, VIM_KEYS, format_key
from cardtable.ui.keys.table_keys import TABLE
from cardtable.wording.players import describe_level_strength

MANUAL: Final = Path(__file__).parent / "manual.md"
REFERENCE: Final = Path(__file__).parent / "authors" / "reference.md"
COMMON_RULES: Final = ("round_clock", "open_hands")
"""House rules that every game has."""
COMMANDS_OF_CLUBS: Final = ("host", "join", "club")
"""Commands whose options are on the pages about clubs."""
TRICK_MEMBERS: Final = (
    "begin_play", "playable", "follows", "taker", "play", "record_trick", "hand_size", "dealt_in", "sit_out", "discard",
    "lay", "pick_up", "draw",
)  # fmt: skip
"""Members of a state with tricks that authors override or call."""
ROUND_MEMBERS: Final = (
    "pack", "clear", "deal", "legal", "act", "next_seat", "end_round", "view", "determinize", "copy_view_fields",
    "guess_hands", "find_known_cards", "first_seat", "active", "step", "partners", "score_round", "figures", "columns",
    "bonuses", "title", "award", "is_over", "is_over_at", "lowest_wins", "set_arrivals", "drawn_card", "to_shuffle",
    "place_reshuffled", "position_key", "assert_invariants",
)  # fmt: skip
"""Members of every state with rounds that authors override or call."""
CHOOSING_MEMBERS: Final = ("let_choose", "act_at_once")
"""Members of a state in which several seats choose at once."""
VIEWS: Final = (View, TrickGameView)
PARTS: Final = (Zone, Mark, Contract, TrickStatus, BiddingState, CardOrder, Bonus)
"""Classes of what the methods of a game return."""
LOG_ENTRIES: Final = (Dealt, PlayedCard, MadeBid, TookTrick, Drew, MadePoints, CustomLogEntry)
_TABLE: Final = re.compile(r"(<!-- table: (.+) -->\n)(?:.+\n)*")
_UNUSED: Final = re.compile(r"\b_(?=[a-z])")
"""Mark of a parameter that the method of the base class does not use."""
_CLASS_VARIABLE: Final = re.compile(r"ClassVar\[(.*)\]")
_LINE_LENGTH: Final = 120


def format_table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = [*heading]
    lines = [head, ["---"] * len(head), *rows]
    return "".join([f"| {' | '.join(line)} |\n" for line in lines])


def format_levels() -> str:
    rows = [(GAMES[key].about.title, describe_level_strength(key)) for key in KEYS]
    return format_table(("game", "how the levels compare"), rows)


def format_house_rules() -> str:
    """Return the house rules of each game; those that all games have come last, once."""
    rules = [(GAMES[key].about.title, rule) for key in KEYS for rule in list_choices(GAMES[key].options)]
    own = [(title, rule) for title, rule in rules if rule.name not in COMMON_RULES]
    common = {rule.name: ("all games", rule) for _, rule in rules if rule.name in COMMON_RULES}
    rows = []
    for title, rule in [*own, *common.values()]:
        values = [f"`{value}`" + (f" ({label})" if label != value else "") for value, label in rule.values.items()]
        values += ["a number of minutes"] if rule.minutes else []
        rows.append((title, f"`{rule.name}`", rule.meaning, ", ".join(values)))
    return format_table(("game", "house rule", "meaning", "values, the usual one first"), rows)


def format_settings() -> str:
    rows = [
        (f"`{row.name}`", row.label, row.help_text, row.allowed, f"`{json.dumps(row.default)}`")
        for row in SETTINGS.values()
    ]
    return format_table(("setting", "on the page", "meaning", "values", "default"), rows)


def format_table_keys() -> str:
    """Return the keys at the table; those with the same label share a row."""
    keys: dict[str, list[str]] = {}
    for binding in TABLE.keys:
        keys.setdefault(binding.label, []).extend(f"`{format_key(key)}`" for key in DEFAULT_KEYS[binding.name].split())
    return format_table(("keys", "what they do"), [(" ".join(names), label) for label, names in keys.items()])


def format_keys(keys: Mapping[str, str]) -> str:
    """Return the names of key bindings with their keys, as a paragraph."""
    text = "; ".join([f"`{name}` {each}" for name, each in keys.items()])
    return f"{fill(text, _LINE_LENGTH, break_on_hyphens=False, break_long_words=False)}\n"


def format_commands() -> str:
    rows = []
    context = click.Context(commands)
    for name, (_, help_line) in COMMANDS.items():
        _, command, _ = commands.resolve_command(context, [name])
        assert command is not None
        arguments = [_format_argument(each) for each in command.params if isinstance(each, click.Argument)]
        usage = " ".join(["cardtable", name, *arguments]).replace("|", r"\|")
        rows.append((f"`{usage}`", " ".join([help_line, _format_options(name, command.params)]).strip()))
    return format_table(("command", "what it does, and its options"), rows)


def _format_argument(argument: click.Argument) -> str:
    name = argument.human_readable_name.strip("[]").upper() if argument.metavar is None else argument.metavar
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _format_options(name: str, parameters: Iterable[click.Parameter]) -> str:
    """Return the options that only this command has."""
    options = [each.opts[-1] for each in parameters if isinstance(each, click.Option) and name not in COMMANDS_OF_CLUBS]
    return " ".join([f"`{option}`" for option in options if option.removeprefix("--") not in FRONT_END_OPTIONS])


def format_members_of_game() -> str:
    facts = {name: hasattr(Game, name) for name in inspect.get_annotations(Game)}
    methods = {name: name not in Game.__abstractmethods__ for name in list_overridable_methods(Game)}
    rows = [
        (_format_member(name, Game), describe(name, Game), _format_who_writes(name, is_optional=is_optional))
        for name, is_optional in (facts | methods).items()
    ]
    return format_table(("member", "meaning", "has to be written"), rows)


def _format_who_writes(name: str, *, is_optional: bool) -> str:
    if is_optional:
        return "no"
    bases = [base.__name__ for base in (RoundGame, TrickGame) if name in ("view", "columns") or name in vars(base)]
    return f"not in a `{bases[0]}`" if bases else "yes"


def format_facts_of_game() -> str:
    rows = [(_format_member(name, GameInfo), describe(name, GameInfo)) for name in GameInfo.__struct_fields__]
    return format_table(("field", "meaning"), rows)


def format_classes(classes: Sequence[type[msgspec.Struct]]) -> str:
    """Return classes with types and defaults of the fields that no other of the classes has, and their docstrings."""
    rows = []
    for each in classes:
        bases = [base for base in each.__mro__ if base.__module__.startswith("cardtable.") and base not in classes]
        fields = {
            node.target.id: ast.unparse(node)
            for base in (*reversed(bases), each)
            for node in _read_definition(base).body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        signature = f"{each.__name__}({', '.join([fields[name] for name in each.__struct_fields__ if name in fields])})"
        rows.append((f"`{signature}`".replace("|", r"\|"), _join_paragraph(inspect.getdoc(each) or "")))
    return format_table(("class", "meaning"), rows)


def format_members_of_state(names: Iterable[str], *classes: type) -> str:
    """Return the members of states, described by the first of ``classes`` that has a docstring for them."""
    return format_table(
        ("member", "meaning"), [(_format_member(name, *classes), describe(name, *classes)) for name in names]
    )


def _format_member(name: str, *classes: type) -> str:
    """Return the name of a member with its type, of a method with its parameters and result.

    They are those of the first class that defines the member.
    """
    text = next(
        text for each in classes for node in _read_definition(each).body if (text := _format_definition(node, name))
    )
    return f"`{text}`".replace("|", r"\|")


def _format_definition(node: ast.stmt, name: str) -> str:
    """Return a definition in a class as in a reference; an empty text if it does not define ``name``."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=defined)) if defined == name:
            return f"{name}: " + _CLASS_VARIABLE.sub(r"\1", ast.unparse(node.annotation))
        case ast.FunctionDef(name=defined, returns=ast.expr() as result) if defined == name:
            if any(ast.unparse(one) == "property" for one in node.decorator_list):
                return f"{name}: {ast.unparse(result)}"
            parameters = ast.unparse(node.args).removeprefix("self").removeprefix(", ")
            return f"{name}({_UNUSED.sub('', parameters)}) -> {ast.unparse(result)}"
    return ""


def describe(name: str, *classes: type) -> str:
    """Return the first paragraph of the docstring of a member, from the first of ``classes`` that has one."""
    return _join_paragraph(next(text for each in classes if (text := _read_docstrings(each).get(name))))


def _join_paragraph(text: str) -> str:
    """Return the first paragraph of a docstring in one line of Markdown."""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split()).replace("``", "`")


def _read_definition(each: type) -> ast.ClassDef:
    (definition,) = ast.parse(inspect.getsource(each)).body
    assert isinstance(definition, ast.ClassDef)
    return definition


def _read_docstrings(each: type) -> dict[str, str]:
    """Return the docstrings of the attributes, properties and methods that a class defines."""
    found = {}
    for node, following in pairwise([*_read_definition(each).body, ast.Pass()]):
        if isinstance(node, ast.FunctionDef):
            found[node.name] = ast.get_docstring(node) or ""
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(following, ast.Expr):
            found[node.target.id] = ast.literal_eval(following.value)
    return found


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "levels": format_levels,
    "house rules": format_house_rules,
    "settings": format_settings,
    "keys at the table": format_table_keys,
    "keys": lambda: format_keys(DEFAULT_KEYS),
    "keys of vim": lambda: format_keys(VIM_KEYS),
    "commands": format_commands,
    "members of a game": format_members_of_game,
    "facts about a game": format_facts_of_game,
    "classes of views": lambda: format_classes(VIEWS),
    "parts of a game": lambda: format_classes(PARTS),
    "log entries": lambda: format_classes(LOG_ENTRIES),
    "members of a state with tricks": lambda: format_members_of_state(TRICK_MEMBERS, TrickGameState, TrickState),
    "members of every state": lambda: format_members_of_state(ROUND_MEMBERS, RoundState, State),
    "members of a state with choices at once": lambda: format_members_of_state(CHOOSING_MEMBERS, ChoosingState),
}


def insert_tables(page: str) -> str:
    """Return a page with its tables as they are now."""
    return _TABLE.sub(lambda table: table[1] + TABLES[table[2]](), page)


if __name__ == "__main__":
    for page in (MANUAL, REFERENCE):
        page.write_text(insert_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
