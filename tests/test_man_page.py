"""The man page has every command, with its options and its help, as the program has them."""

import re
from pathlib import Path

import click
import pytest

import cardtable
from cardtable.cli.main import FRONT_END_OPTIONS, commands

PAGE = (Path(__file__).parent.parent / "packaging/share/man/man1/cardtable.1").read_text(encoding="utf-8")
ADVICE = "run make man"


def read_text(source):
    """Return the text of a part of the page as words with single spaces, without its requests and fonts."""
    lines = [line.removeprefix(".B ") for line in source.splitlines() if not re.match(r"\.(?!B )|'", line)]
    text = re.sub(r"\\f[BIPR]|\\&", "", " ".join(lines))
    return " ".join(text.replace(r"\-", "-").replace(r"\(aq", "'").split())


def read_sections():
    """Return the source of the section of each command, and under an empty name that of the program itself."""
    title, *rest = re.split(r"^\.SS (.*)$", PAGE.partition(".SH COMMANDS")[2].partition(".SH")[0], flags=re.MULTILINE)
    names = [name.replace(r"\-", "-") for name in rest[::2]]
    return {"": title, **dict(zip(names, rest[1::2], strict=True))}


def iter_commands(group, parent=None, name=""):
    """Yield the words and the context of a group and of all commands in it."""
    context = click.Context(group, parent=parent, info_name=name or "cardtable")
    yield context.command_path.partition(" ")[2], context
    if isinstance(group, click.Group):
        for each in group.list_commands(context):
            yield from iter_commands(group.resolve_command(context, [each])[1], context, each)


SECTIONS = read_sections()
COMMANDS = dict(iter_commands(commands))


def test_man_page_has_exactly_the_commands():
    assert sorted(SECTIONS) == sorted(COMMANDS), ADVICE


@pytest.mark.parametrize("name", COMMANDS, ids=lambda name: name or "cardtable")
def test_man_page_has_help_and_options(name):
    context, source = COMMANDS[name], SECTIONS[name]
    command, text = context.command, read_text(source)
    options = [param for param in command.params if isinstance(param, click.Option)]
    if name:
        options = [option for option in options if option.name.replace("_", "-") not in FRONT_END_OPTIONS]
    lines = re.findall(r"^\.B (\\-.*)", source, re.MULTILINE)
    listed = [word.strip(",") for line in lines for word in line.replace(r"\-", "-").split() if word.startswith("-")]
    assert sorted(listed) == sorted(word for each in options for word in (*each.opts, *each.secondary_opts)), ADVICE
    for sentence in (command.help, command.epilog, *[option.help for option in options]):
        assert " ".join((sentence or "").replace("`", "").split()) in text, ADVICE
    assert " ".join(context.get_usage().split()).removeprefix("Usage: ") in text, ADVICE


def test_man_page_names_the_version():
    (title,) = re.findall(r"^\.TH (.*)$", PAGE, re.MULTILINE)
    assert re.fullmatch(rf'"CARDTABLE" "1" "\d{{4}}-\d\d-\d\d" "{re.escape(cardtable.__version__)}" "cardtable"', title)
