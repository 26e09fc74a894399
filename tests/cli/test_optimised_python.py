"""Under ``python -OO``, which removes docstrings, the program prints the same texts."""

import subprocess
import sys

import pytest

PRINT_HELP = """
import click
from cardtable.cli.main import commands

def print_help(command, parent, name):
    context = click.Context(command, parent=parent, info_name=name)
    print(context.get_help())
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            print_help(command.resolve_command(context, [inner])[1], context, inner)

print_help(commands, None, "cardtable")
"""
PRINT_SCHEMAS = """
from cardtable.cli.json_output import OUTPUTS, create_schema

for command in OUTPUTS:
    print(create_schema(command))
"""
PRINT_RULES = """
from cardtable.wording.formatting import read_docstring
import cardtable.games.gurka.rules

print(read_docstring(cardtable.games.gurka.rules))
"""


@pytest.mark.parametrize("program", [PRINT_HELP, PRINT_SCHEMAS, PRINT_RULES], ids=["help", "schemas", "rules"])
def test_texts_are_the_same(program):
    plain, optimised = [
        subprocess.run([sys.executable, *options, "-c", program], capture_output=True, encoding="utf-8", check=True)
        for options in ([], ["-OO"])
    ]
    assert len(plain.stdout) > 100
    assert optimised.stdout == plain.stdout
