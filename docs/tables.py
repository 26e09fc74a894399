"""Writes the tables of the manual from the declarations of the program.

python -m docs.tables

A comment with the name of a table stands above it on the page.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from textwrap import fill
from typing import Final

import click

from cardtable.cli.main import COMMANDS, FRONT_END_OPTIONS, commands
from cardtable.engine.options import list_choices
from cardtable.games import GAMES, KEYS
from cardtable.store.settings import SETTINGS
from cardtable.ui.keys.keymap import DEFAULT_KEYS, VIM_KEYS, format_key
from cardtable.ui.keys.table_keys import TABLE
from cardtable.wording.players import describe_level_strength

MANUAL: Final = Path(__file__).parent / "manual.md"
COMMON_RULES: Final = ("round_clock", "open_hands")
"""House rules that every game has."""
COMMANDS_OF_CLUBS: Final = ("host", "join", "club")
"""Commands whose options are on the pages about clubs."""
_TABLE: Final = re.compile(r"(<!-- table: (.+) -->\n)(?:.+\n)*")
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


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "levels": format_levels,
    "house rules": format_house_rules,
    "settings": format_settings,
    "keys at the table": format_table_keys,
    "keys": lambda: format_keys(DEFAULT_KEYS),
    "keys of vim": lambda: format_keys(VIM_KEYS),
    "commands": format_commands,
}


def insert_tables(page: str) -> str:
    """Return a page with its tables as they are now."""
    return _TABLE.sub(lambda table: table[1] + TABLES[table[2]](), page)


if __name__ == "__main__":
    MANUAL.write_text(insert_tables(MANUAL.read_text(encoding="utf-8")), encoding="utf-8")
