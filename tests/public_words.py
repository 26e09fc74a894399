"""Words by which people and other programs address cardtable: ``python -m tests.public_words`` records new ones.

From version 1.0 on a recorded word stays, with its meaning. The report lists all of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path
from typing import Final

import click

from cardtable.cli.json_output import OUTPUTS, create_schema
from cardtable.cli.main import FRONT_END_OPTIONS, commands
from cardtable.store.settings import SETTINGS

DOCS: Final = Path(__file__).parent.parent / "docs"
RECORD: Final = Path(__file__).with_suffix(".txt")
HEAD: Final = """\
# Public words

Options, members of JSON, settings, metrics and names for authors of games: people and other programs rely on them, so
from version 1.0 on none is removed. `cardtable schema COMMAND` prints the types of JSON members. Arguments and house
rules are on the pages of the commands and games, members of files on the pages about these files.
"""
Row = tuple[str, str, str]
"""Word, where it is used, and meaning."""


def iter_commands(command: click.Command, parent: click.Context | None = None) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all commands in it, each with its words."""
    context = click.Context(command, parent=parent, info_name=command.name)
    yield context.command_path.partition(" ")[2] or "cardtable", command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from iter_commands(command.resolve_command(context, [name])[1], context)


def iter_options() -> Iterator[Row]:
    common = {f"--{name}" for name in FRONT_END_OPTIONS}
    for path, command in iter_commands(commands):
        for option in command.params:
            if isinstance(option, click.Option) and (path == "cardtable" or common.isdisjoint(option.opts)):
                yield ", ".join(sorted([*option.opts, *option.secondary_opts], key=len)), path, option.help or ""


def iter_json_members() -> Iterator[Row]:
    for command in OUTPUTS:
        for name, definition in create_schema(command)["$defs"].items():
            for member, schema in definition.get("properties", {}).items():
                yield member, f"{command} ({name})", schema.get("description", "")


def iter_settings() -> Iterator[Row]:
    for setting in SETTINGS.values():
        yield setting.name, "settings.toml", f"{setting.label}: {setting.help_text}"


def iter_metrics() -> Iterator[Row]:
    """Yield the metrics from the table of the club's reference, which a test compares with the host."""
    page = (DOCS / "club-reference.md").read_text(encoding="utf-8")
    for names, labels, meaning in re.findall(r"^\| (`cardtable_.+?) \|(.*?)\| (.+) \|$", page, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            yield name, ", ".join(re.findall(r"`(\w+)`", labels)), re.sub(r"\[(.+?)\]\(#.+?\)", r"\1", meaning)


def iter_interface() -> Iterator[tuple[str, list[str]]]:
    """Yield each module of the reference for authors with its functions, and each class with its public members."""
    for page in sorted((DOCS / "site" / "reference").glob("*.md")):
        for kind, path in re.findall(r"auto(module|class):: (\S+)", page.read_text(encoding="utf-8")):
            name = path if kind == "module" else path.rpartition(".")[0]
            module = import_module(name)
            own = [value for key, value in vars(module).items() if key[0] != "_" and is_defined_in(value, name)]
            listed = own if kind == "module" else [getattr(module, path.rpartition(".")[2])]
            if functions := sorted(value.__name__ for value in listed if isfunction(value)):
                yield name, functions
            for value in listed:
                if isclass(value):
                    members = {**vars(value), **vars(value).get("__annotations__", {})}
                    yield f"{name}.{value.__name__}", sorted(member for member in members if member[0] != "_")


def is_defined_in(value: object, module: str) -> bool:
    return getattr(value, "__module__", "") == module


def render_table(title: str, headings: str, rows: Iterable[Row]) -> str:
    """Return a table with a row for each word and meaning; equal ones share a row."""
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for word, where, meaning in rows:
        places[word, " ".join(meaning.split()).replace("|", "\\|").replace("``", "`")].append(where)
    lines = [
        f"| `{word}` | {', '.join(f'`{each}`' for each in dict.fromkeys(where) if each)} | {meaning} |"
        for (word, meaning), where in sorted(places.items())
    ]
    return "\n".join(["", f"## {title}", "", headings, "| --- | --- | --- |", *lines, ""])


def render_page() -> str:
    interface = [f"| `{owner}` | {', '.join(f'`{name}`' for name in names)} |" for owner, names in iter_interface()]
    return "".join([
        HEAD,
        render_table("Options", "| option | command | meaning |", iter_options()),
        render_table("JSON", "| member | command (type) | meaning |", iter_json_members()),
        render_table("Settings", "| setting | file | meaning |", iter_settings()),
        render_table("Metrics", "| metric | labels | meaning |", iter_metrics()),
        "\n".join(["", "## Names for authors", "", "| module or class | names |", "| --- | --- |", *interface, ""]),
    ])  # fmt: skip


def list_words(page: str) -> list[str]:
    """Return the words of a page, each with its section and the place where it is used, in alphabetical order."""
    words = set()
    for section in page.split("\n## ")[1:]:
        title = section.splitlines()[0]
        for first, second in re.findall(r"^\| `(.+?)` \| (.*?) \|", section, re.MULTILINE):
            cells = re.findall(r"`([^`]+)`", second) or [""]
            words |= {f"{title}: {first} {cell}".rstrip() for cell in cells}
    return sorted(words)


def load_record() -> list[str]:
    return RECORD.read_text(encoding="utf-8").splitlines()


def main() -> None:
    words = list_words(render_page())
    if gone := sorted({*load_record()} - {*words}):
        raise SystemExit(f"words have gone, on which others rely: {gone}")
    RECORD.write_text("\n".join([*words, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
