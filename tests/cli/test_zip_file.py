"""The program in a zip file, in which it finds all that the package ships, and under ``-OO``: the same answers."""

import os
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

import cardtable

COMMANDS = [
    "rules gurka",
    "learn gurka --plain",
    "replay king-of-hearts --show-hands --svg -",
    "simulate gurka --sessions 2 --seed 1 --workers 2",
    "new-game dominion",
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Return the zip file, in a folder of its own."""
    folder = tmp_path_factory.mktemp("zip")
    package = Path(cardtable.__file__).parent
    zipapp.create_archive(
        package.parent,
        folder / "cardtable.pyz",
        main="cardtable.__main__:main",
        filter=lambda path: path.parts[0] == package.name and "__pycache__" not in path.parts,
    )
    return folder / "cardtable.pyz"


def run(folder, program, command):
    """Run a command in a folder, which is also the home; return the exit code and both outputs."""
    ended = subprocess.run(
        [sys.executable, *program, *command.split()],
        cwd=folder,
        env={**os.environ, "CARDTABLE_HOME": str(folder)},
        input="1\n",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_answers_as_the_installed_program(program, tmp_path, command):
    installed, zipped = tmp_path / "installed", tmp_path / "zipped"
    installed.mkdir()
    zipped.mkdir()
    (zipped / program.name).hardlink_to(program)
    expected = run(installed, ["-m", "cardtable"], command)
    assert expected[1:] != ("", "")
    assert run(zipped, [program.name], command) == expected


def test_doctor_lists_the_themes(program, tmp_path):
    code, facts, complaints = run(tmp_path, [program], "doctor")
    assert "ansi, classic" in facts
    assert (code, complaints) == (0, "")


# --- under ``python -OO``, which removes docstrings, the program prints the same texts


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


def test_texts_are_the_same_without_docstrings():
    plain, optimised = [
        subprocess.run([sys.executable, *options, "-c", PRINT_HELP + PRINT_SCHEMAS + PRINT_RULES], capture_output=True,
                       encoding="utf-8", check=True)
        for options in ([], ["-OO"])
    ]  # fmt: skip
    assert len(plain.stdout) > 1000
    assert optimised.stdout == plain.stdout
